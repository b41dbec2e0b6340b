//! Splits a message into its key and its variables.
//!
//! A key is the message with each variable replaced by one byte, the marker of its [`VariableKind`]. Messages that
//! are written by one statement of a program have few keys.
//!
//! | in the message                       | is                                     |
//! |--------------------------------------|----------------------------------------|
//! | a word with a digit                  | a variable                             |
//! | an IPv4 address, a UUID              | one variable                           |
//! | 20 and more characters of base64, with a digit | one variable                 |
//! | everything else                      | a part of the key                      |
//!
//! **Invariant:** a variable begins and ends at the boundary of a word, so that the words of a message are those of its
//! key and those of its variables.

mod masks;
mod variable;

use masks::{CHUNK, Masks};
use std::ops::Range;

pub(crate) use variable::write;
pub(crate) use variable::{MARKERS, Variable, VariableKind};

/// The maximum length of a message with a key.
pub(crate) const MESSAGE_BYTES_MAX: usize = 4096;

/// The minimum length of a base64 text: a shorter one may be a path.
const BASE64_BYTES_MIN: usize = 20;
/// The length of the first part of a UUID.
const UUID_FIRST_BYTES: usize = 8;

/// Splits messages. The result for the last message is kept in it.
#[derive(Default)]
pub(crate) struct Scanner {
    padded: PaddedText,
    masks: Masks,
    key: KeyBuffer,
    /// The variables of the last message, in their order.
    pub(crate) variables: Vec<Variable>,
}

/// A message followed by spaces, so that whole chunks can be read from it wherever it ends.
#[derive(Default)]
struct PaddedText {
    bytes: Vec<u8>,
}

impl PaddedText {
    /// Stores a text with spaces up to a whole number of chunks, and returns them.
    fn fill(&mut self, text: &[u8]) -> &[u8] {
        let bytes = text.len();
        self.bytes.resize(MESSAGE_BYTES_MAX + CHUNK, 0);
        self.bytes[..bytes].copy_from_slice(text);
        self.bytes[bytes..bytes + CHUNK].fill(b' ');
        &self.bytes[..bytes / CHUNK * CHUNK + CHUNK]
    }
}

/// A key, which is never longer than its message.
#[derive(Default)]
struct KeyBuffer {
    bytes: Vec<u8>,
    len: usize,
}

/// The text between variables is copied in steps of this many bytes, and the surplus is overwritten: most of these
/// texts are shorter, and a copy of a fixed length takes only a few instructions.
const COPIED_BYTES: usize = 32;

impl KeyBuffer {
    fn clear(&mut self) {
        self.bytes.resize(MESSAGE_BYTES_MAX + COPIED_BYTES, 0);
        self.len = 0;
    }

    #[inline]
    fn push(&mut self, text: &PaddedText, range: Range<usize>) {
        let bytes = range.len();
        if bytes <= COPIED_BYTES {
            self.bytes[self.len..][..COPIED_BYTES]
                .copy_from_slice(&text.bytes[range.start..][..COPIED_BYTES]);
        } else {
            self.bytes[self.len..][..bytes].copy_from_slice(&text.bytes[range]);
        }
        self.len += bytes;
    }

    #[inline]
    fn push_marker(&mut self, kind: VariableKind) {
        self.bytes[self.len] = kind as u8;
        self.len += 1;
    }
}

impl Scanner {
    /// Splits a message. `false` if it has no key, because it is too long or contains a byte that is a marker.
    pub(crate) fn scan(&mut self, text: &[u8]) -> bool {
        self.key.clear();
        self.variables.clear();
        if MESSAGE_BYTES_MAX < text.len() || !self.masks.fill(self.padded.fill(text), text.len()) {
            return false;
        }
        let mut copied = 0;
        while let Some(digit) = self.masks.next_digit(copied) {
            let variable = self.variable_at(text, digit, copied);
            let Range { start, end } = variable.range();
            self.key.push(&self.padded, copied..start);
            self.key.push_marker(variable.kind);
            self.variables.push(variable);
            copied = end;
        }
        self.key.push(&self.padded, copied..text.len());
        true
    }

