//! The definition of a word, shared by the index, the matcher and highlighting: a maximal run of letters and digits, in
//! lower case. Letters and digits are Unicode's; bytes that are not UTF-8 separate words.
//!
//! Case is folded character by character (Unicode's simple lower case), so a position in a text corresponds to one in
//! its folded form, and folding never changes whether a character belongs to a word.
//!
//! **Invariant:** nothing else in the project decides where a word begins or ends, or how case is folded.

use crate::bits;
use std::ops::Range;
use std::sync::LazyLock;

/// The code point from which on no character has another case.
const CASED_MAX: u32 = 0x2_0000;

/// For each byte, whether it is ASCII and belongs to a word.
const IS_ASCII_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = is_ascii_word(byte as u8);
        byte += 1;
    }
    table
};

/// Whether an ASCII byte belongs to a word.
const fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// The words of `text` as written, in order; [`fold`] gives their lower case.
pub fn words(text: &[u8]) -> Words<'_> {
    Words { text, at: 0 }
}

/// Calls `each` with the lower case of every word of `text`, in order. `scratch` is working space: its
/// content does not matter, and reusing it saves an allocation.
///
/// The result equals that of [`words`] with [`fold`], but is several times as fast for ASCII.
pub fn for_each_folded(text: &[u8], scratch: &mut Vec<u8>, mut each: impl FnMut(&[u8])) {
    scratch.clear();
    if text.is_ascii() {
        // The whole text is folded at once: a loop over short words would not be vectorised.
        scratch.extend(text.iter().map(u8::to_ascii_lowercase));
        return for_each_ascii(scratch, each);
    }
    for range in words(text) {
        scratch.clear();
        fold(&text[range], scratch);
        each(scratch);
    }
}

/// Whether a word contains a digit, and so belongs to the part that differs between messages.
fn has_digit(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
}

/// Appends the shape of a text: each word with a digit becomes `0`, the rest stays unchanged. Messages written by one
/// statement of a program have few shapes.
///
/// A text without such words, between word boundaries, occurs in another text exactly if it occurs in that text's shape.
pub fn shape(text: &[u8], out: &mut Vec<u8>) {
    if text.is_ascii() {
        return shape_ascii(text, out);
    }
    let mut copied = 0;
    for range in words(text).filter(|range| has_digit(&text[range.clone()])) {
        out.extend_from_slice(&text[copied..range.start]);
        out.push(b'0');
        copied = range.end;
    }
    out.extend_from_slice(&text[copied..]);
}

/// Appends the [`shape`] of an ASCII text. Bytes are classified 64 at a time and copied 8 at a time: most parts are short.
pub(crate) fn shape_ascii(text: &[u8], out: &mut Vec<u8>) {
    let in_word = |byte: &&u8| is_ascii_word(**byte);
    let (mut copied, mut at, mut len) = (0, 0, out.len());
    // A shape is at most as long as its text, and a copy may reach beyond its end.
    out.resize(len + text.len() + COPIED, 0);
    while at < text.len() {
        let (mut digits, words) = ascii_classes(&text[at..]);
        while digits != 0 {
            let digit = digits.trailing_zeros();
            let outside = !words & !(u64::MAX << digit);
            let start = match outside {
                // The word begins here or before.
                0 => at - text[copied..at].iter().rev().take_while(in_word).count(),
                _ => at + (u64::BITS - outside.leading_zeros()) as usize,
            };
            let behind = digit + (words >> digit).trailing_ones();
            let mut end = at + behind as usize;
            if behind == u64::BITS {
                end += text[end..].iter().take_while(in_word).count();
            }
            copy(text, copied..start, &mut out[len..]);
            len += start - copied;
            out[len] = b'0';
            len += 1;
            copied = end;
            digits &= u64::MAX.checked_shl(behind).unwrap_or(0);
        }
        at = copied.max(at + PLACES);
    }
    copy(text, copied..text.len(), &mut out[len..]);
    out.truncate(len + text.len() - copied);
}

