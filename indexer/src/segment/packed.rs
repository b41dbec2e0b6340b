//! Small numbers, one for each row, in as few bits as each group of 128 needs.
//!
//! All numbers are little endian.
//!
//! | bytes               | field      | meaning                                                          |
//! |---------------------|------------|------------------------------------------------------------------|
//! | 4                   | rows       | how many numbers there are                                       |
//! | 1                   | base_bytes | how many bytes a base takes: 0 to 4                              |
//! | 1 a frame           | widths     | bits of each number in the frame: 0 to 32                        |
//! | base_bytes a frame  | bases      | the least number of the frame                                    |
//! | 16 × width a frame  | numbers    | each less its frame's base, in the layout of `BitPacker4x`       |
//!
//! If all numbers are equal, base_bytes is 5, followed only by the number as u32.
//!
//! A frame is 128 rows; the last one is filled up with its base. A frame whose numbers are all equal has width 0
//! and so takes 1 + base_bytes bytes.
//!
//! **Invariant:** the widths account for every byte of the numbers, so that unpacking cannot fail.

use bitpacking::{BitPacker, BitPacker4x};
use logstead_record::ColumnError;
use std::ops::Range;

/// The number of rows of a frame.
pub(crate) const FRAME_ROWS: usize = BitPacker4x::BLOCK_LEN;
/// The number of bytes that a packed frame takes for each bit of its width.
const WIDTH_BYTES: usize = FRAME_ROWS / 8;
const HEADER_BYTES: usize = 5;
/// The value of `base_bytes` if all numbers are equal.
const CONSTANT: u8 = 5;

/// The reason why bytes are not a valid column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ColumnFault {
    /// The column ends too early.
    #[error("the column ends at byte {bytes}, in the middle of a value")]
    Short {
        /// The number of available bytes.
        bytes: u64,
    },
    /// There are bytes after the column.
    #[error("{bytes} bytes follow the column")]
    Long {
        /// The number of these bytes.
        bytes: u64,
    },
    /// The width of numbers is impossible.
    #[error("a number of {0} bits or bytes is not possible")]
    Width(u8),
    /// The kind of the column is unknown.
    #[error("a column of kind {0} is not known to this version")]
    Kind(u8),
    /// The column is not of this segment, because it has another number of rows.
    #[error("the column has {rows} rows, and {expected} are expected")]
    Rows {
        /// The number of rows of the column.
        rows: u32,
        /// The number of rows of the segment.
        expected: u32,
    },
    /// The value of a row does not exist.
    #[error("a row has value {id}, but the column has only {values}")]
    Id {
        /// The number of the row's value.
        id: u32,
        /// The number of values of the column.
        values: u32,
    },
    /// The times of a frame are not within the bounds given in its directory entry.
    #[error("the times of the frame at row {first_row} do not match its directory")]
    Times {
        /// The first row of the frame.
        first_row: u32,
    },
    /// The distinct values are inconsistent.
    #[error(transparent)]
    Values(#[from] ColumnError),
}

/// Appends `values`, packed.
pub(crate) fn write(values: &[u32], out: &mut Vec<u8>) {
    let mut builder = PackedBuilder::default();
    builder.extend(values.iter().copied());
    builder.finish(out);
}

/// Appends the same number `count` times, packed.
pub(crate) fn write_equal(value: u32, count: usize, out: &mut Vec<u8>) {
    let mut builder = PackedBuilder::default();
    builder.repeat(value, count);
    builder.finish(out);
}

/// Bytes that are read in parts.
pub(crate) trait ReadRange {
    /// The error of a failed read.
    type Error: From<ColumnFault>;

    /// The number of bytes.
    fn bytes(&self) -> u64;

    /// Reads the bytes of a range, which is within [`ReadRange::bytes`].
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Self::Error>;
}

/// Packs numbers as they are added. It takes about as much memory as it will write.
pub(crate) struct PackedBuilder {
    frames: Vec<(u8, u32)>,
    numbers: Vec<u8>,
    open: [u32; FRAME_ROWS],
    open_rows: usize,
}

impl Default for PackedBuilder {
    fn default() -> PackedBuilder {
        PackedBuilder { frames: Vec::new(), numbers: Vec::new(), open: [0; FRAME_ROWS], open_rows: 0 }
    }
}

