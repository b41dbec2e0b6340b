//! Spans of time with round lengths, counted from 1970 in UTC, so that different answers have the same spans.

use super::answer_rows::{AnswerRows, Unreadable};
use super::value::time_key;
use super::{AnswerError, BUCKETS_MAX, CodedColumn};
use logstead_query::TimeRange;
use logstead_record::{DAY, SECOND, TextColumn};
use std::borrow::Cow;
use std::ops::RangeInclusive;

const MILLISECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// The round lengths to choose from.
const NICE: [i64; 28] = [
    MILLISECOND,
    2 * MILLISECOND,
    5 * MILLISECOND,
    10 * MILLISECOND,
    20 * MILLISECOND,
    50 * MILLISECOND,
    100 * MILLISECOND,
    200 * MILLISECOND,
    500 * MILLISECOND,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
    30 * DAY,
    365 * DAY,
];

/// The width of the buckets of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// The shortest round length that gives at most this many buckets.
    AtMost(usize),
    /// Exactly this many nanoseconds.
    Nanos(i64),
}

/// Consecutive spans of equal length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    nanos: i64,
}

/// The spans that a range touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Buckets {
    pub interval: Interval,
    /// The number of the first one.
    pub first: i64,
    pub count: usize,
}

impl Interval {
    /// An interval of `nanos` nanoseconds; `None` unless that is above 0.
    pub(crate) fn new(nanos: i64) -> Option<Interval> {
        (0 < nanos).then_some(Interval { nanos })
    }

    pub(crate) fn nanos(self) -> i64 {
        self.nanos
    }

    /// The number of the span that a time is in.
    pub(crate) fn number(self, time: i64) -> i64 {
        time.div_euclid(self.nanos)
    }

    /// The start of a span, limited to the earliest possible time.
    pub(crate) fn start(self, number: i64) -> i64 {
        number.saturating_mul(self.nanos)
    }

    /// The times that a span contains.
    pub(crate) fn times(self, number: i64) -> RangeInclusive<i64> {
        let next = number.checked_add(1).and_then(|next| next.checked_mul(self.nanos));
        self.start(number)..=next.map_or(i64::MAX, |next| next - 1)
    }

    /// The number of spans from one number to another, or an error if they are too many.
    pub(crate) fn count(self, first: i64, last: i64) -> Result<usize, AnswerError> {
        let count = last.abs_diff(first).saturating_add(1);
        if (BUCKETS_MAX as u64) < count {
            let interval_ms = (self.nanos / MILLISECOND).unsigned_abs();
            return Err(AnswerError::TooManyBuckets { count, interval_ms });
        }
        Ok(count as usize)
    }

    /// A column with the start of the span that each selected row is in.
    pub(crate) fn coded(self, part: &AnswerRows<'_>) -> Result<CodedColumn<'static>, Unreadable> {
        let mut ids = SpanIds::new(self, part.rows);
        part.visit_times(
            |time| self.times(self.number(time)),
            |rows, time| ids.set(rows, self.number(time)),
        )?;
        Ok(ids.coded())
    }
}

/// Gives numbers to the spans that rows are in.
struct SpanIds {
    interval: Interval,
    known: hashbrown::HashMap<i64, u32>,
    starts: TextColumn,
    last: Option<(i64, u32)>,
    ids: Vec<u32>,
}

impl SpanIds {
    fn new(interval: Interval, rows: usize) -> SpanIds {
        SpanIds {
            interval,
            known: hashbrown::HashMap::new(),
            starts: TextColumn::default(),
            last: None,
            ids: vec![0; rows],
        }
    }

    fn set(&mut self, rows: std::ops::Range<usize>, number: i64) {
        let id = match self.last {
            // Consecutive rows often have the same time.
            Some((last, id)) if last == number => id,
            _ => {
                let SpanIds { known, starts, interval, .. } = self;
                *known.entry(number).or_insert_with(|| {
                    starts.push(&time_key(interval.start(number)));
                    starts.len() as u32 - 1
                })
            }
        };
        self.last = Some((number, id));
        self.ids[rows].fill(id);
    }

    fn coded(self) -> CodedColumn<'static> {
        CodedColumn { values: Cow::Owned(self.starts), ids: Cow::Owned(self.ids), ..CodedColumn::default() }
    }
}

impl Buckets {
    /// The buckets of a range.
    pub(crate) fn of(range: TimeRange, width: Width) -> Result<Buckets, AnswerError> {
        if range.is_empty() {
            return Err(AnswerError::RangeReversed { first: range.first, last: range.last });
        }
        match width {
            Width::Nanos(nanos) => Interval::new(nanos).ok_or(AnswerError::NoBuckets)?.buckets(range),
            Width::AtMost(0) => Err(AnswerError::NoBuckets),
            Width::AtMost(count) if BUCKETS_MAX < count => Err(AnswerError::NoBuckets),
            Width::AtMost(count) => nice(range, count),
        }
    }

