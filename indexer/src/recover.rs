//! Opens a logspace: finds what is in it, and cuts off what the last write to the journal left half done.
//!
//! The manifest says which segments there are. A journal file that is in segments was about to be removed, and
//! a file that the manifest does not name was about to be named: both go.
//!
//! Of the newest file every frame is read and checked. Of older files only the headers are: they were synced
//! before the next was begun, so what is wrong with a body is rot, and is found when it is read.
//!
//! **Invariant:** what can be read is never removed. Only the newest file is ever cut, and only behind its last
//! whole frame; everything else that can not be read stays where it is and is reported.

use crate::append::{Appender, OpenFile};
use crate::disk::Disk;
use crate::frame::{FrameError, Hash};
use crate::journal::{self, HeaderError, JournalFile};
use crate::keep::Keeper;
use crate::manifest::{self, Manifest, ManifestError, SegmentId};
use crate::scan::{Item, Scan};
use crate::search::Searcher;
use crate::segment::{Folder, Segment};
use crate::view::{Damage, DamageReason, FileView, Shared, View};
use crate::{JOURNAL_DIR, Options, SEGMENTS_DIR};
use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was found when a logspace was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Sealed segments.
    pub segments: usize,
    /// Messages in those.
    pub sealed_messages: u64,
    /// Journal files.
    pub files: usize,
    /// Batches in them.
    pub batches: u64,
    /// Messages in those.
    pub messages: u64,
    /// What was cut off the end: an append that was not finished leaves it.
    pub cut: Option<Damage>,
    /// What can not be read, and stays.
    pub damaged: Vec<Damage>,
}

/// Why a journal can not be opened. No message was lost by trying.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The disk failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Disk {
        /// What was to be done.
        action: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// A later version of this program wrote it.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    NewerManifest {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: ManifestError,
    },
    /// A later version of this program wrote it.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: HeaderError,
    },
}

/// What can be done with an opened logspace, by whom.
pub struct Opened {
    /// For the one thread that stores messages.
    pub appender: Appender,
    /// For everybody who asks.
    pub searcher: Searcher,
    /// For the threads that seal and tidy up.
    pub keeper: Keeper,
    /// What was found.
    pub recovery: Recovery,
}

/// Opens the logspace in a directory, which is made if it is not there. Only one process may have it open.
pub fn open(disk: &Arc<dyn Disk>, dir: &Path, options: Options) -> Result<Opened, OpenError> {
    let segments_dir = dir.join(SEGMENTS_DIR);
    let journal_dir = dir.join(JOURNAL_DIR);
    for dir in [&segments_dir, &journal_dir] {
        disk.create_dir_all(dir).map_err(|source| failed("create", dir, source))?;
    }
    let journal = Journal { disk: &**disk, dir: &journal_dir };
    let mut first_sequences = journal.first_sequences()?;
    let folder = Folder::new(Arc::clone(disk), &segments_dir, options.index_memory_max);
    let mut sealed = Sealed { disk, dir, folder: folder.clone(), manifest_damage: None };
    let segments = sealed.open(&journal, &first_sequences)?;
    let covered = |sequence: &u64| segments.iter().any(|segment| segment.id.sequences().contains(sequence));
    for first_sequence in first_sequences.extract_if(.., |sequence| covered(sequence)) {
        journal.remove(first_sequence)?;
    }
    let sealed_end = segments.last().map_or(0, |segment| segment.id.sequences().end);

    let mut files = Vec::new();
    let mut recovery =
        Recovery { files: first_sequences.len(), segments: segments.len(), ..Recovery::default() };
    for (at, &first_sequence) in
        first_sequences.iter().enumerate().take(first_sequences.len().saturating_sub(1))
    {
        let after = segments.partition_point(|segment| segment.id.first_sequence <= first_sequence);
        let next_segment = segments.get(after).map_or(u64::MAX, |segment| segment.id.first_sequence);
        files.push(journal.read_closed(first_sequence, first_sequences[at + 1].min(next_segment))?);
    }
    let mut newest = Newest::default();
    if let Some(&first_sequence) = first_sequences.last() {
        newest = journal.read_newest(first_sequence)?;
    }
    if newest.next_sequence < sealed_end {
        // The journal ends before the segments do: another file goes on where they end.
        let last = segments.last().and_then(|segment| segment.blocks.as_ref().ok());
        (newest.next_sequence, newest.open) = (sealed_end, None);
        newest.hash = last.map_or(newest.hash, |blocks| blocks.hash);
    }
    recovery.cut = newest.cut;
    recovery.damaged.extend(sealed.manifest_damage);
    recovery.damaged.extend(segments.iter().filter_map(|segment| segment.blocks.as_ref().err().cloned()));
    recovery.sealed_messages = segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
    files.extend(newest.view);
    for file in &files {
        recovery.batches += file.batches;
        recovery.messages += file.messages;
        recovery.damaged.extend_from_slice(&file.damaged);
    }
    let manifest = Manifest { segments: segments.iter().map(|segment| segment.id).collect() };
    let view = View {
        segments: segments.into_iter().map(Arc::new).collect(),
        files: files.into_iter().map(Arc::new).collect(),
        next_sequence: newest.next_sequence,
        ..View::default()
    };
    let shared = Arc::new(Shared::new(Arc::new(view)));
    let searcher = Searcher::new(Arc::clone(&shared));
    let keeper = Keeper::new((dir, folder), &options, Arc::clone(&shared), manifest);
    let held = (shared, keeper.clone());
    let appender = Appender::new(Arc::clone(disk), journal_dir, options, held, newest.open, newest.hash);
    Ok(Opened { appender, searcher, keeper, recovery })
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> OpenError {
    OpenError::Disk { action, path: path.to_owned(), source }
}

/// The segments of a logspace while it is opened.
struct Sealed<'a> {
    disk: &'a Arc<dyn Disk>,
    dir: &'a Path,
    folder: Folder,
    manifest_damage: Option<Damage>,
}

