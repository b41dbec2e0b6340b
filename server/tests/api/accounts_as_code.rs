//! Tokens, users and saved searches that a program keeps as its configuration says.
//!
//! Keywords: terraform, declarative, PATCH, merge patch, Location, token update, idempotent PUT.

use super::calls::{Answer, As, Server, admin};
use crate::support;
use axum::http::{Method, StatusCode};
use logstead_accounts::{Grant, NewToken, Role};
use logstead_record::Timestamp;
use serde_json::{Value, json};

const TOKENS: &str = "/api/v1/tokens";

async fn patch(server: &Server, path: &str, body: Value) -> Answer {
    server.json(Method::PATCH, path, &admin(), &body).await
}

async fn audited(server: &Server, action: &str) -> Vec<String> {
    let found = server.get(&format!("/api/v1/audit?query=action:{action}")).await.json();
    let entries = found["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["detail"].as_str().unwrap().to_owned()).collect()
}

/// Creates a token; returns its address and the caller who has it.
async fn token(server: &Server, body: Value) -> (String, As) {
    let created = server.post(TOKENS, &body).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
    let secret = created.json()["token"].as_str().unwrap().to_owned();
    (created.header("location").to_owned(), As { token: Some(secret), ..As::default() })
}

#[tokio::test]
async fn a_token_is_changed_part_by_part_and_keeps_its_secret() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "one").await;
    let (address, holder) = token(&server, json!({"name": "ci", "role": "analyst", "scope": "host:a"})).await;
    assert_eq!(server.get(&address).await.json()["scope"], "host:a");
    let named = server.get(&format!("{TOKENS}?name=ci")).await.json();
    assert_eq!(named["tokens"], json!([server.get(&address).await.json()]));
    assert_eq!(server.get(&format!("{TOKENS}?name=other")).await.json()["tokens"], json!([]));

    let count =
        async || server.call(Method::GET, "/api/v1/count", &holder, "", "").await.json()["count"].clone();
    assert_eq!(count().await, 0);
    let change =
        json!({"name": "build", "scope": null, "logspaces": ["main"], "expires_at": "2199-01-01T00:00:00Z"});
    let changed = patch(&server, &address, change).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    let changed = changed.json();
    assert_eq!(changed, server.get(&address).await.json());
    assert_eq!((&changed["name"], &changed["scope"]), (&json!("build"), &Value::Null));
    assert_eq!((&changed["logspaces"], changed["expires_at"].is_string()), (&json!(["main"]), true));
    assert_eq!(count().await, 1, "the secret stays");

    let limits = json!({"limits": {"body_bytes": 1000, "bytes_per_second": 50}});
    patch(&server, &address, limits).await;
    let left = patch(&server, &address, json!({"limits": {"bytes_per_second": null}})).await.json();
    assert_eq!(left["limits"], json!({"body_bytes": 1000}));
    assert_eq!(left["name"], "build", "what is left out stays");
    let all =
        patch(&server, &address, json!({"limits": null, "expires_at": null, "logspaces": null})).await.json();
    assert_eq!(
        (&all["limits"], &all["expires_at"], &all["logspaces"]),
        (&json!({}), &Value::Null, &Value::Null)
    );

    let done = audited(&server, "token.change").await;
    assert_eq!(done.len(), 4, "{done:?}");
    assert!(done.iter().any(|text| text.contains("ci, role analyst, scope host:a; now build")), "{done:?}");
    patch(&server, &address, json!({})).await;
    patch(&server, &address, json!({"name": "build"})).await;
    assert_eq!(audited(&server, "token.change").await.len(), 4, "nothing was changed");
}

