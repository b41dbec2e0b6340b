//! Syslog in a stream, over TCP or TLS. The other side does not acknowledge messages, so they count as delivered once
//! its system has acknowledged the bytes and the connection is still open a moment later.

use super::connect::Connector;
use super::connection::{ServerConnection, WaitFor};
use super::link::{LinkConnection, ServerLink};
use super::render;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{ForwardFormat, ForwardFraming, SyslogServer};
use std::io::{self, ErrorKind, Write};
use std::time::{Duration, Instant};

/// Approximate number of bytes per write.
const WRITE_BYTES: usize = 256 << 10;
/// How long a server may accept no bytes before the connection counts as broken.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long sending a whole batch may take.
const SEND_WAIT_MAX: Duration = Duration::from_secs(120);

pub(super) struct SyslogSink {
    link: ServerLink,
    format: ForwardFormat,
    framing: ForwardFraming,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl SyslogSink {
    pub(super) fn new(config: &SyslogServer, connector: Connector) -> SyslogSink {
        SyslogSink {
            link: ServerLink::new(&config.to, connector),
            format: config.format,
            framing: config.framing,
            message: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Writes all messages; returns the number of bytes written.
    fn write(
        &mut self,
        connection: &mut ServerConnection,
        messages: &[OutgoingMessage<'_>],
    ) -> io::Result<usize> {
        let end = Instant::now() + SEND_WAIT_MAX;
        let mut bytes = 0;
        self.out.clear();
        for (at, message) in messages.iter().enumerate() {
            render::write(self.format, message, &mut self.message);
            write_frame(self.framing, &mut self.message, &mut self.out);
            if WRITE_BYTES <= self.out.len() || at + 1 == messages.len() {
                write_all(connection, &self.out, end)?;
                bytes += self.out.len();
                self.out.clear();
            }
        }
        // If the connection ends, some messages may not have arrived.
        self.message.clear();
        connection.stands(&mut self.message, WRITE_WAIT_MAX, end)?;
        Ok(bytes)
    }
}

impl MessageSink for SyslogSink {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        // Anything that a syslog server sends is ignored.
        let LinkConnection { mut connection, .. } = self.link.take(|_| true)?;
        match self.write(&mut connection, messages) {
            Ok(bytes) => {
                self.link.keep(connection);
                Ok(SendReport::all(bytes))
            }
            Err(error) => {
                self.link.failed();
                Err(SendFailure::wait(connection.failed(error)))
            }
        }
    }
}

fn write_all(connection: &mut ServerConnection, bytes: &[u8], end: Instant) -> io::Result<()> {
    let mut written = 0;
    let mut until = end.min(Instant::now() + WRITE_WAIT_MAX);
    loop {
        let more = if written < bytes.len() { connection.write(&bytes[written..])? } else { 0 };
        written += more;
        let is_flushed = connection.flush()?;
        if written == bytes.len() && is_flushed {
            return Ok(());
        }
        let now = Instant::now();
        if 0 < more {
            until = end.min(now + WRITE_WAIT_MAX);
        } else if until <= now {
            return Err(io::Error::new(ErrorKind::TimedOut, "the server accepts no more data"));
        } else {
            connection.wait(WaitFor::Room, until)?;
        }
    }
}

/// Appends the framed message. A line must not contain a line end, which becomes a space.
fn write_frame(framing: ForwardFraming, message: &mut [u8], out: &mut Vec<u8>) {
    match framing {
        ForwardFraming::Octet => {
            // Writing to memory cannot fail.
            write!(out, "{} ", message.len()).ok();
            out.extend_from_slice(message);
        }
        ForwardFraming::Newline => {
            message.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
            out.extend_from_slice(message);
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_keeps_line_ends_and_a_line_cannot() {
        let check = |framing, expected: &[u8]| {
            let mut out = b"before".to_vec();
            write_frame(framing, &mut b"a\nb".to_vec(), &mut out);
            assert_eq!(out, [b"before", expected].concat());
        };
        check(ForwardFraming::Octet, b"3 a\nb");
        check(ForwardFraming::Newline, b"a b\n");
    }
}
