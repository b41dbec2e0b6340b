//! A running server, for the commands that ask one.

use super::failure::Failure;
use serde_json::Value;
use ureq::http::Response;
use ureq::{Body, RequestBuilder};

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// A server, and the token to ask it with.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    server: String,
    token: Option<String>,
}

impl Remote {
    pub(super) fn new(server: &str, token: Option<&str>) -> Remote {
        Remote { server: server.to_owned(), token: token.map(str::to_owned) }
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Sends a text; returns the JSON of a successful response.
    pub(super) fn send(
        &self,
        method: &str,
        what: &str,
        parameters: Pairs<'_>,
        headers: Pairs<'_>,
        body: &str,
    ) -> Result<Value, Failure> {
        let (agent, url) = (agent(), self.url(what));
        let request = if method == "PUT" { agent.put(url) } else { agent.post(url) };
        self.json(self.with(request, parameters, headers).send(body))
    }

    /// Posts JSON; returns a successful response whose body is still to be read, if it has one.
    pub(super) fn post(&self, what: &str, body: &Value) -> Result<Response<Body>, Failure> {
        self.success(self.with(agent().post(self.url(what)), &[], &[]).send_json(body))
    }

    /// Asks; returns the JSON of a successful response.
    pub(super) fn ask(&self, what: &str, parameters: Pairs<'_>) -> Result<Value, Failure> {
        self.json(self.with(agent().get(self.url(what)), parameters, &[]).call())
    }

    /// Asks; returns a successful response whose body is still to be read.
    pub(super) fn get(
        &self,
        what: &str,
        parameters: Pairs<'_>,
        headers: Pairs<'_>,
    ) -> Result<Response<Body>, Failure> {
        self.success(self.with(agent().get(self.url(what)), parameters, headers).call())
    }

    fn url(&self, what: &str) -> String {
        format!("{}/api/v1/{what}", self.server.trim_end_matches('/'))
    }

    fn with<B>(
        &self,
        mut request: RequestBuilder<B>,
        parameters: Pairs<'_>,
        headers: Pairs<'_>,
    ) -> RequestBuilder<B> {
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.query_pairs(parameters.iter().copied())
    }

    fn json(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Value, Failure> {
        let body = self.success(answer)?.body_mut().read_json();
        body.map_err(|error| Failure::environment(format!("{}: {error}", self.server)))
    }

    fn success(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>, Failure> {
        let server = &self.server;
        let mut answer = answer.map_err(|error| Failure::environment(format!("{server}: {error}")))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let problem: Value = answer.body_mut().read_json().unwrap_or_default();
        let detail = problem["detail"].as_str().or(problem["title"].as_str()).unwrap_or("no reason given");
        let mut message = format!("{server}: {status}: {detail}");
        // The detail already tells the first.
        for more in problem["problems"].as_array().into_iter().flatten().skip(1) {
            let [path, what] = ["path", "message"].map(|key| more[key].as_str().unwrap_or_default());
            message += &format!("\n{path}: {what}");
        }
        Err(if status.is_server_error() { Failure::Environment(message) } else { Failure::No(message) })
    }
}

/// Responses that are not successful are responses too.
pub(super) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}
