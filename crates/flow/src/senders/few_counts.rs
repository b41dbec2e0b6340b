//! Counts by number, of which there are seldom more than one: the first needs no memory of its own.

/// Counts by number.
#[derive(Default, Debug)]
pub(super) struct FewCounts {
    first: Option<(i64, u64)>,
    /// All others, in ascending order.
    others: Vec<(i64, u64)>,
}

impl FewCounts {
    pub(super) fn add(&mut self, number: i64, count: u64) {
        let (first, sum) = self.first.get_or_insert((number, 0));
        if *first == number {
            *sum += count;
            return;
        }
        match self.others.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => self.others[at].1 += count,
            Err(at) => self.others.insert(at, (number, count)),
        }
    }

    pub(super) fn add_all(&mut self, other: &FewCounts) {
        other.iter().for_each(|(number, count)| self.add(number, count));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.first.iter().chain(&self.others).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn they_are_those_of_a_map(
            added in proptest::collection::vec((-4_i64..4, 1_u64..9), 0..20),
            split in 0_usize..20,
        ) {
            let (before, after) = added.split_at(split.min(added.len()));
            let (mut counts, mut later, mut expected) = <(FewCounts, FewCounts, BTreeMap<i64, u64>)>::default();
            before.iter().for_each(|(number, count)| counts.add(*number, *count));
            after.iter().for_each(|(number, count)| later.add(*number, *count));
            counts.add_all(&later);
            added.iter().for_each(|(number, count)| *expected.entry(*number).or_default() += count);
            prop_assert_eq!(counts.iter().count(), expected.len());
            prop_assert_eq!(counts.iter().collect::<BTreeMap<_, _>>(), expected);
        }
    }
}
