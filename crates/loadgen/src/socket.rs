//! A stream connection: TCP, TLS or a unix stream. Reads and writes time out after a moment, so that a thread notices when
//! it should end.

#![expect(clippy::disallowed_methods, reason = "what counts is how much of a write was taken")]

use super::counts::{ConnectionError, is_timeout};
use super::target::Address;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long a write or read waits before its thread checks whether it should end.
pub(super) const POLL_WAIT: Duration = Duration::from_millis(100);
/// How long sending the last bytes may take.
pub(super) const LAST_WAIT_MAX: Duration = Duration::from_secs(5);

/// How to connect.
#[derive(Clone)]
pub(super) enum Dial {
    Tcp(Address),
    Tls(Address, Arc<ClientConfig>),
    Unix(PathBuf),
}

/// A connection of either kind.
pub(super) enum StreamSocket {
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    Unix(UnixStream),
}

impl Dial {
    pub(super) fn connect(&self) -> Result<StreamSocket, ConnectionError> {
        match self {
            Dial::Tcp(address) => Ok(StreamSocket::Tcp(tcp(address)?)),
            Dial::Tls(address, config) => tls(address, config),
            Dial::Unix(path) => {
                let failed = |error: io::Error| ConnectionError::new(format!("{}: {error}", path.display()));
                let socket = UnixStream::connect(path).map_err(failed)?;
                socket.set_write_timeout(Some(POLL_WAIT)).map_err(failed)?;
                socket.set_read_timeout(Some(POLL_WAIT)).map_err(failed)?;
                Ok(StreamSocket::Unix(socket))
            }
        }
    }
}

fn tcp(address: &Address) -> Result<TcpStream, ConnectionError> {
    let failed = |error: &io::Error| ConnectionError::new(format!("{address}: {error}"));
    let mut last = ConnectionError::new(format!("{address}: the name resolves to no address"));
    let found = (address.host.as_str(), address.port).to_socket_addrs().map_err(|error| failed(&error))?;
    for one in found {
        match TcpStream::connect_timeout(&one, CONNECT_WAIT_MAX) {
            Ok(socket) => {
                let set = socket
                    .set_nodelay(true)
                    .and_then(|()| socket.set_write_timeout(Some(POLL_WAIT)))
                    .and_then(|()| socket.set_read_timeout(Some(POLL_WAIT)));
                return set.map(|()| socket).map_err(|error| failed(&error));
            }
            Err(error) => last = failed(&error),
        }
    }
    Err(last)
}

/// Connects and performs the handshake, so that a wrong certificate is noticed at this point.
fn tls(address: &Address, config: &Arc<ClientConfig>) -> Result<StreamSocket, ConnectionError> {
    let failed = |reason: String| ConnectionError::new(format!("{address}: TLS: {reason}"));
    let name = ServerName::try_from(address.host.clone()).map_err(|error| failed(error.to_string()))?;
    let mut socket = tcp(address)?;
    let connection = ClientConnection::new(config.clone(), name);
    let mut connection = connection.map_err(|error| failed(error.to_string()))?;
    let start = Instant::now();
    while connection.is_handshaking() {
        match connection.complete_io(&mut socket) {
            Err(error) if is_timeout(&error) && start.elapsed() < CONNECT_WAIT_MAX => {}
            Err(error) if is_timeout(&error) => {
                return Err(failed("the handshake takes too long".to_owned()));
            }
            Err(error) => return Err(failed(error.to_string())),
            Ok(_) => {}
        }
    }
    Ok(StreamSocket::Tls(Box::new(StreamOwned::new(connection, socket))))
}

impl StreamSocket {
    pub(super) fn set_read_wait(&self, wait: Duration) -> io::Result<()> {
        match self {
            StreamSocket::Tcp(socket) => socket.set_read_timeout(Some(wait)),
            StreamSocket::Tls(stream) => stream.sock.set_read_timeout(Some(wait)),
            StreamSocket::Unix(socket) => socket.set_read_timeout(Some(wait)),
        }
    }

    /// Whether the other side has closed an idle connection.
    pub(super) fn is_closed(&mut self) -> bool {
        let set = match self {
            StreamSocket::Tcp(socket) => socket.set_nonblocking(true),
            StreamSocket::Tls(stream) => stream.sock.set_nonblocking(true),
            StreamSocket::Unix(socket) => socket.set_nonblocking(true),
        };
        set.is_err() || self.read(&mut [0]).map_or_else(|error| !is_timeout(&error), |read| read == 0)
    }

    /// Closes the connection. For TLS this waits for the other side: if its session tickets were left unread in our
    /// buffer, the system would reset the connection, and the receiver could lose data that it had not read yet.
    pub(super) fn close(mut self) -> io::Result<()> {
        let start = Instant::now();
        let StreamSocket::Tls(stream) = &mut self else { return Ok(()) };
        stream.conn.send_close_notify();
        while let Err(error) = stream.flush() {
            if !is_timeout(&error) || LAST_WAIT_MAX <= start.elapsed() {
                return Err(error);
            }
        }
        stream.sock.shutdown(Shutdown::Write)?;
        let mut rest = [0; 4096];
        while start.elapsed() < LAST_WAIT_MAX {
            match stream.sock.read(&mut rest) {
                Err(error) if is_timeout(&error) => {}
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        Ok(())
    }
}

impl Read for StreamSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            StreamSocket::Tcp(socket) => socket.read(buffer),
            StreamSocket::Tls(stream) => stream.read(buffer),
            StreamSocket::Unix(socket) => socket.read(buffer),
        }
    }
}

impl Write for StreamSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            StreamSocket::Tcp(socket) => socket.write(bytes),
            StreamSocket::Tls(stream) => stream.write(bytes),
            StreamSocket::Unix(socket) => socket.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            StreamSocket::Tcp(socket) => socket.flush(),
            StreamSocket::Tls(stream) => stream.flush(),
            StreamSocket::Unix(socket) => socket.flush(),
        }
    }
}
