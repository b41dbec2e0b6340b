//! Parses the stamps of RFC 3164 and similar formats into a time.
//!
//! | part     | as it is met                                                                                  |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | date     | `Nov  5`, `Nov 5`, `Nov 05`, any case; `2026-11-05` and a `T` or a space                       |
//! | year     | none, or before the month, behind the day, behind the time                                    |
//! | time     | `12:00:00`, `12:00:00.123456789`; a leap second reads as the second before it                 |
//! |          | `12:00:00:123`: Comware's milliseconds                                                        |
//! | zone     | none, `Z`, `UTC`, `CET`, `+0200`, `+02:00`, `GMT+2`, at once or behind a space                |
//! | instead  | `2026:11:05-12:00:00` (Sophos UTM), `11/05/2026:12:00:00` (Citrix ADC)                        |
//! | in files | `2026/11/05 12:00:00`, `05/Nov/2026:12:00:00`, `05-Nov-2026 12:00:00`                         |
//!
//! **Invariant:** a zone that the stamp says wins over the one of its source, and a year that it says over the time of
//! receipt. An impossible stamp (`Feb 30`, `24:00:00`, the year 1) is skipped like any stamp, and gives no time.

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};
use logstead_record::{DAY, Flags, MONTHS, SECOND, Timestamp};

/// The maximum by which a stamp without a year may be in the future; if it is further ahead, it is from an earlier
/// year.
const AHEAD_MAX: i64 = 31 * DAY;
/// The earliest year of a log: a lower number is not a year.
const YEAR_MIN: i64 = 1990;
/// The value for an impossible time of day.
const NEVER: u32 = u32::MAX;

/// The facts that a stamp leaves open.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// Decides which time is meant if an hour occurs twice.
    pub(super) received: Timestamp,
    /// Decides the year: a stamp without one is never later than this.
    pub(super) latest: Timestamp,
    /// The zone of stamps without one.
    pub(super) zone: &'a TimeZone,
}

