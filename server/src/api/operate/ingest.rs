//! Messages over HTTP: a body of many, answered once all of them are durable.
//!
//! **Invariant:** every line is stored or named in the answer with the reason; nothing of a body that is refused
//! as a whole is stored.

use crate::api::error::{ApiError, Problem, Result};
use crate::api::extract::{Peer, Pieces, Query};
use crate::api::operate::reading::{IngestParams, Reading};
use crate::api::operate::room::Room;
use crate::api::operate::slices::{Form, LineError, Sender, Slices};
use crate::api::question::unknown_logspace;
use crate::api::state::{Inner, Shared};
use crate::api::waiting::blocking;
use crate::flow::receipt::Taken;
use crate::machine::clock;
use crate::pipeline::SubmitError;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_config::SourceKind;
use serde::Serialize;
use std::time::Duration;

/// A body rests if fewer bytes than this arrive in this time.
const REST_MAX: Duration = Duration::from_secs(2);
const REST_BYTES_MIN: usize = 64 << 10;
/// When senders are asked to come again while the source is not enabled.
const DISABLED_RETRY_SECONDS: u64 = 60;

/// What became of the messages.
#[derive(Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct Ingested {
    /// Messages that are stored durably.
    accepted: usize,
    /// Messages that no route of the router document took. They are counted and not stored.
    dropped: usize,
    /// Messages that could not be read.
    rejected: usize,
    /// Why, for the first 100.
    errors: Vec<LineError>,
}

/// A body of which no message could be stored.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct NothingIngested {
    #[serde(flatten)]
    problem: Problem,
    #[serde(flatten)]
    ingested: Ingested,
}

/// Why nothing is stored: no message of the body could be, or the request itself is refused.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes the two that are answered")]
pub(crate) enum IngestRefused {
    NothingIngested(NothingIngested),
    Problem(Problem),
}

/// Stores messages and answers once they are durable.
#[utoipa::path(
    post, path = "/api/v1/ingest", tag = "ingest", params(IngestParams),
    request_body(description = "A JSON object a line, an array of objects or one, or a text a line", content(
        (String = "application/x-ndjson"), (Object = "application/json"), (String = "text/plain")
    )),
    responses(
        (status = 200, body = Ingested),
        (status = 400, body = IngestRefused, content_type = "application/problem+json"),
        (
            status = 404, body = Problem, content_type = "application/problem+json",
            description = "There is no such logspace"
        ),
        (
            status = 408, body = Problem, content_type = "application/problem+json",
            description = "The body comes too slowly, or rests while others wait for the memory that it takes. \
                Nothing is stored"
        ),
        (
            status = 409, body = Problem, content_type = "application/problem+json",
            description = "The router document has no source of kind `http`"
        ),
        (
            status = 413, body = Problem, content_type = "application/problem+json",
            description = "The body is longer than `limits.ingest_body_max`, or holds more messages than \
                `limits.ingest_messages_max`. Nothing is stored"
        ),
        (
            status = 415, body = Problem, content_type = "application/problem+json",
            description = "The media type or the encoding of the body is not understood"
        ),
        (
            status = 503, body = Problem, content_type = "application/problem+json",
            description = "It cannot be stored now: `detail` says why and how much of the body is stored, and \
                `Retry-After` when to come again"
        ),
    )
)]
pub(crate) async fn ingest(
    State(shared): State<Shared>,
    peer: Peer,
    Query(params): Query<IngestParams>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let form = Form::of(&headers)?.with_lines(params.format)?;
    let reading = Reading::of(&params)?;
    check_logspace(&shared, params.logspace.as_deref())?;
    let mut room = shared.ingest.room();
    let body = read(&shared, body, &mut room).await?;
    let origin = Sender { source: source_id(&shared), peer, received: clock::now() };
    let messages_max = shared.state.settings.limits.ingest_messages_max as usize;
    let logspace = params.logspace.clone();
    let slices = blocking(move || Slices::of(body, (form, reading), origin, messages_max)).await??;
    store(&shared, slices, logspace.as_deref()).await
}

