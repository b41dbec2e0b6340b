//! Names and limits of the fields that a reader gives to the message that is pushed next.
//!
//! **Invariant:** a message has at most [`FIELDS_MAX`] of them, and every name can be used in a query: it is printable,
//! has no spaces, and is not the name of a field that every message has.

use logstead_parse::PairSink;
use logstead_record::{BatchBuilder, Field};

// Fields beyond these limits are only in the message.
pub use logstead_parse::{FIELDS_MAX, NAME_BYTES_MAX};

/// For each first letter of a name of [`Field`], the lengths of these names: bit 4 is set for `host`.
const TAKEN: [u32; 128] = taken();

/// Adds fields to a builder.
pub struct FieldWriter<'b> {
    builder: &'b mut BatchBuilder,
    /// The prefix for a name that is taken.
    format: &'static str,
    /// The number of fields that were added.
    pub count: usize,
    /// A buffer for a name that has to be changed.
    name: Vec<u8>,
}

impl<'b> FieldWriter<'b> {
    /// `format` is the prefix, before a dot, for a name that is taken.
    pub fn new(builder: &'b mut BatchBuilder, format: &'static str) -> FieldWriter<'b> {
        FieldWriter { builder, format, count: 0, name: Vec::new() }
    }

    /// Adds a field.
    pub fn add(&mut self, name: &[u8], value: &[u8]) {
        self.add_with(name, |out| out.extend_from_slice(value));
    }

    /// Adds a field whose value is appended by `write`.
    pub fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        if self.count == FIELDS_MAX || !(1..=NAME_BYTES_MAX).contains(&name.len()) {
            return;
        }
        self.count += 1;
        let plain = name.iter().all(u8::is_ascii_graphic);
        if plain && !is_taken(name) {
            return self.builder.field_with(name, write);
        }
        self.name.clear();
        if is_taken(name) {
            self.name.extend_from_slice(self.format.as_bytes());
            self.name.push(b'.');
        }
        write_printable(name, &mut self.name);
        self.builder.field_with(&self.name, write);
    }
}

impl PairSink for FieldWriter<'_> {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        FieldWriter::add(self, name, value);
    }

    fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        FieldWriter::add_with(self, name, write);
    }
}

/// Appends the name, with `_` for every invisible character.
fn write_printable(name: &[u8], out: &mut Vec<u8>) {
    for letter in String::from_utf8_lossy(name).chars() {
        let unseen = letter.is_control() || letter.is_whitespace() || letter == char::REPLACEMENT_CHARACTER;
        let shown = if unseen { '_' } else { letter };
        out.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Whether this name in a query refers to a field that every message has.
pub(super) fn is_taken(name: &[u8]) -> bool {
    let lengths = name.first().map_or(0, |first| TAKEN[usize::from(first.to_ascii_lowercase() & 0x7F)]);
    let may_be = name.len() < 32 && lengths >> name.len() & 1 == 1;
    may_be && std::str::from_utf8(name).is_ok_and(|name| Field::from_name(name).is_some())
}

const fn taken() -> [u32; 128] {
    let mut lengths = [0; 128];
    let mut at = 0;
    while at < Field::ALL.len() {
        let name = Field::ALL[at].1.as_bytes();
        lengths[name[0] as usize] |= 1 << name.len();
        at += 1;
    }
    at = 0;
    while at < Field::ALIASES.len() {
        let name = Field::ALIASES[at].1.as_bytes();
        lengths[name[0] as usize] |= 1 << name.len();
        at += 1;
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Origin, Row, Timestamp};

    fn check(names: &[&str], expected: &[&str]) {
        let mut builder = BatchBuilder::new();
        let received = Timestamp::from_nanos(0);
        builder.origin(Origin { source: b"", peer: b"", received });
        let mut fields = FieldWriter::new(&mut builder, "cef");
        names.iter().for_each(|name| fields.add(name.as_bytes(), b""));
        assert_eq!(fields.count, expected.len());
        builder.push(&Row::text(b""));
        let batch = builder.seal();
        let found: Vec<_> = batch.fields(0).map(|(name, _)| String::from_utf8_lossy(name)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_that_every_message_has_gets_the_format_before_it() {
        for name in
            Field::ALL.map(|(_, name, _)| name).into_iter().chain(Field::ALIASES.map(|(_, name)| name))
        {
            check(&[name], &[&format!("cef.{name}")]);
            check(&[&name.to_uppercase()], &[&format!("cef.{}", name.to_uppercase())]);
        }
        check(&["hosts", "act", "m", "häst", "msgs"], &["hosts", "act", "m", "häst", "msgs"]);
    }

    #[test]
    fn names_are_printable_and_short() {
        check(&["Policy Name", "a\tb\u{a0}c\u{85}"], &["Policy_Name", "a_b_c_"]);
        let long = "n".repeat(NAME_BYTES_MAX);
        check(&["", &long, &format!("{long}n")], &[&long]);
    }

    #[test]
    fn there_is_a_most_of_fields() {
        check(&["a"; FIELDS_MAX + 1], &["a"; FIELDS_MAX]);
    }
}
