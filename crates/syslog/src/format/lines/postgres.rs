//! PostgreSQL's log after its stamp, with the prefixes of the distributions: `[7] ERROR:  MSG`, `[7] ana@shop LOG:
//! MSG`.

use super::line::{LineHead, bracketed, is_number, level};
use crate::format::fields::FieldWriter;
use crate::format::word::token;

pub(super) fn read<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let (session, at) = bracketed(text, at)?;
    // With `%l`, the number of the line follows it.
    let pid = session.split(|&byte| byte == b'-').next().filter(|pid| is_number(pid))?;
    let (mut word, mut at) = token(text, at)?;
    if let Some(sign) = memchr::memchr(b'@', word) {
        fields.add(b"user", &word[..sign]);
        fields.add(b"database", &word[sign + 1..]);
        (word, at) = token(text, at)?;
    }
    let severity = level(word.strip_suffix(b":")?)?;
    let message_at = at + text[at..].strip_prefix(b" ").map(|_| 1)?;
    Some(LineHead { severity: Some(severity), pid, message_at, ..LineHead::default() })
}
