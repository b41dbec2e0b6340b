//! A column of numbers, any of which can be read without those before it.
//!
//! | first byte | form       | what follows                                                                        |
//! |-----------:|------------|-------------------------------------------------------------------------------------|
//! |          0 | constant   | varint, the value of all                                                            |
//! |          1 | frame      | varint, the least value; u8 width; each value less the least, packed                |
//! |          2 | frames     | heads of chunks of 1024; for each chunk its values less its least, packed           |
//! |          3 | dictionary | varint, how many distinct values; those in order, each as varint less the one before; ids packed |
//! |          4 | deltas     | u64 the least difference; heads of chunks of 128; for each chunk its differences less the least, packed |
//!
//! A head is u64 base (the least value, or the first one for differences), u8 width, u32 the start of the chunk after
//! the heads. The number of values is stored elsewhere. Packed numbers of a given width in bits begin at a byte,
//! lowest bit first.
//!
//! **Invariant:** an open column lies within its bytes: reading any of its values cannot fail.

mod encode;

use crate::bytes::{ByteReader, DecodeError, Result, bits, packed_bytes, unpack};
use crate::unpack::unpack_many;
use std::ops::Range;

pub(crate) use encode::write;

const CONSTANT: u8 = 0;
const FRAME: u8 = 1;
const FRAMES: u8 = 2;
const DICTIONARY: u8 = 3;
const DELTAS: u8 = 4;

const CHUNK: usize = 1024;
const DELTA: usize = 128;
const HEAD_BYTES: usize = 13;
/// The maximum number of values of a dictionary.
const DICTIONARY_MAX: usize = 8192;
/// The number of values that are read at once, which is that of a chunk of differences.
const RUN: usize = DELTA;

/// An open column without its bytes: each call takes the bytes from which it was opened.
#[derive(Clone, Debug)]
pub(crate) struct NumberColumn {
    form: NumberEncoding,
    /// The number of values.
    len: usize,
    /// Bounds of all values.
    pub(crate) bounds: (u64, u64),
}

#[derive(Clone, Debug)]
enum NumberEncoding {
    Constant(u64),
    Frame(NumberFrame),
    Frames(Vec<NumberFrame>),
    Dictionary { values: Vec<u64>, width: u32, at: usize },
    Deltas { least: u64, chunks: Vec<NumberFrame> },
}

#[derive(Clone, Copy, Debug)]
struct NumberFrame {
    base: u64,
    width: u32,
    at: usize,
}

