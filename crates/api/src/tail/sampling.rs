//! Decides which matches a tail sends when there are more than anyone can read. Pure: the caller passes in the time.
//!
//! Every n-th match of a second is sent, where n depends on the number of matches in the previous second. If n was too
//! small, the last matches of the second are not sent.
//!
//! **Invariant:** at most `rate_max` matches are sent per second, apart from a backlog; and if no more match, all are.

use std::time::{Duration, Instant};

/// The period to which `rate_max` applies.
const SECOND: Duration = Duration::from_secs(1);

pub(crate) struct Sampling {
    rate_max: u64,
    /// Number of matches of a backlog that are still sent regardless of the rate.
    backlog_left: u64,
    /// The start of the current second.
    since: Instant,
    matched: u64,
    sent: u64,
    one_in: u64,
}

impl Sampling {
    /// Creates the sampling; up to `backlog_max` matches of a backlog are sent regardless of the rate.
    pub(crate) fn new(rate_max: u64, backlog_max: u64, now: Instant) -> Sampling {
        Sampling { rate_max, backlog_left: backlog_max, since: now, matched: 0, sent: 0, one_in: 1 }
    }

    /// Notes that the backlog has been sent.
    pub(crate) fn end_backlog(&mut self) {
        self.backlog_left = 0;
    }

    /// Whether the next match is sent.
    pub(crate) fn admits(&mut self, now: Instant) -> bool {
        if 0 < self.backlog_left {
            self.backlog_left -= 1;
            return true;
        }
        let passed = now.saturating_duration_since(self.since);
        if SECOND <= passed {
            let seconds = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).max(1000);
            let allowed = self.rate_max.saturating_mul(seconds) / 1000;
            self.one_in = self.matched.div_ceil(allowed.max(1)).max(1);
            (self.since, self.matched, self.sent) = (now, 0, 0);
        }
        let is_its_turn = self.matched.is_multiple_of(self.one_in);
        self.matched += 1;
        let is_sent = is_its_turn && self.sent < self.rate_max;
        self.sent += u64::from(is_sent);
        is_sent
    }
}

/// The share of matches that was sent, as one in this many; `None` if all were sent.
pub(crate) fn one_in(matched: u64, sent: u64) -> Option<u64> {
    let rounded = || (matched + sent / 2) / sent.max(1);
    (sent < matched).then(|| rounded().max(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks how many of these matches are sent in each second.
    fn check(rate_max: u64, backlog_max: u64, seconds: &[(u64, u64)]) {
        let start = Instant::now();
        let mut sampling = Sampling::new(rate_max, backlog_max, start);
        for (second, &(matches, expected)) in (0_u32..).zip(seconds) {
            let at = |number: u64| start + SECOND * second + SECOND.mul_f64(number as f64 / matches as f64);
            let sent = (0..matches).filter(|&number| sampling.admits(at(number))).count();
            assert_eq!(sent as u64, expected, "second {second}");
        }
    }

    #[test]
    fn all_are_sent_up_to_the_rate_and_every_nth_beyond() {
        check(2000, 0, &[(2000, 2000), (10, 10), (2000, 2000)]);
        check(2000, 0, &[(5000, 2000), (5000, 1667), (5000, 1667), (100, 34), (100, 100)]);
        check(1, 0, &[(1_000, 1), (1_000, 1)]);
    }

    #[test]
    fn a_backlog_is_sent_whatever_the_rate() {
        check(10, 500, &[(500, 500), (10, 10)]);
        check(10, 500, &[(600, 510), (10, 1)]);
    }

    #[test]
    fn a_share_is_told_as_one_in_so_many() {
        assert_eq!(one_in(0, 0), None);
        assert_eq!(one_in(5000, 5000), None);
        assert_eq!(one_in(5000, 1667), Some(3));
        assert_eq!(one_in(5000, 4999), Some(2));
        assert_eq!(one_in(7, 0), Some(7));
    }

    proptest! {
        #[test]
        fn a_second_never_holds_more_than_the_rate(
            rate_max in 1_u64..50, gaps in proptest::collection::vec(0_u64..100, 0..500),
        ) {
            let start = Instant::now();
            let mut sampling = Sampling::new(rate_max, 0, start);
            let (mut at, mut since, mut sent) = (start, start, 0);
            for gap in gaps {
                at += Duration::from_millis(gap);
                if SECOND <= at - since {
                    (since, sent) = (at, 0);
                }
                sent += u64::from(sampling.admits(at));
                prop_assert!(sent <= rate_max);
            }
        }
    }
}
