//! The Linux kernel's firewall, by iptables, nftables, ufw or a UniFi gateway: `[UFW BLOCK] IN=eth0 OUT= SRC=10.0.0.1 … SYN`.
//!
//! The text before `IN=`, which the rule sets, becomes the field `prefix`. Words without a value (`DF`, `SYN`) are
//! only in the message.

use super::super::fields::FieldWriter;
use super::pairs::name_bytes;

/// Reads a line; `None` if the text is not one.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let start = begin(text)?;
    let prefix = prefix(&text[..start]);
    if !prefix.is_empty() {
        fields.add(b"prefix", prefix);
    }
    // After a bracket comes the packet that an ICMP message is about.
    let own = text[start..].split(|&byte| byte == b'[').next().unwrap_or_default();
    for word in own.split(|&byte| byte == b' ') {
        let length = name_bytes(word);
        if 0 < length && word.get(length) == Some(&b'=') && length + 1 < word.len() {
            fields.add(&word[..length], &word[length + 1..]);
        }
    }
    Some(())
}

/// The position of an `IN=` before ` OUT=`.
fn begin(text: &[u8]) -> Option<usize> {
    let out = memchr::memmem::find(text, b" OUT=")?;
    let at = memchr::memmem::rfind(&text[..out], b"IN=")?;
    let begins = at == 0 || matches!(text[at - 1], b' ' | b']' | b':');
    (begins && memchr::memchr(b' ', &text[at..out]).is_none()).then_some(at)
}

/// The prefix without the preceding uptime in seconds, and without the brackets around it.
fn prefix(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    let is_uptime = |inner: &&[u8]| inner.trim_ascii().first().is_some_and(u8::is_ascii_digit);
    let behind_uptime = text
        .strip_prefix(b"[")
        .filter(is_uptime)
        .and_then(|inner| memchr::memchr(b']', inner).map(|close| inner[close + 1..].trim_ascii()));
    let text = behind_uptime.unwrap_or(text);
    let inner = text.strip_prefix(b"[").and_then(|inner| inner.strip_suffix(b"]"));
    inner.or(text.strip_suffix(b":")).unwrap_or(text)
}
