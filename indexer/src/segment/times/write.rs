//! Builds the column of times, frame by frame.

use super::frame::{FRAME_ROWS, bounds, write_frame};

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

    /// How many rows there are.
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
        let end = u32::try_from(self.frames.len()).expect("a segment has far fewer than 4 GiB of times");
        self.directory.extend_from_slice(&earliest.to_le_bytes());
        self.directory.extend_from_slice(&latest.to_le_bytes());
        self.directory.extend_from_slice(&end.to_le_bytes());
        self.closed_rows += self.open.len();
        self.open.clear();
    }
}
