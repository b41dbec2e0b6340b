//! Addresses and headers of HTTP requests.

use std::fmt;

use serde::{Serialize, Serializer};

use super::address::bare_host;
use crate::problem::quoted;
use crate::read::{from_text, text_value};

/// The longest URL or header.
const BYTES_MAX: usize = 4000;
/// Headers that Logstead itself sets in every request.
const HEADERS_RESERVED: [&str; 6] =
    ["connection", "content-encoding", "content-length", "host", "te", "transfer-encoding"];

/// An address: `http://HOST[:PORT][/PATH][?QUERY]`, or the same with `https://`.
///
/// **Invariant:** it is printable ASCII, has a host, and contains no user or password.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Url(String);

/// A header of a request: a name, and a value without control characters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HttpHeader {
    /// The name, which is a token as HTTP defines it.
    pub name: String,
    /// The value, without spaces around it.
    pub value: String,
}

impl Url {
    /// Reads a URL, or reports what is wrong.
    pub fn parse(text: &str) -> Result<Url, String> {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        let hint = "write one like `https://logs.example:9200`";
        let Some(rest) = rest else {
            return Err(format!("{} does not begin with `http://` or `https://`: {hint}", quoted(text)));
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            // The text is not repeated, because it may contain a password.
            return Err(
                "must not hold a user or password: use the keys `user` and `password_file`".to_owned()
            );
        }
        if BYTES_MAX < text.len() || text.contains('#') || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{} is not a URL: {hint}", quoted(text)));
        }
        if is_authority(authority) {
            Ok(Url(text.to_owned()))
        } else {
            Err(format!("{} has no valid host and port: {hint}", quoted(text)))
        }
    }

    /// A stand-in for a URL that cannot be read.
    pub(crate) fn nowhere() -> Url {
        Url("https://localhost".to_owned())
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let host = || authority.rsplit_once(':').and_then(|(host, _)| bare_host(host));
        bare_host(authority).or_else(host).unwrap_or_default()
    }

    /// The URL without its query, which may be secret, for display.
    pub fn without_query(&self) -> &str {
        self.0.split('?').next().unwrap_or_default()
    }
}

/// A host, with or without a port.
fn is_authority(text: &str) -> bool {
    if bare_host(text).is_some() {
        return true;
    }
    let port = |port: &str| port.parse::<u16>().is_ok_and(|port| port != 0);
    text.rsplit_once(':').is_some_and(|(host, digits)| bare_host(host).is_some() && port(digits))
}

impl HttpHeader {
    /// Reads `NAME: VALUE`, or reports what is wrong. The value is not repeated, because it may be secret.
    pub fn parse(text: &str) -> Result<HttpHeader, String> {
        let Some((name, value)) = text.split_once(':') else {
            return Err("must be written as `NAME: VALUE`".to_owned());
        };
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(format!("{} is not the name of a header", quoted(name)));
        }
        if HEADERS_RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(format!("`{name}` cannot be set: Logstead sets it itself in every request"));
        }
        if BYTES_MAX < text.len() || !value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
            return Err(format!(
                "the value of `{name}` is too long or has characters that headers cannot have"
            ));
        }
        Ok(HttpHeader { name: name.to_owned(), value: value.to_owned() })
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for HttpHeader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}: {}", self.name, self.value))
    }
}

text_value!(Url, Url::parse);

from_text!(HttpHeader, HttpHeader::parse);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_scheme_and_a_host_and_no_password() {
        for good in [
            "http://es",
            "https://es.example:9200",
            "http://[::1]:3100/loki/api/v1/push",
            "https://a/b?key=1",
        ] {
            assert_eq!(Url::parse(good).map(|url| url.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "", "es:9200", "ftp://es", "http://", "http://:80", "http://es:0", "http://es:99999",
            "http://a b", "http://a/ b", "http://::1", "http://a/#x", "http://ä",
        ] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
        let error = Url::parse("https://elastic:hunter2@es").expect_err("it holds a password");
        assert!(!error.contains("hunter2"), "{error}");
        assert_eq!(Url::parse("http://a/b?token=1").expect("a URL").without_query(), "http://a/b");
        for (text, host) in [
            ("http://a", "a"),
            ("http://a:80/b:1?c", "a"),
            ("https://[::1]:3/", "::1"),
            ("http://[::1]", "::1"),
        ] {
            assert_eq!(Url::parse(text).expect("a URL").host(), host);
        }
    }

    #[test]
    fn a_header_has_a_valid_name_and_value() {
        let header = HttpHeader::parse("X-Scope: a: b ").expect("a header");
        assert_eq!((header.name.as_str(), header.value.as_str()), ("X-Scope", "a: b"));
        for bad in ["", "X", ": a", "X Y: a", "Host: a", "content-length: 1", "X: a\r\nY: b", "X: ä"] {
            assert!(HttpHeader::parse(bad).is_err(), "{bad}");
        }
    }
}
