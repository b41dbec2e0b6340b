//! Check Point's exporter: `[action:"Accept"; src:"10.0.0.1"; ]`, also without the brackets.

use super::super::fields::{FIELDS_MAX, FieldWriter};
use super::super::rfc5424::{unescape, value_end};
use super::pairs::{TextPair, name_bytes};

/// The minimum number of pairs: fewer may be a coincidence.
const PAIRS_MIN: usize = 3;

/// Reads pairs; `None` if the text has anything else between its first byte and its last.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let inner = match text.strip_prefix(b"[") {
        Some(inner) => inner.strip_suffix(b"]")?,
        None => text,
    };
    pairs(inner)?.iter().for_each(|pair| pair.add_to(fields, unescape));
    Some(())
}

fn pairs(text: &[u8]) -> Option<Vec<TextPair<'_>>> {
    let mut pairs = Vec::with_capacity(32);
    let mut rest = text.trim_ascii();
    let mut count = 0_usize;
    while !rest.is_empty() {
        let name_bytes = name_bytes(rest);
        if name_bytes == 0 || rest.get(name_bytes..name_bytes + 2) != Some(b":\"") {
            return None;
        }
        let start = name_bytes + 2;
        let close = value_end(rest, start)?;
        if pairs.len() < FIELDS_MAX {
            pairs.push(TextPair::new(&rest[..name_bytes], &rest[start..close]));
        }
        count += 1;
        let after = &rest[close + 1..];
        rest = match after.strip_prefix(b";") {
            Some(next) => next.trim_ascii_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    (PAIRS_MIN <= count).then_some(pairs)
}
