//! The commands that look for messages, as a shell runs them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitStatus;
use support::{ROUTER, Server, free_port, logstead, output, wait_until};

const TOKEN: &str = "administrator";

/// A store that nobody has open any more.
fn stopped(server: &mut Server) -> String {
    assert!(server.terminate().success());
    server.data().to_str().unwrap().to_owned()
}

#[test]
fn a_token_that_is_made_while_the_server_is_stopped_may_send_and_nothing_else() {
    let mut server = Server::start(ROUTER);
    let data = server.data().to_str().unwrap().to_owned();
    let create = ["token", "create", "shipper", "--role", "ingest", "--data", &data];
    let (code, out, error) = output(&create);
    assert_eq!((code, out.as_str()), (3, ""), "{error}");
    assert!(error.contains(&format!("pid {}", server.pid())), "{error}");
    stopped(&mut server);
    let (code, token, error) = output(&create);
    assert_eq!((code, error.as_str()), (0, ""));
    let (code, out, error) = output(&create);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("there is already a token `shipper`"), "{error}");

    server.restart();
    let token = token.trim();
    let ingest = format!("{}/api/v1/ingest", server.web());
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let sent = agent.post(&ingest).header("Authorization", format!("Bearer {token}"));
    let sent = sent.header("Content-Type", "text/plain").send("a line of a shipper").unwrap();
    assert_eq!((sent.status().as_u16(), server.count("shipper")), (200, 1));
    let (code, out, error) = output(&["search", "*", "--server", server.web(), "--token", token]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("this needs the role analyst"), "{error}");
}

#[test]
fn times_that_mean_nothing_are_refused_as_the_api_does() {
    let mut server = Server::start(ROUTER);
    server.ingest("one");
    let (status, refused) = server.post("/search", &json!({"from": "now", "to": "-1h"}));
    assert_eq!(status, 400, "{refused}");
    let data = stopped(&mut server);
    for command in ["search", "export"] {
        let (code, out, error) = output(&[command, "*", "--from", "now", "--to", "-1h", "--data", &data]);
        assert_eq!((code, out.as_str()), (1, ""), "{command}: {error}");
        assert!(
            error.contains("--from (") && error.contains(") must be before --to ("),
            "{command}: {error}"
        );
        let (code, _, error) = output(&[command, "*", "--limit", "0", "--data", &data]);
        assert_eq!(code, 2, "{command}: {error}");
        assert!(error.contains("--limit"), "{command}: {error}");
    }
    assert_eq!(output(&["search", "*", "--from", "-1h", "--data", &data]).0, 0);
}

#[test]
fn raw_messages_are_printed_as_they_were_received() {
    let mut server = Server::start(ROUTER);
    let sent: [&[u8]; 3] = [b"<13>caf\xe9 \xff\x00 end", "<13>\u{1b}[1m ä".as_bytes(), b"<13>  spaces  "];
    for (count, message) in sent.iter().enumerate() {
        server.send_udp(&[message]);
        server.wait_for("*", count as u64 + 1);
    }
    let expected: Vec<u8> = sent.iter().rev().flat_map(|message| [*message, b"\n"].concat()).collect();
    let search = |store: &[&str]| {
        let command = [&["search", "*", "--format", "raw"], store].concat();
        logstead(&command).output().unwrap().stdout
    };
    assert_eq!(search(&["--server", server.web(), "--token", TOKEN]), expected);
    let data = stopped(&mut server);
    assert_eq!(search(&["--data", &data]), expected);
}

#[test]
fn a_tail_ends_when_nobody_reads_it_any_more() {
    let server = Server::start(ROUTER);
    server.ingest("one");
    let arguments = ["tail", "one", "--last", "1", "--server", server.web(), "--token", TOKEN];
    let mut tail = logstead(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.contains("one"), "{line}");
    let mut status: Option<ExitStatus> = None;
    assert_eq!(tail.try_wait().unwrap(), None, "as long as it is read, it goes on");
    // As `| head -1` does. No further message matches.
    drop(lines);
    wait_until("the tail ends", || {
        status = tail.try_wait().unwrap();
        status.is_some()
    });
    assert!(status.unwrap().success());
}

#[test]
fn a_tail_to_a_file_goes_on() {
    let server = Server::start(ROUTER);
    let file = tempfile::NamedTempFile::new().unwrap();
    let arguments = ["tail", "*", "--server", server.web(), "--token", TOKEN];
    let mut command = logstead(&arguments);
    let mut tail = command.stdout(file.reopen().unwrap()).spawn().unwrap();
    let printed = || std::fs::read_to_string(file.path()).unwrap().lines().count();
    let mut sent = 0;
    wait_until("messages are printed", || {
        sent += server.ingest("one more");
        0 < printed()
    });
    assert_eq!(tail.try_wait().unwrap(), None);
    tail.kill().unwrap();
    tail.wait().unwrap();
}

