//! The steps of a route, which are applied to its messages in order before its targets get them.
//!
//! | module     | owns                                                                    |
//! |------------|-------------------------------------------------------------------------|
//! | `template` | a text with fields of a message in it                                   |
//! | `value`    | shares, rates, and tables with arbitrary names                          |
//! | `read`     | a table of the document → [`RouteStep`]                                 |
//! | `write`    | [`RouteStep`] → a table of the same shape                               |
//! | `fits`     | the valid values of fields that are more than texts                     |
//! | `check`    | [`RouteStep`] → [`CheckedStep`]: expressions compiled, queries parsed   |
//!
//! **Invariant:** a step does one thing, and a written step is read as the same step.

mod check;
mod fits;
mod read;
mod template;
mod value;
mod write;

pub(crate) use check::check_step;
pub use check::is_file_name as is_lookup_name;
pub use check::{CheckedAction, CheckedFormat, CheckedStep};
pub use fits::{facility_of, fits, severity_of, time_of};
pub use template::{TemplatePiece, TextTemplate};
pub use value::{SampleShare, ThrottleRate};

use crate::unit::Period;

/// The greatest number of steps of a route.
pub const STEPS_MAX: usize = 50;

/// A step as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteStep {
    /// A filter for the messages to which the step applies, tested when they reach it; without one, it applies to
    /// all.
    pub filter: Option<String>,
    /// The action.
    pub action: StepAction,
}

/// The action of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepAction {
    /// Adds fields contained in a text.
    Parse {
        /// The format of the text: `json`, `kv`, `cef`, `leef`, `csv`, `regex` or `extract`.
        format: ParseFormat,
        /// The field that contains the text; the message by default.
        field: Option<String>,
        /// The prefix of the fields' names.
        prefix: String,
    },
    /// Sets fields to values.
    Set(Vec<(String, String)>),
    /// Removes fields.
    Unset(Vec<String>),
    /// Renames fields.
    Rename(Vec<(String, String)>),
    /// Replaces the matches of an expression.
    Replace {
        /// The expression.
        pattern: String,
        /// The replacement; `$1` is a group.
        with: String,
        /// The fields; the message by default.
        fields: Vec<String>,
    },
    /// Replaces the matches of an expression everywhere, also in the raw bytes.
    Mask {
        /// The expression.
        pattern: String,
        /// The replacement.
        with: String,
    },
    /// Drops messages.
    Drop(String),
    /// Drops all messages but these.
    Keep(String),
    /// Passes a share of the messages.
    Sample {
        /// The share.
        share: SampleShare,
        /// The fields whose combinations of values count separately.
        by: Vec<String>,
    },
    /// Limits messages per interval.
    Throttle {
        /// The rate.
        rate: ThrottleRate,
        /// The fields whose combinations of values count separately.
        by: Vec<String>,
    },
    /// Passes only the first of several messages with equal values.
    Dedup {
        /// The fields to compare.
        fields: Vec<String>,
        /// The time within which messages count as repetitions.
        within: Period,
    },
    /// Adds values to the field `tags`.
    Tag(Vec<String>),
    /// Adds columns of a lookup table as fields.
    Lookup {
        /// The file of the table.
        file: String,
        /// The field whose value is looked up in the column of this name.
        key: String,
        /// The columns that become fields.
        set: Vec<String>,
    },
}

/// The format of a text to parse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseFormat {
    /// A JSON object.
    Json,
    /// `key=value key="a value"`.
    KeyValue,
    /// CEF.
    Cef,
    /// LEEF.
    Leef,
    /// Values of these columns, separated by commas.
    Csv(Vec<String>),
    /// The named groups of an expression.
    Regex(String),
    /// Literal text with fields in it: `user=<user> from <ip>`.
    Extract(String),
}

impl StepAction {
    /// The key that names the action.
    pub fn kind(&self) -> &'static str {
        match self {
            StepAction::Parse { .. } => "parse",
            StepAction::Set(_) => "set",
            StepAction::Unset(_) => "unset",
            StepAction::Rename(_) => "rename",
            StepAction::Replace { .. } => "replace",
            StepAction::Mask { .. } => "mask",
            StepAction::Drop(_) => "drop",
            StepAction::Keep(_) => "keep",
            StepAction::Sample { .. } => "sample",
            StepAction::Throttle { .. } => "throttle",
            StepAction::Dedup { .. } => "dedup",
            StepAction::Tag(_) => "tag",
            StepAction::Lookup { .. } => "lookup",
        }
    }
}

/// Every [`StepAction::kind`]. `lookup` comes first, because it has a key `set` too.
pub(crate) const KINDS: [&str; 13] = [
    "lookup", "parse", "set", "unset", "rename", "replace", "mask", "drop", "keep", "sample", "throttle",
    "dedup", "tag",
];
