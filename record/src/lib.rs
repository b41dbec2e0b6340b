//! What a message, a batch, a word and a query are. Everything else in Logstead speaks these.
//!
//! - [`Batch`]: messages in columns, built by a [`BatchBuilder`], narrowed by a [`Selection`]
//! - [`word`]: what a word is
//! - [`query`]: the query language, and the [`query::Matcher`] that says which rows of a batch a query means
//!
//! **Invariant:** no file, socket, clock, index or wire format is known here; what depends on the time of day
//! takes it as an argument.

mod batch;
mod column;
mod field;
mod group;
mod priority;
pub mod query;
mod raw;
mod selection;
mod time;
pub mod word;

pub use batch::{BATCH_BYTES_MAX, BATCH_ROWS_MAX, Batch, BatchBuilder, Columns, Flags, Origin, Row};
pub use column::{ColumnError, NameColumn, TextColumn};
pub use field::Field;
pub use group::{Group, Groups};
pub use priority::{FACILITY_NAMES, Facility, Priority, SEVERITY_NAMES, Severity, UnknownName};
pub use raw::HeadForm;
pub use selection::Selection;
pub use time::{DAY, MONTHS, SECOND, Timestamp, days_in_month};
