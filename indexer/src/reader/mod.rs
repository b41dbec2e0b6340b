//! Readers of a logspace, which read it in order, each at its own pace, and resume after a restart.
//!
//! A reader has a name. Its progress is in a [cursor](crate::store::cursor) of that name, which the reader advances
//! when it has finished with messages, whatever it does with them. Any number of threads may open readers, but each
//! reader is open only once.
//!
//! | its cursor is                           | it goes on                                         | and is told         |
//! |-----------------------------------------|----------------------------------------------------|---------------------|
//! | whole                                   | there                                              |                     |
//! | an older one, or one slot is damaged    | there: some messages come again                    |                     |
//! | missing, damaged, of another, unreadable | at the oldest message                             | [`CursorError`]     |
//! | beyond the end, as messages are lost    | at the end, as that was when the logspace opened   | [`CursorError`]     |
//! | of another version                      | not at all, and the file stays                     | [`ReaderError`]     |
//!
//! **Invariant:** no message is skipped without a word. What a reader does not get, as it expired while the reader was behind
//! or is damaged, is shown to it as [missing](Followed::Missing), with its sequences.

pub(crate) mod reading;

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::search::{FollowEvent, MissingCause, Searcher, Visit};
use crate::store::cursor::{self, CursorError, DurableCursor, Mark, Owner};
use crate::store::readers::{Known, NAME_BYTES_MAX, READERS_DIR, Registry, file_name, is_name};
use crate::store::unopened::{OpenError, failed as unopened};
use logstead_work::SearchContext;
use reading::Reading;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The greatest number of readers of one logspace. There is a limit because each can keep old messages from being
/// removed for a while.
pub(crate) const READERS_MAX: usize = 16;

/// The reason for missing messages that the reader was too slow to read.
const EXPIRED_BEHIND: &str = "they were removed by the retention while this reader was behind";

/// The readers of a logspace. Clones share the same readers.
#[derive(Clone)]
pub struct Readers {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    searcher: Searcher,
    registry: Arc<Registry>,
}

/// The place at which a new reader begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// With the oldest stored message.
    Oldest,
    /// With the next message that is stored.
    Newest,
}

/// A reader of a logspace.
pub struct Reader {
    /// Its name.
    pub name: String,
    reading: Reading,
    registry: Arc<Registry>,
    /// The place of its cursor.
    place: (Arc<dyn Disk>, PathBuf),
}

/// A reader that was opened again.
pub struct OpenedReader {
    /// The reader.
    pub reader: Reader,
    /// The reason why messages may be read again, or why the position was lost.
    pub cursor: Option<CursorError>,
    /// The name under which an invalid cursor was kept.
    pub cursor_kept: Option<String>,
}

/// The state of a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownReader {
    /// Its name.
    pub name: String,
    /// The sequence of the first message that it has not finished.
    pub done: u64,
    /// The number of messages that it is behind.
    pub behind: u64,
    /// Whether it is open.
    pub is_open: bool,
}

