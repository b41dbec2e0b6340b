//! A stage that groups rows, of messages or of a table: `stats`, `timechart`, `top`, `rare`, `uniq` and `gap`.

use super::answer_rows::{AnswerRows, Unreadable};
use super::combinations::COMBINATIONS_MAX;
use super::finish::TableFinisher;
use super::groups::{GroupPlan, GroupTable};
use super::interval::{Buckets, Interval, Width};
use super::table::{AnswerTable, Rank, TableColumn};
use super::value::CellValue;
use super::value_dictionary::ABSENT;
use super::{AnswerError, AnswerSettings, CodedColumn, ROWS_MAX, ValueKind};
use hashbrown::HashMap;
use logstead_query::{Aggregate, Function, GAP_COLUMNS, Measure, Ranking, Stage, TimeRange, Unit};
use logstead_record::FieldName;
use logstead_record::{Field, SECOND, Timestamp};
use logstead_work::Work;
use std::cmp::Ordering;
use std::ops::Range;

/// The number of buckets aimed at for a timechart without a span.
const BUCKETS_AIM: usize = 100;

/// Collects rows and makes the table.
pub(crate) struct Aggregator {
    needs: Vec<FieldName>,
    by: Vec<GroupSource>,
    arguments: Vec<GroupSource>,
    columns: Vec<TableColumn>,
    groups: GroupTable,
    /// The results of the functions for no rows.
    empty: Vec<CellValue>,
    shape: TableShape,
}

/// The source of a column of groups.
#[derive(Clone, Copy)]
enum GroupSource {
    /// The needed field with this index.
    Given(usize),
    /// The time of each row.
    Time,
    /// The span that contains the row's time.
    Span(Interval),
}

/// The way in which groups become rows.
enum TableShape {
    Stats,
    Timechart {
        interval: Interval,
        range: TimeRange,
    },
    Ranking {
        of: Ranking,
        rare: bool,
    },
    Uniq,
    /// The gaps longer than `longest`, the last one up to `end`.
    Gaps {
        longest: i64,
        end: i64,
    },
}

/// A period in which a group has no messages.
struct SilentGap {
    group: usize,
    from: i64,
    /// The end of the gap; `None` while it lasts.
    to: Option<i64>,
    nanos: u64,
}

impl Aggregator {
    /// An aggregator for such a stage. The range of `settings` contains all times, and `kind` gives the kind of a
    /// column's values.
    pub(crate) fn new(
        stage: &Stage,
        settings: &AnswerSettings,
        kind: &dyn Fn(&FieldName) -> ValueKind,
    ) -> Result<Aggregator, AnswerError> {
        let range = settings.range;
        let (by, functions, shape): (Vec<&FieldName>, &[Aggregate], TableShape) = match stage {
            Stage::Stats { functions, by } => (by.iter().collect(), functions, TableShape::Stats),
            Stage::Timechart { span_nanos, functions, by } => {
                let interval = span(*span_nanos, range)?;
                (by.iter().collect(), functions, TableShape::Timechart { interval, range })
            }
            Stage::Top(of) | Stage::Rare(of) => {
                let rare = matches!(stage, Stage::Rare(_));
                (of.by.iter().chain(&of.fields).collect(), &[], TableShape::Ranking { of: of.clone(), rare })
            }
            Stage::Uniq(fields) => (fields.iter().collect(), &[], TableShape::Uniq),
            Stage::Gap { by, longest_nanos } => {
                let end = settings.asked.last.saturating_add(1).min(settings.now).nanos();
                (by.iter().collect(), &[], TableShape::Gaps { longest: *longest_nanos, end })
            }
            other => return Err(AnswerError::Stage(format!("`{other}` does not group messages"))),
        };
        Ok(Aggregator::build(&by, functions, shape, kind, settings.memory_bytes_max))
    }

