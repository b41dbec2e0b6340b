//! The pieces of a JSON text: their ranges, and whether they are valid.
//!
//! **Invariant:** the values that are passed over are those that `serde_json` passes over. How deep values are nested
//! does not matter.

use std::ops::Range;

/// A text and the position up to which it has been read. Its methods return `None` if the text is not JSON.
pub(crate) struct JsonPieces<'t> {
    pub(crate) text: &'t str,
    at: usize,
}

/// The range of a value that may be passed on.
#[derive(Clone)]
pub(crate) enum JsonPiece {
    /// A value as it is in the text, without the quotes around it if it is a string.
    Plain(Range<usize>),
    /// A string with escapes, including its quotes.
    Escaped(Range<usize>),
    /// A string with escapes for unpaired surrogates, including its quotes.
    Broken(Range<usize>),
}

impl<'t> JsonPieces<'t> {
    pub(crate) fn new(text: &'t str) -> JsonPieces<'t> {
        JsonPieces { text, at: 0 }
    }

    /// Returns the next byte that is not white space, without taking it.
    pub(crate) fn next(&mut self) -> Option<u8> {
        loop {
            match *self.bytes().get(self.at)? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Takes the next byte that is not white space.
    pub(crate) fn take(&mut self) -> Option<u8> {
        let byte = self.next()?;
        self.at += 1;
        Some(byte)
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.take()? == byte).then_some(())
    }

    /// Returns `Some` if nothing but white space is left.
    pub(crate) fn end(&mut self) -> Option<()> {
        self.next().is_none().then_some(())
    }

    /// Skips a value of any kind, and returns its range; `Some(None)` if it is `null`.
    pub(crate) fn value(&mut self) -> Option<Option<JsonPiece>> {
        if self.next()? == b'"' {
            return self.string().map(Some);
        }
        let start = self.at;
        self.skip()?;
        let range = start..self.at;
        Some((&self.bytes()[range.clone()] != b"null").then_some(JsonPiece::Plain(range)))
    }

    /// Reads a string, beginning at its opening quote.
    pub(crate) fn string(&mut self) -> Option<JsonPiece> {
        let start = self.at;
        if self.bytes().get(start) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        let (mut is_plain, mut is_whole) = (true, true);
        loop {
            self.at = special(self.bytes(), self.at)?;
            self.at += 1;
            match self.bytes()[self.at - 1] {
                b'"' if is_plain => return Some(JsonPiece::Plain(start + 1..self.at - 1)),
                b'"' if is_whole => return Some(JsonPiece::Escaped(start..self.at)),
                b'"' => return Some(JsonPiece::Broken(start..self.at)),
                b'\\' => {
                    is_plain = false;
                    is_whole &= self.escape()?;
                }
                // A control character.
                _ => return None,
            }
        }
    }

    /// Skips a value, however deeply it is nested.
    pub(crate) fn skip(&mut self) -> Option<()> {
        // The closing brackets of the open objects and arrays.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.next()? {
                b'{' => {
                    self.at += 1;
                    open.push(b'}');
                    if self.next()? != b'}' {
                        self.skip_name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    open.push(b']');
                    if self.next()? != b']' {
                        continue;
                    }
                }
                b'"' => {
                    self.string()?;
                }
                b'n' => self.word(b"null")?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                _ => self.number()?,
            }
            loop {
                let Some(&close) = open.last() else { return Some(()) };
                match self.take()? {
                    b',' => break,
                    byte if byte == close => {
                        open.pop();
                    }
                    _ => return None,
                }
            }
            if open.last() == Some(&b'}') {
                self.skip_name()?;
            }
        }
    }

    fn skip_name(&mut self) -> Option<()> {
        self.next()?;
        self.string()?;
        self.expect(b':')
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Reads on after a backslash, and returns whether the escape is a whole character.
    fn escape(&mut self) -> Option<bool> {
        let (&kind, rest) = self.bytes()[self.at..].split_first()?;
        self.at += 1;
        match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Some(true),
            b'u' => {}
            _ => return None,
        }
        self.at += 4;
        Some(match unit(rest)? {
            0xD800..0xDC00 => {
                let other = rest[4..].strip_prefix(b"\\u").and_then(unit);
                let is_whole = other.is_some_and(|other| (0xDC00..0xE000).contains(&other));
                self.at += if is_whole { 6 } else { 0 };
                is_whole
            }
            0xDC00..0xE000 => false,
            _ => true,
        })
    }

    fn number(&mut self) -> Option<()> {
        if self.bytes().get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let starts_with_zero = self.bytes().get(self.at) == Some(&b'0');
        let digits = self.digits()?;
        if starts_with_zero && 1 < digits {
            return None;
        }
        if self.bytes().get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes().get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes().get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Skips at least one digit.
    fn digits(&mut self) -> Option<usize> {
        let count = self.bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (0 < count).then_some(count)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.at += word.len();
        (self.bytes().get(self.at - word.len()..self.at) == Some(word)).then_some(())
    }
}

/// The position of the next quote, backslash or control character. Most strings are too short for `memchr` to be
/// faster.
fn special(text: &[u8], start: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH_BITS: u64 = ONES << 7;
    let mut at = start;
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        // The lowest match is always correct: a borrow only affects the bytes above it.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH_BITS;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    Some(at + text.get(at..)?.iter().position(is_special)?)
}

/// The four hex digits of a UTF-16 unit.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.first_chunk::<4>()?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}
