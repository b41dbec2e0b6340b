//! Connections of the HTTP client: their proxy, the authorities that they trust, and the server name that they
//! expect. The library's own connections can only expect the name of the host, and its rules for proxies differ from
//! curl's.
//!
//! A proxy is asked for a tunnel (`CONNECT`, RFC 9110, 9.3.6), even for addresses that begin with `http://`. The
//! proxy looks up the host, and cannot read encrypted data.

use crate::proxy::{Proxies, Proxy};
use crate::tls::{self, TlsOptions};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, StreamOwned};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use ureq::config::Config;
use ureq::http::{StatusCode, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, TcpConnector, Transport,
    TransportAdapter,
};
use ureq::{Agent, Error, Timeout};

/// Maximum time that a server may take to refuse our certificate after the handshake.
const REFUSAL_WAIT_MAX: Duration = Duration::from_secs(1);
const REFUSAL_WAIT_MIN: Duration = Duration::from_millis(1);
/// Maximum length of the head of a proxy's response.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// Makes a client with this encryption and these proxies. The configuration must name no proxy, because the library's own
/// rules for proxies differ.
pub fn agent(config: Config, encryption: Encryption, proxies: Proxies) -> Agent {
    let proxies = Arc::new(proxies);
    let sockets = ProxyConnector { proxies: proxies.clone(), direct: TcpConnector::default() };
    let names = ProxyResolver { proxies, names: DefaultResolver::default() };
    Agent::with_parts(config, ().chain(sockets).chain(encryption), names)
}

/// The configuration of encrypted connections. Its files are read when the first connection needs them.
#[derive(Debug)]
pub struct Encryption {
    options: TlsOptions,
    config: OnceLock<Arc<ClientConfig>>,
    /// The name that server certificates must have; by default, that of the host.
    name: Option<String>,
}

impl Encryption {
    /// Encrypts connections to `https://`. Server certificates must have the given name, or else that of the host.
    pub fn new(options: TlsOptions, name: Option<&str>) -> Encryption {
        Encryption { options, config: OnceLock::new(), name: name.map(str::to_owned) }
    }

    /// Reads the files and returns the configuration, or an error that says what is wrong with them.
    pub fn config(&self) -> Result<Arc<ClientConfig>, String> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let config = tls::config(&self.options)?;
        Ok(self.config.get_or_init(|| config).clone())
    }

    /// Creates a TLS client for the server at an address.
    fn connection(&self, uri: &Uri) -> Result<ClientConnection, String> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let name = self.name.as_deref().unwrap_or(host).to_owned();
        let name = ServerName::try_from(name).map_err(|error| format!("{host}: {error}"))?;
        ClientConnection::new(self.config()?, name).map_err(|error| error.to_string())
    }
}

impl<In: Transport> Connector<In> for Encryption {
    type Out = Either<In, EncryptedConnection>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(plain) = chained else { return Ok(None) };
        if details.uri.scheme_str() != Some("https") {
            return Ok(Some(Either::A(plain)));
        }
        let mut tls = self.connection(details.uri).map_err(failed)?;
        let mut socket = TransportAdapter::new(plain.boxed(), details.current_time.clone());
        socket.set_timeout(details.timeout);
        let start = Instant::now();
        tls.complete_io(&mut socket)?;
        if tls.protocol_version() == Some(ProtocolVersion::TLSv1_3) {
            await_refusal(&mut tls, &mut socket, start.elapsed())?;
        }
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(EncryptedConnection { buffers, stream: StreamOwned::new(tls, socket) })))
    }
}

