//! nginx's error log: `STAMP [error] PID#TID: *CONNECTION MSG, client: 10.0.0.1, server: x, request: "GET / HTTP/1.1"`.

use super::line::{LineHead, bracketed, is_number, level};
use crate::format::fields::FieldWriter;
use crate::format::word::token;

/// The facts about the request that nginx writes after the message, each after `, NAME: `.
const NAMES: [&str; 7] = ["client", "server", "request", "upstream", "host", "referrer", "subrequest"];

pub(super) fn read<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let (word, at) = bracketed(text, at)?;
    let severity = level(word)?;
    let (ids, at) = token(text, at)?;
    let hash = memchr::memchr(b'#', ids)?;
    let (pid, thread) = (&ids[..hash], ids[hash + 1..].strip_suffix(b":")?);
    if !is_number(pid) || !is_number(thread) {
        return None;
    }
    let mut rest = &text[at..];
    if let Some((number, _)) =
        rest.strip_prefix(b"*").and_then(|rest| token(rest, 0)).filter(|(n, _)| is_number(n))
    {
        fields.add(b"connection", number);
    }
    while let Some((name, value, behind)) = next(rest) {
        fields.add(name.as_bytes(), value);
        rest = behind;
    }
    Some(LineHead { severity: Some(severity), pid, message_at: at, ..LineHead::default() })
}

/// The next `, NAME: VALUE`.
fn next(text: &[u8]) -> Option<(&'static str, &[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr::memmem::find(text.get(at..)?, b", ")? + 2;
        let found = NAMES.into_iter().find(|name| {
            text[at..].strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b": "))
        });
        if let Some(name) = found {
            let rest = &text[at + name.len() + 2..];
            let (value, end) = value(rest);
            return Some((name, value, &rest[end..]));
        }
    }
}

/// A value in quotes, or up to a comma.
fn value(text: &[u8]) -> (&[u8], usize) {
    if let Some(inner) = text.strip_prefix(b"\"")
        && let Some(close) = memchr::memchr(b'"', inner)
    {
        return (&inner[..close], close + 2);
    }
    let end = memchr::memmem::find(text, b", ").unwrap_or(text.len());
    (&text[..end], end)
}
