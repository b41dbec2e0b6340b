//! The parts of a logspace: segments and journal files, in the order of their messages.

use crate::segment::Segment;
use crate::segment::id::SegmentId;
use crate::store::view::{FileView, LostSegment, View};
use logstead_record::Timestamp;
use std::sync::Arc;

/// A part of a logspace: a journal file, or the two files of a segment.
#[derive(Clone)]
pub(crate) enum StorePart {
    Segment(Arc<Segment>),
    Lost(LostSegment),
    File(Arc<FileView>),
}

impl StorePart {
    pub(crate) fn first_sequence(&self) -> u64 {
        match self {
            StorePart::Segment(segment) => segment.id.first_sequence,
            StorePart::Lost(lost) => lost.id.first_sequence,
            StorePart::File(file) => file.first_sequence,
        }
    }

    pub(crate) fn messages(&self) -> u64 {
        match self {
            StorePart::Segment(segment) => u64::from(segment.id.rows),
            StorePart::Lost(lost) => u64::from(lost.id.rows),
            StorePart::File(file) => file.messages,
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            StorePart::Segment(segment) => segment.bytes(),
            StorePart::Lost(lost) => lost.index_bytes,
            StorePart::File(file) => file.bytes,
        }
    }

    /// The time at which its last readable message was received.
    pub(crate) fn received(&self) -> Option<Timestamp> {
        match self {
            StorePart::Segment(segment) => Some(segment.blocks.span.received_last),
            StorePart::Lost(_) => None,
            StorePart::File(file) => (0 < file.messages).then_some(file.received),
        }
    }

    /// The id of the segment, unless it is a journal file.
    pub(crate) fn id(&self) -> Option<SegmentId> {
        match self {
            StorePart::Segment(segment) => Some(segment.id),
            StorePart::Lost(lost) => Some(lost.id),
            StorePart::File(_) => None,
        }
    }

    /// Whether it is part of a view.
    pub(crate) fn is_in(&self, view: &View) -> bool {
        match self.id() {
            Some(id) => view.segment_ids().any(|other| other == id),
            None => view.files.iter().any(|file| file.first_sequence == self.first_sequence()),
        }
    }
}

/// All parts of a view, oldest first.
pub(crate) fn parts(view: &View) -> Vec<StorePart> {
    let segments = view.segments.iter().cloned().map(StorePart::Segment);
    let lost = view.lost.iter().cloned().map(StorePart::Lost);
    let files = view.files.iter().cloned().map(StorePart::File);
    let mut parts: Vec<StorePart> = segments.chain(lost).chain(files).collect();
    parts.sort_by_key(StorePart::first_sequence);
    parts
}