#[tokio::test]
async fn a_change_of_a_token_is_checked_like_a_new_one() {
    let server = Server::with_admin();
    let (address, _) = token(&server, json!({"name": "ci", "role": "analyst"})).await;
    token(&server, json!({"name": "taken", "role": "analyst"})).await;
    let (shipper, _) = token(&server, json!({"name": "shipper", "role": "ingest"})).await;
    for (path, body, status, expected) in [
        (&address, json!({"name": "taken"}), 409, "already a token"),
        (&address, json!({"name": "Not A Name"}), 422, "lower"),
        (&address, json!({"name": null}), 400, "null"),
        (&address, json!({"role": "admin"}), 400, "role"),
        (&address, json!({"logspaces": ["mian"]}), 422, "no logspace `mian`"),
        (&address, json!({"scope": "(a"}), 400, "scope"),
        (&address, json!({"expires_at": "1999-01-01T00:00:00Z"}), 422, "in the past"),
        (&address, json!({"limits": {"body_bytes": 0}}), 422, "limit of 0"),
        (&shipper, json!({"scope": "host:a"}), 422, "cannot search"),
        (&format!("{TOKENS}/999"), json!({}), 404, "no token 999"),
    ] {
        patch(&server, path, body).await.is_problem(status, expected);
    }
    let zero = patch(&server, &address, json!({"limits": {"body_bytes": 0}})).await.json();
    assert_eq!(zero["path"], "limits.body_bytes");
}

#[tokio::test]
async fn an_administrator_of_a_part_changes_and_reads_only_accounts_within_it() {
    let server = Server::with_admin();
    let (wide, _) = token(&server, json!({"name": "wide", "role": "analyst"})).await;
    let (narrow, _) =
        token(&server, json!({"name": "narrow", "role": "analyst", "logspaces": ["main"]})).await;
    server.add_user("bo", Role::Analyst);
    let new = NewToken { name: "part", role: Role::Admin, created_by: "test".into(), expires_at: None };
    let grant = Grant { logspaces: Some(vec!["main".to_owned()]), scope: None };
    let (_, secret) = server.meta.add_granted_token(&new, &grant, Timestamp::from_nanos(0)).unwrap();
    let part = As { token: Some(secret.reveal().to_owned()), ..As::default() };
    for path in [wide.as_str(), "/api/v1/users/bo"] {
        server.call(Method::GET, path, &part, "", "").await.is_problem(403, "more of the store");
        server.json(Method::PATCH, path, &part, &json!({})).await.is_problem(403, "more of the store");
    }
    let taken =
        json!({"role": "analyst", "logspaces": ["main"], "scope": null, "password": "battery staple 7"});
    server.json(Method::PUT, "/api/v1/users/bo", &part, &taken).await.is_problem(403, "more of the store");
    let more = json!({"logspaces": null});
    server.json(Method::PATCH, &narrow, &part, &more).await.is_problem(403, "this grants more");
    let less = server.json(Method::PATCH, &narrow, &part, &json!({"scope": "host:a"})).await;
    assert_eq!(less.json()["scope"], "host:a", "{}", less.text());
}

