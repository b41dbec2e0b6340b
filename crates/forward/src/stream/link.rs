//! The connection to one of a destination's servers, which is opened again whenever it is lost.

use super::connect::Connector;
use super::connection::ServerConnection;
use super::failover::Failover;
use crate::sink::SendFailure;
use logstead_config::Addresses;
use std::time::Instant;

/// The servers of a destination, and the connection to one of them.
pub(super) struct ServerLink {
    servers: Addresses,
    connector: Connector,
    failover: Failover,
    kept: Option<ServerConnection>,
    said: Vec<u8>,
}

/// A connection to use, which is given back if it still works.
pub(super) struct LinkConnection {
    pub(super) connection: ServerConnection,
    pub(super) is_new: bool,
}

impl ServerLink {
    pub(super) fn new(servers: &Addresses, connector: Connector) -> ServerLink {
        let failover = Failover::new(servers.as_slice().len());
        ServerLink { servers: servers.clone(), connector, failover, kept: None, said: Vec::new() }
    }

    /// The existing connection, unless the server has ended it; otherwise a new one. `can_use` decides from the bytes
    /// that the server has sent in the meantime whether the connection is still usable.
    pub(super) fn take(&mut self, can_use: impl Fn(&[u8]) -> bool) -> Result<LinkConnection, SendFailure> {
        if self.failover.may_return(Instant::now()) {
            match self.connector.connect(&self.servers.as_slice()[0]) {
                Ok(connection) => return Ok(self.chose(0, connection)),
                Err(_) => self.failover.stays(Instant::now()),
            }
        }
        if let Some(mut connection) = self.kept.take() {
            self.said.clear();
            if connection.read(&mut self.said).is_ok() && can_use(&self.said) {
                return Ok(LinkConnection { connection, is_new: false });
            }
        }
        self.connect()
    }

    /// Takes the existing connection, if there is one.
    pub(super) fn end(&mut self) -> Option<ServerConnection> {
        self.kept.take()
    }

    /// Gives back a working connection, which is kept for the next messages.
    pub(super) fn keep(&mut self, connection: ServerConnection) {
        self.kept = Some(connection);
    }

    /// Notes that the connection failed, so that the next server is tried first.
    pub(super) fn failed(&mut self) {
        self.failover.failed(Instant::now());
    }

    fn connect(&mut self) -> Result<LinkConnection, SendFailure> {
        let mut reasons = Vec::new();
        for at in self.failover.order() {
            match self.connector.connect(&self.servers.as_slice()[at]) {
                Ok(connection) => return Ok(self.chose(at, connection)),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(SendFailure::wait(reasons.join("; ")))
    }

    fn chose(&mut self, at: usize, connection: ServerConnection) -> LinkConnection {
        self.kept = None;
        self.failover.chose(at, Instant::now());
        LinkConnection { connection, is_new: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Address, Transport};
    use logstead_flow::machine::folders::Folders;
    use std::net::{Shutdown, TcpListener};
    use std::path::Path;

    fn link(ports: &[u16]) -> ServerLink {
        let address =
            |port: &u16| Address { transport: Transport::Tcp, host: "127.0.0.1".to_owned(), port: *port };
        let servers = Addresses::new(ports.iter().map(address).collect()).unwrap();
        ServerLink::new(&servers, Connector::new(None, &Folders::below(Path::new("/nonexistent"))))
    }

    fn listener() -> (TcpListener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn a_connection_that_the_server_ended_is_made_again() {
        let (listener, port) = listener();
        let mut link = link(&[port]);
        for _ in 0..2 {
            let taken = link.take(|_| true).unwrap();
            assert!(taken.is_new);
            link.keep(taken.connection);
            let taken = link.take(|_| true).unwrap();
            assert!(!taken.is_new, "it still stands");
            link.keep(taken.connection);
            let (peer, _) = listener.accept().unwrap();
            peer.shutdown(Shutdown::Both).unwrap();
            drop(peer);
            // Waits until the end of the connection has arrived.
            while link.kept.as_mut().unwrap().read(&mut Vec::new()).is_ok() {
                std::thread::yield_now();
            }
        }
        drop(listener);
        let Err(failure) = link.take(|_| true) else { panic!("there is no server") };
        assert!(failure.reason.starts_with(&format!("tcp://127.0.0.1:{port} (127.0.0.1): ")), "{failure:?}");
    }

    #[test]
    fn the_next_server_is_used_while_the_first_is_away() {
        let ((first, first_port), (second, second_port)) = (listener(), listener());
        drop(first);
        let mut link = link(&[first_port, second_port]);
        link.take(|_| true).unwrap();
        second.accept().unwrap();
        drop(second);
        let Err(failure) = link.take(|_| true) else { panic!("there is no server") };
        for port in [first_port, second_port] {
            assert!(failure.reason.contains(&format!("tcp://127.0.0.1:{port} ")), "{failure:?}");
        }
    }
}
