//! A private logspace records the actions of accounts. Only a search that names it finds messages there, and only for
//! callers with the right to see it.
//!
//! Keywords: audit, private logspace, searches on record.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use support::{Server, TOKEN, WAIT_MAX, wait_until};

/// The initial document of a new data directory, without its ports.
const ROUTER: &str = r#"
version = 1

[[sources]]
id = "http"
kind = "http"

[[sources]]
id = "internal"
kind = "internal"

[[logspaces]]
id = "main"

[[logspaces]]
id = "_audit"

[[routes]]
id = "audit"
from = ["internal"]
where = 'msgid=audit'
to = ["_audit"]
final = true

[[routes]]
id = "default"
to = ["main"]
"#;

struct Store {
    server: Server,
}

impl Store {
    /// A token of an account with this role and these logspaces.
    fn token(&self, name: &str, role: &str, logspaces: &Value) -> String {
        let token = json!({"name": name, "role": role, "logspaces": logspaces});
        let (status, answer) = self.server.post("/tokens", &token);
        assert_eq!(status, 201, "{answer}");
        answer["token"].as_str().unwrap().to_owned()
    }

    fn get(&self, path: &str, token: &str) -> (u16, Value) {
        let url = format!("{}/api/v1{path}", self.server.web());
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        let mut answer = agent.get(url).header("authorization", format!("Bearer {token}")).call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Waits for events about stored messages.
    fn changes(&self, token: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.server.web().split_once("://").unwrap().1).unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        let head = "GET /api/v1/changes HTTP/1.1\r\nhost: x\r\naccept: text/event-stream";
        write!(stream, "{head}\r\nauthorization: Bearer {token}\r\n\r\n").unwrap();
        BufReader::new(stream)
    }

    /// The number of messages found, or the status of a refusal.
    fn found(&self, query: &str, token: &str) -> Result<usize, u16> {
        match self.get(&format!("/search?{query}"), token) {
            (200, answer) => Ok(answer["messages"].as_array().unwrap().len()),
            (status, _) => Err(status),
        }
    }
}

#[test]
fn what_accounts_did_is_found_by_those_who_may_know_of_it_and_name_it() {
    // The level applies only to other events.
    let mut store = Store { server: Server::start_with(ROUTER, &["log.level=error"]) };
    let analyst = store.token("analyst", "analyst", &Value::Null);
    let operator = store.token("operator", "operator", &Value::Null);
    let auditor = store.token("auditor", "analyst", &json!(["_audit"]));
    let limited = store.token("limited", "admin", &json!(["main"]));
    let named = "query=action%3Atoken.create&logspaces=_audit";
    wait_until("the audit is searchable", || store.found(named, TOKEN) == Ok(4));

    let (_, answer) = store.get(&format!("/search?{named}"), &auditor);
    let message = &answer["messages"][0];
    assert_eq!(answer["messages"].as_array().unwrap().len(), 4);
    assert_eq!(message["fields"]["action"], "token.create", "{message}");
    assert_eq!(message["fields"]["user"], "LOGSTEAD_ADMIN_TOKEN", "{message}");
    assert!(message["message"].as_str().unwrap().contains("limited"), "{message}");
    let id = message["id"].as_str().unwrap();

    for token in [&analyst, &operator, &limited] {
        assert_eq!(store.found(named, token), Err(403));
        assert_eq!(store.get(&format!("/messages/{id}"), token).0, 404);
        let (_, logspaces) = store.get("/logspaces", token);
        assert!(!logspaces.to_string().contains("_audit"), "{logspaces}");
    }
    assert_eq!(store.get(&format!("/messages/{id}"), TOKEN).0, 200);
    // A search for everything does not include it, even for an administrator.
    for token in [TOKEN, &analyst, &operator, &limited] {
        assert_eq!(store.found("query=action%3Atoken.create", token), Ok(0));
    }

    // It stays private after it is removed from the document, even after a restart.
    let without = ROUTER
        .replace("[[logspaces]]\nid = \"_audit\"\n", "")
        .replace("to = [\"_audit\"]", "to = [\"main\"]");
    let without = without.replace("where = 'msgid=audit'", "where = 'msgid=none'");
    assert_eq!(store.server.put_router(&without).0, 200);
    store.server.terminate();
    store.server.restart();
    assert_eq!(store.found(named, &analyst), Err(403));
    assert_eq!(store.found(named, &auditor), Ok(4));
}

