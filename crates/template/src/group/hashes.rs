//! The hashes of the words in slots, for an index from words to groups.
//!
//! A word has a single hash, wherever it occurs: that of the word as a variable of its own, with its letters in lower
//! case. Hashes are stored on disk, so their computation never changes.

use super::column::{Lengths, OpenColumn, SlotColumn};
use super::find::{UUID_BYTES, UUID_PARTS, WantedWord, own};
use super::head::StoredTexts;
use super::read::TemplateGroup;
use crate::bytes::Result;
use crate::numbers::NumberColumn;
use crate::scan::{Variable, VariableKind, write};
use logstead_record::word;

/// An odd number without a pattern: the fractional part of the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a word in lower case or of an address, as for [`WantedWord`].
pub fn word_hash(folded: &[u8], seed: u64) -> u64 {
    of_word(&own(folded), folded, seed)
}

impl WantedWord {
    /// The hash of the word. Anybody who knows the seed can construct words with the same hash.
    pub fn hash(&self, seed: u64) -> u64 {
        of_word(&self.own, &self.folded, seed)
    }
}

impl TemplateGroup {
    /// Calls `each` with the hash of every word in a slot, possibly more than once. An address gives the hashes of
    /// its four words, and its own.
    pub fn hashes(&self, seed: u64, mut each: impl FnMut(u64)) -> Result<()> {
        let mut scratch = Vec::new();
        let mut small = SmallNumbers::default();
        for &address in self.addresses()? {
            each(of_number(VariableKind::Address, AS_IT_IS, u64::from(address), 0, seed));
            for octet in address.to_be_bytes() {
                if small.is_new(u64::from(octet)) {
                    each(of_number(VariableKind::Decimal, AS_IT_IS, u64::from(octet), 0, seed));
                }
            }
        }
        self.dictionary()?.iter().for_each(|text| of_text(text, seed, &mut scratch, &mut each));
        self.for_each_block(StoredTexts::Words, |_, words| {
            words.iter().for_each(|text| of_text(text, seed, &mut scratch, &mut each));
            true
        })?;
        for (number, entry) in (0..).zip(&self.head.columns) {
            if matches!(entry.kind, VariableKind::Address | VariableKind::Text) {
                continue;
            }
            let OpenColumn { column, bytes } = self.column_at(number)?;
            let SlotColumn::Number { kind, lengths, low, high } = column else { continue };
            // In lower case, both hexadecimal kinds are the same.
            let kind = if *kind == VariableKind::HexUpper { VariableKind::Hex } else { *kind };
            if let Some(high) = high {
                wide_hashes(lengths, [low, high], bytes, seed, &mut scratch, &mut each);
                continue;
            }
            let mut number = |length, low| {
                if kind != VariableKind::Decimal || length != AS_IT_IS || small.is_new(low) {
                    each(of_number(kind, length, low, 0, seed));
                }
            };
            match lengths {
                Lengths::Natural => low.for_each_distinct(bytes, |low| number(AS_IT_IS, low)),
                Lengths::Fixed(length) => {
                    low.for_each_distinct(bytes, |low| number(zeros(kind, *length, low), low));
                }
                Lengths::Each(lengths) => {
                    let mut rank = 0;
                    low.for_each(bytes, 0..low.len(), |low| {
                        let length = lengths.get(bytes, rank) as usize;
                        number(zeros(kind, length, low), low);
                        rank += 1;
                    });
                }
            }
        }
        Ok(())
    }
}

/// Calls `each` with the hashes of the words of a column of wide numbers.
fn wide_hashes(
    lengths: &Lengths,
    [low, high]: [&NumberColumn; 2],
    bytes: &[u8],
    seed: u64,
    scratch: &mut Vec<u8>,
    each: &mut impl FnMut(u64),
) {
    let mut rank = 0;
    low.for_each(bytes, 0..low.len(), |low| {
        let (length, high) = (lengths.of(bytes, rank, VariableKind::Wide, low), high.get(bytes, rank));
        rank += 1;
        match length {
            UUID_BYTES => of_uuid(low, high, seed, scratch, each),
            length => each(of_number(VariableKind::Wide, length, low, high, seed)),
        }
    });
}

/// The small numbers that have occurred: most numbers are small, and occur many times.
struct SmallNumbers {
    met: Vec<u64>,
}

/// The numbers below this one are small.
const SMALL: u64 = 1 << 17;

