//! Reads a journal file when its logspace is opened, to find its frames and the bytes that are not frames.
//!
//! Every frame of the newest file is read and checked, and its messages stay in memory, because it is not sealed
//! soon: appending to it continues. For older files only the headers are read: they were synced before the next file
//! was begun, so an error in a body is due to later damage, and is found when the body is read.

use crate::disk::{Disk, LogspaceIdentity};
use crate::journal::frame::{FrameError, FrameHeader, Hash};
use crate::journal::scan::{Scan, ScanItem};
use crate::journal::{self, HeaderError, JournalFile};
use crate::store::damage::{Damage, DamageReason};
use crate::store::unopened::OpenError;
use crate::store::view::FileView;
use logstead_record::Batch;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The greatest number of bytes that an interrupted append can leave; a longer part has another cause.
const APPEND_BYTES_MAX: u64 = 64 << 20;

/// The number of bytes of the newest file that stay in memory.
const HELD_BYTES_MAX: usize = 64 << 20;

/// The result of reading a journal file.
pub(crate) struct JournalReplay {
    pub(crate) view: FileView,
    /// `None` if the header is damaged.
    pub(crate) header: Option<journal::JournalHeader>,
    /// The sequence after its last frame.
    pub(crate) end: u64,
    /// The first sequence of the next file.
    limit: u64,
    accounted: u64,
    /// The hash of its last frame, if bodies were read.
    pub(crate) hash: Hash,
    /// The bytes after its last frame, if they are not a frame.
    pub(crate) tail: Option<UnreadTail>,
}

/// Bytes after the last complete frame.
pub(crate) struct UnreadTail {
    pub(crate) damage: Damage,
    /// The number of frames with an intact header in it.
    frames: usize,
    /// The sequence after the last of those frames.
    pub(crate) end: u64,
}

impl UnreadTail {
    /// Whether a single interrupted append can have left it, whose sender never got an acknowledgement.
    pub(crate) fn is_torn(&self) -> bool {
        self.frames <= 1 && self.damage.bytes <= APPEND_BYTES_MAX
    }
}

impl JournalReplay {
    /// The sequences of all its messages, and of those missing between them.
    pub(crate) fn sequences(&self) -> Range<u64> {
        self.view.first_sequence..self.end
    }

    /// The sequences that it may contain. If the file is damaged, they may reach up to the next file.
    pub(crate) fn extent(&self) -> Range<u64> {
        let is_sound = self.header.is_some() && self.tail.is_none();
        self.view.first_sequence..if is_sound { self.end } else { self.limit }
    }

    /// The sequences of the frames that were found.
    pub(crate) fn found(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.view.stretches.iter().map(|stretch| stretch.sequences.clone())
    }

    /// The sequences that it contains or reports as missing.
    pub(crate) fn accounted(&self) -> Range<u64> {
        self.view.first_sequence..self.end.max(self.accounted)
    }

    /// Sets the sequence at which the next part begins: missing messages before it are damage.
    pub(crate) fn goes_on_at(&mut self, sequence: u64) {
        if sequence <= self.end {
            return;
        }
        self.accounted = sequence;
        if self.tail.is_none() && self.header.is_none() && self.view.messages == 0 {
            // This is already reported by the damage of the header.
            return;
        }
        let nothing = || self.view.damage(self.view.bytes, 0, DamageReason::Missing);
        let damage = self.tail.take().map_or_else(nothing, |tail| tail.damage);
        self.view.damaged.push(Damage { messages: Some(sequence - self.end), ..damage });
    }
}

/// Reads a file that is followed by another, whose first message has the sequence `limit`. Frames of `skipped`
/// messages, which are stored elsewhere, are left out.
pub(crate) fn closed(
    disk: &dyn Disk,
    dir: &Path,
    first_sequence: u64,
    limit: u64,
    skipped: &[Range<u64>],
) -> Result<JournalReplay, OpenError> {
    let (file, header) = open_file(disk, dir, first_sequence)?;
    let mut reading = ReplayReader::new(file, header, limit, skipped);
    let journal = Arc::clone(&reading.replayed.view.journal);
    let mut scan = Scan::headers(&*journal.file, journal::HEADER_BYTES, reading.replayed.view.bytes);
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
    let ReplayReader { mut replayed, counted_end, .. } = reading;
    replayed.view.void_bytes = replayed.view.bytes.saturating_sub(counted_end);
    Ok(replayed)
}

/// Reads the file that is appended to.
pub(crate) fn newest(
    disk: &dyn Disk,
    dir: &Path,
    first_sequence: u64,
    skipped: &[Range<u64>],
) -> Result<JournalReplay, OpenError> {
    let (file, header) = open_file(disk, dir, first_sequence)?;
    let mut reading = ReplayReader::new(file, header, u64::MAX, skipped);
    let journal = Arc::clone(&reading.replayed.view.journal);
    let mut scan = Scan::frames(&*journal.file, journal::HEADER_BYTES, reading.replayed.view.bytes);
    let path = dir.join(&journal.name);
    let fail = |source| OpenError::Disk { action: "read", path: path.clone(), source };
    while let Some((offset, item)) = scan.next().map_err(fail)? {
        reading.batch = match &item {
            // A batch that was read here is kept, so that searches need not read it again.
            ScanItem::Frame { header, body } if reading.replayed.view.held.bytes < HELD_BYTES_MAX => {
                header.decode(body).ok().map(Arc::new)
            }
            ScanItem::Frame { .. } | ScanItem::Bad { .. } => None,
        };
        reading.add(offset, &item);
        if let ScanItem::Frame { header, body } = &item
            && header.end_sequence() == reading.replayed.end
        {
            reading.replayed.hash = header.hash(body);
        }
    }
    Ok(reading.replayed)
}

