//! Destinations reached over HTTP.
//!
//! **Invariant:** a secret is either in the document or in a file, and a request is authorised in one way at most.

use serde::Serialize;

use super::proxy::Proxy;
use super::stream::ClientTls;
use super::url::{HttpHeader, Url};
use crate::choice::{Compression, HttpFormat, HttpMethod, Label};
use crate::problem::quoted;
use crate::table_reader::TableReader;
use crate::unit::Period;

/// The longest name of an index, in bytes.
const INDEX_BYTES_MAX: usize = 255;
/// The greatest number of headers added to a request.
const HEADERS_MAX: usize = 32;

/// The keys of an Elasticsearch or OpenSearch destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Elastic)]
pub struct ElasticServer {
    /// The server.
    #[serde(flatten)]
    pub server: HttpServer,
    /// The index or data stream.
    pub index: String,
    /// The API key, encoded as the server gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// The file that contains the secret, as an alternative to the key above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<String>,
}

/// The keys of a Loki destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Loki)]
pub struct LokiServer {
    /// The server.
    #[serde(flatten)]
    pub server: HttpServer,
    /// The token for authorization.
    #[serde(flatten)]
    pub token: DestinationToken,
    /// The tenant, for a server with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The labels that messages of one stream share.
    pub labels: Vec<Label>,
    /// The content of a line.
    pub format: HttpFormat,
}

/// The keys of a Splunk destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SplunkHec)]
pub struct SplunkHecServer {
    /// The server.
    #[serde(flatten)]
    pub server: HttpServer,
    /// The token for authorization.
    #[serde(flatten)]
    pub token: DestinationToken,
    /// The index, unless it is the token's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The source type, unless it is the token's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sourcetype: Option<String>,
    /// The GUID of a channel, through which the server acknowledges indexed events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The content of an event.
    pub format: HttpFormat,
}

/// The keys of an OpenTelemetry destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Otlp)]
pub struct OtlpServer {
    /// The server.
    #[serde(flatten)]
    pub server: HttpServer,
    /// The token for authorization.
    #[serde(flatten)]
    pub token: DestinationToken,
}

/// The keys of a destination for any other HTTP server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct NdjsonHttp {
    /// The server.
    #[serde(flatten)]
    pub server: HttpServer,
    /// The token for authorization.
    #[serde(flatten)]
    pub token: DestinationToken,
    /// The method of requests.
    pub method: HttpMethod,
    /// The content of a line.
    pub format: HttpFormat,
}

/// The settings that all HTTP destinations have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct HttpServer {
    /// The address of the server.
    #[schema(value_type = String)]
    pub url: Url,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The file that contains the secret, as an alternative to the key above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_file: Option<String>,
    /// The greatest number of concurrent requests.
    pub connections: u32,
    /// Headers added to every request, as `NAME: VALUE`.
    #[schema(value_type = Vec<String>)]
    pub headers: Vec<HttpHeader>,
    /// The compression of bodies.
    pub compression: Compression,
    /// The longest time that a request may take.
    #[schema(value_type = String)]
    pub timeout: Period,
    /// The proxy for requests, instead of that of the server's environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub proxy: Option<Proxy>,
    /// The trusted authorities and our certificate for encrypted connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls>,
}

/// A token, as text or in a file.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, utoipa::ToSchema)]
pub struct DestinationToken {
    /// The token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The file that contains the secret, as an alternative to the key above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<String>,
}

impl ElasticServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> ElasticServer {
        let server = HttpServer::read_base(fields);
        let index: String = fields.required("index", "logs".to_owned());
        if !is_index(&index) {
            let hint = "write a lower-case name like `logs` or `logs-logstead-default`";
            fields.note("index", format!("{} cannot be an index: {hint}", quoted(&index)));
        }
        let (api_key, api_key_file) = secret(fields, "api_key", "api_key_file");
        if server.user.is_some() && (api_key.is_some() || api_key_file.is_some()) {
            fields.note("user", "cannot be used together with an API key");
        }
        ElasticServer { server, index, api_key, api_key_file }
    }
}

impl LokiServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> LokiServer {
        let server = HttpServer::read_base(fields);
        LokiServer {
            token: DestinationToken::read(fields, &server),
            tenant: in_header(fields, "tenant"),
            labels: fields.get("labels"),
            format: fields.get("format"),
            server,
        }
    }
}

impl SplunkHecServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> SplunkHecServer {
        let server = HttpServer::read_base(fields);
        let token = DestinationToken::read(fields, &server);
        if token == DestinationToken::default() && server.user.is_none() {
            fields.note("token_file", "is missing: Splunk accepts nothing without a token");
        }
        SplunkHecServer {
            token,
            index: fields.optional("index"),
            sourcetype: fields.optional("sourcetype"),
            channel: channel(fields),
            format: fields.get("format"),
            server,
        }
    }
}

