//! Our own protocol: a body with many messages, which is answered once all of them are durable.
//!
//! **Invariant:** every line is stored or named in the answer with the reason; nothing of a body that is refused
//! as a whole is stored.

use super::incoming::{Incoming, IngestOutcome};
use super::params::{IngestParams, Switch, form, reading};
use crate::error::{ApiError, Problem, Result};
use crate::extract::Query;
use crate::problem_type::ProblemType;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_ingest::messages::MessageRefusal;
use logstead_ingest::native::NativeBody;
use serde::Serialize;
use utoipa::openapi::schema::{AllOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};

/// Why a message is not stored.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct LineError {
    /// The line of the body, or the position in the array, from 1.
    line: usize,
    reason: String,
}

impl From<MessageRefusal> for LineError {
    fn from(MessageRefusal { number, reason }: MessageRefusal) -> LineError {
        LineError { line: number, reason: reason.into_owned() }
    }
}

/// The outcome for the messages of a request.
#[derive(Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct Ingested {
    /// Messages that are stored durably.
    accepted: usize,
    /// Messages that matched no route of the router document. They are counted and not stored.
    dropped: usize,
    /// Messages that could not be read.
    rejected: usize,
    /// The reasons for the first 100.
    errors: Vec<LineError>,
}

/// The response to a body without any message that could be stored.
#[derive(Serialize)]
pub(crate) struct NothingIngested {
    #[serde(flatten)]
    problem: Problem,
    #[serde(flatten)]
    ingested: Ingested,
}

/// Describes the two responses if nothing is stored: a problem, with the outcome for the messages if they were read.
pub(crate) struct IngestRefused;

impl utoipa::PartialSchema for IngestRefused {
    fn schema() -> RefOr<Schema> {
        let mut outcome = <Ingested as utoipa::PartialSchema>::schema();
        if let RefOr::T(Schema::Object(outcome)) = &mut outcome {
            outcome.required.clear();
        }
        let why = "Why nothing is stored: either none of the messages could be, or the request itself is \
                   refused.";
        let both = AllOfBuilder::new().item(Ref::from_schema_name(<Problem as utoipa::ToSchema>::name()));
        both.item(outcome).description(Some(why)).into()
    }
}

impl utoipa::ToSchema for IngestRefused {}

/// Stores messages and answers once they are durable. A body may be compressed (`Content-Encoding`: gzip, deflate,
/// zstd, snappy). A request with the header `Idempotency-Key` may be sent again: it is stored once, and answered as
/// before.
#[utoipa::path(
    post, path = "/api/v1/ingest", operation_id = "ingest_messages", tag = "ingest",
    params(
        IngestParams,
        (
            "Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
            description = "A name for this request, under which it is stored once however often it is sent"
        ),
        (
            "Content-Encoding" = Option<String>, Header,
            description = "The compression of the body: gzip, deflate, zstd or snappy"
        ),
    ),
    request_body(description = "One JSON object per line, an array of objects (or a single one), or one text \
                                per line", content(
        (String = "application/x-ndjson"), (Vec<Object> = "application/json"), (String = "text/plain")
    )),
    responses(
        (
            status = 200, body = Ingested,
            headers(("Idempotency-Replayed" = bool, description = "`true` if the request had been stored before"))
        ),
        (status = 400, body = IngestRefused, content_type = "application/problem+json"),
        (status = 404, description = "There is no such logspace"),
        (
            status = 408,
            description = "The body comes too slowly, or stops while other requests need the memory that it \
                takes. Nothing is stored"
        ),
        (
            status = 409,
            description = "The router document has no source of kind `http` that takes it, or a request with \
                the same Idempotency-Key is still being processed"
        ),
        (status = 422, description = "The Idempotency-Key was used for another body before"),
        (
            status = 429,
            description = "The token has exceeded its limit: `Retry-After` says when to send again"
        ),
        (
            status = 413,
            description = "The body is longer than `limits.ingest_body_max`, or holds more messages than \
                `limits.ingest_messages_max`. Nothing is stored"
        ),
        (status = 415, description = "The media type or the encoding of the body is not supported"),
        (
            status = 503,
            description = "The messages cannot be stored now: `detail` says why and how much of the body is \
                stored, and `Retry-After` when to send again"
        ),
    )
)]
pub(crate) async fn ingest(
    incoming: Incoming,
    Query(params): Query<IngestParams>,
    body: Body,
) -> Result<Response> {
    let form = form(&incoming.headers, params.format)?;
    let reading = reading(&params)?;
    incoming.check_logspace(params.logspace.as_deref())?;
    let (body, _room) = incoming.read(body, None).await?;
    let has_key = incoming.has_key();
    let (hash, body) = incoming
        .blocking(move || (if has_key { *blake3::hash(&body).as_bytes() } else { [0; 32] }, body))
        .await?;
    let mut batches =
        incoming.decode(move |sender, max| NativeBody::of(body, form, reading, sender, max)).await?;
    let _kept;
    if params.atomic == Some(Switch::On) {
        (batches, _kept) = incoming.check(batches).await?;
        if 0 < batches.refused {
            let errors = std::mem::take(&mut batches.refusals).into_iter().map(LineError::from).collect();
            let ingested = Ingested { rejected: batches.refused, errors, ..Ingested::default() };
            let what = format!("nothing is stored, because {} messages cannot be read", ingested.rejected);
            return Ok(nothing_ingested(&what, ingested));
        }
    }
    incoming.store_once(hash, batches, params.logspace.as_deref(), answer).await
}

/// The answer: the outcome for the messages, or an error if all are refused.
fn answer<M>(stored: IngestOutcome<M>) -> Result<String, Box<Response>> {
    let is_nothing = stored.taken() == 0 && 0 < stored.refused;
    let IngestOutcome { accepted, dropped, refused: rejected, refusals, .. } = stored;
    let errors = refusals.into_iter().map(LineError::from).collect();
    let ingested = Ingested { accepted, dropped, rejected, errors };
    if is_nothing {
        let what = format!("none of {} messages is stored", ingested.rejected);
        Err(Box::new(nothing_ingested(&what, ingested)))
    } else {
        Ok(serde_json::to_string(&ingested).unwrap_or_default())
    }
}

fn nothing_ingested(what: &str, ingested: Ingested) -> Response {
    let first = ingested.errors.first();
    let reason = first.map(|error| format!(", the first, line {}: {}", error.line, error.reason));
    let detail = format!("{what}{}", reason.unwrap_or_default());
    let problem = ApiError::new(ProblemType::MessagesRefused, detail).into_problem();
    let body = axum::Json(NothingIngested { problem, ingested });
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response()
}
