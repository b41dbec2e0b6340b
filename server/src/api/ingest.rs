//! Messages over HTTP: a body with many, answered when all of them are durable.
//!
//! **Invariant:** every line is stored or named in the answer with the reason; nothing of a body that is refused
//! as a whole is stored.

use super::error::{ApiError, Place, Problem, Result};
use super::extract::{Peer, Pieces, Query, media_type, unsupported};
use super::reading::{IngestParams, LineFormat, Reading};
use super::scope::unknown_logspace;
use super::{Inner, Shared, TURN_WAIT_MAX, blocking, busy};
use crate::clock;
use crate::format::json::Rejected;
use crate::pipeline::SubmitError;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_config::SourceKind;
use logstead_record::{Batch, BatchBuilder, Origin};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::SemaphorePermit;

/// Reasons that are told; all are counted.
const ERRORS_MAX: usize = 100;
/// A batch is sealed when it has so many messages …
const BATCH_MESSAGES_MAX: usize = 8192;
/// … or so many bytes.
const BATCH_BYTES_MAX: usize = 4 << 20;

/// What became of the messages.
#[derive(Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct Ingested {
    /// Messages that are stored, durably.
    accepted: usize,
    /// Messages that are not.
    rejected: usize,
    /// Why, for the first 100.
    errors: Vec<LineError>,
}

/// Why a message is not stored.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct LineError {
    /// Of the body, or the place in the array, from 1.
    line: usize,
    reason: String,
}

/// A body of which no message could be stored.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct NothingIngested {
    #[serde(flatten)]
    problem: Problem,
    #[serde(flatten)]
    ingested: Ingested,
}

/// Stores messages and answers when they are durable.
#[utoipa::path(
    post, path = "/api/v1/ingest", tag = "ingest", params(IngestParams),
    request_body(description = "A JSON object a line, an array of objects or one, or a text a line", content(
        (String = "application/x-ndjson"), (Object = "application/json"), (String = "text/plain")
    )),
    responses(
        (status = 200, body = Ingested),
        (status = 400, body = NothingIngested, content_type = "application/problem+json"),
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
    let body_bytes_max = shared.state.settings.limits.ingest_body_max.as_usize();
    let mut room = Room { shared: &shared, held: None, bytes: 0 };
    let mut pieces = Pieces::of(body, body_bytes_max)?;
    while let Some(bytes) = pieces.read_next().await? {
        room.grow(bytes).await?;
    }
    let body = pieces.whole();
    let source = source_id(&shared);
    let logspace = params.logspace.clone();
    let parsed = blocking(move || parse(&body, form, &reading, &source, peer)).await??;
    store(&shared, parsed, logspace.as_deref()).await
}

/// How a body is written.
#[derive(Clone, Copy)]
enum Form {
    JsonLines,
    Json,
    Text,
}

impl Form {
    /// Refuses what only lines have.
    fn with_lines(self, format: Option<LineFormat>) -> Result<Form> {
        match (self, format) {
            (Form::Text, _) | (_, None) => Ok(self),
            _ => Err(ApiError::bad_request("format is for text/plain: leave it out").path("format")),
        }
    }

    fn of(headers: &HeaderMap) -> Result<Form> {
        let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
            let encoding = String::from_utf8_lossy(encoding);
            let detail = format!("Content-Encoding `{encoding}` is not understood: send the body as it is");
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        match media_type(headers).as_deref() {
            Some("application/x-ndjson" | "application/ndjson" | "application/jsonl") => Ok(Form::JsonLines),
            Some("application/json") => Ok(Form::Json),
            Some("text/plain") => Ok(Form::Text),
            other => Err(unsupported(other, "application/x-ndjson, application/json or text/plain")),
        }
    }
}

fn check_logspace(shared: &Inner, logspace: Option<&str>) -> Result<()> {
    let Some(id) = logspace else { return Ok(()) };
    let live = shared.state.pipeline.router();
    let known: Vec<&str> = live.checked.logspaces.iter().map(|logspace| logspace.id.as_str()).collect();
    if known.contains(&id) { Ok(()) } else { Err(unknown_logspace(id, &known)) }
}

