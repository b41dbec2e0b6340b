//! Searches what is in the journal, while it grows.
//!
//! A search holds the view of the moment it began and looks at stretches best first: those that may hold the
//! newest (or oldest) messages. It stops when no other stretch can hold a better one than it has.
//!
//! **Invariant:** what is found is what sorting and filtering every message would find, apart from what
//! [`Coverage::damaged`] names. A page that begins after a [`Position`] never repeats or skips a message that
//! was there when the page before was read.

use crate::read::{Read, read_stretch};
use crate::view::{Damage, FileView, Shared, Stretch, Times, View};
use logstead_record::query::{Matcher, TimeRange};
use logstead_record::{Batch, Selection, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Searches a journal. Cheap to clone, one for each thread.
#[derive(Clone)]
pub struct Searcher {
    shared: Arc<Shared>,
}

/// Which messages come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Those with the latest time, and of one time those that were stored last.
    #[default]
    Newest,
    /// The reverse.
    Oldest,
}

/// Where a message stands in the order of all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The time it counts by.
    pub time: Timestamp,
    /// Its sequence.
    pub sequence: u64,
}

/// What to search.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Which messages.
    pub matcher: &'a Matcher,
    /// By the time they count by.
    pub range: TimeRange,
    /// Which come first.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
    /// Only those that come after this one.
    pub after: Option<Position>,
}

/// A message that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its number in the logspace.
    pub sequence: u64,
    /// The time it counts by.
    pub time: Timestamp,
    /// A batch that holds it.
    pub batch: Arc<Batch>,
    /// Its row there.
    pub row: usize,
}

/// A page of messages.
#[derive(Clone, Debug)]
pub struct Found {
    /// In the order that was asked for.
    pub hits: Vec<Hit>,
    /// Whether there are more after these.
    pub more: bool,
    /// What was looked at.
    pub coverage: Coverage,
}

/// How many messages there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Exactly, apart from what is damaged.
    pub count: u64,
    /// What was looked at.
    pub coverage: Coverage,
}

/// What a search looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Whether everything that had to be looked at could be.
    pub complete: bool,
    /// Messages that were compared with the query.
    pub scanned_messages: u64,
    /// The memory they take.
    pub scanned_bytes: u64,
    /// Batches they are in.
    pub journal_batches: u64,
    /// Batches that needed no look, because of their time.
    pub skipped_batches: u64,
    /// What can not be read.
    pub damaged: Vec<String>,
}

/// Why a search has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Nobody wants it any more.
    #[error("the search was cancelled")]
    Cancelled,
    /// The message can not be read.
    #[error("the message may be in a damaged part of the journal: {0}")]
    Damaged(String),
}

/// What a journal holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Messages.
    pub messages: u64,
    /// Batches they are in.
    pub batches: u64,
    /// Journal files.
    pub journal_files: usize,
    /// Their length.
    pub journal_bytes: u64,
    /// Memory of the batches that are kept there.
    pub memory_bytes: usize,
    /// The earliest time a message counts by.
    pub first_time: Option<Timestamp>,
    /// The latest.
    pub last_time: Option<Timestamp>,
    /// The sequence of the oldest message that is not expired.
    pub first_sequence: u64,
    /// The sequence of the next message.
    pub next_sequence: u64,
    /// Known parts that can not be read.
    pub damaged: usize,
}

/// Greater is better: comes first in the order that was asked for. No two messages have the same.
type Rank = (i64, u64);

fn overlaps(range: TimeRange, times: Times) -> bool {
    range.first <= times.latest && times.earliest <= range.last
}

/// The rows of a batch whose time is in a range.
fn rows_within(range: TimeRange, batch: &Batch, times: Times) -> Selection {
    if range.contains(times.earliest) && range.contains(times.latest) {
        return Selection::all(batch.rows());
    }
    Selection::from_fn(batch.rows(), |row| range.contains(batch.time(row)))
}

