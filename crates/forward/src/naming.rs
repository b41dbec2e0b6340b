//! Builds names of files and objects from parts of a message.
//!
//! **Invariant:** a value from a message becomes letters, digits, `-`, `_` and `.`, at least one of them and not a dot
//! first. So it is never a folder, and never leads out of one.

use super::sink::OutgoingMessage;
use logstead_config::{MessageTime, NamePart, NameTemplate, TimePart};
use logstead_record::Timestamp;
use std::fmt::Write;

/// Appends the name for a message.
pub(super) fn write(template: &NameTemplate, message: &OutgoingMessage<'_>, out: &mut String) {
    for part in template.parts() {
        match part {
            NamePart::Literal(text) => out.push_str(text),
            NamePart::Label(label) => write_part(message.label(*label), out),
            NamePart::Time(moment, part) => {
                let time = match moment {
                    MessageTime::Received => message.batch.received(message.row),
                    MessageTime::Own => message.batch.time(message.row),
                };
                write_time(time, *part, out);
            }
        }
    }
}

/// The name for further messages if there are too many different names.
pub(super) fn others(template: &NameTemplate) -> String {
    let part = |part: &NamePart| match part {
        NamePart::Literal(text) => text.clone(),
        NamePart::Label(_) | NamePart::Time(..) => "_other".to_owned(),
    };
    template.parts().iter().map(part).collect()
}

fn write_part(text: &[u8], out: &mut String) {
    if text.is_empty() {
        out.push('-');
    }
    for (at, byte) in text.iter().take(NameTemplate::LABEL_BYTES_MAX).enumerate() {
        out.push(match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(*byte),
            b'.' if 0 < at => '.',
            _ => '_',
        });
    }
}

fn write_time(time: Timestamp, part: TimePart, out: &mut String) {
    let (year, month, day, second, _) = time.to_civil();
    let written = match part {
        TimePart::Year => write!(out, "{year:04}"),
        TimePart::Month => write!(out, "{month:02}"),
        TimePart::Day => write!(out, "{day:02}"),
        TimePart::Hour => write!(out, "{:02}", second / 3600),
        TimePart::Minute => write!(out, "{:02}", second / 60 % 60),
        TimePart::Second => write!(out, "{:02}", second % 60),
    };
    written.unwrap_or_else(|_| unreachable!("a string takes everything"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Field, Origin, Priority, Row};
    use proptest::prelude::*;

    fn batch(host: &[u8], program: &[u8]) -> Batch {
        let at = |text: &str| Timestamp::parse_rfc3339(text.as_bytes()).unwrap();
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"in", peer: b"p", received: at("2026-11-23T14:05:06Z") });
        let row =
            Row { time: Some(at("1999-01-02T03:04:05Z")), priority: Priority::new(38), ..Row::text(b"x") };
        builder.push(&row.with(Field::Host, host).with(Field::Program, program));
        builder.seal()
    }

    fn name(template: &str, batch: &Batch) -> String {
        let mut name = String::new();
        let template = NameTemplate::parse(template).unwrap();
        write(&template, &OutgoingMessage { batch, row: 0, sequence: 0 }, &mut name);
        name
    }

    #[test]
    fn parts_of_a_message_become_parts_of_its_name() {
        let batch = batch(b"web-1.example", b"");
        for (template, expected) in [
            ("a/{host}/{program}.log", "a/web-1.example/-.log"),
            ("{source}-{severity}-{facility}", "in-info-auth"),
            ("{received:%Y/%m/%d/%H%M%S}", "2026/11/23/140506"),
            ("{time:%Y-%m-%d}{{}}", "1999-01-02{}"),
        ] {
            assert_eq!(name(template, &batch), expected);
        }
        assert_eq!(others(&NameTemplate::parse("a/{host}/{time:%Y}.log").unwrap()), "a/_other/_other.log");
    }

    #[test]
    fn what_a_message_says_leads_nowhere_else() {
        let long = [b'x'; 300];
        for (host, expected) in [
            (&b"../../etc/passwd"[..], "_._.._etc_passwd"),
            (b"..", "_."),
            (b"/", "_"),
            (b"a\0b\nc", "a_b_c"),
            (b"\xff\xc3\xa4", "___"),
            (b"{host}", "_host_"),
            (&long, &"x".repeat(100)),
        ] {
            assert_eq!(name("{host}", &batch(host, b"")), expected);
        }
    }

    proptest! {
        #[test]
        fn no_message_makes_or_leaves_a_folder(host: Vec<u8>, program: Vec<u8>) {
            let name = name("logs/{host}/.{program}", &batch(&host, &program));
            let parts: Vec<&str> = name.split('/').collect();
            prop_assert_eq!((parts.len(), parts[0]), (3, "logs"));
            prop_assert!(parts.iter().all(|part| !matches!(*part, "" | "." | "..")), "{}", name);
        }
    }
}
