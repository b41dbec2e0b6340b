//! Looks at every message that matches, wherever it is: for counts, and for everything that is made of all.
//!
//! **Invariant:** every message that matches is visited once, unless the visitor has no use for it; in the order in
//! which they were stored, unless the visitor wants the newest first.

use super::look::{Look, count, look};
use super::{Coverage, Filter, rows_within};
use crate::segment::Segment;
use crate::segment::blocks::{Blocks, Scratch};
use crate::segment::index::SegmentIndex;
use crate::store::read::{Read, read_stretch};
use crate::store::view::{FileView, Stretch, View};
use crate::work::lanes;
use crate::work::run::Run;
use logstead_record::query::TimeRange;
use logstead_record::{Batch, Groups, Selection, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Segments that are looked at together: their bitmaps are in memory at the same time.
const WAVE_SEGMENTS: usize = 16;
/// Blocks that one lane reads before the next may take over.
const JOB_BLOCKS: usize = 8;
/// Batches in memory at once for each lane.
const WAVE_BATCHES: usize = 8;

/// Makes something of the messages that match.
pub(crate) trait Visitor {
    /// Whether all that is wanted of a segment is how many there are.
    fn counts_only(&self) -> bool {
        false
    }

    /// So many messages of a segment match.
    fn counted(&mut self, _count: u64) {}

    /// Whether the newest messages should come first, as far as the order in which they were stored tells.
    fn newest_first(&self) -> bool {
        false
    }

    /// Messages before this time are of no use any more.
    fn floor(&self) -> Option<Timestamp> {
        None
    }

    /// These rows of a segment match.
    fn segment(&mut self, sealed: &Sealed<'_>, rows: &Selection, run: &Run<'_>) -> Coverage;

    /// These rows of a batch of the tail match. The number is the sequence of its first row.
    fn batch(&mut self, first_sequence: u64, batch: &Arc<Batch>, rows: &Selection, run: &Run<'_>);
}

/// A segment whose rows are known.
pub(crate) struct Sealed<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) blocks: &'a Blocks,
    pub(crate) index: Option<Arc<SegmentIndex>>,
}

/// Shows everything that matches to a visitor.
pub(crate) fn sweep(
    view: &View,
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    visitor: &mut dyn Visitor,
) -> Coverage {
    let mut coverage = Coverage::default();
    if visitor.newest_first() {
        sweep_tail(view, filter, range, run, visitor, &mut coverage);
        for wave in segments_in(view, range).rchunks(WAVE_SEGMENTS) {
            sweep_segments(wave, filter, range, run, visitor, &mut coverage);
        }
    } else {
        for wave in segments_in(view, range).chunks(WAVE_SEGMENTS) {
            sweep_segments(wave, filter, range, run, visitor, &mut coverage);
        }
        sweep_tail(view, filter, range, run, visitor, &mut coverage);
    }
    coverage.end(view)
}

fn segments_in(view: &View, range: TimeRange) -> Vec<&Arc<Segment>> {
    let in_range = |segment: &&Arc<Segment>| {
        segment.blocks.as_ref().is_ok_and(|blocks| blocks.span.times().overlap(range))
    };
    view.segments.iter().filter(in_range).collect()
}

fn sweep_tail(
    view: &View,
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    visitor: &mut dyn Visitor,
    coverage: &mut Coverage,
) {
    let in_range = |(_, stretch): &(&Arc<FileView>, &Stretch)| stretch.times.overlap(range);
    let stretches =
        view.files.iter().flat_map(|file| file.stretches.iter().map(move |stretch| (file, stretch)));
    let stretches: Vec<(&Arc<FileView>, &Stretch)> = stretches.filter(in_range).collect();
    for wave in stretches.chunks(WAVE_BATCHES * run.lanes.count().max(1)) {
        sweep_stretches(wave, filter, range, run, visitor, coverage);
    }
}

