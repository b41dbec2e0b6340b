//! Forwarding through the queues on disk, with kills, restarts, pauses, full queues and changes of the router
//! document.
//!
//! Keywords: queue, pause, replay, discard, backpressure, restart, queue limit.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use support::{Server, free_port, wait_until};

/// A document that forwards messages received over HTTP, and stores nothing.
fn router(to: SocketAddr, route: &str, queue: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n\
         [[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://{to}\"\nformat = \"raw\"\n\
         framing = \"newline\"\n{queue}\n\
         [[routes]]\nid = \"all\"\nto = [\"siem\"]\n{route}\n"
    )
}

fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

/// A syslog server that keeps every line that it receives.
struct Receiver {
    lines: Arc<Mutex<Vec<String>>>,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl Receiver {
    fn start(address: SocketAddr) -> Receiver {
        let listener = TcpListener::bind(address).unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let stopping = Arc::new(AtomicBool::new(false));
        let (kept, stop) = (lines.clone(), stopping.clone());
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming().take_while(|_| !stop.load(Ordering::Relaxed)) {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    for line in BufReader::new(connection.unwrap()).lines().map_while(Result::ok) {
                        kept.lock().unwrap().push(line);
                    }
                });
            }
        });
        Receiver { lines, stopping, thread: Some(thread), address }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Waits until every one of these has arrived.
    fn await_all(&self, expected: &[String]) {
        let last = expected.last().unwrap();
        wait_until("the last message arrives", || self.lines.lock().unwrap().iter().any(|line| line == last));
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Sends numbered messages, one request for each hundred, and returns those that were acknowledged.
fn ingest(server: &Server, numbers: std::ops::Range<u32>) -> Vec<String> {
    let all: Vec<String> = numbers.map(|number| format!("message {number:06}")).collect();
    for lines in all.chunks(100) {
        assert_eq!(server.ingest(&(lines.join("\n") + "\n")), lines.len() as u64);
    }
    all
}

fn destination(server: &Server) -> Value {
    server.status()["destinations"][0].clone()
}

fn stop_and_restart(server: &mut Server) {
    assert!(server.terminate().success());
    server.restart();
}

#[test]
fn verify_reads_what_waits_for_destinations_too() {
    let mut server = Server::start(&router(nowhere(), "", ""));
    ingest(&server, 0..500);
    assert!(server.terminate().success());
    let data = server.data().to_owned();
    let verify = || support::output(&["verify", "--data", data.to_str().unwrap()]);
    let (code, out, _) = verify();
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("queue siem: intact: 500 messages"), "{out}");
    let journal = data.join("queues/siem/journal");
    let file = std::fs::read_dir(journal).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let (code, out, _) = verify();
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("queue siem: 1 problem"), "{out}");
}

/// Checks that everything expected is there, in order; a message may be there twice if a kill came between sending
/// and recording it.
fn assert_in_order_and_complete(lines: &[String], expected: &[String]) {
    let mut next = 0;
    for line in lines {
        let at = expected.iter().position(|one| one == line).unwrap_or_else(|| panic!("nobody sent {line}"));
        assert!(at <= next, "{line} came before {}", expected[next]);
        next = next.max(at + 1);
    }
    assert_eq!(next, expected.len(), "the rest is missing");
}

#[test]
fn what_was_acknowledged_is_forwarded_after_a_kill() {
    survives_kills("");
}

#[test]
fn what_is_written_to_the_disk_only_when_it_has_to_wait_survives_a_kill_too() {
    survives_kills("queue.durability = \"delay\"");
}

fn survives_kills(queue: &str) {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", queue));
    let mut expected = ingest(&server, 0..500);
    server.kill_and_restart();
    assert_eq!(destination(&server)["queue_messages"], 500);
    expected.extend(ingest(&server, 500..1000));
    server.kill_and_restart();
    let receiver = Receiver::start(to);
    receiver.await_all(&expected);
    assert_eq!(receiver.lines(), expected, "nothing was sent before: nothing comes twice");
    wait_until("the queue is empty", || destination(&server)["queue_messages"] == 0);
    server.kill_and_restart();
    assert_eq!(server.ingest("and one more\n"), 1);
    expected.push("and one more".to_owned());
    receiver.await_all(&expected);
    assert_in_order_and_complete(&receiver.lines(), &expected);
}

