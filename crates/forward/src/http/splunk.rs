//! Splunk's HTTP event collector: `POST /services/collector/event` and, with a channel, requests that ask whether the
//! events are indexed.
//!
//! **Invariant:** with a channel, messages count as delivered when the server has acknowledged them. Until then they are
//! ours, and are sent again after the deadline.

use super::answer::{AnswerMeaning, HttpAnswer, meaning};
use super::client::{Client, HttpRequest, address};
use super::event::EventWriter;
use super::json::{number, object};
use super::secret::Authority;
use crate::sink::{MessageSink, OutgoingMessage, Remedy, SendFailure, SendReport};
use logstead_config::SplunkHecServer as Config;
use logstead_flow::machine::folders::Folders;
use logstead_record::{SECOND, Timestamp};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATH: &str = "/services/collector/event";
/// The pauses between requests for the acknowledgement double from the first to the last.
const ACK_PAUSE_FIRST: Duration = Duration::from_millis(50);
const ACK_PAUSE_MAX: Duration = Duration::from_secs(2);
/// Error codes that concern the configuration: the index, the channel or the token.
const CODES_OF_CONFIGURATION: [u32; 6] = [4, 7, 10, 11, 14, 16];

pub(crate) struct SplunkHec {
    client: Client,
    config: Config,
    url: String,
    ack_url: String,
    events: EventWriter,
    body: Vec<u8>,
}

/// The response to a request.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SplunkAnswer {
    code: Option<u32>,
    #[serde(rename = "ackId")]
    ack_id: Option<u64>,
    #[serde(rename = "invalid-event-number")]
    invalid_event: Option<usize>,
}

#[derive(Deserialize)]
struct Acks {
    acks: HashMap<String, bool>,
}

impl SplunkHec {
    pub(crate) fn new(config: &Config, folders: &Arc<Folders>) -> SplunkHec {
        let authority = Authority::of_token("Splunk", &config.token, &config.server);
        let url = address(&config.server, PATH);
        SplunkHec {
            client: Client::new(&config.server, authority, folders),
            ack_url: format!("{}/ack", url.trim_end_matches("/event")),
            url,
            events: EventWriter::new(config.format),
            config: config.clone(),
            body: Vec::new(),
        }
    }

    /// Appends the event; no separator is needed.
    fn write(&mut self, message: &OutgoingMessage<'_>) {
        let (batch, row) = (message.batch, message.row);
        let SplunkHec { config, events, body, .. } = self;
        object(body, |object| {
            write_seconds(object.member(b"time"), batch.time(row));
            object.text_if_any("host", batch.host(row));
            object.text_if_any("source", batch.source(row));
            object.text_if_any("sourcetype", config.sourcetype.as_deref().unwrap_or_default().as_bytes());
            object.text_if_any("index", config.index.as_deref().unwrap_or_default().as_bytes());
            events.write_value(message, object.member(b"event"));
        });
    }

    fn ask(&mut self, url: &str, body: &[u8]) -> Result<HttpAnswer, SendFailure> {
        let header = self.config.channel.as_deref().map(|channel| ("X-Splunk-Request-Channel", channel));
        self.client.ask(&HttpRequest { header, ..HttpRequest::post(url, "application/json", body) })
    }

