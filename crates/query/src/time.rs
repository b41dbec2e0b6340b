//! Times in queries, in the API's `from` and `to` and on the command line: absolute ones, and ones relative to
//! now. A time without a zone is in the caller's zone, which defaults to UTC.

use logstead_record::{DAY, SECOND, Timestamp};
use std::fmt;
use std::ops::Bound;

const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// A time as it is written, resolved when the query runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeExpr {
    /// An instant.
    At(Timestamp),
    /// A local time: the instant at which clocks in the caller's zone show what UTC clocks show at this one.
    Local(Timestamp),
    /// Now, moved by this many nanoseconds.
    Now(i64),
    /// The beginning of today, moved by this many days.
    Day(i32),
}

/// The times from `first` to `last`, both included. Empty if `last` is before `first`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeRange {
    /// The earliest time.
    pub first: Timestamp,
    /// The latest time.
    pub last: Timestamp,
}

/// Reads `2026-11-21T06:13:00Z` (or with any RFC 3339 offset, or without seconds or minutes, or without a zone),
/// `2026-11-21`, `2026-11`, `now`, `now-1h30m`, `-15m`, `today`, `yesterday` or `today-7d`.
pub fn parse_time(text: &str) -> Option<TimeExpr> {
    parse_span(text).map(|(start, _)| start)
}

impl TimeExpr {
    /// The time that it means at `now`.
    pub fn resolve(self, now: Timestamp) -> Timestamp {
        match self {
            TimeExpr::At(time) | TimeExpr::Local(time) => time,
            TimeExpr::Now(nanos) => now.saturating_add(nanos),
            TimeExpr::Day(days) => midnight(now, days),
        }
    }

    /// The same time, with days and times without a zone interpreted in this zone.
    #[must_use]
    pub fn in_zone(self, zone: &dyn Zone, now: Timestamp) -> TimeExpr {
        match self {
            TimeExpr::Local(time) => TimeExpr::At(zone.instant(time)),
            TimeExpr::Day(days) => match zone.instant(midnight(zone.local(now), days)) {
                // If the zone's day begins at midnight UTC, the time stays relative to the day.
                time if time == midnight(now, days) => self,
                time => TimeExpr::At(time),
            },
            TimeExpr::At(_) | TimeExpr::Now(_) => self,
        }
    }
}

/// A time zone. Local times are represented by the instants at which UTC clocks show the same.
pub trait Zone {
    /// The instant of a local time.
    fn instant(&self, local: Timestamp) -> Timestamp;
    /// The local time of an instant.
    fn local(&self, instant: Timestamp) -> Timestamp;
}

fn midnight(now: Timestamp, days: i32) -> Timestamp {
    let today = Timestamp::from_nanos(now.nanos() - now.nanos().rem_euclid(DAY));
    today.saturating_add(i64::from(days).saturating_mul(DAY))
}

/// The text that [`parse_time`] reads: `now-90m`, `today`, or RFC 3339.
impl fmt::Display for TimeExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TimeExpr::At(time) => write!(f, "{time}"),
            TimeExpr::Local(time) => f.write_str(time.to_string().trim_end_matches('Z')),
            TimeExpr::Now(0) => f.write_str("now"),
            TimeExpr::Now(nanos) => {
                let sign = if nanos < 0 { '-' } else { '+' };
                write!(f, "now{sign}{duration}", duration = Duration(nanos.unsigned_abs()))
            }
            TimeExpr::Day(0) => f.write_str("today"),
            TimeExpr::Day(-1) => f.write_str("yesterday"),
            TimeExpr::Day(1) => f.write_str("tomorrow"),
            TimeExpr::Day(days) => write!(f, "today{days:+}d"),
        }
    }
}

impl TimeRange {
    /// Every time.
    pub const ALL: TimeRange = TimeRange { first: Timestamp::MIN, last: Timestamp::MAX };

    /// Whether it contains no time.
    pub fn is_empty(self) -> bool {
        self.last < self.first
    }

    /// Whether `time` is in it.
    pub fn contains(self, time: Timestamp) -> bool {
        self.first <= time && time <= self.last
    }

    /// The times that are in both ranges.
    #[must_use]
    pub fn intersect(self, other: TimeRange) -> TimeRange {
        TimeRange { first: self.first.max(other.first), last: self.last.min(other.last) }
    }

    pub(super) const NONE: TimeRange = TimeRange { first: Timestamp::MAX, last: Timestamp::MIN };
}

