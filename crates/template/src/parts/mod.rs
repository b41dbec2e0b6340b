//! The dynamic fields of the rows of a group. Most of their values are parts of the message, from which parsers copy
//! them. Only the position of such a value is stored, and that is the same for most rows of a template.
//!
//! An *outline* consists of the names of a row's fields, and a description of how to find the value of each in the
//! message: starting at the end of the previous part, or at the beginning.
//!
//! | bytes                         | meaning                                                                     |
//! |-------------------------------|-----------------------------------------------------------------------------|
//! | [texts](crate::texts)         | the distinct names                                                          |
//! | varint, varint, packet        | outlines, at most 1 048 576; bytes of the packet; below                     |
//! | varint, [placed](crate::PlacedNumbers) | bytes that follow; the outline of each row                                |
//! | [ordered](crate::ordered)     | the numbers that outlines leave open, in the order of rows                  |
//!
//! The packet has the number of values of each outline. Then it has, for the values of all outlines one after the
//! other: first the numbers of their names; then their gaps + 1, or 0; their ends, u8 each; and for each end 3 the
//! byte that it stands for. Everything else is varints.
//!
//! | end | the value is                                                                                          |
//! |----:|-------------------------------------------------------------------------------------------------------|
//! |   0 | the next of those that are kept elsewhere                                                             |
//! |   1 | empty                                                                                                 |
//! |   2 | the part of the message that begins after the gap, up to the message's end                            |
//! |   3 | the same, up to the first such byte                                                                   |
//! |   4 | the same, of a length that is the next open number                                                    |
//!
//! A gap of 0 means that the gap is the next open number, which comes before the length.
//!
//! **Invariant:** values come back byte for byte. **Invariant:** a part begins and ends at the boundary of a word, so
//! that its words are words of the message, and any match in it is a match in the message.

mod column;
mod kind_spans;
mod read;
mod spans;
mod write;

use crate::bytes::{DecodeError, Result};
use crate::group::{Rows, TemplateGroup};

pub use column::{ColumnRequest, FieldColumn};
pub use read::{FieldParts, FieldsOfRows};
pub use write::FieldPartsWriter;

/// The texts that a column is made of.
pub struct FieldTexts<'g> {
    /// The template of each message.
    pub rows: &'g Rows,
    /// The messages.
    pub messages: &'g TemplateGroup,
    /// The values that are not parts of messages, if there are any.
    pub elsewhere: Option<&'g TemplateGroup>,
}

/// Describes how the value of a field is found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct OutlineValue {
    name: u32,
    /// The distance from the end of the previous part; `None` if it is an open number, or if the value is not a part.
    gap: Option<u32>,
    end: ValueEnd,
}

/// Describes how the end of a value is found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ValueEnd {
    /// The value is not a part of the message.
    Elsewhere,
    /// The value is empty.
    Empty,
    /// The value ends at the end of the message.
    Message,
    /// The value ends before the first such byte.
    Before(u8),
    /// The length of the value is an open number.
    Length,
}

impl ValueEnd {
    fn of_code(code: u8) -> Result<ValueEnd> {
        Ok(match code {
            0 => ValueEnd::Elsewhere,
            1 => ValueEnd::Empty,
            2 => ValueEnd::Message,
            3 => ValueEnd::Before(0),
            4 => ValueEnd::Length,
            kind => return Err(DecodeError::Kind { what: "end", kind }),
        })
    }

    fn code(self) -> u8 {
        match self {
            ValueEnd::Elsewhere => 0,
            ValueEnd::Empty => 1,
            ValueEnd::Message => 2,
            ValueEnd::Before(_) => 3,
            ValueEnd::Length => 4,
        }
    }

    /// The byte that stands for this end.
    fn byte(self) -> Option<u8> {
        if let ValueEnd::Before(byte) = self { Some(byte) } else { None }
    }

    /// Whether the value is a part of the message.
    fn is_of_part(self) -> bool {
        !matches!(self, ValueEnd::Elsewhere | ValueEnd::Empty)
    }
}

