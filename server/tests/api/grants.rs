//! The permitted actions and the visible messages of each caller: over HTTP, on real pipelines without sockets.
//!
//! To test that hidden messages have no effect, two stores differ only in these: a caller who may not see them gets
//! the same answers from both, whatever the question.
//!
//! Keywords: grant, scope, row-level access, permissions, logspace access.

use crate::in_process;
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use in_process::TOKEN as ADMIN;
use logstead_accounts::{Browser, Grant, NewToken, Role, Secret, SessionLimits, password};
use logstead_record::{SECOND, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};
use tower::ServiceExt;

/// The server with the calls that these tests make.
type Server = in_process::Server<Calls>;

struct Calls;

const PASSWORD: &str = "correct horse";
/// The number of messages of each kind in each logspace.
const MESSAGES: usize = 120;
/// The time of the first message.
const BEGIN: i64 = 1_790_000_000;

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Starts a server with segments of a hundred messages, so that some are sealed soon.
fn start() -> Server {
    Server::start(|settings| settings.storage.segment_rows_max = 100)
}

impl Server {
    /// Starts a server with messages that a scope shows, and with hidden ones that have `word` as their text, host,
    /// program and field.
    async fn with_hidden(word: &str) -> Server {
        let server = start();
        for (logspace, number) in
            ["main", "other"].into_iter().flat_map(|l| (0..MESSAGES / 40).map(move |n| (l, n)))
        {
            let lines: String = (number * 40..(number + 1) * 40).map(|n| pair(n, word, logspace)).collect();
            let answer = server
                .send(
                    "POST",
                    &format!("/api/v1/ingest?logspace={logspace}"),
                    ADMIN,
                    "application/x-ndjson",
                    lines,
                )
                .await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        }
        loop {
            let logspaces = server.get("/api/v1/logspaces", ADMIN).await.json();
            let is_sealed = |of: &Value| of["unsealed"]["files"] == 0 && of["segments"] != 0;
            if logspaces["logspaces"].as_array().unwrap().iter().all(is_sealed) {
                return server;
            }
            tokio::task::yield_now().await;
        }
    }

    fn token(&self, role: Role, grant: &Grant) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{role}{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let new = NewToken { name: &name, role, created_by: "test".into(), expires_at: None };
        let (_, secret) = self.meta.add_granted_token(&new, grant, Timestamp::from_nanos(0)).unwrap();
        secret.reveal().to_owned()
    }

    async fn send(&self, method: &str, path: &str, token: &str, content: &str, body: String) -> Answer {
        let request = Request::builder()
            .method(method.parse::<Method>().unwrap())
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            // The id is fixed, so that answers differ only in their content.
            .header("X-Request-Id", "a-request")
            .header(header::CONTENT_TYPE, content);
        self.run(request.body(body.into()).unwrap()).await
    }

    async fn run(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, mut body) = response.into_parts();
        let kind = parts.headers.get(header::CONTENT_TYPE).map_or("", |kind| kind.to_str().unwrap());
        // A stream of events does not end; the first frames contain the newest messages.
        let mut frames_left = if kind == "text/event-stream" { 2 } else { usize::MAX };
        let mut read = Vec::new();
        while 0 < frames_left
            && let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            read.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
            frames_left -= 1;
        }
        Answer { status: parts.status, headers: parts.headers, body: read }
    }

    async fn get(&self, path: &str, token: &str) -> Answer {
        self.send("GET", path, token, "application/json", String::new()).await
    }

    async fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> Answer {
        self.send(method, path, token, "application/json", body.to_string()).await
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Checks for a problem with this status and `expected` in its detail.
    fn is_problem(&self, status: u16, expected: &str) {
        let context = format!("{} {}", self.status, self.text());
        assert_eq!(self.status.as_u16(), status, "{context}");
        let detail = self.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(expected), "`{expected}` is not in {context}");
    }
}

/// A message that a scope shows and one that it hides. In the logspace `other`, both are like the hidden one.
fn pair(number: usize, word: &str, logspace: &str) -> String {
    let level = if word == "zanzibar" { "error" } else { "info" };
    let hidden = json!({
        "time": BEGIN + number as i64, "host": word, "program": word, "level": level,
        "msg": format!("the {word} thing {number}"), word: number,
    });
    let shown = json!({
        "time": BEGIN + number as i64, "host": format!("web-{}", number % 2), "program": "sshd", "level": "info",
        "msg": format!("visible number {number}"), "user": "ana",
    });
    if logspace == "other" { format!("{hidden}\n{hidden}\n") } else { format!("{shown}\n{hidden}\n") }
}

fn granted(logspaces: Option<&[&str]>, scope: Option<&str>) -> Grant {
    Grant {
        logspaces: logspaces.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
        scope: scope.map(str::to_owned),
    }
}

/// The least rights that an operation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Least {
    Nobody,
    /// An analyst who may search a part of the store.
    Part,
    /// An operator of the logspace concerned.
    Manages,
    /// An administrator of a part of the store.
    ManagesAccounts,
    /// An analyst who may search everything.
    Everything,
    /// Somebody with this role for the whole store.
    Operator,
    /// Somebody with this role for the whole store.
    Admin,
    /// A logged-in user: the operation is about the user's own account, and tokens are refused.
    Session,
}

/// Whether a caller with this role and grant has these rights.
fn may(role: Role, grant: &Grant, least: Least) -> bool {
    let is_whole = grant.is_everything();
    match least {
        Least::Nobody | Least::Part => true,
        Least::Manages => Role::Operator <= role && grant.scope.is_none(),
        Least::ManagesAccounts => role == Role::Admin,
        Least::Everything => is_whole,
        Least::Operator => Role::Operator <= role && is_whole,
        Least::Admin => role == Role::Admin && is_whole,
        Least::Session => false,
    }
}

