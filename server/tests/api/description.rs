//! The description of the API, and the callers that may use each of its operations.
//!
//! Keywords: openapi, permissions, roles, routes.

use super::calls::{As, PASSWORD, Server};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use logstead_accounts::Role;
use logstead_api as api;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Every route, with the role that it needs.
pub(super) const ROUTES: &[(&str, &str, Option<Role>)] = &[
    ("GET", "/healthz", None),
    ("GET", "/readyz", None),
    ("GET", "/api/v1/session", None),
    ("POST", "/api/v1/session", None),
    ("DELETE", "/api/v1/session", None),
    ("POST", "/api/v1/setup", None),
    ("GET", "/api/v1/oidc/{id}/login", None),
    ("GET", "/api/v1/oidc/{id}/callback", None),
    ("GET", "/api/v1/account", Some(Role::Analyst)),
    ("GET", "/api/v1/account/sessions", Some(Role::Analyst)),
    ("DELETE", "/api/v1/account/sessions", Some(Role::Analyst)),
    ("DELETE", "/api/v1/account/sessions/{id}", Some(Role::Analyst)),
    ("GET", "/api/v1/account/preferences", Some(Role::Analyst)),
    ("PUT", "/api/v1/account/preferences", Some(Role::Analyst)),
    ("POST", "/api/v1/account/totp", Some(Role::Analyst)),
    ("PUT", "/api/v1/account/totp", Some(Role::Analyst)),
    ("POST", "/api/v1/account/totp/remove", Some(Role::Analyst)),
    ("POST", "/api/v1/account/recovery-codes", Some(Role::Analyst)),
    ("GET", "/metrics", Some(Role::Analyst)),
    ("GET", "/api/v1/openapi.json", None),
    ("POST", "/api/v1/search", Some(Role::Analyst)),
    ("GET", "/api/v1/search", Some(Role::Analyst)),
    ("POST", "/api/v1/count", Some(Role::Analyst)),
    ("GET", "/api/v1/count", Some(Role::Analyst)),
    ("POST", "/api/v1/histogram", Some(Role::Analyst)),
    ("GET", "/api/v1/histogram", Some(Role::Analyst)),
    ("POST", "/api/v1/facets", Some(Role::Analyst)),
    ("GET", "/api/v1/facets", Some(Role::Analyst)),
    ("POST", "/api/v1/fields", Some(Role::Analyst)),
    ("POST", "/api/v1/aggregate", Some(Role::Analyst)),
    ("GET", "/api/v1/aggregate", Some(Role::Analyst)),
    ("POST", "/api/v1/explain", Some(Role::Analyst)),
    ("POST", "/api/v1/overview", Some(Role::Analyst)),
    ("GET", "/api/v1/tail", Some(Role::Analyst)),
    ("GET", "/api/v1/changes", Some(Role::Analyst)),
    ("GET", "/api/v1/export", Some(Role::Analyst)),
    ("GET", "/api/v1/messages/{id}", Some(Role::Analyst)),
    ("GET", "/api/v1/messages/{id}/context", Some(Role::Analyst)),
    ("POST", "/api/v1/complete", Some(Role::Analyst)),
    ("POST", "/api/v1/query", Some(Role::Analyst)),
    ("POST", "/api/v1/ingest", Some(Role::Analyst)),
    ("GET", "/api/v1/logspaces", Some(Role::Analyst)),
    ("GET", "/api/v1/router/status", Some(Role::Analyst)),
    ("GET", "/api/v1/flow", Some(Role::Analyst)),
    ("DELETE", "/api/v1/senders", Some(Role::Operator)),
    ("GET", "/api/v1/senders", Some(Role::Analyst)),
    ("GET", "/api/v1/about", Some(Role::Analyst)),
    ("GET", "/api/v1/certificates", Some(Role::Analyst)),
    ("GET", "/api/v1/settings", Some(Role::Admin)),
    ("GET", "/api/v1/support-report", Some(Role::Admin)),
    ("GET", "/api/v1/senders/{source}/{host}/frames", Some(Role::Analyst)),
    ("GET", "/api/v1/senders/{source}/{host}/skipped", Some(Role::Operator)),
    ("DELETE", "/api/v1/senders/{source}/{host}", Some(Role::Operator)),
    ("PUT", "/api/v1/senders/{source}/{host}/timezone", Some(Role::Operator)),
    ("PUT", "/api/v1/users/{name}/password", Some(Role::Analyst)),
    ("GET", "/api/v1/router", Some(Role::Analyst)),
    ("PUT", "/api/v1/router", Some(Role::Operator)),
    ("POST", "/api/v1/router/validate", Some(Role::Analyst)),
    ("GET", "/api/v1/router/revisions", Some(Role::Analyst)),
    ("GET", "/api/v1/router/revisions/{revision}", Some(Role::Analyst)),
    ("GET", "/api/v1/router/diff", Some(Role::Analyst)),
    ("POST", "/api/v1/router/rollback/{revision}", Some(Role::Operator)),
    ("POST", "/api/v1/router/confirm", Some(Role::Operator)),
    ("POST", "/api/v1/router/test", Some(Role::Analyst)),
    ("POST", "/api/v1/router/trace", Some(Role::Analyst)),
    ("GET", "/api/v1/lookups", Some(Role::Analyst)),
    ("GET", "/api/v1/lookups/{name}", Some(Role::Operator)),
    ("PUT", "/api/v1/lookups/{name}", Some(Role::Operator)),
    ("DELETE", "/api/v1/lookups/{name}", Some(Role::Operator)),
    ("GET", "/api/v1/users", Some(Role::Admin)),
    ("POST", "/api/v1/users", Some(Role::Admin)),
    ("GET", "/api/v1/users/{name}", Some(Role::Admin)),
    ("PUT", "/api/v1/users/{name}", Some(Role::Admin)),
    ("PATCH", "/api/v1/users/{name}", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}", Some(Role::Admin)),
    ("POST", "/api/v1/users/{name}/disable", Some(Role::Admin)),
    ("POST", "/api/v1/users/{name}/enable", Some(Role::Admin)),
    ("GET", "/api/v1/users/{name}/sessions", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/sessions", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/sessions/{id}", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/totp", Some(Role::Admin)),
    ("GET", "/api/v1/saved-searches", Some(Role::Analyst)),
    ("POST", "/api/v1/saved-searches", Some(Role::Analyst)),
    ("GET", "/api/v1/saved-searches/{id}", Some(Role::Analyst)),
    ("PUT", "/api/v1/saved-searches/{id}", Some(Role::Analyst)),
    ("DELETE", "/api/v1/saved-searches/{id}", Some(Role::Analyst)),
    ("POST", "/api/v1/saved-searches/{id}/used", Some(Role::Analyst)),
    ("GET", "/api/v1/tokens", Some(Role::Admin)),
    ("POST", "/api/v1/tokens", Some(Role::Admin)),
    ("GET", "/api/v1/tokens/{id}", Some(Role::Admin)),
    ("PATCH", "/api/v1/tokens/{id}", Some(Role::Admin)),
    ("POST", "/api/v1/tokens/{id}/rotate", Some(Role::Admin)),
    ("DELETE", "/api/v1/tokens/{id}", Some(Role::Admin)),
    ("PUT", "/api/v1/logspaces/{id}", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/retention-preview", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/verify", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/reindex", Some(Role::Operator)),
    ("GET", "/api/v1/jobs", Some(Role::Analyst)),
    ("GET", "/api/v1/jobs/{id}", Some(Role::Analyst)),
    ("DELETE", "/api/v1/jobs/{id}", Some(Role::Analyst)),
    ("GET", "/api/v1/jobs/{id}/result", Some(Role::Analyst)),
    ("POST", "/api/v1/exports", Some(Role::Analyst)),
    ("POST", "/api/v1/jobs/{id}/cancel", Some(Role::Analyst)),
    ("POST", "/api/v1/destinations/{id}/pause", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/resume", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/retry", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/discard", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/test", Some(Role::Operator)),
    ("GET", "/api/v1/destinations/{id}/queue", Some(Role::Operator)),
    ("GET", "/api/v1/destinations/{id}/quarantine", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/quarantine/replay", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/quarantine/discard", Some(Role::Operator)),
    ("POST", "/api/v1/destinations/{id}/replay", Some(Role::Operator)),
    ("POST", "/api/v1/retention/resume", Some(Role::Admin)),
    ("GET", "/api/v1/audit", Some(Role::Admin)),
    ("HEAD", "/api/v1/audit", Some(Role::Admin)),
    ("HEAD", "/metrics", Some(Role::Analyst)),
    ("HEAD", "/api/v1/router", Some(Role::Analyst)),
];

pub(super) fn address(path: &str) -> String {
    // Without this parameter, the stream would not end.
    path.replace("/tail", "/tail?last=5000")
        .replace("{id}", "99")
        .replace("{name}", "nobody")
        .replace("{revision}", "1")
}

#[test]
fn the_table_of_routes_is_what_is_documented() {
    let document = api::openapi();
    let mut documented = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let is_protected = operation["security"].as_array().is_some_and(|security| !security.is_empty());
            documented.insert((method.to_uppercase(), path.clone()), is_protected);
            assert!(operation["responses"]["default"].is_object(), "{method} {path} tells its problems");
            assert!(!is_protected || operation["responses"]["401"].is_object(), "{method} {path}");
        }
    }
    let tested = ROUTES.iter().filter(|(method, ..)| *method != "HEAD");
    let tested: BTreeMap<_, _> = tested
        .map(|(method, path, role)| (((*method).to_owned(), (*path).to_owned()), role.is_some()))
        .collect();
    assert_eq!(documented, tested);
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let items = document["paths"].as_object().unwrap().values();
    items.flat_map(|item| item.as_object().unwrap().values())
}

