//! Finds exactly the rows of a segment that match a filter: its index proposes rows, and its blocks decide.

use super::bounds::RowBounds;
use super::coverage::Coverage;
use super::evaluate::Evaluation;
use super::question::RowQuestion;
use super::remembered;
use crate::segment::blocks::{Blocks, ReadScratch};
use crate::segment::bundle::IndexError;
use crate::segment::index::SegmentIndex;
use crate::segment::{Segment, asked_in_time};
use crate::store::damage::Damage;
use logstead_record::{ColumnGroups, Selection};
use logstead_work::Work;
use std::sync::Arc;

/// The number of rows that can be read together in the time of reading one row alone.
pub(super) const FEW: usize = 4;

/// The rows of a segment that match or may match, as far as its index knows.
pub(crate) struct Candidates {
    pub(crate) bounds: RowBounds,
    /// `None` if there is no readable index.
    pub(crate) index: Option<Arc<SegmentIndex>>,
}

/// An amount of work that takes less time than starting a thread.
const LITTLE_WORK: usize = 1 << 12;

/// The number of rows of a segment that match, if it is known without reading rows.
pub(crate) fn count(segment: &Segment, question: &RowQuestion<'_>) -> Option<u64> {
    let question = question.where_copies(segment.blocks.has_copies());
    remembered::count(segment, &question).or_else(|| count_with(segment, &question, &|| question.run.work()))
}

/// The same number, if it is known without any work.
pub(crate) fn count_at_once(segment: &Segment, question: &RowQuestion<'_>) -> Option<u64> {
    let question = question.where_copies(segment.blocks.has_copies());
    let remembered = remembered::count(segment, &question);
    if remembered.is_some() {
        return remembered;
    }
    let words_only = question.filter.plan.asks_words_only();
    words_only.then(|| count_with(segment, &question, &|| Work::at_most(LITTLE_WORK))).flatten()
}

fn count_with<'a>(
    segment: &Segment,
    RowQuestion { filter, range, .. }: &RowQuestion<'_>,
    work: &dyn Fn() -> Work<'a>,
) -> Option<u64> {
    if !segment.blocks.span.times().are_within(*range) {
        return None;
    }
    let counted = ask(segment, |index| {
        let evaluation = Evaluation::new(&segment.blocks, index, work());
        let count = evaluation.count(&filter.plan)?;
        // If the search was cancelled, the count covers only a part of the plan.
        Ok(count.filter(|_| evaluation.is_through()))
    });
    counted.flatten()
}

/// The candidates according to the index of a segment. If the search ends early, they are less precise.
pub(crate) fn find_candidates(segment: &Segment, question: &RowQuestion<'_>) -> Candidates {
    let question = &question.where_copies(segment.blocks.has_copies());
    let RowQuestion { filter, range, run } = question;
    let remembered = remembered::bounds(segment, question);
    let known = ask(segment, |index| {
        let evaluation = Evaluation::new(&segment.blocks, index, run.work());
        let within = evaluation.within(*range)?;
        if let Some(remembered) = &remembered {
            return Ok((RowBounds::exact(within).and(remembered), false));
        }
        let bounds = evaluation.bounds(&filter.plan, &within)?;
        Ok((bounds, evaluation.is_through()))
    });
    match known {
        Some((bounds, is_new)) => {
            // Only now is it known that no read was late.
            if is_new {
                remembered::keep(segment, question, &bounds);
            }
            Candidates { bounds, index: segment.index().ok() }
        }
        None => {
            Candidates { bounds: RowBounds::some_of(rows_of_blocks(&segment.blocks, question)), index: None }
        }
    }
}

/// Asks an index. One that turns out to be damaged is not asked again; one that is late is not known now.
pub(crate) fn ask<T>(
    segment: &Segment,
    question: impl Fn(&SegmentIndex) -> Result<T, IndexError>,
) -> Option<T> {
    let index = segment.index().ok()?;
    asked_in_time(|| question(&index)).map_err(|error| segment.distrust_index(error)).ok()
}

impl Candidates {
    /// Remembers the certain rows as exactly those that match.
    pub(crate) fn remember_as_decided(&self, segment: &Segment, question: &RowQuestion<'_>) {
        let question = question.where_copies(segment.blocks.has_copies());
        if self.index.is_some() {
            remembered::keep(segment, &question, &RowBounds::exact(self.bounds.certain.clone()));
        }
    }

    /// The undecided rows of a block that match, and the coverage of the search; no rows if it is cancelled first.
    pub(crate) fn decide(
        &self,
        segment: &Segment,
        block: usize,
        undecided: &Selection,
        question: &RowQuestion<'_>,
        scratch: &mut ReadScratch,
    ) -> (Selection, Coverage) {
        let question = &question.where_copies(segment.blocks.has_copies());
        let mut coverage = Coverage::default();
        let mut groups = question.filter.matcher.groups();
        if self.index.is_none() {
            // The times have not been compared yet.
            groups = groups.and(ColumnGroups::TIMES);
        }
        // If few rows are undecided, only those are read.
        let are_few = undecided.count() * FEW < undecided.rows();
        let read = match are_few {
            true => segment.blocks.read_some(block, undecided, groups, scratch),
            false => segment.blocks.read(block, groups, scratch),
        };
        let batch = match read {
            Ok(batch) => batch,
            Err(error) => {
                coverage.unread(&Damage::of_block(segment, error));
                return (Selection::none(undecided.rows()), coverage);
            }
        };
        coverage.blocks = 1;
        coverage.scanned(&batch);
        let asked = if are_few { Selection::all(batch.rows()) } else { undecided.clone() };
        let Some(mut rows) = question.select(&batch, &asked) else {
            coverage.cancelled = true;
            return (Selection::none(undecided.rows()), coverage);
        };
        if self.index.is_none() {
            rows.intersect(&question.within(&batch, segment.blocks.span_of(block).times()));
        }
        if are_few {
            let mut found = Selection::none(undecided.rows());
            let meant = undecided.iter().enumerate().filter(|(at, _)| rows.contains(*at));
            meant.for_each(|(_, row)| found.insert(row));
            return (found, coverage);
        }
        (rows, coverage)
    }
}

/// The rows of the blocks that may be in range.
fn rows_of_blocks(blocks: &Blocks, question: &RowQuestion<'_>) -> Selection {
    let mut rows = Selection::none(blocks.rows() as usize);
    for block in (0..blocks.len()).filter(|&block| question.concerns(blocks.span_of(block).times())) {
        rows.insert_range(blocks.row_range(block));
    }
    rows
}
