//! Syslog in a stream, over TCP or TLS. The other side says nothing of what it got, so messages count as delivered once
//! its system has confirmed them and the connection still stands a moment later.

use super::connect::Dial;
use super::connection::{Connection, For};
use super::line::{Line, Taken};
use super::{frame, render};
use crate::sink::{Failure, Message, Sent, Sink};
use logstead_config::{ForwardFormat, ForwardFraming, SyslogServer};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Roughly how much is written at once.
const WRITE_BYTES: usize = 256 << 10;
/// How long a server may accept no bytes before the connection counts as broken.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long all that is sent together may take.
const SEND_WAIT_MAX: Duration = Duration::from_secs(120);

pub(super) struct Syslog {
    line: Line,
    format: ForwardFormat,
    framing: ForwardFraming,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Syslog {
    pub(super) fn new(config: &SyslogServer, dial: Dial) -> Syslog {
        Syslog {
            line: Line::new(&config.to, dial),
            format: config.format,
            framing: config.framing,
            message: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Writes all of them; how many bytes they took.
    fn write(&mut self, connection: &mut Connection, messages: &[Message<'_>]) -> io::Result<usize> {
        let end = Instant::now() + SEND_WAIT_MAX;
        let mut bytes = 0;
        self.out.clear();
        for (at, message) in messages.iter().enumerate() {
            render::write(self.format, message, &mut self.message);
            frame::write(self.framing, &mut self.message, &mut self.out);
            if WRITE_BYTES <= self.out.len() || at + 1 == messages.len() {
                write_all(connection, &self.out, end)?;
                bytes += self.out.len();
                self.out.clear();
            }
        }
        // If it ends, some may not have arrived.
        self.message.clear();
        connection.stands(&mut self.message, WRITE_WAIT_MAX, end)?;
        Ok(bytes)
    }
}

impl Sink for Syslog {
    fn send(&mut self, messages: &[Message<'_>]) -> Result<Sent, Failure> {
        // Whatever a server of syslog says means nothing.
        let Taken { mut connection, .. } = self.line.take(|_| true)?;
        match self.write(&mut connection, messages) {
            Ok(bytes) => {
                self.line.keep(connection);
                Ok(Sent::all(bytes))
            }
            Err(error) => {
                self.line.failed();
                Err(Failure::wait(connection.failed(error)))
            }
        }
    }
}

fn write_all(connection: &mut Connection, bytes: &[u8], end: Instant) -> io::Result<()> {
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
            connection.wait(For::Room, until)?;
        }
    }
}
