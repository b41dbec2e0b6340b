//! A queue: a journal that one reader reads once, in order, noting how far it has finished.
//!
//! The folder of a queue is that of a logspace that is never sealed, with a [cursor](cursor) beside the journal. So a
//! queue is stored, recovered, verified, inspected and searched like a logspace. Journal files whose messages are all
//! finished are removed without being read; while the reader keeps up, it reads from memory.
//!
//! **Invariant:** the cursor never passes an unfinished message. It may lag: after a crash the reader gets some
//! messages again, and skips none.

mod cursor;

pub use cursor::CursorError;
use cursor::{QueueCursor, StoredCursor};

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::open::{OpenLogspace, closed_at, open_witnessed};
use crate::search::{Filter, FollowEvent, Follower, Hit, MatchedRows, MissingCause, Searcher, Visit};
use crate::store::JOURNAL_DIR;
use crate::store::append::Appender;
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::orphans;
use crate::store::recover::Recovery;
use crate::store::retention::{ExpiredParts, Expiry};
use crate::store::unopened::{OpenError, failed as unopened};
use logstead_query::{Context, Query};
use logstead_record::Timestamp;
use logstead_work::Alone;
use logstead_work::SearchContext;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most ranges of damaged messages that are told apart: with more, the messages between them count as damaged.
const DAMAGED_MAX: usize = 1000;
/// The number of times a cursor is read before an error of it is reported.
const CURSOR_LOOKS_MAX: usize = 3;

/// An open queue: a handle for each of its users.
pub struct OpenQueue {
    /// For the one thread that adds messages, and that removes what is too old or too much.
    pub appender: Appender,
    /// For the one thread that reads them.
    pub reader: QueueReader,
    /// For queries.
    pub searcher: Searcher,
    /// The report of what was found.
    pub recovery: Recovery,
    /// Why finished messages may be read again, if the cursor does not say which are finished.
    pub cursor: Option<CursorError>,
    /// The name under which an invalid cursor was kept.
    pub cursor_kept: Option<String>,
}

/// Reads a queue.
pub struct QueueReader {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    cursor: QueueCursor,
    keeper: Keeper,
    searcher: Searcher,
    follower: Follower,
    done: u64,
    /// Damaged messages that were skipped, in files that are still there.
    damaged: Vec<Range<u64>>,
    /// Messages that were finished when the queue was opened, and were not looked at since.
    unseen: Range<u64>,
    freed: u64,
}

/// Why a queue cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenQueueError {
    /// Its journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] OpenError),
    /// Another version of this program wrote it.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: CursorError,
    },
}

/// Opens the queue in a folder, which is made if it is not there. Only one process may have it open. All messages below
/// the sequence `reached` were queued, as far as others know. An unreadable cursor counts as lost: all messages
/// there come again.
pub fn open_queue(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    reached: u64,
) -> Result<OpenQueue, OpenQueueError> {
    check_cursor(&**disk, dir)?;
    let OpenLogspace { appender, searcher, keeper, recovery } =
        open_witnessed(disk, dir, options, reached, &Alone)?;
    let read = cursor::read(&**disk, dir);
    let noted = own(read, &searcher);
    let (first, next) = (searcher.stats().first_sequence, searcher.next_sequence());
    let (done, lost) = match &noted {
        Ok(noted) if noted.newest.done <= next => (noted.newest.done, None),
        Ok(noted) => (next, Some(CursorError::Beyond(noted.newest.done))),
        Err(CursorError::Missing) if next == 0 => (0, None),
        Err(lost) => (first, Some(*lost)),
    };
    let mut cursor = QueueCursor::new(disk, dir, noted.as_ref().ok());
    let is_useless = noted.as_ref().is_err_and(|error| *error != CursorError::Missing);
    let path = cursor.path();
    let kept = is_useless.then(|| orphans::set_aside(&**disk, dir, cursor::NAME)).transpose();
    let cursor_kept = kept.map_err(|source| unopened("set aside", &path, source))?;
    if noted.is_err() || lost.is_some() {
        // New messages must not lie behind the old cursor, and a missing one has to be noticed.
        let written = cursor.write(done, searcher.view().identity);
        written.map_err(|source| unopened("write", &path, source))?;
    }
    let follower = follower(&searcher, done);
    let reader = QueueReader::new(disk, dir, cursor, keeper, follower, &searcher, done);
    Ok(OpenQueue { appender, reader, searcher, recovery, cursor: lost, cursor_kept })
}