/// Every route, except for searches, which are allowed for everybody who may search a part.
const ROUTES: &[(&str, &str, Least)] = &[
    ("GET", "/healthz", Least::Nobody),
    ("GET", "/readyz", Least::Nobody),
    ("GET", "/api/v1/session", Least::Nobody),
    ("POST", "/api/v1/session", Least::Nobody),
    ("DELETE", "/api/v1/session", Least::Nobody),
    ("POST", "/api/v1/setup", Least::Nobody),
    ("GET", "/api/v1/openapi.json", Least::Nobody),
    ("GET", "/api/v1/oidc/{id}/login", Least::Nobody),
    ("GET", "/api/v1/oidc/{id}/callback", Least::Nobody),
    ("GET", "/api/v1/account", Least::Session),
    ("GET", "/api/v1/account/sessions", Least::Session),
    ("DELETE", "/api/v1/account/sessions", Least::Session),
    ("DELETE", "/api/v1/account/sessions/{id}", Least::Session),
    ("GET", "/api/v1/account/preferences", Least::Session),
    ("PUT", "/api/v1/account/preferences", Least::Session),
    ("POST", "/api/v1/account/totp", Least::Session),
    ("PUT", "/api/v1/account/totp", Least::Session),
    ("POST", "/api/v1/account/totp/remove", Least::Session),
    ("POST", "/api/v1/account/recovery-codes", Least::Session),
    ("GET", "/api/v1/logspaces", Least::Part),
    ("GET", "/api/v1/saved-searches", Least::Part),
    ("POST", "/api/v1/saved-searches", Least::Part),
    ("GET", "/api/v1/saved-searches/{id}", Least::Part),
    ("PUT", "/api/v1/saved-searches/{id}", Least::Part),
    ("DELETE", "/api/v1/saved-searches/{id}", Least::Part),
    ("POST", "/api/v1/saved-searches/{id}/used", Least::Part),
    ("GET", "/metrics", Least::Everything),
    ("POST", "/api/v1/ingest", Least::Everything),
    ("GET", "/api/v1/router", Least::Everything),
    ("POST", "/api/v1/router/validate", Least::Everything),
    ("GET", "/api/v1/router/revisions", Least::Everything),
    ("GET", "/api/v1/router/revisions/{revision}", Least::Everything),
    ("GET", "/api/v1/router/diff", Least::Everything),
    ("GET", "/api/v1/router/status", Least::Everything),
    ("GET", "/api/v1/flow", Least::Everything),
    ("GET", "/api/v1/senders", Least::Everything),
    ("DELETE", "/api/v1/senders", Least::Operator),
    ("GET", "/api/v1/about", Least::Everything),
    ("GET", "/api/v1/certificates", Least::Everything),
    ("GET", "/api/v1/settings", Least::Admin),
    ("GET", "/api/v1/support-report", Least::Admin),
    ("GET", "/api/v1/senders/{source}/{host}/frames", Least::Everything),
    ("GET", "/api/v1/senders/{source}/{host}/skipped", Least::Operator),
    ("DELETE", "/api/v1/senders/{source}/{host}", Least::Operator),
    ("PUT", "/api/v1/senders/{source}/{host}/timezone", Least::Operator),
    ("PUT", "/api/v1/router", Least::Operator),
    ("POST", "/api/v1/router/rollback/{revision}", Least::Operator),
    ("POST", "/api/v1/router/confirm", Least::Operator),
    ("POST", "/api/v1/router/test", Least::Everything),
    ("POST", "/api/v1/router/trace", Least::Everything),
    ("GET", "/api/v1/lookups", Least::Everything),
    ("GET", "/api/v1/lookups/{name}", Least::Operator),
    ("PUT", "/api/v1/lookups/{name}", Least::Operator),
    ("DELETE", "/api/v1/lookups/{name}", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/pause", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/resume", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/retry", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/discard", Least::Operator),
    ("POST", "/api/v1/destinations/test", Least::Operator),
    ("GET", "/api/v1/destinations/{id}/queue", Least::Operator),
    ("GET", "/api/v1/destinations/{id}/quarantine", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/quarantine/replay", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/quarantine/discard", Least::Operator),
    ("POST", "/api/v1/destinations/{id}/replay", Least::Operator),
    ("PUT", "/api/v1/logspaces/{id}", Least::Manages),
    ("POST", "/api/v1/logspaces/{id}/retention-preview", Least::Manages),
    ("POST", "/api/v1/logspaces/{id}/verify", Least::Manages),
    ("POST", "/api/v1/logspaces/{id}/reindex", Least::Manages),
    ("GET", "/api/v1/jobs", Least::Part),
    ("GET", "/api/v1/jobs/{id}", Least::Part),
    ("DELETE", "/api/v1/jobs/{id}", Least::Part),
    ("GET", "/api/v1/jobs/{id}/result", Least::Part),
    ("POST", "/api/v1/jobs/{id}/cancel", Least::Part),
    ("GET", "/api/v1/users", Least::ManagesAccounts),
    ("POST", "/api/v1/users", Least::ManagesAccounts),
    ("GET", "/api/v1/users/{name}", Least::ManagesAccounts),
    ("PUT", "/api/v1/users/{name}", Least::ManagesAccounts),
    ("PATCH", "/api/v1/users/{name}", Least::ManagesAccounts),
    ("DELETE", "/api/v1/users/{name}", Least::ManagesAccounts),
    ("POST", "/api/v1/users/{name}/disable", Least::ManagesAccounts),
    ("POST", "/api/v1/users/{name}/enable", Least::ManagesAccounts),
    ("GET", "/api/v1/users/{name}/sessions", Least::ManagesAccounts),
    ("DELETE", "/api/v1/users/{name}/sessions", Least::ManagesAccounts),
    ("DELETE", "/api/v1/users/{name}/sessions/{id}", Least::ManagesAccounts),
    ("DELETE", "/api/v1/users/{name}/totp", Least::ManagesAccounts),
    ("GET", "/api/v1/tokens", Least::ManagesAccounts),
    ("POST", "/api/v1/tokens", Least::ManagesAccounts),
    ("GET", "/api/v1/tokens/{id}", Least::ManagesAccounts),
    ("PATCH", "/api/v1/tokens/{id}", Least::ManagesAccounts),
    ("DELETE", "/api/v1/tokens/{id}", Least::ManagesAccounts),
    ("POST", "/api/v1/tokens/{id}/rotate", Least::ManagesAccounts),
    ("POST", "/api/v1/retention/resume", Least::Admin),
    ("GET", "/api/v1/audit", Least::Admin),
    // This is for the password of another user; users may always change their own.
    ("PUT", "/api/v1/users/{name}/password", Least::ManagesAccounts),
];

