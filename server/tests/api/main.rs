//! The HTTP API, with everything behind it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod answers;
#[path = "../receive/ingest/calls.rs"]
mod calls;
mod changing;
mod confirm;
mod disabled;
mod endpoints;
mod explore;
mod export;
mod grants;
#[path = "../in_process/mod.rs"]
mod in_process;
mod managing_parts;
mod metrics;
mod private_logspaces;
mod rights;
mod streaming;
#[path = "../support/mod.rs"]
mod support;
mod tail;
mod trying;
