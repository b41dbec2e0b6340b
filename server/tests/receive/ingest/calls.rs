//! Calls of the API without sockets.

#![allow(dead_code, reason = "support of several test files")]

use crate::in_process::{self, TOKEN as ADMIN};
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Request, StatusCode, header};
use logstead_accounts::{Grant, NewToken, Role};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::future::poll_fn;
use std::pin::Pin;
use tower::ServiceExt;

/// The server with the calls that these tests make.
pub(crate) type Server = in_process::Server<Calls>;

pub(crate) struct Calls;

/// An answer.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks its status and a part of its text.
    pub(crate) fn check(&self, status: u16, expected: &str) {
        assert!(
            self.status.as_u16() == status && self.text().contains(expected),
            "{}: {}",
            self.status,
            self.text()
        );
    }
}

impl Server {
    pub(crate) fn usual() -> Server {
        Server::start(|_| {})
    }

    /// Sends a request whose body may be endless; if the answer is a stream, reads only its first part.
    pub(crate) async fn run(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, mut body) = response.into_parts();
        let kind = parts.headers.get(header::CONTENT_TYPE).map_or("", |kind| kind.to_str().unwrap());
        let mut left = if kind.starts_with("text/event-stream") { 0 } else { usize::MAX };
        let mut read = Vec::new();
        while 0 < left
            && let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            read.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
            left -= 1;
        }
        Answer { status: parts.status, headers: parts.headers, body: read }
    }

    /// Calls with these headers.
    pub(crate) async fn call(&self, call: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let (method, path) = call.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.run(request.body(body.into()).unwrap()).await
    }

    /// Sends a POST request with a token.
    pub(crate) async fn post(&self, path: &str, token: &str, kind: &str, body: impl Into<Body>) -> Answer {
        let authorization = format!("Bearer {token}");
        self.call(&format!("POST {path}"), &[("authorization", &authorization), ("content-type", kind)], body)
            .await
    }

    /// Makes a token with this role.
    pub(crate) fn token(&self, name: &str, role: Role) -> (i64, String) {
        let new = NewToken { name, role, created_by: "test".into(), expires_at: None };
        let (id, secret) =
            self.meta.add_granted_token(&new, &Grant::default(), Timestamp::from_nanos(0)).unwrap();
        (id, secret.reveal().to_owned())
    }

    /// The messages that a query finds, oldest first.
    pub(crate) async fn find(&self, query: &str) -> Vec<Value> {
        let question = json!({"query": query, "limit": 1000, "order": "oldest"});
        let answer = self.post("/api/v1/search", ADMIN, "application/json", question.to_string()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()["messages"].as_array().unwrap().clone()
    }

    /// Applies a router document.
    pub(crate) async fn route(&self, toml: &str) {
        let revision =
            self.call("GET /api/v1/router", &[("authorization", &format!("Bearer {ADMIN}"))], "").await;
        let headers = [
            ("authorization", &*format!("Bearer {ADMIN}")),
            ("content-type", "application/toml"),
            ("if-match", revision.header("etag")),
        ];
        let answer = self.call("PUT /api/v1/router", &headers, toml.to_owned()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }
}
