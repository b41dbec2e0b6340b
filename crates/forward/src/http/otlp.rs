//! OpenTelemetry: `POST /v1/logs` of OTLP/HTTP, in its JSON encoding.
//!
//! A collector may accept a part of a request and only return the number of rejected records. Such a request must not
//! be sent again, and the rejected messages are unknown. So all of them are treated as refused, with the collector's
//! text, so that none is lost.

use super::answer::{AnswerMeaning, HttpAnswer, meaning};
use super::client::{Client, HttpRequest, address, glimpse};
use super::fields::{FieldValues, SortedFields};
use super::json::{array, number, object};
use super::secret::Authority;
use crate::groups::arrange;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::OtlpServer as Config;
use logstead_flow::machine::folders::Folders;
use logstead_record::{Batch, Severity, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// OpenTelemetry's severities for those of syslog, 0 (emerg) to 7 (debug), by the table of its data model.
const SEVERITIES: [u8; 8] = [21, 19, 18, 17, 13, 10, 9, 5];
const PATH: &str = "/v1/logs";

pub(crate) struct OtlpSink {
    client: Client,
    url: String,
    writer: LogRecordWriter,
    body: Vec<u8>,
}

#[derive(Default)]
struct LogRecordWriter {
    places: Vec<usize>,
    fields: SortedFields,
}

impl OtlpSink {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> OtlpSink {
        let authority = Authority::of_token("Bearer", &config.token, &config.server);
        OtlpSink {
            client: Client::new(&config.server, authority, folders),
            url: address(&config.server, PATH),
            writer: LogRecordWriter::default(),
            body: Vec::new(),
        }
    }
}

impl MessageSink for OtlpSink {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        self.body.clear();
        self.writer.write(messages, &mut self.body);
        let question = HttpRequest::post(&self.url, "application/json", &self.body);
        let answer = self.client.ask(&question)?;
        match meaning(answer.status) {
            AnswerMeaning::Done => outcome(&answer, messages.len(), self.body.len()),
            _ => answer.settle(messages.len(), self.body.len()),
        }
    }

    fn last_answer(&self) -> Option<String> {
        self.client.last_answer()
    }
}

impl LogRecordWriter {
    /// Appends the request: a resource for each host and program.
    fn write(&mut self, messages: &[OutgoingMessage<'_>], out: &mut Vec<u8>) {
        let LogRecordWriter { places, fields } = self;
        arrange(places, messages, resource);
        let alike = |a: &usize, b: &usize| resource(&messages[*a]) == resource(&messages[*b]);
        object(out, |object| {
            object.array("resourceLogs", places.chunk_by(alike), |out, places| {
                write_resource(places, messages, fields, out);
            });
        });
    }
}

/// The host and program that the messages of a resource share.
fn resource<'m>(&OutgoingMessage { batch, row, .. }: &OutgoingMessage<'m>) -> (&'m [u8], &'m [u8]) {
    (batch.host(row), batch.program(row))
}

