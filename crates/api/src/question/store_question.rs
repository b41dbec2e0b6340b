//! A question to the store: a query, a time range, logspaces, and what its caller may see of them.
//!
//! **Invariant:** an answer that did not look at everything says so: `coverage.complete` is false and a warning gives
//! the reason.
//! **Invariant:** callers limited by a grant learn nothing of other messages: no message, no count, and no figure of
//! the work done that depends on their contents.

use super::cancel::{Cancel, Weight, reading};
use super::effort::Effort;
use super::read::{AllowedStages, CommonParameters, CopiesAsked};
use super::warning::{QueryWarning, WarningCode};
use crate::access::Caller;
use crate::error::{ApiError, Result, TextPosition};
use crate::problem_type::ProblemType;
use crate::question::clocks::Clocks;
use crate::question::hint::{self, UnknownField};
use crate::state::{ApiInner, SharedState};
use logstead_answer::AnswerError;
use logstead_flow::machine::clock;
use logstead_indexer::AnswerTarget;
use logstead_query as query;
use logstead_query::{Context, Matcher, Pipeline, Query, Stage, TimeRange, parse_time};
use logstead_questions::store::{
    Copies, Coverage, Logspaces, Page, PageRequest, SearchCriteria, StreamedStages,
};
use logstead_record::FieldName;
use logstead_record::{Field, Timestamp};
use logstead_work::SearchContext;
use std::time::{Duration, Instant};

/// If the estimate takes longer than this, the question counts as long.
const ESTIMATE_TIME_MAX: Duration = Duration::from_millis(50);

/// Maximum number of warnings about unknown names of each kind.
const UNKNOWN_WARNINGS_MAX: usize = 16;

/// A query with everything that determines its result.
pub(crate) struct StoreQuestion {
    /// The query as it was sent.
    text: String,
    /// A number that identifies the request, including its range and logspaces: all pages of a question have the
    /// same.
    pub(crate) key: u64,
    /// The caller's query, only for display. It must never be searched for.
    pub(crate) asked: Query,
    /// The caller's query, limited to the messages that the caller may see.
    pub(crate) query: Query,
    /// Whether the caller may see only a part of the messages in these logspaces.
    pub(crate) narrowed: bool,
    /// The filter that limits them.
    scope: Option<Query>,
    pub(crate) stages: Vec<Stage>,
    /// The preceding stages that became a part of the query.
    first_stages: Vec<Stage>,
    pub(crate) warnings: Vec<QueryWarning>,
    /// The time range of the request, or the one that the query names.
    requested: TimeRange,
    /// The part of that range to which the query limits it.
    pub(crate) range: TimeRange,
    pub(crate) now: Timestamp,
    pub(crate) logspaces: Logspaces,
    pub(crate) copies: Copies,
    /// The time spent on parsing it.
    pub(crate) spent: Duration,
}

impl StoreQuestion {
    /// Interprets the common parameters for this caller. A query is parsed on a blocking thread, because a long one
    /// takes a while; that time counts towards the time limit of the search.
    pub(crate) async fn read(
        shared: &SharedState,
        caller: &Caller,
        common: &CommonParameters,
        takes: AllowedStages,
    ) -> Result<StoreQuestion> {
        let (inner, caller, common) = (shared.clone(), caller.clone(), common.clone());
        let read = move || StoreQuestion::new(&inner, &caller, &common, takes);
        let (question, spent) = reading(shared, read).await?;
        Ok(StoreQuestion { spent, ..question })
    }

    /// Like [`StoreQuestion::read`], but on this thread.
    pub(crate) fn new(
        shared: &ApiInner,
        caller: &Caller,
        common: &CommonParameters,
        takes: AllowedStages,
    ) -> Result<StoreQuestion> {
        let question = StoreQuestion::with_stages(shared, caller, common)?;
        match takes {
            AllowedStages::None if !question.stages.is_empty() => Err(stages_refused(&question.text)),
            AllowedStages::Streaming => question.streaming(),
            AllowedStages::None | AllowedStages::All => Ok(question),
        }
    }