/// Every documented operation: method, path, and whether it searches.
fn operations() -> Vec<(String, String, bool)> {
    let document = logstead_api::openapi();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let searches = operation["tags"] == json!(["search"]);
            operations.push((method.to_uppercase(), path.clone(), searches));
        }
    }
    operations
}

#[tokio::test]
async fn every_route_is_for_somebody_and_refuses_everybody_with_less() {
    let server = start();
    let grants = [granted(Some(&["main"]), None), granted(None, Some("host:web-1")), Grant::default()];
    let callers: Vec<_> = [Role::Analyst, Role::Operator, Role::Admin]
        .into_iter()
        .flat_map(|role| grants.iter().map(move |grant| (role, grant)))
        .map(|(role, grant)| (role, grant, server.token(role, grant)))
        .collect();
    let decided: BTreeMap<_, _> = ROUTES
        .iter()
        .map(|(method, path, least)| (((*method).to_owned(), (*path).to_owned()), *least))
        .collect();
    for (method, path, searches) in operations() {
        let found = decided.get(&(method.clone(), path.clone())).copied();
        let least = found.or_else(|| searches.then_some(Least::Part));
        let least = least.unwrap_or_else(|| panic!("nobody has decided who may use {method} {path}"));
        if path == "/api/v1/tail" {
            continue;
        }
        let address = path.replace("/logspaces/{id}", "/logspaces/main").replace("{id}", "99");
        let address = address.replace("{name}", "nobody").replace("{revision}", "1");
        for (role, grant, token) in &callers {
            // The password's user and the logspace are checked only if there is a body.
            let (content, body) = match path.as_str() {
                path if path.ends_with("/password") => {
                    ("application/json", json!({"password": PASSWORD}).to_string())
                }
                path if path.starts_with("/api/v1/logspaces/") => ("application/json", "{}".to_owned()),
                _ => ("text/plain", String::new()),
            };
            let status = server.send(&method, &address, token, content, body).await.status;
            assert_ne!(status, StatusCode::UNAUTHORIZED, "{method} {path} as {role} of {grant:?}");
            assert_eq!(
                status == StatusCode::FORBIDDEN,
                !may(*role, grant, least),
                "{method} {path} as {role} of {grant:?}: {status}"
            );
        }
    }
    let documented: BTreeSet<_> = operations().into_iter().map(|(method, path, _)| (method, path)).collect();
    let gone: Vec<_> = decided.keys().filter(|route| !documented.contains(*route)).collect();
    assert!(gone.is_empty(), "{gone:?} are no routes");
}

/// Some of these find hidden messages; the others reveal stored values in other ways.
const QUERIES: &[&str] = &[
    "",
    "visible",
    "zanzibar",
    "zan*",
    "/zan[zy]ibar/",
    "-visible",
    "NOT host:web-1 OR host:zanzibar",
    "host:zanzibar OR *",
    "zanzibar:*",
    "zanzibar>5",
    "severity<=err",
    "host=web-1 user!=ana",
    "logspace:other",
    "visible OR (program:zanzibar time>2020-01-01)",
];

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// All requests to an operation about a query: method, address and body.
fn questions(method: &str, path: &str, query: &str) -> Vec<(String, Value)> {
    let (from, to) = ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    let target = json!({"query": query, "from": from, "to": to});
    let with = |more: Value| {
        let mut body = target.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let piped = |stages: &str| with(json!({"query": format!("{query} | {stages}")}));
    let bodies = match path.rsplit('/').next().unwrap() {
        "search" => vec![with(json!({"limit": 1000})), with(json!({"limit": 7, "order": "oldest"}))],
        "count" => vec![target.clone(), with(json!({"logspaces": ["main"]}))],
        "histogram" => vec![with(json!({"by": "host"})), with(json!({"interval": "1h", "by": "zanzibar"}))],
        "facets" => {
            let fields = json!(["host", "program", "zanzibar", "user", "severity", "logspace"]);
            vec![
                with(json!({"fields": fields})),
                with(json!({"fields": fields, "own_clauses": false, "numbers": true})),
            ]
        }
        "fields" => vec![target.clone()],
        "aggregate" => vec![
            piped("stats count() by host"),
            piped("top program"),
            piped("timechart span=1h count() by zanzibar"),
            target.clone(),
        ],
        "explain" => vec![target.clone(), piped("stats count() by host")],
        "overview" => vec![with(json!({"fields": ["host", "zanzibar"]}))],
        "complete" => {
            let mut typed = vec![target.clone(), piped("stats count() by ")];
            for more in ["host:", "zan", "zanzibar:", "program:z"] {
                typed.push(with(json!({"query": format!("{query} {more}")})));
            }
            typed
        }
        "query" => vec![
            json!({"query": query}),
            json!({"query": query, "edits": [{"op": "include", "field": "zanzibar", "value": "x"}]}),
        ],
        "export" => ["ndjson", "raw", "csv"]
            .into_iter()
            .map(|format| with(json!({"format": format, "columns": "time,host,message,zanzibar"})))
            .map(|mut body| {
                if body["format"] != "csv" {
                    body.as_object_mut().unwrap().remove("columns");
                }
                body
            })
            .collect(),
        "exports" => {
            let columns = json!(["time", "host", "message", "zanzibar"]);
            vec![with(json!({"format": "ndjson"})), with(json!({"format": "csv", "columns": columns}))]
        }
        "tail" => vec![json!({"query": query, "last": 1000})],
        // The header that requests events is left out, because callers with a part of the store would get them by a
        // clock.
        "changes" => vec![json!({})],
        "{id}" | "context" => {
            let ids = ["main:0", "main:1", "main:2", "main:3", "other:0", "other:7", "nope:0", "main:99999"];
            let parameters = if path.ends_with("context") {
                format!("?before=30&after=30&query={}", encode(query))
            } else {
                String::new()
            };
            return ids.map(|id| (path.replace("{id}", id) + &parameters, Value::Null)).into();
        }
        _ => panic!("say here how {method} {path} is asked, so that it is known to leak nothing"),
    };
    if method == "POST" {
        return bodies.into_iter().map(|body| (path.to_owned(), body)).collect();
    }
    bodies.into_iter().map(|body| (format!("{path}?{}", parameters(&body)), Value::Null)).collect()
}

fn parameters(body: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(|item| item.as_str().unwrap()).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    };
    let pairs = body.as_object().unwrap().iter();
    pairs.map(|(name, value)| format!("{name}={}", encode(&text(value)))).collect::<Vec<_>>().join("&")
}

