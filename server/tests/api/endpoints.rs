//! The HTTP API with everything behind it but sockets: a real pipeline on a directory of its own.

use crate::in_process;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use in_process::{ROUTER, SETUP_CODE, TOKEN as ADMIN_TOKEN};
use logstead_accounts::{NewToken, Role, password};
use logstead_api as api;
use logstead_config::settings::{Layers, Settings, load};
use logstead_config::{Period, Size};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tower::ServiceExt;

/// The server with the calls of this file.
type Server = in_process::Server<Calls>;

struct Calls;

const PASSWORD: &str = "correct horse";

/// Who sends a request.
#[derive(Clone, Default)]
struct As {
    token: Option<String>,
    cookie: Option<String>,
    csrf: Option<String>,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Server {
    /// With an administrator `ada`.
    fn with_admin() -> Server {
        let server = Server::start(|_| {});
        server.add_user("ada", Role::Admin);
        server
    }

    fn add_user(&self, name: &str, role: Role) {
        let hash = password::hash(PASSWORD).unwrap();
        self.meta.add_user(name, role, &hash, Timestamp::from_nanos(0)).unwrap();
    }

    fn token(&self, role: Role) -> As {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{role}{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let new = NewToken { name: &name, role, created_by: "test".into(), expires_at: None };
        let (_, secret) = self.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
        As { token: Some(secret.reveal().to_owned()), ..As::default() }
    }

    async fn log_in(&self, name: &str) -> As {
        let login = json!({"name": name, "password": PASSWORD});
        let answer = self.json(Method::POST, "/api/v1/session", &As::default(), &login).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.session()
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        who: &As,
        content: &str,
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !content.is_empty() {
            request = request.header(header::CONTENT_TYPE, content);
        }
        self.send(who.sign(request).body(body.into()).unwrap()).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, &admin(), "", "").await
    }

    async fn json(&self, method: Method, path: &str, who: &As, body: &Value) -> Answer {
        self.call(method, path, who, "application/json", body.to_string()).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.json(Method::POST, path, &admin(), body).await
    }

    async fn ingest(&self, parameters: &str, content: &str, body: impl Into<Body>) -> Answer {
        self.call(Method::POST, &format!("/api/v1/ingest{parameters}"), &admin(), content, body).await
    }

    async fn put_router(&self, revision: &str, content: &str, document: String) -> Answer {
        let request = Request::builder()
            .method(Method::PUT)
            .uri("/api/v1/router?comment=why")
            .header(header::IF_MATCH, revision)
            .header(header::CONTENT_TYPE, content);
        self.send(admin().sign(request).body(document.into()).unwrap()).await
    }
}

impl As {
    fn sign(&self, mut request: axum::http::request::Builder) -> axum::http::request::Builder {
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, format!("theme=dark; logstead_session={cookie}"));
        }
        match &self.csrf {
            Some(csrf) => request.header("X-CSRF-Token", csrf),
            None => request,
        }
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The session that a login began.
    fn session(&self) -> As {
        let cookie = self.header("set-cookie");
        let secret = cookie.split(';').next().unwrap().strip_prefix("logstead_session=").unwrap();
        let csrf = self.json()["csrf_token"].as_str().unwrap().to_owned();
        As { token: None, cookie: Some(secret.to_owned()), csrf: Some(csrf) }
    }

    /// A problem with this status whose detail says `expected`.
    fn is_problem(&self, status: u16, expected: &str) {
        let context = format!("{} {}", self.status, self.text());
        assert_eq!(self.status.as_u16(), status, "{context}");
        assert_eq!(self.header("content-type"), "application/problem+json", "{context}");
        let problem = self.json();
        assert_eq!(problem["status"], status, "{context}");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "`{expected}` is not in {context}");
    }
}

fn admin() -> As {
    As { token: Some(ADMIN_TOKEN.to_owned()), ..As::default() }
}

/// Every route and who may use it.
const ROUTES: &[(&str, &str, Option<Role>)] = &[
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
    ("GET", "/api/v1/openapi.json", Some(Role::Analyst)),
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
    ("PUT", "/api/v1/users/{name}", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}", Some(Role::Admin)),
    ("POST", "/api/v1/users/{name}/disable", Some(Role::Admin)),
    ("POST", "/api/v1/users/{name}/enable", Some(Role::Admin)),
    ("GET", "/api/v1/users/{name}/sessions", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/sessions", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/sessions/{id}", Some(Role::Admin)),
    ("DELETE", "/api/v1/users/{name}/totp", Some(Role::Admin)),
    ("GET", "/api/v1/saved-searches", Some(Role::Analyst)),
    ("POST", "/api/v1/saved-searches", Some(Role::Analyst)),
    ("PUT", "/api/v1/saved-searches/{id}", Some(Role::Analyst)),
    ("DELETE", "/api/v1/saved-searches/{id}", Some(Role::Analyst)),
    ("POST", "/api/v1/saved-searches/{id}/used", Some(Role::Analyst)),
    ("GET", "/api/v1/tokens", Some(Role::Admin)),
    ("POST", "/api/v1/tokens", Some(Role::Admin)),
    ("POST", "/api/v1/tokens/{id}/rotate", Some(Role::Admin)),
    ("DELETE", "/api/v1/tokens/{id}", Some(Role::Admin)),
    ("PUT", "/api/v1/logspaces/{id}", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/retention-preview", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/verify", Some(Role::Operator)),
    ("POST", "/api/v1/logspaces/{id}/reindex", Some(Role::Operator)),
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

fn address(path: &str) -> String {
    // One that is followed has no end.
    path.replace("/tail", "/tail?last=5000")
        .replace("{id}", "99")
        .replace("{name}", "nobody")
        .replace("{revision}", "1")
}

#[test]
fn the_table_of_routes_is_what_is_documented() {
    let document = serde_json::to_value(api::openapi()).unwrap();
    let mut documented = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let is_protected = operation["security"].as_array().is_some_and(|security| !security.is_empty());
            documented.insert((method.to_uppercase(), path.clone()), is_protected);
            assert!(operation["responses"]["default"].is_object(), "{method} {path} tells its problems");
            assert_eq!(operation["responses"]["401"].is_object(), is_protected, "{method} {path}");
        }
    }
    let tested = ROUTES.iter().filter(|(method, ..)| *method != "HEAD");
    let tested: BTreeMap<_, _> = tested
        .map(|(method, path, role)| (((*method).to_owned(), (*path).to_owned()), role.is_some()))
        .collect();
    assert_eq!(documented, tested);
}

