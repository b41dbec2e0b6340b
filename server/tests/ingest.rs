//! What comes over HTTP in the protocols of other systems, and the tokens that it comes with: on real pipelines without
//! sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "ingest/calls.rs"]
mod calls;
#[path = "ingest/destinations.rs"]
mod destinations;
#[path = "ingest/full.rs"]
mod full;
#[path = "ingest/hostile.rs"]
mod hostile;
mod in_process;
#[path = "support/protobuf.rs"]
mod protobuf;
#[path = "ingest/protocols.rs"]
mod protocols;
#[path = "ingest/rights.rs"]
mod rights;
#[path = "ingest/tokens.rs"]
mod tokens;