/// The number of bytes that are classified together.
const PLACES: usize = u64::BITS as usize;
/// The number of bytes that are copied at once.
const COPIED: usize = 8;

/// Copies a range to the beginning of `out`, and up to [`COPIED`] bytes after it.
fn copy(text: &[u8], range: Range<usize>, out: &mut [u8]) {
    let mut to = 0;
    for from in range.clone().step_by(COPIED) {
        match text[from..].first_chunk::<COPIED>() {
            Some(bytes) => out[to..to + COPIED].copy_from_slice(bytes),
            None => out[to..to + range.end - from].copy_from_slice(&text[from..range.end]),
        }
        to += COPIED;
    }
}

/// Two words with a bit for each of the first bytes: which of them are digits, and which belong to words.
fn ascii_classes(text: &[u8]) -> (u64, u64) {
    let mut bytes = [0; PLACES];
    let len = text.len().min(bytes.len());
    bytes[..len].copy_from_slice(&text[..len]);
    let (mut digits, mut words) = ([0; PLACES], [0; PLACES]);
    for (at, byte) in bytes.iter().enumerate() {
        digits[at] = u8::from(byte.is_ascii_digit());
        words[at] = u8::from(is_ascii_word(*byte));
    }
    (bits::gather(&digits), bits::gather(&words))
}

/// Whether a text occurs in other texts exactly if it occurs in their shapes.
pub fn is_shape(text: &[u8]) -> bool {
    words(text).all(|range| !has_digit(&text[range]))
}

/// The maximum length of an address like `10.0.0.1`.
const ADDRESS_BYTES_MAX: usize = 15;

/// The addresses in a text: four words of one to three digits with single dots between them. In a longer run of such
/// words, any four in a row are an address.
///
/// Each word of an address occurs in many messages, but the four together occur in few.
pub fn addresses(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // Each dot is tried as the first of three.
    memchr::memchr_iter(b'.', text).filter_map(|dot| {
        let start = dot - number_before(text, dot)?;
        let mut end = dot;
        for _ in 0..3 {
            end += 1 + number_after(text, end)?;
        }
        let is_word = may_begin(text, start) && may_end(text, end) && end - start <= ADDRESS_BYTES_MAX;
        is_word.then_some(start..end)
    })
}

/// The number of digits before `at`; `None` if there are none or too many.
fn number_before(text: &[u8], at: usize) -> Option<usize> {
    let digits = text[..at].iter().rev().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits).then_some(digits)
}

/// The number of digits after the dot at `at`.
fn number_after(text: &[u8], at: usize) -> Option<usize> {
    let (b'.', rest) = text.get(at..)?.split_first()? else { return None };
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits).then_some(digits)
}

/// Iterator of [`words`]: the byte range of each word.
pub struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut start = None;
        while self.at < self.text.len() {
            let (in_word, bytes) = class_at(self.text, self.at);
            match (start, in_word) {
                (None, true) => start = Some(self.at),
                (Some(start), false) => return Some(start..self.at),
                _ => {}
            }
            self.at += bytes;
        }
        start.map(|start| start..self.at)
    }
}

/// Whether a search hit may begin at `at`: the character before it or the one at it is not a letter or digit.
pub fn may_begin(text: &[u8], at: usize) -> bool {
    !(at < text.len() && class_at(text, at).0 && class_before(text, at))
}

/// Whether a search hit may end before `at`: the character there or the one before it is not a letter or digit.
pub fn may_end(text: &[u8], at: usize) -> bool {
    !(at < text.len() && class_at(text, at).0 && class_before(text, at))
}

/// Appends the lower case of `text`. Bytes that are not UTF-8 are kept.
pub fn fold(text: &[u8], out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend(text.iter().map(u8::to_ascii_lowercase));
        return;
    }
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            out.extend_from_slice(fold_char(c).encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
}

/// The lower case of one character.
pub fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    // `İ` is the only character whose full lower case has two characters; its simple one is the first of them.
    c.to_lowercase().next().unwrap_or(c)
}