impl PackedBuilder {
    /// Appends a number.
    pub(crate) fn push(&mut self, value: u32) {
        self.open[self.open_rows] = value;
        self.open_rows += 1;
        if self.open_rows == FRAME_ROWS {
            self.close_frame();
        }
    }

    /// Appends numbers.
    pub(crate) fn extend(&mut self, mut values: impl Iterator<Item = u32>) {
        loop {
            // The free space must come first in the `zip`, so that no value is taken when there is none left.
            let room = self.open[self.open_rows..].iter_mut();
            self.open_rows += room.zip(&mut values).map(|(place, value)| *place = value).count();
            if self.open_rows < FRAME_ROWS {
                return;
            }
            self.close_frame();
        }
    }

    /// Appends the same number `count` times.
    pub(crate) fn repeat(&mut self, value: u32, mut count: usize) {
        while count != 0 {
            if self.open_rows == 0 && FRAME_ROWS <= count {
                let frames = count / FRAME_ROWS;
                self.frames.resize(self.frames.len() + frames, (0, value));
                count -= frames * FRAME_ROWS;
            } else {
                self.push(value);
                count -= 1;
            }
        }
    }

    /// The count of the numbers.
    pub(crate) fn rows(&self) -> usize {
        self.frames.len() * FRAME_ROWS + self.open_rows
    }

    /// The memory that it uses.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<PackedBuilder>() + self.frames.capacity() * size_of::<(u8, u32)>() + self.numbers.capacity()
    }

    /// Appends all numbers to `out`.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) {
        let rows = u32::try_from(self.rows()).expect("rows of a segment are counted in 32 bits");
        if self.open_rows != 0 {
            let least = self.open[..self.open_rows].iter().copied().min().unwrap_or(0);
            self.open[self.open_rows..].fill(least);
            self.close_frame();
        }
        let largest_base = self.frames.iter().map(|&(_, base)| base).max().unwrap_or(0);
        let base_bytes = (u32::BITS - largest_base.leading_zeros()).div_ceil(8) as usize;
        out.extend_from_slice(&rows.to_le_bytes());
        if let Some(&(_, value)) = self.frames.first().filter(|&&(width, base)| self.are_all(width, base)) {
            out.push(CONSTANT);
            return out.extend_from_slice(&value.to_le_bytes());
        }
        out.push(base_bytes as u8);
        out.extend(self.frames.iter().map(|&(width, _)| width));
        self.frames.iter().for_each(|&(_, base)| out.extend_from_slice(&base.to_le_bytes()[..base_bytes]));
        out.extend_from_slice(&self.numbers);
    }

    /// Whether all numbers are equal, as they are if all frames have this width and base.
    fn are_all(&self, width: u8, base: u32) -> bool {
        width == 0 && self.frames.iter().all(|frame| *frame == (0, base))
    }

    fn close_frame(&mut self) {
        let base = self.open.iter().copied().fold(u32::MAX, u32::min);
        self.open.iter_mut().for_each(|value| *value -= base);
        let packer = BitPacker4x::new();
        let width = packer.num_bits(&self.open);
        let start = self.numbers.len();
        self.numbers.resize(start + usize::from(width) * WIDTH_BYTES, 0);
        packer.compress(&self.open, &mut self.numbers[start..], width);
        self.frames.push((width, base));
        self.open_rows = 0;
    }
}

/// Packed numbers.
pub(crate) struct PackedNumbers {
    rows: u32,
    /// The number if all numbers are equal, otherwise `None`.
    constant: Option<u32>,
    frames: Vec<PackedFrame>,
    numbers: Vec<u8>,
}

struct PackedFrame {
    base: u32,
    width: u8,
    /// The position of its numbers, in units of [`WIDTH_BYTES`].
    at: u32,
}

