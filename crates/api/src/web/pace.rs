//! Limits how fast the requests of a connection without a login are answered.
//!
//! A page and everything it loads take a few dozen requests. A request costs its sender next to nothing, so a client
//! that sends many more, perhaps without reading the responses, would slow down searches. Pure: the caller passes in
//! the time.

use std::time::{Duration, Instant};

/// Number of requests that are answered at once.
const REQUESTS_AT_ONCE: u32 = 50;
/// Further requests are answered at this interval.
const INTERVAL: Duration = Duration::from_secs(1);

/// The recent requests of one connection.
#[derive(Debug)]
pub(super) struct RequestPace {
    /// The time when all its requests are answered, if one is answered per interval.
    done_at: Instant,
}

impl RequestPace {
    pub(super) fn new(now: Instant) -> RequestPace {
        RequestPace { done_at: now }
    }

    /// Counts a request, and returns how long it has to wait.
    pub(super) fn ask(&mut self, now: Instant) -> Duration {
        let ahead = self.done_at.saturating_duration_since(now);
        self.done_at = self.done_at.max(now) + INTERVAL;
        (ahead + INTERVAL).saturating_sub(INTERVAL * REQUESTS_AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_answered_at_once_and_a_flood_one_by_one() {
        let start = Instant::now();
        let mut pace = RequestPace::new(start);
        let waits: Vec<Duration> = (0..53).map(|_| pace.ask(start)).collect();
        assert!(waits[..50].iter().all(Duration::is_zero), "{waits:?}");
        assert_eq!(waits[50..], [INTERVAL, INTERVAL * 2, INTERVAL * 3]);
        let later = start + INTERVAL * 53;
        assert_eq!(pace.ask(later), Duration::ZERO, "what was asked long ago is forgotten");
    }

    #[test]
    fn who_asks_no_more_often_than_that_never_waits() {
        let start = Instant::now();
        let mut pace = RequestPace::new(start);
        for number in 0..1000 {
            assert_eq!(pace.ask(start + INTERVAL * number), Duration::ZERO);
        }
    }
}
