//! Connects to a server: looks up its name, agrees on keys, and sets the options that bound the loss of a stream.
//!
//! TCP does not tell which bytes have arrived, so the bytes that it holds are lost if the server dies. Their number
//! is bounded on our side by the send buffer, and by how long it may remain unacknowledged.

use super::connection::{ServerConnection, WaitFor, wait};
use crate::tls;
use logstead_client::tls::{TlsOptions, config};
use logstead_config::{Address, ClientTls};
use logstead_flow::machine::folders::Folders;
use nix::sys::socket::{setsockopt, sockopt};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Maximum number of addresses of one name that are tried.
const ADDRESSES_MAX: usize = 8;
/// How long one address of a server may take to answer, and to agree on keys.
const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long a server that accepted our keys may take to refuse our certificate.
const REFUSAL_WAIT_MAX: Duration = Duration::from_secs(1);
/// The interval at which an idle connection is probed.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// The size of the system's send buffer; the system doubles it for its own bookkeeping.
const SEND_BUFFER_BYTES: usize = 256 << 10;
/// How long sent bytes may stay unacknowledged by the server's system before the connection counts as broken.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(60);

/// Connects to the servers of one destination.
pub(super) struct Connector {
    tls: TlsOptions,
    server_name: Option<String>,
}

impl Connector {
    pub(super) fn new(tls: Option<&ClientTls>, folders: &Folders) -> Connector {
        let tls = tls.cloned().unwrap_or_default();
        Connector { tls: tls::options(&tls, folders), server_name: tls.server_name }
    }

    /// Tries each address of the server. An error names the server and the reason.
    pub(super) fn connect(&self, server: &Address) -> Result<ServerConnection, String> {
        let mut last = String::new();
        for address in resolve(server)? {
            match self.open(server, address) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = format!("{server} ({}): {error}", address.ip()),
            }
        }
        Err(last)
    }

    fn open(&self, server: &Address, address: SocketAddr) -> io::Result<ServerConnection> {
        let socket = TcpStream::connect_timeout(&address, CONNECT_WAIT_MAX)?;
        tune(&socket)?;
        let name = server.to_string();
        if !server.transport.is_tls() {
            return Ok(ServerConnection::new(socket, None, name));
        }
        let (tls, took) = self.shake_hands(server, &socket)?;
        let mut connection = ServerConnection::new(socket, Some(tls), name);
        await_refusal(&mut connection, took)?;
        Ok(connection)
    }

    /// Performs the TLS handshake; also returns how long that took. Files are read each time, so that new
    /// certificates are used.
    fn shake_hands(
        &self,
        server: &Address,
        mut socket: &TcpStream,
    ) -> io::Result<(ClientConnection, Duration)> {
        let config = config(&self.tls).map_err(io::Error::other)?;
        let name = self.server_name.as_ref().unwrap_or(&server.host).clone();
        let name = ServerName::try_from(name).map_err(io::Error::other)?;
        let mut tls = ClientConnection::new(config, name).map_err(io::Error::other)?;
        let start = Instant::now();
        while tls.is_handshaking() {
            match tls.complete_io(&mut socket) {
                Ok(_) => {}
                Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
                Err(_) if CONNECT_WAIT_MAX <= start.elapsed() => return Err(too_late()),
                Err(_) => {
                    let what = if tls.wants_write() { WaitFor::Both } else { WaitFor::Input };
                    wait(socket, what, start + CONNECT_WAIT_MAX)?;
                }
            }
        }
        Ok((tls, start.elapsed()))
    }
}

fn too_late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "agreeing on keys for TLS takes too long")
}

fn tune(socket: &TcpStream) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    socket.set_nodelay(true)?;
    let options = SockRef::from(socket);
    options.set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE))?;
    options.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    let unconfirmed_ms = u32::try_from(UNCONFIRMED_MAX.as_millis()).unwrap_or(u32::MAX);
    setsockopt(socket, sockopt::TcpUserTimeout, &unconfirmed_ms).map_err(io::Error::from)
}

/// With TLS 1.3 a server refuses our certificate only after the handshake, and messages sent before that would be
/// lost. So it gets as much time as the handshake took.
fn await_refusal(connection: &mut ServerConnection, took: Duration) -> io::Result<()> {
    let until = Instant::now() + took.min(REFUSAL_WAIT_MAX);
    while !connection.flush()? && Instant::now() < until {
        connection.wait(WaitFor::Room, until)?;
    }
    connection.wait(WaitFor::Input, until)?;
    connection.read(&mut Vec::new()).map(drop)
}

/// The addresses of a server's name, at least one. The name is resolved anew for each connection.
pub(super) fn resolve(server: &Address) -> Result<Vec<SocketAddr>, String> {
    let found = (server.host.as_str(), server.port).to_socket_addrs();
    let found: Vec<_> = found.map_err(|error| format!("{server}: {error}"))?.take(ADDRESSES_MAX).collect();
    if found.is_empty() { Err(format!("{server}: the name has no address")) } else { Ok(found) }
}