impl PackedNumbers {
    /// Reads the numbers from their bytes.
    pub(crate) fn new(bytes: &[u8]) -> Result<PackedNumbers, ColumnFault> {
        let short = ColumnFault::Short { bytes: bytes.len() as u64 };
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES).ok_or(short)?;
        let rows = header.first_chunk().copied().map_or(0, u32::from_le_bytes);
        if header[4] == CONSTANT {
            return PackedNumbers::constant(rows, rest);
        }
        let base_bytes = match header[4] {
            width @ 0..=4 => usize::from(width),
            width => return Err(ColumnFault::Width(width)),
        };
        let count = (rows as usize).div_ceil(FRAME_ROWS);
        let (widths, rest) = rest.split_at_checked(count).ok_or(short)?;
        let (bases, numbers) = rest.split_at_checked(count * base_bytes).ok_or(short)?;
        let mut at = 0_u32;
        let mut frames = Vec::with_capacity(count);
        for (n, &width) in widths.iter().enumerate() {
            if 32 < width {
                return Err(ColumnFault::Width(width));
            }
            frames.push(PackedFrame { base: read_base(&bases[n * base_bytes..][..base_bytes]), width, at });
            at += u32::from(width);
        }
        match (at as usize * WIDTH_BYTES).cmp(&numbers.len()) {
            std::cmp::Ordering::Greater => Err(short),
            std::cmp::Ordering::Less => {
                Err(ColumnFault::Long { bytes: (numbers.len() - at as usize * WIDTH_BYTES) as u64 })
            }
            std::cmp::Ordering::Equal => {
                Ok(PackedNumbers { rows, constant: None, frames, numbers: numbers.to_vec() })
            }
        }
    }

    fn constant(rows: u32, value: &[u8]) -> Result<PackedNumbers, ColumnFault> {
        let bytes = value.len() as u64;
        match value.try_into().map(u32::from_le_bytes) {
            Ok(value) => {
                Ok(PackedNumbers { rows, constant: Some(value), frames: Vec::new(), numbers: Vec::new() })
            }
            Err(_) if bytes < 4 => Err(ColumnFault::Short { bytes }),
            Err(_) => Err(ColumnFault::Long { bytes: bytes - 4 }),
        }
    }

    /// The count of the numbers.
    pub(crate) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.rows().div_ceil(FRAME_ROWS)
    }

    /// A lower and an upper bound of the numbers of a frame, given its packing. They are equal only if all its
    /// numbers are.
    pub(crate) fn frame_bounds(&self, frame: usize) -> (u32, u32) {
        if let Some(value) = self.constant {
            return (value, value);
        }
        let PackedFrame { base, width, .. } = self.frames[frame];
        (base, base.saturating_add(((1_u64 << width) - 1) as u32))
    }

    /// Unpacks a frame. Beyond the last row, it repeats a number of the frame.
    pub(crate) fn unpack_frame(&self, frame: usize, out: &mut [u32; FRAME_ROWS]) {
        if let Some(value) = self.constant {
            return out.fill(value);
        }
        let PackedFrame { base, width, at } = self.frames[frame];
        unpack(width, base, &self.numbers[at as usize * WIDTH_BYTES..], out);
    }

    /// Replaces the contents of `out` by all numbers.
    pub(crate) fn unpack_all(&self, out: &mut Vec<u32>) {
        out.clear();
        out.resize(self.frames() * FRAME_ROWS, 0);
        for (frame, rows) in out.as_chunks_mut().0.iter_mut().enumerate() {
            self.unpack_frame(frame, rows);
        }
        out.truncate(self.rows());
    }

    /// The number of one row.
    #[cfg(test)]
    pub(crate) fn get(&self, row: usize) -> u32 {
        assert!(row < self.rows(), "row {row} is not among the {rows} rows", rows = self.rows);
        let mut numbers = [0; FRAME_ROWS];
        self.unpack_frame(row / FRAME_ROWS, &mut numbers);
        numbers[row % FRAME_ROWS]
    }

    /// The memory that it uses.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<PackedNumbers>()
            + self.frames.capacity() * size_of::<PackedFrame>()
            + self.numbers.capacity()
    }
}

fn unpack(width: u8, base: u32, numbers: &[u8], out: &mut [u32; FRAME_ROWS]) {
    if width == 0 {
        out.fill(base);
        return;
    }
    BitPacker4x::new().decompress(numbers, out, width);
    if base != 0 {
        // Valid numbers do not overflow; invalid ones only give wrong numbers.
        out.iter_mut().for_each(|value| *value = value.wrapping_add(base));
    }
}

