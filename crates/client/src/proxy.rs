//! The proxy of a request: the one configured for it, or the one that the environment names.
//!
//! The rules for the environment are those of curl: `http_proxy` and `HTTP_PROXY` apply to `http://`, `https_proxy`
//! and `HTTPS_PROXY` to `https://`, and hosts listed in `no_proxy` or `NO_PROXY` are reached directly. No other
//! address is an exception, not even those of this machine.
//!
//! **Invariant:** no text that is shown contains the user or password of a proxy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::IpAddr;

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// A host name or an address; an IPv6 address is in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    authorization: Option<String>,
}

/// The rule for the proxy of requests.
#[derive(Clone, Debug)]
pub enum Proxies {
    /// No proxy.
    Direct,
    /// All requests use this proxy.
    Always(Proxy),
    /// The proxies that the environment names.
    Environment(ProxyEnvironment),
}

/// The environment variables for proxies. If one is invalid, the requests to which it applies fail: otherwise they
/// would silently bypass the proxy.
#[derive(Clone, Debug)]
pub struct ProxyEnvironment {
    http: NamedProxy,
    https: NamedProxy,
    skipped: NoProxyHosts,
}

/// The proxy that a variable names.
type NamedProxy = Result<Option<Proxy>, String>;

/// The hosts that are reached directly.
#[derive(Clone, Debug, Default)]
struct NoProxyHosts {
    is_all: bool,
    names: Vec<String>,
    networks: Vec<IpNet>,
}

impl Proxy {
    /// Reads `[http://][USER:PASSWORD@]HOST[:PORT]`. Errors do not repeat the text, because it may contain a password.
    pub fn parse(text: &str) -> Result<Proxy, String> {
        const HINT: &str = "write it like `http://proxy.example:3128`";
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            None => text,
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                return Err(format!(
                    "a proxy is reached over plain HTTP, not `{scheme}`: {HINT} (encrypted requests stay encrypted)"
                ));
            }
            Some(_) => return Err(format!("this is not the address of a proxy: {HINT}")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
        let wrong = || format!("this is not the address of a proxy: {HINT}");
        let is_in_brackets = place.ends_with(']');
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !is_in_brackets => (host, port.parse().map_err(|_| wrong())?),
            _ => (place, 80),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match bare {
            Some(bare) => bare.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                !host.is_empty()
                    && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
            }
        };
        if !is_host || port == 0 {
            return Err(wrong());
        }
        Ok(Proxy { host: host.to_owned(), port, authorization: user.map(authorization).transpose()? })
    }

    /// The value of `Proxy-Authorization`, if the proxy requires a user.
    pub(crate) fn authorization(&self) -> Option<&str> {
        self.authorization.as_deref()
    }
}

