//! Tests that change limits of their whole process, so they cannot share it with other tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod changing;
#[path = "../in_process/mod.rs"]
mod in_process;
#[path = "../support/mod.rs"]
mod support;
