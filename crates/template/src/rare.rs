//! The groups of rows that may contain a rare word: a multimap from hashes to small numbers, with about eleven bits
//! per pair.
//!
//! | bytes           | meaning                                                                             |
//! |-----------------|-------------------------------------------------------------------------------------|
//! | varint          | pairs, each once                                                                    |
//! | u8, u8          | bits that say a pair's bucket, bits of a group                                      |
//! | 8 a sample      | for every 256 buckets: u32 the bit, and u32 the pair, at which the first begins     |
//! | unary           | for each bucket a one for each of its pairs, and then a zero                        |
//! | packed          | for each pair six more bits of its hash, and its group                              |
//!
//! There are about as many buckets as pairs. The highest bits of a pair's hash are its bucket.
//!
//! **Invariant:** no pair is missed. About one in sixty words that are nowhere is reported in a group: every hit
//! has to be checked.

use crate::bytes::{ByteReader, DecodeError, PADDING, Result, bits, pack, packed_bytes, put_varint};
use std::cmp::Ordering;
use std::ops::Range;

/// The number of bits of a hash that are stored in addition to its bucket.
const FINGER_BITS: u32 = 6;
/// The number of the lowest bits of a pair in memory, which are its group.
const GROUP_BITS: u32 = 16;
const SAMPLED_BUCKETS: usize = 256;
const SAMPLE_BYTES: usize = 8;
const BUCKET_BITS_MAX: u32 = 40;
const PAIRS_MAX: usize = u32::MAX as usize / 2;

/// Pairs are gathered by this number of their highest bits, which is the first step of sorting them.
const PART_BITS: u32 = 6;
/// The number of pairs from which on a part removes duplicates before it takes more memory.
const PART_FREE: usize = 1 << 16;
/// The approximate number of pairs that are left to be sorted by comparison.
const COMPARED: usize = 8;

/// Gathers pairs.
pub struct RareWriter {
    parts: Vec<Vec<u64>>,
}

impl Default for RareWriter {
    fn default() -> RareWriter {
        RareWriter { parts: vec![Vec::new(); 1 << PART_BITS] }
    }
}

impl RareWriter {
    /// Notes that a word with this hash is in this group.
    #[inline]
    pub fn add(&mut self, hash: u64, group: u16) {
        let part = &mut self.parts[(hash >> (u64::BITS - PART_BITS)) as usize];
        if PART_FREE <= part.len() && part.len() == part.capacity() {
            PairSorter::default().sort(part);
            // The part has to grow if it would soon be full again.
            if part.capacity() / 2 < part.len() {
                part.reserve(part.capacity());
            }
        }
        part.push(hash >> GROUP_BITS << GROUP_BITS | u64::from(group));
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.capacity() * size_of::<u64>()).sum()
    }

    /// Appends all pairs.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        let mut scratch = PairSorter::default();
        for part in &mut self.parts {
            scratch.sort(part);
        }
        let count: usize = self.parts.iter().map(Vec::len).sum();
        let pairs = || self.parts.iter().flatten().copied();
        let bucket_bits = bits(count as u64).saturating_sub(1).clamp(1, BUCKET_BITS_MAX);
        let group_bits = bits(pairs().fold(0, |all, pair| all | pair & 0xffff)).max(1);
        put_varint(count as u64, out);
        out.extend_from_slice(&[bucket_bits as u8, group_bits as u8]);
        let buckets = 1_usize << bucket_bits;
        let mut unary = vec![0_u8; (count + buckets).div_ceil(8)];
        let mut sampled = 0;
        let mut sample_until = |bucket: usize, at: usize| {
            while sampled <= bucket {
                out.extend_from_slice(&((at + sampled) as u32).to_le_bytes());
                out.extend_from_slice(&(at as u32).to_le_bytes());
                sampled += SAMPLED_BUCKETS;
            }
        };
        for (at, pair) in pairs().enumerate() {
            let bucket = bucket_of(pair, bucket_bits);
            sample_until(bucket, at);
            // This bit is preceded by a one for each earlier pair and a zero for each earlier bucket.
            let bit = at + bucket;
            unary[bit / 8] |= 1 << (bit % 8);
        }
        sample_until(buckets - 1, count);
        out.extend_from_slice(&unary);
        let payload = |pair: u64| finger_of(pair, bucket_bits) << group_bits | pair & 0xffff;
        pack(pairs().map(payload), FINGER_BITS + group_bits, out);
    }
}

/// Sorts the pairs of one part and removes duplicates: hashes are evenly distributed, so the highest bits of each
/// give nearly its final position.
#[derive(Default)]
struct PairSorter {
    ends: Vec<u32>,
    sorted: Vec<u64>,
}

