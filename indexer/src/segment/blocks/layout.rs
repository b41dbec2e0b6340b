//! The sections of a file and the numbers in them, for their writer and their readers.

use crate::segment::times::FRAME_ROWS;

pub(super) const ROWS: &str = "rows";
pub(super) const MESSAGE: &str = "message";
pub(super) const PID: &str = "pid";
pub(super) const HEAD: &str = "head";
pub(super) const TAIL: &str = "tail";
pub(super) const PARTS: &str = "parts";
pub(super) const VALUES: &str = "values";
pub(super) const TIME: &str = "time";
pub(super) const RECEIVED: &str = "received";
pub(super) const CLOCK: &str = "clock";
pub(super) const OWN: &str = "own";
pub(super) const HEAD_FORM: &str = "head_form";
pub(super) const SEGMENT: &str = "segment";
pub(super) const PIECES: &str = "pieces";

/// The sections that a group has in every file. `origin` is left out, because its numbers refer to values of the
/// file.
pub(super) const GROUP_SECTIONS: [&str; 7] = [ROWS, MESSAGE, PID, HEAD, TAIL, PARTS, VALUES];
/// The number of rows of a block.
pub(super) const BLOCK_ROWS: usize = FRAME_ROWS;
pub(super) const HASH_BYTES: usize = 32;
/// The possible values of a row in `clock`.
pub(super) const OWN_TIME: u8 = 0;
pub(super) const NO_TIME: u8 = 1;
pub(super) const OTHER_TIME: u8 = 2;

/// The name of a section of a group.
pub(super) fn of_group(section: &str, group: usize) -> String {
    format!("{section}.{group}")
}
