//! The servers that a destination sends syslog to: `tcp://HOST:PORT`, or a list of several, of which one is used at a time.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path, did_you_mean, quoted};
use crate::read::{ReadValue, from_text};

/// The greatest number of servers of one destination.
const ADDRESSES_MAX: usize = 8;

/// The protocol of a server, which is the scheme of its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transport {
    /// A message in every datagram.
    Udp,
    /// A stream of messages.
    Tcp,
    /// The same, encrypted.
    Tls,
    /// RELP: every message is acknowledged.
    Relp,
    /// The same, encrypted.
    RelpTls,
}

/// The address of a server, such as `tcp://HOST:PORT`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The protocol.
    pub transport: Transport,
    /// A name, or an IP address without brackets.
    pub host: String,
    /// The port, never 0.
    pub port: u16,
}

/// One address, or several with the same scheme, the preferred one first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Addresses(Vec<Address>);

const SCHEMES: [(&str, Transport); 5] = [
    ("udp", Transport::Udp),
    ("tcp", Transport::Tcp),
    ("tls", Transport::Tls),
    ("relp", Transport::Relp),
    ("relp+tls", Transport::RelpTls),
];

impl Transport {
    /// The scheme of an address.
    pub fn scheme(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
            Transport::Tls => "tls",
            Transport::Relp => "relp",
            Transport::RelpTls => "relp+tls",
        }
    }

    /// Whether each message is acknowledged by RELP.
    pub fn is_relp(self) -> bool {
        matches!(self, Transport::Relp | Transport::RelpTls)
    }

    /// Whether connections are encrypted.
    pub fn is_tls(self) -> bool {
        matches!(self, Transport::Tls | Transport::RelpTls)
    }
}

impl Address {
    fn parse(text: &str) -> Result<Address, String> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(format!("{} is not a URL: {USE}", quoted(text)));
        };
        let Some((_, transport)) = SCHEMES.iter().find(|(known, _)| *known == scheme) else {
            let suggestion = did_you_mean(scheme, SCHEMES.iter().map(|(known, _)| *known));
            return Err(format!("{} has an unknown scheme{suggestion}: {USE}", quoted(text)));
        };
        let split =
            rest.rsplit_once(':').and_then(|(host, port)| Some((bare_host(host)?, port.parse().ok()?)));
        match split {
            Some((host, port)) if port != 0 => {
                Ok(Address { transport: *transport, host: host.to_owned(), port })
            }
            _ => Err(format!(
                "{} is not a host and port to connect to: write one like `{scheme}://siem.example:514` or \
                 `{scheme}://[2001:db8::7]:514`",
                quoted(text)
            )),
        }
    }
}

const USE: &str = "use `udp://`, `tcp://`, `tls://`, `relp://` or `relp+tls://` with HOST:PORT";

impl Addresses {
    /// Makes a list of addresses, at least one, all with the same scheme.
    pub fn new(addresses: Vec<Address>) -> Result<Addresses, String> {
        if addresses.is_empty() || ADDRESSES_MAX < addresses.len() {
            return Err(format!(
                "must name 1 to {ADDRESSES_MAX} servers, like `[\"tcp://siem.example:514\"]`"
            ));
        }
        let first = &addresses[0];
        match addresses.iter().find(|other| other.transport != first.transport) {
            Some(other) => Err(format!(
                "the servers of one destination have the same scheme, but {} and {} differ",
                quoted(&first.to_string()),
                quoted(&other.to_string())
            )),
            None => Ok(Addresses(addresses)),
        }
    }

    /// The addresses, in the order in which they are tried.
    pub fn as_slice(&self) -> &[Address] {
        &self.0
    }

    /// The protocol of all addresses.
    pub fn transport(&self) -> Transport {
        self.0.first().map_or(Transport::Tcp, |address| address.transport)
    }

    /// A stand-in for addresses that could not be read.
    pub(super) fn unread(transport: Transport) -> Addresses {
        Addresses(vec![Address { transport, host: String::new(), port: 0 }])
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { transport, host, port } = self;
        let (open, close) = if host.contains(':') { ("[", "]") } else { ("", "") };
        write!(f, "{}://{open}{host}{close}:{port}", transport.scheme())
    }
}

impl fmt::Display for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, address) in self.0.iter().enumerate() {
            write!(f, "{}{address}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The written form of addresses: one, or a list of several.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    /// A single address.
    One(String),
    /// Several, the preferred one first.
    More(Vec<String>),
}

impl Serialize for Addresses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match self.0.as_slice() {
            [one] => OneOrMore::One(one.to_string()),
            more => OneOrMore::More(more.iter().map(Address::to_string).collect()),
        };
        written.serialize(serializer)
    }
}

from_text!(Address, Address::parse);

impl ReadValue for Addresses {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Addresses> {
        let addresses = match &node.value {
            NodeValue::Text(_) => vec![Address::read(node, path, findings)?],
            _ => Vec::<Address>::read(node, path, findings)?,
        };
        Addresses::new(addresses).map_err(|message| findings.value(path, message)).ok()
    }
}

/// The host without the brackets of an IPv6 address, if it can be one.
pub(super) fn bare_host(host: &str) -> Option<&str> {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok().then_some(inner);
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (!host.is_empty() && host.len() <= 253 && host.bytes().all(is_name)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_a_host_and_a_port() {
        let check = |text: &str, expected: Option<(Transport, &str, u16)>| {
            let address = Address::parse(text).ok();
            let expected =
                expected.map(|(transport, host, port)| Address { transport, host: host.to_owned(), port });
            assert_eq!(address, expected, "{text}");
            if let Some(address) = address {
                assert_eq!(address.to_string(), text);
            }
        };
        check("tcp://siem.example:514", Some((Transport::Tcp, "siem.example", 514)));
        check("udp://[2001:db8::7]:514", Some((Transport::Udp, "2001:db8::7", 514)));
        check("relp+tls://10.0.0.1:2514", Some((Transport::RelpTls, "10.0.0.1", 2514)));
        for bad in ["", "tcp", "tcp://", "tcp://host", "tcp://:514", "tcp://host:0", "tcp://host:99999"] {
            check(bad, None);
        }
        for bad in ["siem:514", "http://siem:514", "tcp://2001:db8::7:514", "tcp://a b:514", "tcp://a/b:514"]
        {
            check(bad, None);
        }
    }
}
