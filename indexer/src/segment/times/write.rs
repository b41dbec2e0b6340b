//! Builds the column of times, frame by frame.

use super::frame::{FRAME_ROWS, TimesFrame, bounds, write_frame};
use super::read::Times;
use crate::segment::packed::ReadRange;
use std::ops::Range;

/// Builds the column of times.
#[derive(Default)]
pub(crate) struct TimesBuilder {
    directory: Vec<u8>,
    frames: Vec<u8>,
    open: Vec<i64>,
    closed_rows: usize,
    latest: Option<i64>,
    is_unsorted: bool,
}

impl TimesBuilder {
    /// Appends the time of a row.
    pub(crate) fn push(&mut self, time: i64) {
        self.is_unsorted |= self.latest.is_some_and(|latest| time < latest);
        self.latest = Some(time);
        self.open.push(time);
        if self.open.len() == FRAME_ROWS {
            self.close_frame();
        }
    }

    /// Appends rows whose times do not matter.
    pub(crate) fn push_unasked(&mut self, rows: usize) {
        (0..rows).for_each(|_| self.push(0));
    }

    /// Appends some rows of another column, copying their bytes if the frames are aligned. Returns the earliest and
    /// the latest time.
    pub(crate) fn push_column<R: ReadRange>(
        &mut self,
        of: &Times<R>,
        rows: Range<u32>,
    ) -> Result<(i64, i64), R::Error> {
        let (first, end) = (rows.start as usize / FRAME_ROWS, rows.end as usize / FRAME_ROWS);
        let meets = self.open.is_empty() && (rows.start as usize).is_multiple_of(FRAME_ROWS) && first < end;
        let frames = if meets { &of.frames()[first..end] } else { &[] };
        if !frames.is_empty() {
            self.push_frames(frames, of.is_sorted(), &of.bytes_of(frames)?);
        }
        let times = of.read(rows.start + (frames.len() * FRAME_ROWS) as u32..rows.end)?;
        times.iter().for_each(|&time| self.push(time));
        let bounds = frames.iter().map(|frame| (frame.earliest, frame.latest)).chain([bounds(&times)]);
        Ok(bounds.fold((i64::MAX, i64::MIN), |all, frame| (all.0.min(frame.0), all.1.max(frame.1))))
    }

    /// Appends whole frames unchanged.
    fn push_frames(&mut self, frames: &[TimesFrame], are_sorted: bool, bytes: &[u8]) {
        let before = self.latest.unwrap_or(i64::MIN);
        self.is_unsorted |= !are_sorted || frames.first().is_some_and(|frame| frame.earliest < before);
        let mut end = self.frames.len();
        for frame in frames {
            end += (frame.bytes.end - frame.bytes.start) as usize;
            self.add_entry(frame.earliest, frame.latest, end);
            // For sorted times, this is the last one.
            self.latest = Some(frame.latest);
        }
        self.frames.extend_from_slice(bytes);
        self.closed_rows += frames.len() * FRAME_ROWS;
    }

    /// The number of rows.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> usize {
        self.closed_rows + self.open.len()
    }

    /// Appends the column to `out`.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) {
        if !self.open.is_empty() {
            self.close_frame();
        }
        let rows = u32::try_from(self.closed_rows).expect("rows of a segment are counted in 32 bits");
        out.extend_from_slice(&rows.to_le_bytes());
        out.push(u8::from(!self.is_unsorted));
        out.extend_from_slice(&self.directory);
        out.extend_from_slice(&self.frames);
    }

    fn close_frame(&mut self) {
        let (earliest, latest) = bounds(&self.open);
        write_frame(&self.open, earliest, &mut self.frames);
        self.add_entry(earliest, latest, self.frames.len());
        self.closed_rows += self.open.len();
        self.open.clear();
    }

    fn add_entry(&mut self, earliest: i64, latest: i64, end: usize) {
        let end = u32::try_from(end).expect("a segment has far fewer than 4 GiB of times");
        self.directory.extend_from_slice(&earliest.to_le_bytes());
        self.directory.extend_from_slice(&latest.to_le_bytes());
        self.directory.extend_from_slice(&end.to_le_bytes());
    }
}
