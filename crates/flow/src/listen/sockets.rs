//! Opens the sockets that sources listen on.

use crate::machine::folders::Folders;
use logstead_config::{ListenAddress, Size};
use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// The maximum number of connections that wait to be accepted.
const BACKLOG_MAX: i32 = 4096;
/// The size of the receive buffer for datagrams, which is large because we may read late.
const RECEIVE_BUFFER_BYTES: usize = 32 << 20;
/// The mode of unix sockets: every program on this machine may send through them, as with `/dev/log`.
const SOCKET_MODE: u32 = 0o666;

/// A bound socket.
pub enum BoundSocket {
    /// A listening TCP socket, for plain syslog, TLS and RELP alike.
    Tcp(std::net::TcpListener),
    /// Sockets that are all bound to the same address; the kernel distributes the senders among them.
    Udp(Vec<std::net::UdpSocket>),
    /// A listening unix stream socket.
    UnixStream(UnixListener),
    /// A bound unix datagram socket.
    UnixDatagrams(UnixDatagram),
}

impl BoundSocket {
    /// Opens a socket; a UDP address gets `partitions` of them.
    pub fn bind(listener: &ListenAddress, partitions: usize, folders: &Folders) -> io::Result<BoundSocket> {
        match listener {
            ListenAddress::Udp(address) => udp(*address, partitions).map(BoundSocket::Udp),
            ListenAddress::Tcp(address)
            | ListenAddress::Tls(address)
            | ListenAddress::Relp(address)
            | ListenAddress::RelpTls(address)
            | ListenAddress::Grpc(address)
            | ListenAddress::GrpcTls(address)
            | ListenAddress::Http(address)
            | ListenAddress::Https(address) => tcp(*address).map(BoundSocket::Tcp),
            ListenAddress::UnixStream(path) => {
                unix_listener(&folders.socket(path)?, SOCKET_MODE).map(BoundSocket::UnixStream)
            }
            ListenAddress::UnixDgram(path) => {
                let connect = |path: &Path| UnixDatagram::unbound()?.connect(path);
                let path = free_path(&folders.socket(path)?, connect)?;
                let socket = UnixDatagram::bind(&path)?;
                socket.set_nonblocking(true)?;
                set_mode(&path, SOCKET_MODE)?;
                Ok(BoundSocket::UnixDatagrams(socket))
            }
        }
    }

    /// Another handle of the same socket.
    pub fn try_clone(&self) -> io::Result<BoundSocket> {
        match self {
            BoundSocket::Tcp(socket) => socket.try_clone().map(BoundSocket::Tcp),
            BoundSocket::Udp(sockets) => sockets
                .iter()
                .map(std::net::UdpSocket::try_clone)
                .collect::<io::Result<_>>()
                .map(BoundSocket::Udp),
            BoundSocket::UnixStream(socket) => socket.try_clone().map(BoundSocket::UnixStream),
            BoundSocket::UnixDatagrams(socket) => socket.try_clone().map(BoundSocket::UnixDatagrams),
        }
    }

    /// The address that senders connect to, with the port that the system chose.
    pub fn url(&self, listener: &ListenAddress) -> io::Result<String> {
        let address = match self {
            BoundSocket::Tcp(socket) => socket.local_addr()?,
            BoundSocket::Udp(sockets) => sockets[0].local_addr()?,
            BoundSocket::UnixStream(_) | BoundSocket::UnixDatagrams(_) => return Ok(listener.to_string()),
        };
        let url = listener.to_string();
        let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
        Ok(format!("{scheme}://{address}"))
    }
}

/// Whether a socket that is open for one listener can serve the other. Port 0 is a different port each time.
pub fn is_same(open: &ListenAddress, wanted: &ListenAddress) -> bool {
    let is_udp = |listener: &ListenAddress| matches!(listener, ListenAddress::Udp(_));
    match (open.address(), wanted.address()) {
        (Some(a), Some(b)) => a == b && a.port() != 0 && is_udp(open) == is_udp(wanted),
        _ => open == wanted,
    }
}

/// A listening TCP socket.
pub fn tcp(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG_MAX)?;
    Ok(socket.into())
}

/// A listening unix socket for those programs on this machine that the mode lets in.
pub fn unix_listener(path: &Path, mode: u32) -> io::Result<UnixListener> {
    let path = free_path(path, |path| UnixStream::connect(path).map(drop))?;
    let socket = UnixListener::bind(&path)?;
    socket.set_nonblocking(true)?;
    set_mode(&path, mode)?;
    Ok(socket)
}

