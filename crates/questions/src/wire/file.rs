//! Messages and tables as the contents of a file.
//!
//! | format   | a message is                                                                                    |
//! |----------|-------------------------------------------------------------------------------------------------|
//! | `ndjson` | a line with the object that the API answers                                                     |
//! | `csv`    | a row by RFC 4180, below one with the names of the columns; several values of a field stand in lines |
//! | `raw`    | the bytes as they were received, and a line feed                                                |
//!
//! **Invariant:** values are written as they are: quoted, and not changed.

use super::csv;
use super::message::MessageJson;
use super::table::TableJson;
use logstead_indexer::Hit;
use logstead_query::Pipeline;
use logstead_record::FieldName;
use logstead_record::Storage;
use serde_json::Value;
use std::io::Write;

/// Default columns.
const COLUMNS: [&str; 9] =
    ["time", "received", "host", "program", "pid", "severity", "facility", "message", "logspace"];
/// Maximum number of columns of a file.
const COLUMNS_MAX: usize = 256;

/// The format in which messages are written.
pub enum MessageFormat {
    /// One JSON object per line.
    Ndjson,
    /// JSON objects with these keys.
    Chosen(Vec<(String, FieldName)>),
    /// Comma-separated values of these columns.
    Csv(Vec<(String, FieldName)>),
    /// The bytes as they were received.
    Raw,
}

impl MessageFormat {
    /// JSON objects, with these fields only if there are any.
    pub fn ndjson(columns: Option<&[FieldName]>) -> MessageFormat {
        let column = |field: &FieldName| (field.as_str().to_owned(), field.clone());
        columns.map_or(MessageFormat::Ndjson, |columns| {
            MessageFormat::Chosen(columns.iter().map(column).collect())
        })
    }

    /// Rows with these columns, or with the default ones; an error if these are not possible.
    pub fn csv(columns: Option<Vec<String>>) -> Result<MessageFormat, String> {
        let columns = columns.unwrap_or_else(|| COLUMNS.map(str::to_owned).into());
        if columns.is_empty() {
            return Err("columns names no field: leave it out, or write it as time,host".to_owned());
        }
        if COLUMNS_MAX < columns.len() {
            let count = columns.len();
            return Err(format!("columns names {count} fields: name at most {COLUMNS_MAX}"));
        }
        let column = |name: String| {
            let field = FieldName::new(&name);
            (name, field)
        };
        Ok(MessageFormat::Csv(columns.into_iter().map(column).collect()))
    }

    /// Appends the header line.
    pub fn heading(&self, out: &mut Vec<u8>) {
        if let MessageFormat::Csv(columns) = self {
            row(columns.iter().map(|(name, _)| name.as_bytes()), out);
        }
    }

    /// A message.
    pub fn message(&self, logspace: &str, hit: &Hit, out: &mut Vec<u8>) {
        match self {
            MessageFormat::Ndjson => {
                serde_json::to_writer(&mut *out, &MessageJson::new(logspace, hit))
                    .expect("a message has names for keys");
                out.push(b'\n');
            }
            MessageFormat::Chosen(columns) => {
                let mut object = serde_json::Map::new();
                for (name, field) in columns {
                    let mut value = Vec::new();
                    value_of(field, logspace, hit, &mut value);
                    let text = || Value::String(String::from_utf8_lossy(&value).into_owned());
                    object.insert(name.clone(), if value.is_empty() { Value::Null } else { text() });
                }
                serde_json::to_writer(&mut *out, &object).expect("an object has names for keys");
                out.push(b'\n');
            }
            MessageFormat::Csv(columns) => {
                let mut value = Vec::new();
                for (number, (_, field)) in columns.iter().enumerate() {
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
        }
    }
}

/// The columns of a file of messages: those that `fields` keeps, those that were requested, or the default ones and
/// those that stages add.
pub fn columns_of(pipeline: &Pipeline, asked: Option<Vec<String>>) -> Option<Vec<String>> {
    let names = |fields: Vec<FieldName>| fields.iter().map(|field| field.as_str().to_owned()).collect();
    pipeline.columns().map(names).or(asked).or_else(|| {
        let added: Vec<String> =
            pipeline.added().map(names).filter(|names: &Vec<String>| !names.is_empty())?;
        Some(COLUMNS.map(str::to_owned).into_iter().chain(added).collect())
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

fn cell(value: &Value) -> std::borrow::Cow<'_, [u8]> {
    match value {
        Value::Null => b"".into(),
        Value::String(text) => text.as_bytes().into(),
        other => other.to_string().into_bytes().into(),
    }
}

fn value_of(field: &FieldName, logspace: &str, hit: &Hit, out: &mut Vec<u8>) {
    let (batch, at) = (&hit.batch, hit.row);
    let known = match field {
        FieldName::Known(field) => field,
        FieldName::Dynamic(wanted) => {
            let is_wanted = |name: &[u8]| name.eq_ignore_ascii_case(wanted.as_bytes());
            let values = batch.fields(at).filter(|(name, _)| is_wanted(name)).map(|(_, value)| value);
            return joined(values, b'\n', out);
        }
    };
    match known.storage() {
        Storage::Name(_) | Storage::Text(_) => out.extend_from_slice(batch.text(*known, at)),
        Storage::Priority(half) => {
            out.extend_from_slice(batch.priority(at).map_or("", |priority| half.name(priority)).as_bytes());
        }
        Storage::Flags => joined(batch.flags(at).names().map(str::as_bytes), b' ', out),
        Storage::Time => time(hit.time, out),
        Storage::Received => time(batch.received(at), out),
        Storage::Raw => batch.write_raw(at, out),
        Storage::Logspace => out.extend_from_slice(logspace.as_bytes()),
    }
}

fn time(time: logstead_record::Timestamp, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    write!(out, "{time}").ok();
}

fn joined<'a>(values: impl Iterator<Item = &'a [u8]>, between: u8, out: &mut Vec<u8>) {
    for (number, value) in values.enumerate() {
        if number != 0 {
            out.push(between);
        }
        out.extend_from_slice(value);
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

    fn check(writing: &MessageFormat, expected: &[u8]) {
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
        writing.heading(&mut out);
        writing.message("main", &Hit { sequence: 7, time: batch.time(0), batch, row: 0 }, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(expected));
        assert_eq!(out, expected);
    }

    #[test]
    fn values_are_quoted_and_not_changed() {
        let columns =
            |names: &str| MessageFormat::csv(Some(names.split(',').map(str::to_owned).collect())).unwrap();
        check(
            &columns("host,message,a,b,c,severity,facility,logspace"),
            b"host,message,a,b,c,severity,facility,logspace\r\n\
              web-1,\"say \"\"hi\"\"\ncaf\xE9, =1+1\",\"1\n2\",\"x,y\",,info,auth,main\r\n",
        );
        check(&columns("hostname,Time"), b"hostname,Time\r\nweb-1,1970-01-01T00:00:05Z\r\n");
        check(&MessageFormat::Raw, b"say \"hi\"\ncaf\xE9, =1+1\n");
    }
}
