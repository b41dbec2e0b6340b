//! A message as a JSON object.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_indexer::Hit;
use logstead_parse::{JsonLimits, JsonObject};
use logstead_record::{Batch, Field};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The limits on what is looked for in an object.
const SENT_LIMITS: JsonLimits = JsonLimits::of(1000, 256, 32);

/// A message. Bytes that are not UTF-8 are shown as `U+FFFD`; `raw_base64` then has the original bytes.
#[derive(Serialize)]
pub struct MessageJson {
    #[serde(flatten)]
    place: MessageIdentity,
    #[serde(flatten)]
    texts: MessageTexts,
    #[serde(flatten)]
    rest: MessageNumbers,
}

/// The id of a message, and its times.
#[derive(Serialize, ToSchema)]
#[schema(as = Place)]
struct MessageIdentity {
    /// The id, in the form `LOGSPACE:SEQUENCE`.
    #[schema(example = "main:42")]
    id: String,
    /// The message's own time, or `received` if that is missing or absurd.
    #[schema(format = DateTime)]
    time: String,
    /// The time when Logstead received it.
    #[schema(format = DateTime)]
    received: String,
    /// The message's own time, if it was not trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    device_time: Option<String>,
}

/// The texts in its columns, except the message itself.
struct MessageTexts([String; MessageTexts::FIELDS.len()]);

#[derive(Serialize, ToSchema)]
#[schema(as = Rest)]
struct MessageNumbers {
    /// The severity, from 0 (emerg) to 7 (debug).
    #[schema(required)]
    severity: Option<u8>,
    #[schema(required)]
    severity_name: Option<&'static str>,
    /// The facility, from 0 (kern) to 23 (local7).
    #[schema(required)]
    facility: Option<u8>,
    #[schema(required)]
    facility_name: Option<&'static str>,
    /// The text.
    message: String,
    /// The whole message exactly as received.
    raw: String,
    /// The bytes of `raw`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    raw_base64: Option<String>,
    /// The id of the source through which it was received.
    source: String,
    /// The address it was sent from.
    peer: String,
    logspace: String,
    /// For a copy, the logspace of its original: the first in the router document of those in which routes stored it.
    /// Empty otherwise.
    copy_of: String,
    /// Notes recorded when it was received and stored: `truncated`, `unparsed`, `incomplete`, `out_of_step`,
    /// `undelimited`, `not_utf8`, `bad_time`, `copy`.
    flags: Vec<&'static str>,
    /// Its other fields, by name.
    fields: BTreeMap<String, FieldValue>,
}

/// The value of a field; several if its name repeats.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// A single value.
    One(FieldText),
    /// Several values, in their order.
    Many(Vec<FieldText>),
}

/// One value of a field.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FieldText {
    /// A text.
    Text(String),
    /// A number or a boolean, as it was sent. Only exports have them.
    Sent(Box<RawValue>),
}

/// The numbers and booleans of the JSON object that a message was sent as, by the names of its fields.
#[derive(Default)]
pub(super) struct SentScalars(HashMap<String, Vec<String>>);

impl SentScalars {
    /// Those of a message: of its raw bytes if they are an object, otherwise of an object in its text. A field that is a
    /// string elsewhere in the object, with the same text, is not among them.
    pub(super) fn of(batch: &Batch, row: usize) -> SentScalars {
        if batch.field_range(row).is_empty() {
            return SentScalars::default();
        }
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        SentScalars::within(&raw, batch.message(row))
    }

    fn within(raw: &[u8], message: &[u8]) -> SentScalars {
        let raw = raw.trim_ascii();
        let text = if raw.starts_with(b"{") { raw } else { message.trim_ascii() };
        let begin = text.iter().position(|&byte| byte == b'{').unwrap_or(text.len());
        let Some(object) = JsonObject::read(&text[begin..], SENT_LIMITS) else {
            return SentScalars::default();
        };
        let mut found: HashMap<String, Vec<String>> = HashMap::new();
        for (name, text, _) in object.scalars().filter(|(.., is_scalar)| *is_scalar) {
            found.entry(name.to_owned()).or_default().push(text.into_owned());
        }
        for (name, text, _) in object.scalars().filter(|(.., is_scalar)| !is_scalar) {
            if let Some(texts) = found.get_mut(name) {
                texts.retain(|other| *other != text);
            }
        }
        SentScalars(found)
    }

    /// The value of a field: as it was sent, or as text.
    pub(super) fn field(&self, name: &[u8], value: &[u8]) -> FieldText {
        let value = text(value);
        let of_name = std::str::from_utf8(name).ok().and_then(|name| self.0.get(name));
        if of_name.is_none_or(|texts| !texts.contains(&value)) {
            return FieldText::Text(value);
        }
        RawValue::from_string(value.clone()).map_or(FieldText::Text(value), FieldText::Sent)
    }
}

