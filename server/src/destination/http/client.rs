//! The client of all HTTP destinations: it keeps a connection open, and gives up a request at its deadline.
//!
//! **Invariant:** a request takes no longer than its deadline and an answer no more memory than its limit, whatever the
//! server does. No error shows a secret, even if the server repeats it.

use super::answer::{Answer, retry_after};
use super::secret::{Authority, Authorization};
use crate::destination::sink::Failure;
use crate::machine::folders::Folders;
use flate2::write::GzEncoder;
use logstead_config::{Compression, HttpServer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{HeaderMap, Method, Request, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// The largest answer to a request that succeeded: some hundred bytes for each of many thousand messages.
const ANSWER_BYTES_MAX: u64 = 32 << 20;
/// What is read of any other answer.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;
/// How many characters of an answer are shown.
const SHOWN_CHARS_MAX: usize = 300;
/// Smaller bodies are not worth compressing.
const COMPRESSED_BYTES_MIN: usize = 1024;
/// Values of headers that are shorter hide nothing, and taking them out would garble what is shown.
const HEADER_SECRET_BYTES_MIN: usize = 8;
const CA_BYTES_MAX: u64 = 4 << 20;

/// A client of one server.
pub(super) struct Client {
    server: HttpServer,
    authority: Authority,
    folders: Arc<Folders>,
    connection: Option<Connection>,
    packed: Vec<u8>,
}

/// What is made of the files that the configuration names. It is made again after a failure, so that new certificates
/// and secrets count without a restart.
struct Connection {
    agent: Agent,
    authorization: Authorization,
}

/// What is asked, besides what every request has.
pub(super) struct Question<'a> {
    pub(super) method: Method,
    pub(super) url: &'a str,
    pub(super) content_type: &'static str,
    pub(super) header: Option<(&'static str, &'a str)>,
    pub(super) body: &'a [u8],
}

impl<'a> Question<'a> {
    pub(super) fn post(url: &'a str, content_type: &'static str, body: &'a [u8]) -> Question<'a> {
        Question { method: Method::POST, url, content_type, header: None, body }
    }
}

/// The address of a path of a server, which may stand behind a path of its own. An address that ends with the path is
/// right as it is.
pub(super) fn address(server: &HttpServer, path: &str) -> String {
    let base = server.url.as_str().trim_end_matches('/');
    if base.ends_with(path) { base.to_owned() } else { format!("{base}{path}") }
}

impl Client {
    pub(super) fn new(server: &HttpServer, authority: Authority, folders: &Arc<Folders>) -> Client {
        Client {
            server: server.clone(),
            authority,
            folders: folders.clone(),
            connection: None,
            packed: Vec::new(),
        }
    }

    /// Sends a request and reads its answer.
    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer, Failure> {
        let place = without_query(question.url).to_owned();
        let failed = |error: &dyn Display| Failure::wait(format!("{place}: {error}"));
        let packed = self.pack(question.body).map_err(|error| failed(&error))?;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().map_err(|error| failed(&error))?,
        };
        let request = self.request(question, packed, &connection).map_err(|error| failed(&error))?;
        let answered = connection.agent.run(request).and_then(read);
        let (status, headers, body) = answered.map_err(|error| failed(&told(&error)))?;
        let is_success = (200..300).contains(&status);
        let mut answer = Answer { status, retry_after: wait(&headers), body, shown: String::new() };
        if !is_success {
            let secrets = self.secrets(&connection.authorization);
            answer.shown = format!("{place}: {}", refusal(&answer, &headers, secrets));
        }
        // A refusal may be that of a secret that has changed.
        if !matches!(status, 401 | 403) {
            self.connection = Some(connection);
        }
        Ok(answer)
    }

    fn connect(&self) -> io::Result<Connection> {
        let timeout = self.server.timeout.duration();
        let mut tls = TlsConfig::builder();
        if let Some(config) = &self.server.tls {
            tls = tls.root_certs(authorities(&self.folders.named(&config.ca))?);
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .user_agent(concat!("logstead/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build())
            .timeout_global(Some(timeout))
            .timeout_connect(Some(timeout.min(CONNECT_WAIT_MAX)));
        let authorization = self.authority.read(&self.folders)?;
        Ok(Connection { agent: config.build().into(), authorization })
    }

    fn request<'b>(
        &'b self,
        question: &Question<'b>,
        is_packed: bool,
        connection: &Connection,
    ) -> Result<Request<&'b [u8]>, ureq::http::Error> {
        let mut request = Request::builder().method(&question.method).uri(question.url);
        let has_type =
            self.server.headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-type"));
        if !has_type {
            request = request.header(header::CONTENT_TYPE, question.content_type);
        }
        for header in &self.server.headers {
            request = request.header(&header.name, &header.value);
        }
        if let Some((name, value)) = question.header {
            request = request.header(name, value);
        }
        if let Some(authorization) = &connection.authorization.header {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        match is_packed {
            true => request.header(header::CONTENT_ENCODING, "gzip").body(self.packed.as_slice()),
            false => request.body(question.body),
        }
    }

    /// Compresses a body, if that is worth it.
    fn pack(&mut self, body: &[u8]) -> io::Result<bool> {
        if self.server.compression == Compression::None || body.len() < COMPRESSED_BYTES_MIN {
            return Ok(false);
        }
        self.packed.clear();
        let mut encoder = GzEncoder::new(std::mem::take(&mut self.packed), flate2::Compression::fast());
        encoder.write_all(body)?;
        self.packed = encoder.finish()?;
        Ok(true)
    }

    /// What must not be shown, should the server repeat it.
    fn secrets<'b>(&'b self, authorization: &'b Authorization) -> impl Iterator<Item = &'b str> {
        let headers = self.server.headers.iter().map(|header| header.value.as_str());
        let headers = headers.filter(|value| HEADER_SECRET_BYTES_MIN <= value.len());
        authorization.secrets.iter().map(String::as_str).chain(headers)
    }
}

/// The authorities in a file.
fn authorities(path: &Path) -> io::Result<RootCerts> {
    let wrong = |what: &dyn Display| io::Error::other(format!("{}: {what}", path.display()));
    let mut pem = Vec::new();
    let read = File::open(path).and_then(|file| file.take(CA_BYTES_MAX).read_to_end(&mut pem));
    read.map_err(|error| wrong(&error))?;
    let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| wrong(&error))?;
    if certificates.is_empty() {
        return Err(wrong(&"there is no certificate in it"));
    }
    let certificates = certificates.iter().map(|der| Certificate::from_der(der).to_owned());
    Ok(RootCerts::Specific(Arc::new(certificates.collect())))
}

type Parts = (u16, HeaderMap, Vec<u8>);

/// Reads an answer: a success to its end, and of anything else what there is to show.
fn read(response: Response<Body>) -> Result<Parts, ureq::Error> {
    let (head, mut body) = response.into_parts();
    let body = if head.status.is_success() {
        body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?
    } else {
        let mut text = Vec::new();
        // What was read until then is enough to be shown.
        body.as_reader().take(REFUSAL_BYTES_MAX).read_to_end(&mut text).ok();
        text
    };
    Ok((head.status.as_u16(), head.headers, body))
}

fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &ureq::http::HeaderValue| value.to_str().ok());
    retry_after(text(header::RETRY_AFTER)?, text(header::DATE))
}