fn read_base(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |base, &byte| base << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn packed(values: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(values, &mut bytes);
        bytes
    }

    fn check_bytes(values: &[u32], expected: usize) {
        let bytes = packed(values);
        assert_eq!(bytes.len(), expected, "{} rows", values.len());
        let mut unpacked = vec![7];
        PackedNumbers::new(&bytes).unwrap().unpack_all(&mut unpacked);
        assert_eq!(unpacked, values);
    }

    /// Numbers in runs, so that some frames contain only one number.
    pub(crate) fn numbers() -> impl Strategy<Value = Vec<u32>> {
        let number = prop_oneof![4 => 0_u32..5, 2 => 1000_u32..1100, 1 => any::<u32>()];
        vec((number, prop_oneof![4 => 1_usize..4, 1 => 100_usize..500]), 0..60)
            .prop_map(|runs| runs.into_iter().flat_map(|(n, count)| std::iter::repeat_n(n, count)).collect())
    }

    #[test]
    fn a_frame_takes_as_little_room_as_its_numbers_differ() {
        check_bytes(&[], HEADER_BYTES);
        check_bytes(&[0; 1280], HEADER_BYTES + 4);
        check_bytes(&[200; 1280], HEADER_BYTES + 4);
        check_bytes(&[u32::MAX; 129], HEADER_BYTES + 4);
        check_bytes(&[[7; 1280], [9; 1280]].concat(), HEADER_BYTES + 20 + 20);
        check_bytes(&[70_000, 70_001], HEADER_BYTES + 4 + 16);
        check_bytes(&[0, u32::MAX], HEADER_BYTES + 1 + 512);
    }

    #[test]
    fn what_claims_more_than_it_holds_is_refused() {
        let check =
            |bytes: &[u8], expected| assert_eq!(PackedNumbers::new(bytes).err(), Some(expected), "{bytes:?}");
        check(&[0; 4], ColumnFault::Short { bytes: 4 });
        check(&[0xff, 0xff, 0xff, 0xff, 0], ColumnFault::Short { bytes: 5 });
        check(&[1, 0, 0, 0, 0, 1], ColumnFault::Short { bytes: 6 });
        check(&[1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0], ColumnFault::Width(6));
        check(&[1, 0, 0, 0, 5, 0, 0, 0], ColumnFault::Short { bytes: 3 });
        check(&[1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0], ColumnFault::Long { bytes: 2 });
        check(&[1, 0, 0, 0, 0, 33], ColumnFault::Width(33));
        check(&[1, 0, 0, 0, 0, 0, 0], ColumnFault::Long { bytes: 1 });
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn what_is_packed_is_unpacked(values in numbers()) {
            let bytes = packed(&values);
            let read = PackedNumbers::new(&bytes).unwrap();
            prop_assert_eq!(read.rows(), values.len());
            let mut unpacked = Vec::new();
            read.unpack_all(&mut unpacked);
            prop_assert_eq!(&unpacked, &values);
            for row in (0..values.len()).step_by(37) {
                prop_assert_eq!(read.get(row), values[row]);
                let (least, largest) = read.frame_bounds(row / FRAME_ROWS);
                prop_assert!((least..=largest).contains(&values[row]));
            }
            let mut builder = PackedBuilder::default();
            for run in values.chunk_by(|a, b| a == b) {
                builder.repeat(run[0], run.len());
            }
            let mut in_runs = Vec::new();
            builder.finish(&mut in_runs);
            prop_assert_eq!(in_runs, bytes);
        }

        #[test]
        fn changed_bytes_are_refused_or_are_as_many_numbers_as_they_say(
            values in numbers(), at in any::<prop::sample::Index>(), change in 1..=u8::MAX, end in any::<prop::sample::Index>(),
        ) {
            let mut bytes = packed(&values);
            prop_assert!(PackedNumbers::new(&bytes[..end.index(bytes.len())]).is_err());
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            if let Ok(read) = PackedNumbers::new(&bytes) {
                let mut unpacked = Vec::new();
                read.unpack_all(&mut unpacked);
                prop_assert_eq!(unpacked.len(), read.rows());
                prop_assert!(read.memory_bytes() <= size_of::<PackedNumbers>() + bytes.len() * size_of::<PackedFrame>());
            }
        }
    }
}
