//! Stages that work on a table: those after a stage that aggregates, or after one that needs the order of messages.
//!
//! `where` is answered by the usual matcher, over a batch whose rows have the columns of the table as their fields.

use super::aggregator::Aggregator;
use super::answer_rows::{AnswerRows, BatchTimes};
use super::enrich::{add_column, enrich};
use super::finish::TableFinisher;
use super::stage::check_logspace;
use super::table::{AnswerTable, SortColumn, TableColumn, sort_rows};
use super::value::{CellValue, key_of};
use super::{AnswerError, AnswerSettings, ValueKind};
use hashbrown::HashSet;
use logstead_query::{Context, Matcher, Query, SortKey, Stage};
use logstead_record::FieldName;
use logstead_record::{
    Batch, BatchBuilder, Facility, Field, Flags, Origin, Priority, Row, Selection, Severity, Timestamp,
};
use logstead_transform::Enrich;
use logstead_work::SearchContext;
use std::borrow::Cow;

/// The table after a stage, which leaves the columns in `keeps` unchanged.
pub(crate) fn apply(
    stage: &Stage,
    keeps: &[FieldName],
    mut table: AnswerTable,
    settings: &AnswerSettings,
    finish: &TableFinisher<'_>,
) -> Result<AnswerTable, AnswerError> {
    finish.cut(&mut table.rows);
    if table.is_open {
        for field in stage.references().iter().filter(|field| matches!(field, FieldName::Dynamic(_))) {
            add_column(&mut table, field.as_str(), ValueKind::Text);
        }
    }
    match stage {
        Stage::Where(query) => {
            check_logspace(query, stage)?;
            table.keep(&select(query, &table, settings)?);
        }
        Stage::Fields(fields) => {
            project(fields, &mut table)?;
            table.is_open = false;
        }
        Stage::Sort(keys) => sort(keys, &mut table, finish)?,
        Stage::Limit(count) => table.rows.truncate(usize::try_from(*count).unwrap_or(usize::MAX)),
        Stage::Tail(count) => {
            let kept = usize::try_from(*count).unwrap_or(usize::MAX).min(table.rows.len());
            table.rows.drain(..table.rows.len() - kept);
        }
        Stage::Dedup(fields) => dedup(fields, &mut table)?,
        Stage::Extract { .. } | Stage::Parse { .. } | Stage::Eval(_) => {
            for field in stage.references() {
                table.column(&field)?;
            }
            if let Some(fields) = Enrich::of(stage, settings.now) {
                let kept = keeps.iter().filter_map(|name| table.find(name));
                let kept: Vec<(usize, Vec<CellValue>)> =
                    kept.map(|at| (at, table.rows.iter().map(|row| row[at].clone()).collect())).collect();
                enrich(&fields, &mut table)?;
                for (at, values) in kept {
                    table.rows.iter_mut().zip(values).for_each(|(row, value)| row[at] = value);
                }
            }
        }
        Stage::Stats { .. }
        | Stage::Timechart { .. }
        | Stage::Top(_)
        | Stage::Rare(_)
        | Stage::Uniq(_)
        | Stage::Gap { .. } => {
            table = aggregate(stage, table, settings, finish)?;
        }
    }
    Ok(table)
}

impl AnswerTable {
    fn keep(&mut self, selected: &Selection) {
        let mut row = 0;
        self.rows.retain(|_| {
            row += 1;
            selected.contains(row - 1)
        });
    }
}

fn select(query: &Query, table: &AnswerTable, settings: &AnswerSettings) -> Result<Selection, AnswerError> {
    for field in query.fields() {
        table.column(field)?;
    }
    let matcher = Matcher::new(query, &Context { now: settings.now, logspace: "" });
    Ok(matcher.select(&batch_of(table)))
}

fn project(fields: &[FieldName], table: &mut AnswerTable) -> Result<(), AnswerError> {
    let indexes = fields.iter().map(|field| table.column(field)).collect::<Result<Vec<_>, _>>()?;
    table.columns = indexes.iter().map(|&index| table.columns[index].clone()).collect();
    for row in &mut table.rows {
        *row = indexes.iter().map(|&index| row[index].clone()).collect();
    }
    Ok(())
}

fn sort(keys: &[SortKey], table: &mut AnswerTable, finish: &TableFinisher<'_>) -> Result<(), AnswerError> {
    let column = |key: &SortKey| {
        let index = table.column(&key.field)?;
        let coded = Cow::Owned(table.coded(index));
        Ok(SortColumn { coded, kind: table.columns[index].kind, descending: key.descending })
    };
    let columns = keys.iter().map(column).collect::<Result<Vec<_>, AnswerError>>()?;
    let mut order: Vec<usize> = (0..table.rows.len()).collect();
    sort_rows(&mut order, &columns, finish);
    table.rows = order.into_iter().map(|row| std::mem::take(&mut table.rows[row])).collect();
    Ok(())
}

