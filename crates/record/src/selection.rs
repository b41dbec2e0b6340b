//! A selection of rows of one batch: a bitmap with one bit per row.

use std::ops::Range;

/// A set of rows of one batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    rows: usize,
    /// Bits beyond `rows` are always zero.
    bits: Vec<u64>,
}

impl Selection {
    /// A selection of none of `rows` rows.
    pub fn none(rows: usize) -> Selection {
        Selection { rows, bits: vec![0; rows.div_ceil(64)] }
    }

    /// A selection of all of `rows` rows.
    pub fn all(rows: usize) -> Selection {
        let mut selection = Selection { rows, bits: vec![u64::MAX; rows.div_ceil(64)] };
        selection.clear_beyond_end();
        selection
    }

    /// The rows for which `accepts` holds.
    pub fn from_fn(rows: usize, mut accepts: impl FnMut(usize) -> bool) -> Selection {
        let mut selection = Selection::none(rows);
        for row in 0..rows {
            if accepts(row) {
                selection.insert(row);
            }
        }
        selection
    }

    /// Makes a selection from one bit per row, with 64 rows per word and the first row in the lowest bit. Bits beyond
    /// the last row are ignored.
    pub fn from_words(rows: usize, words: Vec<u64>) -> Selection {
        assert_eq!(words.len(), rows.div_ceil(64), "words for {rows} rows");
        let mut selection = Selection { rows, bits: words };
        selection.clear_beyond_end();
        selection
    }

    /// The selection as one bit per row, as [`Selection::from_words`] takes it.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// The number of rows of the batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of selected rows.
    pub fn count(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The number of selected rows in `range`.
    pub fn count_within(&self, range: Range<usize>) -> usize {
        let end = range.end.min(self.rows);
        if end <= range.start {
            return 0;
        }
        let (first, last) = (range.start / 64, (end - 1) / 64);
        let mask = |index: usize| {
            let low = if index == first { u64::MAX << (range.start % 64) } else { u64::MAX };
            let high = if index == last { u64::MAX >> (63 - (end - 1) % 64) } else { u64::MAX };
            low & high
        };
        (first..=last).map(|index| (self.bits[index] & mask(index)).count_ones() as usize).sum()
    }

    /// Whether no row is selected.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// Whether every row is selected.
    pub fn is_all(&self) -> bool {
        self.count() == self.rows
    }

    /// Whether `row` is selected.
    pub fn contains(&self, row: usize) -> bool {
        self.bits.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Adds a row.
    pub fn insert(&mut self, row: usize) {
        assert!(row < self.rows, "row {row} is not among the {rows} rows", rows = self.rows);
        self.bits[row / 64] |= 1 << (row % 64);
    }

    /// Adds rows, which is fastest in ascending order. Returns false and adds none if one is beyond the last.
    #[must_use]
    pub fn try_insert_all(&mut self, rows: &[u32]) -> bool {
        if rows.iter().max().is_some_and(|&row| self.rows <= row as usize) {
            return false;
        }
        // Bits of one word are gathered before they are stored.
        let (mut at, mut bits) = (0, 0);
        for &row in rows {
            let word = row as usize / 64;
            if word != at {
                self.add_bits(at, bits);
                (at, bits) = (word, 0);
            }
            bits |= 1 << (row % 64);
        }
        self.add_bits(at, bits);
        true
    }

    /// Adds the rows of a selection of a part; `first` is the row of this selection at which the part begins.
    pub fn insert_part(&mut self, first: usize, part: &Selection) {
        assert!(first + part.rows <= self.rows, "a part does not fit at {first}");
        let (at, shift) = (first / 64, first % 64);
        for (bits, word) in part.bits.iter().zip(at..) {
            self.bits[word] |= bits << shift;
            if let (Some(next), 1..) = (self.bits.get_mut(word + 1), shift) {
                *next |= bits >> (64 - shift);
            }
        }
    }

    /// Adds consecutive rows.
    pub fn insert_range(&mut self, rows: Range<usize>) {
        assert!(rows.end <= self.rows, "rows {rows:?} are not among {all} rows", all = self.rows);
        let mut at = rows.start;
        while at < rows.end {
            let end = rows.end.min((at / 64 + 1) * 64);
            self.bits[at / 64] |= u64::MAX >> (64 - (end - at)) << (at % 64);
            at = end;
        }
    }

    /// The selection of a range of rows, counted from its start.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Selection {
        assert!(rows.end <= self.rows, "rows {rows:?} are not among {all} rows", all = self.rows);
        let word = |at: usize| self.bits.get(at).copied().unwrap_or(0);
        let (first, shift) = (rows.start / 64, rows.start % 64);
        let words = (0..rows.len().div_ceil(64)).map(|at| match shift {
            0 => word(first + at),
            _ => word(first + at) >> shift | word(first + at + 1) << (64 - shift),
        });
        Selection::from_words(rows.len(), words.collect())
    }

    /// Removes a row.
    pub fn remove(&mut self, row: usize) {
        if let Some(word) = self.bits.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    /// Keeps the rows that are in `other` too.
    pub fn intersect(&mut self, other: &Selection) {
        assert_eq!(self.rows, other.rows, "the selections belong to different batches");
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= theirs;
        }
    }

    /// Adds the rows of `other`.
    pub fn union(&mut self, other: &Selection) {
        assert_eq!(self.rows, other.rows, "the selections belong to different batches");
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine |= theirs;
        }
    }