/// Reads a body. A resting one gives way to those that wait for its room.
async fn read(shared: &Inner, body: Body, room: &mut Room<'_>) -> Result<Bytes> {
    let mut pieces = Pieces::of(body, shared.state.settings.limits.ingest_body_max.as_usize())?;
    let mut look = tokio::time::interval(REST_MAX);
    look.tick().await;
    let mut seen = 0;
    loop {
        tokio::select! {
            biased;
            piece = pieces.read_next() => match piece? {
                Some(bytes) => if room.grow(bytes).await? {
                    // It was we who kept it waiting.
                    seen = room.bytes();
                    look.reset();
                },
                None => return Ok(pieces.whole()),
            },
            _ = look.tick() => {
                if room.bytes() - seen < REST_BYTES_MIN && shared.ingest.is_wanted() {
                    let detail = "the body rests, and others wait for the memory that it takes: send it again";
                    return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, detail).retry_after_seconds(1));
                }
                seen = room.bytes();
            }
        }
    }
}

fn check_logspace(shared: &Inner, logspace: Option<&str>) -> Result<()> {
    let Some(id) = logspace else { return Ok(()) };
    let live = shared.state.pipeline.router();
    let known: Vec<&str> = live.checked.logspaces.iter().map(|logspace| logspace.id.as_str()).collect();
    if known.contains(&id) { Ok(()) } else { Err(unknown_logspace(id, &known)) }
}

/// The id of the HTTP source.
fn source_id(shared: &Inner) -> String {
    let live = shared.state.pipeline.router();
    let source = live.checked.sources.iter().find(|source| source.kind == SourceKind::Http);
    source.map_or("http", |source| &source.id).to_owned()
}

/// Parses and stores batch by batch, so that as little as possible is in memory.
async fn store(shared: &Inner, mut slices: Slices, logspace: Option<&str>) -> Result<Response> {
    let (mut accepted, mut dropped) = (0, 0);
    while 0 < slices.rest_bytes() {
        let _room = shared.ingest.for_slice(slices.rest_bytes()).await?;
        let batch;
        (batch, slices) = blocking(move || (slices.next(), slices)).await?;
        let messages = batch.rows();
        if messages == 0 {
            continue;
        }
        let submitted = shared.state.pipeline.submit(batch, logspace).await;
        let Taken { dropped: of_part } = submitted.map_err(|error| not_stored(&error, accepted + dropped))?;
        accepted += messages - of_part;
        dropped += of_part;
    }
    let ingested = Ingested { accepted, dropped, rejected: slices.rejected, errors: slices.errors };
    if accepted + dropped == 0 && 0 < ingested.rejected {
        return Ok(nothing_ingested(ingested));
    }
    Ok(axum::Json(ingested).into_response())
}

fn nothing_ingested(ingested: Ingested) -> Response {
    let first = ingested.errors.first();
    let reason = first.map(|error| format!(", the first, line {}: {}", error.line, error.reason));
    let detail = format!("none of {} messages is stored{}", ingested.rejected, reason.unwrap_or_default());
    let problem = ApiError::bad_request(detail).into_problem();
    let body = axum::Json(NothingIngested { problem, ingested });
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response()
}

fn not_stored(error: &SubmitError, taken_before: usize) -> ApiError {
    let stored = match taken_before {
        0 => "nothing of the body is stored".to_owned(),
        count => format!("the first {count} messages of the body are taken"),
    };
    let detail = format!("{error} ({stored})");
    match error {
        SubmitError::UnknownLogspace(_) => ApiError::not_found(detail),
        SubmitError::NoSource => ApiError::new(StatusCode::CONFLICT, detail),
        // Senders keep what they are told to send again.
        SubmitError::SourceDisabled(_) => {
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after_seconds(DISABLED_RETRY_SECONDS)
        }
        SubmitError::Busy | SubmitError::Failed(_) | SubmitError::ShuttingDown => {
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after_seconds(1)
        }
    }
}
