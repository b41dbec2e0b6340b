//! Builds a word index of messages in memory: for each word, the rows that contain it.
//!
//! Each known word has a slot of 16 bytes in a hash table: its key, its number, and the last row that had it, so that
//! a word counts once per row. The key of a word of up to seven bytes is the word itself; the key of a longer word is
//! a hash, and the bytes are compared. The numbers of each row's words are appended to one list, which is sorted by
//! counting at the end.
//!
//! **Invariant:** two words are one only if all their bytes are: a collision of hashes never hides a message.

use hashbrown::HashTable;
use logstead_record::word;
use std::hash::{BuildHasher, RandomState};

/// The length beyond which only the first bytes of a word are indexed.
pub(crate) const TERM_BYTES_MAX: usize = 128;
/// The greatest length of a word that is its own key.
const SHORT_BYTES_MAX: usize = 7;
/// The highest byte of the key of a long word; that of a short word is its length.
const LONG: u64 = 0x80 << 56;
/// An odd number without a pattern: the fractional part of the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A word index that grows row by row.
pub(crate) struct Inverter {
    table: HashTable<TermSlot>,
    /// The seed of the hash. It is random, so that nobody can prepare colliding words, and has no effect on the
    /// result.
    seed: u64,
    /// The concatenated terms by number, and the end of each.
    terms: Vec<u8>,
    term_ends: Vec<usize>,
    /// The numbers of the terms of each row, row by row, and the ends of all rows before the current one.
    numbers: Vec<u32>,
    row_ends: Vec<usize>,
    scratch: Vec<u8>,
}

#[derive(Clone, Copy)]
struct TermSlot {
    key: u64,
    number: u32,
    last_row: u32,
}

impl Inverter {
    /// An inverter without rows.
    #[cfg(test)]
    pub(crate) fn new() -> Inverter {
        Inverter::with_room(0)
    }

    /// An inverter without rows, with room for the words that about this many rows usually have, because growing a
    /// table to a million words costs as much as filling it.
    pub(crate) fn with_room(rows: usize) -> Inverter {
        Inverter {
            table: HashTable::with_capacity(rows * 5 / 8),
            seed: RandomState::new().hash_one(0),
            terms: Vec::with_capacity(rows * 4),
            term_ends: Vec::with_capacity(rows * 5 / 8),
            numbers: Vec::with_capacity(rows * 12),
            row_ends: Vec::with_capacity(rows + 1),
            scratch: Vec::new(),
        }
    }

    /// Adds all words of a text to a row.
    ///
    /// # Panics
    /// Panics if a later row was added before.
    pub(crate) fn add_text(&mut self, row: u32, text: &[u8]) {
        assert!(self.row_ends.len() <= row as usize, "row {row} comes after {}", self.row_ends.len());
        self.row_ends.resize(row as usize, self.numbers.len());
        let mut scratch = std::mem::take(&mut self.scratch);
        word::for_each_folded(text, &mut scratch, |word| self.add_term(row, word));
        self.scratch = scratch;
    }

