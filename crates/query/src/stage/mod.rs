//! The stages after a filter, which turn its messages into a result.
//!
//! A stage takes rows and returns rows. Stages up to the first aggregating one work on messages, newest first; those
//! after it work on a table, whose columns are named by [`Function`] or by an alias.
//!
//! **Invariant:** the text that a [`Pipeline`] prints as parses to the same pipeline.

mod calls;
mod captures;
mod kinds;
mod names;
mod parse;
mod print;
mod reader;
mod streaming;

use super::ast::Query;
use super::error::Warning;
use super::expression::Expression;
use super::time::Zone;
pub(super) use calls::names_function;
pub use captures::{CaptureTemplate, Captures, CapturesError};
pub(super) use kinds::{KINDS, StageKind, WORDS, kind_of};
use logstead_record::FieldName;
use logstead_record::Timestamp;
pub use names::{AddedFields, HiddenField, shown_names};
pub(super) use parse::read_search;
pub use parse::{parse_asked, parse_pipeline, parse_pipeline_search};
pub use streaming::{StreamingError, StreamingNeed};

/// A filter, and the stages through which its messages pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Pipeline {
    /// The condition that messages must match.
    pub filter: Query,
    /// The stages, in order; none for the messages themselves.
    pub stages: Vec<Stage>,
}

/// The meaning of a search bar's text, stages included.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineSearch {
    /// The pipeline to run.
    pub pipeline: Pipeline,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// A stage. Lists of fields and functions are never empty and contain no duplicates.
#[derive(Clone, PartialEq, Debug)]
pub enum Stage {
    /// Keeps the rows that match.
    Where(Query),
    /// Keeps these columns, in this order.
    Fields(Vec<FieldName>),
    /// Sorts rows by the first key, equal ones by the next, and so on; the sort is stable.
    Sort(Vec<SortKey>),
    /// Keeps the first rows, at most this many.
    Limit(u64),
    /// Keeps the last rows, at most this many.
    Tail(u64),
    /// Makes a row for each group of equal values of `by`, with the results of the functions.
    Stats {
        /// The columns after `by`.
        functions: Vec<Aggregate>,
        /// The fields that define a group; all rows are one group if there are none.
        by: Vec<FieldName>,
    },
    /// Makes a row for each span of time and group.
    Timechart {
        /// Length of a span in nanoseconds, above 0; derived from the range by default.
        span_nanos: Option<i64>,
        /// The columns after the time and `by`.
        functions: Vec<Aggregate>,
        /// The field that defines a series.
        by: Option<FieldName>,
    },
    /// The most frequent values, each with its count.
    Top(Ranking),
    /// The least frequent values, each with its count.
    Rare(Ranking),
    /// Returns each combination of values of these fields once, and nothing else.
    Uniq(Vec<FieldName>),
    /// Keeps the first row of each combination of values of these fields.
    Dedup(Vec<FieldName>),
    /// Finds the gaps between messages, for each combination of values, that are longer than a time.
    Gap {
        /// The fields whose values define a series of messages.
        by: Vec<FieldName>,
        /// The time that a gap must exceed, in nanoseconds, above 0.
        longest_nanos: i64,
    },
    /// Adds fields contained in a text.
    Extract {
        /// The format of the text.
        template: CaptureTemplate,
        /// The field that contains the text.
        from: FieldName,
    },
    /// Adds the fields of a text in a format.
    Parse {
        /// The format of the text.
        format: TextFormat,
        /// The field that contains the text.
        from: FieldName,
    },
    /// Adds computed fields, in order.
    Eval(Vec<(String, Expression)>),
}

/// A column to sort rows by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortKey {
    /// The column.
    pub field: FieldName,
    /// Whether the greatest comes first.
    pub descending: bool,
}

/// A column computed from a group of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// The name of the column, if it is not that of the function.
    pub alias: Option<String>,
}

/// A function of a group of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// The number of rows.
    Count,
    /// A measure of the values of a field.
    Of(Measure, FieldName),
}

/// A measure of values. Rows without a value do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The number of values.
    Count,
    /// The sum of the numbers.
    Sum,
    /// The mean of the numbers.
    Avg,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The number of distinct values.
    Distinct,
    /// A percentile, in thousandths of a percent: 0 to 100 000.
    Percentile(u32),
}

/// A ranking of combinations of values by frequency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// The number of combinations shown for each group.
    pub count: u64,
    /// The fields that are combined.
    pub fields: Vec<FieldName>,
    /// The fields that define a group; all rows are one group if there are none.
    pub by: Vec<FieldName>,
}

/// The columns of [`Stage::Gap`] after its fields.
pub const GAP_COLUMNS: [&str; 3] = ["from", "to", "seconds"];

/// The format of a text that contains fields.
#[derive(Clone, PartialEq, Debug)]
pub enum TextFormat {
    /// A JSON object; keys of objects within it are joined by dots.
    Json,
    /// `key=value key="a value"`.
    KeyValue,
    /// The named groups of a regular expression.
    Regex(Captures),
    /// ArcSight's CEF.
    Cef,
    /// IBM's LEEF.
    Leef,
    /// A line of values separated by commas, with their names; a value without a name is left out.
    Csv(Vec<String>),
}

impl Pipeline {
    /// The same pipeline, with days and times without a zone interpreted in this zone.
    #[must_use]
    pub fn in_zone(self, zone: &dyn Zone, now: Timestamp) -> Pipeline {
        let stage = |stage: Stage| match stage {
            Stage::Where(query) => Stage::Where(query.in_zone(zone, now)),
            other => other,
        };
        Pipeline {
            filter: self.filter.in_zone(zone, now),
            stages: self.stages.into_iter().map(stage).collect(),
        }
    }
}

impl Stage {
    /// Whether it returns a new table instead of some of its rows.
    pub fn aggregates(&self) -> bool {
        use Stage::{
            Dedup, Eval, Extract, Fields, Gap, Limit, Parse, Rare, Sort, Stats, Tail, Timechart, Top, Uniq,
            Where,
        };
        match self {
            Stats { .. } | Timechart { .. } | Top(_) | Rare(_) | Uniq(_) | Gap { .. } => true,
            Where(_)
            | Fields(_)
            | Sort(_)
            | Limit(_)
            | Tail(_)
            | Dedup(_)
            | Extract { .. }
            | Parse { .. }
            | Eval(_) => false,
        }
    }
}

impl Aggregate {
    /// The name of its column: the alias if there is one, otherwise a name such as `count` or `avg(bytes)`.
    pub fn column(&self) -> String {
        let by_function = || match &self.function {
            Function::Count => "count".to_owned(),
            Function::Of(measure, field) => format!("{measure}({field})"),
        };
        self.alias.clone().unwrap_or_else(by_function)
    }
}
