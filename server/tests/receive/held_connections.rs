//! Clients that hold connections without using them take nothing from others: no memory, no places and no file
//! descriptors. Senders continue to send, and users can log in and search.
//!
//! Keywords: slowloris, idle connection, connection limit, denial of service.

use crate::certificates;
use crate::support;

use axum::body::Bytes;
use certificates::Authority;
use h2::client::SendRequest;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{ROUTER, Server, TOKEN, wait_until};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

/// The longest time for a login or a search while other clients hold all connections, on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Settings for a test that waits for a timeout of half a second.
const QUICK: [&str; 3] = ["web.header_timeout=500ms", "web.idle_timeout=500ms", "web.stall_timeout=500ms"];

fn web(server: &Server) -> SocketAddr {
    server.web().split_once("://").unwrap().1.parse().unwrap()
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(web(server)).unwrap();
    stream.set_read_timeout(Some(support::WAIT_MAX)).unwrap();
    stream
}

/// Sends bytes, leaves the connection open, and reads until the server closes it.
fn said_to(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        // Only the end matters, because some of the sent bytes may be unread.
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
    let name = match status {
        401 => "not-signed-in",
        408 => "too-slow",
        413 => "body-too-large",
        414 => "address-too-long",
        431 => "header-too-long",
        503 => "busy",
        _ => "invalid-http",
    };
    assert_eq!(problem["type"], format!("urn:logstead:problem:{name}"));
    assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
}

/// Idle connections of five kinds. The server may close any of them early. Among thousands of them, none sends
/// hundreds of requests, because that is work and not waiting.
fn strangers(server: &Server, each: usize) -> Vec<TcpStream> {
    let login = "POST /api/v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let half_login = format!("{login}content-length: 1048576\r\n\r\n{}", "x".repeat(100_000));
    let slow_login = format!("{login}content-length: 1000\r\n\r\n{{");
    let unread = "GET /api/v1/session HTTP/1.1\r\nhost: x\r\n\r\n".repeat(500);
    let kinds = ["", "GET / HTTP/1.1\r\nhost:", &half_login, &slow_login, &unread];
    let kinds = kinds.iter().filter(|kind| each < 200 || **kind != unread);
    let open = |kind: &&str| {
        let mut stream = TcpStream::connect(web(server)).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream.write_all(kind.as_bytes()).ok();
        stream
    };
    kinds.flat_map(|kind| vec![kind; each]).map(open).collect()
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
    assert_problem(&said_to(&server, b"hello\r\n\r\n"), 400, "not valid HTTP/1.1");
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
    let known = format!("authorization: Bearer {TOKEN}");
    let ask = format!("GET /api/v1/logspaces HTTP/1.1\r\nhost: x\r\n{known}\r\n\r\n").repeat(1000);
    // Writes as long as possible: the server stops reading when it cannot write.
    wait_until("the server has enough of it", || match stream.write_all(ask.as_bytes()) {
        Ok(()) => false,
        Err(error) if error.kind() == ErrorKind::WouldBlock => false,
        Err(_) => true,
    });
}

/// The time that a server takes for this many requests over one connection.
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
    // The limit is 50 at once, then one per second.
    let stranger = time_for(&server, "", 52);
    assert!(Duration::from_secs(1) <= stranger, "a flood is answered in {stranger:?}");
    let known = time_for(&server, &format!("authorization: Bearer {TOKEN}\r\n"), 1000);
    assert!(known < Duration::from_secs(100), "1000 requests of a user take {known:?}");
}

