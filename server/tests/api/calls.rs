//! The callers of the API in these tests, their requests, and the answers.

use crate::in_process;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use in_process::TOKEN as ADMIN_TOKEN;
use logstead_accounts::{NewToken, Role, password};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use tower::ServiceExt;

/// The server with the calls that these tests make.
pub(super) type Server = in_process::Server<Calls>;

pub(super) struct Calls;

pub(super) const PASSWORD: &str = "correct horse";

/// The sender of a request.
#[derive(Clone, Default)]
pub(super) struct As {
    pub(super) token: Option<String>,
    pub(super) cookie: Option<String>,
    pub(super) csrf: Option<String>,
}

/// The statuses that the description of the API lists for an address, and the one for which there is `default`; empty
/// if it does not have the address.
fn described_statuses(method: &Method, path: &str) -> BTreeSet<String> {
    static DESCRIPTION: LazyLock<Value> = LazyLock::new(logstead_api::openapi);
    let segments: Vec<&str> = path.split('/').collect();
    let fits = |pattern: &str| {
        let pattern: Vec<&str> = pattern.split('/').collect();
        let mut pairs = pattern.iter().zip(&segments);
        pattern.len() == segments.len() && pairs.all(|(one, other)| one.starts_with('{') || one == other)
    };
    let method = if method == Method::HEAD { Method::GET } else { method.clone() };
    let items = DESCRIPTION["paths"].as_object().unwrap().iter().filter(|(pattern, _)| fits(pattern));
    let operations = items.map(|(_, item)| &item[method.as_str().to_ascii_lowercase()]);
    let responses = operations.filter_map(|operation| operation["responses"].as_object());
    responses.flat_map(|responses| responses.keys().cloned().chain(["500".to_owned()])).collect()
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Server {
    /// Starts a server with an administrator `ada`.
    pub(super) fn with_admin() -> Server {
        let server = Server::start(|_| {});
        server.add_user("ada", Role::Admin);
        server
    }

    pub(super) fn add_user(&self, name: &str, role: Role) {
        let hash = password::hash(PASSWORD).unwrap();
        self.meta.add_user(name, role, &hash, Timestamp::from_nanos(0)).unwrap();
    }

    pub(super) fn token(&self, role: Role) -> As {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{role}{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let new = NewToken { name: &name, role, created_by: "test".into(), expires_at: None };
        let (_, secret) = self.meta.add_token(&new, Timestamp::from_nanos(0)).unwrap();
        As { token: Some(secret.reveal().to_owned()), ..As::default() }
    }

    pub(super) async fn log_in(&self, name: &str) -> As {
        let login = json!({"name": name, "password": PASSWORD});
        let answer = self.json(Method::POST, "/api/v1/session", &As::default(), &login).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.session()
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Answer {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let described = described_statuses(&method, &path);
        let is_described = described.is_empty() || described.contains(parts.status.as_str());
        assert!(is_described, "{method} {path} answers {}, which is not described", parts.status);
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub(super) async fn call(
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

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, &admin(), "", "").await
    }

    pub(super) async fn json(&self, method: Method, path: &str, who: &As, body: &Value) -> Answer {
        self.call(method, path, who, "application/json", body.to_string()).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.json(Method::POST, path, &admin(), body).await
    }

    pub(super) async fn ingest(&self, parameters: &str, content: &str, body: impl Into<Body>) -> Answer {
        self.call(Method::POST, &format!("/api/v1/ingest{parameters}"), &admin(), content, body).await
    }

    pub(super) async fn put_router(&self, revision: &str, content: &str, document: String) -> Answer {
        let request = Request::builder()
            .method(Method::PUT)
            .uri("/api/v1/router?comment=why")
            .header(header::IF_MATCH, revision)
            .header(header::CONTENT_TYPE, content);
        self.send(admin().sign(request).body(document.into()).unwrap()).await
    }
}

impl As {
    pub(super) fn sign(&self, mut request: axum::http::request::Builder) -> axum::http::request::Builder {
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
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The sender with the session of this login.
    pub(super) fn session(&self) -> As {
        let cookie = self.header("set-cookie");
        let secret = cookie.split(';').next().unwrap().strip_prefix("logstead_session=").unwrap();
        let csrf = self.json()["csrf_token"].as_str().unwrap().to_owned();
        As { token: None, cookie: Some(secret.to_owned()), csrf: Some(csrf) }
    }

    /// Checks for a problem with this status and `expected` in its detail.
    pub(super) fn is_problem(&self, status: u16, expected: &str) {
        let context = format!("{} {}", self.status, self.text());
        assert_eq!(self.status.as_u16(), status, "{context}");
        assert_eq!(self.header("content-type"), "application/problem+json", "{context}");
        let problem = self.json();
        assert_eq!(problem["status"], status, "{context}");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "`{expected}` is not in {context}");
    }
}

pub(super) fn admin() -> As {
    As { token: Some(ADMIN_TOKEN.to_owned()), ..As::default() }
}
