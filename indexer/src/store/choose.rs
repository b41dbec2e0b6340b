//! Decides which files of a logspace are valid if several contain the same messages.
//!
//! An interrupted seal or join leaves its result next to its input, and a manifest restored from a backup names only
//! some of the present files. Readable segments in the manifest take precedence, then journal files, then segments
//! that are not in the manifest; but a larger undamaged file takes precedence over the parts from which it was made.
//!
//! **Invariant:** a file goes only when all its messages were read elsewhere, or have expired. Any other that does not
//! count is set aside. Names and tables alone prove nothing.

use crate::segment::id::SegmentId;
use crate::segment::place::PlacedSegment;
use crate::segment::{Folder, Segment};
use crate::store::damage::Damage;
use crate::store::read::{StretchItem, read_file};
use crate::store::replay::JournalReplay;
use crate::store::view::LostSegment;
use std::cmp::Reverse;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::OnceLock;

/// A segment that may be chosen.
pub(crate) struct Candidate {
    pub(crate) placed: PlacedSegment,
    pub(crate) segment: Result<Segment, LostSegment>,
    pub(crate) is_named: bool,
    whole: OnceLock<bool>,
}

/// The fate of a file that is not chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// All its messages are undamaged in other files, or have expired.
    Redundant,
    /// It may contain messages that are nowhere else.
    Orphan,
}

/// The chosen files, and the fates of the others.
pub(crate) struct Choice {
    /// The segments, in the order of their sequences.
    pub(crate) segments: Vec<Candidate>,
    pub(crate) dropped: Vec<(SegmentId, Fate)>,
    /// The fate of each journal file.
    pub(crate) journals: Vec<JournalFate>,
}

/// The fate of a journal file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JournalFate {
    /// It is chosen, except for the messages that segments contain.
    Counts { skipped: Vec<Range<u64>> },
    /// It is not chosen.
    Goes(Fate),
}

impl Candidate {
    pub(crate) fn open(folder: &Folder, placed: PlacedSegment, is_named: bool) -> Candidate {
        let id = placed.id;
        let lost = |why| LostSegment {
            id,
            index_bytes: folder.index_bytes(id),
            damage: Damage::of_segment(id, why),
        };
        let segment = folder.open(placed).map_err(lost);
        Candidate { placed, segment, is_named, whole: OnceLock::new() }
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.placed.id.sequences()
    }

    /// Reads all messages to check whether they can be read.
    fn is_whole(&self) -> bool {
        *self.whole.get_or_init(|| self.segment.as_ref().is_ok_and(Segment::is_whole))
    }
}

/// Chooses the files. Parts that end at `floor` or before have expired.
pub(crate) fn choose(candidates: Vec<Candidate>, journals: &[JournalReplay], floor: u64) -> Choice {
    let mut offered: Vec<_> = candidates.into_iter().map(|candidate| (false, candidate)).collect();
    for at in 0..offered.len() {
        offered[at].0 = has_whole_parts(&offered[at].1, &offered);
    }
    offered.sort_by_key(|(has_whole_parts, Candidate { placed, segment, is_named, .. })| {
        (*has_whole_parts || segment.is_err(), !is_named, Reverse(placed.id.rows))
    });
    let decoded = journals.iter().map(|_| OnceLock::new()).collect();
    let mut choosing = ChoiceBuilder { floor, journals, decoded, chosen: Vec::new(), dropped: Vec::new() };
    offered.into_iter().for_each(|(_, candidate)| choosing.offer(candidate));
    let fates = (0..journals.len()).map(|at| choosing.fate_of_journal(at)).collect();
    let ChoiceBuilder { mut chosen, dropped, .. } = choosing;
    chosen.sort_by_key(|candidate| candidate.placed);
    Choice { segments: chosen, dropped, journals: fates }
}

/// Whether a segment is damaged, but the parts from which it was made are present and undamaged. Then the parts are
/// chosen.
fn has_whole_parts(candidate: &Candidate, all: &[(bool, Candidate)]) -> bool {
    let range = candidate.range();
    let is_part = |other: &&Candidate| {
        other.placed.id != candidate.placed.id && within(&other.range(), &range) && other.segment.is_ok()
    };
    let parts: Vec<&Candidate> = all.iter().map(|(_, other)| other).filter(is_part).collect();
    let whole = || parts.iter().filter(|part| part.is_whole()).map(|part| part.range()).collect();
    !parts.is_empty() && !candidate.is_whole() && covers(&range, whole())
}

struct ChoiceBuilder<'a> {
    floor: u64,
    journals: &'a [JournalReplay],
    /// The sequences of the frames of each journal file that has been read to the end.
    decoded: Vec<OnceLock<Vec<Range<u64>>>>,
    chosen: Vec<Candidate>,
    dropped: Vec<(SegmentId, Fate)>,
}

