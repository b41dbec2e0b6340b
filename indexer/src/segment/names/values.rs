//! The distinct values of a column of names, read without its rows.

use super::layout::{COMPLETE, COMPRESSED};
use crate::segment::packed::ColumnFault;
use crate::segment::packed::ReadRange;
use logstead_record::TextColumn;
use std::ops::Range;

/// The size up to which values may stay in memory.
const SMALL_BYTES: usize = 64 << 10;

/// The distinct values of a column, without its rows.
pub(crate) struct NameValues {
    pub(crate) texts: TextColumn,
    /// Whether the values are kept; if not, only their presence is.
    pub(crate) is_complete: bool,
}

impl NameValues {
    /// Reads only the values of a column.
    pub(crate) fn read<R: ReadRange>(column: &R) -> Result<NameValues, R::Error> {
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
        let texts = TextColumn::from_parts(bytes(ends_end..values_end)?, ends).map_err(ColumnFault::from)?;
        Ok(NameValues { texts, is_complete: matches!(head[0], COMPLETE | COMPRESSED) })
    }

    /// Whether the values are small enough to be kept in memory.
    pub(crate) fn is_small(&self) -> bool {
        self.texts.memory_bytes() <= SMALL_BYTES
    }
}
