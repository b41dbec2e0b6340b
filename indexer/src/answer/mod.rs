//! What found rows are turned into: a histogram, facets, or the table of a pipeline of stages.
//!
//! The engine finds which rows match, part after part of the store; an answer says which columns it needs, takes the
//! parts in any order, and is finished.
//!
//! | module        | owns                                                                        |
//! |---------------|-----------------------------------------------------------------------------|
//! | `part`        | what the engine hands over                                                  |
//! | `coded`       | a column as values and ids; the form in which values compare                |
//! | `values`      | numbers for distinct texts over all parts                                   |
//! | `interval`    | spans of time with round numbers                                            |
//! | `histogram`   | how many rows there are in each span                                        |
//! | `facets`      | the most frequent values of fields                                          |
//! | `groups`      | rows with equal values, and what functions make of them; `measure`, `exact_sum`, `samples` |
//! | `spread`      | rows with several values, as one for each                                   |
//! | `aggregator`  | a stage that makes groups: `stats`, `timechart`, `top`, `rare`, `uniq`      |
//! | `table`       | rows and columns of an answer; `tabular`: stages over them                  |
//! | `finish`      | how an answer ends when the time is up                                      |
//! | `rows`        | messages that are kept for a stage that needs their order                   |
//! | `enrich`      | `extract` and `parse`; `pairs`: JSON and `key=value` in a text              |
//! | `aggregation` | which of these a pipeline needs                                             |
//!
//! **Invariant:** an answer is exact, or it says why it is not.

mod aggregation;
mod aggregator;
mod coded;
mod enrich;
mod exact_sum;
mod facets;
mod finish;
mod groups;
mod histogram;
mod interval;
mod measure;
mod pairs;
mod part;
mod rows;
mod samples;
mod spread;
mod table;
mod tabular;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use aggregation::Place;
pub use aggregation::{Aggregation, Settings};
pub(crate) use coded::Coded;
pub use coded::Kind;
pub use facets::{Facet, Facets};
pub use histogram::{Counts, Histogram, Series};
pub use interval::Width;
pub use part::Unreadable;
pub(crate) use part::{BatchTimes, Frame, Part, RowTimes};
pub use table::{Column, Table, Value};

/// Most rows of a table.
pub const ROWS_MAX: usize = 10_000;
/// Most buckets of a histogram or a timechart.
pub const BUCKETS_MAX: usize = 10_000;
/// Most values that a histogram counts by; the others are counted together.
pub const BY_VALUES_MAX: usize = 100;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The range ends before it begins.
    #[error("the range from {first} to {last} ends before it begins")]
    RangeReversed {
        /// Where it begins.
        first: logstead_record::Timestamp,
        /// Where it ends.
        last: logstead_record::Timestamp,
    },
    /// No bucket is asked for, or ones without a length.
    #[error("a histogram needs between 1 and {BUCKETS_MAX} buckets, and an interval longer than nothing")]
    NoBuckets,
    /// More buckets than there may be.
    #[error(
        "the range holds {count} intervals of {interval_ms} ms where {BUCKETS_MAX} are allowed: choose a longer \
         interval or a shorter range"
    )]
    TooManyBuckets {
        /// How many there would be.
        count: u64,
        /// The length of each.
        interval_ms: u64,
    },
    /// It would not fit the memory that a query may use.
    #[error(
        "the answer needs more than the {} MiB of memory that a query may use: narrow the filter or the time range, or \
         group by fields with fewer values",
        bytes_max >> 20
    )]
    Memory {
        /// What it may use.
        bytes_max: usize,
    },
    /// A stage needs what there is not.
    #[error("{0}")]
    Stage(String),
    /// Nobody wants it any more.
    #[error("the search was ended before it was through")]
    Cancelled,
    /// A column can not be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}
