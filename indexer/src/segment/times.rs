//! The time of each row of a segment, and which rows are within a range of time without reading all of them.
//!
//! Everything is little endian.
//!
//! | bytes      | field     | meaning                                                          |
//! |------------|-----------|------------------------------------------------------------------|
//! | 4          | rows      | how many times there are                                         |
//! | 1          | sorted    | 1 if no time is earlier than the one before it, else 0           |
//! | 20 a frame | directory | the frame's earliest and latest time (i64 nanoseconds) and where its bytes end behind the directory (u32) |
//! | the rest   | frames    | the times of 1024 rows each, the last frame of what is left      |
//!
//! A frame is of the kind that makes it shortest. Its times are whole nano-, micro-, milliseconds or seconds
//! after its earliest one, and are counted in that unit:
//!
//! | kind | bytes                                             | each time is                                       |
//! |------|---------------------------------------------------|----------------------------------------------------|
//! | 0    | i64 a row                                         | what stands there                                  |
//! | 1    | u8 unit; packed numbers                           | the earliest + number × unit                       |
//! | 2    | u8 unit, i64 first, i64 step; packed numbers      | the one before it + step + number × unit; number 0 belongs to the first row |
//!
//! The kind is the first byte of the frame; the unit is its place in the list above.
//!
//! **Invariant:** the directory is read once and its frames are within the section; the times of a frame that
//! was read have exactly the earliest and the latest of its directory entry.

use super::packed::{self, ColumnFault, Packed};
use logstead_record::Selection;
use std::ops::{Range, RangeInclusive};

/// Rows of a frame.
pub(crate) const FRAME_ROWS: usize = 1024;
const HEADER_BYTES: usize = 5;
const ENTRY_BYTES: usize = 20;
/// Nanoseconds, from the largest unit; a frame has the first that divides its times.
const UNITS: [u64; 4] = [1_000_000_000, 1_000_000, 1_000, 1];
const PLAIN: u8 = 0;
const OFFSETS: u8 = 1;
const STEPS: u8 = 2;

/// Bytes that are read in parts.
pub(crate) trait ReadRange {
    /// What can go wrong.
    type Error: From<ColumnFault>;

    /// How many there are.
    fn bytes(&self) -> u64;

    /// Those of a range, which is within [`ReadRange::bytes`].
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Self::Error>;
}

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

/// The column of times: its directory; the frames are read when they are asked for.
pub(crate) struct Times<R> {
    reader: R,
    rows: u32,
    is_sorted: bool,
    frames: Vec<Frame>,
}

/// Some rows that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    /// Which rows.
    pub(crate) rows: Range<u32>,
    /// Their earliest time.
    pub(crate) earliest: i64,
    /// Their latest time.
    pub(crate) latest: i64,
    /// Where their bytes are in the section.
    bytes: Range<u64>,
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

    /// How many rows there are.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// Whether no time is earlier than the one before it.
    #[cfg(test)]
    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// The frames in the order of their rows.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The times of some rows.
    pub(crate) fn read(&self, rows: Range<u32>) -> Result<Vec<i64>, R::Error> {
        assert!(rows.end <= self.rows, "rows {rows:?} are not of {}", self.rows);
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

    /// Memory it holds.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Times<R>>() + self.frames.capacity() * size_of::<Frame>()
    }

    fn check_order(&self) -> Result<(), ColumnFault> {
        let earlier = self.frames.windows(2).find(|pair| pair[1].earliest < pair[0].latest);
        match earlier {
            Some(pair) if self.is_sorted => Err(ColumnFault::Times { first_row: pair[1].rows.start }),
            _ => Ok(()),
        }
    }

    /// The times of frames that follow each other, in one read.
    fn read_frames(&self, frames: &[Frame]) -> Result<Vec<i64>, R::Error> {
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Ok(Vec::new()) };
        let bytes = self.reader.read(first.bytes.start..last.bytes.end)?;
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

    fn check_frame(&self, frame: &Frame, times: &[i64]) -> Result<(), ColumnFault> {
        let is_sound =
            bounds(times) == (frame.earliest, frame.latest) && (!self.is_sorted || times.is_sorted());
        if is_sound { Ok(()) } else { Err(ColumnFault::Times { first_row: frame.rows.start }) }
    }
}

impl Frame {
    /// Whether all or none of its times are within `range`; `None` if it can be some.
    fn is_within(&self, range: &RangeInclusive<i64>) -> Option<bool> {
        if range.contains(&self.earliest) && range.contains(&self.latest) {
            return Some(true);
        }
        let is_outside = self.latest < *range.start() || *range.end() < self.earliest || range.is_empty();
        is_outside.then_some(false)
    }
}

