//! Stages that need no more than one message at a time, wherever messages pass: in questions, on the live tail, in
//! exports and in the filters of routes.
//!
//! | module      | what it does                                                              |
//! |-------------|---------------------------------------------------------------------------|
//! | `found`     | the fields that stand in a text                                           |
//! | `enrich`    | `extract`, `parse` and `eval`: a batch with more fields                   |
//! | `transform` | a row of stages                                                           |
//!
//! **Invariant:** what becomes of a message depends on nothing but the message and the time of day.

mod enrich;
mod text_fields;
mod transform;

pub use enrich::{Enrich, WantedFields, counts};
pub use transform::{Transform, TransformedRows};
