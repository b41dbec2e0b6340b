//! A column of numbers of which any can be read without those before it.
//!
//! | first byte | form       | what follows                                                                        |
//! |-----------:|------------|-------------------------------------------------------------------------------------|
//! |          0 | constant   | varint, the value of all                                                            |
//! |          1 | frame      | varint, the least value; u8 width; each value less the least, packed                |
//! |          2 | frames     | heads of chunks of 1024; for each chunk its values less its least, packed           |
//! |          3 | dictionary | varint, how many distinct values; those in order, each as varint less the one before; ids packed |
//! |          4 | deltas     | u64 the least difference; heads of chunks of 128; for each chunk its differences less the least, packed |
//!
//! A head is u64 base (the least value; in deltas the first), u8 width, u32 where the chunk begins behind the heads. How
//! many values there are stands elsewhere. Packed numbers of a width of bits begin at a byte, lowest bit first.
//!
//! **Invariant:** an open column lies within its bytes: reading any of its values cannot fail.

mod encode;

use crate::bytes::{Fault, Input, bits, packed_bytes, unpack};
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
/// Most values of a dictionary.
const DICTIONARY_MAX: usize = 8192;

/// An open column, without its bytes: those are given to each question, and are the ones it was opened in.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    form: Form,
    /// How many values there are.
    len: usize,
}

#[derive(Clone, Debug)]
enum Form {
    Constant(u64),
    Frame(Chunk),
    Frames(Vec<Chunk>),
    Dictionary { values: Vec<u64>, width: u32, at: usize },
    Deltas { least: u64, chunks: Vec<Chunk> },
}

#[derive(Clone, Copy, Debug)]
struct Chunk {
    base: u64,
    width: u32,
    at: usize,
}

impl Numbers {
    /// Opens a column of `len` values. Behind all that `input` reads there have to be [`PADDING`] bytes.
    pub(crate) fn read(input: &mut Input<'_>, len: usize) -> Result<Numbers, Fault> {
        let form = match input.byte()? {
            CONSTANT => Form::Constant(input.varint()?),
            FRAME => {
                let base = input.varint()?;
                let width = width(input.byte()?)?;
                let at = input.skip(packed_bytes(len, width))?.start;
                Form::Frame(Chunk { base, width, at })
            }
            FRAMES => Form::Frames(read_chunks(input, len, CHUNK, 0)?),
            DICTIONARY => {
                let count = input.count(DICTIONARY_MAX, "a dictionary of numbers")?;
                let (mut values, mut before) = (Vec::with_capacity(count), 0_u64);
                for _ in 0..count {
                    before = before.checked_add(input.varint()?).ok_or(Fault::Large("a dictionary"))?;
                    values.push(before);
                }
                let width = bits(count.checked_sub(1).ok_or(Fault::Short)? as u64);
                let at = input.skip(packed_bytes(len, width))?.start;
                Form::Dictionary { values, width, at }
            }
            DELTAS => {
                let least = input.u64()?;
                Form::Deltas { least, chunks: read_chunks(input, len, DELTA, 1)? }
            }
            kind => return Err(Fault::Kind { what: "column", kind }),
        };
        Ok(Numbers { form, len })
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The value at a place.
    pub(crate) fn get(&self, bytes: &[u8], place: usize) -> u64 {
        match &self.form {
            Form::Constant(value) => *value,
            Form::Frame(chunk) => chunk.get(bytes, place),
            Form::Frames(chunks) => chunks[place / CHUNK].get(bytes, place % CHUNK),
            Form::Dictionary { values, width, at } => {
                of_dictionary(values, unpack(&bytes[*at..], place, *width))
            }
            Form::Deltas { least, chunks } => {
                let chunk = chunks[place / DELTA];
                (0..place % DELTA).fold(chunk.base, |value, delta| chunk.step(bytes, value, delta, *least))
            }
        }
    }

    /// Calls `each` with the values of some places, in order.
    pub(crate) fn for_each(&self, bytes: &[u8], places: Range<usize>, mut each: impl FnMut(u64)) {
        match &self.form {
            Form::Constant(value) => places.for_each(|_| each(*value)),
            Form::Frame(chunk) => places.for_each(|place| each(chunk.get(bytes, place))),
            Form::Frames(_) => places.for_each(|place| each(self.get(bytes, place))),
            Form::Dictionary { values, width, at } => {
                let packed = &bytes[*at..];
                places.for_each(|place| each(of_dictionary(values, unpack(packed, place, *width))));
            }
            Form::Deltas { least, chunks } => {
                let mut place = places.start;
                while place < places.end {
                    let (chunk, first) = (chunks[place / DELTA], place / DELTA * DELTA);
                    let end = places.end.min(first + DELTA);
                    let mut value = chunk.base;
                    for at in first..end {
                        if first < at {
                            value = chunk.step(bytes, value, at - first - 1, *least);
                        }
                        if place <= at {
                            each(value);
                        }
                    }
                    place = end;
                }
            }
        }
    }

    /// Calls `each` with every value, but not with each as often as it is there.
    pub(crate) fn for_each_distinct(&self, bytes: &[u8], mut each: impl FnMut(u64)) {
        match &self.form {
            Form::Constant(value) if 0 < self.len => each(*value),
            Form::Dictionary { values, .. } => values.iter().for_each(|&value| each(value)),
            _ => self.for_each(bytes, 0..self.len, each),
        }
    }

    /// Bounds that no value is beyond.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        match &self.form {
            Form::Constant(value) => (*value, *value),
            Form::Frame(chunk) => chunk.bounds(),
            Form::Frames(chunks) => chunks.iter().fold((u64::MAX, 0), |(least, greatest), chunk| {
                let (low, high) = chunk.bounds();
                (least.min(low), greatest.max(high))
            }),
            Form::Dictionary { values, .. } => {
                (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0))
            }
            Form::Deltas { .. } => (0, u64::MAX),
        }
    }

    /// Calls `each` with the places that have a value, in order.
    pub(crate) fn find(&self, bytes: &[u8], value: u64, mut each: impl FnMut(usize)) {
        let (least, greatest) = self.bounds();
        if value < least || greatest < value {
            return;
        }
        let packed = match &self.form {
            Form::Constant(_) => return (0..self.len).for_each(each),
            Form::Frame(chunk) => Some((value - chunk.base, chunk.width, chunk.at)),
            Form::Dictionary { values, width, at } => match values.binary_search(&value) {
                Ok(id) => Some((id as u64, *width, *at)),
                Err(_) => return,
            },
            Form::Frames(_) | Form::Deltas { .. } => None,
        };
        if let Some((wanted, width, at)) = packed {
            let packed = &bytes[at..];
            return (0..self.len).filter(|&place| unpack(packed, place, width) == wanted).for_each(each);
        }
        let mut place = 0;
        self.for_each(bytes, 0..self.len, |found| {
            if found == value {
                each(place);
            }
            place += 1;
        });
    }

    /// Memory that it takes beyond itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.form {
            Form::Constant(_) | Form::Frame(_) => 0,
            Form::Frames(chunks) | Form::Deltas { chunks, .. } => size_of_val(chunks.as_slice()),
            Form::Dictionary { values, .. } => size_of_val(values.as_slice()),
        }
    }
}

