//! Decides when a file is rotated, and under which name. Pure: the caller passes in the time.

use logstead_config::Rotation;
use logstead_record::Timestamp;

/// The size and time of a file.
pub(super) struct FileFacts {
    pub(super) bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub(super) written_ms: i64,
}

/// Whether a file has to be rotated before this many bytes are added to it.
pub(super) fn is_due(rotate: &Rotation, known: &FileFacts, added_bytes: u64, now_ms: i64) -> bool {
    let is_full = |max: u64| max < known.bytes.saturating_add(added_bytes);
    let is_over = |period_ms: i64| known.written_ms.div_euclid(period_ms) < now_ms.div_euclid(period_ms);
    let period_ms =
        |age: logstead_config::Period| i64::try_from(age.duration().as_millis()).unwrap_or(i64::MAX);
    0 < known.bytes
        && (rotate.size.is_some_and(|size| is_full(size.bytes()))
            || rotate.age.is_some_and(|age| is_over(period_ms(age).max(1))))
}

/// The suffix of a rotated file; `attempt` counts the names that are already taken.
pub(super) fn suffix(now: Timestamp, attempt: u32) -> String {
    let (year, month, day, second, _) = now.to_civil();
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let stamp = format!(".{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z");
    if attempt == 0 { stamp } else { format!("{stamp}-{attempt}") }
}

/// Whether a name belongs to a rotated, uncompressed part of this file.
pub(super) fn is_aside(name: &[u8], file: &[u8]) -> bool {
    let Some(suffix) = name.strip_prefix(file).and_then(|rest| rest.strip_prefix(b".")) else { return false };
    let is_stamp = |stamp: &[u8]| {
        let is_right = |(at, byte): (usize, &u8)| match at {
            8 => *byte == b'T',
            15 => *byte == b'Z',
            _ => byte.is_ascii_digit(),
        };
        stamp.len() == 16 && stamp.iter().enumerate().all(is_right)
    };
    let (stamp, attempt) = suffix.split_at_checked(16).unwrap_or((suffix, b""));
    is_stamp(stamp)
        && match attempt.split_first() {
            None => true,
            Some((dash, digits)) => {
                *dash == b'-' && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Packing, Period, Size};

    #[test]
    fn a_file_is_set_aside_before_it_is_too_long_or_in_a_new_period() {
        let by_size = Rotation { size: Some(Size::new(1000)), age: None, compression: Packing::None };
        let by_age = Rotation { size: None, age: Some(Period::days(1)), ..by_size };
        let day = 86_400_000;
        let check = |rotate: &Rotation, bytes, added, written_ms, now_ms, expected| {
            let known = FileFacts { bytes, written_ms };
            assert_eq!(
                is_due(rotate, &known, added, now_ms),
                expected,
                "{bytes} {added} {written_ms} {now_ms}"
            );
        };
        check(&by_size, 900, 100, 0, 9 * day, false);
        check(&by_size, 900, 101, 0, 0, true);
        check(&by_size, 0, 5000, 0, 0, false);
        check(&by_size, 1, u64::MAX, 0, 0, true);
        check(&by_age, 900, 5000, day - 1, day, true);
        check(&by_age, 900, 5000, day, 2 * day - 1, false);
        // The clock was set back.
        check(&by_age, 900, 5000, 2 * day, day, false);
        check(&by_age, 0, 5000, 0, 9 * day, false);
        check(&Rotation { age: None, ..by_age }, u64::MAX, 1, 0, day, false);
    }

    #[test]
    fn a_name_that_was_set_aside_is_known_again() {
        let now = Timestamp::parse_rfc3339(b"2026-11-23T14:05:06.7Z").unwrap();
        assert_eq!(suffix(now, 0), ".20261123T140506Z");
        assert_eq!(suffix(now, 2), ".20261123T140506Z-2");
        for attempt in [0, 1, 12] {
            assert!(is_aside(format!("all.log{}", suffix(now, attempt)).as_bytes(), b"all.log"));
        }
        for name in [
            "all.log",
            "all.log.1",
            "all.log.20261123T140506Z.gz",
            "all.log.20261123T140506Z.gz.part",
            "all.log.20261123T140506Z-",
            "all.log.20261123T140506Zx",
            "other.log.20261123T140506Z",
            "all.log.2026112\u{e9}T14050Z",
        ] {
            assert!(!is_aside(name.as_bytes(), b"all.log"), "{name}");
        }
    }
}
