//! A request as logged by web servers, in the common and the combined format, also with the name of the virtual host
//! before it:
//!
//! ```text
//! [VHOST ]CLIENT IDENT USER [05/Nov/2026:12:00:00 +0100] "METHOD PATH PROTOCOL" STATUS BYTES[ "REFERER" "AGENT"]
//! ```

use super::super::fields::FieldWriter;
use super::super::rfc5424::{unescape, value_end};
use super::super::stamp::{self, Clock};
use super::super::word::token;
use super::claims::ColumnClaims;

/// The maximum length of the text before the stamp.
const BEFORE_MAX: usize = 400;
/// The names of the words before the stamp.
const BEFORE: [&str; 4] = ["vhost", "client", "ident", "user"];

/// Whether the text may begin like this. It has to be cheap, as it is called for every text that begins with a
/// number.
pub(super) fn begins(text: &[u8]) -> bool {
    let space = memchr::memchr(b' ', &text[..text.len().min(BEFORE_MAX)]);
    let rest = space.map_or(&b""[..], |space| &text[space + 1..]);
    rest.starts_with(b"- ") || rest.first().is_some_and(u8::is_ascii_hexdigit) && open(text).is_some()
}

/// The position of the space before the stamp's bracket.
fn open(text: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find(&text[..text.len().min(BEFORE_MAX)], b" [")?;
    matches!(text.get(at + 2..at + 5), Some([b'0'..=b'9', b'0'..=b'9', b'/'])).then_some(at)
}

/// Reads a line; `None` if the text is not one.
pub(super) fn read<'a>(
    text: &'a [u8],
    clock: Clock<'_>,
    fields: &mut FieldWriter<'_>,
) -> Option<ColumnClaims<'a>> {
    let open = open(text)?;
    let words = text[..open].split(|&byte| byte == b' ').collect::<Vec<_>>();
    let names = BEFORE.get(4_usize.checked_sub(words.len())?..).filter(|names| 3 <= names.len())?;
    let (time, end) = stamp::of_line(text, open + 2, clock)?;
    let at = end + text[end..].strip_prefix(b"] \"").map(|_| 3)?;
    let close = value_end(text, at)?;
    let (status, at_bytes) = part(text, close + 2);
    let (bytes, behind) = part(text, at_bytes);
    if status.len() != 3 || !status.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut add = |name: &str, value: &[u8]| {
        if !value.is_empty() && value != b"-" {
            fields.add_with(name.as_bytes(), |out| unescape(value, out));
        }
    };
    names.iter().zip(words).for_each(|(name, word)| add(name, word));
    request(&text[at..close], &mut add);
    add("status", status);
    add("bytes", bytes);
    let (referer, at) = quoted(text, behind);
    add("referer", referer);
    add("agent", quoted(text, at).0);
    Some(ColumnClaims { time: Some(time), ..ColumnClaims::default() })
}

/// `GET /path HTTP/1.1`; anything else (a port scan) is one field.
fn request(request: &[u8], add: &mut impl FnMut(&str, &[u8])) {
    let is_method = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_uppercase);
    let Some((method, at)) = token(request, 0).filter(|(method, _)| is_method(method)) else {
        return add("request", request);
    };
    let rest = &request[at..];
    let path = memchr::memrchr(b' ', rest).map_or(rest, |end| &rest[..end]);
    add("method", method);
    add("path", path);
}

/// The word at `at`, and the position after it.
fn part(text: &[u8], at: usize) -> (&[u8], usize) {
    token(text, at).unwrap_or((text.get(at..).unwrap_or_default(), text.len()))
}

/// The text in quotes at `at`, and the position after it.
fn quoted(text: &[u8], at: usize) -> (&[u8], usize) {
    let close = (text.get(at) == Some(&b'"')).then(|| value_end(text, at + 1)).flatten();
    close.map_or((b"", at), |close| (&text[at + 1..close], close + 2))
}
