//! A table as a JSON object.

use logstead_answer::{CellValue, ValueKind};
use logstead_query::Unit;
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// A table.
#[derive(Serialize, ToSchema)]
pub struct Table {
    columns: Vec<Column>,
    /// Each has a value for every column; at most 10 000.
    rows: Vec<Vec<Cell>>,
    /// Notes about the table: what was cut, and why.
    notes: Vec<String>,
}

/// A column of a table.
#[derive(Serialize, ToSchema)]
struct Column {
    name: String,
    kind: ColumnKind,
    /// What its numbers are in, where they were written with units.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<ColumnUnit>,
}

/// The unit of a column's numbers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ColumnUnit {
    Bytes,
    Seconds,
}

/// The kind of a column's values, apart from nulls.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ColumnKind {
    Text,
    /// Numbers; text for values that are not numbers.
    Number,
    /// Names of severities, ordered by urgency.
    Severity,
    /// RFC 3339.
    Time,
}

/// A value of a table.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell {
    Count(u64),
    Number(f64),
    Text(String),
    Null,
}

/// A count is a number, too: with one schema for each, it would fit two of which only one may fit.
impl PartialSchema for Cell {
    fn schema() -> RefOr<Schema> {
        let types = SchemaType::from_iter([Type::Number, Type::String, Type::Null]);
        ObjectBuilder::new().schema_type(types).description(Some("A value of a table.")).into()
    }
}

impl ToSchema for Cell {}

impl Table {
    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl From<logstead_answer::AnswerTable> for Table {
    fn from(table: logstead_answer::AnswerTable) -> Table {
        Table {
            columns: table.columns.into_iter().map(Column::new).collect(),
            rows: table.rows.iter().map(|row| row.iter().map(Cell::new).collect()).collect(),
            notes: table.notes,
        }
    }
}

impl Column {
    fn new(column: logstead_answer::TableColumn) -> Column {
        let kind = match column.kind {
            ValueKind::Text => ColumnKind::Text,
            ValueKind::Number => ColumnKind::Number,
            ValueKind::Severity => ColumnKind::Severity,
            ValueKind::Time => ColumnKind::Time,
        };
        let unit = match column.unit {
            Unit::Plain => None,
            Unit::Size => Some(ColumnUnit::Bytes),
            Unit::Duration => Some(ColumnUnit::Seconds),
        };
        Column { name: column.name, kind, unit }
    }
}

impl Cell {
    fn new(value: &CellValue) -> Cell {
        match value {
            CellValue::Null => Cell::Null,
            CellValue::Count(count) => Cell::Count(*count),
            CellValue::Number(number) => Cell::Number(*number),
            CellValue::Text(_) | CellValue::Time(_) => Cell::Text(text(value)),
        }
    }
}

/// A value as text.
pub fn text(value: &CellValue) -> String {
    let mut text = Vec::new();
    value.write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
