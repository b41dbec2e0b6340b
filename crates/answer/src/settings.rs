//! The settings of an answer besides the messages, and its limits.

use logstead_query::TimeRange;
use logstead_record::Timestamp;

/// The most rows of a table.
pub const ROWS_MAX: usize = 10_000;
/// The most buckets of a histogram or a timechart.
pub const BUCKETS_MAX: usize = 10_000;
/// The most values that a histogram counts by; the others are counted together.
pub const BY_VALUES_MAX: usize = 100;

/// The settings of an answer besides the messages.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSettings {
    /// The time that relative times count from.
    pub now: Timestamp,
    /// The range of times. A `timechart` without a span is cut into spans of this, so it should not be wider than the
    /// stored messages.
    pub range: TimeRange,
    /// The range of times as asked for, whatever is stored: a sender is silent up to their end.
    pub asked: TimeRange,
    /// The most memory to use.
    pub memory_bytes_max: usize,
}
