//! RFC 5424: `<PRI>1 TIME HOST PROGRAM PID MSGID SD MSG`, in the forms that senders really write.

use super::frame::{BOM, FrameContext, FrameText, text_row};
use super::stamp::{self, Clock};
use super::word::{priority, token};
use logstead_record::{BatchBuilder, Field, Flags, HeadForm, Row, Timestamp};

/// The maximum length of an SD-ID or a parameter name.
const NAME_BYTES_MAX: usize = 255;

/// Reads a frame; `None` if it is something else. Its structured data is added to the builder as fields.
pub(super) fn parse<'a>(
    frame: FrameText<'a>,
    known: FrameContext<'a>,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> Option<Row<'a>> {
    let text = frame.text;
    let (priority, at) = priority(text, frame.start)?;
    let (is_first_version, at) = version(text, at)?;
    let (stamp, at) = part(text, at);
    let (time, head_form) = time(stamp, clock)?;
    let flags = if stamp == b"-" { Flags::default() } else { stamp::flags(time) };
    if stamp == b"-" && !is_first_version {
        return None;
    }
    let (host, at) = part(text, at);
    let (program, at) = part(text, at);
    let (pid, at) = part(text, at);
    let (msgid, at) = part(text, at);
    let at = structured_data(text, at, builder);
    let message = text.get(at..).unwrap_or_default();
    let message = message.strip_prefix(BOM).unwrap_or(message);
    Some(
        Row {
            time,
            priority: Some(priority),
            message_at: Some(text.len() - message.len()),
            head_form,
            flags: known.flags.with(flags),
            ..text_row(frame)
        }
        .with(Field::Host, if host == b"-" || host.is_empty() { known.peer } else { host })
        .with(Field::Program, value(program))
        .with(Field::Pid, value(pid))
        .with(Field::Msgid, value(msgid))
        .with(Field::Message, message),
    )
}

/// Reads `1 ` or the number of a later version; returns whether it is the first, and the position after it.
fn version(text: &[u8], at: usize) -> Option<(bool, usize)> {
    let rest = text.get(at..)?;
    if rest.starts_with(b"1 ") {
        return Some((true, at + 2));
    }
    later_version(rest).map(|length| (false, at + length))
}

#[cold]
fn later_version(rest: &[u8]) -> Option<usize> {
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let fits = (1..=3).contains(&digits) && rest[0] != b'0' && rest.get(digits) == Some(&b' ');
    fits.then_some(digits + 1)
}

/// The next part and the position after it; the message may end after any part.
fn part(text: &[u8], at: usize) -> (&[u8], usize) {
    token(text, at).unwrap_or((text.get(at..).unwrap_or_default(), text.len()))
}

/// The value of a part; `-` means none.
fn value(text: &[u8]) -> &[u8] {
    if text == b"-" { b"" } else { text }
}

/// The stamp, and the form in which it can be written again.
fn time(stamp: &[u8], clock: Clock<'_>) -> Option<(Option<Timestamp>, HeadForm)> {
    if stamp == b"-" {
        return Some((None, HeadForm::Stored));
    }
    let Some(time) = Timestamp::parse_rfc3339(stamp) else {
        let time = stamp::without_zone(stamp, clock);
        return (time.is_some() || stamp::is_impossible(stamp, clock)).then_some((time, HeadForm::Stored));
    };
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

/// Reads the structured data, and returns the beginning of the message: after `-` or the well-formed elements.
/// Anything else is part of the message, so that nothing is lost if a sender is sloppy.
fn structured_data(text: &[u8], start: usize, builder: &mut BatchBuilder) -> usize {
    match text.get(start) {
        Some(b'-') => return behind_space(text, start + 1).unwrap_or(start),
        Some(b'[') => {}
        _ => return start,
    }
    if let Some(at) = elements(text, start, builder, element) {
        return at;
    }
    builder.forget_fields();
    if let Some(at) = elements(text, start, builder, sloppy_element) {
        return at;
    }
    builder.forget_fields();
    start
}

/// The position after the space that ends structured data; it may also end with the text.
fn behind_space(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at) {
        Some(b' ') => Some(at + 1),
        None => Some(at.min(text.len())),
        Some(_) => None,
    }
}

/// Reads elements with nothing between them, and returns the beginning of the message.
fn elements(
    text: &[u8],
    start: usize,
    builder: &mut BatchBuilder,
    read: impl Fn(&[u8], usize, &mut Vec<u8>, &mut BatchBuilder) -> Option<usize>,
) -> Option<usize> {
    let mut at = start;
    let mut name = Vec::new();
    while text.get(at) == Some(&b'[') {
        at = read(text, at, &mut name, builder)?;
    }
    behind_space(text, at)
}

