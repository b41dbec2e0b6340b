//! The query language: text to [`Query`] and back, and the [`Matcher`] that decides which messages one means.
//!
//! ```
//! use logstead_query as query;
//! use logstead_record::Timestamp;
//!
//! let query = query::parse("severity>=warning host:fw* -\"session opened\"")?;
//! let context = query::Context { now: Timestamp::from_nanos(0), logspace: "default" };
//! let matcher = query::Matcher::new(&query, &context);
//! # let batch = logstead_record::Batch::default();
//! let selected = matcher.select(&batch);
//! # Ok::<(), query::ParseError>(())
//! ```
//!
//! - `syntax`: any text to its tree, and to the tokens that colours are made of
//! - `parse` and `compare`: the meaning of a tree; `value`: the meaning of a compared value
//! - `ast`: the [`Query`]; `print`: its canonical text, and the only place that quotes
//! - `stage`: the stages after a filter in a [`Pipeline`]; `expression`: the expressions of the stage `eval`
//! - `outline`: the positions of clauses and stages in a text; `complete`: completion at the cursor; `edit`: the text
//!   after a change; `terms`: the texts that a query searches for
//! - `logic`: implications of a query; `steps`: the bounded work of reading one, and its cancellation
//! - `suggest`: suggestions for a text that is not a query
//! - `matcher`: a query made ready to run; `text`, `window`, `glob`, `near` and `regex`: its search for text; `runs`: the
//!   places where it need not search
//!
//! **Invariant:** the text that a [`Query`] prints as parses to the same query.

mod ast;
mod choice;
mod compare;
mod complete;
mod copies;
mod edit;
mod error;
mod expression;
mod glob;
mod limits;
mod logic;
mod matcher;
mod near;
mod number;
mod outline;
mod parse;
mod print;
mod range;
mod regex;
mod runs;
mod stage;
mod steps;
mod suggest;
mod syntax;
mod terms;
mod text;
mod time;
mod value;
mod value_condition;
mod window;

pub use ast::{Codes, FieldTest, Near, Pattern, PatternPart, Query, TextTest, ValueRange};
pub use complete::{
    Completion, CompletionPoint, stages, writing, written_in_quotes, written_name, written_value,
};
pub use edit::{Edit, FieldContent, edit};
pub use error::{ErrorKind, ParseError, ParsedSearch, Unparsed, Warning, WarningKind};
pub use expression::{Cell, Expression, ExpressionFunction, ResultType, functions as expression_functions};
pub use limits::{
    CLAUSES_MAX, DISTANCE_MAX, FIELD_BYTES_MAX, GLOB_CHARS_MAX, LIMIT_MAX, NEAR_WORDS_MAX, NESTING_MAX,
    QUERY_BYTES_MAX, REGEX_BYTES_MAX, REGEX_CHARS_MAX, REGEXES_MAX, STAGE_ITEMS_MAX, STAGES_MAX,
    VALUE_BYTES_MAX,
};
pub use matcher::{Context, Matcher};
pub use number::{Number, Unit, number_of, number_with_unit};
pub use outline::{Outline, WrittenClause, WrittenStage, outline};
pub use parse::{parse, parse_search};
pub use regex::{LooseRegex, Regex, RegexError};
pub use stage::{
    AddedFields, Aggregate, CaptureTemplate, Captures, CapturesError, Function, GAP_COLUMNS, HiddenField,
    Measure, Pipeline, PipelineSearch, Ranking, SortKey, Stage, StreamingError, StreamingNeed, TextFormat,
    parse_asked, parse_pipeline, parse_pipeline_search, shown_names,
};
pub use steps::while_wanted;
pub use syntax::tokens;
pub use syntax::tokens::{QueryToken, TokenKind};
pub use terms::{Term, TermTest, terms};
pub use time::{TimeExpr, TimeRange, Zone, parse_time};
