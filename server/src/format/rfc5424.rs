//! RFC 5424: `<PRI>1 TIME HOST PROGRAM PID MSGID SD MSG`, read as senders really write it.

use super::{Known, priority, token};
use logstead_record::{BatchBuilder, Flags, HeadForm, Row, Timestamp};

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Longest SD-ID or parameter name that is believed.
const NAME_BYTES_MAX: usize = 255;

/// `None` where the frame is something else. Its structured data is added to the builder as fields.
pub(super) fn parse<'a>(
    frame: &'a [u8],
    text: &'a [u8],
    known: Known<'_>,
    builder: &mut BatchBuilder,
) -> Option<Row<'a>> {
    let (priority, at) = priority(text)?;
    // Version 1, or a later one that begins alike.
    let at = at + text.get(at..)?.strip_prefix(b"1 ").map(|_| 2)?;
    let (stamp, at) = token(text, at)?;
    let (time, head_form) = time(stamp)?;
    let (host, at) = token(text, at)?;
    let (program, at) = token(text, at)?;
    let (pid, at) = token(text, at)?;
    // A message may end after any of the last parts.
    let (msgid, at) = token(text, at).unwrap_or((&text[at.min(text.len())..], text.len()));
    let at = structured_data(text, at, builder);
    let message = text.get(at..).unwrap_or_default();
    let message = message.strip_prefix(BOM).unwrap_or(message);
    Some(Row {
        time,
        priority: Some(priority),
        host: value(host),
        program: value(program),
        pid: value(pid),
        msgid: value(msgid),
        message,
        raw: frame,
        message_at: Some(at + (text.len() - at - message.len())),
        head_form,
        flags: Flags(known.flags.0),
    })
}

/// `-` says that there is none.
fn value(text: &[u8]) -> &[u8] {
    if text == b"-" { b"" } else { text }
}

/// The stamp, and the form in which it can be written again.
fn time(stamp: &[u8]) -> Option<(Option<Timestamp>, HeadForm)> {
    if stamp == b"-" {
        return Some((None, HeadForm::Stored));
    }
    let time = Timestamp::parse_rfc3339(stamp)?;
    let fraction = stamp
        .get(19)
        .filter(|&&byte| byte == b'.')
        .map_or(0, |_| stamp[20..].iter().take_while(|byte| byte.is_ascii_digit()).count());
    let fraction_digits = fraction.min(9) as u8;
    let form = if stamp.ends_with(b"+00:00") {
        HeadForm::Rfc5424Offset { fraction_digits }
    } else {
        HeadForm::Rfc5424 { fraction_digits }
    };
    Some((Some(time), form))
}

/// Where the message begins: behind `-` or the elements that are well formed. What is neither is part of the
/// message, so that nothing a sloppy sender says is lost.
fn structured_data(text: &[u8], start: usize, builder: &mut BatchBuilder) -> usize {
    let after_space = |at: usize| match text.get(at) {
        Some(b' ') => Some(at + 1),
        None => Some(at.min(text.len())),
        Some(_) => None,
    };
    if text.get(start) == Some(&b'-') {
        return after_space(start + 1).unwrap_or(start);
    }
    let mut at = start;
    let mut name = Vec::new();
    while text.get(at) == Some(&b'[') {
        match element(text, at, &mut name, builder) {
            Some(next) => at = next,
            None => {
                builder.forget_fields();
                return start;
            }
        }
    }
    after_space(at).unwrap_or_else(|| {
        builder.forget_fields();
        start
    })
}

/// Reads `[ID NAME="VALUE" …]` and says where it ends.
fn element(text: &[u8], open: usize, name: &mut Vec<u8>, builder: &mut BatchBuilder) -> Option<usize> {
    let id_end = name_end(text, open + 1)?;
    let id = &text[open + 1..id_end];
    let mut at = id_end;
    if text.get(at) == Some(&b']') {
        builder.field(id, b"");
        return Some(at + 1);
    }
    while text.get(at) == Some(&b' ') {
        let start = at + 1;
        let end = name_end(text, start)?;
        if text.get(end..end + 2) != Some(b"=\"") {
            return None;
        }
        name.clear();
        name.extend_from_slice(id);
        name.push(b'.');
        name.extend_from_slice(&text[start..end]);
        let close = value_end(text, end + 2)?;
        let value = &text[end + 2..close];
        if memchr::memchr(b'\\', value).is_some() {
            builder.field_with(name, |out| unescape(value, out));
        } else {
            builder.field(name, value);
        }
        at = close + 1;
    }
    (text.get(at) == Some(&b']')).then_some(at + 1)
}

