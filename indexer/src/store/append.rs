//! Appends batches to the journal, with one write and one sync for all waiting batches.
//!
//! **Invariant:** an append is published and acknowledged wholly or not at all, and only when the disk has it.
//! After a failed append, the incomplete part is cut off the file. If that fails, or if a sync failed, the file is
//! abandoned and the next append begins a new one, whose name tells where the previous file ends.

use crate::error::{DiskError, failed};
use crate::journal::frame::{EncodedBatch, Hash, LinkedBatch};
use crate::journal::{self, JournalFile};
use crate::store::JOURNAL_DIR;
use crate::store::options::{Durability, Options};
use crate::store::recover::{AppendPoint, LogspaceFiles, OpenFile, Recovery, recover};
use crate::store::retention::{ExpiredParts, Expiry};
use crate::store::unopened::OpenError;
use crate::store::view::{FileView, SharedView, View};
use logstead_record::Timestamp;
use logstead_work::Lanes;
use std::io::{self, IoSlice};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The reason why a logspace is closed before the first attempt to open it.
pub(crate) const NOT_TRIED: &str = "it was not opened yet";

/// The writer of a logspace's journal.
pub struct Appender {
    place: LogspaceFiles,
    /// The folder of the journal.
    dir: PathBuf,
    shared: Arc<SharedView>,
    /// The reason why the logspace is not open, if it is not.
    closed: Option<String>,
    /// The open file; `None` after a failure, until the next append.
    open: Option<OpenFile>,
    /// The sequence of the next message.
    pub next_sequence: u64,
    previous_hash: Hash,
}

impl Appender {
    /// An appender to a logspace, which must be [opened](Appender::open) first.
    pub(crate) fn new(place: LogspaceFiles, shared: Arc<SharedView>, next_sequence: u64) -> Appender {
        let dir = place.dir.join(JOURNAL_DIR);
        let closed = Some(NOT_TRIED.to_owned());
        Appender { place, dir, shared, closed, open: None, next_sequence, previous_hash: [0; 32] }
    }

    /// Opens the logspace unless it is open. Until that succeeds, answers about it are incomplete and appends are
    /// refused.
    pub fn open(&mut self, lanes: &dyn Lanes) -> Result<Option<Recovery>, OpenError> {
        if self.closed.is_none() {
            return Ok(None);
        }
        match recover(&self.place, lanes) {
            Ok((AppendPoint { open, next_sequence, hash }, recovery)) => {
                (self.open, self.next_sequence, self.previous_hash) = (open, next_sequence, hash);
                self.closed = None;
                Ok(Some(recovery))
            }
            Err(error) => {
                let why = error.to_string();
                *self.shared.write() = Arc::new(View::closed(self.next_sequence, &why));
                self.closed = Some(why);
                Err(error)
            }
        }
    }

    /// The reason why the logspace is not open, if it is not.
    pub fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// Stores batches in this order and returns the sequences of their messages. When it returns, they are as durable
    /// as [`Options::durability`] requires, and searches that begin afterwards find them.
    pub fn append(&mut self, batches: &[impl AsRef<EncodedBatch>]) -> Result<Range<u64>, DiskError> {
        if let Some(why) = &self.closed {
            return Err(DiskError::Closed { path: self.place.dir.clone(), why: why.clone() });
        }
        let start = self.next_sequence;
        let placed = self.place(batches);
        let Some(last) = placed.last() else { return Ok(start..start) };
        let bytes = placed.iter().map(|frame| frame.header.frame_bytes()).sum();
        self.make_room(bytes, last.header.end_sequence() - start)?;
        let offset = self.write(&placed, bytes)?;
        if self.place.options.durability == Durability::Fsync {
            self.place.keeper.note_synced(last.header.end_sequence());
        }
        (self.next_sequence, self.previous_hash) = (last.header.end_sequence(), last.hash);
        self.publish(&placed, offset);
        Ok(start..self.next_sequence)
    }

    /// Uses these options from now on.
    pub fn set_options(&mut self, options: Options) {
        self.change_view(|view| view.evict(options.memory_max));
        self.place.keeper.set_index_memory_max(options.index_memory_max);
        self.place.options = options;
    }

    /// Closes the open journal file if all its messages were received before this time, so that it can be sealed or
    /// can expire.
    pub fn close_old(&mut self, received_before: Timestamp) -> Result<(), DiskError> {
        let is_old = |file: &Arc<FileView>| 0 < file.messages && file.received < received_before;
        let is_due = {
            let view = self.shared.read();
            // If the newest file is missing, nothing is appended to the one before it.
            view.newest_missing.is_none() && view.files.last().is_some_and(is_old)
        };
        if is_due { self.begin_file() } else { Ok(()) }
    }

