//! Sources: the messages that senders send, and the effects of senders on each other.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../peers/certificates.rs"]
mod certificates;
mod encrypted;
mod files;
mod gelf;
mod held_connections;
mod hostile_bodies;
#[path = "../in_process/mod.rs"]
mod in_process;
mod ingest;
mod isolation;
mod senders;
#[path = "../support/mod.rs"]
mod support;
