//! The `logstead` command.

use std::process::ExitCode;

/// The system's allocator keeps what was freed: after a burst the process stays as large as it ever was.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A thread of its own gives memory back, also when nothing else happens. Where there is none, memory goes back when
    // more is asked for.
    tikv_jemalloc_ctl::background_thread::write(true).ok();
    logstead::cli::run()
}
