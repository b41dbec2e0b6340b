//! The first messages that match, beginning with the newest or the oldest.
//!
//! Parts of the store are read in order of rank: first those that may contain the newest (or oldest) messages. The
//! search stops when no other part can contain a better one. Rows are ranked by their times alone; only those that
//! are on the final page are decompressed. If some of them cannot be read, the search continues after them.
//!
//! **Invariant:** a page is full, or it is the last, or it reaches the limit of its bytes, and says so.

use super::candidates::{Candidates, find_candidates};
use super::coverage::Coverage;
use super::question::{Order, Position, Request, RowQuestion};
use super::results::{PageRow, PageRows};
use crate::bounds::TimeBounds;
use crate::segment::Segment;
use crate::segment::blocks::{Blocks, BlocksError, ReadScratch};
use crate::store::damage::Damage;
use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::{FileView, Stretch, View};
use logstead_record::{Batch, ColumnGroups, Selection, Timestamp};
use logstead_work::SearchContext;
use logstead_work::lanes::{self, Wave};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The greatest number of blocks that are read together.
const WAVE_BLOCKS_MAX: usize = 32;
/// The number of blocks that are still read after the time limit, to return the best messages found so far.
const LATE_BLOCKS_MAX: usize = 32;
/// The time that these may take.
const LATE_TIME_MAX: Duration = Duration::from_secs(2);
/// The worst messages are left out when there are too many by this part of a page.
const SLACK_OF_WANTED: usize = 8;

/// The rank of a message in the requested order: greater ranks come first, and no two messages have the same.
type Rank = (i64, u64);

impl Order {
    fn rank(self, time: Timestamp, sequence: u64) -> Rank {
        match self {
            Order::Newest => (time.nanos(), sequence),
            Order::Oldest => (!time.nanos(), !sequence),
        }
    }

    /// The position that a rank was made from; the conversion is its own inverse.
    fn position(self, rank: Rank) -> Position {
        let (time, sequence) = self.rank(Timestamp::from_nanos(rank.0), rank.1);
        Position { time: Timestamp::from_nanos(time), sequence }
    }

    /// The worst and the best rank that a message with such times and sequences can have.
    fn bounds(self, times: TimeBounds, sequences: &Range<u64>) -> (Rank, Rank) {
        let first = self.rank(times.earliest, sequences.start);
        let last = self.rank(times.latest, sequences.end.saturating_sub(1));
        (first.min(last), first.max(last))
    }
}

/// Finds the messages of a page.
pub(super) fn search(
    view: &View,
    request: &Request<'_>,
    groups: ColumnGroups,
    run: &SearchContext<'_>,
) -> PageRows {
    let mut pages = Pages {
        view,
        request: *request,
        groups,
        run,
        best: BestRows::new(request),
        ahead: BinaryHeap::new(),
        candidates: BTreeMap::new(),
        unreadable: BTreeSet::new(),
        coverage: Coverage::default(),
        held_bytes: 0,
        is_cut: false,
        batches: Vec::new(),
        rows: Vec::new(),
    };
    loop {
        pages.look_ahead();
        pages.collect();
        let more = pages.request.limit < pages.best.rows.len();
        pages.take();
        if pages.is_cut || !more || pages.coverage.cancelled || request.limit <= pages.rows.len() {
            let Pages { is_cut, coverage, batches, rows, .. } = pages;
            return PageRows { batches, rows, more: more || is_cut, is_cut, coverage: coverage.end(view) };
        }
        pages.request.limit = request.limit - pages.rows.len();
        pages.best = BestRows::new(&pages.request);
    }
}

/// A part of the store that may contain messages of the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PageSource {
    File(usize),
    Stretch(usize, usize),
    Segment(usize),
    Block(usize, usize),
}

struct Pages<'a> {
    view: &'a View,
    request: Request<'a>,
    /// The columns that messages in segments are wanted with.
    groups: ColumnGroups,
    run: &'a SearchContext<'a>,
    best: BestRows,
    /// The parts that have not been read, best first.
    ahead: BinaryHeap<(Rank, PageSource)>,
    /// The candidates of the segments that have been reached.
    candidates: BTreeMap<usize, Candidates>,
    /// Blocks from which no row can be read.
    unreadable: BTreeSet<(usize, usize)>,
    coverage: Coverage,
    /// The size of the messages on the page.
    held_bytes: usize,
    is_cut: bool,
    /// The page so far.
    batches: Vec<Arc<Batch>>,
    rows: Vec<PageRow>,
}

