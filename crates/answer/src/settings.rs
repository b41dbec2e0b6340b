//! The settings of an answer besides the messages, and its limits.

use logstead_query::TimeRange;
use logstead_record::Timestamp;

/// Most rows of a table.
pub const ROWS_MAX: usize = 10_000;
/// Most buckets of a histogram or a timechart.
pub const BUCKETS_MAX: usize = 10_000;
/// Most values that a histogram counts by; the others are counted together.
pub const BY_VALUES_MAX: usize = 100;

/// The settings of an answer besides the messages.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSettings {
    /// The time that relative times count from.
    pub now: Timestamp,
    /// The times that are asked for. A `timechart` without a span is cut into spans of this, so it should not be wider
    /// than what is stored.
    pub range: TimeRange,
    /// The times that are asked for, whatever is stored: a sender is silent up to their end.
    pub asked: TimeRange,
    /// Most memory to use.
    pub memory_bytes_max: usize,
}
