//! Rows that have several values in the columns to group by: they become one row for each combination of values.

use super::CodedColumn;
use std::borrow::Cow;
use std::ops::Range;

/// The greatest number of combinations that a row is counted under. A message has fewer fields than this, so a single
/// column is never cut.
pub(crate) const COMBINATIONS_MAX: usize = 1 << 10;

/// Some rows, each repeated for each of its combinations.
pub(crate) struct RowCombinations {
    /// The row that each combination belongs to.
    of: Vec<u32>,
    /// The id of each combination in each column to group by.
    ids: Vec<Vec<u32>>,
    /// The number of rows that have more than [`COMBINATIONS_MAX`].
    pub cut: u64,
}

impl RowCombinations {
    /// Takes rows until they have at least this many combinations.
    pub(crate) fn next(rows: &mut &[u32], by: &[&CodedColumn<'_>], combinations: usize) -> RowCombinations {
        let mut spread = RowCombinations { of: Vec::new(), ids: vec![Vec::new(); by.len()], cut: 0 };
        while let Some((&row, rest)) = rows.split_first()
            && spread.of.len() < combinations
        {
            let values: Vec<Range<u32>> =
                by.iter().map(|coded| coded.each(coded.ids[row as usize])).collect();
            spread.push(row, &values);
            *rows = rest;
        }
        spread
    }

    /// The numbers of the rows.
    pub(crate) fn rows(&self) -> Vec<u32> {
        (0..self.of.len() as u32).collect()
    }

    /// A column to group by, for these combinations.
    pub(crate) fn grouped<'a>(&'a self, column: usize, coded: &'a CodedColumn<'_>) -> CodedColumn<'a> {
        self.column(coded, Cow::Borrowed(&self.ids[column]))
    }

    /// Another column, with its values repeated for each combination.
    pub(crate) fn repeated<'a>(&'a self, coded: &'a CodedColumn<'_>) -> CodedColumn<'a> {
        self.column(coded, self.of.iter().map(|&row| coded.ids[row as usize]).collect())
    }

    fn column<'a>(&self, coded: &'a CodedColumn<'_>, ids: Cow<'a, [u32]>) -> CodedColumn<'a> {
        CodedColumn { values: Cow::Borrowed(&*coded.values), ids, ..CodedColumn::default() }
    }

    fn push(&mut self, row: u32, values: &[Range<u32>]) {
        let all = values.iter().fold(1, |all: usize, values| all.saturating_mul(values.len()));
        self.cut += u64::from(COMBINATIONS_MAX < all);
        for combination in 0..all.min(COMBINATIONS_MAX) {
            self.of.push(row);
            let mut rest = combination;
            for (ids, values) in self.ids.iter_mut().zip(values) {
                ids.push(values.start + (rest % values.len()) as u32);
                rest /= values.len();
            }
        }
    }
}
