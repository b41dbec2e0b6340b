//! The client of all HTTP destinations: it keeps a connection open, and gives up a request at its deadline.
//!
//! **Invariant:** a request takes no longer than its deadline and an answer no more memory than its limit, whatever the
//! server does. No error shows a secret, even if the server repeats it.

use super::answer::{HttpAnswer, retry_after};
use super::secret::{Authority, Authorization};
use crate::sink::SendFailure;
use crate::tls;
use flate2::write::GzEncoder;
use logstead_client::http::{Encryption, agent};
use logstead_client::proxy::Proxies;
use logstead_config::{Compression, HttpServer, Proxy};
use logstead_flow::machine::folders::Folders;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{HeaderMap, Method, Request, Response, header};
use ureq::{Agent, Body};

const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// The largest response to a successful request: some hundred bytes for each of many thousand messages.
const ANSWER_BYTES_MAX: u64 = 32 << 20;
/// Maximum length of the body of any other response.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;
/// Maximum length of the part of the last response that is kept.
const HEARD_BYTES_MAX: usize = 4 << 10;
/// Maximum number of characters of a response that are shown.
const SHOWN_CHARS_MAX: usize = 300;
/// Minimum length of a body for compression.
const COMPRESSED_BYTES_MIN: usize = 1024;
/// Minimum length of a header value to be treated as a secret: removing shorter ones would garble the text and
/// protect nothing.
const HEADER_SECRET_BYTES_MIN: usize = 8;

/// A client of one server.
pub(super) struct Client {
    server: HttpServer,
    authority: Authority,
    folders: Arc<Folders>,
    connection: Option<ClientSetup>,
    packed: Vec<u8>,
    /// The status and the beginning of the last response.
    heard: Option<(u16, Vec<u8>)>,
}

/// The state that depends on the files that the configuration names. It is rebuilt after a failure, so that new
/// certificates and secrets are used without a restart.
struct ClientSetup {
    agent: Agent,
    authorization: Authorization,
}

/// The parts of a request that differ between requests.
pub(super) struct HttpRequest<'a> {
    pub(super) method: Method,
    pub(super) url: &'a str,
    pub(super) content_type: &'static str,
    pub(super) header: Option<(&'static str, &'a str)>,
    pub(super) body: &'a [u8],
}

impl<'a> HttpRequest<'a> {
    pub(super) fn post(url: &'a str, content_type: &'static str, body: &'a [u8]) -> HttpRequest<'a> {
        HttpRequest { method: Method::POST, url, content_type, header: None, body }
    }
}

/// The URL of a path on a server, whose own URL may include a path. A URL that already ends with the path is left as
/// it is.
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

    /// The last response of the server: status and text, on one line and without secrets.
    pub(super) fn last_answer(&self) -> Option<String> {
        let (status, text) = self.heard.as_ref()?;
        let secrets = self.secrets(&self.connection.as_ref()?.authorization);
        Some(told_by(*status, &String::from_utf8_lossy(text), secrets))
    }

    /// Sends a request and reads the response.
    pub(super) fn ask(&mut self, question: &HttpRequest<'_>) -> Result<HttpAnswer, SendFailure> {
        let place = without_query(question.url).to_owned();
        let failed = |error: &dyn Display| SendFailure::wait(format!("{place}: {error}"));
        let packed = self.pack(question.body).map_err(|error| failed(&error))?;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().map_err(|error| failed(&error))?,
        };
        let request = self.request(question, packed, &connection).map_err(|error| failed(&error))?;
        let answered = connection.agent.run(request).and_then(read);
        let (status, headers, body) = answered.map_err(|error| failed(&error_text(&error)))?;
        let is_success = (200..300).contains(&status);
        self.hear(status, &body);
        let mut answer = HttpAnswer { status, retry_after: wait(&headers), body, shown: String::new() };
        if !is_success {
            let secrets = self.secrets(&connection.authorization);
            answer.shown = format!("{place}: {}", refusal(&answer, &headers, secrets));
        }
        // After these statuses the secret may have changed, so the connection is set up again.
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

    fn connect(&self) -> Result<ClientSetup, String> {
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
        let tls = self.server.tls.clone().unwrap_or_default();
        // The name of a bucket precedes the host, and no certificate covers it if it contains dots.
        let name = tls.server_name.as_deref().unwrap_or(self.server.url.host());
        let encryption = Encryption::new(tls::options(&tls, &self.folders), Some(name));
        let proxies = Proxies::of(self.server.proxy.as_ref().map(Proxy::as_str))?;
        Ok(ClientSetup { agent: agent(config.build(), encryption, proxies), authorization })
    }

    fn request<'b>(
        &'b self,
        question: &HttpRequest<'b>,
        is_packed: bool,
        connection: &ClientSetup,
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

    /// The secrets that must not be shown in case the server repeats them.
    fn secrets<'b>(&'b self, authorization: &'b Authorization) -> impl Iterator<Item = &'b str> {
        let headers = self.server.headers.iter().map(|header| header.value.as_str());
        let headers = headers.filter(|value| HEADER_SECRET_BYTES_MIN <= value.len());
        authorization.secrets.iter().map(String::as_str).chain(headers)
    }
}

type ResponseParts = (u16, HeaderMap, Vec<u8>);

/// Reads a response: a success to the end, and of any other the part that is shown.
fn read(response: Response<Body>) -> Result<ResponseParts, ureq::Error> {
    let (head, mut body) = response.into_parts();
    let body = if head.status.is_success() {
        body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?
    } else {
        let mut text = Vec::new();
        // The part that was read is enough to be shown.
        body.as_reader().take(REFUSAL_BYTES_MAX).read_to_end(&mut text).ok();
        text
    };
    Ok((head.status.as_u16(), head.headers, body))
}

fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &ureq::http::HeaderValue| value.to_str().ok());
    retry_after(text(header::RETRY_AFTER)?, text(header::DATE))
}

/// Status and text of a response, on one line and without secrets.
fn refusal<'a>(answer: &HttpAnswer, headers: &HeaderMap, secrets: impl Iterator<Item = &'a str>) -> String {
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

/// An error text that says what to check.
fn error_text(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect) => "no connection before the deadline".to_owned(),
        ureq::Error::Timeout(_) => "no complete answer before the deadline".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::HostNotFound => "the host has no address".to_owned(),
        ureq::Error::BodyExceedsLimit(limit) => format!("the answer is longer than {limit} bytes"),
        error => error.to_string(),
    }
}

/// An address without the parts that may be secret.
pub(super) fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
