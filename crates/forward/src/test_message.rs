//! Sends a test message through the sink of a destination's kind, bypassing its queue.

use super::kinds;
use super::sink::{OutgoingMessage, Remedy, SendReport};
use logstead_config::{Destination as Config, Period};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_record::{Batch, BatchBuilder, Facility, Field, Origin, Priority, Row, Severity};
use std::sync::Arc;

/// The facility of syslog itself, and a severity that raises no alarm.
const FACILITY_SYSLOG: u8 = 5;
const SEVERITY_INFO: u8 = 6;

/// Advice for errors whose text contains one of these strings.
const ADVICE: [(&[&str], &str); 7] = [
    (&[": 401", ": 403"], "check the token, key or password, and what it is allowed to do"),
    (&[": 404"], "check the address, and the index or path in it"),
    (
        &["certificate", "tls", "handshake"],
        "check `tls`: the authority, the server's name, and the client certificate",
    ),
    (&["refused (os error"], "check that the server runs, and that it listens on this port"),
    (&["has no address", "lookup", "name or service"], "check the host's name"),
    (
        &["timed out", "deadline", "does not answer", "unreachable", "no route"],
        "check the address, and that no firewall is in between",
    ),
    (&["no such file", "permission denied"], "check that the file exists, and that the server may use it"),
];
const ADVICE_OTHERWISE: &str = "the log of the other side may give more details";

/// Sends a message that identifies itself as a test requested by this user. Returns the other side's answer, if its
/// protocol has answers; an error says what to do. Blocks for as long as the sink waits, or for `wait_max` if the
/// sink allows a limit.
pub fn send_test(
    config: &Config,
    folders: &Arc<Folders>,
    by: &str,
    wait_max: Period,
) -> Result<Option<String>, String> {
    let mut config = config.clone();
    if let Some(timeout) = config.kind.timeout_mut() {
        *timeout = (*timeout).min(wait_max);
    }
    let batch = message(&config.id, by);
    let mut sink = kinds::sink(&config, folders);
    match sink.send(&[OutgoingMessage { batch: &batch, row: 0, sequence: 0 }]) {
        Ok(SendReport { mut refused, .. }) if !refused.is_empty() => {
            Err(advised(&format!("the message is refused: {}", refused.remove(0).1)))
        }
        Ok(SendReport { again, busy, .. }) if !again.is_empty() => {
            let reason = busy.map_or_else(|| "the other side gives no reason".to_owned(), |busy| busy.reason);
            Err(advised(&format!("the message is not accepted for now: {reason}")))
        }
        Ok(_) => Ok(sink.last_answer()),
        Err(failure) => Err(match failure.remedy {
            Remedy::Wait(_) => advised(&failure.reason),
            Remedy::Split => format!("{}: the other side accepts no message of this size", failure.reason),
        }),
    }
}

fn message(destination: &str, by: &str) -> Batch {
    let received = clock::now();
    let text =
        format!("Test message from Logstead to the destination {destination}, sent by {by}. Ignore it.");
    let host = logstead_flow::machine::host_name();
    let pid = std::process::id().to_string();
    let facility = Facility::new(FACILITY_SYSLOG).zip(Severity::new(SEVERITY_INFO));
    let priority = facility.map(|(facility, severity)| Priority::of(facility, severity));
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"internal", peer: b"", received });
    builder.field(b"test", b"true");
    let row = Row { time: Some(received), priority, ..Row::text(text.as_bytes()) };
    let row = row
        .with(Field::Host, host.as_bytes())
        .with(Field::Program, b"logstead")
        .with(Field::Pid, pid.as_bytes());
    builder.push(&row);
    builder.seal()
}

/// An error text with advice.
fn advised(reason: &str) -> String {
    let lower = reason.to_lowercase();
    let known = ADVICE.iter().find(|(signs, _)| signs.iter().any(|sign| lower.contains(sign)));
    format!("{reason}: {}", known.map_or(ADVICE_OTHERWISE, |(_, advice)| advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::path::Path;

    fn config(json: &str) -> Config {
        logstead_config::destination_from_json(json.as_bytes()).unwrap()
    }

    fn sent(json: &str) -> Result<Option<String>, String> {
        let folders = Arc::new(Folders::below(Path::new("/nonexistent")));
        send_test(&config(json), &folders, "ann", Period::seconds(5))
    }

    fn listener() -> (TcpListener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    /// The request received by a server that gives this answer, and the result of the test message.
    fn answered(path: &str, answer: &'static str) -> (String, Result<Option<String>, String>) {
        let (listener, port) = listener();
        let thread = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            reader.into_inner().write_all(answer.as_bytes()).unwrap();
            String::from_utf8(body).unwrap()
        });
        let url = format!("http://127.0.0.1:{port}{path}");
        let done = sent(&format!(r#"{{"id": "archive", "kind": "ndjson_http", "url": "{url}"}}"#));
        (thread.join().unwrap(), done)
    }

    #[test]
    fn the_message_says_what_it_is_and_the_answer_is_told() {
        let (body, done) = answered("/in", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngot\n");
        assert_eq!(done, Ok(Some("200 OK: got".to_owned())));
        assert!(
            body.contains("Test message from Logstead to the destination archive, sent by ann."),
            "{body}"
        );
        assert!(body.contains("\"test\":\"true\""), "{body}");
    }

    #[test]
    fn a_failure_says_what_to_do() {
        for (answer, expected) in [
            ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", "check the token, key or password"),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "check the address, and the index"),
            ("HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad", "bad: the log of the other side"),
        ] {
            let error = answered("/", answer).1.unwrap_err();
            assert!(error.contains(expected), "{answer}: {error}");
        }
        let (closed, port) = listener();
        drop(closed);
        let error = sent(&format!(r#"{{"id": "siem", "kind": "syslog", "to": "tcp://127.0.0.1:{port}"}}"#));
        assert!(error.unwrap_err().contains("check that the server runs"));
    }

    #[test]
    fn a_protocol_without_answers_has_none() {
        let (listener, port) = listener();
        let json = r#"{"id": "siem", "kind": "syslog", "to": "tcp://127.0.0.1:PORT", "framing": "newline"}"#;
        assert_eq!(sent(&json.replace("PORT", &port.to_string())), Ok(None));
        let mut line = String::new();
        BufReader::new(listener.accept().unwrap().0).read_line(&mut line).unwrap();
        assert!(line.contains("[fields@32473 test=\"true\"] Test message from Logstead"), "{line}");
    }
}
