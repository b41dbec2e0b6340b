//! The answer of a pipeline: rows of values in named columns, and the order in which values are sorted.

use super::coded::CodedColumn;
use super::finish::TableFinisher;
use super::value::{CellValue, ValueKind, severity_key, time_key};
use super::{AnswerError, ROWS_MAX};
use logstead_query::{Unit, number_of};
use logstead_record::FieldName;
use logstead_record::{Field, Severity};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The answer of a pipeline.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AnswerTable {
    /// The columns, one for each value of a row.
    pub columns: Vec<TableColumn>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<CellValue>>,
    /// Notes for the reader, such as that something was cut, and why.
    pub notes: Vec<String>,
    /// Whether the columns depend on the text of messages: a column that no text provides is then empty, not missing.
    pub is_open: bool,
    /// Whether rows are missing because there was no time for them.
    pub is_cut_short: bool,
    /// The number of rows beyond those that an answer may have.
    pub left_out: u64,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableColumn {
    /// The name of the column.
    pub name: String,
    /// The kind of its values that are not null.
    pub kind: ValueKind,
    /// The unit of its numbers.
    pub unit: Unit,
}

impl TableColumn {
    /// A column of values without a unit.
    pub fn new(name: &str, kind: ValueKind) -> TableColumn {
        TableColumn { name: name.to_owned(), kind, unit: Unit::Plain }
    }
}

impl AnswerTable {
    /// The position of the column of a field.
    pub fn find(&self, field: &FieldName) -> Option<usize> {
        self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(field.as_str()))
    }

    /// The position of the column of a field, or an error if the table has none.
    pub fn column(&self, field: &FieldName) -> Result<usize, AnswerError> {
        self.find(field).ok_or_else(|| {
            let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
            AnswerError::Stage(format!(
                "there is no column `{field}` at this stage; the columns are {names}",
                names = names.join(", ")
            ))
        })
    }

    /// A column as values and ids.
    pub fn coded(&self, column: usize) -> CodedColumn<'static> {
        let kind = self.columns[column].kind;
        let write = |row: usize, out: &mut Vec<u8>| write_key(&self.rows[row][column], kind, out);
        let coded = CodedColumn::written(self.rows.len(), write);
        let is_list = self.columns[column].name == Field::Flag.name();
        if is_list { coded.with_lists() } else { coded }
    }

    /// Why the table cannot be exported: a file says nothing of rows that it lacks. `None` if this many rows are enough,
    /// or all are there.
    pub fn flaw_as_file(&self, rows_max: u64) -> Option<String> {
        let rows = self.rows.len() as u64;
        (0 < self.left_out && rows < rows_max).then(|| {
            format!(
                "the table has {} rows, and a table can have {rows}: end the query with `| head {rows}`, or group by \
                 fewer fields",
                rows + self.left_out
            )
        })
    }

    /// Cuts the table to the size that an answer may have.
    pub fn cut(&mut self) {
        let rows = self.rows.len();
        if ROWS_MAX < rows {
            self.rows.truncate(ROWS_MAX);
            self.left_out = (rows - ROWS_MAX) as u64;
            self.notes.push(format!("the table has {rows} rows; these are the first {ROWS_MAX}"));
        }
    }
}

fn write_key(value: &CellValue, kind: ValueKind, out: &mut Vec<u8>) {
    match (kind, value) {
        (ValueKind::Time, CellValue::Time(time)) => out.extend_from_slice(&time_key(time.nanos())),
        (ValueKind::Severity, CellValue::Text(name)) => {
            match std::str::from_utf8(name).ok().and_then(|name| name.parse::<Severity>().ok()) {
                Some(severity) => out.extend_from_slice(&severity_key(severity)),
                None => out.extend_from_slice(name),
            }
        }
        _ => value.write(out),
    }
}

/// A column to sort by.
pub(crate) struct SortColumn<'a> {
    pub coded: Cow<'a, CodedColumn<'a>>,
    pub kind: ValueKind,
    pub(crate) descending: bool,
}

/// The rank of a value in its column: numbers by size, then texts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Rank {
    Number(f64),
    Text(Box<[u8]>),
}

impl Rank {
    /// The rank of a value; `None` if it is absent.
    pub(crate) fn of(key: Option<&[u8]>, kind: ValueKind) -> Option<Rank> {
        let key = key?;
        let number = matches!(kind, ValueKind::Text | ValueKind::Number).then(|| number_of(key)).flatten();
        Some(number.map_or_else(|| Rank::Text(key.into()), |number| Rank::Number(number + 0.0)))
    }

    /// Compares two ranks. Absent values come last in either direction.
    pub(crate) fn compare(a: Option<&Rank>, b: Option<&Rank>, descending: bool) -> Ordering {
        let (Some(a), Some(b)) = (a, b) else { return a.is_none().cmp(&b.is_none()) };
        let order = match (a, b) {
            (Rank::Number(a), Rank::Number(b)) => a.total_cmp(b),
            (Rank::Text(a), Rank::Text(b)) => a.cmp(b),
            (Rank::Number(_), Rank::Text(_)) => Ordering::Less,
            (Rank::Text(_), Rank::Number(_)) => Ordering::Greater,
        };
        if descending { order.reverse() } else { order }
    }
}

/// Sorts rows by the first column, equal ones by the next, and so on; the sort is stable.
pub(crate) fn sort_rows(rows: &mut Vec<usize>, columns: &[SortColumn<'_>], finish: &TableFinisher<'_>) {
    let ranks: Vec<Vec<Option<Rank>>> = columns
        .iter()
        .map(|column| {
            let ids = 0..column.coded.ids_end() as u32;
            ids.map(|id| Rank::of(column.coded.key(id), column.kind)).collect()
        })
        .collect();
    finish.sort(rows, |a, b| {
        let compare = |(column, ranks): (&SortColumn<'_>, &Vec<Option<Rank>>)| {
            let rank = |row: usize| ranks[column.coded.ids[row] as usize].as_ref();
            Rank::compare(rank(a), rank(b), column.descending)
        };
        columns.iter().zip(&ranks).map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
}