fn write_resource(
    places: &[usize],
    messages: &[OutgoingMessage<'_>],
    fields: &mut SortedFields,
    out: &mut Vec<u8>,
) {
    let (host, program) = resource(&messages[places[0]]);
    object(out, |object| {
        object.object("resource", |object| {
            let attributes = object.member(b"attributes");
            attributes.push(b'[');
            // A resource must have a service; this is the name for an unknown one.
            attribute(
                attributes,
                b"service.name",
                if program.is_empty() { b"unknown_service" } else { program },
            );
            if !host.is_empty() {
                attributes.push(b',');
                attribute(attributes, b"host.name", host);
            }
            attributes.push(b']');
        });
        object.array("scopeLogs", [places], |out, places| {
            self::object(out, |object| {
                object.object("scope", |object| object.text("name", b"logstead"));
                object.array("logRecords", places, |out, &at| write_record(&messages[at], fields, out));
            });
        });
    });
}

fn write_record(message: &OutgoingMessage<'_>, fields: &mut SortedFields, out: &mut Vec<u8>) {
    let (batch, row) = (message.batch, message.row);
    object(out, |object| {
        write_nanos(object.member(b"timeUnixNano"), batch.time(row));
        write_nanos(object.member(b"observedTimeUnixNano"), batch.received(row));
        if let Some(priority) = batch.priority(row) {
            object.number("severityNumber", severity(priority.severity()));
            object.text("severityText", priority.severity().name().as_bytes());
        }
        object.object("body", |object| object.text("stringValue", batch.message(row)));
        write_attributes(message, fields, object.member(b"attributes"));
    });
}

/// Appends the values for which the data model has no place, under names that no field has.
fn write_attributes(message: &OutgoingMessage<'_>, fields: &mut SortedFields, out: &mut Vec<u8>) {
    let (batch, row) = (message.batch, message.row);
    out.push(b'[');
    attribute(out, b"log.record.uid", message.id().as_bytes());
    let facility = batch.priority(row).map_or("", |priority| priority.facility().name());
    for (name, value) in [
        ("logstead.source", batch.source(row)),
        ("logstead.peer", batch.peer(row)),
        ("syslog.facility", facility.as_bytes()),
        ("syslog.procid", batch.pid(row)),
        ("syslog.msgid", batch.msgid(row)),
    ] {
        if !value.is_empty() {
            out.push(b',');
            attribute(out, name.as_bytes(), value);
        }
    }
    write_fields(batch, row, fields, out);
    out.push(b']');
}

fn write_fields(batch: &Batch, row: usize, fields: &mut SortedFields, out: &mut Vec<u8>) {
    fields.each(batch, row, |name, values| {
        out.push(b',');
        match values.only() {
            Some(value) => attribute(out, name, value),
            None => list_attribute(out, name, values),
        }
    });
}

fn attribute(out: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    object(out, |object| {
        object.text("key", key);
        object.object("value", |object| object.text("stringValue", value));
    });
}

fn list_attribute(out: &mut Vec<u8>, key: &[u8], values: FieldValues<'_>) {
    let item = |out: &mut Vec<u8>, value: &[u8]| object(out, |object| object.text("stringValue", value));
    object(out, |object| {
        object.text("key", key);
        object.object("value", |object| {
            object.object("arrayValue", |object| array(object.member(b"values"), values.iter(), item));
        });
    });
}

fn severity(severity: Severity) -> u64 {
    u64::from(SEVERITIES[usize::from(severity.number())])
}

/// In OTLP, 64-bit numbers are strings; times before 1970 cannot be expressed.
fn write_nanos(out: &mut Vec<u8>, time: Timestamp) {
    out.push(b'"');
    number(out, u64::try_from(time.nanos()).unwrap_or_default());
    out.push(b'"');
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct OtlpAnswer {
    partial_success: Option<PartialSuccess>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct PartialSuccess {
    /// The number of rejected records, as a string or a number.
    rejected_log_records: Value,
    error_message: String,
}

impl PartialSuccess {
    fn rejected(&self) -> u64 {
        let text = self.rejected_log_records.as_str().and_then(|text| text.parse().ok());
        text.or(self.rejected_log_records.as_u64()).unwrap_or_default()
    }
}

/// The result for the messages of a request that was accepted.
fn outcome(answer: &HttpAnswer, messages: usize, bytes: usize) -> Result<SendReport, SendFailure> {
    let mut sent = SendReport::all(bytes);
    if answer.body.trim_ascii().is_empty() {
        return Ok(sent);
    }
    let taken: OtlpAnswer = serde_json::from_slice(&answer.body).map_err(|error| {
        SendFailure::wait(format!("the answer to `{PATH}` cannot be understood: {error}"))
    })?;
    let partial = taken.partial_success.unwrap_or_default();
    let rejected = partial.rejected();
    if 0 < rejected {
        let which = if rejected < messages as u64 { " and does not say which" } else { "" };
        let said = glimpse(&partial.error_message);
        let reason = format!("the server rejected {rejected} of {messages} messages{which}: {said}");
        sent.refused = (0..messages).map(|at| (at, reason.clone())).collect();
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, answer, batch, folders};
    use super::*;
    use crate::sink::Remedy;
    use logstead_config::DestinationToken;
    use serde_json::json;
    use std::path::Path;

    fn sink(peer: &Peer) -> OtlpSink {
        let config = Config { server: peer.server(), token: DestinationToken::default() };
        OtlpSink::new(&config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
    }

    fn send(status: u16, body: &str) -> Result<SendReport, SendFailure> {
        let peer = Peer::start(vec![answer(status, body)]);
        sink(&peer).send(&messages(&batch(3)))
    }

    #[test]
    fn a_message_is_a_log_record_of_its_host_and_program() {
        let peer = Peer::start(vec![answer(200, "{}")]);
        let batch = batch(2);
        let messages = messages(&batch);
        sink(&peer).send(&messages).unwrap();
        let asked = peer.asked();
        assert!(asked.head.starts_with("POST /v1/logs "), "{}", asked.head);
        let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
        let first = json!({
            "timeUnixNano": "1600000000250000000", "observedTimeUnixNano": "1700000000000000001",
            "severityNumber": 9, "severityText": "info",
            "body": {"stringValue": "caf\u{FFFD} \"one\""},
            "attributes": [
                text("log.record.uid", &messages[0].id()),
                text("logstead.source", "in"), text("logstead.peer", "10.0.0.1:514"),
                text("syslog.facility", "auth"), text("syslog.procid", "42"), text("syslog.msgid", "ID7"),
                text("ip", "::1"),
                {"key": "user", "value": {"arrayValue": {"values": [{"stringValue": "ann"}, {"stringValue": "b\"ob"}]}}},
            ],
        });
        let body = asked.json();
        let resources = &body["resourceLogs"];
        assert_eq!(resources.as_array().unwrap().len(), 2);
        let attributes = json!([text("service.name", "unknown_service"), text("host.name", "web-1")]);
        assert_eq!(resources[0]["resource"]["attributes"], attributes);
        assert_eq!(resources[1]["scopeLogs"][0]["scope"], json!({"name": "logstead"}));
        assert_eq!(resources[1]["scopeLogs"][0]["logRecords"], json!([first]));
    }

    #[test]
    fn records_that_are_rejected_without_saying_which_are_refused_together() {
        for accepted in ["", "{}", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":{"errorMessage":"hm"}}"#]
        {
            let sent = send(200, accepted).unwrap();
            assert_eq!((sent.refused.len(), sent.again.len()), (0, 0), "{accepted}");
        }
        for count in ["\"2\"", "2"] {
            let body =
                format!(r#"{{"partialSuccess":{{"rejectedLogRecords":{count},"errorMessage":"old"}}}}"#);
            let refused = send(200, &body).unwrap().refused;
            assert_eq!(refused.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1, 2]);
            assert_eq!(refused[0].1, "the server rejected 2 of 3 messages and does not say which: old");
        }
    }

    #[test]
    fn what_was_not_taken_waits_or_is_split() {
        for (status, body, remedy) in [
            (200, "<html>", Remedy::Wait(None)),
            (429, "", Remedy::Wait(None)),
            (503, r#"{"code":14,"message":"later"}"#, Remedy::Wait(None)),
            (413, "", Remedy::Split),
            (400, "", Remedy::Split),
        ] {
            assert_eq!(send(status, body).unwrap_err().remedy, remedy, "{status} {body}");
        }
    }
}
