//! Problems with one sender or the disk do not affect others: senders that are slow, stuck or too many, and a full
//! disk. In each case, the counters match the sent messages, and every user can log in.
//!
//! Keywords: backpressure, noisy neighbour, stuck sender, slow disk, fairness.

use crate::certificates;
use crate::support;

use certificates::{Authority, Identity};
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use std::io::Write;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::small_disk::SmallDisk;
use support::{Server, logstead, wait_until};

/// The longest time from sending a message to finding it while other senders do their worst, on a busy machine.
const DELAY_MAX: Duration = Duration::from_secs(2);

/// A document with a source for each of two floods and for the steady sender.
const SOURCES: &str = r#"
version = 1
[[sources]]
id = "datagrams"
kind = "syslog"
listen = ["udp://127.0.0.1:0"]
[[sources]]
id = "stream"
kind = "syslog"
listen = ["tcp://127.0.0.1:0"]
[[sources]]
id = "steady"
kind = "syslog"
listen = ["tcp://127.0.0.1:0", "udp://127.0.0.1:0"]
[[logspaces]]
id = "main"
[[routes]]
id = "default"
where = '-"drop me"'
to = ["main"]
"#;

/// Sends messages one by one, each when the previous one is found; returns the longest time that one took.
fn steady(server: &Server, messages: usize) -> Duration {
    let mut stream = TcpStream::connect(server.address_of("steady", "tcp")).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut slowest = Duration::ZERO;
    for number in 0..messages {
        let start = Instant::now();
        stream.write_all(format!("<13>steady stream {number}\n").as_bytes()).unwrap();
        let datagram = format!("<13>steady datagram {number}");
        socket.send_to(datagram.as_bytes(), server.address_of("steady", "udp")).unwrap();
        server.wait_for("source:steady steady", 2 * (number as u64 + 1));
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

/// Checks that every received message of a source was stored, dropped for a reason, or taken by no route.
fn assert_adds_up(server: &Server, sent: &[(&str, u64)]) {
    let queued = |id: &str| server.source(id)["queue_bytes"].as_u64().unwrap();
    wait_until("everything is stored", || sent.iter().all(|(id, _)| queued(id) == 0));
    let status = server.status();
    let mut received = 0;
    for (id, sent) in sent {
        let source = server.source(id);
        let (messages, dropped) = (source["messages"].as_u64().unwrap(), sum(&source["dropped"]));
        assert_eq!(messages + dropped, *sent, "{source}");
        received += messages;
    }
    let stored = status["logspaces"][0]["messages"].as_u64().unwrap();
    assert_eq!(received, stored + status["unrouted_messages"].as_u64().unwrap(), "{status}");
    assert_eq!(server.count("*"), stored);
}

/// The sum over all reasons.
fn sum(dropped: &Value) -> u64 {
    dropped.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn a_flood_of_datagrams_and_of_a_stream_holds_no_other_source_up() {
    let server = Server::start_with(SOURCES, &["memory.source_queue_max=1MiB"]);
    let (stream, datagrams) = (server.address_of("stream", "tcp"), server.address_of("datagrams", "udp"));
    let stop = AtomicBool::new(false);
    let (streamed, thrown) = std::thread::scope(|scope| {
        let streaming = scope.spawn(|| flood_stream(stream, &stop));
        let throwing = scope.spawn(|| flood_datagrams(datagrams, &stop));
        wait_until("both floods", || 0 < server.count("flood stream") && 0 < server.count("flood datagram"));
        let slowest = steady(&server, 50);
        stop.store(true, Ordering::Relaxed);
        assert!(slowest < DELAY_MAX, "a message took {slowest:?}");
        (streaming.join().unwrap(), throwing.join().unwrap())
    });
    assert!(10_000 < streamed && 10_000 < thrown, "{streamed} and {thrown} messages are no floods");
    wait_until("the last of the stream", || server.source("stream")["messages"] == streamed);
    // This includes datagrams for which the kernel had no room, although no later datagram reports them.
    let all = |source: &Value| source["messages"].as_u64().unwrap() + sum(&source["dropped"]);
    wait_until("every datagram is accounted for", || all(&server.source("datagrams")) == thrown);
    assert_adds_up(&server, &[("stream", streamed), ("datagrams", thrown), ("steady", 100)]);
    assert_eq!(server.count("\"drop me\""), 0);
    assert_eq!(server.count("source:steady"), 100);
}

/// While the process is stopped, the kernel has room for some datagrams, and none comes after those that it drops.
#[test]
fn datagrams_that_the_kernel_drops_are_counted_although_none_comes_after_them() {
    const SENT: u64 = 40_000;
    let server = Server::start(SOURCES);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let datagram = format!("<13>flood datagram {}", "x".repeat(1000));
    assert!(support::signal("STOP", server.pid()));
    for _ in 0..SENT {
        socket.send_to(datagram.as_bytes(), server.address_of("datagrams", "udp")).unwrap();
    }
    assert!(support::signal("CONT", server.pid()));
    let source = || server.source("datagrams");
    let all = |source: &Value| source["messages"].as_u64().unwrap() + sum(&source["dropped"]);
    wait_until("every datagram is accounted for", || all(&source()) == SENT);
    assert!(1000 < sum(&source()["dropped"]), "too few were dropped to tell: {}", source());
}

/// Sends as fast as the receiver allows; every eighth message is taken by no route.
fn flood_stream(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut sent = 0;
    let pack = "<13>flood stream\n".repeat(70) + &"<13>flood stream drop me\n".repeat(10);
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(pack.as_bytes()).unwrap();
        sent += 80;
    }
    sent
}

/// Sends as fast as possible.
fn flood_datagrams(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut sent = 0;
    while !stop.load(Ordering::Relaxed) {
        socket.send_to(b"<13>flood datagram", address).unwrap();
        sent += 1;
    }
    sent
}

#[test]
fn lines_that_come_slowly_or_never_end_hold_no_other_sender_up() {
    let server = Server::start(SOURCES);
    let steady_stream = server.address_of("steady", "tcp");
    let beginnings = ["", "<13>half a line", "999 <13>a tenth of a counted frame", "9"];
    let stuck = beginnings.map(|beginning| stuck(steady_stream, beginning.as_bytes()));
    let mut slow = TcpStream::connect(steady_stream).unwrap();
    slow.set_nodelay(true).unwrap();
    std::thread::scope(|scope| {
        let slowest = scope.spawn(|| steady(&server, 50));
        for byte in b"<13>slow stream\n" {
            let before = server.source("steady")["messages"].as_u64();
            slow.write_all(&[*byte]).unwrap();
            wait_until("others go on", || {
                slowest.is_finished() || before < server.source("steady")["messages"].as_u64()
            });
        }
        let slowest = slowest.join().unwrap();
        assert!(slowest < DELAY_MAX, "a message took {slowest:?}");
    });
    drop(stuck);
    server.wait_for("source:steady flag:incomplete", 3);
    assert_adds_up(&server, &[("steady", 100 + 1 + 3)]);
}

/// A connection that sends this beginning and then nothing more.
fn stuck(address: SocketAddr, beginning: &[u8]) -> TcpStream {
    let mut sender = TcpStream::connect(address).unwrap();
    sender.write_all(beginning).unwrap();
    sender
}

/// The sources, one for each way in which a connection can begin.
fn doors(identity: &Identity) -> String {
    let Identity { certificate, key } = identity;
    format!(
        "version = 1\n\
         [[sources]]\nid = \"encrypted\"\nkind = \"syslog\"\nlisten = [\"tls://127.0.0.1:0\"]\n\
         tls = {{ certificate = \"{certificate}\", key = \"{key}\" }}\n\
         [[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n\
         [[sources]]\nid = \"proxied\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]\n\
         proxy_protocol = [\"127.0.0.0/8\"]\n\
         [[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    )
}

#[test]
fn connections_that_never_get_as_far_as_a_message_hold_no_other_up_and_are_refused_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let identity = Authority::new(folder.path(), "authority").sign("localhost");
    let server = Server::start(&doors(&identity));
    let (encrypted, proxied) = (server.address_of("encrypted", "tls"), server.address_of("proxied", "tcp"));
    let hello = [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3];
    let stuck = [
        stuck(encrypted, b""),
        stuck(encrypted, &hello),
        stuck(proxied, b""),
        stuck(proxied, b"PROXY TCP4 1"),
    ];
    let unread = relp_without_ears(server.address_of("relp", "relp"));

    let start = Instant::now();
    for (scheme, address) in [("tls", encrypted), ("relp", server.address_of("relp", "relp"))] {
        let target = format!("{scheme}://{address}");
        let options = ["loadgen", &target, "--insecure", "--number", "500", "--active-connections", "4"];
        let load = logstead(&options).output().unwrap();
        assert!(load.status.success(), "{}", String::from_utf8_lossy(&load.stderr));
    }
    let mut through = TcpStream::connect(proxied).unwrap();
    through.write_all(b"PROXY TCP4 192.0.2.7 127.0.0.1 5100 514\r\n<13>through the proxy\n").unwrap();
    server.wait_for("source:proxied peer=192.0.2.7", 1);
    server.wait_for("source:encrypted", 2000);
    wait_until("the load over RELP", || server.count("source:relp \"runid: \"") == 2000);
    assert!(start.elapsed() < DELAY_MAX, "took {:?}", start.elapsed());

    let refused = |id: &str, reason: &str| server.source(id)["dropped"][reason].as_u64().unwrap_or(0);
    wait_until("handshakes end", || refused("encrypted", "tls_handshake") == 2);
    wait_until("headers end", || refused("proxied", "proxy_header") == 2);
    drop((stuck, unread));
    let relp = || server.source("relp");
    wait_until("the sender that does not listen is gone", || relp()["connections"] == 0);
    wait_until("all of it is stored", || relp()["messages"] == server.count("source:relp"));
}

/// A RELP sender that reads no answers and sends until nothing more is accepted.
fn relp_without_ears(address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&address.into()).unwrap();
    let mut sender = TcpStream::from(socket);
    sender.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    sender.write_all(b"1 open 0\n").unwrap();
    let frames: String = (2..1000).map(|number| format!("{number} syslog 7 <13>a b\n")).collect();
    for _ in 0..2000 {
        if sender.write_all(frames.as_bytes()).is_err() {
            return sender;
        }
    }
    panic!("two million answers that nobody reads did not hold the sender back");
}

#[test]
fn a_full_disk_holds_streams_back_drops_and_counts_datagrams_and_loses_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let server = Server::start_in(folder, mounted.path().join("data"), SOURCES, &settings);
    steady(&server, 5);
    disk.fill();

    let (stream, datagrams) = (server.address_of("stream", "tcp"), server.address_of("datagrams", "udp"));
    let mut sender = TcpStream::connect(stream).unwrap();
    sender.set_nonblocking(true).unwrap();
    let mut held = Held::default();
    let state = || server.status()["logspaces"][0]["state"].clone();
    wait_until("the stream is held back", || held.send(&mut sender) && state() == "failing");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut thrown = 0;
    wait_until("datagrams are dropped", || {
        thrown += 200;
        for _ in 0..200 {
            socket.send_to(&[b'x'; 1000], datagrams).unwrap();
        }
        server.source("datagrams")["dropped"]["queue_full"].as_u64().is_some_and(|dropped| 0 < dropped)
    });
    assert_eq!(server.count("source:steady"), 10, "searches go on");

    disk.free();
    wait_until("the rest of the stream is sent", || held.finish(&mut sender));
    wait_until("the stream", || server.source("stream")["messages"] == held.lines);
    assert_eq!(state(), "ok");
    // This includes datagrams for which the kernel had no room, although no later datagram reports them.
    let all = |source: &Value| source["messages"].as_u64().unwrap() + sum(&source["dropped"]);
    wait_until("every datagram is accounted for", || all(&server.source("datagrams")) == thrown);
    assert_adds_up(&server, &[("stream", held.lines), ("datagrams", thrown), ("steady", 10)]);
    assert_eq!(server.count("source:stream"), held.lines);
}

