//! Everything that a page of results shows, in one request: the messages first, and the rest as soon as it is known.
//!
//! | line | holds                         |
//! |------|-------------------------------|
//! | 1    | `{"rows": …}`, as `/search`   |
//! | …    | `{"progress": …}`, or none    |
//! | n-2  | `{"histogram": …}`            |
//! | n-1  | `{"facets": …}`               |
//! | n    | `{"end": …}`                  |
//!
//! Histogram and facets are computed in one pass; if that fails, the last line is `{"error": …}`. A long pass is
//! split into slices, newest first, and progress shows the sum of the slices so far.
//!
//! **Invariant:** an answer without `end` or `error` is cut off.

use crate::ask::facets::{Facet, FacetCounting, FacetSelection};
use crate::ask::histogram::{Histogram, HistogramBuilder, HistogramShape};
use crate::ask::search::{ResultOrder, SearchResult, page_request};
use crate::error::{Problem, Result};
use crate::question::cancel::{Cancel, Guard, permit};
use crate::question::warning::QueryWarning;
use crate::question::{CallerQuestion, Effort, QuestionParameters, StoreQuestion, list};
use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use logstead_answer::AnswerError;
use logstead_flow::request_id;
use logstead_query::TimeRange;
use logstead_questions::store::{Coverage, PageRequest};
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The fields whose values are counted by default.
const FIELDS: [&str; 3] = ["host", "program", "severity"];
/// Number of lines that every answer has.
const LINES: usize = 4;
/// Maximum number of lines that wait for a slow client. Progress lines that would take the place of others are left
/// out.
const LINES_MAX: usize = 2 * LINES;

/// The conditions under which an answer is split into slices.
#[derive(Clone, Copy)]
struct SlicePacing {
    /// Minimum number of stored messages for considering slices, as the estimate takes time too.
    messages_min: u64,
    /// Minimum number of messages that have to be read one by one: as many as can be read in a tenth of a second.
    looked_at_min: u64,
    /// Interval between progress lines.
    every: Duration,
}

const PACE: SlicePacing =
    SlicePacing { messages_min: 1_000_000, looked_at_min: 1_000_000, every: Duration::from_millis(100) };
/// The initial number of slices.
const SLICES: usize = 16;

/// The parts of the overview to return.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverviewRequest {
    /// Maximum number of messages on the first page.
    #[schema(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    #[schema(default = "newest")]
    order: Option<ResultOrder>,
    /// The same as for `/histogram`.
    #[schema(default = 60, minimum = 1, maximum = 10000)]
    buckets: Option<u32>,
    /// The same as for `/histogram`.
    interval: Option<String>,
    /// The same as for `/histogram`.
    by: Option<String>,
    /// The fields whose values are counted; `host`, `program` and `severity` by default.
    #[serde(default, deserialize_with = "list")]
    fields: Option<Vec<String>>,
    /// How many values of each field to show.
    #[schema(default = 10, minimum = 1, maximum = 10000)]
    facet_limit: Option<u32>,
    /// The same as for `/facets`.
    #[schema(default = true)]
    own_clauses: Option<bool>,
}

/// A line of the answer.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OverviewLine {
    /// The first page of messages.
    Rows(SearchResult),
    /// The progress so far, if the answer takes longer than a moment.
    Progress(OverviewProgress),
    /// The numbers of matching messages over time.
    Histogram(Histogram),
    /// The values of fields.
    Facets(BTreeMap<String, Facet>),
    /// The end: no more lines follow.
    End(OverviewEnd),
    /// The reason why no more lines follow.
    Error(Problem),
}

/// Histogram and facets of a part of the range, which is that of the newest messages. Exact for that part.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct OverviewProgress {
    /// The fraction of the range that was examined, from 0 to 1.
    fraction: f64,
    histogram: Histogram,
    facets: BTreeMap<String, Facet>,
}

