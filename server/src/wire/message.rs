//! A message as a JSON object.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_indexer::Hit;
use logstead_record::Batch;
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A message. Bytes that are not UTF-8 are shown as `U+FFFD`; `raw_base64` has them all.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Message {
    /// `LOGSPACE:SEQUENCE`.
    #[schema(example = "main:42")]
    id: String,
    /// The message's own time, or `received` if that is missing or absurd.
    #[schema(format = DateTime)]
    time: String,
    /// When we received it.
    #[schema(format = DateTime)]
    received: String,
    /// The message's own time, if it was not believed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    device_time: Option<String>,
    /// The host it claims to come from; empty if it names none.
    host: String,
    program: String,
    pid: String,
    msgid: String,
    /// 0 (emerg) to 7 (debug).
    #[schema(required)]
    severity: Option<u8>,
    #[schema(required)]
    severity_name: Option<&'static str>,
    /// 0 (kern) to 23 (local7).
    #[schema(required)]
    facility: Option<u8>,
    #[schema(required)]
    facility_name: Option<&'static str>,
    /// The text.
    message: String,
    /// Everything exactly as received.
    raw: String,
    /// The bytes of `raw`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    raw_base64: Option<String>,
    /// The id of the source it came in through.
    source: String,
    /// The address it was sent from.
    peer: String,
    logspace: String,
    /// What was noted while it was received: `truncated`, `unparsed`, `incomplete`, `out_of_step`, `undelimited`.
    flags: Vec<&'static str>,
    /// What else it carries, by name.
    fields: BTreeMap<String, FieldValue>,
}

/// The value of a field; several if its name repeats.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(crate) enum FieldValue {
    One(String),
    Many(Vec<String>),
}

impl Message {
    pub(crate) fn new(logspace: &str, hit: &Hit) -> Message {
        let (batch, row): (&Batch, usize) = (&hit.batch, hit.row);
        let priority = batch.priority(row);
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let time = batch.time(row);
        Message {
            id: format!("{logspace}:{}", hit.sequence),
            time: time.to_string(),
            received: batch.received(row).to_string(),
            device_time: batch.own_time(row).filter(|own| *own != time).map(|own| own.to_string()),
            host: text(batch.host(row)),
            program: text(batch.program(row)),
            pid: text(batch.pid(row)),
            msgid: text(batch.msgid(row)),
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
            flags: batch.flags(row).names().collect(),
            fields: fields(batch, row),
        }
    }
}

fn fields(batch: &Batch, row: usize) -> BTreeMap<String, FieldValue> {
    let mut fields = BTreeMap::new();
    for (name, value) in batch.fields(row) {
        match fields.entry(text(name)) {
            Entry::Vacant(entry) => drop(entry.insert(FieldValue::One(text(value)))),
            Entry::Occupied(mut entry) => entry.get_mut().push(text(value)),
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
    use logstead_record::{BatchBuilder, DAY, Field, Flags, Origin, Priority, Row, Timestamp};
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
        serde_json::to_value(Message::new("main", &hit)).unwrap()
    }

    #[test]
    fn a_message_shows_everything_it_has() {
        let row = Row {
            time: Some(Timestamp::from_nanos(1_000_000_000)),
            priority: Priority::new(38),
            host: b"web-1",
            program: b"sshd",
            flags: Flags::TRUNCATED,
            ..Row::text(b"hello")
        };
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
