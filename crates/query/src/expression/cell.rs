//! Values of expressions, and their comparison.

use crate::number::number_of;
use logstead_record::{SECOND, Timestamp};
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A text, mostly UTF-8.
    Text(Cow<'a, [u8]>),
    /// A time.
    Time(Timestamp),
}

impl<'a> Cell<'a> {
    /// The text of a field: an empty one counts as null.
    pub fn of_text(text: Cow<'a, [u8]>) -> Cell<'a> {
        if text.is_empty() { Cell::Null } else { Cell::Text(text) }
    }

    /// A number; null if it is not finite.
    pub(super) fn of_number(number: f64) -> Cell<'static> {
        // -0 is not shown apart from 0.
        if number.is_finite() { Cell::Number(number + 0.0) } else { Cell::Null }
    }

    pub(super) fn owned_text(text: impl Into<Vec<u8>>) -> Cell<'static> {
        Cell::Text(Cow::Owned(text.into()))
    }

    /// Whether it counts as true.
    pub fn is_true(&self) -> bool {
        match self {
            Cell::Bool(is_true) => *is_true,
            Cell::Number(number) => *number != 0.0,
            Cell::Text(text) => {
                text.eq_ignore_ascii_case(b"true") || number_of(text).is_some_and(|n| n != 0.0)
            }
            Cell::Null | Cell::Time(_) => false,
        }
    }

    /// The value as a number: a time in seconds since 1970, a text with a unit in bytes or seconds.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Cell::Number(number) => Some(*number),
            Cell::Bool(is_true) => Some(f64::from(u8::from(*is_true))),
            Cell::Text(text) => number_of(text),
            Cell::Time(time) => Some(time.nanos() as f64 / SECOND as f64),
            Cell::Null => None,
        }
    }

    /// The value as a time: a number counts seconds since 1970.
    pub(super) fn time(&self) -> Option<Timestamp> {
        match self {
            Cell::Time(time) => Some(*time),
            Cell::Number(seconds) => at_seconds(*seconds),
            Cell::Text(text) => {
                Timestamp::parse_rfc3339(text.trim_ascii()).or_else(|| at_seconds(number_of(text)?))
            }
            Cell::Null | Cell::Bool(_) => None,
        }
    }

    /// The value as a text; `None` for null.
    pub fn text(&self) -> Option<Cow<'_, [u8]>> {
        Some(match self {
            Cell::Null => return None,
            Cell::Text(text) => Cow::Borrowed(text),
            Cell::Bool(is_true) => Cow::Borrowed(if *is_true { b"true" } else { b"false" }),
            Cell::Number(number) => Cow::Owned(number.to_string().into_bytes()),
            Cell::Time(time) => Cow::Owned(time.to_string().into_bytes()),
        })
    }

    /// Compares two values: as numbers or times if both can be converted, otherwise as texts in any case. `None` for
    /// null, and for a number and a text that is not a number.
    pub(super) fn compare(&self, other: &Cell<'_>) -> Option<Ordering> {
        if matches!(self, Cell::Time(_)) || matches!(other, Cell::Time(_)) {
            return Some(self.time()?.cmp(&other.time()?));
        }
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return a.partial_cmp(&b);
        }
        if matches!(self, Cell::Number(_)) || matches!(other, Cell::Number(_)) {
            return None;
        }
        let lower = |cell: &Cell<'_>| cell.text().map(|text| String::from_utf8_lossy(&text).to_lowercase());
        Some(lower(self)?.cmp(&lower(other)?))
    }
}

/// A time from seconds since 1970, or from milliseconds, microseconds or nanoseconds if the number is too large for seconds.
fn at_seconds(number: f64) -> Option<Timestamp> {
    let per_second = match number.abs() {
        n if n < 1e11 => 1.0,
        n if n < 1e14 => 1e3,
        n if n < 1e17 => 1e6,
        _ => 1e9,
    };
    let seconds = (number / per_second).floor();
    let nanos = ((number - seconds * per_second) * (SECOND as f64 / per_second)).round();
    let whole = Timestamp::from_seconds(seconds as i64)?;
    number.is_finite().then(|| whole.saturating_add(nanos as i64))
}
