//! Bytes that are read in parts, wherever they are.

use super::packed::ColumnFault;
use std::ops::Range;

/// Bytes that are read in parts.
pub(crate) trait ReadRange {
    /// The error of a failed read.
    type Error: From<ColumnFault>;

    /// How many there are.
    fn bytes(&self) -> u64;

    /// Those of a range, which is within [`ReadRange::bytes`].
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Self::Error>;
}
