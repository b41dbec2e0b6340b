//! A point in time: nanoseconds since 1970 in UTC, and its RFC 3339 text.
//!
//! Formatting and parsing are written by hand because they run once per message. Zones and daylight saving are left
//! to the readers of timestamps without a zone.

use std::cell::Cell;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01T00:00:00Z. Covers the years 1678 to 2262.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// Nanoseconds in a second.
pub const SECOND: i64 = 1_000_000_000;
/// Nanoseconds in a day.
pub const DAY: i64 = 86_400 * SECOND;

impl Timestamp {
    /// The earliest possible time.
    pub const MIN: Timestamp = Timestamp(i64::MIN + 1);
    /// The latest possible time.
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    /// Makes a time of nanoseconds since 1970.
    pub const fn from_nanos(nanos: i64) -> Timestamp {
        Timestamp(nanos)
    }

    /// The time from whole seconds since 1970; `None` outside the years 1678 to 2262.
    pub fn from_seconds(seconds: i64) -> Option<Timestamp> {
        seconds.checked_mul(SECOND).map(Timestamp)
    }

    /// Nanoseconds since 1970.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// This time moved by `nanos`, stopping at the ends of the range.
    #[must_use]
    pub const fn saturating_add(self, nanos: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(nanos))
    }

    /// The time from a civil date and a time of day in UTC; `None` if there is no such time.
    pub fn from_civil(year: i64, month: u32, day: u32, second_of_day: u32, nanos: u32) -> Option<Timestamp> {
        if !(1..=12).contains(&month) || day < 1 || days_in_month(year, month) < day {
            return None;
        }
        let seconds = days_from_civil(year, month, day) * 86_400 + i64::from(second_of_day);
        seconds.checked_mul(SECOND)?.checked_add(i64::from(nanos)).map(Timestamp)
    }

    /// Year, month, day, second of the day and nanoseconds, in UTC.
    pub fn to_civil(self) -> (i64, u32, u32, u32, u32) {
        let seconds = self.0.div_euclid(SECOND);
        let nanos = self.0.rem_euclid(SECOND);
        let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
        (year, month, day, seconds.rem_euclid(86_400) as u32, nanos as u32)
    }

    /// Reads `2026-11-21T06:13:00[.123456789](Z|±hh:mm)`. A leap second reads as the second before it; digits
    /// after the ninth are dropped; `t`, `z` and a space for the `T` are accepted.
    pub fn parse_rfc3339(text: &[u8]) -> Option<Timestamp> {
        let (time, used) = Self::parse_rfc3339_prefix(text)?;
        (used == text.len()).then_some(time)
    }

    /// Reads a time at the beginning of a text, like [`Timestamp::parse_rfc3339`]; returns it and its length in bytes.
    pub fn parse_rfc3339_prefix(text: &[u8]) -> Option<(Timestamp, usize)> {
        let year = digits(text, 0, 4)?;
        let month = digits(text, 5, 2)?;
        let day = digits(text, 8, 2)?;
        let hour = digits(text, 11, 2)?;
        let minute = digits(text, 14, 2)?;
        let second = digits(text, 17, 2)?;
        let separators_fit = text[4] == b'-'
            && text[7] == b'-'
            && matches!(text[10], b'T' | b't' | b' ')
            && text[13] == b':'
            && text[16] == b':';
        if !separators_fit || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let mut at = 19;
        let mut nanos = 0;
        if text.get(at) == Some(&b'.') || text.get(at) == Some(&b',') {
            let (value, next) = fraction(text, at + 1)?;
            (nanos, at) = (value, next);
        }
        let (offset_seconds, next) = offset(text, at)?;
        let of_day = hour * 3600 + minute * 60 + second.min(59);
        let local = Timestamp::from_civil(i64::from(year), month, day, of_day, nanos)?;
        let utc = local.0.checked_sub(i64::from(offset_seconds) * SECOND)?;
        Some((Timestamp(utc), next))
    }

    /// Appends `2026-11-21T06:13:00.123Z` with exactly `fraction_digits` digits after the point (0 to 9; 0 writes no
    /// point either). Further digits are cut, not rounded.
    pub fn write_rfc3339(self, out: &mut Vec<u8>, fraction_digits: u8) {
        let (second, nanos) = (self.0.div_euclid(SECOND), self.0.rem_euclid(SECOND) as u32);
        let (written, text) = WRITTEN.get();
        let text = if written == second {
            text
        } else {
            let text = self.second_text();
            WRITTEN.set((second, text));
            text
        };
        out.extend_from_slice(&text);
        let digits = usize::from(fraction_digits.min(9));
        if 0 < digits {
            let mut fraction = *b".000000000";
            fraction[1] = b'0' + (nanos / 100_000_000) as u8;
            let pairs = [(2, nanos / 1_000_000), (4, nanos / 10_000), (6, nanos / 100), (8, nanos)];
            pairs.into_iter().for_each(|(at, value)| put_two_digits(&mut fraction, at, value));
            // The length is fixed, because a call to copy a few bytes takes longer than copying them.
            out.extend_from_slice(&fraction);
            out.truncate(out.len() + 1 + digits - fraction.len());
        }
        out.push(b'Z');
    }

    /// `2026-11-21T06:13:00`.
    fn second_text(self) -> [u8; 19] {
        let (year, month, day, of_day, _) = self.to_civil();
        let mut text = *b"0000-00-00T00:00:00";
        let pairs = [
            (0, year as u32 / 100),
            (2, year as u32),
            (5, month),
            (8, day),
            (11, of_day / 3600),
            (14, of_day / 60 % 60),
            (17, of_day % 60),
        ];
        pairs.into_iter().for_each(|(at, value)| put_two_digits(&mut text, at, value));
        text
    }
}

