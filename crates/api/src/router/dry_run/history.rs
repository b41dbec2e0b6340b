//! `POST /router/test`: the outcome of a draft for stored or pasted messages, compared with that of the live
//! document. Nothing is sent or stored.
//!
//! In JSON, the answer is the report. In `application/x-ndjson`, it is a line `{"progress": REPORT}` from time to
//! time, and finally `{"end": REPORT}`; an answer without that was broken off. With many messages, the progress lines
//! have the figures of a sample from the whole range, while all messages are tried from first to last.

use super::report::DryRunReport;
use super::run::{DryRun, DryRunSetup};
use super::source_reader::SourceReader;
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use crate::question::cancel::Cancel;
use crate::question::{CallerQuestion, QuestionParameters};
use crate::router::draft::Draft;
use crate::stream::{BodyPiece, StreamedBody};
use crate::waiting::{blocking, busy};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use logstead_flow::request_id;
use logstead_questions::store::Cancelled;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

const LINES: &str = "application/x-ndjson";
/// Default number of examples of each cell.
const EXAMPLES: usize = 3;
const EXAMPLES_MAX: usize = 20;
/// Maximum number of messages that may be pasted.
const PASTED_MAX: usize = 10_000;
/// Maximum number of lines that wait for a slow client.
const LINES_MAX: usize = 4;
/// Time between progress lines.
const TELL_INTERVAL: Duration = Duration::from_millis(300);
/// Default size of a sample.
const SAMPLE_MAX: u64 = 100_000;

/// The draft to try, and the messages to try it on: `query`, `from`, `to` and `logspaces` as in a search, or
/// `messages`.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouterTestRequest {
    /// The draft: TOML in a string, or the document as JSON.
    #[schema(value_type = serde_json::Value)]
    document: serde_json::Value,
    /// Messages to try it on, instead of stored ones.
    #[serde(default)]
    messages: Option<Vec<PastedMessage>>,
    /// How many examples of each outcome to show.
    #[schema(default = 3, minimum = 0, maximum = 20)]
    examples: Option<usize>,
    /// Limits the test to this many of the newest messages.
    limit: Option<u64>,
    /// The size of the sample from the whole range that is tried first, if there are more than twice as many
    /// messages: the progress lines have its figures. No sample with 0, with `limit`, and in an answer without
    /// progress lines.
    #[schema(default = 100_000, minimum = 0, maximum = 100_000)]
    sample: Option<u64>,
}

/// A message that is not stored.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename = "Pasted")]
#[schema(as = Pasted)]
pub(crate) struct PastedMessage {
    /// The message as it would be received.
    raw: String,
    /// The id of the source through which it is received.
    source: String,
}

impl QuestionParameters for RouterTestRequest {}

/// A line of the answer.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TestLine {
    /// The progress so far.
    Progress(DryRunReport),
    /// The end: no more lines follow.
    End(DryRunReport),
}

