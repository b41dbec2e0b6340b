//! Visits every matching message, wherever it is stored: for counts, and for all other answers computed from all
//! messages.
//!
//! **Invariant:** every message that matches is visited once, unless the visitor has no use for it; in the order in
//! which they were stored, unless the visitor wants the newest first.

use super::candidates::{Candidates, FEW, count, count_at_once, find_candidates};
use super::coverage::Coverage;
use super::question::RowQuestion;
use crate::segment::Segment;
use crate::segment::blocks::{Blocks, BlocksError, ReadScratch};
use crate::segment::index::SegmentIndex;
use crate::store::damage::Damage;
use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::{FileView, Stretch, View};
use logstead_record::{Batch, ColumnGroup, ColumnGroups, Selection, Timestamp};
use logstead_work::SearchContext;
use logstead_work::lanes::{self, Wave};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The number of segments that are searched together. Their bitmaps are in memory at the same time.
const WAVE_SEGMENTS: usize = 16;
/// The number of blocks that one lane reads as one job.
const JOB_BLOCKS: usize = 8;
/// The greatest number of rows that are read from several blocks at once, and of the rows that these blocks have.
const PICKED_ROWS_MAX: usize = 2048;
const SPAN_ROWS_MAX: usize = 32 << 10;
/// The number of batches that are in memory at once for each lane.
const WAVE_BATCHES: usize = 8;

/// A visitor of the matching messages.
pub(crate) trait Visitor {
    /// Whether only the number of matching messages of a segment is needed.
    fn counts_only(&self) -> bool {
        false
    }

    /// Takes the number of matching messages of a segment.
    fn counted(&mut self, _count: u64) {}

    /// Whether the messages stored last should come first.
    fn newest_first(&self) -> bool {
        false
    }

    /// The time before which messages are no longer needed.
    fn floor(&self) -> Option<Timestamp> {
        None
    }

    /// Takes the matching rows of some segments.
    fn segments(&mut self, found: &[(SegmentRows<'_>, Selection)], run: &SearchContext<'_>) -> Coverage;

    /// Takes the matching rows of a batch of the tail. `first_sequence` is the sequence of its first row.
    fn batch(&mut self, first_sequence: u64, batch: &Arc<Batch>, rows: &Selection, run: &SearchContext<'_>);
}

/// A segment whose matching rows are known.
pub(crate) struct SegmentRows<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) index: Option<Arc<SegmentIndex>>,
}

/// The result of asking the index of a segment.
enum SegmentResult {
    Counted(u64),
    Candidates(Candidates),
}

/// Blocks of a segment, given by its index in a wave, each with its undecided rows.
type BlockJob = (usize, Vec<(usize, Selection)>);

/// A batch of the tail, with the sequence of its first row and the matching rows.
type SelectedBatch = (u64, Arc<Batch>, Selection);

/// Passes everything that matches to a visitor.
pub(crate) fn sweep(view: &View, question: RowQuestion<'_>, visitor: &mut dyn Visitor) -> Coverage {
    let deadline = question.run.deadline;
    let mut sweep = Sweep { view, question, visitor, coverage: Coverage::default() };
    deadline.during(|| sweep.all());
    sweep.coverage.end(view)
}

/// A pass over everything.
struct Sweep<'a> {
    view: &'a View,
    question: RowQuestion<'a>,
    visitor: &'a mut dyn Visitor,
    coverage: Coverage,
}

impl<'a> Sweep<'a> {
    fn all(&mut self) {
        let segments = self.segments();
        if self.visitor.newest_first() {
            self.tail();
            segments.rchunks(WAVE_SEGMENTS).for_each(|wave| self.wave(wave));
        } else {
            segments.chunks(WAVE_SEGMENTS).for_each(|wave| self.wave(wave));
            self.tail();
        }
    }

