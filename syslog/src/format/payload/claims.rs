//! What a payload claims about columns.

use logstead_record::{Priority, Timestamp};

/// Values for columns, for messages whose header has none. Absent texts are empty.
#[derive(Default)]
pub(super) struct Claims<'a> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: &'a [u8],
    pub(super) program: &'a [u8],
    pub(super) pid: &'a [u8],
    pub(super) priority: Option<Priority>,
}
