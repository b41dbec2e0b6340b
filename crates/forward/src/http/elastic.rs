//! Elasticsearch and OpenSearch: `POST /INDEX/_bulk`, whose response has a result for each message.
//!
//! **Invariant:** a document is created under an id that its message keeps, and never overwritten. One that is there
//! already (409) is delivered. So a message that is sent twice is stored once, within an index.

use super::answer::{AnswerMeaning, HttpAnswer, meaning};
use super::client::{Client, HttpRequest, address, glimpse};
use super::fields::SortedFields;
use super::json::{ObjectWriter, object, string};
use super::secret::Authority;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::ElasticServer as Config;
use logstead_flow::machine::folders::Folders;
use logstead_record::{Batch, Priority};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The filter for the small part of the response that is needed.
const FILTER: &str = "filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason";

pub(crate) struct Elastic {
    client: Client,
    url: String,
    fields: SortedFields,
    body: Vec<u8>,
}

impl Elastic {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> Elastic {
        let (key, file, server) = (config.api_key.as_ref(), config.api_key_file.as_ref(), &config.server);
        let authority = Authority::new("ApiKey", key, file, server);
        let url = format!("{}?{FILTER}", address(server, &format!("/{}/_bulk", config.index)));
        Elastic {
            client: Client::new(server, authority, folders),
            url,
            fields: SortedFields::default(),
            body: Vec::new(),
        }
    }
}

impl MessageSink for Elastic {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        self.body.clear();
        for message in messages {
            write(message, &mut self.fields, &mut self.body);
        }
        let bytes = self.body.len();
        let question = HttpRequest::post(&self.url, "application/x-ndjson", &self.body);
        let answer = self.client.ask(&question)?;
        match meaning(answer.status) {
            AnswerMeaning::Done => outcome(&answer, messages.len(), bytes),
            _ => answer.settle(messages.len(), bytes),
        }
    }

    fn last_answer(&self) -> Option<String> {
        self.client.last_answer()
    }
}

/// Appends the lines of a message: the action and the document.
fn write(message: &OutgoingMessage<'_>, fields: &mut SortedFields, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"create\":{\"_id\":");
    string(out, message.id().as_bytes());
    out.extend_from_slice(b"}}\n");
    write_document(message.batch, message.row, fields, out);
    out.push(b'\n');
}

/// Appends the document, with the names of the Elastic Common Schema as far as it defines them.
fn write_document(batch: &Batch, row: usize, fields: &mut SortedFields, out: &mut Vec<u8>) {
    let host = batch.host(row);
    object(out, |object| {
        object.time("@timestamp", batch.time(row));
        object.text("message", batch.message(row));
        if !host.is_empty() {
            object.object("host", |object| object.text("name", host));
        }
        write_process(batch, row, object);
        object.object("log", |object| write_log(batch, row, object));
        object.object("event", |object| object.time("created", batch.received(row)));
        object.object("logstead", |object| {
            object.text("source", batch.source(row));
            let mut flags = batch.flags(row).names().peekable();
            if flags.peek().is_some() {
                object.array("flags", flags, |out, flag| string(out, flag.as_bytes()));
            }
        });
        if !batch.field_range(row).is_empty() {
            object.object("fields", |object| fields.write(batch, row, object));
        }
    });
}

fn write_process(batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
    let (program, pid) = (batch.program(row), pid(batch.pid(row)));
    if program.is_empty() && pid.is_none() {
        return;
    }
    object.object("process", |object| {
        object.text_if_any("name", program);
        if let Some(pid) = pid {
            object.number("pid", u64::from(pid));
        }
    });
}

/// Process ids are numbers in the schema; others are only in `log.syslog.procid`.
fn pid(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn write_log(batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
    let priority = batch.priority(row);
    if let Some(priority) = priority {
        object.text("level", priority.severity().name().as_bytes());
    }
    object.object("source", |object| object.text("address", batch.peer(row)));
    object.object("syslog", |object| {
        if let Some(priority) = priority {
            write_priority(priority, object);
        }
        object.text_if_any("hostname", batch.host(row));
        object.text_if_any("appname", batch.program(row));
        object.text_if_any("procid", batch.pid(row));
        object.text_if_any("msgid", batch.msgid(row));
    });
}

fn write_priority(priority: Priority, object: &mut ObjectWriter<'_>) {
    let (facility, severity) = (priority.facility(), priority.severity());
    object.number("priority", u64::from(priority.number()));
    object.object("facility", |object| {
        object.number("code", u64::from(facility.number()));
        object.text("name", facility.name().as_bytes());
    });
    object.object("severity", |object| {
        object.number("code", u64::from(severity.number()));
        object.text("name", severity.name().as_bytes());
    });
}

/// The response to a request that was accepted as a whole.
#[derive(Deserialize)]
struct BulkAnswer<'a> {
    errors: bool,
    #[serde(borrow, default)]
    items: Vec<BulkAnswerItem<'a>>,
}

