//! A queue: a journal that one reader reads once, in order, and notes how far it is done.
//!
//! The folder of a queue is that of a logspace that nobody seals, with a [cursor](crate::store::cursor) beside the journal. So a
//! queue is stored, recovered, verified, inspected and searched as a logspace is. Journal files whose messages are all
//! done with are removed without being read; while the reader keeps up, what it reads is still in memory.
//!
//! **Invariant:** the cursor never passes a message that was not done with. It may lag: after a crash the reader is
//! given some messages again, and skips none.

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::open::{Opened, closed_at, open_witnessed};
use crate::reader::reading::{Reading, follower};
use crate::search::{Cause, Followed, Hit, Matched, Searcher, Visit};
use crate::store::JOURNAL_DIR;
use crate::store::append::Appender;
use crate::store::aside;
use crate::store::cursor::{self, Cursor, CursorError, Mark, Owner};
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::recover::Recovery;
use crate::store::retention::{Expired, Expiry};
use crate::store::unopened::OpenError;
use logstead_work::Alone;
use logstead_work::Run;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most ranges of damaged messages that are told apart: with more, what is between them counts as damaged.
const DAMAGED_MAX: usize = 1000;
/// How often a cursor is looked at before it is said that something is wrong with it.
const CURSOR_LOOKS_MAX: usize = 3;

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
    /// Under which name a cursor is kept that does not count.
    pub cursor_kept: Option<String>,
}

/// Reads a queue.
pub struct QueueReader {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    keeper: Keeper,
    reading: Reading,
    /// Messages that were passed over, as they are damaged, in files that are still there.
    damaged: Vec<Range<u64>>,
    /// Messages that were done with when the queue was opened, and that nobody has looked at since.
    unseen: Range<u64>,
    freed: u64,
}

/// Why a queue cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenQueueError {
    /// Its journal cannot be.
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

/// Opens the queue in a folder, which is made if it is not there. Only one process may have it open. All messages below the
/// sequence `reached` were queued, as far as others know. A cursor that cannot be read counts as lost: all that is there
/// comes again.
pub fn open_queue(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    reached: u64,
) -> Result<OpenedQueue, OpenQueueError> {
    check_cursor(&**disk, dir)?;
    let Opened { appender, searcher, keeper, recovery, .. } =
        open_witnessed(disk, dir, options, reached, &Alone)?;
    let stored = searcher.stats().first_sequence..searcher.next_sequence();
    let mut found = cursor::find(disk, at(dir), owner(&searcher), stored);
    let cursor_kept = found.settle(owner(&searcher))?;
    let reading = Reading::new(&searcher, (found.cursor, Mark::OF_QUEUE), found.done);
    let reader = QueueReader::new((disk, dir), keeper, reading);
    Ok(OpenedQueue { appender, reader, searcher, recovery, cursor: found.lost, cursor_kept })
}

/// Where the cursor of a queue is.
fn at(dir: &Path) -> (&Path, &'static str) {
    (dir, cursor::QUEUE_NAME)
}

fn owner(searcher: &Searcher) -> Owner {
    Owner { identity: searcher.view().identity, reader: Mark::OF_QUEUE }
}

