//! A queue: a journal that one reader reads once, in order, noting how far it has finished.
//!
//! The folder of a queue is like that of a logspace that is never sealed, with a [cursor](crate::store::cursor)
//! beside the journal. So a queue is stored, recovered, verified, inspected and searched like a logspace. Journal
//! files whose messages are all finished are removed without being read; while the reader keeps up, it reads from
//! memory.
//!
//! **Invariant:** the cursor never passes an unfinished message. It may lag: after a crash the reader gets some
//! messages again, and skips none.

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::open::{OpenLogspace, closed_at, open_witnessed};
use crate::reader::reading::{Reading, follower};
use crate::search::{FollowEvent, Hit, MatchedRows, MissingCause, Searcher, Visit};
use crate::store::JOURNAL_DIR;
use crate::store::append::Appender;
use crate::store::cursor::{self, CursorError, DurableCursor, Mark, Owner};
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::orphans;
use crate::store::recover::Recovery;
use crate::store::retention::{ExpiredParts, Expiry};
use crate::store::unopened::OpenError;
use logstead_work::Alone;
use logstead_work::SearchContext;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The greatest number of ranges of damaged messages that are kept apart; beyond it, the messages between two ranges
/// count as damaged too.
const DAMAGED_MAX: usize = 1000;
/// The number of times that a cursor is read before its error is reported.
const CURSOR_LOOKS_MAX: usize = 3;

/// An open queue: a handle for each of its users.
pub struct OpenQueue {
    /// The handle of the one thread that adds messages, and removes those that are too old or exceed the size limit.
    pub appender: Appender,
    /// The handle of the one thread that reads messages.
    pub reader: QueueReader,
    /// The handle for queries.
    pub searcher: Searcher,
    /// The report of what was found.
    pub recovery: Recovery,
    /// The reason why finished messages may be read again, if the cursor is lost.
    pub cursor: Option<CursorError>,
    /// The name under which an invalid cursor was kept.
    pub cursor_kept: Option<String>,
}

/// Reads a queue.
pub struct QueueReader {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    keeper: Keeper,
    reading: Reading,
    /// Damaged messages that were skipped, in files that still exist.
    damaged: Vec<Range<u64>>,
    /// Messages that were finished when the queue was opened and have not been examined since.
    unseen: Range<u64>,
    /// The sequence before which all messages are recorded as finished, and files with no others are removed.
    pub freed: u64,
}

/// The reasons why a queue cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenQueueError {
    /// Its journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] OpenError),
    /// It was written by another version of this program.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: CursorError,
    },
}

/// Opens the queue in a folder, which is made if it does not exist. Only one process may have it open. According to
/// others, all messages below the sequence `reached` were queued. An unreadable cursor counts as lost: all messages
/// in the queue are then read again.
pub fn open_queue(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    reached: u64,
) -> Result<OpenQueue, OpenQueueError> {
    check_cursor(&**disk, dir)?;
    let OpenLogspace { appender, searcher, keeper, recovery, .. } =
        open_witnessed(disk, dir, options, reached, &Alone)?;
    let stored = searcher.stats().first_sequence..searcher.next_sequence();
    let mut found = cursor::find(disk, at(dir), owner(&searcher), stored);
    let cursor_kept = found.settle(owner(&searcher))?;
    let reading = Reading::new(&searcher, found.cursor, Mark::OF_QUEUE, found.done);
    let reader = QueueReader::new(disk, dir, keeper, reading);
    Ok(OpenQueue { appender, reader, searcher, recovery, cursor: found.lost, cursor_kept })
}

/// The folder and the name of a queue's cursor.
fn at(dir: &Path) -> (&Path, &'static str) {
    (dir, cursor::QUEUE_NAME)
}

fn owner(searcher: &Searcher) -> Owner {
    Owner { identity: searcher.view().identity, reader: Mark::OF_QUEUE }
}

/// A queue that cannot be opened at present: it neither takes messages nor returns any until its appender
/// [opens](Appender::open) it. Its reader then continues at the cursor, if that can be read.
pub fn closed_queue(disk: &Arc<dyn Disk>, dir: &Path, options: Options, reached: u64) -> OpenQueue {
    let noted = cursor::read(&**disk, at(dir)).ok();
    let done = noted.map_or(0, |noted| noted.newest.done);
    // Until then the queue is taken for empty, so that no message is skipped.
    let OpenLogspace { appender, searcher, keeper, recovery, .. } =
        closed_at(disk, dir, options, reached.max(done), done);
    let cursor = DurableCursor::new(disk, at(dir), noted.as_ref());
    let reading = Reading::new(&searcher, cursor, Mark::OF_QUEUE, done);
    let reader = QueueReader::new(disk, dir, keeper, reading);
    OpenQueue { appender, reader, searcher, recovery, cursor: None, cursor_kept: None }
}

