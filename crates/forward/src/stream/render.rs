//! Writes messages for sending: the bytes as received, or the parsed message as RFC 5424 or RFC 3164.

use crate::sink::OutgoingMessage;
use logstead_config::ForwardFormat;
use logstead_record::{Batch, MONTHS, Priority};
use std::io::Write;

/// The SD-ID of fields that did not arrive as structured data. 32473 is the number reserved for examples.
const FIELDS_ID: &[u8] = b"fields@32473";
/// Stands for a missing name.
const NOTHING: &[u8] = b"-";

/// Writes a message, replacing the contents of `out`.
pub(super) fn write(format: ForwardFormat, message: &OutgoingMessage<'_>, out: &mut Vec<u8>) {
    out.clear();
    match format {
        ForwardFormat::Raw => message.batch.write_raw(message.row, out),
        ForwardFormat::Rfc5424 => write_rfc5424(message.batch, message.row, out),
        ForwardFormat::Rfc3164 => write_rfc3164(message.batch, message.row, out),
    }
}

fn write_rfc5424(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    write_priority(batch, row, out);
    out.extend_from_slice(b"1 ");
    batch.time(row).write_rfc3339(out, 6);
    for part in [batch.host(row), batch.program(row), batch.pid(row), batch.msgid(row)] {
        out.push(b' ');
        write_name(part, b"=]\"", out);
    }
    out.push(b' ');
    write_structured_data(batch, row, out);
    out.push(b' ');
    out.extend_from_slice(batch.message(row));
}

/// Writes `<PRI>Mmm dd hh:mm:ss HOST TAG[PID]: MSG`. Without a tag, receivers would take the first word of the
/// message for the tag.
fn write_rfc3164(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    write_priority(batch, row, out);
    write_stamp(batch, row, out);
    write_name(batch.host(row), b"", out);
    out.push(b' ');
    write_name(batch.program(row), b"[]:", out);
    if !batch.pid(row).is_empty() {
        out.push(b'[');
        write_name(batch.pid(row), b"[]:", out);
        out.push(b']');
    }
    out.extend_from_slice(b": ");
    out.extend_from_slice(batch.message(row));
}

fn write_priority(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    let priority = batch.priority(row).unwrap_or(Priority::DEFAULT);
    // Writing to memory cannot fail.
    write!(out, "<{}>", priority.number()).ok();
}

/// Writes the time as `Nov  1 06:13:00 `, in UTC.
fn write_stamp(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    let (_, month, day, second, _) = batch.time(row).to_civil();
    out.extend_from_slice(MONTHS[month as usize - 1]);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    write!(out, " {day:2} {hour:02}:{minute:02}:{second:02} ").ok();
}

fn write_structured_data(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    let mut open: Option<&[u8]> = None;
    for (name, value) in batch.fields(row) {
        let (id, parameter) = match memchr::memrchr(b'.', name) {
            Some(dot) if 0 < dot => (&name[..dot], &name[dot + 1..]),
            _ => (FIELDS_ID, name),
        };
        if open != Some(id) {
            out.extend_from_slice(if open.is_some() { b"][" } else { b"[" });
            write_name(id, b"=]\"", out);
            open = Some(id);
        }
        out.push(b' ');
        write_name(parameter, b"=]\"", out);
        out.extend_from_slice(b"=\"");
        write_value(value, out);
        out.push(b'"');
    }
    out.extend_from_slice(if open.is_some() { b"]" } else { b"-" });
}

fn write_value(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        if matches!(byte, b'"' | b'\\' | b']') {
            out.push(b'\\');
        }
        out.push(byte);
    }
}

/// Writes a name. It may contain printable ASCII except spaces and the bytes in `without`; anything else becomes `_`.
fn write_name(name: &[u8], without: &[u8], out: &mut Vec<u8>) {
    let name = if name.is_empty() { NOTHING } else { name };
    out.extend(name.iter().map(|&byte| match byte {
        0x21..=0x7E if !without.contains(&byte) => byte,
        _ => b'_',
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Field, Origin, Row, Timestamp};

    /// Checks the output for a message with this time.
    fn check(format: ForwardFormat, time: &str, row: &Row<'_>, fields: &[(&str, &str)], expected: &str) {
        let received = Timestamp::parse_rfc3339(time.as_bytes()).unwrap();
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received });
        for (name, value) in fields {
            builder.field(name.as_bytes(), value.as_bytes());
        }
        builder.push(row);
        let mut out = b"from before".to_vec();
        write(format, &OutgoingMessage { batch: &builder.seal(), row: 0, sequence: 0 }, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_message_is_written_anew_as_rfc_5424() {
        let row = Row::text(b"two\nlines").with(Field::Host, b"web 1");
        let fields = [("x@1.a", "1"), ("x@1.b", "]\\"), ("user", "a\"b")];
        let expected = "<13>1 2026-11-21T06:13:00.000000Z web_1 - - - \
                        [x@1 a=\"1\" b=\"\\]\\\\\"][fields@32473 user=\"a\\\"b\"] two\nlines";
        check(ForwardFormat::Rfc5424, "2026-11-21T06:13:00Z", &row, &fields, expected);
        check(
            ForwardFormat::Rfc5424,
            "2026-11-21T06:13:00.1234567Z",
            &Row::text(b""),
            &[],
            "<13>1 2026-11-21T06:13:00.123456Z - - - - - ",
        );
    }

    #[test]
    fn a_message_is_written_anew_as_rfc_3164_in_utc() {
        let check = |time, row: &Row<'_>, expected| {
            check(ForwardFormat::Rfc3164, time, row, &[("user", "x")], expected);
        };
        let row = Row::text(b"two\nlines").with(Field::Host, b"web 1").with(Field::Program, b"my [app]: x");
        check("2026-11-01T01:13:09+02:00", &row, "<13>Oct 31 23:13:09 web_1 my__app___x: two\nlines");
        let row = row.with(Field::Pid, b"42").with(Field::Program, b"sshd");
        check("2026-01-02T03:04:05.9Z", &row, "<13>Jan  2 03:04:05 web_1 sshd[42]: two\nlines");
        check("2026-12-11T00:00:00Z", &Row::text(b"text"), "<13>Dec 11 00:00:00 - -: text");
    }

    #[test]
    fn a_raw_message_is_sent_as_it_came() {
        let row = Row::text(b" <13>any\tbytes ");
        check(ForwardFormat::Raw, "2026-11-21T06:13:00Z", &row, &[], " <13>any\tbytes ");
    }
}