#[test]
fn kills_while_it_sends_skip_nothing() {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", ""));
    let receiver = Receiver::start(to);
    let mut expected = Vec::new();
    for round in 0..5 {
        expected.extend(ingest(&server, round * 400..(round + 1) * 400));
        server.kill_and_restart();
    }
    receiver.await_all(&expected);
    // Plain TCP does not tell which messages have arrived: data taken by the kernel before the process died arrives
    // nevertheless.
    assert_in_order_and_complete(&receiver.lines(), &expected);
}

#[test]
fn what_waits_survives_a_normal_stop() {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", ""));
    let expected = ingest(&server, 0..300);
    stop_and_restart(&mut server);
    assert_eq!(destination(&server)["queue_messages"], 300);
    let receiver = Receiver::start(to);
    receiver.await_all(&expected);
    assert_eq!(receiver.lines(), expected);
    wait_until("the queue is empty", || destination(&server)["queue_messages"] == 0);
    stop_and_restart(&mut server);
    assert_eq!(destination(&server)["queue_messages"], 0, "it was noted that they were sent");
}

#[test]
fn an_operator_can_pause_look_discard_and_resume() {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", ""));
    let receiver = Receiver::start(to);
    let act = |server: &Server, action: &str, body: &Value| {
        server.post(&format!("/destinations/siem/{action}"), body)
    };
    assert_eq!(act(&server, "pause", &json!({})).0, 204);
    let expected = ingest(&server, 0..200);
    stop_and_restart(&mut server);
    let status = destination(&server);
    assert_eq!((&status["state"], &status["queue_messages"]), (&json!("paused"), &json!(200)));
    assert!(status["oldest_ms"].is_u64() && 0 < status["queue_bytes"].as_u64().unwrap(), "{status}");
    let (_, seen) = server.call("GET", "/destinations/siem/queue?limit=2", &[], b"");
    assert_eq!((&seen["total"], &seen["messages"][1]["message"]), (&json!(200), &json!("message 000001")));
    assert_eq!(seen["messages"].as_array().unwrap().len(), 2);
    let (code, refused) = act(&server, "discard", &json!({"messages": 201}));
    assert!(code == 409 && refused["detail"].as_str().unwrap().contains("only 200"), "{refused}");
    assert_eq!(act(&server, "discard", &json!({"messages": 50})), (200, json!({"messages": 50})));
    wait_until("they are discarded", || destination(&server)["queue_messages"] == 150);
    assert_eq!(destination(&server)["dropped"]["discarded"], 50);
    assert!(receiver.lines().is_empty(), "nothing is sent while it is paused");
    assert_eq!(act(&server, "resume", &json!({})).0, 204);
    receiver.await_all(&expected);
    assert_eq!(receiver.lines(), expected[50..]);
    let (code, unknown) = server.post("/destinations/none/pause", &json!({}));
    assert!(code == 404 && unknown["detail"].as_str().unwrap().contains("siem"), "{unknown}");
    let (_, audit) = server.call("GET", "/audit", &[], b"");
    assert!(audit.to_string().contains("siem: 50 messages"), "{audit}");
}

#[test]
fn a_destination_that_is_removed_keeps_its_queue_until_it_comes_back() {
    let to = nowhere();
    let text = router(to, "", "");
    let mut server = Server::start(&text);
    let expected = ingest(&server, 0..100);
    let without = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                   [[routes]]\nid = \"all\"\nto = [\"main\"]\n";
    assert_eq!(server.put_router(without).0, 200);
    server.kill_and_restart();
    let left = server.status()["queues_left"].clone();
    assert_eq!((&left[0]["id"], &left[0]["queue_messages"]), (&json!("siem"), &json!(100)), "{left}");
    let receiver = Receiver::start(to);
    assert_eq!(server.put_router(&text).0, 200);
    receiver.await_all(&expected);
    assert_eq!(receiver.lines(), expected);
    assert_eq!(server.status()["queues_left"], json!([]));
    wait_until("the queue is empty", || destination(&server)["queue_messages"] == 0);
    assert_eq!(server.put_router(without).0, 200);
    stop_and_restart(&mut server);
    assert!(!server.data().join("queues/siem").exists(), "an empty queue that nobody names goes");
}

