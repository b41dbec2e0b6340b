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
    /// The rows that match.
    pub selected: &'a Selection,
    /// The time.
    pub times: &'a dyn RowTimes,
    /// The columns, in the order of the answer's needs.
    pub fields: Vec<CodedColumn<'a>>,
}

/// The time of each row, in frames that are read only if needed.
pub trait RowTimes {
    /// The frames, from the first row to the last without a gap.
    fn frames(&self) -> &[TimeFrame];

    /// Replaces `out` by the times of a frame.
    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable>;
}

/// A frame of consecutive rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeFrame {
    /// The rows of the frame.
    pub rows: Range<u32>,
    /// A lower bound of its times.
    pub earliest: i64,
    /// An upper bound of its times.
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

/// The times of a batch, or of computed rows.
pub struct BatchTimes<'a> {
    times: TimeSource<'a>,
    frames: Vec<TimeFrame>,
}

enum TimeSource<'a> {
    Of(&'a Batch),
    Listed(Vec<i64>),
}

impl BatchTimes<'_> {
    /// The times of a batch, which are not read before they are needed.
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

/// One frame with all rows; none if there are no rows.
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
    /// Calls `visit` for runs of consecutive rows, some of them selected, with the time of one of the rows. A run
    /// lasts as long as its times are in the range that `alike` gives for that time.
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
