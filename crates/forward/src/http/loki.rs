//! Grafana Loki: `POST /loki/api/v1/push`, with messages grouped into streams by their labels.
//!
//! If an entry is invalid, for instance too old, Loki stores the valid ones and answers 400. It does not say which
//! entry failed, so fewer are sent at a time until that entry is alone; sending the others again does no harm, since
//! Loki keeps an entry only once.

use super::client::{Client, HttpRequest, address};
use super::event::EventWriter;
use super::json::{ObjectWriter, number, object};
use super::secret::Authority;
use crate::groups::arrange;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{Label, LokiServer as Config};
use logstead_flow::machine::folders::Folders;
use std::sync::Arc;

/// The number of available labels.
const LABELS_MAX: usize = 5;
const PATH: &str = "/loki/api/v1/push";

pub(crate) struct LokiSink {
    client: Client,
    url: String,
    tenant: Option<String>,
    streams: Streams,
    body: Vec<u8>,
}

struct Streams {
    labels: Vec<Label>,
    events: EventWriter,
    places: Vec<usize>,
}

impl LokiSink {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> LokiSink {
        let server = &config.server;
        let authority = Authority::of_token("Bearer", &config.token, server);
        let mut labels = config.labels.clone();
        labels.sort_unstable_by_key(|label| label.name());
        labels.dedup();
        LokiSink {
            client: Client::new(server, authority, folders),
            url: address(server, PATH),
            tenant: config.tenant.clone(),
            streams: Streams { labels, events: EventWriter::new(config.format), places: Vec::new() },
            body: Vec::new(),
        }
    }
}

impl MessageSink for LokiSink {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        self.body.clear();
        self.streams.write(messages, &mut self.body);
        let header = self.tenant.as_deref().map(|tenant| ("X-Scope-OrgID", tenant));
        let question = HttpRequest { header, ..HttpRequest::post(&self.url, "application/json", &self.body) };
        self.client.ask(&question)?.settle(messages.len(), self.body.len())
    }

    fn last_answer(&self) -> Option<String> {
        self.client.last_answer()
    }
}

impl Streams {
    fn write(&mut self, messages: &[OutgoingMessage<'_>], out: &mut Vec<u8>) {
        let Streams { labels, events, places } = self;
        arrange(places, messages, |message| values(labels, message));
        let alike = |a: &usize, b: &usize| values(labels, &messages[*a]) == values(labels, &messages[*b]);
        object(out, |object| {
            object.array("streams", places.chunk_by(alike), |out, places| {
                let stream =
                    |object: &mut ObjectWriter<'_>| write_labels(labels, &messages[places[0]], object);
                self::object(out, |object| {
                    object.object("stream", stream);
                    object.array("values", places, |out, &at| write_entry(&messages[at], events, out));
                });
            });
        });
    }
}

/// The values of the labels, which are empty if a message has none.
fn values<'m>(labels: &[Label], message: &OutgoingMessage<'m>) -> [&'m [u8]; LABELS_MAX] {
    let mut values: [&[u8]; LABELS_MAX] = [b""; LABELS_MAX];
    for (value, label) in values.iter_mut().zip(labels) {
        *value = message.label(*label);
    }
    values
}

/// A stream must have a label, so `job` is always present.
fn write_labels(labels: &[Label], message: &OutgoingMessage<'_>, object: &mut ObjectWriter<'_>) {
    for label in labels {
        object.text_if_any(label.name(), message.label(*label));
    }
    object.text("job", b"logstead");
}

/// Appends the time in nanoseconds, as a string, and the line.
fn write_entry(message: &OutgoingMessage<'_>, events: &mut EventWriter, out: &mut Vec<u8>) {
    out.extend_from_slice(b"[\"");
    let nanos = message.batch.time(message.row).nanos();
    if nanos < 0 {
        out.push(b'-');
    }
    number(out, nanos.unsigned_abs());
    out.extend_from_slice(b"\",");
    events.write_string(message, out);
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, answer, answer_with, batch, folders, header};
    use super::*;
    use crate::sink::Remedy;
    use logstead_config::{DestinationToken, HttpFormat, HttpServer};
    use logstead_record::Batch;
    use serde_json::json;
    use std::path::Path;
    use std::time::Duration;

    fn sink(server: HttpServer, format: HttpFormat) -> LokiSink {
        let config = Config {
            server,
            token: DestinationToken::default(),
            tenant: Some("blue".to_owned()),
            labels: vec![Label::Severity, Label::Host],
            format,
        };
        LokiSink::new(&config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: 7 }).collect()
    }

    #[test]
    fn messages_are_in_streams_by_their_labels_in_order() {
        let peer = Peer::start(vec![answer(204, "")]);
        let batch = batch(4);
        sink(peer.server(), HttpFormat::Message).send(&messages(&batch)).unwrap();
        let asked = peer.asked();
        assert!(asked.head.starts_with("POST /loki/api/v1/push "), "{}", asked.head);
        assert_eq!(header(&asked.head, "x-scope-orgid"), Some("blue"));
        let received = "1700000000000000001";
        let expected = json!({"streams": [
            {"stream": {"host": "web-0", "job": "logstead"}, "values": [[received, "message 2"]]},
            {
                "stream": {"host": "web-1", "job": "logstead"},
                "values": [[received, "message 1"], [received, "message 3"]],
            },
            {
                "stream": {"host": "web-1", "severity": "info", "job": "logstead"},
                "values": [["1600000000250000000", "caf\u{FFFD} \"one\""]],
            },
        ]});
        assert_eq!(asked.json(), expected);
    }

    #[test]
    fn a_line_is_an_object_with_everything() {
        let peer = Peer::start(vec![answer(204, "")]);
        let batch = batch(1);
        sink(peer.server(), HttpFormat::Json).send(&messages(&batch)).unwrap();
        let body = peer.asked().json();
        let line = body["streams"][0]["values"][0][1].as_str().unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["pid"], &line["fields"]["ip"]), (&json!("42"), &json!("::1")));
    }

    #[test]
    fn an_entry_that_is_too_old_is_refused_once_it_is_alone() {
        let why = "entry for stream '{}' has timestamp too old";
        let script = vec![answer(400, why), answer(400, why), answer_with(429, "Retry-After: 7\r\n", "slow")];
        let peer = Peer::start(script);
        let (batch, mut sink) = (batch(2), sink(peer.server(), HttpFormat::Raw));
        assert_eq!(sink.send(&messages(&batch)).unwrap_err().remedy, Remedy::Split);
        let sent = sink.send(&messages(&batch)[..1]).unwrap();
        let place = format!("{}/loki/api/v1/push", peer.url);
        assert_eq!(sent.refused, [(0, format!("{place}: 400 Bad Request: {why}"))]);
        let failure = sink.send(&messages(&batch)).unwrap_err();
        assert_eq!(failure.reason, format!("{place}: 429 Too Many Requests: slow"));
        assert_eq!(failure.remedy, Remedy::Wait(Some(Duration::from_secs(7))));
    }
}
