//! The names of problems: each mistake has one, with its status and the part of the request that it is about.
//!
//! Keywords: problem type, RFC 9457, urn:logstead:problem, 400, 422, error name.

use super::calls::{Answer, As, PASSWORD, Server, admin};
use super::in_process::{ROUTER, SETUP_CODE};
use axum::body::Body;
use axum::http::{Method, Request, header};
use logstead_accounts::Role;
use logstead_api as api;
use logstead_config::accounts::AccountRole;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The names of problems that need a socket, another process, a failing disk or a code of an app. The other tests of
/// these situations check them.
const ELSEWHERE: [&str; 20] = [
    "invalid-http", "needs-second-factor", "wrong-code", "rights-changed", "needs-https", "too-slow",
    "password-elsewhere", "second-factor-exists", "too-many", "key-under-way", "too-many-jobs",
    "job-unfinished", "range-not-satisfiable", "address-too-long", "header-too-long", "costly-query",
    "short-of-memory", "internal", "busy", "stopping",
];
/// The names of problems that only a disk or a directory that fails can cause.
const OF_FAILURES: [&str; 5] =
    ["not-stored", "directory-unreachable", "not-writable", "disk-full", "export-space-full"];

/// A request that is refused, and its problem.
struct Case {
    method: &'static str,
    path: &'static str,
    body: Value,
    name: &'static str,
    status: u16,
    /// The part of the request; empty for the whole.
    part: &'static str,
}

fn get(path: &'static str, name: &'static str, status: u16, part: &'static str) -> Case {
    Case { method: "GET", path, body: Value::Null, name, status, part }
}

fn post(path: &'static str, body: Value, name: &'static str, status: u16, part: &'static str) -> Case {
    Case { method: "POST", path, body, name, status, part }
}

fn put(path: &'static str, body: Value, name: &'static str, status: u16, part: &'static str) -> Case {
    Case { method: "PUT", path, body, name, status, part }
}

fn delete(path: &'static str, name: &'static str, status: u16) -> Case {
    Case { method: "DELETE", path, body: Value::Null, name, status, part: "" }
}

