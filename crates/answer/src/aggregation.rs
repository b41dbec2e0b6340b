//! Compiles a pipeline into the parts that are needed to answer it.
//!
//! The stages `where`, `extract`, `parse`, `fields` and `sort` at the beginning of a pipeline need only one message
//! at a time: the first ones become part of the filter, the others are run batch by batch, and the rows that are kept
//! are sorted. The stage after them collects groups, or messages in order. All further stages work on the resulting
//! table.

use super::aggregator::Aggregator;
use super::answer_rows::{AnswerRows, BatchTimes};
use super::enrich::kind_in_messages;
use super::finish::{TableFinisher, check};
use super::rows::{KeepRule, Rows};
use super::stage::{check_logspace, uses_text};
use super::table::{AnswerTable, TableColumn};
use super::{AnswerError, AnswerSettings, CodedColumn, ROWS_MAX, ValueKind, tabular};
use logstead_query::{
    AddedFields, Context, HiddenField, Matcher, Pipeline, Query, ResultType, SortKey, Stage,
    shown_names as once,
};
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Selection, Timestamp};
use logstead_transform::{Enrich, WantedFields};
use logstead_work::SearchContext;
use logstead_work::Work;

/// The columns of a table of messages, unless `fields` says otherwise.
const SHOWN: [Field; 5] = [Field::Time, Field::Host, Field::Program, Field::Severity, Field::Message];

/// The work that a step counts as for each row, because it reads the row's text.
const STEP_WORK: usize = 16;

/// The location of a stored batch.
#[derive(Clone, Copy)]
pub struct BatchLocation<'a> {
    /// The logspace whose rows are aggregated.
    pub logspace: &'a str,
    /// The sequence of each row.
    pub sequence: &'a dyn Fn(usize) -> u64,
}

/// A pipeline that is being answered.
pub struct Aggregation {
    filter: Query,
    steps: Vec<RowStep>,
    wanted: WantedFields,
    sink: StageCollector,
    rest: Vec<Stage>,
    /// For each stage of `rest` that has already run on the messages, the fields that it must leave unchanged; the
    /// stages after them have no entry.
    keeps: Vec<Vec<FieldName>>,
    reads: Option<Vec<FieldName>>,
    settings: AnswerSettings,
}

enum RowStep {
    Where(Matcher),
    Enrich(Enrich),
}

enum StageCollector {
    Groups(Aggregator),
    Rows(Rows),
}

impl StageCollector {
    fn needs(&self) -> Vec<FieldName> {
        match self {
            StageCollector::Groups(aggregator) => aggregator.needs().to_vec(),
            StageCollector::Rows(rows) => rows.fields().to_vec(),
        }
    }

    fn columns(&self) -> Vec<TableColumn> {
        match self {
            StageCollector::Groups(aggregator) => aggregator.columns().to_vec(),
            StageCollector::Rows(rows) => rows.columns(),
        }
    }
}

impl Aggregation {
    /// Compiles a pipeline.
    pub fn compile(pipeline: &Pipeline, settings: AnswerSettings) -> Result<Aggregation, AnswerError> {
        let mut head = LeadingStages::default();
        let mut stages = pipeline.stages.iter();
        let collecting = loop {
            match stages.next() {
                Some(stage) if head.takes(stage, stages.as_slice(), &settings)? => {}
                other => break other,
            }
        };
        let mut filters = vec![pipeline.filter.clone()];
        filters.append(&mut head.filters);
        filters.retain(|query| *query != Query::All);
        let filter = if filters.is_empty() { Query::All } else { Query::and(filters) };
        let inside = settings.range.intersect(filter.time_range(settings.now));
        let range = if inside.is_empty() { settings.range } else { inside };
        let asked = settings.asked.intersect(filter.time_range(settings.now));
        let asked = if asked.is_empty() { settings.asked } else { asked };
        let settings = AnswerSettings { range, asked, ..settings };

        let mut rest: Vec<Stage> = stages.cloned().collect();
        let wanted = head.wanted(pipeline);
        let sink = match collecting {
            Some(stage) if stage.aggregates() => {
                head.check_visible(stage)?;
                StageCollector::Groups(Aggregator::new(stage, &settings, &|field| head.kind(field))?)
            }
            stage => StageCollector::Rows(head.rows(stage, &mut rest, &settings)?),
        };
        let is_messages = matches!(sink, StageCollector::Rows(_));
        let chosen = head.visible.iter().map(|_| Vec::new());
        let keeps = chosen.chain(head.open.iter().map(|open| open.keeps.clone())).collect();
        let reads = (!head.uses_text).then(|| {
            let mut fields = head.looks_at;
            fields.extend(sink.needs());
            once(fields)
        });
        let keeps = if is_messages { keeps } else { Vec::new() };
        let aggregation =
            Aggregation { filter, steps: head.steps, wanted, sink, rest, keeps, reads, settings };
        aggregation.check_rest()?;
        Ok(aggregation)
    }