impl Default for SmallNumbers {
    fn default() -> SmallNumbers {
        SmallNumbers { met: vec![0; (SMALL / u64::from(u64::BITS)) as usize] }
    }
}

impl SmallNumbers {
    /// Whether a number has not occurred before, or is not small.
    #[inline]
    fn is_new(&mut self, number: u64) -> bool {
        let Some(met) = self.met.get_mut((number / u64::from(u64::BITS)) as usize) else { return true };
        let bit = 1 << (number % u64::from(u64::BITS));
        let is_new = *met & bit == 0;
        *met |= bit;
        is_new
    }
}

/// The hash of a word in lower case, which is also given as a variable.
fn of_word(own: &Variable, folded: &[u8], seed: u64) -> u64 {
    let digits = usize::from(own.bytes);
    match own.kind {
        VariableKind::Text => of_bytes(folded, seed),
        VariableKind::Wide => of_number(own.kind, digits, own.low, own.high, seed),
        VariableKind::Address => of_number(own.kind, AS_IT_IS, own.low, 0, seed),
        kind => of_number(kind, zeros(kind, digits, own.low), own.low, 0, seed),
    }
}

/// Stands for the number of digits of a number without leading zeros.
const AS_IT_IS: usize = 0;

/// The number of digits that a number is written with, if it has leading zeros.
#[inline]
fn zeros(kind: VariableKind, digits: usize, value: u64) -> usize {
    if kind.digits(value) == digits { AS_IT_IS } else { digits }
}

/// Calls `each` with the hashes of the words of a text variable.
fn of_text(text: &[u8], seed: u64, scratch: &mut Vec<u8>, each: &mut impl FnMut(u64)) {
    word::for_each_folded(text, scratch, |word| each(of_word(&Variable::of_word(word, 0), word, seed)));
}

fn of_uuid(low: u64, high: u64, seed: u64, scratch: &mut Vec<u8>, each: &mut impl FnMut(u64)) {
    let mut text = Vec::with_capacity(UUID_BYTES);
    write(VariableKind::Wide, low, high, UUID_BYTES, &mut text);
    debug_assert_eq!(text.split(|&byte| byte == b'-').count(), UUID_PARTS.len());
    of_text(&text, seed, scratch, each);
}

#[inline]
fn of_number(kind: VariableKind, zeros: usize, low: u64, high: u64, seed: u64) -> u64 {
    let kind = (kind as u64) << 8 | zeros as u64;
    mix(mix(seed ^ kind, low), high ^ kind)
}

fn of_bytes(bytes: &[u8], seed: u64) -> u64 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let hash = eights.iter().fold(seed, |hash, &eight| mix(hash, u64::from_le_bytes(eight)));
    let rest = rest.iter().fold(bytes.len() as u64, |rest, &byte| rest << 8 | u64::from(byte));
    mix(mix(hash, rest), MIX)
}

/// Multiplies, and combines both halves of the product.
#[inline]
fn mix(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ MIX) * u128::from(value ^ MIX.rotate_left(32));
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::TemplateGroupWriter;
    use crate::group::read::tests::{opened, statements};
    use crate::group::rows::Ranks;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn every_word_that_a_slot_has_has_its_hash(texts in statements(), seed in any::<u64>()) {
            let mut writer = TemplateGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            let mut hashes = BTreeSet::new();
            group.hashes(seed, |hash| {
                hashes.insert(hash);
            }).unwrap();
            let mut words = BTreeSet::new();
            for text in &texts {
                word::for_each_folded(text, &mut Vec::new(), |word| {
                    words.insert(word.to_vec());
                });
            }
            for word in words {
                let wanted = WantedWord::new(&word);
                let (found, _) = group.find_in_slots(&wanted).unwrap();
                let is_found = found.iter().any(|ranks| *ranks != Ranks::None);
                prop_assert_eq!(is_found, hashes.contains(&wanted.hash(seed)), "{}", String::from_utf8_lossy(&word));
            }
        }
    }

    #[test]
    fn hashes_stay_as_they_are_on_disks() {
        let hashes =
            ["error", "12", "10.0.0.1", "deadbeef01"].map(|word| WantedWord::new(word.as_bytes()).hash(7));
        let kept = [
            6_602_831_289_519_307_091,
            8_321_500_941_253_614_410,
            3_331_521_257_600_298_372,
            10_862_019_125_230_928_194,
        ];
        assert_eq!(hashes, kept);
    }
}
