//! Any HTTP server that accepts lines, each of which is a message.

use super::client::{Client, HttpRequest};
use super::event::EventWriter;
use super::secret::Authority;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{HttpFormat, HttpMethod, NdjsonHttp as Config};
use logstead_flow::machine::folders::Folders;
use std::sync::Arc;
use ureq::http::Method;

pub(crate) struct NdjsonHttp {
    client: Client,
    url: String,
    method: Method,
    content_type: &'static str,
    events: EventWriter,
    body: Vec<u8>,
}

impl NdjsonHttp {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> NdjsonHttp {
        let authority = Authority::of_token("Bearer", &config.token, &config.server);
        NdjsonHttp {
            client: Client::new(&config.server, authority, folders),
            url: config.server.url.to_string(),
            method: match config.method {
                HttpMethod::Post => Method::POST,
                HttpMethod::Put => Method::PUT,
                HttpMethod::Patch => Method::PATCH,
            },
            content_type: match config.format {
                HttpFormat::Json => "application/x-ndjson",
                HttpFormat::Raw | HttpFormat::Message => "text/plain",
            },
            events: EventWriter::new(config.format),
            body: Vec::new(),
        }
    }
}

impl MessageSink for NdjsonHttp {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        self.body.clear();
        for message in messages {
            self.events.write_line(message, &mut self.body);
            self.body.push(b'\n');
        }
        let question = HttpRequest::post(&self.url, self.content_type, &self.body);
        let question = HttpRequest { method: self.method.clone(), ..question };
        self.client.ask(&question)?.settle(messages.len(), self.body.len())
    }

    fn last_answer(&self) -> Option<String> {
        self.client.last_answer()
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, answer, batch, folders, header};
    use super::*;
    use logstead_config::DestinationToken;
    use logstead_record::Batch;
    use serde_json::{Value, json};
    use std::path::Path;

    fn sink(peer: &Peer, format: HttpFormat) -> NdjsonHttp {
        let token = DestinationToken { token: Some("t0ken".to_owned()), token_file: None };
        let config = Config { server: peer.server(), token, method: HttpMethod::Put, format };
        NdjsonHttp::new(&config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
    }

    #[test]
    fn every_message_is_a_line_with_everything() {
        let peer = Peer::start(vec![answer(200, "")]);
        let batch = batch(2);
        sink(&peer, HttpFormat::Json).send(&messages(&batch)).unwrap();
        let asked = peer.asked();
        assert!(asked.head.starts_with("PUT / "), "{}", asked.head);
        assert_eq!(header(&asked.head, "authorization"), Some("Bearer t0ken"));
        assert_eq!(header(&asked.head, "content-type"), Some("application/x-ndjson"));
        let lines = asked.body.trim_ascii_end().split(|byte| *byte == b'\n');
        let lines: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
        let first = json!({
            "id": messages(&batch)[0].id(),
            "time": "2020-09-13T12:26:40.250Z", "received": "2023-11-14T22:13:20.000000001Z",
            "host": "web-1", "program": "sshd", "pid": "42", "msgid": "ID7",
            "severity": 6, "severity_name": "info", "facility": 4, "facility_name": "auth",
            "message": "caf\u{FFFD} \"one\"", "raw": "caf\u{FFFD} \"one\"", "raw_base64": "Y2Fm6SAib25lIg==",
            "source": "in", "peer": "10.0.0.1:514", "flags": [],
            "fields": {"ip": "::1", "user": ["ann", "b\"ob"]},
        });
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], first);
        assert_eq!((&lines[1]["severity"], &lines[1]["raw_base64"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn a_line_may_be_the_bytes_as_received() {
        let peer = Peer::start(vec![answer(202, "")]);
        let batch = batch(2);
        let sent = sink(&peer, HttpFormat::Raw).send(&messages(&batch)).unwrap();
        let asked = peer.asked();
        assert_eq!(asked.body, b"caf\xE9 \"one\"\nmessage 1\n");
        assert_eq!(sent, SendReport::all(asked.body.len()));
    }
}
