//! Reads fields from a message whose text has a format of its own.
//!
//! | the text begins with        | and is                                                          |
//! |-----------------------------|-----------------------------------------------------------------|
//! | `{`, `@cee:`                | a JSON object                                                   |
//! | `CEF:`, `LEEF:`             | what ArcSight and QRadar read                                   |
//! | `[name:"`, `name:"`         | Check Point's pairs                                             |
//! | a number, a comma, a time   | PAN-OS's columns                                                |
//! | `name=`                     | pairs and nothing else: Fortinet, SonicWall, Sophos, logfmt     |
//! | `Severity: `                | an event of Dell's iDRAC                                        |
//! | an address, ` - `           | a request, as web servers log it                                |
//! | `[thread] a.b.Class `       | logback                                                         |
//! | `%FTD-`, `<522008> <NOTI>`  | events of Cisco FTD, of Aruba                                   |
//! | anything, by its program    | the kernel's firewall, filterlog, Snare, Cisco ISE              |
//!
//! The first bytes and the program decide which formats are tried, so that an ordinary message only costs a look at
//! its first word.
//!
//! **Invariant:** the message stays as it was received, and so do the columns that its header has filled: fields are
//! added. A text that is not entirely of the format gives no field at all.

mod access;
mod aruba;
mod checkpoint;
mod claims;
mod filterlog;
mod firepower;
mod fortigate;
mod idrac;
mod ise;
mod java;
mod json;
mod meraki;
mod netfilter;
mod pairs;
mod paloalto;
mod snare;

use super::fields::FieldWriter;
use super::rfc5424::unescape;
use super::stamp::Clock;
use super::vendor::is_idrac;
use claims::ColumnClaims;
use logstead_record::{BatchBuilder, Field, Flags, Row};

/// The format that a text may have, judged by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PayloadKind {
    Json,
    Cef,
    Leef,
    CheckPoint,
    PaloAlto,
    Pairs,
    Access,
    Java,
    Aruba,
    Firepower,
    Idrac,
    Netfilter,
    Filterlog,
    Snare,
    Ise,
}

/// Adds the fields of the row's message to the builder, and fills the columns of a row without a header.
pub(super) fn read(row: &mut Row<'_>, clock: Clock<'_>, builder: &mut BatchBuilder) {
    // The kernel also writes messages that are not from its firewall.
    if let Some(kind) = kind_by_program(row[Field::Program])
        && read_as(kind, row, clock, builder)
    {
        return;
    }
    if let Some(kind) = kind(row[Field::Message]) {
        read_as(kind, row, clock, builder);
    }
}

/// Whether a line of a file has its time elsewhere than at its beginning.
pub(super) fn has_own_stamp(text: &[u8]) -> bool {
    matches!(
        kind(text),
        Some(PayloadKind::PaloAlto | PayloadKind::Access | PayloadKind::Pairs | PayloadKind::Json)
    )
}

/// Programs whose messages all have one format, which cannot be recognised at the beginning.
#[inline]
fn kind_by_program(program: &[u8]) -> Option<PayloadKind> {
    match program.first() {
        Some(b'k' | b'f' | b'M' | b'C') => kind_of_program(program),
        _ => None,
    }
}

fn kind_of_program(program: &[u8]) -> Option<PayloadKind> {
    match program {
        b"kernel" => Some(PayloadKind::Netfilter),
        b"filterlog" => Some(PayloadKind::Filterlog),
        b"MSWinEventLog" => Some(PayloadKind::Snare),
        [b'C', b'I', b'S', b'E', b'_', ..] => Some(PayloadKind::Ise),
        _ => None,
    }
}

fn kind(text: &[u8]) -> Option<PayloadKind> {
    match text.first()? {
        b'{' => Some(PayloadKind::Json),
        b'@' if text.starts_with(b"@cee:") => Some(PayloadKind::Json),
        b'[' => kind_by_bracket(text),
        b'%' if text.starts_with(b"%FTD-") => Some(PayloadKind::Firepower),
        b'<' => Some(PayloadKind::Aruba),
        b'0'..=b'9' if paloalto::begins(text) => Some(PayloadKind::PaloAlto),
        b'0'..=b'9' | b':' if access::begins(text) => Some(PayloadKind::Access),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => kind_by_word(text),
        b' ' => kind(text.trim_ascii_start()),
        _ => None,
    }
}