/// The header for `USER[:PASSWORD]`, which is percent-encoded as in URLs.
fn authorization(user: &str) -> Result<String, String> {
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let decoded = |text| {
        let text = percent_decode_str(text).decode_utf8().ok();
        let text = text.filter(|text| !text.contains(char::is_control));
        text.ok_or(
            "the user or password in the URL of the proxy cannot be read: write `%` as `%25`".to_owned(),
        )
    };
    let (name, password) = (decoded(name)?, decoded(password)?);
    if name.contains(':') {
        return Err("the user of the proxy must not contain `:`".to_owned());
    }
    Ok(format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl Proxies {
    /// The proxies of a setting: `none`, the address of a proxy, or, without a setting, those of the environment.
    pub fn of(setting: Option<&str>) -> Result<Proxies, String> {
        match setting {
            None => Ok(Proxies::of_environment()),
            Some("none") => Ok(Proxies::Direct),
            Some(text) => Proxy::parse(text).map(Proxies::Always).map_err(|error| format!("proxy: {error}")),
        }
    }

    /// The proxies that the environment of this process names.
    pub fn of_environment() -> Proxies {
        Proxies::Environment(ProxyEnvironment::by(|variable| std::env::var(variable).ok()))
    }

    /// The proxy for requests with this scheme to this host.
    pub(crate) fn between(&self, scheme: &str, host: &str) -> Result<Option<&Proxy>, String> {
        match self {
            Proxies::Direct => Ok(None),
            Proxies::Always(proxy) => Ok(Some(proxy)),
            Proxies::Environment(ProxyEnvironment { skipped, .. }) if skipped.has(host) => Ok(None),
            Proxies::Environment(ProxyEnvironment { http, https, .. }) => {
                let named = if scheme == "https" { https } else { http };
                named.as_ref().map(Option::as_ref).map_err(Clone::clone)
            }
        }
    }
}

impl ProxyEnvironment {
    /// Variables in lower case take precedence, and an empty one counts as unset.
    fn by(variable: impl Fn(&str) -> Option<String>) -> ProxyEnvironment {
        let first = |names: [&'static str; 2]| {
            let set = |name| variable(name).filter(|text| !text.is_empty()).map(|text| (name, text));
            names.into_iter().find_map(set)
        };
        let proxy = |names| match first(names) {
            None => Ok(None),
            Some((name, text)) => Proxy::parse(&text).map(Some).map_err(|error| format!("{name}: {error}")),
        };
        let skipped = first(["no_proxy", "NO_PROXY"]).map(|(_, list)| NoProxyHosts::of(&list));
        ProxyEnvironment {
            http: proxy(["http_proxy", "HTTP_PROXY"]),
            https: proxy(["https_proxy", "HTTPS_PROXY"]),
            skipped: skipped.unwrap_or_default(),
        }
    }
}

impl NoProxyHosts {
    /// Parses a list of names, addresses and networks, separated by commas or spaces; `*` means all hosts.
    fn of(list: &str) -> NoProxyHosts {
        let mut skipped = NoProxyHosts { is_all: list.trim() == "*", ..NoProxyHosts::default() };
        for entry in list.split([',', ' ', '\t']).filter(|entry| !entry.is_empty()) {
            let address = entry.trim_matches(['[', ']']).parse::<IpAddr>().map(IpNet::from);
            match address.ok().or_else(|| entry.parse().ok()) {
                Some(network) => skipped.networks.push(network),
                None => skipped.names.push(entry.trim_matches('.').to_ascii_lowercase()),
            }
        }
        skipped
    }

    /// A name covers itself and every name below it.
    fn has(&self, host: &str) -> bool {
        if self.is_all {
            return true;
        }
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.networks.iter().any(|network| network.contains(&address));
        }
        let covers = |name: &String| {
            host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.names.iter().filter(|name| !name.is_empty()).any(covers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(variables: &[(&str, &str)]) -> Proxies {
        let value =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Proxies::Environment(ProxyEnvironment::by(value))
    }

    #[test]
    fn an_address_is_read_and_its_password_is_never_shown() {
        for (text, shown, authorization) in [
            ("http://proxy.example:3128", "proxy.example:3128", None),
            ("proxy.example:3128/", "proxy.example:3128", None),
            ("http://proxy_1", "proxy_1:80", None),
            ("http://[::1]:8080", "[::1]:8080", None),
            ("http://[::1]", "[::1]:80", None),
            ("http://ann:hunter2@p:1", "p:1", Some("Basic YW5uOmh1bnRlcjI=")),
            ("http://ann:a%40%3A%25@p:1", "p:1", Some("Basic YW5uOmFAOiU=")),
            ("ann@p:1", "p:1", Some("Basic YW5uOg==")),
        ] {
            let proxy = Proxy::parse(text).unwrap();
            assert_eq!((proxy.to_string().as_str(), proxy.authorization()), (shown, authorization), "{text}");
            assert_eq!(format!("{proxy:?}"), format!("Proxy({shown})"));
        }
        for wrong in [
            "",
            "http://",
            "http://:80",
            "https://ann:hunter2@p:1",
            "socks5h://ann:hunter2@p:1",
            "ann:hunter2@://p",
            "http://ann:hunter2@p:0",
            "http://ann:hunter2@p:99999",
            "http://ann:hunter2@p:1/path",
            "http://ann:hunter2@p 1",
            "http://ann:hunter2%ff@p:1",
            "http://ann:hunter2%0d%0aX@p:1",
            "http://a%3Aa:hunter2@p:1",
            "http://[hunter2]:1",
            "http://p\r\nX: hunter2",
            &format!("http://p:{}", "1".repeat(100_000)),
        ] {
            let error = Proxy::parse(wrong).unwrap_err();
            assert!(!error.contains("hunter2") && error.len() < 200, "{wrong}: {error}");
        }
    }

    #[test]
    fn the_environment_names_a_proxy_for_each_scheme_and_hosts_without_one() {
        let both = [("HTTP_PROXY", "plain:1"), ("HTTPS_PROXY", "http://secret:2")];
        let with = |name, value| named(&[both.as_slice(), &[(name, value)]].concat());
        let through = |proxies: &Proxies, scheme: &str, host: &str| {
            let proxy = proxies.between(scheme, host).unwrap();
            proxy.map_or("directly".to_owned(), ToString::to_string)
        };
        for (name, value, scheme, host, expected) in [
            ("x", "", "http", "a.example", "plain:1"),
            ("x", "", "https", "a.example", "secret:2"),
            ("x", "", "https", "127.0.0.1", "secret:2"),
            ("x", "", "http", "localhost", "plain:1"),
            ("https_proxy", "lower:3", "https", "a.example", "lower:3"),
            ("https_proxy", "", "https", "a.example", "secret:2"),
            ("NO_PROXY", "*", "https", "a.example", "directly"),
            ("no_proxy", "*", "http", "a.example", "directly"),
            ("NO_PROXY", "b.example, a.example", "https", "A.example.", "directly"),
            ("NO_PROXY", "example", "https", "a.b.example", "directly"),
            ("NO_PROXY", ".example", "https", "a.example", "directly"),
            ("NO_PROXY", ".example", "https", "example", "directly"),
            ("NO_PROXY", "xample", "https", "a.example", "secret:2"),
            ("NO_PROXY", "a.example:443", "https", "a.example", "secret:2"),
            ("NO_PROXY", ",. ,", "https", "a.example", "secret:2"),
            ("NO_PROXY", "127.0.0.1 ::1", "https", "127.0.0.1", "directly"),
            ("NO_PROXY", "127.0.0.1 ::1", "https", "[::1]", "directly"),
            ("NO_PROXY", "[::1]", "https", "[::1]", "directly"),
            ("NO_PROXY", "10.0.0.0/8", "https", "10.1.2.3", "directly"),
            ("NO_PROXY", "10.0.0.0/8", "https", "11.1.2.3", "secret:2"),
            ("NO_PROXY", "0.1", "https", "127.0.0.1", "secret:2"),
        ] {
            assert_eq!(
                through(&with(name, value), scheme, host),
                expected,
                "{name}={value} {scheme}://{host}"
            );
        }
        assert_eq!(through(&Proxies::Direct, "https", "a"), "directly");
        let always = Proxies::of(Some("http://always:1")).unwrap();
        assert_eq!(through(&always, "https", "a"), "always:1");
        assert!(matches!(Proxies::of(Some("none")), Ok(Proxies::Direct)));
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_not_passed_by() {
        let proxies = named(&[("HTTPS_PROXY", "socks5://ann:hunter2@p:1"), ("NO_PROXY", "here")]);
        let error = proxies.between("https", "there").unwrap_err();
        assert!(error.starts_with("HTTPS_PROXY: ") && error.contains("socks5"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert_eq!(proxies.between("https", "here"), Ok(None));
        assert_eq!(proxies.between("http", "there"), Ok(None));
    }
}
