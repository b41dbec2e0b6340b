//! All columns of a group of rows, in six sections: one for each [`Group`] of columns, so that a question reads only what
//! it asks about.
//!
//! | section | bytes                                                                                             |
//! |---------|---------------------------------------------------------------------------------------------------|
//! | stamps  | two *times*: received and own; priorities and flags, [ordered](crate::ordered)                    |
//! | names   | for each field that is kept as names, *names*                                                     |
//! | pid, message | a [group of texts](crate::group)                                                             |
//! | fields  | ordered, how many fields each row has; names of the fields; a group of texts, their values        |
//! | head    | ordered, the forms of heads; varint, the length of a group of texts that follows, the heads; another, the tails |
//!
//! *Times* are u8 1 if some are missing, and then ordered, 1 for each row that has one; u64 the least time, u64 nanoseconds
//! of a unit, and [numbers](crate::numbers), the units of each row beyond the least; where there is none, those before it.
//! *Names* are [texts](crate::texts), the distinct values, and ordered, the place of each row's value.
//!
//! **Invariant:** each row comes back as it was, with its raw bytes.

mod read;
mod write;

use logstead_record::Group;

pub use read::RowGroup;
pub use write::RowGroupWriter;

/// Most rows of a group. What one damaged page can hit is a group.
pub const ROWS_MAX: usize = 1 << 17;
/// A group ends when it has this many dynamic fields,
const FIELDS_MAX: usize = 1 << 19;
/// or this many bytes of texts without a template.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// How many sections a group has.
pub const SECTIONS: usize = Group::ALL.len();