    fn segments(&self) -> Vec<&'a Segment> {
        let segments = self.view.segments.iter().map(|segment| &**segment);
        segments.filter(|segment| self.question.concerns(segment.blocks.span.times())).collect()
    }

    /// Searches these segments together.
    fn wave(&mut self, wave: &[&Segment]) {
        let floor = self.visitor.floor();
        let is_of_use = |segment: &&&Segment| floor.is_none_or(|floor| floor <= segment.blocks.span.latest);
        let wave: Vec<&Segment> = wave.iter().filter(is_of_use).copied().collect();
        let mut seen = self.ask_indexes(&wave);
        self.decide(&mut seen);
        if !self.is_over() {
            self.show(seen);
        }
    }

    fn is_over(&mut self) -> bool {
        let is_over = self.question.run.is_over();
        self.coverage.cancelled |= is_over;
        is_over
    }

    /// Asks the indexes of these segments.
    fn ask_indexes<'s>(&mut self, wave: &[&'s Segment]) -> Vec<(&'s Segment, SegmentResult)> {
        let (question, counts_only) = (&self.question, self.visitor.counts_only());
        let at_once = |segment: &&Segment| counts_only.then(|| count_at_once(segment, question)).flatten();
        let counts: Vec<Option<u64>> = wave.iter().map(at_once).collect();
        if counts.iter().all(Option::is_some) {
            let counted = wave
                .iter()
                .zip(counts)
                .filter_map(|(segment, count)| Some((*segment, SegmentResult::Counted(count?))));
            return counted.collect();
        }
        let results = lanes::map(question.run.lanes, wave.len(), |at| {
            if question.run.is_over() {
                return None;
            }
            let count = counts[at].or_else(|| counts_only.then(|| count(wave[at], question)).flatten());
            Some(match count {
                Some(count) => SegmentResult::Counted(count),
                None => SegmentResult::Candidates(find_candidates(wave[at], question)),
            })
        });
        self.coverage.cancelled |= results.iter().any(Option::is_none);
        wave.iter().zip(results).filter_map(|(segment, result)| Some((*segment, result?))).collect()
    }

    /// Reads the blocks of undecided rows. Afterwards, the certain rows are exactly those that match.
    fn decide(&mut self, seen: &mut [(&Segment, SegmentResult)]) {
        let jobs = undecided(seen);
        let mut decides_all = vec![true; seen.len()];
        let question = &self.question;
        let decided = lanes::map(question.run.lanes, jobs.len(), |job| {
            let (at, blocks) = &jobs[job];
            match &seen[*at] {
                (segment, SegmentResult::Candidates(candidates)) => {
                    decide(segment, candidates, blocks, question)
                }
                (_, SegmentResult::Counted(_)) => Default::default(),
            }
        });
        for ((at, _), (decided, more)) in jobs.iter().zip(decided) {
            decides_all[*at] &= more.has_read_all();
            self.coverage.add(more);
            let (segment, SegmentResult::Candidates(candidates)) = &mut seen[*at] else { continue };
            for (block, rows) in decided {
                let first = segment.blocks.row_range(block).start;
                rows.iter().for_each(|row| candidates.bounds.certain.insert(first + row));
            }
        }
        let decided: BTreeSet<usize> = jobs.iter().map(|(at, _)| *at).filter(|&at| decides_all[at]).collect();
        for (segment, seen) in decided.into_iter().map(|at| &seen[at]) {
            if let SegmentResult::Candidates(candidates) = seen {
                candidates.remember_as_decided(segment, &self.question);
            }
        }
    }

    fn show(&mut self, seen: Vec<(&Segment, SegmentResult)>) {
        let mut found = Vec::with_capacity(seen.len());
        for (segment, seen) in seen {
            self.coverage.segments += 1;
            match seen {
                SegmentResult::Counted(count) => self.visitor.counted(count),
                SegmentResult::Candidates(Candidates { bounds, index }) => {
                    self.coverage.unindexed_segments += u64::from(index.is_none());
                    if !bounds.certain.is_empty() {
                        found.push((SegmentRows { segment, index }, bounds.certain));
                    }
                }
            }
        }
        let more = self.visitor.segments(&found, &self.question.run);
        self.coverage.add(more);
    }

    /// Searches the messages that are in no segment yet.
    fn tail(&mut self) {
        let files = self.view.files.iter();
        let stretches = files.flat_map(|file| file.stretches.iter().map(move |stretch| (&**file, stretch)));
        let stretches: Vec<(&FileView, &Stretch)> =
            stretches.filter(|(_, stretch)| self.question.concerns(stretch.times)).collect();
        let (mut wave, mut left) = (Wave::new(self.question.run.lanes, WAVE_BATCHES), stretches.as_slice());
        while !left.is_empty() {
            let next;
            (next, left) = wave.split(left);
            self.stretches(next, &mut wave);
        }
    }

    fn stretches(&mut self, next: &[(&FileView, &Stretch)], wave: &mut Wave) {
        let question = &self.question;
        let read = lanes::map(question.run.lanes, next.len(), |at| {
            let (file, stretch) = next[at];
            select(file, stretch, question)
        });
        for ((selected, more), (_, stretch)) in read.into_iter().zip(next) {
            self.coverage.add(more);
            if stretch.batch.is_none() {
                wave.saw(selected.iter().map(|(_, batch, _)| batch.memory_bytes()).sum());
            }
            for (first_sequence, batch, rows) in selected {
                if self.is_over() {
                    return;
                }
                self.visitor.batch(first_sequence, &batch, &rows, &self.question.run);
            }
        }
    }
}