    /// The messages to add.
    pub fn filter(&self) -> &Query {
        &self.filter
    }

    /// The columns that each part must have, besides the time.
    pub fn needs(&self) -> &[FieldName] {
        match &self.sink {
            StageCollector::Groups(aggregator) => aggregator.needs(),
            StageCollector::Rows(_) => &[],
        }
    }

    /// Whether columns are not enough, so that messages must be added as batches.
    pub fn needs_batches(&self) -> bool {
        !self.steps.is_empty() || matches!(self.sink, StageCollector::Rows(_))
    }

    /// The fields that are read from batches; `None` for all of them.
    pub fn reads(&self) -> Option<&[FieldName]> {
        self.reads.as_deref()
    }

    /// The time before which messages no longer make a difference and need not be added.
    pub fn floor(&self) -> Option<Timestamp> {
        match &self.sink {
            StageCollector::Groups(_) => None,
            StageCollector::Rows(rows) => rows.floor(),
        }
    }

    /// Adds the selected rows of a part, if batches are not needed. An unreadable part adds nothing; after any other
    /// error there is no answer.
    pub fn add(&mut self, part: &AnswerRows<'_>, work: &Work<'_>) -> Result<(), AnswerError> {
        match &mut self.sink {
            StageCollector::Groups(aggregator) if self.steps.is_empty() => aggregator.add(part, work),
            _ => Err(AnswerError::Stage("this pipeline needs whole messages".to_owned())),
        }
    }

    /// Adds the selected rows of a batch. After an error there is no answer.
    pub fn add_batch(
        &mut self,
        batch: &Batch,
        selected: &Selection,
        place: BatchLocation<'_>,
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        if selected.is_empty() {
            return Ok(());
        }
        if self.steps.is_empty() {
            return self.collect(batch, selected, place.sequence, place.logspace, work);
        }
        let rows: Vec<usize> = selected.iter().collect();
        let mut batch = batch.take(selected);
        let mut selected = Selection::all(batch.rows());
        for step in &self.steps {
            check(work, batch.rows() * STEP_WORK)?;
            match step {
                RowStep::Where(matcher) => selected = matcher.select_within(&batch, &selected),
                RowStep::Enrich(enrich) => {
                    batch = enrich.batch(&batch, &selected, place.logspace, &self.wanted)
                }
            }
        }
        let sequence = |row: usize| (place.sequence)(rows[row]);
        self.collect(&batch, &selected, &sequence, place.logspace, work)
    }

    /// The table of everything that was added. If the search is ended early, it has only the rows for which there was
    /// time.
    pub fn finish(self, run: &SearchContext<'_>) -> Result<AnswerTable, AnswerError> {
        let work = run.work();
        let finish = TableFinisher::new(&work);
        let mut table = match self.sink {
            StageCollector::Groups(aggregator) => aggregator.finish(&finish)?,
            StageCollector::Rows(rows) => rows.finish(&finish),
        };
        for (number, stage) in self.rest.iter().enumerate() {
            let keeps = self.keeps.get(number).map_or(&[][..], Vec::as_slice);
            table = tabular::apply(stage, keeps, table, &self.settings, &finish)?;
        }
        table.cut();
        table.is_cut_short = finish.is_cut();
        Ok(table)
    }

    fn collect(
        &mut self,
        batch: &Batch,
        selected: &Selection,
        sequence: &dyn Fn(usize) -> u64,
        logspace: &str,
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        let aggregator = match &mut self.sink {
            StageCollector::Rows(rows) => return rows.add(batch, selected, sequence, logspace, work),
            StageCollector::Groups(aggregator) => aggregator,
        };
        let fields =
            aggregator.needs().iter().map(|field| CodedColumn::of_batch(batch, field, logspace)).collect();
        let times =
            if aggregator.needs_times() { BatchTimes::of(batch) } else { BatchTimes::new(Vec::new()) };
        aggregator.add(&AnswerRows { rows: batch.rows(), selected, times: &times, fields }, work)
    }