impl<'a> Clock<'a> {
    /// The clock for messages that are received as soon as they are sent, by a sender whose clock may be wrong.
    pub fn of_receipt(received: Timestamp, zone: &'a TimeZone) -> Clock<'a> {
        Clock { received, latest: received.saturating_add(AHEAD_MAX), zone }
    }
}

/// The stamp at `start`, and its end.
pub(super) fn read(text: &[u8], start: usize, clock: Clock<'_>) -> Option<(Timestamp, usize)> {
    let (time, end) = any(text, start, clock)?;
    Some((time?, end))
}

/// Like `read`, but the stamp may be an impossible time.
pub(super) fn any(text: &[u8], start: usize, clock: Clock<'_>) -> Option<(Option<Timestamp>, usize)> {
    let (date, at) = if text.get(start)?.is_ascii_digit() {
        if let Some((time, used)) = Timestamp::parse_rfc3339_prefix(&text[start..]) {
            return Some((Some(time), start + used));
        }
        year_first(text, start)?
    } else {
        month_first(text, start)?
    };
    let (date, at) = date.year_behind(text, at, clock);
    let (offset_seconds, behind_zone) = zone(text, at);
    let (date, at) = if at < behind_zone { date.year_behind(text, behind_zone, clock) } else { (date, at) };
    Some((date.time(offset_seconds, clock), at))
}

/// The flags of a message whose stamp has this time.
pub(super) fn flags(time: Option<Timestamp>) -> Flags {
    if time.is_none() { Flags::BAD_TIME } else { Flags::default() }
}

/// Parses a text that is a date and a time without a zone, like `2026-11-21T16:18:51`.
#[cold]
pub(super) fn without_zone(text: &[u8], clock: Clock<'_>) -> Option<Timestamp> {
    let (date, at) = iso(text, 0, b'-')?;
    if at == text.len() { date.time(None, clock) } else { None }
}

/// Whether a text has the form of a date and a time, but is not a possible time.
#[cold]
pub(super) fn is_impossible(text: &[u8], clock: Clock<'_>) -> bool {
    let is_number = text.first().is_some_and(u8::is_ascii_digit);
    is_number && any(text, 0, clock).is_some_and(|(time, end)| time.is_none() && end == text.len())
}

/// The stamp that a line of a file begins with, and its end.
pub(super) fn of_line(text: &[u8], start: usize, clock: Clock<'_>) -> Option<(Timestamp, usize)> {
    let start = behind_weekday(text, start).unwrap_or(start);
    if let Some(found) = read(text, start, clock) {
        return Some(found);
    }
    let (date, at) = iso(text, start, b'/').or_else(|| day_first(text, start))?;
    let (offset_seconds, at) = zone(text, at);
    Some((date.time(offset_seconds, clock)?, at))
}

/// The stamp of klog: `1122 05:11:01.123456`.
pub(super) fn of_month_and_day(text: &[u8], start: usize, clock: Clock<'_>) -> Option<Timestamp> {
    let (month, at) = number(text, start, 2)?;
    let day = digits(text, at, 2, b" ")?;
    let (date, _) = Date::with_time(0, month, day, text, start + 5)?;
    Date { year: None, ..date }.time(None, clock)
}

/// Parses a text that is a stamp in a form of lines in files, and nothing else.
pub(super) fn whole(text: &[u8], clock: Clock<'_>) -> Option<Timestamp> {
    let (time, end) = of_line(text, 0, clock)?;
    (end == text.len()).then_some(time)
}

/// Parses a date and a time of day that are separate, like `2026-11-21` or `2026/11/21`, and `16:18:51`.
pub(super) fn of_parts(
    date: &[u8],
    time: &[u8],
    offset_seconds: Option<i32>,
    clock: Clock<'_>,
) -> Option<Timestamp> {
    let &[y1, y2, y3, y4, b'-' | b'/', m1, m2, b'-' | b'/', d1, d2] = date else { return None };
    let whole = |digits: &[u8]| number(digits, 0, 4).filter(|&(_, end)| end == digits.len());
    let ((year, _), (month, _), (day, _)) = (whole(&[y1, y2, y3, y4])?, whole(&[m1, m2])?, whole(&[d1, d2])?);
    let (second_of_day, at) = time_of_day(time, 0)?;
    let (nanos, end) = fraction(time, at);
    let date = Date { year: Some(i64::from(year)), month, day, second_of_day, nanos };
    if end == time.len() { date.time(offset_seconds, clock) } else { None }
}

/// Parses a text that is a zone, like `+0200`, `UTC+2:00` or `CET`; returns seconds east of UTC.
pub(super) fn offset(text: &[u8]) -> Option<i32> {
    let (offset_seconds, end) = named_offset(text, 0)?;
    (end == text.len()).then_some(offset_seconds)
}

/// Seconds since 1970 with a fraction, and the end of the number.
pub(super) fn epoch(text: &[u8], start: usize) -> Option<(Timestamp, usize)> {
    let (seconds, at) = number(text, start, 10)?;
    let (nanos, end) = fraction(text, at);
    let fits = at == start + 10 && at < end && text.get(end) == Some(&b' ');
    let time = Timestamp::from_seconds(i64::from(seconds))?.saturating_add(i64::from(nanos));
    fits.then_some((time, end))
}

/// The position after `Sat ` or `Sat, `.
pub(super) fn behind_weekday(text: &[u8], start: usize) -> Option<usize> {
    let name = text.get(start..start + 3)?;
    let days = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
    days.iter().any(|day| name.eq_ignore_ascii_case(*day)).then_some(())?;
    let at = start + 3 + usize::from(text.get(start + 3) == Some(&b','));
    spaces(text, at)
}

/// A date and a time of day as written in the text.
struct Date {
    year: Option<i64>,
    month: u32,
    day: u32,
    second_of_day: u32,
    nanos: u32,
}

/// `Nov  5 [2026 ]12:00:00[.123]`.
#[inline]
fn month_first(text: &[u8], start: usize) -> Option<(Date, usize)> {
    let name = text.get(start..start + 3)?;
    let month = 1 + MONTHS.iter().position(|month| name.eq_ignore_ascii_case(*month))?;
    let at = spaces(text, start + 3)?;
    let (day, at) = number(text, at, 2)?;
    let at = spaces(text, at)?;
    let (year, at) = match number(text, at, 4) {
        Some((year, end)) if end == at + 4 => (Some(i64::from(year)), spaces(text, end)?),
        _ => (None, at),
    };
    let (second_of_day, at) = time_of_day(text, at)?;
    let (nanos, at) = fraction(text, at);
    Some((Date { year, month: month as u32, day, second_of_day, nanos }, at))
}

/// `2026-11-05T12:00:00`, `2026 Nov  5 12:00:00`, or the forms of single vendors.
fn year_first(text: &[u8], start: usize) -> Option<(Date, usize)> {
    match (text.get(start + 4)?, text.get(start + 2)?) {
        (b'-', _) => return iso(text, start, b'-'),
        (b':', _) => return utm(text, start),
        (_, b'/') => return adc(text, start),
        _ => {}
    }
    let (year, at) = number(text, start, 4).filter(|&(_, end)| end == start + 4)?;
    let (date, at) = month_first(text, spaces(text, at)?)?;
    date.year.is_none().then_some((Date { year: Some(i64::from(year)), ..date }, at))
}

/// A number of exactly `count` digits, followed by one of `behind`.
fn digits(text: &[u8], at: usize, count: usize, behind: &[u8]) -> Option<u32> {
    let (value, end) = number(text, at, count).filter(|&(_, end)| end == at + count)?;
    behind.contains(text.get(end)?).then_some(value)
}

/// `2026-11-05T12:00:00[.123]`, also with a space for the `T`, or with two spaces before a one-digit hour, as in
/// MariaDB.
fn iso(text: &[u8], start: usize, between: u8) -> Option<(Date, usize)> {
    let year = digits(text, start, 4, &[between])?;
    let month = digits(text, start + 5, 2, &[between])?;
    let day = digits(text, start + 8, 2, b"Tt ")?;
    let time_at = start + 11 + usize::from(text.get(start + 11) == Some(&b' '));
    Date::with_time(i64::from(year), month, day, text, time_at)
}

/// `2026:11:05-12:00:00`: Sophos UTM.
fn utm(text: &[u8], start: usize) -> Option<(Date, usize)> {
    let year = digits(text, start, 4, b":")?;
    let month = digits(text, start + 5, 2, b":")?;
    let day = digits(text, start + 8, 2, b"-")?;
    Date::with_time(i64::from(year), month, day, text, start + 11)
}

/// `11/05/2026:12:00:00`: Citrix ADC. An impossible month means that it is set to write the day first.
fn adc(text: &[u8], start: usize) -> Option<(Date, usize)> {
    let first = digits(text, start, 2, b"/")?;
    let second = digits(text, start + 3, 2, b"/")?;
    let year = digits(text, start + 6, 4, b":")?;
    let (month, day) = if 12 < first { (second, first) } else { (first, second) };
    Date::with_time(i64::from(year), month, day, text, start + 11)
}

/// `05/Nov/2026:12:00:00` in access logs, `05-Nov-2026 12:00:00` in BIND's log.
fn day_first(text: &[u8], start: usize) -> Option<(Date, usize)> {
    let day = digits(text, start, 2, b"/-")?;
    let between = text[start + 2];
    let name = text.get(start + 3..start + 6)?;
    let month = 1 + MONTHS.iter().position(|month| name.eq_ignore_ascii_case(*month))?;
    let year = (text.get(start + 6) == Some(&between)).then(|| digits(text, start + 7, 4, b": "))??;
    Date::with_time(i64::from(year), month as u32, day, text, start + 12)
}

impl Date {
    /// A day with the time of day at `at`.
    fn with_time(year: i64, month: u32, day: u32, text: &[u8], at: usize) -> Option<(Date, usize)> {
        let (second_of_day, at) = time_of_day(text, at)?;
        let (nanos, at) = fraction(text, at);
        Some((Date { year: Some(year), month, day, second_of_day, nanos }, at))
    }

