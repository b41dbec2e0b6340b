//! Rebuilds the index of a segment from its blocks.

use super::outcome::{KeepError, TaskOutcome};
use super::publish::Publisher;
use crate::segment::Segment;
use crate::segment::blocks::{BlocksError, ReadScratch};
use crate::segment::id::SegmentId;
use crate::store::damage::Damage;
use logstead_record::{Batch, ColumnGroups};
use std::ops::Range;

/// Replaces the index of a segment by a new one.
pub(super) fn reindex(
    publisher: &Publisher,
    id: SegmentId,
    cancelled: &dyn Fn() -> bool,
) -> Result<TaskOutcome, KeepError> {
    let view = publisher.view();
    if let Some(lost) = view.lost.iter().find(|lost| lost.id == id) {
        return Err(KeepError::Damaged(lost.damage.to_string()));
    }
    let Some(segment) = view.segments.iter().find(|segment| segment.id == id) else {
        return Ok(TaskOutcome::Void);
    };
    let done = TaskOutcome::Reindexed { messages: u64::from(id.rows) };
    let groups = segment.blocks.groups();
    let (sequence, hash) = (segment.blocks.first_sequence, segment.blocks.previous_hash);
    let mut index = publisher.segments.index_builder(sequence, &hash);
    for group in 0..groups.groups() {
        if cancelled() {
            return Err(KeepError::Cancelled);
        }
        let damaged = |error: BlocksError| KeepError::from(Damage::of_segment(id, error));
        let texts = groups.texts(group).map_err(damaged)?;
        index.push_group(&texts).map_err(|fault| damaged(fault.into()))?;
    }
    let is_there = publisher.exchange_index(segment, index)?;
    Ok(if is_there { done } else { TaskOutcome::Void })
}

/// Passes some blocks of a segment on.
pub(super) fn each_of(
    segment: &Segment,
    blocks: Range<usize>,
    cancelled: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Batch) -> Result<(), KeepError>,
) -> Result<(), KeepError> {
    let mut scratch = ReadScratch::default();
    for block in blocks {
        if cancelled() {
            return Err(KeepError::Cancelled);
        }
        let damaged = |error| KeepError::from(Damage::of_block(segment, error));
        visit(&segment.blocks.read(block, ColumnGroups::ALL, &mut scratch).map_err(damaged)?)?;
    }
    Ok(())
}
