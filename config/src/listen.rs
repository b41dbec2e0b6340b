//! The sockets that sources listen on.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use crate::problem::{did_you_mean, quoted};
use crate::read::text_value;

/// The address of a socket that a source opens.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ListenAddress {
    /// A message in every datagram.
    Udp(SocketAddr),
    /// A stream of messages from every connection.
    Tcp(SocketAddr),
    /// The same, encrypted.
    Tls(SocketAddr),
    /// RELP: every message is acknowledged.
    Relp(SocketAddr),
    /// The same, encrypted.
    RelpTls(SocketAddr),
    /// OpenTelemetry's requests over gRPC.
    Grpc(SocketAddr),
    /// The same, encrypted.
    GrpcTls(SocketAddr),
    /// OpenTelemetry's requests over HTTP.
    Http(SocketAddr),
    /// The same, encrypted.
    Https(SocketAddr),
    /// A message in every datagram of programs on this machine.
    UnixDgram(String),
    /// A stream of messages from every program on this machine that connects.
    UnixStream(String),
}

/// The protocol of a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListenProtocol {
    /// Frames of messages, in streams and datagrams.
    Frames,
    /// RELP.
    Relp,
    /// OpenTelemetry's requests.
    Otlp,
}

impl ListenProtocol {
    /// The kind of source that uses this protocol.
    pub(crate) fn source(self) -> &'static str {
        match self {
            ListenProtocol::Frames => "syslog",
            ListenProtocol::Relp => "relp",
            ListenProtocol::Otlp => "otlp",
        }
    }
}

/// A scheme, and the constructor for the part after it.
type Scheme<T> = (&'static str, fn(T) -> ListenAddress);

const LISTENER_SCHEMES: [Scheme<SocketAddr>; 9] = [
    ("udp", ListenAddress::Udp),
    ("tcp", ListenAddress::Tcp),
    ("tls", ListenAddress::Tls),
    ("relp", ListenAddress::Relp),
    ("relp+tls", ListenAddress::RelpTls),
    ("grpc", ListenAddress::Grpc),
    ("grpc+tls", ListenAddress::GrpcTls),
    ("http", ListenAddress::Http),
    ("https", ListenAddress::Https),
];
const PATH_SCHEMES: [Scheme<String>; 2] =
    [("unix-dgram", ListenAddress::UnixDgram), ("unix-stream", ListenAddress::UnixStream)];
/// The longest path that fits in a socket's address.
const SOCKET_PATH_BYTES_MAX: usize = 107;

impl ListenAddress {
    /// The address and port, unless it is a path.
    pub fn address(&self) -> Option<SocketAddr> {
        match *self {
            ListenAddress::Udp(address)
            | ListenAddress::Tcp(address)
            | ListenAddress::Tls(address)
            | ListenAddress::Relp(address)
            | ListenAddress::RelpTls(address)
            | ListenAddress::Grpc(address)
            | ListenAddress::GrpcTls(address)
            | ListenAddress::Http(address)
            | ListenAddress::Https(address) => Some(address),
            ListenAddress::UnixDgram(_) | ListenAddress::UnixStream(_) => None,
        }
    }

    /// The path of the socket, unless it has an address; relative ones are below the data directory.
    pub fn path(&self) -> Option<&str> {
        match self {
            ListenAddress::UnixDgram(path) | ListenAddress::UnixStream(path) => Some(path),
            _ => None,
        }
    }

    /// The protocol of the socket.
    pub(crate) fn protocol(&self) -> ListenProtocol {
        if self.is_relp() {
            ListenProtocol::Relp
        } else if self.is_otlp() {
            ListenProtocol::Otlp
        } else {
            ListenProtocol::Frames
        }
    }

    /// Whether each message is acknowledged by RELP.
    pub fn is_relp(&self) -> bool {
        matches!(self, ListenAddress::Relp(_) | ListenAddress::RelpTls(_))
    }

    /// Whether it receives OpenTelemetry's requests.
    pub fn is_otlp(&self) -> bool {
        matches!(
            self,
            ListenAddress::Grpc(_)
                | ListenAddress::GrpcTls(_)
                | ListenAddress::Http(_)
                | ListenAddress::Https(_)
        )
    }

    /// Whether connections are encrypted.
    pub fn is_tls(&self) -> bool {
        matches!(
            self,
            ListenAddress::Tls(_)
                | ListenAddress::RelpTls(_)
                | ListenAddress::GrpcTls(_)
                | ListenAddress::Https(_)
        )
    }

    /// Whether the two cannot be open at the same time.
    pub(crate) fn overlaps(&self, other: &ListenAddress) -> bool {
        let (Some(a), Some(b)) = (self.address(), other.address()) else {
            return self.path().is_some() && self.path() == other.path();
        };
        let is_udp = |listener: &ListenAddress| matches!(listener, ListenAddress::Udp(_));
        let same_protocol = is_udp(self) == is_udp(other);
        // Port 0 asks for any free one.
        same_protocol && a.port() == b.port() && a.port() != 0 && ips_overlap(a.ip(), b.ip())
    }

    fn parse(text: &str) -> Result<ListenAddress, String> {
        let scheme = text.split_once(':').map_or(text, |(scheme, _)| scheme);
        if let Some((scheme, listener)) = PATH_SCHEMES.iter().find(|(known, _)| *known == scheme) {
            return socket_path(text, scheme).map(listener);
        }
        let Some((scheme, listener)) = LISTENER_SCHEMES.iter().find(|(known, _)| *known == scheme) else {
            return Err(unknown_listener(text, scheme));
        };
        let address = text.split_once("://").and_then(|(_, rest)| rest.parse().ok());
        address.map(listener).ok_or_else(|| {
            let hint = format!("write `{scheme}://0.0.0.0:5514` or `{scheme}://[::]:5514`");
            format!("{} is not an address and port to listen on: {hint}", quoted(text))
        })
    }
}

fn unknown_listener(text: &str, scheme: &str) -> String {
    let paths = PATH_SCHEMES.iter().map(|(known, _)| *known);
    let known: Vec<&str> = LISTENER_SCHEMES.iter().map(|(known, _)| *known).chain(paths).collect();
    let suggestion = did_you_mean(scheme, known.iter().copied());
    let urls = "use `udp://`, `tcp://`, `tls://`, `relp://`, `relp+tls://`, `grpc://`, `grpc+tls://`, `http://` or \
                `https://` with ADDRESS:PORT, or `unix-dgram:PATH` or `unix-stream:PATH`";
    format!("{} is not something to listen on{suggestion}: {urls}", quoted(text))
}

/// The path after `unix-dgram:` and similar schemes; two extra slashes before it are accepted.
pub(crate) fn socket_path(text: &str, scheme: &str) -> Result<String, String> {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let wrong = if path.is_empty() {
        "has no path"
    } else if SOCKET_PATH_BYTES_MAX < path.len() {
        "is longer than the 107 bytes that a socket's path may have"
    } else if path.contains('\0') || path.split('/').any(|part| part == "..") {
        "must not contain `..`"
    } else {
        return Ok(path.to_owned());
    };
    let hint =
        format!("write it like `{scheme}:/dev/log`, or `{scheme}:run/log.sock` below the data directory");
    Err(format!("{} {wrong}: {hint}", quoted(text)))
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenAddress::Udp(address) => write!(f, "udp://{address}"),
            ListenAddress::Tcp(address) => write!(f, "tcp://{address}"),
            ListenAddress::Tls(address) => write!(f, "tls://{address}"),
            ListenAddress::Relp(address) => write!(f, "relp://{address}"),
            ListenAddress::RelpTls(address) => write!(f, "relp+tls://{address}"),
            ListenAddress::Grpc(address) => write!(f, "grpc://{address}"),
            ListenAddress::GrpcTls(address) => write!(f, "grpc+tls://{address}"),
            ListenAddress::Http(address) => write!(f, "http://{address}"),
            ListenAddress::Https(address) => write!(f, "https://{address}"),
            ListenAddress::UnixDgram(path) => write!(f, "unix-dgram:{path}"),
            ListenAddress::UnixStream(path) => write!(f, "unix-stream:{path}"),
        }
    }
}

