//! Splunk's HTTP event collector: JSON objects in a row, with nothing or white space between them.
//!
//! | in the object            | becomes                                                                       |
//! |--------------------------|-------------------------------------------------------------------------------|
//! | `event`, a text or number | the message                                                                  |
//! | `event`, an object       | fields; the message is its `message`, `msg`, `line` or `log`, or the object itself |
//! | `time`                   | the time, in seconds with a fraction, as a number or a text                     |
//! | `host`, `source`, `sourcetype`, `index`, `fields` | [beside](logstead_syslog::format::beside) the message |
//!
//! An event may be empty, although Splunk refuses it: refusing it would lose all others of its body.
//!
//! Lines that are not objects (`/raw`) get the same values from the request.
//!
//! **Invariant:** the raw bytes of a row are the object exactly as it was sent. A body is accepted as a whole: its
//! [fault](Hec::fault) names the event that is malformed.

use crate::batches::BodySender;
use crate::marks::{Marks, mark};
use crate::messages::{LIMITS, Messages, NextMessage};
use crate::split::{count_lines, line};
use logstead_parse::{JsonLimits, JsonObject};
use logstead_record::{BatchBuilder, Timestamp};
use logstead_syslog::format::keys::{ColumnKeys, KEYS};
use logstead_syslog::format::side_values::{BareText, SideValues, push};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The prefix for a name that another field already has.
const PREFIX: &str = "splunk";
/// The keys that may hold the message in an event that is an object.
const MESSAGE_KEYS: [&str; 6] = ["message", "msg", "line", "log", "_raw", "short_message"];
const TIME_KEYS: [&str; 3] = ["time", "timestamp", "@timestamp"];

/// The error in a body, and the number of its event, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HecError {
    /// The number of the event.
    pub number: usize,
    /// The error.
    pub what: HecErrorKind,
}

/// The kind of error in an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HecErrorKind {
    /// It is not JSON, or does not have the right structure.
    Format(String),
    /// It has no `event`.
    Missing,
    /// Its `fields` are not a flat object.
    Fields,
    /// There are more events than are allowed.
    TooMany,
}

/// The format of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HecFormat {
    /// JSON objects.
    Events,
    /// One text per line.
    Lines,
}

/// The metadata that a request states for all its messages.
#[derive(Clone, Default, Debug)]
pub struct HecMetadata {
    /// When the messages were written.
    pub time: Option<Timestamp>,
    /// `host`, `source`, `sourcetype`, `index`.
    pub values: Vec<(String, String)>,
}

/// The events of a body.
pub struct Hec {
    body: Vec<u8>,
    form: HecFormat,
    sender: BodySender,
    keys: ColumnKeys,
    time: Option<Timestamp>,
    about: SideValues<String>,
    messages_max: usize,
    at: usize,
    number: usize,
    /// The number of lines that are not blank, if the body has lines.
    lines: usize,
    fault: Option<HecError>,
    marks: Option<Marks>,
}

#[derive(Deserialize)]
#[serde(rename = "Event")]
struct HecEvent<'a> {
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    host: Option<Cow<'a, str>>,
    #[serde(borrow)]
    source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    sourcetype: Option<Cow<'a, str>>,
    #[serde(borrow)]
    index: Option<Cow<'a, str>>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    #[serde(borrow)]
    fields: Option<&'a RawValue>,
}

fn keys() -> ColumnKeys {
    ColumnKeys::beside(|column| {
        let usual = KEYS.iter().find(|(known, _)| *known == column).map_or("", |(_, keys)| *keys);
        Some(usual.to_owned())
    })
}

/// Parses seconds since 1970 with a fraction, or a smaller unit if the number is too large for seconds.
pub fn time_of(text: &str) -> Option<Timestamp> {
    logstead_syslog::format::keys::epoch(text.trim())
}

impl Hec {
    /// Reads a body, with the metadata of its request.
    pub fn of(
        body: Vec<u8>,
        form: HecFormat,
        about: HecMetadata,
        sender: BodySender,
        messages_max: usize,
    ) -> Hec {
        let (body, marks) = if form == HecFormat::Lines { (body, None) } else { mark(body) };
        let keys = keys();
        let beside = SideValues::of(about.values, &keys, sender.received);
        let lines = if form == HecFormat::Lines { count_lines(&body, messages_max) } else { 0 };
        Hec {
            body,
            form,
            sender,
            keys,
            time: about.time,
            about: beside,
            messages_max,
            at: 0,
            number: 0,
            lines,
            fault: None,
            marks,
        }
    }

