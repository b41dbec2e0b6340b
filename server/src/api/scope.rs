//! What every question to the store has in common: a query, a range of time, logspaces; its turn, and its end.
//!
//! **Invariant:** an answer that did not look at everything says so: `coverage.complete` is false and a warning
//! tells why.
//! **Invariant:** whoever may see a part of the messages gets nothing from the others: no message, no count, and no
//! number of what was looked at that depends on what they say.
//! **Invariant:** a question ends soon after its client has gone, its time is up, or the server stops.

use super::access::Caller;
use super::clocks::Clocks;
use super::error::{ApiError, Place, Result};
use super::hint::{self, UnknownField};
use super::{Inner, Shared, blocking, explain};
use crate::machine::clock;
use crate::machine::lanes::SharedLanes;
use logstead_indexer::{self as indexer, AnswerError, Filter, Run, Searcher};
use logstead_record::Timestamp;
use logstead_record::query::{
    self, Context, ErrorKind, FieldName, ParseError, Pipeline, Query, Stage, TimeRange, parse_time,
};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An estimate that takes longer is one of a question that takes long.
const ESTIMATE_TIME_MAX: Duration = Duration::from_millis(50);

/// What a request says about it.
pub(super) struct Target<'a> {
    pub(super) query: &'a str,
    pub(super) from: Option<&'a str>,
    pub(super) to: Option<&'a str>,
    pub(super) logspaces: Option<&'a [String]>,
    pub(super) timezone: Option<&'a str>,
}

/// The target of any request, which all have the same five fields for it.
macro_rules! target {
    ($request:expr) => {
        $crate::api::scope::Target {
            query: &$request.query,
            from: $request.from.as_deref(),
            to: $request.to.as_deref(),
            logspaces: $request.logspaces.as_deref(),
            timezone: $request.timezone.as_deref(),
        }
    };
}
pub(super) use target;

/// A query with everything that decides what it finds.
pub(super) struct Scope {
    /// As it was sent.
    text: String,
    /// What the caller asks for: to be shown, never to be searched for.
    pub(super) asked: Query,
    /// That of it which the caller may see.
    pub(super) query: Query,
    /// Whether the caller may see a part only of the messages in these logspaces.
    pub(super) narrowed: bool,
    pub(super) stages: Vec<Stage>,
    pub(super) warnings: Vec<QueryWarning>,
    /// The range of the request, or the one that the query names instead.
    requested: TimeRange,
    /// What the query leaves of it.
    pub(super) range: TimeRange,
    pub(super) now: Timestamp,
    pub(super) searchers: Vec<(String, Searcher)>,
}

/// A logspace, and what it is asked.
pub(super) struct InLogspace<'a> {
    pub(super) logspace: &'a str,
    pub(super) searcher: &'a Searcher,
    pub(super) filter: &'a Filter,
    pub(super) range: TimeRange,
}

/// What was looked at.
#[derive(Clone, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Coverage {
    /// Whether all was looked at that had to be; a warning tells why not.
    complete: bool,
    /// Sealed segments that were asked.
    segments: u64,
    /// Sealed segments that needed no look, because of their time.
    skipped_segments: u64,
    /// Sealed segments without an index: their messages were looked at.
    unindexed_segments: u64,
    /// Blocks of segments that were decompressed. This and the following are 0 for callers limited by a
    /// grant: they would reveal other messages.
    blocks: u64,
    /// Messages that were compared with the query one by one.
    scanned_messages: u64,
    /// The memory they take.
    scanned_bytes: u64,
    /// Batches of the journal that were looked at.
    journal_batches: u64,
    /// Batches of the journal that needed no look, because of their time.
    skipped_batches: u64,
    /// Whether it ended before it was through.
    #[serde(skip)]
    cancelled: bool,
}

/// What to know about an answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryWarning {
    message: String,
    /// What it is about, where a program may want to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<WarningCode>,
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

/// What a warning is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WarningCode {
    /// The query names its own time range: `from` and `to` do not apply.
    RangeInQuery,
}

