//! The rows of a word as bytes: blocks of 128 rows, which a reader can skip, and then the rest one by one.
//!
//! | bytes            | field       | meaning                                                       |
//! |------------------|-------------|---------------------------------------------------------------|
//! | 4 a block        | last        | its last row                                                  |
//! | 1 a block        | width       | bits of each difference: 0 to 32                              |
//! | 16 × width       | differences | each less one, in the layout of `BitPacker4x`                 |
//! | 1 to 5 a row     | rest        | the difference of each further row, less one, as a varint     |
//!
//! The first difference is to the row -1.
//!
//! **Invariant:** as many rows are read as were written. Bytes that cannot be rows are an error, never a panic.

use bitpacking::{BitPacker, BitPacker4x};
use logstead_record::Selection;
use logstead_template::{ByteReader, DecodeError, put_varint};
use std::ops::Range;

/// The number of rows of a block.
const BLOCK_ROWS: usize = BitPacker4x::BLOCK_LEN;
/// The number of bytes that a block takes for each bit of its width.
const WIDTH_BYTES: usize = BLOCK_ROWS / 8;

/// Appends ascending rows.
pub(super) fn write(rows: &[u32], out: &mut Vec<u8>) {
    let (blocks, rest) = rows.as_chunks::<BLOCK_ROWS>();
    let packer = BitPacker4x::new();
    let mut before = None;
    for block in blocks {
        let width = packer.num_bits_strictly_sorted(before, block);
        let last = block[BLOCK_ROWS - 1];
        out.extend_from_slice(&last.to_le_bytes());
        out.push(width);
        let start = out.len();
        out.resize(start + usize::from(width) * WIDTH_BYTES, 0);
        packer.compress_strictly_sorted(before, block, &mut out[start..], width);
        before = Some(last);
    }
    for &row in rest {
        put_varint(u64::from(row - first_after(before)), out);
        before = Some(row);
    }
}

/// The least row after another one.
fn first_after(before: Option<u32>) -> u32 {
    before.map_or(0, |before| before + 1)
}

/// Reads the rows of a word, block by block.
pub(super) struct RowReader<'b> {
    bytes: ByteReader<'b>,
    /// The number of rows that follow.
    left: usize,
    before: Option<u32>,
    block: [u32; BLOCK_ROWS],
    /// The rows of `block` that have not been passed.
    rows: Range<usize>,
}

impl<'b> RowReader<'b> {
    /// A reader of this number of rows.
    pub(super) fn new(bytes: &'b [u8], rows: u32) -> RowReader<'b> {
        let bytes = ByteReader::new(bytes);
        RowReader { bytes, left: rows as usize, before: None, block: [0; BLOCK_ROWS], rows: 0..0 }
    }

    /// Adds all rows to a selection; `false` if it does not have one of them.
    pub(super) fn insert_all(&mut self, rows: &mut Selection) -> Result<bool, DecodeError> {
        while self.advance(0)? {
            if !rows.try_insert_all(&self.block[self.rows.clone()]) {
                return Ok(false);
            }
        }
        self.bytes.end()?;
        Ok(true)
    }

    /// Whether it has a row. Rows are asked for in ascending order.
    pub(super) fn has(&mut self, row: u32) -> Result<bool, DecodeError> {
        loop {
            let ahead = &self.block[self.rows.clone()];
            let passed = ahead.partition_point(|&of_block| of_block < row);
            if let Some(&next) = ahead.get(passed) {
                self.rows.start += passed;
                return Ok(next == row);
            }
            if !self.advance(row)? {
                self.rows = 0..0;
                return Ok(false);
            }
        }
    }

    /// Goes on to the next block that may have this row or a later one; `false` at the end.
    fn advance(&mut self, row: u32) -> Result<bool, DecodeError> {
        while BLOCK_ROWS <= self.left {
            let (last, width) = (self.bytes.u32()?, self.bytes.byte()?);
            if 32 < width {
                return Err(DecodeError::Large("the width of a row"));
            }
            if last == u32::MAX {
                return Err(NOT_A_ROW);
            }
            let packed = self.bytes.take(usize::from(width) * WIDTH_BYTES)?;
            let before = self.before.replace(last);
            self.left -= BLOCK_ROWS;
            if row <= last {
                BitPacker4x::new().decompress_strictly_sorted(before, packed, &mut self.block, width);
                self.rows = 0..BLOCK_ROWS;
                return if self.block[BLOCK_ROWS - 1] == last { Ok(true) } else { Err(NOT_A_ROW) };
            }
        }
        self.rows = 0..self.left;
        for place in &mut self.block[..self.left] {
            let first = first_after(self.before);
            let difference = u32::try_from(self.bytes.varint()?).map_err(|_| NOT_A_ROW)?;
            *place = first.checked_add(difference).filter(|&row| row < u32::MAX).ok_or(NOT_A_ROW)?;
            self.before = Some(*place);
        }
        Ok(std::mem::take(&mut self.left) != 0)
    }
}

const NOT_A_ROW: DecodeError = DecodeError::Large("a row of a word");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ROWS_MAX: u32 = 200_000;

