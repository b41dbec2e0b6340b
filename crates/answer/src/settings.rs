//! The settings of an answer besides the messages, and its limits.

use logstead_query::TimeRange;
use logstead_record::Timestamp;

/// The greatest number of rows of a table.
pub const ROWS_MAX: usize = 10_000;
/// The greatest number of buckets of a histogram or a timechart.
pub const BUCKETS_MAX: usize = 10_000;
/// The greatest number of values that a histogram counts separately; the others are counted together.
pub const BY_VALUES_MAX: usize = 100;

/// The settings of an answer besides the messages.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSettings {
    /// The time to which relative times refer.
    pub now: Timestamp,
    /// The range of times. A `timechart` without a span divides it into spans, so it should not be wider than the
    /// stored messages.
    pub range: TimeRange,
    /// The requested range of times, regardless of the messages that are stored: the silence of a sender lasts until
    /// its end.
    pub asked: TimeRange,
    /// The greatest amount of memory to use.
    pub memory_bytes_max: usize,
}