fn sweep_segments(
    wave: &[&Arc<Segment>],
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    visitor: &mut dyn Visitor,
    coverage: &mut Coverage,
) {
    let counts_only = visitor.counts_only();
    let floor = visitor.floor();
    let is_of_use = |segment: &&&Arc<Segment>| {
        let latest = segment.blocks.as_ref().map(|blocks| blocks.span.latest);
        floor.is_none_or(|floor| latest.is_ok_and(|latest| floor <= latest))
    };
    let wave: Vec<&Arc<Segment>> = wave.iter().filter(is_of_use).copied().collect();
    let looks = lanes::map(run.lanes, wave.len(), |at| {
        let blocks = wave[at].blocks.as_ref().ok()?;
        if run.is_over() {
            return None;
        }
        match counts_only.then(|| count(wave[at], filter, range, run)).flatten() {
            Some(count) => Some(Seen::Counted(count)),
            None => Some(Seen::Look(look(wave[at], blocks, filter, range, run), blocks)),
        }
    });
    let mut seen: Vec<(&Segment, Seen<'_>)> = Vec::with_capacity(wave.len());
    for (segment, look) in wave.iter().zip(looks) {
        match look {
            Some(look) => seen.push((segment, look)),
            None => coverage.cancelled = true,
        }
    }
    decide(&mut seen, filter, range, run, coverage);
    for (segment, seen) in seen {
        if run.is_over() {
            coverage.cancelled = true;
            return;
        }
        coverage.segments += 1;
        match seen {
            Seen::Counted(count) => visitor.counted(count),
            Seen::Look(Look { bounds, index }, blocks) => {
                coverage.unindexed_segments += u64::from(index.is_none());
                if !bounds.certain.is_empty() {
                    let more = visitor.segment(&Sealed { segment, blocks, index }, &bounds.certain, run);
                    coverage.add(more);
                }
            }
        }
    }
}

/// What the first look at a segment gave.
enum Seen<'a> {
    Counted(u64),
    Look(Look, &'a Blocks),
}

/// Looks at the blocks of undecided rows. Afterwards all certain rows are those that are meant.
fn decide(
    seen: &mut [(&Segment, Seen<'_>)],
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    coverage: &mut Coverage,
) {
    let mut jobs: Vec<(usize, Vec<(usize, Selection)>)> = Vec::new();
    for (at, (_, seen)) in seen.iter().enumerate() {
        let Seen::Look(look, blocks) = seen else { continue };
        if look.bounds.is_exact() {
            continue;
        }
        let undecided = look.bounds.undecided();
        let blocks = (0..blocks.len()).map(|block| (block, undecided.slice(blocks.row_range(block))));
        let blocks: Vec<(usize, Selection)> = blocks.filter(|(_, rows)| !rows.is_empty()).collect();
        jobs.extend(blocks.chunks(JOB_BLOCKS).map(|blocks| (at, blocks.to_vec())));
    }
    let decided = lanes::map(run.lanes, jobs.len(), |job| {
        let (at, blocks_of_job) = &jobs[job];
        let (segment, Seen::Look(look, blocks)) = &seen[*at] else {
            return (Vec::new(), Coverage::default());
        };
        let (mut scratch, mut coverage) = (Scratch::default(), Coverage::default());
        let mut decided = Vec::with_capacity(blocks_of_job.len());
        for (block, undecided) in blocks_of_job {
            if run.is_over() {
                coverage.cancelled = true;
                break;
            }
            let asked = (filter, range, run);
            let (rows, more) = look.decide((segment, blocks), *block, undecided, asked, &mut scratch);
            coverage.add(more);
            decided.push((*block, rows));
        }
        (decided, coverage)
    });
    for ((at, _), (decided, more)) in jobs.iter().zip(decided) {
        coverage.add(more);
        if let Seen::Look(look, blocks) = &mut seen[*at].1 {
            for (block, rows) in decided {
                let first = blocks.row_range(block).start;
                rows.iter().for_each(|row| look.bounds.certain.insert(first + row));
            }
        }
    }
}

/// A batch of the tail, and which of its rows match.
type Selected = (u64, Arc<Batch>, Selection);

fn sweep_stretches(
    wave: &[(&Arc<FileView>, &Stretch)],
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    visitor: &mut dyn Visitor,
    coverage: &mut Coverage,
) {
    let read = lanes::map(run.lanes, wave.len(), |at| {
        let (mut selected, mut coverage) = (Vec::<Selected>::new(), Coverage::default());
        let (file, stretch) = wave[at];
        coverage.cancelled = read_stretch(file, stretch, &mut |read| {
            if run.is_over() {
                return Err(());
            }
            match read {
                Read::Batch(_, first_sequence, batch) => {
                    coverage.journal_batches += 1;
                    coverage.scanned(batch);
                    let within = rows_within(range, batch, stretch.times);
                    let rows = select(filter, batch, &within, run).ok_or(())?;
                    if !rows.is_empty() {
                        selected.push((first_sequence, Arc::clone(batch), rows));
                    }
                }
                Read::Damage(damage) => coverage.damaged.push(damage.to_string()),
            }
            Ok(())
        })
        .is_err();
        (selected, coverage)
    });
    for (selected, more) in read {
        coverage.add(more);
        for (first_sequence, batch, rows) in selected {
            if run.is_over() {
                coverage.cancelled = true;
                return;
            }
            visitor.batch(first_sequence, &batch, &rows, run);
        }
    }
}

/// The rows of `within` that match; none where `run` ends before.
pub(super) fn select(filter: &Filter, batch: &Batch, within: &Selection, run: &Run<'_>) -> Option<Selection> {
    if within.is_empty() {
        return Some(within.clone());
    }
    let work = run.work();
    filter.matcher.select_while(batch, within, &|rows| work.go_on(rows))
}

impl Sealed<'_> {
    /// Shows the blocks of some rows, with the sequence of the first row of each.
    pub(crate) fn read(
        &self,
        rows: &Selection,
        groups: Groups,
        run: &Run<'_>,
        visit: &mut dyn FnMut(u64, &Arc<Batch>, &Selection),
    ) -> Coverage {
        let mut coverage = Coverage::default();
        let blocks = (0..self.blocks.len()).map(|block| (block, rows.slice(self.blocks.row_range(block))));
        let blocks: Vec<(usize, Selection)> = blocks.filter(|(_, rows)| !rows.is_empty()).collect();
        for wave in blocks.chunks(WAVE_BATCHES * run.lanes.count().max(1)) {
            let read = lanes::map(run.lanes, wave.len(), |at| {
                (!run.is_over()).then(|| self.blocks.read(wave[at].0, groups, &mut Scratch::default()))
            });
            for ((block, rows), batch) in wave.iter().zip(read) {
                let Some(batch) = batch.filter(|_| !run.is_over()) else {
                    coverage.cancelled = true;
                    return coverage;
                };
                match batch {
                    Ok(batch) => {
                        coverage.blocks += 1;
                        let first = self.blocks.row_range(*block).start as u64;
                        visit(self.segment.id.first_sequence + first, &Arc::new(batch), rows);
                    }
                    Err(error) => {
                        let damage = self.segment.damage(self.blocks.place(*block), error);
                        coverage.damaged.push(damage.to_string());
                    }
                }
            }
        }
        coverage
    }
}

/// The names of the dynamic fields that messages of a range may have.
pub(super) fn field_names(view: &View, range: TimeRange, run: &Run<'_>) -> Vec<String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: &str| {
        names.entry(name.to_ascii_lowercase()).or_insert_with(|| name.to_owned());
    };
    for segment in &view.segments {
        if segment.blocks.as_ref().is_ok_and(|blocks| blocks.span.times().overlap(range))
            && let Ok(index) = segment.index()
        {
            index.fields.with_column.iter().chain(&index.fields.without_column).for_each(|name| add(name));
        }
    }
    for file in &view.files {
        for stretch in file.stretches.iter().filter(|stretch| stretch.times.overlap(range)) {
            let shown = read_stretch(file, stretch, &mut |read| {
                if run.is_over() {
                    return Err(());
                }
                if let Read::Batch(_, _, batch) = read {
                    let names = batch.columns().field_names.values().iter();
                    names.for_each(|name| add(&String::from_utf8_lossy(name)));
                }
                Ok(())
            });
            if shown.is_err() {
                return names.into_values().collect();
            }
        }
    }
    names.into_values().collect()
}