impl Scope {
    /// Of a query that is a filter alone.
    pub(super) fn new(shared: &Inner, caller: &Caller, target: &Target<'_>) -> Result<Scope> {
        let scope = Scope::with_stages(shared, caller, target)?;
        if scope.stages.is_empty() { Ok(scope) } else { Err(stages_refused(target.query)) }
    }

    /// Of a query that may have stages.
    pub(super) fn with_stages(shared: &Inner, caller: &Caller, target: &Target<'_>) -> Result<Scope> {
        let now = clock::now();
        let text = target.query;
        let search = query::parse_pipeline_search(text).map_err(|error| refusal(&error, text, "query"))?;
        let zone = Clocks::new(target.timezone)?;
        let requested = range(target, &zone, now)?;
        let Pipeline { filter: asked, stages } = search.pipeline.in_zone(&zone, now);
        let query = within(&asked, caller.scope());
        let warnings = search.warnings.into_iter().map(|warning| QueryWarning::of_query(warning, text));
        let is_limited = target.from.is_some() || target.to.is_some();
        let overrides = (is_limited && asked.sets_range()).then(QueryWarning::of_range);
        Ok(Scope {
            text: text.to_owned(),
            warnings: warnings.chain(overrides).collect(),
            requested: asked.range_within(requested, now),
            range: asked.range_within(requested, now).intersect(query.time_range(now)),
            asked,
            query,
            narrowed: caller.scope().is_some(),
            stages,
            now,
            searchers: select_logspaces(shared, caller, target.logspaces)?,
        })
    }

    /// The range as it can be drawn: where its beginning is missing it begins with the stored messages, and where its
    /// end is missing it ends now, or with what is stored where all of that is later. `None` where nothing is stored
    /// that it could begin with.
    pub(super) fn drawn_range(&self) -> Option<TimeRange> {
        let range = if self.range.is_empty() { self.requested } else { self.range };
        let stored = stored(&self.searchers);
        let first = match range.first {
            Timestamp::MIN => stored?.first,
            first => first,
        };
        let last = match range.last {
            Timestamp::MAX if first <= self.now => self.now,
            Timestamp::MAX => stored?.last,
            last => last,
        };
        Some(TimeRange { first, last }).filter(|range| !range.is_empty())
    }

    /// Asks one logspace after the other; what they looked at is added up.
    pub(super) fn each(
        &mut self,
        cancel: &Cancel,
        mut ask: impl FnMut(InLogspace<'_>, &Run<'_>) -> indexer::Coverage,
    ) -> Coverage {
        let mut sum = Coverage { complete: true, ..Coverage::default() };
        let cancelled = || cancel.is_requested();
        let run = Run { cancelled: &cancelled, lanes: cancel.lanes() };
        for (logspace, searcher) in &self.searchers {
            let filter = Filter::new(&self.query, &Context { now: self.now, logspace });
            let coverage = ask(InLogspace { logspace, searcher, filter: &filter, range: self.range }, &run);
            sum.add(&coverage, logspace, &mut self.warnings);
            if coverage.cancelled {
                warn_once(&mut self.warnings, cancel.reason(logspace));
            }
        }
        if self.narrowed {
            // They tell how many messages that the caller may not see have the words of the query.
            (sum.blocks, sum.scanned_messages, sum.scanned_bytes) = (0, 0, 0);
        }
        sum
    }

