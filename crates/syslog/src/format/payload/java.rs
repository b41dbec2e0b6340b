//! Messages of logback without a `suffixPattern` that names a program: `[main] com.example.Main text`.

use super::super::fields::FieldWriter;
use super::super::word::token;

/// Reads a message; `None` if the text does not begin with a thread and a class.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let inner = text.strip_prefix(b"[")?;
    let close = memchr::memchr(b']', &inner[..inner.len().min(128)])?;
    let (logger, _) = token(inner, close + 2).filter(|_| inner.get(close + 1) == Some(&b' '))?;
    let mut parts = logger.split(|&byte| byte == b'.');
    let is_name = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_alphabetic)
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    };
    if close == 0 || parts.clone().count() < 3 || !parts.all(is_name) {
        return None;
    }
    fields.add(b"thread", &inner[..close]);
    fields.add(b"logger", logger);
    Some(())
}
