//! Messages and tables as files with typed columns.
//!
//! The store keeps the fields of messages as texts. A column has the type that is natural for its field, or the one that
//! is asked for behind its name (`status:integer`), and a value is read as that type.
//!
//! **Invariant:** a value that cannot be read as the type of its column is null, and counted.

use super::columns::{MessageColumns, value_of, values_of};
use logstead_answer::{AnswerTable, CellValue, ValueKind};
use logstead_columnar::{ColumnBuffer, ColumnType, ColumnarFormat, ColumnarWriter, TypedColumn};
use logstead_indexer::Hit;
use logstead_record::{ColumnGroups, Field, FieldName, Severity, Storage, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length of a value that is shown as an example.
const EXAMPLE_CHARS: usize = 64;

/// The types that can be asked for, by all of their names.
const TYPES: [(&str, ColumnType); 9] = [
    ("text", ColumnType::Text),
    ("integer", ColumnType::Integer),
    ("int", ColumnType::Integer),
    ("number", ColumnType::Number),
    ("float", ColumnType::Number),
    ("boolean", ColumnType::Boolean),
    ("bool", ColumnType::Boolean),
    ("time", ColumnType::Time),
    ("list", ColumnType::List),
];

/// A file of messages with typed columns.
pub struct TypedMessages {
    format: ColumnarFormat,
    columns: Vec<FieldColumn>,
    /// `None` before the beginning and after the end.
    writer: Option<ColumnarWriter>,
}

/// A column with the values of a field.
struct FieldColumn {
    name: String,
    field: FieldName,
    kind: ColumnType,
    unfit: UnfitValues,
}

/// The values of a column that cannot be read as its type, and are null in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct UnfitColumn {
    /// The name of the column.
    column: String,
    /// How many values do not fit.
    values: u64,
    /// The first of them, or its beginning.
    example: String,
}

impl UnfitColumn {
    /// How many values do not fit.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// What there is to say about it.
    pub fn told(&self) -> String {
        let UnfitColumn { column, values, example } = self;
        format!("{column}: {values} values do not fit its type and are null, such as {example:?}")
    }
}

#[derive(Default)]
struct UnfitValues {
    values: u64,
    example: String,
}

/// A name of a column without the type that may be asked for behind it.
pub(super) fn declared(name: &str) -> (&str, Option<ColumnType>) {
    let found = name.rsplit_once(':').and_then(|(name, wanted)| {
        let (_, kind) = TYPES.iter().find(|(known, _)| *known == wanted)?;
        Some((name, Some(*kind)))
    });
    found.unwrap_or((name, None))
}

impl TypedMessages {
    /// A file with these columns; an error if they are not possible.
    pub(super) fn new(format: ColumnarFormat, names: &[String]) -> Result<TypedMessages, String> {
        let kinds: Vec<Option<ColumnType>> = names.iter().map(|name| declared(name).1).collect();
        let names = names.iter().map(|name| declared(name).0.to_owned()).collect();
        let fields = MessageColumns::new(names)?.into_fields();
        let mut columns: Vec<FieldColumn> = Vec::new();
        for ((name, field), kind) in fields.into_iter().zip(kinds) {
            if columns.iter().any(|column| column.name.eq_ignore_ascii_case(&name)) {
                return Err(format!("columns names {name} twice: a file has one column of each name"));
            }
            let kind = kind.unwrap_or_else(|| natural(&field));
            columns.push(FieldColumn { name, field, kind, unfit: UnfitValues::default() });
        }
        Ok(TypedMessages { format, columns, writer: None })
    }

    /// The columns of a batch that they are read from.
    pub(super) fn groups(&self) -> ColumnGroups {
        self.columns.iter().fold(ColumnGroups::NONE, |groups, column| groups.and(column.field.groups()))
    }

    /// Appends the beginning.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        let typed = |column: &FieldColumn| TypedColumn { name: column.name.clone(), kind: column.kind };
        let columns: Vec<TypedColumn> = self.columns.iter().map(typed).collect();
        self.writer = Some(ColumnarWriter::begin(self.format, &columns, out));
    }

    /// Takes a message, and returns the bytes that it takes.
    pub(super) fn message(&mut self, logspace: &str, hit: &Hit, out: &mut Vec<u8>) -> usize {
        let TypedMessages { columns, writer, .. } = self;
        let Some(writer) = writer else { return 0 };
        for (column, buffer) in columns.iter_mut().zip(writer.columns()) {
            column.push(logspace, hit, buffer);
        }
        writer.end_row(out)
    }

    /// Appends the rest and the end.
    pub(super) fn end(&mut self, notes: &[(&str, String)], out: &mut Vec<u8>) {
        if let Some(writer) = self.writer.take() {
            writer.end(notes, out);
        }
    }

    /// The columns with values that do not fit.
    pub(super) fn unfit(&self) -> Vec<UnfitColumn> {
        self.columns.iter().filter_map(|column| column.unfit.shown(&column.name)).collect()
    }
}

