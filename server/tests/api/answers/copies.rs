//! A message that routes store in several logspaces is counted once in every kind of question, and every answer says
//! how many copies it leaves out.
//!
//! Keywords: duplicate, copies, several logspaces, dedup.

use crate::support::{Server, output};
use serde_json::{Value, json};

/// The original is in the logspace that comes first in the document, regardless of the order of the routes.
const ROUTER: &str = r#"
version = 1

[[sources]]
id = "syslog"
kind = "syslog"
listen = ["tcp://127.0.0.1:0"]

[[sources]]
id = "http"
kind = "http"

[[logspaces]]
id = "security"

[[logspaces]]
id = "main"

[[routes]]
id = "all"
to = ["main"]

[[routes]]
id = "logins"
where = 'program=sshd'
steps = [{ mask = '\d{16}' }]
to = ["security"]
"#;

const MESSAGES: [&str; 5] = [
    "<38>1 2026-11-22T10:00:00Z web-1 sshd - - - login of ana",
    "<38>1 2026-11-22T10:00:00Z web-1 sshd - - - login of ana",
    "<38>1 2026-11-22T10:00:02Z web-2 sshd - - - card 4929821157340411",
    "<38>1 2026-11-22T10:00:03Z web-2 web - - - request",
    "<38>1 2026-11-22T10:00:04Z web-1 web - - - request",
];

/// The number of messages in an answer, and the number of copies that it leaves out.
fn told(server: &Server, path: &str, mut body: Value, token: &str) -> (u64, u64) {
    if path == "/facets" {
        body["fields"] = json!(["program"]);
    } else if path == "/aggregate" {
        let query = body["query"].as_str().unwrap_or("*").to_owned();
        body["query"] = json!(format!("{query} | stats count()"));
    }
    let url = format!("{}/api/v1{path}", server.web());
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let request = agent.post(url).header("authorization", format!("Bearer {token}"));
    let mut answer = request.content_type("application/json").send(body.to_string()).unwrap();
    let text = answer.body_mut().read_to_string().unwrap();
    assert_eq!(answer.status(), 200, "{path} {body}: {text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let count = match path {
        "/search" => answer["messages"].as_array().unwrap().len() as u64,
        "/histogram" => answer["total"].as_u64().unwrap(),
        "/facets" => answer["fields"]["program"]["messages"].as_u64().unwrap(),
        "/aggregate" => answer["rows"][0][0].as_u64().unwrap_or_default(),
        _ => answer["count"].as_u64().unwrap(),
    };
    (count, answer["copies"].as_u64().unwrap())
}

fn check(server: &Server, limited: &str) {
    let token = crate::support::TOKEN;
    for path in ["/count", "/search", "/histogram", "/facets", "/aggregate"] {
        let told = |body: Value| told(server, path, body, token);
        assert_eq!(told(json!({"query": "*"})), (5, 3), "{path}");
        assert_eq!(told(json!({"query": "host=web-1"})), (3, 2), "{path}");
        assert_eq!(told(json!({"query": "copies:all"})), (8, 0), "{path}");
        assert_eq!(told(json!({"query": "program=sshd", "copies": "all"})), (6, 0), "{path}");
        assert_eq!(told(json!({"query": "*", "logspaces": ["main"]})), (5, 0), "{path}");
        assert_eq!(told(json!({"query": "*", "logspaces": ["security"]})), (3, 0), "{path}");
        assert_eq!(told(json!({"query": "logspace=main"})), (5, 0), "{path}");
        assert_eq!(told(json!({"query": "flag:copy"})), (3, 0), "{path}");
        // A message changed by a step for one logspace is a copy too, and is counted as left out.
        assert_eq!(told(json!({"query": "4929821157340411"})), (0, 1), "{path}");
        // A caller who may not search the logspace of the originals still finds all messages.
        assert_eq!(self::told(server, path, json!({"query": "*"}), limited), (5, 0), "{path}");
    }
    let (status, _) = server.post("/count", &json!({"query": "*", "copies": "none"}));
    assert_eq!(status, 422);
    let (_, found) = server.post("/search", &json!({"query": "login copies:all"}));
    let mut places: Vec<(&str, &str, bool)> = found["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let text = |name: &str| message[name].as_str().unwrap();
            (text("logspace"), text("copy_of"), message["flags"] == json!(["copy"]))
        })
        .collect();
    places.sort_unstable();
    let (copy, original) = (("main", "security", true), ("security", "", false));
    assert_eq!(places, [copy, copy, original, original]);
    let (_, overview) = server.post("/overview", &json!({"query": "*"}));
    let last = overview.as_str().unwrap().lines().last().unwrap().to_owned();
    let end: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(end["end"]["copies"], 3, "{last}");
    for (path, messages, copies) in [
        ("/export?summary=true", 5, 3),
        ("/export?summary=true&copies=all", 8, 0),
        ("/export?summary=true&logspaces=main", 5, 0),
    ] {
        let (status, text) = server.call("GET", path, &[], b"");
        assert_eq!(status, 200);
        let summary: Value = serde_json::from_str(text.as_str().unwrap().lines().last().unwrap()).unwrap();
        assert_eq!((&summary["messages"], &summary["copies"]), (&json!(messages), &json!(copies)), "{path}");
    }
}

fn check_commands(server: &Server) {
    let (data, token) = (server.data().to_str().unwrap(), crate::support::TOKEN);
    let stores: [&[&str]; 2] = [&["--data", data], &["--server", server.web(), "--token", token]];
    for store in stores {
        for command in ["search", "export"] {
            let lines = |more: &[&str]| {
                let (code, out, told) = output(&[&[command, "*"][..], store, more].concat());
                assert_eq!(code, 0, "{told}");
                (out.lines().count(), told)
            };
            let (messages, told) = lines(&[]);
            assert!(messages == 5 && told.contains("3 copies are left out"), "{command} {store:?}: {told}");
            let (messages, told) = lines(&["--copies", "all"]);
            assert!(messages == 8 && told.is_empty(), "{command} {store:?}: {told}");
            let (messages, told) = lines(&["--logspace", "main"]);
            assert!(messages == 5 && told.is_empty(), "{command} {store:?}: {told}");
        }
    }
}

#[test]
fn what_routes_store_twice_counts_once() {
    let mut server = Server::start(ROUTER);
    server.send(MESSAGES.map(|message| format!("{message}\n")).concat().as_bytes());
    server.wait_for("source=syslog copies:all", 8);
    let token = json!({"name": "limited", "role": "analyst", "logspaces": ["main"]});
    let (status, token) = server.post("/tokens", &token);
    assert_eq!(status, 201, "{token}");
    let token = token["token"].as_str().unwrap();
    check(&server, token);
    check_commands(&server);
    server.terminate();
    server.restart();
    check(&server, token);
}
