//! The columns that a payload provides.

use logstead_record::{Priority, Timestamp};

/// Values for the columns of messages without a header. Absent texts are empty.
#[derive(Default)]
pub(super) struct ColumnClaims<'a> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: &'a [u8],
    pub(super) program: &'a [u8],
    pub(super) pid: &'a [u8],
    pub(super) priority: Option<Priority>,
    /// Whether a stamp before the payload belongs to it, in which case it states the time less precisely, and no
    /// program.
    pub(super) completes_stamp: bool,
}
