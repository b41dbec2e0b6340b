//! Turns a text, and the named values that came with it (labels, attributes, metadata), into one row of a batch.
//!
//! | a value                                                 | becomes                                           |
//! |---------------------------------------------------------|---------------------------------------------------|
//! | the first of a column's [keys](super::keys::ColumnKeys) | host, program, severity, process id, message id   |
//! | the same, if its name is not a column's                 | and stays a field, so that a query by it finds it |
//! | another one with a column's name                        | field `PREFIX.NAME`                               |
//! | any other                                               | a field                                           |
//!
//! A value that belongs to one text takes precedence over a value that belongs to many.
//!
//! **Invariant:** the raw bytes of a row are those it is given, and no value is lost.

use super::fields::is_taken;
use super::keys::ObjectPair;
use super::keys::{ColumnKeys, FoundColumns, USER};
use super::stamp::Clock;
use jiff::tz::TimeZone;
use logstead_record::{BatchBuilder, Field, Flags, Priority, Row, Severity, Timestamp};
use std::borrow::Cow;

/// Values that belong to one text or to many.
pub struct SideValues<T> {
    values: Vec<(T, T)>,
    /// Whether the name of each value is that of a column: this is checked for every text.
    are_taken: Vec<bool>,
    found: FoundColumns,
    /// The total length of names and values.
    pub bytes: usize,
}

/// A text without a structure of its own.
#[derive(Clone, Copy, Default)]
pub struct BareText<'a> {
    /// The bytes as received.
    pub raw: &'a [u8],
    /// The message.
    pub message: &'a [u8],
    /// The position of the message in `raw`; `None` if it does not occur there unchanged.
    pub message_at: Option<usize>,
    /// The time when it was written.
    pub time: Option<Timestamp>,
    /// The severity, if none is among the values.
    pub severity: Option<Severity>,
    /// The host, if none is among the values.
    pub host: &'a [u8],
    /// The flags of the text.
    pub flags: Flags,
}

impl<'a> BareText<'a> {
    /// A text whose bytes were received unchanged.
    pub fn of(text: &'a [u8]) -> BareText<'a> {
        BareText { raw: text, message: text, message_at: Some(0), ..BareText::default() }
    }
}

impl<T: AsRef<str>> SideValues<T> {
    /// Looks among values for the keys, which must be from [`ColumnKeys::beside`].
    pub fn of(values: Vec<(T, T)>, keys: &ColumnKeys, received: Timestamp) -> SideValues<T> {
        let bytes = values.iter().map(|(name, value)| name.as_ref().len() + value.as_ref().len()).sum();
        if values.is_empty() {
            return SideValues::nothing();
        }
        let pairs: Vec<ObjectPair<'_, '_>> = values
            .iter()
            .map(|(name, value)| ObjectPair { name: name.as_ref(), value: Cow::Borrowed(value.as_ref()) })
            .collect();
        let found = FoundColumns::among(&pairs, keys, Clock::of_receipt(received, &TimeZone::UTC));
        let are_taken = pairs.iter().map(|pair| is_taken(pair.name.as_bytes())).collect();
        SideValues { values, are_taken, found, bytes }
    }

    /// Nothing.
    pub fn nothing() -> SideValues<T> {
        SideValues { values: Vec::new(), are_taken: Vec::new(), found: FoundColumns::default(), bytes: 0 }
    }

    fn value(&self, at: Option<usize>) -> Option<&[u8]> {
        at.and_then(|at| self.values.get(at)).map(|(_, value)| value.as_ref().as_bytes())
    }