impl<'a> Pages<'a> {
    fn look_ahead(&mut self) {
        let view = self.view;
        for (at, file) in view.files.iter().enumerate().filter(|(_, file)| 0 < file.messages) {
            let end = file.stretches.last().map_or(0, |stretch| stretch.sequences.end);
            self.push(file.times, &(file.first_sequence..end), PageSource::File(at));
        }
        for (at, segment) in view.segments.iter().enumerate() {
            self.push(segment.blocks.span.times(), &segment.id.sequences(), PageSource::Segment(at));
        }
    }

    fn push(&mut self, times: TimeBounds, sequences: &Range<u64>, part: PageSource) {
        let Request { order, range, after, .. } = self.request;
        let (worst, best) = order.bounds(times, sequences);
        let is_before = after.is_some_and(|after| order.rank(after.time, after.sequence) <= worst);
        if times.overlap(range) && !is_before {
            self.ahead.push((best, part));
        }
    }

    fn collect(&mut self) {
        let mut wave_blocks = self.run.lanes.count();
        while let Some(part) = self.next() {
            if self.run.is_over() {
                self.coverage.cancelled = true;
                return;
            }
            match part {
                PageSource::File(at) => {
                    for (index, stretch) in self.view.files[at].stretches.iter().enumerate() {
                        self.push(stretch.times, &stretch.sequences, PageSource::Stretch(at, index));
                    }
                }
                PageSource::Stretch(at, index) => {
                    let file = &self.view.files[at];
                    self.read_stretch(file, &file.stretches[index]);
                }
                PageSource::Segment(at) => self.open_segment(at),
                PageSource::Block(segment, block) => {
                    let mut wave = vec![(segment, block)];
                    let mut known = self.best.rows.len() + self.certain_in(segment, block);
                    while wave.len() < wave_blocks
                        && known < self.best.wanted
                        && let Some(&(_, PageSource::Block(segment, block))) = self.ahead.peek()
                    {
                        self.ahead.pop();
                        wave.push((segment, block));
                        known += self.certain_in(segment, block);
                    }
                    self.read_blocks(&wave);
                    wave_blocks = (wave_blocks * 2).min(WAVE_BLOCKS_MAX);
                }
            }
        }
    }

    /// The part that may contain the best of the remaining messages, if that would be on the page.
    fn next(&mut self) -> Option<PageSource> {
        let (bound, part) = self.ahead.pop()?;
        let is_of_use = self.best.floor.is_none_or(|floor| floor < bound);
        is_of_use.then_some(part)
    }

    fn read_stretch(&mut self, file: &FileView, stretch: &Stretch) {
        let question = self.request.question(self.run);
        let Pages { run, best, coverage, .. } = self;
        let stopped = read_stretch(file, stretch, &mut |read| {
            if run.is_over() {
                return Err(());
            }
            match read {
                StretchItem::Batch(_, first_sequence, batch) => {
                    coverage.journal_batches += 1;
                    coverage.scanned(batch);
                    let within = question.within(batch, stretch.times);
                    let question = question.where_copies(batch.has_copies());
                    let rows = question.select(batch, &within).ok_or(())?;
                    best.offer_batch(first_sequence, batch, &rows, stretch.batch.is_some());
                }
                StretchItem::Damage(damage) => coverage.damaged.push(damage.to_string()),
            }
            Ok(())
        });
        self.coverage.cancelled |= stopped.is_err();
    }

    fn open_segment(&mut self, at: usize) {
        let segment: &Segment = &self.view.segments[at];
        let blocks = &segment.blocks;
        let found = self.candidates.remove(&at).unwrap_or_else(|| self.candidates_of(segment));
        for block in 0..blocks.len() {
            let rows = blocks.row_range(block);
            let is_readable = !self.unreadable.contains(&(at, block));
            if is_readable && 0 < found.bounds.possible().count_within(rows.clone()) {
                let first = segment.id.first_sequence;
                let sequences = first + rows.start as u64..first + rows.end as u64;
                self.push(blocks.span_of(block).times(), &sequences, PageSource::Block(at, block));
            }
        }
        self.candidates.insert(at, found);
    }

    fn candidates_of(&mut self, segment: &Segment) -> Candidates {
        let found = find_candidates(segment, &self.request.question(self.run));
        self.coverage.segments += 1;
        self.coverage.unindexed_segments += u64::from(found.index.is_none());
        found
    }

    /// The number of rows of a block that are known to match.
    fn certain_in(&self, segment: usize, block: usize) -> usize {
        let rows = self.view.segments[segment].blocks.row_range(block);
        self.candidates.get(&segment).map_or(0, |found| found.bounds.certain.count_within(rows))
    }

