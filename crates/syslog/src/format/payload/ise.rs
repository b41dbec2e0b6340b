//! Cisco ISE, program `CISE_…`: `ID SEGMENTS SEGMENT ` and then parts with a comma and a space between them, most of them
//! `Name=Value`. The first segment begins with `DATE TIME ZONE NUMBER CODE SEVERITY CLASS: TEXT`.

use super::super::fields::{FIELDS_MAX, FieldWriter, NAME_BYTES_MAX};
use super::super::word::token;

/// Reads a message; `None` if the text does not begin with the three numbers.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let (id, at) = token(text, 0)?;
    let (segments, at) = token(text, at)?;
    let (segment, at) = token(text, at)?;
    if ![id, segments, segment].into_iter().all(is_number) {
        return None;
    }
    fields.add(b"ise.id", id);
    fields.add(b"ise.segments", segments);
    fields.add(b"ise.segment", segment);
    let mut rest = Some(&text[at..]);
    while let Some(part) = rest.filter(|_| fields.count < FIELDS_MAX) {
        let end = memchr::memmem::find(part, b", ");
        add(&part[..end.unwrap_or(part.len())], fields);
        rest = end.map(|end| &part[end + 2..]);
    }
    Some(())
}

fn add(part: &[u8], fields: &mut FieldWriter<'_>) {
    let part = part.strip_suffix(b",").unwrap_or(part);
    match memchr::memchr(b'=', part) {
        Some(equals @ 1..=NAME_BYTES_MAX) => fields.add(part[..equals].trim_ascii(), &part[equals + 1..]),
        Some(_) => {}
        None => add_head(part, fields),
    }
}

/// Adds code, severity and class, which follow the stamp and a number.
fn add_head(part: &[u8], fields: &mut FieldWriter<'_>) {
    let mut words = part.split(|&byte| byte == b' ').skip(4);
    let (Some(code), Some(severity), Some(class)) = (words.next(), words.next(), words.next()) else {
        return;
    };
    let Some(class) = class.strip_suffix(b":") else { return };
    fields.add(b"ise.code", code);
    fields.add(b"ise.severity", severity);
    fields.add(b"ise.class", class);
}