/// Sends more messages than a queue of this size can hold.
fn fill(server: &Server) -> (u64, Result<u64, String>) {
    let line = format!("{}\n", (0..2000).map(|number| format!("{number:x}")).collect::<Vec<_>>().join(" "));
    let mut accepted = 0;
    for _ in 0..10_000 {
        match server.try_ingest(&line.repeat(20)) {
            Ok(taken) => accepted += taken,
            refused => return (accepted, refused),
        }
        if 0 < destination(server)["dropped"]["queue_full"].as_u64().unwrap_or(0) {
            return (accepted, Ok(0));
        }
    }
    panic!("the queue never becomes full");
}

#[test]
fn a_full_queue_refuses_or_drops_as_the_route_says() {
    let queue = "queue = { size = \"1MiB\" }";
    let server = Server::start(&router(nowhere(), "", queue));
    let (accepted, refused) = fill(&server);
    assert!(refused.unwrap_err().contains("the queue of destination `siem` is full"));
    let status = destination(&server);
    assert_eq!(status["queue_messages"], accepted, "each acknowledged message waits, and no other");
    assert!(status["queue_error"].as_str().unwrap().contains("is full"), "{status}");

    let server = Server::start(&router(nowhere(), "flow_control = false", queue));
    let (accepted, dropped) = fill(&server);
    assert!(dropped.is_ok());
    let status = destination(&server);
    let [waiting, dropped] =
        ["/queue_messages", "/dropped/queue_full"].map(|at| status.pointer(at).unwrap().as_u64().unwrap());
    assert_eq!(waiting + dropped, accepted, "{status}");
}

#[test]
fn room_in_a_full_queue_is_used_as_soon_as_the_other_side_is_back() {
    let to = nowhere();
    let server = Server::start(&router(to, "", "queue = { size = \"1MiB\" }"));
    let (accepted, refused) = fill(&server);
    assert!(refused.is_err());
    let receiver = Receiver::start(to);
    wait_until("all of them arrive", || receiver.lines.lock().unwrap().len() as u64 == accepted);
    wait_until("more are taken", || server.try_ingest("more\n").is_ok());
    receiver.await_all(&["more".to_owned()]);
}

/// An HTTP server that accepts lines, unless one of them contains a certain word.
struct Picky {
    address: SocketAddr,
    dislikes: Arc<Mutex<Option<&'static str>>>,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Picky {
    fn start() -> Picky {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let dislikes = Arc::new(Mutex::new(Some("poison")));
        let lines = Arc::new(Mutex::new(Vec::new()));
        let picky = Picky { address, dislikes: dislikes.clone(), lines: lines.clone() };
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (dislikes, lines) = (dislikes.clone(), lines.clone());
                std::thread::spawn(move || {
                    let mut connection = BufReader::new(connection.unwrap());
                    while let Some(body) = request(&mut connection) {
                        let refused = dislikes.lock().unwrap().filter(|word| body.contains(word));
                        let answer = match refused {
                            Some(word) => {
                                format!("400 Bad Request\r\nContent-Length: 14\r\n\r\nno {word} here")
                            }
                            None => "200 OK\r\nContent-Length: 0\r\n\r\n".to_owned(),
                        };
                        if refused.is_none() {
                            lines.lock().unwrap().extend(body.lines().map(str::to_owned));
                        }
                        connection.get_mut().write_all(format!("HTTP/1.1 {answer}").as_bytes()).unwrap();
                    }
                });
            }
        });
        picky
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// The body of the next request on a connection; `None` at its end.
fn request(connection: &mut BufReader<TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}

#[test]
fn what_is_refused_waits_in_the_quarantine_and_can_be_sent_again() {
    let picky = Picky::start();
    let text = router(nowhere(), "", "");
    let (head, rest) = text.split_once("kind = \"syslog\"").unwrap();
    let (_, routes) = rest.split_once("[[routes]]").unwrap();
    let kind =
        format!("kind = \"ndjson_http\"\nurl = \"http://{}/lines\"\nformat = \"message\"\n", picky.address);
    let mut server = Server::start(&format!("{head}{kind}[[routes]]{routes}"));
    assert_eq!(server.ingest("one\npoison 1\ntwo\npoison 2\nthree\n"), 5);
    wait_until("the others arrive", || picky.lines().len() == 3);
    assert_eq!(picky.lines(), ["one", "two", "three"]);
    wait_until("the queue is empty", || destination(&server)["queue_messages"] == 0);
    stop_and_restart(&mut server);
    assert_eq!(destination(&server)["quarantined"], 2);
    let (_, refused) = server.call("GET", "/destinations/siem/quarantine", &[], b"");
    let first = &refused["messages"][0];
    assert_eq!(
        (&refused["total"], &first["message"], &first["raw"]),
        (&json!(2), &json!("poison 1"), &json!("poison 1"))
    );
    assert!(first["fields"]["logstead.refused"].as_str().unwrap().contains("no poison here"), "{first}");

    let replay =
        |messages: u64| server.post("/destinations/siem/quarantine/replay", &json!({"messages": messages}));
    assert_eq!(replay(3).0, 409);
    *picky.dislikes.lock().unwrap() = None;
    assert_eq!(replay(1), (200, json!({"messages": 1})));
    wait_until("it arrives", || picky.lines().len() == 4);
    assert_eq!(picky.lines()[3], "poison 1");
    assert_eq!(destination(&server)["quarantined"], 1);
    let (code, _) = server.post("/destinations/siem/quarantine/discard", &json!({"messages": 1}));
    assert_eq!((code, &destination(&server)["quarantined"]), (200, &json!(0)));
}

