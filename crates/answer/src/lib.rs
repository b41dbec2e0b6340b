//! What found rows are turned into: a histogram, facets, or the table of a pipeline of stages.
//!
//! The engine finds which rows match, part after part of the store; an answer says which columns it needs, takes the
//! parts in any order, and is finished.
//!
//! | module        | owns                                                                        |
//! |---------------|-----------------------------------------------------------------------------|
//! | `part`        | what the engine hands over                                                  |
//! | `value`       | a value: what it is, how it is shown and compared                           |
//! | `stage`       | what a stage needs                                                          |
//! | `settings`    | what an answer depends on besides messages; its limits                      |
//! | `coded`       | a column as values and ids                                                  |
//! | `values`      | numbers for distinct texts over all parts                                   |
//! | `interval`    | spans of time with round numbers                                            |
//! | `histogram`   | how many rows there are in each span                                        |
//! | `facets`      | the most frequent values of fields; `distribution`: of the numbers among them |
//! | `discovery`   | which fields messages have                                                  |
//! | `groups`      | rows with equal values, and what functions make of them; `measure`, `exact_sum`, `samples`, `presence` |
//! | `spread`      | rows with several values, as one for each                                   |
//! | `aggregator`  | a stage that makes groups: `stats`, `timechart`, `top`, `rare`, `uniq`, `gap` |
//! | `table`       | rows and columns of an answer; `tabular`: stages over them                  |
//! | `finish`      | how an answer ends when the time is up                                      |
//! | `rows`        | messages that are kept for a stage that needs their order                   |
//! | `enrich`      | `extract` and `parse`                                                    |
//! | `aggregation` | which of these a pipeline needs                                             |
//!
//! **Invariant:** an answer is exact, or gives the reason why it is not.

mod aggregation;
mod aggregator;
mod coded;
mod discovery;
mod distribution;
mod enrich;
mod error;
mod exact_sum;
mod facets;
mod finish;
mod groups;
mod histogram;
mod interval;
mod measure;
mod part;
mod presence;
mod rows;
mod samples;
mod settings;
mod spread;
mod stage;
mod table;
mod tabular;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod value;
mod values;

pub use aggregation::Aggregation;
pub use aggregation::Place;
pub use coded::Coded;
pub use discovery::Seen;
pub use discovery::{Discovery, FieldFound};
pub use distribution::Distribution;
pub use error::AnswerError;
pub use facets::{Facet, Facets};
pub use histogram::{Counts, Histogram, Series};
pub use interval::Width;
pub use part::Unreadable;
pub use part::{BatchTimes, Frame, Part, RowTimes};
pub use settings::{BUCKETS_MAX, BY_VALUES_MAX, ROWS_MAX, Settings};
pub use table::{Column, Table};
pub use value::{Kind, Value};
