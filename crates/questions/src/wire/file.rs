//! Messages and tables as the contents of a file.
//!
//! | format   | a message is                                                                                    |
//! |----------|-------------------------------------------------------------------------------------------------|
//! | `ndjson` | a line with the object that the API answers, with the numbers and booleans that were sent as such |
//! | `csv`    | a row by RFC 4180, below one with the names of the columns; several values of a field stand in lines |
//! | `raw`    | the bytes as they were received, and a line feed                                                |
//! | `arrow`  | a row of a stream of [typed columns](super::columnar)                                           |
//! | `parquet` | a row of a file of such columns                                                                |
//!
//! **Invariant:** values are written as they are: quoted, and not changed.

use super::columnar::{self, TypedMessages, UnfitColumn};
use super::columns::{MessageColumns, value_of};
use super::csv;
use super::message::MessageJson;
use super::table::TableJson;
use crate::store::{MessageRun, WrittenRows};
use logstead_answer::AnswerTable;
use logstead_columnar::ColumnarFormat;
use logstead_indexer::Hit;
use logstead_query::Pipeline;
use logstead_record::{ColumnGroups, FieldName};
use serde::Serializer;
use serde_json::Value;
use std::io::Write;

/// Default columns.
const COLUMNS: [&str; 9] =
    ["time", "received", "host", "program", "pid", "severity", "facility", "message", "logspace"];

/// The length of texts after which a run of messages is interrupted.
const TEXT_BYTES: usize = 64 << 10;

/// The format in which messages are written.
pub enum MessageFormat {
    /// One JSON object per line.
    Ndjson,
    /// JSON objects with these keys.
    Chosen(MessageColumns),
    /// Comma-separated values of these columns.
    Csv(MessageColumns),
    /// The bytes as they were received.
    Raw,
    /// Typed columns.
    Columnar(TypedMessages),
}

impl MessageFormat {
    /// JSON objects, with these columns only if there are any; an error if these are not possible.
    pub fn ndjson(columns: Option<Vec<String>>) -> Result<MessageFormat, String> {
        columns.map_or(Ok(MessageFormat::Ndjson), |columns| {
            MessageColumns::new(untyped(columns)?).map(MessageFormat::Chosen)
        })
    }

    /// Rows with these columns, or with the default ones; an error if these are not possible.
    pub fn csv(columns: Option<Vec<String>>) -> Result<MessageFormat, String> {
        MessageColumns::new(untyped(columns.unwrap_or_else(default_columns))?).map(MessageFormat::Csv)
    }

    /// Rows with these columns, each of which may have a type behind its name, or with the default ones; an error if
    /// these are not possible.
    pub fn columnar(format: ColumnarFormat, columns: Option<Vec<String>>) -> Result<MessageFormat, String> {
        TypedMessages::new(format, &columns.unwrap_or_else(default_columns)).map(MessageFormat::Columnar)
    }

    /// The same format. Messages are held in no more memory than this until they are written.
    #[must_use]
    pub fn with_memory_max(self, memory_max: usize) -> MessageFormat {
        match self {
            MessageFormat::Columnar(messages) => {
                MessageFormat::Columnar(messages.with_memory_max(memory_max))
            }
            other => other,
        }
    }

    /// The columns of a batch that messages are written from.
    pub fn groups(&self) -> ColumnGroups {
        match self {
            // The numbers that were sent are in the raw bytes.
            MessageFormat::Chosen(columns) if columns.have_fields() => ColumnGroups::ALL,
            MessageFormat::Chosen(columns) | MessageFormat::Csv(columns) => columns.groups(),
            MessageFormat::Ndjson | MessageFormat::Raw => ColumnGroups::ALL,
            MessageFormat::Columnar(messages) => messages.groups(),
        }
    }