/// Coverage and warnings that apply to histogram and facets.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct OverviewEnd {
    /// How many copies are not counted: messages that another of these logspaces has as well.
    copies: u64,
    /// The time since the request.
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// Finds the first messages, then counts all of them over time and by the values of fields. Each part of the answer
/// is a line of JSON, sent as soon as it is known: `rows`, `histogram`, `facets`, and `end` or `error`.
#[utoipa::path(
    post, path = "/api/v1/overview", operation_id = "stream_overview", tag = "search", request_body = OverviewRequest,
    responses((status = 200, body = OverviewLine, content_type = "application/x-ndjson"))
)]
pub(crate) async fn overview(asked: CallerQuestion<OverviewRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, own, started, .. } = asked;
    let memory_bytes_max = shared.query_memory_max();
    let spans =
        HistogramShape { buckets: own.buckets, interval: own.interval.as_deref(), by: own.by.as_deref() };
    let fields = own.fields.unwrap_or_else(|| FIELDS.map(str::to_owned).into());
    let values = FacetSelection {
        fields,
        limit: own.facet_limit,
        limit_path: "facet_limit",
        own_clauses: own.own_clauses,
        numbers: false,
    };
    let overview = Overview {
        page: page_request(own.limit, own.order, None)?,
        drawing: HistogramBuilder::new(&question, &spans, memory_bytes_max)?,
        counting: FacetCounting::new(values, &question, memory_bytes_max)?,
        question,
        started,
        pace: PACE,
    };
    let permit = permit(&shared, &caller, overview.question.weight(true)).await?;
    let (cancel, guard) = Cancel::after(&shared, overview.question.spent);
    let (sender, lines) = mpsc::channel(LINES_MAX);
    tokio::task::spawn_blocking(request_id::carried(move || {
        let _permit = permit;
        overview.run(&cancel, &sender);
    }));
    let body = Body::from_stream(LinesBody { lines, _guard: guard });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

impl QuestionParameters for OverviewRequest {}

/// Everything that is needed to produce the lines.
struct Overview {
    page: PageRequest,
    drawing: HistogramBuilder,
    counting: FacetCounting,
    question: StoreQuestion,
    started: Instant,
    pace: SlicePacing,
}

impl Overview {
    fn run(mut self, cancel: &Cancel, lines: &mpsc::Sender<Bytes>) {
        send(
            lines,
            &OverviewLine::Rows(SearchResult::new(
                &mut self.question, &self.page, None, self.started, cancel,
            )),
        );
        let coverage = match self.answer(cancel, lines) {
            Ok(coverage) => coverage,
            Err(error) => {
                let error = crate::error::ApiError::from(error);
                return send(lines, &OverviewLine::Error(error.into_problem()));
            }
        };
        send(lines, &OverviewLine::Histogram(self.drawing.finish(&mut self.question, cancel)));
        send(lines, &OverviewLine::Facets(self.counting.finish(&mut self.question, cancel)));
        let copies = self.question.count_copies(cancel);
        let took_ms = self.started.elapsed().as_millis() as u64;
        let warnings = self.question.warnings;
        send(lines, &OverviewLine::End(OverviewEnd { copies, took_ms, coverage, warnings }));
    }
}

impl Overview {
    /// Adds all matching messages to histogram and facets.
    fn answer(&mut self, cancel: &Cancel, lines: &mpsc::Sender<Bytes>) -> Result<Coverage, AnswerError> {
        let began = Instant::now();
        let mut slices = Slices::new(self.question.range, self.drawing.starts());
        if !self.pays(cancel) {
            slices.take_all();
        }
        let (mut told, mut sum) = (began, None);
        while let Some(range) = slices.next() {
            let began = Instant::now();
            let coverage = self.slice(range, cancel)?;
            sum = Some(match sum {
                None => coverage,
                Some(sum) => Coverage::joined(sum, coverage),
            });
            slices.took(began.elapsed());
            let is_last = slices.fraction() == 1.0;
            if !is_last && self.pace.every <= told.elapsed() && LINES < lines.capacity() {
                told = Instant::now();
                send(lines, &OverviewLine::Progress(self.progress(slices.fraction())));
            }
        }
        Ok(sum.unwrap_or_default())
    }

