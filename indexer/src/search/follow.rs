//! Reads the messages stored from a sequence on, in the order in which they were stored.
//!
//! Each read continues at the end of the previous one. The newest batches are in memory, older ones are read from the
//! journal, and sealed messages are found by the indexes.
//!
//! **Invariant:** the parts that a follower shows have no gaps: each sequence is in exactly one of them, whatever
//! happens to the files meanwhile. Missing or unreadable messages are a part too, which says why.

use super::candidates::{Candidates, find_candidates};
use super::question::{Filter, RowQuestion};
use super::searcher::Searcher;
use crate::segment::Segment;
use crate::segment::blocks::{BlocksError, ReadScratch};
use crate::segment::id::SegmentId;
use crate::store::damage::{Damage, DamageReason};
use crate::store::read::{StretchItem, read_stretch};
use crate::store::view::{FileView, Stretch, View};
use logstead_query::TimeRange;
use logstead_record::{Batch, ColumnGroups, Selection};
use logstead_work::SearchContext;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// The reason for missing messages if there is no damage.
const EXPIRED: &str = "they were removed by the retention";
/// The reason for missing messages if nothing else is known.
const LOST: &str = "they were in a damaged part of the store";

/// Reads a logspace in the order in which it was stored.
pub struct Follower {
    searcher: Searcher,
    filter: Filter,
    /// The sequence of the next message to read.
    pub next: u64,
    /// The candidates of the segment that the next message is in.
    candidates: Option<(SegmentId, Candidates)>,
}

/// The next part of the logspace.
pub enum FollowEvent<'a> {
    /// Messages that have been compared with the filter.
    Messages {
        /// The sequences of the part.
        sequences: Range<u64>,
        /// The messages of the part that match, if any.
        matched: Option<MatchedRows<'a>>,
    },
    /// Messages that cannot be read.
    Missing {
        /// The sequences of the part.
        sequences: Range<u64>,
        /// The reason as text.
        why: &'a str,
        /// The kind of the reason.
        cause: MissingCause,
    },
}

/// The cause of missing messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingCause {
    /// The messages were removed on purpose.
    Expired,
    /// The messages are damaged or lost.
    Damaged,
    /// The messages could not be read from disk, but perhaps they can be later.
    NotRead,
}

/// Messages that match.
pub struct MatchedRows<'a> {
    /// A batch that contains them.
    pub batch: &'a Arc<Batch>,
    /// The sequence of its first row.
    pub first_sequence: u64,
    /// The matching rows of the batch: at least one.
    pub rows: &'a Selection,
}

/// A function that takes parts. Once it has enough, it returns the sequence at which to continue the next time.
pub type Visit<'a> = dyn FnMut(FollowEvent<'_>) -> ControlFlow<u64> + 'a;

impl Follower {
    /// Follows a logspace from a sequence on.
    pub fn new(searcher: Searcher, filter: Filter, next: u64) -> Follower {
        Follower { searcher, filter, next, candidates: None }
    }

    /// Replaces the filter from here on.
    pub fn ask(&mut self, filter: Filter) {
        (self.filter, self.candidates) = (filter, None);
    }

    /// The number of stored messages that have not been read yet.
    pub fn behind(&self) -> u64 {
        self.searcher.next_sequence().saturating_sub(self.next)
    }

    /// Whether it is beyond the end of the logspace, as the position from another store may be.
    pub fn is_ahead(&self) -> bool {
        self.searcher.next_sequence() < self.next
    }

    /// Skips to the end, so that only messages stored from now on are read.
    pub fn go_to_end(&mut self) {
        self.next = self.searcher.next_sequence();
    }

    /// Passes the next messages to `visit`, until it has enough or there are no more for now.
    pub fn read(&mut self, run: &SearchContext<'_>, visit: &mut Visit<'_>) {
        let view = self.searcher.view();
        if view.closed.is_some() {
            // The contents are unknown until the logspace can be opened.
            return;
        }
        while self.next < view.next_sequence && !run.is_over() {
            let shown = match part_at(&view, self.next) {
                NextPart::Segment(segment) => run.deadline.during(|| self.show_block(segment, run, visit)),
                NextPart::Stretch(file, stretch) => self.show_stretch(file, stretch, run, visit),
                NextPart::Missing(end, why, cause) => self.show_missing(end, &why, cause, visit),
            };
            if shown.is_break() {
                return;
            }
        }
    }

