//! Accepts stream connections: allow lists, the real peer behind a proxy, and TLS. [`stream`](super::stream),
//! [`relp`](super::relp) or [`otlp`](super::otlp) then speak the protocol.

use super::connection::SourceConnection;
use super::context::SourceContext;
use super::{otlp, proxy, relp, stream};
use logstead_config::ListenAddress;
use logstead_flow::chunk::MessageSender;
use logstead_flow::listen::subject;
use logstead_flow::machine::sockets::CountedSocket;
use socket2::TcpKeepalive;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The interval of keep-alive probes. Idle connections stay open for days, so probes find those whose peer has
/// vanished.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// The time for which accepting pauses if the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The time for which a stop still accepts connections that were made before it.
const LAST_VISITORS_WAIT_MAX: Duration = Duration::from_millis(250);
/// The maximum time for a TLS handshake.
const HANDSHAKE_WAIT_MAX: Duration = Duration::from_secs(10);

/// A socket that accepts connections.
pub(super) enum AcceptSocket {
    Tcp(TcpListener, ConnectionProtocol),
    Unix(UnixListener),
}

/// The protocol of a TCP connection.
#[derive(Clone, Copy)]
pub(super) struct ConnectionProtocol {
    tls: bool,
    speech: StreamProtocol,
}

#[derive(Clone, Copy)]
enum StreamProtocol {
    Frames,
    Relp,
    Otlp,
}

/// A connection that was just made.
enum NewConnection {
    Tcp(TcpStream, IpAddr, ConnectionProtocol),
    Unix(UnixStream),
}

impl ConnectionProtocol {
    /// The name of the transport for senders with this protocol.
    fn name(self) -> &'static str {
        match (self.speech, self.tls) {
            (StreamProtocol::Frames, false) => "tcp",
            (StreamProtocol::Frames, true) => "tls",
            (StreamProtocol::Relp, false) => "relp",
            (StreamProtocol::Relp, true) => "relp+tls",
            (StreamProtocol::Otlp, _) => "otlp",
        }
    }
}

impl AcceptSocket {
    pub(super) fn tcp(socket: std::net::TcpListener, listener: &ListenAddress) -> io::Result<AcceptSocket> {
        let speech = match listener {
            _ if listener.is_relp() => StreamProtocol::Relp,
            _ if listener.is_otlp() => StreamProtocol::Otlp,
            _ => StreamProtocol::Frames,
        };
        let spoken = ConnectionProtocol { tls: listener.is_tls(), speech };
        Ok(AcceptSocket::Tcp(TcpListener::from_std(socket)?, spoken))
    }

    pub(super) fn unix(socket: std::os::unix::net::UnixListener) -> io::Result<AcceptSocket> {
        UnixListener::from_std(socket).map(AcceptSocket::Unix)
    }

    async fn accept(&self) -> io::Result<NewConnection> {
        match self {
            AcceptSocket::Tcp(socket, spoken) => {
                let (stream, peer) = socket.accept().await?;
                if let Err(error) = tune(&stream) {
                    tracing::debug!(%peer, "options of a connection could not be set: {error}");
                }
                Ok(NewConnection::Tcp(stream, peer.ip(), *spoken))
            }
            AcceptSocket::Unix(socket) => {
                socket.accept().await.map(|(stream, _)| NewConnection::Unix(stream))
            }
        }
    }
}

/// Sets the socket to send answers at once: a RELP sender waits for each, and Nagle's algorithm would add 40 ms.
fn tune(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE);
    socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// Accepts connections until told to stop, then waits for the open ones to end.