    fn build(
        by: &[&FieldName],
        functions: &[Aggregate],
        shape: TableShape,
        kind: &dyn Fn(&FieldName) -> ValueKind,
        memory_bytes_max: usize,
    ) -> Aggregator {
        let mut needs = Vec::new();
        let mut columns: Vec<TableColumn> =
            by.iter().map(|field| TableColumn::new(field.as_str(), kind(field))).collect();
        let mut by: Vec<GroupSource> = by.iter().map(|field| GroupSource::of(field, &mut needs)).collect();
        if let TableShape::Timechart { interval, .. } = shape {
            by.insert(0, GroupSource::Span(interval));
            columns.insert(0, TableColumn::new(Field::Time.name(), ValueKind::Time));
        }
        let kinds = columns.iter().map(|column| column.kind).collect();
        let plain: Vec<Function> = functions.iter().map(|aggregate| aggregate.function.clone()).collect();
        let plan = match shape {
            TableShape::Gaps { longest, .. } => GroupPlan::of_gaps(kinds, longest),
            _ => GroupPlan::new(kinds, &plain, kind),
        };
        let arguments = plan.arguments().map(|field| GroupSource::of(field, &mut needs)).collect();
        columns.extend(
            functions.iter().map(|aggregate| {
                TableColumn::new(&aggregate.column(), result_kind(&aggregate.function, kind))
            }),
        );
        if matches!(shape, TableShape::Ranking { .. }) {
            columns.push(TableColumn::new("count", ValueKind::Number));
        }
        if matches!(shape, TableShape::Gaps { .. }) {
            let kinds = [ValueKind::Time, ValueKind::Time, ValueKind::Number];
            let units = [Unit::Plain, Unit::Plain, Unit::Duration];
            let made = GAP_COLUMNS.iter().zip(kinds).zip(units);
            columns.extend(
                made.map(|((name, kind), unit)| TableColumn { unit, ..TableColumn::new(name, kind) }),
            );
        }
        let groups = GroupTable::new(plan, memory_bytes_max);
        let empty = plain.iter().map(of_nothing).collect();
        Aggregator { needs, by, arguments, columns, groups, empty, shape }
    }

    /// The columns that parts must have; the time is not among them.
    pub(crate) fn needs(&self) -> &[FieldName] {
        &self.needs
    }

    /// The columns of the table that it makes.
    pub(crate) fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// Whether it needs the times of rows.
    pub(crate) fn needs_times(&self) -> bool {
        self.by.iter().chain(&self.arguments).any(|source| !matches!(source, GroupSource::Given(_)))
    }

    /// Adds the selected rows of a part. An unreadable part adds nothing; after any other error there is no answer.
    pub(crate) fn add(&mut self, part: &AnswerRows<'_>, work: &Work<'_>) -> Result<(), AnswerError> {
        let rows: Vec<u32> = part.selected.iter().map(|row| row as u32).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let by = make(&self.by, part)?;
        let arguments = make(&self.arguments, part)?;
        let by = columns(&self.by, &by, part);
        let arguments = columns(&self.arguments, &arguments, part);
        self.groups.add(&rows, &by, &arguments, work)
    }

    /// The table of all parts.
    pub(crate) fn finish(mut self, finish: &TableFinisher<'_>) -> Result<AnswerTable, AnswerError> {
        let mut notes = Vec::new();
        let rows = match &self.shape {
            TableShape::Stats => {
                let order = self.sorted(|_| true, finish);
                self.rows(order, finish)
            }
            TableShape::Uniq => {
                let order = self.sorted(|group| self.has_all(group), finish);
                self.rows(order, finish)
            }
            TableShape::Ranking { of, rare } => self.ranking(of, *rare, finish),
            &TableShape::Gaps { longest, end } => self.gaps(longest, end, finish),
            &TableShape::Timechart { interval, range } => {
                self.timechart(interval, range, &mut notes, finish)?
            }
        };
        if 0 < self.groups.cut() {
            notes.push(format!(
                "{rows} messages have more than {COMBINATIONS_MAX} combinations of values and are counted under the \
                 first {COMBINATIONS_MAX}: group by fewer fields",
                rows = self.groups.cut()
            ));
        }
        let made = &mut self.columns[self.by.len()..];
        for (function, column) in made.iter_mut().enumerate() {
            if column.unit == Unit::Plain {
                column.unit = self.groups.unit(function);
            }
        }
        Ok(AnswerTable { columns: self.columns, rows, notes, ..AnswerTable::default() })
    }