impl Order {
    fn rank(self, time: Timestamp, sequence: u64) -> Rank {
        match self {
            Order::Newest => (time.nanos(), sequence),
            Order::Oldest => (!time.nanos(), !sequence),
        }
    }

    /// The worst and the best rank that a message of some times and sequences can have.
    fn bounds(self, times: Times, first_sequence: u64, last_sequence: u64) -> (Rank, Rank) {
        let first = self.rank(times.earliest, first_sequence);
        let last = self.rank(times.latest, last_sequence);
        (first.min(last), first.max(last))
    }
}

impl Searcher {
    pub(crate) fn new(shared: Arc<Shared>) -> Searcher {
        Searcher { shared }
    }

    /// The first messages that match.
    pub fn search(&self, request: &Request<'_>, cancelled: &dyn Fn() -> bool) -> Result<Found, SearchError> {
        let view = self.view();
        let mut reader = Reader::new(&view, cancelled);
        let mut best = Best::new(request);
        let mut ahead = Ahead::new(request, &view);
        while let Some((bound, file, stretch)) = ahead.next() {
            if best.floor().is_some_and(|floor| bound <= floor) {
                break;
            }
            reader.read(file, stretch, &mut |first_sequence, batch| {
                best.offer(first_sequence, batch, stretch);
            })?;
        }
        Ok(best.found(reader.end(&view)))
    }

    /// How many messages match.
    pub fn count(
        &self,
        matcher: &Matcher,
        range: TimeRange,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Counted, SearchError> {
        let mut count = 0;
        let coverage = self.scan(matcher, range, cancelled, &mut |_, selection| {
            count += selection.count() as u64;
        })?;
        Ok(Counted { count, coverage })
    }

    /// Shows all messages that match to `visit`, batch by batch, in the order they were stored.
    pub fn scan(
        &self,
        matcher: &Matcher,
        range: TimeRange,
        cancelled: &dyn Fn() -> bool,
        visit: &mut dyn FnMut(&Arc<Batch>, &Selection),
    ) -> Result<Coverage, SearchError> {
        let view = self.view();
        let mut reader = Reader::new(&view, cancelled);
        for file in view.files.iter().filter(|file| overlaps(range, file.times)) {
            for stretch in file.stretches.iter().filter(|stretch| overlaps(range, stretch.times)) {
                reader.read(file, stretch, &mut |_, batch| {
                    let within = rows_within(range, batch, stretch.times);
                    let selection = select(matcher, batch, within);
                    if !selection.is_empty() {
                        visit(batch, &selection);
                    }
                })?;
            }
        }
        Ok(reader.end(&view))
    }

    /// The message with a sequence, or `None` where there is none (yet, or any more).
    pub fn get(&self, sequence: u64) -> Result<Option<Hit>, SearchError> {
        let view = self.view();
        let after = view.files.partition_point(|file| file.first_sequence <= sequence);
        let Some(file) = after.checked_sub(1).and_then(|at| view.files.get(at)) else { return Ok(None) };
        if view.next_sequence <= sequence {
            return Ok(None);
        }
        let at = file.stretches.partition_point(|stretch| stretch.sequences.end <= sequence);
        let mut hit = None;
        let mut reader = Reader::new(&view, &|| false);
        if let Some(stretch) = file.stretches.get(at) {
            reader.read(file, stretch, &mut |first_sequence, batch| {
                let row = sequence.checked_sub(first_sequence).map(|row| row as usize);
                if let Some(row) = row.filter(|&row| row < batch.rows()) {
                    hit = Some(Hit { sequence, time: batch.time(row), batch: Arc::clone(batch), row });
                }
            })?;
        }
        match (hit, reader.coverage.damaged.pop()) {
            (None, Some(damage)) => Err(SearchError::Damaged(damage)),
            (hit, _) => Ok(hit),
        }
    }

    /// What the journal holds.
    pub fn stats(&self) -> Stats {
        let view = self.view();
        let filled = || view.files.iter().filter(|file| 0 < file.messages);
        Stats {
            messages: view.files.iter().map(|file| file.messages).sum(),
            batches: view.files.iter().map(|file| file.batches).sum(),
            journal_files: view.files.len(),
            journal_bytes: view.files.iter().map(|file| file.bytes).sum(),
            memory_bytes: view.memory_bytes,
            first_time: filled().map(|file| file.times.earliest).min(),
            last_time: filled().map(|file| file.times.latest).max(),
            first_sequence: filled()
                .find_map(|file| file.stretches.first())
                .map_or(view.next_sequence, |stretch| stretch.sequences.start),
            next_sequence: view.next_sequence,
            damaged: view.files.iter().map(|file| file.damaged.len()).sum(),
        }
    }

    fn view(&self) -> Arc<View> {
        Arc::clone(&self.shared.read())
    }
}

/// The rows of `within` that match.
fn select(matcher: &Matcher, batch: &Batch, within: Selection) -> Selection {
    if within.is_empty() {
        return within;
    }
    let mut selection = matcher.select(batch);
    selection.intersect(&within);
    selection
}

/// Files and stretches that may hold something, best first.
struct Ahead<'a> {
    request: &'a Request<'a>,
    view: &'a View,
    /// The best rank it may hold, which file, which stretch of it.
    heap: BinaryHeap<(Rank, usize, Option<usize>)>,
}

