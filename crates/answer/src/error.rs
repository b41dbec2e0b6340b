//! Why there is no answer.

use super::answer_rows::Unreadable;
use super::settings::BUCKETS_MAX;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The range ends before it begins.
    #[error("the range from {first} to {last} ends before it begins")]
    RangeReversed {
        /// The time where it begins.
        first: logstead_record::Timestamp,
        /// The time where it ends.
        last: logstead_record::Timestamp,
    },
    /// The request is for no buckets, or for buckets without a length.
    #[error("a histogram needs between 1 and {BUCKETS_MAX} buckets, and an interval longer than zero")]
    NoBuckets,
    /// There would be too many buckets.
    #[error(
        "the range holds {count} intervals of {interval_ms} ms, and {BUCKETS_MAX} are allowed: choose a longer \
         interval or a shorter range"
    )]
    TooManyBuckets {
        /// The number of buckets there would be.
        count: u64,
        /// The length of each.
        interval_ms: u64,
    },
    /// The answer would not fit the memory that a query may use.
    #[error(
        "the answer needs more than the {} MiB of memory that a query may use: narrow the filter or the time range, or \
         group by fields with fewer values",
        bytes_max >> 20
    )]
    Memory {
        /// The memory it may use.
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