    /// Adds the year that follows the time, if there is none yet.
    fn year_behind(self, text: &[u8], at: usize, clock: Clock<'_>) -> (Date, usize) {
        let next = (text.get(at), text.get(at + 1));
        if self.year.is_some() || !matches!(next, (Some(b' '), Some(b'0'..=b'9'))) {
            return (self, at);
        }
        match number(text, at + 1, 4).map(|(year, end)| (i64::from(year), end)) {
            Some((year, end))
                if is_end(text, end) && YEAR_MIN <= year && year <= clock.received.to_civil().0 + 1 =>
            {
                (Date { year: Some(year), ..self }, end)
            }
            _ => (self, at),
        }
    }

    fn time(&self, offset_seconds: Option<i32>, clock: Clock<'_>) -> Option<Timestamp> {
        if self.second_of_day == NEVER {
            return None;
        }
        match self.year {
            Some(year) => self.of_year(year, offset_seconds, clock),
            None => self.nearest(offset_seconds, clock),
        }
    }

    fn of_year(&self, year: i64, offset_seconds: Option<i32>, clock: Clock<'_>) -> Option<Timestamp> {
        let offset_seconds = match offset_seconds {
            None if *clock.zone != TimeZone::UTC => return self.in_zone(year, clock),
            given => given.unwrap_or(0),
        };
        let utc = Timestamp::from_civil(year, self.month, self.day, self.second_of_day, self.nanos)?;
        utc.nanos().checked_sub(i64::from(offset_seconds) * SECOND).map(Timestamp::from_nanos)
    }

