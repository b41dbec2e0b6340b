//! Requests and documents that may be sent twice are stored once. They are recognised by their `Idempotency-Key` and
//! by their ids, even after a crash.
//!
//! | file     | what it is                                   |
//! |----------|----------------------------------------------|
//! | `memory` | the remembered names, and how long they stay |
//! | `log`    | the same on the disk                         |
//!
//! Before a batch is stored, a note of it is written with its time of receipt, which no other batch of its source
//! has. After a crash, that time shows whether a journal has the batch, so a batch that was stored without its sender
//! learning of it is not stored again. The fate of a batch is noted before it leaves a journal.
//!
//! **Invariant:** nothing is stored under a name before it is on the disk that it will be.

mod log;
mod memory;

pub use memory::{BatchSubject, Claim, Id, RequestProgress, RequestStart, StoreAttempt};

use crate::ledger::JournalId;
use crate::machine::clock;
use log::{LoadedGeneration, RepeatLog};
use logstead_indexer::{Disk, Searcher, Tally};
use logstead_record::Timestamp;
use memory::{Note, RepeatMemory};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The remembered requests and messages, for recognising repetitions.
pub struct Repeats {
    state: Mutex<RepeatState>,
    /// Locked while notes are synced, so that callers that wait share the next sync. It is locked before the state.
    synced: Mutex<SyncedNotes>,
}

/// The progress of syncing the notes.
#[derive(Default)]
struct SyncedNotes {
    /// The number of notes that are on the disk, counted from the first one, without those that are lost.
    notes: u64,
    /// The notes between these two numbers are in an unknown state, because their sync failed.
    lost: (u64, u64),
}

struct RepeatState {
    memory: RepeatMemory,
    log: RepeatLog,
    /// The number of notes that were written.
    written: u64,
    /// The number of the next generation.
    next: u64,
}

impl Repeats {
    /// Opens the memory in a folder. Generations that cannot be read are forgotten, which is logged.
    pub fn open(disk: &Arc<dyn Disk>, dir: &Path) -> io::Result<Repeats> {
        let (log, read, strange) = RepeatLog::open(disk, dir)?;
        if !strange.is_empty() {
            tracing::error!(
                "{}: {} cannot be read: messages that were sent before with an Idempotency-Key or an id may be \
                 stored again",
                dir.display(),
                strange.join(", ")
            );
        }
        let mut memory = RepeatMemory::default();
        let mut next = 1;
        for LoadedGeneration { number, since, notes, damaged } in read {
            if 0 < damaged {
                tracing::error!(
                    "{damaged} lines of {}/{number}.log are damaged: the messages that they name may be stored again",
                    dir.display()
                );
            }
            log.remove(&memory.begin_generation(number, since));
            notes.into_iter().for_each(|note| memory.apply(note));
            next = number + 1;
        }
        let strange = strange.iter().filter_map(|name| name.split('.').next()?.parse::<u64>().ok());
        let next = strange.fold(next, |next, number| next.max(number + 1));
        Ok(Repeats {
            state: Mutex::new(RepeatState { memory, log, written: 0, next }),
            synced: Mutex::default(),
        })
    }