impl Sealed<'_> {
    /// Opens what the manifest names, and removes the files that it does not name.
    fn open(&mut self, journal: &Journal<'_>, journals: &[u64]) -> Result<Vec<Segment>, OpenError> {
        let path = self.dir.join(manifest::NAME);
        let read = Manifest::read(&**self.disk, self.dir).map_err(|source| failed("read", &path, source))?;
        Manifest::remove_unfinished(&**self.disk, self.dir)
            .map_err(|source| failed("remove a new one beside", &path, source))?;
        let names =
            self.disk.list(&self.folder.path).map_err(|source| failed("list", &self.folder.path, source))?;
        let mut segments: Vec<Segment> = match read {
            Ok(Some(manifest)) => manifest.segments.iter().map(|&id| self.folder.open(id)).collect(),
            Ok(None) => self.without_manifest(&names, journal, journals)?,
            Err(source @ ManifestError::Newer(_)) => return Err(OpenError::NewerManifest { path, source }),
            Err(why @ ManifestError::Damaged) => {
                let (file, why) = (manifest::NAME.to_owned(), why.into());
                self.manifest_damage = Some(Damage { file, offset: 0, bytes: 0, messages: None, why });
                self.without_manifest(&names, journal, journals)?
            }
        };
        // A manifest may name a segment whose journal is still there: that is as good.
        let in_journal = |segment: &Segment| journals.contains(&segment.id.first_sequence);
        segments.retain(|segment| segment.blocks.is_ok() || !in_journal(segment));
        let named: Vec<String> =
            segments.iter().flat_map(|segment| [segment.id.blocks_name(), segment.id.index_name()]).collect();
        for name in names.iter().filter(|name| !named.contains(name)) {
            let path = self.folder.path.join(name);
            self.disk.remove(&path).map_err(|source| failed("remove", &path, source))?;
        }
        Ok(segments)
    }

    /// There is no manifest that can be read: what the folder holds counts, as far as no journal file holds it,
    /// too. Of segments that overlap one that can be read counts, and the larger: it was made of the others.
    fn without_manifest(
        &self,
        names: &[String],
        journal: &Journal<'_>,
        journals: &[u64],
    ) -> Result<Vec<Segment>, OpenError> {
        let ids = names.iter().filter_map(|name| SegmentId::of_blocks_name(name));
        let mut segments: Vec<Segment> = ids.map(|id| self.folder.open(id)).collect();
        let mut taken = Vec::new();
        if !segments.is_empty() {
            for &first_sequence in journals {
                let file = journal.read_closed(first_sequence, u64::MAX)?;
                taken.push(
                    first_sequence..file.stretches.last().map_or(first_sequence, |last| last.sequences.end),
                );
            }
        }
        segments.sort_by_key(|segment| (segment.blocks.is_err(), Reverse(segment.id.rows)));
        segments.retain(|segment| {
            let range = segment.id.sequences();
            let is_free = taken.iter().all(|other| other.end <= range.start || range.end <= other.start);
            taken.extend(is_free.then_some(range));
            is_free
        });
        segments.sort_by_key(|segment| segment.id);
        Ok(segments)
    }
}