/// The blocks with undecided rows, in groups that are read by one lane each.
fn undecided(seen: &[(&Segment, SegmentResult)]) -> Vec<BlockJob> {
    let mut jobs = Vec::new();
    for (at, (segment, seen)) in seen.iter().enumerate() {
        match seen {
            SegmentResult::Candidates(candidates) if !candidates.bounds.is_exact() => {
                let blocks = blocks_with(&segment.blocks, &candidates.bounds.undecided());
                jobs.extend(blocks.chunks(JOB_BLOCKS).map(|blocks| (at, blocks.to_vec())));
            }
            SegmentResult::Candidates(_) | SegmentResult::Counted(_) => {}
        }
    }
    jobs
}

/// The blocks that contain some of these rows, each with its rows.
fn blocks_with(blocks: &Blocks, rows: &Selection) -> Vec<(usize, Selection)> {
    let blocks = (0..blocks.len()).map(|block| (block, rows.slice(blocks.row_range(block))));
    blocks.filter(|(_, rows)| !rows.is_empty()).collect()
}

/// The undecided rows of some blocks that turn out to match.
fn decide(
    segment: &Segment,
    candidates: &Candidates,
    blocks: &[(usize, Selection)],
    question: &RowQuestion<'_>,
) -> (Vec<(usize, Selection)>, Coverage) {
    let (mut scratch, mut coverage) = (ReadScratch::default(), Coverage::default());
    let mut decided = Vec::with_capacity(blocks.len());
    for (block, undecided) in blocks {
        if question.run.is_over() {
            coverage.cancelled = true;
            break;
        }
        let (rows, more) = candidates.decide(segment, *block, undecided, question, &mut scratch);
        coverage.add(more);
        decided.push((*block, rows));
    }
    (decided, coverage)
}

/// The matching rows of a stretch.
fn select(file: &FileView, stretch: &Stretch, question: &RowQuestion<'_>) -> (Vec<SelectedBatch>, Coverage) {
    let (mut selected, mut coverage) = (Vec::new(), Coverage::default());
    let read = read_stretch(file, stretch, &mut |read| {
        if question.run.is_over() {
            return Err(());
        }
        match read {
            StretchItem::Batch(_, first_sequence, batch) => {
                coverage.journal_batches += 1;
                coverage.scanned(batch);
                let question = question.where_copies(batch.has_copies());
                let rows = question.select(batch, &question.within(batch, stretch.times)).ok_or(())?;
                if !rows.is_empty() {
                    selected.push((first_sequence, Arc::clone(batch), rows));
                }
            }
            StretchItem::Damage(damage) => coverage.damaged.push(damage.to_string()),
        }
        Ok(())
    });
    coverage.cancelled = read.is_err();
    (selected, coverage)
}

