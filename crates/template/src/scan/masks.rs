//! The digits of a text and the bytes of its words, as bits.
//!
//! Bytes are processed 64 at a time, in a form that compilers turn into vector instructions. All further work is done
//! per variable.

use super::MARKERS;
use logstead_record::word;
use std::ops::Range;

pub(super) const CHUNK: usize = u64::BITS as usize;

// A class has a bit for each of these properties, in the positions that `halves` uses.
const DIGIT: u8 = 1;
const WORD: u8 = 1 << 4;
const MARKER: u8 = 2;
const BEYOND_ASCII: u8 = 4;

/// A bit for each byte of a text, the lowest bit first, followed by zeros.
#[derive(Default)]
pub(super) struct Masks {
    digits: Vec<u64>,
    words: Vec<u64>,
}

impl Masks {
    /// Reads a text, which must be followed by spaces up to a whole number of chunks: by at least one, as runs end
    /// before the last bit. `false` if it contains a byte that stands for a variable in keys.
    pub(super) fn fill(&mut self, padded: &[u8], bytes: usize) -> bool {
        self.digits.clear();
        self.words.clear();
        let mut all = 0;
        for chunk in padded.as_chunks::<CHUNK>().0 {
            let ([first, second], classes) = halves(chunk);
            let half = u64::BITS / 2;
            self.digits.push(first & u64::from(u32::MAX) | second << half);
            self.words.push(first >> half | second >> half << half);
            all |= classes;
        }
        if all & BEYOND_ASCII != 0 {
            self.add_beyond_ascii(&padded[..bytes]);
        }
        all & MARKER == 0
    }

    /// Letters and digits beyond ASCII belong to words too.
    fn add_beyond_ascii(&mut self, text: &[u8]) {
        for range in word::words(text) {
            for at in range {
                self.words[at / CHUNK] |= 1 << (at % CHUNK);
            }
        }
    }

    /// The first digit from a position on.
    pub(super) fn next_digit(&self, from: usize) -> Option<usize> {
        let mut chunk = from / CHUNK;
        let mut left = self.digits.get(chunk)? & u64::MAX << (from % CHUNK);
        while left == 0 {
            chunk += 1;
            left = *self.digits.get(chunk)?;
        }
        Some(chunk * CHUNK + left.trailing_zeros() as usize)
    }

    /// The word that a digit belongs to, but starting no earlier than `low`, and the end of the digits that begin
    /// there.
    #[inline]
    pub(super) fn around(&self, digit: usize, low: usize) -> (Range<usize>, usize) {
        let (chunk, bit) = (digit / CHUNK, digit % CHUNK);
        let (gaps, others) = (!self.words[chunk], !self.digits[chunk]);
        let (gaps_before, gaps, others) = (gaps << 1 >> bit, gaps >> bit, others >> bit);
        // Most words are within one chunk, and most words with a digit begin with one.
        let is_first = digit == low || gaps_before & 1 == 1;
        if gaps == 0 || !is_first {
            let word = self.word_start(digit, low)..self.word_end(digit);
            return (word, run_end(&self.digits, digit));
        }
        (digit..digit + gaps.trailing_zeros() as usize, digit + others.trailing_zeros() as usize)
    }

    /// Whether a byte belongs to a word. After the text, none does.
    pub(super) fn is_word(&self, at: usize) -> bool {
        self.words.get(at / CHUNK).is_some_and(|chunk| chunk >> (at % CHUNK) & 1 == 1)
    }

    /// The end of the word that a byte belongs to.
    fn word_end(&self, at: usize) -> usize {
        run_end(&self.words, at)
    }

    /// The start of the word that a byte belongs to, but no earlier than `low`.
    fn word_start(&self, at: usize, low: usize) -> usize {
        let mut chunk = at / CHUNK;
        let mut gaps = !self.words[chunk] & !(u64::MAX << (at % CHUNK));
        while gaps == 0 {
            if chunk * CHUNK <= low {
                return low;
            }
            chunk -= 1;
            gaps = !self.words[chunk];
        }
        let start = chunk * CHUNK + CHUNK - gaps.leading_zeros() as usize;
        start.max(low)
    }
}

