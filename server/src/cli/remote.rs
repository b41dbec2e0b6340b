//! A running server, for the commands that ask one.

use super::failure::Failure;
use crate::destination::Encryption;
use clap::Args;
use logstead_client::tls::{Authorities, TlsOptions, config};
use serde_json::Value;
use std::path::{Path, PathBuf};
use ureq::http::{Response, StatusCode, Uri};
use ureq::typestate::WithBody;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, Body, RequestBuilder};

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// The token a command logs in with, and the authority that it trusts for the server.
#[derive(Args, Clone, Debug)]
pub(super) struct Login {
    /// An API token for that server
    #[arg(long, value_name = "T", env = "LOGSTEAD_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// A PEM file of whom to trust at an https address, instead of Mozilla's list: authorities, or the server's own
    /// certificate
    #[arg(long, value_name = "FILE", env = "LOGSTEAD_CA_FILE")]
    ca_file: Option<PathBuf>,
}

/// A server, and what it takes to ask it.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    server: String,
    login: Login,
}

impl Remote {
    pub(super) fn new(server: &str, login: &Login) -> Remote {
        Remote { server: server.to_owned(), login: login.clone() }
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
        let (agent, url) = (self.agent()?, self.url(what));
        let request = if method == "PUT" { agent.put(url) } else { agent.post(url) };
        self.json(self.with(request, parameters, headers).send(body))
    }

    /// A request for a body that the caller sends, whatever the response is.
    pub(super) fn upload(&self, what: &str, headers: Pairs<'_>) -> Result<RequestBuilder<WithBody>, Failure> {
        Ok(self.with(self.agent()?.post(self.url(what)), &[], headers))
    }

    /// Posts JSON; returns a successful response whose body is still to be read, if it has one.
    pub(super) fn post(&self, what: &str, body: &Value) -> Result<Response<Body>, Failure> {
        self.success(self.with(self.agent()?.post(self.url(what)), &[], &[]).send_json(body))
    }

    /// Asks; returns the JSON of a successful response.
    pub(super) fn ask(&self, what: &str, parameters: Pairs<'_>) -> Result<Value, Failure> {
        self.json(self.with(self.agent()?.get(self.url(what)), parameters, &[]).call())
    }

    /// Asks; returns a successful response whose body is still to be read.
    pub(super) fn get(
        &self,
        what: &str,
        parameters: Pairs<'_>,
        headers: Pairs<'_>,
    ) -> Result<Response<Body>, Failure> {
        self.success(self.with(self.agent()?.get(self.url(what)), parameters, headers).call())
    }

    /// Responses that are not successful are responses too.
    fn agent(&self) -> Result<Agent, Failure> {
        let config = Agent::config_builder().http_status_as_error(false).build();
        let Some(ca_file) = &self.login.ca_file else { return Ok(config.into()) };
        let encryption = self.trusting(ca_file).map_err(Failure::no)?;
        Ok(Agent::with_parts(config, TcpConnector::default().chain(encryption), DefaultResolver::default()))
    }

    /// What encrypts connections to the server, trusting what is in a file.
    fn trusting(&self, ca_file: &Path) -> Result<Encryption, String> {
        let address: Uri = self.server.parse().map_err(|error| format!("{}: {error}", self.server))?;
        if address.scheme_str() != Some("https") {
            return Err(format!("{}: --ca-file is for an address that begins with https://", self.server));
        }
        let authorities = Authorities::File(ca_file.to_owned());
        let trust = config(&TlsOptions { authorities, ..TlsOptions::default() })?;
        Encryption::to(address.host().unwrap_or_default(), trust)
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
        if let Some(token) = &self.login.token {
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
        let lines = ["excerpt", "suggestion"].map(|key| problem[key].as_str().unwrap_or_default());
        match lines {
            ["", _] => {}
            [excerpt, ""] => message += &format!("\n{excerpt}"),
            [excerpt, suggestion] => message += &format!("\n{excerpt}\nwrite: {suggestion}"),
        }
        // The detail already tells the first.
        for more in problem["problems"].as_array().into_iter().flatten().skip(1) {
            let [path, what] = ["path", "message"].map(|key| more[key].as_str().unwrap_or_default());
            message += &format!("\n{path}: {what}");
        }
        Err(refused(status, message))
    }
}
/// What a refusal is: where it may help to try again later, something in the environment.
pub(super) fn refused(status: StatusCode, message: String) -> Failure {
    let is_later = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    if is_later || status.is_server_error() { Failure::Environment(message) } else { Failure::No(message) }
}