/// Names such as `get_router`, which are methods in generated clients.
#[test]
fn operations_have_names_of_their_own() {
    let document = api::openapi();
    let ids: Vec<_> =
        operations(&document).map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    for id in ids {
        let words: Vec<&str> = id.split('_').collect();
        let is_word = |word: &&str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        assert!(2 <= words.len() && words.iter().all(is_word), "{id} is not a verb and a noun");
        assert!(words[0].chars().all(|c| c.is_ascii_lowercase()), "{id}");
    }
}

#[test]
fn operations_with_a_login_can_be_refused() {
    for operation in operations(&api::openapi()) {
        let (id, security) = (&operation["operationId"], operation["security"].as_array().unwrap());
        for status in ["401", "403"].iter().filter(|_| !security.is_empty()) {
            assert!(operation["responses"][status].is_object(), "{id}: {status}");
        }
    }
}

#[test]
fn tags_say_what_they_are_for() {
    let document = api::openapi();
    let tags = document["tags"].as_array().unwrap().iter();
    let described: BTreeSet<_> = tags
        .filter(|tag| !tag["description"].as_str().unwrap().is_empty())
        .map(|tag| tag["name"].as_str().unwrap())
        .collect();
    let used: BTreeSet<_> = operations(&document)
        .flat_map(|operation| operation["tags"].as_array().unwrap())
        .map(|tag| tag.as_str().unwrap())
        .collect();
    assert_eq!(used, described);
}

