//! The times at which opening a journal is tried again after a failure, with growing pauses.

use std::time::{Duration, Instant};

/// The pause after the first failure; it doubles with each further one, up to the maximum.
const WAIT_FIRST: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The pauses of one journal.
#[derive(Clone, Copy, Debug)]
pub struct Reopening {
    wait: Duration,
    /// When the next attempt is due.
    pub at: Instant,
}

impl Reopening {
    /// The first attempt may be made at once.
    pub fn first() -> Reopening {
        Reopening { wait: WAIT_FIRST, at: Instant::now() }
    }

    /// Whether an attempt is due.
    pub fn is_due(&self) -> bool {
        self.at <= Instant::now()
    }

    /// Notes that an attempt failed.
    pub fn failed(&mut self) {
        self.at = Instant::now() + self.wait;
        self.wait = (self.wait * 2).min(WAIT_MAX);
    }
}
