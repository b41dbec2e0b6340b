//! Every endpoint in the description and for other systems, called by every kind of caller: a new endpoint is
//! included automatically.
//!
//! Keywords: token permissions, ingest token, 401, 403.

use super::calls::Answer;
use super::calls::Server;
use crate::in_process::TOKEN as ADMIN;
use logstead_accounts::{Grant, NewToken, Role};
use logstead_api::{ecosystem, openapi};
use logstead_record::Timestamp;
use serde_json::Value;

const SECRET: &str = "tell-nobody-4711";

/// The rights that an endpoint requires.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Needs {
    Nothing,
    Ingest,
    Session,
    /// This role, with any grant.
    Role(Role),
    /// This role, with a grant of everything.
    Everything(Role),
}

/// The method of each endpoint, its path with values for its variables, and the required rights.
fn endpoints() -> Vec<(String, String, Needs)> {
    let api = openapi();
    let mut all = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if let "get" | "post" | "put" | "delete" | "patch" = method.as_str() {
                all.push((method.to_uppercase(), filled(path), needs(operation)));
            }
        }
    }
    for (method, path, is_public) in ecosystem() {
        all.push((method.to_owned(), filled(path), if is_public { Needs::Nothing } else { Needs::Ingest }));
    }
    assert!(120 < all.len(), "{} endpoints", all.len());
    all
}