    /// Appends the beginning: the header line, or the columns.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        match self {
            MessageFormat::Csv(columns) => row(columns.names().iter(), out),
            MessageFormat::Columnar(messages) => messages.begin(out),
            MessageFormat::Ndjson | MessageFormat::Chosen(_) | MessageFormat::Raw => {}
        }
    }

    /// Takes a message, and appends what is ready of the file. Returns the bytes that the message takes.
    pub fn message(&mut self, logspace: &str, hit: &Hit, out: &mut Vec<u8>) -> usize {
        if let MessageFormat::Columnar(messages) = self {
            return messages.message(logspace, hit, out);
        }
        let start = out.len();
        self.text(logspace, hit, out);
        out.len() - start
    }

    /// Takes the first messages of a run, and appends what is ready of the file.
    pub fn run(&mut self, run: &MessageRun<'_>, out: &mut Vec<u8>) -> WrittenRows {
        if let MessageFormat::Columnar(messages) = self {
            return messages.run(run, out);
        }
        let start = out.len();
        run.write_each(|logspace, hit| {
            let before = out.len();
            self.text(logspace, hit, out);
            (out.len() - before, out.len() - start < TEXT_BYTES)
        })
    }

    /// Appends the end. A Parquet file keeps the notes, by their keys.
    pub fn end(&mut self, notes: &[(&str, String)], out: &mut Vec<u8>) {
        if let MessageFormat::Columnar(messages) = self {
            messages.end(notes, out);
        }
    }

    /// The columns with values that cannot be read as their types.
    pub fn unfit(&self) -> Vec<UnfitColumn> {
        if let MessageFormat::Columnar(messages) = self { messages.unfit() } else { Vec::new() }
    }

    fn text(&self, logspace: &str, hit: &Hit, out: &mut Vec<u8>) {
        match self {
            MessageFormat::Ndjson => {
                serde_json::to_writer(&mut *out, &MessageJson::as_sent(logspace, hit))
                    .expect("a message has names for keys");
                out.push(b'\n');
            }
            MessageFormat::Chosen(columns) => {
                let mut serializer = serde_json::Serializer::new(&mut *out);
                serializer
                    .collect_map(columns.sent_values(logspace, hit))
                    .expect("an object has names for keys");
                out.push(b'\n');
            }
            MessageFormat::Csv(columns) => {
                let mut value = Vec::new();
                for (number, field) in columns.fields().enumerate() {
                    value.clear();
                    value_of(field, logspace, hit, &mut value);
                    csv::value(number, &value, out);
                }
                out.extend_from_slice(b"\r\n");
            }
            MessageFormat::Raw => {
                hit.batch.write_raw(hit.row, out);
                out.push(b'\n');
            }
            MessageFormat::Columnar(_) => {}
        }
    }
}

fn default_columns() -> Vec<String> {
    COLUMNS.map(str::to_owned).into()
}

/// Names of columns without types; an error for those with a type, which would be taken for a part of the name.
fn untyped(names: Vec<String>) -> Result<Vec<String>, String> {
    match names.iter().find(|name| columnar::declared(name).1.is_some()) {
        None => Ok(names),
        Some(typed) => Err(format!("{typed} has a type: only arrow and parquet have columns with types")),
    }
}

/// The columns of a file of rows of messages: those that `fields` keeps, those that were requested, or the default ones
/// and those that stages add.
pub fn row_columns(pipeline: &Pipeline, asked: Option<Vec<String>>) -> Option<Vec<String>> {
    let names = |fields: Vec<FieldName>| fields.iter().map(|field| field.as_str().to_owned()).collect();
    pipeline.columns().map(names).or(asked).or_else(|| {
        let added: Vec<String> =
            pipeline.added().map(names).filter(|names: &Vec<String>| !names.is_empty())?;
        Some(default_columns().into_iter().chain(added).collect())
    })
}

