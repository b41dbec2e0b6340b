//! The error log of MySQL and MariaDB after its stamp: `0 [Warning] [MY-010068] [Server] MSG`, `0 [Note] MSG`.

use super::line::{LineHead, bracketed, is_number, level};
use crate::format::fields::FieldWriter;
use crate::format::word::token;

pub(super) fn read<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let (thread, at) = token(text, at).filter(|(thread, _)| is_number(thread))?;
    let (word, at) = bracketed(text, at)?;
    let mut line = LineHead { severity: Some(level(word)?), message_at: at, ..LineHead::default() };
    fields.add(b"thread", thread);
    if let Some((code, at)) = bracketed(text, at).filter(|(code, _)| code.starts_with(b"MY-")) {
        (line.msgid, line.message_at) = (code, at);
        if let Some((subsystem, at)) = bracketed(text, at) {
            fields.add(b"subsystem", subsystem);
            line.message_at = at;
        }
    }
    Some(line)
}
