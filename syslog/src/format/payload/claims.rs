//! What a payload says of columns.

use logstead_record::{Priority, Timestamp};

/// What a text says that stands in columns, for messages whose header does not. Absent texts are empty.
#[derive(Default)]
pub(super) struct Claims<'a> {
    pub(super) time: Option<Timestamp>,
    pub(super) host: &'a [u8],
    pub(super) program: &'a [u8],
    pub(super) pid: &'a [u8],
    pub(super) priority: Option<Priority>,
}