    /// The error that ended reading, once all events were read.
    pub fn fault(&self) -> Option<&HecError> {
        self.fault.as_ref()
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.number
    }

    /// Ends reading with an error.
    fn fails(&mut self, what: HecErrorKind) -> Option<NextMessage> {
        self.at = self.body.len();
        let number = self.number.saturating_sub(1);
        self.fault.get_or_insert(HecError { number, what });
        Some(NextMessage::refused(number + 1, "it is not an event"))
    }

    fn line(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let line = loop {
            let line = line(&self.body, &mut self.at)?;
            if !line.trim_ascii().is_empty() {
                break line;
            }
        };
        self.number += 1;
        if LIMITS.check_line(line).is_err() {
            return self.fails(HecErrorKind::Format(format!(
                "a line is longer than {} bytes",
                LIMITS.line_bytes_max
            )));
        }
        if self.messages_max < self.number {
            return self.fails(HecErrorKind::TooMany);
        }
        let message = line.strip_suffix(b"\r").unwrap_or(line);
        let text =
            BareText { message, time: self.time, host: self.sender.peer.as_bytes(), ..BareText::of(line) };
        push(&text, &self.about, &SideValues::<&str>::nothing(), PREFIX, builder);
        Some(NextMessage::Added { bytes: line.len() + self.about.bytes })
    }

    fn event(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let rest = &self.body[self.at..];
        let mut events = serde_json::Deserializer::from_slice(rest).into_iter::<HecEvent<'_>>();
        let Some(event) = events.next() else {
            self.at = self.body.len();
            return None;
        };
        self.number += 1;
        let event = match event {
            Ok(event) => event,
            Err(error) => return self.fails(HecErrorKind::Format(error.to_string())),
        };
        if self.messages_max < self.number {
            return self.fails(HecErrorKind::TooMany);
        }
        let (object, end) = (rest[..events.byte_offset()].trim_ascii_start(), self.at + events.byte_offset());
        match self.add(object, event, builder) {
            Ok(bytes) => {
                self.at = end;
                Some(NextMessage::Added { bytes })
            }
            Err(what) => self.fails(what),
        }
    }

    fn add(
        &self,
        object: &[u8],
        event: HecEvent<'_>,
        builder: &mut BatchBuilder,
    ) -> Result<usize, HecErrorKind> {
        LIMITS.check_line(object).map_err(|error| HecErrorKind::Format(error.to_string()))?;
        let mut outer: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
        let metadata = [
            ("host", event.host),
            ("source", event.source),
            ("sourcetype", event.sourcetype),
            ("index", event.index),
        ];
        for (name, value) in metadata {
            outer.extend(value.filter(|value| !value.is_empty()).map(|value| (name.into(), value)));
        }
        let fields = event.fields.map(RawValue::get).filter(|fields| *fields != "null");
        let fields = fields.map(|fields| read(fields).ok_or(HecErrorKind::Fields)).transpose()?;
        outer.extend(fields.iter().flat_map(JsonObject::pairs).map(|(name, value)| (name.into(), value)));
        let text =
            event.event.map(RawValue::get).filter(|text| *text != "null").ok_or(HecErrorKind::Missing)?;
        let inner = text.starts_with('{').then(|| read(text).ok_or_else(too_large)).transpose()?;
        let mut own: Vec<(Cow<'_, str>, Cow<'_, str>)> =
            inner.iter().flat_map(JsonObject::pairs).map(|(name, value)| (name.into(), value)).collect();
        let message = self.message(text, inner.is_some(), &mut own)?;
        let time = event.time.and_then(|time| time_of(time.get().trim_matches('"')));
        let time = time.or_else(|| time_among(&own)).or(self.time);
        // A number that is not a time is kept as text.
        if let (Some(said), None) = (event.time, time) {
            outer.push(("time".into(), said.get().into()));
        }
        let outer = SideValues::of(outer, &self.keys, self.sender.received);
        let own = SideValues::of(own, &self.keys, self.sender.received);
        let message_at = match &message {
            Cow::Borrowed(text) => Some(text.as_ptr().addr() - object.as_ptr().addr()),
            Cow::Owned(_) => None,
        };
        let text = BareText {
            raw: object,
            message: message.as_bytes(),
            message_at,
            time,
            host: self.sender.peer.as_bytes(),
            ..BareText::default()
        };
        push(&text, &outer, &own, PREFIX, builder);
        Ok(object.len() + outer.bytes + own.bytes)
    }