fn read_directory(entries: &[u8], rows: u32, data: Range<u64>) -> Result<Vec<Frame>, ColumnFault> {
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
        frames.push(Frame { rows, earliest, latest, bytes: start..end });
        start = end;
    }
    match data.end - start {
        0 => Ok(frames),
        bytes => Err(ColumnFault::Long { bytes }),
    }
}

/// Appends a frame of the kind that is shortest.
fn write_frame(times: &[i64], earliest: i64, out: &mut Vec<u8>) {
    // Also the span of all 64-bit times is a 64-bit number.
    let offsets: Vec<u64> = times.iter().map(|&time| time.wrapping_sub(earliest) as u64).collect();
    let (unit, scaled) = scale(&offsets);
    let kinds = [write_offsets(unit, &scaled), write_steps(times, unit), Some(write_plain(times))];
    let shortest = kinds.into_iter().flatten().min_by_key(Vec::len);
    out.extend_from_slice(&shortest.expect("one of them is always possible"));
}

fn write_plain(times: &[i64]) -> Vec<u8> {
    let bytes = times.iter().flat_map(|time| time.to_le_bytes());
    std::iter::once(PLAIN).chain(bytes).collect()
}

fn write_offsets(unit: u8, scaled: &[u64]) -> Option<Vec<u8>> {
    let numbers = narrow(scaled)?;
    let mut out = vec![OFFSETS, unit];
    packed::write(&numbers, &mut out);
    Some(out)
}

fn write_steps(times: &[i64], unit: u8) -> Option<Vec<u8>> {
    let first = *times.first()?;
    let steps: Option<Vec<i64>> = times.windows(2).map(|pair| pair[1].checked_sub(pair[0])).collect();
    let steps = steps?;
    let least = steps.iter().copied().min().unwrap_or(0);
    let more: Vec<u64> = steps.iter().map(|&step| step.wrapping_sub(least) as u64).collect();
    // The unit divides all offsets, so it divides their differences too.
    let mut numbers = vec![0];
    numbers.extend(narrow(&divide(&more, unit))?);
    let mut out = vec![STEPS, unit];
    out.extend_from_slice(&first.to_le_bytes());
    out.extend_from_slice(&least.to_le_bytes());
    packed::write(&numbers, &mut out);
    Some(out)
}

/// The largest unit that divides all offsets, and they in that unit.
fn scale(offsets: &[u64]) -> (u8, Vec<u64>) {
    // Constant divisors: each is a multiplication.
    let unit = match offsets {
        _ if offsets.iter().all(|offset| offset.is_multiple_of(UNITS[0])) => 0,
        _ if offsets.iter().all(|offset| offset.is_multiple_of(UNITS[1])) => 1,
        _ if offsets.iter().all(|offset| offset.is_multiple_of(UNITS[2])) => 2,
        _ => 3,
    };
    (unit, divide(offsets, unit))
}

fn divide(offsets: &[u64], unit: u8) -> Vec<u64> {
    match unit {
        0 => offsets.iter().map(|offset| offset / UNITS[0]).collect(),
        1 => offsets.iter().map(|offset| offset / UNITS[1]).collect(),
        2 => offsets.iter().map(|offset| offset / UNITS[2]).collect(),
        _ => offsets.to_vec(),
    }
}

/// All of them in 32 bits each, if they fit.
fn narrow(numbers: &[u64]) -> Option<Vec<u32>> {
    let largest = numbers.iter().copied().fold(0, u64::max);
    (largest <= u64::from(u32::MAX)).then(|| numbers.iter().map(|&number| number as u32).collect())
}

/// Appends the times of a frame. Sums that overflow become some time, which is not within the frame's bounds or
/// does no harm.
fn read_frame(bytes: &[u8], frame: &Frame, times: &mut Vec<i64>) -> Result<(), ColumnFault> {
    let rows = frame.rows.len();
    let short = ColumnFault::Short { bytes: bytes.len() as u64 };
    let (&kind, rest) = bytes.split_first().ok_or(short)?;
    if kind == PLAIN {
        if rest.len() != rows * 8 {
            return Err(short);
        }
        times.extend(rest.as_chunks().0.iter().map(|&time| i64::from_le_bytes(time)));
        return Ok(());
    }
    let (&unit, rest) = rest.split_first().ok_or(short)?;
    let &unit = UNITS.get(usize::from(unit)).ok_or(ColumnFault::Kind(unit))?;
    let scaled = |number: u32| u64::from(number).wrapping_mul(unit) as i64;
    match kind {
        OFFSETS => {
            let numbers = read_numbers(rest, frame)?;
            times.extend(numbers.iter().map(|&number| frame.earliest.wrapping_add(scaled(number))));
        }
        STEPS => {
            let (&first, rest) = rest.split_first_chunk().ok_or(short)?;
            let (&step, rest) = rest.split_first_chunk().ok_or(short)?;
            let (mut time, step) = (i64::from_le_bytes(first), i64::from_le_bytes(step));
            times.push(time);
            for &number in read_numbers(rest, frame)?.iter().skip(1) {
                time = time.wrapping_add(step).wrapping_add(scaled(number));
                times.push(time);
            }
        }
        kind => return Err(ColumnFault::Kind(kind)),
    }
    Ok(())
}

