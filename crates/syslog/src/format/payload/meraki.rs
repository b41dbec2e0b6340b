//! Meraki's flows and URLs: pairs, and a last part that extends to the end of the message: `src=10.0.0.4
//! dst=192.0.2.9 sport=51000 pattern: allow all`, `src=… mac=… request: GET https://example.com/`.

use super::super::fields::FieldWriter;
use super::super::rfc5424::unescape;
use super::pairs;

/// The beginnings of the last part.
const LAST: [&str; 2] = ["pattern: ", "request: "];

/// Reads a message; `None` if the text does not consist of such pairs and such a last part.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let (name, at) = LAST.into_iter().find_map(|name| {
        let at = memchr::memmem::find(text, name.as_bytes())?;
        (0 < at && text[at - 1] == b' ').then_some((name, at))
    })?;
    let pairs = pairs::all(&text[..at])?;
    pairs.iter().for_each(|pair| pair.add_to(fields, unescape));
    fields.add(name.trim_end_matches(": ").as_bytes(), &text[at + name.len()..]);
    Some(())
}
