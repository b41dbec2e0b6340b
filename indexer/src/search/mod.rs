//! Searches a logspace, while it grows: sealed segments by their indexes, the tail by looking at every message.
//!
//! | module     | owns                                                                     |
//! |------------|--------------------------------------------------------------------------|
//! | `required` | which words a pattern or an expression needs                             |
//! | `plan`     | what a query asks of an index                                            |
//! | `bounds`   | between which sets of rows an answer lies                                |
//! | `evaluate` | plan and index → bounds                                                  |
//! | `forms`    | many wildcards, looked for together                                      |
//! | `look`     | bounds and blocks → exactly the rows of a segment                        |
//! | `page`     | the newest or oldest messages                                            |
//! | `sweep`    | all messages, for counts and everything that is made of them             |
//! | `answers`  | histograms, facets and tables, from columns where they suffice           |
//! | `explain`  | how it is done, and what it costs                                        |
//! | `follow`   | what was stored from a sequence on, in that order                        |
//!
//! **Invariant:** what is found is what sorting and filtering every message would find, apart from what
//! [`Coverage`] says is missing. A page that begins after a [`Position`] never repeats or skips a message that
//! was there when the page before was read.

mod answers;
mod bounds;
mod evaluate;
mod explain;
mod follow;
mod forms;
mod look;
mod page;
mod plan;
mod required;
mod sweep;

use crate::bounds::TimeBounds;
use crate::segment::Segment;
use crate::segment::blocks::Scratch;
use crate::store::read::{Read, read_stretch};
use crate::store::view::{Damage, Shared, View};
use crate::work::run::Run;
pub use answers::Asked;
pub use explain::{Clause, Explained};
pub use follow::{Followed, Follower, Matched, Visit};
use logstead_record::query::{Context, Matcher, Query, TimeRange};
use logstead_record::{Batch, Groups, Selection, Timestamp};
use plan::Plan;
use std::collections::HashSet;
use std::sync::Arc;
use sweep::{Sealed, Visitor};

/// Searches a logspace. Cheap to clone, one for each thread.
#[derive(Clone)]
pub struct Searcher {
    shared: Arc<Shared>,
}

/// Which messages are meant, ready to be asked of anything.
#[derive(Clone, Debug)]
pub struct Filter {
    query: Query,
    matcher: Matcher,
    plan: Plan,
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
    pub filter: &'a Filter,
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

impl Hit {
    /// Where it stands.
    pub fn position(&self) -> Position {
        Position { time: self.time, sequence: self.sequence }
    }
}

/// A page of messages.
#[derive(Clone, Debug)]
pub struct Found {
    /// In the order that was asked for: as many as were asked for, or all that can be read.
    pub hits: Vec<Hit>,
    /// Whether there are more after these; perhaps ones that cannot be read.
    pub more: bool,
    /// What was looked at.
    pub coverage: Coverage,
}

/// How many messages there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Exactly, where the coverage is complete.
    pub count: u64,
    /// What was looked at.
    pub coverage: Coverage,
}

/// What a search looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Whether everything that had to be looked at could be.
    pub complete: bool,
    /// Whether it ended before it was through, because nobody wanted it any more.
    pub cancelled: bool,
    /// Messages that were compared with the query, one by one.
    pub scanned_messages: u64,
    /// The memory they take.
    pub scanned_bytes: u64,
    /// Sealed segments that were asked.
    pub segments: u64,
    /// Sealed segments that needed no look, because of their time.
    pub skipped_segments: u64,
    /// Sealed segments without an index: their messages were looked at.
    pub unindexed_segments: u64,
    /// Blocks that were decompressed.
    pub blocks: u64,
    /// Batches of the journal that were looked at.
    pub journal_batches: u64,
    /// Batches of the journal that needed no look, because of their time.
    pub skipped_batches: u64,
    /// What can not be read.
    pub damaged: Vec<String>,
}

/// Why a message can not be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// It can not be read.
    #[error("the message may be in a damaged part of the store: {0}")]
    Damaged(String),
}

/// What a logspace holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Messages.
    pub messages: u64,
    /// Those in sealed segments.
    pub sealed_messages: u64,
    /// Sealed segments.
    pub segments: usize,
    /// Their messages' length.
    pub blocks_bytes: u64,
    /// Their indexes' length.
    pub index_bytes: u64,
    /// Batches in the journal.
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

