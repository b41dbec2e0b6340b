//! Syslog over RELP: a message is delivered when the server has acknowledged it.
//!
//! Many messages are on their way at a time, as many as the window allows. After a failure only those without an
//! answer are sent again: a server may get some of them twice, and none is left out.

#[cfg(test)]
mod tests;

use super::answers::AnswerWindow;
use super::connect::Connector;
use super::connection::{ServerConnection, WaitFor};
use super::link::{LinkConnection, ServerLink};
use super::render;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_client::relp::{self, RelpFrame};
use logstead_config::{ForwardFormat, RelpServer};
use std::time::{Duration, Instant};

/// Approximate number of bytes per write.
const WRITE_BYTES: usize = 256 << 10;
/// How long a server may send no answer while answers are due.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long opening a session may take.
const OPEN_WAIT_MAX: Duration = Duration::from_secs(10);
/// How long sending a whole batch may take.
const SEND_WAIT_MAX: Duration = Duration::from_secs(120);
/// Maximum number of characters of a server's reason that are kept.
const REASON_CHARS_MAX: usize = 200;

pub(super) struct Relp {
    link: ServerLink,
    format: ForwardFormat,
    window: usize,
    /// The number of the next frame.
    next: u32,
    answers: AnswerWindow,
    /// The refused messages, by position, with the reasons.
    refused: Vec<(usize, String)>,
    message: Vec<u8>,
    /// The frames to write, and the number of bytes already written.
    out: Vec<u8>,
    written: usize,
    /// Bytes that were read, but do not form a complete frame yet.
    input: Vec<u8>,
    bytes: usize,
    /// [`ANSWER_WAIT_MAX`], unless a test sets a shorter time.
    answer_wait_max: Duration,
}

impl Relp {
    pub(super) fn new(config: &RelpServer, connector: Connector) -> Relp {
        Relp {
            link: ServerLink::new(&config.to, connector),
            format: config.format,
            window: config.window as usize,
            next: 1,
            answers: AnswerWindow::default(),
            refused: Vec::new(),
            message: Vec::new(),
            out: Vec::new(),
            written: 0,
            input: Vec::new(),
            bytes: 0,
            answer_wait_max: ANSWER_WAIT_MAX,
        }
    }