/// Tries a draft on messages: reports their outcome in the draft and in the live document.
#[utoipa::path(
    post, path = "/api/v1/router/test", operation_id = "test_router", tag = "router", request_body = RouterTestRequest,
    responses((status = 200, content((DryRunReport = "application/json"), (TestLine = "application/x-ndjson"))))
)]
pub(crate) async fn test(headers: HeaderMap, asked: CallerQuestion<RouterTestRequest>) -> Result<Response> {
    let CallerQuestion { shared, question, own, started, .. } = asked;
    let RouterTestRequest { document, messages, examples, limit, sample } = own;
    if !question.stages.is_empty() {
        let detail = "a draft is tried on messages, not on a table: leave out the part after `|`";
        return Err(ApiError::new(ProblemType::UnsuitableQuery, detail).path("query"));
    }
    let examples = examples.unwrap_or(EXAMPLES);
    if EXAMPLES_MAX < examples {
        return Err(ApiError::invalid(format!("at most {EXAMPLES_MAX} examples are shown")).path("examples"));
    }
    let sample = sample.unwrap_or(SAMPLE_MAX);
    if SAMPLE_MAX < sample {
        return Err(ApiError::invalid(format!("a sample has at most {SAMPLE_MAX} messages")).path("sample"));
    }
    let pipeline = shared.state.pipeline.clone();
    let live = pipeline.router();
    let draft = Draft::of_value(&document, &live).and_then(Draft::checked).map_err(ApiError::of_document)?;
    let reader = SourceReader::new(&pipeline, &draft);
    let lookups = pipeline.lookups.tables.clone();
    let ground = DryRunSetup { live: live.checked.clone(), draft, lookups, examples_max: examples };
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let in_lines = accept.contains(LINES);
    if let Some(messages) = messages {
        if PASTED_MAX < messages.len() {
            let detail = format!("{} messages were pasted, and the limit is {PASTED_MAX}", messages.len());
            return Err(ApiError::invalid(detail).path("messages"));
        }
        let paste = move || {
            let pasted = messages.iter().map(|message| (message.raw.as_str(), message.source.as_str()));
            DryRun::new(ground, reader, started).paste(pasted)
        };
        let report = blocking(paste).await?;
        if !in_lines {
            return Ok(axum::Json(report).into_response());
        }
        let mut line = serde_json::to_vec(&TestLine::End(report)).map_err(ApiError::internal)?;
        line.push(b'\n');
        return Ok(([(header::CONTENT_TYPE, LINES)], line).into_response());
    }
    let Ok(permit) = shared.exports.clone().try_acquire_owned() else {
        return Err(busy("too many exports, replays and tests are running (limits.exports_max)"));
    };
    let (cancel, guard) = Cancel::without_limit(&shared);
    let sample = if in_lines && limit.is_none() { sample } else { 0 };
    let begin = move || {
        let mut dry_run = DryRun::new(ground, reader, started);
        dry_run.begin(question, limit, &cancel).map(|()| (dry_run, cancel))
    };
    let (dry_run, cancel) = blocking(begin).await?.map_err(|Cancelled| busy("the server is stopping"))?;
    let (lines, mut received) = mpsc::channel(LINES_MAX);
    tokio::spawn(request_id::followed(async move {
        let _permit = permit;
        run(dry_run, sample, cancel, lines).await;
    }));
    if in_lines {
        let mut response = StreamedBody::whole(received, guard).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(LINES));
        return Ok(response);
    }
    let mut last = None;
    while let Some(piece) = received.recv().await {
        if let BodyPiece::Data(line) = piece {
            last = Some(line);
        }
    }
    drop(guard);
    let last = last.ok_or_else(|| ApiError::internal("a test without an end"))?;
    let line: serde_json::Value = serde_json::from_slice(&last).map_err(ApiError::internal)?;
    match line.get("end") {
        Some(report) => Ok(axum::Json(report).into_response()),
        None => Err(busy("the test was broken off: ask again")),
    }
}

/// Tries all messages, and reports the progress from time to time.
async fn run(mut dry_run: DryRun, sample: u64, cancel: Cancel, lines: mpsc::Sender<BodyPiece>) {
    let cancel = Arc::new(cancel);
    // A small sample first: it shows within moments what a larger one then shows more precisely.
    for size in [sample / 10, sample] {
        if size == 0 || dry_run.total() <= 2 * size {
            continue;
        }
        let Some((next, Ok(()))) =
            step(dry_run, &cancel, move |dry_run, cancel| dry_run.sample(size, cancel)).await
        else {
            return;
        };
        dry_run = next;
        if !tell(&lines, &TestLine::Progress(dry_run.report())).await {
            return;
        }
    }
    let mut told = Instant::now();
    loop {
        let Some((next, Ok(done))) = step(dry_run, &cancel, DryRun::next_piece).await else { return };
        dry_run = next;
        if done {
            if tell(&lines, &TestLine::End(dry_run.report())).await {
                // Without this, the connection would be broken off as incomplete.
                lines.send(BodyPiece::End(HeaderMap::new())).await.ok();
            }
            return;
        }
        if TELL_INTERVAL <= told.elapsed() {
            told = Instant::now();
            if !tell(&lines, &TestLine::Progress(dry_run.report())).await {
                return;
            }
        }
    }
}

/// Runs a step on a blocking thread; returns `None` if it panics.
async fn step<T: Send + 'static>(
    mut dry_run: DryRun,
    cancel: &Arc<Cancel>,
    work: impl FnOnce(&mut DryRun, &Cancel) -> T + Send + 'static,
) -> Option<(DryRun, T)> {
    let cancel = cancel.clone();
    let made = blocking(move || {
        let done = work(&mut dry_run, &cancel);
        (dry_run, done)
    });
    made.await.inspect_err(|_| tracing::error!("a test of a draft was broken off by a panic")).ok()
}

/// Sends a line; returns whether the client is still connected.
async fn tell(lines: &mpsc::Sender<BodyPiece>, line: &TestLine) -> bool {
    let Ok(mut line) = serde_json::to_vec(line) else { return false };
    line.push(b'\n');
    lines.send(BodyPiece::Data(line.into())).await.is_ok()
}
