//! A table as a JSON object.

use logstead_answer::{CellValue, ValueKind};
use logstead_query::Unit;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// A table.
#[derive(Serialize, ToSchema)]
#[schema(as = Table)]
pub struct TableJson {
    columns: Vec<TableColumn>,
    /// The rows, each with a value for every column; at most 10 000.
    rows: Vec<Vec<TableCell>>,
    /// Notes about the table: the parts that were cut, and why.
    notes: Vec<String>,
}

/// A column of a table.
#[derive(Serialize, ToSchema)]
#[schema(as = Column)]
struct TableColumn {
    name: String,
    kind: ColumnKind,
    /// The unit of its numbers, if they were written with units.
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
    /// Times in RFC 3339 format.
    Time,
}

/// A value of a table.
#[derive(Serialize)]
#[serde(untagged)]
enum TableCell {
    Count(u64),
    Number(f64),
    Text(String),
    Null,
}

/// The schema of a cell. Counts and numbers share a type: with one schema for each, a count would match both, and
/// only one may match.
impl PartialSchema for TableCell {
    fn schema() -> RefOr<Schema> {
        let either = [Type::Number, Type::String, Type::Null]
            .into_iter()
            .fold(utoipa::openapi::OneOfBuilder::new(), |either, kind| {
                either.item(ObjectBuilder::new().schema_type(kind))
            });
        either.description(Some("A value of a table.")).into()
    }
}

impl ToSchema for TableCell {
    fn name() -> Cow<'static, str> {
        "Cell".into()
    }
}

impl TableJson {
    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl From<logstead_answer::AnswerTable> for TableJson {
    fn from(table: logstead_answer::AnswerTable) -> TableJson {
        TableJson {
            columns: table.columns.into_iter().map(TableColumn::new).collect(),
            rows: table.rows.iter().map(|row| row.iter().map(TableCell::new).collect()).collect(),
            notes: table.notes,
        }
    }
}

impl TableColumn {
    fn new(column: logstead_answer::TableColumn) -> TableColumn {
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
        TableColumn { name: column.name, kind, unit }
    }
}

impl TableCell {
    fn new(value: &CellValue) -> TableCell {
        match value {
            CellValue::Null => TableCell::Null,
            CellValue::Count(count) => TableCell::Count(*count),
            CellValue::Number(number) => TableCell::Number(*number),
            CellValue::Text(_) | CellValue::Time(_) => TableCell::Text(text(value)),
        }
    }
}

/// A value as text.
pub fn text(value: &CellValue) -> String {
    let mut text = Vec::new();
    value.write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
