//! The `logstead` command.

use std::process::ExitCode;

/// The system's allocator keeps freed memory: after a burst the process stays as large as it ever was.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A background thread returns memory even if nothing else happens. Without it, memory is returned when more is
    // allocated.
    tikv_jemalloc_ctl::background_thread::write(true).ok();
    logstead::cli::run()
}
