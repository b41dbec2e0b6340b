//! What follows a filter: the stages that turn the messages it means into an answer.
//!
//! A stage takes rows and gives rows. Those before the first one that aggregates see messages, newest first; those
//! after it see a table, whose columns are named by [`Function`] or by an alias.
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
pub use streaming::{NotStreaming, Streaming};

/// A filter and what is done with the messages that it means.
#[derive(Clone, PartialEq, Debug)]
pub struct Pipeline {
    /// Which messages.
    pub filter: Query,
    /// What becomes of them, in order; none for the messages themselves.
    pub stages: Vec<Stage>,
}

/// What a search bar's text means, stages included.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineSearch {
    /// What to run.
    pub pipeline: Pipeline,
    /// What to say about it.
    pub warnings: Vec<Warning>,
}

/// One step. Lists of fields and functions are never empty and name nothing twice.
#[derive(Clone, PartialEq, Debug)]
pub enum Stage {
    /// Keeps the rows that this means.
    Where(Query),
    /// Keeps these columns, in this order.
    Fields(Vec<FieldName>),
    /// Orders rows by the first key, those that are equal by the next, the others as they were.
    Sort(Vec<SortKey>),
    /// Keeps this many of the first rows.
    Limit(u64),
    /// Keeps this many of the last rows.
    Tail(u64),
    /// A row for each group of equal values of `by`, with what the functions make of the group.
    Stats {
        /// The columns after `by`.
        functions: Vec<Aggregate>,
        /// What makes a group; all rows are one where it is empty.
        by: Vec<FieldName>,
    },
    /// The same for each span of time.
    Timechart {
        /// Length of a span in nanoseconds, above 0; derived from the range by default.
        span_nanos: Option<i64>,
        /// The columns after the time and `by`.
        functions: Vec<Aggregate>,
        /// What makes a series.
        by: Option<FieldName>,
    },
    /// The most frequent values, each with its count.
    Top(Ranking),
    /// The least frequent ones.
    Rare(Ranking),
    /// Each combination of values of these fields once; nothing else remains.
    Uniq(Vec<FieldName>),
    /// Keeps the first row of each combination of values of these fields.
    Dedup(Vec<FieldName>),
    /// The silences of each combination of values of these fields that are longer than a time.
    Gap {
        /// Whose messages follow each other.
        by: Vec<FieldName>,
        /// In nanoseconds, above 0; a gap is longer than this.
        longest_nanos: i64,
    },
    /// Adds fields that stand in a text.
    Extract {
        /// How the text is made.
        template: CaptureTemplate,
        /// Whose value it is.
        from: FieldName,
    },
    /// Adds the fields of a text in a format.
    Parse {
        /// How the text is made.
        format: TextFormat,
        /// Whose value it is.
        from: FieldName,
    },
    /// Adds fields that are computed, each after the one before it.
    Eval(Vec<(String, Expression)>),
}

/// What rows are ordered by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortKey {
    /// The column.
    pub field: FieldName,
    /// Whether the greatest comes first.
    pub descending: bool,
}

/// A column that a group of rows becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aggregate {
    /// What is computed.
    pub function: Function,
    /// What the column is called, unless by its function.
    pub alias: Option<String>,
}

/// What is computed of a group of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// How many rows there are.
    Count,
    /// A measure of the values of a field.
    Of(Measure, FieldName),
}

/// What is computed of values. Rows without a value do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// How many there are.
    Count,
    /// The sum of the numbers.
    Sum,
    /// Their mean.
    Avg,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// How many different ones there are.
    Distinct,
    /// A percentile, in thousandths of a percent: 0 to 100 000.
    Percentile(u32),
}

/// The combinations of values that are ranked by how often they are there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// How many are shown, of each group.
    pub count: u64,
    /// Whose values.
    pub fields: Vec<FieldName>,
    /// What makes a group; all rows are one where it is empty.
    pub by: Vec<FieldName>,
}

/// The columns of [`Stage::Gap`] after its fields.
pub const GAP_COLUMNS: [&str; 3] = ["from", "to", "seconds"];

/// How a text holds fields.
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
    /// A line of values with commas between them, and what each is called; one without a name is left out.
    Csv(Vec<String>),
}

impl Pipeline {
    /// The same where days and times without a zone are those of this zone.
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
    /// Whether what it gives is a table of its own instead of some of the rows that it takes.
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
    /// The name of its column: the alias, otherwise `count` or such as `avg(bytes)`.
    pub fn column(&self) -> String {
        let by_function = || match &self.function {
            Function::Count => "count".to_owned(),
            Function::Of(measure, field) => format!("{measure}({field})"),
        };
        self.alias.clone().unwrap_or_else(by_function)
    }
}