/// A body's share of the memory for all bodies. It grows with what has come, so that a sender who announces
/// much and sends little holds nobody up.
struct Room<'a> {
    shared: &'a Inner,
    held: Option<SemaphorePermit<'a>>,
    bytes: usize,
}

impl Room<'_> {
    /// Waits until there is memory for more bytes.
    async fn grow(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let more = self.bytes.div_ceil(1024).saturating_sub(held);
        let permits = self.shared.ingest_kib.acquire_many(u32::try_from(more).unwrap_or(u32::MAX));
        let Ok(Ok(permit)) = tokio::time::timeout(TURN_WAIT_MAX, permits).await else {
            return Err(busy("too many messages are under way"));
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        Ok(())
    }
}

/// The id of the source of HTTP's messages.
fn source_id(shared: &Inner) -> String {
    let live = shared.state.pipeline.router();
    let source = live.checked.sources.iter().find(|source| source.kind == SourceKind::Http);
    source.map_or("http", |source| &source.id).to_owned()
}

/// A body as batches that are not stored yet.
#[derive(Default)]
struct Parsed {
    batches: Vec<Batch>,
    rejected: usize,
    errors: Vec<LineError>,
}

fn parse(body: &Bytes, form: Form, reading: &Reading, source: &str, peer: Peer) -> Result<Parsed> {
    let peer = peer.0.map(|address| address.to_string()).unwrap_or_default();
    let received = clock::now();
    let origin = Origin { source: source.as_bytes(), peer: peer.as_bytes(), received };
    let mut parser = Parser { origin, builder: BatchBuilder::new(), bytes: 0, parsed: Parsed::default() };
    let object = |object: &[u8], builder: &mut BatchBuilder| reading.object(object, received, builder);
    match form {
        Form::JsonLines => parser.all(lines(body), object),
        Form::Json => parser.all(objects(body)?, object),
        Form::Text => parser.all(lines(body), |line, builder| reading.line(line, received, &peer, builder)),
    }
    Ok(parser.finish())
}

/// The lines that are not blank, numbered from 1.
fn lines(body: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = (1..).zip(body.split(|&byte| byte == b'\n'));
    numbered.filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// The objects of an array, or the one object, numbered from 1.
fn objects(body: &[u8]) -> Result<impl Iterator<Item = (usize, &[u8])>> {
    let is_array = body.trim_ascii_start().starts_with(b"[");
    let parsed: serde_json::Result<Vec<&RawValue>> = if is_array {
        serde_json::from_slice(body)
    } else {
        serde_json::from_slice(body).map(|one| vec![one])
    };
    let values = parsed.map_err(|error| {
        let place = Place { line: error.line(), column: error.column(), end_column: None };
        let hint = "send one object or an array of objects, or an object a line as application/x-ndjson";
        ApiError::bad_request(format!("the body is no JSON: {error}; {hint}")).at(place)
    })?;
    Ok((1..).zip(values.into_iter().map(|value| value.get().as_bytes())))
}

struct Parser<'a> {
    origin: Origin<'a>,
    builder: BatchBuilder,
    /// Of the messages in the builder.
    bytes: usize,
    parsed: Parsed,
}

impl Parser<'_> {
    fn all<'l>(
        &mut self,
        lines: impl Iterator<Item = (usize, &'l [u8])>,
        parse: impl Fn(&[u8], &mut BatchBuilder) -> Result<(), Rejected>,
    ) {
        for (number, line) in lines {
            if self.builder.rows() == 0 {
                self.builder.origin(self.origin);
            }
            match parse(line, &mut self.builder) {
                Ok(()) => self.bytes += line.len(),
                Err(rejected) => self.parsed.reject(number, &rejected),
            }
            if BATCH_MESSAGES_MAX <= self.builder.rows() || BATCH_BYTES_MAX <= self.bytes {
                self.seal();
            }
        }
    }

    fn seal(&mut self) {
        self.bytes = 0;
        self.parsed.batches.push(self.builder.seal());
    }

    fn finish(mut self) -> Parsed {
        if 0 < self.builder.rows() {
            self.seal();
        }
        self.parsed
    }
}

