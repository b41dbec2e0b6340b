//! A sample of the messages in a range: the parts of it that are read, the number of messages of each, and the margin
//! of error. Pure.
//!
//! A part contributes consecutive messages, as stateful steps need them, and a number in proportion to its size.

use logstead_query::TimeRange;
use logstead_record::Timestamp;

/// Maximum number of parts of a range. With more, reading them would be no faster than reading one by one.
const PARTS_MAX: usize = 128;
/// Minimum length of a part.
const PART_NANOS_MIN: i64 = 2_000_000;
/// 19 of 20 cases are within this many standard errors.
const STANDARD_ERRORS: f64 = 1.96;

/// A part of a range, and the number of messages in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CountedRange {
    pub(super) range: TimeRange,
    pub(super) messages: u64,
}

/// Divides the range into parts in chronological order, which are shorter the more messages they contain. `count`
/// returns how many messages a range has, or `None` if that takes too long; then the parts found so far have to do.
pub(super) fn parts(
    whole: CountedRange,
    count: &mut dyn FnMut(TimeRange) -> Option<u64>,
) -> Vec<CountedRange> {
    let mut parts = vec![whole];
    while parts.len() < PARTS_MAX {
        let fullest = parts.iter().enumerate().max_by_key(|(_, part)| part.messages);
        let Some((at, CountedRange { range, messages })) = fullest.map(|(at, part)| (at, *part)) else {
            break;
        };
        let nanos = range.last.nanos().saturating_sub(range.first.nanos());
        if nanos < PART_NANOS_MIN || messages < 2 {
            break;
        }
        let middle = range.first.saturating_add(nanos / 2);
        let first = TimeRange { first: range.first, last: middle };
        let second = TimeRange { first: middle.saturating_add(1), last: range.last };
        let Some(in_first) = count(first) else { break };
        parts[at] = CountedRange { range: first, messages: in_first };
        parts.insert(at + 1, CountedRange { range: second, messages: messages.saturating_sub(in_first) });
    }
    parts.retain(|part| 0 < part.messages);
    parts
}

/// How many messages of each part to take for a sample of this size.
pub(super) fn shares(parts: &[CountedRange], size: u64) -> Vec<u64> {
    let total: u64 = parts.iter().map(|part| part.messages).sum();
    let (mut seen, mut given) = (0, 0);
    let mut shares = Vec::with_capacity(parts.len());
    for part in parts {
        seen += part.messages;
        let until = (u128::from(seen) * u128::from(size) / u128::from(total.max(1))) as u64;
        shares.push(until - given);
        given = until;
    }
    shares
}

/// The margin of error of the share of counted messages, computed from its variation between the parts: each has the
/// number of messages examined, and of those that count. `total` is the number of all messages.
pub(super) fn margin(looked_at: &[(u64, u64)], total: u64) -> f64 {
    let (messages, counted) = looked_at.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let parts = looked_at.iter().filter(|(messages, _)| 0 < *messages).count() as f64;
    if messages == 0 || parts < 2.0 {
        return 1.0;
    }
    let (all, share) = (messages as f64, counted as f64 / messages as f64);
    let off = |(messages, counted): &(u64, u64)| (*counted as f64 - share * *messages as f64).powi(2);
    let variance = looked_at.iter().map(off).sum::<f64>() * parts / (parts - 1.0) / (all * all);
    // The messages that were examined add no uncertainty.
    let unknown = (1.0 - all / total.max(messages) as f64).max(0.0);
    (STANDARD_ERRORS * (variance * unknown).sqrt()).min(1.0)
}

/// The range, limited to the span from the first stored message to the last.
pub(super) fn bounded(range: TimeRange, stored: Option<TimeRange>) -> Option<TimeRange> {
    let within = range.intersect(stored?);
    // The last representable time belongs to no part.
    Some(within).filter(|within| !within.is_empty() && within.last < Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: i64, last: i64) -> TimeRange {
        TimeRange { first: Timestamp::from_nanos(first), last: Timestamp::from_nanos(last) }
    }

    fn part(messages: u64) -> CountedRange {
        CountedRange { range: range(0, 1), messages }
    }

    #[test]
    fn where_there_are_more_messages_parts_are_shorter_and_each_gives_its_share() {
        const SECOND: i64 = 1_000_000_000;
        // One message per second, and 9000 in the last of a thousand seconds.
        let mut times: Vec<i64> = (0..1000).map(|second| second * SECOND).collect();
        times.extend((0..9000).map(|n| 999 * SECOND + n * 100_000));
        let inside = |range: TimeRange| {
            times.iter().filter(|time| range.contains(Timestamp::from_nanos(**time))).count() as u64
        };
        let whole = CountedRange { range: range(0, 1000 * SECOND), messages: 10_000 };
        let parts = parts(whole, &mut |range| Some(inside(range)));
        assert!(parts.len() <= PARTS_MAX && 60 < parts.len(), "{}", parts.len());
        for part in &parts {
            assert_eq!(part.messages, inside(part.range), "{part:?}");
            assert!(part.messages < 400, "{part:?}");
        }
        assert!(parts.windows(2).all(|pair| pair[0].range.last < pair[1].range.first));
        let shares = shares(&parts, 1000);
        assert_eq!(shares.iter().sum::<u64>(), 1000);
        for (part, share) in parts.iter().zip(shares) {
            assert!(share.abs_diff(part.messages / 10) <= 1, "{share} of {part:?}");
        }
    }

    #[test]
    fn without_time_to_count_there_is_one_part() {
        let whole = part(1000);
        assert_eq!(parts(whole, &mut |_| None), [whole]);
        assert_eq!(shares(&[whole], 10), [10]);
        assert_eq!(shares(&[part(1), part(2), part(3)], 3), [0, 1, 2]);
    }

    #[test]
    fn the_margin_grows_with_what_differs_between_parts_and_shrinks_to_nothing() {
        let check = |looked_at: &[(u64, u64)], total, low, high| {
            let margin = margin(looked_at, total);
            assert!((low..=high).contains(&margin), "{looked_at:?} of {total}: {margin}");
        };
        check(&[], 100, 1.0, 1.0);
        check(&[(100, 50)], 1000, 1.0, 1.0);
        check(&[(100, 50), (100, 50)], 1000, 0.0, 0.0);
        check(&[(100, 0), (100, 100)], 1000, 0.5, 1.0);
        check(&[(100, 40), (100, 60), (100, 50), (100, 50)], 1_000_000, 0.05, 0.09);
        check(&[(100, 40), (100, 60)], 200, 0.0, 0.0);
    }
}