    /// Takes the message out of an event; it is no longer a field.
    fn message<'e>(
        &self,
        text: &'e str,
        is_object: bool,
        own: &mut Vec<(Cow<'_, str>, Cow<'e, str>)>,
    ) -> Result<Cow<'e, str>, HecErrorKind> {
        if is_object {
            let named = |may_be_empty: bool| {
                MESSAGE_KEYS.iter().find_map(|key| {
                    own.iter().position(|(name, value)| {
                        name.eq_ignore_ascii_case(key) && (may_be_empty || !value.is_empty())
                    })
                })
            };
            return Ok(match named(false).or_else(|| named(true)) {
                Some(at) => own.remove(at).1,
                None => text.into(),
            });
        }
        if text.starts_with('"') { unquoted(text) } else { Ok(text.into()) }
    }
}

/// The text of a JSON string.
fn unquoted(text: &str) -> Result<Cow<'_, str>, HecErrorKind> {
    let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
    if !inside.contains('\\') {
        return Ok(inside.into());
    }
    serde_json::from_str::<String>(text)
        .map(Cow::Owned)
        .map_err(|error| HecErrorKind::Format(error.to_string()))
}

fn read(text: &str) -> Option<JsonObject<'_>> {
    let limits = JsonLimits {
        pairs_max: LIMITS.fields_max,
        name_bytes_max: usize::MAX,
        names_bytes_max: LIMITS.line_bytes_max,
        depth_max: LIMITS.depth_max,
    };
    let object = JsonObject::read(text.as_bytes(), limits)?;
    (object.beyond.is_none() && object.broken().is_none()).then_some(object)
}

fn too_large() -> HecErrorKind {
    HecErrorKind::Format(format!(
        "the event is not JSON, or has more than {} fields or {} levels",
        LIMITS.fields_max, LIMITS.depth_max
    ))
}

fn time_among(values: &[(Cow<'_, str>, Cow<'_, str>)]) -> Option<Timestamp> {
    TIME_KEYS.iter().find_map(|key| {
        let (_, value) = values.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        Timestamp::parse_rfc3339(value.as_bytes())
    })
}

