//! The answers to requests without TLS, if TLS is required: browsers are redirected, programs get an error.
//!
//! A program that is redirected has already sent its token or its messages in the clear, and would do so again each
//! time.

use super::error::ApiError;
use super::request_id;
use crate::problem_type::ProblemType;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};

/// The encrypted address.
#[derive(Clone, Debug)]
pub struct Encrypted {
    /// The address to redirect to; if empty, the requested host with this port.
    pub public_url: String,
    /// The port of the first listener.
    pub port: u16,
}

/// Answers every path.
pub fn redirect(to: Encrypted) -> Router {
    Router::new().fallback(answer).with_state(to).layer(from_fn(request_id::name))
}

async fn answer(State(to): State<Encrypted>, request: Request) -> Response {
    let Some(origin) = to.place(&request) else {
        let detail = "this needs HTTPS, and the request does not say which host it is for";
        return ApiError::new(ProblemType::InvalidHeader, detail).path("Host").into_response();
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let detail = format!("this address only redirects browsers: send requests to {origin}");
        return ApiError::new(ProblemType::NeedsHttps, detail).into_response();
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let path = to.below(path);
    let Ok(location) = HeaderValue::from_str(&format!("{origin}{path}")) else {
        let detail = "the address of the request cannot be read";
        return ApiError::new(ProblemType::InvalidHttp, detail).into_response();
    };
    (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response()
}

impl Encrypted {
    /// The path relative to that of the public address, which the requested path may already include.
    fn below<'a>(&self, path: &'a str) -> &'a str {
        let base = self.public_url.split_once("://").and_then(|(_, place)| place.split_once('/'));
        let base = base.map_or("", |(_, base)| base.trim_end_matches('/'));
        let rest =
            path.strip_prefix('/').and_then(|path| path.strip_prefix(base)).filter(|_| !base.is_empty());
        rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?'])).unwrap_or(path)
    }

    /// Scheme, host and port, and the path of the public address.
    fn place(&self, request: &Request) -> Option<String> {
        if self.public_url.starts_with("https://") {
            return Some(self.public_url.trim_end_matches('/').to_owned());
        }
        let host = request.headers().get(header::HOST)?.to_str().ok()?;
        let host = host.parse::<Authority>().ok().filter(|authority| !authority.as_str().contains('@'))?;
        let port = if self.port == 443 { String::new() } else { format!(":{}", self.port) };
        Some(format!("https://{}{port}", host.host()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(public_url: &str, port: u16, host: &str) -> Option<String> {
        let request = Request::builder().header(header::HOST, host).body(axum::body::Body::empty()).unwrap();
        Encrypted { public_url: public_url.to_owned(), port }.place(&request)
    }

    #[test]
    fn the_path_of_the_public_address_is_there_once() {
        for (url, path, expected) in [
            ("https://intra/logs", "/logs/search?q=a", "/search?q=a"),
            ("https://intra/logs/", "/search?q=a", "/search?q=a"),
            ("https://intra/logs", "/logs", ""),
            ("https://intra/logs", "/logs?a", "?a"),
            ("https://intra/logs", "/logspaces", "/logspaces"),
            ("https://intra", "/logs", "/logs"),
            ("", "/logs", "/logs"),
        ] {
            let to = Encrypted { public_url: url.to_owned(), port: 443 };
            assert_eq!(to.below(path), expected, "{url} {path}");
        }
    }

    #[test]
    fn browsers_stay_at_the_host_that_they_asked_for_unless_another_is_public() {
        let check = |public: &str, port, host: &str, expected: Option<&str>| {
            assert_eq!(place(public, port, host).as_deref(), expected, "{public} {host}");
        };
        check("", 443, "logs.example", Some("https://logs.example"));
        check("", 8443, "logs.example:80", Some("https://logs.example:8443"));
        check("", 8443, "[::1]:80", Some("https://[::1]:8443"));
        check("https://logs.example/", 8443, "10.0.0.1", Some("https://logs.example"));
        check("https://intra/logs/", 8443, "10.0.0.1", Some("https://intra/logs"));
        check("", 443, "a b", None);
        check("", 443, "user@logs.example", None);
        check("", 443, "logs.example/x", None);
        check("", 443, "", None);
    }
}