#[test]
fn what_is_stored_can_be_sent_to_a_destination_that_was_added_later() {
    let to = nowhere();
    let stored = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                  [[routes]]\nid = \"all\"\nto = [\"main\"]\n";
    let server = Server::start(stored);
    let expected = ingest(&server, 0..5000);
    let both = router(to, "", "").replace("to = [\"siem\"]", "to = [\"main\", \"siem\"]");
    assert_eq!(server.put_router(&both).0, 200);
    let receiver = Receiver::start(to);
    let replay = |query: &str| server.post("/destinations/siem/replay", &json!({"query": query}));
    let (code, answer) = replay("message 00*");
    let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((code, &last), (200, &json!({"messages": 5000, "of": 5000, "end": true, "missing": 0})));
    receiver.await_all(&expected);
    assert_eq!(receiver.lines().len(), 5000);
    assert_eq!(replay("* | stats count()").0, 422);
}

#[test]
fn a_draft_is_tried_out_past_every_queue() {
    let to = nowhere();
    let server = Server::start(&router(to, "", ""));
    ingest(&server, 0..1);
    let test = |body: Value| server.post("/destinations/test", &body);
    let (status, dead) = test(json!({"id": "siem"}));
    assert_eq!((status, &dead["ok"]), (200, &json!(false)), "{dead}");
    assert!(dead["error"].as_str().unwrap().contains("check that the server runs"), "{dead}");

    let other = nowhere();
    let receiver = Receiver::start(other);
    let (status, sent) =
        test(json!({"id": "new", "kind": "syslog", "to": format!("tcp://{other}"), "framing": "newline"}));
    assert_eq!((status, &sent["ok"], sent.get("answer")), (200, &json!(true), None), "{sent}");
    wait_until("the test message arrives", || receiver.lines().len() == 1);
    assert!(receiver.lines()[0].contains("Test message from Logstead to the destination new"));
    assert_eq!(destination(&server)["queue_messages"], 1, "it is not queued");

    for (body, status, expected) in [
        (json!({"id": "gone"}), 404, "no destination `gone`"),
        (json!({"id": "x", "kind": "syslog", "to": "tcp://127.0.0.1"}), 422, "to"),
        (json!({"id": "x", "kind": "syslog", "too": "tcp://127.0.0.1:1"}), 422, "too"),
        (json!({"id": "x", "kind": "file", "path": "/etc/passwd"}), 422, "outside of the folders"),
        (json!({}), 422, "missing"),
    ] {
        let (answered, problem) = test(body.clone());
        assert_eq!(answered, status, "{body}: {problem}");
        assert!(problem.to_string().contains(expected), "{body}: {problem}");
    }
}

#[test]
fn a_test_ends_at_its_deadline_and_only_some_run_at_a_time() {
    let server = Server::start(&router(nowhere(), "", ""));
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let draft = json!({"id": "new", "kind": "ndjson_http", "url": url, "timeout": "5m"});
    let test = || server.post("/destinations/test", &draft);
    std::thread::scope(|scope| {
        let held: Vec<_> = (0..4).map(|_| scope.spawn(test)).collect();
        let _held_open: Vec<_> = (0..4).map(|_| silent.accept().unwrap()).collect();
        let (status, problem) = test();
        assert_eq!(status, 503, "{problem}");
        for held in held {
            let (status, answer) = held.join().unwrap();
            assert_eq!((status, &answer["ok"]), (200, &json!(false)), "{answer}");
            assert!(answer["took_ms"].as_u64().unwrap() <= 11_000, "{answer}");
            assert!(answer["error"].as_str().unwrap().contains("before the deadline"), "{answer}");
        }
    });
    drop(silent);
    wait_until("there is room again", || test().0 == 200);
}

