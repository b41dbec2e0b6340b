//! Reads a column of names: the value of each row, and the rows with some values.
//!
//! **Invariant:** every row of an open [`NamesColumn`] has a value that exists or none.

use super::layout::{ABSENT, COMPRESSED, FIRST, PACKED};
use super::planes::decompressed;
use crate::segment::packed::{ColumnFault, FRAME_ROWS, PackedBuilder, PackedNumbers};
use logstead_record::{Selection, TextColumn, bits};
use std::ops::Range;

/// A column of names.
///
/// An *id* is the position of a value in [`NamesColumn::values`]; [`NamesColumn::absent`] is the id that stands for
/// no value.
pub(crate) struct NamesColumn {
    values: TextColumn,
    /// The id of each row plus 1, and 0 for no value, so that a missing value can be written before the number of
    /// values is known.
    rows: PackedNumbers,
}

impl NamesColumn {
    /// Reads a column from its bytes, for a segment of `rows` rows.
    pub(crate) fn new(bytes: &[u8], rows: u32) -> Result<NamesColumn, ColumnFault> {
        let short = ColumnFault::Short { bytes: bytes.len() as u64 };
        let (&kind, rest) = bytes.split_first().ok_or(short)?;
        let (&count, rest) = rest.split_first_chunk().ok_or(short)?;
        let count = u32::from_le_bytes(count) as usize;
        if !matches!(kind, PACKED | COMPRESSED) {
            return Err(ColumnFault::Kind(kind));
        }
        let (ends, rest) = count.checked_mul(4).and_then(|ends| rest.split_at_checked(ends)).ok_or(short)?;
        let ends: Vec<u32> = ends.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)).collect();
        let value_bytes = ends.last().map_or(0, |&end| end as usize);
        let (value_bytes, packed) = rest.split_at_checked(value_bytes).ok_or(short)?;
        let values = TextColumn::from_parts(value_bytes.to_vec(), ends)?;
        let packed =
            if kind == COMPRESSED { decompressed(packed, rows)? } else { PackedNumbers::new(packed)? };
        let names = NamesColumn { values, rows: packed };
        names.check(rows)?;
        Ok(names)
    }

    /// A column of `rows` rows without a value.
    pub(crate) fn none(rows: u32) -> NamesColumn {
        let mut builder = PackedBuilder::default();
        builder.repeat(ABSENT, rows as usize);
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        let rows = PackedNumbers::new(&bytes).expect("what was packed is unpacked");
        NamesColumn { values: TextColumn::default(), rows }
    }

    /// The same rows with other values. Their number must be the same, but they need not be distinct.
    #[must_use]
    pub(crate) fn map_values(self, map: impl FnOnce(TextColumn) -> TextColumn) -> NamesColumn {
        let count = self.values.len();
        let names = NamesColumn { values: map(self.values), ..self };
        assert_eq!(names.values.len(), count, "an id stands for a value");
        names
    }

    /// A column with the same values, and these ids for its rows.
    pub(crate) fn with_rows(self, ids: impl Iterator<Item = u32>) -> Result<NamesColumn, ColumnFault> {
        NamesColumn::of_numbers(self.values, ids.map(|id| id + FIRST))
    }

    /// A column of values, with the number of the value of each row: 0 if it has none, and else its id plus 1.
    pub(crate) fn of_numbers(
        values: TextColumn,
        numbers: impl Iterator<Item = u32>,
    ) -> Result<NamesColumn, ColumnFault> {
        let mut builder = PackedBuilder::default();
        builder.extend(numbers);
        let rows = builder.rows() as u32;
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        let names = NamesColumn { values, rows: PackedNumbers::new(&bytes)? };
        names.check(rows)?;
        Ok(names)
    }

    /// The distinct values.
    pub(crate) fn values(&self) -> &TextColumn {
        &self.values
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// The id of a row without a value, which is the number of values.
    pub(crate) fn absent(&self) -> u32 {
        self.values.len() as u32
    }

    /// The id of each row.
    pub(crate) fn ids(&self) -> Vec<u32> {
        let mut ids = Vec::new();
        self.rows.unpack_all(&mut ids);
        let absent = self.absent();
        // The number 0, for no value, wraps around to the largest number.
        ids.iter_mut().for_each(|number| *number = number.wrapping_sub(FIRST).min(absent));
        ids
    }

    /// The id of each of some rows.
    pub(crate) fn ids_of(&self, rows: Range<usize>) -> Vec<u32> {
        let absent = self.absent();
        let (first, mut numbers) = (rows.start / FRAME_ROWS, [0; FRAME_ROWS]);
        let mut ids = Vec::with_capacity(rows.len() + 2 * FRAME_ROWS);
        for frame in first..rows.end.div_ceil(FRAME_ROWS) {
            self.rows.unpack_frame(frame, &mut numbers);
            ids.extend(numbers.iter().map(|number| number.wrapping_sub(FIRST).min(absent)));
        }
        let before = rows.start - first * FRAME_ROWS;
        ids.truncate(before + rows.len());
        ids.drain(..before);
        ids
    }

    /// The rows that have a value.
    pub(crate) fn present(&self) -> Selection {
        let known = |least, largest| match (least, largest) {
            (ABSENT, ABSENT) => Some(false),
            (ABSENT, _) => None,
            _ => Some(true),
        };
        self.rows_where(known, |number| number != ABSENT)
    }

    /// The rows that have one of the `accepted` values.
    pub(crate) fn rows_with(&self, accepted: &Selection) -> Selection {
        assert_eq!(accepted.rows(), self.values.len(), "the selection belongs to other values");
        let mut ids = accepted.iter();
        match (ids.next(), ids.next()) {
            (None, _) => Selection::none(self.rows()),
            _ if accepted.is_all() => self.present(),
            (Some(only), None) => self.rows_of(only as u32 + FIRST),
            _ => {
                let mut accepts = vec![false; self.values.len() + FIRST as usize];
                accepted.iter().for_each(|id| accepts[id + FIRST as usize] = true);
                let known = |least, largest| (least == largest).then(|| accepts[least as usize]);
                self.rows_where(known, |number| accepts[number as usize])
            }
        }
    }

    /// The number of selected rows with each id; the last count is that of rows without a value.
    pub(crate) fn counts(&self, selected: &Selection) -> Vec<u64> {
        assert_eq!(selected.rows(), self.rows(), "the selection belongs to other rows");
        let mut counts = vec![[0; 4]; self.absent() as usize + 1];
        for (frame, words) in selected.words().chunks(FRAME_ROWS / 64).enumerate() {
            self.count_frame(frame, words, &mut counts);
        }
        counts.rotate_left(FIRST as usize);
        counts.iter().map(|four| four.iter().map(|&count| u64::from(count)).sum()).collect()
    }

    /// The memory that it uses.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.rows.memory_bytes()
    }

    /// Checks that every number of every frame stands for a value or for none.
    fn check(&self, rows: u32) -> Result<(), ColumnFault> {
        if self.rows() != rows as usize {
            return Err(ColumnFault::Rows { rows: self.rows() as u32, expected: rows });
        }
        let values = self.absent();
        let mut numbers = [0; FRAME_ROWS];
        for frame in 0..self.rows.frames() {
            if self.rows.frame_bounds(frame).1 <= values {
                continue;
            }
            self.rows.unpack_frame(frame, &mut numbers);
            let largest = numbers.iter().copied().fold(0, u32::max);
            if values < largest {
                return Err(ColumnFault::Id { id: largest - FIRST, values });
            }
        }
        Ok(())
    }

    fn rows_of(&self, wanted: u32) -> Selection {
        let known = |least, largest| match () {
            () if wanted < least || largest < wanted => Some(false),
            () if least == largest => Some(true),
            () => None,
        };
        self.rows_where(known, |number| number == wanted)
    }

    /// The rows whose numbers are accepted. Given the least and the greatest number that a frame can contain, `known`
    /// says whether all or none of its numbers are accepted.
    fn rows_where(
        &self,
        known: impl Fn(u32, u32) -> Option<bool>,
        accepts: impl Fn(u32) -> bool,
    ) -> Selection {
        let mut words = Vec::with_capacity(self.rows.frames() * (FRAME_ROWS / 64));
        let mut numbers = [0; FRAME_ROWS];
        for frame in 0..self.rows.frames() {
            let (least, largest) = self.rows.frame_bounds(frame);
            match known(least, largest) {
                Some(true) => words.extend([u64::MAX; FRAME_ROWS / 64]),
                Some(false) => words.extend([0; FRAME_ROWS / 64]),
                None => {
                    self.rows.unpack_frame(frame, &mut numbers);
                    words.extend(numbers.as_chunks().0.iter().map(|rows| word_of(rows, &accepts)));
                }
            }
        }
        words.truncate(self.rows().div_ceil(64));
        Selection::from_words(self.rows(), words)
    }

    /// Counts the rows of a frame. Equal numbers are mostly consecutive: with four counters for each number, an
    /// addition need not wait for the one before.
    fn count_frame(&self, frame: usize, selected: &[u64], counts: &mut [[u32; 4]]) {
        let rows: u32 = selected.iter().map(|word| word.count_ones()).sum();
        if rows == 0 {
            return;
        }
        let (least, largest) = self.rows.frame_bounds(frame);
        if least == largest {
            counts[least as usize][0] += rows;
            return;
        }
        let mut numbers = [0; FRAME_ROWS];
        self.rows.unpack_frame(frame, &mut numbers);
        if rows as usize == FRAME_ROWS {
            for four in numbers.as_chunks::<4>().0 {
                four.iter().enumerate().for_each(|(at, &number)| counts[number as usize][at] += 1);
            }
            return;
        }
        for (rows, &word) in numbers.as_chunks::<64>().0.iter().zip(selected) {
            let mut left = word;
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                counts[rows[at] as usize][at % 4] += 1;
                left &= left - 1;
            }
        }
    }
}

/// A word with one bit for each number, the first in the lowest bit.
fn word_of(numbers: &[u32; 64], accepts: impl Fn(u32) -> bool) -> u64 {
    // The results are first written as bytes, so that the compiler can compare many numbers at once.
    let mut bytes = [0_u8; 64];
    for (byte, &number) in bytes.iter_mut().zip(numbers) {
        *byte = u8::from(accepts(number));
    }
    bits::gather(&bytes)
}
