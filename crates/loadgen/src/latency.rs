//! How long acknowledgements took: a histogram with classes three percent wide, so its size does not depend on their
//! number.

use std::time::Duration;

/// Number of classes between a power of two and the next.
const CLASSES: usize = 32;
const CLASS_BITS: u32 = CLASSES.trailing_zeros();
/// Number of powers of two, which cover a microsecond to years.
const POWERS: usize = 64;
const MICROS_MAX: u64 = 1 << 58;

/// Counted times.
#[derive(Clone)]
pub(super) struct Latencies {
    counts: Vec<u64>,
}

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies { counts: vec![0; POWERS * CLASSES] }
    }
}

impl Latencies {
    /// Records that this many messages were acknowledged after this time.
    pub(super) fn add(&mut self, waited: Duration, messages: u64) {
        let micros = u64::try_from(waited.as_micros()).map_or(MICROS_MAX, |micros| micros.min(MICROS_MAX));
        self.counts[class(micros)] += messages;
    }

    pub(super) fn merge(&mut self, other: &Latencies) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count += other;
        }
    }

    /// The time within which `share` of the messages were acknowledged; `None` if none were.
    pub(super) fn quantile(&self, share: f64) -> Option<Duration> {
        let total: u64 = self.counts.iter().sum();
        let wanted = ((total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let class = self.counts.iter().position(|count| {
            seen += count;
            wanted <= seen
        })?;
        Some(Duration::from_micros(class_end(class)))
    }
}

fn class(micros: u64) -> usize {
    if micros < CLASSES as u64 {
        return micros as usize;
    }
    let power = micros.ilog2() - CLASS_BITS;
    (power as usize) * CLASSES + (micros >> power) as usize
}

/// The longest time of a class.
fn class_end(class: usize) -> u64 {
    if class < CLASSES {
        return class as u64;
    }
    let power = class / CLASSES - 1;
    let mantissa = (class - power * CLASSES) as u64;
    ((mantissa + 1) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_quantile_is_what_that_share_did_not_exceed() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile(0.5), None);
        for micros in 1..=20 {
            latencies.add(Duration::from_micros(micros), 5);
        }
        let check =
            |share, micros| assert_eq!(latencies.quantile(share), Some(Duration::from_micros(micros)));
        check(0.5, 10);
        check(0.99, 20);
        check(0.0, 1);
        check(1.0, 20);
    }

    proptest! {
        #[test]
        fn a_class_is_three_percent_wide(micros in 0_u64..1 << 58) {
            let mut latencies = Latencies::default();
            latencies.add(Duration::from_micros(micros), 1);
            let told = latencies.quantile(0.5).unwrap().as_micros() as u64;
            prop_assert!(micros <= told && told - micros <= micros / 32, "{} for {}", told, micros);
        }
    }
}