/// With TLS 1.3 a server refuses our certificate only after the handshake, and may close the connection before a
/// request gets that error. So we wait for as long as the handshake took.
fn await_refusal(
    tls: &mut ClientConnection,
    socket: &mut TransportAdapter,
    took: Duration,
) -> Result<(), Error> {
    let after = took.clamp(REFUSAL_WAIT_MIN, REFUSAL_WAIT_MAX).into();
    socket.set_timeout(NextTimeout { after, reason: Timeout::Connect, ..NextTimeout::default() });
    match tls.read_tls(socket).map_err(Error::from) {
        Ok(0) => Err(Error::Io(io::Error::new(ErrorKind::UnexpectedEof, "the server closed the connection"))),
        Ok(_) => tls.process_new_packets().map(drop).map_err(|error| Error::Io(io::Error::other(error))),
        Err(Error::Timeout(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens sockets to servers, or to proxies that are then asked for a tunnel.
#[derive(Debug)]
struct ProxyConnector {
    proxies: Arc<Proxies>,
    direct: TcpConnector,
}

impl Connector for ProxyConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        let proxy = proxy_to(&self.proxies, details.uri)?;
        let socket = self.direct.connect(details, chained).map_err(|error| of_proxy(error, proxy))?;
        match (socket, proxy) {
            (None, _) => Ok(None),
            (Some(socket), None) => Ok(Some(socket.boxed())),
            (Some(socket), Some(proxy)) => {
                tunnel(socket.boxed(), proxy, details).map(Some).map_err(|error| of_proxy(error, Some(proxy)))
            }
        }
    }
}

/// Looks up the addresses of servers, or of the proxies that lead to them: names that only a proxy can resolve are
/// not looked up.
#[derive(Debug)]
struct ProxyResolver {
    proxies: Arc<Proxies>,
    names: DefaultResolver,
}

impl Resolver for ProxyResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let Some(proxy) = proxy_to(&self.proxies, uri)? else {
            return self.names.resolve(uri, config, timeout);
        };
        let place: Uri = format!("http://{proxy}/").parse().map_err(failed)?;
        self.names.resolve(&place, config, timeout).map_err(|error| of_proxy(error, Some(proxy)))
    }
}

fn proxy_to<'a>(proxies: &'a Proxies, uri: &Uri) -> Result<Option<&'a Proxy>, Error> {
    proxies.between(uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default()).map_err(failed)
}

fn failed(error: impl fmt::Display) -> Error {
    Error::Io(io::Error::other(error.to_string()))
}

/// Adds the name of the proxy to an error.
fn of_proxy(error: Error, proxy: Option<&Proxy>) -> Error {
    let Some(proxy) = proxy else { return error };
    match error {
        Error::Io(error) => Error::Io(io::Error::new(error.kind(), format!("the proxy {proxy}: {error}"))),
        Error::HostNotFound => {
            Error::Io(io::Error::new(ErrorKind::NotFound, format!("the proxy {proxy} has no address")))
        }
        error => error,
    }
}

/// Asks a proxy for a tunnel to a server.
fn tunnel(
    socket: Box<dyn Transport>,
    proxy: &Proxy,
    details: &ConnectionDetails<'_>,
) -> Result<Box<dyn Transport>, Error> {
    let host = details.uri.host().unwrap_or_default();
    let usual = if details.uri.scheme_str() == Some("https") { 443 } else { 80 };
    let target = format!("{host}:{}", details.uri.port_u16().unwrap_or(usual));
    let authorization = proxy.authorization();
    let authorization =
        authorization.map(|value| format!("Proxy-Authorization: {value}\r\n")).unwrap_or_default();
    let mut socket = TransportAdapter::new(socket, details.current_time.clone());
    socket.set_timeout(details.timeout);
    write!(socket, "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n")?;
    let status = status(&head(&mut socket)?)?;
    if status.is_success() {
        return Ok(socket.into_inner());
    }
    let hint = match status {
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => ": it requires a user: http://USER:PASSWORD@HOST:PORT",
        StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED => {
            ": it does not allow a tunnel (CONNECT) to that address"
        }
        _ => "",
    };
    Err(failed(format!("{status} for {target}{hint}")))
}

/// Reads the head of a response, and no byte after it, as that already comes from the server.
fn head(socket: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if socket.read(&mut byte)? == 0 {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                "it closed the connection without an answer",
            ));
        }
        head.push(byte[0]);
        if HEAD_BYTES_MAX < head.len() {
            return Err(io::Error::other(format!(
                "the head of its answer is longer than {HEAD_BYTES_MAX} bytes"
            )));
        }
    }
    Ok(head)
}

/// The status of a response. Its reason phrase is left out because a proxy may repeat a secret in it.
fn status(head: &[u8]) -> Result<StatusCode, Error> {
    let status = head.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
    let status = status.and_then(|digits| StatusCode::from_bytes(digits).ok());
    status.ok_or_else(|| failed("it does not answer as an HTTP proxy"))
}

/// An encrypted connection.
pub struct EncryptedConnection {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl fmt::Debug for EncryptedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedConnection").finish_non_exhaustive()
    }
}