#[tokio::test]
async fn a_user_is_created_or_changed_by_the_same_request() {
    let server = Server::with_admin();
    let path = "/api/v1/users/bo";
    let put = async |body: &Value| server.json(Method::PUT, path, &admin(), body).await;
    let rights = json!({"role": "analyst", "logspaces": null, "scope": "host:a"});
    put(&rights).await.is_problem(404, "send a password");
    let mut whole = rights.clone();
    whole["password"] = json!("battery staple 7");
    let created = put(&whole).await;
    assert_eq!(
        (created.status, created.header("location")),
        (StatusCode::CREATED, path),
        "{}",
        created.text()
    );
    let login = async |password: &str| {
        let login = json!({"name": "bo", "password": password});
        server.json(Method::POST, "/api/v1/session", &As::default(), &login).await
    };
    let session = login("battery staple 7").await.session();
    let before = server.get("/api/v1/audit").await.json()["entries"].as_array().unwrap().len();
    let again = put(&whole).await;
    assert_eq!((again.status, again.json()), (StatusCode::OK, server.get(path).await.json()));
    let entries = server.get("/api/v1/audit").await.json()["entries"].as_array().unwrap().len();
    assert_eq!(entries, before, "the same again changes nothing");
    let account = async || server.call(Method::GET, "/api/v1/account", &session, "", "").await.status;
    assert_eq!(account().await, StatusCode::OK, "and ends no session");

    let patched = patch(&server, path, json!({"role": "operator", "scope": null})).await.json();
    assert_eq!((&patched["role"], &patched["scope"]), (&json!("operator"), &Value::Null));
    patch(&server, path, json!({"role": "ingest"})).await.is_problem(422, "tokens");
    patch(&server, "/api/v1/users/ada", json!({"role": "analyst"}))
        .await
        .is_problem(409, "last administrator");
    patch(&server, "/api/v1/users/nobody", json!({})).await.is_problem(404, "no user");
    assert_eq!(audited(&server, "user.change").await.len(), 1);

    whole["password"] = json!("another staple 8");
    assert_eq!(put(&whole).await.status, StatusCode::OK);
    assert_eq!(account().await, StatusCode::UNAUTHORIZED, "another password ends the sessions");
    assert_eq!(login("another staple 8").await.status, StatusCode::OK);
    assert_eq!(audited(&server, "user.password").await, ["bo"]);
    let own = server.log_in("ada").await;
    let mine = json!({"role": "admin", "logspaces": null, "scope": null, "password": "another staple 8"});
    let refused = server.json(Method::PUT, "/api/v1/users/ada", &own, &mine).await;
    refused.is_problem(422, "your own password");
}

#[tokio::test]
async fn what_is_created_says_where_it_is() {
    let server = Server::with_admin();
    let user = json!({"name": "cy", "role": "analyst", "password": "battery staple 7"});
    let search = json!({"name": "s", "shared": true, "query": "error"});
    for (path, body, name) in [("/api/v1/users", user, "cy"), ("/api/v1/saved-searches", search, "s")] {
        let created = server.post(path, &body).await;
        assert_eq!(created.status, StatusCode::CREATED, "{}", created.text());
        let found = server.get(created.header("location")).await;
        assert_eq!((found.status, &found.json()["name"]), (StatusCode::OK, &json!(name)), "{}", found.text());
    }
    let (address, _) = token(&server, json!({"name": "ci", "role": "analyst"})).await;
    let rotated = server.post(&format!("{address}/rotate"), &json!({})).await;
    assert_eq!(rotated.header("location"), address);
    server.get("/api/v1/saved-searches/99").await.is_problem(404, "no saved search 99");
}

#[test]
fn the_command_shows_and_changes_a_token_of_a_running_server() {
    let server = support::Server::start(support::ROUTER);
    assert_eq!(server.post("/tokens", &json!({"name": "ci", "role": "analyst"})).0, 201);
    let run = |arguments: &[&str]| {
        let at = ["--server", server.web(), "--token", support::TOKEN];
        let (code, out, errors) = support::output(&[&["token"], arguments, &at].concat());
        (code, serde_json::from_str::<Value>(&out).unwrap_or_default(), errors)
    };
    let (code, changed, errors) = run(&["update", "ci", "--scope", "host:a", "--body-bytes", "1000"]);
    assert_eq!((code, &changed["scope"]), (0, &json!("host:a")), "{errors}");
    assert_eq!(changed["limits"], json!({"body_bytes": 1000}));
    assert_eq!(run(&["show", "ci"]).1, changed);
    assert_eq!(run(&["show", &changed["id"].to_string()]).1, changed);
    let (code, changed, errors) = run(&["update", "ci", "--no-scope", "--no-limits", "--rename", "build"]);
    assert_eq!((code, &changed["scope"], &changed["limits"]), (0, &Value::Null, &json!({})), "{errors}");
    let (code, _, errors) = run(&["show", "ci"]);
    assert!(code == 1 && errors.contains("no token `ci`"), "{errors}");
    let (code, _, errors) = run(&["update", "build"]);
    assert!(code == 1 && errors.contains("say what to change"), "{errors}");
}
