//! The real binary forwards over HTTP to another instance: every message arrives, with all its fields.
//!
//! Keywords: HTTP destination, bulk, retry, quarantine.

use crate::support;

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::ops::Range;
use std::time::{Duration, Instant};
use support::collector::{Collector, Numbers};
use support::{ROUTER, Server, TOKEN, free_port, wait_until};

/// A document that stores everything and forwards it as lines of JSON.
fn forwarding_to(receiver: &Server) -> String {
    let stored = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"copy\"]");
    let url = format!("{}/api/v1/ingest", receiver.web());
    let destination = format!("kind = \"ndjson_http\"\nurl = \"{url}\"\ntoken_file = \"copy.token\"\n");
    format!("{stored}\n[[destinations]]\nid = \"copy\"\n{destination}")
}

fn last_error(server: &Server) -> String {
    server.status()["destinations"][0]["last_error"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn another_server_gets_every_message_once_it_is_given_the_right_token() {
    let receiver = Server::start(ROUTER);
    let sender = Server::start(&forwarding_to(&receiver));
    let lines = ["<38>Nov 22 10:11:12 web-1 sshd[42]: caf\u{e9} \"one\"", "two {\"a\":1}", "three\ttabs"];
    assert_eq!(sender.ingest(&lines.join("\n")), 3);

    wait_until("the file is missed", || last_error(&sender).contains("secrets/copy.token: No such file"));
    fs::create_dir(sender.data().join("secrets")).unwrap();
    fs::write(sender.data().join("secrets/copy.token"), "hunter2").unwrap();
    wait_until("the token is refused", || last_error(&sender).contains("/api/v1/ingest: 401 Unauthorized"));
    assert!(!sender.status().to_string().contains("hunter2"));
    assert_eq!(receiver.count("*"), 0);
    fs::write(sender.data().join("secrets/copy.token"), TOKEN).unwrap();

    receiver.wait_for("*", 3);
    let arrived = receiver.search("*").into_iter();
    let mut arrived: Vec<Value> = arrived.map(|message| without_place(said(&message["raw"]))).collect();
    let mut stored: Vec<Value> = sender.search("*").into_iter().map(without_place).collect();
    for messages in [&mut arrived, &mut stored] {
        messages.sort_by_key(|message| message["raw"].to_string());
    }
    assert_eq!(arrived, stored, "a line has what the API shows");
    assert_eq!(sender.status()["destinations"][0]["kind"], "ndjson_http");
}

#[test]
fn several_connections_bring_every_message() {
    let receiver = Server::start(ROUTER);
    let keys = format!("connections = 4\ntoken = \"{TOKEN}\"");
    let document = forwarding_to(&receiver).replace("token_file = \"copy.token\"", &keys);
    let sender = Server::start(&document);
    for part in 0..10 {
        let lines: Vec<String> =
            (0..1000).map(|number| format!("message {}", part * 1000 + number)).collect();
        assert_eq!(sender.ingest(&lines.join("\n")), 1000);
    }
    wait_until("the queue is empty", || sender.status()["destinations"][0]["queue_messages"] == 0);
    assert_eq!(receiver.count("*"), 10_000, "nothing arrives twice where nothing fails");
    let arrived =
        receiver.search_all("*").into_iter().map(|message| said(&message["raw"])["message"].to_string());
    assert_eq!(arrived.collect::<HashSet<_>>().len(), 10_000);
}

/// The JSON object in a line.
fn said(raw: &Value) -> Value {
    serde_json::from_str(raw.as_str().unwrap()).unwrap()
}

/// A message without the keys that tell where it is stored.
fn without_place(mut message: Value) -> Value {
    let members = message.as_object_mut().unwrap();
    assert!(members.remove("id").is_some());
    members.remove("logspace");
    members.remove("copy_of");
    message
}

/// The settings of a destination of each kind, at this address.
fn kinds(to: SocketAddr) -> [(&'static str, String); 5] {
    let of = |kind: &'static str, more: &str| {
        let text = format!("kind = \"{kind}\"\nurl = \"http://{to}\"\ncompression = \"none\"\n{more}");
        (kind, text)
    };
    [
        of("elastic", "index = \"logs\"\n"),
        of("loki", ""),
        of("splunk_hec", "token = \"secret\"\n"),
        of("otlp", ""),
        of("ndjson_http", ""),
    ]
}

fn send(server: &Server, numbers: Range<u64>) {
    let count = numbers.end - numbers.start;
    let lines: Vec<String> = numbers.map(|number| format!("number {number}.")).collect();
    assert_eq!(server.ingest(&lines.join("\n")), count);
}

/// Waits until all of these have arrived; returns them in the order of their first arrival.
fn come(numbers: &Numbers, expected: Range<u64>) -> Vec<u64> {
    wait_until("everything comes", || {
        let found: HashSet<u64> = numbers.lock().unwrap().iter().copied().collect();
        expected.clone().all(|number| found.contains(&number))
    });
    let mut seen = HashSet::new();
    numbers.lock().unwrap().iter().copied().filter(|number| seen.insert(*number)).collect()
}

/// The receiver is unavailable for this long while messages arrive, and meanwhile our server is killed.
fn a_server_may_be_away(kind: usize, away: Duration) -> String {
    let to = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let (name, keys) = kinds(to).into_iter().nth(kind).unwrap();
    let document = format!("{ROUTER}\n[[destinations]]\nid = \"copy\"\n{keys}")
        .replace("to = [\"main\"]", "to = [\"main\", \"copy\"]");
    let (numbers, mut server) = (Numbers::default(), Server::start(&document));
    let receiver = Collector::start(to, &numbers);
    send(&server, 0..1000);
    come(&numbers, 0..1000);
    wait_until("nothing waits", || server.status()["destinations"][0]["queue_messages"] == 0);
    drop(receiver);
    let mut next = 1000;
    send(&server, next..next + 1);
    wait_until("the server is missed", || last_error(&server).contains("Connection refused"));
    let left = Instant::now();
    let mut is_killed = false;
    while left.elapsed() < away || !is_killed {
        if !is_killed && away / 2 < left.elapsed() {
            server.kill_and_restart();
            is_killed = true;
        }
        next += 1;
        send(&server, next..next + 1);
        std::thread::sleep(Duration::from_millis(10));
    }
    let _receiver = Collector::start(to, &numbers);
    let order = come(&numbers, 0..next + 1);
    assert!(order.is_sorted(), "{name}: out of order");
    let doubles = numbers.lock().unwrap().len() - order.len();
    assert_eq!(doubles, 0, "{name}: what was delivered long before the kill came again");
    format!("{name}: {} sent, none missing, none twice", next + 1)
}

#[expect(clippy::print_stdout, reason = "figures for those who run it by hand")]
fn every_server_may_be_away(away: Duration) {
    std::thread::scope(|scope| {
        for kind in 0..5 {
            scope.spawn(move || println!("{}", a_server_may_be_away(kind, away)));
        }
    });
}

#[test]
fn every_message_arrives_in_order_when_the_server_was_away_and_our_side_was_killed() {
    every_server_may_be_away(Duration::from_millis(100));
}

#[test]
#[ignore = "takes more than a minute"]
fn every_message_arrives_in_order_when_the_server_was_away_for_a_minute() {
    every_server_may_be_away(Duration::from_secs(60));
}