/// The newest file: where appending goes on.
#[derive(Default)]
struct Newest {
    /// None where nothing in it can be kept.
    view: Option<FileView>,
    /// None where another file must be begun.
    open: Option<OpenFile>,
    cut: Option<Damage>,
    next_sequence: u64,
    hash: Hash,
}

/// A directory of journal files.
struct Journal<'a> {
    disk: &'a dyn Disk,
    dir: &'a Path,
}

impl Journal<'_> {
    /// Of every file, ascending. Files that never got their name are removed.
    fn first_sequences(&self) -> Result<Vec<u64>, OpenError> {
        let fail = |action| move |source| OpenError::Disk { action, path: self.dir.to_owned(), source };
        let names = self.disk.list(self.dir).map_err(fail("list"))?;
        for name in names.iter().filter(|name| name.ends_with(journal::NEW_SUFFIX)) {
            self.disk.remove(&self.dir.join(name)).map_err(fail("remove a new file in"))?;
        }
        // A process that was killed may have named a file and not got round to this.
        self.disk.sync_dir(self.dir).map_err(fail("sync"))?;
        let mut sequences: Vec<u64> = names.iter().filter_map(|name| journal::first_sequence(name)).collect();
        sequences.sort_unstable();
        Ok(sequences)
    }

    /// A file that another follows, whose first message has the sequence `limit`.
    fn read_closed(&self, first_sequence: u64, limit: u64) -> Result<FileView, OpenError> {
        let (mut file, header) = self.open_file(first_sequence)?;
        file.note_header(header.err());
        let mut reading = Reading::new(file, limit);
        let journal = Arc::clone(&reading.file.journal);
        let mut scan = Scan::headers(&*journal.file, journal::HEADER_BYTES, reading.file.bytes);
        loop {
            match scan.next() {
                Ok(Some((offset, item))) => reading.add(offset, &item),
                Ok(None) => break,
                Err(error) => {
                    reading.unreadable(&error);
                    break;
                }
            }
        }
        Ok(reading.end_closed())
    }

    /// The file that is appended to.
    fn read_newest(&self, first_sequence: u64) -> Result<Newest, OpenError> {
        let (mut file, header) = self.open_file(first_sequence)?;
        let fail = |action| move |source| OpenError::Disk { action, path: self.path(first_sequence), source };
        file.note_header(header.as_ref().err().copied());
        let mut hash = header.as_ref().map_or([0; 32], |header| header.previous_hash);
        let mut reading = Reading::new(file, u64::MAX);
        let journal = Arc::clone(&reading.file.journal);
        let mut scan = Scan::frames(&*journal.file, journal::HEADER_BYTES, reading.file.bytes);
        while let Some((offset, item)) = scan.next().map_err(fail("read"))? {
            reading.add(offset, &item);
            if let Item::Frame { header, body } = &item
                && header.end_sequence() == reading.next_sequence
            {
                hash = header.hash(body);
            }
        }
        let (mut view, next_sequence) = (reading.file, reading.next_sequence);
        let mut cut = reading.bad;
        if header.is_err() && view.messages == 0 {
            // Nothing in it can be read: another file takes its name.
            return Ok(Newest { cut: cut.or(view.damaged.pop()), next_sequence, ..Newest::default() });
        }
        if let Some(cut) = &mut cut {
            cut.messages = None;
            journal.file.truncate(cut.offset).map_err(fail("cut"))?;
            view.bytes = cut.offset;
        }
        // What can be found from now on must not be gone after a power cut.
        journal.file.sync().map_err(fail("sync"))?;
        let open = header.is_ok().then(|| OpenFile { journal, bytes: view.bytes, rows: view.messages });
        Ok(Newest { view: Some(view), open, cut, next_sequence, hash })
    }

    /// Removes a file whose messages are in segments.
    fn remove(&self, first_sequence: u64) -> Result<(), OpenError> {
        let path = self.path(first_sequence);
        let removed = self.disk.remove(&path).and_then(|()| self.disk.sync_dir(self.dir));
        removed.map_err(|source| failed("remove", &path, source))
    }

    fn path(&self, first_sequence: u64) -> PathBuf {
        self.dir.join(journal::file_name(first_sequence))
    }

    fn open_file(
        &self,
        first_sequence: u64,
    ) -> Result<(FileView, Result<journal::Header, HeaderError>), OpenError> {
        let path = self.path(first_sequence);
        let opened = self.disk.open(&path).and_then(|file| {
            let journal = JournalFile { name: journal::file_name(first_sequence), file };
            let (bytes, header) = (journal.file.bytes()?, journal.header()?);
            Ok((FileView::new(Arc::new(journal), first_sequence, bytes), header))
        });
        match opened {
            Ok((_, Err(source @ HeaderError::Newer(_)))) => Err(OpenError::Newer { path, source }),
            Ok(found) => Ok(found),
            Err(source) => Err(OpenError::Disk { action: "open", path, source }),
        }
    }
}

