//! Appends batches to the journal: one write and one sync for all that are waiting.
//!
//! **Invariant:** an append is published and acknowledged wholly or not at all, and only when the disk has it.
//! What a failed append left in the file is cut off; where that fails, or where a sync failed, the file is left
//! behind and the next append begins another, whose name says where the one before it ends.

use crate::Options;
use crate::disk::Disk;
use crate::frame::{Encoded, Hash, Placed};
use crate::journal::{self, JournalFile};
use crate::view::{FileView, Shared, View};
use logstead_record::Timestamp;
use std::io::{self, IoSlice};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// When an append is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// When it survives a power cut.
    #[default]
    Fsync,
    /// When the operating system has it: it survives the end of this process only.
    Os,
}

/// Why an append failed. Nothing of it is stored; it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// There is no room.
    #[error("the disk is full: {bytes} bytes do not fit in {path}: {source}", path = path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// How much was to be written.
        bytes: u64,
        /// What the disk said.
        source: io::Error,
    },
    /// The disk failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Disk {
        /// What was to be done.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
}

/// What of a journal may be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expiry {
    /// Messages that were received before this.
    pub received_before: Option<Timestamp>,
    /// The oldest, while the journal is larger than this.
    pub journal_bytes_max: Option<u64>,
}

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expired {
    /// Journal files.
    pub files: usize,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
}

/// The one that writes a journal.
pub struct Appender {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    options: Options,
    shared: Arc<Shared>,
    /// The file that is appended to; none after a failure, until the next append.
    open: Option<OpenFile>,
    next_sequence: u64,
    previous_hash: Hash,
}

/// The journal file that is appended to, and how long it is.
pub(crate) struct OpenFile {
    pub(crate) journal: Arc<JournalFile>,
    pub(crate) bytes: u64,
}

