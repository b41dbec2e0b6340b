//! A column of numbers in the order of rows, in blocks that are compressed one by one.
//!
//! In the order of rows, neighbouring numbers are often alike, whatever they mean: a compressor finds that, but
//! packing does not.
//!
//! | bytes          | meaning                                                             |
//! |----------------|---------------------------------------------------------------------|
//! | 1              | the form of all blocks                                              |
//! | varint a block | how many bytes it takes                                             |
//! | the rest       | the blocks, of 16 384 rows each                                     |
//!
//! | form | block                                                                                  |
//! |-----:|----------------------------------------------------------------------------------------|
//! |    0 | a [column](crate::numbers)                                                             |
//! |    1 | u8 bytes of the widest number; for each of these bytes, lowest first, a *packet* of that byte of all |
//! |    2 | varint distinct numbers, at most 65 536; those in order, each as varint less the one before; a packet of the low byte of each id, and of the high one if there are more than 256 |
//!
//! A packet consists of its length as a varint, and zstd data.

use crate::bytes::{ByteReader, DecodeError, PADDING, Result, bits, put_varint};
use crate::numbers::{self, NumberColumn};
use crate::packet;
use hashbrown::HashMap;
use zstd::bulk::Compressor;

/// The number of rows of a block.
const BLOCK_ROWS: usize = 16_384;
/// One out of this many blocks is used to find the smallest form.
const SAMPLED_BLOCKS: usize = 8;

const NUMBERS: u8 = 0;
const PLANES: u8 = 1;
const DICTIONARY: u8 = 2;
const DICTIONARY_MAX: usize = 1 << 16;

/// Appends a column.
pub(crate) fn write<V: Copy + PartialEq + Into<u64>>(
    values: &[V],
    compressor: &mut Compressor<'_>,
    out: &mut Vec<u8>,
) {
    let form = smallest_form(values, compressor);
    out.push(form);
    let mut body = Vec::new();
    for block in values.chunks(BLOCK_ROWS) {
        let start = body.len();
        write_block(&widened(block), form, compressor, &mut body);
        put_varint((body.len() - start) as u64, out);
    }
    out.extend_from_slice(&body);
}

fn widened<V: Copy + Into<u64>>(block: &[V]) -> Vec<u64> {
    block.iter().map(|&value| value.into()).collect()
}

fn smallest_form<V: Copy + PartialEq + Into<u64>>(values: &[V], compressor: &mut Compressor<'_>) -> u8 {
    // If all numbers of a block are equal, it is small in every form, so it decides nothing.
    let mixed = || values.chunks(BLOCK_ROWS).filter(|block| block.iter().any(|value| *value != block[0]));
    // The first block is not used if there are more, as it contains many new values.
    let first = SAMPLED_BLOCKS / 2;
    let mut sample: Vec<&[V]> = mixed().skip(first).step_by(SAMPLED_BLOCKS).collect();
    if sample.is_empty() {
        sample.extend(mixed().last());
    }
    let mut scratch = Vec::new();
    let mut bytes_of = |&form: &u8| {
        scratch.clear();
        sample.iter().for_each(|block| write_block(&widened(block), form, compressor, &mut scratch));
        scratch.len()
    };
    [NUMBERS, PLANES, DICTIONARY].into_iter().min_by_key(&mut bytes_of).unwrap_or(NUMBERS)
}

fn write_block(block: &[u64], form: u8, compressor: &mut Compressor<'_>, out: &mut Vec<u8>) {
    match form {
        NUMBERS => numbers::write(block, out),
        PLANES => {
            let widest = block.iter().copied().max().unwrap_or(0);
            let planes = bits(widest).div_ceil(8).max(1);
            out.push(planes as u8);
            for plane in 0..planes {
                let bytes: Vec<u8> = block.iter().map(|value| (value >> (8 * plane)) as u8).collect();
                packet::write(&bytes, compressor, out);
            }
        }
        _ => {
            let (distinct, ids) = dictionary(block);
            put_varint(distinct.len() as u64, out);
            let mut before = 0;
            for &value in &distinct {
                put_varint(value - before, out);
                before = value;
            }
            let low: Vec<u8> = ids.iter().map(|&id| id as u8).collect();
            packet::write(&low, compressor, out);
            if 256 < distinct.len() {
                let high: Vec<u8> = ids.iter().map(|&id| (id >> 8) as u8).collect();
                packet::write(&high, compressor, out);
            }
        }
    }
}

