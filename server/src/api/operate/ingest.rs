//! Messages over HTTP: a body with many, answered when all of them are durable.
//!
//! **Invariant:** every line is stored or named in the answer with the reason; nothing of a body that is refused
//! as a whole is stored.

use crate::api::error::{ApiError, Place, Problem, Result};
use crate::api::extract::{Peer, Pieces, Query, media_type, unsupported};
use crate::api::operate::reading::{IngestParams, LineFormat, Reading};
use crate::api::question::unknown_logspace;
use crate::api::{Inner, Shared, TURN_WAIT_MAX, blocking, busy};
use crate::flow::receipt::Taken;
use crate::machine::clock;
use crate::pipeline::SubmitError;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use logstead_config::SourceKind;
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::json::Rejected;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Reasons that are told; all are counted.
const ERRORS_MAX: usize = 100;
/// A batch is sealed when it has so many messages …
const BATCH_MESSAGES_MAX: usize = 8192;
/// … or so many bytes.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Bodies in memory at a time, counted in the largest one.
const BODIES_MAX: usize = 4;
/// What the messages of one batch may take while they are parsed, and how many such batches there are at a time.
const SLICE_MEMORY_MAX: usize = 64 << 20;
const SLICES_MAX: usize = 4;
/// How many times as much as in a body a message takes when it is parsed, at most.
const PARSED_FACTOR_MAX: usize = 32;
/// What the smallest batch takes.
const SMALL_BATCH_BYTES: usize = 4 << 10;
/// A body rests when fewer bytes than this come in this time.
const REST_MAX: Duration = Duration::from_secs(2);
const REST_BYTES_MIN: usize = 64 << 10;

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

/// Why nothing is stored: no message of the body could be, or the request itself is refused.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes the two that are answered")]
pub(crate) enum IngestRefused {
    NothingIngested(NothingIngested),
    Problem(Problem),
}

/// Stores messages and answers when they are durable.
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
    let mut room = Room { memory: &shared.ingest, held: None, bytes: 0 };
    let body = read(&shared, body, &mut room).await?;
    let origin = Sender { source: source_id(&shared), peer, received: clock::now() };
    let messages_max = shared.state.settings.limits.ingest_messages_max as usize;
    let logspace = params.logspace.clone();
    let slices = blocking(move || Slices::of(body, (form, reading), origin, messages_max)).await??;
    store(&shared, slices, logspace.as_deref()).await
}

/// Reads a body. One that rests makes way for those that wait for its room.
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
                    seen = room.bytes;
                    look.reset();
                },
                None => return Ok(pieces.whole()),
            },
            _ = look.tick() => {
                if room.bytes - seen < REST_BYTES_MIN && room.memory.is_wanted() {
                    let detail = "the body rests, and others wait for the memory that it takes: send it again";
                    return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, detail).retry_after_seconds(1));
                }
                seen = room.bytes;
            }
        }
    }
}

/// How a body is written.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// What all ingest requests together take of the memory.
pub(in crate::api) struct Memory {
    /// KiB of bodies.
    bodies: Semaphore,
    /// KiB of messages that are parsed and not handed to the store yet.
    parsed: Semaphore,
    /// Bodies that wait for room.
    waiting: AtomicUsize,
    /// Bodies that have room, and those of them that wait for more.
    holding: AtomicUsize,
    held_up: AtomicUsize,
}

impl Memory {
    /// Where a body has at most so many bytes.
    pub(in crate::api) fn for_bodies_of(body_bytes_max: usize) -> Memory {
        let bodies_kib = (body_bytes_max.div_ceil(1024) * BODIES_MAX).min(Semaphore::MAX_PERMITS);
        Memory {
            bodies: Semaphore::new(bodies_kib),
            parsed: Semaphore::new((SLICE_MEMORY_MAX * SLICES_MAX) >> 10),
            waiting: AtomicUsize::new(0),
            holding: AtomicUsize::new(0),
            held_up: AtomicUsize::new(0),
        }
    }

    /// Whether somebody waits for room.
    fn is_wanted(&self) -> bool {
        0 < self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until the next slice of what is left of a body may be parsed.
    async fn for_slice(&self, rest_bytes: usize) -> Result<SemaphorePermit<'_>> {
        let bytes = rest_bytes.saturating_mul(PARSED_FACTOR_MAX).saturating_add(SMALL_BATCH_BYTES);
        let bytes = bytes.min(SLICE_MEMORY_MAX);
        let permits = self.parsed.acquire_many(bytes.div_ceil(1024) as u32);
        let permit = tokio::time::timeout(TURN_WAIT_MAX, permits).await;
        permit.ok().and_then(|permit| permit.ok()).ok_or_else(too_many)
    }
}