#[derive(Deserialize)]
struct BulkAnswerItem<'a> {
    #[serde(borrow, alias = "index")]
    create: BulkItemResult<'a>,
}

#[derive(Deserialize)]
struct BulkItemResult<'a> {
    status: u16,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BulkItemError {
    #[serde(rename = "type")]
    kind: String,
    reason: String,
}

/// The result for each message.
fn outcome(answer: &HttpAnswer, messages: usize, bytes: usize) -> Result<SendReport, SendFailure> {
    let unclear =
        |what: &str| SendFailure::wait(format!("the answer to `_bulk` cannot be understood: {what}"));
    let taken: BulkAnswer<'_> =
        serde_json::from_slice(&answer.body).map_err(|error| unclear(&error.to_string()))?;
    // Some servers list no items if all succeeded.
    let is_brief = !taken.errors && taken.items.is_empty();
    if taken.items.len() != messages && !is_brief {
        let items = taken.items.len();
        return Err(unclear(&format!("it has results for {items} messages, and {messages} were sent")));
    }
    let mut sent = SendReport::all(bytes);
    for (at, item) in taken.items.iter().enumerate() {
        sort(at, &item.create, &mut sent);
    }
    Ok(sent)
}

fn sort(at: usize, outcome: &BulkItemResult<'_>, sent: &mut SendReport) {
    match (outcome.status, meaning(outcome.status)) {
        // The message arrived before, and the response was lost.
        (409, _) | (_, AnswerMeaning::Done) => {}
        (_, AnswerMeaning::Refused | AnswerMeaning::TooLarge) => sent.refused.push((at, outcome.reason())),
        (_, AnswerMeaning::Later) => {
            sent.again.push(at);
            sent.busy.get_or_insert_with(|| SendFailure::wait(outcome.reason()));
        }
    }
}