    /// Adds what all logspaces have to the same answers.
    pub(super) fn answer(
        &mut self,
        cancel: &Cancel,
        answers: &mut [indexer::Asked<'_>],
    ) -> Result<Coverage, AnswerError> {
        let mut failed = None;
        let coverage = self.each(cancel, |of, run| {
            if failed.is_some() {
                return indexer::Coverage::default();
            }
            let added = of.searcher.answer((of.logspace, of.filter, of.range), run, answers);
            added.unwrap_or_else(|error| {
                failed = Some(error);
                indexer::Coverage::default()
            })
        });
        failed.map_or(Ok(coverage), Err)
    }

    /// How long an answer takes that looks at each message that matches, where `looks_at_all`, or else at those that
    /// the index can not decide about.
    pub(super) fn weight(&self, looks_at_all: bool) -> Weight {
        let (query, range, now) = (self.query.clone(), self.range, self.now);
        let searchers = self.searchers.clone();
        Weight::Unknown(Box::new(move || {
            let started = Instant::now();
            let cancelled = || ESTIMATE_TIME_MAX < started.elapsed();
            let run = Run { cancelled: &cancelled, ..Run::alone() };
            let effort = explain::effort(&query, range, now, &searchers, &run);
            !cancelled() && effort.is_instant(&query, looks_at_all)
        }))
    }

    /// Asks for those alone that this means too.
    pub(super) fn narrow(&mut self, to: Query) {
        let query = std::mem::replace(&mut self.query, Query::All);
        self.query = match (query, to) {
            (Query::All, only) | (only, Query::All) => only,
            (query, to) => Query::and(vec![query, to]),
        };
        self.range = self.range.intersect(self.query.time_range(self.now));
    }

    /// Adds what there is in the time that is left, for what need not be whole. Whether it is.
    pub(super) fn peek(&self, cancel: &Cancel, answers: &mut [indexer::Asked<'_>]) -> bool {
        let cancelled = || cancel.is_requested();
        let run = Run { cancelled: &cancelled, lanes: cancel.lanes() };
        for (logspace, searcher) in &self.searchers {
            let filter = Filter::new(&self.query, &Context { now: self.now, logspace });
            let coverage = searcher.answer((logspace, &filter, self.range), &run, answers);
            if coverage.map_or(true, |coverage| !coverage.complete) {
                return false;
            }
        }
        true
    }

    /// Says which fields of the query no message in range has, and what was probably meant. Not to who may see a part
    /// of the messages, as the names are those of all.
    pub(super) fn warn_of_unknown_fields(&mut self, cancel: &Cancel) {
        let names = self.query.field_names();
        for field in self.unknown_fields(&names, cancel) {
            let suggestion = field.meant.as_ref().map(|meant| self.text.replacen(&field.name, meant, 1));
            let warning = QueryWarning::of_field(&field, "to search for the text, put it in quotes");
            self.warnings.push(QueryWarning { suggestion, ..warning });
        }
    }

    /// The same for fields that are asked for by name.
    pub(super) fn warn_of_unknown_names<'a>(
        &mut self,
        names: impl Iterator<Item = &'a FieldName>,
        cancel: &Cancel,
    ) {
        let names: Vec<&str> =
            names.filter(|name| matches!(name, FieldName::Dynamic(_))).map(FieldName::as_str).collect();
        for field in self.unknown_fields(&names, cancel) {
            self.warnings.push(QueryWarning::of_field(&field, "look for its name in a message"));
        }
    }

    /// None where there is no time to look for them.
    fn unknown_fields(&self, names: &[&str], cancel: &Cancel) -> Vec<UnknownField> {
        if self.narrowed {
            return Vec::new();
        }
        let cancelled = || cancel.is_requested();
        let run = Run { cancelled: &cancelled, lanes: cancel.lanes() };
        let unknown = hint::unknown_fields(names, &self.searchers, self.range, &run);
        if cancelled() { Vec::new() } else { unknown }
    }
}

/// From the first message that is stored to the last.
pub(super) fn stored(searchers: &[(String, Searcher)]) -> Option<TimeRange> {
    let stats = searchers.iter().map(|(_, searcher)| searcher.stats());
    let times = stats.filter_map(|stats| stats.first_time.zip(stats.last_time));
    times
        .map(|(first, last)| TimeRange { first, last })
        .reduce(|a, b| TimeRange { first: a.first.min(b.first), last: a.last.max(b.last) })
}

/// Tells a question to end before it is through.
pub(crate) struct Cancel {
    shared: Shared,
    client_is_gone: Arc<AtomicBool>,
    started: Instant,
    time_max: Option<Duration>,
}

/// Dropped when the client has its answer, or does not want it any more.
pub(crate) struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How long a question takes, which decides where it waits for its turn.
pub(super) enum Weight {
    /// This tells whether it takes no time, and is as quick itself.
    Unknown(Box<dyn FnOnce() -> bool + Send>),
    /// It may take long.
    Heavy,
}

/// Answers a question where blocking is allowed, once its turn has come.
pub(super) async fn ask<T: Send + 'static>(
    shared: &Shared,
    caller: &Caller,
    weight: Weight,
    answer: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Result<T> {
    ask_within(shared, caller, weight, shared.state.settings.limits.search_time_max.duration(), answer).await
}

/// The same for a question that has less time.
pub(super) async fn ask_within<T: Send + 'static>(
    shared: &Shared,
    caller: &Caller,
    weight: Weight,
    time_max: Duration,
    answer: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Result<T> {
    let permit = shared.search_permit(caller, weight).await?;
    let (cancel, _guard) = Cancel::without_limit(shared);
    let cancel = Cancel { time_max: Some(time_max), ..cancel };
    let answer = move || {
        let _permit = permit;
        answer(&cancel)
    };
    blocking(answer).await
}

impl Cancel {
    pub(super) fn new(shared: &Shared) -> (Cancel, Guard) {
        let (cancel, guard) = Cancel::without_limit(shared);
        let time_max = Some(shared.state.settings.limits.search_time_max.duration());
        (Cancel { time_max, ..cancel }, guard)
    }