/// The distinct numbers of a block, and the index of each number of the block among them. A block has fewer rows than
/// a dictionary may have numbers.
fn dictionary(block: &[u64]) -> (Vec<u64>, Vec<u16>) {
    let greatest = block.iter().copied().max().unwrap_or(0);
    if DICTIONARY_MAX as u64 <= greatest {
        let mut distinct = block.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let ids: HashMap<u64, u16> =
            distinct.iter().enumerate().map(|(id, &value)| (value, id as u16)).collect();
        let ids = block.iter().map(|value| ids[value]).collect();
        return (distinct, ids);
    }
    // The values are mostly numbers of templates: a table of all numbers needs neither a hash nor a sort.
    let mut ids = vec![None; greatest as usize + 1];
    block.iter().for_each(|&value| ids[value as usize] = Some(0));
    let mut distinct = Vec::new();
    for (id, value) in ids.iter_mut().zip(0..).filter(|(id, _)| id.is_some()) {
        *id = Some(distinct.len() as u16);
        distinct.push(value);
    }
    let ids = block.iter().map(|&value| ids[value as usize].unwrap_or(0)).collect();
    (distinct, ids)
}

/// Calls `each` with every one of `rows` numbers. Fails if a number is larger than `most`.
pub(crate) fn read(
    input: &mut ByteReader<'_>,
    rows: usize,
    most: u64,
    mut each: impl FnMut(u64),
) -> Result<()> {
    let form = input.byte()?;
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let mut lengths = Vec::with_capacity(blocks);
    for _ in 0..blocks {
        lengths.push(input.count(usize::MAX, "a block")?);
    }
    let (mut left, mut greatest) = (rows, 0);
    for length in lengths {
        let rows = left.min(BLOCK_ROWS);
        left -= rows;
        read_block(input.take(length)?, form, rows, &mut |value| {
            greatest = greatest.max(value);
            each(value);
        })?;
    }
    if most < greatest { Err(DecodeError::Large("a column of rows")) } else { Ok(()) }
}

fn read_block(block: &[u8], form: u8, rows: usize, each: &mut impl FnMut(u64)) -> Result<()> {
    let mut input = ByteReader::new(block);
    match form {
        NUMBERS => {
            let mut padded = block.to_vec();
            let numbers = NumberColumn::read(&mut input, rows)?;
            padded.extend_from_slice(&[0; PADDING]);
            numbers.for_each(&padded, 0..rows, each);
        }
        PLANES => {
            let count = input.byte()?;
            if 8 < count {
                return Err(DecodeError::Large("a number of bytes"));
            }
            let mut planes = Vec::new();
            for _ in 0..count {
                planes.push(packet::read(&mut input, rows)?);
            }
            for row in 0..rows {
                each(planes.iter().rev().fold(0, |value, plane| value << 8 | u64::from(plane[row])));
            }
        }
        DICTIONARY => {
            let count = input.count(DICTIONARY_MAX, "a dictionary")?;
            let (mut values, mut before) = (Vec::with_capacity(count), 0_u64);
            for _ in 0..count {
                before = before.checked_add(input.varint()?).ok_or(DecodeError::Large("a dictionary"))?;
                values.push(before);
            }
            let low = packet::read(&mut input, rows)?;
            let high = if 256 < count { packet::read(&mut input, rows)? } else { vec![0; rows] };
            for (low, high) in low.into_iter().zip(high) {
                let id = usize::from(high) << 8 | usize::from(low);
                each(*values.get(id).ok_or(DecodeError::Large("an id"))?);
            }
        }
        kind => return Err(DecodeError::Kind { what: "column of rows", kind }),
    }
    input.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn columns() -> impl Strategy<Value = Vec<u64>> {
        let few = proptest::collection::vec(0_u64..5, 0..40_000);
        let some = proptest::collection::vec(0_u64..600, 0..3000);
        let wide = proptest::collection::vec(any::<u64>(), 0..300);
        let runs = proptest::collection::vec((0_u64..9_000, 1_usize..400), 0..100)
            .prop_map(|runs| runs.iter().flat_map(|&(value, times)| vec![value; times]).collect());
        prop_oneof![few, some, wide, runs]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn numbers_come_back(values in columns(), bit in any::<prop::sample::Index>()) {
            let mut bytes = Vec::new();
            write(&values, &mut Compressor::new(1).unwrap(), &mut bytes);
            let (mut input, mut found) = (ByteReader::new(&bytes), Vec::new());
            let most = values.iter().copied().max().unwrap_or(0);
            read(&mut input, values.len(), most, |value| found.push(value)).unwrap();
            input.end().unwrap();
            prop_assert_eq!(&found, &values);
            if 0 < most {
                prop_assert!(read(&mut ByteReader::new(&bytes), values.len(), most - 1, drop).is_err());
            }
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut rows = 0;
            if read(&mut ByteReader::new(&bytes), values.len(), u64::MAX, |_| rows += 1).is_ok() {
                prop_assert_eq!(rows, values.len());
            }
        }
    }
}