    /// Ranks the rows of some blocks.
    fn read_blocks(&mut self, wave: &[(usize, usize)]) {
        let (view, order, candidates) = (self.view, self.request.order, &self.candidates);
        let question = self.request.question(self.run);
        let ranked = lanes::map(self.run.lanes, wave.len(), |at| {
            let (segment_at, block) = wave[at];
            let segment: &Segment = &view.segments[segment_at];
            let Some(found) = candidates.get(&segment_at) else { return Default::default() };
            if question.run.is_over() {
                return (Vec::new(), Coverage { cancelled: true, ..Coverage::default() });
            }
            rank_block(segment, found, block, &question, order)
        });
        for (&(segment, block), (ranks, coverage)) in wave.iter().zip(ranked) {
            self.coverage.add(coverage);
            self.best.offer(ranks, RowSource::Sealed { segment, block });
        }
    }

    /// Takes the best messages that can be read. The search continues after these and those that cannot be read.
    fn take(&mut self) {
        let Request { order, limit, .. } = self.request;
        let BestRows { sources, mut rows, .. } =
            std::mem::replace(&mut self.best, BestRows::new(&self.request));
        // Rows come nearly in order: in runs, which a stable sort joins.
        rows.sort_by_key(|ranked| Reverse(ranked.rank));
        rows.truncate(limit);
        let mut read = self.run.deadline.later(LATE_TIME_MAX).during(|| self.read_sources(&sources, &rows));
        self.request.after = rows.last().map(|last| order.position(last.rank)).or(self.request.after);
        self.ahead.clear();
        self.rows.reserve(rows.len());
        for RankedRow { rank, source, row } in rows {
            match &mut read[source as usize] {
                SourceRows::Unread if self.coverage.cancelled => {}
                SourceRows::Unread => {
                    self.is_cut = true;
                    return;
                }
                SourceRows::Unreadable => {}
                SourceRows::Read(read) => {
                    let batch = read.number_in(&mut self.batches);
                    let Position { time, sequence } = order.position(rank);
                    self.rows.push(PageRow { time, sequence, batch, row: read.row(row) });
                    self.held_bytes += read.row_bytes;
                }
            }
            if self.run.lanes.bytes() < self.held_bytes {
                self.is_cut = true;
                return;
            }
        }
    }

    /// Reads the rows of the page that are in blocks, beginning with the best.
    fn read_sources(&mut self, sources: &[RowSource], ranked: &[RankedRow]) -> Vec<SourceRows> {
        let mut read: Vec<SourceRows> = sources.iter().map(SourceRows::of_batch).collect();
        let wanted = rows_of_blocks(sources, ranked);
        let (run, groups) = (self.run, self.groups);
        let late = AtomicUsize::new(0);
        let is_too_late = || run.is_over() && LATE_BLOCKS_MAX <= late.fetch_add(1, Ordering::Relaxed);
        let (mut wave, mut left) = (Wave::new(run.lanes, WAVE_BLOCKS_MAX), wanted.as_slice());
        let mut bytes = self.held_bytes;
        // Messages that do not fit in are left to the next page.
        while !left.is_empty() && bytes <= run.lanes.bytes() {
            let next;
            (next, left) = wave.split(left);
            let blocks = lanes::map(run.lanes, next.len(), |at| {
                let BlockRows { segment, block, rows, .. } = &next[at];
                (!is_too_late()).then(|| read_rows(&self.view.segments[*segment], *block, rows, groups))
            });
            for (BlockRows { source, segment, block, rows }, batch) in next.iter().zip(blocks) {
                self.coverage.blocks += u64::from(batch.is_some());
                read[*source] = match batch {
                    None => {
                        self.coverage.cancelled = true;
                        continue;
                    }
                    Some(Err(damage)) => {
                        self.coverage.unread(&damage);
                        self.unreadable.insert((*segment, *block));
                        SourceRows::Unreadable
                    }
                    Some(Ok(batch)) => {
                        wave.saw(batch.memory_bytes());
                        bytes += batch.memory_bytes();
                        SourceRows::Read(ReadRows::new(batch, positions(rows)))
                    }
                };
            }
        }
        read
    }
}

/// The rows of a page that are in one block.
struct BlockRows {
    source: usize,
    segment: usize,
    block: usize,
    /// The rows within the block.
    rows: Vec<u32>,
}

