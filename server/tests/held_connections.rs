//! Clients that hold connections and do nothing with them take nothing from others: neither memory nor places nor
//! file descriptors. Senders go on sending, and users log in and search.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use support::{ROUTER, Server, wait_until};

/// How long a login or a search may take while strangers hold all connections, on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Of a test that waits for a timeout of half a second.
const QUICK: [&str; 3] = ["web.header_timeout=500ms", "web.idle_timeout=500ms", "web.stall_timeout=500ms"];

fn web(server: &Server) -> SocketAddr {
    server.web().strip_prefix("http://").unwrap().parse().unwrap()
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(web(server)).unwrap();
    stream.set_read_timeout(Some(support::WAIT_MAX)).unwrap();
    stream
}

/// Sends bytes, leaves the connection open and reads until the server ends it.
fn said_to(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        // Nothing but the end counts: some of what was sent may be unread.
        Err(error) if error.kind() != ErrorKind::ConnectionReset => {
            panic!("the connection stays open: {error}")
        }
        _ => String::from_utf8(answer).unwrap(),
    }
}

fn assert_problem(answer: &str, status: u16, detail: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    assert!(head.to_lowercase().contains("content-type: application/problem+json"), "{head}");
    let problem: Value = serde_json::from_str(body).unwrap();
    assert_eq!(problem["status"], status);
    assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
}

/// Strangers of five kinds, who do nothing more. Where the server ends one of them early, that is its right.
fn strangers(server: &Server, each: usize) -> Vec<TcpStream> {
    let login = "POST /api/v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let half_login = format!("{login}content-length: 1048576\r\n\r\n{}", "x".repeat(100_000));
    let slow_login = format!("{login}content-length: 1000\r\n\r\n{{");
    let unread = "GET /api/v1/session HTTP/1.1\r\nhost: x\r\n\r\n".repeat(500);
    let kinds = ["", "GET / HTTP/1.1\r\nhost:", &half_login, &slow_login, &unread];
    let open = |kind: &&str| {
        let mut stream = TcpStream::connect(web(server)).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream.write_all(kind.as_bytes()).ok();
        stream
    };
    kinds.iter().flat_map(|kind| vec![kind; each]).map(open).collect()
}

#[test]
fn strangers_that_hold_all_connections_keep_nobody_out() {
    let server = Server::start_with(ROUTER, &["web.connections_max=100"]);
    let user = json!({"name": "ada", "password": "correct horse battery", "role": "analyst"});
    assert_eq!(server.post("/users", &user).0, 201);
    let _held = strangers(&server, 100);
    let mut sender = server.tcp();
    for number in 0..20 {
        sender.write_all(format!("<13>message {number}\n").as_bytes()).unwrap();
        let start = Instant::now();
        let login = json!({"name": "ada", "password": "correct horse battery"});
        assert_eq!(server.post("/session", &login).0, 200);
        assert_eq!(server.post("/search", &json!({"query": "message"})).0, 200);
        assert!(start.elapsed() < ANSWER_MAX, "it took {:?}", start.elapsed());
    }
    server.wait_for("message", 20);
    assert!(server.labelled_metric("web_connections") <= 101.0, "the limit holds");
}

