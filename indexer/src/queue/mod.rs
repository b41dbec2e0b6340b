//! A queue: a journal that one reader reads once, in order, and notes how far it is done.
//!
//! The folder of a queue is that of a logspace that nobody seals, with a [cursor](cursor) beside the journal. So a
//! queue is stored, recovered, verified, inspected and searched as a logspace is. Journal files whose messages are all
//! done with are removed without being read; while the reader keeps up, what it reads is still in memory.
//!
//! **Invariant:** the cursor never passes a message that was not done with. It may lag: after a crash the reader is
//! given some messages again, and skips none.

mod cursor;

pub use cursor::CursorError;

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::open::{Opened, open};
use crate::search::{Filter, Followed, Follower, Hit, Matched, Searcher, Visit};
use crate::store::JOURNAL_DIR;
use crate::store::append::Appender;
use crate::store::aside::set_aside;
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::recover::Recovery;
use crate::store::retention::{Expired, Expiry};
use crate::store::unopened::{OpenError, failed as unopened};
use crate::work::lanes::Alone;
use crate::work::run::Run;
use logstead_record::Timestamp;
use logstead_record::query::{Context, Query};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most ranges of damaged messages that are told apart: with more, what is between them counts as damaged.
const DAMAGED_MAX: usize = 1000;

/// What can be done with an opened queue, by whom.
pub struct OpenedQueue {
    /// For the one thread that adds messages, and that removes what is too old or too much.
    pub appender: Appender,
    /// For the one thread that reads them.
    pub reader: QueueReader,
    /// For queries.
    pub searcher: Searcher,
    /// What was found.
    pub recovery: Recovery,
    /// Why messages may be given out that were done with, or nobody knows which were.
    pub cursor: Option<CursorError>,
}

/// Reads a queue.
pub struct QueueReader {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    keeper: Keeper,
    searcher: Searcher,
    follower: Follower,
    done: u64,
    /// Messages that were passed over, as they are damaged, in files that are still there.
    damaged: Vec<Range<u64>>,
}

/// Why a queue cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenQueueError {
    /// Its journal cannot be.
    #[error(transparent)]
    Journal(#[from] OpenError),
    /// A later version of this program wrote it.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: CursorError,
    },
}

/// Opens the queue in a folder, which is made if it is not there. Only one process may have it open.
pub fn open_queue(disk: &Arc<dyn Disk>, dir: &Path, options: Options) -> Result<OpenedQueue, OpenQueueError> {
    let Opened { appender, searcher, keeper, recovery } = open(disk, dir, options, &Alone)?;
    let path = dir.join(cursor::NAME);
    let noted = cursor::read(&**disk, dir).map_err(|source| unopened("read", &path, source))?;
    if let Err(source @ CursorError::Newer(_)) = noted {
        return Err(OpenQueueError::Newer { path, source });
    }
    let (first, next) = (searcher.stats().first_sequence, searcher.next_sequence());
    let (done, lost) = match noted {
        Ok(done) if done <= next => (done, None),
        Ok(done) => (next, Some(CursorError::Beyond(done))),
        Err(_) if next == 0 => (0, None),
        Err(lost) => (first, Some(lost)),
    };
    if noted.is_err() || lost.is_some() {
        // What is added from now on must not be behind the old one, and a missing one has to be noticed.
        cursor::write(&**disk, dir, done).map_err(|source| unopened("write", &path, source))?;
    }
    let reader = QueueReader {
        disk: Arc::clone(disk),
        dir: dir.to_owned(),
        keeper,
        follower: follower(&searcher, done),
        searcher: searcher.clone(),
        done,
        damaged: Vec::new(),
    };
    Ok(OpenedQueue { appender, reader, searcher, recovery, cursor: lost })
}

/// Of all messages from a sequence on.
fn follower(searcher: &Searcher, next: u64) -> Follower {
    let context = Context { now: Timestamp::default(), logspace: "" };
    Follower::new(searcher.clone(), Filter::new(&Query::all(), &context), next)
}

