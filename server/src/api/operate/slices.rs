//! The messages of a body, parsed batch by batch.
//!
//! **Invariant:** every line or object becomes a message or is counted as rejected; a body that cannot be taken as a
//! whole is refused before its first batch.

use crate::api::error::{ApiError, Place, Result};
use crate::api::extract::{Peer, media_type, unsupported};
use crate::api::operate::reading::{LineFormat, Reading};
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::json::Rejected;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// How many reasons are listed; all are counted.
const ERRORS_MAX: usize = 100;
/// A batch is sealed at this many messages …
const BATCH_MESSAGES_MAX: usize = 8192;
/// … or at this many bytes.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Why a message is not stored.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct LineError {
    /// The line of the body, or the position in the array, from 1.
    pub(super) line: usize,
    pub(super) reason: String,
}

/// How a body is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    JsonLines,
    Json,
    Text,
}

impl Form {
    /// Refuses a format for anything but lines of text.
    pub(super) fn with_lines(self, format: Option<LineFormat>) -> Result<Form> {
        match (self, format) {
            (Form::Text, _) | (_, None) => Ok(self),
            _ => Err(ApiError::bad_request("format is for text/plain: leave it out").path("format")),
        }
    }

    /// By the headers of its request.
    pub(super) fn of(headers: &HeaderMap) -> Result<Form> {
        let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
        if let Some(encoding) = encoding.filter(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
            let encoding = String::from_utf8_lossy(encoding);
            let detail = format!("Content-Encoding `{encoding}` is not understood: send the body as it is");
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        match media_type(headers).as_deref() {
            Some("application/x-ndjson" | "application/ndjson" | "application/jsonl") => Ok(Form::JsonLines),
            Some("application/json") => Ok(Form::Json),
            Some("text/plain") => Ok(Form::Text),
            other => Err(unsupported(other, "application/x-ndjson, application/json or text/plain")),
        }
    }
}

/// Who sent the messages of a body, and when.
pub(super) struct Sender {
    pub(super) source: String,
    pub(super) peer: Peer,
    pub(super) received: Timestamp,
}

/// The messages of a body, parsed batch by batch.
pub(super) struct Slices {
    body: Bytes,
    form: Form,
    reading: Reading,
    source: String,
    peer: String,
    received: Timestamp,
    /// Where the next message may begin, and how many lines or objects there were before.
    at: usize,
    number: usize,
    pub(super) rejected: usize,
    pub(super) errors: Vec<LineError>,
}

impl Slices {
    /// Refuses a body that cannot be taken as a whole, before anything of it is stored.
    pub(super) fn of(
        body: Bytes,
        (form, reading): (Form, Reading),
        sender: Sender,
        messages_max: usize,
    ) -> Result<Slices> {
        let messages = match form {
            Form::Json => count_objects(&body)?,
            Form::JsonLines | Form::Text => lines(&body, messages_max),
        };
        if messages_max < messages {
            let detail = format!(
                "the body holds more than {messages_max} messages: send it in parts, or raise the setting \
                 limits.ingest_messages_max"
            );
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        let Sender { source, peer, received } = sender;
        let peer = peer.0.map(|address| address.to_string()).unwrap_or_default();
        Ok(Slices {
            body,
            form,
            reading,
            source,
            peer,
            received,
            at: 0,
            number: 0,
            rejected: 0,
            errors: Vec::new(),
        })
    }

    /// How much of the body is left.
    pub(super) fn rest_bytes(&self) -> usize {
        self.body.len() - self.at
    }

    /// The next messages; an empty batch if there are no more.
    pub(super) fn next(&mut self) -> Batch {
        let mut builder = BatchBuilder::new();
        let body = self.body.clone();
        let mut bytes = 0;
        while builder.rows() < BATCH_MESSAGES_MAX && bytes < BATCH_BYTES_MAX {
            let Some(part) = self.next_part(&body) else {
                // After the last object of an array, its bracket is left.
                self.at = body.len();
                break;
            };
            if builder.rows() == 0 {
                let (source, peer) = (self.source.as_bytes(), self.peer.as_bytes());
                builder.origin(Origin { source, peer, received: self.received });
            }
            match self.read(part, &mut builder) {
                Ok(()) => bytes += part.len(),
                Err(rejected) => self.reject(&rejected),
            }
        }
        builder.seal()
    }

    /// The next line that is not blank, or the next object.
    fn next_part<'b>(&mut self, body: &'b [u8]) -> Option<&'b [u8]> {
        if self.form == Form::Json {
            let part = object(body, &mut self.at)?;
            self.number += 1;
            return Some(part);
        }
        loop {
            let line = line(body, &mut self.at)?;
            self.number += 1;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    fn read(&self, part: &[u8], builder: &mut BatchBuilder) -> Result<(), Rejected> {
        match self.form {
            Form::JsonLines | Form::Json => self.reading.object(part, self.received, builder),
            Form::Text => self.reading.line(part, self.received, &self.peer, builder),
        }
    }

    fn reject(&mut self, rejected: &Rejected) {
        self.rejected += 1;
        if self.errors.len() < ERRORS_MAX {
            self.errors.push(LineError { line: self.number, reason: rejected.to_string() });
        }
    }
}

/// The line at a position, which moves past it.
fn line<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let rest = body.get(*at..).filter(|rest| !rest.is_empty())?;
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    *at += (end + 1).min(rest.len());
    Some(&rest[..end])
}

/// The number of lines that are not blank; counting ends above `max`.
fn lines(body: &[u8], max: usize) -> usize {
    let mut at = 0;
    let lines = std::iter::from_fn(|| line(body, &mut at));
    lines.filter(|line| !line.trim_ascii().is_empty()).take(max.saturating_add(1)).count()
}

/// The element at or after a position in a JSON text that was [checked](count_objects).
fn object<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',');
    let mut start = *at + body.get(*at..)?.iter().take_while(|byte| between(byte)).count();
    if start < body.len() && body[..start].trim_ascii().is_empty() && body[start] == b'[' {
        start += 1;
    }
    let mut values = serde_json::Deserializer::from_slice(body.get(start..)?).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    *at = start + values.byte_offset();
    Some(value.get().as_bytes())
}

