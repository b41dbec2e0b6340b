//! Everything that a page of results shows, in one request: messages first, the rest when it is made.
//!
//! | line | holds                         |
//! |------|-------------------------------|
//! | 1    | `{"rows": …}`, as `/search`   |
//! | 2    | `{"histogram": …}`            |
//! | 3    | `{"facets": …}`               |
//! | 4    | `{"end": …}`                  |
//!
//! Histogram and facets are made in one pass; where they can not be, a line `{"error": …}` is the last.
//!
//! **Invariant:** an answer without `end` or `error` is cut off.

use super::Shared;
use super::access::Caller;
use super::error::{Problem, Result};
use super::extract::Json;
use super::facets::{Counting, Facet};
use super::histogram::{Drawing, Histogram, Spans};
use super::scope::{Cancel, Coverage, Guard, QueryWarning, Scope, list, target};
use super::search::{Order, PageRequest, SearchResponse};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::sync::mpsc;

/// Fields whose values are counted, where a request does not say which.
const FIELDS: [&str; 3] = ["host", "program", "severity"];
/// Lines that may wait for a slow client: all that there are.
const LINES_MAX: usize = 4;

/// What to show.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverviewRequest {
    /// In the query language; empty or `*` means all.
    #[serde(default)]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing.
    #[serde(default, deserialize_with = "list")]
    logspaces: Option<Vec<String>>,
    /// Messages of the first page.
    #[schema(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    #[schema(default = "newest")]
    order: Option<Order>,
    /// As of `/histogram`.
    #[schema(default = 60, minimum = 1, maximum = 10000)]
    buckets: Option<u32>,
    /// As of `/histogram`.
    interval: Option<String>,
    /// As of `/histogram`.
    by: Option<String>,
    /// Fields whose values to count; `host`, `program` and `severity` where it is missing.
    #[serde(default, deserialize_with = "list")]
    fields: Option<Vec<String>>,
    /// How many values of each field to show.
    #[schema(default = 10, minimum = 1, maximum = 10000)]
    facet_limit: Option<u32>,
}

/// A line of the answer.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OverviewLine {
    /// The first page.
    Rows(SearchResponse),
    /// How far the answer is, where it takes longer than a moment.
    Progress(OverviewProgress),
    /// How many messages match over time.
    Histogram(Histogram),
    /// The values of fields.
    Facets(BTreeMap<String, Facet>),
    /// There are no more lines.
    End(OverviewEnd),
    /// Why there are no more lines.
    Error(Problem),
}

/// Histogram and facets of a part of the range: of the newest messages that match. Exact for that part.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct OverviewProgress {
    /// The part of the range that was looked at, from 0 to 1.
    fraction: f64,
    histogram: Histogram,
    facets: BTreeMap<String, Facet>,
}

/// What to know about histogram and facets.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct OverviewEnd {
    /// Since the request.
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// Finds the first messages, then counts all over time and by the values of fields. The answer is a line of JSON for
/// each, as soon as it is known: `rows`, `histogram`, `facets`, and `end` or `error`.
#[utoipa::path(
    post, path = "/api/v1/overview", tag = "search",
    responses((status = 200, body = OverviewLine, content_type = "application/x-ndjson"))
)]
pub(crate) async fn overview(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<OverviewRequest>,
) -> Result<Response> {
    let started = Instant::now();
    let scope = Scope::new(&shared, &caller, &target!(request))?;
    let memory_bytes_max = shared.query_memory_max();
    let spans =
        Spans { buckets: request.buckets, interval: request.interval.as_deref(), by: request.by.as_deref() };
    let fields = request.fields.unwrap_or_else(|| FIELDS.map(str::to_owned).into());
    let overview = Overview {
        page: PageRequest::new(request.limit, request.order.unwrap_or_default(), None)?,
        drawing: Drawing::new(&scope, &spans, memory_bytes_max)?,
        counting: Counting::new(fields, request.facet_limit, "facet_limit", memory_bytes_max)?,
        scope,
        started,
    };
    let permit = shared.search_permit().await?;
    let (cancel, guard) = Cancel::new(&shared);
    let (sender, lines) = mpsc::channel(LINES_MAX);
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        overview.run(&cancel, &sender);
    });
    let body = Body::from_stream(Lines { lines, _guard: guard });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

/// All that is needed to make the lines.
struct Overview {
    page: PageRequest,
    drawing: Drawing,
    counting: Counting,
    scope: Scope,
    started: Instant,
}

impl Overview {
    fn run(mut self, cancel: &Cancel, lines: &mpsc::Sender<Bytes>) {
        send(lines, &OverviewLine::Rows(self.page.run(&mut self.scope, cancel)));
        let mut asked = vec![self.counting.asked()];
        asked.extend(self.drawing.asked());
        let coverage = match self.scope.answer(cancel, &mut asked) {
            Ok(coverage) => coverage,
            Err(error) => {
                let error = super::error::ApiError::from(error);
                return send(lines, &OverviewLine::Error(error.into_problem()));
            }
        };
        send(lines, &OverviewLine::Histogram(self.drawing.finish(&mut self.scope)));
        send(lines, &OverviewLine::Facets(self.counting.finish(&mut self.scope)));
        let took_ms = self.started.elapsed().as_millis() as u64;
        send(lines, &OverviewLine::End(OverviewEnd { took_ms, coverage, warnings: self.scope.warnings }));
    }
}

fn send(lines: &mpsc::Sender<Bytes>, line: &OverviewLine) {
    let mut text = serde_json::to_vec(line).expect("lines have names for keys, and no number is not finite");
    text.push(b'\n');
    // Who has gone needs no more lines.
    lines.blocking_send(text.into()).ok();
}

/// The body: ends the work when it is dropped.
struct Lines {
    lines: mpsc::Receiver<Bytes>,
    _guard: Guard,
}

impl Stream for Lines {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.poll_recv(context).map(|line| line.map(Ok))
    }
}
