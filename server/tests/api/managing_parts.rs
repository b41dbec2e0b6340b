//! Operators and administrators with a part of the store: the things that they may manage, and those that they may
//! not.
//!
//! Keywords: partial administrator, scope, permissions, router parts.

use crate::in_process;
use crate::ingest_calls as calls;

use calls::Answer;
use calls::Server;
use in_process::TOKEN as ADMIN;
use logstead_accounts::{Grant, NewToken, Role};
use logstead_record::Timestamp;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

impl Server {
    async fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> Answer {
        let authorization = format!("Bearer {token}");
        let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
        self.call(&format!("{method} /api/v1{path}"), &headers, body.to_string()).await
    }

    fn part(&self, name: &str, role: Role, logspaces: &[&str], scope: Option<&str>) -> String {
        let logspaces = Some(logspaces).filter(|ids| !ids.is_empty());
        let logspaces = logspaces.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        let grant = Grant { logspaces, scope: scope.map(str::to_owned) };
        let new = NewToken { name, role, created_by: "test".into(), expires_at: None };
        let (_, secret) = self.meta.add_granted_token(&new, &grant, Timestamp::from_nanos(0)).unwrap();
        secret.reveal().to_owned()
    }

    async fn router(&self) -> String {
        let headers = [("authorization", &*format!("Bearer {ADMIN}"))];
        self.call("GET /api/v1/router?format=toml", &headers, "").await.text()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_manages_the_logspaces_that_are_granted_and_sees_nothing_else_of_the_document() {
    let server = Server::usual();
    let operator = server.part("op", Role::Operator, &["main"], None);
    let week = json!({"retention": {"age": "7d"}});
    let changed = server.json("PUT", "/logspaces/main?comment=less", &operator, &week).await;
    changed.check(200, "\"revision\":2");
    assert_eq!(changed.header("etag"), "\"2\"");
    assert_eq!(changed.json()["changes"].as_array().unwrap().len(), 1, "{}", changed.text());
    let toml = server.router().await;
    assert!(toml.contains("# A comment that stays.") && toml.contains("7d"), "{toml}");
    let revisions = server.json("GET", "/router/revisions", ADMIN, &json!({})).await.json();
    let newest = &revisions["revisions"][0];
    assert_eq!((&newest["author"], &newest["comment"]), (&json!("token:op"), &json!("less")));

    server
        .json("POST", "/logspaces/main/verify", &operator, &json!({}))
        .await
        .check(202, "\"kind\":\"verify\"");
    server
        .json("POST", "/logspaces/main/retention-preview", &operator, &json!({"age": "1d"}))
        .await
        .check(200, "messages");
    for (method, path) in [
        ("PUT", "/logspaces/other"),
        ("POST", "/logspaces/other/verify"),
        ("POST", "/logspaces/other/retention-preview"),
        ("PUT", "/logspaces/not-there"),
    ] {
        server.json(method, path, &operator, &json!({})).await.check(403, "is not granted to token:op");
    }
    for (method, path) in [
        ("GET", "/router"),
        ("PUT", "/router"),
        ("POST", "/router/rollback/1"),
        ("POST", "/router/confirm"),
        ("POST", "/destinations/x/discard"),
        ("PUT", "/lookups/x"),
        ("GET", "/router/status"),
    ] {
        server.json(method, path, &operator, &json!({})).await.check(403, "may see only part of the store");
    }
    assert_eq!(
        server.json("GET", "/logspaces", &operator, &json!({})).await.json()["logspaces"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_logspace_is_changed_as_a_document_is() {
    let server = Server::usual();
    let operator = server.part("op", Role::Operator, &["main"], None);
    let put = async |body: Value| server.json("PUT", "/logspaces/main", &operator, &body).await;
    put(json!({"retention": {"age": "soon"}})).await.check(422, "logspaces[0].retention.age");
    put(json!({"retenton": {}})).await.check(400, "retenton");
    put(json!({"id": "other"})).await.check(400, "unknown field `id`");
    put(json!({"durability": "os"})).await.check(200, "\"revision\":2");
    put(json!({"durability": "os"})).await.check(200, "\"revision\":2");
    // Keys that are left out get their defaults again.
    put(json!({})).await.check(200, "\"revision\":3");
    let toml = server.router().await;
    assert!(!toml.contains("\"os\""), "{toml}");
    let headers = |tag: &'static str| [("content-type", "application/json"), ("if-match", tag)];
    let authorization = format!("Bearer {operator}");
    for (tag, status) in [("\"2\"", 412), ("\"3\"", 200), ("*", 200)] {
        let headers = [&headers(tag)[..], &[("authorization", &authorization)]].concat();
        let answer = server.call("PUT /api/v1/logspaces/main", &headers, "{}").await;
        assert_eq!(answer.status.as_u16(), status, "{tag}: {}", answer.text());
    }
    server.json("PUT", "/logspaces/not-there", ADMIN, &json!({})).await.check(404, "no logspace `not-there`");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sees_only_what_a_filter_leaves_of_a_logspace_does_not_manage_it() {
    let server = Server::usual();
    server
        .post(
            "/api/v1/ingest",
            ADMIN,
            "application/json",
            r#"[{"host":"a","message":"m"},{"host":"b","message":"m"}]"#,
        )
        .await
        .check(200, "2");
    let operator = server.part("op", Role::Operator, &["main"], Some("host:a"));
    for (method, path) in [
        ("PUT", "/logspaces/main"),
        ("POST", "/logspaces/main/verify"),
        ("POST", "/logspaces/main/retention-preview"),
    ] {
        server.json(method, path, &operator, &json!({})).await.check(403, "may see only part");
    }
    server.json("POST", "/count", &operator, &json!({"query": "*"})).await.check(200, "\"count\":1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_administrator_of_a_part_manages_accounts_within_it() {
    let server = Server::usual();
    let admin = server.part("part", Role::Admin, &["main"], Some("host:a"));
    let user = |name: &str, role: &str, logspaces: Value, scope: Value| json!({"name": name, "role": role, "logspaces": logspaces, "scope": scope, "password": PASSWORD});
    let main = json!(["main"]);
    for (name, role, scope) in
        [("ana", "analyst", "host:a"), ("op", "operator", "host:a AND user:x"), ("adm", "admin", "host:a")]
    {
        server
            .json("POST", "/users", &admin, &user(name, role, main.clone(), json!(scope)))
            .await
            .check(201, name);
    }
    for (name, logspaces, scope) in [
        ("x1", Value::Null, json!("host:a")),
        ("x3", main.clone(), Value::Null),
        ("x4", main.clone(), json!("host:b")),
        ("x5", main.clone(), json!("host:a OR host:b")),
    ] {
        let refused = server
            .json("POST", "/users", &admin, &user(name, "analyst", logspaces.clone(), scope.clone()))
            .await;
        refused.check(403, "this grants more of the store than token:part has");
        let token = json!({"name": name, "role": "analyst", "logspaces": logspaces, "scope": scope});
        server.json("POST", "/tokens", &admin, &token).await.check(403, "more of the store");
    }
    // The caller does not learn the names of other logspaces.
    let beyond = user("x2", "analyst", json!(["main", "other"]), json!("host:a"));
    let refused = server.json("POST", "/users", &admin, &beyond).await;
    refused.check(422, "there is no logspace `other` to grant: there are main");
    let shipper = json!({"name": "shipper", "role": "ingest", "logspaces": ["main"]});
    server.json("POST", "/tokens", &admin, &shipper).await.check(403, "may go to any part of the store");

    // Adds an unlimited user, and a user of another part.
    let hash = logstead_accounts::password::hash(PASSWORD).unwrap();
    server.meta.add_user("root", Role::Admin, &hash, Timestamp::from_nanos(0)).unwrap();
    let other = user("far", "analyst", json!(["other"]), Value::Null);
    server.json("POST", "/users", ADMIN, &other).await.check(201, "far");
    let names = |answer: &Value, of: &str| -> Vec<String> {
        answer[of].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let seen = server.json("GET", "/users", &admin, &json!({})).await.json();
    assert_eq!(names(&seen, "users"), ["adm", "ana", "op"]);
    for name in ["root", "far"] {
        let change = json!({"role": "analyst", "logspaces": ["main"], "scope": "host:a"});
        for (method, path, body) in [
            ("PUT", format!("/users/{name}"), &change),
            ("DELETE", format!("/users/{name}"), &json!({})),
            ("PUT", format!("/users/{name}/password"), &json!({"password": "another horse battery"})),
            ("POST", format!("/users/{name}/disable"), &json!({})),
            ("POST", format!("/users/{name}/enable"), &json!({})),
            ("GET", format!("/users/{name}/sessions"), &json!({})),
            ("DELETE", format!("/users/{name}/sessions"), &json!({})),
            ("DELETE", format!("/users/{name}/sessions/1"), &json!({})),
            ("DELETE", format!("/users/{name}/totp"), &json!({})),
        ] {
            server.json(method, &path, &admin, body).await.check(403, "more of the store than token:part");
        }
    }
    let wider = json!({"role": "analyst", "logspaces": null, "scope": null});
    server.json("PUT", "/users/ana", &admin, &wider).await.check(403, "more of the store");
    let narrower = json!({"role": "operator", "logspaces": ["main"], "scope": "host:a severity>=err"});
    server.json("PUT", "/users/ana", &admin, &narrower).await.check(200, "operator");
    server.json("POST", "/users/ana/disable", &admin, &json!({})).await.check(204, "");
    server.json("DELETE", "/users/ana", &admin, &json!({})).await.check(204, "");

    let (id, _) = server.token("wide", Role::Analyst);
    let own = json!({"name": "own", "role": "analyst", "logspaces": ["main"], "scope": "host:a"});
    let made = server.json("POST", "/tokens", &admin, &own).await.json();
    let seen = server.json("GET", "/tokens", &admin, &json!({})).await.json();
    let mut tokens = names(&seen, "tokens");
    tokens.sort_unstable();
    assert_eq!(tokens, ["own", "part"]);
    for (method, path) in [("DELETE", format!("/tokens/{id}")), ("POST", format!("/tokens/{id}/rotate"))] {
        server
            .json(method, &path, &admin, &json!({}))
            .await
            .check(403, "the token wide has access to more of the store");
    }
    server.json("DELETE", &format!("/tokens/{}", made["id"]), &admin, &json!({})).await.check(204, "");
    for (method, path) in [("GET", "/audit"), ("POST", "/retention/resume"), ("PUT", "/router")] {
        server.json(method, path, &admin, &json!({})).await.check(403, "may see only part of the store");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_administrator_of_everything_stays_one() {
    let server = Server::usual();
    let hash = logstead_accounts::password::hash(PASSWORD).unwrap();
    let add = |name: &str, grant: &Grant| {
        server.meta.add_granted_user(name, Role::Admin, grant, &hash, Timestamp::from_nanos(0)).unwrap();
    };
    add("root", &Grant::default());
    let part = Grant { logspaces: Some(vec!["main".to_owned()]), scope: None };
    add("part", &part);
    let narrow = json!({"role": "admin", "logspaces": ["main"], "scope": null});
    server.json("PUT", "/users/root", ADMIN, &narrow).await.check(409, "last administrator");
    server.json("DELETE", "/users/root", ADMIN, &json!({})).await.check(409, "last administrator");
    server.json("DELETE", "/users/part", ADMIN, &json!({})).await.check(204, "");
    add("second", &Grant::default());
    server.json("PUT", "/users/root", ADMIN, &narrow).await.check(200, "main");
}
