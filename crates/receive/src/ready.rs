//! A socket that is ready to be read: it is registered with the runtime of its source, and through a second handle it
//! can be handed over to another source without closing it.
//!
//! **Invariant:** everything that can fail about a socket has succeeded, so a source can start reading it at any time.

use super::accept::{self, AcceptSocket};
use super::context::SourceContext;
use super::datagrams::{self, DatagramSocket};
use logstead_config::ListenAddress;
use logstead_flow::listen::sockets::BoundSocket;
use std::io;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The sockets of a source, bound and ready to be read.
pub struct ReadySockets {
    pub(super) listener: ListenAddress,
    /// The URL, with the port that the system chose.
    pub(super) url: String,
    pub(super) other_handle: BoundSocket,
    pub(super) readers: Vec<SocketReader>,
}

/// The reader of one socket.
pub(super) enum SocketReader {
    Acceptor(AcceptSocket),
    Datagrams(DatagramSocket),
}

impl ReadySockets {
    /// Registers a socket with the current runtime.
    pub(super) fn new(listener: ListenAddress, socket: BoundSocket) -> io::Result<ReadySockets> {
        let (url, other_handle) = (socket.url(&listener)?, socket.try_clone()?);
        let readers = SocketReader::all(socket, &listener)?;
        Ok(ReadySockets { listener, url, other_handle, readers })
    }
}

impl SocketReader {
    fn all(socket: BoundSocket, listener: &ListenAddress) -> io::Result<Vec<SocketReader>> {
        let one = match socket {
            BoundSocket::Udp(sockets) => {
                return sockets
                    .into_iter()
                    .map(|socket| DatagramSocket::udp(socket).map(SocketReader::Datagrams))
                    .collect();
            }
            BoundSocket::UnixDatagrams(socket) => DatagramSocket::unix(socket).map(SocketReader::Datagrams),
            BoundSocket::Tcp(socket) => AcceptSocket::tcp(socket, listener).map(SocketReader::Acceptor),
            BoundSocket::UnixStream(socket) => AcceptSocket::unix(socket).map(SocketReader::Acceptor),
        };
        Ok(vec![one?])
    }

    pub(super) fn spawn(
        self,
        tasks: &mut JoinSet<()>,
        shared: &Arc<SourceContext>,
        stopped: &watch::Receiver<bool>,
    ) {
        match self {
            SocketReader::Acceptor(acceptor) => {
                tasks.spawn(accept::serve(shared.clone(), acceptor, stopped.clone()))
            }
            SocketReader::Datagrams(socket) => {
                tasks.spawn(datagrams::serve(shared.clone(), socket, stopped.clone()))
            }
        };
    }
}
