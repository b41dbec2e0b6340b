//! The reasons why there is no answer.

use super::answer_rows::Unreadable;
use super::settings::BUCKETS_MAX;

/// The reasons why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The range ends before it begins.
    #[error("the range from {first} to {last} ends before it begins")]
    RangeReversed {
        /// The time at which the range begins.
        first: logstead_record::Timestamp,
        /// The time at which the range ends.
        last: logstead_record::Timestamp,
    },
    /// The request asks for no buckets, or for buckets of length zero.
    #[error("a histogram needs between 1 and {BUCKETS_MAX} buckets, and an interval longer than zero")]
    NoBuckets,
    /// The range has too many buckets.
    #[error(
        "the range holds {count} intervals of {interval_ms} ms, and {BUCKETS_MAX} are allowed: choose a longer \
         interval or a shorter range"
    )]
    TooManyBuckets {
        /// The number of buckets that the range would have.
        count: u64,
        /// The length of each bucket.
        interval_ms: u64,
    },
    /// The answer does not fit in the memory that a query may use.
    #[error(
        "the answer needs more than the {} MiB of memory that a query may use: narrow the filter or the time range, or \
         group by fields with fewer values",
        bytes_max >> 20
    )]
    Memory {
        /// The memory that the query may use.
        bytes_max: usize,
    },
    /// A stage that cannot be answered, and why.
    #[error("{0}")]
    Stage(String),
    /// The search was cancelled.
    #[error("the search was ended before it was complete")]
    Cancelled,
    /// A column cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}