fn dedup(fields: &[FieldName], table: &mut AnswerTable) -> Result<(), AnswerError> {
    let columns = fields.iter().map(|field| table.column(field)).collect::<Result<Vec<_>, _>>()?;
    let mut known = HashSet::new();
    table.rows.retain(|row| known.insert(key_of(columns.iter().map(|&column| &row[column]))));
    Ok(())
}

fn aggregate(
    stage: &Stage,
    table: AnswerTable,
    settings: &AnswerSettings,
    finish: &TableFinisher<'_>,
) -> Result<AnswerTable, AnswerError> {
    let kind =
        |field: &FieldName| table.find(field).map_or(ValueKind::Text, |index| table.columns[index].kind);
    let mut aggregator = Aggregator::new(stage, settings, &kind)?;
    let fields = aggregator.needs().iter().map(|field| Ok(table.coded(table.column(field)?)));
    let fields = fields.collect::<Result<Vec<_>, AnswerError>>()?;
    let (times, selected) = times_of(&table, aggregator.needs_times())?;
    let part =
        AnswerRows { rows: table.rows.len(), selected: &selected, times: &BatchTimes::new(times), fields };
    // A part of the rows would give a different table, so all of them are added; this takes no longer than making
    // them did.
    aggregator.add(&part, &SearchContext::alone().work())?;
    let mut made = aggregator.finish(finish)?;
    made.notes.splice(..0, table.notes);
    Ok(made)
}

/// The time of each row, and the rows that have one.
fn times_of(table: &AnswerTable, needed: bool) -> Result<(Vec<i64>, Selection), AnswerError> {
    let rows = table.rows.len();
    if !needed {
        return Ok((vec![0; rows], Selection::all(rows)));
    }
    let column = table.column(&FieldName::Known(Field::Time))?;
    let time = |row: usize| match table.rows[row][column] {
        CellValue::Time(time) => Some(time.nanos()),
        _ => None,
    };
    let times = (0..rows).map(|row| time(row).unwrap_or_default()).collect();
    Ok((times, Selection::from_fn(rows, |row| time(row).is_some())))
}

/// The rows as messages whose fields are the columns.
fn batch_of(table: &AnswerTable) -> Batch {
    let mut builder = BatchBuilder::new();
    let columns: Vec<(FieldName, &TableColumn)> =
        table.columns.iter().map(|column| (FieldName::new(&column.name), column)).collect();
    for row in &table.rows {
        push_row(&columns, row, &mut builder);
    }
    builder.seal()
}

fn push_row(columns: &[(FieldName, &TableColumn)], row: &[CellValue], builder: &mut BatchBuilder) {
    let texts: Vec<Vec<u8>> = row
        .iter()
        .map(|value| {
            let mut text = Vec::new();
            value.write(&mut text);
            text
        })
        .collect();
    for ((name, _), text) in columns.iter().zip(&texts) {
        if let FieldName::Dynamic(name) = name
            && !text.is_empty()
        {
            builder.field(name.as_bytes(), text);
        }
    }
    let at = |field: Field| columns.iter().position(|(name, _)| *name == FieldName::Known(field));
    let text = |field: Field| at(field).map_or(b"".as_slice(), |index| &texts[index]);
    let time = |field: Field| match at(field).map(|index| &row[index]) {
        Some(CellValue::Time(time)) => Some(*time),
        _ => None,
    };
    // A message's own time counts unless it is far after its time of receipt.
    let received = time(Field::Received).unwrap_or(if time(Field::Time).is_some() {
        Timestamp::MAX
    } else {
        Timestamp::MIN
    });
    builder.origin(Origin { source: text(Field::Source), peer: text(Field::Peer), received });
    let mut said = Row {
        time: time(Field::Time),
        priority: priority(text(Field::Facility), text(Field::Severity)),
        message_at: None,
        flags: flags(text(Field::Flag)),
        ..Row::text(text(Field::Raw))
    };
    Field::OF_ROWS.into_iter().for_each(|field| said[field] = text(field));
    builder.push(&said);
}

/// A priority with this facility and severity; a missing column is never asked for.
fn priority(facility: &[u8], severity: &[u8]) -> Option<Priority> {
    let read = |text: &[u8]| std::str::from_utf8(text).ok().map(str::to_owned);
    let facility = read(facility).and_then(|name| name.parse::<Facility>().ok());
    let severity = read(severity).and_then(|name| name.parse::<Severity>().ok());
    if facility.is_none() && severity.is_none() {
        return None;
    }
    let default = Priority::DEFAULT;
    Some(Priority::of(facility.unwrap_or(default.facility()), severity.unwrap_or(default.severity())))
}

fn flags(names: &[u8]) -> Flags {
    let set = Flags::NAMES
        .into_iter()
        .filter(|(_, name)| names.split(|&byte| byte == b',').any(|it| it == name.as_bytes()));
    set.fold(Flags::default(), |flags, (flag, _)| flags.with(flag))
}