impl PairSorter {
    fn sort(&mut self, pairs: &mut Vec<u64>) {
        let bits = bits((pairs.len() / COMPARED) as u64);
        let place = |pair: u64| (pair << PART_BITS).checked_shr(u64::BITS - bits).unwrap_or(0) as usize;
        let PairSorter { ends, sorted } = self;
        ends.clear();
        ends.resize(1 << bits, 0);
        pairs.iter().for_each(|&pair| ends[place(pair)] += 1);
        let mut before = 0;
        ends.iter_mut().for_each(|end| before += std::mem::replace(end, before));
        sorted.clear();
        sorted.resize(pairs.len(), 0);
        for &pair in pairs.iter() {
            let end = &mut ends[place(pair)];
            sorted[*end as usize] = pair;
            *end += 1;
        }
        let mut start = 0;
        for &end in ends.iter() {
            sorted[start..end as usize].sort_unstable();
            start = end as usize;
        }
        pairs.copy_from_slice(sorted);
        pairs.dedup();
    }
}

fn bucket_of(hash: u64, bucket_bits: u32) -> usize {
    (hash >> (u64::BITS - bucket_bits)) as usize
}

fn finger_of(hash: u64, bucket_bits: u32) -> u64 {
    hash << bucket_bits >> (u64::BITS - FINGER_BITS)
}

/// A multimap, of which only the needed parts are read.
pub struct Rare {
    pairs: usize,
    bucket_bits: u32,
    group_bits: u32,
    samples: Range<usize>,
    unary: Range<usize>,
    packed: Range<usize>,
}

/// The number of first bytes of a multimap that are needed to open it.
pub const RARE_HEAD_BYTES: usize = 12;

impl Rare {
    /// Opens a stored multimap, given its first bytes and its length.
    pub fn open(head: &[u8], bytes: u64) -> Result<Rare> {
        let mut input = ByteReader::new(head);
        let pairs = input.count(PAIRS_MAX, "a number of pairs")?;
        let (bucket_bits, group_bits) = (u32::from(input.byte()?), u32::from(input.byte()?));
        if !(1..=BUCKET_BITS_MAX).contains(&bucket_bits) || !(1..=GROUP_BITS).contains(&group_bits) {
            return Err(DecodeError::Large("bits of a bucket or of a group"));
        }
        let buckets = 1_usize << bucket_bits;
        let samples = input.at..input.at + buckets.div_ceil(SAMPLED_BUCKETS) * SAMPLE_BYTES;
        let unary = samples.end..samples.end + (pairs + buckets).div_ceil(8);
        let packed = unary.end..unary.end + packed_bytes(pairs, FINGER_BITS + group_bits);
        match (packed.end as u64).cmp(&bytes) {
            Ordering::Greater => Err(DecodeError::Short),
            Ordering::Less => Err(DecodeError::Long((bytes - packed.end as u64) as usize)),
            Ordering::Equal => Ok(Rare { pairs, bucket_bits, group_bits, samples, unary, packed }),
        }
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.pairs == 0
    }