impl Chunk {
    #[inline]
    fn get(&self, bytes: &[u8], place: usize) -> u64 {
        self.base.wrapping_add(unpack(&bytes[self.at..], place, self.width))
    }

    /// The value behind another one of a chunk of differences.
    #[inline]
    fn step(&self, bytes: &[u8], value: u64, delta: usize, least: u64) -> u64 {
        value.wrapping_add(least).wrapping_add(unpack(&bytes[self.at..], delta, self.width))
    }

    fn bounds(&self) -> (u64, u64) {
        let span = u64::MAX.checked_shr(u64::BITS - self.width).unwrap_or(0);
        (self.base, self.base.saturating_add(span))
    }
}

/// Where the size of the dictionary is not a power of two, a damaged column may hold an id that is too large.
fn of_dictionary(values: &[u64], id: u64) -> u64 {
    values.get(id as usize).copied().unwrap_or(0)
}

fn width(byte: u8) -> Result<u32, Fault> {
    if u32::from(byte) <= u64::BITS { Ok(u32::from(byte)) } else { Err(Fault::Large("a width")) }
}

/// The heads of chunks of `rows` values, of which each packs `fewer` less.
fn read_chunks(input: &mut Input<'_>, len: usize, rows: usize, fewer: usize) -> Result<Vec<Chunk>, Fault> {
    let count = len.div_ceil(rows);
    let mut heads = Input::new(input.take(count.checked_mul(HEAD_BYTES).ok_or(Fault::Short)?)?);
    let mut chunks = Vec::with_capacity(count);
    let start = input.at;
    for number in 0..count {
        let base = heads.u64()?;
        let width = width(heads.byte()?)?;
        let at = start + heads.u32()? as usize;
        if at != input.at {
            return Err(Fault::Large("the place of a chunk"));
        }
        input.skip(packed_bytes(rows.min(len - number * rows) - fewer, width))?;
        chunks.push(Chunk { base, width, at });
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

    fn open(bytes: &[u8], len: usize) -> Result<Numbers, Fault> {
        let mut input = Input::new(bytes.get(..bytes.len() - PADDING).unwrap_or_default());
        let numbers = Numbers::read(&mut input, len)?;
        input.end()?;
        Ok(numbers)
    }

    /// Each form, and what is nearly one.
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
            let (least, greatest) = numbers.bounds();
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