    /// Sends the messages and waits for the answers. An error says why the session ended.
    fn run(
        &mut self,
        connection: &mut ServerConnection,
        messages: &[OutgoingMessage<'_>],
    ) -> Result<(), String> {
        self.answers.expect(self.next, messages.len());
        let end = Instant::now() + SEND_WAIT_MAX;
        let mut until = end.min(Instant::now() + self.answer_wait_max);
        while !self.answers.are_complete() {
            self.fill(messages);
            let written = self.write(connection)?;
            let answered = self.read(connection)?;
            if 0 < answered {
                until = end.min(Instant::now() + self.answer_wait_max);
            } else if until <= Instant::now() {
                return Err(self.late());
            } else if written == 0 {
                let what = if self.has_to_write(connection)? { WaitFor::Both } else { WaitFor::Input };
                connection.wait(what, until).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// Adds frames to the output once all of it is written. Waits until half of the window is free, so that writes
    /// stay large.
    fn fill(&mut self, messages: &[OutgoingMessage<'_>]) {
        if self.written < self.out.len() || self.window.div_ceil(2) < self.answers.open() {
            return;
        }
        self.out.clear();
        self.written = 0;
        while self.answers.open() < self.window && self.out.len() < WRITE_BYTES {
            let Some(message) = messages.get(self.answers.sent) else { break };
            render::write(self.format, message, &mut self.message);
            relp::write(self.next, "syslog", &self.message, &mut self.out);
            self.next = relp::next(self.next);
            self.answers.sent_one();
        }
        self.bytes += self.out.len();
    }

    /// Writes as much as possible without waiting. If the server accepts nothing any more, its earlier answers still
    /// count.
    fn write(&mut self, connection: &mut ServerConnection) -> Result<usize, String> {
        let rest = &self.out[self.written..];
        let written = if rest.is_empty() { connection.flush().map(|_| 0) } else { connection.write(rest) };
        match written {
            Ok(written) => {
                self.written += written;
                Ok(written)
            }
            Err(error) => {
                while 0 < self.read(connection)? {}
                Err(error.to_string())
            }
        }
    }

    fn has_to_write(&self, connection: &mut ServerConnection) -> Result<bool, String> {
        let is_flushed = connection.flush().map_err(|error| error.to_string())?;
        Ok(!is_flushed || self.written < self.out.len())
    }

    /// Reads the available answers; returns their number.
    fn read(&mut self, connection: &mut ServerConnection) -> Result<usize, String> {
        let before = self.answers.count;
        connection.read(&mut self.input).map_err(|error| error.to_string())?;
        let mut input = std::mem::take(&mut self.input);
        let taken = self.take(&input);
        input.drain(..*taken.as_ref().unwrap_or(&input.len()));
        self.input = input;
        taken?;
        Ok(self.answers.count - before)
    }

    /// Processes the complete frames; returns their length in bytes.
    fn take(&mut self, input: &[u8]) -> Result<usize, String> {
        let mut at = 0;
        while let Some((frame, length)) = relp::read(&input[at..])? {
            self.hear(&frame)?;
            at += length;
        }
        Ok(at)
    }

    fn hear(&mut self, frame: &RelpFrame<'_>) -> Result<(), String> {
        match frame.command {
            b"rsp" => {
                let number = frame.txnr;
                let place = self.answers.take(number);
                let place = place.ok_or_else(|| {
                    format!("the server answered frame {number}, which was not waiting for an answer")
                })?;
                if let Err(reason) = relp::verdict(frame.data) {
                    self.refused.push((place, format!("the server refused it: {}", printable(&reason))));
                }
                Ok(())
            }
            b"serverclose" => Err("the server ended the session".to_owned()),
            // A hint needs no answer.
            _ if frame.txnr == 0 => Ok(()),
            other => Err(format!("the server sent `{}`, which is not an answer", printable(&text(other)))),
        }
    }

    fn late(&self) -> String {
        let open = self.answers.open();
        format!("the server does not answer: {open} messages are waiting for an acknowledgement")
    }

    /// Opens a session on a new connection.
    fn open(&mut self, connection: &mut ServerConnection) -> Result<(), String> {
        self.input.clear();
        self.out.clear();
        self.written = 0;
        relp::write(1, "open", relp::offers().as_bytes(), &mut self.out);
        self.next = 2;
        let until = Instant::now() + OPEN_WAIT_MAX.min(self.answer_wait_max);
        loop {
            self.write(connection)?;
            connection.read(&mut self.input).map_err(|error| error.to_string())?;
            if let Some((frame, length)) = relp::read(&self.input)? {
                let opened = opened(&frame);
                self.input.drain(..length);
                return opened;
            }
            if until <= Instant::now() {
                return Err("the server does not answer as RELP requires".to_owned());
            }
            let what = if self.has_to_write(connection)? { WaitFor::Both } else { WaitFor::Input };
            connection.wait(what, until).map_err(|error| error.to_string())?;
        }
    }

    /// Sends as many messages as possible; fails if the connection can no longer be used.
    fn attempt(
        &mut self,
        taken: &mut LinkConnection,
        messages: &[OutgoingMessage<'_>],
    ) -> Result<(), String> {
        if taken.is_new {
            // If the session does not open, none of the messages is answered.
            self.answers.expect(1, messages.len());
            self.open(&mut taken.connection)?;
        }
        self.run(&mut taken.connection, messages)
    }

    /// The result for the messages, even if the session ended before all of them were answered.
    fn outcome(&mut self, failed: Option<String>) -> Result<SendReport, SendFailure> {
        let mut refused = std::mem::take(&mut self.refused);
        refused.sort_unstable_by_key(|(place, _)| *place);
        let sent = SendReport { bytes: self.bytes, refused, ..SendReport::default() };
        match failed.map(SendFailure::wait) {
            None => Ok(sent),
            Some(_) if self.answers.are_complete() => Ok(sent),
            Some(failure) if self.answers.count == 0 => Err(failure),
            Some(failure) => Ok(SendReport { again: self.answers.missing(), busy: Some(failure), ..sent }),
        }
    }
}

impl MessageSink for Relp {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        // Unexpected data announces the end of the session.
        let mut taken = self.link.take(<[u8]>::is_empty)?;
        self.bytes = 0;
        match self.attempt(&mut taken, messages) {
            Ok(()) => {
                self.link.keep(taken.connection);
                self.outcome(None)
            }
            Err(reason) => {
                self.link.failed();
                self.outcome(Some(taken.connection.failed(reason)))
            }
        }
    }

    fn last_answer(&self) -> Option<String> {
        // Only answers show that messages were accepted.
        (0 < self.answers.count).then(|| "200 OK".to_owned())
    }
}

/// All messages are acknowledged, so nothing is lost if the server does not see the end of the session.
impl Drop for Relp {
    fn drop(&mut self) {
        if let Some(mut connection) = self.link.end() {
            let mut close = Vec::new();
            relp::write(self.next, "close", b"", &mut close);
            connection.write(&close).ok();
        }
    }
}

/// Checks whether the session was opened.
fn opened(frame: &RelpFrame<'_>) -> Result<(), String> {
    if frame.command != b"rsp" || frame.txnr != 1 {
        return Err(format!(
            "the server sent `{}` instead of opening a session",
            printable(&text(frame.command))
        ));
    }
    let refused = |reason: String| format!("the server refused the session: {}", printable(&reason));
    relp::verdict(frame.data).map_err(refused)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server's text, in the form and length in which it is shown.
fn printable(said: &str) -> String {
    said.chars().filter(|char| !char.is_control()).take(REASON_CHARS_MAX).collect()
}
