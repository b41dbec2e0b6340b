//! Retries what could not be opened at the start, with growing pauses.

use std::time::Duration;

/// Waits between tries double from the first to the last.
const WAIT_FIRST: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Starts a thread that calls `try_again` until it says that nothing is left to be tried.
pub(super) fn start(try_again: impl FnMut() -> bool + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("listeners".to_owned()).spawn(move || run(try_again)).map(drop)
}

fn run(mut try_again: impl FnMut() -> bool) {
    let mut wait = WAIT_FIRST;
    loop {
        // It holds nothing in the meantime, so a stop does not wait for it.
        std::thread::sleep(wait);
        wait = (wait * 2).min(WAIT_MAX);
        if !try_again() {
            return;
        }
    }
}