text_value!(ListenAddress, ListenAddress::parse);

/// Whether two addresses overlap. An unspecified IPv6 address includes IPv4.
fn ips_overlap(a: IpAddr, b: IpAddr) -> bool {
    let takes_all_of =
        |any: IpAddr, other: IpAddr| any.is_unspecified() && (any.is_ipv6() || other.is_ipv4());
    a == b || takes_all_of(a, b) || takes_all_of(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_overlap_when_one_address_contains_the_other() {
        let check = |a: &str, b: &str, expected: bool| {
            let listener = |text| ListenAddress::parse(text).expect("a listener");
            assert_eq!(listener(a).overlaps(&listener(b)), expected, "{a} {b}");
            assert_eq!(listener(b).overlaps(&listener(a)), expected, "{b} {a}");
        };
        check("udp://0.0.0.0:514", "udp://0.0.0.0:514", true);
        check("udp://0.0.0.0:514", "udp://127.0.0.1:514", true);
        check("udp://[::]:514", "udp://127.0.0.1:514", true);
        check("udp://0.0.0.0:514", "udp://[::1]:514", false);
        check("udp://10.0.0.1:514", "udp://127.0.0.1:514", false);
        check("udp://0.0.0.0:514", "tcp://0.0.0.0:514", false);
        check("tcp://0.0.0.0:514", "tcp://0.0.0.0:515", false);
        check("tcp://127.0.0.1:0", "tcp://127.0.0.1:0", false);
        check("tcp://0.0.0.0:514", "tls://0.0.0.0:514", true);
        check("relp://0.0.0.0:514", "udp://0.0.0.0:514", false);
        check("unix-dgram:/dev/log", "unix-stream:/dev/log", true);
        check("unix-dgram:/dev/log", "unix-dgram:run/log", false);
    }
}