fn too_many() -> ApiError {
    busy("too many messages are under way")
}

/// A body's share of the memory for all bodies. It grows with what has come, so that a sender who announces
/// much and sends little holds nobody up.
struct Room<'a> {
    memory: &'a Memory,
    held: Option<SemaphorePermit<'a>>,
    bytes: usize,
}

impl Room<'_> {
    /// Waits until there is memory for more bytes; says whether that took time.
    async fn grow(&mut self, bytes: usize) -> Result<bool> {
        self.bytes += bytes;
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let more = self.bytes.div_ceil(1024).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let (permit, has_waited) = match self.memory.bodies.try_acquire_many(more) {
            Ok(permit) => (permit, false),
            Err(_) => (self.wait(more).await?, true),
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            none => {
                self.memory.holding.fetch_add(1, Ordering::Relaxed);
                *none = Some(permit);
            }
        }
        Ok(has_waited)
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if self.held.is_some() {
            self.memory.holding.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl<'a> Room<'a> {
    /// Where everybody who has room waits for more, nobody would ever get it: the last to come gives up.
    async fn wait(&self, kib: u32) -> Result<SemaphorePermit<'a>> {
        let _waiting = Waiting::new(&self.memory.waiting);
        let _held_up = self.held.as_ref().map(|_| Waiting::new(&self.memory.held_up));
        let holding = self.memory.holding.load(Ordering::Relaxed);
        if self.held.is_some() && holding <= self.memory.held_up.load(Ordering::Relaxed) {
            return Err(too_many());
        }
        let permits = self.memory.bodies.acquire_many(kib);
        let permit = tokio::time::timeout(TURN_WAIT_MAX, permits).await;
        permit.ok().and_then(|permit| permit.ok()).ok_or_else(too_many)
    }
}

/// Counted for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Waiting<'a> {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The id of the source of HTTP's messages.
fn source_id(shared: &Inner) -> String {
    let live = shared.state.pipeline.router();
    let source = live.checked.sources.iter().find(|source| source.kind == SourceKind::Http);
    source.map_or("http", |source| &source.id).to_owned()
}

/// Who sent the messages of a body, and when.
struct Sender {
    source: String,
    peer: Peer,
    received: Timestamp,
}

/// The messages of a body, parsed batch by batch.
struct Slices {
    body: Bytes,
    form: Form,
    reading: Reading,
    source: String,
    peer: String,
    received: Timestamp,
    /// Where the next message may begin, and how many lines or objects there were before.
    at: usize,
    number: usize,
    rejected: usize,
    errors: Vec<LineError>,
}

impl Slices {
    /// Refuses a body that cannot be taken as a whole, before anything of it is stored.
    fn of(
        body: Bytes,
        (form, reading): (Form, Reading),
        sender: Sender,
        messages_max: usize,
    ) -> Result<Slices> {
        let messages = match form {
            Form::Json => count_objects(&body)?,
            Form::JsonLines | Form::Text => lines(&body, messages_max),
        };
        if messages_max < messages {
            let detail = format!(
                "the body holds more than {messages_max} messages: send it in parts, or raise the setting \
                 limits.ingest_messages_max"
            );
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        let Sender { source, peer, received } = sender;
        let peer = peer.0.map(|address| address.to_string()).unwrap_or_default();
        Ok(Slices {
            body,
            form,
            reading,
            source,
            peer,
            received,
            at: 0,
            number: 0,
            rejected: 0,
            errors: Vec::new(),
        })
    }

    /// How much of the body is left.
    fn rest_bytes(&self) -> usize {
        self.body.len() - self.at
    }

    /// The next messages; without a row where there are no more.
    fn next(&mut self) -> Batch {
        let mut builder = BatchBuilder::new();
        let body = self.body.clone();
        let mut bytes = 0;
        while builder.rows() < BATCH_MESSAGES_MAX && bytes < BATCH_BYTES_MAX {
            let Some(part) = self.next_part(&body) else {
                // Behind the last object of an array its bracket is left.
                self.at = body.len();
                break;
            };
            if builder.rows() == 0 {
                let (source, peer) = (self.source.as_bytes(), self.peer.as_bytes());
                builder.origin(Origin { source, peer, received: self.received });
            }
            match self.read(part, &mut builder) {
                Ok(()) => bytes += part.len(),
                Err(rejected) => self.reject(&rejected),
            }
        }
        builder.seal()
    }

    /// The next line that is not blank, or the next object.
    fn next_part<'b>(&mut self, body: &'b [u8]) -> Option<&'b [u8]> {
        if self.form == Form::Json {
            let part = object(body, &mut self.at)?;
            self.number += 1;
            return Some(part);
        }
        loop {
            let line = line(body, &mut self.at)?;
            self.number += 1;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    fn read(&self, part: &[u8], builder: &mut BatchBuilder) -> Result<(), Rejected> {
        match self.form {
            Form::JsonLines | Form::Json => self.reading.object(part, self.received, builder),
            Form::Text => self.reading.line(part, self.received, &self.peer, builder),
        }
    }

    fn reject(&mut self, rejected: &Rejected) {
        self.rejected += 1;
        if self.errors.len() < ERRORS_MAX {
            self.errors.push(LineError { line: self.number, reason: rejected.to_string() });
        }
    }
}

/// The line that begins at a place, which moves behind it.
fn line<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let rest = body.get(*at..).filter(|rest| !rest.is_empty())?;
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    *at += (end + 1).min(rest.len());
    Some(&rest[..end])
}

/// How many lines are not blank; counting ends when they are more than `max`.
fn lines(body: &[u8], max: usize) -> usize {
    let mut at = 0;
    let lines = std::iter::from_fn(|| line(body, &mut at));
    lines.filter(|line| !line.trim_ascii().is_empty()).take(max.saturating_add(1)).count()
}

/// The element at or behind a place in a JSON text that was [found right](count_objects).
fn object<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',');
    let mut start = *at + body.get(*at..)?.iter().take_while(|byte| between(byte)).count();
    if start < body.len() && body[..start].trim_ascii().is_empty() && body[start] == b'[' {
        start += 1;
    }
    let mut values = serde_json::Deserializer::from_slice(body.get(start..)?).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    *at = start + values.byte_offset();
    Some(value.get().as_bytes())
}

