//! The kinds of a column, and the meaning of a packed number, for its writer and its readers.

pub(super) const PACKED: u8 = 1;
pub(super) const COMPRESSED: u8 = 3;

/// The packed number that means no value.
pub(super) const ABSENT: u32 = 0;
/// The packed number of the first value.
pub(super) const FIRST: u32 = 1;