impl OutlineValue {
    /// The number of open numbers that this value needs.
    fn numbers(self) -> usize {
        let gap = self.end.is_of_part() && self.gap.is_none();
        usize::from(gap) + usize::from(self.end == ValueEnd::Length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::{Rows, TemplateGroup, TemplateGroupWriter, opened};
    use crate::scan::tests::texts;
    use logstead_record::{Selection, TextColumn, word};
    use proptest::prelude::*;

    /// A name, and the source of its value: a part of the message between two positions, or a text of its own.
    type Field = (u8, prop::sample::Index, prop::sample::Index, Option<Vec<u8>>);
    type Row = (Vec<u8>, Vec<Field>);

    const NAMES: [&[u8]; 5] = [b"user", b"id", b"", b"User", "größe".as_bytes()];

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let message = prop_oneof![
            ("[0-9]{1,4}", "[a-z ]{1,5}")
                .prop_map(|(id, user)| format!("{{\"id\":{id},\"user\":\"{user}\"}}").into_bytes()),
            "user=[a-z]{1,3} id=[0-9]{1,4}( [a-z]{1,3}){0,3}".prop_map(String::into_bytes),
            texts(),
        ];
        let other = prop_oneof![4 => Just(None), 1 => texts().prop_map(Some)];
        let field = (0..NAMES.len() as u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), other);
        proptest::collection::vec((message, proptest::collection::vec(field, 0..6)), 0..60)
    }

    /// The value of a field; this includes parts that begin at the end of another part or within a character.
    fn value(message: &[u8], (_, from, to, other): &Field) -> Vec<u8> {
        let (from, to) = (from.index(message.len() + 1), to.index(message.len() + 1));
        other.clone().unwrap_or_else(|| message[from.min(to)..from.max(to)].to_vec())
    }

    fn words(text: &[u8]) -> Vec<&[u8]> {
        word::words(text)
            .map(|range| &text[range])
            .chain(word::addresses(text).map(|range| &text[range]))
            .collect()
    }

    struct EncodedGroup {
        rows: Rows,
        messages: TemplateGroup,
        parts: Option<Vec<u8>>,
        elsewhere: TextColumn,
    }

    fn written(rows: &[Row], writer: &mut FieldPartsWriter) -> EncodedGroup {
        let (mut messages, mut elsewhere) = (TemplateGroupWriter::default(), TextColumn::default());
        for (message, fields) in rows {
            messages.push(message);
            let values: Vec<Vec<u8>> = fields.iter().map(|field| value(message, field)).collect();
            let names = fields.iter().map(|(name, ..)| NAMES[usize::from(*name)]);
            if fields.is_empty() && message.len().is_multiple_of(2) {
                writer.push_none();
                continue;
            }
            let mut left = Vec::new();
            let fields = names.zip(values.iter().map(Vec::as_slice));
            writer.push(message, messages.last_place(), fields, |text| left.push(text.to_vec()));
            for text in values.iter().filter(|text| !left.contains(text)) {
                let of_message = words(message);
                assert!(words(text).iter().all(|word| of_message.contains(word)), "{text:?} in {message:?}");
            }
            left.iter().for_each(|text| elsewhere.push(text));
        }
        let encoded = messages.finish();
        let rows = Rows::open(&encoded.rows).unwrap();
        let messages = opened(&encoded).unwrap();
        let parts = writer.finish(&rows);
        EncodedGroup { rows, messages, parts, elsewhere }
    }