impl FileView {
    fn note_header(&mut self, error: Option<HeaderError>) {
        if let Some(error) = error {
            let bytes = self.bytes.min(journal::HEADER_BYTES);
            self.damaged.push(self.damage(0, bytes, error.into()));
        }
    }
}

/// A file while it is read.
struct Reading {
    file: FileView,
    next_sequence: u64,
    /// Where the next file begins.
    limit: u64,
    /// What can not be read since the last whole frame.
    bad: Option<Damage>,
}

impl Reading {
    fn new(file: FileView, limit: u64) -> Reading {
        Reading { next_sequence: file.first_sequence, limit, file, bad: None }
    }

    fn add(&mut self, offset: u64, item: &Item<'_>) {
        match item {
            // What is beyond the next file's beginning was never acknowledged.
            Item::Frame { header, .. } if self.limit < header.end_sequence() => {}
            Item::Frame { header, .. } if header.first_sequence < self.next_sequence => {
                let (first_sequence, expected) = (header.first_sequence, self.next_sequence);
                let why = FrameError::Order { first_sequence, expected };
                self.add_bad(offset, header.frame_bytes(), why.into());
            }
            Item::Frame { header, .. } => {
                self.end_bad(offset, header.first_sequence);
                self.next_sequence = header.end_sequence();
                self.file.push(offset, header, None);
            }
            Item::Bad { bytes, why } => self.add_bad(offset, *bytes, (*why).into()),
        }
    }

    fn add_bad(&mut self, offset: u64, bytes: u64, why: DamageReason) {
        match &mut self.bad {
            Some(bad) => bad.bytes = offset + bytes - bad.offset,
            None => self.bad = Some(self.file.damage(offset, bytes, why)),
        }
    }

    fn unreadable(&mut self, error: &io::Error) {
        let offset =
            self.file.stretches.last().map_or(journal::HEADER_BYTES, |last| last.offset + last.bytes);
        self.bad = None;
        self.add_bad(offset, self.file.bytes - offset, DamageReason::Disk(error.to_string()));
    }

    /// Whole frames go on at an offset: what was bad before it is damage.
    fn end_bad(&mut self, offset: u64, first_sequence: u64) {
        let missing = first_sequence - self.next_sequence;
        let nothing = || self.file.damage(offset, 0, DamageReason::Missing);
        let damage = self.bad.take().or_else(|| (0 < missing).then(nothing));
        self.file.damaged.extend(damage.map(|damage| Damage { messages: Some(missing), ..damage }));
    }

    /// The file is wholly read and another follows: what is bad at its end is damage if messages are missing.
    fn end_closed(mut self) -> FileView {
        if self.next_sequence < self.limit {
            self.end_bad(self.file.bytes, self.limit);
        }
        self.file
    }
}