/// A document that stores and forwards messages received over HTTP and RELP.
fn both(to: SocketAddr, queue: &str) -> String {
    router(to, "", queue).replacen("to = [\"siem\"]", "to = [\"main\", \"siem\"]", 1)
        + "[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n"
}

/// Opens a RELP session and sends a message.
fn relp(server: &Server, message: &str) -> BufReader<TcpStream> {
    let mut connection = TcpStream::connect(server.address("relp")).unwrap();
    let text = format!("<13>{message}");
    let offers = "relp_version=0\ncommands=syslog";
    write!(connection, "1 open {} {offers}\n2 syslog {} {text}\n", offers.len(), text.len()).unwrap();
    connection.set_read_timeout(Some(support::WAIT_MAX)).unwrap();
    BufReader::new(connection)
}

#[test]
fn a_full_queue_leaves_no_copies_however_often_a_sender_tries() {
    let to = nowhere();
    let server = Server::start(&both(to, "queue = { size = \"1MiB\" }"));
    let (accepted, refused) = fill(&server);
    let refused = refused.unwrap_err();
    assert!(refused.contains("is full") && refused.contains("nothing of the body is stored"), "{refused}");
    assert_eq!(server.count("*"), accepted, "what was refused is not stored");
    let bulk = |id: &str| format!("{{\"create\":{{\"_id\":\"{id}\"}}}}\n{{\"message\":\"probe-id\"}}\n");
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let send_bulk = || {
        let request = agent.post(format!("{}/_bulk", server.web()));
        let request = request.header("Authorization", format!("Bearer {}", support::TOKEN));
        let mut answer =
            request.header("Content-Type", "application/x-ndjson").send(bulk("a").as_bytes()).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str::<Value>(&text).unwrap())
    };
    let send = |key: Option<&str>, text: &str| {
        let mut headers = vec![("Content-Type", "text/plain")];
        headers.extend(key.map(|key| ("Idempotency-Key", key)));
        server.call("POST", "/ingest", &headers, text.as_bytes()).0
    };
    for _ in 0..4 {
        assert_eq!((send(None, "probe-plain"), send(Some("k"), "probe-key")), (503, 503));
        let (status, answer) = send_bulk();
        assert_eq!((status, &answer["errors"]), (503, &json!(true)), "{answer}");
        assert_eq!(answer["items"][0]["create"]["status"], 429, "{answer}");
        let session = relp(&server, "probe-relp");
        wait_until("it waits", || 0 < server.source("relp")["queue_bytes"].as_u64().unwrap());
        drop(session);
        wait_until("it is let go", || server.source("relp")["queue_bytes"] == 0);
    }
    let mut session = relp(&server, "probe-relp");
    assert_eq!(server.count("*"), accepted, "nothing more is stored");

    let receiver = Receiver::start(to);
    let mut answers = String::new();
    while !answers.contains("2 rsp 6 200 OK") {
        assert_ne!(session.read_line(&mut answers).unwrap(), 0, "{answers}");
    }
    wait_until("they are taken", || send(None, "probe-plain") == 200);
    wait_until("they are taken", || send(Some("k"), "probe-key") == 200);
    wait_until("they are taken", || send_bulk().0 == 200);
    assert_eq!((send(Some("k"), "probe-key"), send_bulk().0), (200, 200), "once more is not stored again");
    let probes = ["probe-plain", "probe-key", "probe-id", "probe-relp"];
    probes.iter().for_each(|probe| assert_eq!(server.count(probe), 1, "{probe}"));
    assert_eq!(server.count("*"), accepted + 4);
    wait_until("all of them arrive", || receiver.lines.lock().unwrap().len() as u64 == accepted + 4);
    wait_until("nothing waits", || destination(&server)["queue_messages"] == 0);
    support::books::assert_closed(&server);
}

