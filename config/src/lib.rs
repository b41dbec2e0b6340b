//! Configuration: text → documents → checked.
//!
//! There are two documents. The [`settings`] are those of the process and come in layers. The router document routes
//! messages; it is edited while the process runs, as TOML or as JSON of the same shape:
//!
//! ```text
//! TOML ─┐                                check          ┌─▶ Checked ──▶ the router that runs
//!       ├─▶ Node ─▶ Document ──────────────────────────┤
//! JSON ─┘           │ to_toml, merge_into_toml          └─▶ every Problem: path, line, column, what to do
//!                   ▼
//!                  TOML, with the comments of the text before
//! ```
//!
//! A [`Document`] is the author's text with a type for each value. [`Checked`] is a document that can run: names resolved,
//! filters parsed. [`diff`] describes the changes of an edit in words.
//!
//! **Invariant:** text in, text and values out. No file, socket, clock or environment is touched here.
//! **Invariant:** all problems of a text are reported at once, and none that merely follows from another.

pub mod accounts;
mod auto;
pub mod catalogue;
mod check;
mod checked;
mod choice;
mod destination;
mod diff;
mod document;
mod edit;
mod listen;
mod logspace;
mod name_template;
mod node;
mod problem;
mod read;
mod redact;
mod route;
pub mod settings;
mod source;
mod step;
mod table_reader;
mod unit;
mod warn;
mod zone;

pub use auto::{CountOrAuto, SizeOrAuto};
pub use catalogue::{DestinationType, SourceType};
pub use check::{
    Draft, check, check_toml, draft_json, draft_toml, is_id, is_logspace_id, is_private, placed,
};
pub use checked::{Checked, CheckedRoute, RouteTarget};
pub use choice::*;
pub use destination::*;
pub use diff::{ChangedIds, Changes, diff};
pub use document::{Document, VERSION, destination_from_json, from_json, from_toml};
pub use edit::{merge_into_toml, to_toml};
pub use listen::ListenAddress;
pub use logspace::{Logspace, Retention};
pub use name_template::{MessageTime, NamePart, NameTemplate, TimePart};
pub use node::DOCUMENT_BYTES_MAX;
pub use problem::{DocumentWarning, DocumentWarningCode, PROBLEMS_MAX, Problem};
pub use redact::{redacted, redacted_document};
pub use route::Route;
pub use source::*;
pub use step::{
    CheckedAction, CheckedFormat, CheckedStep, ParseFormat, RouteStep, STEPS_MAX, SampleShare, StepAction,
    TemplatePiece, TextTemplate, ThrottleRate, facility_of, fits, is_lookup_name, severity_of, time_of,
};
pub use unit::{Period, Size, UnitError};
pub use zone::SenderZone;

/// The router document of a new data directory.
pub const DEFAULT_ROUTER_TOML: &str = include_str!("../router.toml");
