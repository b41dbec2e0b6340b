//! The rows that the engine hands to an answer: a part of the store with the columns that the answer asked for.
//!
//! **Invariant:** an answer is the same however the store is cut into parts and in whatever order they come.

use super::coded::CodedColumn;
use logstead_record::{Batch, Selection};
use std::ops::{Range, RangeInclusive};

/// A batch or a whole segment.
pub struct AnswerRows<'a> {
    /// The number of rows.
    pub rows: usize,
    /// The rows that the answer is about.
    pub selected: &'a Selection,
    /// When.
    pub times: &'a dyn RowTimes,
    /// The columns, in the order of the answer's needs.
    pub fields: Vec<CodedColumn<'a>>,
}

/// The time that each row counts by, in frames that are read only if needed.
pub trait RowTimes {
    /// One after the other, without a gap, from the first row to the last.
    fn frames(&self) -> &[TimeFrame];

    /// Replaces `out` by the times of a frame.
    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable>;
}

/// The rows that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeFrame {
    /// The rows of the frame.
    pub rows: Range<u32>,
    /// No time in it is before this.
    pub earliest: i64,
    /// No time in it is after this.
    pub latest: i64,
}

/// A column that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl TimeFrame {
    /// The rows of the part.
    pub fn range(&self) -> Range<usize> {
        self.rows.start as usize..self.rows.end as usize
    }
}

/// The times of a batch, or of rows that were made.
pub struct BatchTimes<'a> {
    times: TimeSource<'a>,
    frames: Vec<TimeFrame>,
}

enum TimeSource<'a> {
    Of(&'a Batch),
    Listed(Vec<i64>),
}

impl BatchTimes<'_> {
    /// Its rows are not looked at before they have to be.
    pub fn of(batch: &Batch) -> BatchTimes<'_> {
        let bounds = batch.time_range().map(|(earliest, latest)| (earliest.nanos(), latest.nanos()));
        BatchTimes { times: TimeSource::Of(batch), frames: frame(batch.rows(), bounds) }
    }

    /// The times of a batch, in nanoseconds.
    pub fn new(nanos: Vec<i64>) -> BatchTimes<'static> {
        let bounds = nanos.iter().min().copied().zip(nanos.iter().max().copied());
        BatchTimes { frames: frame(nanos.len(), bounds), times: TimeSource::Listed(nanos) }
    }
}

/// All rows in one frame; none if there are no rows.
fn frame(rows: usize, bounds: Option<(i64, i64)>) -> Vec<TimeFrame> {
    let frame = bounds.map(|(earliest, latest)| TimeFrame { rows: 0..rows as u32, earliest, latest });
    frame.into_iter().collect()
}

impl RowTimes for BatchTimes<'_> {
    fn frames(&self) -> &[TimeFrame] {
        &self.frames
    }

    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
        let rows = self.frames[frame].range();
        out.clear();
        match &self.times {
            TimeSource::Of(batch) => out.extend(rows.map(|row| batch.time(row).nanos())),
            TimeSource::Listed(nanos) => out.extend_from_slice(&nanos[rows]),
        }
        Ok(())
    }
}

impl AnswerRows<'_> {
    /// Shows rows that follow each other, and some of which are selected, with the time of one of them to `visit`: as
    /// long as their times are those that `alike` says to be like it.
    pub(crate) fn visit_times(
        &self,
        alike: impl Fn(i64) -> RangeInclusive<i64>,
        mut visit: impl FnMut(Range<usize>, i64),
    ) -> Result<(), Unreadable> {
        let mut times = Vec::new();
        for (index, frame) in self.times.frames().iter().enumerate() {
            let rows = frame.range();
            if self.selected.count_within(rows.clone()) == 0 {
                continue;
            }
            if alike(frame.earliest).contains(&frame.latest) {
                visit(rows, frame.earliest);
                continue;
            }
            self.times.read(index, &mut times)?;
            if times.len() != rows.len() {
                let (rows, found) = (rows.len(), times.len());
                return Err(Unreadable(format!("a frame of {rows} rows has {found} times")));
            }
            let mut rest = times.as_slice();
            while let Some(&time) = rest.first() {
                let (start, alike) = (rows.end - rest.len(), alike(time));
                let count = rest.iter().take_while(|time| alike.contains(time)).count().max(1);
                let run = start..start + count;
                if 0 < self.selected.count_within(run.clone()) {
                    visit(run, time);
                }
                rest = &rest[count..];
            }
        }
        Ok(())
    }
}