/// Whether this version of the program can read the cursor in the folder of a queue, if there is one.
pub fn check_cursor(disk: &dyn Disk, dir: &Path) -> Result<(), OpenQueueError> {
    match cursor::read(disk, at(dir)) {
        Err(source @ CursorError::Version(_)) => {
            Err(OpenQueueError::Version { path: dir.join(cursor::QUEUE_NAME), source })
        }
        _ => Ok(()),
    }
}

/// Checks the cursor of a queue that is only inspected.
pub fn verify_cursor(disk: &dyn Disk, dir: &Path, searcher: &Searcher) -> Option<CursorError> {
    // Another process may be writing it, so only a lasting error counts.
    let looks = (0..CURSOR_LOOKS_MAX).map(|_| {
        let noted = cursor::read_own(disk, at(dir), owner(searcher));
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

/// The first readable messages from a sequence on. The position of the reader does not change.
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

/// Adds a damaged range after the others. It is merged with the last one if it is adjacent to it or if there are too
/// many.
fn remember(damaged: &mut Vec<Range<u64>>, lost: Range<u64>) {
    let is_full = DAMAGED_MAX <= damaged.len();
    match damaged.last_mut() {
        Some(last) if last.end == lost.start || is_full => last.end = lost.end,
        _ => damaged.push(lost),
    }
}

impl QueueReader {
    fn new(disk: &Arc<dyn Disk>, dir: &Path, keeper: Keeper, reading: Reading) -> QueueReader {
        let (disk, dir, done) = (Arc::clone(disk), dir.to_owned(), reading.done);
        QueueReader { disk, dir, keeper, reading, damaged: Vec::new(), unseen: 0..done, freed: done }
    }

    /// Finds the damage in a file that is about to be removed, if its messages were finished before the queue was
    /// opened: another process may have skipped damaged messages, and files with damage are kept. It is done here so
    /// that opening is fast.
    fn look_back(&mut self, file: &Range<u64>) {
        let (from, to) = (file.start.max(self.unseen.start), file.end.min(self.unseen.end));
        if to <= from {
            return;
        }
        let damaged = &mut self.damaged;
        follower(&self.reading.searcher, from).read(&SearchContext::alone(), &mut |part| {
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

    /// Passes the next messages to `visit`, until it has enough or there are no more for now.
    pub fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        self.reading.read(run, visit);
    }

    /// The sequence of the message that is read next.
    pub fn next(&self) -> u64 {
        self.reading.next()
    }

    /// The sequence of the first unfinished message, as recorded on disk.
    pub fn done(&self) -> u64 {
        self.reading.done
    }

    /// The number of unfinished messages.
    pub fn waiting(&self) -> u64 {
        self.reading.waiting()
    }

    /// Goes back to the first unfinished message.
    pub fn rewind(&mut self) {
        self.reading.rewind();
    }

    /// Continues at a sequence, unless the reader is already beyond it: messages before it are skipped.
    pub fn skip(&mut self, to: u64) {
        self.reading.skip(to);
    }

    /// Like `skip`, over messages that are damaged: the file that contains them is set aside instead of being
    /// removed.
    pub fn pass_over(&mut self, to: u64) {
        let from = self.reading.next();
        self.skip(to);
        remember(&mut self.damaged, from..to);
    }

    /// Records that all messages before a sequence are finished: they are not read again, not even after a power cut.
    /// This takes no disk space.
    pub fn note(&mut self, before: u64) -> Result<(), DiskError> {
        self.reading.note(before)
    }

    /// Removes journal files whose messages are all recorded as finished; damaged files are set aside. Returns the
    /// removed parts, and the new names of the files set aside.
    pub fn free(&mut self) -> Result<(ExpiredParts, Vec<String>), DiskError> {
        let orphans = self.set_aside()?;
        let expired = self.keeper.expire(&Expiry { before: self.done(), ..Expiry::default() })?;
        self.freed = self.done();
        Ok((expired, orphans))
    }

    /// Records that all messages before a sequence are finished, and removes the files that contain no others.
    pub fn done_with(&mut self, before: u64) -> Result<(ExpiredParts, Vec<String>), DiskError> {
        self.note(before)?;
        self.free()
    }

    /// Sets finished files that have damage aside.
    fn set_aside(&mut self) -> Result<Vec<String>, DiskError> {
        let (view, folder) = (self.reading.searcher.view(), self.dir.join(JOURNAL_DIR));
        let mut kept = Vec::new();
        for (file, next) in view.files.iter().zip(view.files.iter().skip(1)) {
            let (first, end) = (file.first_sequence, next.first_sequence);
            if self.done() < end {
                break;
            }
            self.look_back(&(first..end));
            let is_damaged = !file.damaged.is_empty()
                || self.damaged.iter().any(|lost| lost.start < end && first < lost.end);
            if is_damaged {
                let name = &file.journal.name;
                match orphans::set_aside(&*self.disk, &folder, name) {
                    Ok(name) => kept.push(name),
                    // The file was removed before an error was reported.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(source) => return Err(failed("set aside", folder.join(name), 0, source)),
                }
            }
        }
        let done = self.done();
        self.damaged.retain(|lost| done < lost.end);
        Ok(kept)
    }
}
