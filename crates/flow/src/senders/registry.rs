//! All known senders.

use super::recent::RecentFigures;
use super::sender::{SenderKey, SenderRecord};
use super::skipped::SkippedTotals;
use logstead_record::Timestamp;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Registry {
    pub(super) senders: BTreeMap<SenderKey, SenderRecord>,
    /// Figures that are not in the records yet.
    pub(super) recent: RecentFigures,
    /// Skipped bytes, by the address that they came from instead of the host.
    pub(super) skipped: BTreeMap<SenderKey, SkippedTotals>,
    /// Bytes from addresses for which there was no room.
    pub(super) skipped_left_out: u64,
    /// When the registry was created, in nanoseconds since 1970.
    pub(super) began: Option<i64>,
    /// Messages from hosts for which there was no room.
    pub(super) left_out: u64,
    /// The time until which no search is made for senders that could make room.
    pub(super) full_until: i64,
    /// Whether the registry has changed since it was written.
    pub(super) changed: bool,
}

impl Registry {
    /// Adds the recent figures to the records.
    pub(super) fn settle(&mut self, listening_since: Timestamp) {
        self.recent.settle(&mut self.senders, listening_since);
    }
}