/// The beginning and the end of the span that a text names. A time written to the nanosecond or relative to now is an
/// instant and has no end.
pub(super) type TimeSpan = (TimeExpr, Option<TimeExpr>);

/// The lower bound of times; an excluded span is excluded up to its end.
pub(super) fn low_end(bound: Bound<TimeSpan>) -> Bound<TimeExpr> {
    match bound {
        Bound::Excluded((_, Some(end))) => Bound::Included(end),
        other => other.map(|(start, _)| start),
    }
}

/// The upper bound of times: before the beginning of an excluded span, or at the end of an included one.
pub(super) fn high_end(bound: Bound<TimeSpan>) -> Bound<TimeExpr> {
    match bound {
        Bound::Included((_, Some(end))) => Bound::Excluded(end),
        other => other.map(|(start, _)| start),
    }
}

/// Reads a span as precise as the text: a month, a day, an hour, a minute, a second or a part of one.
pub(super) fn parse_span(text: &str) -> Option<TimeSpan> {
    if let Some(day) = parse_day(text) {
        return Some((TimeExpr::Day(day), Some(TimeExpr::Day(day.checked_add(1)?))));
    }
    parse_relative(text).map(|time| (time, None)).or_else(|| parse_absolute(text))
}

/// Reads `today`, `yesterday`, `tomorrow` or `today-7d` as a number of days from today.
fn parse_day(text: &str) -> Option<i32> {
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "today" => Some(0),
        "yesterday" => Some(-1),
        "tomorrow" => Some(1),
        _ => text
            .strip_prefix("today")
            .filter(|days| days.starts_with(['-', '+']))?
            .strip_suffix('d')?
            .parse()
            .ok(),
    }
}

/// Reads `now`, `now-1h30m` or `-15m`.
fn parse_relative(text: &str) -> Option<TimeExpr> {
    let rest = match text.get(..3) {
        Some(now) if now.eq_ignore_ascii_case("now") => text.get(3..)?,
        _ if text.starts_with(['-', '+']) => text,
        _ => return None,
    };
    if rest.is_empty() {
        return Some(TimeExpr::Now(0));
    }
    let duration = parse_duration(rest.strip_prefix(['-', '+'])?)?;
    Some(TimeExpr::Now(if rest.starts_with('-') { -duration } else { duration }))
}

/// Units with their nanoseconds, from long to short; printing uses the first that fits.
const UNITS: [(&str, i64); 8] = [
    ("w", 7 * DAY),
    ("d", DAY),
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Reads `15m` or `1h30m`: nanoseconds, not negative.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut sum = 0_i64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after_number) = rest.split_at_checked(digits)?;
        let letters = after_number.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, after_unit) = after_number.split_at_checked(letters)?;
        let (_, unit) = UNITS.iter().find(|(known, _)| *known == name)?;
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(*unit)?)?;
        rest = after_unit;
    }
    (!text.is_empty()).then_some(sum)
}

/// Nanoseconds, written in the largest unit that divides them, so that [`parse_duration`] can read them.
pub(super) struct Duration(pub(super) u64);

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, unit)| self.0.is_multiple_of(*unit as u64));
        let (name, unit) = unit.expect("the last unit is one nanosecond");
        write!(f, "{count}{name}", count = self.0 / *unit as u64)
    }
}

/// Reads RFC 3339, also without a fraction, a zone, seconds, minutes, a time of day or a day.
fn parse_absolute(text: &str) -> Option<TimeSpan> {
    let (stamp, zone) = split_zone(text);
    let (rest, span) = match stamp.len() {
        7 => return parse_month(stamp),
        10 if !zone.is_empty() => return None,
        10 => ("T00:00:00", Some(DAY)),
        13 => (":00:00", Some(HOUR)),
        16 => (":00", Some(MINUTE)),
        19 => ("", Some(SECOND)),
        length @ 21..=28 => ("", Some(SECOND / 10_i64.pow(length as u32 - 20))),
        _ => ("", None),
    };
    let (time, zone): (fn(Timestamp) -> TimeExpr, &str) =
        if zone.is_empty() { (TimeExpr::Local, "Z") } else { (TimeExpr::At, zone) };
    let start = Timestamp::parse_rfc3339(format!("{stamp}{rest}{zone}").as_bytes())?;
    Some((time(start), span.map(|nanos| time(start.saturating_add(nanos)))))
}

