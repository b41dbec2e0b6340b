//! The definitions of message, batch and word, which everything else in Logstead uses.
//!
//! - [`Batch`]: messages in columns, built by a [`BatchBuilder`], narrowed by a [`Selection`], changed by a [`Rewrite`]
//! - [`columns`]: the columns of a batch; [`Field`]: the column in which each field is kept
//! - [`word`]: the definition of a word; [`bits`]: many comparisons at once
//!
//! **Invariant:** no file, socket, clock, index or wire format is known here; what depends on the time of day
//! takes it as an argument.

mod batch;
pub mod bits;
mod builder;
mod column;
mod column_group;
pub mod columns;
mod copies;
mod field;
mod field_name;
mod flags;
mod priority;
mod raw;
mod rewrite;
mod selection;
mod shapes;
mod time;
mod value;
pub mod word;

pub use batch::{BATCH_BYTES_MAX, BATCH_ROWS_MAX, Batch};
pub use builder::{BatchBuilder, Origin, Row, RowTexts};
pub use column::{ColumnError, NameColumn, TextColumn};
pub use column_group::{ColumnGroup, ColumnGroups};
pub use columns::Columns;
pub use field::{Field, Storage};
pub use field_name::FieldName;
pub use flags::Flags;
pub use priority::{FACILITY_NAMES, Facility, Priority, PriorityHalf, SEVERITY_NAMES, Severity, UnknownName};
pub use raw::HeadForm;
pub use rewrite::{NewFields, Rewrite};
pub use selection::Selection;
pub use shapes::SHAPED_ROWS_MIN;
pub use time::{DAY, MONTHS, SECOND, Timestamp, days_in_month};