impl BulkItemResult<'_> {
    fn reason(&self) -> String {
        let error = self.error.map_or("", RawValue::get);
        let text = match serde_json::from_str(error) {
            Ok(BulkItemError { kind, reason }) => format!("{kind}: {reason}"),
            Err(_) => error.to_owned(),
        };
        glimpse(&format!("{} {text}", self.status))
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, answer, answer_with, batch, folders, header};
    use super::*;
    use crate::sink::Remedy;
    use logstead_config::{HttpServer, Url};
    use serde_json::{Value, json};
    use std::path::Path;
    use std::time::Duration;

    fn sink(server: HttpServer) -> Elastic {
        let (index, api_key) = ("logs-app".to_owned(), Some("a2V5".to_owned()));
        let config = Config { server, index, api_key, api_key_file: None };
        Elastic::new(&config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
    }

    /// The result for five messages, given this response.
    fn send(status: u16, body: &str) -> Result<SendReport, SendFailure> {
        let peer = Peer::start(vec![answer(status, body)]);
        sink(peer.server()).send(&messages(&batch(5)))
    }

    #[test]
    fn a_message_is_created_under_its_id_as_a_document_of_the_common_schema() {
        let peer = Peer::start(vec![answer(200, r#"{"errors":false}"#)]);
        let batch = batch(1);
        let messages = messages(&batch);
        sink(peer.server()).send(&messages).unwrap();
        let asked = peer.asked();
        assert!(asked.head.starts_with("POST /logs-app/_bulk?filter_path=errors,"), "{}", asked.head);
        assert_eq!(header(&asked.head, "authorization"), Some("ApiKey a2V5"));
        let lines: Vec<Value> =
            asked.body.trim_ascii_end().split(|byte| *byte == b'\n').map(parsed).collect();
        let document = json!({
            "@timestamp": "2020-09-13T12:26:40.250Z",
            "message": "caf\u{FFFD} \"one\"",
            "host": {"name": "web-1"},
            "process": {"name": "sshd", "pid": 42},
            "log": {
                "level": "info",
                "source": {"address": "10.0.0.1:514"},
                "syslog": {
                    "priority": 38,
                    "facility": {"code": 4, "name": "auth"},
                    "severity": {"code": 6, "name": "info"},
                    "hostname": "web-1", "appname": "sshd", "procid": "42", "msgid": "ID7",
                },
            },
            "event": {"created": "2023-11-14T22:13:20.000000001Z"},
            "logstead": {"source": "in"},
            "fields": {"ip": "::1", "user": ["ann", "b\"ob"]},
        });
        assert_eq!(lines, [json!({"create": {"_id": messages[0].id()}}), document]);
    }

    fn parsed(line: &[u8]) -> Value {
        serde_json::from_slice(line).unwrap()
    }

    #[test]
    fn every_message_has_an_answer_of_its_own() {
        let sent = send(
            200,
            r#"{"took":1,"errors":true,"items":[
                {"create":{"_id":"a","status":201}},
                {"create":{"status":409,"error":{"type":"version_conflict_engine_exception","reason":"there"}}},
                {"create":{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}},
                {"create":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"no\nnumber"}}},
                {"index":{"status":503,"error":"shard away"}}]}"#,
        );
        let sent = sent.unwrap();
        assert!(0 < sent.bytes);
        assert_eq!(sent.refused, [(3, "400 mapper_parsing_exception: no number".to_owned())]);
        assert_eq!(sent.again, [2, 4]);
        assert_eq!(sent.busy, Some(SendFailure::wait("429 es_rejected_execution_exception: full")));
    }

    #[test]
    fn a_request_that_was_not_taken_is_sent_again_or_split() {
        let remedy = |status, body| send(status, body).unwrap_err().remedy;
        assert_eq!(remedy(413, ""), Remedy::Split);
        for (status, body) in [
            (429, ""),
            (503, ""),
            (401, ""),
            (403, r#"{"error":"security_exception"}"#),
            (404, r#"{"error":"index_not_found_exception"}"#),
            (200, "<html>Please log in</html>"),
            (200, r#"{"errors":true}"#),
            (200, r#"{"errors":true,"items":[{"create":{"status":201}}]}"#),
            (200, r#"{"errors":false,"items":[{"create":{"status":201}}]}"#),
            (200, r#"{"took":1}"#),
            (200, ""),
        ] {
            assert_eq!(remedy(status, body), Remedy::Wait(None), "{status} {body}");
        }
        let peer = Peer::start(vec![answer_with(429, "Retry-After: 3\r\n", "")]);
        let failure = sink(peer.server()).send(&messages(&batch(2))).unwrap_err();
        assert_eq!(failure.remedy, Remedy::Wait(Some(Duration::from_secs(3))));
    }

    #[test]
    fn less_is_taken_after_more_was_too_large() {
        let taken = r#"{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}}]}"#;
        let peer = Peer::start(vec![answer(413, "too large"), answer(200, taken)]);
        let (batch, mut sink) = (batch(4), sink(peer.server()));
        assert_eq!(sink.send(&messages(&batch)).unwrap_err().remedy, Remedy::Split);
        let sent = sink.send(&messages(&batch)[..2]).unwrap();
        assert_eq!((sent.refused, sent.again), (vec![], vec![]));
        let (first, second) = (peer.asked(), peer.asked());
        assert!(first.body.starts_with(&second.body), "the first of them");
    }

    #[test]
    #[ignore = "needs a running OpenSearch or Elasticsearch: LOGSTEAD_TEST_ELASTIC=http://127.0.0.1:9200"]
    fn a_real_server_takes_refuses_and_recognises_messages() {
        let url = std::env::var("LOGSTEAD_TEST_ELASTIC").unwrap();
        let peer = Peer::start(Vec::new());
        let server = HttpServer { url: Url::parse(&url).unwrap(), ..peer.server() };
        let index = format!("logs-test-{}", std::process::id());
        let ask = |method: &str, path: &str, body: &str| -> Value {
            let agent: ureq::Agent =
                ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
            let request = ureq::http::Request::builder().method(method).uri(format!("{url}/{path}"));
            let request = request.header("Content-Type", "application/json").body(body.to_owned()).unwrap();
            agent.run(request).unwrap().body_mut().read_json().unwrap()
        };
        let mapping = r#"{"mappings":{"properties":{"fields":{"properties":{"ip":{"type":"integer"}}}}}}"#;
        ask("PUT", &index, mapping);
        let config = Config { server, index: index.clone(), api_key: None, api_key_file: None };
        let mut sink = Elastic::new(&config, &folders(Path::new("/nowhere")));
        let batch = batch(3000);
        // The second time, all of them already exist; the first message has an `ip` that is not a number.
        for _ in 0..2 {
            let sent = sink.send(&messages(&batch)).unwrap();
            assert_eq!((sent.refused.len(), sent.again.len()), (1, 0), "{sent:?}");
            assert_eq!(sent.refused[0].0, 0);
            assert!(sent.refused[0].1.starts_with("400 mapper_parsing_exception: "), "{sent:?}");
        }
        ask("POST", &format!("{index}/_refresh"), "");
        assert_eq!(ask("GET", &format!("{index}/_count"), "")["count"], 2999);
        let found = ask("GET", &format!("{index}/_search?q=message:2999"), "");
        let document = &found["hits"]["hits"][0];
        assert_eq!(document["_source"]["host"]["name"], "web-1", "{found}");
        assert_eq!(document["_id"], messages(&batch)[2999].id());
        ask("DELETE", &index, "");
    }
}
