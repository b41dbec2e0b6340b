//! The query language: text to [`Query`] and back, and the [`Matcher`] that decides which messages one means.
//!
//! ```
//! use logstead_record::{Timestamp, query};
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
//! - `parse` and `compare`: what a tree means; `value`: what a field is compared with means
//! - `ast`: the [`Query`]; `print`: its canonical text, and the only place that quotes
//! - `stage`: what follows a filter in a [`Pipeline`]
//! - `outline`: where clauses and stages stand in a text; `complete`: what is being written at a place; `edit`: the
//!   text after a change; `terms`: the texts that are looked for
//! - `matcher`: a query made ready to run; `text` and `glob`: how it finds text
//!
//! **Invariant:** the text that a [`Query`] prints as parses to the same query.

mod ast;
mod compare;
mod complete;
mod edit;
mod error;
mod glob;
mod limits;
mod matcher;
mod number;
mod outline;
mod parse;
mod print;
mod range;
mod regex;
mod stage;
mod syntax;
mod terms;
mod text;
mod time;
mod value;

pub use ast::{Bounds, Codes, FieldName, FieldTest, Part, Pattern, Query, TextTest};
pub use complete::{Wanted, Writing, stages, writing, written_in_quotes, written_name, written_value};
pub use edit::{Edit, Held, edit};
pub use error::{ErrorKind, ParseError, Search, Warning};
pub use limits::{
    CLAUSES_MAX, GLOB_CHARS_MAX, LIMIT_MAX, NESTING_MAX, QUERY_BYTES_MAX, REGEX_BYTES_MAX, REGEXES_MAX,
    STAGE_ITEMS_MAX, STAGES_MAX,
};
pub use matcher::{Context, Matcher};
pub use number::{Number, Unit, number_of};
pub use outline::{Outline, WrittenClause, WrittenStage, outline};
pub use parse::{parse, parse_search};
pub use regex::{BadRegex, Regex};
pub use stage::{
    Aggregate, BadCaptures, Captures, Format, Function, Measure, Pipeline, PipelineSearch, Ranking, SortKey,
    Stage, Template, parse_pipeline, parse_pipeline_search,
};
pub use syntax::tokens;
pub use syntax::tokens::{Token, TokenKind};
pub use terms::{Term, terms};
pub use time::{TimeExpr, TimeRange, Zone, parse_time};
