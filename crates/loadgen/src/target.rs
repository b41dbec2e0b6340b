//! Where load is sent, as written on the command line.

use std::fmt;
use std::path::PathBuf;

/// A receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `tcp://HOST:PORT`
    Tcp(Address),
    /// `tls://HOST:PORT`
    Tls(Address),
    /// `udp://HOST:PORT`
    Udp(Address),
    /// A stream or datagram socket, whichever is found there.
    Unix(PathBuf),
    /// `relp://HOST:PORT`
    Relp(Address),
    /// `relp+tls://HOST:PORT`
    RelpTls(Address),
    /// `http://HOST:PORT`
    Http(Address),
}

/// A name or address, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

const FORMS: &str = "tcp://HOST:PORT, udp://…, tls://…, relp://…, relp+tls://…, http://… or unix:PATH";

impl Target {
    /// Parses a URL, or `unix:PATH`; the error lists the possible forms.
    pub fn parse(text: &str) -> Result<Target, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            let path = Some(path).filter(|path| !path.is_empty()).ok_or("unix: is missing its path")?;
            return Ok(Target::Unix(path.into()));
        }
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| format!("`{text}` is not one of {FORMS}"))?;
        let target = match scheme {
            "tcp" => Target::Tcp,
            "tls" => Target::Tls,
            "udp" => Target::Udp,
            "relp" => Target::Relp,
            "relp+tls" => Target::RelpTls,
            "http" => Target::Http,
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
            // Without brackets it is unclear where the port begins.
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

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Tcp(address) => write!(f, "tcp://{address}"),
            Target::Tls(address) => write!(f, "tls://{address}"),
            Target::Udp(address) => write!(f, "udp://{address}"),
            Target::Unix(path) => write!(f, "unix:{}", path.display()),
            Target::Relp(address) => write!(f, "relp://{address}"),
            Target::RelpTls(address) => write!(f, "relp+tls://{address}"),
            Target::Http(address) => write!(f, "http://{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_and_written_alike() {
        for text in [
            "tcp://127.0.0.1:5514",
            "udp://log.example:514",
            "tls://[::1]:6514",
            "relp://h:2514",
            "relp+tls://h:2514",
            "http://localhost:8080",
            "unix:/run/log.sock",
        ] {
            assert_eq!(Target::parse(text).map(|target| target.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(Target::parse("unix:///run/log.sock"), Target::parse("unix:/run/log.sock"));
        assert_eq!(Target::parse("http://h:1/"), Target::parse("http://h:1"));
    }

    #[test]
    fn what_is_no_target_is_said_in_a_line() {
        for text in [
            "",
            "localhost:514",
            "ftp://h:1",
            "tcp://h",
            "tcp://h:",
            "tcp://:1",
            "tcp://h:0",
            "tcp://h:70000",
            "tcp://::1:514",
            "tcp://[::1:514",
            "http://h:1/path",
            "tcp://a b:1",
            "http://u@h:1",
            "unix:",
        ] {
            let error = Target::parse(text).expect_err(text);
            assert!(!error.contains('\n') && !error.is_empty());
        }
    }
}
