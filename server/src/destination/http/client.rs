//! The client of all HTTP destinations: it keeps a connection open, and gives up a request at its deadline.
//!
//! **Invariant:** a request takes no longer than its deadline and an answer no more memory than its limit, whatever the
//! server does. No error shows a secret, even if the server repeats it.

use super::answer::{Answer, retry_after};
use super::connect::Encryption;
use super::secret::{Authority, Authorization};
use crate::destination::sink::Failure;
use crate::machine::folders::Folders;
use flate2::write::GzEncoder;
use logstead_config::{Compression, HttpServer};
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{HeaderMap, Method, Request, Response, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, Body};

const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// The largest answer to a request that succeeded: some hundred bytes for each of many thousand messages.
const ANSWER_BYTES_MAX: u64 = 32 << 20;
/// What is read of any other answer.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;
/// What is kept of the last answer.
const HEARD_BYTES_MAX: usize = 4 << 10;
/// How many characters of an answer are shown.
const SHOWN_CHARS_MAX: usize = 300;
/// Smaller bodies are not worth compressing.
const COMPRESSED_BYTES_MIN: usize = 1024;
/// Values of headers that are shorter hide nothing, and taking them out would garble what is shown.
const HEADER_SECRET_BYTES_MIN: usize = 8;

/// A client of one server.
pub(super) struct Client {
    server: HttpServer,
    authority: Authority,
    folders: Arc<Folders>,
    connection: Option<Connection>,
    packed: Vec<u8>,
    /// The status of the last answer, and the beginning of it.
    heard: Option<(u16, Vec<u8>)>,
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
            heard: None,
        }
    }

    /// What the server said last: status and text, on one line and without secrets.
    pub(super) fn said(&self) -> Option<String> {
        let (status, text) = self.heard.as_ref()?;
        let secrets = self.secrets(&self.connection.as_ref()?.authorization);
        Some(told_by(*status, &String::from_utf8_lossy(text), secrets))
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
        self.hear(status, &body);
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

    fn hear(&mut self, status: u16, body: &[u8]) {
        let (kept, text) = self.heard.get_or_insert_default();
        *kept = status;
        text.clear();
        text.extend_from_slice(&body[..body.len().min(HEARD_BYTES_MAX)]);
    }

    fn connect(&self) -> Result<Connection, String> {
        let timeout = self.server.timeout.duration();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .user_agent(concat!("logstead/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(timeout))
            .timeout_connect(Some(timeout.min(CONNECT_WAIT_MAX)));
        let authorization = self.authority.read(&self.folders).map_err(|error| error.to_string())?;
        let encryption = Encryption::of(&self.server, &self.folders)?;
        let connector = ().chain(TcpConnector::default()).chain(encryption);
        let agent = Agent::with_parts(config.build(), connector, DefaultResolver::default());
        Ok(Connection { agent, authorization })
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
    let text = String::from_utf8_lossy(&answer.body);
    let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    match location {
        Some(location) if (300..400).contains(&answer.status) => {
            let text = format!("redirects to {} are not followed", without_query(location));
            told_by(answer.status, &text, std::iter::empty())
        }
        _ => told_by(answer.status, &text, secrets),
    }
}

fn told_by<'a>(status: u16, text: &str, secrets: impl Iterator<Item = &'a str>) -> String {
    let code = ureq::http::StatusCode::from_u16(status);
    let status = code.map_or_else(|_| status.to_string(), |status| status.to_string());
    let text = secrets
        .filter(|secret| !secret.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(secret, "…"));
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

/// An address without what may be secret.
pub(super) fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, Then, Turn, answer, answer_with, folders, header};
    use super::*;
    use crate::destination::sink::Remedy;
    use logstead_config::{ClientTls, Header, Period, Token, Url};
    use rustls::pki_types::PrivatePkcs8KeyDer;
    use rustls::server::WebPkiClientVerifier;
    use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
    use std::net::TcpListener;
    use std::path::Path;
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
        assert_eq!(client.said(), None);
        assert_eq!(client.ask(&post(&peer.url, b"small")).unwrap().body, b"one");
        assert_eq!(client.said().as_deref(), Some("200 OK: one"));
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
    fn a_server_that_never_agrees_on_keys_is_given_up() {
        // It accepts connections, and no more than that.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", silent.local_addr().unwrap());
        let server = HttpServer {
            url: Url::parse(&url).unwrap(),
            timeout: Period::millis(300),
            ..Peer::start(Vec::new()).server()
        };
        let begin = Instant::now();
        let mut client = client(&server, Authority::Nobody, Path::new("/nowhere"));
        let failure = client.ask(&post(&url, b"x")).err().unwrap();
        assert!(failure.reason.contains("before the deadline"), "{}", failure.reason);
        assert!(begin.elapsed() < Duration::from_secs(25));
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

    /// A server with a certificate for `logs.example`, which answers each of its connections once: with the number of
    /// certificates that it was shown. Its URL; the folder gets its certificate, and one that it takes if it asks.
    fn encrypted(folder: &Path, asks: bool) -> String {
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let certified = rcgen::generate_simple_self_signed(vec!["logs.example".to_owned()]).unwrap();
        write("ca.pem", &certified.cert.pem());
        let ours = rcgen::generate_simple_self_signed(vec!["client.example".to_owned()]).unwrap();
        write("own.pem", &ours.cert.pem());
        write("own.key", &ours.signing_key.serialize_pem());
        let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone());
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = if asks {
            let mut roots = RootCertStore::empty();
            roots.add(ours.cert.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            config.with_client_cert_verifier(verifier.unwrap())
        } else {
            config.with_no_client_auth()
        };
        let config = config.with_single_cert(vec![certified.cert.der().clone()], key.into()).unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let connection = ServerConnection::new(config.clone()).unwrap();
                let mut stream = StreamOwned::new(connection, stream);
                let mut bytes = [0; 4096];
                if stream.read(&mut bytes).is_ok() {
                    let shown = stream.conn.peer_certificates().map_or(0, <[_]>::len);
                    let text = format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{shown}");
                    stream.write_all(text.as_bytes()).ok();
                }
            }
        });
        url
    }

    #[test]
    fn servers_are_recognised_and_shown_our_certificate_as_the_document_says() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let urls = [encrypted(other.path(), false), encrypted(folder.path(), true)];
        std::fs::copy(other.path().join("ca.pem"), folder.path().join("open-ca.pem")).unwrap();
        std::fs::copy(other.path().join("own.key"), folder.path().join("wrong.key")).unwrap();
        std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
        let [open, asking] = &urls;
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        for (url, ca, name, certificate, key, expected) in [
            (open, "open-ca.pem", "logs.example", "", "", Ok("0")),
            (open, "open-ca.pem", "", "", "", Err("not valid for name")),
            (open, "", "logs.example", "", "", Err("certificate")),
            (open, "ca.pem", "logs.example", "", "", Err("certificate")),
            (open, "empty.pem", "", "", "", Err("empty.pem: there is no certificate in it")),
            (open, "missing.pem", "", "", "", Err("missing.pem: No such file")),
            (asking, "ca.pem", "logs.example", "own.pem", "own.key", Ok("1")),
            (asking, "ca.pem", "logs.example", "", "", Err("ertificate")),
            (asking, "ca.pem", "logs.example", "own.pem", "wrong.key", Err("own.pem with ")),
            (asking, "ca.pem", "logs.example", "own.pem", "missing.key", Err("missing.key: No such file")),
        ] {
            let tls = ClientTls {
                ca: text(ca),
                certificate: text(certificate),
                key: text(key),
                server_name: text(name),
            };
            let peer = Peer::start(Vec::new());
            let server = HttpServer { url: Url::parse(url).unwrap(), tls: Some(tls), ..peer.server() };
            let mut client = client(&server, Authority::Nobody, folder.path());
            let answer = client.ask(&post(url, b"x"));
            let answer = answer.map(|answer| String::from_utf8(answer.body).unwrap());
            match (answer.as_deref(), expected) {
                (Ok(answer), Ok(expected)) => assert_eq!(answer, expected),
                (Err(failure), Err(part)) => {
                    assert!(failure.reason.contains(part), "{ca} {name}: {}", failure.reason)
                }
                (answer, expected) => panic!("{ca} {name} {certificate} {key}: {answer:?}, {expected:?}"),
            }
        }
    }
}
