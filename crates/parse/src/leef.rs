//! IBM's LEEF: `LEEF:1.0|VENDOR|PRODUCT|VERSION|ID|key=value<TAB>key=value`, and 2.0, which names the separator of the
//! pairs after the id: a character, `x5E` or `0x5E`.

use crate::sink::{FIELDS_MAX, NAME_BYTES_MAX, PairSink};

/// The names of the parts between the bars.
const HEADER: [&[u8]; 4] = [b"leef.vendor", b"leef.product", b"leef.version", b"leef.id"];

/// Reads a text; `None`, without adding anything, if it is not LEEF from its first byte to its last.
pub fn read(text: &[u8], sink: &mut impl PairSink) -> Option<()> {
    let rest = text.strip_prefix(b"LEEF:")?.trim_ascii_start();
    let (format_version, mut rest) = part(rest)?;
    let mut parts: [&[u8]; 4] = [b""; 4];
    for found in &mut parts {
        (*found, rest) = part(rest)?;
    }
    let delimiter = match format_version {
        b"1" | b"1.0" => b'\t',
        b"2" | b"2.0" => {
            let named = part(rest).and_then(|(name, after)| Some((delimiter(name)?, after)));
            let (byte, after) = named.unwrap_or((b'\t', rest));
            rest = after;
            byte
        }
        _ => return None,
    };
    let pairs = attributes(rest, delimiter)?;
    for (name, value) in HEADER.into_iter().zip(parts) {
        sink.add(name, value.trim_ascii());
    }
    pairs.iter().for_each(|(name, value)| sink.add(name, value));
    Some(())
}

/// Splits a text at the next bar.
fn part(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let bar = memchr::memchr(b'|', text)?;
    Some((&text[..bar], &text[bar + 1..]))
}

/// Parses the name of the delimiter; an empty one means a tab.
fn delimiter(name: &[u8]) -> Option<u8> {
    match name {
        b"" => Some(b'\t'),
        [byte] => Some(*byte),
        _ => {
            let hex = name.strip_prefix(b"0").unwrap_or(name);
            let digits = hex.strip_prefix(b"x").or(hex.strip_prefix(b"X"))?;
            let digits = std::str::from_utf8(digits).ok().filter(|digits| (1..=4).contains(&digits.len()))?;
            u8::from_str_radix(digits, 16).ok()
        }
    }
}

/// The first [`FIELDS_MAX`] pairs; `None` if there is anything else between them.
fn attributes(text: &[u8], delimiter: u8) -> Option<Vec<(&[u8], &[u8])>> {
    let mut pairs = Vec::with_capacity(32);
    for attribute in text.split(|&byte| byte == delimiter).map(<[u8]>::trim_ascii) {
        if attribute.is_empty() {
            continue;
        }
        let equals = memchr::memchr(b'=', attribute).filter(|at| (1..=NAME_BYTES_MAX).contains(at))?;
        let name = &attribute[..equals];
        if !name.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        if pairs.len() < FIELDS_MAX {
            pairs.push((name, &attribute[equals + 1..]));
        }
    }
    Some(pairs)
}