    /// Removes the rows of `other`.
    pub fn subtract(&mut self, other: &Selection) {
        assert_eq!(self.rows, other.rows, "the selections belong to different batches");
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= !theirs;
        }
    }

    /// Replaces the selection by its complement.
    pub fn invert(&mut self) {
        for word in &mut self.bits {
            *word = !*word;
        }
        self.clear_beyond_end();
    }

    /// The selected rows in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        // A nested iterator from both ends: words outside, bits inside.
        self.bits.iter().enumerate().flat_map(|(index, &word)| Bits(word).map(move |bit| index * 64 + bit))
    }

    fn add_bits(&mut self, at: usize, bits: u64) {
        if let Some(word) = self.bits.get_mut(at) {
            *word |= bits;
        }
    }

    fn clear_beyond_end(&mut self) {
        let used = self.rows % 64;
        if used != 0
            && let Some(last) = self.bits.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }
}

/// The positions of the ones in a word, from both ends.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        (self.0 != 0).then(|| {
            let bit = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            bit as usize
        })
    }
}

impl DoubleEndedIterator for Bits {
    fn next_back(&mut self) -> Option<usize> {
        (self.0 != 0).then(|| {
            let bit = 63 - self.0.leading_zeros();
            self.0 &= !(1 << bit);
            bit as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_are_added_and_cut_out(
            bits in proptest::collection::vec(any::<bool>(), 0..200), a in 0_usize..200, b in 0_usize..200,
        ) {
            let rows = bits.len();
            let (start, end) = (a.min(b).min(rows), a.max(b).min(rows));
            let selection = Selection::from_fn(rows, |row| bits[row]);
            let mut more = selection.clone();
            more.insert_range(start..end);
            prop_assert_eq!(more, Selection::from_fn(rows, |row| bits[row] || (start..end).contains(&row)));
            let slice = selection.slice(start..end);
            prop_assert_eq!(slice, Selection::from_fn(end - start, |row| bits[start + row]));
        }

        #[test]
        fn a_selection_is_a_set_of_rows(
            (mine, theirs) in (0_usize..200).prop_flat_map(|rows| {
                (proptest::collection::vec(any::<bool>(), rows), proptest::collection::vec(any::<bool>(), rows))
            })
        ) {
            let rows = mine.len();
            let a = Selection::from_fn(rows, |row| mine[row]);
            let b = Selection::from_fn(rows, |row| theirs[row]);
            let expect = |accepts: &dyn Fn(usize) -> bool| (0..rows).filter(|&r| accepts(r)).collect::<Vec<_>>();
            let mut both = a.clone();
            both.intersect(&b);
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), expect(&|r| mine[r] && theirs[r]));
            let mut either = a.clone();
            either.union(&b);
            prop_assert_eq!(either.iter().collect::<Vec<_>>(), expect(&|r| mine[r] || theirs[r]));
            let mut less = a.clone();
            less.subtract(&b);
            prop_assert_eq!(less.count(), expect(&|r| mine[r] && !theirs[r]).len());
            let mut inverse = a.clone();
            inverse.invert();
            prop_assert_eq!(inverse.iter().rev().collect::<Vec<_>>(),
                expect(&|r| !mine[r]).into_iter().rev().collect::<Vec<_>>());
            let beyond = a.words().iter().map(|word| word | !0 << 63).collect();
            let with_last_of_each = Selection::from_fn(rows, |r| mine[r] || r % 64 == 63);
            prop_assert_eq!(Selection::from_words(rows, beyond), with_last_of_each);
            let mut inserted = Selection::none(rows);
            let (ascending, descending): (Vec<u32>, Vec<u32>) =
                (b.iter().map(|row| row as u32).collect(), a.iter().rev().map(|row| row as u32).collect());
            prop_assert!(inserted.try_insert_all(&ascending));
            prop_assert_eq!(&inserted, &b);
            prop_assert!(inserted.try_insert_all(&descending));
            prop_assert_eq!(&inserted, &either);
            prop_assert!(!inserted.try_insert_all(&[0, rows as u32]));
            prop_assert_eq!(&inserted, &either);
            prop_assert_eq!(a.is_empty(), a.count() == 0);
            prop_assert_eq!(a.is_all(), a == Selection::all(rows));
        }

        #[test]
        fn a_range_of_rows_is_counted_without_looking_at_each(
            mine in proptest::collection::vec(any::<bool>(), 0..200), start in 0_usize..210, length in 0_usize..210
        ) {
            let selection = Selection::from_fn(mine.len(), |row| mine[row]);
            let expected = selection.iter().filter(|row| (start..start + length).contains(row)).count();
            prop_assert_eq!(selection.count_within(start..start + length), expected);
        }
    }
}
