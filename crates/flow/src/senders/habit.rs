//! The usual pauses of a sender, which distinguish one that has gone silent from one that sends little.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The number of days whose longest pauses are kept.
const DAYS: usize = 8;
const DAY_SECONDS: i64 = 86_400;
/// With fewer messages than this, no pause counts as usual.
const MESSAGES_MIN: u64 = 10;

/// The pauses of a sender. Times are in seconds since 1970.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Habit {
    /// The newest day that has a pause.
    day: i64,
    /// The longest pause that ended on day `n`, at `n % DAYS`, in seconds.
    pauses: [u32; DAYS],
}

impl Habit {
    /// Records a pause that has ended.
    pub(super) fn paused(&mut self, seconds: i64, now: i64) {
        let day = now.div_euclid(DAY_SECONDS);
        let passed = usize::try_from(day - self.day).unwrap_or(0).min(DAYS);
        for back in 0..passed as i64 {
            self.pauses[index(day - back)] = 0;
        }
        self.day = self.day.max(day);
        let longest = &mut self.pauses[index(self.day)];
        *longest = (*longest).max(u32::try_from(seconds).unwrap_or(0));
    }

    /// The longest pause of the last days on which messages arrived.
    pub(super) fn longest_pause(&self) -> Duration {
        Duration::from_secs(self.pauses.iter().copied().max().unwrap_or(0).into())
    }

    /// Whether this long without a message is unusual: twice the longest pause, and no less than `least`.
    pub(super) fn is_broken(&self, messages: u64, quiet: Duration, least: Duration) -> bool {
        MESSAGES_MIN <= messages && least.max(2 * self.longest_pause()) < quiet
    }
}

fn index(day: i64) -> usize {
    day.rem_euclid(DAYS as i64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn silence_is_measured_against_the_pauses_of_the_last_days() {
        let mut habit = Habit::default();
        assert!(habit.is_broken(10, 11 * MINUTE, 10 * MINUTE));
        assert!(!habit.is_broken(9, 11 * MINUTE, 10 * MINUTE), "too little is known of it");
        habit.paused(3600, 5 * DAY_SECONDS);
        assert!(!habit.is_broken(10, 120 * MINUTE, 10 * MINUTE));
        assert!(habit.is_broken(10, 121 * MINUTE, 10 * MINUTE));
        // A week later the long pause no longer counts.
        habit.paused(60, 12 * DAY_SECONDS);
        assert_eq!(habit.longest_pause(), 60 * MINUTE);
        habit.paused(60, 13 * DAY_SECONDS);
        assert_eq!(habit.longest_pause(), MINUTE);
    }
}