    /// The fields of the picked rows out of some rows.
    fn read(
        written: &EncodedGroup,
        all: &[Row],
        rows: &std::ops::Range<usize>,
        picked: &Selection,
    ) -> Result<FieldsOfRows> {
        let parts = FieldParts::open(written.parts.as_deref().unwrap_or_default(), &written.rows)?;
        let (mut messages, mut elsewhere) = (TextColumn::default(), TextColumn::default());
        picked.iter().for_each(|row| messages.push(&all[rows.start + row].0));
        for number in parts.elsewhere_of(rows, picked) {
            elsewhere.push(if (number as usize) < written.elsewhere.len() {
                written.elsewhere.get(number as usize)
            } else {
                b""
            });
        }
        parts.read(rows, picked, &messages, &elsewhere)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn fields_come_back(
            groups in proptest::collection::vec(rows(), 1..3), from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(), picks in any::<u64>(),
        ) {
            let mut writer = FieldPartsWriter::default();
            for all in groups {
                let written = written(&all, &mut writer);
                let Some(bytes) = &written.parts else {
                    prop_assert!(all.iter().all(|(_, fields)| fields.is_empty()));
                    continue;
                };
                let parts = FieldParts::open(bytes, &written.rows).unwrap();
                prop_assert_eq!(parts.elsewhere(), written.elsewhere.len());
                prop_assert_eq!(parts.rows_elsewhere().len(), written.elsewhere.len());
                let (from, to) = (from.index(all.len() + 1), to.index(all.len() + 1));
                let rows = from.min(to)..from.max(to);
                let picked = Selection::from_fn(rows.len(), |row| picks >> (row % 64) & 1 == 1);
                for (rows, picked) in [(0..all.len(), Selection::all(all.len())), (rows, picked)] {
                    let fields = read(&written, &all, &rows, &picked).unwrap();
                    let (mut at, mut ends) = (0, fields.ends.iter());
                    for row in picked.iter() {
                        let (message, expected) = &all[rows.start + row];
                        prop_assert_eq!(*ends.next().unwrap() as usize, at + expected.len());
                        for field in expected {
                            prop_assert_eq!(parts.names.get(fields.names[at] as usize), NAMES[usize::from(field.0)]);
                            prop_assert_eq!(fields.values.get(at), value(message, field));
                            at += 1;
                        }
                    }
                    prop_assert_eq!((ends.next(), fields.values.len()), (None, at));
                }
            }
        }

        #[test]
        fn damaged_fields_are_faults_or_others_but_never_a_panic(
            all in rows(), bits in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut written = written(&all, &mut FieldPartsWriter::default());
            let Some(mut bytes) = written.parts.take() else { return Ok(()) };
            for bit in bits {
                let bit = bit.index(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            for bytes in [bytes[..cut.index(bytes.len())].to_vec(), bytes] {
                written.parts = Some(bytes);
                let rows = 0..all.len();
                if let Ok(fields) = read(&written, &all, &rows, &Selection::all(all.len())) {
                    prop_assert_eq!(fields.ends.len(), all.len());
                }
                column(&written, "user", ColumnRequest::default()).ok();
                column(&written, "id", ColumnRequest::default()).ok();
            }
        }
    }

    /// The column of a field, as a list of the values of rows.
    fn column(
        written: &EncodedGroup,
        name: &str,
        request: ColumnRequest<'_>,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>> {
        let parts = FieldParts::open(written.parts.as_deref().unwrap_or_default(), &written.rows)?;
        let mut elsewhere = TemplateGroupWriter::default();
        written.elsewhere.iter().for_each(|text| _ = elsewhere.push(text));
        let elsewhere = opened(&elsewhere.finish()).unwrap();
        let texts =
            FieldTexts { rows: &written.rows, messages: &written.messages, elsewhere: Some(&elsewhere) };
        let column = parts.column(name.as_bytes(), &texts, request)?;
        Ok(column.map(|FieldColumn { values, rows }| {
            assert_eq!(rows.len(), written.rows.len());
            let value = |row: u32| row.checked_sub(1).map(|at| values.get(at as usize).to_vec());
            rows.into_iter().map(value).collect()
        }))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn columns_have_the_values_of_rows(all in rows(), selected in any::<u64>()) {
            let written = written(&all, &mut FieldPartsWriter::default());
            let Some(bytes) = &written.parts else { return Ok(()) };
            let parts = FieldParts::open(bytes, &written.rows).unwrap();
            for name in ["user", "id", "", "größe"] {
                let is_it = |at: u8| str::from_utf8(NAMES[usize::from(at)]).unwrap().eq_ignore_ascii_case(name);
                let values_of = |(message, fields): &Row| -> Vec<Vec<u8>> {
                    fields.iter().filter(|field| is_it(field.0)).map(|field| value(message, field)).collect()
                };
                let expected: Vec<Vec<Vec<u8>>> = all.iter().map(values_of).collect();
                let [present, filled] = parts.presence(name.as_bytes());
                for (row, values) in expected.iter().enumerate() {
                    prop_assert_eq!(present.contains(row), !values.is_empty());
                    prop_assert_eq!(filled.contains(row), values.iter().any(|value| !value.is_empty()));
                }
                let is_twice = expected.iter().any(|values| 1 < values.len());
                let expected: Vec<Option<Vec<u8>>> = expected.into_iter().map(|mut values| values.pop()).collect();
                let all_rows = column(&written, name, ColumnRequest::default()).unwrap();
                prop_assert_eq!(all_rows, (!is_twice).then(|| expected.clone()));
                let distinct = expected.iter().flatten().collect::<std::collections::BTreeSet<_>>().len();
                for values_max in [distinct, distinct.saturating_sub(1)] {
                    let request = ColumnRequest { values_max: Some(values_max), ..ColumnRequest::default() };
                    let is_there = column(&written, name, request).unwrap().is_some();
                    prop_assert_eq!(is_there, !is_twice && distinct <= values_max);
                }
                let rows = Selection::from_fn(all.len(), |row| selected >> (row % 64) & 1 == 1);
                let some_rows = ColumnRequest { rows: Some(&rows), ..ColumnRequest::default() };
                let expected = expected.into_iter().enumerate().map(|(row, value)| value.filter(|_| rows.contains(row)));
                let some_rows = column(&written, name, some_rows).unwrap();
                prop_assert_eq!(some_rows, (!is_twice).then(|| expected.collect()));
            }
            let any = parts.rows_with_any();
            prop_assert!(all.iter().enumerate().all(|(row, (_, fields))| any.contains(row) != fields.is_empty()));
            let selected = Selection::from_fn(all.len(), |row| selected >> (row % 64) & 1 == 1);
            let counts = parts.counts(&selected);
            for (number, (name, count)) in parts.names.iter().zip(counts).enumerate() {
                let is_it = |other: &[u8]| other.eq_ignore_ascii_case(name);
                let has_it = |row: &usize| {
                    let (message, fields) = &all[*row];
                    let mut named = fields.iter().filter(|field| is_it(NAMES[usize::from(field.0)]));
                    named.any(|field| !value(message, field).is_empty())
                };
                let is_first = parts.names.iter().position(is_it) == Some(number);
                prop_assert_eq!(count, if is_first { selected.iter().filter(has_it).count() as u64 } else { 0 });
            }
        }
    }

    /// JSON whose values have slots of all lengths, some of them behind a value that is not a part of the message.
    #[test]
    fn values_are_found_in_templates() {
        let (mut writer, mut messages) = (FieldPartsWriter::default(), TemplateGroupWriter::default());
        let (mut elsewhere, mut expected) = (TemplateGroupWriter::default(), Vec::new());
        for row in 0..6000_usize {
            let note = format!("took {} ms for {}", 7_usize.pow(row as u32 % 9), "n".repeat(row % 12));
            let escaped = if row % 3 == 0 { note.replace("took ", "took \\\"") } else { note.clone() };
            let note = if row % 3 == 0 { note.replace("took ", "took \"") } else { note };
            let path = format!("/api/v{}/users/{}/orders", row % 3, row * 7919 % 1000);
            let (status, host) = (200 + row % 5, format!("10.0.{}.{}", row % 7, row % 250));
            let message = format!(
                "{{\"note\":\"{escaped}\",\"path\":\"{path}\",\"status\":{status},\"ip\":\"{host}\"}}"
            );
            messages.push(message.as_bytes());
            let values = [note, path, status.to_string(), host];
            let fields = ["note", "path", "status", "ip"].into_iter().zip(&values);
            let fields = fields.map(|(name, text)| (name.as_bytes(), text.as_bytes()));
            writer.push(message.as_bytes(), messages.last_place(), fields, |text| _ = elsewhere.push(text));
            expected.push(values);
        }
        assert_eq!(elsewhere.rows(), 2000);
        let encoded = messages.finish();
        let rows = Rows::open(&encoded.rows).unwrap();
        let (messages, elsewhere) = (opened(&encoded).unwrap(), opened(&elsewhere.finish()).unwrap());
        let parts = FieldParts::open(&writer.finish(&rows).unwrap(), &rows).unwrap();
        for (at, name) in ["note", "path", "status", "ip"].into_iter().enumerate() {
            let texts = FieldTexts { rows: &rows, messages: &messages, elsewhere: Some(&elsewhere) };
            let FieldColumn { values, rows } =
                parts.column(name.as_bytes(), &texts, ColumnRequest::default()).unwrap().unwrap();
            for (row, value) in expected.iter().zip(rows) {
                assert_eq!(values.get(value as usize - 1), row[at].as_bytes());
            }
            assert!(parts.is_in_templates(name.as_bytes(), &texts), "{name}");
        }
    }

    /// Outlines that are shared by most rows take next to no space.
    #[test]
    fn values_that_stand_in_messages_take_next_to_nothing() {
        let mut random = 7_u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 8
        };
        let (mut writer, mut messages) = (FieldPartsWriter::default(), TemplateGroupWriter::default());
        for row in 0..5000 {
            let (user, id) = (format!("u{}", next()), next().to_string());
            let message = match row % 7 {
                0 => format!("{{\"user\":\"{user}\",\"id\":{id},\"note\":\"{}\"}}", "x".repeat(row % 90)),
                _ => format!("{{\"user\":\"{user}\",\"id\":{id}}}"),
            };
            messages.push(message.as_bytes());
            let fields = [(&b"user"[..], user.as_bytes()), (b"id", id.as_bytes())];
            let elsewhere = |text: &[u8]| panic!("{} is not found", String::from_utf8_lossy(text));
            writer.push(message.as_bytes(), messages.last_place(), fields.into_iter(), elsewhere);
        }
        let rows = Rows::open(&messages.finish().rows).unwrap();
        let bytes = writer.finish(&rows).unwrap();
        assert!(bytes.len() < 200, "{}", bytes.len());
    }
}