    /// The same question, if its stages process messages one by one.
    fn streaming(mut self) -> Result<StoreQuestion> {
        if let Err(refused) = self.pipeline().streams() {
            let outline = query::outline(&self.text).ok();
            let place = outline.and_then(|outline| outline.stages.into_iter().nth(refused.stage));
            let detail = format!("{refused}; for a table send the query to /api/v1/aggregate");
            let refused = ApiError::new(ProblemType::UnsuitableQuery, detail).path("query");
            return Err(match place {
                Some(stage) => refused.at(TextPosition::of(stage.span, &self.text)),
                None => refused,
            });
        }
        self.narrow_by_first_stages();
        Ok(self)
    }

    /// Makes leading `where` stages a part of the query.
    fn narrow_by_first_stages(&mut self) {
        while let Some(Stage::Where(filter)) = self.stages.first().cloned() {
            self.first_stages.push(self.stages.remove(0));
            self.narrow(filter);
        }
    }

    /// The stages that messages pass through after they are found.
    pub(crate) fn passing(&self) -> Option<StreamedStages> {
        StreamedStages::new(&self.pipeline(), self.now)
    }

    /// The stages for messages that are exported, if the file contains messages and not a table: all stages work on
    /// messages one by one, and the columns of a file that has the same in every row are known before the first message.
    pub(crate) fn exported(&mut self, has_columns: bool) -> Option<StreamedStages> {
        StreamedStages::exported(&self.pipeline(), has_columns, self.now)?;
        self.narrow_by_first_stages();
        self.passing()
    }

    /// A pipeline of the stages that have yet to be applied to the messages.
    pub(crate) fn pipeline(&self) -> Pipeline {
        Pipeline { filter: Query::All, stages: self.stages.clone() }
    }

    /// The query as it was understood, including stages.
    pub(crate) fn shown(&self) -> String {
        let wheres = self.first_stages.iter().cloned();
        let stages = wheres.chain(self.stages.iter().cloned()).collect();
        Pipeline { filter: self.asked.clone(), stages }.to_string()
    }

    fn with_stages(shared: &ApiInner, caller: &Caller, common: &CommonParameters) -> Result<StoreQuestion> {
        let now = clock::now();
        let text = common.query.as_deref().unwrap_or_default();
        let search = query::parse_asked(text, common.unparsed.unwrap_or_default().into())
            .map_err(|error| ApiError::of_query(&error, text, "query"))?;
        let zone = Clocks::new(common.timezone.as_deref())?;
        let requested = range(common, &zone, now)?;
        let copies = match common.copies {
            Some(CopiesAsked::All) => Copies::Counted,
            None => Copies::of(&search.pipeline),
        };
        let Pipeline { filter: asked, stages } = search.pipeline.in_zone(&zone, now);
        let query = within(&asked, caller.scope());
        let warnings = search.warnings.into_iter().map(|warning| QueryWarning::of_query(warning, text));
        let is_limited = common.from.is_some() || common.to.is_some();
        let overrides = (is_limited && asked.sets_range()).then(QueryWarning::of_range);
        let logspaces = select_logspaces(shared, caller, common.logspaces.as_deref())?;
        let known = caller.logspaces(&shared.state.pipeline);
        let unknown_logspaces = unknown_logspaces(&asked, &logspaces, &known, now);
        Ok(StoreQuestion {
            text: text.to_owned(),
            key: common.key(),
            warnings: warnings.chain(overrides).chain(unknown_logspaces).collect(),
            requested: asked.range_within(requested, now),
            range: asked.range_within(requested, now).intersect(query.time_range(now)),
            asked,
            query,
            narrowed: caller.scope().is_some(),
            scope: caller.scope().cloned(),
            stages,
            first_stages: Vec::new(),
            now,
            logspaces,
            copies,
            spent: Duration::ZERO,
        })
    }

    /// The range to draw: without a start it begins with the stored messages, and without an end it ends now, or with
    /// the stored messages if all of them are later. `None` if nothing is stored with which it could begin.
    pub(crate) fn drawn_range(&self) -> Option<TimeRange> {
        let range = if self.range.is_empty() { self.requested } else { self.range };
        let stored = self.logspaces.stored();
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

    /// The criteria with which to search the logspaces.
    pub(crate) fn wanted(&self) -> SearchCriteria<'_> {
        SearchCriteria { query: &self.query, range: self.range, now: self.now, copies: self.copies }
    }

