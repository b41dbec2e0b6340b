//! Limits how long a peer may keep us waiting, for the next bytes of a body or until it reads what we send.
//!
//! A peer has a credit. Waiting uses the credit up, every [`RATE_MIN`] bytes transferred restore a second, and it
//! never exceeds its initial value. So both a peer that does nothing and one that transfers a byte now and then are
//! cut off, while a slow line is not. Pure: the caller passes in the time.

use std::time::{Duration, Instant};

/// The number of bytes per second at which a credit stays constant.
const RATE_MIN: u64 = 1024;

/// A peer's remaining credit.
#[derive(Debug)]
pub(crate) struct Credit {
    full: Duration,
    left: Duration,
    waiting_since: Option<Instant>,
}

impl Credit {
    /// Creates a full credit.
    pub(super) fn new(full: Duration) -> Credit {
        Credit { full, left: full, waiting_since: None }
    }

    /// Notes that the peer keeps us waiting.
    pub(super) fn wait(&mut self, now: Instant) {
        self.waiting_since.get_or_insert(now);
    }

    /// Notes that the peer has transferred this many bytes.
    pub(super) fn moved(&mut self, bytes: usize, now: Instant) {
        if let Some(since) = self.waiting_since.take() {
            self.left = self.left.saturating_sub(now.saturating_duration_since(since));
        }
        let earned = Duration::from_millis((bytes as u64).saturating_mul(1000) / RATE_MIN);
        self.left = self.full.min(self.left.saturating_add(earned));
    }

    /// The time when it will be used up, if the peer keeps us waiting.
    pub(crate) fn ends_at(&self) -> Option<Instant> {
        self.waiting_since.map(|since| since + self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(30);

    /// How long the credit of a peer that transfers `bytes` every `interval` lasts; `None` for more than an hour.
    fn lasts(bytes: usize, interval: Duration) -> Option<Duration> {
        let start = Instant::now();
        let (mut credit, mut now) = (Credit::new(FULL), start);
        while now < start + Duration::from_secs(3600) {
            credit.wait(now);
            now += interval;
            match credit.ends_at() {
                Some(end) if end < now => return Some(end - start),
                _ => credit.moved(bytes, now),
            }
        }
        None
    }

    #[test]
    fn a_peer_that_is_too_slow_comes_to_its_end_and_a_slow_line_does_not() {
        let second = Duration::from_secs(1);
        assert_eq!(lasts(0, 3600 * second), Some(FULL));
        assert_eq!(lasts(1 << 30, 31 * second), Some(FULL));
        assert_eq!(lasts(1 << 30, 29 * second), None);
        let byte_each_29_seconds = lasts(1, 29 * second).unwrap();
        assert!(byte_each_29_seconds < 31 * second, "{byte_each_29_seconds:?}");
        let half_the_rate = lasts(512, second).unwrap();
        assert!(half_the_rate < 61 * second, "{half_the_rate:?}");
        assert_eq!(lasts(1024, second), None);
    }

    #[test]
    fn only_waiting_costs() {
        let start = Instant::now();
        let mut credit = Credit::new(FULL);
        credit.moved(1, start + 10 * FULL);
        assert_eq!(credit.ends_at(), None);
        credit.wait(start + 10 * FULL);
        assert_eq!(credit.ends_at(), Some(start + 11 * FULL));
    }
}
