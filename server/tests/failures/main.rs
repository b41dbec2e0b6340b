//! Kills, full disks, damaged stores, little memory, and the starts after them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod apply_under_load;
mod crash;
mod damaged_stores;
mod export_jobs;
mod full_disk;
mod ledger;
mod memory;
mod sealing;
mod starting;
#[path = "../support/mod.rs"]
mod support;
mod troubles;
