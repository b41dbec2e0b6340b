//! `parse`: reads fields from a text.
//!
//! **Invariant:** a message that is not in the format passes unchanged, with a flag that says so; one without the field has
//! nothing to parse, and passes without the flag. The name of a known field gets the format's name as a prefix, so nothing
//! is lost and nothing is overwritten.

use super::change::{BatchChange, ChangeResult};
use super::fields::{FieldEdit, edited};
use logstead_config::CheckedFormat;
use logstead_parse::PairSink;
use logstead_query::Captures;
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Flags, Selection};

#[derive(Debug)]
pub(super) struct Parse {
    format: CheckedFormat,
    field: FieldName,
    prefix: String,
}

impl Parse {
    pub(super) fn new(format: &CheckedFormat, field: &FieldName, prefix: &str) -> Parse {
        Parse { format: format.clone(), field: field.clone(), prefix: prefix.to_owned() }
    }

    /// The prefix for the names of known fields.
    fn format_name(&self) -> &'static str {
        match self.format {
            CheckedFormat::Json => "json",
            CheckedFormat::KeyValue => "kv",
            CheckedFormat::Cef => "cef",
            CheckedFormat::Leef => "leef",
            CheckedFormat::Csv(_) => "csv",
            CheckedFormat::Captures(_) => "field",
        }
    }

    /// Reads a text into fields; `false` if it is not in the format.
    fn read(&self, text: &[u8], edit: &mut FieldEdit, names: &mut Vec<ParsedName>) -> bool {
        let mut named = FieldSink { parse: self, edit, count: 0, names };
        match &self.format {
            CheckedFormat::Json => logstead_parse::json_into(text, &mut named),
            CheckedFormat::KeyValue => {
                logstead_parse::key_value(text).iter().for_each(|(name, value)| named.add(name, value));
            }
            CheckedFormat::Cef => return logstead_parse::cef(text, &mut named).is_some(),
            CheckedFormat::Leef => return logstead_parse::leef(text, &mut named).is_some(),
            CheckedFormat::Csv(columns) => return logstead_parse::csv(text, columns, &mut named).is_some(),
            CheckedFormat::Captures(captures) => capture(captures, text, &mut named),
        }
        0 < named.count
    }
}

fn capture(captures: &Captures, text: &[u8], named: &mut FieldSink<'_>) {
    captures.find(text).iter().for_each(|(name, value)| named.add(name.as_bytes(), value));
}

/// A name as written in a text, and the name of its field.
#[derive(Default)]
struct ParsedName {
    written: Vec<u8>,
    field: Vec<u8>,
}

/// Receives parsed values, and names their fields.
struct FieldSink<'a> {
    parse: &'a Parse,
    edit: &'a mut FieldEdit,
    count: usize,
    /// The names in earlier messages, by position: messages of one kind mostly have the same name at the same position.
    names: &'a mut Vec<ParsedName>,
}

impl FieldSink<'_> {
    fn field_name(&self, written: &[u8]) -> Vec<u8> {
        let printable =
            written.iter().map(|&byte| if byte.is_ascii_control() || byte == b' ' { b'_' } else { byte });
        let name: Vec<u8> = self.parse.prefix.bytes().chain(printable).collect();
        let is_known = std::str::from_utf8(&name).is_ok_and(|name| Field::from_name(name).is_some());
        if is_known { [self.parse.format_name().as_bytes(), b".", &name].concat() } else { name }
    }
}

impl PairSink for FieldSink<'_> {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        self.add_with(name, |out| out.extend_from_slice(value));
    }

    fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        if logstead_parse::FIELDS_MAX <= self.count {
            return;
        }
        let place = self.count;
        self.count += 1;
        if self.names.get(place).is_none_or(|known| known.written != name) {
            let new = ParsedName { written: name.to_vec(), field: self.field_name(name) };
            match self.names.get_mut(place) {
                Some(known) => *known = new,
                None => self.names.push(new),
            }
        }
        self.edit.set_with(&self.names[place].field, write);
    }
}

impl BatchChange for Parse {
    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult {
        let mut failed = Selection::none(batch.rows());
        let mut names = Vec::new();
        let read = |row: usize, edit: &mut FieldEdit| {
            let Some(text) = batch.value(row, &self.field) else { return };
            if !self.read(&text, edit, &mut names) {
                edit.clear();
                failed.insert(row);
            }
        };
        let fields = edited(batch, rows, read);
        let is_flagged = |row: usize| batch.flags(row).has(Flags::UNPARSED);
        let new_flags: Vec<usize> = failed.iter().filter(|row| !is_flagged(*row)).collect();
        if fields.is_none() && new_flags.is_empty() {
            return ChangeResult { failed, ..ChangeResult::nothing(batch.rows()) };
        }
        let mut rewrite = batch.rewrite();
        let mut changed = Selection::none(batch.rows());
        if let Some((fields, with_fields)) = fields {
            rewrite.fields(fields);
            changed = with_fields;
        }
        new_flags.into_iter().for_each(|row| rewrite.flag(row, Flags::UNPARSED));
        ChangeResult { batch: Some(rewrite.finish()), changed, failed }
    }
}