impl ChoiceBuilder<'_> {
    fn offer(&mut self, candidate: Candidate) {
        let range = candidate.range();
        if range.end <= self.floor {
            return self.drop(&candidate, Fate::Redundant);
        }
        let overlaps_none = self.chosen.iter().all(|other| !overlap(&other.range(), &range));
        let in_journal = self.found_in_journal(&range);
        let is_readable = candidate.segment.is_ok();
        if overlaps_none && (in_journal.is_empty() || is_readable && candidate.is_named) {
            return self.chosen.push(candidate);
        }
        let others = self.chosen.iter().map(Candidate::range).chain(in_journal).collect();
        if covers(&range, others) && self.is_whole_elsewhere(&range) {
            return self.drop(&candidate, Fate::Redundant);
        }
        let is_larger = self
            .chosen
            .iter()
            .all(|other| !overlap(&other.range(), &range) || within(&other.range(), &range));
        if is_readable && is_larger && candidate.is_whole() {
            return self.replace_parts_by(candidate);
        }
        self.drop(&candidate, Fate::Orphan);
    }

    /// Chooses an undamaged segment instead of the parts from which it was made.
    fn replace_parts_by(&mut self, candidate: Candidate) {
        let range = candidate.range();
        self.drop_chosen(|other| overlap(&other.range(), &range));
        self.chosen.push(candidate);
    }

    fn drop_chosen(&mut self, is_dropped: impl Fn(&Candidate) -> bool) {
        for part in self.chosen.extract_if(.., |other| is_dropped(other)) {
            self.dropped.push((part.placed.id, Fate::Redundant));
        }
    }

    fn drop(&mut self, candidate: &Candidate, fate: Fate) {
        self.dropped.push((candidate.placed.id, fate));
    }

    fn found_in_journal(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let found = self.journals.iter().flat_map(JournalReplay::found);
        found.filter(|found| overlap(found, range)).collect()
    }

    /// Whether all messages of a range could be read, from chosen segments or from the journal.
    fn is_whole_elsewhere(&self, range: &Range<u64>) -> bool {
        let segments = self.chosen.iter().filter(|other| overlap(&other.range(), range) && other.is_whole());
        let mut whole: Vec<Range<u64>> = segments.map(Candidate::range).collect();
        for at in (0..self.journals.len()).filter(|&at| overlap(&self.journals[at].sequences(), range)) {
            whole.extend_from_slice(self.decoded(at));
        }
        covers(range, whole)
    }

    fn decoded(&self, at: usize) -> &[Range<u64>] {
        self.decoded[at].get_or_init(|| decoded(&self.journals[at]))
    }

    fn fate_of_journal(&mut self, at: usize) -> JournalFate {
        let extent = self.journals[at].extent();
        self.drop_damaged_that_a_journal_holds(at);
        let counted = std::iter::once(0..self.floor).chain(self.chosen.iter().map(Candidate::range));
        let skipped: Vec<Range<u64>> = counted.filter(|range| overlap(range, &extent)).collect();
        let is_last = at + 1 == self.journals.len();
        let is_blank = extent.is_empty() && (is_last || skipped.is_empty());
        if is_blank || !covers(&extent, skipped.clone()) {
            return JournalFate::Counts { skipped };
        }
        let is_whole = self.damaged_within(&extent).next().is_none();
        JournalFate::Goes(if is_whole { Fate::Redundant } else { Fate::Orphan })
    }

    /// A fully readable journal file takes precedence over a segment that is not.
    fn drop_damaged_that_a_journal_holds(&mut self, at: usize) {
        if self.damaged_within(&self.journals[at].extent()).next().is_none() {
            return;
        }
        let read = self.decoded(at).to_vec();
        self.drop_chosen(|other| !other.is_whole() && covers(&other.range(), read.clone()));
    }

    fn damaged_within(&self, range: &Range<u64>) -> impl Iterator<Item = &Candidate> {
        self.chosen.iter().filter(|other| overlap(&other.range(), range) && !other.is_whole())
    }
}

/// The sequences of the readable batches of a journal file.
fn decoded(journal: &JournalReplay) -> Vec<Range<u64>> {
    let mut decoded = Vec::new();
    let Ok(()) = read_file(&journal.view, &mut |read| {
        if let StretchItem::Batch(_, first_sequence, batch) = read {
            decoded.push(first_sequence..first_sequence + batch.rows() as u64);
        }
        Ok::<_, Infallible>(())
    });
    decoded
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

fn within(part: &Range<u64>, whole: &Range<u64>) -> bool {
    whole.start <= part.start && part.end <= whole.end
}

/// Whether each sequence of a range is contained in one of the other ranges.
pub(crate) fn covers(range: &Range<u64>, mut others: Vec<Range<u64>>) -> bool {
    others.sort_by_key(|other| other.start);
    let mut at = range.start;
    for other in others {
        if other.start <= at {
            at = at.max(other.end);
        }
    }
    range.end <= at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one range is a case")]
    fn a_range_is_covered_when_no_sequence_is_left_over() {
        let check = |range: Range<u64>, others: &[Range<u64>], expected| {
            assert_eq!(covers(&range, others.to_vec()), expected, "{range:?} {others:?}");
        };
        check(3..9, &[0..9], true);
        check(3..9, &[6..12, 1..6], true);
        check(3..9, &[7..12, 1..6], false);
        check(3..9, &[4..12], false);
        check(3..9, &[3..8], false);
        check(3..3, &[], true);
    }
}
