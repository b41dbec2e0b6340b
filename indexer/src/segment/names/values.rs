//! The distinct values of a column of names, read without its rows.

use crate::segment::packed::{ColumnFault, ReadRange};
use logstead_record::TextColumn;
use std::ops::Range;

/// Reads only the values of a column.
pub(crate) fn read_values<R: ReadRange>(column: &R) -> Result<TextColumn, R::Error> {
    let short = ColumnFault::Short { bytes: column.bytes() };
    let bytes = |range: Range<u64>| match range.end <= column.bytes() {
        true => column.read(range),
        false => Err(short.into()),
    };
    let head = bytes(0..5)?;
    let count = head[1..].first_chunk().copied().map_or(0, u32::from_le_bytes);
    let ends_end = 5 + 4 * u64::from(count);
    let ends: Vec<u32> =
        bytes(5..ends_end)?.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)).collect();
    let values_end = ends_end + ends.last().map_or(0, |&end| u64::from(end));
    Ok(TextColumn::from_parts(bytes(ends_end..values_end)?, ends).map_err(ColumnFault::from)?)
}
