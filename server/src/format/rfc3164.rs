//! RFC 3164: `<PRI>Mmm dd hh:mm:ss HOST TAG[PID]: MSG`, with the stamps and gaps that are really out there.

use super::{Known, priority, text_row};
use jiff::civil;
use jiff::tz::TimeZone;
use logstead_record::{DAY, Flags, HeadForm, MONTHS, Row, Timestamp};

/// Longest program name that is believed.
const PROGRAM_BYTES_MAX: usize = 64;
/// A stamp without a year is at most this far in the future; otherwise it is of an earlier year.
const AHEAD_MAX: i64 = 31 * DAY;

/// `None` without a valid `<PRI>`. Without a stamp the rest is the message: the first words of a text are not
/// a host and a program.
pub(super) fn parse<'a>(
    frame: &'a [u8],
    text: &'a [u8],
    known: Known<'a>,
    zone: &TimeZone,
) -> Option<Row<'a>> {
    let (priority, start) = priority(text)?;
    let Some((time, at)) = stamp(text, start, known.received, zone) else {
        return Some(Row {
            priority: Some(priority),
            host: known.peer,
            message: &text[start..],
            message_at: Some(start),
            flags: known.flags.with(Flags::UNPARSED),
            ..text_row(frame, text)
        });
    };
    let (host, at) = host(text, at);
    let (program, pid, at) = tag(text, at);
    Some(Row {
        time: Some(time),
        priority: Some(priority),
        host: if host.is_empty() { known.peer } else { host },
        program,
        pid,
        message: &text[at..],
        message_at: Some(at),
        head_form: HeadForm::Rfc3164,
        flags: Flags(known.flags.0),
        ..text_row(frame, text)
    })
}

/// The stamp at `start` and where the text goes on behind it.
fn stamp(text: &[u8], start: usize, received: Timestamp, zone: &TimeZone) -> Option<(Timestamp, usize)> {
    let rest = &text[start..];
    if rest.first()?.is_ascii_digit() {
        let (time, used) = Timestamp::parse_rfc3339_prefix(rest)?;
        return end_of_stamp(text, start + used).map(|at| (time, at));
    }
    let month =
        1 + MONTHS.iter().position(|name| rest.get(..3).is_some_and(|m| m.eq_ignore_ascii_case(*name)))?;
    let at = spaces(text, start + 3)?;
    let (day, at) = number(text, at, 2)?;
    let at = spaces(text, at)?;
    // `Jan 5 2026 12:00:00` (ASA) or `Jan 5 12:00:00`, perhaps with the year behind.
    let (year, at) = year(text, at);
    let (of_day, at) = time_of_day(text, at)?;
    let (nanos, at) = fraction(text, at);
    let date = Date { month: month as u32, day, of_day, nanos };
    let time = match year {
        Some(year) => date.at(year, zone)?,
        None => date.nearest(received, zone)?,
    };
    end_of_stamp(text, at).map(|at| (time, at))
}

/// A stamp ends at a space, at a colon and a space, or with the text.
fn end_of_stamp(text: &[u8], at: usize) -> Option<usize> {
    let at = if text.get(at) == Some(&b':') { at + 1 } else { at };
    match text.get(at) {
        None => Some(at),
        Some(b' ') => Some(at + 1),
        Some(_) => None,
    }
}

struct Date {
    month: u32,
    day: u32,
    of_day: u32,
    nanos: u32,
}

impl Date {
    /// This date of a year in a zone. In the hour that a clock repeats, the earlier of the two; in the hour
    /// that it leaves out, as if it had gone on.
    fn at(&self, year: i64, zone: &TimeZone) -> Option<Timestamp> {
        if *zone == TimeZone::UTC {
            return Timestamp::from_civil(year, self.month, self.day, self.of_day, self.nanos);
        }
        let date = civil::Date::new(i16::try_from(year).ok()?, self.month as i8, self.day as i8).ok()?;
        let (hour, minute, second) = (self.of_day / 3600, self.of_day / 60 % 60, self.of_day % 60);
        let time = civil::Time::new(hour as i8, minute as i8, second as i8, self.nanos as i32).ok()?;
        let instant = zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()?;
        i64::try_from(instant.as_nanosecond()).ok().map(Timestamp::from_nanos)
    }

    /// This date of the year in which it lies up to a month after `received` or else before it.
    fn nearest(&self, received: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let (year, ..) = received.to_civil();
        let latest = received.saturating_add(AHEAD_MAX);
        // A leap day may be up to eight years back.
        (year - 8..=year + 1).rev().find_map(|year| self.at(year, zone).filter(|&time| time <= latest))
    }
}

/// Skips one or two spaces.
fn spaces(text: &[u8], at: usize) -> Option<usize> {
    let count = text.get(at..)?.iter().take(2).take_while(|&&byte| byte == b' ').count();
    (0 < count).then_some(at + count)
}

/// A number of up to `digits_max` digits.
fn number(text: &[u8], at: usize, digits_max: usize) -> Option<(u32, usize)> {
    let digits = text.get(at..)?.iter().take(digits_max).take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[at..at + digits].iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
    (0 < digits).then_some((value, at + digits))
}

/// `2026 ` where it stands.
fn year(text: &[u8], at: usize) -> (Option<i64>, usize) {
    match number(text, at, 4) {
        Some((year, end)) if end == at + 4 && text.get(end) == Some(&b' ') => {
            (Some(i64::from(year)), end + 1)
        }
        _ => (None, at),
    }
}

/// `hh:mm:ss`: the second of the day.
fn time_of_day(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let (hour, at) = number(text, at, 2)?;
    let (minute, at) = number(text, at + text.get(at..)?.strip_prefix(b":").map(|_| 1)?, 2)?;
    let (second, at) = number(text, at + text.get(at..)?.strip_prefix(b":").map(|_| 1)?, 2)?;
    (hour < 24 && minute < 60 && second < 61).then_some((hour * 3600 + minute * 60 + second.min(59), at))
}

