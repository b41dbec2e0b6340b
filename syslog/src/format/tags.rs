//! What single vendors put where others put `TAG[PID]: `.
//!
//! | sender       | behind the host                                             | becomes                                  |
//! |--------------|-------------------------------------------------------------|------------------------------------------|
//! | Comware, VRP | `%%01IFNET/4/LINK_STATE(l)[0]:The …`                        | program `IFNET`                          |
//! | Citrix ADC   | `0-PPE-0 : default TCP CONN_TERMINATE 123 0 : Source …`     | program `TCP`, `citrix.node`, `.event`   |
//! | Cisco ISE    | `CISE_Passed_Authentications 0000012345 2 0 …`              | program                                  |
//! | ProCurve     | `00077 ports: port 3 is now on-line`                        | program, `procurve.event`                |
//! | WatchGuard   | `80XX0000AAAA (2026-11-22T05:11:01) firewall: msg_id=…`     | program, `watchguard.serial`             |
//! | UniFi        | `U7PG2,f09fc2000000,v4.3.28.11361: hostapd: …`              | program, `unifi.model`, `.mac`, `.version` |
//! | BIG-IP ASM   | `ASM:unit_hostname="lb-1",attack_type="…"`                  | program                                  |
//!
//! **Invariant:** what is not such a tag as a whole is left to the message.

use super::tag::take_tag;
use super::vendor::comware_module;
use super::word::token;
use logstead_record::{BatchBuilder, Field, Row};

/// Takes over the tag at `at`, adds its other parts as fields, and says where the message begins.
#[inline]
pub(super) fn take<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    at: usize,
    builder: &mut BatchBuilder,
) -> Option<usize> {
    match text.get(at)? {
        b'%' | b'0'..=b'9' | b'A'..=b'Z' => unusual(row, text, at, builder),
        _ => None,
    }
}

#[cold]
fn unusual<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize, builder: &mut BatchBuilder) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with(b"%%") {
        (row[Field::Program], ..) = comware_module(rest)?;
        return Some(at);
    }
    if rest.starts_with(b"CISE_") {
        let (program, behind) = token(text, at)?;
        row[Field::Program] = program;
        return Some(behind);
    }
    if rest.starts_with(b"ASM:") {
        row[Field::Program] = &rest[..3];
        return Some(at + 4);
    }
    let (word, behind) = token(text, at)?;
    adc(row, text, word, behind, builder)
        .or_else(|| procurve(row, text, word, behind, builder))
        .or_else(|| watchguard(row, text, word, behind, builder))
        .or_else(|| unifi(row, text, word, behind, builder))
}

/// Adds fields that do not stand in a head as it can be written again.
fn add(row: &mut Row<'_>, builder: &mut BatchBuilder, fields: &[(&str, &[u8])]) {
    fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value));
    row.fields_behind += fields.len();
}

/// Behind `0-PPE-0`: ` : default FEATURE EVENT number number :`. The message begins behind the first colon.
fn adc<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    node: &[u8],
    at: usize,
    builder: &mut BatchBuilder,
) -> Option<usize> {
    memchr::memmem::find(node, b"-PPE-")?;
    let start = at + text[at..].strip_prefix(b": ").map(|_| 2)?;
    let (partition, at) = token(text, start)?;
    let (feature, at) = token(text, at)?;
    let (event, _) = token(text, at)?;
    let is_name =
        |word: &[u8]| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    if ![partition, feature, event].into_iter().all(is_name) {
        return None;
    }
    row[Field::Program] = feature;
    add(row, builder, &[("citrix.node", node), ("citrix.event", event)]);
    Some(start)
}

/// Behind a number of five digits: a tag.
fn procurve<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    event: &[u8],
    at: usize,
    builder: &mut BatchBuilder,
) -> Option<usize> {
    let is_event = event.len() == 5 && event.iter().all(u8::is_ascii_digit);
    let at = is_event.then(|| take_tag(row, text, at))??;
    add(row, builder, &[("procurve.event", event)]);
    Some(at)
}

/// Behind a serial number: the device's own stamp in parentheses, and a tag.
fn watchguard<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    serial: &[u8],
    at: usize,
    builder: &mut BatchBuilder,
) -> Option<usize> {
    let is_serial = serial.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let stamp = text[at..].strip_prefix(b"(20").filter(|_| is_serial)?;
    let at = at + 3 + memchr::memchr(b')', &stamp[..stamp.len().min(40)])? + 1;
    let at = take_tag(row, text, at)?;
    add(row, builder, &[("watchguard.serial", serial)]);
    Some(at)
}

/// `MODEL,MAC,vVERSION:`, and a tag behind it.
fn unifi<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    word: &[u8],
    at: usize,
    builder: &mut BatchBuilder,
) -> Option<usize> {
    let mut parts = word.strip_suffix(b":")?.split(|&byte| byte == b',');
    let (model, mac) = (parts.next()?, parts.next()?);
    let version = parts.next()?.strip_prefix(b"v").filter(|_| parts.next().is_none())?;
    if mac.len() != 12 || !mac.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let at = take_tag(row, text, at)?;
    add(row, builder, &[("unifi.model", model), ("unifi.mac", mac), ("unifi.version", version)]);
    Some(at)
}
