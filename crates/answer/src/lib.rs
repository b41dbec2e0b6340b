//! Turns matching rows into answers: a histogram, facets, or the result table of a pipeline.
//!
//! The engine finds the matching rows, one part of the store after another. An answer names the columns that it
//! needs, takes the parts in any order, and is finished at the end.
//!
//! | module        | owns                                                                        |
//! |---------------|-----------------------------------------------------------------------------|
//! | `answer_rows` | the rows and columns that the engine hands over                             |
//! | `value`       | a value: its kind, how it is shown and compared                             |
//! | `stage`       | the needs of a stage                                                        |
//! | `settings`    | the settings of an answer besides the messages; its limits                  |
//! | `coded`       | a column as values and ids                                                  |
//! | `value_dictionary` | numbers for distinct texts over all parts                                   |
//! | `interval`    | spans of time with round numbers                                            |
//! | `histogram`   | the number of rows in each span                                             |
//! | `facets`      | the most frequent values of fields; `distribution`: of the numbers among them |
//! | `discovery`   | the fields that messages have                                               |
//! | `groups`      | rows with equal values, and the results of functions over them; `measure`, `exact_sum`, `samples`, `presence` |
//! | `combinations` | rows with several values, as one for each                                   |
//! | `aggregator`  | a stage that makes groups: `stats`, `timechart`, `top`, `rare`, `uniq`, `gap` |
//! | `table`       | rows and columns of an answer; `tabular`: stages over them                  |
//! | `finish`      | how an answer ends when the time is up                                      |
//! | `rows`        | messages that are kept for a stage that needs their order                   |
//! | `enrich`      | `extract` and `parse`                                                    |
//! | `aggregation` | the parts that a pipeline needs                                             |
//!
//! **Invariant:** an answer is exact, or gives the reason why it is not.

mod aggregation;
mod aggregator;
mod answer_rows;
mod coded;
mod combinations;
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
mod presence;
mod rows;
mod samples;
mod settings;
mod stage;
mod table;
mod tabular;
#[cfg(test)]
mod tests;
mod value;
mod value_dictionary;

pub use aggregation::Aggregation;
pub use aggregation::BatchLocation;
pub use answer_rows::Unreadable;
pub use answer_rows::{AnswerRows, BatchTimes, RowTimes, TimeFrame};
pub use coded::CodedColumn;
pub use discovery::FieldTally;
pub use discovery::{DiscoveredField, Discovery};
pub use distribution::Distribution;
pub use error::AnswerError;
pub use facets::{Facet, Facets};
pub use histogram::{Histogram, HistogramCounts, HistogramSeries};
pub use interval::Width;
pub use settings::{AnswerSettings, BUCKETS_MAX, BY_VALUES_MAX, ROWS_MAX};
pub use table::{AnswerTable, TableColumn};
pub use value::{CellValue, ValueKind};
