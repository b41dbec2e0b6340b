//! Messages and tables as files with typed columns.
//!
//! The store keeps the fields of messages as texts. A column has the type that is natural for its field, or the one that
//! is asked for behind its name (`status:integer`), and a value is read as that type.
//!
//! **Invariant:** a value that cannot be read as the type of its column is null, and counted.

use super::columns::{MessageColumns, groups_of, value_of, values_of};
use crate::store::{MessageRun, WrittenRows};
use logstead_answer::{AnswerTable, CellValue, ValueKind};
use logstead_columnar::{ColumnBuffer, ColumnType, ColumnarFormat, ColumnarWriter, TypedColumn};
use logstead_indexer::{Hit, PageRow};
use logstead_record::{ColumnGroups, Field, FieldName, Severity, Storage, Timestamp};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use utoipa::ToSchema;

/// The maximum length of a value that is shown as an example.
const EXAMPLE_CHARS: usize = 64;

/// The memory that messages of a run may take in all columns, if each column takes all of them at once.
const RUN_BYTES_MAX: usize = 8 << 20;

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
    memory_max: usize,
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
        Ok(TypedMessages { format, columns, memory_max: usize::MAX, writer: None })
    }

    /// The same file, the parts of which take no more memory than this.
    pub(super) fn with_memory_max(self, memory_max: usize) -> TypedMessages {
        TypedMessages { memory_max, ..self }
    }

    /// The columns of a batch that they are read from.
    pub(super) fn groups(&self) -> ColumnGroups {
        self.columns.iter().fold(ColumnGroups::NONE, |groups, column| groups.and(groups_of(&column.field)))
    }

    /// Appends the beginning.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        let typed = |column: &FieldColumn| TypedColumn { name: column.name.clone(), kind: column.kind };
        let columns: Vec<TypedColumn> = self.columns.iter().map(typed).collect();
        self.writer =
            Some(ColumnarWriter::begin(self.format, &columns, out).with_memory_max(self.memory_max));
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

    /// Takes the first messages of a run: column by column, unless the messages are long.
    pub(super) fn run(&mut self, run: &MessageRun<'_>, out: &mut Vec<u8>) -> WrittenRows {
        let TypedMessages { columns, writer, .. } = self;
        let Some(writer) = writer else { return WrittenRows { rows: run.rows.len(), bytes: 0 } };
        let bytes_max = RUN_BYTES_MAX.min(self.memory_max / 4);
        if bytes_max < run.batch.memory_bytes().saturating_mul(columns.len()) {
            return run.write_each(|logspace, hit| {
                let start = out.len();
                (self.message(logspace, hit, out), out.len() == start)
            });
        }
        let rows = run.rows.len().min(writer.room());
        let run = MessageRun { rows: &run.rows[..rows], ..*run };
        for (column, buffer) in columns.iter_mut().zip(writer.columns()) {
            column.push_run(&run, buffer);
        }
        WrittenRows { rows, bytes: writer.end_rows(rows, out) }
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
    /// Takes the values of messages that follow each other.
    fn push_run(&mut self, run: &MessageRun<'_>, buffer: &mut ColumnBuffer) {
        let columns = run.batch.columns();
        let rows = run.rows.iter().map(|row| row.row as usize);
        let FieldName::Known(field) = &self.field else { return self.push_each(run, buffer) };
        match (field.storage(), self.kind) {
            (Storage::Time, ColumnType::Time) => {
                buffer.push_integers(run.rows.iter().map(|row| row.time.nanos()));
            }
            (Storage::Received, ColumnType::Time) => {
                buffer.push_integers(rows.map(|row| columns.received()[row]));
            }
            (Storage::Priority(half), ColumnType::Integer) => {
                let number = |row| run.batch.priority(row).map(|priority| half.number(priority).into());
                buffer.push_optional_integers(rows.map(number));
            }
            (Storage::Name(number), ColumnType::Name) => {
                let names = &columns.names[number];
                let ids = rows.map(|row| names.ids()[row] as usize);
                buffer.push_names(names.values().len(), |id| names.values().get(id), ids);
            }
            (Storage::Logspace, ColumnType::Name) => {
                buffer.push_names(1, |_| run.logspace.as_bytes(), rows.map(|_| 0));
            }
            (Storage::Text(number), ColumnType::Text) => {
                let texts = &columns.texts[number];
                match neighbours(run.rows) {
                    Some(rows) => {
                        let start = texts.start(rows.start);
                        buffer.push_texts_of(texts.bytes(), start, &texts.ends()[rows]);
                    }
                    None => {
                        let are_most = texts.len() <= 2 * rows.len();
                        let is_ascii = are_most && texts.bytes().is_ascii();
                        buffer.push_texts(rows.map(|row| texts.get(row)), is_ascii);
                    }
                }
            }
            _ => self.push_each(run, buffer),
        }
    }

    fn push_each(&mut self, run: &MessageRun<'_>, buffer: &mut ColumnBuffer) {
        run.write_each(|logspace, hit| {
            self.push(logspace, hit, buffer);
            (0, true)
        });
    }

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

/// The range of rows of a batch, if each is the one after that before it.
fn neighbours(rows: &[PageRow]) -> Option<Range<usize>> {
    let first = rows.first()?.row;
    let are_neighbours = rows.iter().zip(first..).all(|(row, expected)| row.row == expected);
    are_neighbours.then(|| first as usize..first as usize + rows.len())
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

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Origin, Priority, Row};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::Arc;

    const COLUMNS: [&str; 19] = [
        "time", "received", "host", "program", "pid", "severity", "facility", "message", "logspace",
        "source", "flag", "msgid", "raw", "user", "severity:text", "host:text", "time:text",
        "message:integer", "program:list",
    ];

    /// Texts that are missing, common, not ASCII, not UTF-8, numbers.
    fn texts() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(Vec::new()),
            "[ab]{1,2}".prop_map(String::into_bytes),
            "[aé€]{1,3}".prop_map(String::into_bytes),
            "-?[0-9]{1,4}".prop_map(String::into_bytes),
            vec(any::<u8>(), 1..4),
        ]
    }

    fn batches() -> impl Strategy<Value = Batch> {
        let row = (texts(), texts(), texts(), texts(), proptest::option::of(0_u8..192), texts());
        vec(row, 1..40).prop_map(|rows| {
            let mut builder = BatchBuilder::new();
            for (at, (host, program, pid, text, priority, user)) in (0..).zip(&rows) {
                let received = Timestamp::from_nanos(at * 7);
                builder.origin(Origin { source: b"s", peer: b"p", received });
                builder.field(b"user", user);
                let row = Row { priority: priority.and_then(Priority::new), ..Row::text(text) };
                let row = row.with(Field::Host, host).with(Field::Program, program);
                builder.push(&row.with(Field::Pid, pid).with(Field::Message, text));
            }
            builder.seal()
        })
    }

    /// A file with these columns, written with `write`, and its columns with values that do not fit.
    fn file(
        format: ColumnarFormat,
        names: &[String],
        write: impl FnOnce(&mut TypedMessages, &mut Vec<u8>),
    ) -> (Vec<u8>, Vec<UnfitColumn>) {
        let (mut messages, mut out) = (TypedMessages::new(format, names).unwrap(), Vec::new());
        messages.begin(&mut out);
        write(&mut messages, &mut out);
        messages.end(&[], &mut out);
        (out, messages.unfit())
    }

    proptest! {
        #[test]
        fn runs_are_written_as_their_messages_are_one_by_one(
            batch in batches(),
            picked in vec(any::<prop::sample::Index>(), 0..30),
            columns in proptest::sample::subsequence(COLUMNS.to_vec(), 1..=COLUMNS.len()),
            order in 0..3,
        ) {
            let batch = Arc::new(batch);
            let row = |row: usize| PageRow {
                time: batch.time(row), sequence: row as u64 + 5, batch: 0, row: row as u32,
            };
            let rows: Vec<PageRow> = match order {
                0 => (0..batch.rows()).map(row).collect(),
                1 => (0..batch.rows()).rev().map(row).collect(),
                _ => picked.iter().map(|at| row(at.index(batch.rows()))).collect(),
            };
            let mut names: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            // Each name is possible once.
            names.sort_by_key(|name| declared(name).0.to_owned());
            names.dedup_by_key(|name| declared(name).0.to_owned());
            for format in [ColumnarFormat::Arrow, ColumnarFormat::Parquet] {
                let runs = file(format, &names, |messages, out| {
                    // Some runs, of which each goes on where the one before ended.
                    for rows in rows.chunks(17) {
                        let run = MessageRun { logspace: "main", batch: &batch, rows };
                        assert_eq!(messages.run(&run, out).rows, rows.len());
                    }
                });
                let each = file(format, &names, |messages, out| {
                    for row in &rows {
                        let (time, sequence, row) = (row.time, row.sequence, row.row as usize);
                        messages.message("main", &Hit { sequence, time, batch: batch.clone(), row }, out);
                    }
                });
                prop_assert_eq!(runs, each, "{:?}", names);
            }
        }
    }

    #[test]
    fn a_run_of_long_messages_is_interrupted() {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        let text = vec![b'x'; 1 << 20];
        (0..20).for_each(|_| builder.push(&Row::text(&text).with(Field::Message, &text)));
        let batch = Arc::new(builder.seal());
        let rows: Vec<PageRow> = (0..20)
            .map(|row| PageRow { time: batch.time(0), sequence: row, batch: 0, row: row as u32 })
            .collect();
        let names = ["message".to_owned()];
        file(ColumnarFormat::Arrow, &names, |messages, out| {
            let written = messages.run(&MessageRun { logspace: "main", batch: &batch, rows: &rows }, out);
            assert_eq!(written.rows, 2, "a batch of Arrow");
            assert!(2 << 20 < written.bytes && written.bytes < out.len());
        });
    }
}
