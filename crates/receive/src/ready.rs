//! A socket that is ready to be read: it is registered with the runtime of its source, and a second handle allows
//! handing it over to another source without closing it.
//!
//! **Invariant:** everything that can fail about a socket has succeeded, so a source can start reading it at any time.

use super::accept::{self, Door};
use super::datagrams::{self, Post};
use super::shared::Shared;
use logstead_config::ListenAddress;
use logstead_flow::listen::sockets::Bound;
use std::io;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The sockets of a source, bound and ready to be read.
pub struct Ready {
    pub(super) listener: ListenAddress,
    /// With the port that the system chose.
    pub(super) url: String,
    pub(super) other_handle: Bound,
    pub(super) readers: Vec<Reader>,
}

/// What reads one socket.
pub(super) enum Reader {
    Door(Door),
    Post(Post),
}

impl Ready {
    /// Registers a socket with the runtime that is entered.
    pub(super) fn new(listener: ListenAddress, socket: Bound) -> io::Result<Ready> {
        let (url, other_handle) = (socket.url(&listener)?, socket.try_clone()?);
        let readers = Reader::all(socket, &listener)?;
        Ok(Ready { listener, url, other_handle, readers })
    }
}

impl Reader {
    fn all(socket: Bound, listener: &ListenAddress) -> io::Result<Vec<Reader>> {
        let one = match socket {
            Bound::Udp(sockets) => {
                return sockets.into_iter().map(|socket| Post::udp(socket).map(Reader::Post)).collect();
            }
            Bound::UnixDatagrams(socket) => Post::unix(socket).map(Reader::Post),
            Bound::Tcp(socket) => Door::tcp(socket, listener).map(Reader::Door),
            Bound::UnixStream(socket) => Door::unix(socket).map(Reader::Door),
        };
        Ok(vec![one?])
    }

    pub(super) fn spawn(
        self,
        tasks: &mut JoinSet<()>,
        shared: &Arc<Shared>,
        stopped: &watch::Receiver<bool>,
    ) {
        match self {
            Reader::Door(door) => tasks.spawn(accept::serve(shared.clone(), door, stopped.clone())),
            Reader::Post(post) => tasks.spawn(datagrams::serve(shared.clone(), post, stopped.clone())),
        };
    }
}