impl Messages for Hec {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        match self.form {
            HecFormat::Events => self.event(builder),
            HecFormat::Lines => self.line(builder),
        }
    }

    fn rest_bytes(&self) -> usize {
        match self.body.len() - self.at {
            0 => 0,
            bytes => bytes + self.lines.saturating_sub(self.number).saturating_mul(self.about.bytes),
        }
    }

    fn restart(&mut self) {
        (self.at, self.number) = (0, 0);
    }

    fn marks(&self) -> Option<Marks> {
        self.marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::Batches;
    use logstead_record::Batch;
    use proptest::prelude::*;

    fn hec(body: &[u8], form: HecFormat, about: HecMetadata, messages_max: usize) -> Batches<Hec> {
        let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
        let sender = BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received };
        Batches::of(Hec::of(body.to_vec(), form, about, sender.clone(), messages_max), sender)
    }

    fn all(batches: &mut Batches<Hec>) -> Vec<Batch> {
        std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect()
    }

    fn check(body: &str, expected: &[&str]) {
        let mut hec = hec(body.as_bytes(), HecFormat::Events, HecMetadata::default(), 100);
        let mut shown = Vec::new();
        for batch in all(&mut hec) {
            for row in 0..batch.rows() {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let severity = batch.priority(row).map_or("-", |priority| priority.severity().name());
                let time = batch.own_time(row).map_or("-".to_owned(), |time| time.to_string());
                let [host, program, message] =
                    [batch.host(row), batch.program(row), batch.message(row)].map(text);
                let mut line = format!("{time} {host} {program} {severity} {message} |");
                for (name, value) in batch.fields(row) {
                    line += &format!(" {}={}", text(name), text(value));
                }
                shown.push(line);
                let mut raw = Vec::new();
                batch.write_raw(row, &mut raw);
                assert!(body.contains(&text(&raw)) && raw.starts_with(b"{"), "{}", text(&raw));
            }
        }
        assert_eq!(shown, expected, "{body}");
        assert_eq!(hec.into_messages().fault(), None);
    }

    #[test]
    fn events_are_texts_or_objects_with_metadata() {
        check(
            r#"{"time":1700000000.123,"host":"h","source":"s","sourcetype":"t","index":"i","event":"text"}
               {"event":"second \"quoted\"","time":"1700000000"}{"event":42}"#,
            &[
                "2023-11-14T22:13:20.123Z h  - text | splunk.source=s sourcetype=t index=i",
                "2023-11-14T22:13:20Z 10.0.0.9  - second \"quoted\" |",
                "- 10.0.0.9  - 42 |",
            ],
        );
        check(
            r#"{"event":{"line":"hello","tag":"web","level":"warn","a":{"b":1}},"fields":{"env":"prod","zones":["x","y"]}}
               {"event":{"a":1},"host":""}"#,
            &[
                "- 10.0.0.9 web warning hello | env=prod zones=x zones=y a.b=1",
                "- 10.0.0.9  - {\"a\":1} | a=1",
            ],
        );
        check(
            r#"{"event":""}{"event":{"message":"","a":1}}{"event":{"msg":"","line":"m"}}"#,
            &["- 10.0.0.9  -  |", "- 10.0.0.9  -  | a=1", "- 10.0.0.9  - m | splunk.msg="],
        );
        check(r#"{"event":"m","time":"soon"}"#, &["- 10.0.0.9  - m | splunk.time=\"soon\""]);
        check("", &[]);
    }

    #[test]
    fn lines_have_what_the_request_says_beside_them() {
        let about = HecMetadata {
            time: time_of("1700000000"),
            values: vec![("host".to_owned(), "web-1".to_owned()), ("sourcetype".to_owned(), "t".to_owned())],
        };
        let batches = all(&mut hec(b"one\r\n\n two", HecFormat::Lines, about, 2));
        let rows: Vec<_> = (0..2).map(|row| (batches[0].message(row), batches[0].host(row))).collect();
        assert_eq!(rows, [(&b"one"[..], &b"web-1"[..]), (b" two", b"web-1")]);
        assert_eq!(batches[0].own_time(1), time_of("1700000000"));
    }

    #[test]
    fn the_first_event_that_is_wrong_is_named() {
        for (body, number, what) in [
            (r#"{"event":"a"} nonsense"#, 1, None),
            (r#"{"event":"a"}{"host":"h"}{"event":"b"}"#, 1, Some(HecErrorKind::Missing)),
            (r#"{"event":null}"#, 0, Some(HecErrorKind::Missing)),
            (r#"{"event":"a","fields":[1]}"#, 0, Some(HecErrorKind::Fields)),
            (r#"[{"event":"a"}]"#, 0, None),
            (r#"{"event":"a""#, 0, None),
            (r#"{"event":"a","host":7}"#, 0, None),
        ] {
            let mut batches = hec(body.as_bytes(), HecFormat::Events, HecMetadata::default(), 9);
            assert_eq!(batches.check(0), 1, "{body}");
            let hec = batches.into_messages();
            let fault = hec.fault().unwrap();
            assert_eq!(fault.number, number, "{body}");
            assert!(what.is_none_or(|what| fault.what == what), "{body}: {fault:?}");
        }
        let mut many = hec(b"a\nb\nc\n", HecFormat::Lines, HecMetadata::default(), 2);
        many.check(0);
        assert_eq!(many.into_messages().fault().unwrap().what, HecErrorKind::TooMany);
        let deep = format!("{{\"event\":{}1{}}}", "{\"a\":".repeat(5000), "}".repeat(5000));
        assert_eq!(hec(deep.as_bytes(), HecFormat::Events, HecMetadata::default(), 9).check(0), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_events_or_a_fault(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..8),
                    proptest::sample::select(vec![
                        "{\"event\":", "\"a\"", "}", "{\"event\":\"a\"}", "{", "\"fields\":{", ",", "\n", "\"\\ud800\"", "[1]",
                    ]).prop_map(|text| text.as_bytes().to_vec()),
                ],
                0..20,
            ),
        ) {
            for form in [HecFormat::Events, HecFormat::Lines] {
                let mut batches = hec(&pieces.concat(), form, HecMetadata::default(), 50);
                let rows: usize = all(&mut batches).iter().map(Batch::rows).sum();
                let refused = batches.refused;
                prop_assert!(refused <= 1 && rows <= 50);
                let hec = batches.into_messages();
                prop_assert_eq!((hec.fault().is_some(), hec.messages()), (refused == 1, rows + refused));
            }
        }
    }
}
