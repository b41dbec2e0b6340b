//! A connection, encrypted or not, whose reads and writes never block: the caller waits for both at once, with a
//! deadline.
//!
//! **Invariant:** each read has a limit, however much the other side sends.

#![expect(clippy::disallowed_methods, reason = "what counts is how much of a write was taken")]

use super::unconfirmed::unconfirmed;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::ClientConnection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Number of bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// The first pause before checking whether everything is acknowledged; further pauses become longer and longer.
const LOOK_FIRST: Duration = Duration::from_millis(1);
const LOOK_MAX: Duration = Duration::from_millis(50);
/// How long a connection has to stay open after that.
const STANDS_WAIT: Duration = Duration::from_millis(200);

/// The event to wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitFor {
    /// The socket can be written to.
    Room,
    /// The socket has something to read.
    Input,
    /// Either of them.
    Both,
}

/// A connection to a server.
pub(super) struct ServerConnection {
    socket: TcpStream,
    tls: Option<Box<ClientConnection>>,
    server: String,
    chunk: Box<[u8]>,
}

impl ServerConnection {
    /// Wraps a non-blocking socket; `server` is its name in error messages.
    pub(super) fn new(socket: TcpStream, tls: Option<ClientConnection>, server: String) -> ServerConnection {
        let chunk = vec![0; READ_BYTES].into_boxed_slice();
        ServerConnection { socket, tls: tls.map(Box::new), server, chunk }
    }

    /// An error message with the name of the server.
    pub(super) fn failed(&self, reason: impl std::fmt::Display) -> String {
        format!("{}: {reason}", self.server)
    }

    /// Writes as much as possible without waiting, and returns how much that was. On an encrypted connection, the
    /// last part may still have to be flushed.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return zero_if_blocked(self.socket.write(bytes)) };
        if !flush(tls, &mut self.socket)? {
            return Ok(0);
        }
        let written = tls.writer().write(bytes)?;
        flush(tls, &mut self.socket)?;
        Ok(written)
    }

    /// Whether everything that was written has been handed to the system.
    pub(super) fn flush(&mut self) -> io::Result<bool> {
        self.tls.as_mut().map_or(Ok(true), |tls| flush(tls, &mut self.socket))
    }

    /// Appends the bytes that have arrived, up to the limit of one read. An error if the other side has ended the
    /// connection.
    pub(super) fn read(&mut self, input: &mut Vec<u8>) -> io::Result<usize> {
        let read = match &mut self.tls {
            None => self.socket.read(&mut self.chunk),
            Some(tls) => read_tls(tls, &mut self.socket, &mut self.chunk),
        };
        let length = match read {
            Ok(0) => {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection"));
            }
            read => zero_if_blocked(read)?,
        };
        input.extend_from_slice(&self.chunk[..length]);
        Ok(length)
    }

    /// Waits until the other side's system has acknowledged everything that was written, and then for as long as a
    /// server that hangs up takes to do so. An error if it has ended the connection, or has acknowledged nothing more
    /// for `patience`. Anything that it sends is ignored.
    pub(super) fn stands(
        &mut self,
        input: &mut Vec<u8>,
        patience: Duration,
        until: Instant,
    ) -> io::Result<()> {
        let (mut left, mut give_up, mut look) = (u64::MAX, until, LOOK_FIRST);
        // If the kernel cannot say, only the second wait remains.
        while let Ok(bytes @ 1..) = unconfirmed(&self.socket) {
            let now = Instant::now();
            if bytes < left {
                (left, give_up) = (bytes, until.min(now + patience));
            }
            if give_up <= now {
                return Err(io::Error::new(ErrorKind::TimedOut, "the server has stopped confirming data"));
            }
            self.look(input, now + look)?;
            look = LOOK_MAX.min(look * 2);
        }
        let end = Instant::now() + STANDS_WAIT;
        while Instant::now() < end {
            self.look(input, end)?;
        }
        Ok(())
    }

    /// Reads and ignores the bytes that arrive until then.
    fn look(&mut self, input: &mut Vec<u8>, until: Instant) -> io::Result<()> {
        self.wait(WaitFor::Input, until)?;
        self.read(input)?;
        input.clear();
        Ok(())
    }

    /// Waits until the condition holds or the time is up.
    pub(super) fn wait(&self, what: WaitFor, until: Instant) -> io::Result<()> {
        wait(&self.socket, what, until)
    }
}

/// Announces the end of an encrypted connection, if that is possible without waiting.
impl Drop for ServerConnection {
    fn drop(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            flush(tls, &mut self.socket).ok();
        }
    }
}

/// Waits until the condition holds or the time is up.
pub(super) fn wait(socket: &TcpStream, what: WaitFor, until: Instant) -> io::Result<()> {
    let flags = match what {
        WaitFor::Room => PollFlags::OUT,
        WaitFor::Input => PollFlags::IN,
        WaitFor::Both => PollFlags::IN | PollFlags::OUT,
    };
    let left = until.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).map_err(io::Error::other)?;
    match poll(&mut [PollFd::new(socket, flags)], Some(&left)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Turns an operation that would block into zero bytes.
fn zero_if_blocked(done: io::Result<usize>) -> io::Result<usize> {
    match done {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
        done => done,
    }
}

fn flush(tls: &mut ClientConnection, socket: &mut TcpStream) -> io::Result<bool> {
    while tls.wants_write() {
        if zero_if_blocked(tls.write_tls(socket))? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads encrypted bytes from the socket, with the same result as a plain read. Reads even if the socket cannot be
/// written to: a server that waits for its answers to be read would not make it writable.
fn read_tls(tls: &mut ClientConnection, socket: &mut TcpStream, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match tls.reader().read(chunk) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            read => return read,
        }
        if tls.read_tls(socket)? == 0 {
            return Ok(0);
        }
        if let Err(error) = tls.process_new_packets() {
            // This tells the server why we end the connection.
            flush(tls, socket).ok();
            return Err(io::Error::new(ErrorKind::InvalidData, format!("TLS: {error}")));
        }
    }
}