    /// Passes the block of a segment that contains the next message to `visit`.
    fn show_block(
        &mut self,
        segment: &Segment,
        run: &SearchContext<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let first = segment.id.first_sequence;
        let blocks = &segment.blocks;
        let block = blocks.block_of((self.next - first) as u32);
        let range = blocks.row_range(block);
        let (first_sequence, end) = (first + range.start as u64, first + range.end as u64);
        let after = self.not_shown(first_sequence, range.len());
        let candidates = self.candidates_of(segment, run);
        let (mut certain, mut undecided) =
            (candidates.bounds.certain.slice(range.clone()), candidates.bounds.possible().slice(range));
        certain.intersect(&after);
        undecided.intersect(&after);
        if undecided.is_empty() {
            return self.show(end, None, visit);
        }
        undecided.subtract(&certain);
        let batch = match blocks.read(block, ColumnGroups::ALL, &mut ReadScratch::default()) {
            Ok(batch) => Arc::new(batch),
            Err(error) => {
                let damage = Damage::of_block(segment, error);
                return self.show_missing(end, &damage.to_string(), cause_of(&damage), visit);
            }
        };
        let question = self.question(run).where_copies(blocks.has_copies());
        let Some(mut rows) = question.select(&batch, &undecided) else {
            return ControlFlow::Break(());
        };
        rows.union(&certain);
        self.show(end, Some(MatchedRows { batch: &batch, first_sequence, rows: &rows }), visit)
    }

    fn question<'a>(&'a self, run: &SearchContext<'a>) -> RowQuestion<'a> {
        RowQuestion { filter: &self.filter, range: TimeRange::ALL, run: *run }
    }

    fn candidates_of(&mut self, segment: &Segment, run: &SearchContext<'_>) -> &Candidates {
        if self.candidates.as_ref().is_none_or(|(id, _)| *id != segment.id) {
            // The old candidates are dropped first, because they may be large.
            self.candidates = None;
        }
        let question = RowQuestion { filter: &self.filter, range: TimeRange::ALL, run: *run };
        let (_, candidates) =
            self.candidates.get_or_insert_with(|| (segment.id, find_candidates(segment, &question)));
        candidates
    }

    fn show_stretch(
        &mut self,
        file: &FileView,
        stretch: &Stretch,
        run: &SearchContext<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        self.candidates = None;
        let mut why: Option<(String, MissingCause)> = None;
        let shown = |why: &Option<(String, MissingCause)>| match why {
            Some((why, cause)) => (why.clone(), *cause),
            None => (LOST.to_owned(), MissingCause::Damaged),
        };
        let stopped = read_stretch(file, stretch, &mut |read| {
            if run.is_over() {
                return Err(());
            }
            match read {
                StretchItem::Batch(_, first_sequence, batch) => {
                    let (why, cause) = shown(&why);
                    let shown = self.show_batch(first_sequence, batch, &why, cause, run, visit);
                    if shown.is_break() { Err(()) } else { Ok(()) }
                }
                StretchItem::Damage(damage) => {
                    why = Some((damage.to_string(), cause_of(&damage)));
                    Ok(())
                }
            }
        });
        if stopped.is_err() {
            return ControlFlow::Break(());
        }
        let (why, cause) = shown(&why);
        self.show_missing(stretch.sequences.end, &why, cause, visit)
    }

    fn show_batch(
        &mut self,
        first_sequence: u64,
        batch: &Arc<Batch>,
        why_missing: &str,
        cause: MissingCause,
        run: &SearchContext<'_>,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        self.show_missing(first_sequence, why_missing, cause, visit)?;
        let end = first_sequence + batch.rows() as u64;
        if end <= self.next {
            return ControlFlow::Continue(());
        }
        let not_shown = self.not_shown(first_sequence, batch.rows());
        let question = self.question(run).where_copies(batch.has_copies());
        let Some(rows) = question.select(batch, &not_shown) else { return ControlFlow::Break(()) };
        self.show(end, Some(MatchedRows { batch, first_sequence, rows: &rows }), visit)
    }

    /// Passes the messages up to a sequence to `visit`; `matched` are those that match.
    fn show(&mut self, end: u64, matched: Option<MatchedRows<'_>>, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let matched = matched.filter(|matched| !matched.rows.is_empty());
        let sequences = self.next..end;
        self.take(end, visit(FollowEvent::Messages { sequences, matched }))
    }

    /// Reports that the messages up to a sequence are missing, unless they have been passed on already.
    fn show_missing(
        &mut self,
        end: u64,
        why: &str,
        cause: MissingCause,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if end <= self.next {
            return ControlFlow::Continue(());
        }
        let sequences = self.next..end;
        self.take(end, visit(FollowEvent::Missing { sequences, why, cause }))
    }