#[test]
fn the_users_of_a_trusted_proxy_share_its_connections_and_do_not_wait() {
    let server = Server::start_with(ROUTER, &["web.trusted_proxies=127.0.0.1"]);
    // With the limit, they would take three minutes.
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
    // A busy server may read a whole body before it notices the stalled ones; then another one is sent.
    wait_until("a body that rests has made way", || {
        match server.try_ingest(&body) {
            Ok(messages) => accepted += messages,
            Err(refused) => assert!(refused.contains("try again"), "{refused}"),
        }
        for connection in &mut resting {
            connection.0.read_to_string(&mut connection.1).ok();
            // If all open bodies wait for more room, the latest one is asked to try again immediately.
            if connection.1.contains("try again") {
                *connection = begin();
            }
        }
        resting.iter().any(|(_, answer)| answer.contains("the body stopped arriving"))
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
    for (_, answer) in resting.iter().filter(|(_, answer)| answer.contains("the body stopped arriving")) {
        assert_problem(answer, 408, "the body stopped arriving");
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

/// The connections to the web port and to a source each exceed the number of descriptors of the process.
#[test]
fn connections_leave_storage_the_descriptors_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let settings = ["storage.segment_rows_max=1000", "storage.seal_after=1s"];
    let server = Server::start_limited(folder, data, ROUTER, &settings, Some(256));
    let _web: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(web(&server)).unwrap()).collect();
    let _syslog: Vec<TcpStream> = (0..300).map(|_| server.tcp()).collect();
    for number in 0..20 {
        // Each request fills a journal file, and each needs a new one.
        assert_eq!(server.ingest(&format!("message {number}\n").repeat(1000)), 1000);
    }
    assert_eq!(server.count("message"), 20_000);
    let refused = || server.source("syslog")["dropped"]["descriptor_limit"].as_u64().unwrap_or(0);
    wait_until("connections are refused", || 0 < refused());
}

/// The same for tests with a handshake first, which takes some time on a busy machine.
const QUICK_AFTERWARDS: [&str; 2] = ["web.idle_timeout=2s", "web.stall_timeout=2s"];
/// The greatest median time of logins while thousands of connections are held.
const LOGIN_MAX: Duration = Duration::from_secs(1);
/// The longest time that a stop may take, whatever is open.
const STOP_MAX: Duration = Duration::from_secs(10);

/// The wanted number of connections, or the greatest number that this process and the server can have.
fn many(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
    let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // The server reserves some descriptors for its files.
    wanted.min(usize::try_from(all).unwrap_or(usize::MAX) / 2)
}

/// The times of some logins, in ascending order.
fn logins(server: &Server) -> Vec<Duration> {
    let login = json!({"name": "ada", "password": "correct horse battery"});
    let mut took: Vec<Duration> = (0..9)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(server.post("/session", &login).0, 200);
            start.elapsed()
        })
        .collect();
    took.sort();
    took
}

fn assert_quick(took: &[Duration], meanwhile: &str) {
    assert!(took[took.len() / 2] < LOGIN_MAX && took[took.len() - 1] < ANSWER_MAX, "{meanwhile}: {took:?}");
}

fn add_ada(server: &Server) {
    let user = json!({"name": "ada", "password": "correct horse battery", "role": "analyst"});
    assert_eq!(server.post("/users", &user).0, 201);
}

#[test]
fn ten_thousand_idle_and_five_thousand_slow_connections_keep_nobody_from_logging_in() {
    let (idle, slow) = (many(10_000), many(5_000));
    let mut server = Server::start(ROUTER);
    add_ada(&server);
    let _idle: Vec<TcpStream> = (0..idle).map(|_| TcpStream::connect(web(&server)).unwrap()).collect();
    assert_quick(&logins(&server), "idle");
    let _slow = strangers(&server, slow / 4);
    assert_quick(&logins(&server), "slow");
    let open = server.labelled_metric("web_connections");
    assert!(open <= 10_000.0, "{open} connections are open");
    let start = Instant::now();
    assert!(server.terminate().success());
    assert!(start.elapsed() < STOP_MAX, "a stop takes {:?}", start.elapsed());
}