    /// Waits until the server has indexed the request with this number.
    fn wait_for_ack(&mut self, ack: u64) -> Result<(), SendFailure> {
        let wait_max = self.config.server.timeout.duration();
        let deadline = Instant::now() + wait_max;
        let (url, question) = (self.ack_url.clone(), format!("{{\"acks\":[{ack}]}}"));
        let mut pause = ACK_PAUSE_FIRST;
        loop {
            let answer = self.ask(&url, question.as_bytes())?;
            if meaning(answer.status) != AnswerMeaning::Done {
                return Err(answer.later());
            }
            if is_acknowledged(&answer.body, ack)? {
                return Ok(());
            }
            if deadline <= Instant::now() + pause {
                let waited = wait_max.as_secs();
                return Err(SendFailure::wait(format!("{url}: no acknowledgement within {waited} s")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(ACK_PAUSE_MAX);
        }
    }
}

impl MessageSink for SplunkHec {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        self.body.clear();
        for message in messages {
            self.write(message);
        }
        let (url, body) = (self.url.clone(), std::mem::take(&mut self.body));
        let answer = self.ask(&url, &body);
        self.body = body;
        let (answer, bytes) = (answer?, self.body.len());
        let said = serde_json::from_slice::<SplunkAnswer>(&answer.body);
        if meaning(answer.status) != AnswerMeaning::Done {
            return refusal(answer, &said.unwrap_or_default(), messages.len(), bytes);
        }
        let said = said
            .map_err(|error| SendFailure::wait(format!("{url}: the answer cannot be understood: {error}")))?;
        if let (Some(_), Some(ack)) = (&self.config.channel, said.ack_id) {
            self.wait_for_ack(ack)?;
        }
        Ok(SendReport::all(bytes))
    }

    fn last_answer(&self) -> Option<String> {
        self.client.last_answer()
    }
}

/// Appends seconds with their fraction; times before 1970 cannot be expressed.
fn write_seconds(out: &mut Vec<u8>, time: Timestamp) {
    let nanos = time.nanos().max(0).unsigned_abs();
    let second = SECOND.unsigned_abs();
    number(out, nanos / second);
    out.push(b'.');
    // The leading one preserves the zeros that follow.
    let at = out.len();
    number(out, second + nanos % second);
    out.remove(at);
}

/// The result for messages that were not accepted.
fn refusal(
    answer: HttpAnswer,
    said: &SplunkAnswer,
    messages: usize,
    bytes: usize,
) -> Result<SendReport, SendFailure> {
    if said.code.is_some_and(|code| CODES_OF_CONFIGURATION.contains(&code)) {
        return Err(answer.later());
    }
    match said.invalid_event {
        // Splunk has accepted the events before this one, and other servers none: all others are sent again, at once.
        Some(at) if at < messages && meaning(answer.status) == AnswerMeaning::Refused => {
            let again = (0..messages).filter(|other| *other != at).collect::<Vec<_>>();
            let reason = answer.shown;
            let busy = (!again.is_empty())
                .then(|| SendFailure { reason: reason.clone(), remedy: Remedy::Wait(Some(Duration::ZERO)) });
            Ok(SendReport { bytes, refused: vec![(at, reason)], again, busy })
        }
        _ => answer.settle(messages, bytes),
    }
}

fn is_acknowledged(body: &[u8], ack: u64) -> Result<bool, SendFailure> {
    let acks: Acks = serde_json::from_slice(body).map_err(|error| {
        SendFailure::wait(format!("the answer about acknowledgements cannot be understood: {error}"))
    })?;
    Ok(acks.acks.get(&ack.to_string()).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::peer::{Peer, PeerTurn, answer, batch, folders, header};
    use super::*;
    use logstead_config::{DestinationToken, HttpFormat, HttpServer, Period};
    use logstead_record::Batch;
    use serde_json::json;
    use std::path::Path;

    const CHANNEL: &str = "fe0ecfad-13d5-401b-847d-77833bd77131";

    fn sink(server: HttpServer, channel: Option<&str>) -> SplunkHec {
        let config = Config {
            server,
            token: DestinationToken { token: Some("t0ken".to_owned()), token_file: None },
            index: Some("main".to_owned()),
            sourcetype: None,
            channel: channel.map(str::to_owned),
            format: HttpFormat::Message,
        };
        SplunkHec::new(&config, &folders(Path::new("/nowhere")))
    }

    fn messages(batch: &Batch) -> Vec<OutgoingMessage<'_>> {
        (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect()
    }

    fn send(turn: PeerTurn, rows: usize) -> Result<SendReport, SendFailure> {
        let peer = Peer::start(vec![turn]);
        sink(peer.server(), None).send(&messages(&batch(rows)))
    }

    #[test]
    fn events_follow_each_other() {
        let peer = Peer::start(vec![answer(200, r#"{"text":"Success","code":0,"ackId":1}"#)]);
        sink(peer.server(), None).send(&messages(&batch(2))).unwrap();
        let asked = peer.asked();
        assert!(asked.head.starts_with("POST /services/collector/event "), "{}", asked.head);
        assert_eq!(header(&asked.head, "authorization"), Some("Splunk t0ken"));
        let expected = "{\"time\":1600000000.250000000,\"host\":\"web-1\",\"source\":\"in\",\"index\":\"main\",\
                        \"event\":\"caf\u{FFFD} \\\"one\\\"\"}\
                        {\"time\":1700000000.000000001,\"host\":\"web-1\",\"source\":\"in\",\"index\":\"main\",\
                        \"event\":\"message 1\"}";
        assert_eq!(String::from_utf8(asked.body).unwrap(), expected);
    }

    #[test]
    fn with_a_channel_messages_are_delivered_when_they_are_acknowledged() {
        let taken = || answer(200, r#"{"text":"Success","code":0,"ackId":7}"#);
        let acks = |indexed: bool| answer(200, &format!(r#"{{"acks":{{"7":{indexed}}}}}"#));
        let peer = Peer::start(vec![taken(), acks(false), acks(true)]);
        sink(peer.server(), Some(CHANNEL)).send(&messages(&batch(2))).unwrap();
        let asked = [peer.asked(), peer.asked(), peer.asked()];
        assert_eq!(header(&asked[0].head, "x-splunk-request-channel"), Some(CHANNEL));
        assert!(asked[1].head.starts_with("POST /services/collector/ack "), "{}", asked[1].head);
        assert_eq!(header(&asked[1].head, "x-splunk-request-channel"), Some(CHANNEL));
        assert_eq!(asked[2].json(), json!({"acks": [7]}));

        let never = (0..100).map(|_| acks(false));
        let peer = Peer::start([taken()].into_iter().chain(never).collect());
        let server = HttpServer { timeout: Period::seconds(1), ..peer.server() };
        let failure = sink(server, Some(CHANNEL)).send(&messages(&batch(2))).unwrap_err();
        assert!(failure.reason.ends_with("no acknowledgement within 1 s"), "{}", failure.reason);
    }

    #[test]
    fn an_event_that_is_named_is_refused_and_the_others_are_sent_again() {
        let sent = send(answer(400, r#"{"text":"Invalid","code":6,"invalid-event-number":1}"#), 3).unwrap();
        assert_eq!(sent.refused.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1]);
        assert_eq!(sent.again, [0, 2]);
        assert_eq!(sent.busy.unwrap().remedy, Remedy::Wait(Some(Duration::ZERO)));
        let alone = send(answer(400, r#"{"code":13,"invalid-event-number":0}"#), 1).unwrap();
        assert_eq!((alone.refused.len(), alone.again.len(), alone.busy), (1, 0, None));
    }

    #[test]
    fn what_was_not_taken_waits_or_is_split() {
        for (status, body, remedy) in [
            (200, "<html>", Remedy::Wait(None)),
            (503, r#"{"text":"Server is busy","code":9}"#, Remedy::Wait(None)),
            (400, r#"{"text":"Incorrect index","code":7,"invalid-event-number":0}"#, Remedy::Wait(None)),
            (403, r#"{"text":"Invalid token","code":4}"#, Remedy::Wait(None)),
            (400, r#"{"code":6,"invalid-event-number":99}"#, Remedy::Split),
            (400, "", Remedy::Split),
            (413, "", Remedy::Split),
        ] {
            assert_eq!(send(answer(status, body), 3).unwrap_err().remedy, remedy, "{status} {body}");
        }
    }
}
