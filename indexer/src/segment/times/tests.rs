//! Columns of times compared with their rows, the parts that are read, and invalid bytes.

use super::frame::{OFFSETS, PLAIN, STEPS, bounds};
use super::read::{ENTRY_BYTES, HEADER_BYTES};
use super::{Times, TimesBuilder};
use crate::segment::packed::ColumnFault;
use crate::segment::packed::ReadRange;
use logstead_record::Selection;
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

/// Bytes in memory that count how many of them are read.
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

/// Times that increase in even steps, fluctuate, or are arbitrary.
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