/// The first messages from a sequence on that can be read. The reader goes its own way.
pub fn oldest(searcher: &Searcher, from: u64, limit: usize) -> Vec<Hit> {
    let mut hits = Vec::new();
    follower(searcher, from).read(&Run::alone(), &mut |followed| {
        if let Followed::Messages { matched: Some(Matched { batch, first_sequence, rows }), .. } = followed {
            let hit = |row| Hit {
                sequence: first_sequence + row as u64,
                time: batch.time(row),
                batch: Arc::clone(batch),
                row,
            };
            hits.extend(rows.iter().map(hit).take(limit - hits.len()));
        }
        if hits.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(0) }
    });
    hits
}

impl QueueReader {
    /// Shows what comes next, until `visit` has enough or there is no more for now.
    pub fn read(&mut self, run: &Run<'_>, visit: &mut Visit<'_>) {
        self.follower.read(run, visit);
    }

    /// The sequence of the message that is shown next.
    pub fn next(&self) -> u64 {
        self.follower.next()
    }

    /// The sequence of the first message that is not done with, as the disk has it.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// How many messages are not done with.
    pub fn waiting(&self) -> u64 {
        self.searcher.next_sequence().saturating_sub(self.done)
    }

    /// Shows everything again that is not done with.
    pub fn rewind(&mut self) {
        self.follower = follower(&self.searcher, self.done);
    }

    /// Goes on at a sequence, unless it is beyond that already: what is before it is not shown.
    pub fn skip(&mut self, to: u64) {
        if self.follower.next() < to {
            self.follower = follower(&self.searcher, to.min(self.searcher.next_sequence()));
        }
    }

    /// The same over messages that are damaged: the file that holds them is set aside when it would be removed.
    pub fn pass_over(&mut self, to: u64) {
        let from = self.follower.next();
        self.skip(to);
        let is_full = DAMAGED_MAX <= self.damaged.len();
        match self.damaged.last_mut() {
            Some(last) if last.end == from || is_full => last.end = to,
            _ => self.damaged.push(from..to),
        }
    }

    /// Notes that everything before a sequence is done with: it is not shown again, not even after a power cut. Journal
    /// files that hold nothing else are removed; those that are damaged are set aside. Returns what was removed, and how the
    /// others are called now.
    pub fn done_with(&mut self, before: u64) -> Result<(Expired, Vec<String>), DiskError> {
        let before = before.min(self.follower.next());
        if self.done < before {
            let written = cursor::write(&*self.disk, &self.dir, before);
            written.map_err(|source| failed("replace", self.dir.join(cursor::NAME), 0, source))?;
            self.done = before;
        }
        let aside = self.set_aside()?;
        let expired = self.keeper.expire(&Expiry { before: self.done, ..Expiry::default() })?;
        Ok((expired, aside))
    }

    /// Sets damaged files aside that are done with.
    fn set_aside(&mut self) -> Result<Vec<String>, DiskError> {
        let (view, folder) = (self.searcher.view(), self.dir.join(JOURNAL_DIR));
        let mut aside = Vec::new();
        for (file, next) in view.files.iter().zip(view.files.iter().skip(1)) {
            let (first, end) = (file.first_sequence, next.first_sequence);
            let is_damaged = !file.damaged.is_empty()
                || self.damaged.iter().any(|lost| lost.start < end && first < lost.end);
            if end <= self.done && is_damaged {
                let name = &file.journal.name;
                match set_aside(&*self.disk, &folder, name) {
                    Ok(kept) => aside.push(kept),
                    // It was, before its removal failed.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(source) => return Err(failed("set aside", folder.join(name), 0, source)),
                }
            }
        }
        self.damaged.retain(|lost| self.done < lost.end);
        Ok(aside)
    }
}