    /// Records the end of the messages, so that the next opening can tell whether any are missing. It should be
    /// called last: later appends are stored, but not recorded.
    pub fn close(&mut self) -> Result<(), DiskError> {
        if let Some(open) = &self.open {
            let path = || self.dir.join(&open.journal.name);
            open.journal.file.sync().map_err(|source| failed("sync", path(), 0, source))?;
            self.place.keeper.note_synced(self.next_sequence);
            self.place.keeper.settle()?;
        }
        Ok(())
    }

    /// Makes everything that was appended survive a power cut, even if [`Options::durability`] does not ask for it.
    pub fn sync(&mut self) -> Result<(), DiskError> {
        let view = self.shared.read().clone();
        for file in &view.files {
            let path = || self.dir.join(&file.journal.name);
            file.journal.file.sync().map_err(|source| failed("sync", path(), 0, source))?;
        }
        self.place.keeper.note_synced(self.next_sequence);
        Ok(())
    }

    /// Removes whole segments and journal files, oldest first, as long as all their messages may be removed. If all
    /// messages are too old, all are removed.
    pub fn expire(&mut self, expiry: &Expiry) -> Result<ExpiredParts, DiskError> {
        if let Some(before) = expiry.received_before {
            self.close_old(before)?;
        }
        self.place.keeper.expire(expiry)
    }