thread_local! {
    /// The second that was last written, and its text. Most messages are from the same second as the one before, and
    /// converting it to a date took a fifth of the time for writing their heads.
    static WRITTEN: Cell<(i64, [u8; 19])> = const { Cell::new((i64::MIN, [0; 19])) };
}

/// Writes RFC 3339 with the fraction digits that the time needs, in groups of three.
impl From<SystemTime> for Timestamp {
    /// Times beyond the range become its ends.
    fn from(time: SystemTime) -> Timestamp {
        let nanos = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN + 1, |nanos| -nanos),
        };
        Timestamp(nanos)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.rem_euclid(SECOND);
        let fraction_digits = match nanos {
            0 => 0,
            n if n % 1_000_000 == 0 => 3,
            n if n % 1_000 == 0 => 6,
            _ => 9,
        };
        let mut text = Vec::with_capacity(32);
        self.write_rfc3339(&mut text, fraction_digits);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// English month names as syslog stamps write them.
pub const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// The number of days in a month.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Reads `count` digits at `at`.
fn digits(text: &[u8], at: usize, count: usize) -> Option<u32> {
    let mut value = 0;
    for byte in text.get(at..at + count)? {
        let digit = byte.wrapping_sub(b'0');
        if 9 < digit {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

/// Reads the digits of a fraction of a second; returns the nanoseconds and the end of the digits.
fn fraction(text: &[u8], start: usize) -> Option<(u32, usize)> {
    let mut at = start;
    let mut nanos = 0;
    let mut unit = 100_000_000;
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        nanos += u32::from(digit) * unit;
        unit /= 10;
        at += 1;
    }
    (start < at).then_some((nanos, at))
}

/// Reads `Z`, `±hh:mm` or `±hhmm`; returns the seconds east of UTC and the end.
fn offset(text: &[u8], at: usize) -> Option<(i32, usize)> {
    let sign = match text.get(at)? {
        b'Z' | b'z' => return Some((0, at + 1)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(text, at + 1, 2)?;
    let colon = usize::from(text.get(at + 3) == Some(&b':'));
    let minutes = digits(text, at + 3 + colon, 2)?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some((sign * (hours * 3600 + minutes * 60) as i32, at + 5 + colon))
}

/// Writes the last two digits of `value`.
fn put_two_digits(out: &mut [u8], at: usize, value: u32) {
    let two = value % 100;
    out[at] = b'0' + (two / 10) as u8;
    out[at + 1] = b'0' + (two % 10) as u8;
}

/// Days since 1970 of a date in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years begin in March here, so that the leap day is the last of the year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, nanos: i64) {
        assert_eq!(Timestamp::parse_rfc3339(text.as_bytes()), Some(Timestamp(nanos)), "{text}");
    }

    #[test]
    fn rfc_3339_is_read_in_all_its_spellings() {
        check("1970-01-01T00:00:00Z", 0);
        check("1970-01-01T00:00:00.5Z", 500_000_000);
        check("1970-01-01T01:00:00+01:00", 0);
        check("1970-01-01 00:00:00.000000001z", 1);
        check("2000-02-29T00:00:00Z", 951_782_400 * SECOND);
        check("2016-12-31T23:59:60Z", 1_483_228_799 * SECOND);
        check("1969-12-31T23:59:59-0000", -SECOND);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "2026", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z"] {
            assert_eq!(Timestamp::parse_rfc3339(text.as_bytes()), None, "{text}");
        }
        for text in
            ["2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "9999-01-01T00:00:00Z"]
        {
            assert_eq!(Timestamp::parse_rfc3339(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(nanos in any::<i64>().prop_filter("in range", |n| *n > i64::MIN + DAY)) {
            let time = Timestamp(nanos);
            prop_assert_eq!(Timestamp::parse_rfc3339(time.to_string().as_bytes()), Some(time));
            let (year, month, day, of_day, fraction) = time.to_civil();
            prop_assert_eq!(Timestamp::from_civil(year, month, day, of_day, fraction), Some(time));
        }
    }
}
