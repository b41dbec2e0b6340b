//! The command line.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod apply;
mod command_line;
mod environment;
mod loadgen;
mod serve;
#[path = "../support/mod.rs"]
mod support;
