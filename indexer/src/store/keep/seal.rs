//! Seals a journal file: converts it into segments.

use super::outcome::{KeepError, TaskOutcome};
use super::publish::Publisher;
use crate::journal::frame::{FrameHeader, HEADER_BYTES_MAX, Hash};
use crate::segment::Segment;
use crate::segment::build::SegmentBuilder;
use crate::store::part::{StorePart, parts};
use crate::store::read::{StretchItem, read_file};
use crate::store::view::{FileView, View};
use logstead_record::Batch;
use std::io;
use std::sync::Arc;

/// Whether a closed file can be sealed: it must be complete.
pub(super) fn is_sealable(file: &FileView) -> bool {
    0 < file.messages && file.damaged.is_empty()
}

/// Replaces a closed file by segments of at most `rows_max` messages.
pub(super) fn seal(
    publisher: &Publisher,
    file: &Arc<FileView>,
    rows_max: u32,
    cancelled: &dyn Fn() -> bool,
) -> Result<TaskOutcome, KeepError> {
    let (segments, next) = (Vec::new(), file.first_sequence);
    let mut sealing = SegmentSealer { publisher, file, rows_max, open: None, segments, next };
    let read = read_file(file, &mut |read| match read {
        _ if cancelled() => Err(KeepError::Cancelled),
        StretchItem::Batch(offset, first_sequence, batch) => sealing.push(offset, first_sequence, batch),
        StretchItem::Damage(damage) => Err(KeepError::Damaged(damage.to_string())),
    });
    if let Err(error) = read.and_then(|()| sealing.end()) {
        publisher.discard(&sealing.segments);
        return Err(error);
    }
    let segments = sealing.segments;
    let messages = segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
    let done = TaskOutcome::Sealed { segments: segments.len(), messages };
    let is_sealed =
        !segments.is_empty() && publisher.exchange(&[StorePart::File(Arc::clone(file))], segments)?;
    Ok(if is_sealed { done } else { TaskOutcome::Void })
}

/// The state of sealing a journal file.
struct SegmentSealer<'a> {
    publisher: &'a Publisher,
    file: &'a FileView,
    rows_max: u32,
    open: Option<SegmentBuilder<'a>>,
    segments: Vec<Segment>,
    /// The expected sequence of the next message.
    next: u64,
}

impl<'a> SegmentSealer<'a> {
    fn push(&mut self, offset: u64, first_sequence: u64, batch: &Batch) -> Result<(), KeepError> {
        if first_sequence != self.next {
            return Err(KeepError::Damaged(format!("{}: messages are missing", self.file.journal.name)));
        }
        let rows = self.open.as_ref().map_or(0, SegmentBuilder::rows);
        let is_full = self.open.as_ref().is_some_and(SegmentBuilder::is_full);
        if 0 < rows && (is_full || self.rows_max < rows.saturating_add(batch.rows() as u32)) {
            self.end_segment(self.hash_before(offset)?)?;
        }
        self.next += batch.rows() as u64;
        if self.open.is_none() {
            let hash = self.hash_before(offset)?;
            self.open = Some(SegmentBuilder::begin(&self.publisher.segments, first_sequence, hash));
        }
        let builder = self.open.as_mut().expect("a segment was begun");
        builder.push(batch).map_err(|error| self.publisher.unwritten(error).into())
    }

    fn end(&mut self) -> Result<(), KeepError> {
        if self.open.is_none() {
            return Ok(());
        }
        self.end_segment(hash_after(self.publisher, self.file)?)
    }

    fn end_segment(&mut self, hash: Hash) -> Result<(), KeepError> {
        if let Some(builder) = self.open.take() {
            self.segments.push(builder.finish(hash).map_err(|error| self.publisher.unwritten(error))?);
        }
        Ok(())
    }

    /// The hash of the frame before the one at an offset.
    fn hash_before(&self, offset: u64) -> Result<Hash, KeepError> {
        let left = self.file.bytes.saturating_sub(offset);
        let mut bytes = vec![0; left.min(HEADER_BYTES_MAX as u64) as usize];
        let read = self.file.journal.file.read_at(offset, &mut bytes);
        let header = read.and_then(|()| FrameHeader::read(&bytes).map_err(io::Error::other));
        Ok(header.map_err(|error| self.publisher.unread(error))?.previous_hash)
    }
}

/// The hash of the last frame of a closed file, which is recorded in the file or segment after it.
fn hash_after(publisher: &Publisher, file: &FileView) -> Result<Hash, KeepError> {
    let view = publisher.view();
    let unknown = || KeepError::Damaged(format!("{}: the rest of it cannot be read", file.journal.name));
    match next_part(&view, file.first_sequence) {
        Some(StorePart::Segment(segment)) => Ok(segment.blocks.previous_hash),
        Some(StorePart::File(next)) => {
            let header = next.journal.header().map_err(|error| publisher.unread(error))?;
            header.map(|header| header.previous_hash).map_err(|_| unknown())
        }
        Some(StorePart::Lost(_)) | None => Err(unknown()),
    }
}

fn next_part(view: &View, first_sequence: u64) -> Option<StorePart> {
    parts(view).into_iter().find(|part| first_sequence < part.first_sequence())
}
