//! Decides how many messages are due, so that a rate is kept over the whole run. Pure: the caller passes in the time.
//!
//! **Invariant:** after a time *t* without a stall exactly `1 + ⌊t × rate⌋` messages were allowed: a thousand in ten
//! seconds at a hundred a second.

use std::time::{Duration, Instant};

/// Maximum burst after a stall, in seconds of the rate.
const BURST_SECONDS_MAX: u128 = 1;
/// Minimum wait. Waking up for each message would cost more than sending it: above a thousand per second, several are
/// sent together.
const WAIT_MIN: Duration = Duration::from_millis(1);
const NANOS: u128 = 1_000_000_000;

/// The rate of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendRate {
    /// No limit: as fast as possible.
    Max,
    /// This many messages per second, at least one.
    PerSecond(u64),
}

/// A rate that applies from a certain moment.
pub(super) struct SendPace {
    rate: SendRate,
    start: Instant,
    taken: u128,
}

impl SendRate {
    /// A clock that counts nanoseconds cannot distinguish higher rates.
    const PER_SECOND_MAX: u64 = 1_000_000_000;

    /// Parses `max`, `1000` or `1000/s`.
    pub fn parse(text: &str) -> Result<SendRate, String> {
        if text == "max" {
            return Ok(SendRate::Max);
        }
        match text.strip_suffix("/s").unwrap_or(text).parse() {
            Ok(0) => Err("a rate of 0 sends nothing: leave --active-connections at 0 for that".to_owned()),
            Ok(rate) if rate <= SendRate::PER_SECOND_MAX => Ok(SendRate::PerSecond(rate)),
            _ => Err(format!(
                "a rate is `max`, or messages a second up to {}: `10000/s`",
                SendRate::PER_SECOND_MAX
            )),
        }
    }
}

impl SendPace {
    pub(super) fn new(rate: SendRate, start: Instant) -> SendPace {
        SendPace { rate, start, taken: 0 }
    }

    /// The number of messages that are due.
    pub(super) fn due(&mut self, now: Instant) -> u64 {
        let SendRate::PerSecond(rate) = self.rate else { return u64::MAX };
        let rate = u128::from(rate);
        let allowed = 1 + now.saturating_duration_since(self.start).as_nanos() * rate / NANOS;
        self.taken = self.taken.max(allowed.saturating_sub(rate * BURST_SECONDS_MAX));
        // The difference is at most a burst of one second, which fits.
        (allowed.saturating_sub(self.taken)) as u64
    }

    /// Records that this many were sent.
    pub(super) fn record_sent(&mut self, messages: usize) {
        self.taken += messages as u128;
    }

    /// The time to wait if nothing is due.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        let SendRate::PerSecond(rate) = self.rate else { return Duration::ZERO };
        let next_nanos = (self.taken * NANOS).div_ceil(u128::from(rate));
        let passed_nanos = now.saturating_duration_since(self.start).as_nanos();
        let wait =
            Duration::from_nanos(u64::try_from(next_nanos.saturating_sub(passed_nanos)).unwrap_or(u64::MAX));
        wait.max(WAIT_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_rate_is_read_or_refused() {
        let check = |text: &str, expected: Option<SendRate>| {
            assert_eq!(SendRate::parse(text).ok(), expected, "{text}")
        };
        check("max", Some(SendRate::Max));
        check("100000", Some(SendRate::PerSecond(100_000)));
        check("100000/s", Some(SendRate::PerSecond(100_000)));
        for text in ["", "0", "0/s", "-1", "1.5", "100k", "/s", "99999999999999999999", "2000000000"] {
            check(text, None);
        }
    }

    #[test]
    fn messages_are_due_one_after_the_other_and_none_at_the_end_of_the_last_second() {
        let start = Instant::now();
        let mut pace = SendPace::new(SendRate::PerSecond(100), start);
        let mut check = |micros: u64, due: u64, wait_ms: u64| {
            let now = start + Duration::from_micros(micros);
            assert_eq!(pace.due(now), due, "after {micros} us");
            pace.record_sent(due as usize);
            assert_eq!(pace.wait(now), Duration::from_millis(wait_ms), "after {micros} us");
        };
        check(0, 1, 10);
        check(5_000, 0, 5);
        check(9_999, 0, 1);
        check(10_000, 1, 10);
        check(999_999, 98, 1);
        check(1_000_000, 1, 10);
    }

    #[test]
    fn after_a_stall_a_second_is_made_up_for_and_no_more() {
        let start = Instant::now();
        let mut pace = SendPace::new(SendRate::PerSecond(1000), start);
        assert_eq!(pace.due(start + Duration::from_secs(60)), 1000);
    }

    proptest! {
        #[test]
        fn a_rate_is_kept_however_often_it_is_asked(
            rate in 1_u64..2_000_000,
            steps in proptest::collection::vec(1_u64..900_000, 1..50),
        ) {
            let start = Instant::now();
            let mut pace = SendPace::new(SendRate::PerSecond(rate), start);
            let (mut micros, mut sent) = (0, 0);
            for step in steps {
                micros += step;
                let due = pace.due(start + Duration::from_micros(micros));
                pace.record_sent(due as usize);
                sent += due;
            }
            prop_assert_eq!(sent, 1 + micros * rate / 1_000_000);
        }
    }
}