/// A sender that waits for room in one queue leaves no copies in another.
#[test]
fn a_sender_over_relp_that_comes_and_goes_leaves_no_copies_in_the_queue_that_has_room() {
    let to = nowhere();
    let second = "[[destinations]]\nid = \"copy\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:9\"\n\
                  [[routes]]\nid = \"probes\"\nwhere = \"probe\"\nto = [\"copy\", \"siem\", \"main\"]\nfinal = true\n";
    let all = "[[routes]]\nid = \"all\"";
    let router = both(to, "queue = { size = \"1MiB\" }").replacen(all, &format!("{second}{all}"), 1);
    let server = Server::start(&router);
    let (accepted, refused) = fill(&server);
    assert!(refused.is_err());
    let copies = || {
        let status = server.status();
        let rows = status["destinations"].as_array().unwrap();
        rows.iter().find(|row| row["id"] == "copy").unwrap()["queue_messages"].as_u64().unwrap()
    };
    for _ in 0..4 {
        let session = relp(&server, "probe");
        wait_until("it waits", || 0 < server.source("relp")["queue_bytes"].as_u64().unwrap());
        drop(session);
        wait_until("it is let go", || server.source("relp")["queue_bytes"] == 0);
    }
    assert_eq!((copies(), server.count("*")), (0, accepted), "nothing is anywhere");
    let mut session = relp(&server, "probe");
    let _receiver = Receiver::start(to);
    let mut answers = String::new();
    while !answers.contains("2 rsp 6 200 OK") {
        assert_ne!(session.read_line(&mut answers).unwrap(), 0, "{answers}");
    }
    assert_eq!((copies(), server.count("probe")), (1, 1));
}

/// The repetition is only of a message that was refused, so the step must not drop it.
#[test]
fn what_was_refused_and_comes_again_meets_the_steps_as_if_it_came_for_the_first_time() {
    let to = nowhere();
    let steps = "[{ dedup = [\"message\"], within = \"1h\", where = \"probe\" }, \
                 { throttle = \"3/h\", where = \"probe\" }]";
    let server = Server::start(&both(to, "queue = { size = \"1MiB\" }").replacen(
        "id = \"all\"",
        &format!("id = \"all\"\nsteps = {steps}"),
        1,
    ));
    let (accepted, refused) = fill(&server);
    assert!(refused.is_err());
    let send = |key: Option<&str>, text: &str| {
        let mut headers = vec![("Content-Type", "text/plain")];
        headers.extend(key.map(|key| ("Idempotency-Key", key)));
        server.call("POST", "/ingest", &headers, text.as_bytes())
    };
    for _ in 0..4 {
        assert_eq!((send(None, "probe-plain").0, send(Some("k"), "probe-key").0), (503, 503));
        let session = relp(&server, "probe-relp");
        wait_until("it waits", || 0 < server.source("relp")["queue_bytes"].as_u64().unwrap());
        drop(session);
        wait_until("it is let go", || server.source("relp")["queue_bytes"] == 0);
    }
    assert_eq!(server.count("*"), accepted, "nothing of it is stored");
    let _receiver = Receiver::start(to);
    let taken = |key: Option<&str>, text: &str| {
        let mut answer = Value::Null;
        wait_until("it is taken", || {
            let (status, said) = send(key, text);
            answer = said;
            status == 200
        });
        (answer["accepted"].clone(), answer["dropped"].clone())
    };
    assert_eq!(taken(None, "probe-plain"), (json!(1), json!(0)));
    assert_eq!(taken(Some("k"), "probe-key"), (json!(1), json!(0)));
    let mut session = relp(&server, "probe-relp");
    let mut answers = String::new();
    while !answers.contains("2 rsp 6 200 OK") {
        assert_ne!(session.read_line(&mut answers).unwrap(), 0, "{answers}");
    }
    for probe in ["probe-plain", "probe-key", "probe-relp"] {
        assert_eq!(server.count(probe), 1, "{probe}");
    }
    assert_eq!(taken(None, "probe-plain"), (json!(0), json!(1)), "a repetition of what is stored");
    assert_eq!(taken(None, "probe-more"), (json!(0), json!(1)), "the fourth within an hour");
    support::books::assert_closed(&server);
}

#[test]
fn a_key_and_an_id_are_remembered_over_kills() {
    let mut server = Server::start(&both(nowhere(), ""));
    let mut sent = 0;
    for round in 0..5 {
        let stop = Arc::new(AtomicBool::new(false));
        let (web, stopping) = (server.web().to_owned(), stop.clone());
        // Each request is repeated until it succeeds or the server is killed; afterwards, sending continues with the
        // same one.
        let sender = std::thread::spawn(move || {
            let agent: ureq::Agent =
                ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
            let mut number = sent;
            while !stopping.load(Ordering::Relaxed) {
                if !send_named(&agent, &web, number) {
                    break;
                }
                number += 1;
            }
            number
        });
        wait_until("some are stored", || 30 * (round + 1) < server.count("named"));
        server.kill();
        stop.store(true, Ordering::Relaxed);
        sent = sender.join().unwrap();
        server.restart();
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        // These are the message that was not answered, and some that were.
        for number in sent.saturating_sub(20)..=sent {
            assert!(send_named(&agent, server.web(), number), "{number}");
        }
        sent += 1;
    }
    for number in 0..sent {
        assert_eq!(server.count(&format!("named-{number}-end")), 1, "{number}");
    }
    assert_eq!(server.count("*"), sent);
}

