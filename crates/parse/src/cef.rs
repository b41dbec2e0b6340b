//! ArcSight's CEF: `CEF:0|VENDOR|PRODUCT|VERSION|ID|NAME|SEVERITY|key=value key=a value`.
//!
//! A value extends to the next ` key=`, so it may contain spaces, and an `=` without a key before it. `cs1Label=Rule
//! cs1=x` also gives a field `Rule` with the value of `cs1`.

use crate::sink::{FIELDS_MAX, NAME_BYTES_MAX, PairSink};

/// The names of the parts between the bars.
const HEADER: [&[u8]; 6] =
    [b"cef.vendor", b"cef.product", b"cef.version", b"cef.id", b"cef.name", b"cef.severity"];
/// The maximum number of labels that are looked for; the format has about twenty.
const LABELS_MAX: usize = 24;

/// A name and a value, unchanged from the text.
struct CefPair<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

impl CefPair<'_> {
    fn add_to(&self, sink: &mut impl PairSink) {
        if memchr::memchr(b'\\', self.value).is_some() {
            sink.add_with(self.name, |out| unescape(self.value, out));
        } else {
            sink.add(self.name, self.value);
        }
    }
}

/// Reads a text; `None`, without adding anything, if it is not CEF from its first byte to its last.
pub fn read(text: &[u8], sink: &mut impl PairSink) -> Option<()> {
    let rest = text.strip_prefix(b"CEF:")?.trim_ascii_start();
    let (format_version, mut rest) = part(rest)?;
    if format_version.is_empty() || !format_version.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut parts: [&[u8]; 6] = [b""; 6];
    for (number, found) in parts.iter_mut().enumerate() {
        // If there is no extension, the last part may end at the end of the text.
        (*found, rest) = match part(rest) {
            Some(split) => split,
            None if number == HEADER.len() - 1 => (rest, b"".as_slice()),
            None => return None,
        };
    }
    let pairs = extension(rest.trim_ascii())?;
    for (name, value) in HEADER.into_iter().zip(parts) {
        CefPair { name, value: value.trim_ascii() }.add_to(sink);
    }
    pairs.iter().for_each(|pair| pair.add_to(sink));
    add_labelled(&pairs, sink);
    Some(())
}

/// Splits a text at the next bar.
fn part(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'|', b'\\', text.get(at..)?)?;
        if text[at] == b'|' {
            return Some((&text[..at], &text[at + 1..]));
        }
        at += 2;
    }
}

/// The first [`FIELDS_MAX`] pairs; `None` if the text does not begin with a key.
fn extension(text: &[u8]) -> Option<Vec<CefPair<'_>>> {
    let mut pairs = Vec::with_capacity(32);
    let mut open: Option<(&[u8], usize)> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'=', b'\\', text.get(at..).unwrap_or_default()) {
        let here = at + found;
        if text[here] == b'\\' {
            at = here + 2;
            continue;
        }
        at = here + 1;
        let value_start = open.map_or(0, |(_, start)| start);
        let Some(key_start) = key(text, value_start, here) else { continue };
        if let Some((name, start)) = open.replace((&text[key_start..here], at)) {
            push(&mut pairs, name, &text[start..key_start]);
        }
        if pairs.is_empty() && value_start == 0 && key_start != 0 {
            return None;
        }
    }
    match open {
        Some((name, start)) => push(&mut pairs, name, &text[start..]),
        None if !text.is_empty() => return None,
        None => {}
    }
    Some(pairs)
}

/// The beginning of the key before the `=` at `equals`, if there is one: after a space or at the beginning.
fn key(text: &[u8], floor: usize, equals: usize) -> Option<usize> {
    let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let length = text[floor..equals].iter().rev().take_while(is_key).count();
    let start = equals - length;
    let begins = start == 0 || floor < start && text[start - 1] == b' ';
    (begins && (1..=NAME_BYTES_MAX).contains(&length)).then_some(start)
}

fn push<'a>(pairs: &mut Vec<CefPair<'a>>, name: &'a [u8], value: &'a [u8]) {
    if pairs.len() < FIELDS_MAX {
        pairs.push(CefPair { name, value: value.trim_ascii_end() });
    }
}

/// Adds each labelled value under its label as well: only under the first one, so that hardly more is stored than was
/// sent.
fn add_labelled(pairs: &[CefPair<'_>], sink: &mut impl PairSink) {
    let labels = pairs.iter().filter_map(|pair| Some((pair.name.strip_suffix(b"Label")?, pair.value)));
    let labels: Vec<_> = labels.take(LABELS_MAX).collect();
    for pair in pairs {
        if let Some((_, label)) = labels.iter().find(|(name, _)| *name == pair.name) {
            CefPair { name: label, value: pair.value }.add_to(sink);
        }
    }
}

/// Turns `\n` and `\r` into line ends. Before `|`, `=` and `\`, a backslash is removed; any other one is kept.
fn unescape(value: &[u8], out: &mut Vec<u8>) {
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = match bytes.peek() {
            Some(&next @ (b'|' | b'=' | b'\\')) if byte == b'\\' => Some(next),
            Some(b'n') if byte == b'\\' => Some(b'\n'),
            Some(b'r') if byte == b'\\' => Some(b'\r'),
            _ => None,
        };
        if escaped.is_some() {
            bytes.next();
        }
        out.push(escaped.unwrap_or(byte));
    }
}
