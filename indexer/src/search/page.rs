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
use super::results::{Hit, ResultPage};
use crate::bounds::TimeBounds;
use crate::segment::Segment;
use crate::segment::blocks::{Blocks, BlocksError, ReadScratch};
use crate::store::damage::Damage;
use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::{FileView, Stretch, View};
use logstead_record::{Batch, ColumnGroup, ColumnGroups, Selection, Timestamp};
use logstead_work::SearchContext;
use logstead_work::lanes::{self, Wave};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
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
) -> ResultPage {
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
    };
    let mut hits = Vec::new();
    loop {
        pages.look_ahead();
        pages.collect();
        let more = pages.request.limit < pages.best.heap.len();
        hits.extend(pages.take());
        if pages.is_cut || !more || pages.coverage.cancelled || request.limit <= hits.len() {
            let Pages { is_cut, coverage, .. } = pages;
            return ResultPage { hits, more: more || is_cut, is_cut, coverage: coverage.end(view) };
        }
        pages.request.limit = request.limit - hits.len();
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
                    while wave.len() < wave_blocks
                        && let Some(&(_, PageSource::Block(segment, block))) = self.ahead.peek()
                    {
                        self.ahead.pop();
                        wave.push((segment, block));
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
        let is_of_use = self.best.floor().is_none_or(|floor| floor < bound);
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
            self.best.offer(ranks, &|row| RowLocation::Sealed { segment, block, row });
        }
    }

    /// Takes the best messages that can be read. The search continues after these and those that cannot be read.
    fn take(&mut self) -> Vec<Hit> {
        let Request { order, limit, .. } = self.request;
        let mut best = std::mem::take(&mut self.best.heap).into_vec();
        // Faster than the heap's own way, as rows come nearly in order.
        best.sort_unstable();
        let ranked: Vec<RankedRow> = best.into_iter().take(limit).map(|Reverse(ranked)| ranked).collect();
        let mut blocks = self.run.deadline.later(LATE_TIME_MAX).during(|| self.blocks_of(&ranked));
        self.request.after = ranked.last().map(|last| order.position(last.rank)).or(self.request.after);
        self.ahead.clear();
        let mut hits = Vec::with_capacity(ranked.len());
        for RankedRow { rank, place } in ranked {
            let Position { time, sequence } = order.position(rank);
            let (batch, row) = match place {
                RowLocation::Batch(batch, row) => (batch, row),
                RowLocation::Sealed { segment, block, row } => {
                    let Some((batch, rows)) = blocks.get_mut(&(segment, block)) else {
                        if self.coverage.cancelled {
                            continue;
                        }
                        self.is_cut = true;
                        break;
                    };
                    let Some(batch) = batch else { continue };
                    (Arc::clone(batch), rows.partition_point(|&other| other < row))
                }
            };
            let hit = Hit { sequence, time, batch, row };
            self.held_bytes += hit.bytes();
            hits.push(hit);
            if self.run.lanes.bytes() < self.held_bytes {
                self.is_cut = true;
                break;
            }
        }
        hits
    }

    /// Reads the rows of the page that are in blocks, beginning with the best.
    #[expect(clippy::type_complexity, reason = "a map that lives for two lines")]
    fn blocks_of(
        &mut self,
        ranked: &[RankedRow],
    ) -> BTreeMap<(usize, usize), (Option<Arc<Batch>>, Vec<usize>)> {
        let mut at: HashMap<(usize, usize), usize> = HashMap::new();
        let mut wanted: Vec<((usize, usize), Vec<usize>)> = Vec::new();
        for RankedRow { place, .. } in ranked {
            if let RowLocation::Sealed { segment, block, row } = *place {
                let place = (segment, block);
                let at = *at.entry(place).or_insert(wanted.len());
                if at == wanted.len() {
                    wanted.push((place, Vec::new()));
                }
                wanted[at].1.push(row);
            }
        }
        wanted.iter_mut().for_each(|(_, rows)| rows.sort_unstable());
        let (run, groups) = (self.run, self.groups);
        let late = AtomicUsize::new(0);
        let is_too_late = || run.is_over() && LATE_BLOCKS_MAX <= late.fetch_add(1, Ordering::Relaxed);
        let (mut wave, mut left) = (Wave::new(run.lanes, WAVE_BLOCKS_MAX), wanted.as_slice());
        let (mut blocks, mut bytes) = (BTreeMap::new(), self.held_bytes);
        // Messages that do not fit in are left to the next page.
        while !left.is_empty() && bytes <= run.lanes.bytes() {
            let next;
            (next, left) = wave.split(left);
            let read = lanes::map(run.lanes, next.len(), |at| {
                let ((segment, block), rows) = &next[at];
                (!is_too_late()).then(|| read_rows(&self.view.segments[*segment], *block, rows, groups))
            });
            for ((place, rows), batch) in next.iter().zip(read) {
                let Some(batch) = batch else {
                    self.coverage.cancelled = true;
                    continue;
                };
                if let Err(damage) = &batch {
                    self.coverage.unread(damage);
                    self.unreadable.insert(*place);
                }
                let batch = batch.ok();
                let held = batch.as_ref().map_or(0, |batch| batch.memory_bytes());
                wave.saw(held);
                bytes += held;
                self.coverage.blocks += 1;
                blocks.insert(*place, (batch, rows.clone()));
            }
        }
        blocks
    }
}