/// Sends a message with a key or an id; returns whether it was accepted.
fn send_named(agent: &ureq::Agent, web: &str, number: u64) -> bool {
    let text = format!("named named-{number}-end");
    let request = |path: &str, kind: &str| {
        let request = agent.post(format!("{web}{path}"));
        request.header("Authorization", format!("Bearer {}", support::TOKEN)).header("Content-Type", kind)
    };
    let answer = if number.is_multiple_of(2) {
        request("/api/v1/ingest", "text/plain")
            .header("Idempotency-Key", number.to_string())
            .send(text.as_bytes())
    } else {
        let body = format!("{{\"index\":{{\"_id\":\"{number}\"}}}}\n{{\"message\":\"{text}\"}}\n");
        request("/_bulk", "application/x-ndjson").send(body.as_bytes())
    };
    answer.is_ok_and(|answer| answer.status() == 200)
}

#[test]
fn a_start_can_keep_destinations_paused_until_they_are_resumed() {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", ""));
    ingest(&server, 0..100);
    assert!(server.terminate().success());
    server.restart_with(&["--pause-destinations"]);
    let paused = |server: &Server| {
        let status = destination(server);
        assert_eq!(
            (&status["state"], &status["queue_messages"]),
            (&json!("paused"), &json!(100)),
            "{status}"
        );
        assert!(status["paused_because"].as_str().unwrap().contains("--pause-destinations"), "{status}");
    };
    let receiver = Receiver::start(to);
    paused(&server);
    // The pause lasts across starts without the option.
    stop_and_restart(&mut server);
    paused(&server);
    assert!(receiver.lines().is_empty(), "nothing is sent");
    assert_eq!(server.post("/destinations/siem/resume", &json!({})).0, 204);
    wait_until("they arrive", || receiver.lines().len() == 100);
    assert_eq!(destination(&server)["paused_because"], Value::Null);
}

#[test]
fn a_receiver_that_accepts_and_hangs_up_has_got_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let stopping = Arc::new(AtomicBool::new(false));
    let stop = stopping.clone();
    let hanging_up = std::thread::spawn(move || {
        let connections = listener.incoming().take_while(|_| !stop.load(Ordering::Relaxed));
        connections.filter(|connection| connection.is_ok()).count()
    });
    let server = Server::start(&router(to, "", ""));
    let expected = ingest(&server, 0..1000);
    wait_until("it fails more than once", || {
        let status = destination(&server);
        assert_eq!((&status["messages"], &status["queue_messages"]), (&json!(0), &json!(1000)), "{status}");
        status["state"] == "retrying" && status["next_try"].is_string()
    });
    stopping.store(true, Ordering::Relaxed);
    drop(TcpStream::connect(to));
    hanging_up.join().unwrap();
    let receiver = Receiver::start(to);
    receiver.await_all(&expected);
    wait_until("they are delivered", || destination(&server)["messages"] == 1000);
}