/// How many objects an array has; one where it is no array. Refuses what is no JSON.
fn count_objects(body: &[u8]) -> Result<usize> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let counted = if body.trim_ascii_start().starts_with(b"[") {
        reader.deserialize_seq(CountElements)
    } else {
        <&RawValue>::deserialize(&mut reader).map(|_| 1)
    };
    counted.and_then(|count| reader.end().map(|()| count)).map_err(|error| {
        let place = Place { line: error.line(), column: error.column(), end_column: None };
        let hint = "send one object or an array of objects, or an object a line as application/x-ndjson";
        ApiError::bad_request(format!("the body is not JSON: {error}; {hint}")).at(place)
    })
}

/// Counts the elements of an array without keeping them.
struct CountElements;

impl<'de> Visitor<'de> for CountElements {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while elements.next_element::<&RawValue>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

/// Parses and stores batch by batch, so that no more of them is in memory than has to be.
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
        let Taken { unrouted } = submitted.map_err(|error| not_stored(&error, accepted + dropped))?;
        accepted += messages - unrouted;
        dropped += unrouted;
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
        SubmitError::Busy | SubmitError::Failed(_) | SubmitError::ShuttingDown => {
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after_seconds(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(form: Form, body: &[u8], messages_max: usize) -> Result<Slices> {
        let reading = Reading::of(&IngestParams::default())?;
        let received = Timestamp::from_nanos(1);
        let sender = Sender { source: "http".to_owned(), peer: Peer(None), received };
        Slices::of(Bytes::copy_from_slice(body), (form, reading), sender, messages_max)
    }

    fn batches(slices: &mut Slices) -> Vec<Batch> {
        std::iter::from_fn(|| (0 < slices.rest_bytes()).then(|| slices.next())).collect()
    }

    /// The messages, and the lines that were rejected.
    fn check(form: Form, body: &str, expected: &[&str], rejected: &[usize]) {
        let mut slices = slices(form, body.as_bytes(), 100).unwrap();
        let batches = batches(&mut slices);
        let rows = batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| batch.message(row)));
        let messages: Vec<_> = rows.map(String::from_utf8_lossy).collect();
        assert_eq!(messages, expected, "{body}");
        assert_eq!(slices.errors.iter().map(|error| error.line).collect::<Vec<_>>(), rejected, "{body}");
        assert_eq!(slices.rejected, rejected.len());
    }

