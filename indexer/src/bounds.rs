//! The bounds of the times of some messages: what is skipped by them need not be read.
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
    /// The bounds of no message: every time widens them.
    pub(crate) const NONE: TimeBounds =
        TimeBounds { earliest: Timestamp::MAX, latest: Timestamp::from_nanos(i64::MIN) };

    /// Widens the bounds to include others.
    pub(crate) fn join(&mut self, other: TimeBounds) {
        self.earliest = self.earliest.min(other.earliest);
        self.latest = self.latest.max(other.latest);
    }

    /// Whether a message between them may be in a range.
    pub(crate) fn overlap(self, range: TimeRange) -> bool {
        range.first <= self.latest && self.earliest <= range.last
    }

    /// Whether all messages between them are in a range.
    pub(crate) fn are_within(self, range: TimeRange) -> bool {
        range.contains(self.earliest) && range.contains(self.latest)
    }
}
