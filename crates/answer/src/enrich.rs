//! The stages `extract`, `parse` and `eval` over a table.

use super::table::{AnswerTable, TableColumn};
use super::value::CellValue;
use super::{AnswerError, ValueKind};
use hashbrown::HashMap;
use logstead_query::{AddedFields, Cell, ResultType, Unit};
use logstead_record::FieldName;
use logstead_transform::{Enrich, counts};
use std::borrow::Cow;

/// The greatest number of columns that a table may have.
const COLUMNS_MAX: usize = 200;

/// Adds the fields to each row.
pub(crate) fn enrich(enrich: &Enrich, table: &mut AnswerTable) -> Result<(), AnswerError> {
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
    table: &mut AnswerTable,
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
                .or_insert_with(|| add_column(table, &String::from_utf8_lossy(&name), ValueKind::Text));
            // If a name occurs several times, its first value counts.
            if let Some(column) = column.filter(|column| !found.contains(column)) {
                table.rows[row][column] = CellValue::text(&value);
                found.push(column);
            }
        }
    }
    Ok(())
}

fn compute(enrich: &Enrich, table: &mut AnswerTable, added: &HashMap<Vec<u8>, Option<usize>>) {
    for row in 0..table.rows.len() {
        let computed: Vec<(Option<usize>, CellValue)> = {
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

fn cell(value: &CellValue) -> Cell<'_> {
    match value {
        CellValue::Null => Cell::Null,
        CellValue::Text(text) => Cell::of_text(Cow::Borrowed(text)),
        CellValue::Count(count) => Cell::Number(*count as f64),
        CellValue::Number(number) => Cell::Number(*number),
        CellValue::Time(time) => Cell::Time(*time),
    }
}

fn value(cell: &Cell<'_>) -> CellValue {
    match cell {
        Cell::Number(number) => whole(*number).map_or(CellValue::Number(*number), CellValue::Count),
        Cell::Time(time) => CellValue::Time(*time),
        other => other
            .text()
            .filter(|text| !text.is_empty())
            .map_or(CellValue::Null, |text| CellValue::text(&text)),
    }
}

/// The number as a count, so that it is shown without a decimal point.
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
}

/// The kind of the values of a column.
pub(crate) fn kind_of(gives: ResultType) -> ValueKind {
    match gives {
        ResultType::Text => ValueKind::Text,
        ResultType::Number => ValueKind::Number,
        ResultType::Time => ValueKind::Time,
    }
}

/// The kind that values of this type have as fields of messages, where all but numbers are texts.
pub(crate) fn kind_in_messages(gives: ResultType) -> ValueKind {
    if gives == ResultType::Number { ValueKind::Number } else { ValueKind::Text }
}

/// The column with this name, which is added if it is missing; `None` if there are too many columns.
pub(crate) fn add_column(table: &mut AnswerTable, name: &str, kind: ValueKind) -> Option<usize> {
    let known = table.find(&FieldName::Dynamic(name.to_owned()));
    if let Some(known) = known {
        // The values of the column are overwritten, and the new ones may have any unit.
        table.columns[known].unit = Unit::Plain;
        return Some(known);
    }
    if COLUMNS_MAX <= table.columns.len() {
        return None;
    }
    table.columns.push(TableColumn::new(name, kind));
    table.rows.iter_mut().for_each(|row| row.push(CellValue::Null));
    Some(table.columns.len() - 1)
}