/// A queue that cannot be opened for now: it takes nothing and gives nothing out until its appender
/// [opens](Appender::open) it. Its reader then goes on at the cursor, where that can be read.
pub fn closed_queue(disk: &Arc<dyn Disk>, dir: &Path, options: Options, reached: u64) -> OpenedQueue {
    let noted = cursor::read(&**disk, at(dir)).ok();
    let done = noted.map_or(0, |noted| noted.newest.done);
    // Until then nothing waits, so that nothing is passed over.
    let sequences = (reached.max(done), done);
    let Opened { appender, searcher, keeper, recovery, .. } = closed_at(disk, dir, options, sequences);
    let cursor = Cursor::new(disk, at(dir), noted.as_ref());
    let reading = Reading::new(&searcher, (cursor, Mark::OF_QUEUE), done);
    let reader = QueueReader::new((disk, dir), keeper, reading);
    OpenedQueue { appender, reader, searcher, recovery, cursor: None, cursor_kept: None }
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

/// What is wrong with the cursor of a queue that is looked at.
pub fn verify_cursor(disk: &dyn Disk, dir: &Path, searcher: &Searcher) -> Option<CursorError> {
    // Another process may write it meanwhile: what is wrong stays so.
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

/// Adds a damaged range behind the others, in one with the last where it follows that or where there are too many.
fn remember(damaged: &mut Vec<Range<u64>>, lost: Range<u64>) {
    let is_full = DAMAGED_MAX <= damaged.len();
    match damaged.last_mut() {
        Some(last) if last.end == lost.start || is_full => last.end = lost.end,
        _ => damaged.push(lost),
    }
}

impl QueueReader {
    fn new((disk, dir): (&Arc<dyn Disk>, &Path), keeper: Keeper, reading: Reading) -> QueueReader {
        let (disk, dir, done) = (Arc::clone(disk), dir.to_owned(), reading.done());
        QueueReader { disk, dir, keeper, reading, damaged: Vec::new(), unseen: 0..done, freed: done }
    }

    /// Finds the damage in a file that is about to be removed, where it was done with before the queue was opened: who passed
    /// over it may have been another process, and what is damaged is kept. A start does not wait for that.
    fn look_back(&mut self, file: &Range<u64>) {
        let (from, to) = (file.start.max(self.unseen.start), file.end.min(self.unseen.end));
        if to <= from {
            return;
        }
        let damaged = &mut self.damaged;
        follower(self.reading.searcher(), from).read(&Run::alone(), &mut |part| {
            let end = match part {
                Followed::Messages { sequences, .. } => sequences.end,
                Followed::Missing { sequences, cause: Cause::Damaged, .. } if sequences.start < to => {
                    remember(damaged, sequences.clone());
                    sequences.end
                }
                Followed::Missing { sequences, .. } => sequences.end,
            };
            if to <= end { ControlFlow::Break(end) } else { ControlFlow::Continue(()) }
        });
        self.unseen.start = to;
    }

    /// Shows what comes next, until `visit` has enough or there is no more for now.
    pub fn read(&mut self, run: &Run<'_>, visit: &mut Visit<'_>) {
        self.reading.read(run, visit);
    }

    /// The sequence of the message that is shown next.
    pub fn next(&self) -> u64 {
        self.reading.next()
    }

    /// The sequence of the first message that is not done with, as the disk has it.
    pub fn done(&self) -> u64 {
        self.reading.done()
    }

    /// How many messages are not done with.
    pub fn waiting(&self) -> u64 {
        self.reading.waiting()
    }

    /// Shows everything again that is not done with.
    pub fn rewind(&mut self) {
        self.reading.rewind();
    }

    /// Goes on at a sequence, unless it is beyond that already: what is before it is not shown.
    pub fn skip(&mut self, to: u64) {
        self.reading.skip(to);
    }

    /// The same over messages that are damaged: the file that holds them is set aside when it would be removed.
    pub fn pass_over(&mut self, to: u64) {
        let from = self.reading.next();
        self.skip(to);
        remember(&mut self.damaged, from..to);
    }

    /// Notes that everything before a sequence is done with: it is not shown again, not even after a power cut. It takes no
    /// space.
    pub fn note(&mut self, before: u64) -> Result<(), DiskError> {
        self.reading.note(before)
    }

    /// Removes journal files that hold nothing but what is noted as done with; those that are damaged are set aside. Returns
    /// what was removed, and how the others are called now.
    pub fn free(&mut self) -> Result<(Expired, Vec<String>), DiskError> {
        let aside = self.set_aside()?;
        let expired = self.keeper.expire(&Expiry { before: self.done(), ..Expiry::default() })?;
        self.freed = self.done();
        Ok((expired, aside))
    }

    /// Everything before this sequence is noted as done with, and files that held nothing else are gone.
    pub fn freed(&self) -> u64 {
        self.freed
    }

    /// Both: notes that everything before a sequence is done with, and frees files that hold nothing else.
    pub fn done_with(&mut self, before: u64) -> Result<(Expired, Vec<String>), DiskError> {
        self.note(before)?;
        self.free()
    }

    /// Sets damaged files aside that are done with.
    fn set_aside(&mut self) -> Result<Vec<String>, DiskError> {
        let (view, folder) = (self.reading.searcher().view(), self.dir.join(JOURNAL_DIR));
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
                match aside::set_aside(&*self.disk, &folder, name) {
                    Ok(name) => kept.push(name),
                    // It was, before its removal failed.
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
