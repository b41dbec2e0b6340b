//! `POST /router/test`: what a draft would have done with stored messages, or with pasted ones, beside what the live document
//! does. Nothing is sent and nothing is stored.
//!
//! As JSON, the answer is the report. As `application/x-ndjson`, it is a line `{"progress": REPORT}` now and then, and
//! `{"end": REPORT}`; an answer without it was broken off.

use super::compare::{Comparison, Report};
use super::received::Reader;
use crate::api::error::{ApiError, Result};
use crate::api::question::cancel::Cancel;
use crate::api::question::{Asked, Parameters};
use crate::api::router::draft::Draft;
use crate::api::stream::{Piece, Pieces};
use crate::api::waiting::{blocking, busy};
use crate::machine::clock;
use crate::store::{Cancelled, Reading};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use logstead_indexer::{Hit, Order};
use logstead_record::{BatchBuilder, Selection};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Examples of each cell, unless fewer or more are asked for.
const EXAMPLES: usize = 3;
const EXAMPLES_MAX: usize = 20;
/// Messages that may be pasted.
const PASTED_MAX: usize = 10_000;
/// Lines that wait for a slow client.
const LINES_MAX: usize = 4;
/// Time between lines.
const TELL_INTERVAL: Duration = Duration::from_millis(300);

/// What to try, and on which messages: `query`, `from`, `to` and `logspaces` as of a search, or `messages`.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct TestRequest {
    /// The draft: TOML in a string, or the document as JSON.
    #[schema(value_type = Object)]
    document: serde_json::Value,
    /// Messages to try it on, instead of stored ones.
    #[serde(default)]
    messages: Option<Vec<Pasted>>,
    /// How many examples of each outcome to show.
    #[schema(default = 3, minimum = 0, maximum = 20)]
    examples: Option<usize>,
    /// Only this many of the newest messages.
    limit: Option<u64>,
}

/// A message that is not stored.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Pasted {
    /// As it comes in.
    raw: String,
    /// The id of the source that it comes in through.
    source: String,
}

impl Parameters for TestRequest {}

/// A line of the answer.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::api) enum TestLine {
    /// How far it is.
    Progress(Report),
    /// There are no more lines.
    End(Report),
}

