//! Searching and counting, over one or several logspaces.
//!
//! **Invariant:** a search that did not look at everything says so: `coverage.complete` is false and a warning
//! tells why.
//! **Invariant:** a search ends soon after its client has gone, its time is up, or the server stops.

use super::cursor::Cursor;
use super::error::{ApiError, Place, Result};
use super::extract::{Json, Path, Query};
use super::hint;
use super::message::Message;
use super::{Inner, Shared, blocking};
use crate::clock;
use axum::extract::State;
use logstead_indexer::{self as indexer, Filter, Hit, Position, Run, Searcher};
use logstead_record::Timestamp;
use logstead_record::query::{self, Context, ErrorKind, ParseError, TimeRange, parse_time};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering as Compared;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Most messages of one page.
const LIMIT_MAX: u32 = 10_000;

/// Which messages, and how many.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    /// In the query language; empty or `*` means all.
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`. All times before where it is
    /// missing.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing.
    logspaces: Option<Vec<String>>,
    /// Messages of a page.
    #[schema(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    #[schema(default = "newest")]
    order: Option<Order>,
    /// Where the page begins: `cursor` of the page before.
    cursor: Option<String>,
}

/// The same in an address.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParams {
    /// In the query language; empty or `*` means all.
    #[serde(default)]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids with commas between them; all logspaces where it is missing.
    logspaces: Option<String>,
    /// Messages of a page.
    #[param(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    #[param(default = "newest", inline)]
    order: Option<Order>,
    /// Where the page begins: `cursor` of the page before.
    cursor: Option<String>,
}

/// Which messages come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    #[default]
    Newest,
    Oldest,
}

/// A page of messages.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SearchResponse {
    messages: Vec<Message>,
    /// Where the next page begins; null on the last.
    #[schema(required)]
    cursor: Option<String>,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
    /// The query as it was understood.
    query: String,
}

/// Which messages to count.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountRequest {
    /// In the query language; empty or `*` means all.
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing.
    logspaces: Option<Vec<String>>,
}

/// The same in an address.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountParams {
    /// In the query language; empty or `*` means all.
    #[serde(default)]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids with commas between them; all logspaces where it is missing.
    logspaces: Option<String>,
}

/// How many messages match.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CountResponse {
    /// Exactly, where `coverage.complete`.
    count: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// What was looked at.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Coverage {
    /// Whether all was looked at that had to be; a warning tells why not.
    complete: bool,
    /// Sealed segments that were asked.
    segments: u64,
    /// Sealed segments that needed no look, because of their time.
    skipped_segments: u64,
    /// Sealed segments without an index: their messages were looked at.
    unindexed_segments: u64,
    /// Blocks of segments that were decompressed.
    blocks: u64,
    /// Messages that were compared with the query one by one.
    scanned_messages: u64,
    /// The memory they take.
    scanned_bytes: u64,
    /// Batches of the journal that were looked at.
    journal_batches: u64,
    /// Batches of the journal that needed no look, because of their time.
    skipped_batches: u64,
}

/// What to know about an answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryWarning {
    message: String,
    /// Where in the query, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<usize>,
    /// In characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<usize>,
    /// The column after the last character.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    end_column: Option<usize>,
    /// A query that was perhaps meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    suggestion: Option<String>,
}

/// Finds messages.
#[utoipa::path(
    post, path = "/api/v1/search", tag = "search",
    responses((status = 200, body = SearchResponse))
)]
pub(crate) async fn search(
    State(shared): State<Shared>,
    Json(request): Json<SearchRequest>,
) -> Result<axum::Json<SearchResponse>> {
    run_search(&shared, request).await
}

/// Finds messages; the same as the POST, for curl.
#[utoipa::path(
    get, path = "/api/v1/search", tag = "search", params(SearchParams),
    responses((status = 200, body = SearchResponse))
)]
pub(crate) async fn search_get(
    State(shared): State<Shared>,
    Query(params): Query<SearchParams>,
) -> Result<axum::Json<SearchResponse>> {
    let SearchParams { query, from, to, logspaces, limit, order, cursor } = params;
    let logspaces = logspaces.as_deref().map(split_list);
    run_search(&shared, SearchRequest { query, from, to, logspaces, limit, order, cursor }).await
}

/// Counts messages.
#[utoipa::path(
    post, path = "/api/v1/count", tag = "search",
    responses((status = 200, body = CountResponse))
)]
pub(crate) async fn count(
    State(shared): State<Shared>,
    Json(request): Json<CountRequest>,
) -> Result<axum::Json<CountResponse>> {
    run_count(&shared, request).await
}

/// Counts messages; the same as the POST, for curl.
#[utoipa::path(
    get, path = "/api/v1/count", tag = "search", params(CountParams),
    responses((status = 200, body = CountResponse))
)]
pub(crate) async fn count_get(
    State(shared): State<Shared>,
    Query(params): Query<CountParams>,
) -> Result<axum::Json<CountResponse>> {
    let CountParams { query, from, to, logspaces } = params;
    let logspaces = logspaces.as_deref().map(split_list);
    run_count(&shared, CountRequest { query, from, to, logspaces }).await
}

/// One message by its id.
#[utoipa::path(
    get, path = "/api/v1/messages/{id}", tag = "search",
    params(("id" = String, Path, description = "`LOGSPACE:SEQUENCE`", example = "main:42")),
    responses((status = 200, body = Message))
)]
pub(crate) async fn message(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<axum::Json<Message>> {
    let missing = || ApiError::not_found(format!("there is no message `{id}`"));
    let (logspace, sequence) = id.rsplit_once(':').ok_or_else(missing)?;
    let sequence = sequence.parse().map_err(|_| missing())?;
    let searchers = shared.state.pipeline.searchers();
    let (logspace, searcher) = searchers.into_iter().find(|(id, _)| id == logspace).ok_or_else(missing)?;
    let found = blocking(move || {
        let hit = searcher.get(sequence)?;
        Ok::<_, indexer::SearchError>(hit.map(|hit| Message::new(&logspace, &hit)))
    });
    found.await?.map_err(ApiError::internal)?.map(axum::Json).ok_or_else(missing)
}

/// A query with everything that decides what it finds.
struct Scope {
    query: query::Query,
    warnings: Vec<QueryWarning>,
    range: TimeRange,
    now: Timestamp,
    searchers: Vec<(String, Searcher)>,
}

impl Scope {
    fn new(
        shared: &Inner,
        query: &str,
        (from, to): (Option<&str>, Option<&str>),
        logspaces: Option<&[String]>,
    ) -> Result<Scope> {
        let now = clock::now();
        let search = query::parse_search(query).map_err(|error| refusal(&error, query))?;
        let range = range(from, to, now)?.intersect(search.query.time_range(now));
        let searchers = select_logspaces(shared.state.pipeline.searchers(), logspaces)?;
        let warnings =
            search.warnings.into_iter().map(|warning| QueryWarning::of_query(warning, query)).collect();
        Ok(Scope { query: search.query, warnings, range, now, searchers })
    }

    /// Asks one logspace after the other; what they looked at is added up.
    fn each(
        &mut self,
        cancel: &Cancel,
        mut ask: impl FnMut(Asked<'_>, &Run<'_>) -> indexer::Coverage,
    ) -> Coverage {
        let mut sum = Coverage { complete: true, ..Coverage::default() };
        let cancelled = || cancel.is_requested();
        let run = Run { cancelled: &cancelled, lanes: &cancel.shared.lanes };
        for (logspace, searcher) in &self.searchers {
            let filter = Filter::new(&self.query, &Context { now: self.now, logspace });
            let coverage = ask(Asked { logspace, searcher, filter: &filter, range: self.range }, &run);
            sum.add(&coverage, logspace, &mut self.warnings);
            if coverage.cancelled {
                self.warnings.push(QueryWarning::plain(cancel.reason(logspace)));
            }
        }
        sum
    }
}

/// A logspace, and what it is asked.
struct Asked<'a> {
    logspace: &'a str,
    searcher: &'a Searcher,
    filter: &'a Filter,
    range: TimeRange,
}

impl Scope {
    /// Says which fields no message in range has, and what was probably meant.
    fn warn_of_unknown_fields(&mut self, text: &str) {
        for field in hint::unknown_fields(&self.query, &self.searchers, self.range) {
            let name = field.name;
            let (hint, suggestion) = match field.meant {
                Some(meant) => (format!("did you mean `{meant}`?"), Some(text.replacen(&name, &meant, 1))),
                None => ("to search for the text, put it in quotes".to_owned(), None),
            };
            let message = format!("no message in this range has a field `{name}`: {hint}");
            self.warnings.push(QueryWarning { suggestion, ..QueryWarning::plain(message) });
        }
    }
}

async fn run_search(shared: &Shared, request: SearchRequest) -> Result<axum::Json<SearchResponse>> {
    let started = Instant::now();
    let order = match request.order.unwrap_or_default() {
        Order::Newest => indexer::Order::Newest,
        Order::Oldest => indexer::Order::Oldest,
    };
    let limit = check_limit(request.limit)?;
    let cursor = request.cursor.as_deref().map(|text| check_cursor(text, order)).transpose()?;
    let times = (request.from.as_deref(), request.to.as_deref());
    let mut scope = Scope::new(shared, &request.query, times, request.logspaces.as_deref())?;
    let permit = shared.search_permit().await?;
    let (cancel, _guard) = Cancel::new(shared, Instant::now());
    let page = move || {
        let _permit = permit;
        let mut page = Page { order, limit, hits: Vec::new(), more: false, cancelled: false };
        let coverage = scope.each(&cancel, |asked, run| {
            let after = cursor.as_ref().map(|cursor| cursor.position_in(asked.logspace));
            page.ask(&asked, after, run)
        });
        let (messages, cursor) = page.finish();
        if messages.is_empty() {
            scope.warn_of_unknown_fields(&request.query);
        }
        SearchResponse {
            messages,
            cursor,
            took_ms: started.elapsed().as_millis() as u64,
            coverage,
            warnings: scope.warnings,
            query: scope.query.to_string(),
        }
    };
    blocking(page).await.map(axum::Json)
}

async fn run_count(shared: &Shared, request: CountRequest) -> Result<axum::Json<CountResponse>> {
    let started = Instant::now();
    let times = (request.from.as_deref(), request.to.as_deref());
    let mut scope = Scope::new(shared, &request.query, times, request.logspaces.as_deref())?;
    let permit = shared.search_permit().await?;
    let (cancel, _guard) = Cancel::new(shared, Instant::now());
    let counted = move || {
        let _permit = permit;
        let mut count = 0;
        let coverage = scope.each(&cancel, |asked, run| {
            let counted = asked.searcher.count(asked.filter, asked.range, run);
            count += counted.count;
            counted.coverage
        });
        let took_ms = started.elapsed().as_millis() as u64;
        CountResponse { count, took_ms, coverage, warnings: scope.warnings }
    };
    blocking(counted).await.map(axum::Json)
}

/// The hits of several logspaces, merged to one page.
struct Page {
    order: indexer::Order,
    limit: usize,
    hits: Vec<(String, Hit)>,
    more: bool,
    /// Whether it is only a part of the page.
    cancelled: bool,
}

impl Page {
    fn ask(&mut self, asked: &Asked<'_>, after: Option<Position>, run: &Run<'_>) -> indexer::Coverage {
        let Asked { filter, range, .. } = *asked;
        let request = indexer::Request { filter, range, order: self.order, limit: self.limit, after };
        let found = asked.searcher.search(&request, run);
        self.more |= found.more;
        self.cancelled |= found.coverage.cancelled;
        self.hits.extend(found.hits.into_iter().map(|hit| (asked.logspace.to_owned(), hit)));
        found.coverage
    }

    /// The first messages of all, and where the next page begins. After a page that was cut short there is
    /// none: it could skip what this one did not get to see. What is damaged no page gets to see.
    fn finish(mut self) -> (Vec<Message>, Option<String>) {
        let order = self.order;
        self.hits.sort_unstable_by(|a, b| compare(order, a, b));
        self.more |= self.limit < self.hits.len();
        self.hits.truncate(self.limit);
        let last = self.hits.last().filter(|_| self.more && !self.cancelled);
        let cursor = last.map(|(id, hit)| {
            Cursor { order, time: hit.time, logspace: id.clone(), sequence: hit.sequence }.encode()
        });
        (self.hits.iter().map(|(id, hit)| Message::new(id, hit)).collect(), cursor)
    }
}

fn compare(order: indexer::Order, (a_id, a): &(String, Hit), (b_id, b): &(String, Hit)) -> Compared {
    let ascending = (a.time, a_id, a.sequence).cmp(&(b.time, b_id, b.sequence));
    match order {
        indexer::Order::Oldest => ascending,
        indexer::Order::Newest => ascending.reverse(),
    }
}

/// Tells a search to end before it is through.
struct Cancel {
    shared: Shared,
    client_is_gone: Arc<AtomicBool>,
    started: Instant,
    time_max: Duration,
}

/// Dropped when the client has its answer, or does not want it any more.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Cancel {
    fn new(shared: &Shared, started: Instant) -> (Cancel, Guard) {
        let client_is_gone = Arc::new(AtomicBool::new(false));
        let time_max = shared.state.settings.limits.search_time_max.duration();
        let guard = Guard(client_is_gone.clone());
        (Cancel { shared: shared.clone(), client_is_gone, started, time_max }, guard)
    }

    fn is_requested(&self) -> bool {
        self.client_is_gone.load(Ordering::Relaxed)
            || self.shared.state.pipeline.stop_requested()
            || self.time_max < self.started.elapsed()
    }

    fn reason(&self, logspace: &str) -> String {
        if self.shared.state.pipeline.stop_requested() {
            return format!("logspace `{logspace}` was not searched to the end: the server is stopping");
        }
        let seconds = self.time_max.as_secs_f64();
        format!(
            "logspace `{logspace}` was not searched to the end, as a search may take {seconds} s: \
             narrow the time range, or raise limits.search_time_max"
        )
    }
}

impl Coverage {
    fn add(&mut self, other: &indexer::Coverage, logspace: &str, warnings: &mut Vec<QueryWarning>) {
        self.complete &= other.complete;
        self.segments += other.segments;
        self.skipped_segments += other.skipped_segments;
        self.unindexed_segments += other.unindexed_segments;
        self.blocks += other.blocks;
        self.scanned_messages += other.scanned_messages;
        self.scanned_bytes += other.scanned_bytes;
        self.journal_batches += other.journal_batches;
        self.skipped_batches += other.skipped_batches;
        for damage in &other.damaged {
            warnings.push(QueryWarning::plain(format!(
                "a part of logspace `{logspace}` can not be read: {damage}"
            )));
        }
    }
}

impl QueryWarning {
    fn plain(message: String) -> QueryWarning {
        QueryWarning { message, line: None, column: None, end_column: None, suggestion: None }
    }

    fn of_query(warning: query::Warning, text: &str) -> QueryWarning {
        let place = place(warning.span, text);
        QueryWarning {
            line: Some(place.line),
            column: Some(place.column),
            end_column: place.end_column,
            suggestion: warning.suggestion,
            ..QueryWarning::plain(warning.message)
        }
    }
}

fn refusal(error: &ParseError, text: &str) -> ApiError {
    ApiError::bad_request(format!("the query is not understood: {}", error.message))
        .path("query")
        .at(place(error.span.clone(), text))
        .suggestion(error.suggestion.clone())
}

fn place(span: Range<usize>, text: &str) -> Place {
    let error = ParseError { kind: ErrorKind::Syntax, message: String::new(), span, suggestion: None };
    let (line, column, end_column) = error.line_column(text);
    Place { line, column, end_column: Some(end_column) }
}

fn range(from: Option<&str>, to: Option<&str>, now: Timestamp) -> Result<TimeRange> {
    let first = from.map(|text| time(text, "from", now)).transpose()?;
    let end = to.map(|text| time(text, "to", now)).transpose()?;
    if let (Some(first), Some(end)) = (first, end)
        && end <= first
    {
        let detail = format!("from ({first}) must be before to ({end})");
        return Err(ApiError::bad_request(detail).path("from"));
    }
    Ok(TimeRange {
        first: first.unwrap_or(TimeRange::ALL.first),
        last: end.map_or(TimeRange::ALL.last, |end| end.saturating_add(-1)),
    })
}

fn time(text: &str, name: &str, now: Timestamp) -> Result<Timestamp> {
    let expression = parse_time(text.trim()).ok_or_else(|| {
        let detail = format!("{name} `{text}` is no time: write it as 2026-11-21T06:13:00Z, -15m or now-1h");
        ApiError::bad_request(detail).path(name)
    })?;
    Ok(expression.resolve(now))
}

fn select_logspaces(
    searchers: Vec<(String, Searcher)>,
    wanted: Option<&[String]>,
) -> Result<Vec<(String, Searcher)>> {
    let Some(wanted) = wanted else { return Ok(searchers) };
    if let Some(unknown) = wanted.iter().find(|id| !searchers.iter().any(|(known, _)| known == *id)) {
        let ids: Vec<&str> = searchers.iter().map(|(id, _)| id.as_str()).collect();
        return Err(unknown_logspace(unknown, &ids));
    }
    Ok(searchers.into_iter().filter(|(id, _)| wanted.contains(id)).collect())
}

/// 404, naming those that there are.
pub(crate) fn unknown_logspace(id: &str, known: &[&str]) -> ApiError {
    ApiError::not_found(format!("there is no logspace `{id}`: there are {}", known.join(", ")))
        .path("logspaces")
}

fn check_limit(limit: Option<u32>) -> Result<usize> {
    match limit.unwrap_or(100) {
        0 => Err(ApiError::bad_request("limit is 0: it must be at least 1").path("limit")),
        limit @ 1..=LIMIT_MAX => Ok(limit as usize),
        limit => Err(ApiError::bad_request(format!(
            "limit is {limit}: ask for at most {LIMIT_MAX} messages and for the next page with `cursor`"
        ))
        .path("limit")),
    }
}

fn check_cursor(text: &str, order: indexer::Order) -> Result<Cursor> {
    let refused = |detail: &str| ApiError::bad_request(detail).path("cursor");
    match Cursor::decode(text) {
        Some(cursor) if cursor.order == order => Ok(cursor),
        Some(_) => Err(refused("the cursor is of a page in the other order: begin anew without it")),
        None => Err(refused("the cursor is not one that a search has answered: begin anew without it")),
    }
}

/// The parts between the commas, without those that are empty.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
