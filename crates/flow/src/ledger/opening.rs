//! Counts what a journal has and the book does not know: it was written in the last moment before a crash, or before there
//! was a ledger.

use super::account::{Column, Party};
use super::book::{Book, Mark, Place, Slot};
use super::{Ledger, this_minute};
use logstead_indexer::{Searcher, Tally};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The source of messages that can no longer be read, if they were not counted before.
pub(super) const UNKNOWN: &str = "?";

impl Ledger {
    /// All messages of a journal with a sequence below this were kept there. It is to be opened so that it knows: it tells
    /// what of them is missing, and gives their sequences to no others.
    pub fn reached(&self, place: &Place) -> u64 {
        self.state.lock().book.mark(&Mark::Kept(place.clone())).unwrap_or_default()
    }

    /// A logspace is open.
    pub fn opened_logspace(&self, id: &str, searcher: &Searcher) {
        self.opened(&Place::Logspace(id.into()), searcher);
    }

    /// A queue is open, and its cursor stands at `done`. What the ledger has beyond that is sent again, and counts as queued
    /// again: to skip it would lose messages if the ledger were about another queue of this name.
    pub fn opened_queue(&self, id: &str, searcher: &Searcher, done: u64) {
        let id: Arc<str> = id.into();
        self.opened(&Place::Destination(id.clone()), searcher);
        let mut state = self.state.lock();
        state.book.set_mark(Mark::Done(id.clone()), done);
        state.book.balance(&id, searcher.next_sequence().saturating_sub(done));
    }

    fn opened(&self, place: &Place, searcher: &Searcher) {
        let end = searcher.next_sequence();
        let mark = Mark::Kept(place.clone());
        let (known, existed) = {
            let state = self.state.lock();
            (state.book.mark(&mark), state.existed)
        };
        // What was there before there was a ledger is not counted.
        let from = known.unwrap_or(if existed { 0 } else { end });
        // Messages, and how many of them are counted there.
        let mut found: BTreeMap<Slot, (u64, u64)> = BTreeMap::new();
        let not_read = searcher.tally(from, &mut |Tally { batch, copies }| {
            if let Some(slot) = Slot::of(batch) {
                let (rows, counted) = found.entry(slot).or_default();
                *rows += batch.rows() as u64;
                *counted += (batch.rows() - copies) as u64;
            }
        });
        let mut state = self.state.lock();
        for (slot, (rows, counted)) in found {
            state.book.found(&slot, &place.column(), counted);
            state.book.found_queued(place, slot.minute, rows);
        }
        // Of a journal that is new to the ledger, what is sealed was there before it.
        if 0 < not_read && known.is_some() {
            tracing::warn!(
                "{place}: {not_read} messages cannot be read, and are counted for the source `{UNKNOWN}`"
            );
            let slot = Slot { source: UNKNOWN.into(), minute: this_minute() };
            state.book.found(&slot, &place.column(), not_read);
            state.book.found_queued(place, slot.minute, not_read);
        }
        state.book.set_mark(mark, end);
    }
}

impl Book {
    fn found_queued(&mut self, place: &Place, minute: i64, messages: u64) {
        if let Place::Destination(id) = place {
            self.post(&Party::Destination(id.clone()), minute, &Column::Queued, messages);
        }
    }

    /// Makes the account of a destination say that this many messages wait: its queue may be older than the ledger, or its
    /// cursor may have been written when the ledger could not be.
    fn balance(&mut self, id: &Arc<str>, waiting: u64) {
        let party = Party::Destination(id.clone());
        let open = self.total(party.clone()).map_or(0, super::account::Cell::open);
        let beyond = open - i64::try_from(waiting).unwrap_or(i64::MAX);
        let column = if beyond < 0 { Column::Queued } else { Column::Delivered };
        self.post(&party, this_minute(), &column, beyond.unsigned_abs());
    }
}
