//! Addresses: what a source listens on, and whom a destination connects to.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use serde::{Serialize, Serializer};

use crate::node::Node;
use crate::problem::{Findings, Path, did_you_mean, one_of, quoted};
use crate::read::{Read, parsed};

/// A socket that a syslog source opens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Listener {
    /// A message in every datagram.
    Udp(SocketAddr),
    /// A stream of messages from every connection.
    Tcp(SocketAddr),
}

/// `tcp://HOST:PORT` of a server that we connect to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// A name, or an IP address without brackets.
    pub host: String,
    /// Never 0.
    pub port: u16,
}

const LISTENER_SCHEMES: [&str; 2] = ["udp", "tcp"];
const LISTENER_SCHEMES_LATER: [&str; 4] = ["tls", "relp", "unix-dgram", "unix-stream"];
const ADDRESS_SCHEMES: [&str; 1] = ["tcp"];
const ADDRESS_SCHEMES_LATER: [&str; 5] = ["udp", "tls", "relp", "http", "https"];

impl Listener {
    /// The address and port.
    pub fn address(self) -> SocketAddr {
        match self {
            Listener::Udp(address) | Listener::Tcp(address) => address,
        }
    }

    /// Whether the two cannot be open at the same time.
    pub(crate) fn overlaps(self, other: Listener) -> bool {
        let (a, b) = (self.address(), other.address());
        let same_protocol = std::mem::discriminant(&self) == std::mem::discriminant(&other);
        // Port 0 asks for any free one.
        same_protocol && a.port() == b.port() && a.port() != 0 && ips_overlap(a.ip(), b.ip())
    }

    fn parse(text: &str) -> Result<Listener, String> {
        let (scheme, rest) = scheme(text, &LISTENER_SCHEMES, &LISTENER_SCHEMES_LATER)?;
        let address = rest.parse().map_err(|_| {
            let hint = format!("write `{scheme}://0.0.0.0:5514` or `{scheme}://[::]:5514`");
            format!("{} is no address and port to listen on: {hint}", quoted(text))
        })?;
        Ok(if scheme == "udp" { Listener::Udp(address) } else { Listener::Tcp(address) })
    }
}

impl Address {
    fn parse(text: &str) -> Result<Address, String> {
        let (_, rest) = scheme(text, &ADDRESS_SCHEMES, &ADDRESS_SCHEMES_LATER)?;
        let split =
            rest.rsplit_once(':').and_then(|(host, port)| Some((bare_host(host)?, port.parse().ok()?)));
        match split {
            Some((host, port)) if port != 0 => Ok(Address { host: host.to_owned(), port }),
            _ => Err(format!(
                "{} is no host and port to connect to: write one like `tcp://siem.example:514` or \
                 `tcp://[2001:db8::7]:514`",
                quoted(text)
            )),
        }
    }
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listener::Udp(address) => write!(f, "udp://{address}"),
            Listener::Tcp(address) => write!(f, "tcp://{address}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "tcp://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "tcp://{}:{}", self.host, self.port)
        }
    }
}

impl Serialize for Listener {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Read for Listener {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Listener> {
        parsed(node, path, findings, Listener::parse)
    }
}

impl Read for Address {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Address> {
        parsed(node, path, findings, Address::parse)
    }
}

/// Splits `scheme://rest`, or `scheme:rest` of a later version.
fn scheme<'a>(
    text: &'a str,
    known: &[&'static str],
    later: &[&str],
) -> Result<(&'static str, &'a str), String> {
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    let urls: Vec<String> = known.iter().map(|scheme| format!("{scheme}://ADDRESS:PORT")).collect();
    let urls = one_of(urls.iter().map(String::as_str));
    if later.contains(&scheme) {
        return Err(format!("`{scheme}:` is not supported by this version: use {urls}"));
    }
    let known_scheme = known.iter().find(|known| **known == scheme);
    match (known_scheme, rest.strip_prefix("//")) {
        (Some(scheme), Some(rest)) => Ok((scheme, rest)),
        (None, Some(_)) => {
            let suggestion = did_you_mean(scheme, known.iter().copied());
            Err(format!("{} has an unknown scheme{suggestion}: use {urls}", quoted(text)))
        }
        _ => Err(format!("{} is not a URL: use {urls}", quoted(text))),
    }
}

/// The host without the brackets of an IPv6 address, if it can be one.
fn bare_host(host: &str) -> Option<&str> {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok().then_some(inner);
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (!host.is_empty() && host.len() <= 253 && host.bytes().all(is_name)).then_some(host)
}

/// An unspecified IPv6 address takes the IPv4 ones as well.
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
            let listener = |text| Listener::parse(text).expect("a listener");
            assert_eq!(listener(a).overlaps(listener(b)), expected, "{a} {b}");
            assert_eq!(listener(b).overlaps(listener(a)), expected, "{b} {a}");
        };
        check("udp://0.0.0.0:514", "udp://0.0.0.0:514", true);
        check("udp://0.0.0.0:514", "udp://127.0.0.1:514", true);
        check("udp://[::]:514", "udp://127.0.0.1:514", true);
        check("udp://0.0.0.0:514", "udp://[::1]:514", false);
        check("udp://10.0.0.1:514", "udp://127.0.0.1:514", false);
        check("udp://0.0.0.0:514", "tcp://0.0.0.0:514", false);
        check("tcp://0.0.0.0:514", "tcp://0.0.0.0:515", false);
        check("tcp://127.0.0.1:0", "tcp://127.0.0.1:0", false);
    }

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let check = |text: &str, expected: Option<(&str, u16)>| {
            let address = Address::parse(text).ok();
            let expected = expected.map(|(host, port)| Address { host: host.to_owned(), port });
            assert_eq!(address, expected, "{text}");
            if let Some(address) = address {
                assert_eq!(address.to_string(), text);
            }
        };
        check("tcp://siem.example:514", Some(("siem.example", 514)));
        check("tcp://[2001:db8::7]:514", Some(("2001:db8::7", 514)));
        for bad in ["", "tcp", "tcp://", "tcp://host", "tcp://:514", "tcp://host:0", "tcp://host:99999"] {
            check(bad, None);
        }
        for bad in ["siem:514", "tls://siem:514", "tcp://2001:db8::7:514", "tcp://a b:514", "tcp://a/b:514"] {
            check(bad, None);
        }
    }
}