impl<'a> Ahead<'a> {
    fn new(request: &'a Request<'a>, view: &'a View) -> Ahead<'a> {
        let mut ahead = Ahead { request, view, heap: BinaryHeap::new() };
        for (at, file) in view.files.iter().enumerate().filter(|(_, file)| 0 < file.messages) {
            let last_sequence = file.stretches.last().map_or(0, |stretch| stretch.sequences.end - 1);
            ahead.push(file.times, file.first_sequence, last_sequence, (at, None));
        }
        ahead
    }

    fn push(&mut self, times: Times, first: u64, last: u64, (file, stretch): (usize, Option<usize>)) {
        let (worst, best) = self.request.order.bounds(times, first, last);
        let is_before = |after: Position| self.request.order.rank(after.time, after.sequence) <= worst;
        if overlaps(self.request.range, times) && !self.request.after.is_some_and(is_before) {
            self.heap.push((best, file, stretch));
        }
    }

    /// The stretch that may hold the best message of those that are left.
    fn next(&mut self) -> Option<(Rank, &'a FileView, &'a Stretch)> {
        loop {
            let (bound, at, stretch) = self.heap.pop()?;
            let view = self.view;
            let file = &view.files[at];
            match stretch {
                Some(stretch) => return Some((bound, file, &file.stretches[stretch])),
                None => {
                    for (index, stretch) in file.stretches.iter().enumerate() {
                        let last = stretch.sequences.end - 1;
                        self.push(stretch.times, stretch.sequences.start, last, (at, Some(index)));
                    }
                }
            }
        }
    }
}

/// The best messages so far: those of one page and one more, which says that there are more.
struct Best<'a> {
    request: &'a Request<'a>,
    after: Option<Rank>,
    wanted: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
}

/// A message and its rank, compared by the rank alone.
struct Ranked {
    rank: Rank,
    batch: Arc<Batch>,
    row: usize,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl<'a> Best<'a> {
    fn new(request: &'a Request<'a>) -> Best<'a> {
        let after = request.after.map(|after| request.order.rank(after.time, after.sequence));
        Best { request, after, wanted: request.limit.saturating_add(1), heap: BinaryHeap::new() }
    }

    /// The rank of the worst that is kept, once there are as many as wanted: only a better one is of use.
    fn floor(&self) -> Option<Rank> {
        let Reverse(worst) = self.heap.peek()?;
        (self.heap.len() == self.wanted).then_some(worst.rank)
    }