    /// How many messages match.
    pub(crate) fn count(&mut self, cancel: &Cancel) -> (u64, Coverage) {
        let (count, coverage) = self.logspaces.count(self.wanted(), &cancel.run());
        (count, self.warn_of_gaps(coverage, cancel))
    }

    /// The number of copies that are left out.
    pub(crate) fn count_copies(&mut self, cancel: &Cancel) -> u64 {
        let (copies, coverage) = self.logspaces.count_copies(self.wanted(), &cancel.run());
        self.warn_of_gaps(coverage, cancel);
        copies
    }

    /// Like [`StoreQuestion::count_copies`], for a question whose first messages are shown: `None` if counting takes
    /// longer than finding these.
    pub(crate) fn count_copies_of_page(&mut self, page: &Page, cancel: &Cancel) -> Option<u64> {
        let is_instant = || {
            let effort = Effort::estimate(&self.logspaces, self.wanted(), &cancel.run());
            effort.is_instant(&self.query, false)
        };
        (!page.more || is_instant()).then(|| self.count_copies(cancel))
    }

    /// The first messages.
    pub(crate) fn page(&mut self, request: &PageRequest, cancel: &Cancel) -> Page {
        let passing = self.passing();
        let page = self.logspaces.page_through(self.wanted(), passing.as_ref(), request, &cancel.run());
        Page { coverage: self.warn_of_gaps(page.coverage, cancel), ..page }
    }