/// Answers every request: 400 if `poison` is in it, 200 otherwise. It runs until the test ends.
fn collector(port: u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_all(stream.unwrap()));
        }
    });
}

fn answer_all(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let is_refused = String::from_utf8_lossy(&body).contains("poison");
        let answer = if is_refused {
            "HTTP/1.1 400 Bad Request\r\nContent-Length: 8\r\n\r\nno thank"
        } else {
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        };
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

#[test]
fn an_operator_looks_after_a_destination() {
    let port = free_port();
    let destination = format!(
        "[[destinations]]\nid = \"siem\"\nkind = \"ndjson_http\"\nurl = \"http://127.0.0.1:{port}/in\"\n\
         format = \"message\"\ncompression = \"none\"\n"
    );
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]") + &destination;
    let server = Server::start(&router);
    let destination = |arguments: &[&str]| {
        output(&[&["destination"], arguments, &["--server", server.web(), "--token", TOKEN]].concat())
    };
    let done = |arguments: &[&str], expected: &str| {
        let (code, out, error) = destination(arguments);
        assert_eq!((code, out.as_str()), (0, expected), "{arguments:?}: {error}");
    };
    let refused = |arguments: &[&str], expected_code: i32, expected: &str| {
        let (code, out, error) = destination(arguments);
        assert_eq!((code, out.as_str()), (expected_code, ""), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    };
    let listed = || -> Value {
        let (code, out, error) = destination(&["list", "--format", "json"]);
        assert_eq!(code, 0, "{error}");
        serde_json::from_str(&out).unwrap()
    };

    assert_eq!(server.ingest("one\ntwo\npoison three"), 3);
    wait_until("it is tried", || listed()["state"] == "retrying");
    let status = listed();
    assert_eq!((&status["destination"], &status["waiting"]), (&json!("siem"), &json!(3)));
    assert!(status["last_error"].as_str().unwrap().contains("Connection refused"), "{status}");
    let (_, table, _) = destination(&["list"]);
    assert!(table.starts_with("destination  state"), "{table}");

    refused(&["test", "siem"], 1, "check that the server runs");
    refused(&["pause", "nowhere"], 1, "there is no destination `nowhere`");
    refused(&["pause", "../router"], 2, "not a destination's name");
    refused(&["discard", "siem", "--messages", "0"], 2, "--messages");
    done(&["pause", "siem"], "siem: it is paused\n");
    assert_eq!(listed()["state"], "paused");

    let (code, out, error) = destination(&["queue", "siem", "--limit", "2"]);
    assert_eq!((code, error.as_str()), (0, "siem: 1 more\n"));
    assert!(out.lines().count() == 2 && out.contains("one") && out.contains("two"), "{out}");
    refused(&["discard", "siem", "--messages", "4"], 1, "there are only 3 messages, not 4");
    done(&["discard", "siem", "--messages", "1"], "siem: 1 message discarded\n");
    wait_until("it is discarded", || listed()["waiting"] == 2);

    collector(port);
    done(&["resume", "siem"], "siem: it sends again\n");
    done(&["retry", "siem"], "siem: it is tried\n");
    wait_until("nothing waits", || listed()["waiting"] == 0);
    let (code, out, _) = destination(&["test", "siem"]);
    assert!(code == 0 && out.contains(": 200 OK: ok"), "{out}");
    let (_, out, _) = destination(&["quarantine", "siem"]);
    assert!(out.contains("poison three\n  refused: ") && out.contains("400 Bad Request: no thank"), "{out}");
    done(&["quarantine", "siem", "--replay", "1"], "siem: 1 message in the queue again\n");
    wait_until("it is refused again", || listed()["waiting"] == 0 && listed()["refused"] == 1);
    done(&["quarantine", "siem", "--discard", "1"], "siem: 1 message forgotten\n");
    let (code, out, error) = destination(&["quarantine", "siem"]);
    assert_eq!((code, out.as_str(), error.as_str()), (0, "", "siem: nothing was refused\n"));

    done(&["replay", "siem", "two"], "siem: 1 message in the queue\n");
    refused(&["replay", "siem", "* | stats count()"], 1, "the query has stages");
    let audit = server.call("GET", "/audit?limit=100", &[], b"").1.to_string();
    for action in ["test", "pause", "resume", "discard", "replay"] {
        assert!(audit.contains(&format!("destination.{action}")), "{action}: {audit}");
    }
}
