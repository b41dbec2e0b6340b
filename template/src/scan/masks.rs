//! Which bytes of a text are digits and which belong to words, as bits.
//!
//! What is done for each byte is done for 64 of them at once, in a form that compilers turn into vector instructions.
//! What follows is done for each variable.

use super::MARKERS;
use logstead_record::word;

const CHUNK: usize = u64::BITS as usize;

// A class has a bit for each of these, and they are those that `gather` looks at.
const DIGIT: u8 = 1;
const WORD: u8 = 1 << 4;
const MARKER: u8 = 2;
const BEYOND_ASCII: u8 = 4;

/// A bit for each byte of a text, lowest first, and zeros behind it.
#[derive(Default)]
pub(super) struct Masks {
    digits: Vec<u64>,
    words: Vec<u64>,
}

impl Masks {
    /// Looks at a text. `false` where it holds a byte that stands for a variable in keys.
    pub(super) fn fill(&mut self, text: &[u8]) -> bool {
        self.digits.clear();
        self.words.clear();
        let mut all = 0;
        let (chunks, rest) = text.as_chunks::<CHUNK>();
        for chunk in chunks {
            all |= self.push(chunk, 0);
        }
        // A chunk of its own even where nothing is left: runs end before the last bit.
        if let Some(last) = text.last_chunk::<CHUNK>() {
            all |= self.push(last, CHUNK - rest.len());
        } else {
            let mut last = [b' '; CHUNK];
            last[..rest.len()].copy_from_slice(rest);
            all |= self.push(&last, 0);
        }
        if all & BEYOND_ASCII != 0 {
            self.add_beyond_ascii(text);
        }
        all & MARKER == 0
    }

    /// Adds a chunk, of which the first bytes are known already. Returns the classes that it has.
    fn push(&mut self, bytes: &[u8; CHUNK], known: usize) -> u8 {
        // Not by `map`, which is a call for each byte.
        let mut classes = [0; CHUNK];
        classes.iter_mut().zip(bytes).for_each(|(class, &byte)| *class = class_of(byte));
        let (first, second, all) = gather(&classes);
        let half = u64::BITS / 2;
        let digits = first & u64::from(u32::MAX) | second << half;
        let words = first >> half | second >> half << half;
        let shift = known as u32;
        self.digits.push(digits.checked_shr(shift).unwrap_or(0));
        self.words.push(words.checked_shr(shift).unwrap_or(0));
        all
    }

    /// Letters and digits beyond ASCII belong to words too.
    fn add_beyond_ascii(&mut self, text: &[u8]) {
        for range in word::words(text) {
            for at in range {
                self.words[at / CHUNK] |= 1 << (at % CHUNK);
            }
        }
    }

    /// The first digit from a byte on.
    pub(super) fn next_digit(&self, from: usize) -> Option<usize> {
        let mut chunk = from / CHUNK;
        let mut left = self.digits.get(chunk)? & u64::MAX << (from % CHUNK);
        while left == 0 {
            chunk += 1;
            left = *self.digits.get(chunk)?;
        }
        Some(chunk * CHUNK + left.trailing_zeros() as usize)
    }

    /// Whether a byte belongs to a word. There is none behind the text.
    pub(super) fn is_word(&self, at: usize) -> bool {
        self.words.get(at / CHUNK).is_some_and(|chunk| chunk >> (at % CHUNK) & 1 == 1)
    }

    /// Where the word ends that a byte belongs to.
    pub(super) fn word_end(&self, at: usize) -> usize {
        run_end(&self.words, at)
    }

    /// Where the digits end that begin at a byte.
    pub(super) fn digits_end(&self, at: usize) -> usize {
        run_end(&self.digits, at)
    }

    /// Where the word begins that a byte belongs to, but not before `low`.
    pub(super) fn word_start(&self, at: usize, low: usize) -> usize {
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

/// Without branches, so that many are done at once.
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

/// Of the first and of the second half of a chunk a bit for each digit, and from half on one for each byte of a word;
/// and all classes.
fn gather(classes: &[u8; CHUNK]) -> (u64, u64, u8) {
    const BITS: u64 = 0x0101_0101_0101_0101 * (DIGIT | WORD) as u64;
    let (eights, _) = classes.as_chunks::<8>();
    let (mut halves, mut all) = ([0; 2], 0);
    for (half, eights) in halves.iter_mut().zip(eights.chunks(4)) {
        for (number, eight) in eights.iter().enumerate() {
            let eight = u64::from_le_bytes(*eight);
            all |= eight;
            *half |= (eight & BITS) << number;
        }
    }
    let all = all.to_le_bytes().iter().fold(0, |all, class| all | class);
    (transposed(halves[0]), transposed(halves[1]), all)
}

/// Eight bytes as a square of bits, and rows for columns.
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
            let fits = masks.fill(&text);
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
                let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                prop_assert_eq!(masks.digits_end(at), at + digits);
            }
        }
    }
}
