//! Makes the index of a segment again, of its blocks.

use super::done::{Done, KeepError};
use super::publish::Publisher;
use crate::segment::Segment;
use crate::segment::blocks::Scratch;
use crate::segment::id::SegmentId;
use crate::store::damage::Damage;
use logstead_record::{Batch, Groups};

/// Puts a new index in the place of the one of a segment.
pub(super) fn reindex(
    publisher: &Publisher,
    id: SegmentId,
    cancelled: &dyn Fn() -> bool,
) -> Result<Done, KeepError> {
    let view = publisher.view();
    if let Some(lost) = view.lost.iter().find(|lost| lost.id == id) {
        return Err(KeepError::Damaged(lost.damage.to_string()));
    }
    let Some(segment) = view.segments.iter().find(|segment| segment.id == id) else { return Ok(Done::Void) };
    let mut index = publisher.segments.index_builder(id.rows as usize);
    each_block(segment, cancelled, &mut |batch| {
        index.push(batch);
        Ok(())
    })?;
    let is_there = publisher.exchange_index(segment, index)?;
    Ok(if is_there { Done::Reindexed { messages: u64::from(id.rows) } } else { Done::Void })
}

/// Shows all blocks of a segment.
pub(super) fn each_block(
    segment: &Segment,
    cancelled: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Batch) -> Result<(), KeepError>,
) -> Result<(), KeepError> {
    let mut scratch = Scratch::default();
    for block in 0..segment.blocks.len() {
        if cancelled() {
            return Err(KeepError::Cancelled);
        }
        let damaged = |error| KeepError::Damaged(Damage::of_block(segment, block, error).to_string());
        visit(&segment.blocks.read(block, Groups::ALL, &mut scratch).map_err(damaged)?)?;
    }
    Ok(())
}
