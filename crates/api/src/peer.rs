//! The origin of a request: the address of its connection, or the one that a trusted proxy names.
//!
//! **Invariant:** a header counts only on a connection from one of `web.trusted_proxies`, and only the part that such
//! proxies added: everything to its left may be forged.

use crate::web::{Arrival, is_trusted};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;
use ipnet::IpNet;
use logstead_config::settings::Settings;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

const FORWARDED: HeaderName = HeaderName::from_static("forwarded");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The client of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Client {
    /// `None` if it did not come through a socket.
    pub address: Option<IpAddr>,
    /// Whether it came over TLS, to this server or to a trusted proxy, whose word counts more.
    pub is_encrypted: bool,
}

/// The middleware that provides the [`Client`] to handlers.
pub(crate) async fn identify(
    State(settings): State<Arc<Settings>>,
    mut request: Request,
    next: Next,
) -> Response {
    let extensions = request.extensions();
    let plain = |ConnectInfo(peer): &ConnectInfo<SocketAddr>| Arrival {
        peer: *peer,
        is_unix: false,
        is_encrypted: false,
    };
    let arrival = extensions.get::<Arrival>().copied().or_else(|| extensions.get().map(plain));
    let client = client(arrival, request.headers(), &settings.web.trusted_proxies);
    request.extensions_mut().insert(client);
    next.run(request).await
}

/// The client that sent these headers over a connection.
pub(crate) fn client(arrival: Option<Arrival>, headers: &HeaderMap, trusted: &[IpNet]) -> Client {
    let Some(Arrival { peer, is_unix, is_encrypted }) = arrival else {
        return Client { address: None, is_encrypted: false };
    };
    let proxy = peer.ip().to_canonical();
    if !is_unix && !is_trusted(proxy, trusted) {
        return Client { address: Some(proxy), is_encrypted };
    }
    let forwarded = elements(headers, &FORWARDED);
    let by_rfc = nearest_stranger(proxy, forwarded.iter().map(|element| parameter(element, "for")), trusted);
    let by_custom = elements(headers, &X_FORWARDED_FOR);
    let by_custom = nearest_stranger(proxy, by_custom.iter().map(|hop| Some(*hop)), trusted);
    let address = match (by_rfc, by_custom) {
        // A proxy appends to one of the two headers and passes the other on unchanged; it is impossible to tell
        // which.
        (Some(one), Some(other)) if one != other => proxy,
        (one, other) => one.or(other).unwrap_or(proxy),
    };
    let protocol = forwarded.last().and_then(|element| parameter(element, "proto"));
    let protocol = protocol.or_else(|| elements(headers, &X_FORWARDED_PROTO).pop());
    let is_encrypted = protocol.map_or(is_encrypted, |name| name.eq_ignore_ascii_case("https"));
    Client { address: Some(address), is_encrypted }
}

/// The first address from the right that is not a trusted proxy; the leftmost one if all are trusted, and the last
/// readable one if an address cannot be read. `None` without the header.
fn nearest_stranger<'a>(
    proxy: IpAddr,
    hops: impl DoubleEndedIterator<Item = Option<&'a str>>,
    trusted: &[IpNet],
) -> Option<IpAddr> {
    let mut nearest = None;
    for hop in hops.rev() {
        let Some(address) = hop.and_then(address) else { return nearest.or(Some(proxy)) };
        nearest = Some(address);
        if !is_trusted(address, trusted) {
            break;
        }
    }
    nearest
}

/// The elements of a header's lines, in order.
fn elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter();
    // A line that is not text counts as an unreadable element.
    lines.flat_map(|line| line.to_str().unwrap_or("?").split(',')).map(str::trim).collect()
}

/// A parameter of an element of `Forwarded`: `for="[2001:db8::1]:4711";proto=https`.
fn parameter<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some(value.trim_matches('"'))
}