    fn slice(&mut self, range: TimeRange, cancel: &Cancel) -> Result<Coverage, AnswerError> {
        let mut asked = vec![self.counting.asked()];
        asked.extend(self.drawing.asked());
        let whole = std::mem::replace(&mut self.question.range, range);
        let coverage = self.question.answer(cancel, &mut asked);
        let coverage = coverage.and_then(|of| self.counting.answer_apart(of, &mut self.question, cancel));
        self.question.range = whole;
        coverage
    }

    fn progress(&self, fraction: f64) -> OverviewProgress {
        OverviewProgress { fraction, histogram: self.drawing.so_far(), facets: self.counting.so_far() }
    }

    /// Whether the answer takes long enough for slices to be worth it, as a segment that belongs to two slices is
    /// searched twice.
    fn pays(&self, cancel: &Cancel) -> bool {
        let StoreQuestion { logspaces, .. } = &self.question;
        let looked_at = || Effort::estimate(logspaces, self.question.wanted(), &cancel.run()).looked_at();
        self.pace.messages_min <= logspaces.messages() && self.pace.looked_at_min <= looked_at()
    }
}

/// Cuts a range into slices that end at bucket boundaries, newest first. A slice is meant to take about as long as
/// people notice.
///
/// **Invariant:** the slices partition the range.
struct Slices {
    /// The rest of the range; `None` after the last slice.
    left: Option<TimeRange>,
    starts: Vec<Timestamp>,
    /// The number of buckets that are left.
    buckets: usize,
    /// How many buckets the next slice has.
    width: usize,
}

impl Slices {
    fn new(range: TimeRange, starts: Vec<Timestamp>) -> Slices {
        let buckets = starts.len();
        Slices { left: Some(range), starts, buckets, width: buckets.div_ceil(SLICES).max(1) }
    }

    /// Makes the whole rest one slice.
    fn take_all(&mut self) {
        self.width = self.buckets.max(1);
    }

    fn next(&mut self) -> Option<TimeRange> {
        let left = self.left?;
        self.buckets = self.buckets.saturating_sub(self.width);
        let border = self.starts.get(self.buckets).copied().filter(|_| 0 < self.buckets);
        match border.filter(|border| left.first < *border && *border <= left.last) {
            Some(first) => {
                self.left = Some(TimeRange { first: left.first, last: first.saturating_add(-1) });
                Some(TimeRange { first, last: left.last })
            }
            // Buckets after the end of the range are empty.
            None if border.is_some_and(|border| left.last < border) => self.next(),
            None => {
                self.buckets = 0;
                self.left.take()
            }
        }
    }

    /// Adapts the length of the next slice to the time that the last one took.
    fn took(&mut self, time: Duration) {
        if time < PACE.every / 2 {
            self.width = self.width.saturating_mul(2);
        } else if PACE.every * 2 < time {
            self.width = (self.width / 2).max(1);
        }
    }

    /// The fraction of the buckets that were in slices so far.
    fn fraction(&self) -> f64 {
        if self.left.is_none() {
            return 1.0;
        }
        (self.starts.len() - self.buckets) as f64 / self.starts.len() as f64
    }
}

fn send(lines: &mpsc::Sender<Bytes>, line: &OverviewLine) {
    let mut text = serde_json::to_vec(line).expect("lines have names for keys, and every number is finite");
    text.push(b'\n');
    // A client that has disconnected needs no more lines.
    lines.blocking_send(text.into()).ok();
}

/// The body of the response, which ends the work when it is dropped.
struct LinesBody {
    lines: mpsc::Receiver<Bytes>,
    _guard: Guard,
}