/// An answer without the parts that depend on the time of the request or of receipt.
fn comparable(answer: &Answer) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.retain(|name, _| !matches!(name.as_str(), "took_ms" | "received"));
                object.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let text = answer.text();
    let lines = text.lines().map(|line| match serde_json::from_str::<Value>(line) {
        Ok(mut value) => {
            strip(&mut value);
            value.to_string()
        }
        Err(_) => line.to_owned(),
    });
    let count = answer.headers.get("x-logstead-count").map_or("", |count| count.to_str().unwrap());
    format!("{} {count}\n{}", answer.status, lines.collect::<Vec<_>>().join("\n"))
}

/// The comparable part of the answer to a question. If the answer is a job, that is its file and its result.
async fn told(server: &Server, (method, address): (&str, &str), token: &str, body: &Value) -> String {
    let answer = server.json(method, address, token, body).await;
    if answer.status != StatusCode::ACCEPTED {
        return comparable(&answer);
    }
    let path = format!("/api/v1/jobs/{}", answer.json()["id"].as_str().unwrap());
    let job = server.get(&format!("{path}?wait=30s"), token).await.json();
    assert_eq!(job["state"], "done", "{job}");
    let counts =
        ["messages", "copies", "missing", "damaged_parts"].map(|name| job["result"][name].to_string());
    let file = server.get(&format!("{path}/result"), token).await;
    let removed = server.json("DELETE", &path, token, &Value::Null).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    format!("{} {}", counts.join(" "), comparable(&file))
}

/// The number of attempts to get equal answers from two stores, because a time limit may cut answers short on a busy
/// machine.
const TRIES_MAX: usize = 20;

/// The answers of both stores to all questions of one operation. While they differ, they are requested again, up to
/// this many times.
async fn answers(
    stores: [(&Server, &str); 2],
    (method, path): (&str, &str),
    queries: &[&str],
    tries_max: usize,
) -> Vec<(String, [String; 2])> {
    let mut answers = Vec::new();
    for (address, body) in queries.iter().flat_map(|query| questions(method, path, query)) {
        let mut both = [String::new(), String::new()];
        for _ in 0..tries_max {
            for (at, (server, token)) in stores.iter().enumerate() {
                both[at] = told(server, (method, &address), token, &body).await;
            }
            if both[0] == both[1] {
                break;
            }
        }
        answers.push((format!("{method} {address} {body}"), both));
    }
    answers
}

#[tokio::test]
async fn nothing_that_is_asked_tells_anything_of_messages_that_are_hidden() {
    let stores = [Server::with_hidden("zanzibar").await, Server::with_hidden("mandalay").await];
    let grants = [
        granted(Some(&["main"]), Some("host:web-*")),
        // The index alone cannot decide this scope, so messages are read.
        granted(None, Some("/visible n[u]mber/")),
        granted(Some(&["main"]), Some("logspace:main user:ana -program:(zanzibar OR mandalay)")),
    ];
    for (method, path, _) in operations().iter().filter(|(_, _, searches)| *searches) {
        let operation = (method.as_str(), path.as_str());
        if path == "/api/v1/tail" {
            continue;
        }
        for grant in &grants {
            let tokens = [&stores[0], &stores[1]].map(|server| server.token(Role::Analyst, grant));
            let asked = [(&stores[0], tokens[0].as_str()), (&stores[1], tokens[1].as_str())];
            for (question, [one, other]) in answers(asked, operation, QUERIES, TRIES_MAX).await {
                assert_eq!(one, other, "{grant:?}\n{question}");
                assert!(!one.starts_with("500"), "{question}: {one}");
            }
        }
        // A caller who may see the hidden messages gets different answers, which proves that the questions are
        // suitable. Operations that only parse a query return no messages.
        let asked = [(&stores[0], ADMIN), (&stores[1], ADMIN)];
        let answers = answers(asked, operation, QUERIES, 1).await;
        let shows = answers.iter().any(|(_, [one, other])| one != other);
        assert_eq!(shows, !matches!(path.as_str(), "/api/v1/query" | "/api/v1/changes"), "{method} {path}");
    }
}

