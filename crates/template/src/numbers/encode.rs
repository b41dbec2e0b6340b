//! Chooses the smallest form for a column of numbers, and writes it.

use super::{CHUNK, CONSTANT, DELTA, DELTAS, DICTIONARY, DICTIONARY_MAX, FRAME, FRAMES, HEAD_BYTES};
use crate::bytes::{bits, pack, packed_bytes, put_varint};

/// Another form has to take less than this percentage of the size, as it takes longer to read.
const DICTIONARY_GAIN: usize = 97;
const CHUNKS_GAIN: usize = 95;
/// The number of first values that are checked: if almost all of them differ, the rest will too.
const SAMPLE: usize = 192;
const SAMPLE_DISTINCT_MAX: usize = 150;

/// Appends a column.
pub(crate) fn write(values: &[u64], out: &mut Vec<u8>) {
    let chunks = values.chunks(CHUNK).filter(|_| CHUNK < values.len());
    let ranges: Vec<(u64, u64)> = chunks.map(range_of).collect();
    let (least, greatest) = ranges.iter().fold(range_of(&values[..values.len().min(CHUNK)]), |all, range| {
        (all.0.min(range.0), all.1.max(range.1))
    });
    if values.is_empty() || least == greatest {
        out.push(CONSTANT);
        return put_varint(if values.is_empty() { 0 } else { least }, out);
    }
    let width = bits(greatest - least);
    let frame_bytes = packed_bytes(values.len(), width) + 4;
    if let Some(dictionary) = dictionary(values, least, greatest, frame_bytes) {
        return dictionary.write(values, out);
    }
    if let Some(least) = least_of_deltas(values, width, frame_bytes) {
        return write_deltas(values, least, out);
    }
    if frames_pay(values.len(), &ranges, frame_bytes) {
        return write_frames(values, &ranges, out);
    }
    out.push(FRAME);
    put_varint(least, out);
    out.push(width as u8);
    pack(values.iter().map(|value| value - least), width, out);
}

fn range_of(values: &[u64]) -> (u64, u64) {
    values.iter().fold((u64::MAX, 0), |(least, greatest), &value| (least.min(value), greatest.max(value)))
}

/// The distinct values in their order, and the index of each.
struct Dictionary {
    distinct: Vec<u64>,
    places: DictionaryPlaces,
}

enum DictionaryPlaces {
    /// The index of the least value, of the next number and so on. Numbers that are not values have an entry, too.
    Near { least: u64, places: Vec<u16> },
    /// A hash table with the values and their indexes.
    Far { known: Vec<u64>, places: Vec<u16> },
}

/// Marks an entry without a value or an index.
const FREE: u64 = u64::MAX;
const NO_PLACE: u16 = u16::MAX;
/// Values are near each other if they span less than this many numbers per value.
const NEAR: u64 = 4;

/// A dictionary, if there are few distinct values.
fn dictionary(values: &[u64], least: u64, greatest: u64, bytes_max: usize) -> Option<Dictionary> {
    let width = bits(greatest - least);
    if values.len() < 64 || width < 3 {
        return None;
    }
    let most = (values.len() / 4).min(DICTIONARY_MAX);
    let is_near = greatest - least < NEAR * values.len() as u64;
    let dictionary = if is_near { near(values, least, greatest, most)? } else { far(values, most)? };
    let gaps = dictionary.distinct.windows(2).map(|pair| bits(pair[1] - pair[0]).div_ceil(7) as usize);
    let ids = packed_bytes(values.len(), bits(dictionary.distinct.len() as u64 - 1));
    ((ids + gaps.sum::<usize>() + 2) * 100 < bytes_max * DICTIONARY_GAIN).then_some(dictionary)
}

fn near(values: &[u64], least: u64, greatest: u64, most: usize) -> Option<Dictionary> {
    let mut places = vec![NO_PLACE; (greatest - least) as usize + 1];
    let mut count = 0;
    let (first, rest) = values.split_at(values.len().min(SAMPLE));
    for (values, most) in [(first, SAMPLE_DISTINCT_MAX), (rest, most)] {
        for &value in values {
            let place = &mut places[(value - least) as usize];
            count += usize::from(*place == NO_PLACE);
            *place = 0;
        }
        if most < count {
            return None;
        }
    }
    let mut distinct = Vec::with_capacity(count);
    for (place, value) in places.iter_mut().zip(least..).filter(|(place, _)| **place != NO_PLACE) {
        *place = distinct.len() as u16;
        distinct.push(value);
    }
    Some(Dictionary { distinct, places: DictionaryPlaces::Near { least, places } })
}

