//! Tests that change what their whole process may do, and so share it with no others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod changing;
#[path = "../in_process/mod.rs"]
mod in_process;
#[path = "../support/mod.rs"]
mod support;