/// The type of the column of a field.
fn natural(field: &FieldName) -> ColumnType {
    let FieldName::Known(field) = field else { return ColumnType::Text };
    match field.storage() {
        Storage::Name(_) | Storage::Logspace => ColumnType::Name,
        Storage::Text(_) if *field == Field::Pid => ColumnType::Integer,
        Storage::Text(_) | Storage::Raw => ColumnType::Text,
        Storage::Priority(_) => ColumnType::Integer,
        Storage::Flags => ColumnType::List,
        Storage::Time | Storage::Received => ColumnType::Time,
    }
}

impl FieldColumn {
    fn push(&mut self, logspace: &str, hit: &Hit, buffer: &mut ColumnBuffer) {
        let (batch, row) = (&hit.batch, hit.row);
        let known = match &self.field {
            FieldName::Dynamic(wanted) => {
                return push_all(values_of(wanted, hit), self.kind, &mut self.unfit, buffer);
            }
            FieldName::Known(known) => *known,
        };
        match (known.storage(), self.kind) {
            (Storage::Time, ColumnType::Time) => buffer.push_integer(hit.time.nanos()),
            (Storage::Received, ColumnType::Time) => buffer.push_integer(batch.received(row).nanos()),
            (Storage::Priority(half), ColumnType::Integer) => match batch.priority(row) {
                Some(priority) => buffer.push_integer(half.number(priority).into()),
                None => buffer.push_null(),
            },
            (Storage::Flags, ColumnType::List) => {
                buffer.push_list(batch.flags(row).names().map(str::as_bytes));
            }
            (Storage::Name(_) | Storage::Text(_), kind) => {
                let text = batch.text(known, row);
                push_all((!text.is_empty()).then_some(text).into_iter(), kind, &mut self.unfit, buffer);
            }
            (_, kind) => {
                let mut text = Vec::new();
                value_of(&self.field, logspace, hit, &mut text);
                let value = (!text.is_empty()).then_some(text.as_slice());
                push_all(value.into_iter(), kind, &mut self.unfit, buffer);
            }
        }
    }
}

/// Appends all values of a field of a message: as a list, in lines, or the only one.
fn push_all<'a>(
    mut values: impl Iterator<Item = &'a [u8]>,
    kind: ColumnType,
    unfit: &mut UnfitValues,
    buffer: &mut ColumnBuffer,
) {
    let Some(first) = values.next() else { return buffer.push_null() };
    if kind == ColumnType::List {
        return buffer.push_list([first].into_iter().chain(values));
    }
    let Some(second) = values.next() else {
        if !push(first, kind, buffer) {
            unfit.count(first);
        }
        return;
    };
    let lines = [first, second].into_iter().chain(values).collect::<Vec<_>>().join(&b'\n');
    match kind {
        ColumnType::Text | ColumnType::Name => buffer.push_text(&lines),
        _ => {
            buffer.push_null();
            unfit.count(&lines);
        }
    }
}

/// A value as the type of its column.
enum ReadValue<'a> {
    Null,
    /// An integer, or a time in nanoseconds since 1970.
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Text(&'a [u8]),
    List(&'a [u8]),
}

/// Reads a value as a type; `None` if it does not fit.
fn read(value: &[u8], kind: ColumnType) -> Option<ReadValue<'_>> {
    match kind {
        ColumnType::Text | ColumnType::Name => return Some(ReadValue::Text(value)),
        ColumnType::List => return Some(ReadValue::List(value)),
        _ => {}
    }
    let text = std::str::from_utf8(value).ok()?.trim_ascii();
    if text.is_empty() {
        return Some(ReadValue::Null);
    }
    match kind {
        ColumnType::Integer => text.parse().ok().map(ReadValue::Integer),
        ColumnType::Number => {
            // `inf` and `nan` are not numbers here.
            let is_number = text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte));
            let number = text.parse().ok().filter(|number: &f64| is_number && number.is_finite());
            number.map(ReadValue::Number)
        }
        ColumnType::Boolean => {
            let is_true = text.eq_ignore_ascii_case("true");
            (is_true || text.eq_ignore_ascii_case("false")).then_some(ReadValue::Boolean(is_true))
        }
        _ => Timestamp::parse_rfc3339(text.as_bytes()).map(|time| ReadValue::Integer(time.nanos())),
    }
}