/// Every character that folds to the same one as `c`, beginning with its lower case.
pub fn cases(c: char) -> impl Iterator<Item = char> {
    static FOLDED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
        let mut folded: Vec<(char, char)> = (0..CASED_MAX)
            .filter_map(char::from_u32)
            .map(|c| (fold_char(c), c))
            .filter(|(f, c)| f != c)
            .collect();
        folded.sort_unstable();
        folded
    });
    let lower = fold_char(c);
    let first = FOLDED.partition_point(|(folded, _)| *folded < lower);
    let others = FOLDED[first..].iter().take_while(move |(folded, _)| *folded == lower);
    std::iter::once(lower).chain(others.map(|(_, other)| *other))
}

/// Calls `each` with every word of an ASCII text.
fn for_each_ascii(text: &[u8], mut each: impl FnMut(&[u8])) {
    let mut rest = text;
    while let Some(start) = rest.iter().position(|&byte| IS_ASCII_WORD[usize::from(byte)]) {
        rest = &rest[start..];
        let end = rest.iter().position(|&byte| !IS_ASCII_WORD[usize::from(byte)]).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        each(word);
        rest = after;
    }
}

/// The character that begins at `at` and its length in bytes; `None` and 1 for a byte that is not UTF-8.
pub fn char_from(text: &[u8], at: usize) -> (Option<char>, usize) {
    let first = text[at];
    if first < 0x80 {
        return (Some(char::from(first)), 1);
    }
    match char_at(text, at) {
        Some(c) => (Some(c), c.len_utf8()),
        None => (None, 1),
    }
}

/// The end of `wanted` in a text if it occurs at `at`. It is folded unless `case_sensitive`.
pub fn end_of(text: &[u8], at: usize, wanted: &[char], case_sensitive: bool) -> Option<usize> {
    wanted.iter().try_fold(at, |at, &wanted| {
        let (c, bytes) = text.get(at).and_then(|_| {
            let (c, bytes) = char_from(text, at);
            c.map(|c| (c, bytes))
        })?;
        let equal = c == wanted || (!case_sensitive && fold_char(c) == wanted);
        equal.then_some(at + bytes)
    })
}

/// The character that ends before `at`, if the bytes there are UTF-8.
pub fn char_before(text: &[u8], at: usize) -> Option<char> {
    let last = *text.get(at.checked_sub(1)?)?;
    if last < 0x80 {
        return Some(char::from(last));
    }
    let first_possible = at.saturating_sub(4);
    (first_possible..at)
        .rev()
        .find(|&start| text[start] & 0xC0 != 0x80)
        .and_then(|start| char_at(text, start).filter(|c| start + c.len_utf8() == at))
}

/// Whether the character that begins at `at` belongs to a word, and its length in bytes.
fn class_at(text: &[u8], at: usize) -> (bool, usize) {
    if text[at] < 0x80 {
        return (is_ascii_word(text[at]), 1);
    }
    let (c, bytes) = char_from(text, at);
    (c.is_some_and(char::is_alphanumeric), bytes)
}

/// Whether the character that ends before `at` belongs to a word.
fn class_before(text: &[u8], at: usize) -> bool {
    char_before(text, at).is_some_and(char::is_alphanumeric)
}