#[test]
fn a_request_that_does_not_come_is_ended_and_told_why() {
    let server = Server::start_with(ROUTER, &QUICK);
    assert_eq!(said_to(&server, b""), "", "who asks nothing is told nothing");
    assert_problem(&said_to(&server, b"GET / HTTP/1.1\r\nhost: x\r\n"), 408, "within 0.5 s");
    let login = "POST /api/v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let answer = said_to(&server, format!("{login}content-length: 100\r\n\r\n{{").as_bytes());
    assert_problem(&answer, 408, "too slowly");
    let answer = said_to(&server, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("ok\n"), "{answer}");
}

#[test]
fn a_request_that_is_too_long_is_told_so_at_once() {
    let server = Server::start(ROUTER);
    for path in ["session", "setup"] {
        let head = format!("POST /api/v1/{path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n");
        let answer = said_to(&server, format!("{head}content-length: 1048576\r\n\r\n{{").as_bytes());
        assert_problem(&answer, 413, "longer than 8KiB");
    }
    let header = format!("GET / HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n", "x".repeat(100_000));
    assert_problem(&said_to(&server, header.as_bytes()), 431, "too long");
    assert_problem(&said_to(&server, b"hello\r\n\r\n"), 400, "not HTTP/1.1");
}

#[test]
fn nobody_sends_a_body_before_it_is_known_who_it_is() {
    let server = Server::start(ROUTER);
    let head = "POST /api/v1/ingest HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n";
    let answer = said_to(&server, format!("{head}content-length: 60000000\r\n\r\nx").as_bytes());
    assert_problem(&answer, 401, "log in first");
}

#[test]
fn an_answer_that_nobody_reads_is_ended() {
    let server = Server::start_with(ROUTER, &QUICK);
    let mut stream = connect(&server);
    stream.set_nonblocking(true).unwrap();
    let known = format!("authorization: Bearer {}", support::TOKEN);
    let ask = format!("GET /api/v1/logspaces HTTP/1.1\r\nhost: x\r\n{known}\r\n\r\n").repeat(1000);
    // As long as it goes: the server stops reading when it cannot write.
    wait_until("the server has enough of it", || match stream.write_all(ask.as_bytes()) {
        Ok(()) => false,
        Err(error) if error.kind() == ErrorKind::WouldBlock => false,
        Err(_) => true,
    });
}

/// How long a server takes for this many requests over one connection.
fn time_for(server: &Server, head: &str, requests: usize) -> Duration {
    let mut stream = connect(server);
    let request = format!("GET /api/v1/logspaces HTTP/1.1\r\nhost: x\r\n{head}\r\n");
    let last = format!("GET /api/v1/logspaces HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n");
    let start = Instant::now();
    stream.write_all((request.repeat(requests - 1) + &last).as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 ").count(), requests);
    start.elapsed()
}

#[test]
fn a_stranger_that_asks_without_end_waits_and_others_do_not() {
    let server = Server::start(ROUTER);
    // 50 at once, then one a second.
    let stranger = time_for(&server, "", 52);
    assert!(Duration::from_secs(1) <= stranger, "a flood is answered in {stranger:?}");
    let known = time_for(&server, &format!("authorization: Bearer {}\r\n", support::TOKEN), 1000);
    assert!(known < Duration::from_secs(100), "1000 requests of a user take {known:?}");
}

#[test]
fn the_users_of_a_trusted_proxy_share_its_connections_and_do_not_wait() {
    let server = Server::start_with(ROUTER, &["web.trusted_proxies=127.0.0.1"]);
    // Paced, they would take three minutes.
    let strangers = time_for(&server, "", 1000);
    assert!(strangers < Duration::from_secs(100), "1000 requests take {strangers:?}");
}

#[test]
fn a_body_that_rests_makes_way_for_one_that_does_not() {
    let server = Server::start_with(ROUTER, &["limits.ingest_body_max=1MiB"]);
    let head = "POST /api/v1/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer administrator\r\n\
        content-type: text/plain\r\ncontent-length: 1048576\r\n\r\n";
    let rest = format!("{head}{}", "x".repeat(1_048_000));
    let begin = || {
        let mut stream = connect(&server);
        stream.write_all(rest.as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        (stream, String::new())
    };
    let mut resting: Vec<(TcpStream, String)> = (0..5).map(|_| begin()).collect();
    let message = "x".repeat(999);
    let body = format!("{message}\n").repeat(1000);
    let mut accepted = 0;
    // A busy server may take a whole body before it reads those that rest: then another is sent.
    wait_until("a body that rests has made way", || {
        match server.try_ingest(&body) {
            Ok(messages) => accepted += messages,
            Err(refused) => assert!(refused.contains("try again"), "{refused}"),
        }
        for connection in &mut resting {
            connection.0.read_to_string(&mut connection.1).ok();
            // Where all who have begun wait for more room, the last to come is told to try again at once.
            if connection.1.contains("try again") {
                *connection = begin();
            }
        }
        resting.iter().any(|(_, answer)| answer.contains("the body rests"))
    });
    wait_until("there is room for a body that does not rest", || match server.try_ingest(&body) {
        Ok(messages) => {
            accepted += messages;
            true
        }
        Err(refused) => {
            assert!(refused.contains("try again"), "{refused}");
            false
        }
    });
    assert_eq!(server.count("*"), accepted);
    for (_, answer) in resting.iter().filter(|(_, answer)| answer.contains("the body rests")) {
        assert_problem(answer, 408, "the body rests");
    }
}

#[test]
fn a_body_with_too_many_messages_is_refused_as_a_whole() {
    let server = Server::start_with(ROUTER, &["limits.ingest_messages_max=1000"]);
    assert_eq!(server.ingest(&"a\n".repeat(1000)), 1000);
    let refused = server.try_ingest(&"a\n".repeat(1001)).unwrap_err();
    assert!(refused.contains("413") && refused.contains("limits.ingest_messages_max"), "{refused}");
    assert_eq!(server.count("*"), 1000);
}

/// Connections to the web port and to a source, each more than the process may have descriptors.
#[test]
fn connections_leave_storage_the_descriptors_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let settings = ["storage.segment_rows_max=1000", "storage.seal_after=1s"];
    let server = Server::start_limited(folder, data, ROUTER, &settings, Some(256));
    let _web: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(web(&server)).unwrap()).collect();
    let _syslog: Vec<TcpStream> = (0..300).map(|_| server.tcp()).collect();
    for number in 0..20 {
        // Each fills a journal file, and each needs the next.
        assert_eq!(server.ingest(&format!("message {number}\n").repeat(1000)), 1000);
    }
    assert_eq!(server.count("message"), 20_000);
    let refused = || server.source("syslog")["dropped"]["descriptor_limit"].as_u64().unwrap_or(0);
    wait_until("connections are refused", || 0 < refused());
}
