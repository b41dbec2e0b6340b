//! Finds exactly the rows of a segment that a filter means: its index proposes, its blocks decide.

use super::bounds::Bounds;
use super::evaluate::Evaluation;
use super::{Coverage, Filter};
use crate::segment::Segment;
use crate::segment::blocks::{Blocks, Scratch};
use crate::segment::bundle::IndexError;
use crate::segment::index::SegmentIndex;
use crate::work::run::Run;
use logstead_record::query::TimeRange;
use logstead_record::{Group, Selection};
use std::sync::Arc;

/// What is known of the rows of a segment.
pub(crate) struct Look {
    pub(crate) bounds: Bounds,
    /// None where there is no index that can be read.
    pub(crate) index: Option<Arc<SegmentIndex>>,
}

/// How many rows of a segment a filter means in a range, where that takes no look at rows.
pub(crate) fn count(segment: &Segment, filter: &Filter, range: TimeRange, run: &Run<'_>) -> Option<u64> {
    let blocks = segment.blocks.as_ref().ok()?;
    if !range.contains(blocks.span.earliest) || !range.contains(blocks.span.latest) {
        return None;
    }
    ask(segment, |index| Evaluation::new(blocks, index, run).count(&filter.plan)).flatten()
}

/// What the index of a segment knows of the rows that a filter means in a range: less where `run` ends before it is
/// through.
pub(crate) fn look(
    segment: &Segment,
    blocks: &Blocks,
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
) -> Look {
    let known = ask(segment, |index| {
        let evaluation = Evaluation::new(blocks, index, run);
        evaluation.bounds(&filter.plan, &evaluation.within(range)?)
    });
    match known {
        Some(bounds) => Look { bounds, index: segment.index().ok() },
        None => Look { bounds: Bounds::some_of(rows_of_blocks_within(blocks, range)), index: None },
    }
}

/// Asks an index. One that turns out to be damaged is not asked again.
pub(crate) fn ask<T>(
    segment: &Segment,
    question: impl Fn(&SegmentIndex) -> Result<T, IndexError>,
) -> Option<T> {
    let index = segment.index().ok()?;
    question(&index).map_err(|error| segment.distrust_index(error)).ok()
}

impl Look {
    /// Which rows of a block are meant, of those that are undecided; and what it took to know. None where `run` ends
    /// before.
    pub(crate) fn decide(
        &self,
        (segment, blocks): (&Segment, &Blocks),
        block: usize,
        undecided: &Selection,
        (filter, range, run): (&Filter, TimeRange, &Run<'_>),
        scratch: &mut Scratch,
    ) -> (Selection, Coverage) {
        let mut coverage = Coverage::default();
        let mut groups = filter.matcher.groups();
        if self.index.is_none() {
            // Nobody has compared the times yet.
            groups = groups.with(Group::Stamps);
        }
        let batch = match blocks.read(block, groups, scratch) {
            Ok(batch) => batch,
            Err(error) => {
                coverage.damaged.push(segment.damage(blocks.place(block), error).to_string());
                return (Selection::none(undecided.rows()), coverage);
            }
        };
        coverage.blocks = 1;
        coverage.scanned(&batch);
        let Some(mut rows) = super::sweep::select(filter, &batch, undecided, run) else {
            coverage.cancelled = true;
            return (Selection::none(undecided.rows()), coverage);
        };
        if self.index.is_none() {
            let times = blocks.entry(block).span.times();
            rows.intersect(&super::rows_within(range, &batch, times));
        }
        (rows, coverage)
    }
}

fn rows_of_blocks_within(blocks: &Blocks, range: TimeRange) -> Selection {
    let mut rows = Selection::none(blocks.rows() as usize);
    for block in 0..blocks.len() {
        if blocks.entry(block).span.times().overlap(range) {
            rows.insert_range(blocks.row_range(block));
        }
    }
    rows
}
