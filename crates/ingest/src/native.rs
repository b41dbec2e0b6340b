//! Our own protocol, `POST /api/v1/ingest`: a JSON object per line, an array of objects, or a text per line.
//! `docs/http.md` documents it.
//!
//! **Invariant:** a body that cannot be accepted as a whole is refused before its first message.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{BodyError, LIMITS, Messages, NextMessage};
use crate::split::{Elements, count_lines, line};
use jiff::tz::TimeZone;
use logstead_record::{BatchBuilder, Field, Row, Timestamp};
use logstead_syslog::format::json::{JsonParser, ObjectError};
use logstead_syslog::format::keys::ColumnKeys;
use logstead_syslog::format::{Clock, FrameContext, SyslogParser};

const HINT: &str = "send one object or an array of objects, or an object a line as application/x-ndjson";

/// The format of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeFormat {
    /// One JSON object per line.
    JsonLines,
    /// An array of objects, or one object.
    Json,
    /// One text per line.
    Text,
}

/// The options for reading the messages of a body.
pub struct ReadOptions {
    /// The keys of objects that fill columns.
    pub keys: ColumnKeys,
    /// The parser for lines; `None` if a line is a plain message.
    pub syslog: Option<SyslogParser>,
    /// The zone of times that state none.
    pub zone: TimeZone,
    /// The host of messages that name none.
    pub host: Option<String>,
    /// The time at which the last line was written, if that is not the time of receipt.
    pub written: Option<Timestamp>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            keys: ColumnKeys::default(),
            syslog: None,
            zone: TimeZone::UTC,
            host: None,
            written: None,
        }
    }
}

/// Adds single messages to a batch.
pub struct MessageReader {
    json: JsonParser,
    reading: ReadOptions,
}

impl MessageReader {
    /// A reader with these options.
    pub fn new(mut reading: ReadOptions) -> MessageReader {
        MessageReader {
            json: JsonParser { keys: std::mem::take(&mut reading.keys), limits: LIMITS },
            reading,
        }
    }

    /// The number of bytes of the request that each message may repeat.
    fn repeated_bytes(&self) -> usize {
        self.reading.host.as_deref().map_or(0, str::len)
    }

    /// Adds an object as a message.
    pub fn object(
        &self,
        object: &[u8],
        received: Timestamp,
        builder: &mut BatchBuilder,
    ) -> Result<(), ObjectError> {
        let host = self.reading.host.as_deref().unwrap_or_default();
        self.json.parse(object, Clock::of_receipt(received, &self.reading.zone), host.as_bytes(), builder)
    }

    /// Adds a line as a message.
    pub fn line(
        &self,
        line: &[u8],
        received: Timestamp,
        peer: &str,
        builder: &mut BatchBuilder,
    ) -> Result<(), ObjectError> {
        LIMITS.check_line(line)?;
        let host = self.reading.host.as_deref().unwrap_or(peer).as_bytes();
        match &self.reading.syslog {
            Some(syslog) => {
                let written = self.reading.written.unwrap_or(received);
                syslog.parse(
                    line,
                    FrameContext { peer: host, written, ..FrameContext::at(received) },
                    builder,
                );
            }
            None => {
                let text = line.strip_suffix(b"\r").unwrap_or(line);
                builder.push(&Row::text(line).with(Field::Message, text).with(Field::Host, host));
            }
        }
        Ok(())
    }
}

/// The messages of a body.
pub struct NativeBody {
    body: Vec<u8>,
    form: NativeFormat,
    reader: MessageReader,
    sender: BodySender,
    /// Objects that are not separate lines.
    elements: Elements,
    /// The position of the next line, and the number of lines or objects before it.
    at: usize,
    number: usize,
    marks: Option<Marks>,
    /// The number of lines that are not blank.
    lines: usize,
}

