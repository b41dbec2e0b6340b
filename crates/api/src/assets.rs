//! The console, as `npm run build` left it in `web/dist` before the binary was built; the binary contains it.
//!
//! The build compresses each file once with the best compression (`NAME.br`), for browsers that accept it, which they
//! do over TLS. For other browsers a file is compressed with gzip at the first request, and the result is kept.
//!
//! Addresses within the console are interpreted by its page. Only browsers get that page: for programs, which do not
//! ask for HTML, an address without a route does not exist.
//!
//! Below a path of a proxy (`web.public_url`), only the page differs: it contains the path, and requests its files
//! below it.
//!
//! **Invariant:** files with a hash in their name are cached forever, everything else is revalidated.

use super::compress::Uncompressed;
use super::conditional::takes;
use super::error::ApiError;
use super::ingest::greeting;
use super::state::ConsoleFiles;
use crate::problem_type::ProblemType;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::MethodRouter;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

/// The console as it is served.
#[derive(Clone)]
pub(crate) struct Console {
    /// The path below which a proxy shows it.
    pub(crate) base: Base,
    /// Its files.
    pub(crate) files: ConsoleFiles,
}

/// The folder in which Vite puts files whose names change with their contents.
const HASHED: &str = "assets/";

/// Minimum size for gzip; smaller files fit into one packet anyway.
const GZIPPED_BYTES_MIN: usize = 1024;

/// The page that interprets the addresses of the console.
const PAGE: &str = "index.html";

/// The line of the page that names its base path, as the build writes it.
const NO_BASE: &str = "<meta name=\"base\" content=\"\"";

/// The suffix of compressed files.
const PACKED: &str = ".br";

const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>Logstead</title>\
    <h1>The console is not built</h1><p>The API answers under <code>/api/v1</code>. \
    To have the console too, run <code>npm run build</code> in the repository and start again.</p>";

/// The path below which a proxy shows the console; empty for none.
pub(crate) type Base = Arc<str>;

/// A file of the console as it is served.
struct ServedFile {
    data: Cow<'static, [u8]>,
    media_type: String,
    /// A weak entity tag, since the same file may be sent compressed or not.
    tag: String,
    /// The same contents, compressed by the build.
    packed: Option<Cow<'static, [u8]>>,
}

impl ServedFile {
    fn find(name: &str, console: &Console) -> Option<ServedFile> {
        let (file, base) = ((console.files)(name)?, &*console.base);
        let hash = file.metadata.sha256_hash();
        let hash = hash.iter().take(16).fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("writing to a text does not fail");
            hex
        });
        let media_type = file.metadata.mimetype().to_owned();
        if name == PAGE && !base.is_empty() {
            let data = Cow::Owned(moved(&String::from_utf8_lossy(&file.data), base).into_bytes());
            return Some(ServedFile { data, media_type, tag: format!("W/\"{hash}{base}\""), packed: None });
        }
        let packed = (console.files)(&format!("{name}{PACKED}")).map(|packed| packed.data);
        Some(ServedFile { data: file.data, media_type, tag: format!("W/\"{hash}\""), packed })
    }
}

/// The page with this base path, which only has letters, digits and punctuation that needs no escape.
fn moved(page: &str, base: &str) -> String {
    page.replace("=\"/", &format!("=\"{base}/"))
        .replace(NO_BASE, &NO_BASE.replace("\"\"", &format!("\"{base}\"")))
}

/// Answers every path without a route: files of the console, and its page for every other address that a browser opens.
pub(crate) fn service<S: Clone + Send + Sync + 'static>(console: Console) -> MethodRouter<S> {
    axum::routing::any(move |request| serve(console.clone(), request))
}

/// Serves files and pages of the console before the other routes are tried.
pub(crate) async fn first(State(console): State<Console>, request: Request, next: Next) -> Response {
    let name = request.uri().path().trim_start_matches('/');
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match is_read && ((console.files)(name).is_some() || wants_html(request.headers())) {
        true => serve(console, request).await,
        false => next.run(request).await,
    }
}

