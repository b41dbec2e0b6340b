//! The distribution of the numbers among the values of a field.
//!
//! **Invariant:** every number is in exactly one bucket.

use logstead_query::{Unit, number_with_unit};

/// The greatest number of buckets of a distribution.
const BUCKETS: usize = 32;
/// The ratio of the greatest to the least number from which on the buckets are equally wide on a logarithmic scale.
const POWERS_FROM: f64 = 100.0;
/// The least share of a field's messages that must have a number as its value.
const LEAST_PART: f64 = 0.9;

/// Numbers in buckets.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    /// The number of messages that have a number.
    pub messages: u64,
    /// The most frequent unit among the numbers that have one.
    pub unit: Unit,
    /// The least value.
    pub min: f64,
    /// The median: half of the numbers are not greater.
    pub median: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The greatest value.
    pub max: f64,
    /// The lower end of each bucket, and the number of messages with a number in it. The last bucket ends at `max`.
    pub buckets: Vec<(f64, u64)>,
}

impl Distribution {
    /// The distribution of values, each given with its number of messages; `None` if too few of them are numbers.
    pub fn of<'a>(values: impl Iterator<Item = (&'a [u8], u64)>) -> Option<Distribution> {
        let (mut numbers, mut all, mut messages) = (Vec::new(), 0_u64, 0_u64);
        let mut with_unit = [0_u64; 2];
        for (text, count) in values {
            all += count;
            if let Some((number, unit)) = number_with_unit(text) {
                numbers.push((number, count));
                messages += count;
                match unit {
                    Unit::Plain => {}
                    Unit::Size => with_unit[0] += count,
                    Unit::Duration => with_unit[1] += count,
                }
            }
        }
        if messages == 0 || (messages as f64) < LEAST_PART * all as f64 {
            return None;
        }
        numbers.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let unit = match with_unit {
            [0, 0] => Unit::Plain,
            [sizes, durations] if durations < sizes => Unit::Size,
            _ => Unit::Duration,
        };
        Some(Distribution {
            messages,
            unit,
            min: numbers[0].0,
            median: ranked(&numbers, messages, 50),
            p95: ranked(&numbers, messages, 95),
            max: numbers[numbers.len() - 1].0,
            buckets: buckets(&numbers),
        })
    }
}

/// The number at this percentile.
fn ranked(numbers: &[(f64, u64)], messages: u64, percent: u64) -> f64 {
    let mut left = (u128::from(messages) * u128::from(percent)).div_ceil(100).max(1) as u64;
    for &(number, count) in numbers {
        match left.checked_sub(count) {
            Some(rest) if 0 < rest => left = rest,
            _ => return number,
        }
    }
    numbers.last().map_or(0.0, |(number, _)| *number)
}

/// The buckets in order, equally wide; if the numbers span several powers, equally wide on a logarithmic scale, with
/// zeros in the lowest bucket.
fn buckets(numbers: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let (min, max) = (numbers[0].0, numbers[numbers.len() - 1].0);
    let positive = numbers.iter().map(|(number, _)| *number).find(|number| 0.0 < *number).unwrap_or(max);
    let is_by_powers = 0.0 <= min && positive * POWERS_FROM <= max;
    let (low, width) = match is_by_powers {
        true => (positive.ln(), (max.ln() - positive.ln()) / BUCKETS as f64),
        false => (min, (max - min) / BUCKETS as f64),
    };
    if !(0.0 < width && width.is_finite()) {
        return vec![(min, numbers.iter().map(|(_, count)| count).sum())];
    }
    let start = |at: usize| match at {
        0 => min,
        _ if is_by_powers => (low + width * at as f64).exp(),
        _ => low + width * at as f64,
    };
    let mut buckets: Vec<(f64, u64)> = (0..BUCKETS).map(|at| (start(at), 0)).collect();
    let mut at = 0;
    for &(number, count) in numbers {
        while at + 1 < BUCKETS && buckets[at + 1].0 <= number {
            at += 1;
        }
        buckets[at].1 += count;
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn of(values: &[(&str, u64)]) -> Option<Distribution> {
        Distribution::of(values.iter().map(|(text, count)| (text.as_bytes(), *count)))
    }

    #[test]
    fn numbers_are_summed_up_in_seconds_or_bytes() {
        let found = of(&[("250ms", 90), ("2.5s", 9), ("40 ", 1)]).unwrap();
        assert_eq!((found.messages, found.unit), (100, Unit::Duration));
        assert_eq!((found.min, found.median, found.p95, found.max), (0.25, 0.25, 2.5, 40.0));
        assert_eq!((found.buckets[0], found.buckets[31].1), ((0.25, 90), 1));
        assert_eq!(of(&[("1KiB", 1)]).unwrap().buckets, [(1024.0, 1)]);
    }

    #[test]
    fn texts_have_no_distribution() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("a", 1), ("7", 8)]), None);
        assert_eq!(of(&[("-", 1), ("7", 9)]).unwrap().messages, 9);
    }

    #[test]
    fn zeros_are_in_the_first_bucket() {
        let found = of(&[("0", 5), ("1", 1), ("1000000", 1)]).unwrap();
        assert_eq!(found.buckets[0], (0.0, 6));
    }

    proptest! {
        #[test]
        fn every_number_is_in_one_bucket(numbers in vec((-1000_i32..1_000_000, 1_u64..9), 1..200)) {
            let texts: Vec<(String, u64)> = numbers.iter().map(|(number, count)| (number.to_string(), *count)).collect();
            let found = Distribution::of(texts.iter().map(|(text, count)| (text.as_bytes(), *count))).unwrap();
            let mut all: Vec<i32> = numbers.iter().flat_map(|&(number, count)| vec![number; count as usize]).collect();
            all.sort_unstable();
            let at = |percent: usize| f64::from(all[(all.len() * percent).div_ceil(100) - 1]);
            prop_assert_eq!((found.median, found.p95), (at(50), at(95)));
            let ends = found.buckets.iter().skip(1).map(|(start, _)| *start).chain([f64::INFINITY]);
            for ((start, count), end) in found.buckets.iter().zip(ends) {
                let inside = all.iter().filter(|&&number| *start <= f64::from(number) && f64::from(number) < end);
                prop_assert_eq!(*count, inside.count() as u64);
            }
        }
    }
}
