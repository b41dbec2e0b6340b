//! The console and the API: their addresses, encryption and limits.

use std::fmt;
use std::net::SocketAddr;

use ipnet::IpNet;

use crate::listen::socket_path;
use crate::problem::quoted;
use crate::read::{OneOrMore, from_text};
use crate::source::Tls;
use crate::table_reader::TableReader;
use crate::unit::Period;

/// The scheme before the path of a unix socket.
const UNIX_SCHEME: &str = "unix";

/// The settings of the console and the API.
#[derive(Clone, PartialEq, Debug)]
pub struct Web {
    /// The addresses to listen on; port 0 is any free one.
    pub listen: Vec<WebListener>,
    /// The certificate for all of these except unix sockets.
    pub tls: Option<Tls>,
    /// The addresses that only redirect browsers to the encrypted one.
    pub redirect_listen: Vec<WebListener>,
    /// The time for which browsers insist on encryption (HSTS); zero for none.
    pub hsts: Period,
    /// The lifetime of an unused login.
    pub session_lifetime: Period,
    /// The lifetime of a login in use.
    pub session_max: Period,
    /// The address of the console in browsers, perhaps below a path of a proxy; empty if it is that of `listen`.
    pub public_url: String,
    /// Proxies that are trusted to state the origin of a request.
    pub trusted_proxies: Vec<IpNet>,
    /// The greatest number of open connections.
    pub connections_max: u32,
    /// The longest time to send the head of a request.
    pub header_timeout: Period,
    /// The longest time that a connection may be idle.
    pub idle_timeout: Period,
    /// The longest time without progress in sending a body or reading a response.
    pub stall_timeout: Period,
}

/// The address of a socket for HTTP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebListener {
    /// An address and a port.
    Tcp(SocketAddr),
    /// A path; a relative one is below the data directory.
    Unix(String),
}

impl Web {
    /// Whether browsers reach the console over TLS only.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }

    /// The path below which a proxy shows the console, such as `/logs`; empty at the root of its host.
    pub fn base(&self) -> &str {
        let place = self.public_url.split_once("://").map_or("", |(_, place)| place);
        let host = place.split('/').next().unwrap_or_default();
        place.strip_prefix(host).unwrap_or_default().trim_end_matches('/')
    }

    pub(super) fn read(fields: &mut TableReader<'_>) -> Option<Web> {
        let listen = fields.optional::<OneOrMore<WebListener>>("listen");
        if listen.as_ref().is_some_and(|listen| listen.0.is_empty()) {
            fields.note("listen", "must name at least one address, like `127.0.0.1:8080`");
        }
        let tls = fields.table("tls", None, |fields| {
            Some((fields.optional::<String>("certificate")?, fields.optional::<String>("key")?))
        });
        if tls.as_ref().is_some_and(|(certificate, key)| certificate.is_empty() != key.is_empty()) {
            fields.note("tls", "needs both files: `certificate` and `key`");
        }
        let tls = tls.map(|(certificate, key)| {
            let is_wanted = !certificate.is_empty() || !key.is_empty();
            is_wanted.then_some(Tls { certificate, key, client_ca: None, require_client_certificate: false })
        });
        let redirect_listen = fields.optional::<OneOrMore<WebListener>>("redirect_listen");
        let redirects = redirect_listen.as_ref().is_some_and(|listen| !listen.0.is_empty());
        if redirects && tls.as_ref().is_some_and(Option::is_none) {
            let message = "needs `web.tls`: without it, there is no encrypted address to redirect browsers \
                           to";
            fields.note("redirect_listen", message);
        }
        let hsts = fields.optional_within("hsts", Period::seconds(0)..=Period::days(3650));
        let session_lifetime =
            fields.optional_within("session_lifetime", Period::seconds(60)..=Period::days(365));
        let session_max = fields.optional_within("session_max", Period::seconds(60)..=Period::days(3650));
        let public_url: Option<String> = fields.optional("public_url");
        if let Some(wrong) = public_url.as_deref().filter(|url| !url.is_empty()).and_then(misplaced) {
            fields.note("public_url", wrong);
        }
        let trusted_proxies = fields.optional("trusted_proxies");
        let connections_max = fields.optional_within("connections_max", 1..=1_000_000);
        let mut timeout = |key| fields.optional_within(key, Period::millis(100)..=Period::seconds(3600));
        let [header, idle, stall] = ["header_timeout", "idle_timeout", "stall_timeout"].map(&mut timeout);
        Some(Web {
            listen: listen?.0,
            tls: tls?,
            redirect_listen: redirect_listen?.0,
            hsts: hsts?,
            session_lifetime: session_lifetime?,
            session_max: session_max?,
            public_url: public_url?,
            trusted_proxies: trusted_proxies?,
            connections_max: connections_max?,
            header_timeout: header?,
            idle_timeout: idle?,
            stall_timeout: stall?,
        })
    }
}

/// The first parts of our own paths, with which the path of the console must not begin: a proxy may or may not remove it,
/// and the two cases could not be distinguished.
const OWN: [&str; 27] = [
    "account", "admin", "api", "assets", "favicon.svg", "flow", "gelf", "healthz", "help", "licences.txt",
    "logspaces", "loki", "metrics", "otlp", "overview", "ready", "readyz", "router", "search", "send",
    "senders", "services", "setup", "tail", "upload", "v1", "welcome",
];
/// Maximum length of the path of the console.
const BASE_BYTES_MAX: usize = 200;

/// The reason why the console cannot be at this address: it needs scheme and host, and may have a port and a path.
fn misplaced(url: &str) -> Option<String> {
    let place = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let is_of_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '~');
    let is_name =
        |name: &str| !name.is_empty() && !matches!(name, "." | "..") && name.chars().all(is_of_path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_path = path.is_empty() || path.split('/').all(is_name);
    if host.is_empty() || !host.chars().all(is_of_host) || !is_path || BASE_BYTES_MAX < path.len() {
        let hint = "like `https://logs.example.org` or `https://intra.example.org/logs`";
        return Some(format!("must be the URL at which browsers find the console, {hint}"));
    }
    let first = path.split('/').next().unwrap_or_default();
    (first.starts_with('_') || OWN.contains(&first)).then(|| {
        let hint = "choose another path, like `/logs`";
        format!("cannot begin with `/{first}`, which Logstead uses for its own paths: {hint}")
    })
}

impl WebListener {
    fn parse(text: &str) -> Result<WebListener, String> {
        if text.split_once(':').is_some_and(|(scheme, _)| scheme == UNIX_SCHEME) {
            return socket_path(text, UNIX_SCHEME).map(WebListener::Unix);
        }
        let hint = "write an address and a port, like `127.0.0.1:8080` or `[::1]:8080`, or `unix:PATH`";
        let address = text.parse().map(WebListener::Tcp);
        address.map_err(|_| format!("{} is not an address to listen on: {hint}", quoted(text)))
    }
}

from_text!(WebListener, WebListener::parse);

impl fmt::Display for WebListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WebListener::Tcp(address) => address.fmt(f),
            WebListener::Unix(path) => write!(f, "{UNIX_SCHEME}:{path}"),
        }
    }
}