/// Checks the name, the status and the part of a refusal, and returns the name.
fn check(answer: &Answer, name: &'static str, status: u16, part: &str) -> &'static str {
    answer.is_problem(status, "");
    let problem = answer.json();
    assert_eq!(problem["type"], format!("urn:logstead:problem:{name}"), "{problem}");
    assert_eq!(problem["path"].as_str().unwrap_or_default(), part, "{problem}");
    assert!(problem["title"].is_string() && problem["request_id"].is_string(), "{problem}");
    for word in ["struct ", "u32", "u64", "i64", "usize", "expected f64", "sequence", "variant index"] {
        assert!(!problem["detail"].as_str().unwrap().contains(word), "{problem} names a type of Rust");
    }
    name
}

/// Requests of an administrator that cannot be read.
fn unreadable() -> Vec<Case> {
    let body = "invalid-body";
    let parameter = "invalid-parameter";
    vec![
        post("/search", json!({"query": "(a"}), "query-syntax", 400, "query"),
        get("/search?query=(a", "query-syntax", 400, "query"),
        get("/audit?query=((", "query-syntax", 400, "query"),
        post("/tokens", json!({"name": "t", "role": "analyst", "scope": "(a"}), "query-syntax", 400, "scope"),
        post(
            "/saved-searches",
            json!({"name": "s", "shared": true, "query": "(a"}),
            "query-syntax",
            400,
            "query",
        ),
        get("/search?limit=x", parameter, 400, "limit"),
        get("/search?colour=1", parameter, 400, "colour"),
        get("/audit?limit=x", parameter, 400, "limit"),
        get("/router/diff?from=1", parameter, 400, "to"),
        get("/router/diff?from=one&to=2", parameter, 400, "from"),
        get("/senders?limit=x", parameter, 400, "limit"),
        get("/export?summary=1", parameter, 400, "summary"),
        post("/search", json!(["error"]), body, 400, ""),
        post("/search", json!({"query": 7}), body, 400, "query"),
        post("/search", json!({"query": "a", "limit": "x"}), body, 400, "limit"),
        post("/search", json!({"query": "a", "colour": 1}), body, 400, "colour"),
        post("/tokens", json!({"name": "t"}), body, 400, "role"),
        post("/tokens", json!({"name": "t", "role": "analyst", "limits": [1]}), body, 400, "limits"),
        post("/users", json!(["a", "analyst", PASSWORD]), body, 400, ""),
    ]
}

/// Requests of an administrator with a value that is not acceptable.
fn unacceptable() -> Vec<Case> {
    let token = |name: &str, value: Value| {
        let mut body = json!({"name": "t", "role": "analyst"});
        body[name] = value;
        body
    };
    let user = |name: &str, value: Value| {
        let mut body = json!({"name": "u", "role": "analyst", "password": "battery staple 7"});
        body[name] = value;
        body
    };
    let name = "invalid-value";
    vec![
        post("/search", json!({"query": "a", "limit": 0}), name, 422, "limit"),
        post("/search", json!({"query": "a", "limit": -1}), name, 422, "limit"),
        get("/search?limit=0", name, 422, "limit"),
        get("/search?limit=-1", name, 422, "limit"),
        get("/search?limit=99999999999", name, 422, "limit"),
        get("/search?from=soon", name, 422, "from"),
        get("/search?from=now&to=-1h", name, 422, "from"),
        get("/search?timezone=Mars", name, 422, "timezone"),
        get("/search?order=sideways", name, 422, "order"),
        get("/export?format=xml", name, 422, "format"),
        get("/audit?limit=0", name, 422, "limit"),
        get("/flow?from=now&to=-1h", name, 422, "from"),
        get("/senders?limit=0", name, 422, "limit"),
        post("/search", json!({"query": "a", "logspaces": []}), name, 422, "logspaces"),
        post("/tokens", token("role", json!("king")), name, 422, "role"),
        post("/tokens", token("name", json!("Not A Name")), name, 422, "name"),
        post("/tokens", token("expires_at", json!("soon")), name, 422, "expires_at"),
        post("/tokens", token("logspaces", json!(["mian"])), name, 422, "logspaces"),
        post("/tokens", token("logspaces", json!([])), name, 422, "logspaces"),
        post("/users", user("role", json!("king")), name, 422, "role"),
        post("/users", user("name", json!("Not A Name")), name, 422, "name"),
        post("/users", user("password", json!("short")), name, 422, "password"),
        post("/users", user("logspaces", json!(["mian"])), name, 422, "logspaces"),
        post("/logspaces/main/retention-preview", json!({"age": "long"}), name, 422, "age"),
        post("/search", json!({"query": "a", "cursor": "x"}), "unusable-cursor", 422, "cursor"),
        get("/tail?since=yesterday", "unusable-cursor", 422, "since"),
        post("/search", json!({"query": "* | stats count()"}), "unsuitable-query", 422, "query"),
    ]
}

/// Requests of an administrator that can be read, and are refused for another reason.
fn refused() -> Vec<Case> {
    let user = json!({"name": "ada", "role": "analyst", "password": "battery staple 7"});
    let setup = json!({"code": SETUP_CODE, "name": "eve", "password": "battery staple 7"});
    vec![
        get("/messages/main:99", "not-found", 404, ""),
        get("/nothing", "not-found", 404, ""),
        delete("/tokens/x", "not-found", 404),
        post("/search", json!({"query": "a", "logspaces": ["nope"]}), "unknown-logspace", 404, "logspaces"),
        delete("/search", "method-not-allowed", 405),
        get("/changes", "not-acceptable", 406, ""),
        post("/users", user, "name-taken", 409, ""),
        delete("/users/ada", "last-admin", 409),
        post("/setup", setup, "already-set-up", 409, ""),
        post("/router/confirm", json!({}), "nothing-to-confirm", 409, ""),
        get("/account", "needs-session", 403, ""),
        put("/router", json!({}), "missing-if-match", 428, ""),
        post("/search", json!({"query": "a".repeat(2 << 20)}), "body-too-large", 413, ""),
    ]
}

async fn of_cases(server: &Server) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for case in unreadable().into_iter().chain(unacceptable()).chain(refused()) {
        let Case { method, path, body, name, status, part } = case;
        let address = format!("/api/v1{path}");
        let method: Method = method.parse().unwrap();
        let answer = if body.is_null() {
            server.call(method, &address, &admin(), "", "").await
        } else {
            server.json(method, &address, &admin(), &body).await
        };
        names.insert(check(&answer, name, status, part));
    }
    names
}

