//! Stages that work on one message at a time, for all code through which messages pass: searches, the live tail, exports
//! and the filters of routes.
//!
//! | module      | what it does                                                              |
//! |-------------|---------------------------------------------------------------------------|
//! | `enrich`    | `extract`, `parse` and `eval`: a batch with more fields                   |
//! | `transform` | a sequence of stages                                                      |
//!
//! **Invariant:** the result for a message depends only on the message and the time of day.

mod enrich;
mod transform;

pub use enrich::{Enrich, WantedFields, counts};
pub use transform::{Transform, TransformedRows};