/// Generators cannot tell variants apart by what they lack, and add names of their own to `…Response`.
#[test]
fn schemas_are_what_generators_understand() {
    fn look(value: &Value, path: &str) {
        assert!(!value["allOf"].is_array(), "{path}: allOf");
        let of = value["oneOf"].as_array().into_iter().flatten();
        let objects = of.filter(|one| one["type"] == "object" || one["$ref"].is_string()).count();
        assert!(objects < 2 || value["discriminator"].is_object(), "{path}: no discriminator");
        assert!(value["type"].as_array().is_none_or(|types| types.len() <= 2), "{path}: several types");
        assert!(value.get("default").is_none_or(|default| !default.is_null()), "{path}: a default of null");
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| look(value, &format!("{path}/{name}")));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, path)),
            _ => {}
        }
    }
    let document = api::openapi();
    look(&document["paths"], "paths");
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        look(schema, name);
        assert!(!name.ends_with("Response") && !name.starts_with("New"), "{name}");
    }
}

#[tokio::test]
async fn the_description_is_for_everyone_and_is_sent_once() {
    let server = Server::with_admin();
    let ask = async |accepted: &str, known: &str| {
        let request = Request::get("/api/v1/openapi.json").header(header::ACCEPT_ENCODING, accepted);
        server.send(request.header(header::IF_NONE_MATCH, known).body(Body::empty()).unwrap()).await
    };
    let plain = ask("identity", "\"other\"").await;
    assert_eq!(plain.status, StatusCode::OK);
    assert_eq!(plain.json(), api::openapi());
    let gzipped = ask("gzip", "\"other\"").await;
    assert_eq!(gzipped.header("content-encoding"), "gzip");
    assert!(gzipped.body.len() * 4 < plain.body.len());
    let tags = [plain.header("etag"), gzipped.header("etag")];
    assert!(tags[0] != tags[1] && tags.iter().all(|tag| tag.starts_with('"')), "strong: {tags:?}");
    for (accepted, tag) in ["identity", "gzip"].into_iter().zip(tags) {
        let known = ask(accepted, &format!("\"other\", W/{tag}")).await;
        assert_eq!((known.status, known.body.len()), (StatusCode::NOT_MODIFIED, 0));
        assert_eq!((known.header("etag"), known.header("vary")), (tag, "accept-encoding"));
    }
}