    /// The time by the clock of the source's zone on that day. In an hour that occurs twice, it is the time nearer to
    /// the receipt; in an hour that is skipped, it is calculated as if the clock had not been changed.
    fn in_zone(&self, year: i64, clock: Clock<'_>) -> Option<Timestamp> {
        let date = civil::Date::new(i16::try_from(year).ok()?, self.month as i8, self.day as i8).ok()?;
        let of_day = self.second_of_day;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let time = civil::Time::new(hour as i8, minute as i8, second as i8, self.nanos as i32).ok()?;
        let ambiguous = clock.zone.to_ambiguous_timestamp(date.to_datetime(time));
        let nanos = |instant: jiff::Timestamp| i64::try_from(instant.as_nanosecond()).ok();
        let found = match ambiguous.offset() {
            AmbiguousOffset::Fold { .. } => {
                let both = [ambiguous.earlier().ok()?, ambiguous.later().ok()?];
                let [first, second] = both.map(nanos);
                let received = clock.received.nanos();
                [first?, second?].into_iter().min_by_key(|time| time.abs_diff(received))
            }
            _ => nanos(ambiguous.compatible().ok()?),
        };
        found.map(Timestamp::from_nanos)
    }

    /// The time in the latest year for which it is not too late.
    fn nearest(&self, offset_seconds: Option<i32>, clock: Clock<'_>) -> Option<Timestamp> {
        let latest = clock.latest;
        // A zone shifts a stamp by less than a day. A leap day may be up to eight years back.
        let (year_max, ..) = latest.saturating_add(DAY).to_civil();
        let fits = |year| self.of_year(year, offset_seconds, clock).filter(|&time| time <= latest);
        (year_max - 8..=year_max).rev().find_map(fits)
    }
}

/// The zone after a stamp, in seconds east of UTC, and its end. Anything else is left, as it may be a host.
fn zone(text: &[u8], at: usize) -> (Option<i32>, usize) {
    let start = at + usize::from(text.get(at) == Some(&b' '));
    if !matches!(text.get(start), Some(b'A'..=b'Z' | b'+' | b'-')) {
        return (None, at);
    }
    match named_offset(text, start) {
        Some((offset_seconds, end)) if is_end(text, end) => (Some(offset_seconds), end),
        _ => (None, at),
    }
}

fn named_offset(text: &[u8], start: usize) -> Option<(i32, usize)> {
    let letters = text[start..].iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let (name, end) = (&text[start..start + letters], start + letters);
    let has_sign = matches!(text.get(end), Some(b'+' | b'-'));
    match name {
        b"" => numeric_offset(text, end, 2),
        b"UTC" | b"GMT" if has_sign => numeric_offset(text, end, 1),
        _ => abbreviation_minutes(name).map(|minutes| (minutes * 60, end)),
    }
}

/// `+0200`, `+02:00` or `+02`; the hours have at least `digits_min` digits.
fn numeric_offset(text: &[u8], at: usize, digits_min: usize) -> Option<(i32, usize)> {
    let sign = if text.get(at)? == &b'-' { -1 } else { 1 };
    let (value, end) = number(text, at + 1, 4)?;
    let digits = end - at - 1;
    let (hours, minutes, end) = if digits == 4 {
        (value / 100, value % 100, end)
    } else if digits_min <= digits && digits <= 2 {
        match number(text, end + 1, 2).filter(|_| text.get(end) == Some(&b':')) {
            Some((minutes, minutes_end)) if minutes_end == end + 3 => (value, minutes, minutes_end),
            _ => (value, 0, end),
        }
    } else {
        return None;
    };
    (hours < 24 && minutes < 60).then_some((sign * (hours * 3600 + minutes * 60) as i32, end))
}

/// The offsets of unambiguous abbreviations, in minutes east of UTC: in logs, `CST` is the American one, while `IST`
/// may be Indian, Irish or Israeli and is therefore not accepted.
fn abbreviation_minutes(name: &[u8]) -> Option<i32> {
    let minutes = match name {
        b"UTC" | b"GMT" | b"UT" | b"Z" | b"WET" => 0,
        b"WEST" | b"BST" | b"CET" | b"MET" | b"MEZ" => 60,
        b"CEST" | b"CEDT" | b"MEST" | b"MESZ" | b"EET" | b"SAST" => 120,
        b"EEST" | b"MSK" | b"TRT" => 180,
        b"SGT" | b"HKT" | b"AWST" => 480,
        b"JST" | b"KST" => 540,
        b"ACST" => 570,
        b"AEST" => 600,
        b"ACDT" => 630,
        b"AEDT" => 660,
        b"NZST" => 720,
        b"NZDT" => 780,
        b"EDT" => -240,
        b"EST" | b"CDT" => -300,
        b"CST" | b"MDT" => -360,
        b"MST" | b"PDT" => -420,
        b"PST" | b"AKDT" => -480,
        b"AKST" => -540,
        b"HST" => -600,
        _ => return None,
    };
    Some(minutes)
}

/// A part of a stamp ends at a space, at a colon before one, at a bracket, or with the text.
fn is_end(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b':') => matches!(text.get(at + 1), None | Some(b' ')),
        byte => matches!(byte, None | Some(b' ' | b']')),
    }
}