    fn take(&mut self, end: u64, visited: ControlFlow<u64>) -> ControlFlow<()> {
        match visited {
            ControlFlow::Continue(()) => {
                self.next = end;
                ControlFlow::Continue(())
            }
            ControlFlow::Break(next) => {
                self.next = next.clamp(self.next, end);
                ControlFlow::Break(())
            }
        }
    }

    /// The rows that have not been passed on yet, of `rows` rows from a sequence on.
    fn not_shown(&self, first_sequence: u64, rows: usize) -> Selection {
        match self.next.saturating_sub(first_sequence) as usize {
            0 => Selection::all(rows),
            shown => {
                let mut after = Selection::none(rows);
                after.insert_range(shown.min(rows)..rows);
                after
            }
        }
    }
}

/// The location of the next stored message.
enum NextPart<'a> {
    Segment(&'a Segment),
    Stretch(&'a FileView, &'a Stretch),
    /// The message is missing; the next existing one has this sequence.
    Missing(u64, String, MissingCause),
}

fn part_at(view: &View, sequence: u64) -> NextPart<'_> {
    if let Some(lost) = view.lost_at(sequence) {
        return NextPart::Missing(lost.id.sequences().end, lost.damage.to_string(), cause_of(&lost.damage));
    }
    let at = view.segments.partition_point(|segment| segment.id.sequences().end <= sequence);
    let segment = view.segments.get(at);
    let stretch = stretch_from(view, sequence);
    let segment_first = segment.map_or(u64::MAX, |segment| segment.id.first_sequence);
    let stretch_first = stretch.map_or(u64::MAX, |(_, stretch)| stretch.sequences.start);
    match (segment, stretch) {
        (Some(segment), _) if segment_first <= sequence => NextPart::Segment(segment),
        (_, Some((file, stretch))) if stretch_first <= sequence => NextPart::Stretch(file, stretch),
        _ => {
            let firsts = view.lost.iter().map(|lost| lost.id.first_sequence);
            let lost_first = firsts.filter(|first| sequence < *first).min().unwrap_or(u64::MAX);
            let end = segment_first.min(stretch_first).min(lost_first).min(view.next_sequence);
            if let Some(gap) = view.gaps.iter().find(|gap| gap.sequences.contains(&sequence)) {
                let end = end.min(gap.sequences.end);
                return NextPart::Missing(end, gap.damage().to_string(), MissingCause::Damaged);
            }
            let gap_firsts = view.gaps.iter().map(|gap| gap.sequences.start);
            let gap_first = gap_firsts.filter(|first| sequence < *first).min().unwrap_or(u64::MAX);
            let (why, cause) = why_missing(view, sequence);
            NextPart::Missing(end.min(gap_first), why, cause)
        }
    }
}

/// The first stretch that contains this sequence or a later one.
fn stretch_from(view: &View, sequence: u64) -> Option<(&FileView, &Stretch)> {
    let first = view.files.partition_point(|file| file.first_sequence <= sequence).saturating_sub(1);
    view.files.get(first..)?.iter().find_map(|file| {
        let at = file.stretches.partition_point(|stretch| stretch.sequences.end <= sequence);
        Some((&**file, file.stretches.get(at)?))
    })
}

/// The cause of damage. Messages that only cannot be read now must not be taken for lost.
fn cause_of(damage: &Damage) -> MissingCause {
    match damage.why {
        DamageReason::Disk(_) | DamageReason::Blocks(BlocksError::Disk(_) | BlocksError::Late) => {
            MissingCause::NotRead
        }
        _ => MissingCause::Damaged,
    }
}

fn why_missing(view: &View, sequence: u64) -> (String, MissingCause) {
    let first_segment = view.segment_ids().map(|id| id.first_sequence).min();
    let first_file = view.files.first().map(|file| file.first_sequence);
    if first_segment.into_iter().chain(first_file).min().is_none_or(|first| sequence < first) {
        return (EXPIRED.to_owned(), MissingCause::Expired);
    }
    let at = view.files.partition_point(|file| file.first_sequence <= sequence);
    let file = at.checked_sub(1).and_then(|at| view.files.get(at));
    match file.and_then(|file| file.damaged.last()) {
        Some(damage) => (damage.to_string(), cause_of(damage)),
        None => (LOST.to_owned(), MissingCause::Damaged),
    }
}