/// The rows of a page that are in blocks, block by block, beginning with the block of the best.
fn rows_of_blocks(sources: &[RowSource], ranked: &[RankedRow]) -> Vec<BlockRows> {
    const UNKNOWN: usize = usize::MAX;
    let mut at = vec![UNKNOWN; sources.len()];
    let mut blocks: Vec<BlockRows> = Vec::new();
    for RankedRow { source, row, .. } in ranked {
        let source = *source as usize;
        let RowSource::Sealed { segment, block } = sources[source] else { continue };
        if at[source] == UNKNOWN {
            at[source] = blocks.len();
            blocks.push(BlockRows { source, segment, block, rows: Vec::new() });
        }
        blocks[at[source]].rows.push(*row);
    }
    blocks.iter_mut().for_each(|block| block.rows.sort());
    blocks
}

/// The rows of a source, as far as they have been read.
enum SourceRows {
    Unread,
    Unreadable,
    Read(ReadRows),
}

/// Rows that were read.
struct ReadRows {
    batch: Arc<Batch>,
    /// The row in this batch of each row of the source; empty if all rows were read.
    positions: Vec<u32>,
    /// The approximate memory of a row.
    row_bytes: usize,
    /// The number of the batch on the page, once it is there.
    number: Option<u32>,
}

impl SourceRows {
    fn of_batch(source: &RowSource) -> SourceRows {
        match source {
            RowSource::Batch(batch) => SourceRows::Read(ReadRows::new(Arc::clone(batch), Vec::new())),
            RowSource::Sealed { .. } | RowSource::Unused => SourceRows::Unread,
        }
    }
}

impl ReadRows {
    fn new(batch: Arc<Batch>, positions: Vec<u32>) -> ReadRows {
        let row_bytes = batch.memory_bytes() / batch.rows().max(1);
        ReadRows { batch, positions, row_bytes, number: None }
    }

    fn row(&self, of_source: u32) -> u32 {
        self.positions.get(of_source as usize).copied().unwrap_or(of_source)
    }

    fn number_in(&mut self, batches: &mut Vec<Arc<Batch>>) -> u32 {
        *self.number.get_or_insert_with(|| {
            batches.push(Arc::clone(&self.batch));
            batches.len() as u32 - 1
        })
    }
}

/// The position of each of some rows among them, by the row; empty if the rows are the first ones.
fn positions(rows: &[u32]) -> Vec<u32> {
    let last = rows.last().map_or(0, |&last| last as usize + 1);
    if last == rows.len() {
        return Vec::new();
    }
    let mut positions = vec![0; last];
    rows.iter().zip(0..).for_each(|(&row, position)| positions[row as usize] = position);
    positions
}

/// Some rows of a block as a separate batch, so that a hit does not keep a whole block in memory.
fn read_rows(
    segment: &Segment,
    block: usize,
    rows: &[u32],
    groups: ColumnGroups,
) -> Result<Arc<Batch>, Damage> {
    let damaged = |error| Damage::of_block(segment, error);
    let mut selection = Selection::none(segment.blocks.row_range(block).len());
    rows.iter().for_each(|&row| selection.insert(row as usize));
    let read = segment.blocks.read_some(block, &selection, groups, &mut ReadScratch::default());
    Ok(Arc::new(read.map_err(damaged)?))
}

/// The ranks of the matching rows of a block.
fn rank_block(
    segment: &Segment,
    found: &Candidates,
    block: usize,
    question: &RowQuestion<'_>,
    order: Order,
) -> (Vec<(Rank, usize)>, Coverage) {
    let range = segment.blocks.row_range(block);
    let mut rows = found.bounds.certain.slice(range.clone());
    let mut undecided = found.bounds.possible().slice(range.clone());
    undecided.subtract(&rows);
    let (mut scratch, mut coverage) = (ReadScratch::default(), Coverage::default());
    if !undecided.is_empty() {
        let (more, looked) = found.decide(segment, block, &undecided, question, &mut scratch);
        rows.union(&more);
        coverage.add(looked);
    }
    if rows.is_empty() {
        return (Vec::new(), coverage);
    }
    match times_of(found, &segment.blocks, block, &mut scratch) {
        Ok(times) => {
            let first = segment.id.first_sequence + range.start as u64;
            let rank = |row: usize| order.rank(Timestamp::from_nanos(times[row]), first + row as u64);
            (rows.iter().map(|row| (rank(row), row)).collect(), coverage)
        }
        Err(error) => {
            coverage.unread(&Damage::of_block(segment, error));
            (Vec::new(), coverage)
        }
    }
}