/// Tries a draft on messages: what becomes of them in it, and in the live document.
#[utoipa::path(
    post, path = "/api/v1/router/test", operation_id = "test_router", tag = "router", request_body = TestRequest,
    responses((status = 200, content((Report = "application/json"), (TestLine = "application/x-ndjson"))))
)]
pub(in crate::api) async fn test(headers: HeaderMap, asked: Asked<TestRequest>) -> Result<Response> {
    let Asked { shared, question, own, started, .. } = asked;
    let TestRequest { document, messages, examples, limit } = own;
    if !question.stages.is_empty() {
        let detail = "a draft is tried on messages, not on a table: leave out what follows `|`";
        return Err(ApiError::bad_request(detail).path("query"));
    }
    let examples = examples.unwrap_or(EXAMPLES);
    if EXAMPLES_MAX < examples {
        return Err(
            ApiError::bad_request(format!("at most {EXAMPLES_MAX} examples are shown")).path("examples")
        );
    }
    let pipeline = shared.state.pipeline.clone();
    let live = pipeline.router();
    let draft = Draft::of_value(&document, &live).and_then(Draft::checked).map_err(ApiError::of_document)?;
    let comparison = Comparison::new(&live.checked, &draft, pipeline.lookups().tables(), examples);
    let reader = Reader::new(&pipeline);
    let mut trying = Trying { comparison, reader, reading: None, started, notes: notes(&draft) };
    if let Some(messages) = messages {
        let answer = blocking(move || trying.paste(&messages)).await??;
        return Ok(axum::Json(answer).into_response());
    }
    let Ok(permit) = shared.exports.clone().try_acquire_owned() else {
        return Err(busy("too many exports, replays and tests run (limits.exports_max)"));
    };
    let (cancel, guard) = Cancel::without_limit(&shared);
    let begin = move || {
        let order = if limit.is_some() { Order::Newest } else { Order::Oldest };
        let all = (order, limit.unwrap_or(u64::MAX));
        let begun = question.logspaces.clone().read(question.wanted(), None, all, &cancel.run());
        begun.map(|reading| (reading, cancel))
    };
    let (reading, cancel) = blocking(begin).await?.map_err(|Cancelled| busy("the server is stopping"))?;
    let of = reading.left().min(limit.unwrap_or(u64::MAX));
    trying.reading = Some((reading, of, limit.is_some()));
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let (lines, mut received) = mpsc::channel(LINES_MAX);
    tokio::spawn(async move {
        let _permit = permit;
        trying.run(cancel, lines).await;
    });
    if accept.contains("application/x-ndjson") {
        let mut response = Pieces::whole(received, guard).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
        return Ok(response);
    }
    let mut last = None;
    while let Some(piece) = received.recv().await {
        if let Piece::Data(line) = piece {
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

/// What to know about the figures.
fn notes(draft: &logstead_config::Checked) -> Vec<String> {
    let thins = |kind: &str| matches!(kind, "sample" | "throttle" | "dedup");
    let mut steps = draft.routes.iter().flat_map(|route| &route.steps);
    let mut notes = Vec::new();
    if steps.any(|step| thins(step.step.action.kind())) {
        notes.push(
            "sample, throttle and dedup begin anew with the first message of the range, as they would after a restart"
                .to_owned(),
        );
    }
    notes
}

struct Trying {
    comparison: Comparison,
    reader: Reader,
    /// Of how many, and whether these are only the newest.
    reading: Option<(Reading, u64, bool)>,
    started: Instant,
    notes: Vec<String>,
}

impl Trying {
    fn report(&self, fraction: f64, total: u64, sampled: bool) -> Report {
        let mut report = self.comparison.report();
        report.fraction = fraction;
        report.complete = 1.0 <= fraction;
        // Until then, what several logspaces have is in it several times.
        report.total = if report.complete { report.messages } else { total };
        report.sampled = sampled;
        report.took_ms = self.started.elapsed().as_millis() as u64;
        report.problems.extend(self.notes.iter().cloned());
        report
    }

    fn paste(&mut self, messages: &[Pasted]) -> Result<Report> {
        if PASTED_MAX < messages.len() {
            let detail = format!("{} messages were pasted, and the limit is {PASTED_MAX}", messages.len());
            return Err(ApiError::bad_request(detail).path("messages"));
        }
        let now = clock::now();
        // One by one, as their sources may alternate and their order counts.
        for message in messages {
            let mut builder = BatchBuilder::new();
            self.reader.pasted(&message.raw, &message.source, now, &mut builder);
            self.comparison.add(&Arc::new(builder.seal()), &message.source, &[]);
        }
        Ok(self.report(1.0, messages.len() as u64, false))
    }

    async fn run(mut self, cancel: Cancel, lines: mpsc::Sender<Piece>) {
        let mut told = Instant::now();
        let cancel = Arc::new(cancel);
        loop {
            let own = cancel.clone();
            let made = blocking(move || {
                let piece = self.next_piece(&own);
                (self, piece)
            });
            let piece;
            (self, piece) = match made.await {
                Ok(made) => made,
                Err(_) => return tracing::error!("a test of a draft was broken off by a panic"),
            };
            let Ok((done, fraction, total, sampled)) = piece else { return };
            if !done && told.elapsed() < TELL_INTERVAL {
                continue;
            }
            told = Instant::now();
            let report = self.report(fraction, total, sampled);
            let line = if done { TestLine::End(report) } else { TestLine::Progress(report) };
            let Ok(mut line) = serde_json::to_vec(&line) else { return };
            line.push(b'\n');
            if lines.send(Piece::Data(line.into())).await.is_err() {
                return;
            }
            if done {
                // Without it the connection would break.
                lines.send(Piece::End(HeaderMap::new())).await.ok();
                return;
            }
        }
    }

    /// Tries what comes next. Whether that was all, how much, of how many, and whether these are only the newest.
    fn next_piece(&mut self, cancel: &Cancel) -> std::result::Result<(bool, f64, u64, bool), Cancelled> {
        let Some((reading, total, sampled)) = &mut self.reading else { return Err(Cancelled) };
        let (total, sampled) = (*total, *sampled);
        let reader = &mut self.reader;
        let taken = RefCell::new((BatchBuilder::new(), Vec::new(), reader));
        let take = |logspace: &str, hit: &Hit, out: &mut Vec<u8>| {
            let (builder, ids, reader) = &mut *taken.borrow_mut();
            reader.stored(&hit.batch, hit.row, builder);
            ids.push((logspace.to_owned(), hit.sequence));
            // A piece is as long as what was received.
            hit.batch.write_raw(hit.row, out);
        };
        reading.next_piece(take, &cancel.run(), &mut Vec::new())?;
        let (mut builder, ids, _) = taken.into_inner();
        let batch = builder.seal();
        if batch.is_empty() {
            return Ok((true, 1.0, total, sampled));
        }
        let fraction = reading.written() as f64 / total.max(1) as f64;
        let mut by_source: BTreeMap<Vec<u8>, Selection> = BTreeMap::new();
        for row in 0..batch.rows() {
            let rows = by_source.entry(batch.source(row).to_vec());
            rows.or_insert_with(|| Selection::none(batch.rows())).insert(row);
        }
        for (source, rows) in by_source {
            let source = String::from_utf8_lossy(&source).into_owned();
            let part = Arc::new(batch.take(&rows));
            let first = self.comparison.first_logspaces(&part, &source);
            // What several logspaces have counts in the first.
            let ids: Vec<&(String, u64)> = rows.iter().map(|row| &ids[row]).collect();
            let once = Selection::from_fn(part.rows(), |row| {
                first[row].as_ref().is_none_or(|first| *first == ids[row].0)
            });
            let ids: Vec<Option<String>> =
                once.iter().map(|row| Some(format!("{}:{}", ids[row].0, ids[row].1))).collect();
            let part = if once.is_all() { part } else { Arc::new(part.take(&once)) };
            self.comparison.add(&part, &source, &ids);
        }
        Ok((false, fraction.min(0.999), total, sampled))
    }
}
