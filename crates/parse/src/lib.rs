//! Reads names and values from texts, for formats of messages, stages of queries and steps of routes.
//!
//! | module   | reads                                                                  |
//! |----------|------------------------------------------------------------------------|
//! | `json`   | a JSON object, wherever it begins                                      |
//! | `pairs`  | `key=value key="a value"`, anywhere                                    |
//! | `cef`    | ArcSight's CEF, as a whole text                                        |
//! | `leef`   | IBM's LEEF, as a whole text                                            |
//! | `pieces` | where the pieces of a JSON text stand                                  |
//! | `sink`   | what takes the values, and their limits                                |
//! | `csv`    | one line of values with commas between them                            |
//!
//! **Invariant:** whatever the text, nothing fails and nothing is unbounded: a text that cannot be read has no values.

mod cef;
mod csv;
mod json;
mod leef;
mod pairs;
mod pieces;
mod sink;

pub use cef::read as cef;
pub use csv::read as csv;
pub use json::{ExceededLimit, JsonLimits, JsonObject, json, json_into};
pub use leef::read as leef;
pub use pairs::key_value;
pub use sink::{FIELDS_MAX, NAME_BYTES_MAX, Pair, PairSink};
