//! The hashes of the words in slots, for an index of groups by words.
//!
//! A word has one hash, wherever it stands: that of what it is as a variable of its own, with its letters in lower case.
//! Hashes are on disk, so how they are computed never changes.

use super::column::Column;
use super::find::{UUID_BYTES, UUID_PARTS, Wanted};
use super::read::TextGroup;
use crate::bytes::Fault;
use crate::scan::{Kind, Variable, write};
use logstead_record::word;

/// An odd number without a pattern: the fractional part of the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Wanted {
    /// The hash of the word. Who knows the seed can make words of one hash.
    pub fn hash(&self, seed: u64) -> u64 {
        of_word(&self.own, &self.folded, seed)
    }
}

impl TextGroup {
    /// Calls `each` with the hash of every word in a slot, of some more than once. An address is all its four words, and
    /// itself.
    pub fn hashes(&self, seed: u64, each: &mut dyn FnMut(u64)) -> Result<(), Fault> {
        let mut scratch = Vec::new();
        for &address in &self.addresses {
            each(of_number(Kind::Address, 0, u64::from(address), 0, seed));
            address.to_be_bytes().iter().for_each(|&octet| {
                let octet = u64::from(octet);
                each(of_number(Kind::Decimal, Kind::Decimal.digits(octet), octet, 0, seed));
            });
        }
        self.dictionary.iter().for_each(|text| of_text(text, seed, &mut scratch, each));
        let words = self.words.all(&self.bytes)?;
        words.iter().for_each(|text| of_text(text, seed, &mut scratch, each));
        let numbers = self.templates.iter().flat_map(|template| &template.columns);
        for column in numbers {
            let Column::Number { kind, lengths, low, high } = column else { continue };
            let mut rank = 0;
            low.for_each(&self.bytes, 0..low.len(), |value| {
                let length = lengths.of(&self.bytes, rank, *kind, value);
                let high = high.as_ref().map_or(0, |high| high.get(&self.bytes, rank));
                rank += 1;
                match kind {
                    Kind::Wide if length == UUID_BYTES => of_uuid(value, high, seed, &mut scratch, each),
                    Kind::HexUpper => each(of_number(Kind::Hex, length, value, 0, seed)),
                    kind => each(of_number(*kind, length, value, high, seed)),
                }
            });
        }
        Ok(())
    }
}

/// Of a word in lower case, and what it is.
fn of_word(own: &Variable, folded: &[u8], seed: u64) -> u64 {
    match own.kind {
        Kind::Text => of_bytes(folded, seed),
        kind => of_number(kind, usize::from(own.bytes), own.low, own.high, seed),
    }
}

/// The words of a text that is a variable.
fn of_text(text: &[u8], seed: u64, scratch: &mut Vec<u8>, each: &mut dyn FnMut(u64)) {
    word::for_each_folded(text, scratch, |word| each(of_word(&Variable::of_word(word, 0), word, seed)));
}

fn of_uuid(low: u64, high: u64, seed: u64, scratch: &mut Vec<u8>, each: &mut dyn FnMut(u64)) {
    let mut text = Vec::with_capacity(UUID_BYTES);
    write(Kind::Wide, low, high, UUID_BYTES, &mut text);
    debug_assert_eq!(text.split(|&byte| byte == b'-').count(), UUID_PARTS.len());
    of_text(&text, seed, scratch, each);
}

fn of_number(kind: Kind, digits: usize, low: u64, high: u64, seed: u64) -> u64 {
    let kind = (kind as u64) << 8 | digits as u64;
    mix(mix(mix(seed ^ kind, low), high), kind)
}

fn of_bytes(bytes: &[u8], seed: u64) -> u64 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let hash = eights.iter().fold(seed, |hash, &eight| mix(hash, u64::from_le_bytes(eight)));
    let rest = rest.iter().fold(bytes.len() as u64, |rest, &byte| rest << 8 | u64::from(byte));
    mix(mix(hash, rest), MIX)
}

/// The halves of a product, folded.
fn mix(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ MIX) * u128::from(value ^ MIX.rotate_left(32));
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::TextGroupWriter;
    use crate::group::read::tests::{opened, statements};
    use crate::group::rows::Ranks;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn every_word_that_a_slot_has_has_its_hash(texts in statements(), seed in any::<u64>()) {
            let mut writer = TextGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            let mut hashes = BTreeSet::new();
            group.hashes(seed, &mut |hash| drop(hashes.insert(hash))).unwrap();
            let mut words = BTreeSet::new();
            for text in &texts {
                word::for_each_folded(text, &mut Vec::new(), |word| drop(words.insert(word.to_vec())));
            }
            for word in words {
                let wanted = Wanted::new(&word);
                let found = group.find_in_slots(&wanted).unwrap();
                let is_found = found.iter().any(|ranks| *ranks != Ranks::None);
                prop_assert_eq!(is_found, hashes.contains(&wanted.hash(seed)), "{}", String::from_utf8_lossy(&word));
            }
        }
    }

    #[test]
    fn hashes_stay_as_they_are_on_disks() {
        let hashes =
            ["error", "12", "10.0.0.1", "deadbeef01"].map(|word| Wanted::new(word.as_bytes()).hash(7));
        let kept = [
            6_602_831_289_519_307_091,
            10_671_398_608_451_802_547,
            1_900_930_064_237_223_345,
            15_438_839_649_330_509_906,
        ];
        assert_eq!(hashes, kept);
    }
}