impl NativeBody {
    /// Reads a body; refuses one that cannot be accepted as a whole.
    pub fn of(
        body: Vec<u8>,
        form: NativeFormat,
        reading: ReadOptions,
        sender: BodySender,
        messages_max: usize,
    ) -> Result<NativeBody, BodyError> {
        let (body, marks) = if form == NativeFormat::Text { (body, None) } else { mark(body) };
        let (elements, lines) = match form {
            NativeFormat::Json => (Elements::of(&body, messages_max, HINT)?, 0),
            NativeFormat::JsonLines | NativeFormat::Text => {
                let lines = count_lines(&body, messages_max);
                BodyError::above(lines, messages_max)?;
                (Elements::none(), lines)
            }
        };
        let reader = MessageReader::new(reading);
        Ok(NativeBody { body, form, reader, sender, elements, at: 0, number: 0, lines, marks })
    }
}

impl Messages for NativeBody {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let NativeBody { body, form, reader, sender, elements, at, number, .. } = self;
        let part = loop {
            let part = match form {
                NativeFormat::Json => elements.next(body)?,
                NativeFormat::JsonLines | NativeFormat::Text => line(body, at)?,
            };
            *number += 1;
            if !part.trim_ascii().is_empty() {
                break part;
            }
        };
        let added = match form {
            NativeFormat::JsonLines | NativeFormat::Json => reader.object(part, sender.received, builder),
            NativeFormat::Text => reader.line(part, sender.received, &sender.peer, builder),
        };
        Some(match added {
            Ok(()) => NextMessage::Added { bytes: part.len() + reader.repeated_bytes() },
            Err(rejected) => NextMessage::refused(*number, rejected.to_string()),
        })
    }

    fn rest_bytes(&self) -> usize {
        let (bytes, messages) = match self.form {
            NativeFormat::Json => (self.elements.rest_bytes(), self.elements.left()),
            // Blank lines are counted as well.
            NativeFormat::JsonLines | NativeFormat::Text => {
                (self.body.len() - self.at, self.lines.saturating_sub(self.number))
            }
        };
        bytes + messages.saturating_mul(self.reader.repeated_bytes())
    }

    fn restart(&mut self) {
        (self.at, self.number) = (0, 0);
        self.elements.restart();
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::{BATCH_MESSAGES_MAX, Batches, REFUSALS_MAX};
    use logstead_record::Batch;
    use proptest::prelude::*;

    fn batches(
        form: NativeFormat,
        body: &[u8],
        messages_max: usize,
    ) -> Result<Batches<NativeBody>, BodyError> {
        let received = Timestamp::from_nanos(1);
        let sender = BodySender { source: "http".to_owned(), peer: String::new(), received };
        let native =
            NativeBody::of(body.to_vec(), form, ReadOptions::default(), sender.clone(), messages_max)?;
        Ok(Batches::of(native, sender))
    }

    fn all(batches: &mut Batches<NativeBody>) -> Vec<Batch> {
        std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect()
    }

    /// The messages, and the lines that were rejected.
    fn check(form: NativeFormat, body: &str, expected: &[&str], rejected: &[usize]) {
        let mut batches = batches(form, body.as_bytes(), 100).unwrap();
        let all = all(&mut batches);
        let rows = all.iter().flat_map(|batch| (0..batch.rows()).map(|row| batch.message(row)));
        let messages: Vec<_> = rows.map(String::from_utf8_lossy).collect();
        assert_eq!(messages, expected, "{body}");
        let numbers: Vec<usize> = batches.refusals.iter().map(|refusal| refusal.number).collect();
        assert_eq!((numbers.as_slice(), batches.refused), (rejected, rejected.len()), "{body}");
    }

    #[test]
    fn every_form_is_read_and_bad_lines_are_named() {
        check(NativeFormat::JsonLines, "{\"msg\":\"a\"}\n\n{\"msg\":\"b\"}\r\nnonsense\n", &["a", "b"], &[4]);
        check(NativeFormat::Json, r#"[{"msg":"a"}, 7, {"log":"b"}]"#, &["a", "b"], &[2]);
        check(
            NativeFormat::Json,
            " [ 1,2 ,\n{\"msg\":\"[a]\"},[3],true,\"x\"]\n ",
            &["[a]"],
            &[1, 2, 4, 5, 6],
        );
        check(NativeFormat::Json, " [ ] ", &[], &[]);
        check(NativeFormat::Json, " {\"msg\":\"a\"}\n", &["a"], &[]);
        check(NativeFormat::Text, "one\r\n\n  two\nthree", &["one", "  two", "three"], &[]);
        check(NativeFormat::Text, "", &[], &[]);
    }

    #[test]
    fn a_check_keeps_what_it_read_or_begins_again() {
        for (kept_bytes_max, is_kept) in [(0, false), (1 << 20, true)] {
            let mut two =
                batches(NativeFormat::JsonLines, b"{\"msg\":\"a\"}\n{\"msg\":\"b\"}\n", 10).unwrap();
            assert_eq!((two.check(kept_bytes_max), two.is_kept()), (0, is_kept));
            assert_eq!(all(&mut two).iter().map(Batch::rows).sum::<usize>(), 2);
            assert_eq!((two.rest_bytes(), two.is_kept()), (0, false));
        }
        let mut bad = batches(NativeFormat::JsonLines, b"{\"msg\":\"a\"}\nnonsense\n", 10).unwrap();
        assert_eq!((bad.check(0), bad.refusals[0].number), (1, 2));
    }

    #[test]
    fn a_body_that_is_no_json_is_refused_as_a_whole() {
        for body in ["[{\"msg\":\"a\"},", "{\"msg\":1} {\"msg\":2}", "hello", "", "[] []"] {
            assert!(batches(NativeFormat::Json, body.as_bytes(), 100).is_err(), "{body}");
        }
    }

    #[test]
    fn a_body_with_too_many_messages_is_refused_as_a_whole() {
        let check = |form: NativeFormat, body: &str, messages: usize| {
            assert!(batches(form, body.as_bytes(), messages).is_ok(), "{body}");
            let refused = batches(form, body.as_bytes(), messages - 1).err().unwrap();
            assert!(refused.to_string().contains("limits.ingest_messages_max"), "{refused}");
        };
        check(NativeFormat::Text, "a\n\n \nb\nc", 3);
        check(NativeFormat::JsonLines, "{}\n{}\n", 2);
        check(NativeFormat::Json, "[{}, {}, 3, {}]", 4);
        check(NativeFormat::Json, "{}", 1);
    }

    #[test]
    fn a_long_body_becomes_several_batches_and_many_errors_are_counted() {
        let body = "x\n".repeat(BATCH_MESSAGES_MAX + 1);
        let mut long = batches(NativeFormat::Text, body.as_bytes(), usize::MAX).unwrap();
        let rows: Vec<usize> = all(&mut long).iter().map(Batch::rows).collect();
        assert_eq!(rows, [BATCH_MESSAGES_MAX, 1]);
        let mut refused = batches(NativeFormat::JsonLines, body.as_bytes(), usize::MAX).unwrap();
        all(&mut refused);
        assert_eq!((refused.refused, refused.refusals.len()), (BATCH_MESSAGES_MAX + 1, REFUSALS_MAX));
        let mut long = batches(NativeFormat::Text, &vec![b'x'; (1 << 20) + 1], 1).unwrap();
        all(&mut long);
        assert_eq!(long.refused, 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_messages_or_refused(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..8),
                    proptest::sample::select(vec![
                        "{\"msg\":\"a\"}", "[", "]", ",", "\n", "{", "}", "\"", "{\"a\":{\"b\":[1]}}",
                    ]).prop_map(|text| text.as_bytes().to_vec()),
                ],
                0..20,
            ),
        ) {
            let body = pieces.concat();
            for form in [NativeFormat::JsonLines, NativeFormat::Json, NativeFormat::Text] {
                let Ok(mut batches) = batches(form, &body, 50) else { continue };
                let rows: usize = all(&mut batches).iter().map(Batch::rows).sum();
                prop_assert!(rows + batches.refused <= 50);
                prop_assert_eq!(batches.rest_bytes(), 0);
            }
        }
    }
}
