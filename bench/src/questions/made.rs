//! Values of generated lines, each made of a number, so that the same number is always the same value.

pub(super) use crate::corpus::Random;
use crate::corpus::START_SECOND;

/// The span of all lines in seconds: a day.
const DAY: u64 = 86_400;
/// How many names of users there are: three syllables of eighty.
const NAMES: u64 = 80 * 80 * 80;

/// The time of a line, in microseconds since 1970: the times rise by the same step.
pub(super) fn micros_at(number: u64, count: u64) -> u64 {
    START_SECOND * 1_000_000
        + (u128::from(number) * u128::from(DAY * 1_000_000) / u128::from(count.max(1))) as u64
}

/// The same for the head of a line.
pub(super) fn time_at(number: u64, count: u64) -> String {
    time_text(micros_at(number, count))
}

/// Microseconds since 1970 in RFC 3339. All times are of one day, the first of November.
pub(super) fn time_text(micros: u64) -> String {
    let within = micros - START_SECOND * 1_000_000;
    let (seconds, micros) = (within / 1_000_000, within % 1_000_000);
    format!("2026-11-01T{}.{micros:06}Z", clock(seconds))
}

/// The time of day.
pub(super) fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// One of many public addresses.
pub(super) fn address_of(number: u64) -> String {
    let [a, b, c, d, ..] = Random(number).next().to_le_bytes();
    format!("{}.{b}.{c}.{}", 11 + a % 200, 1 + d % 254)
}

/// A name that can be said.
pub(super) fn user_name(number: u64) -> String {
    const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
    const VOWELS: &[u8; 5] = b"aeiou";
    // The factor has no divisor in common with the number of names, so that no two are the same.
    let mut rest = number * 317_777 % NAMES;
    let mut name = String::new();
    for _ in 0..3 {
        let syllable = (rest % 80) as usize;
        name.push(char::from(CONSONANTS[syllable / 5]));
        name.push(char::from(VOWELS[syllable % 5]));
        rest /= 80;
    }
    name
}

/// The id of a trace, which no other has.
pub(super) fn trace_id(number: u64) -> String {
    let mut random = Random(number);
    format!("{:016x}{:016x}", random.next(), random.next())
}

/// A number below `1 << bits`, of which as many have two digits as three.
pub(super) fn log_uniform(random: &mut Random, bits: u64) -> u64 {
    let low = 1 << random.below(bits);
    low + random.below(low)
}

/// A number below `all`: half of the time below `often`.
pub(super) fn skewed(random: &mut Random, often: u64, all: u64) -> u64 {
    let end = if random.below(2) == 0 { often } else { all };
    random.below(end)
}

pub(super) fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

/// Places in a list, each as often as it weighs.
pub(super) fn weighted(weights: &[u64]) -> Vec<usize> {
    let places = weights.iter().enumerate();
    places.flat_map(|(place, weight)| std::iter::repeat_n(place, *weight as usize)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_traces_differ() {
        let names: BTreeSet<String> = (0..50_000).map(user_name).collect();
        let traces: BTreeSet<String> = (0..50_000).map(trace_id).collect();
        assert_eq!((names.len(), traces.len()), (50_000, 50_000));
    }

    #[test]
    fn times_are_of_one_day() {
        assert_eq!(time_at(0, 10), "2026-11-01T00:00:00.000000Z");
        assert_eq!(time_at(9, 10), "2026-11-01T21:36:00.000000Z");
        assert_eq!(time_at(1, 86_400_000), "2026-11-01T00:00:00.001000Z");
    }

    #[test]
    fn weights_are_shares() {
        assert_eq!(weighted(&[2, 0, 1]), [0, 0, 2]);
    }
}
