//! One message, by its sequence.

use super::results::{Hit, SearchError};
use crate::segment::Segment;
use crate::segment::blocks::ReadScratch;
use crate::store::damage::Damage;
use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::View;
use logstead_record::{ColumnGroups, Selection};
use std::convert::Infallible;
use std::sync::Arc;

/// The message with this sequence, or `None` if it does not exist (yet, or any more).
pub(super) fn get(view: &View, sequence: u64) -> Result<Option<Hit>, SearchError> {
    if let Some(closed) = &view.closed {
        return Err(SearchError::Damaged(closed.to_string()));
    }
    if let Some(lost) = view.lost_at(sequence) {
        return Err(SearchError::Damaged(lost.damage.to_string()));
    }
    let at = view.segments.partition_point(|segment| segment.id.sequences().end <= sequence);
    match view.segments.get(at).filter(|segment| segment.id.sequences().contains(&sequence)) {
        Some(segment) => get_sealed(segment, sequence).map(Some),
        None => get_in_journal(view, sequence),
    }
}

fn get_sealed(segment: &Segment, sequence: u64) -> Result<Hit, SearchError> {
    let blocks = &segment.blocks;
    let row = (sequence - segment.id.first_sequence) as u32;
    let block = blocks.block_of(row);
    let unread = |error| SearchError::of(&Damage::of_block(segment, error));
    let rows = blocks.row_range(block);
    let mut only = Selection::none(rows.len());
    only.insert(row as usize - rows.start);
    let read = blocks.read_some(block, &only, ColumnGroups::ALL, &mut ReadScratch::default());
    let batch = Arc::new(read.map_err(unread)?);
    Ok(Hit { sequence, time: batch.time(0), batch, row: 0 })
}

fn get_in_journal(view: &View, sequence: u64) -> Result<Option<Hit>, SearchError> {
    if let Some(gap) = view.gaps.iter().find(|gap| gap.sequences.contains(&sequence)) {
        return Err(SearchError::Damaged(gap.damage().to_string()));
    }
    let after = view.files.partition_point(|file| file.first_sequence <= sequence);
    let Some(file) = after.checked_sub(1).and_then(|at| view.files.get(at)) else { return Ok(None) };
    if view.next_sequence <= sequence {
        return Ok(None);
    }
    let at = file.stretches.partition_point(|stretch| stretch.sequences.end <= sequence);
    let (mut hit, mut damaged) = (None, file.damaged.last().map(Damage::to_string));
    if let Some(stretch) = file.stretches.get(at) {
        let visit = &mut |read: StretchItem<'_>| {
            match read {
                StretchItem::Batch(_, first_sequence, batch) => {
                    let row = sequence.checked_sub(first_sequence).map(|row| row as usize);
                    if let Some(row) = row.filter(|&row| row < batch.rows()) {
                        hit = Some(Hit { sequence, time: batch.time(row), batch: Arc::clone(batch), row });
                    }
                }
                StretchItem::Damage(damage) => damaged = Some(damage.to_string()),
            }
            Ok::<_, Infallible>(())
        };
        let Ok(()) = read_stretch(file, stretch, visit);
    }
    match (hit, damaged) {
        (None, Some(damage)) => Err(SearchError::Damaged(damage)),
        (hit, _) => Ok(hit),
    }
}