    /// Adds the messages of all logspaces to the answers.
    pub(crate) fn answer(
        &mut self,
        cancel: &Cancel,
        answers: &mut [AnswerTarget<'_>],
    ) -> Result<Coverage, AnswerError> {
        let coverage = self.logspaces.answer(self.wanted(), &cancel.run(), answers)?;
        Ok(self.warn_of_gaps(coverage, cancel))
    }

    /// The query without its clauses that are only about this field, limited to the caller's scope; `None` if it has
    /// no such clause.
    pub(crate) fn without(&self, field: &FieldName) -> Option<Query> {
        let clauses = match &self.asked {
            Query::And(clauses) => clauses.as_slice(),
            one => std::slice::from_ref(one),
        };
        let others: Vec<Query> = clauses.iter().filter(|clause| !clause.is_about(field)).cloned().collect();
        let asked = match others.len() {
            count if count == clauses.len() => return None,
            0 => Query::All,
            _ => Query::and(others),
        };
        Some(within(&asked, self.scope.as_ref()))
    }

    /// Adds the messages that match this query, in the range of the question, to some of the answers.
    pub(crate) fn answer_to(
        &mut self,
        query: &Query,
        cancel: &Cancel,
        answers: &mut [AnswerTarget<'_>],
    ) -> Result<Coverage, AnswerError> {
        let own = std::mem::replace(&mut self.query, query.clone());
        let coverage = self.answer(cancel, answers);
        self.query = own;
        coverage
    }

    /// Adds the messages that can be found in the remaining time to answers that need not be complete. Returns
    /// whether they are complete.
    pub(crate) fn peek(&self, cancel: &Cancel, answers: &mut [AnswerTarget<'_>]) -> bool {
        let coverage = self.logspaces.answer(self.wanted(), &cancel.run(), answers);
        coverage.is_ok_and(|coverage| coverage.complete)
    }

    /// Warns of parts that were not searched. Parts of one question give the same warning only once.
    fn warn_of_gaps(&mut self, coverage: Coverage, cancel: &Cancel) -> Coverage {
        let damaged = coverage
            .damaged
            .iter()
            .map(|(logspace, damage)| format!("a part of logspace `{logspace}` cannot be read: {damage}"))
            .map(|message| QueryWarning::new(WarningCode::Damaged, message));
        let unfinished = coverage.unfinished.iter().map(|logspace| cancel.reason(logspace));
        let late = coverage.late.iter().map(|(logspace, part)| {
            format!("a part of logspace `{logspace}` was not looked at, so counts are lower bounds: {part}")
        });
        let unfinished =
            unfinished.chain(late).map(|message| QueryWarning::new(WarningCode::Unfinished, message));
        for told in damaged.chain(unfinished) {
            if self.warnings.iter().all(|warning| warning.message() != told.message()) {
                self.warnings.push(told);
            }
        }
        // The other figures would reveal how many hidden messages contain the words of the query.
        if self.narrowed { coverage.without_contents() } else { coverage }
    }

    /// The weight of an answer that reads each matching message if `looks_at_all`, and otherwise only the messages
    /// that the index cannot decide.
    pub(crate) fn weight(&self, looks_at_all: bool) -> Weight {
        let (query, range, now, copies) = (self.query.clone(), self.range, self.now, self.copies);
        let logspaces = self.logspaces.clone();
        let is_instant = move || {
            let started = Instant::now();
            let cancelled = || ESTIMATE_TIME_MAX < started.elapsed();
            let run = SearchContext { cancelled: &cancelled, ..SearchContext::alone() };
            let effort =
                Effort::estimate(&logspaces, SearchCriteria { query: &query, range, now, copies }, &run);
            !cancelled() && effort.is_instant(&query, looks_at_all)
        };
        Weight { is_instant: Some(Box::new(is_instant)), spent: self.spent }
    }

    /// The weight of an answer that may take long.
    pub(crate) fn heavy(&self) -> Weight {
        Weight { is_instant: None, spent: self.spent }
    }

    /// Limits the question to messages that also match this query.
    pub(crate) fn narrow(&mut self, to: Query) {
        let query = std::mem::replace(&mut self.query, Query::All);
        self.query = match (query, to) {
            (Query::All, only) | (only, Query::All) => only,
            (query, to) => Query::and(vec![query, to]),
        };
        self.range = self.range.intersect(self.query.time_range(self.now));
    }

    /// Warns of fields in the query that no message in range has, and suggests the name that was probably meant. Not
    /// for callers limited by a grant, as the names come from all messages.
    pub(crate) fn warn_of_unknown_fields(&mut self, cancel: &Cancel) {
        let names = self.query.field_names();
        let unknown = self.unknown_fields(&names, cancel);
        for field in unknown.into_iter().take(UNKNOWN_WARNINGS_MAX) {
            let suggestion = field.meant.as_ref().map(|meant| self.text.replacen(&field.name, meant, 1));
            let warning = QueryWarning::of_field(&field, "to search for the text, put it in quotes");
            self.warnings.push(warning.suggesting(suggestion));
        }
        let compared: Vec<&str> = self.query.literals().into_iter().filter_map(hint::compared).collect();
        let unknown = self.unknown_fields(&compared, cancel);
        for UnknownField { name, meant } in unknown.into_iter().take(UNKNOWN_WARNINGS_MAX) {
            // If no field has a similar name, the text is probably not meant as a field.
            let Some(meant) = meant else { continue };
            let suggestion = self.text.replacen(&name, &meant, 1);
            let warning = QueryWarning::of_text(&name, &meant);
            self.warnings.push(warning.suggesting(Some(suggestion)));
        }
    }

    /// Warns of unknown fields that are requested by name.
    pub(crate) fn warn_of_unknown_names<'a>(
        &mut self,
        names: impl Iterator<Item = &'a FieldName>,
        cancel: &Cancel,
    ) {
        let names: Vec<&str> =
            names.filter(|name| matches!(name, FieldName::Dynamic(_))).map(FieldName::as_str).collect();
        for field in self.unknown_fields(&names, cancel) {
            self.warnings.push(QueryWarning::of_field(&field, "check the name in a message"));
        }
    }

    /// Finds unknown fields; none if there is no time to look for them.
    fn unknown_fields(&self, names: &[&str], cancel: &Cancel) -> Vec<UnknownField> {
        if self.narrowed {
            return Vec::new();
        }
        let unknown = hint::unknown_fields(names, &self.logspaces, self.range, &cancel.run());
        if cancel.is_requested() { Vec::new() } else { unknown }
    }
}

/// Warns of conditions on the logspace that none of the searched logspaces can meet.
fn unknown_logspaces(
    asked: &Query,
    searched: &Logspaces,
    known: &Logspaces,
    now: Timestamp,
) -> Vec<QueryWarning> {
    let field = FieldName::Known(Field::Logspace);
    let tests = asked.tests_of(&field).into_iter().take(UNKNOWN_WARNINGS_MAX);
    let warned = tests.filter_map(|test| {
        let condition = Query::Field(field.clone(), test.clone());
        let is_met = |logspace: &str| Matcher::new(&condition, &Context { now, logspace }).selects_all();
        if searched.ids().any(is_met) {
            return None;
        }
        let message = match known.ids().find(|id| is_met(id)) {
            Some(id) => {
                format!("`{condition}` finds nothing, because `{id}` is not searched: name it in `logspaces`")
            }
            None => {
                let names = known.ids().collect::<Vec<_>>().join(", ");
                format!("`{condition}` finds nothing, because there is no such logspace; there are {names}")
            }
        };
        Some(QueryWarning::new(WarningCode::UnknownLogspace, message))
    });
    warned.collect()
}

/// The error for a query with stages, which would make a table or change messages.
fn stages_refused(text: &str) -> ApiError {
    let detail = "the query has stages, which make a table: send it to /api/v1/aggregate, or send only the \
                  part before the `|` to this endpoint; to search for the character write \"|\"";
    let refused = ApiError::new(ProblemType::UnsuitableQuery, detail).path("query");
    match query::parse(text) {
        // When the query is parsed as a filter alone, the error is at the start of the stages.
        Err(error) => refused.at(TextPosition::of(error.span, text)),
        Ok(_) => refused,
    }
}

fn range(common: &CommonParameters, zone: &Clocks, now: Timestamp) -> Result<TimeRange> {
    let first = common.from.as_deref().map(|text| time(text, "from", zone, now)).transpose()?;
    let end = common.to.as_deref().map(|text| time(text, "to", zone, now)).transpose()?;
    if let (Some(first), Some(end)) = (first, end)
        && end <= first
    {
        let detail = format!("from ({first}) must be before to ({end})");
        return Err(ApiError::invalid(detail).path("from"));
    }
    Ok(TimeRange {
        first: first.unwrap_or(TimeRange::ALL.first),
        last: end.map_or(TimeRange::ALL.last, |end| end.saturating_add(-1)),
    })
}

/// Parses a time that a caller wrote.
pub(crate) fn time(text: &str, name: &str, zone: &Clocks, now: Timestamp) -> Result<Timestamp> {
    let expression = parse_time(text.trim()).ok_or_else(|| {
        let detail =
            format!("{name} `{text}` is not a time: write it as 2026-11-21T06:13:00Z, -15m or now-1h");
        ApiError::invalid(detail).path(name)
    })?;
    Ok(expression.in_zone(zone, now).resolve(now))
}

/// The query limited to the scope.
fn within(asked: &Query, scope: Option<&Query>) -> Query {
    match (asked, scope) {
        (asked, None) => asked.clone(),
        (Query::All, Some(scope)) => scope.clone(),
        (asked, Some(scope)) => Query::and(vec![asked.clone(), scope.clone()]),
    }
}

/// The requested logspaces, if they exist and the caller may search them; by default, all except private ones.
pub(crate) fn select_logspaces(
    shared: &ApiInner,
    caller: &Caller,
    wanted: Option<&[String]>,
) -> Result<Logspaces> {
    let logspaces = caller.logspaces(&shared.state.pipeline);
    let Some(wanted) = wanted else { return Ok(logspaces.public()) };
    if wanted.is_empty() {
        return Err(no_logspaces());
    }
    wanted.iter().try_for_each(|id| caller.check_logspace(id))?;
    if let Some(unknown) = wanted.iter().find(|id| logspaces.get(id).is_none()) {
        return Err(unknown_logspace(unknown, &logspaces.ids().collect::<Vec<_>>()));
    }
    Ok(logspaces.only(wanted))
}

/// 422 for an empty list of logspaces, in which nothing could be found.
pub(crate) fn no_logspaces() -> ApiError {
    ApiError::invalid("logspaces is an empty list: name at least one, or leave it out").path("logspaces")
}

/// 404, naming the logspaces that exist.
pub(crate) fn unknown_logspace(id: &str, known: &[&str]) -> ApiError {
    let detail = format!("there is no logspace `{id}`: there are {}", known.join(", "));
    ApiError::new(ProblemType::UnknownLogspace, detail).path("logspaces")
}