/// The logspace that a file belongs to; `None` if that cannot be read.
pub(crate) fn identity(disk: &dyn Disk, dir: &Path, name: &str) -> Option<LogspaceIdentity> {
    let file = disk.open_to_read(&dir.join(name)).ok()?;
    let journal = JournalFile { name: name.to_owned(), file };
    Some(journal.header().ok()?.ok()?.identity)
}

fn open_file(
    disk: &dyn Disk,
    dir: &Path,
    first_sequence: u64,
) -> Result<(FileView, Result<journal::JournalHeader, HeaderError>), OpenError> {
    let name = journal::file_name(first_sequence);
    let path = dir.join(&name);
    let opened = disk.open(&path).and_then(|file| {
        let journal = JournalFile { name, file };
        let (bytes, header) = (journal.file.bytes()?, journal.header()?);
        Ok((FileView::new(Arc::new(journal), first_sequence, bytes), header))
    });
    match opened {
        Ok((_, Err(source @ HeaderError::Version(_)))) => Err(OpenError::Version { path, source }),
        Ok(found) => Ok(found),
        Err(source) => Err(OpenError::Disk { action: "open", path, source }),
    }
}

/// The state of reading a file.
struct ReplayReader<'a> {
    replayed: JournalReplay,
    skipped: &'a [Range<u64>],
    /// The messages of the frame being added, if they are kept in memory.
    batch: Option<Arc<Batch>>,
    /// The end of the last frame that is valid, here or elsewhere.
    counted_end: u64,
}

impl<'a> ReplayReader<'a> {
    fn new(
        mut view: FileView,
        header: Result<journal::JournalHeader, HeaderError>,
        limit: u64,
        skipped: &'a [Range<u64>],
    ) -> ReplayReader<'a> {
        if let Err(error) = header {
            let bytes = view.bytes.min(journal::HEADER_BYTES);
            view.damaged.push(view.damage(0, bytes, error.into()));
        }
        let (end, hash) = (view.first_sequence, header.map_or([0; 32], |header| header.previous_hash));
        let replayed =
            JournalReplay { view, header: header.ok(), end, limit, accounted: end, hash, tail: None };
        ReplayReader { replayed, skipped, batch: None, counted_end: journal::HEADER_BYTES }
    }

    fn add(&mut self, offset: u64, item: &ScanItem<'_>) {
        let end = self.replayed.end;
        match item {
            // A frame that extends beyond the beginning of the next file was never acknowledged.
            ScanItem::Frame { header, .. } if self.replayed.limit < header.end_sequence() => {}
            ScanItem::Frame { header, .. } if self.is_skipped(header) => {
                self.replayed.end = end.max(header.end_sequence());
                self.counted_end = offset + header.frame_bytes();
            }
            ScanItem::Frame { header, .. } if header.first_sequence < end => {
                let why = FrameError::Order { first_sequence: header.first_sequence, expected: end };
                self.add_bad(offset, header.frame_bytes(), why.into(), Some(*header));
            }
            ScanItem::Frame { header, .. } => {
                self.end_bad(offset, header.first_sequence);
                self.replayed.end = header.end_sequence();
                self.counted_end = offset + header.frame_bytes();
                let batch = self.batch.take();
                self.replayed.view.push(offset, header, batch);
            }
            ScanItem::Bad { bytes, why, header } => self.add_bad(offset, *bytes, (*why).into(), *header),
        }
    }

    fn is_skipped(&self, header: &FrameHeader) -> bool {
        let (first, end) = (header.first_sequence, header.end_sequence());
        self.skipped.iter().any(|range| range.start <= first && end <= range.end)
    }

    fn add_bad(&mut self, offset: u64, bytes: u64, why: DamageReason, header: Option<FrameHeader>) {
        let view = &self.replayed.view;
        let begin =
            || UnreadTail { damage: view.damage(offset, bytes, why), frames: 0, end: self.replayed.end };
        let tail = self.replayed.tail.take();
        let mut tail = tail.unwrap_or_else(begin);
        tail.damage.bytes = offset + bytes - tail.damage.offset;
        if let Some(header) = header {
            tail.frames += 1;
            tail.end = tail.end.max(header.end_sequence());
        }
        self.replayed.tail = Some(tail);
    }

    fn unreadable(&mut self, error: &io::Error) {
        let view = &self.replayed.view;
        let last = view.stretches.last();
        let offset = last.map_or(journal::HEADER_BYTES, |last| last.offset + last.bytes);
        let bytes = view.bytes.saturating_sub(offset);
        self.replayed.tail = None;
        self.add_bad(offset, bytes, DamageReason::Disk(error.to_string()), None);
    }

    /// Notes that complete frames continue at an offset, so that the bad bytes before it are damage.
    fn end_bad(&mut self, offset: u64, first_sequence: u64) {
        let missing = first_sequence - self.replayed.end;
        let view = &mut self.replayed.view;
        let nothing = || view.damage(offset, 0, DamageReason::Missing);
        let damage = self.replayed.tail.take().map(|tail| tail.damage);
        let damage = damage.or_else(|| (0 < missing).then(nothing));
        view.damaged.extend(damage.map(|damage| Damage { messages: Some(missing), ..damage }));
    }
}
