//! Sizes (`64KiB`, `10GB`) and periods (`5ms`, `90d`) as people write them: a whole number and a unit.
//!
//! **Invariant:** the output of `Display` is read back as the same value.

use crate::read::text_value;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(u64);

/// A length of time, in whole milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Period(u64);

/// The error for a text that is neither a size nor a period, with an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitError(String);

impl Size {
    /// A size of this many bytes.
    pub const fn new(bytes: u64) -> Size {
        Size(bytes)
    }

    /// A size of this many KiB.
    pub const fn kib(count: u64) -> Size {
        Size(count << 10)
    }

    /// A size of this many MiB.
    pub const fn mib(count: u64) -> Size {
        Size(count << 20)
    }

    /// A size of this many GiB.
    pub const fn gib(count: u64) -> Size {
        Size(count << 30)
    }

    /// The approximate size, rounded down to at least two digits of a unit: for text that people read.
    pub fn about(bytes: u64) -> Size {
        let shift = [30, 20, 10].into_iter().find(|shift| 10 <= bytes >> shift).unwrap_or(0);
        Size(bytes >> shift << shift)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The number of bytes as a `usize`.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Period {
    /// A period of this many milliseconds.
    pub const fn millis(count: u64) -> Period {
        Period(count)
    }

    /// A period of this many seconds.
    pub const fn seconds(count: u64) -> Period {
        Period(count * 1000)
    }

    /// A period of this many days of 24 hours.
    pub const fn days(count: u64) -> Period {
        Period(count * 86_400_000)
    }

    /// The period as a `Duration`.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

/// Units of sizes. Binary ones are first, so that they win if both are equally short.
const SIZE_UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

const PERIOD_UNITS: [(&str, u64); 7] = [
    ("ms", 1),
    ("s", 1000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
    ("w", 604_800_000),
    ("y", 31_536_000_000),
];

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Size, UnitError> {
        let hint = "a whole number and one of B, KB, MB, GB, TB, KiB, MiB, GiB or TiB, like `64KiB`";
        parse(text, &SIZE_UNITS, "size", hint).map(Size)
    }
}

impl FromStr for Period {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Period, UnitError> {
        let hint = "a whole number and one of ms, s, m, h, d, w or y, like `5ms` or `90d`";
        parse(text, &PERIOD_UNITS, "duration", hint).map(Period)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self.0, &SIZE_UNITS, f)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self.0, &PERIOD_UNITS[..5], f)
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

text_value!(Size, |text| text.parse().map_err(|error: UnitError| error.to_string()));
text_value!(Period, |text| text.parse().map_err(|error: UnitError| error.to_string()));
fn parse(text: &str, units: &[(&str, u64)], noun: &str, hint: &str) -> Result<u64, UnitError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    let scale = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, scale)| scale);
    let (Some(scale), true) = (scale, digits > 0) else {
        return Err(UnitError(format!("`{text}` is not a {noun}: write {hint}")));
    };
    let value = number.parse::<u64>().ok().and_then(|number| number.checked_mul(*scale));
    // TOML and JavaScript cannot represent larger integers exactly.
    value
        .filter(|value| *value <= i64::MAX as u64)
        .ok_or_else(|| UnitError(format!("`{text}` is too large for a {noun}")))
}

/// Prints a value in the unit that divides it and gives the shortest number.
fn print(value: u64, units: &[(&str, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let fitting = units.iter().filter(|(_, scale)| value.is_multiple_of(*scale));
    let best = if value == 0 { units.first() } else { fitting.min_by_key(|(_, scale)| value / scale) };
    let (name, scale) = best.expect("the first unit is 1, which divides everything");
    write!(f, "{}{name}", value / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(text: &str, expected: Option<u64>) {
        assert_eq!(text.parse::<Size>().ok().map(Size::bytes), expected, "{text}");
    }

    fn period(text: &str, expected_ms: Option<u64>) {
        let expected = expected_ms.map(Duration::from_millis);
        assert_eq!(text.parse::<Period>().ok().map(Period::duration), expected, "{text}");
    }

    #[test]
    fn a_size_is_a_whole_number_and_a_unit() {
        size("0B", Some(0));
        size("64KiB", Some(65_536));
        size("64 kib", Some(65_536));
        size("10GB", Some(10_000_000_000));
        size("200GiB", Some(214_748_364_800));
        for bad in ["", "GB", "64", "64K", "1.5GiB", "-1B", "1e3B", "９B", "99999999999TB", "64KiBs"] {
            size(bad, None);
        }
    }

    #[test]
    fn a_size_for_people_has_two_digits_or_more() {
        let check = |bytes, expected: &str| assert_eq!(Size::about(bytes).to_string(), expected, "{bytes}");
        check(0, "0B");
        check(10_239, "10239B");
        check(212_992, "208KiB");
        check(67_108_864, "64MiB");
        check(67_108_863, "63MiB");
        check(10_485_759, "10239KiB");
        check(12_345_678, "11MiB");
        check(u64::MAX, "17179869183GiB");
    }

    #[test]
    fn a_period_is_a_whole_number_and_a_unit() {
        period("5ms", Some(5));
        period("90d", Some(7_776_000_000));
        period("1y", Some(365 * 86_400_000));
        for bad in ["", "5", "d", "1h30m", "5 fortnights", "-5ms", "18446744073709551615y"] {
            period(bad, None);
        }
    }

    #[test]
    fn units_print_as_people_write_them() {
        for text in ["0B", "1B", "64KiB", "200GiB", "10GB", "1500B", "3TB"] {
            assert_eq!(text.parse::<Size>().expect("a size").to_string(), text);
        }
        for text in ["0ms", "5ms", "90d", "36h", "1500ms"] {
            assert_eq!(text.parse::<Period>().expect("a period").to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(value in 0..=i64::MAX as u64) {
            prop_assert_eq!(Size(value).to_string().parse(), Ok(Size(value)));
            prop_assert_eq!(Period(value).to_string().parse(), Ok(Period(value)));
        }
    }
}