    #[test]
    fn every_form_is_read_and_bad_lines_are_named() {
        check(Form::JsonLines, "{\"msg\":\"a\"}\n\n{\"msg\":\"b\"}\r\nnonsense\n", &["a", "b"], &[4]);
        check(Form::Json, r#"[{"msg":"a"}, 7, {"log":"b"}]"#, &["a", "b"], &[2]);
        check(Form::Json, " [ 1,2 ,\n{\"msg\":\"[a]\"},[3],true,\"x\"]\n ", &["[a]"], &[1, 2, 4, 5, 6]);
        check(Form::Json, " [ ] ", &[], &[]);
        check(Form::Json, " {\"msg\":\"a\"}\n", &["a"], &[]);
        check(Form::Text, "one\r\n\n  two\nthree", &["one", "  two", "three"], &[]);
        check(Form::Text, "", &[], &[]);
    }

    #[test]
    fn a_body_that_is_no_json_is_refused_as_a_whole() {
        for body in ["[{\"msg\":\"a\"},", "{\"msg\":1} {\"msg\":2}", "hello", "", "[] []"] {
            assert!(slices(Form::Json, body.as_bytes(), 100).is_err(), "{body}");
        }
        assert!(slices(Form::Json, b"[{\"msg\":\"\xff\"}]", 100).is_err());
    }

    #[test]
    fn a_body_with_too_many_messages_is_refused_as_a_whole() {
        let check = |form: Form, body: &str, messages: usize| {
            assert!(slices(form, body.as_bytes(), messages).is_ok(), "{body}");
            let refused = slices(form, body.as_bytes(), messages - 1).err().unwrap();
            assert!(refused.detail().contains("limits.ingest_messages_max"), "{}", refused.detail());
        };
        check(Form::Text, "a\n\n \nb\nc", 3);
        check(Form::JsonLines, "{}\n{}\n", 2);
        check(Form::Json, "[{}, {}, 3, {}]", 4);
        check(Form::Json, "{}", 1);
    }

    #[test]
    fn a_long_body_becomes_several_batches_and_many_errors_are_counted() {
        let body = "x\n".repeat(BATCH_MESSAGES_MAX + 1);
        let mut long = slices(Form::Text, body.as_bytes(), usize::MAX).unwrap();
        let rows: Vec<usize> = batches(&mut long).iter().map(Batch::rows).collect();
        assert_eq!(rows, [BATCH_MESSAGES_MAX, 1]);
        let mut refused = slices(Form::JsonLines, body.as_bytes(), usize::MAX).unwrap();
        batches(&mut refused);
        assert_eq!((refused.rejected, refused.errors.len()), (BATCH_MESSAGES_MAX + 1, ERRORS_MAX));
        let mut long = slices(Form::Text, &vec![b'x'; (1 << 20) + 1], 1).unwrap();
        batches(&mut long);
        assert_eq!(long.rejected, 1);
    }

    #[test]
    fn a_slice_takes_no_more_memory_than_was_set_aside_for_it() {
        let check = |form: Form, part: &str| {
            let body = part.repeat((20 << 20) / part.len());
            let mut slices = slices(form, body.as_bytes(), usize::MAX).unwrap();
            let bytes = slices.next().memory_bytes();
            assert!(bytes <= SLICE_MEMORY_MAX, "{part}: {bytes}");
            let mut alone = self::slices(form, part.as_bytes(), 10).unwrap();
            let set_aside = part.len() * PARSED_FACTOR_MAX + SMALL_BATCH_BYTES;
            let bytes = alone.next().memory_bytes();
            assert!(bytes <= set_aside, "{part}: {bytes} of {set_aside}");
        };
        check(Form::Text, "a\n");
        check(Form::Text, &("x".repeat(1000) + "\n"));
        check(Form::JsonLines, "{}\n");
        let fields: Vec<String> = (0..1000).map(|field| format!("\"{field}\":1")).collect();
        check(Form::JsonLines, &format!("{{{}}}\n", fields.join(",")));
    }
}
