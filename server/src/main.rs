//! The `logstead` command.

use std::process::ExitCode;

/// The system's allocator keeps freed memory, so after a burst the process would keep its greatest size.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A background thread returns memory even if nothing else happens. Without it, memory is returned only with later
    // allocations.
    tikv_jemalloc_ctl::background_thread::write(true).ok();
    logstead::cli::run()
}
