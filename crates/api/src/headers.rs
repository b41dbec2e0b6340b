//! Headers added to every response, which keep browsers from misusing it.

use super::deprecation;
use super::peer::Client;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use logstead_config::settings::{Settings, Web};
use serde::Serialize;
use std::sync::Arc;

/// 201 for what was created at this path of the API.
pub(super) fn created(web: &Web, path: &str, body: impl Serialize) -> Response {
    let location = [(header::LOCATION, format!("{}/api/v1/{path}", web.base()))];
    (StatusCode::CREATED, location, axum::Json(body)).into_response()
}

/// 202 for work that goes on, which this path of the API tells about.
pub(super) fn accepted(web: &Web, path: &str, body: impl Serialize) -> Response {
    let location = [(header::LOCATION, format!("{}/api/v1/{path}", web.base()))];
    (StatusCode::ACCEPTED, location, axum::Json(body)).into_response()
}

/// The middleware that adds them.
pub(super) async fn with_headers(
    State(settings): State<Arc<Settings>>,
    request: Request,
    next: Next,
) -> Response {
    const HEADERS: [(HeaderName, &str); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    let path = request.uri().path();
    let is_api = path.starts_with("/api/") || matches!(path, "/metrics" | "/readyz" | "/healthz");
    let is_encrypted = request.extensions().get::<Client>().is_some_and(|client| client.is_encrypted);
    let deprecated = deprecation::called(&request);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if let Some(operation) = deprecated {
        headers.extend(deprecation::headers(operation, settings.web.base()));
    }
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Only added with our own certificate: a proxy decides this for its host.
    let seconds = settings.web.hsts.duration().as_secs();
    if is_encrypted && settings.web.tls.is_some() && 0 < seconds {
        let value = HeaderValue::try_from(format!("max-age={seconds}"));
        headers.extend(value.ok().map(|value| (header::STRICT_TRANSPORT_SECURITY, value)));
    }
    if is_api {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}