/// The number of objects in an array; 1 for anything else. Refuses invalid JSON.
fn count_objects(body: &[u8]) -> Result<usize> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let counted = if body.trim_ascii_start().starts_with(b"[") {
        reader.deserialize_seq(CountElements)
    } else {
        <&RawValue>::deserialize(&mut reader).map(|_| 1)
    };
    counted.and_then(|count| reader.end().map(|()| count)).map_err(|error| {
        let place = Place { line: error.line(), column: error.column(), end_column: None };
        let hint = "send one object or an array of objects, or an object a line as application/x-ndjson";
        ApiError::bad_request(format!("the body is not JSON: {error}; {hint}")).at(place)
    })
}

/// Counts the elements of an array without keeping them.
struct CountElements;

impl<'de> Visitor<'de> for CountElements {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while elements.next_element::<&RawValue>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operate::reading::IngestParams;
    use crate::api::operate::room::{PARSED_FACTOR_MAX, SLICE_MEMORY_MAX, SMALL_BATCH_BYTES};

    fn slices(form: Form, body: &[u8], messages_max: usize) -> Result<Slices> {
        let reading = Reading::of(&IngestParams::default())?;
        let received = Timestamp::from_nanos(1);
        let sender = Sender { source: "http".to_owned(), peer: Peer(None), received };
        Slices::of(Bytes::copy_from_slice(body), (form, reading), sender, messages_max)
    }

    fn batches(slices: &mut Slices) -> Vec<Batch> {
        std::iter::from_fn(|| (0 < slices.rest_bytes()).then(|| slices.next())).collect()
    }

