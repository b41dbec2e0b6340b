//! The kinds of a column, and the meaning of a packed number, for its writer and its readers.

pub(super) const PRESENCE: u8 = 0;
pub(super) const COMPLETE: u8 = 1;
pub(super) const FILLED: u8 = 2;
pub(super) const COMPRESSED: u8 = 3;

/// The packed number that means no value.
pub(super) const ABSENT: u32 = 0;
/// The packed number of the first value, or of any value if only presence is kept.
pub(super) const FIRST: u32 = 1;