impl NumberColumn {
    /// Opens a column of `len` values. The bytes that `input` reads must be followed by [`PADDING`] bytes.
    pub(crate) fn read(input: &mut ByteReader<'_>, len: usize) -> Result<NumberColumn> {
        let form = match input.byte()? {
            CONSTANT => NumberEncoding::Constant(input.varint()?),
            FRAME => {
                let base = input.varint()?;
                let width = width(input.byte()?)?;
                let at = input.skip(packed_bytes(len, width))?.start;
                NumberEncoding::Frame(NumberFrame { base, width, at })
            }
            FRAMES => NumberEncoding::Frames(read_chunks(input, len, CHUNK, 0)?),
            DICTIONARY => {
                let count = input.count(DICTIONARY_MAX, "a dictionary of numbers")?;
                let (mut values, mut before) = (Vec::with_capacity(count), 0_u64);
                for _ in 0..count {
                    before = before.checked_add(input.varint()?).ok_or(DecodeError::Large("a dictionary"))?;
                    values.push(before);
                }
                let width = bits(count.checked_sub(1).ok_or(DecodeError::Short)? as u64);
                let at = input.skip(packed_bytes(len, width))?.start;
                NumberEncoding::Dictionary { values, width, at }
            }
            DELTAS => {
                let least = input.u64()?;
                NumberEncoding::Deltas { least, chunks: read_chunks(input, len, DELTA, 1)? }
            }
            kind => return Err(DecodeError::Kind { what: "column", kind }),
        };
        let bounds = form.bounds(len);
        Ok(NumberColumn { form, len, bounds })
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The value at a position.
    pub(crate) fn get(&self, bytes: &[u8], place: usize) -> u64 {
        match &self.form {
            NumberEncoding::Constant(value) => *value,
            NumberEncoding::Frame(chunk) => chunk.get(bytes, place),
            NumberEncoding::Frames(chunks) => chunks[place / CHUNK].get(bytes, place % CHUNK),
            NumberEncoding::Dictionary { values, width, at } => {
                of_dictionary(values, unpack(&bytes[*at..], place, *width))
            }
            NumberEncoding::Deltas { .. } => {
                let mut value = [0];
                self.fill(bytes, place, &mut value);
                value[0]
            }
        }
    }

    /// Calls `each` with the values in a range of positions, in order.
    pub(crate) fn for_each(&self, bytes: &[u8], places: Range<usize>, mut each: impl FnMut(u64)) {
        self.for_each_run(bytes, places, |_, run| run.iter().for_each(|&value| each(value)));
    }

    /// Calls `each` with runs of the values in a range of positions, in order, and the first position of each run.
    pub(crate) fn for_each_run(
        &self,
        bytes: &[u8],
        places: Range<usize>,
        mut each: impl FnMut(usize, &[u64]),
    ) {
        let mut run = [0; RUN];
        let mut first = places.start;
        while first < places.end {
            let end = places.end.min((first / RUN + 1) * RUN);
            let run = &mut run[..end - first];
            self.fill(bytes, first, run);
            each(first, run);
            first = end;
        }
    }

    /// Reads the values from a position on, all of them from one chunk.
    fn fill(&self, bytes: &[u8], first: usize, out: &mut [u64]) {
        match &self.form {
            NumberEncoding::Constant(value) => out.fill(*value),
            NumberEncoding::Frame(chunk) => chunk.fill(bytes, first, out),
            NumberEncoding::Frames(chunks) => chunks[first / CHUNK].fill(bytes, first % CHUNK, out),
            NumberEncoding::Dictionary { values, width, at } => {
                unpack_many(&bytes[*at..], first, *width, out);
                out.iter_mut().for_each(|id| *id = of_dictionary(values, *id));
            }
            NumberEncoding::Deltas { least, chunks } => {
                let (chunk, before) = (chunks[first / DELTA], first % DELTA);
                let mut deltas = [0; DELTA];
                let deltas = &mut deltas[..before + out.len()];
                unpack_many(&bytes[chunk.at..], 0, chunk.width, &mut deltas[1..]);
                let mut value = chunk.base;
                for (at, delta) in deltas.iter().enumerate() {
                    if 0 < at {
                        value = value.wrapping_add(*least).wrapping_add(*delta);
                    }
                    if before <= at {
                        out[at - before] = value;
                    }
                }
            }
        }
    }

    /// Calls `each` with every value, though not necessarily for each of its occurrences.
    pub(crate) fn for_each_distinct(&self, bytes: &[u8], mut each: impl FnMut(u64)) {
        match &self.form {
            NumberEncoding::Constant(value) if 0 < self.len => each(*value),
            NumberEncoding::Dictionary { values, .. } => values.iter().for_each(|&value| each(value)),
            _ => self.for_each(bytes, 0..self.len, each),
        }
    }

    /// Calls `each` with the positions that have a value, in order.
    pub(crate) fn find(&self, bytes: &[u8], value: u64, mut each: impl FnMut(usize)) {
        let is_within = |(least, greatest): (u64, u64)| (least..=greatest).contains(&value);
        if !is_within(self.bounds) {
            return;
        }
        match &self.form {
            NumberEncoding::Constant(_) => (0..self.len).for_each(each),
            NumberEncoding::Frame(chunk) => chunk.find(bytes, value, 0..self.len, &mut each),
            NumberEncoding::Frames(chunks) => {
                for (number, chunk) in
                    chunks.iter().enumerate().filter(|(_, chunk)| is_within(chunk.bounds()))
                {
                    let first = number * CHUNK;
                    chunk.find(bytes, value, first..self.len.min(first + CHUNK), &mut each);
                }
            }
            NumberEncoding::Dictionary { values, width, at } => {
                if let Ok(id) = values.binary_search(&value) {
                    let ids = NumberFrame { base: 0, width: *width, at: *at };
                    ids.find(bytes, id as u64, 0..self.len, &mut each);
                }
            }
            NumberEncoding::Deltas { least, chunks } => {
                for (number, chunk) in chunks.iter().enumerate() {
                    let first = number * DELTA;
                    let end = self.len.min(first + DELTA);
                    if is_within(chunk.bounds_of_sums(*least, end - first)) {
                        self.for_each_run(bytes, first..end, |first, run| {
                            each_equal(run, value, first, &mut each)
                        });
                    }
                }
            }
        }
    }

    /// The memory that it takes, without its own struct.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.form {
            NumberEncoding::Constant(_) | NumberEncoding::Frame(_) => 0,
            NumberEncoding::Frames(chunks) | NumberEncoding::Deltas { chunks, .. } => {
                size_of_val(chunks.as_slice())
            }
            NumberEncoding::Dictionary { values, .. } => size_of_val(values.as_slice()),
        }
    }
}