impl Appender {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        dir: PathBuf,
        options: Options,
        shared: Arc<Shared>,
        open: Option<OpenFile>,
        previous_hash: Hash,
    ) -> Appender {
        let next_sequence = shared.read().next_sequence;
        Appender { disk, dir, options, shared, open, next_sequence, previous_hash }
    }

    /// Stores batches in this order and returns the sequences of their messages. When it returns, they are as
    /// durable as [`Options::durability`] says, and searches that begin now find them.
    pub fn append(&mut self, batches: &[Encoded]) -> Result<Range<u64>, AppendError> {
        let start = self.next_sequence;
        let placed = self.place(batches);
        let Some(last) = placed.last() else { return Ok(start..start) };
        let bytes = placed.iter().map(|frame| frame.header.frame_bytes()).sum();
        self.make_room(bytes)?;
        let offset = self.write(&placed, bytes)?;
        (self.next_sequence, self.previous_hash) = (last.header.end_sequence(), last.hash);
        self.publish(&placed, offset);
        Ok(start..self.next_sequence)
    }

    /// The sequence of the next message.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Uses other limits from now on.
    pub fn set_options(&mut self, options: Options) {
        self.change_view(|view| view.evict(options.memory_max));
        self.options = options;
    }

    /// Removes whole journal files from the old end, as far as all their messages may go. The newest file stays,
    /// unless all its messages are too old: then an empty one takes its place.
    pub fn expire(&mut self, expiry: Expiry) -> Result<Expired, AppendError> {
        let is_old = |file: &FileView| expiry.received_before.is_some_and(|before| file.received < before);
        let newest_is_old =
            self.shared.read().files.last().is_some_and(|file| 0 < file.messages && is_old(file));
        if newest_is_old {
            self.begin_file()?;
        }
        let view = self.shared.read().clone();
        let mut left: u64 = view.files.iter().map(|file| file.bytes).sum();
        let mut expired = Expired::default();
        for file in &view.files[..view.files.len().saturating_sub(1)] {
            if !is_old(file) && expiry.journal_bytes_max.is_none_or(|max| left <= max) {
                break;
            }
            let path = self.dir.join(&file.journal.name);
            // One by one, so that a power cut never leaves a gap between files.
            let removed = match self.disk.remove(&path) {
                // By the time before, whose sync failed.
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => self.disk.sync_dir(&self.dir),
            };
            removed.map_err(|source| AppendError::Disk { action: "remove", path, source })?;
            self.change_view(|view| view.drop_files(1));
            left -= file.bytes;
            expired.files += 1;
            expired.messages += file.messages;
            expired.bytes += file.bytes;
        }
        Ok(expired)
    }

    /// Gives each batch its sequences and its place in the chain. Empty ones need none.
    fn place<'a>(&self, batches: &'a [Encoded]) -> Vec<Placed<'a>> {
        let (mut sequence, mut previous_hash) = (self.next_sequence, self.previous_hash);
        let mut placed = Vec::with_capacity(batches.len());
        for batch in batches.iter().filter(|batch| 0 < batch.rows()) {
            let frame = batch.place(sequence, previous_hash);
            (sequence, previous_hash) = (frame.header.end_sequence(), frame.hash);
            placed.push(frame);
        }
        placed
    }

    /// Sees to it that there is a file to append this much to.
    fn make_room(&mut self, bytes: u64) -> Result<(), AppendError> {
        match &self.open {
            Some(open) if open.bytes == journal::HEADER_BYTES => Ok(()),
            Some(open) if open.bytes + bytes <= self.options.journal_file_max => Ok(()),
            _ => self.begin_file(),
        }
    }

    fn begin_file(&mut self) -> Result<(), AppendError> {
        // Even if this fails the name may be there: nothing may follow in the file before.
        self.open = None;
        let header =
            journal::Header { first_sequence: self.next_sequence, previous_hash: self.previous_hash };
        let created = JournalFile::create(&*self.disk, &self.dir, header);
        let path = || self.dir.join(journal::file_name(header.first_sequence));
        let journal =
            Arc::new(created.map_err(|source| failed("create", path(), journal::HEADER_BYTES, source))?);
        self.open = Some(OpenFile { journal: Arc::clone(&journal), bytes: journal::HEADER_BYTES });
        self.change_view(|view| {
            // A file without a message that was left behind had the same name and is replaced.
            view.files.pop_if(|file| file.first_sequence == header.first_sequence);
            view.files.push(Arc::new(FileView::new(journal, header.first_sequence, journal::HEADER_BYTES)));
        });
        Ok(())
    }

    /// Writes frames to the open file and returns where they begin.
    fn write(&mut self, placed: &[Placed<'_>], bytes: u64) -> Result<u64, AppendError> {
        let open = self.open.as_mut().expect("there is a file once there is room");
        let offset = open.bytes;
        let path = || self.dir.join(&open.journal.name);
        let mut parts: Vec<IoSlice<'_>> = placed.iter().flat_map(Placed::parts).collect();
        let file = &open.journal.file;
        if let Err(source) = file.append(&mut parts) {
            let error = failed("append to", path(), bytes, source);
            if file.truncate(offset).is_err() {
                self.open = None;
            }
            return Err(error);
        }
        if self.options.durability == Durability::Fsync
            && let Err(source) = file.sync()
        {
            let error = failed("sync", path(), bytes, source);
            // Cutting only helps whoever opens this journal before the next append does.
            drop(file.truncate(offset));
            self.open = None;
            return Err(error);
        }
        open.bytes += bytes;
        Ok(offset)
    }

    fn publish(&self, placed: &[Placed<'_>], mut offset: u64) {
        self.change_view(|view| {
            for frame in placed {
                view.push(offset, &frame.header, Arc::clone(frame.encoded.batch()));
                offset += frame.header.frame_bytes();
            }
            view.evict(self.options.memory_max);
        });
    }

    fn change_view(&self, change: impl FnOnce(&mut View)) {
        change(Arc::make_mut(&mut self.shared.write()));
    }
}

fn failed(action: &'static str, path: PathBuf, bytes: u64, source: io::Error) -> AppendError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            AppendError::Full { path, bytes, source }
        }
        _ => AppendError::Disk { action, path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Item, Scan};
    use crate::{SimDisk, encode, open};
    use logstead_record::{Batch, BatchBuilder, Row};
    use std::path::Path;

    const DIR: &str = "/journal";
    const OPTIONS: Options = Options { memory_max: 0, journal_file_max: 600, durability: Durability::Fsync };

    fn batch() -> Arc<Batch> {
        let mut builder = BatchBuilder::new();
        builder.push(&Row::text(b"message"));
        Arc::new(builder.seal())
    }

    #[test]
    fn every_frame_vouches_for_all_before_it() {
        let disk = SimDisk::new(0);
        for _ in 0..5 {
            let (mut appender, ..) = open(Arc::new(disk.clone()), Path::new(DIR), OPTIONS).unwrap();
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
                let Item::Frame { header, body } = item else { panic!("a bad frame") };
                assert_eq!((header.first_sequence, header.previous_hash), (frames, expected));
                (frames, expected) = (frames + 1, header.hash(body));
            }
        }
        assert_eq!(frames, 15);
    }
}