/// An address, optionally with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.1";

    fn from(socket: &str, headers: &[(&'static str, &'static str)]) -> (String, bool) {
        let peer = SocketAddr::new(socket.parse().unwrap(), 0);
        arrived(Arrival { peer, is_unix: false, is_encrypted: false }, headers)
    }

    fn arrived(arrival: Arrival, headers: &[(&'static str, &'static str)]) -> (String, bool) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let client = client(Some(arrival), &map, &trusted);
        (client.address.unwrap().to_string(), client.is_encrypted)
    }

    fn check(headers: &[(&'static str, &'static str)], expected: &str) {
        assert_eq!(from(PROXY, headers).0, expected, "{headers:?}");
    }

    #[test]
    fn headers_of_a_stranger_say_nothing() {
        let headers = [
            ("x-forwarded-for", "192.0.2.1"),
            ("forwarded", "for=192.0.2.1"),
            ("x-forwarded-proto", "https"),
        ];
        assert_eq!(from("203.0.113.9", &headers), ("203.0.113.9".to_owned(), false));
        assert_eq!(from("::ffff:203.0.113.9", &headers), ("203.0.113.9".to_owned(), false));
    }

    #[test]
    fn behind_a_trusted_proxy_the_rightmost_address_that_is_not_trusted_counts() {
        check(&[], PROXY);
        check(&[("x-forwarded-for", "192.0.2.1")], "192.0.2.1");
        check(&[("x-forwarded-for", "1.1.1.1, 192.0.2.1")], "192.0.2.1");
        check(&[("x-forwarded-for", "1.1.1.1, 192.0.2.1, 10.0.0.7")], "192.0.2.1");
        check(&[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "192.0.2.1")], "192.0.2.1");
        check(&[("x-forwarded-for", "192.0.2.1:4711")], "192.0.2.1");
        check(&[("x-forwarded-for", "2001:db8::1")], "2001:db8::1");
        check(&[("x-forwarded-for", "[2001:db8::1]:443")], "2001:db8::1");
        check(&[("x-forwarded-for", "10.0.0.5, 10.0.0.7")], "10.0.0.5");
        check(
            &[("forwarded", "for=1.1.1.1, for=\"[2001:db8::1]:4711\";proto=https;by=10.0.0.1")],
            "2001:db8::1",
        );
        check(&[("forwarded", "For=\"192.0.2.1:80\"")], "192.0.2.1");
    }

    #[test]
    fn what_can_not_be_read_or_contradicts_itself_is_the_proxys_own() {
        check(&[("x-forwarded-for", "192.0.2.1, unknown")], PROXY);
        check(&[("x-forwarded-for", "192.0.2.1, garbage, 10.0.0.7")], "10.0.0.7");
        check(&[("x-forwarded-for", "")], PROXY);
        check(&[("forwarded", "for=_hidden")], PROXY);
        check(&[("forwarded", "proto=https")], PROXY);
        check(&[("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "192.0.2.1")], PROXY);
        check(&[("forwarded", "for=192.0.2.1"), ("x-forwarded-for", "192.0.2.1")], "192.0.2.1");
    }

    #[test]
    fn a_trusted_proxy_says_whether_its_client_spoke_tls() {
        assert!(from(PROXY, &[("x-forwarded-proto", "https")]).1);
        assert!(from(PROXY, &[("x-forwarded-proto", "http, HTTPS")]).1);
        assert!(from(PROXY, &[("forwarded", "for=192.0.2.1;proto=https")]).1);
        assert!(!from(PROXY, &[("forwarded", "proto=https, proto=http")]).1);
        assert!(!from(PROXY, &[("x-forwarded-proto", "http")]).1);
        assert!(!from(PROXY, &[]).1);
    }
    #[test]
    fn what_came_over_tls_is_encrypted_unless_the_proxy_says_how_its_client_came() {
        let encrypted = |peer: &str| {
            let peer = SocketAddr::new(peer.parse().unwrap(), 0);
            Arrival { peer, is_unix: false, is_encrypted: true }
        };
        assert!(arrived(encrypted("203.0.113.9"), &[("x-forwarded-proto", "http")]).1);
        assert!(arrived(encrypted(PROXY), &[]).1);
        assert!(!arrived(encrypted(PROXY), &[("x-forwarded-proto", "http")]).1);
    }

    #[test]
    fn whoever_may_open_the_unix_socket_is_a_proxy() {
        let socket = Arrival { peer: "127.0.0.1:0".parse().unwrap(), is_unix: true, is_encrypted: false };
        let headers = [("x-forwarded-for", "192.0.2.1"), ("x-forwarded-proto", "https")];
        assert_eq!(arrived(socket, &headers), ("192.0.2.1".to_owned(), true));
        assert_eq!(arrived(socket, &[]), ("127.0.0.1".to_owned(), false));
    }
}