#[test]
fn a_thousand_requests_at_a_time_are_answered_and_so_is_a_login() {
    let server = Server::start(ROUTER);
    add_ada(&server);
    server.ingest(&"message\n".repeat(1000));
    let ask = format!(
        "GET /api/v1/search?query=message HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         authorization: Bearer {TOKEN}\r\n\r\n"
    );
    let asked = (0..1000).map(|_| {
        let mut stream = connect(&server);
        stream.write_all(ask.as_bytes()).unwrap();
        stream
    });
    let asked: Vec<TcpStream> = asked.collect();
    assert_quick(&logins(&server), "a thousand searches");
    for mut stream in asked {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        // The searches of one caller wait for each other, up to a limit that is reported.
        let is_answered = answer.starts_with("HTTP/1.1 200 ") || answer.starts_with("HTTP/1.1 503 ");
        assert!(is_answered, "{answer}");
    }
}

#[test]
fn a_stop_answers_what_was_asked_and_waits_for_nobody_else() {
    let mut server = Server::start(ROUTER);
    let _held = strangers(&server, 40);
    let head = format!(
        "POST /api/v1/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: text/plain\r\nexpect: 100-continue\r\ncontent-length: 12\r\n\r\n"
    );
    let mut stream = connect(&server);
    stream.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert!(support::signal("TERM", server.pid()));
    wait_until("it listens no more", || TcpStream::connect(web(&server)).is_err());
    stream.write_all(b"last message").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"accepted\":1"), "{answer}");
    let start = Instant::now();
    assert!(server.ended().success());
    assert!(start.elapsed() < STOP_MAX, "a stop takes {:?}", start.elapsed());
}

/// A server with an encrypted web port, and the settings for its clients.
struct Encrypted {
    server: Server,
    connector: TlsConnector,
    _folder: tempfile::TempDir,
}

/// A connection for several requests, and the task that drives it.
struct SharedConnection {
    requests: SendRequest<Bytes>,
    end: JoinHandle<Result<(), h2::Error>>,
}

impl Encrypted {
    fn start(settings: &[&str]) -> Encrypted {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority");
        let own = authority.sign("localhost");
        let files = [format!("web.tls.certificate={}", own.certificate), format!("web.tls.key={}", own.key)];
        let settings: Vec<&str> = files.iter().map(String::as_str).chain(settings.iter().copied()).collect();
        let server = Server::start_with(ROUTER, &settings);
        let mut roots = rustls::RootCertStore::empty();
        for certificate in logstead_client::pem::certificates(authority.certificate().as_ref()).unwrap() {
            roots.add(certificate).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let client = rustls::ClientConfig::builder_with_provider(provider);
        let client = client.with_safe_default_protocol_versions().unwrap();
        let mut client = client.with_root_certificates(roots).with_no_client_auth();
        client.alpn_protocols = vec![b"h2".to_vec()];
        Encrypted { server, connector: TlsConnector::from(Arc::new(client)), _folder: folder }
    }

    /// Connects, with a window that limits how much of each answer is sent.
    async fn share(&self, window_bytes: u32) -> SharedConnection {
        let stream = tokio::net::TcpStream::connect(web(&self.server)).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = self.connector.connect(name, stream).await.unwrap();
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(window_bytes).initial_max_send_streams(100);
        let (requests, connection) = builder.handshake(stream).await.unwrap();
        SharedConnection { requests, end: tokio::spawn(connection) }
    }
}

impl SharedConnection {
    /// Sends a request; if there is no body, the request ends with its head.
    async fn ask(
        &mut self,
        path: &str,
        body: Option<&'static str>,
    ) -> (h2::client::ResponseFuture, h2::SendStream<Bytes>) {
        let request = axum::http::Request::builder()
            .method(if body.is_some() { "POST" } else { "GET" })
            .uri(format!("https://localhost{path}"))
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "text/plain");
        self.requests = self.requests.clone().ready().await.unwrap();
        let (answer, mut stream) =
            self.requests.send_request(request.body(()).unwrap(), body.is_none()).unwrap();
        if let Some(body) = body {
            stream.send_data(Bytes::from_static(body.as_bytes()), false).unwrap();
        }
        (answer, stream)
    }

