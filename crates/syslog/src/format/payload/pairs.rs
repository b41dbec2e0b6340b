//! `key=value key="a value" key='another'`, if the whole message consists of such pairs: logfmt and many appliances.
//!
//! A sentence with `key=value` in it is a sentence: it gives no fields here, but a search can still extract them. A
//! comma or a semicolon that ends a value is not part of it. FortiGate puts only commas between its pairs if it is
//! set to write CSV: a comma within an unquoted value is then a part of it, unless a name follows.

use super::super::fields::{FIELDS_MAX, FieldWriter, NAME_BYTES_MAX};
use super::super::rfc5424::value_end;

/// The minimum number of pairs: fewer may be a coincidence.
const PAIRS_MIN: usize = 3;

/// Letters, digits and the other characters of names. It is a table because the first word of every ordinary message
/// is checked with it.
const IN_NAMES: [bool; 256] = {
    let mut found = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let sign = matches!(byte as u8, b'_' | b'-' | b'.' | b'@' | b'/');
        found[byte] = sign || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    found
};

/// A name and a value, unchanged from the message.
#[derive(Clone, Copy)]
pub(super) struct TextPair<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// Whether a backslash in the value may be an escape.
    escaped: bool,
}

impl<'a> TextPair<'a> {
    /// A pair whose value may have escapes.
    pub(super) fn new(name: &'a [u8], value: &'a [u8]) -> TextPair<'a> {
        TextPair { name, value, escaped: true }
    }

    /// Adds the pair as a field.
    pub(super) fn add_to(&self, fields: &mut FieldWriter<'_>, unescape: fn(&[u8], &mut Vec<u8>)) {
        if self.escaped && memchr::memchr(b'\\', self.value).is_some() {
            fields.add_with(self.name, |out| unescape(self.value, out));
        } else {
            fields.add(self.name, self.value);
        }
    }
}

/// The first [`FIELDS_MAX`] pairs; `None` if the text has anything else between its first byte and its last.
pub(super) fn all(text: &[u8]) -> Option<Vec<TextPair<'_>>> {
    between_commas(text).or_else(|| between_spaces(text))
}

/// Reads pairs with only a comma between them.
fn between_commas(text: &[u8]) -> Option<Vec<TextPair<'_>>> {
    let mut rest = text.trim_ascii();
    let first = rest.get(name_bytes(rest)..)?.strip_prefix(b"=")?;
    let first_bytes = memchr::memchr2(b' ', b'"', first).unwrap_or(first.len());
    // Any other text is rejected by its first value.
    memchr::memchr(b',', &first[..first_bytes])?;
    let mut pairs = Vec::with_capacity(32);
    let mut count = 0_usize;
    while !rest.is_empty() {
        let name_bytes = name_bytes(rest);
        let (name, after) = (&rest[..name_bytes], rest.get(name_bytes..)?.strip_prefix(b"=")?);
        let (value, escaped, after) = match after.first() {
            Some(b'"') => {
                let close = value_end(after, 1)?;
                (&after[1..close], true, &after[close + 1..])
            }
            _ => {
                let (value, after) = after.split_at(comma_before_name(after));
                (memchr::memchr(b' ', value).is_none().then_some(value)?, false, after)
            }
        };
        if name.is_empty() {
            return None;
        }
        if pairs.len() < FIELDS_MAX {
            pairs.push(TextPair { name, value, escaped });
        }
        count += 1;
        rest = match after.split_first() {
            None => after,
            Some((b',', next)) => next,
            Some(_) => return None,
        };
    }
    (PAIRS_MIN <= count).then_some(pairs)
}

/// The position of the comma before a name and a `=`; the end of the text if there is none.
fn comma_before_name(text: &[u8]) -> usize {
    let ends = |at: &usize| {
        let next = &text[at + 1..];
        let bytes = name_bytes(next);
        0 < bytes && next.get(bytes) == Some(&b'=')
    };
    memchr::memchr_iter(b',', text).find(ends).unwrap_or(text.len())
}

/// Reads pairs with a space between them.
fn between_spaces(text: &[u8]) -> Option<Vec<TextPair<'_>>> {
    let mut pairs = Vec::with_capacity(32);
    let mut rest = text.trim_ascii();
    let mut count = 0_usize;
    while !rest.is_empty() {
        let name_bytes = name_bytes(rest);
        if name_bytes == 0 || rest.get(name_bytes) != Some(&b'=') {
            return None;
        }
        let (name, after) = (&rest[..name_bytes], &rest[name_bytes + 1..]);
        let (value, escaped, after) = value(after)?;
        if pairs.len() < FIELDS_MAX {
            pairs.push(TextPair { name, value, escaped });
        }
        count += 1;
        rest = after.trim_ascii_start();
    }
    (PAIRS_MIN <= count).then_some(pairs)
}

/// The length of the name that the text begins with; 0 if there is none, or one that is too long.
pub(super) fn name_bytes(text: &[u8]) -> usize {
    let begins = text.first().is_some_and(|&first| first.is_ascii_alphabetic() || first == b'_');
    let length = text.iter().take_while(|&&byte| IN_NAMES[usize::from(byte)]).count();
    if begins && length <= NAME_BYTES_MAX { length } else { 0 }
}

/// The value that the text begins with, whether it may have escapes, and the rest of the text.
fn value(text: &[u8]) -> Option<(&[u8], bool, &[u8])> {
    let (value, escaped, after) = match text.first() {
        Some(b'"') => {
            let close = value_end(text, 1)?;
            (&text[1..close], true, &text[close + 1..])
        }
        Some(b'\'') => {
            let ends = |at: &usize| matches!(text.get(at + 1), None | Some(b' ' | b',' | b';'));
            let close = memchr::memchr_iter(b'\'', text).skip(1).find(ends)?;
            (&text[1..close], false, &text[close + 1..])
        }
        _ => {
            let end = memchr::memchr(b' ', text).unwrap_or(text.len());
            let (value, after) = text.split_at(end);
            let bare = value.strip_suffix(b",").or(value.strip_suffix(b";")).unwrap_or(value);
            return Some((bare, false, after));
        }
    };
    // F5 separates its pairs by commas only.
    let behind = after.strip_prefix(b",").or(after.strip_prefix(b";"));
    let fits = behind.is_some() || matches!(after.first(), None | Some(b' '));
    fits.then_some((value, escaped, behind.unwrap_or(after)))
}
