//! Joins small adjacent segments, so that there are fewer segments to search.

use super::outcome::{KeepError, TaskOutcome};
use super::publish::Publisher;
use super::reindex::each_of;
use crate::segment::Segment;
use crate::segment::blocks::RowGroups;
use crate::segment::build::SegmentBuilder;
use crate::store::damage::Damage;
use crate::store::part::StorePart;
use crate::store::view::View;
use std::ops::Range;
use std::sync::Arc;

/// The least number of neighbours that are joined.
const JOIN_MIN: usize = 4;
/// The number of neighbours that are joined even while messages arrive.
const JOIN_ALWAYS: usize = 64;
/// The number of rows up to which neighbours are joined at first.
const FIRST_ROWS_MAX: u32 = 1 << 20;
/// The number of segments that must remain if segments of that many rows are joined. Then a segment that expires is a
/// small part of all, and a search has enough segments to read in parallel.
const SEGMENTS_LEFT: u64 = 64;

/// The time to join segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JoinPolicy {
    /// Only when the process is idle.
    Idle,
    /// At any time: for a segment that will not be joined again, or if there are very many.
    Always,
}

/// Neighbours that are worth joining.
pub(super) fn small_neighbours(
    view: &View,
    rows_max: u32,
    bytes_max: u64,
    is_free: &dyn Fn(u64) -> bool,
    when: JoinPolicy,
) -> Option<Vec<Arc<Segment>>> {
    let segments: Vec<&Arc<Segment>> =
        view.segments.iter().filter(|segment| is_free(segment.id.first_sequence)).collect();
    let size = |segment: &&Arc<Segment>| SegmentSize {
        first_sequence: segment.id.first_sequence,
        rows: u64::from(segment.id.rows),
        bytes: segment.bytes(),
    };
    let sizes: Vec<SegmentSize> = segments.iter().map(size).collect();
    let rows = view.segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
    let run = rows_allowed(rows, rows_max)
        .into_iter()
        .find_map(|most| run_to_join(&sizes, most, bytes_max, when))?;
    Some(segments[run].iter().copied().cloned().collect())
}

/// The greatest number of rows of a joined segment, in a logspace with this many rows: at first, and when no more
/// segments can be joined within that limit.
fn rows_allowed(rows: u64, rows_max: u32) -> [u64; 2] {
    let first = rows_max.min(FIRST_ROWS_MAX).into();
    [first, (rows / SEGMENTS_LEFT).clamp(first, rows_max.into())]
}

/// Replaces adjacent segments by one.
pub(super) fn join(
    publisher: &Publisher,
    segments: &[Arc<Segment>],
    cancelled: &dyn Fn() -> bool,
) -> Result<TaskOutcome, KeepError> {
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return Ok(TaskOutcome::Void) };
    let unwritten = |error| publisher.unwritten(error);
    let (sequence, hash) = (first.id.first_sequence, first.blocks.previous_hash);
    let mut builder = SegmentBuilder::begin(&publisher.segments, sequence, hash);
    for segment in segments {
        add_groups(&mut builder, segment, segment.blocks.groups(), publisher, cancelled)?;
    }
    let messages = u64::from(builder.rows());
    let joined = builder.finish(last.blocks.hash).map_err(unwritten)?;
    let old: Vec<StorePart> = segments.iter().cloned().map(StorePart::Segment).collect();
    let is_joined = publisher.exchange(&old, vec![joined])?;
    Ok(if is_joined { TaskOutcome::Joined { segments: old.len(), messages } } else { TaskOutcome::Void })
}

/// Adds the groups of a segment: large ones unchanged, and small ones message by message.
fn add_groups(
    builder: &mut SegmentBuilder<'_>,
    segment: &Segment,
    groups: &RowGroups,
    publisher: &Publisher,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), KeepError> {
    let damaged = |error| KeepError::from(Damage::of_segment(segment.id, error));
    for group in 0..groups.groups() {
        if cancelled() {
            return Err(KeepError::Cancelled);
        }
        if builder.takes_whole(groups.rows_of(group).len()) {
            builder.push_group(groups, group).map_err(damaged)?;
        } else {
            let blocks = groups.blocks_of(group);
            each_of(segment, blocks, cancelled, &mut |batch| {
                Ok(builder.push(batch).map_err(|error| publisher.unwritten(error))?)
            })?;
        }
    }
    Ok(())
}

/// The properties of a segment that joining depends on.
#[derive(Clone, Copy)]
struct SegmentSize {
    first_sequence: u64,
    rows: u64,
    bytes: u64,
}

