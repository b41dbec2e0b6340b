//! A collection of cases: frames of every family, and the messages that they are parsed into. The cases are data, in
//! `formats/*.txt`:
//!
//! ```text
//! # the rule that the case is about (a comment; any line that begins with `#`)
//! [zone=Europe/Berlin received=2026-01-01T00:00:10Z peer=10.0.0.9 format=auto]
//! < <34>Oct  1 22:14:15 mymachine su[230]: 'su root' failed\r\n
//! time 2026-10-01T22:14:15Z
//! priority 34
//! field.x@1.a 1
//! ```
//!
//! `[…]` is optional and states what differs from UTC, 2026-11-21T06:13:00Z, 10.0.0.9 and `auto`; `lines=yes` means a
//! line of a file, and `written=TIME` states when it was written. `< ` begins the frame; the lines after it are its
//! columns: `time priority host program pid msgid message flags` and `field.NAME`, each a name, a space and a value.
//! An empty line ends the case. In frames, names and values `\r \n \t \0 \xNN \\` stand for bytes.
//!
//! **Invariant:** a case is exact: a column that it does not list is empty. The raw bytes are always those of
//! the frame.
//!
//! Keywords: RFC 3164, RFC 5424, CEF, Cisco, formats.

use jiff::tz::TimeZone;
use logstead_config::SourceFormat;
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::{FrameContext, SyslogParser};
use std::path::PathBuf;

const CASES_MIN: usize = 150;

/// A frame and the columns that it should be parsed into.
#[derive(Default)]
struct Case {
    /// `file:line` of the frame.
    place: String,
    zone: Option<String>,
    received: Option<String>,
    peer: Option<String>,
    format: Option<String>,
    lines: Option<String>,
    written: Option<String>,
    frame: Option<Vec<u8>>,
    columns: Vec<(String, String)>,
}

impl Case {
    /// Adds a line to a case.
    fn line(&mut self, place: &str, line: &str) {
        if let Some(settings) = line.strip_prefix('[') {
            for setting in settings.trim_end_matches(']').split_whitespace() {
                let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
                let value = Some(value.to_owned());
                match name {
                    "zone" => self.zone = value,
                    "received" => self.received = value,
                    "peer" => self.peer = value,
                    "format" => self.format = value,
                    "lines" => self.lines = value,
                    "written" => self.written = value,
                    _ => panic!("{place}: there is no setting `{name}`"),
                }
            }
        } else if let Some(frame) = line.strip_prefix("< ") {
            assert!(self.frame.is_none(), "{place}: a second frame; an empty line ends a case");
            place.clone_into(&mut self.place);
            self.frame = Some(unescape(place, frame));
        } else {
            assert!(self.frame.is_some(), "{place}: a column before the frame");
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            let known = ["time", "priority", "host", "program", "pid", "msgid", "message", "flags"];
            assert!(
                known.contains(&name) || name.starts_with("field."),
                "{place}: there is no column `{name}`"
            );
            self.columns.push((name.to_owned(), value.to_owned()));
        }
    }

    fn parse(&self) -> Batch {
        let received = self.received.as_deref().unwrap_or("2026-11-21T06:13:00Z");
        let received = Timestamp::parse_rfc3339(received.as_bytes()).expect(&self.place);
        let peer = self.peer.as_deref().unwrap_or("10.0.0.9").as_bytes();
        let format = match self.format.as_deref().unwrap_or("auto") {
            "auto" => SourceFormat::Auto,
            "rfc5424" => SourceFormat::Rfc5424,
            "rfc3164" => SourceFormat::Rfc3164,
            "raw" => SourceFormat::Raw,
            other => panic!("{}: there is no format `{other}`", self.place),
        };
        let zone = TimeZone::get(self.zone.as_deref().unwrap_or("UTC")).expect(&self.place);
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"syslog", peer, received });
        let written =
            self.written.as_deref().map(|time| Timestamp::parse_rfc3339(time.as_bytes()).expect(time));
        let known = FrameContext { peer, written: written.unwrap_or(received), ..FrameContext::at(received) };
        let syslog = SyslogParser { lines: self.lines.is_some(), ..SyslogParser::new(format, zone) };
        syslog.parse(self.frame.as_deref().expect(&self.place), known, &mut builder);
        builder.seal()
    }

    /// The differences between the expected and the read message; empty if there are none.
    fn differences(&self) -> String {
        let batch = self.parse();
        let mut expected = self.columns.clone();
        let mut found = columns(&batch);
        // The sort is stable, so that several values of one name keep their order.
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let mut text = String::new();
        let only_in = |some: &[(String, String)], others: &[(String, String)]| {
            let lines = some.iter().filter(|line| !others.contains(line));
            lines.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>()
        };
        if expected != found {
            for line in only_in(&expected, &found) {
                text += &format!("    expected: {line}\n");
            }
            for line in only_in(&found, &expected) {
                text += &format!("    found:    {line}\n");
            }
            if text.is_empty() {
                text += &format!("    the same columns in another order or number: {found:?}\n");
            }
        }
        let mut raw = Vec::new();
        batch.write_raw(0, &mut raw);
        if Some(&raw) != self.frame.as_ref() {
            text += &format!("    raw bytes: {}\n", escape(&raw));
        }
        text
    }
}

