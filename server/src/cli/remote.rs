//! A running server, for the commands that connect to one.

use super::failure::{CommandFailure, Result};
use super::secret;
use clap::error::ErrorKind;
use clap::{ArgGroup, Args};
use logstead_client::http::{Encryption, agent};
use logstead_client::proxy::Proxies;
use logstead_client::tls::{Authorities, TlsOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};
use ureq::http::{Request, Response, StatusCode, Uri};
use ureq::typestate::WithBody;
use ureq::{Agent, Body, RequestBuilder};

type QueryPairs<'a> = &'a [(&'a str, &'a str)];

/// The server that a command connects to, and the credentials for it. The options are the same for all commands.
///
/// The environment is not read by clap: a variable applies to every command, so it must not conflict with arguments
/// such as `--data`.
#[derive(Args, Clone, Debug)]
pub(super) struct ServerArgs {
    /// The address of a running server [env: LOGSTEAD_SERVER]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    #[command(flatten)]
    token: TokenArgs,
    /// A PEM file of certificates to trust for an https address, instead of the system's authorities: those of other
    /// authorities, or the server's own [env: LOGSTEAD_CA_FILE]
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

/// The data directory or the server that a command reads: the same options for all commands.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("store").args(["data", "server"])))]
pub(super) struct StoreLocationArgs {
    /// A data directory. It is only read, so a server may be running on it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

impl StoreLocationArgs {
    pub(super) fn location(&self) -> Result<StoreLocation<'_>> {
        self.server.or(self.data.as_ref())
    }
}

/// The token that a command logs in with.
#[derive(Args, Clone, Debug)]
pub(super) struct TokenArgs {
    /// An API token for that server [env: LOGSTEAD_TOKEN]
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
    /// A file with that token [env: LOGSTEAD_TOKEN_FILE]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServerArgs {
    /// The given server, unless a data directory is given.
    pub(super) fn unless(&self, data: Option<&PathBuf>) -> Result<Option<Remote>> {
        let server = match data {
            Some(_) => None,
            None => self.server.clone().or_else(|| variable("LOGSTEAD_SERVER")),
        };
        server.map(|server| self.remote(server)).transpose()
    }

    /// The data directory or the server that a command reads. If neither is given, the process ends with a usage
    /// error, like for any missing argument.
    pub(super) fn or<'a>(&self, data: Option<&'a PathBuf>) -> Result<StoreLocation<'a>> {
        match (data, self.unless(data)?) {
            (Some(data), _) => Ok(StoreLocation::Data(data)),
            (None, Some(remote)) => Ok(StoreLocation::Server(remote)),
            (None, None) => missing("give --data DIR or --server URL (or set LOGSTEAD_SERVER)"),
        }
    }

    /// The server, for commands that need one.
    pub(super) fn needed(&self) -> Result<Remote> {
        let remote = self.unless(None)?;
        Ok(remote.unwrap_or_else(|| missing("give --server URL (or set LOGSTEAD_SERVER)")))
    }

    fn remote(&self, server: String) -> Result<Remote> {
        let token = self.token.read()?;
        let ca_file = self.ca_file.clone().or_else(|| variable("LOGSTEAD_CA_FILE").map(PathBuf::from));
        Ok(Remote { server, token, ca_file })
    }
}

impl TokenArgs {
    /// The token. An argument takes precedence over the environment.
    pub(super) fn read(&self) -> Result<Option<String>> {
        let token = match (&self.token, &self.token_file) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(file)) => Some(
                secret::of_file(file)
                    .map_err(|error| CommandFailure::No(format!("--token-file: {error}")))?,
            ),
            (None, None) => secret::of_environment("LOGSTEAD_TOKEN", None)?,
        };
        Ok(token.filter(|token| !token.is_empty()))
    }
}

/// An environment variable; an empty one counts as unset.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Ends the process with a usage error.
fn missing(what: &str) -> ! {
    clap::Error::raw(ErrorKind::MissingRequiredArgument, format!("{what}\n")).exit()
}

/// The location of a store that a command reads.
pub(super) enum StoreLocation<'a> {
    /// A data directory.
    Data(&'a Path),
    /// A running server.
    Server(Remote),
}

/// A server, and the credentials for it.
#[derive(Clone)]
pub(super) struct Remote {
    pub(super) server: String,
    token: Option<String>,
    ca_file: Option<PathBuf>,
}

impl Remote {
    /// Sends a text; returns the JSON of a successful response.
    pub(super) fn send(
        &self,
        method: &str,
        what: &str,
        parameters: QueryPairs<'_>,
        headers: QueryPairs<'_>,
        body: &str,
    ) -> Result<Value> {
        let (agent, url) = (self.agent()?, self.url(what));
        let request = if method == "PUT" { agent.put(url) } else { agent.post(url) };
        self.json(self.with(request, parameters, headers).send(body))
    }

