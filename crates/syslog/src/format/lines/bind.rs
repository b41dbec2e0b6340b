//! BIND's log after its stamp, with `print-category` and `print-severity`: `queries: info: MSG`.

use super::line::{LineHead, level};
use crate::format::fields::FieldWriter;
use crate::format::word::token;

pub(super) fn read<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let (category, at) = token(text, at)?;
    let category = category.strip_suffix(b":")?;
    let (word, message_at) = token(text, at)?;
    let severity = level(word.strip_suffix(b":")?)?;
    let is_category = category.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    if category.is_empty() || !is_category {
        return None;
    }
    fields.add(b"category", category);
    Some(LineHead { severity: Some(severity), message_at, ..LineHead::default() })
}
