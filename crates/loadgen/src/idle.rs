//! Connections that are opened and then held without sending a byte.

use super::counts::ConnectionError;
use super::socket::{Dial, StreamSocket};
use std::sync::atomic::{AtomicBool, Ordering};

/// The connections that were opened.
pub(super) struct IdleConnections {
    sockets: Vec<StreamSocket>,
}

/// How many were opened, and how many of these the receiver has closed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleCount {
    /// The number of connections that were opened.
    pub opened: usize,
    /// The number of these that the other side has closed.
    pub closed: usize,
}

impl IdleConnections {
    /// Opens this many connections, one after the other, unless told to stop.
    pub(super) fn open(dial: &Dial, count: usize, stop: &AtomicBool) -> Result<IdleConnections, String> {
        let mut sockets = Vec::with_capacity(count);
        while sockets.len() < count && !stop.load(Ordering::Relaxed) {
            let opened = dial.connect();
            let opened = opened.map_err(|ConnectionError { reason, .. }| {
                format!("only {} of {count} idle connections could be opened: {reason}", sockets.len())
            });
            sockets.push(opened?);
        }
        Ok(IdleConnections { sockets })
    }

    pub(super) fn count(&mut self) -> IdleCount {
        let closed = self.sockets.iter_mut().filter_map(|socket| socket.is_closed().then_some(())).count();
        IdleCount { opened: self.sockets.len(), closed }
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::Address;
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn idle_connections_are_held_and_those_that_were_closed_are_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let dial = Dial::Tcp(Address { host: "127.0.0.1".to_owned(), port });
        let stop = AtomicBool::new(false);
        let mut idle = IdleConnections::open(&dial, 3, &stop).unwrap();
        let held: Vec<_> = (0..3).map(|_| listener.accept().unwrap()).collect();
        assert_eq!(idle.count(), IdleCount { opened: 3, closed: 0 });
        drop(held);
        assert_eq!(idle.count(), IdleCount { opened: 3, closed: 3 });
        drop(listener);
        let error = IdleConnections::open(&dial, 3, &stop).err().unwrap();
        assert!(error.starts_with("only 0 of 3 idle connections could be opened"), "{error}");
    }
}
