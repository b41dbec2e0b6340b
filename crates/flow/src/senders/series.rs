//! The number of messages in each five minutes of the last day.

use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};

/// The length of a step.
pub(super) const STEP_SECONDS: i64 = 300;
/// The number of steps in a day.
pub(super) const STEPS: usize = 288;

/// **Invariant:** `counts` has [`STEPS`] entries; that of step `n` is at `n % STEPS`.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct CountSeries {
    /// The newest step that is counted.
    last: i64,
    counts: Vec<u32>,
}

impl CountSeries {
    pub(super) fn beginning(now: Timestamp) -> CountSeries {
        CountSeries { last: step(now), counts: vec![0; STEPS] }
    }

    pub(super) fn add(&mut self, now: Timestamp, messages: u64) {
        let step = step(now);
        // If the clock goes back, messages are counted in the newest step.
        let passed = usize::try_from(step - self.last).unwrap_or(0).min(STEPS);
        for back in 0..passed as i64 {
            self.counts[index(step - back)] = 0;
        }
        self.last = self.last.max(step);
        let count = &mut self.counts[index(self.last)];
        *count = count.saturating_add(u32::try_from(messages).unwrap_or(u32::MAX));
    }

    /// The last day, the oldest step first. The last step is the one that `now` is in.
    pub(super) fn until(&self, now: Timestamp) -> Vec<u32> {
        let end = step(now);
        let kept = self.last - STEPS as i64 + 1..=self.last;
        let count = |step: i64| if kept.contains(&step) { self.counts[index(step)] } else { 0 };
        (end - STEPS as i64 + 1..=end).map(count).collect()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.counts.len() == STEPS
    }
}

/// The beginning of the first step of a series that ends now.
pub(super) fn beginning(now: Timestamp) -> Timestamp {
    let first = step(now) - STEPS as i64 + 1;
    Timestamp::from_nanos(first * STEP_SECONDS * 1_000_000_000)
}

fn step(time: Timestamp) -> i64 {
    time.nanos().div_euclid(STEP_SECONDS * 1_000_000_000)
}

fn index(step: i64) -> usize {
    step.rem_euclid(STEPS as i64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(step: i64) -> Timestamp {
        Timestamp::from_nanos(step * STEP_SECONDS * 1_000_000_000)
    }

    proptest! {
        /// The counts equal those from a list of all events.
        #[test]
        fn it_is_the_last_day(passed in proptest::collection::vec((0i64..400, 1u64..9), 1..40), later in 0i64..400) {
            let mut series = CountSeries::beginning(at(1000));
            let (mut now, mut all) = (1000, Vec::new());
            for (steps, messages) in passed {
                now += steps;
                series.add(at(now), messages);
                all.push((now, messages));
            }
            let end = now + later;
            let expected: Vec<u32> = (end - STEPS as i64 + 1..=end)
                .map(|step| all.iter().filter(|(at, _)| *at == step).map(|(_, messages)| *messages as u32).sum())
                .collect();
            prop_assert_eq!(series.until(at(end)), expected);
        }
    }

    #[test]
    fn a_clock_that_goes_back_loses_nothing() {
        let mut series = CountSeries::beginning(at(1000));
        series.add(at(1000), 1);
        series.add(at(400), 2);
        assert_eq!(series.until(at(1000)).last(), Some(&3));
    }
}
