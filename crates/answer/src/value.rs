//! A value of an answer: its kind, the form in which it is shown, and the form in which it is compared.
//!
//! Values are in their *key form*, whose bytes are ordered like the values:
//!
//! | kind     | key                                           | shown as |
//! |----------|-----------------------------------------------|----------|
//! | text     | the text                                      | the text |
//! | number   | its text                                      | a number |
//! | severity | one letter, `a` for debug to `h` for emerg    | its name |
//! | time     | 8 bytes, big endian, nanoseconds + 2^63       | a time   |
//!
//! **Invariant:** a key is shown as the value that it was made of.

use logstead_record::FieldName;
use logstead_record::{PriorityHalf, Severity, Storage, Timestamp};
use std::fmt::Write;

/// The value of one cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum CellValue {
    /// No value.
    #[default]
    Null,
    /// Text, mostly UTF-8.
    Text(Box<[u8]>),
    /// A count.
    Count(u64),
    /// A finite number.
    Number(f64),
    /// A time.
    Time(Timestamp),
}

impl CellValue {
    /// A text.
    pub fn text(text: &[u8]) -> CellValue {
        CellValue::Text(text.into())
    }

    /// Appends the value as text; nothing for null.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut text = String::new();
        let written = match self {
            CellValue::Null => Ok(()),
            CellValue::Text(bytes) => return out.extend_from_slice(bytes),
            CellValue::Count(count) => write!(text, "{count}"),
            CellValue::Number(number) => write!(text, "{number}"),
            CellValue::Time(time) => write!(text, "{time}"),
        };
        written.expect("writing to a String does not fail");
        out.extend_from_slice(text.as_bytes());
    }

    /// The memory it takes.
    pub fn memory_bytes(&self) -> usize {
        let heap_bytes = if let CellValue::Text(text) = self { text.len() } else { 0 };
        size_of::<CellValue>() + heap_bytes
    }
}

/// The kind of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// Text.
    Text,
    /// Numbers; a value that is not a number is a text.
    Number,
    /// Names of severities, ordered by urgency.
    Severity,
    /// Times.
    Time,
}

impl ValueKind {
    /// The kind of the values of a field of messages.
    pub fn of(field: &FieldName) -> ValueKind {
        let FieldName::Known(field) = field else { return ValueKind::Text };
        match field.storage() {
            Storage::Priority(PriorityHalf::Severity) => ValueKind::Severity,
            Storage::Time | Storage::Received => ValueKind::Time,
            _ => ValueKind::Text,
        }
    }

    /// The value that a key stands for.
    pub fn value(self, key: &[u8]) -> CellValue {
        let number = || number_value(key);
        let value = match self {
            ValueKind::Text => None,
            ValueKind::Number => number(),
            ValueKind::Severity => {
                severity_of(key).map(|severity| CellValue::text(severity.name().as_bytes()))
            }
            ValueKind::Time => key.try_into().ok().map(|bytes| CellValue::Time(time_of(bytes))),
        };
        value.unwrap_or_else(|| CellValue::text(key))
    }
}

/// The key of a time.
pub(crate) fn time_key(nanos: i64) -> [u8; 8] {
    (nanos.cast_unsigned() ^ 1 << 63).to_be_bytes()
}

/// The time that a key stands for.
pub(crate) fn time_of(key: [u8; 8]) -> Timestamp {
    Timestamp::from_nanos((u64::from_be_bytes(key) ^ 1 << 63).cast_signed())
}

/// The key of a severity.
pub(crate) fn severity_key(severity: Severity) -> [u8; 1] {
    [b'h' - severity.number()]
}

fn severity_of(key: &[u8]) -> Option<Severity> {
    let [letter] = key else { return None };
    Severity::new(b'h'.checked_sub(*letter)?)
}

/// Reads a number that was written from a value; `None` if it is not one.
fn number_value(text: &[u8]) -> Option<CellValue> {
    let text = std::str::from_utf8(text).ok()?;
    text.parse().map(CellValue::Count).or_else(|_| text.parse().map(CellValue::Number)).ok()
}

/// A key for several values; keys are equal if and only if all values are.
pub(crate) fn key_of<'a>(values: impl Iterator<Item = &'a CellValue>) -> Vec<u8> {
    let mut key = Vec::new();
    for value in values {
        let start = key.len();
        key.extend_from_slice(&[0; 8]);
        value.write(&mut key);
        let bytes = (key.len() - start - 8) as u64;
        key[start..start + 8].copy_from_slice(&bytes.to_le_bytes());
    }
    key
}