/// The character that begins at `at`, if the bytes there are UTF-8.
fn char_at(text: &[u8], at: usize) -> Option<char> {
    let end = text.len().min(at + 4);
    text[at..end].utf8_chunks().next()?.valid().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &[u8], expected: &[&str]) {
        let found: Vec<String> = words(text)
            .map(|range| {
                let mut out = Vec::new();
                fold(&text[range], &mut out);
                String::from_utf8_lossy(&out).into_owned()
            })
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        check(b"", &[]);
        check(b"Failed password for root", &["failed", "password", "for", "root"]);
        check(b"10.0.0.1:22 blk_-99", &["10", "0", "0", "1", "22", "blk", "99"]);
        check("Größe=ÄRGER 東京x".as_bytes(), &["größe", "ärger", "東京x"]);
        check(b"a\xFFb\xC3", &["a", "b"]);
        check(b"--", &[]);
    }

    proptest! {
        #[test]
        fn folded_words_are_words_that_are_folded(
            text in prop_oneof!["[ -~]{0,80}", "\\PC{0,40}"],
            broken in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut text = text.into_bytes();
            let mut scratch = b"left over".to_vec();
            for _ in 0..2 {
                let mut found = Vec::new();
                for_each_folded(&text, &mut scratch, |word| found.push(word.to_vec()));
                prop_assert_eq!(found, words_then_fold(&text));
                if !text.is_empty() {
                    let at = broken.index(text.len());
                    text[at] = byte;
                }
            }
        }
    }

    fn words_then_fold(text: &[u8]) -> Vec<Vec<u8>> {
        let folded = |range| {
            let mut out = Vec::new();
            fold(&text[range], &mut out);
            out
        };
        words(text).map(folded).collect()
    }

    proptest! {
        #[test]
        fn a_shape_is_the_text_without_its_numbers(
            text in prop_oneof!["[a1 .é²-]{0,24}", "[a1 -]{0,200}", "([a-z1]{0,90} ){0,4}"], wanted in "[a .é-]{1,6}",
        ) {
            let mut expected = text.clone().into_bytes();
            let numbers: Vec<_> = words(text.as_bytes()).filter(|range| has_digit(&text.as_bytes()[range.clone()])).collect();
            for range in numbers.into_iter().rev() {
                expected.splice(range, [b'0']);
            }
            let mut found = b"kept".to_vec();
            shape(text.as_bytes(), &mut found);
            let found = found.strip_prefix(b"kept").unwrap();
            prop_assert_eq!(found, &expected);
            prop_assert!(is_shape(wanted.as_bytes()));
            // Occurrences may overlap: `a a` in `1a a a`.
            let stands = |text: &[u8]| (0..text.len()).any(|at| {
                text[at..].starts_with(wanted.as_bytes()) && may_begin(text, at) && may_end(text, at + wanted.len())
            });
            prop_assert_eq!(stands(text.as_bytes()), stands(found));
        }
    }

    #[test]
    fn addresses_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("from 10.0.0.1:22 to 192.168.100.200", vec!["10.0.0.1", "192.168.100.200"]),
            ("1.2.3.4.5", vec!["1.2.3.4", "2.3.4.5"]),
            ("10.0.0.1", vec!["10.0.0.1"]),
            ("v10.0.0.1 10.0.0.1x 10.0.0 1000.0.0.1 10..0.0.1 .10.0.0 1.2.3.4567", vec![]),
            ("é1.2.3.4 1.2.3.4é -1.2.3.4-", vec!["1.2.3.4"]),
        ] {
            let found: Vec<&str> = addresses(text.as_bytes()).filter_map(|range| text.get(range)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn folding_keeps_one_character_one_and_in_its_class() {
        for c in ('\0'..=char::MAX).filter(|c| fold_char(*c) != *c) {
            let lower = fold_char(c);
            assert!((c as u32) < CASED_MAX, "{c}");
            assert_eq!(fold_char(lower), lower, "{c}");
            assert_eq!(lower.is_alphanumeric(), c.is_alphanumeric(), "{c}");
            assert!(cases(c).any(|other| other == c), "{c}");
            assert!(cases(c).all(|other| fold_char(other) == lower), "{c}");
        }
        assert_eq!(cases('K').collect::<String>(), "kK\u{212A}");
        assert_eq!(cases('7').collect::<String>(), "7");
    }

    #[test]
    fn a_hit_stands_at_word_boundaries() {
        let text = "errors über".as_bytes();
        assert!(may_begin(text, 0) && !may_end(text, 5) && may_end(text, 6));
        assert!(may_begin(text, 7), "before ü");
        assert!(!may_begin(text, 9), "after ü");
        assert!(may_end(text, text.len()));
        assert!(may_begin(b"a-b", 1) && may_end(b"a-b", 1) && may_begin(b"a-b", 2));
    }
}
