//! Reading a journal in order, with a cursor that says how far it is done with: what the reader of a queue and those of a
//! logspace have in common.
//!
//! **Invariant:** the cursor never passes a message that was not shown. It may lag: after a crash some messages are shown
//! again, and none is skipped.

use crate::error::{DiskError, failed};
use crate::search::{Filter, Follower, Searcher, Visit};
use crate::store::cursor::{DurableCursor, Mark, Owner};
use logstead_query::{Context, Query};
use logstead_record::Timestamp;
use logstead_work::SearchContext;

/// A reader that notes how far it is.
pub(crate) struct Reading {
    searcher: Searcher,
    follower: Follower,
    cursor: DurableCursor,
    mark: Mark,
    done: u64,
}

/// Of all messages from a sequence on.
pub(crate) fn follower(searcher: &Searcher, next: u64) -> Follower {
    let context = Context { now: Timestamp::default(), logspace: "" };
    Follower::new(searcher.clone(), Filter::new(&Query::all(), &context), next)
}

impl Reading {
    /// Goes on where a cursor says.
    pub(crate) fn new(searcher: &Searcher, cursor: DurableCursor, mark: Mark, done: u64) -> Reading {
        Reading { searcher: searcher.clone(), follower: follower(searcher, done), cursor, mark, done }
    }

    pub(crate) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Shows what comes next, until `visit` has enough or there is no more for now.
    pub(crate) fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        self.follower.read(run, visit);
    }

    /// The sequence of the message that is shown next.
    pub(crate) fn next(&self) -> u64 {
        self.follower.next()
    }

    /// The sequence of the first message that is not done with, as the disk has it.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// How many messages are not done with.
    pub(crate) fn waiting(&self) -> u64 {
        self.searcher.next_sequence().saturating_sub(self.done)
    }

    /// Shows everything again that is not done with.
    pub(crate) fn rewind(&mut self) {
        self.follower = follower(&self.searcher, self.done);
    }

    /// Goes on at a sequence, unless it is beyond that already: what is before it is not shown.
    pub(crate) fn skip(&mut self, to: u64) {
        if self.follower.next() < to {
            self.follower = follower(&self.searcher, to.min(self.searcher.next_sequence()));
        }
    }

    /// Notes that everything before a sequence is done with: it is not shown again, not even after a power cut. It takes no
    /// space.
    pub(crate) fn note(&mut self, before: u64) -> Result<(), DiskError> {
        let before = before.min(self.follower.next());
        if self.done < before {
            let owner = Owner { identity: self.searcher.view().identity, reader: self.mark };
            let written = self.cursor.write(before, owner);
            written.map_err(|source| failed("write", self.cursor.path(), 0, source))?;
            self.done = before;
        }
        Ok(())
    }
}
