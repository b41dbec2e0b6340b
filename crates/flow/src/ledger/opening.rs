//! Counts messages that a journal has but the book does not: they were written in the last moment before a crash, or
//! before there was a ledger.

use super::account::{FateColumn, Party};
use super::book::{AccountSlot, Book, JournalId, JournalMark};
use super::{Ledger, this_minute};
use logstead_indexer::{Searcher, Tally};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The source of messages that can no longer be read, if they were not counted before.
pub(super) const UNKNOWN: &str = "?";

impl Ledger {
    /// The sequence below which all messages of a journal were stored there. The journal is opened with it, so that
    /// it reports which of them are missing, and does not give their sequences to other messages.
    pub fn stored_until(&self, journal: &JournalId) -> u64 {
        self.state.lock().book.mark(&JournalMark::Kept(journal.clone())).unwrap_or_default()
    }

    /// Called when a logspace is open.
    pub fn opened_logspace(&self, id: &str, searcher: &Searcher) {
        self.opened(&JournalId::Logspace(id.into()), searcher);
    }

    /// Called when a queue is open, with its cursor at `done`. Messages that the ledger counts as done beyond the
    /// cursor are sent again, and count as queued again: skipping them would lose messages if the ledger were about
    /// another queue of this name.
    pub fn opened_queue(&self, id: &str, searcher: &Searcher, done: u64) {
        let id: Arc<str> = id.into();
        self.opened(&JournalId::Destination(id.clone()), searcher);
        let mut state = self.state.lock();
        state.book.set_mark(JournalMark::Done(id.clone()), done);
        state.book.balance(&id, searcher.next_sequence().saturating_sub(done));
    }

    fn opened(&self, journal: &JournalId, searcher: &Searcher) {
        let end = searcher.next_sequence();
        let mark = JournalMark::Kept(journal.clone());
        let (known, existed) = {
            let state = self.state.lock();
            (state.book.mark(&mark), state.existed)
        };
        // Messages from before the ledger existed are not counted.
        let from = known.unwrap_or(if existed { 0 } else { end });
        // For each slot, the number of messages, and how many of them are counted in this journal.
        let mut found: BTreeMap<AccountSlot, (u64, u64)> = BTreeMap::new();
        let not_read = searcher.tally(from, &mut |Tally { batch, copies }| {
            if let Some(slot) = AccountSlot::of(batch) {
                let (rows, counted) = found.entry(slot).or_default();
                *rows += batch.rows() as u64;
                *counted += (batch.rows() - copies) as u64;
            }
        });
        let mut state = self.state.lock();
        for (slot, (rows, counted)) in found {
            state.book.found(&slot, &journal.column(), counted);
            state.book.found_queued(journal, slot.minute, rows);
        }
        // The sealed messages of a journal that is new to the ledger are older than the ledger.
        if 0 < not_read && known.is_some() {
            tracing::warn!(
                "{journal}: {not_read} messages cannot be read, and are counted under the source `{UNKNOWN}`"
            );
            let slot = AccountSlot { source: UNKNOWN.into(), minute: this_minute() };
            state.book.found(&slot, &journal.column(), not_read);
            state.book.found_queued(journal, slot.minute, not_read);
        }
        state.book.set_mark(mark, end);
    }
}

impl Book {
    fn found_queued(&mut self, journal: &JournalId, minute: i64, messages: u64) {
        if let JournalId::Destination(id) = journal {
            self.post(&Party::Destination(id.clone()), minute, &FateColumn::Queued, messages);
        }
    }

    /// Corrects the account of a destination so that this many messages wait: its queue may be older than the ledger,
    /// or its cursor may have been written when the ledger could not be.
    fn balance(&mut self, id: &Arc<str>, waiting: u64) {
        let party = Party::Destination(id.clone());
        let open = self.total(party.clone()).map_or(0, super::account::FateCounts::open);
        let beyond = open - i64::try_from(waiting).unwrap_or(i64::MAX);
        let column = if beyond < 0 { FateColumn::Queued } else { FateColumn::Delivered };
        self.post(&party, this_minute(), &column, beyond.unsigned_abs());
    }
}