fn udp(address: SocketAddr, partitions: usize) -> io::Result<Vec<std::net::UdpSocket>> {
    let first = udp_socket(address, 1 < partitions)?;
    let bound = first.local_addr()?;
    let mut sockets = vec![first];
    for _ in 1..partitions {
        sockets.push(udp_socket(bound, true)?);
    }
    Ok(sockets)
}

fn udp_socket(address: SocketAddr, is_shared: bool) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    if is_shared {
        setsockopt(&socket, sockopt::ReusePort, &true)?;
    }
    // A privileged process can exceed the system's limit.
    if setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER_BYTES).is_err() {
        socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    }
    // Without this option, the kernel does not report dropped datagrams. That is no reason to refuse the socket.
    if let Err(error) = setsockopt(&socket, sockopt::RxqOvfl, &1) {
        tracing::warn!("udp://{address}: datagrams that the kernel drops are not counted: {error}");
    }
    socket.bind(&address.into())?;
    let granted_bytes = socket.recv_buffer_size()?;
    if granted_bytes < RECEIVE_BUFFER_BYTES {
        tracing::warn!(
            "udp://{address}: the kernel grants a receive buffer of {}, so bursts may be dropped; set \
             net.core.rmem_max to {RECEIVE_BUFFER_BYTES}",
            Size::about(granted_bytes as u64)
        );
    }
    Ok(socket.into())
}

/// Removes the socket that an earlier process left at the path. Anything else at this path is not ours to remove.
fn free_path(path: &Path, connect: impl Fn(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(found) if !found.file_type().is_socket() => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file that is not a socket"));
        }
        Ok(_) if connect(path).is_ok() => {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another program listens there"));
        }
        Ok(_) => std::fs::remove_file(path)?,
    }
    Ok(path.to_owned())
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(url: &str, data: &Path) -> io::Result<BoundSocket> {
        let name = url.split_once(':').unwrap().1;
        let path = data.join(name).to_string_lossy().into_owned();
        let listener = if url.starts_with("unix-dgram") {
            ListenAddress::UnixDgram(path)
        } else {
            ListenAddress::UnixStream(path)
        };
        BoundSocket::bind(&listener, 1, &Folders::below(data))
    }

    #[test]
    fn a_path_is_taken_from_a_process_that_is_gone_and_from_nobody_else() {
        let data = tempfile::tempdir().unwrap();
        for url in ["unix-dgram:run/a.sock", "unix-stream:run/b.sock"] {
            let open = bind(url, data.path()).unwrap();
            let refused = bind(url, data.path()).err().unwrap();
            assert_eq!(refused.to_string(), "another program listens there");
            drop(open);
            assert!(bind(url, data.path()).is_ok());
        }
        std::fs::write(data.path().join("precious"), "data").unwrap();
        let refused = bind("unix-stream:precious", data.path()).err().unwrap();
        assert_eq!(refused.to_string(), "there is a file that is not a socket");
        assert_eq!(std::fs::read(data.path().join("precious")).unwrap(), b"data");
    }

    #[test]
    fn an_open_socket_serves_whatever_is_spoken_over_it() {
        let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let check = |open: ListenAddress, wanted: ListenAddress, expected: bool| {
            assert_eq!(is_same(&open, &wanted), expected, "{open} {wanted}");
        };
        check(ListenAddress::Tcp(address(514)), ListenAddress::Tls(address(514)), true);
        check(ListenAddress::Tcp(address(514)), ListenAddress::Udp(address(514)), false);
        check(ListenAddress::Tcp(address(0)), ListenAddress::Tcp(address(0)), false);
        check(ListenAddress::UnixDgram("a".to_owned()), ListenAddress::UnixDgram("a".to_owned()), true);
        check(ListenAddress::UnixDgram("a".to_owned()), ListenAddress::UnixStream("a".to_owned()), false);
    }

    #[test]
    fn the_sockets_of_one_udp_address_share_its_port() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let BoundSocket::Udp(sockets) =
            BoundSocket::bind(&ListenAddress::Udp(any), 3, &Folders::below(Path::new("/"))).unwrap()
        else {
            panic!()
        };
        let ports: Vec<u16> = sockets.iter().map(|socket| socket.local_addr().unwrap().port()).collect();
        assert!(ports.len() == 3 && ports.iter().all(|port| *port == ports[0]), "{ports:?}");
    }
}