    /// The groups that may contain a word with this hash, in order. `read` returns bytes of the multimap.
    pub fn groups<E: From<DecodeError>>(
        &self,
        hash: u64,
        read: &mut dyn FnMut(Range<u64>) -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u16>, E> {
        let mut read = |range: Range<usize>| {
            let bytes = read(range.start as u64..range.end as u64)?;
            if bytes.len() == range.len() { Ok(bytes) } else { Err(E::from(DecodeError::Short)) }
        };
        let hash = hash >> GROUP_BITS << GROUP_BITS;
        let bucket = bucket_of(hash, self.bucket_bits);
        // The part between this sample and the next one.
        let sample = self.samples.start + bucket / SAMPLED_BUCKETS * SAMPLE_BYTES;
        let samples = read(sample..self.samples.end.min(sample + 2 * SAMPLE_BYTES))?;
        let mut input = ByteReader::new(&samples);
        let (first_bit, first) = (input.u32()? as usize, input.u32()? as usize);
        let (end_bit, end) = match samples.len() {
            SAMPLE_BYTES => (self.unary.len() * 8, self.pairs),
            _ => (input.u32()? as usize, input.u32()? as usize),
        };
        if end_bit < first_bit || self.unary.len() * 8 < end_bit || end < first || self.pairs < end {
            return Err(E::from(DecodeError::Short));
        }
        let bytes = self.unary.start + first_bit / 8..self.unary.start + end_bit.div_ceil(8);
        let unary = Unary { bytes: read(bytes)?, first: first_bit / 8 * 8 };
        let (mut bit, mut at, mut left) = (first_bit, first, bucket % SAMPLED_BUCKETS);
        while left != 0 {
            if unary.is_pair(bit)? {
                at += 1
            } else {
                left -= 1
            }
            bit += 1;
        }
        let mut count = 0;
        while unary.is_pair(bit + count)? {
            count += 1;
        }
        if end < at + count {
            return Err(E::from(DecodeError::Short));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let width = FINGER_BITS + self.group_bits;
        let (start, ends) = (at * width as usize / 8, ((at + count) * width as usize).div_ceil(8));
        let mut packed = read(self.packed.start + start..self.packed.start + ends)?;
        packed.resize(packed.len() + PADDING, 0);
        let shift = at * width as usize - start * 8;
        let finger = finger_of(hash, self.bucket_bits);
        let mut groups = Vec::new();
        for number in 0..count {
            let bit = shift + number * width as usize;
            let eight = packed[bit / 8..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let payload = eight >> (bit % 8) & ((1 << width) - 1);
            if payload >> self.group_bits == finger {
                groups.push((payload & ((1 << self.group_bits) - 1)) as u16);
            }
        }
        groups.sort_unstable();
        groups.dedup();
        Ok(groups)
    }
}

/// A part of the ones and zeros.
struct Unary {
    bytes: Vec<u8>,
    /// The number of its first bit.
    first: usize,
}

impl Unary {
    fn is_pair(&self, bit: usize) -> Result<bool> {
        let bit = bit - self.first;
        let byte = self.bytes.get(bit / 8).ok_or(DecodeError::Short)?;
        Ok(byte >> (bit % 8) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn spread(value: u64) -> u64 {
        let product = u128::from(value) * 0x9e37_79b9_7f4a_7c15;
        product as u64 ^ (product >> 64) as u64
    }

    fn open(bytes: &[u8]) -> Result<Rare> {
        Rare::open(&bytes[..bytes.len().min(RARE_HEAD_BYTES)], bytes.len() as u64)
    }

    fn groups(rare: &Rare, bytes: &[u8], hash: u64) -> Result<Vec<u16>> {
        rare.groups(hash, &mut |range| Ok(bytes[range.start as usize..range.end as usize].to_vec()))
    }

    fn written(pairs: &[(u64, u16)]) -> Vec<u8> {
        let (mut writer, mut bytes) = (RareWriter::default(), Vec::new());
        pairs.iter().for_each(|&(hash, group)| writer.add(hash, group));
        writer.finish(&mut bytes);
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn no_pair_is_missed(pairs in proptest::collection::vec((0_u64..2000, 0_u16..40), 0..3000)) {
            let pairs: Vec<(u64, u16)> = pairs.iter().map(|&(word, group)| (spread(word + 1), group)).collect();
            let bytes = written(&pairs);
            let rare = open(&bytes).unwrap();
            let distinct: BTreeSet<&(u64, u16)> = pairs.iter().collect();
            prop_assert!(rare.len() <= distinct.len());
            for (hash, group) in &pairs {
                prop_assert!(groups(&rare, &bytes, *hash).unwrap().contains(group));
            }
        }

        #[test]
        fn damaged_pairs_are_faults_or_other_groups_but_never_a_panic(
            pairs in proptest::collection::vec((any::<u64>(), 0_u16..40), 0..500),
            bit in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = written(&pairs);
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            for bytes in [bytes[..cut.index(bytes.len())].to_vec(), bytes] {
                if let Ok(rare) = open(&bytes) {
                    pairs.iter().for_each(|(hash, _)| { groups(&rare, &bytes, *hash).ok(); });
                }
            }
        }
    }

    #[test]
    fn pairs_that_come_again_take_no_memory() {
        let mut writer = RareWriter::default();
        for again in 0..40 {
            (0..200_000).for_each(|word| writer.add(spread(word + again), 0));
        }
        assert!(writer.memory_bytes() <= 64 << 20, "{}", writer.memory_bytes());
    }

    #[test]
    fn few_words_that_are_nowhere_are_said_to_be_somewhere_and_pairs_are_small() {
        let pairs: Vec<(u64, u16)> =
            (0..600_000_u64).map(|word| (spread(word), (word / 75_000) as u16)).collect();
        let bytes = written(&pairs);
        let bits = bytes.len() as f64 * 8.0 / pairs.len() as f64;
        assert!(bits < 11.5, "{bits} bits a pair");
        let rare = open(&bytes).unwrap();
        let wrong = (1_000_000..1_100_000_u64)
            .filter(|&word| !groups(&rare, &bytes, spread(word)).unwrap().is_empty())
            .count();
        assert!(wrong < 100_000 / 45, "{wrong} of 100 000");
    }
}