impl Stream for LinesBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.poll_recv(context).map(|line| line.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Caller;
    use crate::question::{AllowedStages, CommonParameters};
    use crate::state::{ApiInner, ApiState, SharedState};
    use axum::http::Request;
    use logstead_accounts::{Account, Grant, Meta, Role};
    use logstead_config::check_toml;
    use logstead_config::settings::{self, Layers};
    use logstead_indexer::RealDisk;
    use logstead_pipeline::{Pipeline, RevisionChange};
    use logstead_record::SECOND;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::sync::Arc;
    use tower::ServiceExt;

    const ROUTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\n[[sources]]\nid = \"http\"\nkind = \"http\"\n\
                          [[routes]]\nid = \"all\"\nto = [\"main\"]\n";
    const FIRST: i64 = 1_750_000_000;

    /// The histogram and the facets in a line.
    fn made(line: &Value) -> (&Value, &Value) {
        (&line["histogram"], &line["facets"])
    }

    /// The lines of an answer with this pacing.
    async fn lines(shared: &SharedState, pace: SlicePacing, query: &str, to: Option<&str>) -> Vec<Value> {
        let caller =
            Caller::new(Account::User(1), "ana".to_owned(), Role::Analyst, Grant::default()).unwrap();
        let (query, to) = (Some(query.to_owned()), to.map(str::to_owned));
        let common = CommonParameters { query, to, ..CommonParameters::default() };
        let question = StoreQuestion::new(shared, &caller, &common, AllowedStages::None).unwrap();
        let spans = HistogramShape { buckets: Some(40), interval: None, by: Some("host") };
        let values = FacetSelection {
            fields: vec!["host".to_owned(), "severity".to_owned()],
            limit: None,
            limit_path: "facet_limit",
            own_clauses: None,
            numbers: false,
        };
        let overview = Overview {
            page: page_request(None, None, None).unwrap(),
            drawing: HistogramBuilder::new(&question, &spans, 1 << 20).unwrap(),
            counting: FacetCounting::new(values, &question, 1 << 20).unwrap(),
            question,
            started: Instant::now(),
            pace,
        };
        let (cancel, _guard) = Cancel::new(shared);
        let (sender, mut receiver) = mpsc::channel(100);
        tokio::task::spawn_blocking(move || overview.run(&cancel, &sender)).await.unwrap();
        let mut lines = Vec::new();
        while let Some(line) = receiver.recv().await {
            lines.push(serde_json::from_slice(&line).unwrap());
        }
        lines
    }

    async fn with_messages() -> (SharedState, tempfile::TempDir) {
        let data = tempfile::TempDir::new().unwrap();
        let mut settings = settings::load(&Layers::default()).unwrap();
        settings.storage.segment_rows_max = 100;
        let settings = Arc::new(settings);
        let meta = Meta::open(&data.path().join("logstead.db")).unwrap();
        let (document, checked) = check_toml(ROUTER).unwrap();
        let change = RevisionChange { toml: ROUTER.to_owned(), document, checked };
        let revision = meta.add_revision(ROUTER, "system", "", Timestamp::from_nanos(0)).unwrap();
        let pipeline =
            Pipeline::start(Arc::new(RealDisk), data.path(), settings.clone(), revision, change).unwrap();
        let state = || ApiState {
            meta: meta.clone(),
            pipeline: pipeline.clone(),
            revisions: Arc::new(crate::revision::Revisions::new(pipeline.clone(), meta.clone())),
            settings: settings.clone(),
            admin_token: Some("admin".to_owned()),
            setup_code: None,
            process: crate::Process::default(),
        };
        for part in 0..8 {
            let line = |n: i64| {
                let message = json!({"time": FIRST + n * 7, "host": format!("web-{}", n % 7), "message": format!("m{}", n % 5)});
                format!("{message}\n")
            };
            let body: String = (part * 60..part * 60 + 60).map(line).collect();
            let request = Request::post("/api/v1/ingest?logspace=main")
                .header(header::CONTENT_TYPE, "application/x-ndjson")
                .header(header::AUTHORIZATION, "Bearer admin");
            let answer = crate::app(state()).oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        (ApiInner::new(state()), data)
    }

    #[tokio::test]
    async fn slices_add_up_to_the_answer_of_one_pass() {
        let (shared, _data) = with_messages().await;
        let sliced = SlicePacing { messages_min: 0, looked_at_min: 0, every: Duration::ZERO };
        let to = Timestamp::from_nanos((FIRST + 3000) * SECOND).to_string();
        for (query, to) in
            [("*", Some(to.as_str())), ("m2", Some(to.as_str())), ("-m2", None), ("nothing", Some(&to))]
        {
            let whole = lines(&shared, PACE, query, to).await;
            assert_eq!(whole.len(), LINES, "{query}: {whole:?}");
            let parts = lines(&shared, sliced, query, to).await;
            let (progress, end) = parts[1..].split_at(parts.len() - LINES);
            assert!(1 < progress.len() || to.is_none(), "{query}: {parts:?}");
            assert_eq!(made(&end[0]).0, made(&whole[1]).0, "{query}");
            assert_eq!(made(&end[1]).1, made(&whole[2]).1, "{query}");
            let coverage = |line: &Value, name: &str| line["end"]["coverage"][name].clone();
            assert_eq!(coverage(&end[2], "complete"), true, "{query}");
            progress_is_exact(progress, &end[0]["histogram"], query);
        }
        shared.state.pipeline.stop();
    }

    /// Checks that each progress line has exactly the newest buckets of the whole histogram, and that its facets
    /// count the same messages.
    fn progress_is_exact(progress: &[Value], whole: &Value, query: &str) {
        let mut before = 0.0;
        for line in progress {
            let line = &line["progress"];
            let (histogram, facets) = made(line);
            let fraction = line["fraction"].as_f64().unwrap();
            assert!(before < fraction && fraction < 1.0, "{query}: {line}");
            before = fraction;
            let buckets = histogram["buckets"].as_array().unwrap();
            let seen = (fraction * buckets.len() as f64).round() as usize;
            let (older, newer) = buckets.split_at(buckets.len() - seen);
            assert!(older.iter().all(|bucket| bucket["count"] == 0), "{query}: {line}");
            assert_eq!(newer, &whole["buckets"].as_array().unwrap()[older.len()..], "{query}");
            let hosts = facets["host"]["values"].as_array().unwrap().iter();
            let hosts: u64 = hosts.map(|value| value["count"].as_u64().unwrap()).sum();
            assert_eq!(histogram["total"], hosts, "{query}: {line}");
        }
    }

    proptest! {
        #[test]
        fn slices_are_the_range(
            first in 0_i64..50, length in 0_i64..400, before in 0_i64..10, beyond in 0_i64..60, interval in 1_i64..20,
            times in proptest::collection::vec(0_u64..400, 0..60), is_open in any::<bool>(),
        ) {
            let last = if is_open { Timestamp::MAX } else { Timestamp::from_nanos(first + length) };
            let range = TimeRange { first: Timestamp::from_nanos(first), last };
            let starts = (0..).map(|n| first - before.min(interval - 1) + n * interval);
            let starts = starts.take_while(|start| *start <= first + length + beyond);
            let mut slices = Slices::new(range, starts.map(Timestamp::from_nanos).collect());
            let mut end = range.last;
            let mut times = times.into_iter().cycle();
            let mut fraction = 0.0;
            while let Some(slice) = slices.next() {
                prop_assert_eq!(slice.last, end);
                prop_assert!(slice.first <= slice.last);
                prop_assert!(fraction <= slices.fraction());
                (end, fraction) = (slice.first.saturating_add(-1), slices.fraction());
                slices.took(Duration::from_millis(times.next().unwrap_or_default()));
            }
            prop_assert_eq!(end, range.first.saturating_add(-1));
            prop_assert_eq!(fraction, 1.0);
        }
    }
}