/// The neighbours to join: the first run that is long enough and in which no segment is larger than half of the
/// total, so that a message is rewritten only a few times.
fn run_to_join(
    segments: &[SegmentSize],
    rows_max: u64,
    bytes_max: u64,
    when: JoinPolicy,
) -> Option<Range<usize>> {
    (0..segments.len()).find_map(|start| {
        let run = start..start + run_length(&segments[start..], rows_max, bytes_max);
        let rows = || segments[run.clone()].iter().map(|segment| segment.rows);
        let worth_it = JOIN_MIN <= run.len() && rows().max().unwrap_or(0) * 2 <= rows().sum();
        let is_full = || rows_max / 8 * 7 <= rows().sum() || JOIN_ALWAYS <= run.len();
        (worth_it && (when == JoinPolicy::Idle || is_full())).then_some(run)
    })
}

/// The number of segments, from the first one on, that are adjacent and together have an allowed size.
fn run_length(segments: &[SegmentSize], rows_max: u64, bytes_max: u64) -> usize {
    let (mut length, mut rows, mut bytes) = (0, 0, 0);
    for segment in segments {
        let adjoins = segment.first_sequence == segments[0].first_sequence + rows;
        (rows, bytes) = (rows + segment.rows, bytes + segment.bytes);
        if !adjoins || rows_max < rows || bytes_max < bytes {
            break;
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "a row of data")]
    fn check(rows: &[u64], expected: Option<Range<usize>>) {
        let mut next = 0;
        let sizes = rows.iter().map(|&rows| {
            let size = SegmentSize { first_sequence: next, rows, bytes: rows };
            next += rows;
            size
        });
        assert_eq!(
            run_to_join(&sizes.collect::<Vec<_>>(), 100, u64::MAX, JoinPolicy::Idle),
            expected,
            "{rows:?}"
        );
    }

    #[test]
    fn small_neighbours_are_joined_when_there_are_enough() {
        check(&[], None);
        check(&[10, 10, 10], None);
        check(&[10, 10, 10, 10], Some(0..4));
        check(&[90, 10, 10, 10, 10, 80], Some(1..5));
        check(&[70, 1, 1, 1], None);
        check(&[70, 1, 1, 1, 1], Some(1..5));
        check(&[40, 40, 40, 40], None);
        let apart = [0, 10, 21, 31].map(|first_sequence| SegmentSize { first_sequence, rows: 10, bytes: 1 });
        assert_eq!(run_to_join(&apart, 100, u64::MAX, JoinPolicy::Idle), None);
    }

    #[test]
    fn a_large_logspace_has_larger_segments() {
        for (rows, expected) in [
            (0, [1 << 20; 2]),
            (64 << 20, [1 << 20; 2]),
            (128 << 20, [1 << 20, 2 << 20]),
            (1 << 40, [1 << 20, 4 << 20]),
        ] {
            assert_eq!(rows_allowed(rows, 4 << 20), expected, "{rows}");
        }
        assert_eq!(rows_allowed(1 << 40, 1000), [1000; 2]);
        let full = |count: usize| -> Vec<SegmentSize> {
            let rows = 1 << 20;
            (0..count as u64)
                .map(|at| SegmentSize { first_sequence: at * rows, rows, bytes: 9 << 20 })
                .collect()
        };
        let [first, larger] = rows_allowed(1 << 28, 4 << 20);
        assert_eq!(run_to_join(&full(256), first, 64 << 20, JoinPolicy::Idle), None);
        assert_eq!(run_to_join(&full(256), larger, 64 << 20, JoinPolicy::Always), Some(0..4));
        assert_eq!(run_to_join(&full(256), larger, 35 << 20, JoinPolicy::Always), None, "three are too few");
    }

    #[test]
    fn full_segments_and_very_many_are_joined_at_any_time() {
        let sizes = |rows: &[u64]| -> Vec<SegmentSize> {
            let size =
                |(at, &rows): (usize, &u64)| SegmentSize { first_sequence: at as u64 * rows, rows, bytes: 1 };
            rows.iter().enumerate().map(size).collect()
        };
        assert_eq!(run_to_join(&sizes(&[12; 6]), 100, u64::MAX, JoinPolicy::Always), None);
        assert_eq!(run_to_join(&sizes(&[12; 9]), 100, u64::MAX, JoinPolicy::Always), Some(0..8));
        assert_eq!(run_to_join(&sizes(&[1; 63]), 100, u64::MAX, JoinPolicy::Always), None);
        assert_eq!(run_to_join(&sizes(&[1; 64]), 100, u64::MAX, JoinPolicy::Always), Some(0..64));
    }
}
