//! The API of this process, as `serve --apply` calls it before it answers anybody else.

use crate::cli::apply::ApplyTarget;
use crate::cli::failure::{CommandFailure, Result};
use crate::cli::remote::problem_failure;
use crate::cli::router;
use axum::body::Body;
use axum::http::{Request, header};
use logstead_api::OwnCalls;
use serde_json::Value;
use tokio::runtime::Handle;

/// The API of this process. It must not be called from a thread of the runtime.
pub(super) struct OwnApi {
    pub(super) calls: OwnCalls,
    pub(super) runtime: Handle,
}

impl OwnApi {
    /// The ETag and the text of a successful answer.
    fn exchange(&self, request: Request<Body>) -> Result<(String, String)> {
        let answer = self.runtime.block_on(self.calls.call(request)).map_err(CommandFailure::environment)?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        if answer.status.is_success() {
            let tag = answer.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
            return Ok((tag.unwrap_or("*").to_owned(), text));
        }
        Err(problem_failure("--apply", answer.status, &serde_json::from_str(&text).unwrap_or_default()))
    }

    fn json(&self, method: &str, path: &str, media: &str, body: String) -> Result<Value> {
        let request = Request::builder().method(method).uri(format!("/api/v1/{path}"));
        let request = request.header(header::CONTENT_TYPE, media).body(body.into());
        let (_, text) = self.exchange(request.map_err(CommandFailure::no)?)?;
        match text.is_empty() {
            true => Ok(Value::Null),
            false => serde_json::from_str(&text).map_err(CommandFailure::environment),
        }
    }
}

impl ApplyTarget for OwnApi {
    fn own_name(&self) -> Result<String> {
        Ok(String::new())
    }

    fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        self.json("GET", &format!("{path}?{query}"), "application/json", String::new())
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        self.json(method, path, "application/json", body.map(Value::to_string).unwrap_or_default())
    }

    fn document(&self) -> Result<(String, String)> {
        let request = Request::builder().uri("/api/v1/router?format=toml").body(Body::empty());
        self.exchange(request.map_err(CommandFailure::no)?)
    }

    fn validation(&self, toml: &str) -> Result<Value> {
        let answer = self.json("POST", "router/validate", router::TOML.1, toml.to_owned())?;
        router::accepted("router.toml", answer)
    }

    fn put_document(&self, toml: &str, tag: &str, comment: &str) -> Result<()> {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("comment", comment).finish();
        let request = Request::builder().method("PUT").uri(format!("/api/v1/router?{query}"));
        let request = request.header(header::CONTENT_TYPE, router::TOML.1).header(header::IF_MATCH, tag);
        self.exchange(request.body(toml.to_owned().into()).map_err(CommandFailure::no)?).map(drop)
    }
}