/// Reads `2026-11`.
fn parse_month(text: &str) -> Option<TimeSpan> {
    let (year, month) = text.split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(year) || !is_number(month) {
        return None;
    }
    let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
    let first_of = |year: u32, month: u32| {
        Timestamp::parse_rfc3339(format!("{year:04}-{month:02}-01T00:00:00Z").as_bytes()).map(TimeExpr::Local)
    };
    let end = if month == 12 { first_of(year + 1, 1) } else { first_of(year, month + 1) };
    Some((first_of(year, month)?, end))
}

/// Splits a trailing `Z` or offset off.
fn split_zone(text: &str) -> (&str, &str) {
    // Only a hyphen after the time of day can begin an offset, because the date has hyphens too.
    let time_of_day = text.get(11..).unwrap_or_default();
    let zone = time_of_day.find(['Z', 'z', '+', '-']).map(|at| at + 11);
    zone.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-21T06:13:00.5Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
    }

    fn check(text: &str, resolved: &str, printed: &str) {
        let time = parse_time(text).unwrap_or_else(|| panic!("{text} is a time"));
        assert_eq!(time.resolve(at(NOW)), at(resolved), "{text}");
        assert_eq!(time.to_string(), printed, "{text}");
        assert_eq!(parse_time(printed), Some(time), "{printed}");
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        check("2026-09-01T10:00:00Z", "2026-09-01T10:00:00Z", "2026-09-01T10:00:00Z");
        check("2026-09-01T10:00:00.250+02:00", "2026-09-01T08:00:00.25Z", "2026-09-01T08:00:00.250Z");
        check("2026-09-01 10:00:00.123", "2026-09-01T10:00:00.123Z", "2026-09-01T10:00:00.123");
        check("2026-09-01T10:00", "2026-09-01T10:00:00Z", "2026-09-01T10:00:00");
        check("2026-09-01T10:00-01:00", "2026-09-01T11:00:00Z", "2026-09-01T11:00:00Z");
        check("2026-09-01", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00");
        check("2026-09-01T10", "2026-09-01T10:00:00Z", "2026-09-01T10:00:00");
        check("2026-09-01T10+02:00", "2026-09-01T08:00:00Z", "2026-09-01T08:00:00Z");
        check("2026-09", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00");
        check("now", NOW, "now");
        check("now-1h", "2026-11-21T05:13:00.5Z", "now-1h");
        check("NOW-1h30m", "2026-11-21T04:43:00.5Z", "now-90m");
        check("-15m", "2026-11-21T05:58:00.5Z", "now-15m");
        check("now+500ms", "2026-11-21T06:13:01Z", "now+500ms");
        check("-2w", "2026-11-07T06:13:00.5Z", "now-2w");
        check("today", "2026-11-21T00:00:00Z", "today");
        check("yesterday", "2026-11-20T00:00:00Z", "yesterday");
        check("today-1d", "2026-11-20T00:00:00Z", "yesterday");
        check("Today-7d", "2026-11-14T00:00:00Z", "today-7d");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "", "-", "now-", "now-5", "5m", "nowadays", "-1d@d", "2026", "2026-13", "2026-1é", "+026-11",
            "2026-+1", "2026-11Z", "2026-13-01", "2026-09-01T", "2026-09-01T1", "10:00", "2026-09-01Z",
            "-99999999999w", "-é", "today7d", "today-d", "today-99999999999d", "2026-09-01T10:0é",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_lasts_as_long_as_it_is_precise() {
        let check = |text: &str, end: Option<&str>| {
            let (_, found) = parse_span(text).unwrap_or_else(|| panic!("{text} is a time"));
            assert_eq!(found.map(|end| end.resolve(at(NOW))), end.map(at), "{text}");
        };
        check("2026-12", Some("2027-01-01T00:00:00Z"));
        check("2026-02", Some("2026-03-01T00:00:00Z"));
        check("2026-09-01", Some("2026-09-02T00:00:00Z"));
        check("2026-09-01T10", Some("2026-09-01T11:00:00Z"));
        check("2026-09-01T10:59", Some("2026-09-01T11:00:00Z"));
        check("2026-09-01T10:59:59+02:00", Some("2026-09-01T09:00:00Z"));
        check("2026-09-01T10:59:59.9", Some("2026-09-01T11:00:00Z"));
        check("2026-09-01T10:00:00.250Z", Some("2026-09-01T10:00:00.251Z"));
        check("2026-09-01T10:00:00.12345678Z", Some("2026-09-01T10:00:00.12345679Z"));
        check("2026-09-01T10:00:00.123456789Z", None);
        check("today", Some("2026-11-22T00:00:00Z"));
        check("now-1h", None);
    }
}