/// Where a name that begins at `start` ends; `None` where it is empty or too long.
fn name_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let length = rest
        .iter()
        .take(NAME_BYTES_MAX + 1)
        .take_while(|&&byte| byte > b' ' && byte < 0x7F && !matches!(byte, b'=' | b']' | b'"'))
        .count();
    (1..=NAME_BYTES_MAX).contains(&length).then_some(start + length)
}

/// Where the closing quote of a value stands.
fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// `\"`, `\\` and `\]` stand for the second character; any other backslash is itself.
fn unescape(value: &[u8], out: &mut Vec<u8>) {
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = (byte == b'\\').then(|| bytes.next_if(|next| matches!(next, b'"' | b'\\' | b']')));
        out.push(escaped.flatten().unwrap_or(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, parse_as};
    use logstead_config::Format;

    #[test]
    fn every_part_is_found_and_a_dash_is_nothing() {
        check(
            "<34>1 2026-10-11T22:14:15.003Z mymachine.example.com su 77 ID47 - \u{feff}'su root' failed\r\n",
            [
                "2026-10-11T22:14:15.003Z",
                "34",
                "mymachine.example.com",
                "su",
                "77",
                "ID47",
                "'su root' failed",
            ],
        );
        check("<165>1 - - - - - -", ["-", "165", "", "", "", "", ""]);
        check("<165>1 - h a - - - ", ["-", "165", "h", "a", "", "", ""]);
        check(
            "<13>1 2026-11-21T06:13:00+01:00 h a - - no sd",
            ["2026-11-21T05:13:00Z", "13", "h", "a", "", "", "no sd"],
        );
        check(
            "<13>1 2026-11-21T06:13:00Z h a:b - - -x",
            ["2026-11-21T06:13:00Z", "13", "h", "a:b", "", "", "-x"],
        );
    }

    #[test]
    fn a_head_in_utc_is_not_stored_however_it_says_so() {
        for stamp in ["2026-11-21T06:13:00.123456+00:00", "2026-11-21T06:13:00Z", "2026-11-21T06:13:00.1Z"] {
            let frame = format!("<13>1 {stamp} vm root - - [timeQuality tzKnown=\"1\"] hello");
            let batch = parse_as(Format::Auto, "UTC", frame.as_bytes());
            assert!(batch.columns().head.bytes().is_empty(), "{stamp}");
        }
    }

    fn check_fields(data: &str, message: &str, expected: &[(&str, &str)]) {
        let frame = format!("<13>1 2026-11-21T06:13:00Z h a - - {data}{message}");
        let batch = parse_as(Format::Auto, "UTC", frame.as_bytes());
        let fields: Vec<_> = batch.fields(0).map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
            .collect();
        assert_eq!((fields, batch.message(0)), (expected, message.trim_start().as_bytes()), "{data}");
    }

    #[test]
    fn structured_data_becomes_fields() {
        check_fields(r#"[x@1 a="1" b="2"][y c="3"]"#, " m", &[("x@1.a", "1"), ("x@1.b", "2"), ("y.c", "3")]);
        check_fields(r#"[x a="q\"s\\b\]\n" a=""]"#, " m", &[("x.a", r#"q"s\b]\n"#), ("x.a", "")]);
        check_fields("[alone]", "", &[("alone", "")]);
        check_fields(r#"[junos@2636.1.1.1.2.137 k="v"]"#, " m", &[("junos@2636.1.1.1.2.137.k", "v")]);
    }

    #[test]
    fn structured_data_that_is_broken_is_part_of_the_message() {
        for data in [r#"[x a="1""#, r#"[x a=1] m"#, r#"[x a="1"]m"#, "[", "[]", r#"[a b="c" x"#, r#"[a b="\"#]
        {
            check_fields("", data, &[]);
        }
    }
}