#[test]
fn operations_have_names_of_their_own() {
    let document = serde_json::to_value(api::openapi()).unwrap();
    let items = document["paths"].as_object().unwrap().values();
    let ids: Vec<_> = items
        .flat_map(|item| item.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
}

#[test]
fn every_reference_of_the_description_leads_somewhere() {
    let document = serde_json::to_value(api::openapi()).unwrap();
    let text = document.to_string();
    let names = text.split("\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap());
    for name in names {
        assert!(document["components"]["schemas"][name].is_object(), "there is no schema {name}");
    }
    assert!(document["components"]["schemas"]["Problem"]["properties"]["detail"].is_object());
}

/// An integer is a number, too.
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
    look(&serde_json::to_value(api::openapi()).unwrap(), "");
}

#[test]
fn the_committed_description_of_the_api_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/openapi.json");
    let fresh = api::openapi().to_pretty_json().unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == fresh, "web/openapi.json is stale: UPDATE=1 cargo test -p logstead --test api");
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
            // What is about a user's own account is for no token.
            if path.starts_with("/api/v1/account") {
                assert!(is_refused, "{method} {path} as {role}: {answer}");
                continue;
            }
            // Somebody else's password is for administrators; that is decided later.
            if !path.ends_with("/password") {
                assert_eq!(is_refused, *role < needed, "{method} {path} as {role}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_change_made_with_the_cookie_carries_the_csrf_token() {
    let server = Server::with_admin();
    let session = server.log_in("ada").await;
    let without = As { csrf: None, ..session.clone() };
    let wrong = As { csrf: Some("guess".to_owned()), ..session.clone() };
    for &(method, path, needed) in ROUTES {
        let method: Method = method.parse().unwrap();
        if needed.is_none() {
            continue;
        }
        for who in [&without, &wrong] {
            let answer = server.call(method.clone(), &address(path), who, "", "").await;
            if method.is_safe() {
                assert_ne!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
            } else {
                answer.is_problem(403, "X-CSRF-Token");
            }
        }
        let answer = server.call(method.clone(), &address(path), &session, "", "").await;
        assert_ne!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
    }
    server.call(Method::DELETE, "/api/v1/session", &without, "", "").await.is_problem(403, "X-CSRF-Token");
    let out = server.call(Method::DELETE, "/api/v1/session", &session, "", "").await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    server.call(Method::GET, "/api/v1/users", &session, "", "").await.is_problem(401, "log in");
}

#[tokio::test]
async fn a_session_tells_who_is_logged_in() {
    let server = Server::with_admin();
    let nobody = server.call(Method::GET, "/api/v1/session", &As::default(), "", "").await.json();
    assert_eq!(nobody["authenticated"], false);
    assert_eq!(nobody["setup_required"], false);
    assert_eq!(nobody["user"], Value::Null);
    assert_eq!(nobody["csrf_token"], Value::Null);
    assert_eq!(nobody["version"], env!("CARGO_PKG_VERSION"));
    let login = json!({"name": "ADA", "password": PASSWORD});
    let answer = server.json(Method::POST, "/api/v1/session", &As::default(), &login).await;
    let cookie = answer.header("set-cookie");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert_eq!(
        answer.json()["user"],
        json!({"name": "ada", "role": "admin", "logspaces": null, "scope": null})
    );
    let session = answer.session();
    let seen = server.call(Method::GET, "/api/v1/session", &session, "", "").await.json();
    assert_eq!(seen["csrf_token"].as_str(), session.csrf.as_deref());
    assert_eq!(seen["authenticated"], true);
    let old = As { cookie: Some("expired".to_owned()), ..As::default() };
    assert_eq!(
        server.call(Method::GET, "/api/v1/session", &old, "", "").await.json()["authenticated"],
        false
    );
}

#[tokio::test]
async fn guessing_a_password_becomes_slow_and_is_written_down() {
    let server = Server::with_admin();
    let guess = |password: &str| json!({"name": "ada", "password": password});
    let try_it = |body: Value| {
        let server = &server;
        async move { server.json(Method::POST, "/api/v1/session", &As::default(), &body).await }
    };
    for _ in 0..5 {
        try_it(guess("wrong horse")).await.is_problem(401, "name or password");
    }
    let refused = try_it(guess(PASSWORD)).await;
    refused.is_problem(429, "too many");
    assert!(0 < refused.header("retry-after").parse::<u32>().unwrap());
    try_it(json!({"name": "nobody", "password": "x"})).await.is_problem(401, "name or password");
    let audit = server.get("/api/v1/audit?limit=3").await.json();
    let actions: Vec<_> =
        audit["entries"].as_array().unwrap().iter().map(|e| (&e["user"], &e["action"])).collect();
    assert_eq!(actions[0], (&json!("nobody"), &json!("session.refused")));
    assert_eq!(actions[1], (&json!("ada"), &json!("session.refused")));
    assert_eq!(actions.len(), 3);
}

#[tokio::test]
async fn many_guesses_at_once_are_as_slow() {
    let server = Server::with_admin();
    let guess = json!({"name": "ada", "password": "wrong horse"});
    let guesses = (0..20).map(|_| {
        let request = Request::post("/api/v1/session").header(header::CONTENT_TYPE, "application/json");
        let app = server.app.clone();
        tokio::spawn(app.oneshot(request.body(Body::from(guess.to_string())).unwrap()))
    });
    let mut checked = 0;
    for guess in guesses.collect::<Vec<_>>() {
        checked += usize::from(guess.await.unwrap().unwrap().status() == StatusCode::UNAUTHORIZED);
    }
    assert!((5..=7).contains(&checked), "{checked} passwords were looked at");
}

#[tokio::test]
async fn a_borrowed_session_does_not_change_the_password() {
    let server = Server::with_admin();
    let ada = server.log_in("ada").await;
    let change = |body: Value| {
        let (server, ada) = (&server, &ada);
        async move { server.json(Method::PUT, "/api/v1/users/ADA/password", ada, &body).await }
    };
    let without = change(json!({"password": "another horse"})).await;
    without.is_problem(422, "current password");
    assert_eq!(without.json()["path"], "current_password");
    for _ in 0..5 {
        let wrong = change(json!({"password": "another horse", "current_password": "a guess"})).await;
        wrong.is_problem(422, "not your current password");
    }
    let slow = change(json!({"password": "another horse", "current_password": PASSWORD})).await;
    slow.is_problem(429, "too many");
    // An administrator may set anybody's, and who has a token has no password to ask for.
    let set = json!({"password": "third horse"});
    let set = server.json(Method::PUT, "/api/v1/users/ada/password", &admin(), &set).await;
    assert_eq!(set.status, StatusCode::NO_CONTENT);
    server.call(Method::GET, "/api/v1/users", &ada, "", "").await.is_problem(401, "log in");
}

#[tokio::test]
async fn passwords_and_names_that_do_harm_are_refused() {
    let server = Server::with_admin();
    let user = |name: &str, password: &str| json!({"name": name, "role": "analyst", "password": password});
    for password in ["password", "12345678", "        ", "Logstead2026!", "veronica1"] {
        let refused = server.post("/api/v1/users", &user("veronica", password)).await;
        refused.is_problem(422, "first that anybody would try");
        assert_eq!(refused.json()["path"], "password");
    }
    for name in ["LOGSTEAD_ADMIN_TOKEN", "\u{430}da", "\u{ff41}da", "system"] {
        let refused = server.post("/api/v1/users", &user(name, PASSWORD)).await;
        assert_eq!(refused.json()["path"], "name", "{}", refused.text());
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        let token = json!({"name": name, "role": "analyst"});
        let refused = server.post("/api/v1/tokens", &token).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let set = json!({"password": "changeme"});
    let refused = server.json(Method::PUT, "/api/v1/users/ada/password", &admin(), &set).await;
    refused.is_problem(422, "first that anybody would try");
    // A user from before there were rules goes on as before.
    server.add_user("\u{430}da", Role::Analyst);
    server.log_in("\u{430}da").await;
}

/// Logs in as a browser does that keeps its cookies and comes through a proxy.
async fn log_in_from(
    server: &Server,
    address: &str,
    device: Option<&str>,
    name: &str,
    password: &str,
) -> Answer {
    let mut request = Request::post("/api/v1/session")
        .header(header::CONTENT_TYPE, "application/json")
        .header("X-Forwarded-For", address)
        .header("X-Forwarded-Proto", "https")
        .extension(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 4711))));
    if let Some(device) = device {
        request = request.header(header::COOKIE, format!("logstead_device={device}"));
    }
    let body = json!({"name": name, "password": password}).to_string();
    server.send(request.body(body.into()).unwrap()).await
}

/// The value of a cookie that an answer sets, and its attributes.
fn cookie(answer: &Answer, name: &str) -> Option<(String, String)> {
    let set = answer.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap());
    let mut pairs = set.filter_map(|cookie| cookie.split_once('='));
    let (_, rest) = pairs.find(|(found, _)| *found == name)?;
    let (value, attributes) = rest.split_once(';').unwrap();
    Some((value.to_owned(), attributes.to_owned()))
}

#[tokio::test]
async fn failures_of_others_behind_one_proxy_do_not_lock_out_a_browser_that_is_known() {
    let server = Server::with_admin();
    let first = log_in_from(&server, "192.0.2.1", None, "ada", PASSWORD).await;
    let (device, attributes) = cookie(&first, "logstead_device").unwrap();
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/api/v1/session", "Max-Age=34560000"] {
        assert!(attributes.contains(attribute), "{attributes}");
    }
    // The proxy is not trusted, so all of them come from its one address.
    for at in 0..24 {
        let failed = log_in_from(&server, "192.0.2.9", None, &format!("user{at}"), "wrong horse").await;
        assert!(matches!(failed.status.as_u16(), 401 | 429), "{}", failed.text());
    }
    log_in_from(&server, "192.0.2.1", None, "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", Some("guess"), "ada", PASSWORD).await.is_problem(429, "too many");
    let known = log_in_from(&server, "192.0.2.1", Some(&device), "ADA", PASSWORD).await;
    assert_eq!(known.status, StatusCode::OK, "{}", known.text());
    assert_eq!(cookie(&known, "logstead_device").unwrap().0, device);
    // It has failures of its own, and it is known for its user alone.
    for _ in 0..5 {
        log_in_from(&server, "192.0.2.1", Some(&device), "ada", "wrong horse").await.is_problem(401, "wrong");
    }
    log_in_from(&server, "192.0.2.1", Some(&device), "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", Some(&device), "bo", "x").await.is_problem(429, "too many");
}

fn trusting(settings: &mut Settings) {
    settings.web.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
}

#[tokio::test]
async fn behind_a_trusted_proxy_failures_count_where_they_come_from_and_a_name_has_a_limit_too() {
    let server = Server::start(trusting);
    server.add_user("ada", Role::Admin);
    for at in 0..20 {
        let failed = log_in_from(&server, &format!("192.0.2.{at}"), None, "ada", "wrong horse").await;
        failed.is_problem(401, "name or password");
    }
    log_in_from(&server, "198.51.100.1", None, "ada", PASSWORD).await.is_problem(429, "too many");
    log_in_from(&server, "192.0.2.1", None, "bo", "x").await.is_problem(401, "name or password");
    let audit = server.get("/api/v1/audit?limit=1").await.json();
    assert_eq!(audit["entries"][0]["detail"], "from 192.0.2.1");
}

