//! A running server, for the commands that ask one for more than fits in one answer.

use super::Failure;
use clap::Args;
use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

/// Which server, and who asks.
#[derive(Args, Clone, Debug)]
pub(super) struct Remote {
    /// The address of a running server
    #[arg(long, value_name = "URL")]
    server: String,
    /// An API token for that server
    #[arg(long, value_name = "T", env = "LOGSTEAD_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl Remote {
    pub(super) fn new(server: &str, token: Option<&str>) -> Remote {
        Remote { server: server.to_owned(), token: token.map(str::to_owned) }
    }

    pub(super) fn server(&self) -> &str {
        &self.server
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
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut request = agent.get(url);
        if let Some(token) = token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        for (name, value) in parameters {
            request = request.query(*name, *value);
        }
        let unreachable = |error: ureq::Error| Failure::environment(format!("{server}: {error}"));
        let mut answer = request.call().map_err(unreachable)?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let problem: Value = answer.body_mut().read_json().unwrap_or_default();
        let detail = problem["detail"].as_str().or(problem["title"].as_str()).unwrap_or("no reason given");
        let message = format!("{server}: {status}: {detail}");
        Err(if status.is_server_error() { Failure::Environment(message) } else { Failure::No(message) })
    }
}