    /// The key of the last message.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key.bytes[..self.key.len]
    }

    /// The variable with the first digit after `low`.
    fn variable_at(&self, text: &[u8], digit: usize, low: usize) -> Variable {
        let (word, digits_end) = self.masks.around(digit, low);
        // Most variables are numbers, and the next byte shows that they are not part of anything else.
        if (digit, digits_end) == (word.start, word.end)
            && !matches!(text.get(word.end), Some(b'.' | b'-'))
            && let Some(decimal) = Variable::decimal(text, &word)
        {
            return decimal;
        }
        if digit == word.start
            && let Some(address) = Variable::address(text, word.clone()).filter(|found| self.ends(found))
        {
            return address;
        }
        if word.len() == UUID_FIRST_BYTES
            && text.get(word.end) == Some(&b'-')
            && let Some(uuid) = Variable::uuid(text, word.start).filter(|found| self.ends(found))
        {
            return uuid;
        }
        let variable = Variable::of_word(&text[word.clone()], word.start);
        match variable.kind {
            VariableKind::Text => self.base64(text, word, low).map_or(variable, Variable::text),
            _ => variable,
        }
    }

    fn ends(&self, variable: &Variable) -> bool {
        !self.masks.is_word(variable.range().end)
    }

    /// The base64 text around a word: it has letters in both cases, and few of base64's other characters.
    fn base64(&self, text: &[u8], word: Range<usize>, low: usize) -> Option<Range<usize>> {
        let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let start = word.start - text[low..word.start].iter().rev().take_while(is_base64).count();
        let end = word.end + text[word.end..].iter().take_while(is_base64).count();
        let found = &text[start..end];
        if found.len() < BASE64_BYTES_MIN || found.len() == word.len() {
            return None;
        }
        // Next to a letter beyond ASCII, it would end within a word.
        if self.masks.is_word(end) || start.checked_sub(1).is_some_and(|before| self.masks.is_word(before)) {
            return None;
        }
        let count = |is: fn(&u8) -> bool| found.iter().filter(|byte| is(byte)).count();
        let signs = count(|byte| !byte.is_ascii_alphanumeric());
        let has_both_cases = [count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase)]
            .iter()
            .all(|letters| found.len() <= letters * 5);
        (signs * 8 <= found.len() && has_both_cases).then_some(start..end)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use logstead_record::word;
    use proptest::prelude::*;

    /// Texts in which variables are adjacent, nearly have another kind, or are cut.
    pub(crate) fn texts() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            "[a-z]{1,8}",
            "[A-Za-z0-9]{1,12}",
            "[0-9]{1,21}",
            "[0-9a-f]{5,34}",
            "[0-9A-F]{5,18}",
            "0x[0-9a-fA-F]{1,18}",
            "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "[A-Za-z0-9+/]{18,60}={0,2}",
            "[ .:,=/+-]{1,3}",
            "[é²٣–東\u{FF11}]{1,2}",
            "\\PC{0,3}",
            "[\\x00-\\x1f]",
        ];
        let parts = proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat().into_bytes());
        let broken = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
        (parts, broken).prop_map(|(mut text, broken)| {
            for (at, byte) in broken {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    text[at] = byte;
                }
            }
            text
        })
    }

    /// Reconstructs the message from the values of its variables.
    fn back(key: &[u8], variables: &[Variable], text: &[u8]) -> Vec<u8> {
        let (mut out, mut variables) = (Vec::new(), variables.iter());
        for &byte in key {
            match VariableKind::of_marker(byte) {
                None => out.push(byte),
                Some(kind) => {
                    let variable = variables.next().unwrap();
                    assert_eq!(variable.kind, kind);
                    match kind {
                        VariableKind::Text => out.extend_from_slice(&text[variable.range()]),
                        kind => {
                            write(kind, variable.low, variable.high, usize::from(variable.bytes), &mut out);
                        }
                    }
                }
            }
        }
        assert!(variables.next().is_none());
        out
    }

    fn words(text: &[u8]) -> Vec<Vec<u8>> {
        word::words(text).map(|range| text[range].to_vec()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn bytes_return_and_words_stay(text in texts()) {
            let mut scanner = Scanner::default();
            let has_key = scanner.scan(&text);
            prop_assert_eq!(has_key, text.iter().all(|byte| MARKERS < *byte));
            if has_key {
                prop_assert_eq!(back(scanner.key(), &scanner.variables, &text), text.clone());
                let mut found = words(scanner.key());
                scanner.variables.iter().for_each(|variable| found.extend(words(&text[variable.range()])));
                let mut expected = words(&text);
                found.sort();
                expected.sort();
                prop_assert_eq!(found, expected);
                let digits = scanner.key().iter().filter(|byte| byte.is_ascii_digit()).count();
                prop_assert_eq!(digits, 0);
            }
        }
    }

    #[test]
    fn variables_are_typed_by_their_text() {
        for (text, expected) in [
            ("took 12 ms", "Decimal"),
            ("007", "Decimal"),
            ("18446744073709551615", "Text"),
            ("9999999999999999999", "Decimal"),
            ("id deadbeef1", "Hex"),
            ("id DEADBEEF1", "HexUpper"),
            ("id a1", "Text"),
            ("at 0x7f", "Prefixed"),
            ("at 0X7F", "Text"),
            ("from 10.0.0.1:22", "Address Decimal"),
            ("10.0.0.256", "Decimal Decimal Decimal Decimal"),
            ("1.2.3.4.5", "Decimal Decimal Decimal Decimal Decimal"),
            ("10.0.0.01", "Decimal Decimal Decimal Decimal"),
            ("10.0.0.1.", "Address"),
            ("é10.0.0.1", "Text Decimal Decimal Decimal"),
            ("10.0.0.1é", "Decimal Decimal Decimal Text"),
            ("123e4567-e89b-12d3-a456-426614174000", "Wide"),
            ("123e4567-e89b-12d3-a456-426614174000é", "Hex Text Text Text Text"),
            ("0123456789abcdef0", "Wide"),
            ("key AAaab3nzaC1yc2EaaaADAQ/BAaabgQC7+x end", "Text"),
            ("blk_-1608999687919862906", "Decimal"),
            ("no variables", ""),
            ("", ""),
        ] {
            let mut scanner = Scanner::default();
            assert!(scanner.scan(text.as_bytes()));
            let kinds: Vec<String> =
                scanner.variables.iter().map(|variable| format!("{:?}", variable.kind)).collect();
            assert_eq!(kinds.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn what_is_too_long_has_no_key() {
        let mut scanner = Scanner::default();
        assert!(scanner.scan(&[b'a'; MESSAGE_BYTES_MAX]));
        assert!(!scanner.scan(&[b'a'; MESSAGE_BYTES_MAX + 1]));
        assert!(!scanner.scan(b"a\x07b"));
    }
}
