//! The sockets for HTTP: opening them, the role of each, and accepting connections.

use axum::Router;
use logstead_config::settings::WebListener;
use logstead_flow::listen::sockets::{tcp, unix_listener};
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// The mode of a unix socket: the user and the group of the process may connect. The origin that a request on it
/// names is trusted.
const SOCKET_MODE: u32 = 0o660;

/// The address under which peers of unix sockets are counted: this machine.
const THIS_MACHINE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The role of a listener.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListenerRole {
    /// The console and the API.
    Console {
        /// Whether it uses TLS; plain requests are then redirected.
        is_encrypted: bool,
    },
    /// Redirects to the encrypted listener.
    Redirect,
    /// Serves the metrics to everyone.
    Metrics,
}

/// The application for each kind of listener.
pub struct Apps {
    /// The console and the API.
    pub console: Router,
    /// The redirect from HTTP to HTTPS.
    pub redirect: Router,
    /// The metrics and the health of the process.
    pub metrics: Router,
}

/// A socket that accepts connections.
pub struct BoundListener {
    socket: BoundSocket,
    pub(super) serves: ListenerRole,
}

enum BoundSocket {
    Tcp(TcpListener),
    Unix(UnixListener, String),
}

/// A connection of either kind.
pub(super) enum AcceptedStream {
    Tcp(TcpStream, SocketAddr),
    Unix(UnixStream),
}

impl BoundListener {
    /// Opens a socket; must be called within the runtime that serves it. Relative paths are below the data directory.
    pub fn bind(listener: &WebListener, serves: ListenerRole, data: &Path) -> io::Result<BoundListener> {
        Ok(match listener {
            WebListener::Tcp(address) => {
                BoundListener { socket: BoundSocket::Tcp(TcpListener::from_std(tcp(*address)?)?), serves }
            }
            WebListener::Unix(path) => {
                let path = data.join(path);
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                let socket = UnixListener::from_std(unix_listener(&path, SOCKET_MODE)?)?;
                let socket = BoundSocket::Unix(socket, path.display().to_string());
                // Peers of a unix socket are on this machine, so no encryption is needed.
                let is_console = matches!(serves, ListenerRole::Console { .. });
                let serves = if is_console { ListenerRole::Console { is_encrypted: false } } else { serves };
                BoundListener { socket, serves }
            }
        })
    }

    /// Whether its connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.serves == ListenerRole::Console { is_encrypted: true }
    }

    /// The protocol of the listener, for the metrics.
    pub(super) fn kind(&self) -> &'static str {
        match (self.serves, &self.socket) {
            (ListenerRole::Redirect, _) => "redirect",
            (ListenerRole::Metrics, _) => "metrics",
            (ListenerRole::Console { .. }, BoundSocket::Unix(..)) => "unix",
            (ListenerRole::Console { is_encrypted: true }, BoundSocket::Tcp(_)) => "https",
            (ListenerRole::Console { is_encrypted: false }, BoundSocket::Tcp(_)) => "http",
        }
    }

    /// Its name in the lines that are printed at startup.
    pub fn name(&self) -> &'static str {
        match self.serves {
            ListenerRole::Console { .. } => "web",
            ListenerRole::Redirect => "redirect",
            ListenerRole::Metrics => "metrics",
        }
    }

    /// The address, unless the listener is a unix socket.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.socket {
            BoundSocket::Tcp(socket) => socket.local_addr().ok(),
            BoundSocket::Unix(..) => None,
        }
    }

    /// The address for clients to use.
    pub fn url(&self) -> String {
        match (&self.socket, self.address()) {
            (BoundSocket::Unix(_, path), _) => format!("unix:{path}"),
            (BoundSocket::Tcp(_), Some(address)) => {
                let scheme = if self.is_encrypted() { "https" } else { "http" };
                format!("{scheme}://{}", reachable(address))
            }
            (BoundSocket::Tcp(_), None) => String::new(),
        }
    }

    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<AcceptedStream>> {
        Poll::Ready(match &self.socket {
            BoundSocket::Tcp(socket) => {
                ready!(socket.poll_accept(context)).map(|(stream, peer)| AcceptedStream::Tcp(stream, peer))
            }
            BoundSocket::Unix(socket, _) => {
                ready!(socket.poll_accept(context)).map(|(stream, _)| AcceptedStream::Unix(stream))
            }
        })
    }
}

/// The next connection of any of the listeners. The search starts at the index `next`, so that none has to wait for a
/// busy one.
pub(super) async fn accept<'a>(
    listeners: &'a [BoundListener],
    next: &mut usize,
) -> io::Result<(&'a BoundListener, AcceptedStream)> {
    poll_fn(|context| {
        let (last, first) = listeners.split_at(*next % listeners.len().max(1));
        for listener in first.iter().chain(last) {
            if let Poll::Ready(accepted) = listener.poll_accept(context) {
                *next = next.wrapping_add(1);
                return Poll::Ready(accepted.map(|stream| (listener, stream)));
            }
        }
        Poll::Pending
    })
    .await
}

/// The address in a form that a browser can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], v6.port()))
        }
        other => other,
    }
}

impl AcceptedStream {
    pub(super) fn peer(&self) -> SocketAddr {
        match self {
            AcceptedStream::Tcp(_, peer) => *peer,
            AcceptedStream::Unix(_) => THIS_MACHINE,
        }
    }

    pub(super) fn is_unix(&self) -> bool {
        matches!(self, AcceptedStream::Unix(_))
    }

    /// Makes the socket send written data at once.
    pub(super) fn hurry(&self) {
        if let AcceptedStream::Tcp(stream, _) = self {
            stream.set_nodelay(true).ok();
        }
    }

    /// Returns once the socket has something to read.
    pub(super) async fn readable(&self) -> io::Result<()> {
        match self {
            AcceptedStream::Tcp(stream, _) => stream.readable().await,
            AcceptedStream::Unix(stream) => stream.readable().await,
        }
    }

    /// The first byte, which stays to be read; `None` at the end.
    pub(super) async fn first_byte(&self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        match self {
            AcceptedStream::Tcp(stream, _) => Ok((0 < stream.peek(&mut byte).await?).then_some(byte[0])),
            // The first byte is not needed for unix sockets.
            AcceptedStream::Unix(_) => Ok(None),
        }
    }

    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            AcceptedStream::Tcp(stream, _) => stream.try_write(bytes),
            AcceptedStream::Unix(stream) => stream.try_write(bytes),
        }
    }
}

impl AsyncRead for AcceptedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            AcceptedStream::Tcp(stream, _) => Pin::new(stream).poll_read(context, buffer),
            AcceptedStream::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for AcceptedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            AcceptedStream::Tcp(stream, _) => Pin::new(stream).poll_write(context, bytes),
            AcceptedStream::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            AcceptedStream::Tcp(stream, _) => Pin::new(stream).poll_write_vectored(context, parts),
            AcceptedStream::Unix(stream) => Pin::new(stream).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            AcceptedStream::Tcp(stream, _) => Pin::new(stream).poll_flush(context),
            AcceptedStream::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            AcceptedStream::Tcp(stream, _) => Pin::new(stream).poll_shutdown(context),
            AcceptedStream::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
