//! Messages split into their parts, which each protocol writes in its own way.

use anyhow::{Context as _, Result};
use logstead_record::{Severity, Timestamp};

/// A message, and the syslog line that it comes from.
pub(super) struct SyslogMessage<'l> {
    pub(super) line: &'l str,
    pub(super) time: &'l str,
    pub(super) nanos: i64,
    pub(super) priority: u8,
    pub(super) host: &'l str,
    pub(super) program: &'l str,
    pub(super) pid: &'l str,
    pub(super) text: &'l str,
}

impl SyslogMessage<'_> {
    pub(super) fn severity(&self) -> u8 {
        self.priority % 8
    }

    pub(super) fn severity_name(&self) -> &'static str {
        Severity::new(self.severity()).map_or("", Severity::name)
    }
}

/// Parses the messages of lines in RFC 5424 format, without structured data.
pub(super) fn messages(lines: &str) -> Result<Vec<SyslogMessage<'_>>> {
    let read = |line| message(line).with_context(|| format!("not a line of RFC 5424: {line}"));
    lines.lines().map(read).collect()
}

fn message(line: &str) -> Option<SyslogMessage<'_>> {
    let (priority, rest) = line.strip_prefix('<')?.split_once(">1 ")?;
    let mut parts = rest.splitn(7, ' ');
    let mut part = || parts.next();
    let (time, host, program, pid) = (part()?, part()?, part()?, part()?);
    part()?;
    let (_data, text) = (part()?, part()?);
    let nanos = Timestamp::parse_rfc3339(time.as_bytes())?.nanos();
    let priority = priority.parse().ok()?;
    Some(SyslogMessage { line, time, nanos, priority, host, program, pid, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_parts() {
        let lines = String::from_utf8(crate::corpus::lines(3)).expect("it is text");
        let messages = messages(&lines).expect("they are lines of RFC 5424");
        for message in &messages {
            let SyslogMessage { priority, time, host, program, pid, text, .. } = message;
            assert_eq!(format!("<{priority}>1 {time} {host} {program} {pid} - - {text}"), message.line);
        }
        assert_eq!(messages.len(), 3);
    }
}