/// In Check Point's format there are quotes after the bracket, in logback's a thread.
fn kind_by_bracket(text: &[u8]) -> Option<PayloadKind> {
    match &text[1 + pairs::name_bytes(&text[1..])..] {
        [b':', b'"', ..] => Some(PayloadKind::CheckPoint),
        _ => Some(PayloadKind::Java),
    }
}

/// The format judged by the text after the first word.
fn kind_by_word(text: &[u8]) -> Option<PayloadKind> {
    match &text[pairs::name_bytes(text)..] {
        [b' ', b'-', b' ', ..] if access::begins(text) => Some(PayloadKind::Access),
        [b'=', ..] => Some(PayloadKind::Pairs),
        [b':', b'"', ..] => Some(PayloadKind::CheckPoint),
        [b':', ..] if is_idrac(text) => Some(PayloadKind::Idrac),
        [b':', ..] if text.starts_with(b"CEF:") => Some(PayloadKind::Cef),
        [b':', ..] if text.starts_with(b"LEEF:") => Some(PayloadKind::Leef),
        // The text is an IPv6 address that begins with a letter, or a virtual host with its port.
        [b':', next, ..] if next.is_ascii_hexdigit() || *next == b':' => {
            access::begins(text).then_some(PayloadKind::Access)
        }
        _ => None,
    }
}

/// Reads the text as this kind; `false` if it is something else.
#[cold]
fn read_as(kind: PayloadKind, row: &mut Row<'_>, clock: Clock<'_>, builder: &mut BatchBuilder) -> bool {
    // The end of the text is missing, possibly in the middle of a value.
    if row.flags.has(Flags::TRUNCATED) {
        return false;
    }
    let text = row[Field::Message].trim_ascii();
    let found = match kind {
        PayloadKind::Json => claiming(builder, "json", |fields| json::read(text, clock, fields)),
        PayloadKind::Access => claiming(builder, "access", |fields| access::read(text, clock, fields)),
        PayloadKind::PaloAlto => claiming(builder, "paloalto", |fields| paloalto::read(text, clock, fields)),
        PayloadKind::Cef => plain(builder, "cef", |fields| logstead_parse::cef(text, fields)),
        PayloadKind::Leef => plain(builder, "leef", |fields| logstead_parse::leef(text, fields)),
        PayloadKind::CheckPoint => plain(builder, "checkpoint", |fields| checkpoint::read(text, fields)),
        PayloadKind::Java => plain(builder, "java", |fields| java::read(text, fields)),
        PayloadKind::Aruba => plain(builder, "aruba", |fields| aruba::read(text, fields)),
        PayloadKind::Firepower => plain(builder, "ftd", |fields| firepower::read(text, fields)),
        PayloadKind::Idrac => plain(builder, "idrac", |fields| idrac::read(text, fields)),
        PayloadKind::Netfilter => plain(builder, "netfilter", |fields| netfilter::read(text, fields)),
        PayloadKind::Filterlog => plain(builder, "filterlog", |fields| filterlog::read(text, fields)),
        PayloadKind::Snare => plain(builder, "snare", |fields| snare::read(text, fields)),
        PayloadKind::Ise => plain(builder, "ise", |fields| ise::read(text, fields)),
        PayloadKind::Pairs => read_pairs(text, clock, builder),
    };
    let Some((claims, count)) = found else { return false };
    row.fields_behind += count;
    fill(row, &claims);
    true
}

/// Reads a format that may provide columns.
fn claiming<'a>(
    builder: &mut BatchBuilder,
    format: &'static str,
    read: impl FnOnce(&mut FieldWriter<'_>) -> Option<ColumnClaims<'a>>,
) -> Option<(ColumnClaims<'a>, usize)> {
    let mut fields = FieldWriter::new(builder, format);
    read(&mut fields).map(|claims| (claims, fields.count))
}