#[tokio::test]
async fn a_stream_shows_nothing_of_messages_that_are_hidden() {
    if !operations().iter().any(|(_, path, _)| path == "/api/v1/tail") {
        return;
    }
    let server = Server::with_hidden("zanzibar").await;
    let token = server.token(Role::Analyst, &granted(Some(&["main"]), Some("host:web-*")));
    for (query, expected) in [("", true), ("visible", true), ("zanzibar", false)] {
        for (address, _) in questions("GET", "/api/v1/tail", query) {
            let answer = server.get(&address, &token).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
            assert!(!answer.text().contains("zanzibar"), "{}", answer.text());
            assert_eq!(answer.text().contains("visible number"), expected, "{query}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn what_is_shown_is_what_a_filter_shows_to_who_sees_everything() {
    let server = Server::with_hidden("zanzibar").await;
    let token = server.token(Role::Analyst, &granted(Some(&["main"]), Some("host:web-1")));
    let count = |query: &'static str, who: String| {
        let server = &server;
        async move { server.json("POST", "/api/v1/count", &who, &json!({"query": query})).await.json() }
    };
    assert_eq!(count("", token.clone()).await["count"], 60);
    assert_eq!(count("visible OR zanzibar", token.clone()).await["count"], 60);
    assert_eq!(count("(visible OR zanzibar) host:web-1", ADMIN.to_owned()).await["count"], 60);
    assert_eq!(count("host:web-0", token.clone()).await["count"], 0);
    let hidden = count("zanzibar", token.clone()).await;
    assert_eq!((&hidden["count"], &hidden["coverage"]["complete"]), (&json!(0), &json!(true)));
    let found = server.json("POST", "/api/v1/search", &token, &json!({"query": "visible"})).await.json();
    assert_eq!(found["query"], "visible", "the scope is silent");
    let explained = server.json("POST", "/api/v1/explain", &token, &json!({"query": "visible"})).await.json();
    assert_eq!((&explained["query"], &explained["filter"]), (&json!("visible"), &json!("visible")));
    assert_eq!(explained["logspaces"][0]["clauses"].as_array().unwrap().len(), 1, "{explained}");
    let of_all = server.json("POST", "/api/v1/explain", ADMIN, &json!({"query": "visible"})).await.json();
    assert_ne!(of_all["logspaces"][0]["templates"], json!([]), "{of_all}");
    assert_eq!(explained["logspaces"][0]["templates"], json!([]), "others' messages have them too");
}

#[tokio::test]
async fn a_logspace_that_is_not_granted_is_refused_whether_or_not_it_exists() {
    let server = Server::with_hidden("zanzibar").await;
    let token = server.token(Role::Analyst, &granted(Some(&["main", "gone"]), None));
    for path in ["search", "count", "histogram", "facets", "fields", "aggregate", "explain", "overview"] {
        let address = format!("/api/v1/{path}");
        let ask = |token: String, id: &'static str| {
            let (server, address) = (&server, &address);
            let body = json!({"query": "visible", "logspaces": ["main", id]});
            let body = match path {
                "facets" => json!({"query": "visible", "logspaces": ["main", id], "fields": ["host"]}),
                _ => body,
            };
            async move { server.json("POST", address, &token, &body).await }
        };
        for id in ["other", "nope", ""] {
            ask(token.clone(), id).await.is_problem(403, "an administrator can grant it");
        }
        assert_eq!(ask(token.clone(), "main").await.status, StatusCode::OK, "{path}");
        let missing = ask(token.clone(), "gone").await;
        missing.is_problem(404, "there are main");
        assert!(!missing.text().contains("other"), "{}", missing.text());
        ask(ADMIN.to_owned(), "nope").await.is_problem(404, "main, other");
    }
    let listed = server.get("/api/v1/logspaces", &token).await.json();
    let ids: Vec<_> = listed["logspaces"].as_array().unwrap().iter().map(|of| of["id"].clone()).collect();
    assert_eq!(ids, [json!("main")]);
    server.get("/api/v1/messages/other:0", &token).await.is_problem(404, "no message `other:0`");
    assert_eq!(server.get("/api/v1/messages/main:0", &token).await.status, StatusCode::OK);
    let ingest = server.send("POST", "/api/v1/ingest", &token, "text/plain", "x".to_owned()).await;
    ingest.is_problem(403, "access to all logspaces");
}

/// Sends JSON in a session.
async fn in_session(server: &Server, secret: &Secret, method: &str, path: &str, body: &Value) -> Answer {
    let request = Request::builder()
        .method(method.parse::<Method>().unwrap())
        .uri(path)
        .header(header::COOKIE, format!("logstead_session={}", secret.reveal()))
        .header("X-CSRF-Token", secret.csrf_token())
        .header(header::CONTENT_TYPE, "application/json");
    server.run(request.body(body.to_string().into()).unwrap()).await
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Timestamp::from_nanos(since.as_nanos() as i64)
}

/// A session that began some time ago.
fn session(server: &Server, user: &str, begun_seconds_ago: i64) -> Secret {
    let secret = Secret::session().unwrap();
    let limits =
        SessionLimits { idle_max: Duration::from_hours(24 * 7), age_max: Duration::from_hours(24 * 30) };
    let user = server.meta.credentials(user).unwrap().unwrap().id;
    let begun = now().saturating_add(-begun_seconds_ago * SECOND);
    server.meta.add_session(user, secret.hash(), &Browser::default(), &limits, begun).unwrap();
    secret
}

#[tokio::test]
async fn a_change_of_what_somebody_may_holds_from_the_next_request_on() {
    let server = Server::with_hidden("zanzibar").await;
    let hash = password::hash(PASSWORD).unwrap();
    server.meta.add_user("ana", Role::Analyst, &hash, Timestamp::from_nanos(0)).unwrap();
    let ana = session(&server, "ana", 0);
    let count = || async {
        let answer = in_session(&server, &ana, "POST", "/api/v1/count", &json!({})).await;
        answer.json()["count"].as_u64().unwrap()
    };
    let change = |body: Value| {
        let server = &server;
        async move { server.json("PUT", "/api/v1/users/ANA", ADMIN, &body).await }
    };
    assert_eq!(count().await, 480);
    let narrow = json!({"role": "analyst", "logspaces": ["main", "main"], "scope": " host:web-1 "});
    let changed = change(narrow).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    let expected = json!({"logspaces": ["main"], "scope": "host:web-1"});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&changed.json()[name], value);
        let session = in_session(&server, &ana, "GET", "/api/v1/session", &Value::Null).await.json();
        assert_eq!(&session["user"][name], value, "{session}");
        assert_eq!(&server.get("/api/v1/users", ADMIN).await.json()["users"][0][name], value);
    }
    assert_eq!(count().await, 60);
    let audit = server.get("/api/v1/audit?limit=1", ADMIN).await.json();
    assert_eq!(audit["entries"][0]["action"], "user.change");
    assert_eq!(
        audit["entries"][0]["detail"],
        "ana: role analyst; now role analyst, logspaces main, scope host:web-1"
    );
    let operator = json!({"role": "operator", "logspaces": null, "scope": null});
    assert_eq!(change(operator).await.json()["role"], "operator");
    assert_eq!(count().await, 480);
    assert_eq!(in_session(&server, &ana, "GET", "/api/v1/router", &Value::Null).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_grant_that_means_nothing_is_refused_with_the_place() {
    let server = start();
    let hash = password::hash(PASSWORD).unwrap();
    server.meta.add_user("ada", Role::Admin, &hash, Timestamp::from_nanos(0)).unwrap();
    server.meta.add_user("ana", Role::Analyst, &hash, Timestamp::from_nanos(0)).unwrap();
    let grant = |role: &str, logspaces: Value, scope: Value| json!({"role": role, "logspaces": logspaces, "scope": scope});
    for (grant, expected, path) in [
        (grant("operator", json!(["mian"]), Value::Null), "no logspace `mian`", "logspaces"),
        (grant("admin", Value::Null, json!("open (paren")), "invalid scope", "scope"),
        (grant("analyst", json!([]), Value::Null), "main, other", "logspaces"),
        (grant("analyst", json!(["mian"]), Value::Null), "no logspace `mian`", "logspaces"),
        (grant("analyst", Value::Null, json!("severity>=nonsense")), "nonsense", "scope"),
        (grant("analyst", Value::Null, json!("open (paren")), "invalid scope", "scope"),
        (grant("analyst", Value::Null, json!("a | stats count()")), "invalid scope", "scope"),
        (grant("analyst", Value::Null, json!("a".repeat(9000))), "at most 8192", "scope"),
    ] {
        let mut user = grant.clone();
        user.as_object_mut()
            .unwrap()
            .extend([("name".to_owned(), json!("bo")), ("password".to_owned(), json!(PASSWORD))]);
        let mut token = grant.clone();
        token["name"] = json!("ci");
        for (method, address, body) in [
            ("PUT", "/api/v1/users/ana", &grant),
            ("POST", "/api/v1/users", &user),
            ("POST", "/api/v1/tokens", &token),
        ] {
            let refused = server.json(method, address, ADMIN, body).await;
            // A scope that does not parse cannot be read; the other values can, and are wrong.
            let status = if path == "scope" { 400 } else { 422 };
            refused.is_problem(status, expected);
            assert_eq!(refused.json()["path"], path, "{}", refused.text());
        }
    }
    let place = grant("analyst", Value::Null, json!("severity>=nonsense"));
    let problem = server.json("PUT", "/api/v1/users/ana", ADMIN, &place).await.json();
    assert_eq!(problem["line"], 1, "{problem}");
    // A missing key does not grant anything.
    for left_out in ["logspaces", "scope", "role"] {
        let mut body = grant("analyst", Value::Null, Value::Null);
        body.as_object_mut().unwrap().remove(left_out);
        server.json("PUT", "/api/v1/users/ana", ADMIN, &body).await.is_problem(400, left_out);
    }
    let all = grant("analyst", Value::Null, Value::Null);
    server.json("PUT", "/api/v1/users/bo", ADMIN, &all).await.is_problem(404, "no user `bo`");
    server.json("PUT", "/api/v1/users/ada", ADMIN, &all).await.is_problem(409, "last administrator");
    assert_eq!(server.json("PUT", "/api/v1/users/ana", ADMIN, &all).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_token_is_kept_to_what_it_was_made_for() {
    let server = Server::with_hidden("zanzibar").await;
    let new = json!({"name": "ci", "role": "analyst", "logspaces": ["main"], "scope": "host:web-1"});
    let made = server.json("POST", "/api/v1/tokens", ADMIN, &new).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let listed = server.get("/api/v1/tokens", ADMIN).await.json();
    assert_eq!(listed["tokens"][0]["logspaces"], json!(["main"]));
    assert_eq!(listed["tokens"][0]["scope"], "host:web-1");
    assert_eq!(server.get("/api/v1/count", &token).await.json()["count"], 60);
    let session = server.get("/api/v1/session", &token).await.json();
    assert_eq!((&session["user"]["scope"], &session["expires_at"]), (&json!("host:web-1"), &Value::Null));
    let audit = server.get("/api/v1/audit?limit=1", ADMIN).await.json();
    let detail = audit["entries"][0]["detail"].as_str().unwrap();
    assert!(detail.ends_with("role analyst, logspaces main, scope host:web-1"), "{detail}");
}

#[tokio::test]
async fn a_session_says_when_it_ends_and_the_browser_keeps_its_cookie_as_long() {
    let server = start();
    let hash = password::hash(PASSWORD).unwrap();
    server.meta.add_user("ana", Role::Analyst, &hash, Timestamp::from_nanos(0)).unwrap();
    for path in ["/api/v1/session", "/api/v1/logspaces"] {
        let ana = session(&server, "ana", 3600);
        let prolonged = in_session(&server, &ana, "GET", path, &Value::Null).await;
        let cookie = prolonged.headers[header::SET_COOKIE].to_str().unwrap();
        assert!(cookie.starts_with(&format!("logstead_session={}; HttpOnly", ana.reveal())), "{cookie}");
        assert!(cookie.contains("Max-Age=604800"), "{cookie}");
        let seen = in_session(&server, &ana, "GET", "/api/v1/session", &Value::Null).await;
        assert!(!seen.headers.contains_key(header::SET_COOKIE), "once a minute is enough");
        let ends = seen.json()["expires_at"].as_str().unwrap().to_owned();
        let ends = Timestamp::parse_rfc3339(ends.as_bytes()).unwrap();
        let expected = now().saturating_add(7 * 24 * 3600 * SECOND);
        assert!((expected.nanos() - ends.nanos()).abs() < 60 * SECOND, "{ends} is not {expected}");
    }
    let login = json!({"name": "ana", "password": PASSWORD});
    let begun = server.json("POST", "/api/v1/session", "", &login).await.json();
    assert!(begun["expires_at"].is_string(), "{begun}");
    let request = Request::get("/api/v1/session").body(Body::empty()).unwrap();
    assert_eq!(server.run(request).await.json()["expires_at"], Value::Null);
}

fn to_save(name: &str, shared: bool) -> Value {
    json!({
        "name": name, "folder": "ops", "tags": ["a", "b", "a"], "shared": shared, "query": "error | top host",
        "from": "-1h", "to": null, "logspaces": null, "view": {"columns": ["time", 7, null]},
    })
}

#[tokio::test]
async fn a_saved_search_is_its_owners_and_a_shared_one_is_everybodys_to_use() {
    let server = start();
    let hash = password::hash(PASSWORD).unwrap();
    for name in ["ana", "bo"] {
        server.meta.add_user(name, Role::Analyst, &hash, Timestamp::from_nanos(0)).unwrap();
    }
    let (ana, bo) = (session(&server, "ana", 0), session(&server, "bo", 0));
    const PATH: &str = "/api/v1/saved-searches";
    let saved = in_session(&server, &ana, "POST", PATH, &to_save("errors", false)).await;
    assert_eq!(saved.status, StatusCode::CREATED, "{}", saved.text());
    let saved = saved.json();
    assert_eq!((&saved["owner"], &saved["mine"]), (&json!("ana"), &json!(true)));
    assert_eq!((&saved["tags"], &saved["view"]), (&json!(["a", "b"]), &to_save("", false)["view"]));
    assert_eq!((&saved["from"], &saved["last_used"]), (&json!("-1h"), &Value::Null));
    in_session(&server, &ana, "POST", PATH, &to_save("errors", true)).await.is_problem(409, "already");

    let own = format!("{PATH}/{}", saved["id"]);
    let names = |who: &Secret| {
        let (server, who) = (&server, Secret::presented(who.reveal()));
        async move {
            let listed = in_session(server, &who, "GET", PATH, &Value::Null).await.json();
            let listed = listed["saved_searches"].as_array().unwrap().clone();
            listed.iter().map(|s| (s["name"].clone(), s["mine"].clone())).collect::<Vec<_>>()
        }
    };
    assert_eq!(names(&bo).await, []);
    in_session(&server, &bo, "PUT", &own, &to_save("mine", true)).await.is_problem(404, "no saved search");
    in_session(&server, &bo, "DELETE", &own, &Value::Null).await.is_problem(404, "no saved search");
    in_session(&server, &bo, "POST", &format!("{own}/used"), &Value::Null).await.is_problem(404, "no saved");
    server.json("DELETE", &own, ADMIN, &Value::Null).await.is_problem(404, "no saved search");

    let shared = in_session(&server, &ana, "PUT", &own, &to_save("faults", true)).await;
    assert_eq!(shared.status, StatusCode::OK, "{}", shared.text());
    assert_eq!(names(&bo).await, [(json!("faults"), json!(false))]);
    in_session(&server, &bo, "PUT", &own, &to_save("x", true)).await.is_problem(403, "belongs to ana");
    in_session(&server, &bo, "DELETE", &own, &Value::Null).await.is_problem(403, "belongs to ana");
    let used = in_session(&server, &bo, "POST", &format!("{own}/used"), &Value::Null).await;
    assert_eq!(used.status, StatusCode::NO_CONTENT);
    let listed = in_session(&server, &ana, "GET", PATH, &Value::Null).await.json();
    assert!(listed["saved_searches"][0]["last_used"].is_string(), "{listed}");
    let renamed = server.json("PUT", &own, ADMIN, &to_save("of all", true)).await.json();
    assert_eq!((&renamed["owner"], &renamed["name"]), (&json!("ana"), &json!("of all")));
    let removed = server.json("DELETE", &own, ADMIN, &Value::Null).await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    assert_eq!(names(&ana).await, []);
}

#[tokio::test]
async fn a_shared_search_does_not_tell_of_logspaces_that_are_not_granted() {
    let server = start();
    let part = server.token(Role::Analyst, &granted(Some(&["main"]), None));
    let mut ids = Vec::new();
    for logspaces in [Value::Null, json!(["main"]), json!(["main", "other"])] {
        let mut search = to_save(&logspaces.to_string(), true);
        search["logspaces"] = logspaces;
        let saved = server.json("POST", "/api/v1/saved-searches", ADMIN, &search).await.json();
        ids.push(saved["id"].as_i64().unwrap());
    }
    let listed = server.get("/api/v1/saved-searches", &part).await;
    assert_eq!(listed.json()["saved_searches"].as_array().unwrap().len(), 2, "{}", listed.text());
    assert!(!listed.text().contains("other"), "{}", listed.text());
    for (id, status) in ids.into_iter().zip([204, 204, 404]) {
        let path = format!("/api/v1/saved-searches/{id}/used");
        assert_eq!(server.json("POST", &path, &part, &Value::Null).await.status.as_u16(), status);
    }
    let mut search = to_save("mine", true);
    search["logspaces"] = json!(["other"]);
    server.json("POST", "/api/v1/saved-searches", &part, &search).await.is_problem(403, "not granted");
    // This also holds if the query names the logspace, in any form.
    for (number, query) in [
        "logspace:other error",
        "-(LOGSPACE=\"other\")",
        "a | where logspace == \"other\"",
        "logspace:_audit",
    ]
    .into_iter()
    .enumerate()
    {
        let mut search = to_save(&format!("named {number}"), true);
        search["query"] = json!(query);
        let saved = server.json("POST", "/api/v1/saved-searches", ADMIN, &search).await;
        assert_eq!(saved.status, StatusCode::CREATED, "{query}: {}", saved.text());
        let listed = server.get("/api/v1/saved-searches", &part).await.text();
        assert!(!listed.contains(&format!("named {number}")), "{query}: {listed}");
    }
    assert!(server.get("/api/v1/saved-searches", ADMIN).await.text().contains("named 3"));
}

#[tokio::test]
async fn who_administrates_a_part_neither_learns_of_the_rest_nor_changes_what_others_share() {
    let server = start();
    let part = server.token(Role::Admin, &granted(Some(&["main"]), None));
    let grant = json!({"name": "ci", "role": "analyst", "logspaces": ["mian"], "scope": null});
    let refused = server.json("POST", "/api/v1/tokens", &part, &grant).await;
    refused.is_problem(422, "there are main");
    assert!(!refused.text().contains("other"), "{}", refused.text());
    // An existing logspace and a missing one get the same error message.
    let told = async |id: &str| {
        let grant = json!({"name": "ci", "role": "analyst", "logspaces": [id], "scope": null});
        server.json("POST", "/api/v1/tokens", &part, &grant).await.text().replace(id, "X")
    };
    assert_eq!(told("other").await, told("nothing").await);
    let saved = server.json("POST", "/api/v1/saved-searches", ADMIN, &to_save("everybody's", true)).await;
    let path = format!("/api/v1/saved-searches/{}", saved.json()["id"]);
    let replaced = server.json("PUT", &path, &part, &to_save("mine now", true)).await;
    assert_eq!(replaced.status, StatusCode::FORBIDDEN, "{}", replaced.text());
    assert_eq!(server.json("DELETE", &path, &part, &Value::Null).await.status, StatusCode::FORBIDDEN);
    let all = server.token(Role::Admin, &Grant::default());
    assert_eq!(server.json("DELETE", &path, &all, &Value::Null).await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_long_list_of_searches_comes_in_parts() {
    let server = start();
    for number in 0..200 {
        let mut search = to_save(&format!("search {number:03}"), true);
        search["view"] = json!("x".repeat(16_000));
        let saved = server.json("POST", "/api/v1/saved-searches", ADMIN, &search).await;
        assert_eq!(saved.status, StatusCode::CREATED, "{}", saved.text());
    }
    let (mut names, mut after, mut parts) = (Vec::new(), String::new(), 0);
    loop {
        let part = server.get(&format!("/api/v1/saved-searches{after}"), ADMIN).await;
        assert!(part.body.len() < 3 << 20, "{}", part.body.len());
        let part = part.json();
        names.extend(
            part["saved_searches"].as_array().unwrap().iter().map(|search| search["name"].to_string()),
        );
        parts += 1;
        let Some(cursor) = part["cursor"].as_str() else { break };
        after = format!("?cursor={cursor}");
        if parts == 1 {
            // The list goes on behind a search that is gone.
            let last = part["saved_searches"].as_array().unwrap().last().unwrap()["id"].to_string();
            let path = format!("/api/v1/saved-searches/{last}");
            let removed = server.json("DELETE", &path, ADMIN, &Value::Null).await;
            assert_eq!(removed.status, StatusCode::NO_CONTENT);
        }
    }
    assert_eq!((names.len(), parts), (200, 2));
    assert!(names.is_sorted(), "{names:?}");
}

#[tokio::test]
async fn what_cannot_be_saved_is_told_why() {
    let server = start();
    let long = |count: usize| "x".repeat(count);
    for (field, value, expected) in [
        ("name", json!(""), "1 to 100"),
        ("name", json!("  "), "1 to 100"),
        ("name", json!(long(101)), "1 to 100"),
        ("name", json!("a\nb"), "control character"),
        ("name", json!("a\u{0}b"), "control character"),
        ("folder", json!(long(201)), "0 to 200"),
        ("folder", json!("a\tb"), "control character"),
        ("tags", json!(vec!["x"; 21]), "at most 20"),
        ("tags", json!([long(51)]), "1 to 50"),
        ("tags", json!([""]), "1 to 50"),
        ("query", json!("severity>=nonsense"), "nonsense"),
        ("query", json!("a | stats nonsense("), "is never closed"),
        ("from", json!("soon"), "not a time"),
        ("to", json!(long(100_000)), "not a time"),
        ("logspaces", json!([""]), "1 to 100"),
        ("view", json!(long(17_000)), "at most 16384"),
        ("shared", json!(false), "only the token itself"),
        ("colour", json!(1), "colour"),
    ] {
        let mut search = to_save("a", true);
        search[field] = value;
        let token = server.token(Role::Analyst, &Grant::default());
        let refused = server.json("POST", "/api/v1/saved-searches", &token, &search).await;
        refused.is_problem(if matches!(field, "query" | "colour") { 400 } else { 422 }, expected);
        if field == "query" {
            assert!(refused.json()["column"].is_u64(), "{}", refused.text());
        }
    }
    let all = json!({"name": "é".repeat(100), "shared": true});
    let saved = server.json("POST", "/api/v1/saved-searches", ADMIN, &all).await;
    assert_eq!(saved.status, StatusCode::CREATED, "{}", saved.text());
    assert_eq!(saved.json()["view"], Value::Null);
    let gone = server.json("PUT", "/api/v1/saved-searches/99", ADMIN, &to_save("a", true)).await;
    gone.is_problem(404, "no saved search 99");
}
