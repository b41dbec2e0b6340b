//! Sends messages as RELP transactions, many at a time, and reads the answers.
//!
//! **Invariant:** only what was answered with `200` counts as acknowledged; any other answer breaks the connection.

#![expect(clippy::disallowed_methods, reason = "what counts is how much of a write was taken")]

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition, is_timeout};
use super::latency::Latencies;
use super::socket::{Dial, LAST_WAIT_MAX, POLL_WAIT, StreamSocket};
use super::transport::Transport;
use super::window::Window;
use logstead_client::relp;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Approximate number of bytes per write.
const WRITE_BYTES: usize = 64 << 10;
const READ_BYTES: usize = 16 << 10;
/// Maximum wait for outstanding answers at the end.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(10);
/// Maximum wait for the session to close.
const CLOSE_WAIT_MAX: Duration = Duration::from_secs(1);

/// RELP over TCP or TLS.
pub(super) struct TransactionTransport {
    dial: Dial,
    window: Window,
    connection: Option<RelpSession>,
}

/// One session.
struct RelpSession {
    socket: StreamSocket,
    /// The current read timeout.
    read_wait: Duration,
    /// The number of the next transaction.
    txnr: u32,
    /// The frames to write, and how many of their bytes are written.
    out: Vec<u8>,
    written_bytes: usize,
    /// Bytes that were read, but do not form a complete frame yet.
    input: Vec<u8>,
}

impl TransactionTransport {
    pub(super) fn new(dial: Dial, window: usize) -> TransactionTransport {
        TransactionTransport { dial, window: Window::new(window), connection: None }
    }
}

impl Transport for TransactionTransport {
    fn connect(&mut self) -> Result<(), ConnectionError> {
        self.connection = None;
        self.window.start_again();
        self.connection = Some(RelpSession::open(self.dial.connect()?)?);
        Ok(())
    }

    fn send(
        &mut self,
        chunk: &mut FrameChunk,
        until: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        let connection = self.connection.as_mut().ok_or_else(|| ConnectionError::new("not connected"))?;
        loop {
            let mut taken = 0;
            for message in chunk.frames() {
                if self.window.is_full() {
                    break;
                }
                self.window.put(message);
                taken += 1;
            }
            chunk.advance(taken);
            connection.write(&mut self.window, until, counts)?;
            if chunk.pending() == 0 || until.is_over() {
                return Ok(());
            }
            // Waits until half the window is free, so that writes stay large.
            let open = self.window.open();
            while open / 2 < self.window.open() && !until.is_over() {
                connection.read(&mut self.window, POLL_WAIT, counts)?;
            }
        }
    }

    /// Waits, and reads the answers that arrive in the meantime.
    fn wait(&mut self, pause: Duration, counts: &ConnectionCounts) -> Result<(), ConnectionError> {
        let end = Instant::now() + pause;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left < Duration::from_micros(1) {
                return Ok(());
            }
            match &mut self.connection {
                Some(connection) if 0 < self.window.open() => {
                    connection.read(&mut self.window, left, counts)?
                }
                _ => std::thread::sleep(left),
            }
        }
    }

    fn finish(&mut self, counts: &ConnectionCounts) -> Result<(), ConnectionError> {
        let connection = self.connection.as_mut().ok_or_else(|| ConnectionError::new("not connected"))?;
        let end = Instant::now() + ANSWER_WAIT_MAX;
        let stop = std::sync::atomic::AtomicBool::new(false);
        connection.write(&mut self.window, &EndCondition { stop: &stop, deadline: Some(end) }, counts)?;
        while 0 < self.window.open() {
            if end <= Instant::now() {
                let reason = format!("{} messages were not acknowledged in time", self.window.open());
                return Err(ConnectionError::fatal(reason));
            }
            connection.read(&mut self.window, POLL_WAIT, counts)?;
        }
        self.connection.take().map_or(Ok(()), RelpSession::close)
    }

    fn latencies(&self) -> Option<&Latencies> {
        Some(&self.window.latencies)
    }
}

impl RelpSession {
    /// Opens a RELP session.
    fn open(socket: StreamSocket) -> Result<RelpSession, ConnectionError> {
        let (out, input) = (Vec::new(), Vec::new());
        let mut connection =
            RelpSession { socket, read_wait: POLL_WAIT, txnr: 1, out, written_bytes: 0, input };
        let txnr = connection.command("open", relp::offers().as_bytes())?;
        let verdict = connection.answer(txnr, LAST_WAIT_MAX)?;
        verdict
            .map_err(|reason| ConnectionError::new(format!("the receiver refused the session: {reason}")))?;
        Ok(connection)
    }

