//! Tests of a logspace through its public API: appending, sealing, searching and opening, on failing disks and on a
//! real one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bit_rot;
#[path = "../common/mod.rs"]
mod common;
mod crash_points;
mod deadlines;
mod distinct_values;
mod ends;
mod full_disk;
mod golden_files;
mod opening;
mod pages;
mod queue;
mod readers;
mod real_disk;
mod remembered;