impl OtlpServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> OtlpServer {
        let server = HttpServer::read_base(fields);
        OtlpServer { token: DestinationToken::read(fields, &server), server }
    }
}

impl NdjsonHttp {
    pub(super) fn read(fields: &mut TableReader<'_>) -> NdjsonHttp {
        let server = HttpServer::read(fields);
        NdjsonHttp {
            token: DestinationToken::read(fields, &server),
            method: fields.get("method"),
            format: fields.get("format"),
            server,
        }
    }
}

impl HttpServer {
    /// Reads the settings of a server with a known path.
    fn read_base(fields: &mut TableReader<'_>) -> HttpServer {
        let server = HttpServer::read(fields);
        if server.url.as_str().contains('?') {
            fields.note("url", "must not have a query: write it without `?` and what follows");
        }
        server
    }

    fn read(fields: &mut TableReader<'_>) -> HttpServer {
        let (password, password_file) = secret(fields, "password", "password_file");
        let server = HttpServer {
            url: fields.required("url", Url::nowhere()),
            user: fields.optional("user"),
            connections: fields.get_within("connections"),
            headers: fields.get("headers"),
            compression: fields.get("compression"),
            timeout: fields.get_within("timeout"),
            proxy: fields.optional("proxy"),
            tls: fields.optional_table("tls.", ClientTls::read),
            password,
            password_file,
        };
        server.check(fields);
        server
    }

    fn check(&self, fields: &mut TableReader<'_>) {
        let has_password = self.password.is_some() || self.password_file.is_some();
        match &self.user {
            Some(user) if user.contains(':') => fields.note("user", "must not contain `:`"),
            Some(_) if !has_password => fields.note("user", "needs `password_file` or `password`"),
            None if has_password => fields.note("password", "has no effect without `user`"),
            _ => {}
        }
        check_headers(&self.headers, fields);
        check_encryption(self.tls.as_ref(), &self.url, fields);
    }
}

pub(super) fn check_headers(headers: &[HttpHeader], fields: &mut TableReader<'_>) {
    if HEADERS_MAX < headers.len() {
        let many = headers.len();
        fields.note("headers", format!("has {many} entries: at most {HEADERS_MAX} are sent"));
    }
}

pub(super) fn check_encryption(tls: Option<&ClientTls>, url: &Url, fields: &mut TableReader<'_>) {
    if tls.is_some() && url.as_str().starts_with("http://") {
        fields.note("tls", "is for `https://`: change the URL, or leave it out");
    }
}

impl DestinationToken {
    fn read(fields: &mut TableReader<'_>, server: &HttpServer) -> DestinationToken {
        let (token, token_file) = secret(fields, "token", "token_file");
        let token = DestinationToken { token, token_file };
        if token != DestinationToken::default() && server.user.is_some() {
            fields.note("user", "cannot be used together with a token");
        }
        token
    }
}

/// Reads a secret that is in the document or in a file.
pub(super) fn secret(
    fields: &mut TableReader<'_>,
    key: &'static str,
    file_key: &'static str,
) -> (Option<String>, Option<String>) {
    let (text, file): (Option<String>, Option<String>) = (fields.optional(key), fields.optional(file_key));
    if text.is_some() && file.is_some() {
        fields.note(key, format!("cannot be used together with `{file_key}`"));
    }
    if text.as_ref().is_some_and(|text| text.is_empty() || text.contains(char::is_control)) {
        fields.note(key, "must be one line of text");
    }
    if file.as_ref().is_some_and(|file| !is_secret_file(file)) {
        fields.note(
            file_key,
            "must name a file in the folder `secrets` of the data directory, like `siem.token`",
        );
    }
    (text, file)
}

/// Whether a path can name a file below a folder.
fn is_secret_file(path: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "..";
    path.len() <= 4000 && !path.contains(char::is_control) && path.split('/').all(plain)
}

/// Reads a text that is sent in a header.
fn in_header(fields: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let text: String = fields.optional(key)?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        fields.note(key, "must consist of letters, digits and punctuation, without spaces");
    }
    Some(text)
}

fn channel(fields: &mut TableReader<'_>) -> Option<String> {
    let channel: String = fields.optional("channel")?;
    let is_guid = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    if channel.len() != 36 || !channel.bytes().enumerate().all(is_guid) {
        let hint = "write one like `fe0ecfad-13d5-401b-847d-77833bd77131`";
        fields.note("channel", format!("{} is not a GUID: {hint}", quoted(&channel)));
    }
    Some(channel)
}

/// Whether both servers accept the name of an index. Patterns and dates, which only some requests allow, are excluded.
fn is_index(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-+".contains(&byte);
    (1..=INDEX_BYTES_MAX).contains(&name.len())
        && !name.starts_with(['_', '-', '+', '.'])
        && name.bytes().all(allowed)
}