/// The reasons why a reader cannot be made, opened or removed.
#[derive(Debug, thiserror::Error)]
pub enum ReaderError {
    /// The name is invalid.
    #[error(
        "{0:?} cannot be the name of a reader: use 1 to {NAME_BYTES_MAX} of the characters a-z, 0-9, - and _"
    )]
    Name(String),
    /// The logspace has the greatest number of readers already.
    #[error(
        "the logspace has {} readers, and {READERS_MAX} are allowed: remove one of {}",
        .0.len(), .0.join(", ")
    )]
    TooMany(Vec<String>),
    /// A reader of this name exists already.
    #[error("the logspace has a reader {0} already: open it, or remove it first")]
    Exists(String),
    /// The reader is open elsewhere.
    #[error("the reader {0} is open elsewhere")]
    Taken(String),
    /// The logspace is not open.
    #[error("the logspace cannot be opened; this is tried again: {0}")]
    Closed(String),
    /// The cursor of the reader was written by another version of this program.
    #[error("cannot read {path}: {source}; start the version that wrote it, or remove the reader", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: CursorError,
    },
    /// The cursor of the reader cannot be repaired.
    #[error(transparent)]
    Cursor(#[from] OpenError),
    /// The cursor of the reader cannot be removed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Readers {
    pub(crate) fn new(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        searcher: &Searcher,
        registry: &Arc<Registry>,
    ) -> Readers {
        Readers {
            disk: Arc::clone(disk),
            dir: dir.join(READERS_DIR),
            searcher: searcher.clone(),
            registry: Arc::clone(registry),
        }
    }

    /// All readers of the logspace by name, whether open or not.
    pub fn all(&self) -> Vec<KnownReader> {
        let next = self.searcher.next_sequence();
        let reader = |(name, known): (String, Known)| KnownReader {
            name,
            done: known.done,
            behind: next.saturating_sub(known.done),
            is_open: known.is_taken,
        };
        self.registry.all().into_iter().map(reader).collect()
    }

    /// Makes a new reader.
    pub fn begin(&self, name: &str, at: Begin) -> Result<Reader, ReaderError> {
        let take = |readers: &mut BTreeMap<String, Known>| {
            let names: Vec<String> = readers.keys().cloned().collect();
            match readers.entry(name.to_owned()) {
                Entry::Occupied(_) => Err(ReaderError::Exists(name.to_owned())),
                Entry::Vacant(_) if READERS_MAX <= names.len() => Err(ReaderError::TooMany(names)),
                Entry::Vacant(free) => {
                    let view = self.searcher.view();
                    let done = match at {
                        Begin::Oldest => view.first_sequence(),
                        Begin::Newest => view.next_sequence,
                    };
                    Ok(*free.insert(Known { done, lost: None, is_taken: true }))
                }
            }
        };
        self.check(name)?;
        let known = self.registry.change(take)?;
        match self.write_new(name, known.done) {
            Ok(cursor) => Ok(self.reader(name, cursor, known.done)),
            Err(error) => {
                self.registry.remove(name);
                Err(error.into())
            }
        }
    }

    /// Opens a reader that should exist. If its cursor is lost, it begins with the oldest message and says so.
    pub fn open(&self, name: &str) -> Result<OpenedReader, ReaderError> {
        let take = |readers: &mut BTreeMap<String, Known>| {
            let names: Vec<String> = readers.keys().cloned().collect();
            match readers.entry(name.to_owned()) {
                Entry::Occupied(known) if known.get().is_taken => Err(ReaderError::Taken(name.to_owned())),
                Entry::Occupied(mut known) => {
                    known.get_mut().is_taken = true;
                    Ok(*known.get())
                }
                Entry::Vacant(_) if READERS_MAX <= names.len() => Err(ReaderError::TooMany(names)),
                Entry::Vacant(free) => {
                    let view = self.searcher.view();
                    let lost = (0 < view.next_sequence).then_some(CursorError::Missing);
                    Ok(*free.insert(Known { done: view.first_sequence(), lost, is_taken: true }))
                }
            }
        };
        self.check(name)?;
        let known = self.registry.change(take)?;
        match self.settle(name, &known) {
            Ok((cursor, cursor_kept)) => {
                let reader = self.reader(name, cursor, known.done);
                let told = |readers: &mut BTreeMap<String, Known>| {
                    readers.get_mut(name).and_then(|known| known.lost.take())
                };
                Ok(OpenedReader { reader, cursor: self.registry.change(told), cursor_kept })
            }
            Err(error) => {
                self.registry.give_back(name);
                Err(error)
            }
        }
    }

    /// Removes a reader that is not open: messages that it has not read are no longer kept for it. It may have been
    /// removed already.
    pub fn remove(&self, name: &str) -> Result<(), ReaderError> {
        self.check(name)?;
        let take = |readers: &mut BTreeMap<String, Known>| match readers.get_mut(name) {
            Some(known) if known.is_taken => Err(ReaderError::Taken(name.to_owned())),
            Some(known) => {
                known.is_taken = true;
                Ok(true)
            }
            None => Ok(false),
        };
        if !self.registry.change(take)? {
            return Ok(());
        }
        match remove_cursor(&*self.disk, &self.dir, name) {
            Ok(()) => self.registry.remove(name),
            Err(error) => {
                self.registry.give_back(name);
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn check(&self, name: &str) -> Result<(), ReaderError> {
        if !is_name(name) {
            return Err(ReaderError::Name(name.to_owned()));
        }
        match &self.searcher.view().closed {
            Some(why) => Err(ReaderError::Closed(why.to_string())),
            None => Ok(()),
        }
    }

    fn owner(&self, name: &str) -> Owner {
        Owner { identity: self.searcher.view().identity, reader: Mark::of(name) }
    }

    fn reader(&self, name: &str, cursor: DurableCursor, done: u64) -> Reader {
        Reader {
            name: name.to_owned(),
            reading: Reading::new(&self.searcher, cursor, Mark::of(name), done),
            registry: Arc::clone(&self.registry),
            place: (Arc::clone(&self.disk), self.dir.clone()),
        }
    }

    fn write_new(&self, name: &str, done: u64) -> Result<DurableCursor, OpenError> {
        self.make_folder()?;
        let mut cursor = DurableCursor::new(&self.disk, (&self.dir, &file_name(name)), None);
        let written = cursor.write(done, self.owner(name));
        written.map_err(|source| unopened("write", &cursor.path(), source))?;
        Ok(cursor)
    }

    fn make_folder(&self) -> Result<(), OpenError> {
        self.disk.create_dir_all(&self.dir).map_err(|source| unopened("create", &self.dir, source))
    }

    /// Repairs the cursor of a reader whose progress is known. An invalid cursor is kept under another name.
    fn settle(&self, name: &str, known: &Known) -> Result<(DurableCursor, Option<String>), ReaderError> {
        self.make_folder()?;
        let at = (&*self.dir, &*file_name(name));
        let mut found = cursor::find(&self.disk, at, self.owner(name), known.done..u64::MAX);
        if let Some(source @ CursorError::Version(_)) = found.lost {
            return Err(ReaderError::Version { path: found.cursor.path(), source });
        }
        // The progress found when the logspace was opened counts, and the progress recorded since then.
        if found.done != known.done || known.lost.is_some() {
            (found.done, found.lost) = (known.done, known.lost.or(Some(CursorError::Damaged)));
        }
        let kept = found.settle(self.owner(name))?;
        Ok((found.cursor, kept))
    }
}

impl Reader {
    /// Passes the next messages to `visit`, until it has enough or there are no more for now.
    pub fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        self.reading.read(run, &mut |followed| match followed {
            FollowEvent::Missing { sequences, cause: MissingCause::Expired, .. } => {
                visit(FollowEvent::Missing { sequences, why: EXPIRED_BEHIND, cause: MissingCause::Expired })
            }
            followed => visit(followed),
        });
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
    pub fn behind(&self) -> u64 {
        self.reading.waiting()
    }

    /// Goes back to the first unfinished message.
    pub fn rewind(&mut self) {
        self.reading.rewind();
    }

    /// Records that all messages before a sequence are finished, as far as they have been read: they are not read
    /// again, not even after a power cut, and may expire. This takes no disk space.
    pub fn advance(&mut self, before: u64) -> Result<(), DiskError> {
        let noted = self.reading.note(before);
        self.registry.set(&self.name, self.reading.done);
        noted
    }

    /// Removes the reader: messages that it has not read are no longer kept for it. After an error it may exist again
    /// at the next start.
    pub fn remove(self) -> Result<(), DiskError> {
        let (disk, dir) = &self.place;
        remove_cursor(&**disk, dir, &self.name)?;
        self.registry.remove(&self.name);
        Ok(())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.registry.give_back(&self.name);
    }
}

fn remove_cursor(disk: &dyn Disk, dir: &Path, name: &str) -> Result<(), DiskError> {
    let path = dir.join(file_name(name));
    match disk.remove(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, 0, error)),
        _ => match disk.sync_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("sync", dir.to_owned(), 0, error))
            }
            _ => Ok(()),
        },
    }
}
