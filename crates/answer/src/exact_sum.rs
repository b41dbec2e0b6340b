//! A sum of floating-point numbers that is rounded only once, at the end, and so does not depend on their order.
//!
//! The sum is kept as numbers that do not overlap in their bits (Shewchuk, *Adaptive Precision Floating-Point
//! Arithmetic*, 1997); for whole numbers below 2^53 that is one number.

/// Sums finite numbers exactly.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactSum {
    /// The parts of the sum, ascending.
    parts: Vec<f64>,
    count: u64,
    /// The greatest magnitude of all numbers so far.
    magnitude_max: f64,
}

impl ExactSum {
    pub(crate) fn add(&mut self, number: f64) {
        self.count += 1;
        self.magnitude_max = self.magnitude_max.max(number.abs());
        let mut sum = number;
        let mut kept = 0;
        for index in 0..self.parts.len() {
            let (high, low) = two_sum(sum, self.parts[index]);
            if low != 0.0 {
                self.parts[kept] = low;
                kept += 1;
            }
            sum = high;
        }
        self.parts.truncate(kept);
        self.parts.push(sum);
    }

    /// The sum; `None` if there was no number, or if numbers are so large that it may have overflowed.
    pub(crate) fn sum(&self) -> Option<f64> {
        let may_overflow = f64::MAX / 2.0 < self.magnitude_max * self.count as f64;
        (0 < self.count && !may_overflow).then(|| rounded(&self.parts))
    }

    /// The mean, `None` in the same cases.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.sum().map(|sum| sum / self.count as f64)
    }

    /// The memory used in addition to the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.parts.capacity() * size_of::<f64>()
    }
}

/// The rounded sum of two numbers, and the rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Rounds the parts from the greatest down, until the rest is too small to matter except to break a tie.
fn rounded(parts: &[f64]) -> f64 {
    let mut rest = parts.iter().copied().rev();
    let mut sum = rest.next().unwrap_or(0.0);
    while let Some(part) = rest.next() {
        let (high, low) = two_sum(sum, part);
        sum = high;
        if low == 0.0 {
            continue;
        }
        let (doubled, next) = (low * 2.0, rest.next().unwrap_or(0.0));
        let up = sum + doubled;
        let is_tie_broken = next != 0.0 && low.signum() == next.signum();
        return if is_tie_broken && up - sum == doubled { up } else { sum };
    }
    // Avoids `-0`.
    sum + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(numbers: &[f64]) -> Option<f64> {
        let mut sum = ExactSum::default();
        numbers.iter().for_each(|&number| sum.add(number));
        sum.sum()
    }

    #[test]
    fn a_sum_is_rounded_once() {
        assert_eq!(sum(&[]), None);
        assert_eq!(sum(&[0.1; 10]), Some(1.0));
        assert_eq!(
            sum(&[1e16, 1.0, 1e-16]),
            Some(10_000_000_000_000_002.0),
            "a tie that the last part breaks"
        );
        assert_eq!(sum(&[1e100, 1.0, -1e100]), Some(1.0));
        assert_eq!(sum(&[1.0, -1.0]), Some(0.0));
        assert_eq!(sum(&[5e-324, 5e-324]), Some(1e-323));
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), None);
        assert_eq!(sum(&[1e300, 1e300]), Some(2e300));
    }

    proptest! {
        #[test]
        fn a_sum_does_not_depend_on_the_order(
            (numbers, shuffled) in proptest::collection::vec(-1e200..1e200, 0..40)
                .prop_flat_map(|numbers| (Just(numbers.clone()), Just(numbers).prop_shuffle()))
        ) {
            prop_assert_eq!(sum(&numbers).map(f64::to_bits), sum(&shuffled).map(f64::to_bits));
        }

        #[test]
        fn a_sum_of_whole_numbers_is_theirs(numbers in proptest::collection::vec(any::<i32>(), 1..40)) {
            let expected: i64 = numbers.iter().map(|&number| i64::from(number)).sum();
            let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
            prop_assert_eq!(sum(&numbers), Some(expected as f64));
        }
    }
}