/// Gives up as soon as there are too many values.
fn far(values: &[u64], most: usize) -> Option<Dictionary> {
    let mut known = vec![FREE; (most * 2).next_power_of_two().max(64)];
    let mut distinct = Vec::new();
    for (number, &value) in values.iter().enumerate() {
        if value == FREE {
            return None;
        }
        let place = find(&known, value);
        if known[place] == FREE {
            let looks_unique = number == SAMPLE && SAMPLE_DISTINCT_MAX < distinct.len();
            if distinct.len() == most || looks_unique {
                return None;
            }
            known[place] = value;
            distinct.push(value);
        }
    }
    distinct.sort_unstable();
    let mut places = vec![NO_PLACE; known.len()];
    distinct.iter().zip(0..).for_each(|(&value, place)| places[find(&known, value)] = place);
    Some(Dictionary { distinct, places: DictionaryPlaces::Far { known, places } })
}

/// The position of a value in a hash table, or the position at which it would be added.
fn find(known: &[u64], value: u64) -> usize {
    let mask = known.len() - 1;
    let mut place = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20 & mask;
    while known[place] != value && known[place] != FREE {
        place = (place + 1) & mask;
    }
    place
}

impl Dictionary {
    fn write(&self, values: &[u64], out: &mut Vec<u8>) {
        out.push(DICTIONARY);
        put_varint(self.distinct.len() as u64, out);
        let mut before = 0;
        for &value in &self.distinct {
            put_varint(value - before, out);
            before = value;
        }
        let width = bits(self.distinct.len() as u64 - 1);
        match &self.places {
            DictionaryPlaces::Near { least, places } => {
                pack(values.iter().map(|value| u64::from(places[(value - least) as usize])), width, out);
            }
            DictionaryPlaces::Far { known, places } => {
                pack(values.iter().map(|&value| u64::from(places[find(known, value)])), width, out);
            }
        }
    }
}

/// The least difference of neighbours as a signed number, with wrapping.
fn least_difference(values: &[u64]) -> u64 {
    values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).min().unwrap_or(0) as u64
}

fn delta_width(chunk: &[u64], least: u64) -> u32 {
    chunk.windows(2).map(|pair| bits(pair[1].wrapping_sub(pair[0]).wrapping_sub(least))).max().unwrap_or(0)
}

/// The least difference, if storing differences takes less space.
fn least_of_deltas(values: &[u64], width: u32, bytes_max: usize) -> Option<u64> {
    // A sample decides whether to try it: most columns are in no order.
    let sample = values.get(..2 * DELTA).filter(|_| 4 <= width)?;
    let pays = |values: &[u64], least| delta_width(&values[..DELTA], least) + 2 < width;
    if !pays(sample, least_difference(sample)) {
        return None;
    }
    let least = least_difference(values);
    if !pays(sample, least) {
        return None;
    }
    let bytes: usize = values
        .chunks(DELTA)
        .map(|chunk| packed_bytes(chunk.len() - 1, delta_width(chunk, least)) + HEAD_BYTES)
        .sum();
    (bytes * 100 < bytes_max * CHUNKS_GAIN).then_some(least)
}

/// Whether chunks with their own heads save space. `ranges` are those of the chunks.
fn frames_pay(count: usize, ranges: &[(u64, u64)], bytes_max: usize) -> bool {
    if count < 2 * CHUNK {
        return false;
    }
    let counts = (0..count).step_by(CHUNK).map(|first| CHUNK.min(count - first));
    let bytes: usize = counts
        .zip(ranges)
        .map(|(count, (least, greatest))| packed_bytes(count, bits(greatest - least)) + HEAD_BYTES)
        .sum();
    bytes * 100 < bytes_max * CHUNKS_GAIN
}

fn write_frames(values: &[u64], ranges: &[(u64, u64)], out: &mut Vec<u8>) {
    out.push(FRAMES);
    let mut ranges = ranges.iter();
    write_chunks(values.chunks(CHUNK), out, |chunk, out| {
        let &(least, greatest) = ranges.next().expect("each chunk has a range");
        let width = bits(greatest - least);
        pack(chunk.iter().map(|value| value - least), width, out);
        (least, width)
    });
}

fn write_deltas(values: &[u64], least: u64, out: &mut Vec<u8>) {
    out.push(DELTAS);
    out.extend_from_slice(&least.to_le_bytes());
    write_chunks(values.chunks(DELTA), out, |chunk, out| {
        let width = delta_width(chunk, least);
        pack(chunk.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]).wrapping_sub(least)), width, out);
        (chunk[0], width)
    });
}

/// Writes the heads of all chunks, and then the chunks. `write` writes one and returns its base and width.
fn write_chunks<'v>(
    chunks: impl ExactSizeIterator<Item = &'v [u64]>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(&[u64], &mut Vec<u8>) -> (u64, u32),
) {
    let heads = out.len();
    out.resize(heads + chunks.len() * HEAD_BYTES, 0);
    let start = out.len();
    for (number, chunk) in chunks.enumerate() {
        let at = (out.len() - start) as u32;
        let (base, width) = write(chunk, out);
        let head = &mut out[heads + number * HEAD_BYTES..][..HEAD_BYTES];
        head[..8].copy_from_slice(&base.to_le_bytes());
        head[8] = width as u8;
        head[9..].copy_from_slice(&at.to_le_bytes());
    }
}