/// Skips one or two spaces.
fn spaces(text: &[u8], at: usize) -> Option<usize> {
    let count = text.get(at..)?.iter().take(2).take_while(|&&byte| byte == b' ').count();
    (0 < count).then_some(at + count)
}

/// A number of up to `digits_max` digits, at most ten.
fn number(text: &[u8], at: usize, digits_max: usize) -> Option<(u32, usize)> {
    let digits = text.get(at..)?.iter().take(digits_max).take_while(|byte| byte.is_ascii_digit()).count();
    let mut value = 0_u32;
    for byte in &text[at..at + digits] {
        value = value.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
    }
    (0 < digits).then_some((value, at + digits))
}

/// `hh:mm:ss`: the second of the day, or [`NEVER`].
fn time_of_day(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let behind_colon = |at: usize| (text.get(at) == Some(&b':')).then_some(at + 1);
    let (hour, at) = number(text, at, 2)?;
    let (minute, at) = number(text, behind_colon(at)?, 2)?;
    let (second, at) = number(text, behind_colon(at)?, 2)?;
    let is_shown = hour < 24 && minute < 60 && second < 61;
    Some((if is_shown { hour * 3600 + minute * 60 + second.min(59) } else { NEVER }, at))
}

/// The fraction `.123` or `,123`, if there is one, in nanoseconds; further digits are cut. `:123` is accepted in this
/// form only.
fn fraction(text: &[u8], at: usize) -> (u32, usize) {
    if text.get(at) == Some(&b':')
        && let Some((millis, end)) = number(text, at + 1, 3)
        && end == at + 4
        && matches!(text.get(end), None | Some(b' '))
    {
        return (millis * 1_000_000, end);
    }
    if !matches!(text.get(at), Some(b'.' | b',')) {
        return (0, at);
    }
    let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return (0, at);
    }
    let padded = text[at + 1..at + 1 + digits].iter().copied().chain(std::iter::repeat(b'0')).take(9);
    (padded.fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')), at + 1 + digits)
}