/// The times of the rows of a block, from the index if there is one.
fn times_of(
    found: &Candidates,
    blocks: &Blocks,
    block: usize,
    scratch: &mut ReadScratch,
) -> Result<Vec<i64>, BlocksError> {
    let range = blocks.row_range(block);
    let rows = range.start as u32..range.end as u32;
    if let Some(times) = found.index.as_ref().and_then(|index| index.times.read(rows).ok()) {
        return Ok(times);
    }
    let batch = blocks.read(block, ColumnGroups::TIMES, scratch)?;
    Ok((0..batch.rows()).map(|row| batch.time(row).nanos()).collect())
}

/// The best messages so far: enough for one page, one more to show that the page is not the last, and a few more, as
/// leaving out the worst takes time.
struct BestRows {
    order: Order,
    after: Option<Rank>,
    wanted: usize,
    sources: Vec<RowSource>,
    rows: Vec<RankedRow>,
    /// A rank that only messages of use exceed, once there are enough.
    floor: Option<Rank>,
}

/// A message with its rank.
#[derive(Clone, Copy)]
struct RankedRow {
    rank: Rank,
    /// The number of its source, and its row there.
    source: u32,
    row: u32,
}

/// The location of some messages.
enum RowSource {
    Batch(Arc<Batch>),
    Sealed {
        segment: usize,
        block: usize,
    },
    /// None of them is among the best any more.
    Unused,
}

impl BestRows {
    fn new(request: &Request<'_>) -> BestRows {
        let Request { order, .. } = *request;
        let after = request.after.map(|after| order.rank(after.time, after.sequence));
        let wanted = request.limit.saturating_add(1);
        BestRows { order, after, wanted, sources: Vec::new(), rows: Vec::new(), floor: None }
    }

    /// Keeps the messages of a batch that are among the best.
    fn offer_batch(
        &mut self,
        first_sequence: u64,
        batch: &Arc<Batch>,
        rows: &Selection,
        is_kept_anyway: bool,
    ) {
        let order = self.order;
        let rank = |row: usize| order.rank(batch.time(row), first_sequence + row as u64);
        let mut ranks = self.of_use(rows.iter().map(|row| (rank(row), row)).collect());
        let batch = if is_kept_anyway { Arc::clone(batch) } else { narrowed(batch, &mut ranks) };
        self.keep(&ranks, RowSource::Batch(batch));
    }

    fn offer(&mut self, ranks: Vec<(Rank, usize)>, source: RowSource) {
        let ranks = self.of_use(ranks);
        self.keep(&ranks, source);
    }

    /// The messages that, as far as is known, belong to the page and fit in.
    fn of_use(&self, mut ranks: Vec<(Rank, usize)>) -> Vec<(Rank, usize)> {
        ranks.retain(|&(rank, _)| {
            self.after.is_none_or(|after| rank < after) && self.floor.is_none_or(|floor| floor < rank)
        });
        if self.wanted < ranks.len() {
            ranks.select_nth_unstable_by_key(self.wanted - 1, |&(rank, _)| Reverse(rank));
            ranks.truncate(self.wanted);
        }
        ranks
    }

    fn keep(&mut self, ranks: &[(Rank, usize)], source: RowSource) {
        if ranks.is_empty() {
            return;
        }
        let number = self.sources.len() as u32;
        self.sources.push(source);
        self.rows.extend(ranks.iter().map(|&(rank, row)| RankedRow {
            rank,
            source: number,
            row: row as u32,
        }));
        let slack = if self.floor.is_none() { 0 } else { self.wanted / SLACK_OF_WANTED };
        if self.wanted.saturating_add(slack) <= self.rows.len() {
            self.leave_out_worst();
        }
    }

    fn leave_out_worst(&mut self) {
        let (_, worst, _) =
            self.rows.select_nth_unstable_by_key(self.wanted - 1, |ranked| Reverse(ranked.rank));
        self.floor = Some(worst.rank);
        self.rows.truncate(self.wanted);
        let mut are_used = vec![false; self.sources.len()];
        self.rows.iter().for_each(|ranked| are_used[ranked.source as usize] = true);
        for (source, is_used) in self.sources.iter_mut().zip(are_used) {
            if !is_used {
                *source = RowSource::Unused;
            }
        }
    }
}

/// A batch with not many more rows than those needed, so that a hit does not keep a whole batch in memory.
fn narrowed(batch: &Arc<Batch>, rows: &mut [(Rank, usize)]) -> Arc<Batch> {
    if batch.rows() <= rows.len() * 2 {
        return Arc::clone(batch);
    }
    rows.sort_unstable_by_key(|&(_, row)| row);
    let mut selection = Selection::none(batch.rows());
    for (new_row, (_, row)) in rows.iter_mut().enumerate() {
        selection.insert(*row);
        *row = new_row;
    }
    Arc::new(batch.take(&selection))
}
