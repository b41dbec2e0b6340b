//! Sends each message as a datagram, over UDP or to a unix socket.

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition, is_timeout};
use super::socket::POLL_WAIT;
use super::target::Address;
use super::transport::Transport;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

/// The longest message that fits in a UDP datagram over IPv4.
pub(super) const UDP_BYTES_MAX: usize = 65_507;
/// The size of the send buffer requested from the system, for slow receivers.
const SEND_BUFFER_BYTES: usize = 4 << 20;

/// The receiver of datagrams.
pub(super) enum DatagramTarget {
    Udp(Address),
    Unix(PathBuf),
}

enum DatagramSocket {
    Udp(UdpSocket),
    Unix(UnixDatagram),
}

/// Datagrams from one socket.
pub(super) struct DatagramTransport {
    to: DatagramTarget,
    socket: Option<DatagramSocket>,
}

impl DatagramTransport {
    pub(super) fn new(to: DatagramTarget) -> DatagramTransport {
        DatagramTransport { to, socket: None }
    }
}

/// Whether a unix socket accepts datagrams, as `/dev/log` does on many systems.
pub(super) fn takes_datagrams(path: &Path) -> bool {
    UnixDatagram::unbound().and_then(|socket| socket.connect(path)).is_ok()
}

impl Transport for DatagramTransport {
    fn connect(&mut self) -> Result<(), ConnectionError> {
        self.socket = None;
        self.socket = Some(match &self.to {
            DatagramTarget::Udp(address) => udp(address)
                .map(DatagramSocket::Udp)
                .map_err(|error| ConnectionError::new(format!("{address}: {error}"))),
            DatagramTarget::Unix(path) => unix(path)
                .map(DatagramSocket::Unix)
                .map_err(|error| ConnectionError::new(format!("{}: {error}", path.display()))),
        }?);
        Ok(())
    }

    fn send(
        &mut self,
        chunk: &mut FrameChunk,
        _: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        let socket = self.socket.as_ref().ok_or_else(|| ConnectionError::new("not connected"))?;
        let (mut sent, mut failed) = (0, None);
        for datagram in chunk.frames() {
            match socket.send(datagram) {
                Ok(_) => sent += 1,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let bytes = chunk.advance(sent);
        counts.sent(sent, bytes);
        match failed {
            // The socket is full: the rest stays pending, and the caller checks the time.
            Some(error) if !is_timeout(&error) => Err(ConnectionError::io("sending", &error)),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: &ConnectionCounts) -> Result<(), ConnectionError> {
        self.socket = None;
        Ok(())
    }
}

impl DatagramSocket {
    fn send(&self, datagram: &[u8]) -> io::Result<usize> {
        match self {
            DatagramSocket::Udp(socket) => socket.send(datagram),
            DatagramSocket::Unix(socket) => socket.send(datagram),
        }
    }
}

/// A connected socket reports an error if there is no listener.
fn udp(address: &Address) -> io::Result<UdpSocket> {
    let none = || io::Error::new(io::ErrorKind::NotFound, "the name resolves to no address");
    let to = (address.host.as_str(), address.port).to_socket_addrs()?.next().ok_or_else(none)?;
    let any: SocketAddr = if to.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0_u16; 8], 0).into() };
    let socket = UdpSocket::bind(any)?;
    socket.connect(to)?;
    // If the system grants less, sending blocks sooner.
    socket2::SockRef::from(&socket).set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.set_write_timeout(Some(POLL_WAIT))?;
    Ok(socket)
}

fn unix(path: &Path) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    socket.connect(path)?;
    socket.set_write_timeout(Some(POLL_WAIT))?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Framing;
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn chunk() -> FrameChunk {
        let mut chunk = FrameChunk::default();
        for message in ["one", "two", "three"] {
            Framing::None.write(message.as_bytes(), &mut chunk.bytes);
            chunk.ends.push(chunk.bytes.len());
        }
        chunk.begin(3);
        chunk
    }

    /// Sends three messages; returns what arrives.
    fn check(to: DatagramTarget, receive: impl Fn(&mut [u8]) -> usize) {
        let (mut sender, mut chunk, counts) =
            (DatagramTransport::new(to), chunk(), ConnectionCounts::default());
        let stop = AtomicBool::new(false);
        sender.connect().unwrap();
        sender.send(&mut chunk, &EndCondition { stop: &stop, deadline: None }, &counts).unwrap();
        for expected in ["one", "two", "three"] {
            let mut buffer = [0; 100];
            let length = receive(&mut buffer);
            assert_eq!(&buffer[..length], expected.as_bytes());
        }
        assert_eq!((counts.total().sent, counts.total().bytes, chunk.pending()), (3, 11, 0));
    }

    #[test]
    fn a_message_is_a_datagram() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = receiver.local_addr().unwrap().port();
        check(DatagramTarget::Udp(Address { host: "127.0.0.1".to_owned(), port }), |buffer| {
            receiver.recv(buffer).unwrap()
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.sock");
        let receiver = UnixDatagram::bind(&path).unwrap();
        assert!(takes_datagrams(&path) && !takes_datagrams(folder.path()));
        check(DatagramTarget::Unix(path), |buffer| receiver.recv(buffer).unwrap());
    }

    #[test]
    fn a_port_where_nobody_listens_is_noticed() {
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut sender =
            DatagramTransport::new(DatagramTarget::Udp(Address { host: "127.0.0.1".to_owned(), port }));
        sender.connect().unwrap();
        let (counts, stop) = (ConnectionCounts::default(), AtomicBool::new(false));
        let until = EndCondition { stop: &stop, deadline: None };
        let broken = (0..1000).find_map(|_| sender.send(&mut chunk(), &until, &counts).err());
        assert!(broken.is_some_and(|broken| broken.reason.contains("refused")));
    }
}