fn filled(path: &str) -> String {
    let path = path.replace("/logspaces/{id}", "/logspaces/main");
    let parts = path.split('/').map(|part| match part {
        "{id}" | "{n}" | "{number}" => "987654",
        part if part.starts_with('{') => "unknown",
        part => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn needs(operation: &Value) -> Needs {
    let Some(says) = operation["responses"]["403"]["description"].as_str() else {
        assert_eq!(operation["security"], serde_json::json!([]), "{operation}");
        return Needs::Nothing;
    };
    let of = |role: Role| match says.contains(", and access to the whole store") {
        true => Needs::Everything(role),
        false => Needs::Role(role),
    };
    match says.split(',').next().unwrap() {
        "Needs the role analyst" => of(Role::Analyst),
        "Needs the role operator" => of(Role::Operator),
        "Needs the role admin" => of(Role::Admin),
        "Needs access to the whole store" => Needs::Everything(Role::Analyst),
        "Needs the role ingest" => Needs::Ingest,
        "Needs a user's session" => Needs::Session,
        other => panic!("{other}: say here who may"),
    }
}

/// Whether a token with this role may call an endpoint, with a grant of everything or of one logspace.
fn may(role: Role, is_whole: bool, needs: Needs) -> bool {
    match needs {
        Needs::Nothing => true,
        Needs::Ingest => role == Role::Ingest || is_whole,
        // These callers have tokens, not sessions.
        Needs::Session => false,
        Needs::Role(needed) => needed <= role,
        Needs::Everything(needed) => needed <= role && is_whole,
    }
}

fn token_of(server: &Server, name: &str, role: Role, grant: &Grant) -> String {
    let new = NewToken { name, role, created_by: "test".into(), expires_at: None };
    let (_, secret) = server.meta.add_granted_token(&new, grant, Timestamp::from_nanos(0)).unwrap();
    secret.reveal().to_owned()
}

async fn ask(server: &Server, (method, path): (&str, &str), token: Option<&str>) -> Answer {
    let authorization = token.map(|token| format!("Bearer {token}"));
    let mut headers = vec![("content-type", "application/json"), ("accept", "application/json")];
    headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
    server.call(&format!("{method} {path}"), &headers, "{}").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_may_do_at_every_endpoint_what_its_description_says_and_no_more() {
    let server = Server::usual();
    let line = format!("{{\"message\":\"{SECRET}\"}}\n");
    server.post("/api/v1/ingest", ADMIN, "application/x-ndjson", line).await.check(200, "\"accepted\":1");
    let roles = [Role::Ingest, Role::Analyst, Role::Operator, Role::Admin];
    let mut holders = roles.map(|role| (role, true, server.token(&format!("a-{role}"), role).1)).to_vec();
    // One grant is of a logspace that has none of the messages, the other of the logspace that has some, but with a
    // scope that hides them.
    let other = Grant { logspaces: Some(vec!["other".to_owned()]), scope: None };
    let elsewhere = Grant { logspaces: None, scope: Some("host:elsewhere".to_owned()) };
    let limited: Vec<String> = [Role::Analyst, Role::Operator, Role::Admin]
        .into_iter()
        .flat_map(|role| [(role, &other), (role, &elsewhere)])
        .enumerate()
        .map(|(number, (role, grant))| token_of(&server, &format!("limited-{number}"), role, grant))
        .collect();
    let main = Grant { logspaces: Some(vec!["main".to_owned()]), scope: None };
    for role in [Role::Analyst, Role::Operator, Role::Admin] {
        holders.push((role, false, token_of(&server, &format!("main-{role}"), role, &main)));
    }
    let expired = {
        let expires_at = Some(Timestamp::from_nanos(5));
        let new = NewToken { name: "expired", role: Role::Admin, created_by: "test".into(), expires_at };
        let (_, secret) =
            server.meta.add_granted_token(&new, &Grant::default(), Timestamp::from_nanos(0)).unwrap();
        secret.reveal().to_owned()
    };
    let (id, revoked) = server.token("revoked", Role::Admin);
    server.meta.remove_token(id).unwrap();
    let mut wrong = Vec::new();
    for (method, path, needs) in endpoints() {
        let asked = (method.as_str(), path.as_str());
        let nobody =
            [("nobody", None), ("expired", Some(expired.as_str())), ("revoked", Some(revoked.as_str()))];
        for (who, token) in nobody {
            let answer = ask(&server, asked, token).await;
            // Splunk has its own code for an invalid token, with status 403. An endpoint without required rights
            // ignores the token.
            let is_refused = matches!(answer.status.as_u16(), 401 | 403);
            if is_refused != (needs != Needs::Nothing) && !path.contains("/session") {
                wrong.push(format!("{who} {method} {path}: {} where {needs:?} is needed", answer.status));
            }
            if answer.text().contains(SECRET) {
                wrong.push(format!("{who} {method} {path} tells a message"));
            }
        }
        for token in &limited {
            let answer = ask(&server, asked, Some(token)).await;
            if answer.text().contains(SECRET) {
                wrong.push(format!("{method} {path} tells a message to somebody who may not see it"));
            }
        }
        for (role, is_whole, token) in &holders {
            let answer = ask(&server, asked, Some(token)).await;
            let is_refused = answer.status.as_u16() == 403 || answer.status.as_u16() == 401;
            // Every user may change the own password.
            let is_others = path.ends_with("/password") && *role < Role::Admin;
            if is_refused == may(*role, *is_whole, needs) && !is_others {
                let of = if *is_whole { "everything" } else { "a part" };
                wrong.push(format!(
                    "{role} of {of} {method} {path}: {} where {needs:?} is needed",
                    answer.status
                ));
            }
            if *role == Role::Ingest && answer.text().contains(SECRET) {
                wrong.push(format!("a token that may only send reads a message: {method} {path}"));
            }
            if path.starts_with("/_") && answer.header("x-elastic-product") != "Elasticsearch" {
                wrong.push(format!("{role} {method} {path} has no X-Elastic-Product"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_gets_the_console_and_a_shipper_the_version() {
    let server = Server::usual();
    let browser = server.call("GET /", &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")], "").await;
    assert!(browser.header("content-type").starts_with("text/html"), "{}", browser.text());
    for accept in ["*/*", "application/json", "*/*"] {
        let shipper = server
            .call(
                "GET /",
                &[
                    ("accept", accept),
                    ("authorization", "ApiKey a"),
                    ("user-agent", "Filebeat/8.11.3 (linux)"),
                ],
                "",
            )
            .await;
        assert_eq!(shipper.json()["version"]["number"], "8.11.3");
        assert_eq!(shipper.header("x-elastic-product"), "Elasticsearch");
    }
    let head = server.call("HEAD /", &[], "").await;
    assert_eq!((head.status.as_u16(), head.header("x-elastic-product")), (200, "Elasticsearch"));
}