    /// Sends a request, with JSON if there is a body; returns the JSON of a successful response, null if it has none.
    pub(super) fn call(&self, method: &str, what: &str, body: Option<&Value>) -> Result<Value> {
        let mut request = Request::builder().method(method).uri(self.url(what));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if body.is_some() {
            request = request.header("Content-Type", "application/json");
        }
        let text = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(text).map_err(CommandFailure::no)?;
        let mut answer = self.success(self.agent()?.run(request))?;
        let text = answer.body_mut().read_to_string();
        let text = text.map_err(|error| CommandFailure::environment(format!("{}: {error}", self.server)))?;
        if text.is_empty() {
            return Ok(Value::Null);
        }
        let wrong = |error| CommandFailure::environment(format!("{}: {error}", self.server));
        serde_json::from_str(&text).map_err(wrong)
    }

    /// A request whose body the caller sends; a response of any status is returned.
    pub(super) fn upload(&self, what: &str, headers: QueryPairs<'_>) -> Result<RequestBuilder<WithBody>> {
        Ok(self.with(self.agent()?.post(self.url(what)), &[], headers))
    }

    /// Posts JSON; returns a successful response whose body is still to be read, if it has one.
    pub(super) fn post(&self, what: &str, body: &Value) -> Result<Response<Body>> {
        self.success(self.with(self.agent()?.post(self.url(what)), &[], &[]).send_json(body))
    }

    /// Sends a GET request; returns the JSON of a successful response.
    pub(super) fn ask(&self, what: &str, parameters: QueryPairs<'_>) -> Result<Value> {
        self.json(self.with(self.agent()?.get(self.url(what)), parameters, &[]).call())
    }

    /// Sends a GET request; returns a successful response whose body is still to be read.
    pub(super) fn get(
        &self,
        what: &str,
        parameters: QueryPairs<'_>,
        headers: QueryPairs<'_>,
    ) -> Result<Response<Body>> {
        self.success(self.with(self.agent()?.get(self.url(what)), parameters, headers).call())
    }

    /// An HTTP client that also returns responses with an error status.
    fn agent(&self) -> Result<Agent> {
        let config = Agent::config_builder().proxy(None).http_status_as_error(false).build();
        let address: Uri =
            self.server.parse().map_err(|error| CommandFailure::no(format!("{}: {error}", self.server)))?;
        let is_encrypted = address.scheme_str() == Some("https");
        if self.ca_file.is_some() && !is_encrypted {
            let message = "--ca-file is only for an address that begins with https://";
            return Err(CommandFailure::no(format!("{}: {message}", self.server)));
        }
        let authorities = self.ca_file.clone().map_or(Authorities::System, Authorities::File);
        let encryption = Encryption::new(TlsOptions { authorities, ..TlsOptions::default() }, None);
        if is_encrypted {
            encryption.config().map_err(CommandFailure::no)?;
        }
        Ok(agent(config, encryption, Proxies::of_environment()))
    }

    fn url(&self, what: &str) -> String {
        format!("{}/api/v1/{what}", self.server.trim_end_matches('/'))
    }

    fn with<B>(
        &self,
        mut request: RequestBuilder<B>,
        parameters: QueryPairs<'_>,
        headers: QueryPairs<'_>,
    ) -> RequestBuilder<B> {
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.query_pairs(parameters.iter().copied())
    }

    fn json(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Value> {
        let body = self.success(answer)?.body_mut().read_json();
        body.map_err(|error| CommandFailure::environment(format!("{}: {error}", self.server)))
    }

    fn success(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>> {
        let server = &self.server;
        let mut answer = answer.map_err(|error| CommandFailure::environment(format!("{server}: {error}")))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let problem: Value = answer.body_mut().read_json().unwrap_or_default();
        Err(problem_failure(server, status, &problem))
    }
}

/// The failure for a refused request, with all that the problem says.
pub(super) fn problem_failure(server: &str, status: StatusCode, problem: &Value) -> CommandFailure {
    let detail = problem["detail"].as_str().or(problem["title"].as_str()).unwrap_or("no reason given");
    let mut message = format!("{server}: {status}: {detail}");
    let lines = ["excerpt", "suggestion"].map(|key| problem[key].as_str().unwrap_or_default());
    match lines {
        ["", _] => {}
        [excerpt, ""] => message += &format!("\n{excerpt}"),
        [excerpt, suggestion] => message += &format!("\n{excerpt}\nwrite: {suggestion}"),
    }
    // The first problem is already in the detail.
    for more in problem["problems"].as_array().into_iter().flatten().skip(1) {
        let [path, what] = ["path", "message"].map(|key| more[key].as_str().unwrap_or_default());
        message += &format!("\n{path}: {what}");
    }
    if let Some(id) = problem["request_id"].as_str().filter(|_| status.is_server_error()) {
        message += &format!("\nrequest {id}: see the log of the server for details");
    }
    refused(status, message)
}

/// The failure for a refused request. It belongs to the environment if trying again later may help.
pub(super) fn refused(status: StatusCode, message: String) -> CommandFailure {
    let is_later = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    if is_later || status.is_server_error() {
        CommandFailure::Environment(message)
    } else {
        CommandFailure::No(message)
    }
}
