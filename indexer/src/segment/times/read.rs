//! Reads the column of times: only the frames that an answer needs.
//!
//! **Invariant:** the directory is read once and its frames are within the section; the times of a frame that
//! was read have exactly the earliest and the latest of its directory entry.

use super::frame::{FRAME_ROWS, TimesFrame, bounds, read_frame};
use crate::segment::packed::ColumnFault;
use crate::segment::packed::ReadRange;
use logstead_record::Selection;
use std::ops::{Range, RangeInclusive};

pub(super) const HEADER_BYTES: usize = 5;
pub(super) const ENTRY_BYTES: usize = 20;

/// The column of times. Its directory is in memory; frames are read when they are needed.
pub(crate) struct Times<R> {
    reader: R,
    rows: u32,
    is_sorted: bool,
    frames: Vec<TimesFrame>,
}

impl<R: ReadRange> Times<R> {
    /// Reads the directory of the times of a segment of `rows` rows.
    pub(crate) fn open(reader: R, rows: u32) -> Result<Times<R>, R::Error> {
        let bytes = reader.bytes();
        let short = ColumnFault::Short { bytes };
        let count = (rows as usize).div_ceil(FRAME_ROWS);
        let data_start = (HEADER_BYTES + count * ENTRY_BYTES) as u64;
        let header = reader.read(0..bytes.min(HEADER_BYTES as u64))?;
        let stored_rows = u32::from_le_bytes(*header.first_chunk().ok_or(short)?);
        let &sorted = header.get(4).ok_or(short)?;
        if stored_rows != rows {
            return Err(ColumnFault::Rows { rows: stored_rows, expected: rows }.into());
        }
        if 1 < sorted {
            return Err(ColumnFault::Kind(sorted).into());
        }
        if bytes < data_start {
            return Err(short.into());
        }
        let directory = reader.read(HEADER_BYTES as u64..data_start)?;
        let frames = read_directory(&directory, rows, data_start..bytes)?;
        let times = Times { reader, rows, is_sorted: sorted == 1, frames };
        times.check_order()?;
        Ok(times)
    }

    /// The number of rows.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// Whether no time is earlier than the one before it.
    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// The frames in the order of their rows.
    pub(crate) fn frames(&self) -> &[TimesFrame] {
        &self.frames
    }

    /// The bytes of consecutive frames.
    pub(super) fn bytes_of(&self, frames: &[TimesFrame]) -> Result<Vec<u8>, R::Error> {
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Ok(Vec::new()) };
        self.reader.read(first.bytes.start..last.bytes.end)
    }

    /// The times of some rows.
    pub(crate) fn read(&self, rows: Range<u32>) -> Result<Vec<i64>, R::Error> {
        assert!(rows.end <= self.rows, "rows {rows:?} are not among {} rows", self.rows);
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let frame_of = |row: u32| row as usize / FRAME_ROWS;
        let frames = &self.frames[frame_of(rows.start)..=frame_of(rows.end - 1)];
        let mut times = self.read_frames(frames)?;
        let before = (rows.start - frames[0].rows.start) as usize;
        times.truncate(before + rows.len());
        times.drain(..before);
        Ok(times)
    }

    /// The rows whose time is within `range`. Only frames that are partly within it are read.
    pub(crate) fn rows_within(&self, range: &RangeInclusive<i64>) -> Result<Selection, R::Error> {
        let mut words = Vec::with_capacity(self.frames.len() * (FRAME_ROWS / 64));
        for frames in self.frames.chunk_by(|a, b| a.is_within(range) == b.is_within(range)) {
            let words_end = words.len() + frames.len() * (FRAME_ROWS / 64);
            match frames[0].is_within(range) {
                Some(true) => words.resize(words_end, u64::MAX),
                Some(false) => words.resize(words_end, 0),
                None => words.extend(self.read_frames(frames)?.chunks(64).map(|times| word_of(times, range))),
            }
        }
        let rows = self.rows as usize;
        words.resize(rows.div_ceil(64), 0);
        Ok(Selection::from_words(rows, words))
    }

    /// The memory that it uses.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Times<R>>() + self.frames.capacity() * size_of::<TimesFrame>()
    }

    fn check_order(&self) -> Result<(), ColumnFault> {
        let earlier = self.frames.windows(2).find(|pair| pair[1].earliest < pair[0].latest);
        match earlier {
            Some(pair) if self.is_sorted => Err(ColumnFault::Times { first_row: pair[1].rows.start }),
            _ => Ok(()),
        }
    }

    /// The times of consecutive frames, in one read.
    fn read_frames(&self, frames: &[TimesFrame]) -> Result<Vec<i64>, R::Error> {
        let Some(first) = frames.first() else { return Ok(Vec::new()) };
        let bytes = self.bytes_of(frames)?;
        let mut times = Vec::with_capacity(frames.len() * FRAME_ROWS);
        for frame in frames {
            let within = |at: u64| (at - first.bytes.start) as usize;
            let short = ColumnFault::Short { bytes: self.reader.bytes() };
            let frame_bytes = bytes.get(within(frame.bytes.start)..within(frame.bytes.end)).ok_or(short)?;
            let start = times.len();
            read_frame(frame_bytes, frame, &mut times)?;
            self.check_frame(frame, &times[start..])?;
        }
        Ok(times)
    }

    fn check_frame(&self, frame: &TimesFrame, times: &[i64]) -> Result<(), ColumnFault> {
        let is_sound =
            bounds(times) == (frame.earliest, frame.latest) && (!self.is_sorted || times.is_sorted());
        if is_sound { Ok(()) } else { Err(ColumnFault::Times { first_row: frame.rows.start }) }
    }
}

fn read_directory(entries: &[u8], rows: u32, data: Range<u64>) -> Result<Vec<TimesFrame>, ColumnFault> {
    let mut frames = Vec::with_capacity(entries.len() / ENTRY_BYTES);
    let mut start = data.start;
    for (entry, first_row) in entries.as_chunks::<ENTRY_BYTES>().0.iter().zip((0..rows).step_by(FRAME_ROWS)) {
        let (times, end) = entry.as_chunks::<8>();
        let end = data.start + u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
        let [earliest, latest] = [times[0], times[1]].map(i64::from_le_bytes);
        if end < start || data.end < end {
            return Err(ColumnFault::Short { bytes: data.end });
        }
        if latest < earliest {
            return Err(ColumnFault::Times { first_row });
        }
        let rows = first_row..rows.min(first_row.saturating_add(FRAME_ROWS as u32));
        frames.push(TimesFrame { rows, earliest, latest, bytes: start..end });
        start = end;
    }
    match data.end - start {
        0 => Ok(frames),
        bytes => Err(ColumnFault::Long { bytes }),
    }
}

/// A word with one bit for each time, set if it is within the range, the first time in the lowest bit.
fn word_of(times: &[i64], range: &RangeInclusive<i64>) -> u64 {
    times.iter().rev().fold(0, |word, time| word << 1 | u64::from(range.contains(time)))
}
