//! The steps of a route: what is done to its messages before its targets get them, one after the other.
//!
//! | module     | owns                                                                    |
//! |------------|-------------------------------------------------------------------------|
//! | `template` | a text with fields of a message in it                                   |
//! | `value`    | shares, rates, and tables with names that are not known before          |
//! | `read`     | a table of the document → [`RouteStep`]                                      |
//! | `write`    | [`RouteStep`] → a table of the same shape                                    |
//! | `fits`     | what may stand in fields that are more than texts                       |
//! | `check`    | [`RouteStep`] → [`CheckedStep`]: expressions compiled, queries parsed        |
//!
//! **Invariant:** a step does one thing, and what is written is read as the same step.

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

/// Most steps of a route.
pub const STEPS_MAX: usize = 50;

/// One step, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteStep {
    /// It concerns only the messages that this means when they get there; all if there is none.
    pub filter: Option<String>,
    /// What it does.
    pub action: StepAction,
}

/// What a step does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepAction {
    /// Adds fields that stand in a text.
    Parse {
        /// How the text is made: `json`, `kv`, `cef`, `leef`, `csv`, `regex` or `extract`.
        format: ParseFormat,
        /// Whose value it is; the message by default.
        field: Option<String>,
        /// Stands before the names.
        prefix: String,
    },
    /// Gives fields a value.
    Set(Vec<(String, String)>),
    /// Takes fields away.
    Unset(Vec<String>),
    /// Gives fields another name.
    Rename(Vec<(String, String)>),
    /// Replaces what an expression finds.
    Replace {
        /// The expression.
        pattern: String,
        /// What stands there afterwards; `$1` is a group.
        with: String,
        /// Where; in the message by default.
        fields: Vec<String>,
    },
    /// Replaces what an expression finds everywhere, in the raw bytes too.
    Mask {
        /// The expression.
        pattern: String,
        /// What stands there afterwards.
        with: String,
    },
    /// Takes messages out.
    Drop(String),
    /// Takes all others out.
    Keep(String),
    /// Lets a share of the messages through.
    Sample {
        /// This one.
        share: SampleShare,
        /// Of each combination of values of these fields.
        by: Vec<String>,
    },
    /// Lets a number of messages in a time through.
    Throttle {
        /// This one.
        rate: ThrottleRate,
        /// Of each combination of values of these fields.
        by: Vec<String>,
    },
    /// Lets the first of messages with equal values through.
    Dedup {
        /// Of these fields.
        fields: Vec<String>,
        /// Within this time.
        within: Period,
    },
    /// Adds values of the field `tags`.
    Tag(Vec<String>),
    /// Adds columns of a table.
    Lookup {
        /// Its file.
        file: String,
        /// The field whose value is looked up in the column of this name.
        key: String,
        /// The columns that become fields.
        set: Vec<String>,
    },
}

/// How a text that is parsed is made.
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
    /// Values with commas between them, of these columns.
    Csv(Vec<String>),
    /// The named groups of an expression.
    Regex(String),
    /// Literal text with fields in it: `user=<user> from <ip>`.
    Extract(String),
}

impl StepAction {
    /// The key that says it.
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

/// Every [`StepAction::kind`]. `lookup` comes first, as it has a key `set` too.
pub(crate) const KINDS: [&str; 13] = [
    "lookup", "parse", "set", "unset", "rename", "replace", "mask", "drop", "keep", "sample", "throttle",
    "dedup", "tag",
];