pub(super) async fn serve(
    shared: Arc<SourceContext>,
    acceptor: AcceptSocket,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = acceptor.accept() => accepted,
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok(visitor) => admit(&shared, &mut connections, visitor, &stopped),
            Err(error) => {
                tracing::warn!(source = %shared.id, "a connection could not be accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    // Connections that were made before the stop are still read. Nothing waits for them, and new ones cannot delay
    // the stop.
    let end = Instant::now() + LAST_VISITORS_WAIT_MAX;
    while Instant::now() < end {
        let waiting = tokio::task::unconstrained(acceptor.accept());
        let Ok(Ok(visitor)) = tokio::time::timeout(Duration::ZERO, waiting).await else { break };
        admit(&shared, &mut connections, visitor, &stopped);
        // This lets short connections end and make room for the next ones.
        tokio::task::yield_now().await;
    }
    drop(acceptor);
    while connections.join_next().await.is_some() {}
}

/// Starts to read a connection, unless the maximum number is open.
fn admit(
    shared: &Arc<SourceContext>,
    connections: &mut JoinSet<()>,
    visitor: NewConnection,
    stopped: &watch::Receiver<bool>,
) {
    match OpenConnection::new(shared) {
        Ok(open) => drop(connections.spawn(receive(open, visitor, stopped.clone()))),
        Err(ConnectionRefusal { reason, message }) => shared.refuse(reason, "a sender", &message),
    }
}

async fn receive(open: OpenConnection, visitor: NewConnection, stopped: watch::Receiver<bool>) {
    let shared = &open.shared;
    match visitor {
        NewConnection::Tcp(stream, peer, spoken) => tcp(shared, stream, peer, spoken, stopped).await,
        NewConnection::Unix(stream) => {
            stream::read(shared, SourceConnection::Unix(stream), MessageSender::local("unix"), stopped).await;
        }
    }
}

/// A connection that is counted for as long as this value lives.
struct OpenConnection {
    shared: Arc<SourceContext>,
    _socket: CountedSocket,
}

impl OpenConnection {
    /// Fails if this source or the process has its maximum number of connections open.
    fn new(shared: &Arc<SourceContext>) -> Result<OpenConnection, ConnectionRefusal> {
        let open = &shared.counters.connections;
        let max = shared.settings.load().connections_max;
        if i64::from(max) <= open.get() {
            let message = format!("{max} connections are open");
            return Err(ConnectionRefusal { reason: "connection_limit", message });
        }
        let Some(socket) = shared.sockets.open() else {
            let max = shared.sockets.max;
            let message = format!(
                "the process has {max} connections open, and the system lets it open no more files: raise the limit \
                 (`ulimit -n`, `LimitNOFILE=`)"
            );
            return Err(ConnectionRefusal { reason: "descriptor_limit", message });
        };
        open.add(1);
        Ok(OpenConnection { shared: shared.clone(), _socket: socket })
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.shared.counters.connections.add(-1);
    }
}

async fn tcp(
    shared: &Arc<SourceContext>,
    mut stream: TcpStream,
    peer: IpAddr,
    spoken: ConnectionProtocol,
    mut stopped: watch::Receiver<bool>,
) {
    let opened = tokio::select! {
        // A connection that can be opened without waiting is opened even during a stop.
        biased;
        opened = open(shared, &mut stream, peer, spoken) => opened,
        _ = stopped.wait_for(|stopped| *stopped) => return,
    };
    let (connection, sender) = match opened {
        Ok(ConnectionStart::Plain(sender)) => (SourceConnection::Tcp(stream), sender),
        Ok(ConnectionStart::Encrypt(sender)) => match encrypt(shared, stream, sender, &mut stopped).await {
            Some(encrypted) => encrypted,
            None => return,
        },
        Err(ConnectionRefusal { reason, message }) => {
            return shared.refuse(reason, &peer.to_string(), &message);
        }
    };
    match spoken.speech {
        StreamProtocol::Frames => stream::read(shared, connection, sender, stopped).await,
        StreamProtocol::Relp => relp::serve(shared, connection, sender, stopped).await,
        StreamProtocol::Otlp => otlp::serve(shared, connection, sender, stopped).await,
    }
}

/// The reason for closing a connection at once.
struct ConnectionRefusal {
    reason: &'static str,
    message: String,
}

/// The next step of a connection once its sender is known.
enum ConnectionStart {
    Plain(MessageSender),
    Encrypt(MessageSender),
}

/// Identifies the sender, and checks whether it may connect.
async fn open(
    shared: &SourceContext,
    stream: &mut TcpStream,
    peer: IpAddr,
    spoken: ConnectionProtocol,
) -> Result<ConnectionStart, ConnectionRefusal> {
    let settings = shared.settings.load_full();
    let mut real = peer;
    if settings.is_proxy(peer) {
        let header = proxy::read(stream).await;
        let header = header
            .map_err(|error| ConnectionRefusal { reason: "proxy_header", message: error.to_string() })?;
        real = header.map_or(peer, |address| address.ip());
    }
    if !settings.allows(real) {
        let message = format!("{real} is in none of the networks of `allow`");
        return Err(ConnectionRefusal { reason: "connection_not_allowed", message });
    }
    let sender = MessageSender::at(real, spoken.name());
    Ok(if spoken.tls { ConnectionStart::Encrypt(sender) } else { ConnectionStart::Plain(sender) })
}

/// Performs the TLS handshake; a sender with a certificate is identified by its subject.
async fn encrypt(
    shared: &SourceContext,
    stream: TcpStream,
    sender: MessageSender,
    stopped: &mut watch::Receiver<bool>,
) -> Option<(SourceConnection, MessageSender)> {
    let certificates = shared.settings.load().certificates.clone();
    let Some(certificates) = certificates else {
        shared.refuse("tls_handshake", &sender.address, "the source has no certificate");
        return None;
    };
    let accepted = tokio::select! {
        accepted = tokio::time::timeout(HANDSHAKE_WAIT_MAX, certificates.acceptor().accept(stream)) => accepted,
        _ = stopped.wait_for(|stopped| *stopped) => return None,
    };
    let message = match accepted {
        Ok(Ok(stream)) => {
            let subject = subject::of_peer(stream.get_ref().1);
            let field = subject.map(|subject| ("tls.subject", subject.into()));
            return Some((SourceConnection::Tls(Box::new(stream)), MessageSender { field, ..sender }));
        }
        Ok(Err(error)) => format!("the TLS handshake failed: {error}"),
        Err(_) => format!("no TLS handshake within {} seconds", HANDSHAKE_WAIT_MAX.as_secs()),
    };
    shared.refuse("tls_handshake", &sender.address, &message);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_answered_on_any_connection_goes_out_at_once() {
        for kind in [ListenAddress::Tcp, ListenAddress::Tls, ListenAddress::Relp, ListenAddress::RelpTls] {
            let listener = kind("127.0.0.1:0".parse().unwrap());
            let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            socket.set_nonblocking(true).unwrap();
            let address = socket.local_addr().unwrap();
            let acceptor = AcceptSocket::tcp(socket, &listener).unwrap();
            let (accepted, sender) = tokio::join!(acceptor.accept(), TcpStream::connect(address));
            let (Ok(NewConnection::Tcp(stream, ..)), Ok(_sender)) = (accepted, sender) else {
                panic!("{listener}")
            };
            assert!(stream.nodelay().unwrap(), "{listener}");
            assert!(socket2::SockRef::from(&stream).keepalive().unwrap(), "{listener}");
        }
    }
}