/// `.123` where it stands, in nanoseconds.
fn fraction(text: &[u8], at: usize) -> (u32, usize) {
    if text.get(at) != Some(&b'.') {
        return (0, at);
    }
    let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let padded = text[at + 1..at + 1 + digits].iter().copied().chain(std::iter::repeat(b'0')).take(9);
    (padded.fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')), at + 1 + digits)
}

/// The host, unless what stands there is the tag already.
fn host(text: &[u8], at: usize) -> (&[u8], usize) {
    let rest = &text[at..];
    let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
    let host = &rest[..end];
    let is_tag = host.ends_with(b":") || memchr::memchr(b'[', host).is_some();
    if is_tag || host.is_empty() || end == rest.len() { (b"", at) } else { (host, at + end + 1) }
}

/// `TAG[PID]: ` or `TAG: `; where there is none, the message begins at once.
fn tag(text: &[u8], at: usize) -> (&[u8], &[u8], usize) {
    let rest = &text[at..];
    let length = rest
        .iter()
        .take(PROGRAM_BYTES_MAX)
        .take_while(|&&byte| byte > b' ' && byte < 0x7F && !matches!(byte, b'[' | b':' | b'"' | b'{' | b'='))
        .count();
    let (program, mut end) = (&rest[..length], length);
    let mut pid: &[u8] = b"";
    if rest.get(end) == Some(&b'[') {
        let Some(close) = memchr::memchr(b']', &rest[end..]) else { return (b"", b"", at) };
        pid = &rest[end + 1..end + close];
        end += close + 1;
    }
    let fits = 0 < length && rest.get(end) == Some(&b':') && matches!(rest.get(end + 1), None | Some(b' '));
    if !fits || memchr::memchr(b' ', pid).is_some() {
        return (b"", b"", at);
    }
    (program, pid, (at + end + 2).min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, parse_as};
    use logstead_config::Format;
    use logstead_record::Flags;

    #[test]
    fn the_classic_form_is_read_and_its_head_is_not_stored() {
        let frame = "<34>Oct  1 22:14:15 mymachine su[230]: 'su root' failed";
        check(frame, ["2026-10-01T22:14:15Z", "34", "mymachine", "su", "230", "", "'su root' failed"]);
        assert!(parse_as(Format::Auto, "UTC", frame.as_bytes()).columns().head.bytes().is_empty());
    }

    #[test]
    fn stamps_vary() {
        for stamp in [
            "Nov  5 12:00:00",
            "Nov 5 12:00:00",
            "Nov 05 12:00:00",
            "nov  5 12:00:00",
            "Nov  5 2026 12:00:00",
        ] {
            let time = "2026-11-05T12:00:00Z";
            check(&format!("<13>{stamp} h p: m"), [time, "13", "h", "p", "", "", "m"]);
        }
        check("<13>Nov  5 12:00:00.25 h p: m", ["2026-11-05T12:00:00.250Z", "13", "h", "p", "", "", "m"]);
        check("<13>2026-11-05T12:00:00+01:00 h p: m", ["2026-11-05T11:00:00Z", "13", "h", "p", "", "", "m"]);
    }

    #[test]
    fn the_year_is_the_one_that_fits_the_time_of_receipt() {
        check("<13>Dec 31 23:59:59 h p: m", ["2025-12-31T23:59:59Z", "13", "h", "p", "", "", "m"]);
        check("<13>Dec 20 23:59:59 h p: m", ["2026-12-20T23:59:59Z", "13", "h", "p", "", "", "m"]);
        check("<13>Jan  1 00:00:00 h p: m", ["2026-01-01T00:00:00Z", "13", "h", "p", "", "", "m"]);
        check("<13>Feb 29 00:00:00 h p: m", ["2024-02-29T00:00:00Z", "13", "h", "p", "", "", "m"]);
    }

    #[test]
    fn a_stamp_without_a_zone_is_in_the_zone_of_its_source_on_that_day() {
        let time = |stamp: &str| {
            let frame = format!("<13>{stamp} h p: m");
            parse_as(Format::Auto, "Europe/Budapest", frame.as_bytes()).time(0).to_string()
        };
        assert_eq!(time("Nov 20 12:00:00"), "2026-11-20T11:00:00Z");
        assert_eq!(time("Jul 20 12:00:00"), "2026-07-20T10:00:00Z");
    }

    #[test]
    fn missing_parts_are_not_made_up() {
        check("<13>Nov  5 12:00:00 su[1]: m", ["2026-11-05T12:00:00Z", "13", "10.0.0.9", "su", "1", "", "m"]);
        check(
            "<13>Nov  5 12:00:00 h just words",
            ["2026-11-05T12:00:00Z", "13", "h", "", "", "", "just words"],
        );
        check("<13>Nov  5 12:00:00 h k=v: x", ["2026-11-05T12:00:00Z", "13", "h", "", "", "", "k=v: x"]);
        check("<13>Nov  5 12:00:00", ["2026-11-05T12:00:00Z", "13", "10.0.0.9", "", "", "", ""]);
        check(
            "<13>connection from nowhere: x",
            ["-", "13", "10.0.0.9", "", "", "", "connection from nowhere: x"],
        );
        check("<13>Nov 31 12:00:00 h p: m", ["-", "13", "10.0.0.9", "", "", "", "Nov 31 12:00:00 h p: m"]);
        let batch = parse_as(Format::Auto, "UTC", b"<13>no stamp");
        assert!(batch.flags(0).has(Flags::UNPARSED));
    }
}