#[test]
fn a_full_disk_keeps_a_sender_over_relp_waiting_and_refuses_it_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let relp = "[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n";
    let sources = format!("{SOURCES}{relp}");
    let settings = ["storage.journal_file_max=1MiB"];
    let server = Server::start_in(folder, mounted.path().join("data"), &sources, &settings);
    disk.fill();
    let target = format!("relp://{}", server.address_of("relp", "relp"));
    // This is more than its window and than the rest of the last page of a file can hold.
    let arguments =
        ["loadgen", &target, "--number", "5000", "--window", "500", "--run-id", "7", "--acknowledged"];
    let load = logstead(&arguments).spawn().unwrap();
    wait_until("messages are held back", || server.status()["logspaces"][0]["state"] == "failing");
    assert_eq!(server.source("relp")["connections"], 1);
    disk.free();
    let output = load.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("thread,0001,acknowledged,5000"), "{said}");
    assert_eq!(server.count("\"runid: 7\""), 5000);
    assert_eq!(server.source("relp")["dropped"], serde_json::json!({}));
}

#[test]
fn a_stop_ends_in_time_however_many_sources_a_full_disk_holds_back() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let relp = "[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n";
    let sources = format!("{SOURCES}{relp}");
    let mut server = Server::start_in(folder, mounted.path().join("data"), &sources, &settings);
    steady(&server, 1);
    disk.fill();

    let state = || server.status()["logspaces"][0]["state"].clone();
    let held_back = ["stream", "steady"].map(|id| {
        let mut sender = TcpStream::connect(server.address_of(id, "tcp")).unwrap();
        sender.set_nonblocking(true).unwrap();
        let mut held = Held::default();
        wait_until("the stream is held back", || held.send(&mut sender) && state() == "failing");
        (sender, held)
    });
    let unanswered = relp_without_ears(server.address_of("relp", "relp"));
    let start = Instant::now();
    assert!(server.terminate().success());
    assert!(start.elapsed() < Duration::from_secs(10), "took {:?}", start.elapsed());
    drop((held_back, unanswered));
}