#[tokio::test]
async fn cookies_are_secure_where_browsers_come_over_tls() {
    let behind = Server::start(trusting);
    let public = Server::start(|settings| settings.web.public_url = "https://logs.example.org".to_owned());
    let plain = Server::start(|_| {});
    for (server, secure) in [(&behind, true), (&public, true), (&plain, false)] {
        server.add_user("ada", Role::Admin);
        let answer = log_in_from(server, "192.0.2.1", None, "ada", PASSWORD).await;
        let name = if secure { "__Host-logstead_session" } else { "logstead_session" };
        let (secret, attributes) = cookie(&answer, name).unwrap_or_else(|| panic!("{:?}", answer.headers));
        assert_eq!(attributes.contains("Secure"), secure, "{attributes}");
        assert_eq!(cookie(&answer, "logstead_device").unwrap().1.contains("Secure"), secure);
        let sent = format!("{name}={secret}");
        let request = Request::get("/api/v1/session").header(header::COOKIE, &sent);
        let session = server.send(request.body(Body::empty()).unwrap()).await.json();
        assert_eq!(session["authenticated"], true);
        // Where TLS is required, a cookie counts by the name that only we can set.
        let plainly =
            Request::get("/api/v1/session").header(header::COOKIE, format!("logstead_session={secret}"));
        let session_plainly = server.send(plainly.body(Body::empty()).unwrap()).await.json();
        assert_eq!(session_plainly["authenticated"], !std::ptr::eq(server, &public));
        let csrf = session["csrf_token"].as_str().unwrap();
        let request = Request::delete("/api/v1/session").header("X-CSRF-Token", csrf);
        let out = server.send(request.header(header::COOKIE, &sent).body(Body::empty()).unwrap()).await;
        assert_eq!(out.status, StatusCode::NO_CONTENT, "{}", out.text());
        assert!(cookie(&out, name).unwrap().1.contains("Max-Age=0"));
    }
}

#[tokio::test]
async fn below_a_path_cookies_are_of_that_path_whether_the_proxy_removes_it_or_not() {
    let beside = Server::start(|settings| settings.web.public_url = "https://intra/logs/".to_owned());
    let plain = Server::start(|settings| settings.web.public_url = "http://intra/logs".to_owned());
    for (server, name) in [(&beside, "__Secure-logstead_session"), (&plain, "logstead_session")] {
        server.add_user("ada", Role::Admin);
        let answer = log_in_from(server, "192.0.2.1", None, "ada", PASSWORD).await;
        let (secret, attributes) = cookie(&answer, name).unwrap_or_else(|| panic!("{:?}", answer.headers));
        assert!(attributes.contains("Path=/logs;"), "{attributes}");
        assert!(cookie(&answer, "logstead_device").unwrap().1.contains("Path=/logs/api/v1/session;"));
        for path in ["/api/v1/session", "/logs/api/v1/session"] {
            let sent = format!("__Host-logstead_session=other; {name}={secret}");
            let request = Request::get(path).header(header::COOKIE, sent).body(Body::empty()).unwrap();
            assert_eq!(server.send(request).await.json()["authenticated"], true, "{path}");
        }
        let request = Request::delete("/logs/api/v1/session").body(Body::empty()).unwrap();
        let out = server.send(request).await;
        assert!(cookie(&out, name).unwrap().1.contains("Path=/logs; Max-Age=0"), "{:?}", out.headers);
        // The console's page, other addresses, and what is not there.
        for (path, status) in [
            ("/logs", 200),
            ("/logs/", 200),
            ("/logs/healthz", 200),
            ("/logspaces", 404),
            ("/other/healthz", 404),
        ] {
            assert_eq!(server.get(path).await.status.as_u16(), status, "{path}");
        }
        let missing = server.get("/logs/api/v1/nothing").await;
        missing.is_problem(404, "/api/v1/nothing");
        assert_eq!(server.get("/logs/api/v1/session").await.header("cache-control"), "no-store");
    }
    let token = beside.get("/logs/api/v1/openapi.json").await;
    assert_eq!(token.json()["servers"], json!([{"url": "/logs"}]));
    assert_eq!(Server::start(|_| {}).get("/api/v1/openapi.json").await.json()["servers"], Value::Null);
}

#[test]
fn no_console_lies_below_the_beginning_of_one_of_our_own_paths() {
    let segment = |path: &str| path.split('/').nth(1).unwrap_or_default().to_owned();
    let described = api::openapi().paths.paths.into_keys().map(|path| segment(&path)).collect::<Vec<_>>();
    let shippers = api::ecosystem().into_iter().map(|(_, path, _)| segment(path));
    let routes = include_str!("../../../web/src/app/routes.tsx");
    let pages = routes.split("path: '").skip(1).filter_map(|rest| rest.split('\'').next()).map(segment);
    let own: BTreeSet<String> = described.into_iter().chain(shippers).chain(pages).collect();
    assert!(own.contains("search") && own.contains("loki") && own.contains("healthz"), "{own:?}");
    for first in own.iter().filter(|first| !first.is_empty() && !first.starts_with('{')) {
        let layers = |url: &str| Layers { set: vec![format!("web.public_url={url}")], ..Layers::default() };
        assert!(load(&layers(&format!("https://intra/{first}"))).is_err(), "{first}");
        assert!(load(&layers(&format!("https://intra/x{first}"))).is_ok(), "{first}");
    }
}

#[tokio::test]
async fn things_belong_to_accounts_and_not_to_names() {
    let server = Server::with_admin();
    let ada = server.log_in("ada").await;
    let search = json!({"name": "errors", "query": "error", "shared": true});
    let saved = server.json(Method::POST, "/api/v1/saved-searches", &ada, &search).await.json();
    let path = format!("/api/v1/saved-searches/{}", saved["id"]);
    let of_token = |id: &Value| format!("/api/v1/tokens/{id}");
    // A token of the name that an administrator's had, and one that is called as the owner is.
    let new = |name: &str| json!({"name": name, "role": "analyst"});
    let first = server.post("/api/v1/tokens", &new("ci")).await.json();
    let secret =
        |made: &Value| As { token: Some(made["token"].as_str().unwrap().to_owned()), ..As::default() };
    let of_first = server.json(Method::POST, "/api/v1/saved-searches", &secret(&first), &search).await.json();
    server.post("/api/v1/tokens", &new("ci")).await.is_problem(409, "already a token");
    server.call(Method::DELETE, &of_token(&first["id"]), &admin(), "", "").await;
    let second = server.post("/api/v1/tokens", &new("ci")).await.json();
    let path_of_first = format!("/api/v1/saved-searches/{}", of_first["id"]);
    let refused = server.json(Method::DELETE, &path_of_first, &secret(&second), &Value::Null).await;
    refused.is_problem(403, "belongs to token:ci");
    let namesake = server.post("/api/v1/tokens", &new("ada")).await.json();
    let refused = server.json(Method::DELETE, &path, &secret(&namesake), &Value::Null).await;
    refused.is_problem(403, "belongs to ada");
    // Nor does a user who has the name later own what the one before did.
    let user = |name: &str, role: &str| json!({"name": name, "role": role, "password": PASSWORD});
    server.post("/api/v1/users", &user("bo", "admin")).await;
    let removed = server.call(Method::DELETE, "/api/v1/users/ada", &admin(), "", "").await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    server.post("/api/v1/users", &user("ada", "analyst")).await;
    let again = server.log_in("ada").await;
    server.json(Method::DELETE, &path, &again, &Value::Null).await.is_problem(403, "belongs to ada");
    let audit = server.get("/api/v1/audit?limit=100").await.json();
    let entries = audit["entries"].as_array().unwrap();
    let of_ada = entries.iter().filter(|entry| entry["user"] == "ada");
    let accounts: BTreeSet<&str> = of_ada.map(|entry| entry["account"].as_str().unwrap()).collect();
    assert_eq!(accounts, BTreeSet::from(["user:1", "user:3"]));
    assert!(entries.iter().any(|entry| entry["account"] == "environment"));
}

#[tokio::test]
async fn the_first_administrator_is_made_with_the_code_and_only_once() {
    let server = Server::start(|_| {});
    let nobody = As::default();
    let session = server.call(Method::GET, "/api/v1/session", &nobody, "", "").await.json();
    assert_eq!(session["setup_required"], true);
    let set_up = |code: &str, password: &str| {
        let body = json!({"code": code, "password": password});
        let server = &server;
        async move { server.json(Method::POST, "/api/v1/setup", &As::default(), &body).await }
    };
    set_up("AAAA-AAAA-AAAA-AAAA", PASSWORD).await.is_problem(403, "code");
    set_up(SETUP_CODE, "short").await.is_problem(422, "at least 8");
    let made = set_up(&SETUP_CODE.to_lowercase(), PASSWORD).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text());
    assert_eq!(
        made.json()["user"],
        json!({"name": "admin", "role": "admin", "logspaces": null, "scope": null})
    );
    let users = server.call(Method::GET, "/api/v1/users", &made.session(), "", "").await;
    assert_eq!(users.json()["users"][0]["name"], "admin");
    set_up(SETUP_CODE, PASSWORD).await.is_problem(409, "exists already");
}