/// A table as rows in the format of RFC 4180 or as one JSON object per line; also returns the number of rows written,
/// which may be smaller than that of the table.
pub fn table(table: &TableJson, rows_max: u64, is_csv: bool) -> serde_json::Result<(u64, Vec<u8>)> {
    let table = serde_json::to_value(table)?;
    let list = |name: &str| table[name].as_array().into_iter().flatten();
    let names: Vec<&Value> = list("columns").map(|column| &column["name"]).collect();
    let rows_max = usize::try_from(rows_max).unwrap_or(usize::MAX);
    let rows: Vec<&Vec<Value>> = list("rows").filter_map(Value::as_array).take(rows_max).collect();
    let mut out = Vec::new();
    if is_csv {
        row(names.iter().map(|name| cell(name)), &mut out);
    }
    for cells in &rows {
        if is_csv {
            row(cells.iter().map(cell), &mut out);
            continue;
        }
        for (number, (name, value)) in names.iter().zip(cells.iter()).enumerate() {
            let before = if number == 0 { "{" } else { "," };
            // Writing to memory cannot fail.
            write!(out, "{before}{name}:{value}").ok();
        }
        out.extend_from_slice(b"}\n");
    }
    Ok((rows.len() as u64, out))
}

/// A table in typed columns; also returns the number of rows written, and the columns with values that do not fit.
pub fn typed_table(
    table: &AnswerTable,
    rows_max: u64,
    format: ColumnarFormat,
) -> (u64, Vec<u8>, Vec<UnfitColumn>) {
    let mut out = Vec::new();
    let (rows, unfit) = columnar::table(table, rows_max, format, &mut out);
    (rows, out, unfit)
}

fn cell(value: &Value) -> std::borrow::Cow<'_, [u8]> {
    match value {
        Value::Null => b"".into(),
        Value::String(text) => text.as_bytes().into(),
        other => other.to_string().into_bytes().into(),
    }
}

/// Appends a row of a file, with its line end.
fn row(values: impl Iterator<Item = impl AsRef<[u8]>>, out: &mut Vec<u8>) {
    csv::row(values, out);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Field, Origin, Priority, Row, Timestamp};
    use std::sync::Arc;

    fn check(mut writing: MessageFormat, expected: &[u8]) {
        let mut builder = BatchBuilder::new();
        let received = Timestamp::from_nanos(5_000_000_000);
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
        for (name, value) in [("a", "1"), ("b", "x,y"), ("A", "2")] {
            builder.field(name.as_bytes(), value.as_bytes());
        }
        let text = b"say \"hi\"\ncaf\xE9, =1+1";
        builder.push(&Row { priority: Priority::new(38), ..Row::text(text) }.with(Field::Host, b"web-1"));
        let batch = Arc::new(builder.seal());
        let mut out = Vec::new();
        writing.begin(&mut out);
        writing.message("main", &Hit { sequence: 7, time: batch.time(0), batch, row: 0 }, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(expected));
        assert_eq!(out, expected);
    }

    #[test]
    fn values_are_quoted_and_not_changed() {
        let columns =
            |names: &str| MessageFormat::csv(Some(names.split(',').map(str::to_owned).collect())).unwrap();
        check(
            columns("host,message,a,b,c,severity,facility,logspace"),
            b"host,message,a,b,c,severity,facility,logspace\r\n\
              web-1,\"say \"\"hi\"\"\ncaf\xE9, =1+1\",\"1\n2\",\"x,y\",,info,auth,main\r\n",
        );
        check(columns("hostname,Time"), b"hostname,Time\r\nweb-1,1970-01-01T00:00:05Z\r\n");
        let objects = |names: &[&str]| {
            MessageFormat::ndjson(Some(names.iter().map(|&name| name.to_owned()).collect())).unwrap()
        };
        check(
            objects(&["severity", "host", "b", "a", "pid", "c"]),
            b"{\"severity\":\"info\",\"host\":\"web-1\",\"b\":\"x,y\",\"a\":[\"1\",\"2\"],\"pid\":null,\"c\":null}\n",
        );
        check(MessageFormat::Raw, b"say \"hi\"\ncaf\xE9, =1+1\n");
    }
}