/// The rows of a batch whose time is in a range.
fn rows_within(range: TimeRange, batch: &Batch, times: TimeBounds) -> Selection {
    if times.are_within(range) {
        return Selection::all(batch.rows());
    }
    Selection::from_fn(batch.rows(), |row| range.contains(batch.time(row)))
}

impl Filter {
    /// For all searches that ask this, in this context.
    pub fn new(query: &Query, context: &Context<'_>) -> Filter {
        Filter {
            query: query.clone(),
            matcher: Matcher::new(query, context),
            plan: Plan::new(query, context),
        }
    }

    /// What decides about a single message.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }
}

impl Coverage {
    /// What both looked at.
    fn add(&mut self, other: Coverage) {
        self.scanned_messages += other.scanned_messages;
        self.scanned_bytes += other.scanned_bytes;
        self.segments += other.segments;
        self.skipped_segments += other.skipped_segments;
        self.unindexed_segments += other.unindexed_segments;
        self.blocks += other.blocks;
        self.journal_batches += other.journal_batches;
        self.skipped_batches += other.skipped_batches;
        self.cancelled |= other.cancelled;
        self.damaged.extend(other.damaged);
    }

    fn scanned(&mut self, batch: &Batch) {
        self.scanned_messages += batch.rows() as u64;
        self.scanned_bytes += batch.memory_bytes() as u64;
    }

    /// What was known to be damaged before, and how much was not looked at.
    fn end(mut self, view: &View) -> Coverage {
        let mut damaged: Vec<String> = view.damaged().map(|damage| damage.to_string()).collect();
        damaged.append(&mut self.damaged);
        // What is read once more is as damaged as it was.
        let mut known = HashSet::new();
        damaged.retain(|damage| known.insert(damage.clone()));
        let batches: u64 = view.files.iter().map(|file| file.batches).sum();
        Coverage {
            complete: damaged.is_empty() && !self.cancelled,
            skipped_batches: batches.saturating_sub(self.journal_batches),
            skipped_segments: (view.segments.len() as u64).saturating_sub(self.segments),
            damaged,
            ..self
        }
    }
}

impl Searcher {
    pub(crate) fn new(shared: Arc<Shared>) -> Searcher {
        Searcher { shared }
    }

    /// The first messages that match.
    pub fn search(&self, request: &Request<'_>, run: &Run<'_>) -> Found {
        page::search(&self.view(), request, run)
    }

    /// How many messages match.
    pub fn count(&self, filter: &Filter, range: TimeRange, run: &Run<'_>) -> Counted {
        let mut count = Count(0);
        let coverage = sweep::sweep(&self.view(), filter, range, run, &mut count);
        Counted { count: count.0, coverage }
    }

    /// Shows all messages that match to `visit`, batch by batch, in the order they were stored. Of messages in
    /// segments only the columns of `groups` are there.
    pub fn scan(
        &self,
        filter: &Filter,
        range: TimeRange,
        groups: Groups,
        run: &Run<'_>,
        visit: &mut dyn FnMut(&Arc<Batch>, &Selection),
    ) -> Coverage {
        sweep::sweep(&self.view(), filter, range, run, &mut Batches { groups, visit })
    }

    /// The message with a sequence, or `None` where there is none (yet, or any more).
    pub fn get(&self, sequence: u64) -> Result<Option<Hit>, SearchError> {
        let view = self.view();
        let at = view.segments.partition_point(|segment| segment.id.sequences().end <= sequence);
        match view.segments.get(at).filter(|segment| segment.id.sequences().contains(&sequence)) {
            Some(segment) => get_sealed(segment, sequence).map(Some),
            None => get_in_journal(&view, sequence),
        }
    }

    /// The names of the dynamic fields that messages of a range may have, as they were first spelled.
    /// Those that are known until `run` ends.
    pub fn field_names(&self, range: TimeRange, run: &Run<'_>) -> Vec<String> {
        sweep::field_names(&self.view(), range, run)
    }

