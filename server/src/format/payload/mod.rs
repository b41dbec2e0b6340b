//! The text of a message that is a format of its own → fields.
//!
//! | the text begins with        | and is                                                          |
//! |-----------------------------|-----------------------------------------------------------------|
//! | `{`, `@cee:`                | a JSON object                                                   |
//! | `CEF:`, `LEEF:`             | what ArcSight and QRadar read                                   |
//! | `[name:"`, `name:"`         | Check Point's pairs                                             |
//! | a number, a comma, a time   | PAN-OS's columns                                                |
//! | `name=`                     | pairs and nothing else: FortiGate, SonicWall, Sophos, logfmt    |
//!
//! The first bytes decide what is tried, so that an ordinary message costs a look at its first word.
//!
//! **Invariant:** the message stays as it was received, and so do the columns that its header has filled: fields are
//! added. What turns out not to be the format from its first byte to its last gives no field at all.

mod cef;
mod checkpoint;
mod fields;
mod fortigate;
mod json;
mod leef;
mod pairs;
mod paloalto;

use super::rfc5424::unescape;
use super::stamp::Clock;
use fields::Fields;
use logstead_record::{BatchBuilder, Flags, Priority, Row, Severity, Timestamp};

/// What a text may be, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Cef,
    Leef,
    CheckPoint,
    PaloAlto,
    Pairs,
}

/// What a text says that stands in columns, for messages whose header does not. Absent texts are empty.
#[derive(Default)]
struct Claims<'a> {
    time: Option<Timestamp>,
    host: &'a [u8],
    program: &'a [u8],
    severity: Option<Severity>,
}

/// Adds the fields of the row's message to the builder, and fills the columns of a row without a header.
pub(super) fn read(row: &mut Row<'_>, clock: Clock<'_>, builder: &mut BatchBuilder) {
    if let Some(kind) = kind(row.message) {
        read_as(kind, row, clock, builder);
    }
}

fn kind(text: &[u8]) -> Option<Kind> {
    match text.first()? {
        b'{' => Some(Kind::Json),
        b'@' if text.starts_with(b"@cee:") => Some(Kind::Json),
        b'[' => Some(Kind::CheckPoint),
        b'0'..=b'9' if paloalto::begins(text) => Some(Kind::PaloAlto),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => kind_by_word(text),
        b' ' => kind(text.trim_ascii_start()),
        _ => None,
    }
}

/// By what follows the first word.
fn kind_by_word(text: &[u8]) -> Option<Kind> {
    match &text[pairs::name_bytes(text)..] {
        [b'=', ..] => Some(Kind::Pairs),
        [b':', b'"', ..] => Some(Kind::CheckPoint),
        [b':', ..] if text.starts_with(b"CEF:") => Some(Kind::Cef),
        [b':', ..] if text.starts_with(b"LEEF:") => Some(Kind::Leef),
        _ => None,
    }
}

#[cold]
fn read_as(kind: Kind, row: &mut Row<'_>, clock: Clock<'_>, builder: &mut BatchBuilder) {
    // The end of the text is missing, and with it the end of a value.
    if row.flags.has(Flags::TRUNCATED) {
        return;
    }
    let text = row.message.trim_ascii();
    let found = match kind {
        Kind::Json => plain(builder, "json", |fields| json::read(text, fields)),
        Kind::Cef => plain(builder, "cef", |fields| cef::read(text, fields)),
        Kind::Leef => plain(builder, "leef", |fields| leef::read(text, fields)),
        Kind::CheckPoint => plain(builder, "checkpoint", |fields| checkpoint::read(text, fields)),
        Kind::PaloAlto => {
            let mut fields = Fields::new(builder, "paloalto");
            paloalto::read(text, clock, &mut fields).map(|claims| (claims, fields.count()))
        }
        Kind::Pairs => read_pairs(text, clock, builder),
    };
    if let Some((claims, count)) = found {
        row.fields_behind += count;
        if row.flags.has(Flags::UNPARSED) {
            fill(row, &claims);
        }
    }
}

/// Reads a format that says nothing of columns.
fn plain<'a>(
    builder: &mut BatchBuilder,
    format: &'static str,
    read: impl FnOnce(&mut Fields<'_>) -> Option<()>,
) -> Option<(Claims<'a>, usize)> {
    let mut fields = Fields::new(builder, format);
    read(&mut fields).map(|()| (Claims::default(), fields.count()))
}

fn read_pairs<'a>(
    text: &'a [u8],
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> Option<(Claims<'a>, usize)> {
    let found = pairs::all(text)?;
    let (format, claims) = if fortigate::is(&found) {
        ("fortigate", fortigate::claims(&found, clock))
    } else {
        ("kv", Claims::default())
    };
    let mut fields = Fields::new(builder, format);
    found.iter().for_each(|pair| pair.add_to(&mut fields, unescape));
    Some((claims, fields.count()))
}

/// The payload stands in for the header that is missing, and the format is known after all.
fn fill<'a>(row: &mut Row<'a>, claims: &Claims<'a>) {
    row.flags = Flags(row.flags.0 & !Flags::UNPARSED.0);
    row.time = row.time.or(claims.time);
    if !claims.host.is_empty() {
        row.host = claims.host;
    }
    if row.program.is_empty() {
        row.program = claims.program;
    }
    let says_priority = row.raw.starts_with(b"<");
    if let (false, Some(severity)) = (says_priority, claims.severity) {
        row.priority = Some(Priority::of(Priority::DEFAULT.facility(), severity));
    }
}