/// Appends a value as the type of its column, or null; `false` if it does not fit.
fn push(value: &[u8], kind: ColumnType, buffer: &mut ColumnBuffer) -> bool {
    let read = read(value, kind);
    let fits = read.is_some();
    match read.unwrap_or(ReadValue::Null) {
        ReadValue::Null => buffer.push_null(),
        ReadValue::Integer(number) => buffer.push_integer(number),
        ReadValue::Number(number) => buffer.push_number(number),
        ReadValue::Boolean(value) => buffer.push_boolean(value),
        ReadValue::Text(text) => buffer.push_text(text),
        ReadValue::List(text) => buffer.push_list([text].into_iter()),
    }
    fits
}

impl UnfitValues {
    fn count(&mut self, value: &[u8]) {
        if self.values == 0 {
            self.example = String::from_utf8_lossy(value).chars().take(EXAMPLE_CHARS).collect();
        }
        self.values += 1;
    }

    fn shown(&self, column: &str) -> Option<UnfitColumn> {
        let UnfitValues { values, example } = self;
        let shown = || UnfitColumn { column: column.to_owned(), values: *values, example: example.clone() };
        (0 < *values).then(shown)
    }
}

/// A table as a file, with the number of its rows, and the columns with values that do not fit.
pub(super) fn table(
    table: &AnswerTable,
    rows_max: u64,
    format: ColumnarFormat,
    out: &mut Vec<u8>,
) -> (u64, Vec<UnfitColumn>) {
    let typed = |(at, column): (usize, &logstead_answer::TableColumn)| TypedColumn {
        name: column.name.clone(),
        kind: kind_of(table, at, column.kind),
    };
    let columns: Vec<TypedColumn> = table.columns.iter().enumerate().map(typed).collect();
    let mut unfit: Vec<UnfitValues> = columns.iter().map(|_| UnfitValues::default()).collect();
    let mut writer = ColumnarWriter::begin(format, &columns, out);
    let rows_max = usize::try_from(rows_max).unwrap_or(usize::MAX);
    for row in table.rows.iter().take(rows_max) {
        for (at, (cell, buffer)) in row.iter().zip(writer.columns()).enumerate() {
            if !push_cell(cell, columns[at].kind, buffer) {
                let mut text = Vec::new();
                cell.write(&mut text);
                unfit[at].count(&text);
            }
        }
        writer.end_row(out);
    }
    writer.end(&[], out);
    let unfit = unfit.iter().zip(&columns).filter_map(|(unfit, column)| unfit.shown(&column.name)).collect();
    (table.rows.len().min(rows_max) as u64, unfit)
}

/// The type of a column of a table: counts are integers.
fn kind_of(table: &AnswerTable, at: usize, kind: ValueKind) -> ColumnType {
    let mut cells = table.rows.iter().map(|row| &row[at]).filter(|cell| **cell != CellValue::Null).peekable();
    match kind {
        ValueKind::Text => ColumnType::Text,
        ValueKind::Severity => ColumnType::Integer,
        ValueKind::Time => ColumnType::Time,
        ValueKind::Number => {
            let has_values = cells.peek().is_some();
            let are_counts = cells.all(|cell| matches!(cell, CellValue::Count(_)));
            if has_values && are_counts { ColumnType::Integer } else { ColumnType::Number }
        }
    }
}

/// Appends a cell, or null; `false` if it does not fit.
fn push_cell(cell: &CellValue, kind: ColumnType, buffer: &mut ColumnBuffer) -> bool {
    match (cell, kind) {
        (CellValue::Null, _) => buffer.push_null(),
        (CellValue::Count(count), ColumnType::Integer) if i64::try_from(*count).is_ok() => {
            buffer.push_integer(*count as i64);
        }
        (CellValue::Count(count), ColumnType::Number) => buffer.push_number(*count as f64),
        (CellValue::Number(number), ColumnType::Number) => buffer.push_number(*number),
        (CellValue::Time(time), ColumnType::Time) => buffer.push_integer(time.nanos()),
        (CellValue::Text(name), ColumnType::Integer) => {
            let severity = std::str::from_utf8(name).ok().and_then(|name| name.parse::<Severity>().ok());
            let Some(severity) = severity else { return push(name, kind, buffer) };
            buffer.push_integer(severity.number().into());
        }
        _ => {
            let mut text = Vec::new();
            cell.write(&mut text);
            return push(&text, kind, buffer);
        }
    }
    true
}
