//! A date and a time of day as firewalls write them, and the zones that they say.

use jiff::civil;
use jiff::tz::TimeZone;
use logstead_record::{SECOND, Timestamp};

/// A time that says no zone.
pub(super) struct Local {
    year: u32,
    month: u32,
    day: u32,
    of_day: u32,
}

impl Local {
    /// `2026-02-20` or `2026/02/20`, and `16:33:10`.
    pub(super) fn read(date: &[u8], time: &[u8]) -> Option<Local> {
        let (
            &[y1, y2, y3, y4, b'-' | b'/', m1, m2, b'-' | b'/', d1, d2],
            &[h1, h2, b':', n1, n2, b':', s1, s2],
        ) = (date, time)
        else {
            return None;
        };
        let year = number(&[y1, y2, y3, y4])?;
        let [month, day] = [number(&[m1, m2])?, number(&[d1, d2])?];
        let [hour, minute, second] = [number(&[h1, h2])?, number(&[n1, n2])?, number(&[s1, s2])?];
        let fits = hour < 24 && minute < 60 && second < 61;
        fits.then_some(Local { year, month, day, of_day: hour * 3600 + minute * 60 + second.min(59) })
    }

    /// As [`Local::read`] with a space between the two.
    pub(super) fn read_both(text: &[u8]) -> Option<Local> {
        let (date, time) = text.split_at_checked(10)?;
        Local::read(date, time.strip_prefix(b" ")?)
    }

    /// This time so many seconds east of UTC.
    pub(super) fn at_offset(&self, east_seconds: i64) -> Option<Timestamp> {
        let utc = Timestamp::from_civil(i64::from(self.year), self.month, self.day, self.of_day, 0)?;
        utc.nanos().checked_sub(east_seconds * SECOND).map(Timestamp::from_nanos)
    }

    /// This time in a zone. In the hour that a clock repeats, the earlier of the two.
    pub(super) fn in_zone(&self, zone: &TimeZone) -> Option<Timestamp> {
        if *zone == TimeZone::UTC {
            return self.at_offset(0);
        }
        let date = civil::Date::new(self.year as i16, self.month as i8, self.day as i8).ok()?;
        let (hour, minute, second) = (self.of_day / 3600, self.of_day / 60 % 60, self.of_day % 60);
        let time = civil::Time::new(hour as i8, minute as i8, second as i8, 0).ok()?;
        let instant = zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()?;
        i64::try_from(instant.as_nanosecond()).ok().map(Timestamp::from_nanos)
    }
}

/// Seconds east of UTC of `+0100`, `-08:00`, `UTC+2:00`, `GMT-3` or `UTC`.
pub(super) fn offset_seconds(text: &[u8]) -> Option<i64> {
    let named = text.strip_prefix(b"UTC").or(text.strip_prefix(b"GMT"));
    let sign = match (named.unwrap_or(text), named) {
        ([], Some(_)) => return Some(0),
        ([b'+', ..], _) => 1,
        ([b'-', ..], _) => -1,
        _ => return None,
    };
    let digits = &named.unwrap_or(text)[1..];
    let (hours, minutes) = match (memchr::memchr(b':', digits), digits.len()) {
        (Some(colon), _) => (&digits[..colon], &digits[colon + 1..]),
        (None, 1 | 2) => (digits, b"0".as_slice()),
        (None, 4) => digits.split_at(2),
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * i64::from(hours * 3600 + minutes * 60))
}

/// A number of one to four digits.
fn number(digits: &[u8]) -> Option<u32> {
    let fits = (1..=4).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    fits.then(|| digits.iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_in_all_their_spellings() {
        let hour = 3600;
        for (text, expected) in [
            ("+0100", Some(hour)),
            ("-08:00", Some(-8 * hour)),
            ("UTC+2:00", Some(2 * hour)),
            ("UTC+5:30", Some(5 * hour + 1800)),
            ("GMT-3", Some(-3 * hour)),
            ("UTC", Some(0)),
            ("+11", Some(11 * hour)),
            ("", None),
            ("CET", None),
            ("+1", Some(hour)),
            ("+123", None),
            ("+24:00", None),
            ("+a", None),
            ("UTC2", None),
        ] {
            assert_eq!(offset_seconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_time_is_read_or_it_is_none() {
        let read =
            |text: &str| Local::read_both(text.as_bytes()).and_then(|local| local.in_zone(&TimeZone::UTC));
        for (text, expected) in [
            ("2026-02-20 16:33:10", Some("2026-02-20T16:33:10Z")),
            ("2026/02/20 16:33:60", Some("2026-02-20T16:33:59Z")),
            ("2026/02/30 16:33:10", None),
            ("2026/02/20 24:00:00", None),
            ("2026/02/20T16:33:10", None),
            ("2026/02/20 16:33:1", None),
            ("", None),
        ] {
            assert_eq!(read(text).map(|time| time.to_string()).as_deref(), expected, "{text}");
        }
    }
}
