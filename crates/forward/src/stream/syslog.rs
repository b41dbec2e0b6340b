//! Syslog in a stream, over TCP or TLS. The other side says nothing of what it got, so messages count as delivered once
//! its system has confirmed them and the connection still stands a moment later.

use super::connect::Connector;
use super::connection::{ServerConnection, WaitFor};
use super::link::{LinkConnection, ServerLink};
use super::{frame, render};
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{ForwardFormat, ForwardFraming, SyslogServer};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// Roughly how much is written at once.
const WRITE_BYTES: usize = 256 << 10;
/// How long a server may accept no bytes before the connection counts as broken.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long all that is sent together may take.
const SEND_WAIT_MAX: Duration = Duration::from_secs(120);

pub(super) struct SyslogSink {
    line: ServerLink,
    format: ForwardFormat,
    framing: ForwardFraming,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl SyslogSink {
    pub(super) fn new(config: &SyslogServer, dial: Connector) -> SyslogSink {
        SyslogSink {
            line: ServerLink::new(&config.to, dial),
            format: config.format,
            framing: config.framing,
            message: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Writes all of them; how many bytes they took.
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

impl MessageSink for SyslogSink {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        // Whatever a server of syslog says means nothing.
        let LinkConnection { mut connection, .. } = self.line.take(|_| true)?;
        match self.write(&mut connection, messages) {
            Ok(bytes) => {
                self.line.keep(connection);
                Ok(SendReport::all(bytes))
            }
            Err(error) => {
                self.line.failed();
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
