//! Numbers in comparisons: plain ones such as `400` and `-1.5e3`, sizes such as `10MB` and durations such as `1.5s`.
//!
//! A literal with a unit is compared with values that have a unit of that kind or none: `bytes>10MB` compares `12MiB`
//! and `12000000`, and `duration>1.5s` compares `1600ms` and `1.6`. A literal without a unit is compared only with
//! plain numbers.

use std::fmt;

/// A number as it is written in a query.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    text: String,
    value: f64,
    unit: Unit,
}

/// The kind of a number's unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// None.
    Plain,
    /// Bytes.
    Size,
    /// Seconds.
    Duration,
}

/// The units in lower case, each with its number of seconds or bytes.
const UNITS: [(&[&str], Unit, f64); 18] = [
    (&["ns", "nsec"], Unit::Duration, 1e-9),
    // The micro sign, and the Greek letter that looks like it.
    (&["us", "\u{B5}s", "\u{3BC}s", "usec"], Unit::Duration, 1e-6),
    (&["ms", "msec"], Unit::Duration, 1e-3),
    (&["s", "sec", "secs", "second", "seconds"], Unit::Duration, 1.0),
    (&["min", "mins", "minute", "minutes"], Unit::Duration, 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], Unit::Duration, 3600.0),
    (&["d", "day", "days"], Unit::Duration, 86_400.0),
    (&["w", "week", "weeks"], Unit::Duration, 604_800.0),
    (&["byte", "bytes"], Unit::Size, 1.0),
    (&["k", "kb"], Unit::Size, 1e3),
    (&["mb"], Unit::Size, 1e6),
    (&["g", "gb"], Unit::Size, 1e9),
    (&["t", "tb"], Unit::Size, 1e12),
    (&["p", "pb"], Unit::Size, 1e15),
    (&["ki", "kib"], Unit::Size, 1024.0),
    (&["mi", "mib"], Unit::Size, 1_048_576.0),
    (&["gi", "gib"], Unit::Size, 1_073_741_824.0),
    (&["ti", "tib"], Unit::Size, 1_099_511_627_776.0),
];

/// A unit in any spelling. Case matters only for single letters: `5m` is in minutes and `5M` is a size, and a `b` may be
/// the end of a hexadecimal number.
fn unit_named(name: &str) -> Option<(Unit, f64)> {
    match name {
        "m" => return Some((Unit::Duration, 60.0)),
        "M" => return Some((Unit::Size, 1e6)),
        "B" => return Some((Unit::Size, 1.0)),
        _ => {}
    }
    let mut units = UNITS.iter();
    let (_, unit, factor) =
        units.find(|(names, ..)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))?;
    Some((*unit, *factor))
}

impl Number {
    /// Reads a number; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Number> {
        let (value, unit) = read(text)?;
        Some(Number { text: text.to_owned(), value, unit })
    }

    /// The value, in bytes or seconds if it has a unit.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The kind of its unit.
    pub fn unit(&self) -> Unit {
        self.unit
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The number in a field's value, for a comparison with a literal of this unit.
pub(crate) fn value_of(text: &[u8], unit: Unit) -> Option<f64> {
    let (value, found) = read(std::str::from_utf8(text).ok()?.trim())?;
    (found == Unit::Plain || found == unit).then_some(value)
}

/// The number in a field's value with any unit: in bytes or seconds if it has one.
pub fn number_of(text: &[u8]) -> Option<f64> {
    number_with_unit(text).map(|(value, _)| value)
}

/// The number in a field's value, with the kind of its unit.
pub fn number_with_unit(text: &[u8]) -> Option<(f64, Unit)> {
    // Most texts do not begin like a number, and are rejected without reading the rest.
    if text.first()?.is_ascii_alphabetic() {
        return None;
    }
    read(std::str::from_utf8(text).ok()?.trim())
}

fn read(text: &str) -> Option<(f64, Unit)> {
    // Rust reads `inf` and `nan` as numbers; here a number has a digit before any letter.
    let digits = text.trim_start_matches(['-', '+']);
    if text.len() - digits.len() > 1 || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Ok(value) = text.parse::<f64>() {
        return value.is_finite().then_some((value, Unit::Plain));
    }
    let unit_start = text.rfind(|c: char| !c.is_alphabetic())? + 1;
    let (number, name) = text.split_at_checked(unit_start)?;
    let (unit, factor) = unit_named(name)?;
    let value = number.parse::<f64>().ok()? * factor;
    value.is_finite().then_some((value, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(f64, Unit)>) {
        assert_eq!(Number::parse(text).map(|n| (n.value(), n.unit())), expected, "{text}");
    }

    #[test]
    fn numbers_have_digits_and_perhaps_a_unit() {
        check("400", Some((400.0, Unit::Plain)));
        check("-1.5e3", Some((-1500.0, Unit::Plain)));
        check("10MB", Some((1e7, Unit::Size)));
        check("10MiB", Some((10_485_760.0, Unit::Size)));
        check("1.5s", Some((1.5, Unit::Duration)));
        check("250ms", Some((0.25, Unit::Duration)));
        for text in ["", "-", "inf", "nan", "-inf", "u8", "1.2.3.4", "10xb", "--5", "1e999", "."] {
            check(text, None);
        }
    }

    #[test]
    fn units_are_read_as_people_write_them() {
        for (texts, expected) in [
            (&["10MB", "10mb", "10Mb", "10M"][..], (1e7, Unit::Size)),
            (&["10K", "10k", "10kB", "10KB", "10kb"], (1e4, Unit::Size)),
            (&["2KiB", "2kib", "2Ki"], (2048.0, Unit::Size)),
            (&["2G", "2gb"], (2e9, Unit::Size)),
            (&["7B", "7bytes"], (7.0, Unit::Size)),
            (&["1s", "1S", "1sec", "1Seconds"], (1.0, Unit::Duration)),
            (&["1000ms", "1000MS", "1000msec"], (1.0, Unit::Duration)),
            (&["5us", "5\u{B5}s", "5\u{3BC}s", "5usec"], (5.0 * 1e-6, Unit::Duration)),
            (&["2m", "2min", "2MIN"], (120.0, Unit::Duration)),
            (&["2h", "2H", "2hours"], (7200.0, Unit::Duration)),
        ] {
            texts.iter().for_each(|text| check(text, Some(expected)));
        }
        for text in ["5b", "5xb", "5kbit", "5mm"] {
            check(text, None);
        }
    }

    #[test]
    fn a_value_may_have_the_unit_of_the_literal() {
        assert_eq!(value_of(b"250ms", Unit::Duration), Some(0.25));
        assert_eq!(value_of(b" 250 ", Unit::Duration), Some(250.0));
        assert_eq!(value_of(b"250ms", Unit::Plain), None);
        assert_eq!(value_of(b"250ms", Unit::Size), None);
        assert_eq!(value_of(b"\xFF", Unit::Plain), None);
        assert_eq!(number_of(b" 250ms"), Some(0.25));
        assert_eq!(number_of(b"-1KiB"), Some(-1024.0));
        for text in [b"".as_slice(), b"NaN", b"inf", b"1e400", b"\xFF", b"1\xFF", b"10.0.0.1"] {
            assert_eq!(number_of(text), None);
        }
    }
}
