//! The rows of a column of kind 3: packed numbers, split into byte planes and compressed.

use crate::segment::packed::{ColumnFault, PackedBuilder, PackedNumbers};

const ZSTD_LEVEL: i32 = 1;

/// The rows as compressed byte planes.
pub(super) fn compressed(numbers: &[u32]) -> Vec<u8> {
    let most = numbers.iter().copied().max().unwrap_or(0);
    let width = (u32::BITS - most.leading_zeros()).div_ceil(8).max(1);
    let planes: Vec<u8> = (0..width)
        .flat_map(|plane| numbers.iter().map(move |number| (number >> (8 * plane)) as u8))
        .collect();
    let mut out = vec![width as u8];
    out.extend(zstd::bulk::compress(&planes, ZSTD_LEVEL).expect("the buffer has room for what zstd writes"));
    out
}

/// The rows of a column that are compressed.
pub(super) fn decompressed(rest: &[u8], rows: u32) -> Result<PackedNumbers, ColumnFault> {
    let short = ColumnFault::Short { bytes: rest.len() as u64 };
    let (&width, packed) = rest.split_first().ok_or(short)?;
    if !(1..=4).contains(&width) {
        return Err(ColumnFault::Width(width));
    }
    let (rows, width) = (rows as usize, usize::from(width));
    let planes = zstd::bulk::decompress(packed, rows * width).map_err(|_| short)?;
    if planes.len() != rows * width {
        return Err(short);
    }
    let number = |row: usize| {
        (0..width).rev().fold(0, |number, plane| number << 8 | u32::from(planes[plane * rows + row]))
    };
    let mut builder = PackedBuilder::default();
    builder.extend((0..rows).map(number));
    let mut bytes = Vec::new();
    builder.finish(&mut bytes);
    PackedNumbers::new(&bytes)
}