/// Reads a format that provides no columns.
fn plain<'a>(
    builder: &mut BatchBuilder,
    format: &'static str,
    read: impl FnOnce(&mut FieldWriter<'_>) -> Option<()>,
) -> Option<(ColumnClaims<'a>, usize)> {
    let mut fields = FieldWriter::new(builder, format);
    read(&mut fields).map(|()| (ColumnClaims::default(), fields.count))
}

fn read_pairs<'a>(
    text: &'a [u8],
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> Option<(ColumnClaims<'a>, usize)> {
    let Some(found) = pairs::all(text) else {
        return plain(builder, "meraki", |fields| meraki::read(text, fields));
    };
    let (format, claims) = match fortigate::format(&found) {
        Some(format) => (format, fortigate::claims(&found, clock)),
        None => ("kv", ColumnClaims::default()),
    };
    let mut fields = FieldWriter::new(builder, format);
    found.iter().for_each(|pair| pair.add_to(&mut fields, unescape));
    Some((claims, fields.count))
}

/// Fills the columns that the header leaves empty. If there is no header, these are all columns, and the format then
/// counts as recognised; if the header has no priority, the priority is filled.
fn fill<'a>(row: &mut Row<'a>, claims: &ColumnClaims<'a>) {
    let is_headless = row.flags.has(Flags::UNPARSED);
    // If there is a priority, the message does not begin at the start of the frame.
    let says_priority = row.priority.is_some() && !(is_headless && row.message_at == Some(0));
    if !says_priority {
        row.priority = claims.priority.or(row.priority);
    }
    if claims.completes_stamp && row[Field::Program].is_empty() {
        row.time = claims.time.or(row.time);
        (row[Field::Program], row[Field::Pid]) = (claims.program, claims.pid);
    }
    if !is_headless {
        return;
    }
    row.flags = Flags(row.flags.0 & !Flags::UNPARSED.0);
    row.time = row.time.or(claims.time);
    if !claims.host.is_empty() {
        row[Field::Host] = claims.host;
    }
    if row[Field::Program].is_empty() {
        (row[Field::Program], row[Field::Pid]) = (claims.program, claims.pid);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields;
    use super::super::tests::{assert_raw, parse_as};
    use super::super::{FrameContext, SyslogParser};
    use super::*;
    use jiff::tz::TimeZone;
    use logstead_config::SourceFormat;
    use logstead_record::{Batch, Origin, Timestamp};

    const HEAD: &str = "<13>1 2026-11-21T06:13:00Z h a - - - ";

    #[test]
    fn the_first_bytes_tell_what_a_text_may_be() {
        for (text, expected) in [
            ("{\"a\":1}", Some(PayloadKind::Json)),
            ("@cee: {}", Some(PayloadKind::Json)),
            ("@cei: {}", None),
            ("CEF:0|", Some(PayloadKind::Cef)),
            ("LEEF:2.0|", Some(PayloadKind::Leef)),
            ("LEAF:2.0|", None),
            ("[a:\"b\"", Some(PayloadKind::CheckPoint)),
            ("[main] a.b.C", Some(PayloadKind::Java)),
            ("10.0.0.1 - ana [", Some(PayloadKind::Access)),
            ("fe80::1 - - [", Some(PayloadKind::Access)),
            ("example.com:443 10.0.0.1 - - [21/Nov", Some(PayloadKind::Access)),
            ("error: 10 - 7", None),
            ("%FTD-1-430003: ", Some(PayloadKind::Firepower)),
            ("src:\"a\";", Some(PayloadKind::CheckPoint)),
            ("1,2026/11/21 06:13:00,", Some(PayloadKind::PaloAlto)),
            ("1,2,3", None),
            ("2026-11-21 06:13:00", None),
            ("key=value", Some(PayloadKind::Pairs)),
            ("_PID=1", Some(PayloadKind::Pairs)),
            ("  key=value", Some(PayloadKind::Pairs)),
            ("key = value", None),
            ("Accepted publickey for ana", None),
            ("=x", None),
            ("word", None),
            (" ", None),
            ("", None),
        ] {
            assert_eq!(kind(text.as_bytes()), expected, "{text}");
        }
    }

    /// Checks that a message with this text has this many fields, and that nothing of it is lost.
    fn check(text: &str, fields: usize) {
        let frame = format!("{HEAD}{text}");
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
        let shown: String = text.chars().take(40).collect();
        assert_eq!(batch.fields(0).count(), fields, "{shown}");
        assert_eq!(batch.message(0), text.as_bytes());
        assert_raw(&batch, frame.as_bytes());
    }

    #[test]
    fn of_a_hostile_text_there_is_what_fits_and_nothing_is_lost() {
        const MANY: usize = 10_000;
        let joined =
            |pair: fn(usize) -> String, between: &str| (0..MANY).map(pair).collect::<Vec<_>>().join(between);
        let max = fields::FIELDS_MAX;
        check(&joined(|n| format!("k{n}=v"), " "), max);
        check(&joined(|n| format!("k{n}=\"\""), ", "), max);
        check(&format!("CEF:0|a|b|c|d|e|f|{}", joined(|n| format!("k{n}=v"), " ")), max);
        check(&format!("CEF:0|a|b|c|d|e|f|{}", joined(|n| format!("k{n}Label=v"), " ")), max);
        check(&format!("LEEF:1.0|a|b|c|d|{}", joined(|n| format!("k{n}=v"), "\t")), max);
        check(&format!("[{}]", joined(|n| format!("k{n}:\"v\""), "; ")), max);
        check(&format!("{{{}}}", joined(|n| format!("\"k{n}\":{n}"), ",")), max);
        check(&format!("{{\"a\":[{}]}}", joined(|n| n.to_string(), ",")), max);
        check(&format!("1,2026/11/21 06:13:00,x,TRAFFIC,{}", joined(|n| n.to_string(), ",")), 62);
        check(&format!("{}1{}", "{\"a\":".repeat(MANY), "}".repeat(MANY)), 1);
        check(&format!("{{\"a\":{}{}}}", "[".repeat(MANY), "]".repeat(MANY)), 1);
        check(&format!("{}{}", "{".repeat(MANY), "}".repeat(MANY)), 0);
        let long = "n".repeat(MANY);
        check(&format!("{{\"{long}\":{{{}}}}}", joined(|n| format!("\"k{n}\":1"), ",")), 0);
        check(&format!("{{\"{long}\":[{}]}}", joined(|n| n.to_string(), ",")), 0);
        check(&format!("a=1 b=2 {long}=3"), 0);
    }

    #[test]
    fn a_value_with_many_labels_is_stored_twice_at_most() {
        let value = "v".repeat(10_000);
        let labels: String = (0..20).map(|n| format!(" cs1Label=L{n}")).collect();
        let frame = format!("<13>CEF:0|a|b|c|d|e|f|cs1={value}{labels}");
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
        assert_eq!(batch.fields(0).filter(|(_, found)| *found == value.as_bytes()).count(), 2);
    }

    fn parse_flagged(frame: &[u8], flags: Flags) -> Batch {
        let received = Timestamp::from_nanos(0);
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"", peer: b"", received });
        let syslog = SyslogParser::new(SourceFormat::Auto, TimeZone::UTC);
        syslog.parse(frame, FrameContext { flags, ..FrameContext::at(received) }, &mut builder);
        builder.seal()
    }

    #[test]
    fn a_message_that_was_cut_has_no_fields_of_its_text() {
        let frame = b"<13>1 - h a - - - a=1 b=2 c=3";
        assert_eq!(parse_flagged(frame, Flags::TRUNCATED).fields(0).count(), 0);
        assert_eq!(parse_flagged(frame, Flags::INCOMPLETE).fields(0).count(), 3);
    }

    #[test]
    fn a_head_before_a_payload_is_not_stored() {
        let frame = format!("{HEAD}{{\"a\":1,\"b\":2}}");
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
        assert_eq!(batch.columns().head().bytes().len(), 1);
        assert_raw(&batch, frame.as_bytes());
    }
}