impl From<String> for FieldText {
    fn from(text: String) -> FieldText {
        FieldText::Text(text)
    }
}

impl PartialSchema for FieldValue {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let one = text().description(Some("A single value."));
        let many = ArrayBuilder::new().items(text()).description(Some("Several values, in their order."));
        let either = OneOfBuilder::new().item(one).item(many);
        either.description(Some("The value of a field; several if its name repeats.")).into()
    }
}

impl ToSchema for FieldValue {}

impl MessageJson {
    /// The message of a hit, with the fields as texts.
    pub fn new(logspace: &str, hit: &Hit) -> MessageJson {
        MessageJson::of(logspace, hit, false)
    }

    /// The message of a hit, with the numbers and booleans that were sent as such.
    pub(super) fn as_sent(logspace: &str, hit: &Hit) -> MessageJson {
        MessageJson::of(logspace, hit, true)
    }

    fn of(logspace: &str, hit: &Hit, is_as_sent: bool) -> MessageJson {
        let (batch, row): (&Batch, usize) = (&hit.batch, hit.row);
        MessageJson {
            place: MessageIdentity::of(format!("{logspace}:{}", hit.sequence), batch, row),
            texts: MessageTexts(MessageTexts::FIELDS.map(|field| text(batch.text(field, row)))),
            rest: MessageNumbers::of(logspace, batch, row, is_as_sent),
        }
    }
}

impl MessageIdentity {
    fn of(id: String, batch: &Batch, row: usize) -> MessageIdentity {
        let time = batch.time(row);
        MessageIdentity {
            id,
            time: time.to_string(),
            received: batch.received(row).to_string(),
            device_time: batch.own_time(row).filter(|own| *own != time).map(|own| own.to_string()),
        }
    }
}

impl MessageTexts {
    const FIELDS: [Field; Field::OF_ROWS.len() - 1] = {
        let [Field::Message, fields @ ..] = Field::OF_ROWS else { panic!("the message is the first field") };
        fields
    };
}

impl MessageNumbers {
    fn of(logspace: &str, batch: &Batch, row: usize, is_as_sent: bool) -> MessageNumbers {
        let priority = batch.priority(row);
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let has_fields = is_as_sent && !batch.field_range(row).is_empty();
        let sent = match has_fields {
            true => SentScalars::within(&raw, batch.message(row)),
            false => SentScalars::default(),
        };
        MessageNumbers {
            severity: priority.map(|priority| priority.severity().number()),
            severity_name: priority.map(|priority| priority.severity().name()),
            facility: priority.map(|priority| priority.facility().number()),
            facility_name: priority.map(|priority| priority.facility().name()),
            message: text(batch.message(row)),
            raw_base64: std::str::from_utf8(&raw).is_err().then(|| STANDARD.encode(&raw)),
            raw: text(&raw),
            source: text(batch.source(row)),
            peer: text(batch.peer(row)),
            logspace: logspace.to_owned(),
            copy_of: text(batch.text(Field::CopyOf, row)),
            flags: batch.flags(row).names().collect(),
            fields: by_name(batch.fields(row).map(|(name, value)| (text(name), sent.field(name, value)))),
        }
    }
}

impl Serialize for MessageTexts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(MessageTexts::FIELDS.iter().map(|field| field.name()).zip(&self.0))
    }
}

impl PartialSchema for MessageTexts {
    fn schema() -> RefOr<Schema> {
        let text = || {
            let text = ObjectBuilder::new().schema_type(Type::String);
            text.description(Some("Empty if the message has none."))
        };
        let texts = MessageTexts::FIELDS.iter().fold(ObjectBuilder::new(), |texts, field| {
            texts.property(field.name(), text()).required(field.name())
        });
        texts.into()
    }
}

/// The schema of one object with the members of all parts.
impl PartialSchema for MessageJson {
    fn schema() -> RefOr<Schema> {
        let mut message = Object::default();
        message.description = Some(
            "A message. Bytes that are not UTF-8 are shown as `U+FFFD`; `raw_base64` has them all."
                .to_owned(),
        );
        for part in [MessageIdentity::schema(), MessageTexts::schema(), MessageNumbers::schema()] {
            if let RefOr::T(Schema::Object(part)) = part {
                message.properties.extend(part.properties);
                message.required.extend(part.required);
            }
        }
        Schema::Object(message).into()
    }
}

impl ToSchema for MessageJson {
    fn name() -> Cow<'static, str> {
        "Message".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((FieldValue::name().into_owned(), FieldValue::schema()));
        MessageNumbers::schemas(schemas);
    }
}

/// Values grouped by name, in their order.
pub fn by_name<T: Into<FieldText>>(named: impl Iterator<Item = (String, T)>) -> BTreeMap<String, FieldValue> {
    let mut fields = BTreeMap::new();
    for (name, value) in named {
        match fields.entry(name) {
            Entry::Vacant(entry) => drop(entry.insert(FieldValue::One(value.into()))),
            Entry::Occupied(mut entry) => entry.get_mut().push(value.into()),
        }
    }
    fields
}

