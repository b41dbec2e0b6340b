//! The columns that a payload claims.

use logstead_record::{Priority, Timestamp};

/// Values for columns, for messages whose header has none. Absent texts are empty.
#[derive(Default)]
pub(super) struct ColumnClaims<'a> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: &'a [u8],
    pub(super) program: &'a [u8],
    pub(super) pid: &'a [u8],
    pub(super) priority: Option<Priority>,
    /// Whether a stamp before the payload is a part of it: it has the time less exactly, and no program.
    pub(super) completes_stamp: bool,
}