    /// The body of an answer.
    async fn read(mut self, path: &str) -> String {
        let (answer, _) = self.ask(path, None).await;
        let mut body = answer.await.unwrap().into_body();
        let mut text = Vec::new();
        while let Some(piece) = body.data().await {
            let piece = piece.unwrap();
            text.extend_from_slice(&piece);
            body.flow_control().release_capacity(piece.len()).unwrap();
        }
        String::from_utf8(text).unwrap()
    }

    /// The reason why the server ended it.
    async fn ended(self) -> Option<h2::Reason> {
        let end = tokio::time::timeout(support::WAIT_MAX, self.end).await.expect("it is ended");
        end.unwrap().err().and_then(|error| error.reason())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_does_not_go_on_is_ended() {
    let encrypted = Encrypted::start(&QUICK);
    // This is the beginning of a TLS hello of 512 bytes.
    assert_eq!(said_to(&encrypted.server, &[22, 3, 1, 2, 0, 1, 0]), "");
    assert_eq!(said_to(&encrypted.server, b""), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_refused_and_the_other_requests_of_the_connection_go_on() {
    let encrypted = Encrypted::start(&QUICK_AFTERWARDS);
    let mut connection = encrypted.share(1 << 20).await;
    let (slow, _rest) = connection.ask("/api/v1/ingest", Some("half a")).await;
    let (other, _) = connection.ask("/api/v1/logspaces", None).await;
    assert_eq!(other.await.unwrap().status(), 200);
    assert_eq!(slow.await.unwrap().status(), 408);
    let (other, _) = connection.ask("/api/v1/logspaces", None).await;
    assert_eq!(other.await.unwrap().status(), 200);
    // No further request is sent.
    assert_eq!(connection.ended().await.unwrap_or(h2::Reason::NO_ERROR), h2::Reason::NO_ERROR);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_not_taken_end_a_shared_connection() {
    let encrypted = Encrypted::start(&QUICK_AFTERWARDS);
    for window_bytes in [0, 100_000] {
        let mut connection = encrypted.share(window_bytes).await;
        // The answers are longer than the window.
        let mut asked = Vec::new();
        for _ in 0..10 {
            asked.push(connection.ask("/api/v1/openapi.json", None).await);
        }
        connection.ended().await;
    }
    let unread = "web_ended_total{reason=\"answer_unread\"}";
    let metrics = encrypted.share(1 << 20).await.read("/metrics").await;
    assert!(metrics.contains(&format!("{unread} 2")), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_given_up_at_once_end_a_shared_connection() {
    let encrypted = Encrypted::start(&[]);
    let mut connection = encrypted.share(1 << 20).await;
    // This is the "rapid reset" attack: each request costs its sender two frames.
    let mut asked = 0;
    for number in 0..100_000 {
        asked = number;
        let Ok(ready) = connection.requests.clone().ready().await else { break };
        connection.requests = ready;
        let request = axum::http::Request::get("https://localhost/api/v1/session").body(()).unwrap();
        let Ok((_, mut stream)) = connection.requests.send_request(request, false) else { break };
        stream.send_reset(h2::Reason::CANCEL);
    }
    // The reason that the server gives may be lost, because it no longer reads.
    assert!(asked < 99_999, "it goes on");
    connection.ended().await;
    let (answer, _) = encrypted.share(1 << 20).await.ask("/api/v1/logspaces", None).await;
    assert_eq!(answer.await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_on_a_shared_connection_comes_whole_to_a_slow_reader() {
    let encrypted = Encrypted::start(&[]);
    let mut connection = encrypted.share(1 << 20).await;
    let lines: &'static str =
        "a message of some length that is stored and read again\n".repeat(20_000).leak();
    let (answer, mut stream) = connection.ask("/api/v1/ingest", Some(lines)).await;
    stream.send_data(Bytes::new(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    let slow = encrypted.share(16_000).await;
    let export = slow.read("/api/v1/export?query=message&format=raw").await;
    assert!(export == lines, "{} of {} bytes", export.len(), lines.len());
}
