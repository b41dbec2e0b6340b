//! A message as a JSON object.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_indexer::Hit;
use logstead_record::{Batch, Field};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

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
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// A single value.
    One(String),
    /// Several values, in their order.
    Many(Vec<String>),
}

impl MessageJson {
    /// The message of a hit.
    pub fn new(logspace: &str, hit: &Hit) -> MessageJson {
        let (batch, row): (&Batch, usize) = (&hit.batch, hit.row);
        MessageJson {
            place: MessageIdentity::of(format!("{logspace}:{}", hit.sequence), batch, row),
            texts: MessageTexts(MessageTexts::FIELDS.map(|field| text(batch.text(field, row)))),
            rest: MessageNumbers::of(logspace, batch, row),
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
    fn of(logspace: &str, batch: &Batch, row: usize) -> MessageNumbers {
        let priority = batch.priority(row);
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
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
            fields: fields(batch, row),
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

fn fields(batch: &Batch, row: usize) -> BTreeMap<String, FieldValue> {
    by_name(batch.fields(row).map(|(name, value)| (text(name), text(value))))
}

/// Values grouped by name, in their order.
pub fn by_name(named: impl Iterator<Item = (String, String)>) -> BTreeMap<String, FieldValue> {
    let mut fields = BTreeMap::new();
    for (name, value) in named {
        match fields.entry(name) {
            Entry::Vacant(entry) => drop(entry.insert(FieldValue::One(value))),
            Entry::Occupied(mut entry) => entry.get_mut().push(value),
        }
    }
    fields
}

impl FieldValue {
    fn push(&mut self, value: String) {
        match self {
            FieldValue::Many(values) => values.push(value),
            FieldValue::One(first) => *self = FieldValue::Many(vec![std::mem::take(first), value]),
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
