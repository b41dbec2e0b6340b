//! All senders that are known.

use super::sender::Sender;
use super::skipped::Skipped;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who a sender is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// The source's id.
    pub source: Arc<str>,
    /// The sender's host name.
    pub host: String,
}

#[derive(Default)]
pub(super) struct Registry {
    pub(super) senders: BTreeMap<Key, Sender>,
    /// By the address that they came from, in place of the host.
    pub(super) skipped: BTreeMap<Key, Skipped>,
    /// Bytes of addresses for which there was no room.
    pub(super) skipped_left_out: u64,
    /// When the registry was new, in nanoseconds since 1970.
    pub(super) began: Option<i64>,
    /// Messages of hosts for which there was no room.
    pub(super) left_out: u64,
    /// Until when nobody is looked for who could make room.
    pub(super) full_until: i64,
    /// Since it was written.
    pub(super) changed: bool,
}
