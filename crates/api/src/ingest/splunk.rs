//! Splunk's HTTP event collector: events, lines, acknowledgements and health.
//!
//! A request is answered when its events are durable, and either all of them are accepted or none. So events are
//! always acknowledged by the time a client asks: with a channel, an answer has a number, and every number is
//! acknowledged.

use super::incoming::{Incoming, IngestOutcome};
use super::protocol::CredentialPlace;
use super::route::ProtocolRoute;
use crate::error::{ApiError, RefusalDetail, Result};
use crate::extract::{Json, Query};
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use logstead_ingest::hec::{Hec, HecError, HecErrorKind, HecFormat, HecMetadata, time_of};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of numbers in one request for acknowledgements.
const ACKS_MAX: usize = 100_000;
/// Maximum length of a channel.
const CHANNEL_BYTES_MAX: usize = 128;

pub(super) const ROUTES: &[ProtocolRoute] = &[
    ProtocolRoute::new(
        &["POST"],
        &[
            "/services/collector",
            "/services/collector/event",
            "/services/collector/event/1.0",
            "/services/collector/1.0",
        ],
        || post(events).options(options),
    ),
    ProtocolRoute::new(&["POST"], &["/services/collector/raw", "/services/collector/raw/1.0"], || {
        post(raw).options(options)
    }),
    ProtocolRoute::new(&["POST"], &["/services/collector/ack", "/services/collector/ack/1.0"], || post(ack)),
];

pub(super) const PUBLIC: &[ProtocolRoute] = &[ProtocolRoute::new(
    &["GET"],
    &["/services/collector/health", "/services/collector/health/1.0"],
    || get(health),
)];

/// The parameters in the address of a request, which apply to all its messages.
#[derive(Deserialize)]
struct HecParameters {
    channel: Option<String>,
    time: Option<String>,
    host: Option<String>,
    source: Option<String>,
    sourcetype: Option<String>,
    index: Option<String>,
}

#[derive(Deserialize)]
struct Acks {
    acks: Vec<u64>,
}

async fn events(incoming: Incoming, Query(parameters): Query<HecParameters>, body: Body) -> Result<Response> {
    store(incoming, HecFormat::Events, parameters, body).await
}

async fn raw(incoming: Incoming, Query(parameters): Query<HecParameters>, body: Body) -> Result<Response> {
    store(incoming, HecFormat::Lines, parameters, body).await
}

async fn store(
    incoming: Incoming,
    form: HecFormat,
    parameters: HecParameters,
    body: Body,
) -> Result<Response> {
    let channel = channel(&incoming.headers, parameters.channel.as_deref());
    if channel.as_ref().is_some_and(|channel| channel.is_empty() || CHANNEL_BYTES_MAX < channel.len()) {
        return Ok(said(StatusCode::BAD_REQUEST, 11, "Invalid data channel"));
    }
    let (body, _room) = incoming.read(body, None).await?;
    if body.trim_ascii().is_empty() {
        return Ok(said(StatusCode::BAD_REQUEST, 5, "No data"));
    }
    let values = [
        ("host", parameters.host),
        ("source", parameters.source),
        ("sourcetype", parameters.sourcetype),
        ("index", parameters.index),
    ];
    let values = values.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
    let about = HecMetadata { time: parameters.time.as_deref().and_then(time_of), values: values.collect() };
    let batches = incoming.decode(move |sender, max| Ok(Hec::of(body, form, about, sender, max))).await?;
    let (batches, _kept) = incoming.check(batches).await?;
    if let Some(fault) = batches.messages().fault() {
        return faulty(fault);
    }
    let IngestOutcome { .. } = incoming.store(batches, None).await?.complete()?;
    let mut success = json!({"text": "Success", "code": 0});
    if channel.is_some() {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        success["ackId"] = NEXT.fetch_add(1, Ordering::Relaxed).into();
    }
    Ok(axum::Json(success).into_response())
}

/// The channel of a request, from its header or its address.
fn channel(headers: &HeaderMap, parameter: Option<&str>) -> Option<String> {
    let header = headers.get("x-splunk-request-channel").and_then(|value| value.to_str().ok());
    header.or(parameter).map(str::to_owned)
}

fn faulty(HecError { number, what }: &HecError) -> Result<Response> {
    let (code, text) = match what {
        HecErrorKind::TooMany => {
            let detail = "the body holds more messages than limits.ingest_messages_max: send it in parts";
            return Err(ApiError::new(ProblemType::BodyTooLarge, detail));
        }
        HecErrorKind::Format(_) => (6, "Invalid data format"),
        HecErrorKind::Missing => (12, "Event field is required"),
        HecErrorKind::Fields => (15, "Error in handling indexed fields"),
    };
    let mut answer = json!({"text": text, "code": code, "invalid-event-number": number});
    if let HecErrorKind::Format(reason) = what {
        answer["detail"] = reason.as_str().into();
    }
    Ok((StatusCode::BAD_REQUEST, axum::Json(answer)).into_response())
}

async fn ack(
    Query(parameters): Query<HecParameters>,
    headers: HeaderMap,
    Json(Acks { acks }): Json<Acks>,
) -> Response {
    if channel(&headers, parameters.channel.as_deref()).is_none() {
        return said(StatusCode::BAD_REQUEST, 10, "Data channel is missing");
    }
    if ACKS_MAX < acks.len() {
        return said(StatusCode::BAD_REQUEST, 6, "Invalid data format");
    }
    let acks: Map<String, Value> = acks.into_iter().map(|ack| (ack.to_string(), true.into())).collect();
    axum::Json(json!({"acks": acks})).into_response()
}

async fn health(State(shared): State<SharedState>) -> Response {
    match shared.state.pipeline.ready() {
        Ok(()) => said(StatusCode::OK, 17, "HEC is healthy"),
        Err(_) => said(StatusCode::SERVICE_UNAVAILABLE, 18, "HEC is unhealthy, queues are full"),
    }
}

async fn options() -> Response {
    (StatusCode::OK, [(header::ALLOW, HeaderValue::from_static("OPTIONS, POST"))]).into_response()
}

fn said(status: StatusCode, code: u32, text: &str) -> Response {
    (status, axum::Json(json!({"text": text, "code": code}))).into_response()
}

/// A refusal in Splunk's format, with a code.
pub(super) fn refused(refusal: &RefusalDetail, presented: CredentialPlace) -> Response {
    let (status, code, text) = match (refusal.status.as_u16(), presented) {
        (401, CredentialPlace::InAddress) => {
            (StatusCode::BAD_REQUEST, 16, "Query string authorization is not enabled")
        }
        (401, CredentialPlace::Nothing) => (StatusCode::UNAUTHORIZED, 2, "Token is required"),
        (401, CredentialPlace::Unreadable) => (StatusCode::UNAUTHORIZED, 3, "Invalid authorization"),
        (401 | 403, _) => (StatusCode::FORBIDDEN, 4, "Invalid token"),
        (413 | 415, _) => (refusal.status, 6, "Invalid data format"),
        (408 | 409 | 429 | 503, _) => (StatusCode::SERVICE_UNAVAILABLE, 9, "Server is busy"),
        (500.., _) => (refusal.status, 8, "Internal server error"),
        _ => (refusal.status, 6, "Invalid data format"),
    };
    (status, axum::Json(json!({"text": text, "code": code, "detail": refusal.detail}))).into_response()
}