    /// Writes everything queued, and reads answers if the receiver accepts nothing before they are read.
    fn write(
        &mut self,
        window: &mut Window,
        until: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        let mut stuck = None;
        loop {
            if self.written_bytes == self.out.len() {
                self.out.clear();
                self.written_bytes = 0;
                window.queue(&mut self.out, WRITE_BYTES, &mut self.txnr);
            }
            if self.out.is_empty() {
                return self.flush();
            }
            match self.socket.write(&self.out[self.written_bytes..]) {
                Ok(0) => return Err(ConnectionError::new("the receiver accepts no more data")),
                Ok(taken) => {
                    stuck = None;
                    self.written_bytes += taken;
                    let wrote = window.wrote(taken, Instant::now());
                    counts.sent(wrote.messages, wrote.bytes);
                    counts.resent(wrote.again);
                }
                Err(error) if is_timeout(&error) => {
                    let since = *stuck.get_or_insert_with(Instant::now);
                    if until.is_over() && LAST_WAIT_MAX <= since.elapsed() {
                        return Err(ConnectionError::fatal(
                            "the receiver accepted only part of the last messages",
                        ));
                    }
                    self.read(window, Duration::from_millis(1), counts)?;
                }
                Err(error) => return Err(ConnectionError::io("sending", &error)),
            }
        }
    }

    /// Reads the answers that have arrived, or waits for the first one.
    fn read(
        &mut self,
        window: &mut Window,
        wait: Duration,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        self.fill(wait)?;
        let (mut at, now) = (0, Instant::now());
        while let Some((frame, length)) = relp::read(&self.input[at..]).map_err(ConnectionError::new)? {
            at += length;
            match frame.command {
                b"rsp" => {
                    let refused =
                        |reason| ConnectionError::new(format!("the receiver refused a message: {reason}"));
                    relp::verdict(frame.data).map_err(refused)?;
                    counts.acknowledged(window.answered(frame.txnr, now).map_err(ConnectionError::new)?);
                }
                b"serverclose" => return Err(ConnectionError::new("the receiver ended the session")),
                other => return Err(unexpected(other)),
            }
        }
        self.input.drain(..at);
        Ok(())
    }

    /// Reads some bytes, if any arrive in time.
    fn fill(&mut self, wait: Duration) -> Result<(), ConnectionError> {
        if self.read_wait != wait {
            self.socket.set_read_wait(wait).map_err(|error| ConnectionError::io("receiving", &error))?;
            self.read_wait = wait;
        }
        let before = self.input.len();
        self.input.resize(before + READ_BYTES, 0);
        let read = self.socket.read(&mut self.input[before..]);
        self.input.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => Err(ConnectionError::new("the receiver has closed the connection")),
            Err(error) if !is_timeout(&error) => Err(ConnectionError::io("receiving", &error)),
            _ => Ok(()),
        }
    }

    /// Sends a frame that is not a message, while nothing else is queued.
    fn command(&mut self, command: &str, data: &[u8]) -> Result<u32, ConnectionError> {
        let txnr = self.txnr;
        let mut frame = Vec::new();
        relp::write(txnr, command, data, &mut frame);
        self.txnr = relp::next(txnr);
        self.socket.write_all(&frame).map_err(|error| ConnectionError::io(command, &error))?;
        self.flush()?;
        Ok(txnr)
    }

    /// Waits for the answer to a command.
    fn answer(&mut self, txnr: u32, wait_max: Duration) -> Result<Result<(), String>, ConnectionError> {
        let end = Instant::now() + wait_max;
        loop {
            if let Some((frame, length)) = relp::read(&self.input).map_err(ConnectionError::new)? {
                if frame.command != b"rsp" || frame.txnr != txnr {
                    return Err(unexpected(frame.command));
                }
                let verdict = relp::verdict(frame.data);
                self.input.drain(..length);
                return Ok(verdict);
            }
            if end <= Instant::now() {
                return Err(ConnectionError::new("the receiver does not answer as RELP requires"));
            }
            self.fill(POLL_WAIT)?;
        }
    }

    fn flush(&mut self) -> Result<(), ConnectionError> {
        let start = Instant::now();
        loop {
            match self.socket.flush() {
                Err(error) if is_timeout(&error) && start.elapsed() < LAST_WAIT_MAX => {}
                done => return done.map_err(|error| ConnectionError::io("sending", &error)),
            }
        }
    }

    /// Everything is acknowledged, so nothing is lost if the receiver does not close the session properly.
    fn close(mut self) -> Result<(), ConnectionError> {
        if let Ok(txnr) = self.command("close", b"") {
            self.answer(txnr, CLOSE_WAIT_MAX).ok();
            self.socket.close().ok();
        }
        Ok(())
    }
}

fn unexpected(command: &[u8]) -> ConnectionError {
    ConnectionError::new(format!(
        "the receiver sent `{}`, which is not an answer",
        String::from_utf8_lossy(command)
    ))
}
