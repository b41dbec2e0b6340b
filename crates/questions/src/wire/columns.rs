//! The fields of messages that are wanted as columns, and their values.

use super::message::{FieldText, FieldValue, SentScalars, by_name};
use logstead_indexer::Hit;
use logstead_record::{ColumnGroups, FieldName, Storage, Timestamp};
use std::io::Write;

/// Maximum number of columns of a file.
const COLUMNS_MAX: usize = 256;

/// The fields of a message that are wanted, in their order, under the names by which they were asked for.
pub struct MessageColumns(Vec<MessageColumn>);

struct MessageColumn {
    name: String,
    field: FieldName,
}

impl MessageColumns {
    /// These columns; an error if they are not possible.
    pub fn new(names: Vec<String>) -> Result<MessageColumns, String> {
        if names.is_empty() {
            return Err("columns names no field: leave it out, or write it as time,host".to_owned());
        }
        if COLUMNS_MAX < names.len() {
            return Err(format!("columns names {} fields: name at most {COLUMNS_MAX}", names.len()));
        }
        let column = |name: String| MessageColumn { field: FieldName::new(&name), name };
        Ok(MessageColumns(names.into_iter().map(column).collect()))
    }

    /// The names.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|column| column.name.clone()).collect()
    }

    /// The fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = &FieldName> {
        self.0.iter().map(|column| &column.field)
    }

    /// The names and the fields.
    pub(super) fn into_fields(self) -> Vec<(String, FieldName)> {
        self.0.into_iter().map(|column| (column.name, column.field)).collect()
    }

    /// The columns of a batch that they are read from.
    pub(super) fn groups(&self) -> ColumnGroups {
        self.0.iter().fold(ColumnGroups::NONE, |groups, column| groups.and(groups_of(&column.field)))
    }

    /// Whether a value may come from a JSON object that a message was sent as.
    pub(super) fn have_fields(&self) -> bool {
        self.0.iter().any(|column| matches!(column.field, FieldName::Dynamic(_)))
    }

    /// The values of a message as texts; `None` where it has none.
    pub fn values(&self, logspace: &str, hit: &Hit) -> Vec<Option<FieldValue>> {
        let sent = SentScalars::default();
        self.0.iter().map(|column| column.value(logspace, hit, &sent)).collect()
    }

    /// The names and values of a message, with the numbers and booleans that were sent.
    pub(super) fn sent_values(
        &self,
        logspace: &str,
        hit: &Hit,
    ) -> impl Iterator<Item = (&str, Option<FieldValue>)> {
        let sent =
            if self.have_fields() { SentScalars::of(&hit.batch, hit.row) } else { SentScalars::default() };
        self.0.iter().map(move |column| (column.name.as_str(), column.value(logspace, hit, &sent)))
    }
}

impl MessageColumn {
    fn value(&self, logspace: &str, hit: &Hit, sent: &SentScalars) -> Option<FieldValue> {
        if let FieldName::Dynamic(wanted) = &self.field {
            let values = fields_of(wanted, hit).map(|(name, value)| (String::new(), sent.field(name, value)));
            return by_name(values).into_values().next();
        }
        let mut value = Vec::new();
        value_of(&self.field, logspace, hit, &mut value);
        let text = || FieldText::from(String::from_utf8_lossy(&value).into_owned());
        (!value.is_empty()).then(|| FieldValue::One(text()))
    }
}

/// The columns of a batch that the values of a field are read from. The time of a hit is known without any.
pub(super) fn groups_of(field: &FieldName) -> ColumnGroups {
    match field {
        FieldName::Known(known) if known.storage() == Storage::Time => ColumnGroups::NONE,
        _ => field.groups(),
    }
}

/// Appends the value of a field as text; several in lines.
pub(super) fn value_of(field: &FieldName, logspace: &str, hit: &Hit, out: &mut Vec<u8>) {
    let (batch, at) = (&hit.batch, hit.row);
    let known = match field {
        FieldName::Known(field) => field,
        FieldName::Dynamic(wanted) => return joined(values_of(wanted, hit), b'\n', out),
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

/// All values of a field that is not a column of each message.
pub(super) fn values_of<'a>(wanted: &'a str, hit: &'a Hit) -> impl Iterator<Item = &'a [u8]> {
    fields_of(wanted, hit).map(|(_, value)| value)
}

/// The same values, each with its name as it was written.
fn fields_of<'a>(wanted: &'a str, hit: &'a Hit) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
    hit.batch.fields(hit.row).filter(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()))
}

fn time(time: Timestamp, out: &mut Vec<u8>) {
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