    /// The numbers of some groups, in the order of their values.
    fn sorted(&self, is_wanted: impl Fn(usize) -> bool, finish: &TableFinisher<'_>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.groups.len()).filter(|&group| is_wanted(group)).collect();
        sort_groups(&self.groups, 0..self.by.len(), &mut order, finish);
        order
    }

    /// Whether the rows of a group have a value in each column.
    fn has_all(&self, group: usize) -> bool {
        (0..self.by.len()).all(|column| self.groups.key(group, column).is_some())
    }

    fn row(&mut self, group: usize) -> Vec<CellValue> {
        let functions = self.columns.len() - self.by.len();
        let by = (0..self.by.len()).map(|column| self.groups.value(group, column));
        let mut row: Vec<CellValue> = by.collect();
        row.extend((0..functions).map(|function| self.groups.result(group, function)));
        row
    }

    fn rows(&mut self, order: Vec<usize>, finish: &TableFinisher<'_>) -> Vec<Vec<CellValue>> {
        let order = order.into_iter().enumerate().take_while(|(rows, _)| finish.wants(*rows));
        order.map(|(_, group)| self.row(group)).collect()
    }

    /// The most or least frequent groups among those with all values, for each group of the first columns.
    fn ranking(&self, of: &Ranking, rare: bool, finish: &TableFinisher<'_>) -> Vec<Vec<CellValue>> {
        let groups = &self.groups;
        let order = self.sorted(|group| self.has_all(group), finish);
        let frequency = |group: usize| if rare { groups.rows(group) } else { u64::MAX - groups.rows(group) };
        let key = |group: usize| (0..of.by.len()).map(move |column| groups.key(group, column));
        let mut rows = Vec::new();
        // Groups with the same `by` are next to each other. The sort is stable, so among equal counts the lower value
        // comes first.
        for chunk in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            let mut chunk = chunk.to_vec();
            finish.sort(&mut chunk, |a, b| frequency(a).cmp(&frequency(b)));
            chunk.truncate(usize::try_from(of.count).unwrap_or(usize::MAX));
            for group in chunk {
                if !finish.wants(rows.len()) {
                    return rows;
                }
                let values = (0..self.by.len()).map(|column| groups.value(group, column));
                rows.push(values.chain([CellValue::Count(groups.rows(group))]).collect());
            }
        }
        rows
    }

    /// The gaps, longest first; among equal ones, the lower value comes first, then the earlier gap.
    fn gaps(&mut self, longest: i64, end: i64, finish: &TableFinisher<'_>) -> Vec<Vec<CellValue>> {
        let mut gaps: Vec<SilentGap> = Vec::new();
        for group in self.sorted(|group| self.has_all(group), finish) {
            if !finish.wants(gaps.len()) {
                break;
            }
            let spans = self.groups.spans(group);
            let gap = |from: i64, to: Option<i64>| SilentGap {
                group,
                from,
                to,
                nanos: to.unwrap_or(end).max(from).abs_diff(from),
            };
            gaps.extend(spans.windows(2).map(|two| gap(two[0].1, Some(two[1].0))));
            let lasting = spans.last().map(|(_, last)| gap(*last, None));
            gaps.extend(lasting.filter(|gap| longest.unsigned_abs() < gap.nanos));
        }
        let mut order: Vec<usize> = (0..gaps.len()).collect();
        finish.sort(&mut order, |a, b| gaps[b].nanos.cmp(&gaps[a].nanos));
        let mut rows = Vec::new();
        for gap in order.into_iter().map(|at| &gaps[at]) {
            if !finish.wants(rows.len()) {
                break;
            }
            let time = |nanos: i64| CellValue::Time(Timestamp::from_nanos(nanos));
            let seconds = CellValue::Number(gap.nanos as f64 / SECOND as f64);
            let values = (0..self.by.len()).map(|column| self.groups.value(gap.group, column));
            rows.push(
                values.chain([time(gap.from), gap.to.map_or(CellValue::Null, time), seconds]).collect(),
            );
        }
        rows
    }

    /// The table of a timechart, with a row for every span of the range and each series.
    fn timechart(
        &mut self,
        interval: Interval,
        range: TimeRange,
        notes: &mut Vec<String>,
        finish: &TableFinisher<'_>,
    ) -> Result<Vec<Vec<CellValue>>, AnswerError> {
        let series = self.series(finish);
        let mut known = HashMap::new();
        for group in 0..self.groups.len() {
            if let CellValue::Time(start) = self.groups.value(group, 0) {
                known.insert((interval.number(start.nanos()), self.series_of(group)), group);
            }
        }
        let found = known.keys().map(|(number, _)| *number);
        let Some((first, last)) = ends(interval, range, found) else { return Ok(Vec::new()) };
        let spans = interval.count(first, last)?;
        if self.by.len() > 1 && ROWS_MAX < spans * series.len() {
            notes.push(
                "spans without messages are left out, because the table would be too long with them"
                    .to_owned(),
            );
            let order = self.sorted(|_| true, finish);
            return Ok(self.rows(order, finish));
        }
        let mut rows = Vec::with_capacity(spans * series.len());
        for number in first..=last {
            for &example in &series {
                let series = example.map_or(ABSENT, |group| self.series_of(group));
                rows.push(match known.get(&(number, series)) {
                    Some(&group) => self.row(group),
                    None => self.empty_row(interval.start(number), example),
                });
            }
        }
        Ok(rows)
    }

    /// One group of each series, in the order of their values; without a field, one series without a group.
    fn series(&self, finish: &TableFinisher<'_>) -> Vec<Option<usize>> {
        if self.by.len() == 1 {
            return vec![None];
        }
        let mut examples: Vec<usize> = (0..self.groups.len()).collect();
        examples.sort_by_key(|&group| self.series_of(group));
        examples.dedup_by_key(|group| self.series_of(*group));
        sort_groups(&self.groups, 1..2, &mut examples, finish);
        examples.into_iter().map(Some).collect()
    }

    fn series_of(&self, group: usize) -> u32 {
        if self.by.len() == 1 { ABSENT } else { self.groups.key_number(group, 1) }
    }

    fn empty_row(&self, start: i64, example: Option<usize>) -> Vec<CellValue> {
        let start = CellValue::Time(Timestamp::from_nanos(start));
        let series = example.map(|group| self.groups.value(group, 1));
        std::iter::once(start).chain(series).chain(self.empty.iter().cloned()).collect()
    }
}

