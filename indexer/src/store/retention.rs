//! What of a logspace is too old or too much to keep. Pure: who asks brings the limits and removes the files.
//!
//! **Invariant:** what expires is the old end of a logspace, without a gap; the open journal file stays.

use crate::segment::Segment;
use crate::store::manifest::{Extent, Manifest};
use crate::store::view::{FileView, LostSegment, View};
use logstead_record::Timestamp;
use std::sync::Arc;

/// What of a logspace may be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expiry {
    /// Messages that were received before this.
    pub received_before: Option<Timestamp>,
    /// The oldest, while all files together are larger than this.
    pub bytes_max: Option<u64>,
}

/// What was removed, or would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expired {
    /// Segments.
    pub segments: usize,
    /// Journal files.
    pub files: usize,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
    /// When the last of them was received.
    pub received_last: Option<Timestamp>,
}

/// What can expire.
pub(crate) enum Part {
    Segment(Arc<Segment>),
    Lost(LostSegment),
    File(Arc<FileView>),
}

impl Part {
    pub(crate) fn first_sequence(&self) -> u64 {
        match self {
            Part::Segment(segment) => segment.id.first_sequence,
            Part::Lost(lost) => lost.id.first_sequence,
            Part::File(file) => file.first_sequence,
        }
    }

    fn messages(&self) -> u64 {
        match self {
            Part::Segment(segment) => u64::from(segment.id.rows),
            Part::Lost(lost) => u64::from(lost.id.rows),
            Part::File(file) => file.messages,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Part::Segment(segment) => segment.bytes(),
            Part::Lost(lost) => lost.index_bytes,
            Part::File(file) => file.bytes,
        }
    }

    /// When the last of its messages was received; of one that can not be read nobody knows.
    fn received(&self) -> Option<Timestamp> {
        match self {
            Part::Segment(segment) => Some(segment.blocks.span.received_last),
            Part::Lost(_) => None,
            Part::File(file) => Some(file.received),
        }
    }
}

impl Expired {
    pub(crate) fn add(&mut self, part: &Part) {
        match part {
            Part::Segment(_) | Part::Lost(_) => self.segments += 1,
            Part::File(_) => self.files += 1,
        }
        self.messages += part.messages();
        self.bytes += part.bytes();
        self.received_last = self.received_last.max(part.received());
    }
}

/// What may go, oldest first: all that is too old, and as much as is too much. The open journal file stays.
pub(crate) fn old_parts(view: &View, expiry: &Expiry) -> Vec<Part> {
    let closed = view.files.split_last().map_or(&[][..], |(_, closed)| closed);
    let segments = view.segments.iter().cloned().map(Part::Segment);
    let lost = view.lost.iter().cloned().map(Part::Lost);
    let mut parts: Vec<Part> = segments.chain(lost).chain(closed.iter().cloned().map(Part::File)).collect();
    parts.sort_by_key(Part::first_sequence);
    let open_bytes = view.files.last().map_or(0, |file| file.bytes);
    let mut left = open_bytes + parts.iter().map(Part::bytes).sum::<u64>();
    // What can not be read is as old as what follows it.
    let mut received: Vec<Option<Timestamp>> = parts.iter().map(Part::received).collect();
    for at in (1..received.len()).rev() {
        received[at - 1] = received[at - 1].or(received[at]);
    }
    let keep_from = parts.iter().zip(received).position(|(part, received)| {
        let is_old = expiry.received_before.zip(received).is_some_and(|(before, received)| received < before);
        let is_too_much = expiry.bytes_max.is_some_and(|max| max < left);
        left -= part.bytes();
        !is_old && !is_too_much
    });
    parts.truncate(keep_from.unwrap_or(parts.len()));
    parts
}

/// A manifest once everything has expired up to a part, that one too. What is missing up to the next goes with it.
pub(crate) fn without_expired(manifest: &Manifest, view: &View, last_expired: u64) -> Manifest {
    let segments = view.segment_ids().map(|id| id.first_sequence);
    let files = view.files.iter().map(|file| file.first_sequence);
    let first =
        segments.chain(files).filter(|first| last_expired < *first).min().unwrap_or(view.next_sequence);
    let extent = manifest.extent.unwrap_or_default();
    let left = manifest.segments.iter().filter(|id| first <= id.first_sequence);
    Manifest { extent: Some(Extent { first, ..extent }), segments: left.copied().collect() }
}
