//! Numbers for exact percentiles: the distinct ones, each with its count.

/// The numbers of a group. New numbers are appended; from time to time they are sorted and counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// The distinct numbers, ascending, with their counts.
    counted: Vec<(f64, u64)>,
    loose: Vec<f64>,
}

/// The least number of unsorted numbers that is worth sorting.
const LOOSE_MIN: usize = 1024;

impl Samples {
    pub(crate) fn add(&mut self, number: f64) {
        if self.loose.len() == self.loose.capacity() && LOOSE_MIN.max(self.counted.len()) <= self.loose.len()
        {
            self.count();
        }
        // This turns `-0` into `0`, which is the same number.
        self.loose.push(number + 0.0);
    }

    /// The least number that the given share of the numbers, in thousandths of a percent, does not exceed (nearest
    /// rank); `None` if there is none.
    pub(crate) fn percentile(&mut self, thousandths: u32) -> Option<f64> {
        self.count();
        let total: u64 = self.counted.iter().map(|(_, count)| count).sum();
        let rank = (u128::from(total) * u128::from(thousandths)).div_ceil(100_000).max(1);
        let mut below = 0_u128;
        let reached = self.counted.iter().find(|(_, count)| {
            below += u128::from(*count);
            rank <= below
        });
        reached.map(|(number, _)| *number)
    }

    /// The memory used in addition to the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.counted.capacity() * size_of::<(f64, u64)>() + self.loose.capacity() * size_of::<f64>()
    }

    fn count(&mut self) {
        self.loose.sort_unstable_by(f64::total_cmp);
        let counted = std::mem::take(&mut self.counted);
        let mut merged: Vec<(f64, u64)> = Vec::with_capacity(counted.len());
        let mut push = |number: f64, count: u64| match merged.last_mut() {
            Some((last, sum)) if *last == number => *sum += count,
            _ => merged.push((number, count)),
        };
        let mut loose = self.loose.drain(..).peekable();
        for (number, count) in counted {
            while let Some(smaller) = loose.next_if(|loose| *loose < number) {
                push(smaller, 1);
            }
            push(number, count);
        }
        loose.for_each(|number| push(number, 1));
        self.counted = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_percentile_is_the_number_at_its_rank(
            few in proptest::collection::vec(-3_i8..3, 0..4000), wild in proptest::collection::vec(-1e9..1e9, 0..1500)
        ) {
            let mut numbers: Vec<f64> = few.into_iter().map(f64::from).chain(wild).collect();
            let mut samples = Samples::default();
            numbers.iter().for_each(|&number| samples.add(number));
            numbers.sort_unstable_by(f64::total_cmp);
            for thousandths in [0_u32, 1000, 50_000, 95_000, 99_000, 99_900, 99_999, 100_000] {
                let rank = (numbers.len() * thousandths as usize).div_ceil(100_000).max(1);
                prop_assert_eq!(samples.percentile(thousandths), numbers.get(rank - 1).copied());
            }
        }
    }
}