impl FieldValue {
    fn push(&mut self, value: FieldText) {
        match self {
            FieldValue::Many(values) => values.push(value),
            FieldValue::One(first) => {
                let first = std::mem::replace(first, FieldText::Text(String::new()));
                *self = FieldValue::Many(vec![first, value]);
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, DAY, Flags, Origin, Priority, Row, Timestamp};
    use std::sync::Arc;

    fn shown(row: &Row<'_>, fields: &[(&str, &str)]) -> serde_json::Value {
        let mut builder = BatchBuilder::new();
        let received = Timestamp::from_nanos(5);
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
        for (name, value) in fields {
            builder.field(name.as_bytes(), value.as_bytes());
        }
        builder.push(row);
        let batch = Arc::new(builder.seal());
        let hit = Hit { sequence: 42, time: batch.time(0), batch, row: 0 };
        serde_json::to_value(MessageJson::new("main", &hit)).unwrap()
    }

    #[test]
    fn a_message_shows_everything_it_has() {
        let row = Row {
            time: Some(Timestamp::from_nanos(1_000_000_000)),
            priority: Priority::new(38),
            flags: Flags::TRUNCATED,
            ..Row::text(b"hello")
        }
        .with(Field::Host, b"web-1")
        .with(Field::Program, b"sshd");
        let message = shown(&row, &[("a", "1"), ("b", "x"), ("a", "2"), ("a", "3")]);
        assert_eq!(message["id"], "main:42");
        assert_eq!(message["time"], "1970-01-01T00:00:01Z");
        assert_eq!(message["severity"], 6);
        assert_eq!(message["severity_name"], "info");
        assert_eq!(message["facility_name"], "auth");
        assert_eq!(message["flags"], serde_json::json!(["truncated"]));
        assert_eq!(message["fields"], serde_json::json!({"a": ["1", "2", "3"], "b": "x"}));
        assert_eq!(message["raw"], "hello");
        assert!(message.get("raw_base64").is_none() && message.get("device_time").is_none());
    }

    #[test]
    fn numbers_and_booleans_are_exported_as_they_were_sent() {
        let sent = |text: &str, fields: &[(&str, &str)]| {
            let mut builder = BatchBuilder::new();
            let received = Timestamp::from_nanos(5);
            builder.origin(Origin { source: b"http", peer: b"10.0.0.1", received });
            fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value.as_bytes()));
            builder.push(&Row::text(text.as_bytes()));
            let batch = Arc::new(builder.seal());
            let hit = Hit { sequence: 1, time: batch.time(0), batch, row: 0 };
            let shown = serde_json::to_value(MessageJson::new("main", &hit)).unwrap();
            assert!(!shown["fields"].to_string().contains(":1"), "only exports have numbers: {shown}");
            serde_json::to_string(&MessageJson::as_sent("main", &hit).rest.fields).unwrap()
        };
        let text =
            r#"{"status":1.50,"ok":true,"name":"7","a":{"b":[1,"2",3]},"both":[1,"1"],"e":1E2,"n":null}"#;
        let fields = [
            ("status", "1.50"),
            ("ok", "true"),
            ("name", "7"),
            ("a.b", "1"),
            ("a.b", "2"),
            ("a.b", "3"),
            ("both", "1"),
            ("both", "1"),
            ("e", "1E2"),
            ("other", "1"),
        ];
        let expected =
            r#"{"a.b":[1,"2",3],"both":["1","1"],"e":1E2,"name":"7","ok":true,"other":"1","status":1.50}"#;
        assert_eq!(sent(text, &fields), expected);
        assert_eq!(sent(&format!("@cee: {text}"), &fields), expected);
        assert_eq!(
            sent(text, &[("status", "2"), ("Ok", "true")]),
            r#"{"Ok":"true","status":"2"}"#,
            "changed"
        );
        assert_eq!(sent("status 200", &[("status", "200")]), r#"{"status":"200"}"#);
    }

    #[test]
    fn every_field_is_shown_by_its_name() {
        let message = shown(&Row::text(b"hello"), &[]);
        for (field, name, _) in Field::ALL {
            let name = if field == Field::Flag { "flags" } else { name };
            assert!(message.get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_was_not_believed_or_is_no_text_is_shown_too() {
        let row = Row { time: Some(Timestamp::from_nanos(2 * DAY)), ..Row::text(b"caf\xE9") };
        let message = shown(&row, &[]);
        assert_eq!(message["time"], "1970-01-01T00:00:00.000000005Z");
        assert_eq!(message["device_time"], "1970-01-03T00:00:00Z");
        assert_eq!(message["message"], "caf\u{FFFD}");
        assert_eq!(message["raw_base64"], "Y2Fm6Q==");
        assert_eq!(message["severity"], serde_json::Value::Null);
    }
}
