//! Small deviations of single senders: additions to a head that RFC 3164 or RFC 5424 describes.
//!
//! | sender        | habit                                                                              |
//! |---------------|------------------------------------------------------------------------------------|
//! | syslogd       | `last message repeated 3 times`                                                    |
//! | Junos         | `%DAEMON-4-NAME: ` behind the tag, where it is set to say the priority            |
//! | Comware, VRP  | `%%01IFNET/4/LINK_STATE(l)[0]:` begins the message of HPE and Huawei devices       |
//! | Meraki        | a version and a stamp in seconds since 1970, then the host and the kind of event   |
//! | AIX           | `Message forwarded from HOST: ` where others put the host                          |
//! | BIG-IP        | the severity between host and tag: `lb-1 notice mcpd[7081]: `                      |
//! | Snare         | tabs: `MSWinEventLog<TAB>1<TAB>Security…`                                          |
//! | iDRAC         | no tag: `Severity: Informational, Category: Audit, MessageID: USR0030, Message: …` |
//! | FortiGate     | a space in `CEF: 0|Fortinet|…`, which is no tag                                    |
//!
//! **Invariant:** values that are taken from the text of a message stay in it.

use super::cisco::Mnemonic;
use super::frame::set_message;
use super::word::is_host;
use logstead_record::{BatchBuilder, Field, Row, SEVERITY_NAMES};

/// Syslog's and Junos' own names of facilities: with one of these, `%NAME-4…:` after a tag is a priority.
const JUNOS_FACILITIES: [&[u8]; 16] = [
    b"AUTH", b"CHANGE", b"CONFLICT", b"CONSOLE", b"CRON", b"DAEMON", b"DFC", b"EXTERNAL", b"FIREWALL",
    b"FTP", b"INTERACT", b"KERN", b"NTP", b"PFE", b"SYSLOG", b"USER",
];

/// The number of times that the previous message was repeated.
pub(super) fn repeated(message: &[u8]) -> Option<&[u8]> {
    let rest = match message.first()? {
        b'l' => message.strip_prefix(b"last message repeated ")?,
        b'm' => message.strip_prefix(b"message repeated ")?,
        b'-' => message.strip_prefix(b"--- last message repeated ")?,
        _ => return None,
    };
    let digits = rest.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    (0 < digits && rest[digits..].starts_with(b" time")).then_some(&rest[..digits])
}

/// Adds as fields the parts of the mnemonic that a message begins with, and returns their number.
pub(super) fn mnemonic(message: &[u8], builder: &mut BatchBuilder) -> usize {
    if let Some((facility, severity, name)) = junos_priority(message) {
        builder.field(b"junos.facility", facility);
        builder.field(b"junos.severity", severity);
        if name.is_empty() {
            return 2;
        }
        builder.field(b"junos.tag", name);
        return 3;
    }
    if let Some(count) = comware_mnemonic(message, builder) {
        return count;
    }
    Mnemonic::read(message, 0).map_or(0, |mnemonic| mnemonic.add(builder))
}

/// `%%01IFNET/4/LINK_STATE(l)[0]:`: two digits of a version, module, severity and mnemonic.
pub(super) fn comware_module(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let rest = text.strip_prefix(b"%%")?;
    let rest = rest.get(2..).filter(|_| rest[..2].iter().all(u8::is_ascii_digit))?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let module_bytes = rest.iter().take(64).take_while(|byte| is_name(byte)).count();
    let [b'/', severity @ b'0'..=b'7', b'/', ..] = &rest[module_bytes..] else { return None };
    let name = &rest[module_bytes + 3..];
    let name_bytes = name.iter().take(64).take_while(|byte| is_name(byte)).count();
    let ends = matches!(name.get(name_bytes), Some(b':' | b'('));
    let fits = ends && 0 < module_bytes && 0 < name_bytes;
    fits.then_some((&rest[..module_bytes], std::slice::from_ref(severity), &name[..name_bytes]))
}

fn comware_mnemonic(message: &[u8], builder: &mut BatchBuilder) -> Option<usize> {
    let (module, severity, name) = comware_module(message)?;
    builder.field(b"comware.module", module);
    builder.field(b"comware.severity", severity);
    builder.field(b"comware.mnemonic", name);
    Some(3)
}

/// `%DAEMON-4: ` or `%DAEMON-4-NAME: `.
fn junos_priority(message: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let rest = message.strip_prefix(b"%")?;
    let facility = rest.split(|&byte| byte == b'-').next()?;
    let is_local = facility.strip_prefix(b"LOCAL").is_some_and(|digit| matches!(digit, [b'0'..=b'7']));
    if !is_local && !JUNOS_FACILITIES.contains(&facility) {
        return None;
    }
    let rest = rest.get(facility.len() + 1..)?;
    let severity = rest.get(..1).filter(|digit| matches!(digit, [b'0'..=b'7']))?;
    let rest = &rest[1..];
    let end = memchr::memchr2(b':', b' ', rest).filter(|&end| rest[end] == b':')?;
    match &rest[..end] {
        [] => Some((facility, severity, b"")),
        [b'-', name @ ..] => Some((facility, severity, name)),
        _ => None,
    }
}

/// Reads the text after the host of a Meraki device, which is the kind of event. It becomes the program.
pub(super) fn meraki<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize) {
    let rest = &text[at..];
    let is_part = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    if length == 0 || rest.get(length) != Some(&b' ') {
        return set_message(row, text, at);
    }
    row[Field::Program] = &rest[..length];
    set_message(row, text, at + length + 1);
}

/// The host for which a relay on AIX forwards, and the position after it.
pub(super) fn forwarded_from(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?.strip_prefix(b"Message forwarded from ")?;
    let end = memchr::memchr(b' ', rest)?;
    let host = rest[..end].strip_suffix(b":").filter(|host| is_host(host))?;
    Some((host, text.len() - rest.len() + end + 1))
}

/// The position of the tag after the name of a severity.
pub(super) fn behind_severity(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let end = rest.iter().take(8).position(|&byte| byte == b' ')?;
    SEVERITY_NAMES.iter().any(|name| name.as_bytes() == &rest[..end]).then_some(at + end + 1)
}

/// Whether a text is CEF or LEEF by its first bytes.
pub(super) fn is_event_format(text: &[u8]) -> bool {
    let version = text.strip_prefix(b"CEF:").or(text.strip_prefix(b"LEEF:"));
    let Some(version) = version.map(<[u8]>::trim_ascii_start) else { return false };
    let bytes = version.iter().take(8).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    0 < bytes && version.get(bytes) == Some(&b'|')
}

/// Whether a text is an event of Dell's controller by its first bytes.
pub(super) fn is_idrac(text: &[u8]) -> bool {
    let window = &text[..text.len().min(64)];
    window.starts_with(b"Severity: ") && memchr::memmem::find(window, b", Category: ").is_some()
}

/// The program of a message in columns separated by tabs, as sent by Snare.
pub(super) fn tabbed(message: &[u8]) -> Option<&[u8]> {
    let name = b"MSWinEventLog";
    message.starts_with(b"MSWinEventLog\t").then(|| &message[..name.len()])
}