    /// The approximate memory that it takes. Unused room costs nothing.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.table.allocation_size()
            + self.terms.len()
            + (self.term_ends.len() + self.row_ends.len()) * size_of::<usize>()
            + self.numbers.len() * size_of::<u32>()
    }

    /// The approximate memory at the end, when the rows are put in the order of the words.
    pub(crate) fn finishing_memory_bytes(&self) -> usize {
        self.memory_bytes() + self.numbers.len() * size_of::<u32>()
    }

    /// Makes the index. Meanwhile, the rows take twice the memory.
    pub(crate) fn finish(mut self) -> InvertedWords {
        self.row_ends.push(self.numbers.len());
        self.table = HashTable::new();
        let mut ends = self.count_rows();
        let mut rows = vec![0; self.numbers.len()];
        let mut start = 0;
        for (row, &end) in self.row_ends.iter().enumerate() {
            for &number in &self.numbers[start..end] {
                let place = &mut ends[number as usize];
                rows[*place] = row as u32;
                *place += 1;
            }
            start = end;
        }
        let mut inverted = InvertedWords {
            terms: self.terms,
            term_ends: self.term_ends,
            order: Vec::new(),
            rows,
            row_ends: ends,
        };
        inverted.sort_terms();
        inverted
    }

    /// For each term, the number of rows of all terms before it, which is where its own rows begin.
    fn count_rows(&self) -> Vec<usize> {
        let mut starts = vec![0; self.term_ends.len()];
        for &number in &self.numbers {
            starts[number as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        starts
    }

    /// Adds a term to a row, which is the last one or a new one.
    pub(crate) fn add_term(&mut self, row: u32, word: &[u8]) {
        let word = &word[..word.len().min(TERM_BYTES_MAX)];
        let key = self.key(word);
        let (terms, term_ends) = (&self.terms, &self.term_ends);
        let is_word = |slot: &TermSlot| {
            slot.key == key
                && (key < LONG || range(term_ends, slot.number).is_some_and(|at| terms[at] == *word))
        };
        match self.table.find_mut(spread(key ^ self.seed), is_word) {
            Some(slot) if slot.last_row == row => {}
            Some(slot) => {
                slot.last_row = row;
                self.numbers.push(slot.number);
            }
            None => self.insert(key, row, word),
        }
    }

    #[cold]
    fn insert(&mut self, key: u64, row: u32, word: &[u8]) {
        let number =
            u32::try_from(self.term_ends.len()).expect("a segment has far less than 4 G different words");
        self.terms.extend_from_slice(word);
        self.term_ends.push(self.terms.len());
        self.numbers.push(number);
        let seed = self.seed;
        let slot = TermSlot { key, number, last_row: row };
        self.table.insert_unique(spread(key ^ seed), slot, |slot| spread(slot.key ^ seed));
    }

    fn key(&self, word: &[u8]) -> u64 {
        match word.len() {
            bytes @ ..=SHORT_BYTES_MAX => (bytes as u64) << 56 | packed(word),
            _ => hash(self.seed, word) | LONG,
        }
    }
}

/// The result of an inverter: the terms in order, each with its rows.
pub(crate) struct InvertedWords {
    terms: Vec<u8>,
    term_ends: Vec<usize>,
    /// The numbers of the terms, in the order of the terms' bytes.
    order: Vec<u32>,
    /// The rows of term 0, those of term 1 and so on, and the end of each term's rows.
    rows: Vec<u32>,
    row_ends: Vec<usize>,
}

impl InvertedWords {
    /// The terms in the order of their bytes, each with its rows, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u32])> {
        self.order.iter().map(|&number| {
            let rows = range(&self.row_ends, number).map_or(&[][..], |at| &self.rows[at]);
            (self.term(number), rows)
        })
    }

    /// The terms in the order of their numbers, which is their order in memory.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.term_ends.len() as u32).map(|number| self.term(number))
    }

    /// The number of pairs of a term and a row.
    pub(crate) fn postings(&self) -> u64 {
        self.rows.len() as u64
    }

    fn term(&self, number: u32) -> &[u8] {
        range(&self.term_ends, number).map_or(&[], |at| &self.terms[at])
    }

    fn sort_terms(&mut self) {
        let prefixed = |number| (prefix(self.term(number)), number);
        let mut order: Vec<(u64, u32)> = (0..self.term_ends.len() as u32).map(prefixed).collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.term(a.1).cmp(self.term(b.1))));
        self.order = order.into_iter().map(|(_, number)| number).collect();
    }
}

/// The range between the end of the previous item and the end of this one.
fn range(ends: &[usize], number: u32) -> Option<std::ops::Range<usize>> {
    let number = number as usize;
    let start = if number == 0 { 0 } else { *ends.get(number - 1)? };
    Some(start..*ends.get(number)?)
}

/// The bytes of a short word as one number, which is different for different words of the same length.
fn packed(word: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (word.len() * 8 - 32)
    } else if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << (word.len() * 8 - 16)
    } else {
        word.first().map_or(0, |&byte| u64::from(byte))
    }
}

/// The first eight bytes as a number with the same order; a short word is filled up with zeros.
fn prefix(term: &[u8]) -> u64 {
    let mut first = [0; 8];
    let bytes = term.len().min(8);
    first[..bytes].copy_from_slice(&term[..bytes]);
    u64::from_be_bytes(first)
}

/// A hash of a word of at least eight bytes.
fn hash(seed: u64, word: &[u8]) -> u64 {
    let (chunks, _) = word.as_chunks();
    let mixed =
        chunks.iter().fold(seed ^ word.len() as u64, |hash, chunk| spread(hash ^ u64::from_le_bytes(*chunk)));
    let last = word.last_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    spread(mixed ^ last)
}