    /// For what may take as long as it takes.
    pub(crate) fn without_limit(shared: &Shared) -> (Cancel, Guard) {
        let client_is_gone = Arc::new(AtomicBool::new(false));
        let guard = Guard(client_is_gone.clone());
        let started = Instant::now();
        (Cancel { shared: shared.clone(), client_is_gone, started, time_max: None }, guard)
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.client_is_gone.load(Ordering::Relaxed)
            || self.shared.state.pipeline.stop_requested()
            || self.time_max.is_some_and(|max| max < self.started.elapsed())
    }

    pub(crate) fn lanes(&self) -> &SharedLanes {
        &self.shared.lanes
    }

    fn reason(&self, logspace: &str) -> String {
        if self.shared.state.pipeline.stop_requested() {
            return format!("logspace `{logspace}` was not searched to the end: the server is stopping");
        }
        let seconds = self.time_max.unwrap_or_default().as_secs_f64();
        format!(
            "logspace `{logspace}` was not searched to the end, as a search may take {seconds} s: \
             narrow the time range, or raise limits.search_time_max"
        )
    }
}

impl Coverage {
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// What was looked at is all, but there was no time to make the answer of all of it.
    pub(super) fn cut_short(&mut self) {
        self.complete = false;
    }

    /// What two questions looked at.
    pub(super) fn plus(self, other: &Coverage) -> Coverage {
        Coverage {
            complete: self.complete && other.complete,
            cancelled: self.cancelled || other.cancelled,
            segments: self.segments + other.segments,
            skipped_segments: self.skipped_segments + other.skipped_segments,
            unindexed_segments: self.unindexed_segments + other.unindexed_segments,
            blocks: self.blocks + other.blocks,
            scanned_messages: self.scanned_messages + other.scanned_messages,
            scanned_bytes: self.scanned_bytes + other.scanned_bytes,
            journal_batches: self.journal_batches + other.journal_batches,
            skipped_batches: self.skipped_batches + other.skipped_batches,
        }
    }

    /// What two parts of the range looked at, which had the same segments and batches to choose from. What both looked
    /// at counts twice as long as there are so many.
    pub(super) fn joined(self, other: &Coverage) -> Coverage {
        let segments = (self.segments + self.skipped_segments).max(other.segments + other.skipped_segments);
        let batches =
            (self.journal_batches + self.skipped_batches).max(other.journal_batches + other.skipped_batches);
        let sum = self.plus(other);
        let (asked, looked_at) = (sum.segments.min(segments), sum.journal_batches.min(batches));
        Coverage {
            segments: asked,
            skipped_segments: segments - asked,
            unindexed_segments: sum.unindexed_segments.min(asked),
            journal_batches: looked_at,
            skipped_batches: batches - looked_at,
            ..sum
        }
    }