/// Who calls, and what they may not do.
async fn of_callers(server: &Server) -> BTreeSet<&'static str> {
    let nobody = As::default();
    let wrong = As { token: Some("lst_guess".to_owned()), ..As::default() };
    let analyst = server.token(Role::Analyst);
    let users = async |who: &As| server.call(Method::GET, "/api/v1/users", who, "", "").await;
    let session = server.log_in("ada").await;
    let without = As { csrf: None, ..session.clone() };
    let logout = server.call(Method::DELETE, "/api/v1/session", &without, "", "").await;
    let code = json!({"code": "123456"});
    let enrolment = server.json(Method::PUT, "/api/v1/account/totp", &session, &code).await;
    let mut names = BTreeSet::from([
        check(&users(&nobody).await, "not-signed-in", 401, ""),
        check(&users(&wrong).await, "invalid-token", 401, ""),
        check(&users(&analyst).await, "forbidden", 403, ""),
        check(&logout, "csrf", 403, ""),
        check(&enrolment, "no-enrolment", 409, ""),
    ]);
    let login = json!({"name": "nobody", "password": "a guess"});
    loop {
        let answer = server.json(Method::POST, "/api/v1/session", &nobody, &login).await;
        if answer.status != 401 {
            names.insert(check(&answer, "too-many-attempts", 429, ""));
            return names;
        }
        names.insert(check(&answer, "wrong-password", 401, ""));
    }
}

/// Messages that are not taken, and the headers of requests.
async fn of_messages(server: &Server) -> BTreeSet<&'static str> {
    let none = server.ingest("", "application/x-ndjson", "{\n[").await;
    let nowhere = server.ingest("?logspace=nope", "text/plain", "x").await;
    let xml = server.ingest("", "application/xml", "x").await;
    let json = server.ingest("", "application/json", "[{").await;
    let keyed = async |key: &str, body: &'static str| {
        let request = Request::post("/api/v1/ingest").header(header::CONTENT_TYPE, "text/plain");
        let request = request.header("Idempotency-Key", key);
        server.send(admin().sign(request).body(Body::from(body)).unwrap()).await
    };
    assert_eq!(keyed("k", "one").await.status, 200);
    let limits = json!({"name": "slow", "role": "ingest", "limits": {"messages_per_second": 1}});
    let token = server.post("/api/v1/tokens", &limits).await.json()["token"].as_str().unwrap().to_owned();
    let slow = As { token: Some(token), ..As::default() };
    let many = loop {
        let answer =
            server.call(Method::POST, "/api/v1/ingest", &slow, "text/plain", "a\n".repeat(100)).await;
        if answer.status != 200 {
            break answer;
        }
    };
    BTreeSet::from([
        check(&none, "messages-refused", 400, ""),
        check(&nowhere, "unknown-logspace", 404, "logspace"),
        check(&xml, "unsupported-media-type", 415, ""),
        check(&json, "invalid-body", 400, ""),
        check(&keyed(&"k".repeat(256), "one").await, "invalid-header", 400, "Idempotency-Key"),
        check(&keyed("k", "two").await, "key-reused", 422, ""),
        check(&many, "rate-limited", 429, ""),
    ])
}