/// Status and text of an answer, on one line and without secrets.
fn refusal<'a>(answer: &Answer, headers: &HeaderMap, secrets: impl Iterator<Item = &'a str>) -> String {
    let status = ureq::http::StatusCode::from_u16(answer.status);
    let status = status.map_or_else(|_| answer.status.to_string(), |status| status.to_string());
    let text = String::from_utf8_lossy(&answer.body);
    let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    let text = match location {
        Some(location) if (300..400).contains(&answer.status) => {
            format!("redirects to {} are not followed", without_query(location))
        }
        _ => secrets
            .filter(|secret| !secret.is_empty())
            .fold(text.into_owned(), |text, secret| text.replace(secret, "…")),
    };
    let text = glimpse(&text);
    if text.is_empty() { status } else { format!("{status}: {text}") }
}

/// The beginning of a text, on one line.
pub(super) fn glimpse(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !shown.is_empty() {
            shown.push(' ');
        }
        let room = SHOWN_CHARS_MAX.saturating_sub(shown.chars().count());
        shown.extend(word.chars().take(room));
        if room <= word.chars().count() {
            shown.push('…');
            break;
        }
    }
    shown
}

/// An error in words that say what to look at.
fn told(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect) => "no connection before the deadline".to_owned(),
        ureq::Error::Timeout(_) => "no complete answer before the deadline".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::HostNotFound => "the host has no address".to_owned(),
        ureq::Error::BodyExceedsLimit(limit) => format!("the answer is longer than {limit} bytes"),
        error => error.to_string(),
    }
}

fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, Then, Turn, answer, answer_with, folders, header};
    use super::*;
    use crate::destination::sink::Remedy;
    use logstead_config::{Header, HttpTls, Period, Token, Url};
    use rustls::pki_types::PrivatePkcs8KeyDer;
    use rustls::{ServerConfig, ServerConnection, StreamOwned};
    use std::net::TcpListener;
    use std::path::PathBuf;
    use std::time::Instant;

    fn client(server: &HttpServer, authority: Authority, data: &Path) -> Client {
        Client::new(server, authority, &folders(data))
    }

    /// A client without secrets.
    fn plain(peer: &Peer, timeout: Period) -> Client {
        let server = HttpServer { timeout, ..peer.server() };
        client(&server, Authority::Nobody, Path::new("/nowhere"))
    }

    fn post<'a>(url: &'a str, body: &'a [u8]) -> Question<'a> {
        Question::post(url, "text/plain", body)
    }

    #[test]
    fn a_connection_is_used_again_and_large_bodies_are_compressed() {
        let peer = Peer::start(vec![answer(200, "one"), answer(204, "")]);
        let server = HttpServer {
            user: Some("ann".to_owned()),
            password: Some("hunter2".to_owned()),
            headers: vec![Header::parse("X-Team: blue").unwrap()],
            ..peer.server()
        };
        let authority = Authority::new("Bearer", None, None, &server);
        let mut client = client(&server, authority, Path::new("/nowhere"));
        let large = b"a line\n".repeat(1000);
        assert_eq!(client.ask(&post(&peer.url, b"small")).unwrap().body, b"one");
        assert_eq!(client.ask(&post(&peer.url, &large)).unwrap().status, 204);
        let (first, second) = (peer.asked(), peer.asked());
        assert_eq!((first.connection, second.connection), (0, 0));
        assert_eq!((first.body, second.body), (b"small".to_vec(), large));
        assert_eq!(header(&first.head, "authorization"), Some("Basic YW5uOmh1bnRlcjI="));
        assert_eq!(header(&first.head, "x-team"), Some("blue"));
        assert_eq!(header(&first.head, "content-type"), Some("text/plain"));
        assert_eq!(header(&first.head, "content-encoding"), None);
        assert_eq!(header(&second.head, "content-encoding"), Some("gzip"));
    }

    #[test]
    fn a_server_that_closes_after_each_answer_is_connected_to_again() {
        let closing = || Turn::bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", Then::Close);
        let peer = Peer::start((0..3).map(|_| closing()).collect());
        let mut client = plain(&peer, Period::seconds(30));
        for _ in 0..3 {
            // The first attempt may go into the connection that is being closed.
            let mut ask = || client.ask(&post(&peer.url, b"x"));
            assert_eq!(ask().or_else(|_| ask()).unwrap().body, b"ok");
        }
    }

    #[test]
    fn answers_that_are_late_broken_or_endless_are_failures() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n";
        let short = Period::millis(300);
        for (bytes, then, timeout, expected) in [
            ("", Then::Hang, short, "no complete answer before the deadline"),
            (head, Then::Hang, short, "no complete answer before the deadline"),
            (head, Then::Close, Period::seconds(30), ""),
            ("", Then::Close, Period::seconds(30), ""),
            ("SSH-2.0-OpenSSH_9.2\r\n\r\n", Then::Close, Period::seconds(30), ""),
            (chunked, Then::Repeat, Period::seconds(30), "the answer is longer than"),
        ] {
            let peer = Peer::start(vec![Turn::bytes(bytes, then)]);
            let begin = Instant::now();
            let failure = plain(&peer, timeout).ask(&post(&peer.url, b"x")).err().unwrap();
            assert!(failure.reason.contains(expected), "{bytes}: {}", failure.reason);
            assert!(failure.reason.starts_with(&peer.url), "{}", failure.reason);
            assert_eq!(failure.remedy, Remedy::Wait(None));
            assert!(begin.elapsed() < Duration::from_secs(25), "{bytes}");
        }
    }

    #[test]
    fn a_refusal_shows_url_status_and_text_but_no_secret() {
        let text = "{\n  \"error\": \"hunter2 is not a token\"\n}";
        let moved = answer_with(302, "Location: http://other/?key=hunter2\r\n", "");
        let peer = Peer::start(vec![answer(500, text), moved, answer_with(429, "Retry-After: 9\r\n", "")]);
        let token = Token { token: Some("hunter2".to_owned()), token_file: None };
        let server = peer.server();
        let authority = Authority::of_token("Bearer", &token, &server);
        let mut client = client(&server, authority, Path::new("/nowhere"));
        let url = format!("{}/push?key=hunter2", peer.url);
        let place = format!("{}/push", peer.url);
        for expected in [
            "500 Internal Server Error: { \"error\": \"… is not a token\" }",
            "302 Found: redirects to http://other/ are not followed",
            "429 Too Many Requests",
        ] {
            let answer = client.ask(&post(&url, b"x")).unwrap();
            assert_eq!(answer.shown, format!("{place}: {expected}"));
            assert_eq!(answer.retry_after, (answer.status == 429).then_some(Duration::from_secs(9)));
        }
    }

    #[test]
    fn a_secret_that_was_replaced_is_read_again_after_it_was_refused() {
        let peer = Peer::start(vec![answer(200, ""), answer(401, ""), answer(200, "")]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secrets/siem.token");
        std::fs::create_dir(folder.path().join("secrets")).unwrap();
        let token = Token { token: None, token_file: Some("siem.token".to_owned()) };
        let server = peer.server();
        let authority = Authority::of_token("Bearer", &token, &server);
        let mut client = client(&server, authority, folder.path());
        let missing = client.ask(&post(&peer.url, b"x")).err().unwrap();
        assert!(missing.reason.contains("secrets/siem.token: No such file"), "{}", missing.reason);
        let mut statuses = Vec::new();
        for secret in ["old\n", "new\n", "new\n"] {
            std::fs::write(&file, secret).unwrap();
            statuses.push(client.ask(&post(&peer.url, b"x")).unwrap().status);
        }
        assert_eq!(statuses, [200, 401, 200]);
        let asked = [peer.asked(), peer.asked(), peer.asked()];
        let sent = asked.each_ref().map(|asked| header(&asked.head, "authorization"));
        assert_eq!(sent, [Some("Bearer old"), Some("Bearer old"), Some("Bearer new")]);
    }

    /// A server with a certificate of its own, which answers each of its connections once; its URL, and the file of the
    /// certificate.
    fn encrypted(folder: &Path) -> (String, PathBuf) {
        let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![certified.cert.der().clone()], key.into()).unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let connection = ServerConnection::new(config.clone()).unwrap();
                let mut stream = StreamOwned::new(connection, stream);
                let mut bytes = [0; 4096];
                if stream.read(&mut bytes).is_ok() {
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").ok();
                }
            }
        });
        let file = folder.join("ca.pem");
        std::fs::write(&file, certified.cert.pem()).unwrap();
        (url, file)
    }

    #[test]
    fn a_server_is_recognised_by_the_authorities_of_the_document() {
        let folder = tempfile::tempdir().unwrap();
        let (url, _) = encrypted(folder.path());
        std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
        let peer = Peer::start(Vec::new());
        for (ca, expected) in [
            (Some("ca.pem"), Ok(200)),
            (None, Err("certificate")),
            (Some("empty.pem"), Err("empty.pem: there is no certificate in it")),
            (Some("missing.pem"), Err("missing.pem: No such file")),
        ] {
            let tls = ca.map(|ca| HttpTls { ca: ca.to_owned() });
            let server = HttpServer { url: Url::parse(&url).unwrap(), tls, ..peer.server() };
            let mut client = client(&server, Authority::Nobody, folder.path());
            match (client.ask(&post(&url, b"x")), expected) {
                (Ok(answer), Ok(status)) => assert_eq!(answer.status, status),
                (Err(failure), Err(text)) => assert!(failure.reason.contains(text), "{}", failure.reason),
                (answer, expected) => panic!("{:?}: {expected:?}", answer.map(|answer| answer.status)),
            }
        }
    }
}
