//! The skeleton of a key: the key without its words. Keys with the same skeleton differ only in words, and from them
//! the skeleton learns in which places they differ.

use crate::limits::{WORDS_MAX, words_max};
use crate::scan::VariableKind;
use std::ops::Range;

const SLOT: u8 = VariableKind::Text as u8;

/// A key, split into its words and its skeleton.
#[derive(Default)]
pub(crate) struct SplitKey {
    /// The key with a slot for each word.
    pub(crate) skeleton: Vec<u8>,
    /// The ranges of the words and slots of the key, in order.
    words: Vec<Range<u32>>,
}

impl SplitKey {
    /// Splits another key.
    pub(crate) fn fill(&mut self, key: &[u8]) {
        self.skeleton.clear();
        self.words.clear();
        let mut at = 0;
        while let Some(&byte) = key.get(at) {
            let start = at;
            at += 1;
            if is_letter(byte) {
                while key.get(at).is_some_and(|&byte| is_letter(byte)) {
                    at += 1;
                }
            } else if byte != SLOT {
                self.skeleton.push(byte);
                continue;
            }
            self.skeleton.push(SLOT);
            self.words.push(start as u32..at as u32);
        }
    }

    fn words<'a>(&'a self, key: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.words.iter().map(|word| &key[word.start as usize..word.end as usize])
    }
}

/// The words that have occurred in the places of a skeleton.
#[derive(Default)]
pub(crate) struct Skeleton {
    pub(crate) keys: u32,
    /// The number of keys that were candidates for templates.
    pub(crate) wanted: u32,
    places: Vec<PlaceWords>,
}

/// The words of a place, by their hashes.
#[derive(Clone, Copy, Default)]
struct PlaceWords {
    words: [u32; WORDS_MAX],
    len: u8,
    /// Whether any word may be in this place.
    is_wild: bool,
}

/// The number of wild places of a key, and the number of all its places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WildPlaces {
    pub(crate) wild: usize,
    pub(crate) places: usize,
}

impl Skeleton {
    /// Learns from a key with this skeleton and its split form; `hash` gives the hash of a word.
    pub(crate) fn learn(&mut self, key: &[u8], split: &SplitKey, hash: impl Fn(&[u8]) -> u64) -> WildPlaces {
        let words_max = words_max(self.wanted);
        let mut learned = WildPlaces { wild: 0, places: 0 };
        for (number, word) in split.words(key).enumerate() {
            if self.places.len() == number {
                self.places.push(PlaceWords::default());
            }
            let place = &mut self.places[number];
            if word != [SLOT] {
                if !place.is_wild {
                    place.learn(hash(word) as u32, words_max);
                }
                learned.wild += usize::from(place.is_wild);
            }
            learned.places += 1;
        }
        learned
    }

    /// The number of places that are known.
    pub(crate) fn places(&self) -> usize {
        self.places.len()
    }

    /// Appends a key with a slot in each wild place, given its split form. `false` if that changes nothing.
    pub(crate) fn mask(&self, key: &[u8], split: &SplitKey, out: &mut Vec<u8>) -> bool {
        let (mut at, mut is_changed) = (0, false);
        for (word, _) in split.words.iter().zip(&self.places).filter(|(_, place)| place.is_wild) {
            out.extend_from_slice(&key[at..word.start as usize]);
            out.push(SLOT);
            is_changed |= key[word.start as usize] != SLOT;
            at = word.end as usize;
        }
        out.extend_from_slice(&key[at..]);
        is_changed
    }
}

impl PlaceWords {
    fn learn(&mut self, word: u32, words_max: usize) {
        let known = usize::from(self.len);
        let is_new = !self.words[..known].contains(&word);
        self.is_wild = words_max < known + usize::from(is_new);
        if is_new && !self.is_wild {
            self.words[known] = word;
            self.len += 1;
        }
    }
}

/// Whether a byte of a key belongs to a word. Bytes beyond ASCII do: only bytes that certainly belong to no word
/// separate words.
pub(crate) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || 0x80 <= byte
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(word: &[u8]) -> u64 {
        word.iter().fold(7, |hash, &byte| hash * 31 + u64::from(byte))
    }

    fn masked(keys: &[&[u8]]) -> Vec<u8> {
        let (mut of, mut split, mut out) = (Skeleton::default(), SplitKey::default(), Vec::new());
        for key in keys {
            split.fill(key);
            of.learn(key, &split, hash);
        }
        of.mask(keys[keys.len() - 1], &split, &mut out);
        out
    }

    #[test]
    fn a_skeleton_has_a_slot_for_each_word() {
        for (key, expected) in [
            (&b"user root from \x05 port \x01"[..], &b"\x07 \x07 \x07 \x05 \x07 \x01"[..]),
            (b"a\x07b", b"\x07\x07\x07"),
            ("für=é".as_bytes(), b"\x07=\x07"),
            (b"", b""),
            (b" - ", b" - "),
        ] {
            let mut split = SplitKey::default();
            split.fill(key);
            assert_eq!(split.skeleton, expected);
        }
    }

    #[test]
    fn a_place_with_many_words_becomes_a_slot() {
        let keys: Vec<Vec<u8>> =
            (b'a'..=b'z').map(|user| [b"user ", &[user][..], b" \x01"].concat()).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        assert_eq!(masked(&keys[..WORDS_MAX]), b"user h \x01");
        assert_eq!(masked(&keys[..=WORDS_MAX]), b"user \x07 \x01");
    }
}