/// Makes each bit of the result depend on each bit of the number.
fn spread(number: u64) -> u64 {
    let product = u128::from(number) * u128::from(MIX);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Index = BTreeMap<Vec<u8>, BTreeSet<u32>>;

    /// Builds the same index in a simple, slow way.
    pub(crate) fn naive(texts: &[(u32, Vec<u8>)]) -> Index {
        let mut index = Index::new();
        for (row, text) in texts {
            for range in word::words(text) {
                let mut folded = Vec::new();
                word::fold(&text[range], &mut folded);
                folded.truncate(TERM_BYTES_MAX);
                index.entry(folded).or_default().insert(*row);
            }
        }
        index
    }

    pub(crate) fn inverted(texts: &[(u32, Vec<u8>)]) -> InvertedWords {
        let mut inverter = Inverter::new();
        for (row, text) in texts {
            inverter.add_text(*row, text);
        }
        inverter.finish()
    }

    /// Texts for rows that never decrease. The words repeat, resemble each other, are long, or are not ASCII.
    pub(crate) fn texts() -> impl Strategy<Value = Vec<(u32, Vec<u8>)>> {
        let word = prop_oneof![
            4 => "[a-c]{1,3}",
            2 => "[ab]{6,9}",
            1 => "[Aa]{126,130}",
            1 => "ä{62,66}",
            1 => "[äÄßİ東a]{1,4}",
            1 => "\\PC{0,6}",
        ];
        let text = proptest::collection::vec(word, 0..12).prop_map(|words| words.join(" ").into_bytes());
        proptest::collection::vec((0_u32..3, text), 0..60).prop_map(|texts| {
            let rows = texts.iter().scan(0, |row, (step, _)| {
                *row += step;
                Some(*row)
            });
            rows.zip(texts.iter().map(|(_, text)| text.clone())).collect()
        })
    }

    fn check(texts: &[(u32, Vec<u8>)]) {
        let inverted = inverted(texts);
        let expected = naive(texts);
        let expected: Vec<(Vec<u8>, Vec<u32>)> =
            expected.into_iter().map(|(term, rows)| (term, rows.into_iter().collect())).collect();
        let found: Vec<(Vec<u8>, Vec<u32>)> =
            inverted.iter().map(|(term, rows)| (term.to_vec(), rows.to_vec())).collect();
        assert_eq!(found, expected);
        assert_eq!(inverted.postings(), expected.iter().map(|(_, rows)| rows.len() as u64).sum::<u64>());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

        #[test]
        fn every_word_has_exactly_its_rows(texts in texts()) {
            check(&texts);
        }
    }

    #[test]
    fn a_long_word_is_cut_anywhere_and_a_row_may_have_any_number_of_words() {
        check(&[(3, vec![b'x'; 1 << 20]), (5, format!("{}ä", "x".repeat(127)).into_bytes())]);
        let many: String = (0..100_000).map(|number| format!("w{number} ")).collect();
        check(&[(0, many.clone().into_bytes()), (0, many.into_bytes()), (9, b"w5".to_vec())]);
    }

    #[test]
    fn short_words_are_told_apart_by_their_keys_and_long_ones_by_their_bytes() {
        let words = |bytes: usize| {
            (0..4_usize.pow(bytes as u32))
                .map(move |word| -> Vec<u8> { (0..bytes).map(|at| b"01az"[word >> (2 * at) & 3]).collect() })
        };
        let texts: Vec<Vec<u8>> = (1..=SHORT_BYTES_MAX + 1).flat_map(words).collect();
        let texts: Vec<(u32, Vec<u8>)> =
            texts.into_iter().enumerate().map(|(row, text)| (row as u32, text)).collect();
        check(&texts);
    }

    #[test]
    fn words_whose_hashes_collide_stay_apart() {
        // Makes an entry for one long word under the key of another.
        let mut inverter = Inverter::new();
        let key = inverter.key(b"collision");
        inverter.insert(key, 0, b"something else");
        inverter.add_text(1, b"collision");
        inverter.add_text(2, b"collision");
        let found: Vec<_> =
            inverter.finish().iter().map(|(term, rows)| (term.to_vec(), rows.to_vec())).collect();
        assert_eq!(found, [(b"collision".to_vec(), vec![1, 2]), (b"something else".to_vec(), vec![0])]);
    }

    #[test]
    fn memory_is_counted() {
        let mut inverter = Inverter::new();
        let empty = inverter.memory_bytes();
        inverter.add_text(0, &[b'x'; 100]);
        assert!(empty + 100 < inverter.memory_bytes());
    }

    #[test]
    #[should_panic(expected = "row 1 comes after 2")]
    fn rows_do_not_decrease() {
        let mut inverter = Inverter::new();
        inverter.add_text(2, b"a");
        inverter.add_text(1, b"a");
    }
}