/// Reads `[ID NAME="VALUE" …]` and returns its end.
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

/// Reads an element as people write it by hand: without an ID, without quotes, or with extra spaces. `[a=1 b="2" ]`
/// has the parameters `a` and `b`.
fn sloppy_element(text: &[u8], open: usize, name: &mut Vec<u8>, builder: &mut BatchBuilder) -> Option<usize> {
    let spaces = |at: usize| at + text.iter().skip(at).take_while(|&&byte| byte == b' ').count();
    let mut id: &[u8] = b"";
    let mut at = spaces(open + 1);
    let first_end = name_end(text, at)?;
    if text.get(first_end) != Some(&b'=') {
        id = &text[at..first_end];
        at = spaces(first_end);
        // Only a parameter distinguishes an element from a word in brackets.
        name_end(text, at)?;
    }
    while text.get(at)? != &b']' {
        let end = name_end(text, at)?;
        name.clear();
        if !id.is_empty() {
            name.extend_from_slice(id);
            name.push(b'.');
        }
        name.extend_from_slice(&text[at..end]);
        let start = text.get(end..)?.strip_prefix(b"=").map(|_| end + 1)?;
        let (value, value_end) = sloppy_value(text, start)?;
        builder.field_with(name, |out| unescape(value, out));
        if !matches!(text.get(value_end), Some(b' ' | b']')) {
            return None;
        }
        at = spaces(value_end);
    }
    Some(at + 1)
}

/// A value with or without quotes, and the position after it.
fn sloppy_value(text: &[u8], start: usize) -> Option<(&[u8], usize)> {
    if text.get(start) == Some(&b'"') {
        let close = value_end(text, start + 1)?;
        return Some((&text[start + 1..close], close + 1));
    }
    let rest = text.get(start..)?;
    let length = memchr::memchr3(b' ', b']', b'"', rest).filter(|&end| rest[end] != b'"')?;
    Some((&rest[..length], start + length))
}

/// The end of a name that begins at `start`; `None` if it is empty or too long.
fn name_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let length = rest
        .iter()
        .take(NAME_BYTES_MAX + 1)
        .take_while(|&&byte| byte > b' ' && byte < 0x7F && !matches!(byte, b'=' | b']' | b'"'))
        .count();
    (1..=NAME_BYTES_MAX).contains(&length).then_some(start + length)
}

/// The position of a value's closing quote.
pub(super) fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Replaces `\"`, `\\` and `\]` by the second character; any other backslash is kept.
pub(super) fn unescape(value: &[u8], out: &mut Vec<u8>) {
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = (byte == b'\\').then(|| bytes.next_if(|next| matches!(next, b'"' | b'\\' | b']')));
        out.push(escaped.flatten().unwrap_or(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_raw, check, parse_as};
    use logstead_config::SourceFormat;

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
        check("<165>1 - - - - - -", ["-", "165", "10.0.0.9", "", "", "", ""]);
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
            let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
            assert!(batch.columns().head().bytes().is_empty(), "{stamp}");
        }
    }

    #[test]
    fn a_field_read_from_the_message_adds_one_byte_to_a_head_that_is_not_stored() {
        let frame = r#"<13>1 2026-11-21T06:13:00Z vm root - - [x@1 a="1"] last message repeated 5 times"#;
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
        assert_eq!(batch.columns().head().bytes(), [1]);
        assert_eq!(batch.fields(0).last(), Some((&b"repeated"[..], &b"5"[..])));
        assert_raw(&batch, frame.as_bytes());
    }

    fn check_fields(data: &str, message: &str, expected: &[(&str, &str)]) {
        let frame = format!("<13>1 2026-11-21T06:13:00Z h a - - {data}{message}");
        let batch = parse_as(SourceFormat::Auto, "UTC", frame.as_bytes());
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
    fn structured_data_written_by_hand_becomes_fields_too() {
        check_fields(r"[a=1 b=2]", " m", &[("a", "1"), ("b", "2")]);
        check_fields(r#"[x a=1][y b="2" ]"#, " m", &[("x.a", "1"), ("y.b", "2")]);
    }

    #[test]
    fn structured_data_that_is_broken_is_part_of_the_message() {
        for data in [r#"[x a="1""#, r#"[x a=1 m"#, r#"[x a="1"]m"#, "[", "[]", r#"[a b="c" x"#, r#"[a b="\"#]
        {
            check_fields("", data, &[]);
        }
    }
}
