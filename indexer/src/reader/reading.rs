//! Reading a journal in order, with a cursor that records the progress: the common part of the reader of a queue and
//! the readers of a logspace.
//!
//! **Invariant:** the cursor never passes a message that was not shown. It may lag: after a crash some messages are shown
//! again, and none is skipped.

use crate::error::{DiskError, failed};
use crate::search::{Filter, Follower, Searcher, Visit};
use crate::store::cursor::{DurableCursor, Mark, Owner};
use logstead_query::{Context, Query};
use logstead_record::Timestamp;
use logstead_work::SearchContext;

/// A reader that records its progress.
pub(crate) struct Reading {
    pub(crate) searcher: Searcher,
    follower: Follower,
    cursor: DurableCursor,
    mark: Mark,
    /// The sequence of the first unfinished message, as recorded on disk.
    pub(crate) done: u64,
}

/// A follower of all messages from a sequence on.
pub(crate) fn follower(searcher: &Searcher, next: u64) -> Follower {
    let context = Context { now: Timestamp::default(), logspace: "" };
    Follower::new(searcher.clone(), Filter::new(&Query::all(), &context), next)
}

impl Reading {
    /// Continues at the position of a cursor.
    pub(crate) fn new(searcher: &Searcher, cursor: DurableCursor, mark: Mark, done: u64) -> Reading {
        Reading { searcher: searcher.clone(), follower: follower(searcher, done), cursor, mark, done }
    }

    /// Passes the next messages to `visit`, until it has enough or there are no more for now.
    pub(crate) fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        self.follower.read(run, visit);
    }

    /// The sequence of the message that is read next.
    pub(crate) fn next(&self) -> u64 {
        self.follower.next
    }

    /// The number of unfinished messages.
    pub(crate) fn waiting(&self) -> u64 {
        self.searcher.next_sequence().saturating_sub(self.done)
    }

    /// Goes back to the first unfinished message.
    pub(crate) fn rewind(&mut self) {
        self.follower = follower(&self.searcher, self.done);
    }

    /// Continues at a sequence, unless it is already beyond it: messages before it are skipped.
    pub(crate) fn skip(&mut self, to: u64) {
        if self.follower.next < to {
            self.follower = follower(&self.searcher, to.min(self.searcher.next_sequence()));
        }
    }

    /// Records that all messages before a sequence are finished: they are not read again, not even after a power cut.
    /// This takes no disk space.
    pub(crate) fn note(&mut self, before: u64) -> Result<(), DiskError> {
        let before = before.min(self.follower.next);
        if self.done < before {
            let owner = Owner { identity: self.searcher.view().identity, reader: self.mark };
            let written = self.cursor.write(before, owner);
            written.map_err(|source| failed("write", self.cursor.path(), 0, source))?;
            self.done = before;
        }
        Ok(())
    }
}