/// As many packed numbers as the frame has rows.
fn read_numbers(bytes: &[u8], frame: &Frame) -> Result<Vec<u32>, ColumnFault> {
    let packed = Packed::new(bytes)?;
    let expected = frame.rows.len() as u32;
    if packed.rows() != expected as usize {
        return Err(ColumnFault::Rows { rows: packed.rows() as u32, expected });
    }
    let mut numbers = Vec::new();
    packed.unpack_all(&mut numbers);
    Ok(numbers)
}

/// The earliest and the latest.
fn bounds(times: &[i64]) -> (i64, i64) {
    times.iter().fold((i64::MAX, i64::MIN), |(low, high), &time| (low.min(time), high.max(time)))
}

/// One bit for each time that is within the range, the first in the lowest.
fn word_of(times: &[i64], range: &RangeInclusive<i64>) -> u64 {
    times.iter().rev().fold(0, |word, time| word << 1 | u64::from(range.contains(time)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Bytes in memory; counts what is read of them.
    struct Bytes<'a>(&'a [u8], &'a Cell<u64>);

    impl ReadRange for Bytes<'_> {
        type Error = ColumnFault;

        fn bytes(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, range: Range<u64>) -> Result<Vec<u8>, ColumnFault> {
            self.1.set(self.1.get() + range.end - range.start);
            Ok(self.0[range.start as usize..range.end as usize].to_vec())
        }
    }

    fn written(times: &[i64]) -> Vec<u8> {
        let mut builder = TimesBuilder::default();
        times.iter().for_each(|&time| builder.push(time));
        assert_eq!(builder.rows(), times.len());
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        bytes
    }

    fn read_all(bytes: &[u8], rows: usize) -> Result<Vec<i64>, ColumnFault> {
        let read_bytes = Cell::new(0);
        Times::open(Bytes(bytes, &read_bytes), rows as u32)?.read(0..rows as u32)
    }

    /// Times that go on in even steps, waver, or are anything.
    fn times() -> impl Strategy<Value = Vec<i64>> {
        let start = prop_oneof![Just(1_700_000_000_000_000_000), any::<i64>()];
        let unit = proptest::sample::select(vec![1_i64, 1_000, 1_000_000, 1_000_000_000]);
        let step = prop_oneof![6 => 0_i64..50, 2 => -20_i64..50, 1 => any::<i64>()];
        let wild = prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX)];
        let walk = (start, unit, vec(step, 1..40), 0_usize..4000).prop_map(|(start, unit, steps, rows)| {
            let mut time = start;
            (0..rows)
                .map(|row| {
                    time = time.wrapping_add(steps[row % steps.len()].wrapping_mul(unit));
                    time
                })
                .collect()
        });
        prop_oneof![4 => walk, 1 => vec(wild, 0..2100)]
    }

    #[test]
    fn a_frame_takes_as_little_room_as_its_times_need() {
        let check = |step: fn(i64) -> i64, kind, most_bytes| {
            let times: Vec<i64> =
                (0..1024).map(|row| 1_700_000_000_000_000_000_i64.wrapping_add(step(row))).collect();
            let bytes = written(&times);
            let frame = &bytes[HEADER_BYTES + ENTRY_BYTES..];
            assert_eq!(frame[0], kind);
            assert!(frame.len() <= most_bytes, "{} bytes of kind {kind}", frame.len());
            assert_eq!(read_all(&bytes, 1024), Ok(times));
        };
        check(|_| 5, OFFSETS, 15);
        check(|row| row * 17, STEPS, 40);
        check(|row| row * row % 7 * 1_000_000, OFFSETS, 3 * 128 + 60);
        check(|row| row * 1_000_000 + row % 3 * 1_000, STEPS, 1024 * 11 / 8 + 60);
        check(|row| row.wrapping_mul(0x5851_F42D_4C95_7F2D), PLAIN, 1 + 8 * 1024);
    }

    #[test]
    fn only_frames_that_are_partly_in_range_are_read() {
        let times: Vec<i64> = (0..10_000).map(|row| row * row).collect();
        let (bytes, read_bytes) = (written(&times), Cell::new(0));
        let column = Times::open(Bytes(&bytes, &read_bytes), 10_000).unwrap();
        assert!(column.is_sorted());
        let check = |range: RangeInclusive<i64>, most_read| {
            read_bytes.set(0);
            let within = column.rows_within(&range).unwrap();
            assert_eq!(within, Selection::from_fn(times.len(), |row| range.contains(&times[row])));
            assert!(read_bytes.get() <= most_read, "{} bytes for {range:?}", read_bytes.get());
        };
        let frame_bytes = 1024 * 3;
        check(i64::MIN..=i64::MAX, 0);
        check(-5..=-1, 0);
        check(0..=1023 * 1023, 0);
        check(500 * 500..=i64::MAX, frame_bytes);
        check(500 * 500..=9_000 * 9_000, 2 * frame_bytes);
        #[expect(clippy::reversed_empty_ranges, reason = "an empty range holds no time")]
        check(500..=400, 0);
    }

    #[test]
    fn what_does_not_fit_its_directory_is_refused() {
        let times: Vec<i64> = (0..3000).collect();
        let bytes = written(&times);
        let check = |at: usize, change: u8, expected| {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            assert_eq!(read_all(&changed, 3000), Err(expected));
        };
        check(0, 1, ColumnFault::Rows { rows: 3001, expected: 3000 });
        check(4, 2, ColumnFault::Kind(3));
        check(HEADER_BYTES, 1, ColumnFault::Times { first_row: 0 });
        check(HEADER_BYTES + ENTRY_BYTES, 1 << 7, ColumnFault::Times { first_row: 1024 });
        check(HEADER_BYTES + 19, 1, ColumnFault::Short { bytes: bytes.len() as u64 });
        check(HEADER_BYTES + 3 * ENTRY_BYTES, 4, ColumnFault::Kind(6));
        assert_eq!(read_all(&[], 0), Err(ColumnFault::Short { bytes: 0 }));
        assert_eq!(read_all(&[0, 0, 0, 0, 1], 0), Ok(Vec::new()));
        assert_eq!(
            read_all(&[0xff, 0xff, 0xff, 0xff, 1], u32::MAX as usize),
            Err(ColumnFault::Short { bytes: 5 })
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn a_column_of_times_answers_as_its_rows_do(
            times in times(), picks in vec(any::<prop::sample::Index>(), 4),
        ) {
            let (bytes, read_bytes) = (written(&times), Cell::new(0));
            let column = Times::open(Bytes(&bytes, &read_bytes), times.len() as u32).unwrap();
            prop_assert_eq!(column.rows() as usize, times.len());
            prop_assert_eq!(column.is_sorted(), times.is_sorted());
            prop_assert!(column.memory_bytes() <= 100 + bytes.len() * 3);
            for frame in column.frames() {
                let rows = frame.rows.start as usize..frame.rows.end as usize;
                prop_assert_eq!((frame.earliest, frame.latest), bounds(&times[rows]));
            }
            let [a, b] = [0, 1].map(|pick: usize| picks[pick].index(times.len() + 1));
            let rows = a.min(b)..a.max(b);
            prop_assert_eq!(&column.read(rows.start as u32..rows.end as u32).unwrap(), &times[rows]);
            prop_assert_eq!(&column.read(0..times.len() as u32).unwrap(), &times);
            if !times.is_empty() {
                let [a, b] = [2, 3].map(|pick: usize| times[picks[pick].index(times.len())]);
                let range = a.min(b)..=a.max(b);
                let expected = Selection::from_fn(times.len(), |row| range.contains(&times[row]));
                prop_assert_eq!(column.rows_within(&range).unwrap(), expected);
            }
        }

        #[test]
        fn changed_bytes_are_refused_or_are_as_many_times(
            times in times(), changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..40), end in any::<prop::sample::Index>(),
        ) {
            let bytes = written(&times);
            prop_assert!(read_all(&bytes[..end.index(bytes.len())], times.len()).is_err());
            for (at, change) in changes {
                let mut changed = bytes.clone();
                changed[at.index(bytes.len())] ^= change;
                if let Ok(read) = read_all(&changed, times.len()) {
                    prop_assert_eq!(read.len(), times.len());
                }
            }
        }
    }
}
