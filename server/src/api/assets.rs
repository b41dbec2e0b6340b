//! The console, as `npm run build` left it in `web/dist` before the binary was built, which holds it.
//!
//! The build compresses each file once as much as possible (`NAME.br`), for browsers that accept it; for others it is
//! compressed on the fly, as all answers are.
//!
//! Addresses of the console are for its page to read. Only browsers get it there: to programs, which do not ask for
//! HTML, an address that nobody serves does not exist.
//!
//! **Invariant:** files with a hash in their name are cached forever, everything else is revalidated.

use super::error::ApiError;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::MethodRouter;
use rust_embed::{Embed, EmbeddedFile};
use std::fmt::Write;

#[derive(Embed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Console;

/// Where Vite puts files whose names change with their contents.
const HASHED: &str = "assets/";

/// The page that reads addresses.
const PAGE: &str = "index.html";

/// The suffix of compressed files.
const PACKED: &str = ".br";

const NOT_BUILT: &str = "<!doctype html><meta charset=utf-8><title>Logstead</title>\
    <h1>The console is not built</h1><p>The API answers under <code>/api/v1</code>. \
    To have the console too, run <code>npm run build</code> in the repository and start again.</p>";

/// Answers every path without a route: files of the console, and its page for every other address that a browser opens.
pub(crate) fn service<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    axum::routing::any(serve)
}

async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let name = Some(path.trim_start_matches('/')).filter(|name| !name.is_empty()).unwrap_or(PAGE);
    let file = Console::get(name);
    let is_page = file.is_none() && !is_for_programs(name) && wants_html(request.headers());
    if !is_read && (file.is_some() || is_page) {
        let detail = format!("{} is not answered at {path}", request.method());
        let refusal = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, detail).into_response();
        return ([(header::ALLOW, HeaderValue::from_static("GET,HEAD"))], refusal).into_response();
    }
    match file {
        Some(file) => answer(name, file, request.headers()),
        None if name == PAGE || is_page => match Console::get(PAGE) {
            Some(page) => answer(PAGE, page, request.headers()),
            None => (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response(),
        },
        None => ApiError::not_found(format!("there is nothing at {path}: see /api/v1/openapi.json"))
            .into_response(),
    }
}

/// Where there is nothing for browsers to open, even if it is missing.
fn is_for_programs(name: &str) -> bool {
    name == "api" || name.starts_with("api/") || name.starts_with(HASHED)
}

/// Whether a browser asks for a page: programs accept anything, or something else.
fn wants_html(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|range| {
        let name = range.split(';').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("text/html") || name.eq_ignore_ascii_case("application/xhtml+xml")
    })
}

fn answer(name: &str, file: EmbeddedFile, request: &HeaderMap) -> Response {
    let tag = entity_tag(&file);
    let is_known = request.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let media_type = file.metadata.mimetype().to_owned();
        let packed = takes_brotli(request).then(|| Console::get(&format!("{name}{PACKED}"))).flatten();
        let mut response =
            Body::from(packed.as_ref().map_or(file.data, |packed| packed.data.clone())).into_response();
        let headers = response.headers_mut();
        headers.extend(HeaderValue::from_str(&media_type).ok().map(|value| (header::CONTENT_TYPE, value)));
        headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
        if packed.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        response
    };
    let caching = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Whether a browser accepts brotli: `br`, not with the weight 0.
fn takes_brotli(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case("br") && !is_refused
    })
}

/// Weak, since the same file may be sent compressed or not.
fn entity_tag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let hex = hash.iter().take(16).fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a text does not fail");
        hex
    });
    format!("W/\"{hex}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_goes_to_those_who_take_it() {
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("BR;q=0.5", true),
            ("gzip, br;q=0", false),
            ("gzip, br; q=0.0", false),
            ("gzip", false),
            ("brr", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(takes_brotli(&headers), expected, "{accepted}");
        }
        assert!(!takes_brotli(&HeaderMap::new()));
    }
}