#[tokio::test]
async fn users_come_change_and_go() {
    let server = Server::with_admin();
    let user =
        |name: &str, role: &str, password: &str| json!({"name": name, "role": role, "password": password});
    assert_eq!(
        server.post("/api/v1/users", &user("bo", "analyst", PASSWORD)).await.status,
        StatusCode::CREATED
    );
    server.post("/api/v1/users", &user("bo", "admin", PASSWORD)).await.is_problem(409, "already a user");
    server.post("/api/v1/users", &user("BO", "admin", PASSWORD)).await.is_problem(422, "small letters");
    server.post("/api/v1/users", &user("b o", "admin", PASSWORD)).await.is_problem(422, "letters");
    server.post("/api/v1/users", &user("cy", "admin", "short")).await.is_problem(422, "at least 8");
    server.post("/api/v1/users", &user("cy", "king", PASSWORD)).await.is_problem(400, "king");
    let bo = server.log_in("bo").await;
    let own = json!({"password": "another horse", "current_password": PASSWORD});
    let changed = server.json(Method::PUT, "/api/v1/users/bo/password", &bo, &own).await;
    assert_eq!(changed.status, StatusCode::NO_CONTENT);
    server.json(Method::PUT, "/api/v1/users/ada/password", &bo, &own).await.is_problem(403, "admin");
    server.call(Method::GET, "/api/v1/users", &bo, "", "").await.is_problem(403, "needs the role admin");
    let gone = server.call(Method::DELETE, "/api/v1/users/bo", &admin(), "", "").await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    server.call(Method::GET, "/api/v1/logspaces", &bo, "", "").await.is_problem(401, "log in");
    server.call(Method::DELETE, "/api/v1/users/bo", &admin(), "", "").await.is_problem(404, "no user");
    server
        .call(Method::DELETE, "/api/v1/users/ada", &admin(), "", "")
        .await
        .is_problem(409, "last administrator");
}

#[tokio::test]
async fn tokens_work_until_they_are_removed() {
    let server = Server::with_admin();
    let new = json!({"name": "ci", "role": "analyst", "expires_at": "2100-01-01T00:00:00Z"});
    let made = server.post("/api/v1/tokens", &new).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let made = made.json();
    let who = As { token: Some(made["token"].as_str().unwrap().to_owned()), ..As::default() };
    assert_eq!(server.call(Method::GET, "/api/v1/logspaces", &who, "", "").await.status, StatusCode::OK);
    let listed = server.get("/api/v1/tokens").await.json();
    let listed = &listed["tokens"][0];
    assert_eq!((&listed["name"], &listed["created_by"]), (&json!("ci"), &json!("LOGSTEAD_ADMIN_TOKEN")));
    assert!(listed["last_used"].is_string() && listed.get("token").is_none());
    let path = format!("/api/v1/tokens/{}", made["id"]);
    assert_eq!(server.call(Method::DELETE, &path, &admin(), "", "").await.status, StatusCode::NO_CONTENT);
    server
        .call(Method::GET, "/api/v1/logspaces", &who, "", "")
        .await
        .is_problem(401, "unknown or has expired");
    let past = json!({"name": "ci", "role": "analyst", "expires_at": "2020-01-01T00:00:00Z"});
    server.post("/api/v1/tokens", &past).await.is_problem(422, "in the past");
}

#[tokio::test]
async fn what_is_ingested_is_found_at_once() {
    let server = Server::with_admin();
    for number in 0..50 {
        let line =
            json!({"message": format!("number {number}"), "host": "web-1", "level": "error"}).to_string();
        let answer = server.ingest("", "application/x-ndjson", line.clone()).await;
        assert_eq!(answer.json(), json!({"accepted": 1, "dropped": 0, "rejected": 0, "errors": []}));
        let query = json!({"query": format!("\"number {number}\" severity>=err"), "from": "-1h"});
        let found = server.post("/api/v1/search", &query).await.json();
        assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
        let message = &found["messages"][0];
        assert_eq!(message["raw"], line);
        assert_eq!((&message["host"], &message["source"]), (&json!("web-1"), &json!("http")));
        assert_eq!(found["coverage"]["complete"], true);
        let by_id = server.get(&format!("/api/v1/messages/{}", message["id"].as_str().unwrap())).await.json();
        assert_eq!(&by_id, message);
    }
    assert_eq!(server.post("/api/v1/count", &json!({"query": "*"})).await.json()["count"], 50);
    assert_eq!(server.get("/api/v1/count?query=host:web-1&logspaces=main").await.json()["count"], 50);
    assert_eq!(
        server.get("/api/v1/search?query=number&limit=3").await.json()["messages"][2]["message"],
        "number 47"
    );
}