    /// The index of the bucket that a time is in, or the number of buckets for every time after the last one.
    pub(crate) fn index_or_later(&self, time: i64) -> Option<usize> {
        let is_later = self.last() < self.interval.number(time);
        if is_later { Some(self.count) } else { self.index(time) }
    }

    /// The times that are in the same bucket as this one, or, like it, before all buckets or after them.
    pub(crate) fn times_like(&self, time: i64) -> RangeInclusive<i64> {
        match self.index_or_later(time) {
            Some(bucket) if bucket < self.count => self.interval.times(self.interval.number(time)),
            Some(_) => self.interval.start(self.last().saturating_add(1))..=i64::MAX,
            None => i64::MIN..=self.interval.start(self.first).saturating_sub(1),
        }
    }

    /// The number of the last span.
    fn last(&self) -> i64 {
        self.first.saturating_add(self.count as i64 - 1)
    }

    /// The index of the bucket that a time is in.
    pub(crate) fn index(&self, time: i64) -> Option<usize> {
        let index = usize::try_from(self.interval.number(time).checked_sub(self.first)?).ok()?;
        (index < self.count).then_some(index)
    }
}

impl Interval {
    fn buckets(self, range: TimeRange) -> Result<Buckets, AnswerError> {
        let first = self.number(range.first.nanos());
        let count = self.count(first, self.number(range.last.nanos()))?;
        Ok(Buckets { interval: self, first, count })
    }
}

/// The shortest round length with at most `count_max` buckets.
fn nice(range: TimeRange, count_max: usize) -> Result<Buckets, AnswerError> {
    let longest = NICE[NICE.len() - 1];
    // A range across 1970 has two buckets of any length, so it may need more than one bucket.
    let longer = std::iter::successors(Some(longest), |nanos| nanos.checked_mul(2)).skip(1);
    let intervals = NICE.into_iter().chain(longer).map(|nanos| Interval { nanos });
    intervals
        .filter_map(|interval| interval.buckets(range).ok())
        .find(|buckets| buckets.count <= count_max)
        .ok_or(AnswerError::NoBuckets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::Timestamp;

    fn range(first: &str, last: &str) -> TimeRange {
        let at = |text: &str| Timestamp::parse_rfc3339(text.as_bytes()).unwrap();
        TimeRange { first: at(first), last: at(last) }
    }

    fn check(last: &str, count_max: usize, nanos: i64, count: usize) {
        let buckets = Buckets::of(range("2026-11-21T06:13:00.5Z", last), Width::AtMost(count_max)).unwrap();
        assert_eq!((buckets.interval.nanos, buckets.count), (nanos, count), "{last} {count_max}");
    }

    #[test]
    fn a_range_is_cut_into_few_round_spans() {
        check("2026-11-21T06:13:00.5Z", 60, MILLISECOND, 1);
        check("2026-11-21T06:13:00.560Z", 61, MILLISECOND, 61);
        check("2026-11-21T06:13:00.560Z", 60, 2 * MILLISECOND, 31);
        check("2026-11-21T07:12:59Z", 60, MINUTE, 60);
        check("2026-11-21T07:13:00Z", 60, 2 * MINUTE, 31);
        check("2026-11-22T06:09:00Z", 144, 10 * MINUTE, 144);
    }

    #[test]
    fn every_range_has_buckets_unless_it_is_reversed() {
        let all = Buckets::of(TimeRange::ALL, Width::AtMost(60)).unwrap();
        assert!(all.count <= 60, "{all:?}");
        assert_eq!(all.index(Timestamp::MIN.nanos()), Some(0));
        assert_eq!(all.index(i64::MAX), Some(all.count - 1));
        assert_eq!(Buckets::of(TimeRange::ALL, Width::AtMost(1)), Err(AnswerError::NoBuckets));
        let reversed = range("2026-11-22T00:00:00Z", "2026-11-21T00:00:00Z");
        assert!(matches!(Buckets::of(reversed, Width::AtMost(60)), Err(AnswerError::RangeReversed { .. })));
        let day = range("2026-11-21T00:00:00Z", "2026-11-21T23:59:59Z");
        for width in [Width::AtMost(0), Width::AtMost(BUCKETS_MAX + 1), Width::Nanos(0), Width::Nanos(-1)] {
            assert_eq!(Buckets::of(day, width), Err(AnswerError::NoBuckets));
        }
        let too_many = Buckets::of(day, Width::Nanos(SECOND)).unwrap_err();
        assert_eq!(
            too_many.to_string(),
            "the range holds 86400 intervals of 1000 ms, and 10000 are allowed: choose a longer interval or a \
             shorter range"
        );
        assert!(Buckets::of(TimeRange::ALL, Width::Nanos(1)).is_err());
        assert_eq!(Buckets::of(day, Width::Nanos(i64::MAX)).unwrap().count, 1);
    }
}
