//! The bounds of the times of some messages, which allow messages to be skipped without reading them.
//!
//! **Invariant:** both ends are included; the bounds of nothing overlap no range.

use logstead_query::TimeRange;
use logstead_record::Timestamp;

/// The earliest and the latest time of some messages, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeBounds {
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
}

impl TimeBounds {
    /// The bounds of no messages; any time widens them.
    pub(crate) const NONE: TimeBounds =
        TimeBounds { earliest: Timestamp::MAX, latest: Timestamp::from_nanos(i64::MIN) };

    /// Widens the bounds to include other bounds.
    pub(crate) fn join(&mut self, other: TimeBounds) {
        self.earliest = self.earliest.min(other.earliest);
        self.latest = self.latest.max(other.latest);
    }

    /// Whether a message within these bounds can be in a range.
    pub(crate) fn overlap(self, range: TimeRange) -> bool {
        range.first <= self.latest && self.earliest <= range.last
    }

    /// Whether all messages within these bounds are in a range.
    pub(crate) fn are_within(self, range: TimeRange) -> bool {
        range.contains(self.earliest) && range.contains(self.latest)
    }
}
