//! The real binary forwards over HTTP to another one: every message arrives, with everything that it has.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use serde_json::Value;
use std::fs;
use support::{ROUTER, Server, TOKEN, wait_until};

/// Stores everything, and forwards it as lines of JSON.
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

/// The object in a line.
fn said(raw: &Value) -> Value {
    serde_json::from_str(raw.as_str().unwrap()).unwrap()
}

/// A message without what says where it is.
fn without_place(mut message: Value) -> Value {
    let members = message.as_object_mut().unwrap();
    assert!(members.remove("id").is_some());
    members.remove("logspace");
    message
}