    /// Called when the logspaces are open and nothing is sealed yet: finds out the fate of batches that were being
    /// stored when the process ended.
    pub fn resolve<'a>(&self, logspaces: impl Iterator<Item = (&'a str, &'a Searcher)>) {
        let mut state = self.state.lock();
        let mut found: BTreeMap<i64, Vec<JournalId>> =
            state.memory.open.keys().map(|stamp| (*stamp, Vec::new())).collect();
        if found.is_empty() {
            return;
        }
        for (id, searcher) in logspaces {
            searcher.tally(0, &mut |Tally { batch, .. }| {
                if batch.is_empty() {
                    return;
                }
                let stamp = batch.received(0).nanos();
                let attempt = state.memory.open.get(&stamp);
                if attempt.is_some_and(|attempt| attempt.source.as_bytes() == batch.source(0)) {
                    found.entry(stamp).or_default().push(JournalId::Logspace(id.into()));
                }
            });
        }
        let stored = found.values().filter(|places| !places.is_empty()).count();
        tracing::info!(
            "{} requests with an Idempotency-Key or an id were being stored when the process ended: the journals \
             have {stored} of them",
            found.len()
        );
        for (stamp, had) in found {
            state.note_or_say(Note::Failed(stamp, had));
        }
    }

    /// Begins a request with this key and body. If the result is to take it, [`Repeats::end_request`] ends it.
    pub fn begin_request(&self, key: Id, body: Id) -> RequestStart {
        self.state.lock().memory.begin_request(key, body)
    }

    /// Ends a request; `answered` if it was answered as a whole.
    pub fn end_request(&self, key: Id, is_answered: bool) {
        let mut state = self.state.lock();
        if is_answered {
            state.note_or_say(Note::Answered(key));
        }
        state.memory.end_request(&key);
    }

    /// Notes that the next batch of a request is about to be stored.
    pub fn begin_batch(&self, stamp: Timestamp, source: &str, key: Id, body: Id) -> io::Result<()> {
        let attempt =
            StoreAttempt { source: source.to_owned(), subject: BatchSubject::Request { key, body } };
        self.state.lock().note(Note::Begin(stamp.nanos(), attempt))?;
        self.sync_begun(stamp)
    }

    /// Decides what to do with the documents of a batch that is about to be stored.
    pub fn claim(&self, stamp: Timestamp, source: &str, ids: &[Option<Id>]) -> io::Result<Claim> {
        let mut state = self.state.lock();
        let claim = state.memory.claim(ids);
        if !claim.ids.is_empty() {
            let attempt = StoreAttempt {
                source: source.to_owned(),
                subject: BatchSubject::Documents(claim.ids.clone()),
            };
            state.note(Note::Begin(stamp.nanos(), attempt))?;
            drop(state);
            self.sync_begun(stamp)?;
        }
        Ok(claim)
    }

    /// Syncs the note of a batch: the batch is not stored if a power cut could lose the note.
    fn sync_begun(&self, stamp: Timestamp) -> io::Result<()> {
        self.sync().inspect_err(|_| self.failed(stamp, Vec::new()))
    }

    /// Syncs the notes: they are on the disk when this returns.
    pub fn sync(&self) -> io::Result<()> {
        let wanted = self.state.lock().written;
        let mut synced = self.synced.lock();
        let lost = synced.lost;
        if lost.0 < wanted && wanted <= lost.1 {
            return Err(io::Error::other("the disk failed to write it"));
        }
        if wanted <= synced.notes {
            return Ok(());
        }
        let (written, files) = {
            let state = self.state.lock();
            (state.written, state.log.unsynced())
        };
        let before = std::mem::replace(&mut synced.notes, written);
        files.iter().try_for_each(|file| file.sync()).inspect_err(|error| {
            synced.lost = (before, written);
            self.state.lock().log.give_up();
            tracing::error!(
                "after a power cut, requests with an Idempotency-Key or an id may be stored again: {error}"
            );
        })
    }

    /// Notes that a batch is stored, with the number of its messages and of those that were dropped.
    pub fn stored(&self, stamp: Timestamp, messages: usize, dropped: usize) {
        self.state.lock().note_or_say(Note::Stored(stamp.nanos(), messages, dropped));
    }

    /// Notes that a batch is not stored, except in these journals.
    pub fn failed(&self, stamp: Timestamp, had: Vec<JournalId>) {
        self.state.lock().note_or_say(Note::Failed(stamp.nanos(), had));
    }

    /// The time since when every name is remembered: a request that was sent earlier is not recognised when it is
    /// sent again.
    pub fn since(&self) -> Timestamp {
        self.state.lock().memory.since(clock::now())
    }
}

impl RepeatState {
    fn note(&mut self, note: Note) -> io::Result<()> {
        self.write(&note)?;
        self.memory.apply(note);
        Ok(())
    }

    /// Notes an event, and logs an error if the note cannot be written: the event has happened in any case. A note
    /// that is not written is reconstructed after a restart.
    fn note_or_say(&mut self, note: Note) {
        if let Err(error) = self.write(&note) {
            tracing::warn!(
                "the outcome of a request with an Idempotency-Key or an id cannot be recorded: {error}"
            );
        }
        self.memory.apply(note);
    }

    fn write(&mut self, note: &Note) -> io::Result<()> {
        let now = clock::now();
        if self.log.is_closed() || self.memory.is_full(now) {
            let number = self.next;
            self.next += 1;
            self.log.begin(number, now)?;
            let forgotten = self.memory.begin_generation(number, now);
            self.log.remove(&forgotten);
        }
        self.log.append(note)?;
        self.written += 1;
        Ok(())
    }
}