/// The router document, and what depends on it.
async fn of_the_router(server: &Server) -> BTreeSet<&'static str> {
    const TOML: &str = "application/toml";
    let apply = async |document: &str| {
        let answer = server.put_router("*", TOML, document.to_owned()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let mut names = BTreeSet::from([
        check(&server.put_router("\"x\"", TOML, ROUTER.to_owned()).await, "invalid-header", 400, "If-Match"),
        check(&server.put_router("\"99\"", TOML, ROUTER.to_owned()).await, "stale-revision", 412, ""),
    ]);
    let wrong = server.put_router("*", TOML, ROUTER.replace("to = [\"main\"]", "to = [\"mian\"]")).await;
    names.insert(check(&wrong, "invalid-document", 422, "routes[0].to[0]"));

    let csv =
        server.call(Method::PUT, "/api/v1/lookups/a.csv", &admin(), "text/csv", "host,owner\na,b\n").await;
    assert_eq!(csv.status, 204, "{}", csv.text());
    let stored = server.get("/api/v1/lookups/a.csv").await;
    assert_eq!((stored.status.as_u16(), stored.text().as_str()), (200, "host,owner\na,b\n"));
    let siem = "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:9\"\n";
    let lookup = "steps = [{ lookup = \"a.csv\", key = \"host\", set = [\"owner\"] }]\n";
    apply(&format!("{ROUTER}{lookup}{siem}")).await;
    let used = server.call(Method::DELETE, "/api/v1/lookups/a.csv", &admin(), "", "").await;
    names.insert(check(&used, "in-use", 409, ""));
    let fewer = server.post("/api/v1/destinations/siem/discard", &json!({"messages": 5})).await;
    names.insert(check(&fewer, "fewer-messages", 409, "messages"));

    let off = ROUTER.replace("kind = \"http\"", "kind = \"http\"\nenabled = false");
    apply(&format!("{off}{siem}enabled = false\n")).await;
    let replay = server.post("/api/v1/destinations/siem/replay", &json!({"query": "*"})).await;
    names.insert(check(&replay, "destination-disabled", 409, ""));
    let source = server.ingest("", "text/plain", "x").await;
    names.insert(check(&source, "source-disabled", 503, ""));
    apply(&ROUTER.replace("[[sources]]\nid = \"http\"\nkind = \"http\"\n", "")).await;
    let none = server.ingest("", "text/plain", "x").await;
    names.insert(check(&none, "no-http-source", 409, ""));

    let request = Request::put("/api/v1/router?confirm_within=10m").header(header::IF_MATCH, "*");
    let request = admin().sign(request.header(header::CONTENT_TYPE, TOML));
    assert_eq!(server.send(request.body(Body::from(ROUTER)).unwrap()).await.status, 200);
    let retention = json!({"retention": {"age": "1d"}});
    let waits = server.json(Method::PUT, "/api/v1/logspaces/main", &admin(), &retention).await;
    names.insert(check(&waits, "awaits-confirmation", 409, ""));
    names
}

async fn of_the_first_minutes() -> BTreeSet<&'static str> {
    let empty = Server::start(|_| {});
    let setup = json!({"code": "WRONG", "name": "eve", "password": "battery staple 7"});
    let wrong = empty.json(Method::POST, "/api/v1/setup", &As::default(), &setup).await;
    let strict = Server::start(|settings| settings.accounts.second_factor = vec![AccountRole::Admin]);
    strict.add_user("ada", Role::Admin);
    let session = strict.log_in("ada").await;
    let users = strict.call(Method::GET, "/api/v1/users", &session, "", "").await;
    BTreeSet::from([
        check(&wrong, "wrong-setup-code", 403, "code"),
        check(&users, "must-set-up-second-factor", 403, ""),
    ])
}

#[tokio::test]
async fn every_problem_has_its_name_its_status_and_its_part() {
    let server = Server::with_admin();
    let mut names = of_cases(&server).await;
    names.extend(of_callers(&server).await);
    names.extend(of_messages(&server).await);
    names.extend(of_the_router(&server).await);
    names.extend(of_the_first_minutes().await);
    let elsewhere: BTreeSet<&str> = ELSEWHERE.into_iter().chain(OF_FAILURES).collect();
    assert!(names.is_disjoint(&elsewhere), "some are checked here after all");
    names.extend(elsewhere);
    let description = serde_json::to_value(api::openapi()).unwrap();
    let described = description["components"]["schemas"]["ProblemType"]["enum"].as_array().unwrap();
    let described: BTreeSet<&str> = described
        .iter()
        .map(|name| name.as_str().unwrap().strip_prefix("urn:logstead:problem:").unwrap())
        .collect();
    assert_eq!(names, described);
}
