//! Sends messages in the bodies of HTTP requests, one per line, over a persistent connection.
//!
//! **Invariant:** a request is repeated until it is answered, so the acknowledged messages are always the first ones.

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition};
use super::latency::Latencies;
use super::socket::POLL_WAIT;
use super::target::Address;
use super::transport::Transport;
use serde_json::Value;
use std::time::{Duration, Instant};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

const ANSWER_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long to wait before asking a busy receiver again.
const BUSY_WAIT: Duration = Duration::from_secs(1);

/// The requests of one sender.
pub(super) struct RequestTransport {
    url: String,
    authorization: String,
    agent: Agent,
    /// Whether the messages of the pending chunk already count as sent.
    is_counted: bool,
    latencies: Latencies,
}

impl RequestTransport {
    pub(super) fn new(address: &Address, token: &str) -> RequestTransport {
        RequestTransport {
            url: format!("http://{address}/api/v1/ingest?format=auto"),
            authorization: format!("Bearer {token}"),
            agent: agent(),
            is_counted: false,
            latencies: Latencies::default(),
        }
    }

    fn post(&self, body: &[u8]) -> Result<(StatusCode, Value), ureq::Error> {
        let mut answer: Response<Body> = self
            .agent
            .post(&self.url)
            .header("Authorization", &self.authorization)
            .header("Content-Type", "text/plain")
            .send(body)?;
        let text = answer.body_mut().read_to_string()?;
        Ok((answer.status(), serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    fn count(&mut self, chunk: &FrameChunk, counts: &ConnectionCounts) {
        if self.is_counted {
            counts.resent(chunk.pending());
        } else {
            counts.sent(chunk.pending(), chunk.pending_bytes().len());
            self.is_counted = true;
        }
    }
}

fn agent() -> Agent {
    // With a proxy, the proxy would be measured instead.
    let config = Agent::config_builder().proxy(None).http_status_as_error(false);
    config.timeout_global(Some(ANSWER_WAIT_MAX)).build().into()
}

impl Transport for RequestTransport {
    /// The next request opens the connection.
    fn connect(&mut self) -> Result<(), ConnectionError> {
        self.agent = agent();
        Ok(())
    }

    fn send(
        &mut self,
        chunk: &mut FrameChunk,
        until: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        let start = Instant::now();
        let answer = self.post(chunk.pending_bytes());
        if answer.as_ref().map_or_else(has_left, |_| true) {
            self.count(chunk, counts);
        }
        let (status, answer) =
            answer.map_err(|error| ConnectionError::new(format!("{}: {error}", self.url)))?;
        let messages = chunk.pending();
        let count = |name: &str| answer[name].as_u64().unwrap_or_default();
        if status == StatusCode::OK && count("accepted") + count("dropped") == messages as u64 {
            counts.acknowledged(messages);
            self.latencies.add(start.elapsed(), messages as u64);
            chunk.advance(messages);
            self.is_counted = false;
            return Ok(());
        }
        let refused = refused(status, &answer, messages);
        if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            return Err(refused);
        }
        counts.broke(&refused);
        let end = Instant::now() + BUSY_WAIT;
        while Instant::now() < end && !until.is_over() {
            std::thread::sleep(until.cut(POLL_WAIT));
        }
        Ok(())
    }

    fn finish(&mut self, _: &ConnectionCounts) -> Result<(), ConnectionError> {
        Ok(())
    }

    fn latencies(&self) -> Option<&Latencies> {
        Some(&self.latencies)
    }
}

/// Whether a failed request may have reached the receiver.
fn has_left(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed | ureq::Error::BadUri(_) => false,
        ureq::Error::Io(error) => error.kind() != std::io::ErrorKind::ConnectionRefused,
        _ => true,
    }
}

/// Why messages were refused. The error is final if the request is invalid, as it would be refused again.
fn refused(status: StatusCode, answer: &Value, messages: usize) -> ConnectionError {
    let detail = answer["detail"].as_str().or(answer["title"].as_str());
    if let Some(detail) = detail {
        return ConnectionError { reason: format!("{status}: {detail}"), is_final: status.is_client_error() };
    }
    match answer["errors"][0]["reason"].as_str() {
        Some(reason) => {
            let rejected = answer["rejected"].as_u64().unwrap_or_default();
            ConnectionError::fatal(format!(
                "{rejected} of {messages} messages were refused; the first one: {reason}"
            ))
        }
        None => ConnectionError::fatal(format!(
            "{status}: the answer does not account for all {messages} messages"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_that_is_not_all_messages_says_why() {
        let check = |status: u16, answer: Value, reason: &str, is_final: bool| {
            let broken = refused(StatusCode::from_u16(status).unwrap(), &answer, 10);
            assert_eq!((broken.reason.as_str(), broken.is_final), (reason, is_final));
        };
        check(401, json!({"detail": "no token"}), "401 Unauthorized: no token", true);
        check(503, json!({"title": "disk full"}), "503 Service Unavailable: disk full", false);
        let errors = json!({"accepted": 9, "rejected": 1, "errors": [{"line": 3, "reason": "too long"}]});
        check(200, errors, "1 of 10 messages were refused; the first one: too long", true);
        check(200, json!({"accepted": 9}), "200 OK: the answer does not account for all 10 messages", true);
        check(404, Value::Null, "404 Not Found: the answer does not account for all 10 messages", true);
    }
}
