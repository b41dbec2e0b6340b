//! The proxy of HTTP requests, as a document or the settings name it.

use serde::{Serialize, Serializer};

use super::address::bare_host;
use crate::read::from_text;

/// The greatest length of a proxy's text, in bytes.
const BYTES_MAX: usize = 1000;
/// The replacement for a user and a password.
const HIDDEN: &str = "(hidden)";

/// A proxy: `none`, or `http://[USER:PASSWORD@]HOST[:PORT]`.
///
/// **Invariant:** it is printable ASCII, and has a host unless it is `none`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proxy(String);

impl Proxy {
    /// Reads a proxy. Errors do not repeat the text, because it may contain a password.
    pub fn parse(text: &str) -> Result<Proxy, String> {
        const HINT: &str = "write it like `http://proxy.example:3128`, or `none` for no proxy";
        let proxy = Proxy(text.to_owned());
        if text == "none" {
            return Ok(proxy);
        }
        let Some(rest) = text.strip_prefix("http://") else {
            return Err(format!("is not a proxy that can be used: it must begin with `http://`; {HINT}"));
        };
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
        let place = place.strip_suffix('/').unwrap_or(place);
        let port = |port: &str| port.parse::<u16>().is_ok_and(|port| port != 0);
        let has_host = bare_host(place).is_some()
            || place.rsplit_once(':').is_some_and(|(host, digits)| bare_host(host).is_some() && port(digits));
        let is_plain = text.len() <= BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !has_host
            || !is_plain
            || user.is_some_and(|user| user.contains(['/', '?', '#', '@']) || !is_encoded(user))
        {
            return Err(format!(
                "is not the address of a proxy: {HINT}; encode special characters in the user and password as in \
                 URLs, for example `@` as `%40`"
            ));
        }
        Ok(proxy)
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether each `%` begins a valid escape of something other than a control character.
fn is_encoded(text: &str) -> bool {
    let sign = |part: &str| {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_some_and(|byte| !byte.is_ascii_control())
    };
    text.split('%').skip(1).all(sign)
}

/// The text of a proxy without its user and password, for display.
pub(crate) fn without_password(text: &str) -> String {
    match text.strip_prefix("http://").and_then(|rest| rest.rsplit_once('@')) {
        Some((_, place)) => format!("http://{HIDDEN}@{place}"),
        None => text.to_owned(),
    }
}

impl Serialize for Proxy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

from_text!(Proxy, Proxy::parse);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_none_or_an_address_and_its_password_is_not_repeated() {
        for good in [
            "none",
            "http://proxy.example:3128",
            "http://proxy.example",
            "http://[::1]:8080/",
            "http://ann:a%40b@proxy.example:3128",
            "http://(hidden)@proxy.example:3128",
        ] {
            assert_eq!(Proxy::parse(good).map(|proxy| proxy.0), Ok(good.to_owned()));
        }
        for wrong in [
            "",
            "None",
            "proxy.example:3128",
            "https://ann:hunter2@p:1",
            "socks5://ann:hunter2@p:1",
            "http://ann:hunter2@",
            "http://ann:hunter2@p:0",
            "http://ann:hunter2@p/path",
            "http://ann:hunter2/@p:1",
            "http://ann:hunter2@x@p:1",
            "http://ann:hunter2%@p:1",
            "http://ann:hunter2%0a@p:1",
            "http://ann:hunter2 @p:1",
            "http://ann:hunter2ä@p:1",
            &format!("http://ann:{}@p:1", "hunter2".repeat(1000)),
        ] {
            let error = Proxy::parse(wrong).expect_err(wrong);
            assert!(!error.contains("hunter2"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_user_and_a_password_are_not_shown() {
        for (text, shown) in [
            ("none", "none"),
            ("http://p:1", "http://p:1"),
            ("http://ann:hunter2@p:1", "http://(hidden)@p:1"),
            ("http://ann@p", "http://(hidden)@p"),
        ] {
            assert_eq!(without_password(text), shown);
        }
    }
}