    /// Gives each batch its sequences and its place in the chain. Empty batches are left out.
    fn place<'a>(&self, batches: &'a [impl AsRef<EncodedBatch>]) -> Vec<LinkedBatch<'a>> {
        let (mut sequence, mut previous_hash) = (self.next_sequence, self.previous_hash);
        let mut placed = Vec::with_capacity(batches.len());
        for batch in batches.iter().map(AsRef::as_ref).filter(|batch| 0 < batch.rows()) {
            let frame = batch.place(sequence, previous_hash);
            (sequence, previous_hash) = (frame.header.end_sequence(), frame.hash);
            placed.push(frame);
        }
        placed
    }

    /// Makes sure that there is a file with room for these bytes and rows.
    fn make_room(&mut self, bytes: u64, rows: u64) -> Result<(), DiskError> {
        let rows_max =
            u64::from(self.place.options.journal_rows_max.min(self.place.options.segment_rows_max));
        let fits = |open: &OpenFile| {
            open.rows == 0
                || open.bytes + bytes <= self.place.options.journal_file_max && open.rows + rows <= rows_max
        };
        if self.open.as_ref().is_some_and(fits) { Ok(()) } else { self.begin_file() }
    }

    fn begin_file(&mut self) -> Result<(), DiskError> {
        // Even if this fails, the new file may exist, so nothing may be appended to the previous one.
        self.open = None;
        let header = journal::JournalHeader {
            first_sequence: self.next_sequence,
            previous_hash: self.previous_hash,
            identity: self.shared.read().identity,
        };
        let created = JournalFile::create(&*self.place.disk, &self.dir, header);
        let journal = Arc::new(created.map_err(|source| self.not_created(&header, source))?);
        self.open = Some(OpenFile { journal: Arc::clone(&journal), bytes: journal::HEADER_BYTES, rows: 0 });
        self.change_view(|view| {
            // An abandoned file without messages had the same name and is replaced.
            view.files.pop_if(|file| file.first_sequence == header.first_sequence);
            view.files.push(Arc::new(FileView::new(journal, header.first_sequence, journal::HEADER_BYTES)));
            view.newest_missing = None;
        });
        // The manifest is needed to notice the loss of the newest file. If it cannot be written now, it is written
        // when this file is sealed.
        self.place.keeper.settle().ok();
        Ok(())
    }

    /// Writes frames to the open file and returns the offset of the first.
    fn write(&mut self, placed: &[LinkedBatch<'_>], bytes: u64) -> Result<u64, DiskError> {
        let open = self.open.as_mut().expect("there is a file once there is room");
        let offset = open.bytes;
        let path = || self.dir.join(&open.journal.name);
        let mut parts: Vec<IoSlice<'_>> = placed.iter().flat_map(LinkedBatch::parts).collect();
        let file = &open.journal.file;
        if let Err(source) = file.append(&mut parts) {
            let error = failed("append to", path(), bytes, source);
            if file.truncate(offset).is_err() {
                self.open = None;
            }
            return Err(error);
        }
        if self.place.options.durability == Durability::Fsync
            && let Err(source) = file.sync()
        {
            let error = failed("sync", path(), bytes, source);
            // Truncating only matters if this journal is opened before the next append.
            drop(file.truncate(offset));
            self.open = None;
            return Err(error);
        }
        if !file.is_at(&path()).unwrap_or(true) {
            let error = DiskError::Removed { path: path() };
            self.open = None;
            self.note_loss();
            return Err(error);
        }
        open.bytes += bytes;
        open.rows += placed.iter().map(|frame| u64::from(frame.header.rows)).sum::<u64>();
        Ok(offset)
    }

    fn not_created(&self, header: &journal::JournalHeader, source: io::Error) -> DiskError {
        if source.kind() == io::ErrorKind::NotFound {
            return DiskError::Removed { path: self.dir.clone() };
        }
        failed(
            "create",
            self.dir.join(journal::file_name(header.first_sequence)),
            journal::HEADER_BYTES,
            source,
        )
    }

    /// Records the end of acknowledged messages that are lost, because nothing else tells the next opening.
    fn note_loss(&self) {
        self.place.keeper.note_synced(self.next_sequence);
        // If it cannot be written now, it is written with the next change of segments.
        self.place.keeper.settle().ok();
    }

    fn publish(&self, placed: &[LinkedBatch<'_>], mut offset: u64) {
        self.change_view(|view| {
            for frame in placed {
                view.push(offset, &frame.header, Arc::clone(&frame.encoded.batch));
                offset += frame.header.frame_bytes();
            }
            view.evict(self.place.options.memory_max);
        });
    }

    fn change_view(&self, change: impl FnOnce(&mut View)) {
        change(Arc::make_mut(&mut self.shared.write()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::scan::{Scan, ScanItem};
    use crate::{Disk, SimDisk, encode, open};
    use logstead_record::{Batch, BatchBuilder, Origin, Row};
    use logstead_work::Alone;
    use std::path::Path;

    const DIR: &str = "/journal";
    const OPTIONS: Options = Options {
        memory_max: 0,
        index_memory_max: 0,
        journal_file_max: 600,
        journal_rows_max: u32::MAX,
        segment_rows_max: 1000,
        join_bytes_max: 64 << 20,
        durability: Durability::Fsync,
    };

    fn batch() -> Arc<Batch> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"", received: Timestamp::from_nanos(1) });
        builder.push(&Row::text(b"message"));
        Arc::new(builder.seal())
    }

    #[test]
    fn what_is_in_the_newest_file_stays_in_memory_when_it_is_opened() {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(0));
        let held = |memory_max: usize| {
            let options = Options { memory_max, journal_file_max: 1 << 20, ..OPTIONS };
            let appender = open(&disk, Path::new("/"), options, &Alone).unwrap().appender;
            let held = appender.shared.read().held();
            (appender, held)
        };
        let (mut appender, _) = held(0);
        for _ in 0..9 {
            appender.append(&[encode(batch())]).unwrap();
        }
        drop(appender);

        assert_eq!(held(1 << 20).1.batches, 9);
        assert_eq!(held(0).1.batches, 0);
    }

    #[test]
    fn what_was_synced_survives_a_power_cut_in_whichever_file_it_is() {
        let sim = SimDisk::new(3);
        let open = |sim: &SimDisk| {
            let disk: Arc<dyn Disk> = Arc::new(sim.clone());
            open(&disk, Path::new("/"), Options { durability: Durability::Os, ..OPTIONS }, &Alone).unwrap()
        };
        let mut opened = open(&sim);
        for _ in 0..9 {
            opened.appender.append(&[encode(batch())]).unwrap();
        }
        assert!(1 < sim.list(Path::new(DIR)).unwrap().len(), "several files");
        let lost = (0..20).any(|seed| open(&sim.after_power_cut(seed)).searcher.next_sequence() < 9);
        assert!(lost, "what was not synced may be lost");
        opened.appender.sync().unwrap();
        for seed in 0..20 {
            assert_eq!(open(&sim.after_power_cut(seed)).searcher.next_sequence(), 9);
        }
    }

    #[test]
    fn every_frame_vouches_for_all_before_it() {
        let disk = SimDisk::new(0);
        for _ in 0..5 {
            let disk: Arc<dyn Disk> = Arc::new(disk.clone());
            let mut appender = open(&disk, Path::new("/"), OPTIONS, &Alone).unwrap().appender;
            appender.append(&[encode(batch()), encode(batch())]).unwrap();
            appender.append(&[encode(Arc::default()), encode(batch())]).unwrap();
        }
        let mut names = disk.list(Path::new(DIR)).unwrap();
        names.sort();
        assert!(3 < names.len());
        let (mut frames, mut expected) = (0, [0; 32]);
        for name in names {
            let file = disk.open(&Path::new(DIR).join(&name)).unwrap();
            let journal = JournalFile { name, file };
            assert_eq!(journal.header().unwrap().unwrap().previous_hash, expected);
            let mut scan = Scan::frames(&*journal.file, journal::HEADER_BYTES, journal.file.bytes().unwrap());
            while let Some((_, item)) = scan.next().unwrap() {
                let ScanItem::Frame { header, body } = item else { panic!("a bad frame") };
                assert_eq!((header.first_sequence, header.previous_hash), (frames, expected));
                (frames, expected) = (frames + 1, header.hash(body));
            }
        }
        assert_eq!(frames, 15);
    }
}