    /// The messages, and the lines that were rejected.
    fn check(form: Form, body: &str, expected: &[&str], rejected: &[usize]) {
        let mut slices = slices(form, body.as_bytes(), 100).unwrap();
        let batches = batches(&mut slices);
        let rows = batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| batch.message(row)));
        let messages: Vec<_> = rows.map(String::from_utf8_lossy).collect();
        assert_eq!(messages, expected, "{body}");
        assert_eq!(slices.errors.iter().map(|error| error.line).collect::<Vec<_>>(), rejected, "{body}");
        assert_eq!(slices.rejected, rejected.len());
    }

    #[test]
    fn every_form_is_read_and_bad_lines_are_named() {
        check(Form::JsonLines, "{\"msg\":\"a\"}\n\n{\"msg\":\"b\"}\r\nnonsense\n", &["a", "b"], &[4]);
        check(Form::Json, r#"[{"msg":"a"}, 7, {"log":"b"}]"#, &["a", "b"], &[2]);
        check(Form::Json, " [ 1,2 ,\n{\"msg\":\"[a]\"},[3],true,\"x\"]\n ", &["[a]"], &[1, 2, 4, 5, 6]);
        check(Form::Json, " [ ] ", &[], &[]);
        check(Form::Json, " {\"msg\":\"a\"}\n", &["a"], &[]);
        check(Form::Text, "one\r\n\n  two\nthree", &["one", "  two", "three"], &[]);
        check(Form::Text, "", &[], &[]);
    }

    #[test]
    fn a_body_that_is_no_json_is_refused_as_a_whole() {
        for body in ["[{\"msg\":\"a\"},", "{\"msg\":1} {\"msg\":2}", "hello", "", "[] []"] {
            assert!(slices(Form::Json, body.as_bytes(), 100).is_err(), "{body}");
        }
        assert!(slices(Form::Json, b"[{\"msg\":\"\xff\"}]", 100).is_err());
    }

    #[test]
    fn a_body_with_too_many_messages_is_refused_as_a_whole() {
        let check = |form: Form, body: &str, messages: usize| {
            assert!(slices(form, body.as_bytes(), messages).is_ok(), "{body}");
            let refused = slices(form, body.as_bytes(), messages - 1).err().unwrap();
            assert!(refused.detail().contains("limits.ingest_messages_max"), "{}", refused.detail());
        };
        check(Form::Text, "a\n\n \nb\nc", 3);
        check(Form::JsonLines, "{}\n{}\n", 2);
        check(Form::Json, "[{}, {}, 3, {}]", 4);
        check(Form::Json, "{}", 1);
    }

    #[test]
    fn a_long_body_becomes_several_batches_and_many_errors_are_counted() {
        let body = "x\n".repeat(BATCH_MESSAGES_MAX + 1);
        let mut long = slices(Form::Text, body.as_bytes(), usize::MAX).unwrap();
        let rows: Vec<usize> = batches(&mut long).iter().map(Batch::rows).collect();
        assert_eq!(rows, [BATCH_MESSAGES_MAX, 1]);
        let mut refused = slices(Form::JsonLines, body.as_bytes(), usize::MAX).unwrap();
        batches(&mut refused);
        assert_eq!((refused.rejected, refused.errors.len()), (BATCH_MESSAGES_MAX + 1, ERRORS_MAX));
        let mut long = slices(Form::Text, &vec![b'x'; (1 << 20) + 1], 1).unwrap();
        batches(&mut long);
        assert_eq!(long.rejected, 1);
    }

    #[test]
    fn a_slice_takes_no_more_memory_than_was_set_aside_for_it() {
        let check = |form: Form, part: &str| {
            let body = part.repeat((20 << 20) / part.len());
            let mut slices = slices(form, body.as_bytes(), usize::MAX).unwrap();
            let bytes = slices.next().memory_bytes();
            assert!(bytes <= SLICE_MEMORY_MAX, "{part}: {bytes}");
            let mut alone = self::slices(form, part.as_bytes(), 10).unwrap();
            let set_aside = part.len() * PARSED_FACTOR_MAX + SMALL_BATCH_BYTES;
            let bytes = alone.next().memory_bytes();
            assert!(bytes <= set_aside, "{part}: {bytes} of {set_aside}");
        };
        check(Form::Text, "a\n");
        check(Form::Text, &("x".repeat(1000) + "\n"));
        check(Form::JsonLines, "{}\n");
        let fields: Vec<String> = (0..1000).map(|field| format!("\"{field}\":1")).collect();
        check(Form::JsonLines, &format!("{{{}}}\n", fields.join(",")));
    }
}
