//! The parts of a logspace: segments and journal files, in the order of their messages.

use crate::segment::Segment;
use crate::segment::id::SegmentId;
use crate::store::view::{FileView, LostSegment, View};
use logstead_record::Timestamp;
use std::sync::Arc;

/// A file of messages, or a pair of them.
#[derive(Clone)]
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

    pub(crate) fn messages(&self) -> u64 {
        match self {
            Part::Segment(segment) => u64::from(segment.id.rows),
            Part::Lost(lost) => u64::from(lost.id.rows),
            Part::File(file) => file.messages,
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Part::Segment(segment) => segment.bytes(),
            Part::Lost(lost) => lost.index_bytes,
            Part::File(file) => file.bytes,
        }
    }

    /// When the last of its messages was received that can be read.
    pub(crate) fn received(&self) -> Option<Timestamp> {
        match self {
            Part::Segment(segment) => Some(segment.blocks.span.received_last),
            Part::Lost(_) => None,
            Part::File(file) => (0 < file.messages).then_some(file.received),
        }
    }

    /// Which segment it is, unless it is a journal file.
    pub(crate) fn id(&self) -> Option<SegmentId> {
        match self {
            Part::Segment(segment) => Some(segment.id),
            Part::Lost(lost) => Some(lost.id),
            Part::File(_) => None,
        }
    }

    /// Whether it counts in a view.
    pub(crate) fn is_in(&self, view: &View) -> bool {
        match self.id() {
            Some(id) => view.segment_ids().any(|other| other == id),
            None => view.files.iter().any(|file| file.first_sequence == self.first_sequence()),
        }
    }
}

/// All parts of a view, oldest first.
pub(crate) fn parts(view: &View) -> Vec<Part> {
    let segments = view.segments.iter().cloned().map(Part::Segment);
    let lost = view.lost.iter().cloned().map(Part::Lost);
    let files = view.files.iter().cloned().map(Part::File);
    let mut parts: Vec<Part> = segments.chain(lost).chain(files).collect();
    parts.sort_by_key(Part::first_sequence);
    parts
}
