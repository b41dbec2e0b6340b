//! All senders that are known.

use super::sender::SenderRecord;
use super::skipped::SkippedTotals;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The identity of a sender.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SenderKey {
    /// The source's id.
    pub source: Arc<str>,
    /// The sender's host name.
    pub host: String,
}

#[derive(Default)]
pub(super) struct Registry {
    pub(super) senders: BTreeMap<SenderKey, SenderRecord>,
    /// By the address that they came from, in place of the host.
    pub(super) skipped: BTreeMap<SenderKey, SkippedTotals>,
    /// Bytes of addresses for which there was no room.
    pub(super) skipped_left_out: u64,
    /// When the registry was new, in nanoseconds since 1970.
    pub(super) began: Option<i64>,
    /// Messages of hosts for which there was no room.
    pub(super) left_out: u64,
    /// The time before which no sender is looked for that could make room.
    pub(super) full_until: i64,
    /// Since it was written.
    pub(super) changed: bool,
}