    /// Keeps the messages of a batch that are among the best.
    fn offer(&mut self, first_sequence: u64, batch: &Arc<Batch>, stretch: &Stretch) {
        let Request { matcher, range, order, .. } = *self.request;
        let selection = select(matcher, batch, rows_within(range, batch, stretch.times));
        let floor = self.floor();
        let ranks =
            selection.iter().map(|row| (order.rank(batch.time(row), first_sequence + row as u64), row));
        let is_of_use = |rank: Rank| {
            self.after.is_none_or(|after| rank < after) && floor.is_none_or(|floor| floor < rank)
        };
        let mut rows: Vec<(Rank, usize)> = ranks.filter(|&(rank, _)| is_of_use(rank)).collect();
        if self.wanted < rows.len() {
            rows.select_nth_unstable_by_key(self.wanted - 1, |&(rank, _)| Reverse(rank));
            rows.truncate(self.wanted);
        }
        let is_kept_anyway = stretch.batch.is_some();
        let batch = if is_kept_anyway { Arc::clone(batch) } else { narrowed(batch, &mut rows) };
        for (rank, row) in rows {
            self.heap.push(Reverse(Ranked { rank, batch: Arc::clone(&batch), row }));
            if self.wanted < self.heap.len() {
                self.heap.pop();
            }
        }
    }

    fn found(self, coverage: Coverage) -> Found {
        let more = self.request.limit < self.heap.len();
        let Best { request: &Request { order, limit, .. }, heap, .. } = self;
        let hits =
            heap.into_sorted_vec().into_iter().take(limit).map(|Reverse(Ranked { rank, batch, row })| {
                // The rank of a rank is what it was made of.
                let (time, sequence) = order.rank(Timestamp::from_nanos(rank.0), rank.1);
                Hit { sequence, time: Timestamp::from_nanos(time), batch, row }
            });
        Found { hits: hits.collect(), more, coverage }
    }
}

/// A batch with not many more rows than those of interest, so that a hit does not keep a whole batch in memory.
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

/// Gives out the batches of stretches, from memory or from the journal, and keeps count.
struct Reader<'a> {
    cancelled: &'a dyn Fn() -> bool,
    coverage: Coverage,
}

impl<'a> Reader<'a> {
    fn new(view: &View, cancelled: &'a dyn Fn() -> bool) -> Reader<'a> {
        let damaged = view.files.iter().flat_map(|file| &file.damaged).map(Damage::to_string).collect();
        Reader { cancelled, coverage: Coverage { damaged, ..Coverage::default() } }
    }

    /// Shows the batches of a stretch, each with the sequence of its first message.
    fn read(
        &mut self,
        file: &FileView,
        stretch: &Stretch,
        visit: &mut dyn FnMut(u64, &Arc<Batch>),
    ) -> Result<(), SearchError> {
        read_stretch(file, stretch, &mut |read| {
            self.check_cancelled()?;
            match read {
                Read::Batch(_, first_sequence, batch) => self.show(first_sequence, batch, visit),
                Read::Damage(damage) => self.coverage.damaged.push(damage.to_string()),
            }
            Ok(())
        })
    }

    fn check_cancelled(&self) -> Result<(), SearchError> {
        if (self.cancelled)() { Err(SearchError::Cancelled) } else { Ok(()) }
    }

    fn show(&mut self, first_sequence: u64, batch: &Arc<Batch>, visit: &mut dyn FnMut(u64, &Arc<Batch>)) {
        self.coverage.journal_batches += 1;
        self.coverage.scanned_messages += batch.rows() as u64;
        self.coverage.scanned_bytes += batch.memory_bytes() as u64;
        visit(first_sequence, batch);
    }

    /// What was looked at in the end.
    fn end(self, view: &View) -> Coverage {
        let batches: u64 = view.files.iter().map(|file| file.batches).sum();
        let Coverage { journal_batches, damaged, .. } = &self.coverage;
        let skipped_batches = batches.saturating_sub(*journal_batches);
        Coverage { complete: damaged.is_empty(), skipped_batches, ..self.coverage }
    }
}