impl Transport for EncryptedConnection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.get_mut().set_timeout(timeout);
        let output = &self.buffers.output()[..amount];
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.get_mut().set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(0 < amount)
    }

    fn is_open(&mut self) -> bool {
        self.stream.get_mut().get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A proxy that answers one request, in pieces.
    fn proxy(pieces: &'static [&'static str], then: fn(std::net::TcpStream)) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let asked = head(&mut socket).unwrap();
            assert!(asked.starts_with(
                b"CONNECT far.invalid:80 HTTP/1.1\r\nHost: far.invalid:80\r\nProxy-Authorization: "
            ));
            for piece in pieces {
                socket.write_all(piece.as_bytes()).ok();
                // Makes each piece arrive on its own.
                socket.set_nodelay(true).unwrap();
                std::thread::yield_now();
            }
            then(socket);
        });
        format!("http://ann:hunter2@{address}")
    }

    fn ask(proxy: &str) -> Result<String, String> {
        let config = Agent::config_builder()
            .proxy(None)
            .timeout_connect(Some(Duration::from_millis(500)))
            .timeout_global(Some(Duration::from_secs(20)))
            .build();
        let proxies = Proxies::of(Some(proxy)).unwrap();
        let agent = agent(config, Encryption::new(TlsOptions::default(), None), proxies);
        let answer = agent.get("http://far.invalid/").call();
        let mut answer = answer.map_err(|error| format!("{error} {error:?}"))?;
        answer.body_mut().read_to_string().map_err(|error| error.to_string())
    }

    /// Keeps the connection open until the client closes it.
    fn wait(mut socket: std::net::TcpStream) {
        io::copy(&mut socket, &mut io::sink()).ok();
    }

    /// Plays the server at the end of the tunnel.
    fn serve(mut socket: std::net::TcpStream) {
        assert!(head(&mut socket).unwrap().starts_with(b"GET / HTTP/1.1\r\n"));
        socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere").unwrap();
    }

    /// Sends data for ever.
    fn repeat(mut socket: std::net::TcpStream) {
        while socket.write_all(b"X: hunter2\r\n").is_ok() {}
    }

    #[test]
    fn a_tunnel_is_what_a_proxy_agrees_to_however_its_answer_is_cut() {
        assert_eq!(ask(&proxy(&["HTTP/1.1 200 OK\r\n\r\n"], serve)).as_deref(), Ok("here"));
        let cut = &["HTTP/1.0 2", "00 Connection established\r", "\nVia: x", "\r\n\r", "\n"];
        assert_eq!(ask(&proxy(cut, serve)).as_deref(), Ok("here"));
    }

    #[test]
    fn a_proxy_that_refuses_hangs_up_is_silent_or_never_ends_is_named_and_its_words_are_not_repeated() {
        for (pieces, then, expected) in [
            (
                &["HTTP/1.1 407 hunter2\r\n\r\n"][..],
                wait as fn(_),
                "407 Proxy Authentication Required for far.invalid:80",
            ),
            (&["HTTP/1.1 403 No\r\n\r\n"], wait, "does not allow a tunnel"),
            (&["HTTP/1.1 999 hunter2\r\n\r\n"], wait, "999"),
            (&["SSH-2.0-hunter2\r\n\r\n"], wait, "it does not answer as an HTTP proxy"),
            (&["HTTP/1.1 200"], drop, "closed the connection"),
            (&[], drop, "closed the connection"),
            (&["HTTP/1.1 200 OK\r\n"], repeat, "longer than"),
            (&[], wait, "timeout"),
            (&["HTTP/1.1 200 OK\r\n"], wait, "timeout"),
        ] {
            let begin = Instant::now();
            let address = proxy(pieces, then);
            let error = ask(&address).unwrap_err();
            assert!(error.contains(expected), "{pieces:?}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
            assert!(expected == "timeout" || error.contains("the proxy 127.0.0.1:"), "{error}");
            assert!(begin.elapsed() < Duration::from_secs(15), "{pieces:?}");
        }
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let error = ask(&format!("http://{nobody}")).unwrap_err();
        assert!(error.contains(&format!("the proxy {nobody}: ")), "{error}");
        let error = ask("http://ann:hunter2@proxy.invalid:1").unwrap_err();
        assert!(error.contains("the proxy proxy.invalid:1") && !error.contains("hunter2"), "{error}");
    }
}