    /// Adds the values that are not in a column yet.
    fn add_fields(&self, is_said: impl Fn(usize) -> bool, prefix: &str, builder: &mut BatchBuilder) {
        for (at, ((name, value), is_taken)) in self.values.iter().zip(&self.are_taken).enumerate() {
            let (name, value) = (name.as_ref().as_bytes(), value.as_ref().as_bytes());
            match is_taken {
                true if is_said(at) => {}
                true => builder.field(&[prefix.as_bytes(), b".", name].concat(), value),
                false => builder.field(name, value),
            }
        }
    }
}

/// Adds a text with its own pairs and those that it shares with others.
pub fn push<A: AsRef<str>, B: AsRef<str>>(
    text: &BareText<'_>,
    of_many: &SideValues<A>,
    own: &SideValues<B>,
    prefix: &str,
    builder: &mut BatchBuilder,
) {
    let nothing = FoundColumns { severity: text.severity, ..FoundColumns::default() };
    let (outer, inner) = (&of_many.found, &own.found);
    of_many.add_fields(|at| outer.is_final_value(at, &[inner, &nothing]), prefix, builder);
    own.add_fields(|at| inner.is_final_value(at, &[&nothing]), prefix, builder);
    let of = |column: fn(&FoundColumns) -> Option<usize>| {
        own.value(column(inner)).or_else(|| of_many.value(column(outer))).unwrap_or_default()
    };
    let host = of(|found| found.host);
    let severity = text.severity.or(inner.severity).or(outer.severity);
    let facility = inner.facility.or(outer.facility).unwrap_or(USER);
    let row = Row {
        time: text.time,
        priority: severity.map(|severity| Priority::of(facility, severity)),
        message_at: text.message_at,
        flags: text.flags,
        ..Row::text(text.raw)
    }
    .with(Field::Host, if host.is_empty() { text.host } else { host })
    .with(Field::Program, of(|found| found.program))
    .with(Field::Pid, of(|found| found.pid))
    .with(Field::Msgid, of(|found| found.msgid))
    .with(Field::Message, text.message);
    builder.push(&row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::Origin;

    const RECEIVED: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

    fn beside(values: &[(&'static str, &'static str)]) -> SideValues<&'static str> {
        SideValues::of(values.to_vec(), &ColumnKeys::beside(|_| None), RECEIVED)
    }

    /// Checks a text with values of its own and shared values, as `host program severity | name=value …`.
    fn check(
        of_many: &[(&'static str, &'static str)],
        own: &[(&'static str, &'static str)],
        severity: Option<Severity>,
        expected: &str,
    ) {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"http", peer: b"", received: RECEIVED });
        let text = BareText { severity, host: b"peer", ..BareText::of(b"hello") };
        push(&text, &beside(of_many), &beside(own), "loki", &mut builder);
        let batch = builder.seal();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let severity = batch.priority(0).map_or("-", |priority| priority.severity().name());
        let mut row = format!("{} {} {severity} |", text(batch.host(0)), text(batch.program(0)));
        for (name, value) in batch.fields(0) {
            row += &format!(" {}={}", text(name), text(value));
        }
        assert_eq!(row, expected);
        assert_eq!(batch.message(0), b"hello");
        let mut raw = Vec::new();
        batch.write_raw(0, &mut raw);
        assert_eq!(raw, b"hello");
    }

    #[test]
    fn columns_are_found_and_no_value_is_lost() {
        check(&[], &[], None, "peer  - |");
        check(&[("host", "web-1"), ("app", "api"), ("level", "warn")], &[], None, "web-1 api warning |");
        check(
            &[("service.name", "api"), ("env", "prod")],
            &[],
            None,
            "peer api - | service.name=api env=prod",
        );
        check(
            &[("level", "strange"), ("source", "s")],
            &[],
            None,
            "peer  - | loki.level=strange loki.source=s",
        );
    }

    #[test]
    fn what_comes_beside_one_text_counts_before_what_comes_beside_many() {
        check(
            &[("host", "web-1"), ("level", "info"), ("a", "1")],
            &[("hostname", "web-2"), ("severity", "error"), ("a", "2")],
            None,
            "web-2  err | loki.host=web-1 loki.level=info a=1 a=2",
        );
        let severity = "crit".parse().ok();
        check(&[("level", "info")], &[("lvl", "info")], severity, "peer  crit | loki.level=info lvl=info");
    }
}
