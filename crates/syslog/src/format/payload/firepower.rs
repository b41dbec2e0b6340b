//! Cisco FTD's events: `%FTD-1-430003: EventPriority: Low, SrcIP: 10.0.0.4, URL: http://example.com/`. A value
//! extends to the next `, Name: `, so it may contain commas.

use super::super::fields::{FIELDS_MAX, FieldWriter};

/// The minimum number of pairs: fewer may be a coincidence.
const PAIRS_MIN: usize = 3;

/// Reads an event; `None` if the text is not one.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let start = memchr::memmem::find(text, b": ")? + 2;
    let names = names(&text[start..]);
    if names.len() < PAIRS_MIN || names[0].0 != 0 {
        return None;
    }
    let ends = names.iter().skip(1).map(|&(at, _)| start + at - 2).chain([text.len()]);
    for (&(at, length), end) in names.iter().zip(ends) {
        let name = start + at..start + at + length;
        fields.add(&text[name.clone()], &text[(name.end + 2).min(end)..end]);
    }
    Some(())
}

/// The positions and lengths of names before `: `: at the beginning, or after a comma and a space.
fn names(text: &[u8]) -> Vec<(usize, usize)> {
    let ends = memchr::memmem::find_iter(text, b": ");
    let found = ends.filter_map(|end| {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = text[..end].iter().rev().take(64).take_while(is_name).count();
        let start = end - length;
        (0 < length && (start == 0 || text[..start].ends_with(b", "))).then_some((start, length))
    });
    found.take(FIELDS_MAX).collect()
}