fn run_end(masks: &[u64], from: usize) -> usize {
    let mut chunk = from / CHUNK;
    let mut gaps = !masks[chunk] & u64::MAX << (from % CHUNK);
    while gaps == 0 {
        chunk += 1;
        gaps = masks.get(chunk).map_or(1, |mask| !mask);
    }
    chunk * CHUNK + gaps.trailing_zeros() as usize
}

/// There are no branches, so that many bytes are processed at once.
#[inline]
fn class_of(byte: u8) -> u8 {
    let is_digit = byte.wrapping_sub(b'0') < 10;
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let digit = u8::from(is_digit) * DIGIT;
    let word = u8::from(is_digit | is_letter) * WORD;
    let marker = u8::from(byte <= MARKERS) * MARKER;
    let beyond = (byte >> 7) * BEYOND_ASCII;
    digit | word | marker | beyond
}

/// For each half of a chunk, a bit for each digit, and in the upper half of the bits, one for each byte of a word;
/// and the union of all classes.
fn halves(chunk: &[u8; CHUNK]) -> ([u64; 2], u8) {
    const EIGHT: usize = 8;
    // Eight bytes of each half form one vector, and the next eight are put into its next bits.
    let (mut gathered, mut all) = ([0; 2 * EIGHT], [0; 2 * EIGHT]);
    for number in 0..CHUNK / (2 * EIGHT) {
        let mut bytes = [0; 2 * EIGHT];
        bytes[..EIGHT].copy_from_slice(&chunk[number * EIGHT..][..EIGHT]);
        bytes[EIGHT..].copy_from_slice(&chunk[CHUNK / 2 + number * EIGHT..][..EIGHT]);
        for at in 0..2 * EIGHT {
            let class = class_of(bytes[at]);
            all[at] |= class;
            gathered[at] |= (class & (DIGIT | WORD)) << number;
        }
    }
    let (gathered, _) = gathered.as_chunks::<EIGHT>();
    let halves = [gathered[0], gathered[1]].map(|half| transposed(u64::from_le_bytes(half)));
    (halves, all.iter().fold(0, |all, class| all | class))
}

/// Transposes eight bytes as a square of bits.
fn transposed(square: u64) -> u64 {
    let swap = |square: u64, distance: u32, mask: u64| {
        let differ = (square ^ square >> distance) & mask;
        square ^ differ ^ differ << distance
    };
    let square = swap(square, 7, 0x00aa_00aa_00aa_00aa);
    let square = swap(square, 14, 0x0000_cccc_0000_cccc);
    swap(square, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masks_say_where_words_and_digits_are(
            text in prop_oneof!["[ -~]{0,150}", "[a1 é²٣–.]{0,80}"].prop_map(String::into_bytes),
            broken in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        ) {
            let mut text = text;
            for (at, byte) in broken {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    text[at] = byte;
                }
            }
            let mut masks = Masks::default();
            let mut padded = text.clone();
            padded.resize(text.len() / CHUNK * CHUNK + CHUNK, b' ');
            let fits = masks.fill(&padded, text.len());
            prop_assert_eq!(fits, text.iter().all(|byte| MARKERS < *byte));
            let words: Vec<_> = word::words(&text).collect();
            let in_word = |at: usize| words.iter().find(|range| range.contains(&at));
            for at in 0..text.len() {
                prop_assert_eq!(masks.is_word(at), in_word(at).is_some());
                if let Some(word) = in_word(at) {
                    prop_assert_eq!(masks.word_end(at), word.end);
                    prop_assert_eq!(masks.word_start(at, 0), word.start);
                }
                let digit = (at..text.len()).find(|&at| text[at].is_ascii_digit());
                prop_assert_eq!(masks.next_digit(at), digit);
                if let Some(word) = in_word(at)
                    && digit == Some(at)
                {
                    let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    prop_assert_eq!(masks.around(at, 0), (word.clone(), at + digits));
                }
            }
        }
    }
}
