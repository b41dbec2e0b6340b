//! The commands that look for messages, as a shell runs them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::ExitStatus;
use support::{ROUTER, Server, logstead, output, wait_until};

const TOKEN: &str = "administrator";

/// A store that nobody has open any more.
fn stopped(server: &mut Server) -> String {
    assert!(server.terminate().success());
    server.data().to_str().unwrap().to_owned()
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
