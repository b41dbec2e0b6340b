//! Apache's error log, after its stamp: `] [core:error] [pid 7:tid 8] [client 10.0.0.1:443] AH00126: MSG`.

use super::line::{LineHead, bracketed, level};
use crate::format::fields::FieldWriter;
use logstead_record::{BatchBuilder, Row};

/// Reads the text after the stamp in the first brackets; leaves the row unchanged if the text has another form.
pub(super) fn read<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize, builder: &mut BatchBuilder) {
    if !text[at..].starts_with(b"] [") {
        return;
    }
    let mut fields = FieldWriter::new(builder, "apache");
    if let Some(line) = line(text, at + 2, &mut fields) {
        row.fields_behind += fields.count;
        line.fill(row, text);
    }
}

fn line<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let (word, mut at) = bracketed(text, at)?;
    let (module, word) = word.split_at(memchr::memchr(b':', word).map_or(0, |colon| colon + 1));
    let mut line = LineHead { severity: Some(level(word)?), ..LineHead::default() };
    if let Some(module) = module.strip_suffix(b":").filter(|module| !module.is_empty()) {
        fields.add(b"module", module);
    }
    while let Some((part, behind)) = bracketed(text, at) {
        if let Some(ids) = part.strip_prefix(b"pid ") {
            line.pid = ids.split(|&byte| byte == b':').next().unwrap_or_default();
        } else if let Some(client) = part.strip_prefix(b"client ") {
            fields.add(b"client", client);
        } else {
            break;
        }
        at = behind;
    }
    line.msgid = code(&text[at..]);
    line.message_at = at;
    Some(line)
}

/// `AH00126` of `AH00126: MSG`.
fn code(message: &[u8]) -> &[u8] {
    let digits = message.get(2..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_code = message.starts_with(b"AH") && digits == 5 && message.get(7) == Some(&b':');
    if is_code { &message[..7] } else { b"" }
}