    /// Checks that later stages name only existing columns.
    fn check_rest(&self) -> Result<(), AnswerError> {
        let mut table = AnswerTable { columns: self.sink.columns(), ..AnswerTable::default() };
        let work = SearchContext::alone().work();
        for stage in &self.rest {
            table = tabular::apply(stage, &[], table, &self.settings, &TableFinisher::new(&work))?;
        }
        Ok(())
    }
}

/// A stage that adds fields whose names depend on the text.
struct OpenStage {
    stage: Stage,
    /// The fields that the leading stages after this one name. They take precedence over the fields that this one
    /// finds when it runs again.
    keeps: Vec<FieldName>,
}

/// The stages before the collecting stage.
#[derive(Default)]
struct LeadingStages {
    filters: Vec<Query>,
    steps: Vec<RowStep>,
    /// The fields that stages name themselves, with the types of their values.
    added: Vec<(FieldName, ResultType)>,
    /// The stages whose fields depend on the text, unless `fields` chose among them. If they determine the columns,
    /// they are run again on the rows that are shown.
    open: Vec<OpenStage>,
    /// Whether a step looks for a text in every field.
    uses_text: bool,
    /// The fields that steps read.
    looks_at: Vec<FieldName>,
    sort: Vec<SortKey>,
    /// The fields that `fields` names.
    visible: Option<Vec<FieldName>>,
}

impl LeadingStages {
    /// Adds the stage if it is one of the leading stages, and says whether it is. The `later` stages follow it.
    fn takes(
        &mut self,
        stage: &Stage,
        later: &[Stage],
        settings: &AnswerSettings,
    ) -> Result<bool, AnswerError> {
        let is_mine = !stage.aggregates()
            && !matches!(stage, Stage::Limit(_) | Stage::Tail(_) | Stage::Dedup(_))
            && !self.sorts_by_what_it_adds(stage);
        if !is_mine {
            return Ok(false);
        }
        self.check_visible(stage)?;
        match stage {
            Stage::Where(query) if self.steps.is_empty() => self.filters.push(query.clone()),
            Stage::Where(query) => {
                check_logspace(query, stage)?;
                self.uses_text |= uses_text(query);
                self.looks_at.extend(query.fields().into_iter().cloned());
                self.steps
                    .push(RowStep::Where(Matcher::new(query, &Context { now: settings.now, logspace: "" })));
            }
            Stage::Fields(fields) => {
                self.visible = Some(fields.clone());
                self.open.clear();
                self.steps.extend(Enrich::without(stage, later, settings.now).map(RowStep::Enrich));
            }
            Stage::Sort(keys) => {
                let is_new = |old: &SortKey| keys.iter().all(|key| key.field != old.field);
                let old = std::mem::take(&mut self.sort).into_iter().filter(is_new);
                self.sort = keys.iter().cloned().chain(old).collect();
            }
            other => self.enrich(other, settings.now),
        }
        Ok(true)
    }

    fn enrich(&mut self, stage: &Stage, now: Timestamp) {
        let Some(enrich) = Enrich::of(stage, now) else { return };
        self.looks_at.extend(stage.references());
        match stage.adds() {
            AddedFields::Any => {
                // A field found in a text may replace a computed one.
                self.added.iter_mut().for_each(|(_, gives)| *gives = ResultType::Text);
                self.open.push(OpenStage { stage: stage.clone(), keeps: Vec::new() });
            }
            AddedFields::These(added) => {
                if let Some(visible) = &mut self.visible {
                    visible.extend(added.iter().map(|(name, _)| name.clone()));
                    *visible = once(std::mem::take(visible));
                }
                let names = || added.iter().map(|(name, _)| name.clone());
                self.open.iter_mut().for_each(|open| open.keeps.extend(names()));
                self.added.extend(added);
            }
        }
        self.steps.push(RowStep::Enrich(enrich));
    }

    /// Whether messages were sorted by a field that this stage may change.
    fn sorts_by_what_it_adds(&self, stage: &Stage) -> bool {
        let added = stage.adds();
        self.sort.iter().filter(|key| matches!(key.field, FieldName::Dynamic(_))).any(|key| {
            let is_key = |name: &FieldName| name.as_str().eq_ignore_ascii_case(key.field.as_str());
            match &added {
                AddedFields::Any => true,
                AddedFields::These(added) => added.iter().any(|(name, _)| is_key(name)),
            }
        })
    }

    fn check_visible(&self, stage: &Stage) -> Result<(), AnswerError> {
        let hidden = HiddenField::check(stage, self.visible.as_deref(), |field| self.may_add(field));
        hidden.map_err(|hidden| AnswerError::Stage(hidden.to_string()))
    }

