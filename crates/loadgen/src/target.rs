//! The receiver of the load, as written on the command line.

use std::fmt;
use std::path::PathBuf;

/// A receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTarget {
    /// `tcp://HOST:PORT`, a TCP stream.
    Tcp(Address),
    /// `tls://HOST:PORT`, a TLS stream.
    Tls(Address),
    /// `udp://HOST:PORT`, UDP datagrams.
    Udp(Address),
    /// A stream or datagram socket, depending on the socket at this path.
    Unix(PathBuf),
    /// `relp://HOST:PORT`, RELP over TCP.
    Relp(Address),
    /// `relp+tls://HOST:PORT`, RELP over TLS.
    RelpTls(Address),
    /// `http://HOST:PORT`, HTTP requests.
    Http(Address),
}

/// A name or address, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

const FORMS: &str = "tcp://HOST:PORT, udp://…, tls://…, relp://…, relp+tls://…, http://… or unix:PATH";

impl LoadTarget {
    /// Parses a URL, or `unix:PATH`; the error lists the possible forms.
    pub fn parse(text: &str) -> Result<LoadTarget, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let path = Some(path).filter(|path| !path.is_empty()).ok_or("unix: is missing its path")?;
            return Ok(LoadTarget::Unix(path.into()));
        }
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| format!("`{text}` is not one of {FORMS}"))?;
        let target = match scheme {
            "tcp" => LoadTarget::Tcp,
            "tls" => LoadTarget::Tls,
            "udp" => LoadTarget::Udp,
            "relp" => LoadTarget::Relp,
            "relp+tls" => LoadTarget::RelpTls,
            "http" => LoadTarget::Http,
            _ => return Err(format!("`{scheme}` is not a transport; use one of {FORMS}")),
        };
        Address::parse(rest).map(target).ok_or_else(|| format!("`{text}` is not {scheme}://HOST:PORT"))
    }
}

impl Address {
    fn parse(text: &str) -> Option<Address> {
        let (host, port) = text.strip_suffix('/').unwrap_or(text).rsplit_once(':')?;
        let port = port.parse().ok().filter(|port| 0 < *port)?;
        let host = match host.strip_prefix('[') {
            Some(v6) => v6.strip_suffix(']')?,
            // Without brackets, the beginning of the port would be ambiguous.
            None if host.contains(':') => return None,
            None => host,
        };
        let is_host =
            !host.is_empty() && !host.contains(['/', '@', '[', ']']) && !host.contains(char::is_whitespace);
        is_host.then(|| Address { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl fmt::Display for LoadTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadTarget::Tcp(address) => write!(f, "tcp://{address}"),
            LoadTarget::Tls(address) => write!(f, "tls://{address}"),
            LoadTarget::Udp(address) => write!(f, "udp://{address}"),
            LoadTarget::Unix(path) => write!(f, "unix:{}", path.display()),
            LoadTarget::Relp(address) => write!(f, "relp://{address}"),
            LoadTarget::RelpTls(address) => write!(f, "relp+tls://{address}"),
            LoadTarget::Http(address) => write!(f, "http://{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_and_written_alike() {
        for text in [
            "tcp://127.0.0.1:5514", "udp://log.example:514", "tls://[::1]:6514", "relp://h:2514",
            "relp+tls://h:2514", "http://localhost:8080", "unix:/run/log.sock",
        ] {
            assert_eq!(LoadTarget::parse(text).map(|target| target.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(LoadTarget::parse("unix:///run/log.sock"), LoadTarget::parse("unix:/run/log.sock"));
        assert_eq!(LoadTarget::parse("http://h:1/"), LoadTarget::parse("http://h:1"));
    }

    #[test]
    fn what_is_no_target_is_said_in_a_line() {
        for text in [
            "", "localhost:514", "ftp://h:1", "tcp://h", "tcp://h:", "tcp://:1", "tcp://h:0",
            "tcp://h:70000", "tcp://::1:514", "tcp://[::1:514", "http://h:1/path", "tcp://a b:1",
            "http://u@h:1", "unix:",
        ] {
            let error = LoadTarget::parse(text).expect_err(text);
            assert!(!error.contains('\n') && !error.is_empty());
        }
    }
}
