//! Tests of the query language through its public API: the meaning of texts, and that the matcher agrees with it.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod grammar;
mod habits;
mod matching;
mod pipelines;
mod properties;
mod reference;
mod stages;
mod strategies;