#[tokio::test]
async fn ingest_says_what_no_route_took() {
    let server = Server::with_admin();
    let filtered = ROUTER.replace("to = [\"main\"]", "to = [\"main\"]\nwhere = \"severity:err\"");
    let changed = server.put_router("\"1\"", "application/toml", filtered).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    let lines = "{\"msg\":\"a\",\"level\":\"error\"}\n{\"msg\":\"b\",\"level\":\"info\"}\nbad\n";
    let answer = server.ingest("", "application/x-ndjson", lines).await.json();
    let counts = ["accepted", "dropped", "rejected"].map(|name| answer[name].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 1], "{answer}");
    assert_eq!(server.get("/api/v1/count?query=*").await.json()["count"], 1);
    let into_a_logspace = server.ingest("?logspace=other", "application/x-ndjson", lines).await.json();
    assert_eq!((&into_a_logspace["accepted"], &into_a_logspace["dropped"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn every_shape_of_ingest_is_answered_line_by_line() {
    let server = Server::with_admin();
    for (content, body, accepted, bad_lines) in [
        ("application/json", r#"[{"msg":"a"},{"msg":"b"},3]"#, 2, vec![3]),
        ("application/json; charset=utf-8", r#"{"msg":"a"}"#, 1, vec![]),
        ("application/x-ndjson", "{\"msg\":\"a\"}\nbad\n\n{\"msg\":\"c\"}\n{", 2, vec![2, 5]),
        ("text/plain", "one\r\n\ntwo\n", 2, vec![]),
        ("text/plain", "", 0, vec![]),
    ] {
        let answer = server.ingest("?logspace=other", content, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let answer = answer.json();
        assert_eq!(answer["accepted"], accepted, "{body}");
        let lines: Vec<_> = answer["errors"].as_array().unwrap().iter().map(|e| e["line"].clone()).collect();
        assert_eq!(lines, bad_lines, "{body}");
        assert_eq!(answer["rejected"], bad_lines.len());
    }
    let all_bad = server.ingest("", "application/x-ndjson", "bad\nworse\n").await;
    all_bad.is_problem(400, "none of 2");
    assert_eq!((&all_bad.json()["accepted"], &all_bad.json()["rejected"]), (&json!(0), &json!(2)));
    assert_eq!(server.get("/api/v1/count?logspaces=other").await.json()["count"], 7);
    assert_eq!(server.get("/api/v1/count?logspaces=main").await.json()["count"], 0);
    let named =
        server.ingest("?message_field=text,m&time_field=at", "application/json", r#"{"m":"x","at":5}"#).await;
    assert_eq!(named.status, StatusCode::OK);
    let found = server.get("/api/v1/search?query=x&logspaces=main").await.json();
    assert_eq!(found["messages"][0]["time"], "1970-01-01T00:00:05Z");
}

#[tokio::test]
async fn every_answer_of_ingest_is_described() {
    let server = Server::start(|settings| {
        (settings.limits.ingest_body_max, settings.limits.ingest_messages_max) = (Size::kib(1), 10);
    });
    let document = serde_json::to_value(api::openapi()).unwrap();
    let described = &document["paths"]["/api/v1/ingest"]["post"]["responses"];
    let check = |answer: Answer, status: u16| {
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        assert!(described[status.to_string()].is_object(), "{status} is not described");
    };
    let (long, many) = ("x".repeat(1025), "x\n".repeat(11));
    for (status, parameters, content, body) in [
        (200, "", "text/plain", "x"),
        (400, "", "application/json", "{"),
        (404, "?logspace=nowhere", "text/plain", "x"),
        (413, "", "text/plain", &long),
        (413, "", "text/plain", &many),
        (415, "", "image/png", "x"),
    ] {
        check(server.ingest(parameters, content, body.to_owned()).await, status);
    }
    check(server.call(Method::POST, "/api/v1/ingest", &As::default(), "text/plain", "x").await, 401);
    // A body that comes too slowly takes a socket to come through.
    assert!(described["408"].is_object());
    let without = ROUTER.replace("kind = \"http\"", "kind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]");
    let changed = server.put_router("\"1\"", "application/toml", without).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text());
    check(server.ingest("", "text/plain", "x").await, 409);
    server.pipeline.stop();
    check(server.ingest("", "text/plain", "x").await, 503);
}

#[tokio::test]
async fn lines_of_text_are_messages_or_syslog_as_the_sender_says() {
    let server = Server::with_admin();
    let line = "<34>Oct  1 22:14:15 web-2 su[230]: denied";
    for (parameters, hosts) in [("", 0), ("?format=text", 0), ("?format=auto", 1)] {
        let answer = server.ingest(parameters, "text/plain", line).await;
        assert_eq!(answer.json()["accepted"], 1, "{}", answer.text());
        let count = server.get("/api/v1/count?query=host:web-2%20pid:230").await.json();
        assert_eq!(count["count"], hosts, "{parameters}");
    }
    assert_eq!(server.get("/api/v1/count?query=denied").await.json()["count"], 3);
    let answer = server.ingest("?format=auto", "application/x-ndjson", "{}").await;
    answer.is_problem(400, "format is for text/plain");
    server.ingest("?format=rfc9999", "text/plain", line).await.is_problem(400, "format");
    server.ingest("?timezone=Mars", "text/plain", line).await.is_problem(400, "no time zone `Mars`");
    server.ingest("?written=once", "text/plain", line).await.is_problem(400, "`once` is not a time");
}

#[tokio::test]
async fn the_request_says_what_lines_leave_open() {
    let server = Server::with_admin();
    let parameters = "?format=auto&host=web-9&timezone=Europe/Berlin&written=2023-01-03T00:00:00Z";
    for line in ["Dec 31 12:00:00 web-8 su[7]: first", "2022-12-31 12:00:00 second"] {
        server.ingest(parameters, "text/plain", line).await;
    }
    server.ingest("?host=web-9", "application/json", r#"{"msg":"third"}"#).await;
    for (query, host) in [("first", "web-8"), ("second", "web-9"), ("third", "web-9")] {
        let found = server.get(&format!("/api/v1/search?query={query}")).await.json();
        let message = &found["messages"][0];
        assert_eq!(message["host"], host, "{message}");
        assert!(query == "third" || message["time"] == "2022-12-31T11:00:00Z", "{message}");
    }
}

#[tokio::test]
async fn every_key_of_an_object_is_found_by_a_query() {
    let server = Server::with_admin();
    let body = r#"{"message":"one","message":"two","tag":"a","program":"b","priority":"notice","FACILITY":"local3",
        "facility_num":19,"source":"s","flag":"f","level":"HIGH","time":"Nov 22 05:11:01","process":{"name":"p","pid":9}}"#;
    assert_eq!(server.ingest("", "application/json", body).await.status, StatusCode::OK);
    for query in [
        "message=one",
        "json.message=two",
        "program=b",
        "json.tag=a",
        "severity=notice facility=local3",
        "facility_num=19",
        "json.source=s",
        "json.flag=f",
        "json.level=HIGH",
        "pid=9",
        "process.name=p",
    ] {
        let body = json!({"query": query});
        assert_eq!(server.post("/api/v1/count", &body).await.json()["count"], 1, "{query}");
    }
    let found = server.get("/api/v1/search?query=one").await.json();
    assert!(found["messages"][0]["time"].as_str().unwrap().ends_with("-11-22T05:11:01Z"), "{found}");
}

#[tokio::test]
async fn a_support_report_helps_and_holds_no_secret() {
    let server = Server::start(|_| {});
    let body = r#"{"host": "web-1", "message": "the words of a sender"}"#;
    server.ingest("", "application/json", body).await;
    let document = format!(
        "{ROUTER}\n[[destinations]]\nid = \"siem\"\nenabled = false\nkind = \"splunk_hec\"\nurl = \"http://127.0.0.1:1\"\n\
         token = \"s3cret\"\nheaders = [\"X-Key: s3cret\"]\n[[destinations]]\nid = \"hook\"\nkind = \"ndjson_http\"\n\
         url = \"http://127.0.0.1:1/in?key=s3cret\"\n"
    );
    let change = server.put_router("\"1\"", "application/toml", document).await;
    assert_eq!(change.status, StatusCode::OK, "{}", change.text());
    let answer = server.get("/api/v1/support-report").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let name = answer.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
    assert!(name.starts_with("attachment; filename=\"logstead-support-20"), "{name}");
    let report = answer.text();
    for part in [
        "=== About ===",
        "=== Ready ===\nready",
        "limits.tails_max = ",
        "\"token\": \"(hidden)\"",
        "\"X-Key: (hidden)\"",
        "http://127.0.0.1:1/in?(hidden)",
        "\"host\":\"web-1\"",
        "# HELP logstead_",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    for secret in ["s3cret", "the words of a sender", ADMIN_TOKEN, SETUP_CODE] {
        assert!(!report.contains(secret), "{secret}: {report}");
    }
}

#[tokio::test]
async fn settings_say_where_they_are_from_and_certificates_how_long_they_last() {
    let data = tempfile::tempdir().unwrap();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["logs.example.org".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    let file = data.path().join("web.pem");
    std::fs::write(&file, certificate.pem()).unwrap();
    let server = Server::start(|settings| {
        let tls = logstead_config::Tls {
            certificate: file.display().to_string(),
            key: String::new(),
            client_ca: None,
            require_client_certificate: false,
        };
        settings.web.tls = Some(tls);
    });
    let found = server.get("/api/v1/certificates").await.json();
    assert_eq!(found["files"][0]["owner"], "web");
    assert_eq!(found["files"][0]["certificates"][0]["names"], json!(["logs.example.org"]));
    assert_eq!(found["files"][0]["error"], Value::Null);
    std::fs::remove_file(&file).unwrap();
    let found = server.get("/api/v1/certificates").await.json();
    assert_eq!(found["files"][0]["certificates"], json!([]));
    assert!(found["files"][0]["error"].as_str().unwrap().contains("web.pem"), "{found}");

    let settings = server.get("/api/v1/settings").await.json();
    let settings = settings["settings"].as_array().unwrap();
    let level = settings.iter().find(|setting| setting["key"] == "log.level").unwrap();
    assert_eq!((&level["origin"], &level["place"]), (&json!("default"), &json!("")));
    let about = server.get("/api/v1/about").await.json();
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    assert!(about["cores"].as_u64().unwrap() > 0, "{about}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", &b"caf\xE9 \x00 end"[..]).await;
    let found = server.get("/api/v1/search?query=caf").await.json();
    assert_eq!(found["messages"][0]["raw_base64"], "Y2Fm6SAAIGVuZA==");
    assert_eq!(found["messages"][0]["message"], "caf\u{FFFD} \0 end");
}

/// All pages of a query: the ids in order.
async fn pages(server: &Server, limit: usize, order: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let request = json!({"query": "*", "limit": limit, "order": order, "cursor": cursor});
        let page = server.post("/api/v1/search", &request).await.json();
        let messages = page["messages"].as_array().unwrap();
        assert!(messages.len() <= limit);
        ids.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            return ids;
        }
        assert_eq!(messages.len(), limit, "only the last page is short");
    }
}

#[tokio::test]
async fn pages_over_two_logspaces_hold_each_message_once() {
    let server = Server::with_admin();
    // Few distinct times, so that logspaces share them.
    for (logspace, count) in [("main", 23), ("other", 17)] {
        let lines: String = (0..count).map(|n| json!({"time": n % 5, "msg": n}).to_string() + "\n").collect();
        server.ingest(&format!("?logspace={logspace}"), "application/x-ndjson", lines).await;
    }
    let newest = pages(&server, 10_000, "newest").await;
    assert_eq!(newest.iter().collect::<BTreeSet<_>>().len(), 40);
    let mut oldest = pages(&server, 10_000, "oldest").await;
    oldest.reverse();
    assert_eq!(newest, oldest);
    for limit in [1, 3, 7, 20, 40] {
        assert_eq!(pages(&server, limit, "newest").await, newest, "by {limit}");
        let mut oldest = pages(&server, limit, "oldest").await;
        oldest.reverse();
        assert_eq!(oldest, newest, "by {limit}");
    }
}

#[tokio::test]
async fn a_query_that_does_not_parse_is_searched_as_text_where_that_is_asked_for() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "open (paren").await;
    let refused = server.post("/api/v1/search", &json!({"query": "open (paren"})).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let refused = refused.json();
    assert_eq!((&refused["line"], &refused["column"]), (&json!(1), &json!(6)), "{refused}");
    let question = json!({"query": "open (paren", "unparsed": "text"});
    let found = server.post("/api/v1/search", &question).await.json();
    assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(
        (&found["warnings"][0]["line"], &found["warnings"][0]["code"]),
        (&json!(1), &json!("unparsed_text"))
    );
    assert!(found["warnings"][0]["column"].is_u64() && found["warnings"][0]["end_column"].is_u64());
}

#[tokio::test]
async fn a_search_whose_time_is_up_says_so() {
    let server = Server::start(|settings| settings.limits.search_time_max = Period::millis(0));
    server.ingest("", "text/plain", "hello").await;
    let found = server.get("/api/v1/search").await.json();
    assert_eq!(found["coverage"]["complete"], false, "{found}");
    assert_eq!(found["cursor"], Value::Null);
    assert!(found["warnings"][0]["message"].as_str().unwrap().contains("narrow the time range"));
}

#[tokio::test(flavor = "multi_thread")]
async fn small_questions_of_others_are_answered_beside_two_hundred_slow_ones() {
    let server = Arc::new(Server::start(|settings| settings.limits.searches_max = 1));
    let lines: String =
        (0..40_000).map(|number| format!("user {number:x} of {:x}\n", number * 7919)).collect();
    server.ingest("", "text/plain", lines).await;
    let (greedy, modest) = (server.token(Role::Analyst), server.token(Role::Operator));
    let patterns: Vec<String> =
        (0..60).map(|number| format!("/(u|o)[a-z]+ {number}[0-9a-f]+ (x|y)?z/")).collect();
    let slow = json!({"query": patterns.join(" OR ")});
    let (refused, mut refusals) = tokio::sync::mpsc::unbounded_channel();
    let flood: Vec<_> = (0..200)
        .map(|_| {
            let (server, greedy, slow, refused) =
                (server.clone(), greedy.clone(), slow.clone(), refused.clone());
            tokio::spawn(async move {
                loop {
                    let answer = server.json(Method::POST, "/api/v1/search", &greedy, &slow).await;
                    if answer.status != StatusCode::OK {
                        // Nobody reads them after the first.
                        refused.send(answer).ok();
                        return;
                    }
                }
            })
        })
        .collect();
    // Too many of one caller wait: it is told so, and when to come again.
    let answer = refusals.recv().await.unwrap();
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.text());
    let text = answer.text();
    assert!(
        text.contains("searches of token:analyst") && text.contains("wait for their turn already"),
        "{text}"
    );
    assert!(answer.headers.contains_key(header::RETRY_AFTER));
    // As long as some of them are left, others are answered.
    for _ in 0..25 {
        let answer = server.json(Method::POST, "/api/v1/count", &modest, &json!({"query": "user"})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        assert_eq!(answer.json()["count"], 40_000);
        assert!(flood.iter().any(|one| !one.is_finished()), "the slow ones are too few to tell");
    }
    flood.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn bad_requests_are_told_what_is_wrong() {
    let server = Server::start(|settings| settings.limits.ingest_body_max = Size::kib(4));
    let post = |path: &'static str, body: Value| {
        let server = &server;
        async move { server.post(path, &body).await }
    };
    let search = |body: Value| post("/api/v1/search", body);
    search(json!({"query": "/(/"})).await.is_problem(400, "regular expression");
    search(json!({"query": "severity>=nonsense"})).await.is_problem(400, "not a severity");
    search(json!({"query": "a", "from": "now", "to": "-1h"})).await.is_problem(400, "must be before");
    search(json!({"query": "a", "from": "-1h", "to": "-1h"})).await.is_problem(400, "must be before");
    search(json!({"query": "a", "from": "soon"})).await.is_problem(400, "from `soon` is not a time");
    search(json!({"query": "a", "limit": 0})).await.is_problem(400, "at least 1");
    search(json!({"query": "a", "limit": 10_001})).await.is_problem(400, "cursor");
    let negative = search(json!({"query": "a", "limit": -1})).await;
    negative.is_problem(400, "-1");
    assert_eq!(negative.json()["path"], "limit");
    search(json!({"query": "a", "cursor": "x"})).await.is_problem(400, "start again");
    search(json!({"query": "a", "logspaces": ["nope"]})).await.is_problem(404, "main, other");
    search(json!({"query": "a", "colour": 1})).await.is_problem(400, "colour");
    search(json!({"query": "a".repeat(100_000)})).await.is_problem(400, "query");
    search(json!(7)).await.is_problem(400, "as expected");
    server.get("/api/v1/search?limit=x").await.is_problem(400, "limit");
    server.get("/api/v1/messages/main:99").await.is_problem(404, "main:99");
    server.get("/api/v1/messages/nope").await.is_problem(404, "nope");
    server.get("/api/v1/messages/main:-1").await.is_problem(404, "main:-1");
    server.get("/api/v1/audit?limit=0").await.is_problem(400, "1 to 10000");
    server.get("/api/v1/nothing").await.is_problem(404, "/api/v1/nothing");
    server.get("/api/v1/router/revisions/9").await.is_problem(404, "no revision 9");
    server.get("/api/v1/router/revisions/x").await.is_problem(404, "");
    server.get("/api/v1/router/diff?from=1").await.is_problem(400, "to");
    server.ingest("", "", "x").await.is_problem(415, "no Content-Type");
    server.ingest("", "application/xml", "x").await.is_problem(415, "application/xml");
    server.ingest("", "application/json", "[{").await.is_problem(400, "not JSON");
    server.ingest("?logspace=nope", "text/plain", "x").await.is_problem(404, "main, other");
    server.ingest("", "text/plain", "x".repeat(5000)).await.is_problem(413, "4KiB");
    let broken =
        server.call(Method::POST, "/api/v1/search", &admin(), "application/json", "{\"query\":\n 7}").await;
    broken.is_problem(400, "as expected");
    assert_eq!((&broken.json()["line"], broken.json()["column"].is_u64()), (&json!(2), true));
    let plain = server.call(Method::POST, "/api/v1/search", &admin(), "text/plain", "x").await;
    plain.is_problem(415, "application/json");
    server.call(Method::DELETE, "/api/v1/search", &admin(), "", "").await.is_problem(405, "DELETE");
    let zipped =
        Request::post("/api/v1/ingest").header("content-type", "text/plain").header("content-encoding", "br");
    server.send(admin().sign(zipped).body(Body::from("x")).unwrap()).await.is_problem(415, "send gzip");
    assert_eq!(server.get("/api/v1/count").await.json()["count"], 0, "nothing of these was stored");
}

#[tokio::test]
async fn a_bad_query_is_pointed_at() {
    let server = Server::with_admin();
    let answer = server.post("/api/v1/search", &json!({"query": "ä and\nseverity>=nonsense"})).await;
    answer.is_problem(400, "nonsense");
    let problem = answer.json();
    assert_eq!(problem["line"], 2, "{problem}");
    assert!(problem["column"].as_u64() < problem["end_column"].as_u64(), "{problem}");
}

#[tokio::test]
async fn a_new_document_becomes_live_and_can_be_taken_back() {
    let server = Server::with_admin();
    let live = server.get("/api/v1/router").await;
    assert_eq!(live.header("etag"), "\"1\"");
    assert_eq!(live.json()["logspaces"][0]["id"], "main");
    assert_eq!(server.get("/api/v1/router?format=toml").await.text(), ROUTER);

    let rerouted = ROUTER.replace("to = [\"main\"]", "to = [\"other\"]");
    let applied = server.put_router("\"1\"", "application/toml", rerouted.clone()).await;
    assert_eq!(applied.status, StatusCode::OK, "{}", applied.text());
    assert_eq!((&applied.json()["revision"], applied.header("etag")), (&json!(2), "\"2\""));
    assert!(!applied.json()["changes"].as_array().unwrap().is_empty());
    server.ingest("", "text/plain", "hello").await;
    assert_eq!(server.get("/api/v1/search").await.json()["messages"][0]["logspace"], "other");

    let again = server.put_router("\"2\"", "application/toml", rerouted.clone()).await;
    assert_eq!(again.json()["revision"], 2, "the same text is no new revision");
    server
        .put_router("\"1\"", "application/toml", ROUTER.to_owned())
        .await
        .is_problem(412, "revision 2 is live");
    server.put_router("\"x\"", "application/toml", ROUTER.to_owned()).await.is_problem(400, "If-Match");
    let missing = server.call(Method::PUT, "/api/v1/router", &admin(), "application/toml", ROUTER).await;
    missing.is_problem(428, "If-Match");

    let mut document = server.get("/api/v1/router").await.json();
    document["routes"][0]["to"] = json!(["main", "other"]);
    let edited = server.put_router("\"2\"", "application/json", document.to_string()).await;
    assert_eq!(edited.json()["revision"], 3, "{}", edited.text());
    assert!(server.get("/api/v1/router?format=toml").await.text().contains("# A comment that stays."));

    let back = server.post("/api/v1/router/rollback/1", &Value::Null).await;
    assert_eq!(back.json()["revision"], 4, "{}", back.text());
    let revisions = server.get("/api/v1/router/revisions").await.json();
    let seen: Vec<_> = revisions["revisions"].as_array().unwrap().iter().collect();
    assert_eq!(seen.len(), 4);
    assert_eq!((&seen[0]["comment"], &seen[0]["live"]), (&json!("back to revision 1"), &json!(true)));
    assert_eq!((&seen[1]["comment"], &seen[1]["author"]), (&json!("why"), &json!("LOGSTEAD_ADMIN_TOKEN")));
    let diff = server.get("/api/v1/router/diff?from=1&to=2").await.json();
    let text = diff["text"].as_str().unwrap();
    assert!(text.contains("-to = [\"main\"]\n+to = [\"other\"]"), "{text}");
    assert_eq!(diff["changes"].as_array().unwrap().len(), 1, "{diff}");
    assert_eq!(server.get("/api/v1/router/revisions/2?format=toml").await.text(), rerouted);
    assert_eq!(server.get("/api/v1/router/revisions/2").await.json()["routes"][0]["to"], json!(["other"]));
}

#[tokio::test]
async fn a_document_that_can_not_run_changes_nothing() {
    let server = Server::with_admin();
    let wrong = ROUTER.replace("to = [\"main\"]", "to = [\"mian\"]\nwhere = '('");
    let refused = server.put_router("\"1\"", "application/toml", wrong.clone()).await;
    refused.is_problem(422, "more problems");
    let problems = refused.json()["problems"].clone();
    assert_eq!(problems.as_array().unwrap().len(), 2, "{problems}");
    assert!(problems[0]["path"].as_str().unwrap().starts_with("routes[0]") && problems[0]["line"].is_u64());

    let checked =
        server.call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", wrong).await;
    assert_eq!((&checked.json()["valid"], &checked.json()["problems"]), (&json!(false), &problems));
    let broken = server
        .call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", "version = ")
        .await;
    assert_eq!(broken.json()["valid"], false);
    assert!(broken.json().get("document").is_none());

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("tcp://{}", taken.local_addr().unwrap());
    let source =
        format!("{ROUTER}\n[[sources]]\nid = \"syslog\"\nkind = \"syslog\"\nlisten = [\"{listen}\"]\n");
    let refused = server.put_router("\"1\"", "application/toml", source).await;
    refused.is_problem(422, "listened on");
    assert_eq!(refused.json()["problems"][0]["path"], "sources[1].listen[0]");
    assert_eq!(server.get("/api/v1/router").await.header("etag"), "\"1\"");
    assert_eq!(server.get("/api/v1/router/revisions").await.json()["revisions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_draft_is_converted_between_its_forms() {
    let server = Server::with_admin();
    let mut document = server.get("/api/v1/router").await.json();
    document["routes"][0]["where"] = json!("severity>=err");
    let checked = server.post("/api/v1/router/validate", &document).await.json();
    assert_eq!(checked["valid"], true, "{checked}");
    let toml = checked["toml"].as_str().unwrap().to_owned();
    assert!(toml.contains("# A comment that stays.") && toml.contains("severity>=err"), "{toml}");
    assert_eq!(checked["changes"].as_array().unwrap().len(), 1);
    let back = server
        .call(Method::POST, "/api/v1/router/validate", &admin(), "application/toml", toml.clone())
        .await;
    assert_eq!(back.json()["document"], checked["document"]);
    assert_eq!(back.json()["toml"], toml);
}

#[tokio::test]
async fn the_server_tells_how_it_is() {
    let server = Server::with_admin();
    let nobody = As::default();
    assert_eq!(server.call(Method::GET, "/healthz", &nobody, "", "").await.text(), "ok\n");
    assert_eq!(server.call(Method::GET, "/readyz", &nobody, "", "").await.text(), "ready\n");
    server.ingest("", "text/plain", "hello").await;
    assert!(server.get("/metrics").await.text().contains("# TYPE "));
    let status = server.get("/api/v1/router/status").await.json();
    assert_eq!((&status["revision"], &status["sources"][0]["messages"]), (&json!(1), &json!(1)));
    let logspaces = server.get("/api/v1/logspaces").await.json();
    assert_eq!(logspaces["logspaces"][0]["messages"], 1);
    assert_eq!(
        server.get("/api/v1/openapi.json").await.json(),
        serde_json::to_value(api::openapi()).unwrap()
    );
}

/// Asks for a path as a browser does, or as programs do.
async fn opened(server: &Server, method: Method, path: &str, accept: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
    server.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn what_is_no_api_is_the_console_for_browsers_and_they_are_kept_safe() {
    let server = Server::with_admin();
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (path, accept) in [("/", browser), ("/search?q=a", browser), ("/router", browser)] {
        let answer = opened(&server, Method::GET, path, accept).await;
        assert!(matches!(answer.status.as_u16(), 200 | 503), "{path}: {}", answer.status);
        assert!(answer.header("content-type").starts_with("text/html"), "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'self'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    for (path, accept) in [
        ("/search?q=a", "*/*"),
        ("/search", "application/json"),
        ("/nothing/here", "*/*"),
        ("/assets/none.js", browser),
        ("/api/nothing", browser),
        ("/api", browser),
    ] {
        let path_alone = path.split('?').next().unwrap();
        opened(&server, Method::GET, path, accept).await.is_problem(404, path_alone);
        opened(&server, Method::POST, path_alone, "*/*").await.is_problem(404, path_alone);
    }
    for path in ["/api/v1/session", "/metrics", "/readyz", "/healthz"] {
        assert_eq!(server.get(path).await.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_know_is_told_which_it_knows() {
    let server = Server::with_admin();
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for &(method, path, _) in ROUTES {
        let methods = known.entry(path).or_default();
        methods.insert(method);
        if method == "GET" {
            methods.insert("HEAD");
        }
    }
    // The file of the console's page.
    known.insert("/", ["GET", "HEAD"].into());
    for (path, methods) in known {
        let all = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"];
        for method in all.into_iter().filter(|method| !methods.contains(method)) {
            let accept = if path == "/" { "text/html" } else { "*/*" };
            let answer = opened(&server, method.parse().unwrap(), &address(path), accept).await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            let allowed = answer.header("allow").split(',').map(str::trim).collect::<BTreeSet<_>>();
            assert_eq!(allowed, methods, "{method} {path}");
            if method != "HEAD" {
                answer.is_problem(405, method);
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_stops_takes_no_more() {
    let server = Server::with_admin();
    server.pipeline.stop();
    let refused = server.ingest("", "text/plain", "hello").await;
    refused.is_problem(503, "stopping");
    assert!(!refused.header("retry-after").is_empty());
    server
        .put_router("\"1\"", "application/toml", ROUTER.replace("stays", "goes"))
        .await
        .is_problem(503, "stopping");
    assert_eq!(
        server.call(Method::GET, "/readyz", &As::default(), "", "").await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
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
        server.post(path, &body).await.is_problem(400, "sequence");
    }
    assert_eq!(server.get("/api/v1/tokens").await.json()["tokens"], json!([]));
    let nested = json!({"name": "x", "role": "ingest", "limits": [1, 2, 3]});
    server.post("/api/v1/tokens", &nested).await.is_problem(400, "sequence");
}

#[tokio::test]
async fn tags_of_the_document_come_back_as_proxies_make_them_and_whoever_has_it_is_told_so() {
    let server = Server::with_admin();
    let toml = server.get("/api/v1/router?format=toml").await;
    assert_eq!(toml.header("etag"), "\"1.toml\"");
    let json = server.get("/api/v1/router").await;
    assert!(json.header("vary").contains("Accept"), "{:?}", json.headers);
    for (number, tag) in
        ["W/\"1\"", "\"2-gzip\"", "\"1\", \"3\"", "*", "W/\"5.toml\""].into_iter().enumerate()
    {
        let changed = format!("# {number}\n{ROUTER}");
        let applied = server.put_router(tag, "application/toml", changed).await;
        assert_eq!(applied.status, StatusCode::OK, "{tag}: {}", applied.text());
    }
    let known = async |path: &str, tag: &str| {
        let request = Request::get(path).header(header::IF_NONE_MATCH, tag);
        server.send(admin().sign(request).body(Body::empty()).unwrap()).await
    };
    let same = known("/api/v1/router", "\"5\", W/\"6\"").await;
    assert_eq!((same.status, same.body.len(), same.header("etag")), (StatusCode::NOT_MODIFIED, 0, "\"6\""));
    for (path, tag) in [("/api/v1/router", "\"5\""), ("/api/v1/router?format=toml", "\"6\"")] {
        assert_eq!(known(path, tag).await.status, StatusCode::OK, "{path} {tag}");
    }
}

#[tokio::test]
async fn secrets_of_the_document_are_for_those_who_may_change_it() {
    let server = Server::with_admin();
    let secret = "s3cret-of-the-siem";
    let router = format!(
        "{ROUTER}# old: {secret}\n[[destinations]]\nid = \"siem\"\nkind = \"splunk_hec\"\nurl = \"http://127.0.0.1:1\"\n\
         token = \"{secret}\"\n"
    );
    assert_eq!(server.put_router("\"1\"", "application/toml", router).await.status, StatusCode::OK);
    let paths = [
        "/api/v1/router",
        "/api/v1/router?format=toml",
        "/api/v1/router/revisions/2",
        "/api/v1/router/revisions/2?format=toml",
        "/api/v1/router/diff?from=1&to=2",
        "/api/v1/router/status",
    ];
    let (analyst, operator) = (server.token(Role::Analyst), server.token(Role::Operator));
    for path in paths {
        let seen = server.call(Method::GET, path, &analyst, "", "").await;
        assert_eq!(seen.status, StatusCode::OK, "{path}: {}", seen.text());
        assert!(!seen.text().contains(secret) && seen.text().contains("siem"), "{path}: {}", seen.text());
        let whole = server.call(Method::GET, path, &operator, "", "").await.text();
        assert!(whole.contains(secret) || path.ends_with("status"), "{path}: {whole}");
    }
    let tags = [&analyst, &operator].map(|who| server.call(Method::GET, "/api/v1/router", who, "", ""));
    let [one, other] = tags;
    assert_ne!(one.await.header("etag"), other.await.header("etag"));
}

/// What is left of a file that somebody takes slowly, once the right to it has gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_ends_with_the_token_that_asked_for_it() {
    use axum::body::HttpBody;
    let server = Server::with_admin();
    for _ in 0..8 {
        let lines = format!("{}\n", "x".repeat(1000)).repeat(2000);
        assert_eq!(server.ingest("", "text/plain", lines).await.status, StatusCode::OK);
    }
    let new = NewToken { name: "reader", role: Role::Analyst, created_by: "test".into(), expires_at: None };
    let (id, secret) = server.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
    let read = async |remove: bool| {
        let request = Request::get("/api/v1/export?format=raw")
            .header(header::AUTHORIZATION, format!("Bearer {}", secret.reveal()));
        let response = server.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let mut body = response.into_body();
        let (mut bytes, mut pieces) = (0, 0);
        while let Some(frame) =
            std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).await
        {
            let Ok(frame) = frame else { return (bytes, true) };
            bytes += frame.data_ref().map_or(0, |data| data.len());
            pieces += 1;
            if remove && pieces == 1 {
                server.meta.remove_token(id).unwrap();
            }
        }
        (bytes, false)
    };
    let (whole, broken) = read(false).await;
    assert!(16_000_000 < whole && !broken, "{whole}");
    let (part, broken) = read(true).await;
    assert!(broken && part < whole / 2, "{part} of {whole}, broken off: {broken}");
}

#[tokio::test]
async fn a_list_of_no_logspaces_is_refused_wherever_one_is_written() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "one").await;
    for path in ["/api/v1/search", "/api/v1/count", "/api/v1/facets"] {
        let body = json!({"query": "*", "fields": ["host"], "logspaces": []});
        let mut body = body.as_object().unwrap().clone();
        if path != "/api/v1/facets" {
            body.remove("fields");
        }
        server.post(path, &Value::Object(body)).await.is_problem(400, "logspaces is an empty list");
    }
    let kept = json!({"name": "none", "query": "*", "logspaces": [], "shared": true});
    server.post("/api/v1/saved-searches", &kept).await.is_problem(400, "logspaces is an empty list");
}

#[tokio::test]
async fn a_logspace_that_a_query_names_in_vain_is_warned_of() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "one").await;
    let warned = async |body: Value| server.post("/api/v1/search", &body).await.json()["warnings"].clone();
    let unknown = warned(json!({"query": "logspace:nope"})).await;
    assert_eq!(unknown[0]["code"], "unknown_logspace", "{unknown}");
    assert!(unknown[0]["message"].as_str().unwrap().contains("there is no such logspace"), "{unknown}");
    let left_out = warned(json!({"query": "logspace:other", "logspaces": ["main"]})).await;
    assert!(left_out[0]["message"].as_str().unwrap().contains("`other` is not searched"), "{left_out}");
    assert_eq!(warned(json!({"query": "logspace:main"})).await, json!([]));
}

#[tokio::test]
async fn a_cursor_is_for_the_question_that_it_came_from() {
    let server = Server::with_admin();
    server.ingest("", "text/plain", "a one\na two\na three").await;
    let asked = json!({"query": "a", "limit": 1, "from": "-1h"});
    let cursor = server.post("/api/v1/search", &asked).await.json()["cursor"].clone();
    assert!(cursor.is_string(), "{cursor}");
    let next = async |key: &str, value: Value| {
        let mut request = asked.clone();
        request["cursor"] = cursor.clone();
        request[key] = value;
        server.post("/api/v1/search", &request).await
    };
    for (key, value) in [
        ("query", json!("two")),
        ("from", json!("-2h")),
        ("timezone", json!("Europe/Berlin")),
        ("logspaces", json!(["main"])),
    ] {
        next(key, value).await.is_problem(400, "another question");
    }
    next("order", json!("oldest")).await.is_problem(400, "other order");
    assert_eq!(next("limit", json!(2)).await.json()["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_key_of_a_request_is_for_the_logspace_that_it_names() {
    let server = Server::with_admin();
    let send = async |logspace: &str| {
        let request = Request::post(format!("/api/v1/ingest?logspace={logspace}"))
            .header(header::CONTENT_TYPE, "text/plain")
            .header("Idempotency-Key", "k");
        server.send(admin().sign(request).body("the same".into()).unwrap()).await
    };
    let first = send("main").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    let again = send("main").await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (StatusCode::OK, "true"));
    // It is another request, so it is not answered as if it had been stored there.
    let elsewhere = send("other").await;
    assert_ne!(elsewhere.header("idempotency-replayed"), "true", "{}", elsewhere.text());
    let body = json!({"query": "*", "logspaces": ["other"]});
    let stored = server.post("/api/v1/count", &body).await.json()["count"].as_u64();
    assert_eq!(stored == Some(1), elsewhere.status == StatusCode::OK, "{}", elsewhere.text());
}

#[tokio::test]
async fn the_oldest_revisions_of_a_thousand_go() {
    let server = Server::with_admin();
    for number in 2..=1001 {
        let toml = format!("# {number}\n{ROUTER}");
        server.meta.add_revision(&toml, "ada", "", Timestamp::from_nanos(0)).unwrap();
    }
    assert_eq!(server.meta.revision(1).unwrap(), None);
    assert!(server.meta.revision(2).unwrap().is_some());
}

#[tokio::test]
async fn a_trace_without_a_document_is_of_the_live_one_and_the_description_says_so() {
    let server = Server::with_admin();
    let trace = server.post("/api/v1/router/trace", &json!({"raw": "hello", "source": "http"})).await;
    assert_eq!(trace.status, StatusCode::OK, "{}", trace.text());
    assert_eq!(trace.json()["routes"][0]["id"], "default", "{}", trace.text());
    let described = server.get("/api/v1/openapi.json").await.json();
    let request = &described["components"]["schemas"]["TraceRequest"];
    assert!(request["properties"]["document"].is_object(), "{request}");
    let demanded = request["required"].as_array().into_iter().flatten();
    assert!(demanded.into_iter().all(|name| name != "document"), "{request}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_destination_answers_and_the_end_of_its_address_are_for_operators() {
    let server = Server::with_admin();
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]")
        + "[[destinations]]\nid = \"siem\"\nkind = \"ndjson_http\"\nurl = \"http://127.0.0.1:1/in?signature=s3cret\"\n";
    assert_eq!(server.put_router("\"1\"", "application/toml", router).await.status, StatusCode::OK);
    assert_eq!(server.ingest("", "text/plain", "one").await.status, StatusCode::OK);
    let seen_by = async |who: &As| {
        let status = server.call(Method::GET, "/api/v1/router/status", who, "", "").await.json();
        status["destinations"][0].clone()
    };
    let operator = server.token(Role::Operator);
    let known = loop {
        let seen = seen_by(&operator).await;
        if seen["last_error"].is_string() {
            break seen;
        }
        tokio::task::yield_now().await;
    };
    assert!(known["last_error"].as_str().unwrap().contains("127.0.0.1:1"), "{known}");
    let seen = seen_by(&server.token(Role::Analyst)).await;
    assert_eq!(seen["last_error"], "it cannot send; operators see why");
    assert_eq!(seen["to"], "http://127.0.0.1:1/in");
    assert!(!seen.to_string().contains("s3cret"), "{seen}");
}

#[tokio::test]
async fn what_lacks_the_field_that_a_top_is_by_is_in_none_of_its_groups() {
    let server = Server::with_admin();
    let lines = "{\"message\":\"m\",\"host\":\"a\",\"program\":\"p\"}\n{\"message\":\"m\",\"host\":\"a\"}\n";
    assert_eq!(server.ingest("", "application/x-ndjson", lines).await.status, StatusCode::OK);
    let ask = async |query: &str| server.post("/api/v1/aggregate", &json!({"query": query})).await.json();
    let top = ask("* | top 10 host by program").await;
    let rows = top["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{top}");
    assert!(rows[0].as_array().unwrap().contains(&json!("p")), "{top}");
}