/// The numbers of the first and the last span of a chart; if the range is open, those of the spans that have rows.
fn ends(
    interval: Interval,
    range: TimeRange,
    found: impl Iterator<Item = i64> + Clone,
) -> Option<(i64, i64)> {
    let end = |time: Timestamp| interval.number(time.nanos());
    let first = if range.first == Timestamp::MIN { found.clone().min()? } else { end(range.first) };
    let last = if range.last == Timestamp::MAX { found.max()? } else { end(range.last) };
    (first <= last).then_some((first, last))
}

/// The result of a function for no rows.
fn of_nothing(function: &Function) -> CellValue {
    match function {
        Function::Count | Function::Of(Measure::Count | Measure::Distinct, _) => CellValue::Count(0),
        Function::Of(..) => CellValue::Null,
    }
}

/// The kind of a function's results, which are mostly numbers.
fn result_kind(function: &Function, kind: &dyn Fn(&FieldName) -> ValueKind) -> ValueKind {
    match function {
        Function::Of(Measure::Min | Measure::Max, field) => kind(field),
        Function::Of(..) | Function::Count => ValueKind::Number,
    }
}

fn span(span_nanos: Option<i64>, range: TimeRange) -> Result<Interval, AnswerError> {
    match span_nanos {
        // An open range extends to the messages that are found.
        Some(nanos) if range.first == Timestamp::MIN || range.last == Timestamp::MAX => {
            Interval::new(nanos).ok_or(AnswerError::NoBuckets)
        }
        Some(nanos) => Buckets::of(range, Width::Nanos(nanos)).map(|buckets| buckets.interval),
        None => Buckets::of(range, Width::AtMost(BUCKETS_AIM)).map(|buckets| buckets.interval),
    }
}

