//! The rules for fields whose values are not just any text.

use logstead_record::{Facility, Field, Severity, Timestamp};

/// The severity that a text names: a word, or its number.
pub fn severity_of(text: &[u8]) -> Option<Severity> {
    let text = std::str::from_utf8(text).ok()?.trim();
    text.parse::<u8>().map_or_else(|_| text.parse().ok(), Severity::new)
}

/// The facility that a text names: a word, or its number.
pub fn facility_of(text: &[u8]) -> Option<Facility> {
    let text = std::str::from_utf8(text).ok()?.trim();
    text.parse::<u8>().map_or_else(|_| text.parse().ok(), Facility::new)
}

/// The time in a text: RFC 3339, or seconds since 1970.
pub fn time_of(text: &[u8]) -> Option<Timestamp> {
    let text = text.trim_ascii();
    Timestamp::parse_rfc3339(text)
        .or_else(|| Timestamp::from_seconds(std::str::from_utf8(text).ok()?.parse().ok()?))
}

/// Whether a field can have this value.
pub fn fits(field: Field, text: &str) -> bool {
    match field {
        Field::Severity => severity_of(text.as_bytes()).is_some(),
        Field::Facility => facility_of(text.as_bytes()).is_some(),
        Field::Time => time_of(text.as_bytes()).is_some(),
        _ => true,
    }
}

/// An example of a value of the field.
pub(super) fn example(field: Field) -> &'static str {
    match field {
        Field::Severity => "a severity like `warning` or `4`",
        Field::Facility => "a facility like `local0` or `16`",
        _ => "a time like `2026-11-20T08:00:00Z`, or seconds since 1970",
    }
}
