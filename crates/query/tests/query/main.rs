//! The query language from outside: what texts mean, and that the matcher finds what the meaning says.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod grammar;
mod habits;
mod matching;
mod pipelines;
mod properties;
mod reference;
mod stages;
mod strategies;
