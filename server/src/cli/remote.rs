//! A running server, for the commands that ask one for more than fits in one answer.

use super::Failure;
use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

/// Which server, and who asks.
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

    /// Sends a text; what comes back is the answer of a success.
    pub(super) fn send(
        &self,
        method: &str,
        what: &str,
        parameters: &[(&str, &str)],
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Value, Failure> {
        let url = format!("{}/api/v1/{what}", self.server.trim_end_matches('/'));
        let agent = agent();
        let mut request = if method == "PUT" { agent.put(url) } else { agent.post(url) };
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        for (name, value) in parameters {
            request = request.query(*name, *value);
        }
        let mut answer = self.success(request.send(body))?;
        answer
            .body_mut()
            .read_json()
            .map_err(|error| Failure::environment(format!("{}: {error}", self.server)))
    }

    /// Asks; what comes back is a success whose body is to be read.
    pub(super) fn get(
        &self,
        what: &str,
        parameters: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Result<Response<Body>, Failure> {
        let Remote { server, token } = self;
        let url = format!("{}/api/v1/{what}", server.trim_end_matches('/'));
        let mut request = agent().get(url);
        if let Some(token) = token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        for (name, value) in parameters {
            request = request.query(*name, *value);
        }
        self.success(request.call())
    }

    /// The answer, if it is a success.
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
        // The first stands in the detail.
        for more in problem["problems"].as_array().into_iter().flatten().skip(1) {
            let [path, what] = ["path", "message"].map(|key| more[key].as_str().unwrap_or_default());
            message += &format!("\n{path}: {what}");
        }
        Err(if status.is_server_error() { Failure::Environment(message) } else { Failure::No(message) })
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}
