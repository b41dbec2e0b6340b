//! Tests of the HTTP API, with everything behind it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod accounts_as_code;
mod administration;
mod answers;
mod arrow_stream;
mod calls;
mod confirm;
mod console;
mod description;
mod disabled;
mod documents;
mod examples;
mod explore;
mod export;
mod export_columns;
mod grants;
#[path = "../in_process/mod.rs"]
mod in_process;
#[path = "../receive/ingest/calls.rs"]
mod ingest_calls;
mod ingesting;
mod jobs;
mod lists;
mod managing_parts;
mod metrics;
mod private_logspaces;
mod problems;
mod rights;
mod searching;
mod sessions;
mod streaming;
#[path = "../support/mod.rs"]
mod support;
mod tail;
mod trying;