#[test]
fn every_reference_of_the_description_leads_somewhere() {
    let document = api::openapi();
    let text = document.to_string();
    let names = text.split("\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap());
    for name in names {
        assert!(document["components"]["schemas"][name].is_object(), "there is no schema {name}");
    }
    assert!(document["components"]["schemas"]["Problem"]["properties"]["detail"].is_object());
}

/// An integer also fits the type `number`.
#[test]
fn no_count_fits_two_schemas_of_which_one_may_fit() {
    fn look(value: &Value, path: &str) {
        let of = |one: &Value| one["type"].as_str().unwrap_or_default().to_owned();
        let types: Vec<String> = value["oneOf"].as_array().into_iter().flatten().map(of).collect();
        let has = |name: &str| types.iter().any(|one| one == name);
        assert!(!has("integer") || !has("number"), "{path}: {types:?}");
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| look(value, &format!("{path}/{name}")));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, path)),
            _ => {}
        }
    }
    look(&api::openapi(), "");
}

#[test]
fn the_committed_description_of_the_api_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/openapi.json");
    let fresh = serde_json::to_string_pretty(&api::openapi()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == fresh,
        "web/openapi.json is stale: UPDATE=1 cargo test -p logstead --test api the_committed"
    );
}

#[tokio::test]
async fn who_may_do_what() {
    let server = Server::with_admin();
    let roles = [Role::Analyst, Role::Operator, Role::Admin].map(|role| (role, server.token(role)));
    let wrong = As { token: Some("lst_guess".to_owned()), ..As::default() };
    for &(method, path, needed) in ROUTES {
        let method: Method = method.parse().unwrap();
        let status = |who: As| {
            let (method, path, server) = (method.clone(), address(path), &server);
            async move { server.call(method, &path, &who, "", "").await.status }
        };
        let anonymous = status(As::default()).await;
        assert_eq!(anonymous == StatusCode::UNAUTHORIZED, needed.is_some(), "{method} {path}: {anonymous}");
        let Some(needed) = needed else { continue };
        assert_eq!(status(wrong.clone()).await, StatusCode::UNAUTHORIZED, "{method} {path}");
        for (role, who) in &roles {
            let answer = status(who.clone()).await;
            assert_ne!(answer, StatusCode::UNAUTHORIZED, "{method} {path} as {role}");
            assert_ne!(answer, StatusCode::METHOD_NOT_ALLOWED, "{method} {path} as {role}");
            let is_refused = answer == StatusCode::FORBIDDEN;
            // No token may use the operations on a user's own account.
            if path.starts_with("/api/v1/account") {
                assert!(is_refused, "{method} {path} as {role}: {answer}");
                continue;
            }
            // Only administrators may set another user's password; that is checked later.
            if !path.ends_with("/password") {
                assert_eq!(is_refused, *role < needed, "{method} {path} as {role}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_structure_is_an_object_and_nothing_is_taken_by_its_position() {
    let server = Server::with_admin();
    for (path, body) in [
        ("/api/v1/tokens", json!(["x", "analyst"])),
        ("/api/v1/users", json!(["bo", PASSWORD, "admin"])),
        ("/api/v1/session", json!(["ada", PASSWORD])),
        ("/api/v1/search", json!(["error"])),
        ("/api/v1/router/trace", json!([null, "raw", "http"])),
    ] {
        server.post(path, &body).await.is_problem(400, "a list");
    }
    assert_eq!(server.get("/api/v1/tokens").await.json()["tokens"], json!([]));
    let nested = json!({"name": "x", "role": "ingest", "limits": [1, 2, 3]});
    server.post("/api/v1/tokens", &nested).await.is_problem(400, "a list");
}