async fn serve(console: Console, request: Request) -> Response {
    let path = request.uri().path();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if path == "/" && is_read && !wants_html(request.headers()) {
        // A client that looks for Elasticsearch.
        return greeting(request.headers());
    }
    let name = Some(path.trim_start_matches('/')).filter(|name| !name.is_empty()).unwrap_or(PAGE);
    let file = ServedFile::find(name, &console);
    let is_page = file.is_none() && !is_for_programs(name) && wants_html(request.headers());
    if !is_read && (file.is_some() || is_page) {
        let detail = format!("{} is not allowed at {path}", request.method());
        let refusal = ApiError::new(ProblemType::MethodNotAllowed, detail).into_response();
        return ([(header::ALLOW, HeaderValue::from_static("GET,HEAD"))], refusal).into_response();
    }
    match file {
        Some(file) => answer(name, file, request.headers()),
        None if name == PAGE || is_page => match ServedFile::find(PAGE, &console) {
            Some(page) => answer(PAGE, page, request.headers()),
            None => (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response(),
        },
        None => ApiError::not_found(format!("there is nothing at {path}: see /api/v1/openapi.json"))
            .into_response(),
    }
}

/// Whether browsers have nothing to open at this path, even if the file is missing.
fn is_for_programs(name: &str) -> bool {
    name == "api" || name.starts_with("api/") || name.starts_with(HASHED)
}

/// Whether a browser asks for a page. Programs accept anything, or something else.
fn wants_html(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|range| {
        let name = range.split(';').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("text/html") || name.eq_ignore_ascii_case("application/xhtml+xml")
    })
}

fn answer(name: &str, file: ServedFile, request: &HeaderMap) -> Response {
    let tag = file.tag.clone();
    let is_known = request.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let media_type = file.media_type.clone();
        let (body, coding) = packed(file, request);
        let mut response = Body::from(body).into_response();
        let headers = response.headers_mut();
        headers.extend(HeaderValue::from_str(&media_type).ok().map(|value| (header::CONTENT_TYPE, value)));
        headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
        headers.extend(coding.map(|coding| (header::CONTENT_ENCODING, HeaderValue::from_static(coding))));
        response
    };
    response.extensions_mut().insert(Uncompressed);
    let caching = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The bytes of a file to send, and their compression.
fn packed(file: ServedFile, request: &HeaderMap) -> (Bytes, Option<&'static str>) {
    if let Some(brotli) = file.packed.filter(|_| takes(request, "br")) {
        return (bytes(brotli), Some("br"));
    }
    let plain = bytes(file.data);
    if !takes(request, "gzip") || plain.len() < GZIPPED_BYTES_MIN {
        return (plain, None);
    }
    match gzipped(&file.tag, &plain) {
        Some(gzipped) => (gzipped, Some("gzip")),
        None => (plain, None),
    }
}

fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    }
}

/// The file with this tag, compressed with gzip; `None` if that does not make it smaller. The number of files is
/// fixed by the build.
fn gzipped(tag: &str, plain: &Bytes) -> Option<Bytes> {
    static KEPT: Mutex<BTreeMap<String, Option<Bytes>>> = Mutex::new(BTreeMap::new());
    // Concurrent requests wait instead of doing the same work.
    let mut kept = KEPT.lock();
    if let Some(gzipped) = kept.get(tag) {
        return gzipped.clone();
    }
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
    let gzipped = encoder.write_all(plain).and_then(|()| encoder.finish()).ok();
    let gzipped = gzipped.filter(|gzipped| gzipped.len() < plain.len()).map(Bytes::from);
    kept.insert(tag.to_owned(), gzipped.clone());
    gzipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_a_path_the_page_names_it_and_asks_for_its_files_there() {
        let page =
            r#"<meta name="base" content="" /><link href="/favicon.svg" /><script src="/assets/a.js">"#;
        let below = r#"<meta name="base" content="/logs" /><link href="/logs/favicon.svg" /><script src="/logs/assets/a.js">"#;
        assert_eq!(moved(page, "/logs"), below);
        // The page made by the build has the expected form.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/index.html");
        let Ok(built) = std::fs::read_to_string(path) else { return };
        let built = moved(&built, "/logs");
        assert!(built.contains(r#"<meta name="base" content="/logs""#), "{built}");
        assert_eq!(built.matches("=\"/").count(), built.matches("=\"/logs").count(), "{built}");
    }
}
