//! The tags of single vendors, which replace `TAG[PID]: `.
//!
//! | sender       | behind the host                                             | becomes                                  |
//! |--------------|-------------------------------------------------------------|------------------------------------------|
//! | Comware, VRP | `%%01IFNET/4/LINK_STATE(l)[0]:The …`                        | program `IFNET`                          |
//! | Citrix ADC   | `0-PPE-0 : default TCP CONN_TERMINATE 123 0 : Source …`, also without `default`, and in its own file with another stamp and host before it | program `TCP`, `citrix.node`, `.event`   |
//! | Cisco ISE    | `CISE_Passed_Authentications 0000012345 2 0 …`              | program                                  |
//! | ProCurve     | `00077 ports: port 3 is now on-line`                        | program, `procurve.event`                |
//! | WatchGuard   | `80XX0000AAAA (2026-11-22T05:11:01) firewall: msg_id=…`     | program, `watchguard.serial`             |
//! | UniFi        | `U7PG2,f09fc2000000,v4.3.28.11361: hostapd: …`              | program, `unifi.model`, `.mac`, `.version` |
//! | BIG-IP ASM   | `ASM:unit_hostname="lb-1",attack_type="…"`                  | program                                  |
//!
//! **Invariant:** a text that is not such a tag as a whole is left to the message.

use super::tag::take_tag;
use super::vendor::comware_module;
use super::word::{behind_spaces, is_host, token};
use logstead_record::{BatchBuilder, Field, Row};

/// Reads the tag at `at` into the row, adds its other parts as fields, and returns the beginning of the message.
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
    adc(row, text, at, builder)
        .or_else(|| procurve(row, text, word, behind, builder))
        .or_else(|| watchguard(row, text, word, behind, builder))
        .or_else(|| unifi(row, text, word, behind, builder))
}

/// Adds fields that are not written again as part of the head.
fn add(row: &mut Row<'_>, builder: &mut BatchBuilder, fields: &[(&str, &[u8])]) {
    fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value));
    row.fields_behind += fields.len();
}

/// Whether a word is `0-PPE-0` or `PPE-0`, followed by ` : `: the core of a Citrix ADC, and not its host.
#[inline]
pub(super) fn is_adc_node(word: &[u8], behind: &[u8]) -> bool {
    behind.starts_with(b" : ") && memchr::memmem::find(word, b"PPE-").is_some()
}

/// Reads `0-PPE-0 : default FEATURE EVENT number number :`. The message begins after the first colon. The device's
/// own file has a stamp and perhaps a host before it.
fn adc<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize, builder: &mut BatchBuilder) -> Option<usize> {
    let node_at = [Some(at), behind_adc_stamp(text, at)].into_iter().flatten().find_map(|at| {
        let (word, behind) = token(text, at)?;
        let is_node =
            |at: usize| token(text, at).is_some_and(|(word, end)| is_adc_node(word, &text[end - 1..]));
        match is_node(at) {
            true => Some(at),
            false => is_node(behind).then_some(behind).filter(|_| is_host(word)),
        }
    })?;
    let (node, behind) = token(text, node_at)?;
    let start = behind + 2;
    let (first, at) = token(text, start)?;
    let (second, at) = token(text, at)?;
    let (third, _) = token(text, at)?;
    let is_name =
        |word: &[u8]| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    // Older versions name no partition before the feature.
    let has_partition = is_name(third) && !third.iter().all(u8::is_ascii_digit);
    let (feature, event) = if has_partition { (second, third) } else { (first, second) };
    if ![first, second].into_iter().all(is_name) {
        return None;
    }
    row[Field::Program] = feature;
    add(row, builder, &[("citrix.node", node), ("citrix.event", event)]);
    Some(start)
}

/// The position after a stamp such as `11/20/2026:08:00:00 GMT `.
fn behind_adc_stamp(text: &[u8], at: usize) -> Option<usize> {
    let stamp = text.get(at..at + 20)?;
    let fits = stamp.iter().zip(b"00/00/0000:00:00:00 ").all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    let behind = fits.then(|| at + stamp.len())?;
    let letters = text[behind..].iter().take(5).take_while(|byte| byte.is_ascii_uppercase()).count();
    let is_zone = 1 < letters && text.get(behind + letters) == Some(&b' ');
    Some(behind_spaces(text, if is_zone { behind + letters } else { behind }))
}

/// Reads a tag after a number of five digits.
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

/// Reads the device's own stamp in parentheses and a tag, which follow a serial number.
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

/// Reads `MODEL,MAC,vVERSION:` and the tag after it.
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