/// Some rows of a block as a separate batch, so that a hit does not keep a whole block in memory.
fn read_rows(
    segment: &Segment,
    block: usize,
    rows: &[usize],
    groups: ColumnGroups,
) -> Result<Arc<Batch>, Damage> {
    let damaged = |error| Damage::of_block(segment, error);
    let mut selection = Selection::none(segment.blocks.row_range(block).len());
    rows.iter().for_each(|&row| selection.insert(row));
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
    let batch = blocks.read(block, ColumnGroup::Stamps.into(), scratch)?;
    Ok((0..batch.rows()).map(|row| batch.time(row).nanos()).collect())
}

/// The best messages so far: enough for one page, and one more to show that the page is not the last.
struct BestRows {
    order: Order,
    after: Option<Rank>,
    wanted: usize,
    heap: BinaryHeap<Reverse<RankedRow>>,
}

/// A message with its rank, compared by the rank alone.
struct RankedRow {
    rank: Rank,
    place: RowLocation,
}

/// The location of a message.
enum RowLocation {
    Batch(Arc<Batch>, usize),
    Sealed { segment: usize, block: usize, row: usize },
}

impl PartialEq for RankedRow {
    fn eq(&self, other: &RankedRow) -> bool {
        self.rank == other.rank
    }
}

impl Eq for RankedRow {}

impl PartialOrd for RankedRow {
    fn partial_cmp(&self, other: &RankedRow) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RankedRow {
    fn cmp(&self, other: &RankedRow) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl BestRows {
    fn new(request: &Request<'_>) -> BestRows {
        let Request { order, .. } = *request;
        let after = request.after.map(|after| order.rank(after.time, after.sequence));
        BestRows { order, after, wanted: request.limit.saturating_add(1), heap: BinaryHeap::new() }
    }

    /// The worst rank that is kept, once there are enough; only better messages are needed.
    fn floor(&self) -> Option<Rank> {
        let Reverse(worst) = self.heap.peek()?;
        (self.heap.len() == self.wanted).then_some(worst.rank)
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
        self.keep(ranks, &|row| RowLocation::Batch(Arc::clone(&batch), row));
    }

    fn offer(&mut self, ranks: Vec<(Rank, usize)>, place: &dyn Fn(usize) -> RowLocation) {
        let ranks = self.of_use(ranks);
        self.keep(ranks, place);
    }

    /// The messages that, as far as is known, belong to the page and fit in.
    fn of_use(&self, mut ranks: Vec<(Rank, usize)>) -> Vec<(Rank, usize)> {
        let floor = self.floor();
        ranks.retain(|&(rank, _)| {
            self.after.is_none_or(|after| rank < after) && floor.is_none_or(|floor| floor < rank)
        });
        if self.wanted < ranks.len() {
            ranks.select_nth_unstable_by_key(self.wanted - 1, |&(rank, _)| Reverse(rank));
            ranks.truncate(self.wanted);
        }
        ranks
    }

    fn keep(&mut self, ranks: Vec<(Rank, usize)>, place: &dyn Fn(usize) -> RowLocation) {
        for (rank, row) in ranks {
            self.heap.push(Reverse(RankedRow { rank, place: place(row) }));
            if self.wanted < self.heap.len() {
                self.heap.pop();
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