impl NumberFrame {
    #[inline]
    fn get(&self, bytes: &[u8], place: usize) -> u64 {
        self.base.wrapping_add(unpack(&bytes[self.at..], place, self.width))
    }

    fn fill(&self, bytes: &[u8], first: usize, out: &mut [u64]) {
        unpack_many(&bytes[self.at..], first, self.width, out);
        out.iter_mut().for_each(|value| *value = value.wrapping_add(self.base));
    }

    /// Calls `each` with those of `places` that have a value. The first of them must be that of the chunk.
    fn find(&self, bytes: &[u8], value: u64, places: Range<usize>, each: &mut impl FnMut(usize)) {
        let (packed, wanted) = (&bytes[self.at..], value.wrapping_sub(self.base));
        let mut run = [0; RUN];
        for first in (0..places.len()).step_by(RUN) {
            let run = &mut run[..RUN.min(places.len() - first)];
            unpack_many(packed, first, self.width, run);
            each_equal(run, wanted, places.start + first, each);
        }
    }

    fn bounds(&self) -> (u64, u64) {
        let span = u64::MAX.checked_shr(u64::BITS - self.width).unwrap_or(0);
        (self.base, self.base.saturating_add(span))
    }

    /// The bounds of a chunk of `count` values, each given as the difference from the one before it.
    fn bounds_of_sums(&self, least: u64, count: usize) -> (u64, u64) {
        let steps = count.saturating_sub(1) as i128;
        let span = i128::from(u64::MAX.checked_shr(u64::BITS - self.width).unwrap_or(0));
        let (least, base) = (i128::from(least as i64), i128::from(self.base));
        let low = base + steps * least.min(0);
        let high = base + steps * (least + span).max(0);
        match (u64::try_from(low), u64::try_from(high)) {
            (Ok(low), Ok(high)) => (low, high),
            // The sums wrap around.
            _ => (0, u64::MAX),
        }
    }
}

impl NumberEncoding {
    /// The bounds of `len` values.
    fn bounds(&self, len: usize) -> (u64, u64) {
        let around = |bounds: &mut dyn Iterator<Item = (u64, u64)>| {
            bounds.fold((u64::MAX, 0), |(least, greatest), (low, high)| (least.min(low), greatest.max(high)))
        };
        match self {
            NumberEncoding::Constant(value) => (*value, *value),
            NumberEncoding::Frame(chunk) => chunk.bounds(),
            NumberEncoding::Frames(chunks) => around(&mut chunks.iter().map(NumberFrame::bounds)),
            NumberEncoding::Dictionary { values, .. } => {
                (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0))
            }
            NumberEncoding::Deltas { least, chunks } => around(
                &mut chunks
                    .iter()
                    .enumerate()
                    .map(|(number, chunk)| chunk.bounds_of_sums(*least, DELTA.min(len - number * DELTA))),
            ),
        }
    }
}

/// Calls `each` with the positions in a run that have a value. The run begins at `first`.
#[inline]
fn each_equal(run: &[u64], value: u64, first: usize, each: &mut impl FnMut(usize)) {
    for (number, values) in run.chunks(u64::BITS as usize).enumerate() {
        // The bits are computed first: most runs have none, and are skipped without a branch for each value.
        let is_equal = |(at, found): (usize, &u64)| u64::from(*found == value) << at;
        let mut equal = values.iter().enumerate().map(is_equal).fold(0, |all, bit| all | bit);
        while equal != 0 {
            each(first + number * u64::BITS as usize + equal.trailing_zeros() as usize);
            equal &= equal - 1;
        }
    }
}

/// The value of an id. A damaged column may hold an id that is too large, if the size of the dictionary is not a power
/// of two.
fn of_dictionary(values: &[u64], id: u64) -> u64 {
    values.get(id as usize).copied().unwrap_or(0)
}

fn width(byte: u8) -> Result<u32> {
    if u32::from(byte) <= u64::BITS { Ok(u32::from(byte)) } else { Err(DecodeError::Large("a width")) }
}

