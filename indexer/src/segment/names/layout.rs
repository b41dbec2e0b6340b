//! The kinds of a column, and what a packed number says, for its writer and its readers.

pub(super) const PRESENCE: u8 = 0;
pub(super) const COMPLETE: u8 = 1;
pub(super) const FILLED: u8 = 2;
pub(super) const COMPRESSED: u8 = 3;

/// Among the packed numbers: no value.
pub(super) const ABSENT: u32 = 0;
/// Among the packed numbers: the first value, or any where only presence is kept.
pub(super) const FIRST: u32 = 1;
