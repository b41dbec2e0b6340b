//! The values of a column as the pages of a Parquet file hold them: levels, which say where values are missing and where
//! lists begin, and then the values that are there.

use crate::batch::{ColumnBuffer, ColumnValues, ListBuffer, TextBuffer};
use crate::thrift::varint;

/// The levels of a page, before they are encoded.
pub(crate) struct PageLevels {
    /// How many values the page has: one for each row, or one for each element and each list without any.
    pub(crate) values: usize,
    pub(crate) encoded: Vec<u8>,
}

/// The levels of a column.
pub(crate) fn levels(column: &ColumnBuffer, rows: usize) -> PageLevels {
    let mut encoded = Vec::new();
    if let ColumnValues::List(lists) = &column.values {
        let (starts, depths) = list_levels(column, lists, rows);
        with_length(&starts, 1, &mut encoded);
        with_length(&depths, 2, &mut encoded);
        return PageLevels { values: starts.len(), encoded };
    }
    let start = encoded.len();
    encoded.extend_from_slice(&[0; 4]);
    if column.nulls == 0 {
        varint((rows as u64) << 1, &mut encoded);
        encoded.push(1);
    } else {
        varint((rows.div_ceil(8) as u64) << 1 | 1, &mut encoded);
        encoded.extend_from_slice(&column.validity.bytes);
    }
    set_length(start, &mut encoded);
    PageLevels { values: rows, encoded }
}

/// For each value, whether it continues a list; and 0 for null, 1 for an empty list, 2 for an element.
fn list_levels(column: &ColumnBuffer, lists: &ListBuffer, rows: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut depths) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let elements = (lists.offsets[row + 1] - lists.offsets[row]) as usize;
        starts.push(0);
        depths.push(match elements {
            _ if !column.validity.get(row) => 0,
            0 => 1,
            _ => 2,
        });
        let others = elements.saturating_sub(1);
        starts.resize(starts.len() + others, 1);
        depths.resize(depths.len() + others, 2);
    }
    (starts, depths)
}

/// Appends the values that are not null.
pub(crate) fn plain(column: &ColumnBuffer, out: &mut Vec<u8>) {
    let is_there = |row: &usize| column.nulls == 0 || column.validity.get(*row);
    match &column.values {
        ColumnValues::Integer(values) => {
            let there = (0..values.len()).filter(is_there);
            there.for_each(|row| out.extend_from_slice(&values[row].to_le_bytes()));
        }
        ColumnValues::Number(values) => {
            let there = (0..values.len()).filter(is_there);
            there.for_each(|row| out.extend_from_slice(&values[row].to_le_bytes()));
        }
        ColumnValues::Boolean(values) => {
            let there = (0..8 * values.bytes.len()).take(column.validity.len()).filter(is_there);
            let bits: Vec<u32> = there.map(|row| u32::from(values.get(row))).collect();
            pack(&bits, 1, out);
        }
        ColumnValues::Text(texts) => {
            (0..texts.len()).filter(is_there).for_each(|row| text(texts.get(row), out));
        }
        ColumnValues::Name(names) => {
            let there = (0..names.ids.len()).filter(is_there);
            there.for_each(|row| text(names.texts.get(names.ids[row] as usize), out));
        }
        ColumnValues::List(lists) => all_texts(&lists.texts, out),
    }
}

/// Appends all texts.
pub(crate) fn all_texts(texts: &TextBuffer, out: &mut Vec<u8>) {
    (0..texts.len()).for_each(|at| text(texts.get(at), out));
}

/// Appends a text.
pub(crate) fn text(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}

/// Appends positions in a dictionary with `length` values.
pub(crate) fn ids(ids: &[u32], length: usize, out: &mut Vec<u8>) {
    let bits = (usize::BITS - length.saturating_sub(1).leading_zeros()).max(1);
    out.push(bits as u8);
    runs(ids, bits, out);
}

fn with_length(values: &[u32], bits: u32, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    runs(values, bits, out);
    set_length(start, out);
}

/// Writes how many bytes follow the four at `start`.
fn set_length(start: usize, out: &mut [u8]) {
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Appends numbers below `1 << bits`: one run if all are the same, otherwise packed.
fn runs(values: &[u32], bits: u32, out: &mut Vec<u8>) {
    match values.first() {
        Some(&first) if values.iter().all(|&value| value == first) => {
            varint((values.len() as u64) << 1, out);
            out.extend_from_slice(&first.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
        _ => {
            varint((values.len().div_ceil(8) as u64) << 1 | 1, out);
            let end = out.len() + values.len().div_ceil(8) * bits as usize;
            pack(values, bits, out);
            out.resize(end, 0);
        }
    }
}

/// Appends numbers with this many bits each, the lowest bits first.
fn pack(values: &[u32], bits: u32, out: &mut Vec<u8>) {
    let (mut pending, mut held) = (0_u64, 0);
    for &value in values {
        pending |= u64::from(value) << held;
        held += bits;
        while 8 <= held {
            out.push(pending as u8);
            pending >>= 8;
            held -= 8;
        }
    }
    if 0 < held {
        out.push(pending as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_as_the_format_describes() {
        let check = |values: &[u32], bits, expected: &[u8]| {
            let mut out = Vec::new();
            runs(values, bits, &mut out);
            assert_eq!(out, expected, "{values:?}");
        };
        // The example of the description of Parquet.
        check(&[0, 1, 2, 3, 4, 5, 6, 7], 3, &[3, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
        check(&[0, 1, 2], 3, &[3, 0b1000_1000, 0, 0]);
        check(&[5; 300], 3, &[0b1101_1000, 4, 5]);
        check(&[1 << 16; 2], 17, &[4, 0, 0, 1]);
        let mut one = Vec::new();
        ids(&[0, 0], 1, &mut one);
        assert_eq!(one, [1, 4, 0], "at least one bit");
    }
}