    fn add(&mut self, other: &indexer::Coverage, logspace: &str, warnings: &mut Vec<QueryWarning>) {
        self.complete &= other.complete;
        self.cancelled |= other.cancelled;
        self.segments += other.segments;
        self.skipped_segments += other.skipped_segments;
        self.unindexed_segments += other.unindexed_segments;
        self.blocks += other.blocks;
        self.scanned_messages += other.scanned_messages;
        self.scanned_bytes += other.scanned_bytes;
        self.journal_batches += other.journal_batches;
        self.skipped_batches += other.skipped_batches;
        for damage in &other.damaged {
            warn_once(warnings, format!("a part of logspace `{logspace}` can not be read: {damage}"));
        }
    }
}

/// The parts of one question say the same.
fn warn_once(warnings: &mut Vec<QueryWarning>, message: String) {
    if warnings.iter().all(|warning| warning.message != message) {
        warnings.push(QueryWarning::plain(message));
    }
}

impl QueryWarning {
    pub(super) fn plain(message: String) -> QueryWarning {
        QueryWarning { message, code: None, line: None, column: None, end_column: None, suggestion: None }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    fn of_range() -> QueryWarning {
        let message = "the query names its own time range: `from` and `to` do not apply".to_owned();
        QueryWarning { code: Some(WarningCode::RangeInQuery), ..QueryWarning::plain(message) }
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

    fn of_field(UnknownField { name, meant }: &UnknownField, otherwise: &str) -> QueryWarning {
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => otherwise.to_owned(),
        };
        QueryWarning::plain(format!("no message in this range has a field `{name}`: {hint}"))
    }
}

/// 400 for a query that stands in the request under `path`.
pub(crate) fn refusal(error: &ParseError, text: &str, path: &str) -> ApiError {
    ApiError::bad_request(format!("the {path} is not understood: {}", error.message))
        .path(path)
        .at(place(error.span.clone(), text))
        .suggestion(error.suggestion.clone())
}

/// Stages make a table, which only one endpoint answers.
fn stages_refused(text: &str) -> ApiError {
    let detail = "the query has stages, which make a table: send it to /api/v1/aggregate, or only what stands before \
                  the `|` to this endpoint; to search for the character write \"|\"";
    let refused = ApiError::bad_request(detail).path("query");
    match query::parse(text) {
        // As a filter alone it is wrong where the stages begin.
        Err(error) => refused.at(place(error.span, text)),
        Ok(_) => refused,
    }
}

fn place(span: Range<usize>, text: &str) -> Place {
    let error = ParseError { kind: ErrorKind::Syntax, message: String::new(), span, suggestion: None };
    let (line, column, end_column) = error.line_column(text);
    Place { line, column, end_column: Some(end_column) }
}

fn range(target: &Target<'_>, zone: &Clocks, now: Timestamp) -> Result<TimeRange> {
    let first = target.from.map(|text| time(text, "from", zone, now)).transpose()?;
    let end = target.to.map(|text| time(text, "to", zone, now)).transpose()?;
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

fn time(text: &str, name: &str, zone: &Clocks, now: Timestamp) -> Result<Timestamp> {
    let expression = parse_time(text.trim()).ok_or_else(|| {
        let detail =
            format!("{name} `{text}` is not a time: write it as 2026-11-21T06:13:00Z, -15m or now-1h");
        ApiError::bad_request(detail).path(name)
    })?;
    Ok(expression.in_zone(zone, now).resolve(now))
}

/// What is found of the one that is within the other.
fn within(asked: &Query, scope: Option<&Query>) -> Query {
    match (asked, scope) {
        (asked, None) => asked.clone(),
        (Query::All, Some(scope)) => scope.clone(),
        (asked, Some(scope)) => Query::and(vec![asked.clone(), scope.clone()]),
    }
}

fn select_logspaces(
    shared: &Inner,
    caller: &Caller,
    wanted: Option<&[String]>,
) -> Result<Vec<(String, Searcher)>> {
    let searchers = caller.searchers(shared);
    let Some(wanted) = wanted else { return Ok(searchers) };
    wanted.iter().try_for_each(|id| caller.check_logspace(id))?;
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

/// The parts between the commas, without those that are empty.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Reads a list, which in an address is a text with commas.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    struct List;

    impl<'de> Visitor<'de> for List {
        type Value = Option<Vec<String>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of texts, or a text with commas")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(split_list(text)))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(list)).map(Some)
        }
    }

    deserializer.deserialize_any(List)
}