#[test]
fn what_accounts_do_is_no_news_for_others() {
    let store = Store { server: Server::start_with(ROUTER, &["log.level=error"]) };
    let analyst = store.token("analyst", "analyst", &Value::Null);
    let mut lines = store.changes(&analyst).lines();
    let mut until_sign_of_life = || -> Vec<String> {
        let lines = lines.by_ref().map(Result::unwrap);
        lines.take_while(|line| line != ":").collect()
    };
    until_sign_of_life();
    store.token("another", "analyst", &Value::Null);
    let named = "query=action%3Atoken.create&logspaces=_audit";
    wait_until("the audit is searchable", || store.found(named, TOKEN) == Ok(2));
    let heard = until_sign_of_life();
    assert!(!heard.iter().any(|line| line.contains("stored")), "{heard:?}");
    store.server.ingest("a message");
    wait_until("the next message is news", || {
        until_sign_of_life().iter().any(|line| line.contains("stored"))
    });
}

#[test]
fn only_logspaces_have_private_names() {
    let server = Server::start(ROUTER);
    for (old, new) in [("id = \"default\"", "id = \"_default\""), ("id = \"http\"", "id = \"_http\"")] {
        let (status, answer) = server.put_router(&ROUTER.replace(old, new));
        assert_eq!(status, 422, "{answer}");
    }
    let (status, answer) = server.put_router(&ROUTER.replace("_audit", "__audit"));
    assert_eq!(status, 422, "{answer}");
}

#[test]
fn nobody_chooses_a_private_logspace_when_sending() {
    let store = Store { server: Server::start_with(ROUTER, &["log.level=error"]) };
    let analyst = store.token("analyst", "analyst", &Value::Null);
    let sender = store.token("sender", "ingest", &json!(["_audit"]));
    let send = |token: &str| {
        let url = format!("{}/api/v1/ingest?logspace=_audit", store.server.web());
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        let request = agent.post(url).header("authorization", format!("Bearer {token}"));
        let mut answer = request.header("content-type", "text/plain").send("forged\n").unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    for token in [TOKEN, &analyst, &sender] {
        let (status, told) = send(token);
        assert!(status == 403 && told.contains("private"), "{status} {told}");
    }
    // A caller who names another logspace does not learn of it either.
    let url = format!("{}/api/v1/ingest?logspace=nothing", store.server.web());
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let request = agent.post(url).header("authorization", format!("Bearer {analyst}"));
    let mut answer = request.header("content-type", "text/plain").send("m\n").unwrap();
    let told = answer.body_mut().read_to_string().unwrap();
    assert!(answer.status() == 404 && told.contains("main") && !told.contains("_audit"), "{told}");
    assert_eq!(store.found("query=forged&logspaces=_audit", TOKEN), Ok(0));
}

#[test]
fn what_waits_for_a_destination_is_shown_to_those_who_may_search_it() {
    let router = ROUTER
        .replace("to = [\"_audit\"]", "to = [\"_audit\", \"siem\"]")
        .replace("to = [\"main\"]", "to = [\"main\", \"siem\"]")
        + "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:1\"\n";
    let store = Store { server: Server::start_with(&router, &["log.level=error"]) };
    let operator = store.token("operator", "operator", &Value::Null);
    store.server.ingest("an ordinary message");
    let queue = |token: &str| store.get("/destinations/siem/queue", token).1;
    wait_until("both wait", || {
        let text = queue(TOKEN)["messages"].to_string();
        text.contains("ordinary") && text.contains("token.create")
    });
    let (seen, all) = (queue(&operator), queue(TOKEN));
    let texts = seen["messages"].to_string();
    assert!(texts.contains("ordinary") && !texts.contains("token.create"), "{texts}");
    let count = |answer: &Value| answer["messages"].as_array().unwrap().len() as u64;
    assert_eq!(seen["withheld"]["messages"], count(&all) - count(&seen), "{seen}");
    assert!(seen["withheld"]["bytes"].as_u64() > Some(0), "{seen}");
    assert_eq!(all["withheld"], json!({"messages": 0, "bytes": 0}));
    assert_eq!(seen["total"], all["total"]);
}
