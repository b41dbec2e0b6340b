//! What the engine hands to an answer: a part of the store with the columns that the answer asked for.
//!
//! **Invariant:** an answer is the same however the store is cut into parts and in whatever order they come.

use super::coded::Coded;
use logstead_record::{Batch, Selection};
use std::ops::Range;

/// A batch or a whole segment.
pub(crate) struct Part<'a> {
    /// How many rows there are.
    pub(crate) rows: usize,
    /// Those that the answer is about.
    pub(crate) selected: &'a Selection,
    /// When.
    pub(crate) times: &'a dyn RowTimes,
    /// In the order in which the answer asked for them.
    pub(crate) fields: Vec<Coded<'a>>,
}

/// The time that each row counts by, in frames that are read only where they must be.
pub(crate) trait RowTimes {
    /// One after the other, without a gap, from the first row to the last.
    fn frames(&self) -> &[Frame];

    /// Replaces `out` by the times of a frame.
    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable>;
}

/// Rows that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    /// Which.
    pub(crate) rows: Range<u32>,
    /// No time in it is before this.
    pub(crate) earliest: i64,
    /// No time in it is after this.
    pub(crate) latest: i64,
}

/// A column that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Frame {
    pub(crate) fn range(&self) -> Range<usize> {
        self.rows.start as usize..self.rows.end as usize
    }
}

/// The times of a batch.
pub(crate) struct BatchTimes {
    nanos: Vec<i64>,
    frames: Vec<Frame>,
}

impl BatchTimes {
    pub(crate) fn of(batch: &Batch) -> BatchTimes {
        BatchTimes::new((0..batch.rows()).map(|row| batch.time(row).nanos()).collect())
    }

    pub(crate) fn new(nanos: Vec<i64>) -> BatchTimes {
        let bounds = nanos.iter().min().zip(nanos.iter().max());
        let frame =
            bounds.map(|(&earliest, &latest)| Frame { rows: 0..nanos.len() as u32, earliest, latest });
        BatchTimes { frames: frame.into_iter().collect(), nanos }
    }
}

impl RowTimes for BatchTimes {
    fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
        out.clear();
        out.extend_from_slice(&self.nanos[self.frames[frame].range()]);
        Ok(())
    }
}

impl Part<'_> {
    /// Shows every selected row with its time to `visit`; all rows of a frame at once, with the time of one of
    /// them, where `is_same` says that its earliest and its latest time make no difference.
    pub(crate) fn visit_times(
        &self,
        is_same: impl Fn(i64, i64) -> bool,
        mut visit: impl FnMut(Range<usize>, i64),
    ) -> Result<(), Unreadable> {
        let mut times = Vec::new();
        for (index, frame) in self.times.frames().iter().enumerate() {
            let rows = frame.range();
            if self.selected.count_within(rows.clone()) == 0 {
                continue;
            }
            if is_same(frame.earliest, frame.latest) {
                visit(rows, frame.earliest);
                continue;
            }
            self.times.read(index, &mut times)?;
            if times.len() != rows.len() {
                let (rows, found) = (rows.len(), times.len());
                return Err(Unreadable(format!("a frame of {rows} rows has {found} times")));
            }
            for (row, &time) in rows.zip(&times).filter(|(row, _)| self.selected.contains(*row)) {
                visit(row..row + 1, time);
            }
        }
        Ok(())
    }
}
