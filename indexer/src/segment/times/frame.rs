//! A frame: the times of consecutive rows, in as few bytes as possible.

use crate::segment::packed::{self, ColumnFault, PackedNumbers};
use std::ops::{Range, RangeInclusive};

/// The number of rows of a frame.
pub(crate) const FRAME_ROWS: usize = 1024;
/// Units in nanoseconds, largest first; a frame uses the first one that divides its times.
const UNITS: [u64; 4] = [1_000_000_000, 1_000_000, 1_000, 1];
pub(super) const PLAIN: u8 = 0;
pub(super) const OFFSETS: u8 = 1;
pub(super) const STEPS: u8 = 2;

/// A frame of consecutive rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TimesFrame {
    /// The rows of the frame.
    pub(crate) rows: Range<u32>,
    /// Their earliest time.
    pub(crate) earliest: i64,
    /// Their latest time.
    pub(crate) latest: i64,
    /// The range of their bytes in the section.
    pub(super) bytes: Range<u64>,
}

impl TimesFrame {
    /// Whether all or none of its times are within `range`; `None` if only some may be.
    pub(super) fn is_within(&self, range: &RangeInclusive<i64>) -> Option<bool> {
        if range.contains(&self.earliest) && range.contains(&self.latest) {
            return Some(true);
        }
        let is_outside = self.latest < *range.start() || *range.end() < self.earliest || range.is_empty();
        is_outside.then_some(false)
    }
}

/// Appends a frame of the shortest kind.
pub(super) fn write_frame(times: &[i64], earliest: i64, out: &mut Vec<u8>) {
    // This cannot overflow, because even the span of all 64-bit times is a 64-bit number.
    if 1 < times.len() && times.iter().all(|time| *time == earliest) {
        out.extend_from_slice(&[OFFSETS, 0]);
        return packed::write_equal(0, times.len(), out);
    }
    let offsets: Vec<u64> = times.iter().map(|&time| time.wrapping_sub(earliest) as u64).collect();
    let (unit, scaled) = scale(&offsets);
    let shortest =
        [write_offsets(unit, &scaled), write_steps(times, unit)].into_iter().flatten().min_by_key(Vec::len);
    // In a whole frame, these numbers take at most half of the bytes.
    match shortest.filter(|bytes| times.len() == FRAME_ROWS || bytes.len() <= 1 + size_of_val(times)) {
        Some(bytes) => out.extend_from_slice(&bytes),
        None => out.extend_from_slice(&write_plain(times)),
    }
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

/// The largest unit that divides all offsets, and the offsets in that unit.
fn scale(offsets: &[u64]) -> (u8, Vec<u64>) {
    // With a constant divisor, each division becomes a multiplication.
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

/// The numbers as 32 bits each, if they fit.
fn narrow(numbers: &[u64]) -> Option<Vec<u32>> {
    let largest = numbers.iter().copied().fold(0, u64::max);
    (largest <= u64::from(u32::MAX)).then(|| numbers.iter().map(|&number| number as u32).collect())
}

/// Appends the times of a frame. A sum that overflows gives a wrong time, which is either outside the frame's bounds
/// or harmless.
pub(super) fn read_frame(bytes: &[u8], frame: &TimesFrame, times: &mut Vec<i64>) -> Result<(), ColumnFault> {
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

/// Reads the packed numbers of a frame, one for each of its rows.
fn read_numbers(bytes: &[u8], frame: &TimesFrame) -> Result<Vec<u32>, ColumnFault> {
    let packed = PackedNumbers::new(bytes)?;
    let expected = frame.rows.len() as u32;
    if packed.rows() != expected as usize {
        return Err(ColumnFault::Rows { rows: packed.rows() as u32, expected });
    }
    let mut numbers = Vec::new();
    packed.unpack_all(&mut numbers);
    Ok(numbers)
}

/// The earliest and the latest time.
pub(super) fn bounds(times: &[i64]) -> (i64, i64) {
    times.iter().fold((i64::MAX, i64::MIN), |(low, high), &time| (low.min(time), high.max(time)))
}