/// A cursor, unless it is that of another queue.
fn own(read: Result<StoredCursor, CursorError>, searcher: &Searcher) -> Result<StoredCursor, CursorError> {
    let is_own = |noted: &StoredCursor| noted.newest.identity == searcher.view().identity;
    read.and_then(|noted| if is_own(&noted) { Ok(noted) } else { Err(CursorError::Foreign) })
}

/// A queue that cannot be opened for now: it neither takes messages nor returns any until its appender
/// [opens](Appender::open) it. Its reader then goes on at the cursor, if that can be read.
pub fn closed_queue(disk: &Arc<dyn Disk>, dir: &Path, options: Options, reached: u64) -> OpenQueue {
    let noted = cursor::read(&**disk, dir).ok();
    let done = noted.map_or(0, |noted| noted.newest.done);
    // Until then nothing waits, so that nothing is skipped.
    let OpenLogspace { appender, searcher, keeper, recovery } =
        closed_at(disk, dir, options, reached.max(done), done);
    let cursor = QueueCursor::new(disk, dir, noted.as_ref());
    let follower = follower(&searcher, done);
    let reader = QueueReader::new(disk, dir, cursor, keeper, follower, &searcher, done);
    OpenQueue { appender, reader, searcher, recovery, cursor: None, cursor_kept: None }
}

/// Whether this version of the program can read the cursor in the folder of a queue, if there is one.
pub fn check_cursor(disk: &dyn Disk, dir: &Path) -> Result<(), OpenQueueError> {
    match cursor::read(disk, dir) {
        Err(source @ CursorError::Version(_)) => {
            Err(OpenQueueError::Version { path: dir.join(cursor::NAME), source })
        }
        _ => Ok(()),
    }
}

/// Checks the cursor of a queue that is only inspected.
pub fn verify_cursor(disk: &dyn Disk, dir: &Path, searcher: &Searcher) -> Option<CursorError> {
    // Another process may write it meanwhile: only a lasting error counts.
    let looks = (0..CURSOR_LOOKS_MAX).map(|_| {
        let noted = own(cursor::read(disk, dir), searcher);
        match noted {
            Ok(noted) if searcher.next_sequence() < noted.newest.done => {
                Some(CursorError::Beyond(noted.newest.done))
            }
            Ok(noted) => (!noted.is_whole).then_some(CursorError::Damaged),
            Err(CursorError::Missing) if searcher.next_sequence() == 0 => None,
            Err(error) => Some(error),
        }
    });
    let mut wrong = None;
    for look in looks {
        wrong = Some(look?);
    }
    wrong
}

/// A follower of all messages from a sequence on.
fn follower(searcher: &Searcher, next: u64) -> Follower {
    let context = Context { now: Timestamp::default(), logspace: "" };
    Follower::new(searcher.clone(), Filter::new(&Query::all(), &context), next)
}