/// Rows of a segment that are read together.
struct RowSpan {
    /// Rows of one group.
    rows: Range<usize>,
    blocks: u64,
    /// Those among them that are wanted.
    wanted: Selection,
    /// Whether only those are read.
    are_picked: bool,
}

/// Rows that were read, with the sequence of each.
type VisitRows<'v> = dyn FnMut(&dyn Fn(usize) -> u64, &Arc<Batch>, &Selection) + 'v;

impl RowSpan {
    /// The spans that contain these rows: whole blocks where many of their rows are wanted, and otherwise several blocks
    /// together, so that what they share is unpacked once. Texts besides messages are read for all rows of a span,
    /// however long they are, so they are read block by block.
    fn all_with(blocks: &Blocks, rows: &Selection, groups: ColumnGroups) -> Vec<RowSpan> {
        let may_join = !groups.has(ColumnGroup::Pid) && !groups.has(ColumnGroup::Head);
        let mut spans: Vec<RowSpan> = Vec::new();
        for block in 0..blocks.len() {
            let range = blocks.row_range(block);
            let count = rows.count_within(range.clone());
            if count == 0 {
                continue;
            }
            let are_picked = count * FEW < range.len();
            let joined = spans.last_mut().filter(|last| {
                let all = last.rows.start..range.end;
                let fits = all.len() <= SPAN_ROWS_MAX && rows.count_within(all.clone()) <= PICKED_ROWS_MAX;
                may_join && are_picked && last.are_picked && fits && blocks.are_in_one_group(&all)
            });
            match joined {
                Some(last) => (last.rows.end, last.blocks) = (range.end, last.blocks + 1),
                None => {
                    let wanted = Selection::none(0);
                    spans.push(RowSpan { rows: range, blocks: 1, wanted, are_picked });
                }
            }
        }
        spans.iter_mut().for_each(|span| span.wanted = rows.slice(span.rows.clone()));
        spans
    }

    fn read(&self, blocks: &Blocks, groups: ColumnGroups) -> Result<Batch, BlocksError> {
        let all = Selection::all(self.rows.len());
        let picked = if self.are_picked { &self.wanted } else { &all };
        blocks.read_picked(self.rows.clone(), picked, groups, &mut ReadScratch::default())
    }

    /// Passes the rows that were read on. `first` is the sequence of the first row of the segment.
    fn show(&self, first: u64, batch: &Arc<Batch>, visit: &mut VisitRows<'_>) {
        let first = first + self.rows.start as u64;
        if !self.are_picked {
            return visit(&|row| first + row as u64, batch, &self.wanted);
        }
        let rows: Vec<usize> = self.wanted.iter().collect();
        visit(&|row| first + rows[row] as u64, batch, &Selection::all(rows.len()));
    }
}

impl SegmentRows<'_> {
    /// Passes batches with these rows to `visit`.
    pub(crate) fn read(
        &self,
        rows: &Selection,
        groups: ColumnGroups,
        run: &SearchContext<'_>,
        visit: &mut VisitRows<'_>,
    ) -> Coverage {
        let mut coverage = Coverage::default();
        let (segment, blocks) = (self.segment, &self.segment.blocks);
        let spans = RowSpan::all_with(blocks, rows, groups);
        let (mut wave, mut left) = (Wave::new(run.lanes, WAVE_BATCHES), spans.as_slice());
        while !left.is_empty() {
            let next;
            (next, left) = wave.split(left);
            let read = lanes::map(run.lanes, next.len(), |at| {
                (!run.is_over()).then(|| next[at].read(blocks, groups))
            });
            for (span, batch) in next.iter().zip(read) {
                let Some(batch) = batch.filter(|_| !run.is_over()) else {
                    coverage.cancelled = true;
                    return coverage;
                };
                match batch {
                    Ok(batch) => {
                        coverage.blocks += span.blocks;
                        wave.saw(batch.memory_bytes());
                        span.show(segment.id.first_sequence, &Arc::new(batch), visit);
                    }
                    Err(error) => coverage.unread(&Damage::of_block(segment, error)),
                }
            }
        }
        coverage
    }
}
