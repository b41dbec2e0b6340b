//! `parse`: fields that stand in a text.
//!
//! **Invariant:** a message that is not in the format goes on as it is, with a flag that says so; one that has nothing to
//! parse, since it has not got the field, goes on without. A name that every message
//! has gets the name of the format before it, so nothing is lost and nothing is overwritten.

use super::change::{Change, Changed};
use super::fields::{Edit, edited};
use logstead_config::Parsing;
use logstead_parse::PairSink;
use logstead_query::Captures;
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Flags, Selection};

#[derive(Debug)]
pub(super) struct Parse {
    format: Parsing,
    field: FieldName,
    prefix: String,
}

impl Parse {
    pub(super) fn new(format: &Parsing, field: &FieldName, prefix: &str) -> Parse {
        Parse { format: format.clone(), field: field.clone(), prefix: prefix.to_owned() }
    }

    /// Stands before names that every message has.
    fn format_name(&self) -> &'static str {
        match self.format {
            Parsing::Json => "json",
            Parsing::KeyValue => "kv",
            Parsing::Cef => "cef",
            Parsing::Leef => "leef",
            Parsing::Csv(_) => "csv",
            Parsing::Captures(_) => "field",
        }
    }

    /// Reads a text into fields; `false` where it is not in the format.
    fn read(&self, text: &[u8], edit: &mut Edit, names: &mut Vec<Name>) -> bool {
        let mut named = Named { parse: self, edit, count: 0, names };
        match &self.format {
            Parsing::Json => logstead_parse::json_into(text, &mut named),
            Parsing::KeyValue => {
                logstead_parse::key_value(text).iter().for_each(|(name, value)| named.add(name, value));
            }
            Parsing::Cef => return logstead_parse::cef(text, &mut named).is_some(),
            Parsing::Leef => return logstead_parse::leef(text, &mut named).is_some(),
            Parsing::Csv(columns) => return logstead_parse::csv(text, columns, &mut named).is_some(),
            Parsing::Captures(captures) => capture(captures, text, &mut named),
        }
        0 < named.count
    }
}

fn capture(captures: &Captures, text: &[u8], named: &mut Named<'_>) {
    let Some(found) = captures.regex().compiled().captures(text) else { return };
    for (group, name) in captures.fields() {
        if let Some(value) = found.get(*group) {
            named.add(name.as_bytes(), value.as_bytes());
        }
    }
}

/// A name as it stands in a text, and the field's.
#[derive(Default)]
struct Name {
    written: Vec<u8>,
    field: Vec<u8>,
}

/// Gives what is found its name.
struct Named<'a> {
    parse: &'a Parse,
    edit: &'a mut Edit,
    count: usize,
    /// The names of the messages before, by their place in these: most messages of a kind have the same at the same place.
    names: &'a mut Vec<Name>,
}

impl Named<'_> {
    fn field_name(&self, written: &[u8]) -> Vec<u8> {
        let printable =
            written.iter().map(|&byte| if byte.is_ascii_control() || byte == b' ' { b'_' } else { byte });
        let name: Vec<u8> = self.parse.prefix.bytes().chain(printable).collect();
        let is_known = std::str::from_utf8(&name).is_ok_and(|name| Field::from_name(name).is_some());
        if is_known { [self.parse.format_name().as_bytes(), b".", &name].concat() } else { name }
    }
}

impl PairSink for Named<'_> {
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
            let new = Name { written: name.to_vec(), field: self.field_name(name) };
            match self.names.get_mut(place) {
                Some(known) => *known = new,
                None => self.names.push(new),
            }
        }
        self.edit.set_with(&self.names[place].field, write);
    }
}

impl Change for Parse {
    fn change(&self, batch: &Batch, rows: &Selection) -> Changed {
        let mut failed = Selection::none(batch.rows());
        let mut names = Vec::new();
        let read = |row: usize, edit: &mut Edit| {
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
            return Changed { failed, ..Changed::nothing(batch.rows()) };
        }
        let mut rewrite = batch.rewrite();
        let mut changed = Selection::none(batch.rows());
        if let Some((fields, with_fields)) = fields {
            rewrite.fields(fields);
            changed = with_fields;
        }
        new_flags.into_iter().for_each(|row| rewrite.flag(row, Flags::UNPARSED));
        Changed { batch: Some(rewrite.finish()), changed, failed }
    }
}