/// This includes destinations that are new in the document, and those whose queues are known only from the disk.
#[test]
fn a_start_can_keep_paused_what_the_document_begins_to_name() {
    let to = nowhere();
    let mut server = Server::start(&router(to, "", ""));
    let sent = ingest(&server, 0..10);
    let without = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                   [[routes]]\nid = \"all\"\nto = [\"main\"]\n";
    let (status, answer) = server.put_router(without);
    assert_eq!(status, 200, "{answer}");
    assert!(server.terminate().success());
    server.restart_with(&["--pause-destinations"]);
    let new = nowhere();
    let second = router(to, "", "").replacen(
        "[[destinations]]",
        &format!(
            "[[destinations]]\nid = \"new\"\nkind = \"syslog\"\nto = \"tcp://{new}\"\nformat = \"raw\"\n[[destinations]]"
        ),
        1,
    );
    let receiver = Receiver::start(to);
    let (status, answer) =
        server.put_router(&second.replacen("to = [\"siem\"]", "to = [\"siem\", \"new\"]", 1));
    assert_eq!(status, 200, "{answer}");
    let state = |server: &Server, id: &str| {
        let status = server.status();
        let all = status["destinations"].as_array().unwrap();
        all.iter().find(|one| one["id"] == id).unwrap()["state"].clone()
    };
    assert_eq!(state(&server, "siem"), "paused", "its queue was on the disk at that start");
    assert_ne!(state(&server, "new"), "paused", "nothing of it came with a copy");
    assert!(receiver.lines().is_empty());

    // A copy may lack the folder of a queue that is in its document.
    assert!(server.terminate().success());
    std::fs::remove_dir_all(server.data().join("queues/new")).unwrap();
    server.restart_with(&["--pause-destinations"]);
    assert_eq!((state(&server, "siem"), state(&server, "new")), (json!("paused"), json!("paused")));
    assert_eq!(server.post("/destinations/siem/resume", &json!({})).0, 204);
    receiver.await_all(&sent);
}

#[test]
fn where_one_of_two_queues_is_full_the_other_gets_no_copy_at_each_try() {
    let (full, roomy) = (nowhere(), nowhere());
    let second = format!(
        "[[destinations]]\nid = \"roomy\"\nkind = \"syslog\"\nto = \"tcp://{roomy}\"\nformat = \"raw\"\n\
         framing = \"newline\"\n"
    );
    let document = router(full, "", "queue = { size = \"1MiB\" }") + &second;
    let server = Server::start(&document.replacen("to = [\"siem\"]", "to = [\"roomy\", \"siem\"]", 1));
    let (accepted, refused) = fill(&server);
    assert!(refused.unwrap_err().contains("nothing of the body is stored"));
    let waiting = || {
        let status = server.status();
        let all = status["destinations"].as_array().unwrap();
        all.iter().map(|one| one["queue_messages"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(waiting(), [accepted, accepted], "neither has more than was acknowledged");
    let line = format!("{}\n", "0123456789abcdef ".repeat(600));
    for _ in 0..5 {
        assert!(server.try_ingest(&line.repeat(20)).is_err());
    }
    assert_eq!(waiting(), [accepted, accepted]);
}

/// Drops reported to a sender are still known after an immediate kill, even if the messages are stored elsewhere.
#[test]
fn drops_that_a_sender_heard_of_are_not_forgotten_by_a_kill() {
    let document = router(nowhere(), "flow_control = false", "queue = { size = \"1MiB\" }");
    let mut server = Server::start(&document.replacen("to = [\"siem\"]", "to = [\"main\", \"siem\"]", 1));
    let (mut accepted, dropped) = fill(&server);
    assert!(dropped.is_ok());
    let line = format!("{}\n", (0..2000).map(|number| format!("{number:x}")).collect::<Vec<_>>().join(" "));
    (0..100).for_each(|_| accepted += server.ingest(&line.repeat(20)));
    server.kill_and_restart();
    let status = destination(&server);
    let flow = support::books::flow(&server);
    let dropped = flow["destinations"][0]["dropped"]["queue_full"].as_u64().unwrap_or(0);
    let waiting = status["queue_messages"].as_u64().unwrap();
    assert_eq!(waiting + dropped, accepted, "{flow}");
    support::books::assert_closed(&server);
}

/// The receiver accepts the connection but reads nothing, so data still on this side may be lost with the connection.
#[test]
fn what_the_other_system_has_not_confirmed_is_not_delivered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::start(&router(listener.local_addr().unwrap(), "", ""));
    let line = format!("{}\n", "x".repeat(9999));
    // This is more than both systems buffer for a connection.
    (0..50).for_each(|_| assert_eq!(server.ingest(&line.repeat(40)), 40));
    let (connection, _) = listener.accept().unwrap();
    connection.set_nonblocking(true).unwrap();
    let mut bytes = vec![0; 32 << 20];
    let (mut arrived, mut looks) = (0, 0);
    wait_until("nothing more is taken", || {
        let delivered = destination(&server)["messages"].as_u64().unwrap() as usize;
        let now = connection.peek(&mut bytes).unwrap_or(0);
        assert!(delivered * line.len() <= now, "{delivered} are delivered, {now} bytes have arrived");
        looks = if now == arrived { looks + 1 } else { 0 };
        arrived = now;
        0 < now && 200 < looks
    });
}