    /// What the logspace holds.
    pub fn stats(&self) -> Stats {
        let view = self.view();
        let filled = || view.files.iter().filter(|file| 0 < file.messages);
        let blocks = || view.segments.iter().filter_map(|segment| segment.blocks.as_ref().ok());
        let sealed_messages = view.segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
        let journal_first =
            filled().find_map(|file| file.stretches.first()).map(|stretch| stretch.sequences.start);
        let sealed_first = view.segments.first().map(|segment| segment.id.first_sequence);
        let times = || filled().map(|file| file.times).chain(blocks().map(|blocks| blocks.span.times()));
        Stats {
            messages: sealed_messages + view.files.iter().map(|file| file.messages).sum::<u64>(),
            sealed_messages,
            segments: view.segments.len(),
            blocks_bytes: blocks().map(|blocks| blocks.bytes).sum(),
            index_bytes: view.segments.iter().map(|segment| segment.index_bytes()).sum(),
            batches: view.files.iter().map(|file| file.batches).sum(),
            journal_files: view.files.len(),
            journal_bytes: view.files.iter().map(|file| file.bytes).sum(),
            memory_bytes: view.memory_bytes,
            first_time: times().map(|times| times.earliest).min(),
            last_time: times().map(|times| times.latest).max(),
            first_sequence: journal_first.into_iter().chain(sealed_first).min().unwrap_or(view.next_sequence),
            next_sequence: view.next_sequence,
            damaged: view.damaged().count(),
        }
    }

    /// The same as it is now, whatever is stored, moved or removed later. It keeps files open, and no messages in memory.
    #[must_use]
    pub fn frozen(&self) -> Searcher {
        let mut view = View::clone(&self.view());
        view.evict(0);
        Searcher::new(Arc::new(Shared::new(Arc::new(view))))
    }

    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.shared.read())
    }
}

fn get_sealed(segment: &Segment, sequence: u64) -> Result<Hit, SearchError> {
    let damaged = |damage: &dyn std::fmt::Display| SearchError::Damaged(damage.to_string());
    let blocks = segment.blocks.as_ref().map_err(|damage| damaged(damage))?;
    let row = (sequence - segment.id.first_sequence) as u32;
    let block = blocks.block_of(row);
    let batch = blocks
        .read(block, Groups::ALL, &mut Scratch::default())
        .map_err(|error| damaged(&segment.damage(blocks.place(block), error)))?;
    let row = row as usize - blocks.row_range(block).start;
    let mut only = Selection::none(batch.rows());
    only.insert(row);
    let batch = Arc::new(batch.take(&only));
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
        let visit = &mut |read: Read<'_>| {
            match read {
                Read::Batch(_, first_sequence, batch) => {
                    let row = sequence.checked_sub(first_sequence).map(|row| row as usize);
                    if let Some(row) = row.filter(|&row| row < batch.rows()) {
                        hit = Some(Hit { sequence, time: batch.time(row), batch: Arc::clone(batch), row });
                    }
                }
                Read::Damage(damage) => damaged = Some(damage.to_string()),
            }
            Ok::<_, std::convert::Infallible>(())
        };
        let Ok(()) = read_stretch(file, stretch, visit);
    }
    match (hit, damaged) {
        (None, Some(damage)) => Err(SearchError::Damaged(damage)),
        (hit, _) => Ok(hit),
    }
}

/// Counts.
struct Count(u64);

impl Visitor for Count {
    fn counts_only(&self) -> bool {
        true
    }

    fn counted(&mut self, count: u64) {
        self.0 += count;
    }

    fn segment(&mut self, _: &Sealed<'_>, rows: &Selection, _: &Run<'_>) -> Coverage {
        self.0 += rows.count() as u64;
        Coverage::default()
    }

    fn batch(&mut self, _: u64, _: &Arc<Batch>, rows: &Selection, _: &Run<'_>) {
        self.0 += rows.count() as u64;
    }
}

/// Shows batches.
struct Batches<'a> {
    groups: Groups,
    visit: &'a mut dyn FnMut(&Arc<Batch>, &Selection),
}

impl Visitor for Batches<'_> {
    fn segment(&mut self, sealed: &Sealed<'_>, rows: &Selection, run: &Run<'_>) -> Coverage {
        sealed.read(rows, self.groups, run, &mut |_, batch, rows| (self.visit)(batch, rows))
    }

    fn batch(&mut self, _: u64, batch: &Arc<Batch>, rows: &Selection, _: &Run<'_>) {
        (self.visit)(batch, rows);
    }
}