/// All columns of the first row that are not empty.
fn columns(batch: &Batch) -> Vec<(String, String)> {
    let flags: Vec<_> = batch.flags(0).names().collect();
    let known = [
        ("time", batch.own_time(0).map_or(String::new(), |time| time.to_string())),
        ("priority", batch.priority(0).map_or(String::new(), |priority| priority.number().to_string())),
        ("host", escape(batch.host(0))),
        ("program", escape(batch.program(0))),
        ("pid", escape(batch.pid(0))),
        ("msgid", escape(batch.msgid(0))),
        ("message", escape(batch.message(0))),
        ("flags", flags.join(" ")),
    ];
    let known = known.into_iter().filter(|(_, value)| !value.is_empty());
    let fields = batch.fields(0).map(|(name, value)| (format!("field.{}", escape(name)), escape(value)));
    known.map(|(name, value)| (name.to_owned(), value)).chain(fields).collect()
}

fn unescape(place: &str, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let kind = escaped.chars().next().unwrap_or(' ');
        let mut used = 1;
        bytes.push(match kind {
            'r' => b'\r',
            'n' => b'\n',
            't' => b'\t',
            '0' => 0,
            '\\' => b'\\',
            'x' => {
                used = 3;
                let digits = escaped.get(1..3).unwrap_or_default();
                u8::from_str_radix(digits, 16)
                    .unwrap_or_else(|_| panic!("{place}: `\\x{digits}` is not a byte"))
            }
            _ => panic!("{place}: `\\{kind}` stands for nothing"),
        });
        rest = escaped.get(used..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The inverse of [`unescape`]; a space at either end is escaped to make it visible.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\r' => text += "\\r",
                '\n' => text += "\\n",
                '\t' => text += "\\t",
                '\0' => text += "\\0",
                '\\' => text += "\\\\",
                '\x01'..' ' | '\x7F' => text += &format!("\\x{:02X}", u32::from(char)),
                _ => text.push(char),
            }
        }
        for byte in chunk.invalid() {
            text += &format!("\\x{byte:02X}");
        }
    }
    let inner = text.trim_matches(' ').len();
    if inner == text.len() {
        return text;
    }
    let leading = text.len() - text.trim_start_matches(' ').len();
    let trailing = text.len() - leading - inner;
    [&"\\x20".repeat(leading), text.trim_matches(' '), &"\\x20".repeat(trailing)].concat()
}

/// All cases of all files.
fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is a folder")
        .map(|entry| entry.expect("the corpus can be listed").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a file of the corpus is UTF-8");
        let mut case = Case::default();
        for (number, line) in text.lines().enumerate() {
            match line {
                "" => cases.push(std::mem::take(&mut case)),
                _ if line.starts_with('#') => {}
                _ => case.line(&format!("{name}:{}", number + 1), line),
            }
        }
        cases.push(case);
    }
    cases.retain(|case| case.frame.is_some());
    cases
}

#[test]
fn every_frame_reads_as_its_case_says_and_its_bytes_are_kept() {
    let mut report = String::new();
    for case in cases() {
        let differences = case.differences();
        if !differences.is_empty() {
            let frame = escape(case.frame.as_deref().unwrap_or_default());
            report += &format!("{}: {frame}\n{differences}\n", case.place);
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn there_is_a_case_for_what_is_out_there() {
    let cases = cases().len();
    assert!(CASES_MIN <= cases, "{cases} cases where {CASES_MIN} are the least");
}