    /// The kind of the values of a field.
    fn kind(&self, field: &FieldName) -> ValueKind {
        let is_it = |(name, _): &&(FieldName, ResultType)| name.as_str().eq_ignore_ascii_case(field.as_str());
        self.added
            .iter()
            .rfind(is_it)
            .map_or_else(|| ValueKind::of(field), |(_, gives)| kind_in_messages(*gives))
    }

    /// Whether a text may have a field of this name.
    fn may_add(&self, field: &FieldName) -> bool {
        matches!(field, FieldName::Dynamic(_)) && !self.open.is_empty()
    }

    fn wanted(&self, pipeline: &Pipeline) -> WantedFields {
        let fields: Vec<FieldName> = pipeline.stages.iter().flat_map(Stage::references).collect();
        WantedFields { fields: (!self.uses_text).then_some(fields) }
    }

    /// Makes the collector that keeps messages, either for a `stage` that needs their order or to show them. Stages
    /// that finish its table are put at the front of `rest`.
    fn rows(
        &self,
        stage: Option<&Stage>,
        rest: &mut Vec<Stage>,
        settings: &AnswerSettings,
    ) -> Result<Rows, AnswerError> {
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let keep = match stage {
            Some(Stage::Limit(limit)) if ROWS_MAX < count(*limit) && shows(rest) => KeepRule::Shown,
            Some(Stage::Limit(limit)) => KeepRule::First(count(*limit)),
            Some(Stage::Tail(limit)) => KeepRule::Last(count(*limit)),
            Some(Stage::Dedup(fields)) => KeepRule::Distinct(fields.clone()),
            Some(stage) => {
                rest.insert(0, stage.clone());
                KeepRule::First(usize::MAX)
            }
            None => KeepRule::Shown,
        };
        if let Some(stage) = stage {
            self.check_visible(stage)?;
        }
        check_texts(rest)?;
        let columns = match &self.visible {
            Some(visible) => {
                let choice = Stage::Fields(visible.clone());
                rest.splice(
                    ..0,
                    std::iter::once(choice).chain(self.open.iter().map(|open| open.stage.clone())),
                );
                visible.clone()
            }
            None => self.columns(rest),
        };
        let kind = |field: &FieldName| self.kind(field);
        Ok(Rows::new(columns, &self.sort, keep, &kind, settings.memory_bytes_max))
    }

    /// The columns that `rest` needs or shows, unless `fields` has chosen them before.
    fn columns(&self, rest: &mut Vec<Stage>) -> Vec<FieldName> {
        let chooses = |stage: &Stage| stage.aggregates() || matches!(stage, Stage::Fields(_));
        let choice = rest.iter().position(chooses);
        let mut columns = Vec::new();
        if choice.is_none() {
            columns.extend(SHOWN.map(FieldName::Known));
            columns.extend(self.added.iter().map(|(name, _)| name.clone()));
            rest.splice(..0, self.open.iter().map(|open| open.stage.clone()));
        }
        let last = choice.map_or(rest.len(), |choice| choice + 1);
        columns.extend(rest[..last].iter().flat_map(Stage::references));
        // If the text lacks the wanted field, a field of that name in the message is kept.
        let found = rest[..last].iter().filter_map(|stage| match stage.adds() {
            AddedFields::These(added) => Some(added),
            AddedFields::Any => None,
        });
        columns.extend(found.flatten().map(|(name, _)| name));
        once(columns)
    }
}

/// Whether these stages show all rows that they are given.
fn shows(rest: &[Stage]) -> bool {
    rest.iter().all(|stage| {
        matches!(stage, Stage::Fields(_) | Stage::Extract { .. } | Stage::Parse { .. } | Stage::Eval(_))
    })
}

/// Refuses to look for a text in all fields of a table of messages, because it does not hold all of them.
fn check_texts(rest: &[Stage]) -> Result<(), AnswerError> {
    let messages = rest.iter().take_while(|stage| !stage.aggregates());
    let mut queries = messages.filter_map(|stage| match stage {
        Stage::Where(query) => Some((stage, query)),
        _ => None,
    });
    match queries.find(|(_, query)| uses_text(query)) {
        None => Ok(()),
        Some((stage, _)) => Err(AnswerError::Stage(format!(
            "`{stage}` looks for a text in all fields, which is possible only before messages are limited: name a \
             field as in `message:text`, or put it first"
        ))),
    }
}