/// The first readable messages from a sequence on. The reader is not affected.
pub fn oldest(searcher: &Searcher, from: u64, limit: usize) -> Vec<Hit> {
    let mut hits = Vec::new();
    follower(searcher, from).read(&SearchContext::alone(), &mut |followed| {
        if let FollowEvent::Messages { matched: Some(MatchedRows { batch, first_sequence, rows }), .. } =
            followed
        {
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

/// Adds a damaged range after the others; merged with the last if it follows that or if there are too many.
fn remember(damaged: &mut Vec<Range<u64>>, lost: Range<u64>) {
    let is_full = DAMAGED_MAX <= damaged.len();
    match damaged.last_mut() {
        Some(last) if last.end == lost.start || is_full => last.end = lost.end,
        _ => damaged.push(lost),
    }
}

impl QueueReader {
    fn new(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        cursor: QueueCursor,
        keeper: Keeper,
        follower: Follower,
        searcher: &Searcher,
        done: u64,
    ) -> QueueReader {
        let (disk, dir, searcher) = (Arc::clone(disk), dir.to_owned(), searcher.clone());
        let (damaged, unseen) = (Vec::new(), 0..done);
        QueueReader { disk, dir, cursor, keeper, searcher, follower, done, freed: done, damaged, unseen }
    }

    /// Finds the damage in a file that is about to be removed, if it was finished before the queue was opened: another
    /// process may have skipped damaged messages, and these are kept. A start does not wait for that.
    fn look_back(&mut self, file: &Range<u64>) {
        let (from, to) = (file.start.max(self.unseen.start), file.end.min(self.unseen.end));
        if to <= from {
            return;
        }
        let damaged = &mut self.damaged;
        follower(&self.searcher, from).read(&SearchContext::alone(), &mut |part| {
            let end = match part {
                FollowEvent::Messages { sequences, .. } => sequences.end,
                FollowEvent::Missing { sequences, cause: MissingCause::Damaged, .. }
                    if sequences.start < to =>
                {
                    remember(damaged, sequences.clone());
                    sequences.end
                }
                FollowEvent::Missing { sequences, .. } => sequences.end,
            };
            if to <= end { ControlFlow::Break(end) } else { ControlFlow::Continue(()) }
        });
        self.unseen.start = to;
    }

    /// Shows the next messages, until `visit` has enough or there are no more for now.
    pub fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        self.follower.read(run, visit);
    }

    /// The sequence of the message that is shown next.
    pub fn next(&self) -> u64 {
        self.follower.next()
    }

    /// The sequence of the first unfinished message, as noted on the disk.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The number of unfinished messages.
    pub fn waiting(&self) -> u64 {
        self.searcher.next_sequence().saturating_sub(self.done)
    }

    /// Shows all unfinished messages again.
    pub fn rewind(&mut self) {
        self.follower = follower(&self.searcher, self.done);
    }

    /// Goes on at a sequence, unless it is beyond that already: messages before it are not shown.
    pub fn skip(&mut self, to: u64) {
        if self.follower.next() < to {
            self.follower = follower(&self.searcher, to.min(self.searcher.next_sequence()));
        }
    }

    /// The same over messages that are damaged: the file that holds them is set aside when it would be removed.
    pub fn pass_over(&mut self, to: u64) {
        let from = self.follower.next();
        self.skip(to);
        remember(&mut self.damaged, from..to);
    }

    /// Notes that all messages before a sequence are finished: they are not shown again, not even after a power cut.
    /// This takes no space.
    pub fn note(&mut self, before: u64) -> Result<(), DiskError> {
        let before = before.min(self.follower.next());
        if self.done < before {
            let written = self.cursor.write(before, self.searcher.view().identity);
            written.map_err(|source| failed("write", self.cursor.path(), 0, source))?;
            self.done = before;
        }
        Ok(())
    }

    /// Removes journal files whose messages are all noted as finished; damaged files are set aside. Returns the removed
    /// parts, and the new names of the others.
    pub fn free(&mut self) -> Result<(ExpiredParts, Vec<String>), DiskError> {
        let aside = self.set_aside()?;
        let expired = self.keeper.expire(&Expiry { before: self.done, ..Expiry::default() })?;
        self.freed = self.done;
        Ok((expired, aside))
    }

    /// All messages before this sequence are noted as finished, and files that held nothing else are removed.
    pub fn freed(&self) -> u64 {
        self.freed
    }

    /// Notes that all messages before a sequence are finished, and removes files that hold no others.
    pub fn done_with(&mut self, before: u64) -> Result<(ExpiredParts, Vec<String>), DiskError> {
        self.note(before)?;
        self.free()
    }

    /// Sets finished files with damage aside.
    fn set_aside(&mut self) -> Result<Vec<String>, DiskError> {
        let (view, folder) = (self.searcher.view(), self.dir.join(JOURNAL_DIR));
        let mut kept = Vec::new();
        for (file, next) in view.files.iter().zip(view.files.iter().skip(1)) {
            let (first, end) = (file.first_sequence, next.first_sequence);
            if self.done < end {
                break;
            }
            self.look_back(&(first..end));
            let is_damaged = !file.damaged.is_empty()
                || self.damaged.iter().any(|lost| lost.start < end && first < lost.end);
            if is_damaged {
                let name = &file.journal.name;
                match orphans::set_aside(&*self.disk, &folder, name) {
                    Ok(name) => kept.push(name),
                    // It was removed before an error was reported.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(source) => return Err(failed("set aside", folder.join(name), 0, source)),
                }
            }
        }
        self.damaged.retain(|lost| self.done < lost.end);
        Ok(kept)
    }
}
