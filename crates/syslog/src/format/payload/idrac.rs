//! Dell's iDRAC: `Severity: Informational, Category: Audit, MessageID: USR0030, Message: Logged in, from 10.0.0.1.`
//! The text after the last name may contain commas.

use super::super::fields::FieldWriter;

const NAMES: [&str; 4] = ["Severity: ", ", Category: ", ", MessageID: ", ", Message: "];

/// Reads an event; `None` if the text is not one. The event's own text is only in the message.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let mut rest = text.strip_prefix(NAMES[0].as_bytes())?;
    let mut values = Vec::with_capacity(NAMES.len() - 1);
    for next in &NAMES[1..] {
        let end = memchr::memmem::find(rest, next.as_bytes())?;
        values.push(&rest[..end]);
        rest = &rest[end + next.len()..];
    }
    for (name, value) in NAMES.iter().zip(values) {
        fields.add(name.trim_matches([',', ' ', ':']).as_bytes(), value);
    }
    Some(())
}