impl GroupSource {
    fn of(field: &FieldName, needs: &mut Vec<FieldName>) -> GroupSource {
        if *field == FieldName::Known(Field::Time) {
            return GroupSource::Time;
        }
        let known = needs.iter().position(|need| need == field);
        GroupSource::Given(known.unwrap_or_else(|| {
            needs.push(field.clone());
            needs.len() - 1
        }))
    }

    /// The column that this source computes; `None` if it is one of the part's columns.
    fn coded<'a>(self, part: &AnswerRows<'_>) -> Result<Option<CodedColumn<'a>>, Unreadable> {
        match self {
            GroupSource::Given(_) => Ok(None),
            GroupSource::Span(interval) => interval.coded(part).map(Some),
            GroupSource::Time => {
                let mut times = vec![0; part.rows];
                part.visit_times(|time| time..=time, |rows, time| times[rows].fill(time))?;
                Ok(Some(CodedColumn::of_times(times)))
            }
        }
    }
}

fn make<'a>(
    sources: &[GroupSource],
    part: &AnswerRows<'_>,
) -> Result<Vec<Option<CodedColumn<'a>>>, Unreadable> {
    sources.iter().map(|source| source.coded(part)).collect()
}

fn columns<'a>(
    sources: &[GroupSource],
    made: &'a [Option<CodedColumn<'a>>],
    part: &'a AnswerRows<'_>,
) -> Vec<&'a CodedColumn<'a>> {
    let column = |(source, made): (&GroupSource, &'a Option<CodedColumn<'a>>)| match (source, made) {
        (GroupSource::Given(index), _) => &part.fields[*index],
        (_, Some(coded)) => coded,
        (_, None) => unreachable!("a column that the part does not have is made"),
    };
    sources.iter().zip(made).map(column).collect()
}

/// Sorts groups by their values in some columns. Texts that are the same number are sorted as texts.
fn sort_groups(
    groups: &GroupTable,
    columns: Range<usize>,
    order: &mut Vec<usize>,
    finish: &TableFinisher<'_>,
) {
    let mut ranks: Vec<Vec<Option<Rank>>> = vec![Vec::new(); columns.len()];
    let mut ranked = 0;
    // A group without a rank is left out later.
    while ranked < groups.len() && finish.wants(ranked) {
        for (column, ranks) in columns.clone().zip(&mut ranks) {
            ranks.push(Rank::of(groups.key(ranked, column), groups.kind(column)));
        }
        ranked += 1;
    }
    order.retain(|&group| group < ranked);
    finish.sort(order, |a, b| {
        let compare = |(column, ranks): (usize, &Vec<Option<Rank>>)| {
            let by_text = || groups.key(a, column).cmp(&groups.key(b, column));
            Rank::compare(ranks[a].as_ref(), ranks[b].as_ref(), false).then_with(by_text)
        };
        columns.clone().zip(&ranks).map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
}