/// Lines for a stream that may accept only a part of them.
#[derive(Default)]
struct Held {
    lines: u64,
    left: Vec<u8>,
}

impl Held {
    /// Sends lines until no more are accepted; returns whether that happened.
    fn send(&mut self, stream: &mut TcpStream) -> bool {
        loop {
            if !self.finish(stream) {
                return true;
            }
            let lines = (0..100).map(|line| format!("<13>held {}\n", self.lines + line));
            self.left = lines.collect::<String>().into_bytes();
            self.lines += 100;
        }
    }

    /// Sends the rest; returns whether all of it was accepted.
    fn finish(&mut self, stream: &mut TcpStream) -> bool {
        while !self.left.is_empty() {
            match rustix::io::write(&*stream, &self.left) {
                Ok(written) => drop(self.left.drain(..written)),
                Err(rustix::io::Errno::AGAIN) => return false,
                Err(error) => panic!("the stream ends: {error}"),
            }
        }
        true
    }
}

/// Sends a request with these headers; returns the status, the cookie that was set, and the body.
fn ask(
    server: &Server,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> (u16, String, Value) {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", server.web()));
    for (name, value) in headers.iter().chain(&[("Content-Type", "application/json")]) {
        request = request.header(*name, *value);
    }
    let mut answer = agent.run(request.body(body.to_string()).unwrap()).unwrap();
    let cookie = answer.headers().get("set-cookie").map_or("", |value| value.to_str().unwrap());
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let text = answer.body_mut().read_to_string().unwrap();
    (answer.status().as_u16(), cookie, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Checks what must work for everyone in any state of the disk.
fn everybody_gets_in_and_can_search(server: &Server, token: &str, cookie: &str, messages: u64) -> String {
    let everything = json!({"query": "*"});
    let by_token = [("Authorization", token)];
    let found = ask(server, "POST", "/api/v1/count", &by_token, &everything);
    assert_eq!((found.0, found.2["count"].as_u64()), (200, Some(messages)), "{}", found.2);
    assert_eq!(ask(server, "GET", "/metrics", &by_token, &Value::Null).0, 200);
    let (_, _, session) = ask(server, "GET", "/api/v1/session", &[("Cookie", cookie)], &Value::Null);
    let csrf = session["csrf_token"].as_str().unwrap_or_else(|| panic!("{session}"));
    let in_session = [("Cookie", cookie), ("X-CSRF-Token", csrf)];
    let found = ask(server, "POST", "/api/v1/search", &in_session, &everything);
    assert_eq!(found.0, 200, "{}", found.2);
    log_in(server)
}

/// The cookie of a new session.
fn log_in(server: &Server) -> String {
    let login = json!({"name": "ada", "password": "correct horse"});
    let (status, cookie, answer) = ask(server, "POST", "/api/v1/session", &[], &login);
    assert_eq!(status, 200, "{answer}");
    let (_, _, session) = ask(server, "GET", "/api/v1/session", &[("Cookie", &cookie)], &Value::Null);
    assert_eq!(session["user"]["name"], "ada", "{session}");
    cookie
}

fn metric(server: &Server, token: &str, name: &str) -> u64 {
    let (_, _, text) = ask(server, "GET", "/metrics", &[("Authorization", token)], &Value::Null);
    let lines = text.as_str().unwrap().lines();
    let value = lines.filter_map(|line| line.strip_prefix(name)).find_map(|rest| rest.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("there is no {name}")).parse().unwrap()
}

#[test]
fn a_full_disk_locks_nobody_out_and_a_shorter_retention_is_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["storage.journal_file_max=1MiB", "storage.segment_rows_max=1000", "threads.sealers=1"];
    let sources = format!("{SOURCES}[[sources]]\nid = \"http\"\nkind = \"http\"\n");
    let server = Server::start_in(folder, mounted.path().join("data"), &sources, &settings);
    let ada = json!({"name": "ada", "role": "admin", "password": "correct horse"});
    assert_eq!(server.post("/users", &ada).0, 201);
    let (_, made) = server.post("/tokens", &json!({"name": "ci", "role": "admin"}));
    let token = format!("Bearer {}", made["token"].as_str().unwrap());
    let cookie = log_in(&server);
    wait_until("the reserve is there", || 0 < metric(&server, &token, "logstead_reserve_bytes"));

    // Random text cannot be compressed to make room.
    let mut stored = 0;
    let refusal = loop {
        let noise = (0..500).map(|line| {
            let hash = blake3::hash(format!("{stored} {line}").as_bytes());
            format!("{hash} {}\n", hash.to_hex().repeat(8))
        });
        match server.try_ingest(&noise.collect::<String>()) {
            Ok(accepted) => stored += accepted,
            Err(refusal) => break refusal,
        }
    };
    assert!(refusal.contains("503") && refusal.contains("nearly full"), "{refusal}");
    // A stream that is held back must not prevent its logspace from removing old messages.
    let mut stream = TcpStream::connect(server.address_of("stream", "tcp")).unwrap();
    let mut held_back = 0;
    wait_until("the stream is held back", || {
        let is_held = 0 < server.source("stream")["queue_bytes"].as_u64().unwrap();
        if !is_held {
            // Sealing may meanwhile make room for a message or two.
            disk.fill_more();
            stream.write_all(b"<13>held back\n").unwrap();
            held_back += 1;
        }
        is_held
    });
    disk.fill_more();
    let cookie = everybody_gets_in_and_can_search(&server, &token, &cookie, stored);

    let shorter = sources.replace("id = \"main\"", "id = \"main\"\nretention = { size = \"3MiB\" }");
    disk.fill_more();
    let (status, answer) = server.put_router(&shorter);
    assert_eq!(status, 200, "{answer}");
    wait_until("old messages make room", || server.count("*") < stored);
    wait_until("what was held back is stored", || server.count("\"held back\"") == held_back);
    wait_until("messages are stored again", || server.try_ingest("after\n").is_ok());
    let stored = server.count("*");

    // The same again, while others take all space that becomes free, so that nothing is left.
    let mut cookie = cookie;
    let add_user = |number: u32| {
        let user = json!({"name": format!("user{number}"), "role": "analyst", "password": "correct horse"});
        server.post("/users", &user)
    };
    let mut number = 0;
    let (status, refused) = loop {
        disk.fill_more();
        let added = add_user(number);
        if added.0 != 201 {
            break added;
        }
        number += 1;
    };
    assert_eq!(status, 507, "{refused}");
    assert!(
        refused["detail"].as_str().unwrap().contains("the disk of the data directory is full"),
        "{refused}"
    );
    for _ in 0..20 {
        cookie = everybody_gets_in_and_can_search(&server, &token, &cookie, stored);
    }
    let (status, _, answer) = ask(&server, "GET", "/readyz", &[], &Value::Null);
    assert_eq!(status, 503);
    let place = mounted.path().display().to_string();
    assert!(!answer.as_str().unwrap().contains(&place), "{answer}");

    disk.free();
    wait_until("what waited is written", || {
        metric(&server, &token, "logstead_books_waiting") == 0
            && 0 < metric(&server, &token, "logstead_reserve_bytes")
    });
    assert_eq!(metric(&server, &token, "logstead_audit_dropped_total"), 0);
    let (_, audit) = server.call("GET", "/audit?limit=1000", &[], b"");
    let logins =
        audit["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "session.begin");
    assert_eq!(logins.count(), 22);
    everybody_gets_in_and_can_search(&server, &token, &cookie, stored);
    assert_eq!(add_user(number).0, 201);
}

/// A file system that can be made to fail as if its disk had failed.
struct FailingDisk {
    folder: PathBuf,
}

impl FailingDisk {
    /// `None` if this machine has no loop devices.
    fn mount(image: &Path, folder: &Path) -> Option<FailingDisk> {
        std::fs::File::create(image).unwrap().set_len(64 << 20).unwrap();
        let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        let made = run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(image))
            && run(Command::new("mount").args(["-o", "loop"]).arg(image).arg(folder));
        made.then(|| FailingDisk { folder: folder.to_owned() })
    }

    fn fail(&self) -> bool {
        let mut remount = Command::new("mount");
        remount.args(["-o", "remount,abort"]).arg(&self.folder);
        remount.output().is_ok_and(|output| output.status.success())
            && std::fs::write(self.folder.join("probe"), "x").is_err()
    }
}

impl Drop for FailingDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.folder).status().ok();
    }
}

