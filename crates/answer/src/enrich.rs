//! The stages `extract`, `parse` and `eval` over a table.

use super::table::{Column, Table};
use super::value::Value;
use super::{AnswerError, Kind};
use hashbrown::HashMap;
use logstead_query::{AddedFields, Cell, Unit, ValueKind};
use logstead_record::FieldName;
use logstead_transform::{Enrich, counts};
use std::borrow::Cow;

/// Most columns that a table gets in all.
const COLUMNS_MAX: usize = 200;

/// Adds the fields to each row.
pub(crate) fn enrich(enrich: &Enrich, table: &mut Table) -> Result<(), AnswerError> {
    let mut added: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
    if let AddedFields::These(these) = enrich.adds() {
        for (name, gives) in these {
            let at = add_column(table, name.as_str(), kind_of(*gives));
            added.insert(name.as_str().as_bytes().to_ascii_lowercase(), at);
        }
    }
    match enrich.reads_text() {
        Some(from) => find(enrich, from, table, &mut added)?,
        None => compute(enrich, table, &added),
    }
    table.is_open |= *enrich.adds() == AddedFields::Any;
    if added.values().any(Option::is_none) {
        table
            .notes
            .push(format!("only the first {COLUMNS_MAX} columns are shown: choose some with `fields`"));
    }
    Ok(())
}

fn find(
    enrich: &Enrich,
    from: &FieldName,
    table: &mut Table,
    added: &mut HashMap<Vec<u8>, Option<usize>>,
) -> Result<(), AnswerError> {
    let from = table.column(from)?;
    for row in 0..table.rows.len() {
        let mut text = Vec::new();
        table.rows[row][from].write(&mut text);
        let mut found = Vec::new();
        for (name, value) in enrich.found(&text).into_iter().filter(counts) {
            let column = *added
                .entry(name.to_ascii_lowercase())
                .or_insert_with(|| add_column(table, &String::from_utf8_lossy(&name), Kind::Text));
            // The first value of a name counts.
            if let Some(column) = column.filter(|column| !found.contains(column)) {
                table.rows[row][column] = Value::text(&value);
                found.push(column);
            }
        }
    }
    Ok(())
}

fn compute(enrich: &Enrich, table: &mut Table, added: &HashMap<Vec<u8>, Option<usize>>) {
    for row in 0..table.rows.len() {
        let computed: Vec<(Option<usize>, Value)> = {
            let values = &table.rows[row];
            let field = |name: &FieldName| table.find(name).map_or(Cell::Null, |at| cell(&values[at]));
            let computed = enrich.computed(&field);
            let column = |name: &str| added.get(name.to_ascii_lowercase().as_bytes()).copied().flatten();
            computed.into_iter().map(|(name, cell)| (column(name), value(&cell))).collect()
        };
        for (column, value) in computed {
            if let Some(column) = column {
                table.rows[row][column] = value;
            }
        }
    }
}

fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Null => Cell::Null,
        Value::Text(text) => Cell::of_text(Cow::Borrowed(text)),
        Value::Count(count) => Cell::Number(*count as f64),
        Value::Number(number) => Cell::Number(*number),
        Value::Time(time) => Cell::Time(*time),
    }
}

fn value(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Number(number) => whole(*number).map_or(Value::Number(*number), Value::Count),
        Cell::Time(time) => Value::Time(*time),
        other => other.text().filter(|text| !text.is_empty()).map_or(Value::Null, |text| Value::text(&text)),
    }
}

/// A count, so that it is shown without a point.
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
}

/// What the values of a column are.
pub(crate) fn kind_of(gives: ValueKind) -> Kind {
    match gives {
        ValueKind::Text => Kind::Text,
        ValueKind::Number => Kind::Number,
        ValueKind::Time => Kind::Time,
    }
}

/// The fields a stage adds to messages, where they are known, with what they are there: a message has texts only.
pub(crate) fn kind_in_messages(gives: ValueKind) -> Kind {
    if gives == ValueKind::Number { Kind::Number } else { Kind::Text }
}

/// The column of a name, added where there is none; `None` where there are too many.
pub(crate) fn add_column(table: &mut Table, name: &str, kind: Kind) -> Option<usize> {
    let known = table.find(&FieldName::Dynamic(name.to_owned()));
    if let Some(known) = known {
        // What is written over its values may be in anything.
        table.columns[known].unit = Unit::Plain;
        return Some(known);
    }
    if COLUMNS_MAX <= table.columns.len() {
        return None;
    }
    table.columns.push(Column::new(name, kind));
    table.rows.iter_mut().for_each(|row| row.push(Value::Null));
    Some(table.columns.len() - 1)
}