/// The heads of chunks of `rows` values; each chunk packs `fewer` values less than that.
fn read_chunks(
    input: &mut ByteReader<'_>,
    len: usize,
    rows: usize,
    fewer: usize,
) -> Result<Vec<NumberFrame>> {
    let count = len.div_ceil(rows);
    let mut heads = ByteReader::new(input.take(count.checked_mul(HEAD_BYTES).ok_or(DecodeError::Short)?)?);
    let mut chunks = Vec::with_capacity(count);
    let start = input.at;
    for number in 0..count {
        let base = heads.u64()?;
        let width = width(heads.byte()?)?;
        let at = start + heads.u32()? as usize;
        if at != input.at {
            return Err(DecodeError::Large("the place of a chunk"));
        }
        input.skip(packed_bytes(rows.min(len - number * rows) - fewer, width))?;
        chunks.push(NumberFrame { base, width, at });
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::PADDING;
    use proptest::prelude::*;

    fn padded(values: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(values, &mut bytes);
        bytes.extend_from_slice(&[0; PADDING]);
        bytes
    }

    fn open(bytes: &[u8], len: usize) -> Result<NumberColumn> {
        let mut input = ByteReader::new(bytes.get(..bytes.len() - PADDING).unwrap_or_default());
        let numbers = NumberColumn::read(&mut input, len)?;
        input.end()?;
        Ok(numbers)
    }

    /// Columns of each form, and columns that only nearly have one.
    fn columns() -> impl Strategy<Value = Vec<u64>> {
        let any_values = proptest::collection::vec(any::<u64>(), 0..400);
        let few =
            (proptest::collection::vec(any::<u64>(), 1..9), proptest::collection::vec(any::<u8>(), 0..500))
                .prop_map(|(values, ids)| {
                    ids.iter().map(|id| values[usize::from(*id) % values.len()]).collect()
                });
        let rising =
            (any::<u64>(), proptest::collection::vec(0_u64..100, 0..600)).prop_map(|(first, steps)| {
                steps
                    .iter()
                    .scan(first, |value, step| {
                        *value = value.wrapping_add(*step);
                        Some(*value)
                    })
                    .collect()
            });
        let framed =
            (any::<u32>(), proptest::collection::vec(0_u64..16, 2048..5000)).prop_map(|(base, values)| {
                let base = u64::from(base);
                values.iter().enumerate().map(|(at, value)| base * (at as u64 / 1024) + value).collect()
            });
        let extreme = proptest::collection::vec(prop_oneof![Just(0), Just(u64::MAX), Just(1 << 63)], 0..200);
        prop_oneof![any_values, few, rising, framed, extreme]
    }

    proptest! {
        #[test]
        fn values_come_back(values in columns(), absent in any::<u64>()) {
            let bytes = padded(&values);
            let numbers = open(&bytes, values.len()).unwrap();
            let got: Vec<u64> = (0..values.len()).map(|place| numbers.get(&bytes, place)).collect();
            prop_assert_eq!(&got, &values);
            let (least, greatest) = numbers.bounds;
            prop_assert!(values.iter().all(|value| (least..=greatest).contains(value)));
            let (mut distinct, mut expected) = (Vec::new(), values.clone());
            numbers.for_each_distinct(&bytes, |value| distinct.push(value));
            for distinct in [&mut distinct, &mut expected] {
                distinct.sort_unstable();
                distinct.dedup();
            }
            prop_assert_eq!(distinct, expected);
            let (from, to) = (values.len() / 3, values.len() * 2 / 3);
            let mut some = Vec::new();
            numbers.for_each(&bytes, from..to, |value| some.push(value));
            prop_assert_eq!(&some, &values[from..to]);
            for wanted in [values.first().copied().unwrap_or(3), values.last().copied().unwrap_or(4), absent] {
                let mut found = Vec::new();
                numbers.find(&bytes, wanted, |place| found.push(place));
                let expected: Vec<usize> = (0..values.len()).filter(|&at| values[at] == wanted).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn damaged_columns_are_faults_or_values_but_never_a_panic(
            values in columns(), bit in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = padded(&values);
            let bit = bit.index((bytes.len() - PADDING) * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            for bytes in [bytes.clone(), bytes[..cut.index(bytes.len())].iter().copied().chain([0; PADDING]).collect()] {
                if let Ok(numbers) = open(&bytes, values.len()) {
                    (0..values.len()).for_each(|place| { numbers.get(&bytes, place); });
                    numbers.for_each(&bytes, 0..values.len(), drop);
                    numbers.find(&bytes, 7, drop);
                    prop_assert_eq!(numbers.len(), values.len());
                }
            }
        }
    }
}