#[test]
fn a_disk_that_becomes_read_only_locks_nobody_out_and_what_would_change_it_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = FailingDisk::mount(&folder.path().join("image"), mounted.path());
    let Some(disk) = disk else { return eprintln!("skipped: no ext4 on a loop device can be mounted here") };
    let sources = format!("{SOURCES}[[sources]]\nid = \"http\"\nkind = \"http\"\n");
    let server = Server::start_in(folder, mounted.path().join("data"), &sources, &[]);
    let ada = json!({"name": "ada", "role": "admin", "password": "correct horse"});
    assert_eq!(server.post("/users", &ada).0, 201);
    let (_, made) = server.post("/tokens", &json!({"name": "ci", "role": "admin"}));
    let token = format!("Bearer {}", made["token"].as_str().unwrap());
    let cookie = log_in(&server);
    assert_eq!(server.ingest("one\ntwo\n"), 2);
    if !disk.fail() {
        return eprintln!("skipped: this kernel does not let a file system fail on demand");
    }
    let cookie = everybody_gets_in_and_can_search(&server, &token, &cookie, 2);
    everybody_gets_in_and_can_search(&server, &token, &cookie, 2);
    assert!(server.try_ingest("three\n").unwrap_err().contains("503"));
    let (status, refused) =
        server.post("/users", &json!({"name": "bo", "role": "analyst", "password": "correct horse"}));
    assert_eq!(status, 503, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("cannot be written"), "{refused}");
    let (status, refused) = server.put_router(&sources.replace("drop me", "drop it"));
    assert_eq!(status, 503, "{refused}");
}