    /// Rows that lie close, far apart, or in runs.
    fn some_rows() -> impl Strategy<Value = BTreeSet<u32>> {
        prop_oneof![
            btree_set(0..ROWS_MAX, 0..700),
            btree_set(0_u32..400, 0..400),
            (0..ROWS_MAX - 1000, 0_u32..1000).prop_map(|(start, count)| (start..start + count).collect()),
        ]
    }

    fn packed(rows: &BTreeSet<u32>) -> Vec<u8> {
        let mut out = Vec::new();
        write(&rows.iter().copied().collect::<Vec<_>>(), &mut out);
        out
    }

    #[test]
    fn no_row_follows_the_last_number() {
        let bytes_after = |last: u32| {
            let mut bytes = Vec::new();
            write(&(last - 127..=last).collect::<Vec<_>>(), &mut bytes);
            bytes.push(0);
            bytes
        };
        let last_of = |bytes: &[u8]| RowReader::new(bytes, 129).has(u32::MAX - 1);
        assert_eq!(last_of(&bytes_after(u32::MAX - 2)), Ok(true));
        assert_eq!(last_of(&bytes_after(u32::MAX)), Err(NOT_A_ROW));
        let mut all = Selection::none(ROWS_MAX as usize);
        assert_eq!(RowReader::new(&bytes_after(u32::MAX), 129).insert_all(&mut all), Err(NOT_A_ROW));
    }

    proptest! {
        #[test]
        fn rows_come_back(rows in some_rows()) {
            let mut selection = Selection::none(ROWS_MAX as usize);
            let bytes = packed(&rows);
            prop_assert!(RowReader::new(&bytes, rows.len() as u32).insert_all(&mut selection).unwrap());
            prop_assert_eq!(selection.iter().map(|row| row as u32).collect::<BTreeSet<_>>(), rows);
        }

        #[test]
        fn rows_are_found_in_ascending_order(rows in some_rows(), asked in some_rows()) {
            let bytes = packed(&rows);
            let mut reader = RowReader::new(&bytes, rows.len() as u32);
            for row in asked {
                prop_assert_eq!(reader.has(row).unwrap(), rows.contains(&row), "row {}", row);
            }
        }

        #[test]
        fn other_bytes_are_an_error_or_rows(bytes in vec(any::<u8>(), 0..600), rows in 0_u32..400, asked in some_rows()) {
            let mut selection = Selection::none(ROWS_MAX as usize);
            RowReader::new(&bytes, rows).insert_all(&mut selection).ok();
            let mut reader = RowReader::new(&bytes, rows);
            asked.into_iter().try_for_each(|row| reader.has(row).map(|_| ())).ok();
        }

        #[test]
        fn a_flipped_block_is_an_error_or_rows(rows in some_rows(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            prop_assume!(!rows.is_empty());
            let mut bytes = packed(&rows);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            RowReader::new(&bytes, rows.len() as u32).insert_all(&mut Selection::none(ROWS_MAX as usize)).ok();
        }

        #[test]
        fn cut_bytes_are_an_error(rows in some_rows(), cut in any::<prop::sample::Index>()) {
            prop_assume!(!rows.is_empty());
            let mut bytes = packed(&rows);
            bytes.truncate(cut.index(bytes.len()));
            let mut selection = Selection::none(ROWS_MAX as usize);
            prop_assert!(RowReader::new(&bytes, rows.len() as u32).insert_all(&mut selection).is_err());
        }
    }
}
