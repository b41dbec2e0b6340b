//! Destinations: queues, protocols, kills, and the trust of the server as a client.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../peers/certificates.rs"]
mod certificates;
mod files;
mod http;
mod kills;
mod outside;
mod queues;
mod s3;
mod steps;
#[path = "../support/mod.rs"]
mod support;
