//! Extractors for handlers: those of axum, whose rejections are problems (RFC 9457).
//!
//! `Json`, `Path` and `Query` have axum's names because utoipa recognises a handler's parameters by them.

use super::error::{ApiError, Result};
use super::misread;
use super::objects::Objects;
use super::peer::Client;
use crate::problem_type::ProblemType;
use crate::web::TooSlow;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use logstead_config::Size;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;

/// Maximum size of a request body, except for ingest.
const BODY_BYTES_MAX: usize = 1 << 20;
/// Maximum size of an unauthenticated request body.
const STRANGERS_BODY_BYTES_MAX: usize = 8 << 10;

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

/// A short JSON body that anyone may send.
pub(crate) struct StrangersJson<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Json<T>> {
        read_json(request, BODY_BYTES_MAX).await.map(Json)
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for StrangersJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<StrangersJson<T>> {
        read_json(request, STRANGERS_BODY_BYTES_MAX).await.map(StrangersJson)
    }
}

async fn read_json<T: DeserializeOwned>(request: Request, body_bytes_max: usize) -> Result<T> {
    match media_type(request.headers()).as_deref() {
        Some("application/json") => {}
        other => return Err(unsupported(other, "application/json")),
    }
    parse_json(&read_body(request.into_body(), body_bytes_max).await?)
}

/// A JSON body with the parts to change (RFC 7396).
pub(crate) struct MergePatch<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for MergePatch<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<MergePatch<T>> {
        match media_type(request.headers()).as_deref() {
            Some("application/json" | "application/merge-patch+json") => {}
            other => return Err(unsupported(other, "application/merge-patch+json or application/json")),
        }
        parse_json(&read_body(request.into_body(), BODY_BYTES_MAX).await?).map(MergePatch)
    }
}

/// Reads a part of a [`MergePatch`] that is there, so that null differs from a part that is left out.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    part: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(part).map(Some)
}

/// Text with its media type: a document in one of the formats that the handler understands.
pub(crate) struct DocumentText {
    pub(crate) media_type: Option<String>,
    pub text: String,
}

impl<S: Sync> FromRequest<S> for DocumentText {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<DocumentText> {
        let media_type = media_type(request.headers());
        let body = read_body(request.into_body(), BODY_BYTES_MAX).await?;
        let text = String::from_utf8(body).map_err(|error| {
            ApiError::new(ProblemType::InvalidBody, format!("the document is not UTF-8 text: {error}"))
        })?;
        Ok(DocumentText { media_type, text })
    }
}

/// The part of the address after `?`.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>> {
        match axum::extract::Query::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Query(value)),
            Err(rejection) => Err(misread::query_string(&rejection, parts.uri.query().unwrap_or_default())),
        }
    }
}

/// The variable parts of the path. If one of them is invalid, the address does not exist.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            Err(_) => Err(ApiError::not_found(format!("there is nothing at {}", parts.uri.path()))),
        }
    }
}

/// The address a request came from; `None` if it did not come through a socket.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub(crate) Option<IpAddr>);

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Peer, Infallible> {
        Ok(Peer(parts.extensions.get::<Client>().and_then(|client| client.address)))
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("an unknown address"),
        }
    }
}

/// The media type of a body, in lower case and without parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// 415, naming the media types that are understood.
pub(crate) fn unsupported(media_type: Option<&str>, expected: &str) -> ApiError {
    let found = media_type.map_or("no Content-Type".to_owned(), |found| format!("Content-Type `{found}`"));
    let detail = format!("the request has {found}: send {expected}");
    ApiError::new(ProblemType::UnsupportedMediaType, detail)
}

/// The whole body, or 413 as soon as it is known to be longer.
async fn read_body(body: Body, body_bytes_max: usize) -> Result<Vec<u8>> {
    let mut pieces = PiecewiseBody::of(body, body_bytes_max)?;
    while pieces.read_next().await?.is_some() {}
    Ok(pieces.whole())
}

/// A body that is read piece by piece, so that the reader knows how much of it has arrived.
pub(crate) struct PiecewiseBody {
    body: Body,
    body_bytes_max: usize,
    read: Vec<u8>,
}

impl PiecewiseBody {
    /// 413 if the announced length is too long.
    pub(crate) fn of(body: Body, body_bytes_max: usize) -> Result<PiecewiseBody> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        let mut pieces = PiecewiseBody { body, body_bytes_max, read: Vec::new() };
        if body_bytes_max < announced {
            return Err(pieces.too_large());
        }
        // Reserved memory that is never written to costs nothing.
        pieces.read.reserve_exact(announced);
        Ok(pieces)
    }

    /// Waits for the next piece and returns its length; `None` at the end. 413 if the body exceeds the maximum.
    pub(crate) async fn read_next(&mut self) -> Result<Option<usize>> {
        let Some(piece) = next_piece(&mut self.body).await? else { return Ok(None) };
        if self.body_bytes_max - self.read.len() < piece.len() {
            return Err(self.too_large());
        }
        self.read.extend_from_slice(&piece);
        Ok(Some(piece.len()))
    }

    /// All bytes read.
    pub(crate) fn whole(self) -> Vec<u8> {
        self.read
    }

    fn too_large(&self) -> ApiError {
        let body_max = Size::new(self.body_bytes_max as u64);
        let detail = format!("the body is longer than {body_max}: send it in parts");
        ApiError::new(ProblemType::BodyTooLarge, detail)
    }
}

/// Waits for the next bytes of a body; `None` at the end. Nothing is lost if the wait is cancelled.
pub(crate) async fn next_piece(body: &mut Body) -> Result<Option<Bytes>> {
    while let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
        let frame = frame.map_err(|error| broke_off(&error))?;
        // Any other frame is a trailer, which is ignored.
        if let Ok(piece) = frame.into_data() {
            return Ok(Some(piece));
        }
    }
    Ok(None)
}

/// Why a body broke off: the sender is too slow, or has disconnected.
fn broke_off(error: &axum::Error) -> ApiError {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(this) = cause {
        if this.is::<TooSlow>() {
            return ApiError::new(ProblemType::TooSlow, this.to_string());
        }
        cause = this.source();
    }
    ApiError::new(ProblemType::InvalidBody, format!("the body broke off: {error}"))
}

/// Parses JSON in which structures are objects; an error includes the position.
fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(Objects(&mut reader))
        .map_err(|error| misread::body(error.inner(), &error.path().to_string()))?;
    reader.end().map_err(|error| misread::body(&error, ""))?;
    Ok(value)
}