impl Parsed {
    fn reject(&mut self, line: usize, rejected: &Rejected) {
        self.rejected += 1;
        if self.errors.len() < ERRORS_MAX {
            self.errors.push(LineError { line, reason: rejected.to_string() });
        }
    }
}

async fn store(shared: &Inner, parsed: Parsed, logspace: Option<&str>) -> Result<Response> {
    let mut ingested = Ingested { accepted: 0, rejected: parsed.rejected, errors: parsed.errors };
    for batch in parsed.batches {
        let messages = batch.rows();
        if let Err(error) = shared.state.pipeline.submit(batch, logspace).await {
            return Err(not_stored(&error, ingested.accepted));
        }
        ingested.accepted += messages;
    }
    if ingested.accepted == 0 && 0 < ingested.rejected {
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

fn not_stored(error: &SubmitError, stored_before: usize) -> ApiError {
    let stored = match stored_before {
        0 => "nothing of the body is stored".to_owned(),
        count => format!("the first {count} messages of the body are stored"),
    };
    let detail = format!("{error} ({stored})");
    match error {
        SubmitError::UnknownLogspace(_) => ApiError::not_found(detail),
        SubmitError::NoSource => ApiError::new(StatusCode::CONFLICT, detail),
        SubmitError::Busy | SubmitError::Failed(_) | SubmitError::ShuttingDown => {
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after_seconds(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(form: Form, body: &[u8]) -> Result<Parsed> {
        let reading = Reading::of(&IngestParams::default())?;
        parse(&Bytes::copy_from_slice(body), form, &reading, "http", Peer(None))
    }

    /// The messages, and the lines that were rejected.
    fn check(form: Form, body: &str, expected: &[&str], rejected: &[usize]) {
        let parsed = parsed(form, body.as_bytes()).unwrap();
        let rows = parsed.batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| batch.message(row)));
        let messages: Vec<_> = rows.map(String::from_utf8_lossy).collect();
        assert_eq!(messages, expected);
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), rejected);
        assert_eq!(parsed.rejected, rejected.len());
    }

    #[test]
    fn every_form_is_read_and_bad_lines_are_named() {
        check(Form::JsonLines, "{\"msg\":\"a\"}\n\n{\"msg\":\"b\"}\r\nnonsense\n", &["a", "b"], &[4]);
        check(Form::Json, r#"[{"msg":"a"}, 7, {"log":"b"}]"#, &["a", "b"], &[2]);
        check(Form::Json, " {\"msg\":\"a\"}\n", &["a"], &[]);
        check(Form::Text, "one\r\n\n  two\nthree", &["one", "  two", "three"], &[]);
        check(Form::Text, "", &[], &[]);
    }

    #[test]
    fn a_body_that_is_no_json_is_refused_as_a_whole() {
        for body in ["[{\"msg\":\"a\"},", "{\"msg\":1} {\"msg\":2}", "hello", ""] {
            assert!(parsed(Form::Json, body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_long_body_becomes_several_batches_and_many_errors_are_counted() {
        let body = "x\n".repeat(BATCH_MESSAGES_MAX + 1);
        assert_eq!(parsed(Form::Text, body.as_bytes()).unwrap().batches.len(), 2);
        let refused = parsed(Form::JsonLines, body.as_bytes()).unwrap();
        assert_eq!((refused.rejected, refused.errors.len()), (BATCH_MESSAGES_MAX + 1, ERRORS_MAX));
        let long = parsed(Form::Text, &vec![b'x'; (1 << 20) + 1]).unwrap();
        assert_eq!(long.rejected, 1);
    }
}
