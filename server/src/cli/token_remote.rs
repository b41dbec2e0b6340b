//! `logstead token show` and `update`: the tokens of a running server.

use super::failure::{CommandFailure, Result};
use super::remote::{Remote, ServerArgs};
use super::text;
use clap::Args;
use logstead_config::Period;
use logstead_flow::machine::clock;
use serde_json::{Map, Value, json};

/// A token of a running server.
#[derive(Args, Debug)]
pub(super) struct TokenOfServerArgs {
    /// Its name, or its id
    #[arg(value_name = "TOKEN")]
    which: String,
    #[command(flatten)]
    server: ServerArgs,
}

/// The parts of a token to change; what is not given stays.
#[derive(Args, Debug)]
pub(super) struct TokenUpdateArgs {
    #[command(flatten)]
    of: TokenOfServerArgs,
    /// Another name
    #[arg(long, value_name = "NAME")]
    rename: Option<String>,
    /// A logspace that it may search, instead of those so far; may be repeated
    #[arg(long = "logspace", value_name = "L", conflicts_with = "no_logspaces")]
    logspaces: Vec<String>,
    /// No list of logspaces any more: all of them, or for the role ingest none by name
    #[arg(long)]
    no_logspaces: bool,
    /// A query that limits everything that it finds
    #[arg(long, value_name = "QUERY", conflicts_with = "no_scope")]
    scope: Option<String>,
    /// No scope any more
    #[arg(long)]
    no_scope: bool,
    /// How long it stays valid from now on, such as 90d
    #[arg(long, value_name = "TIME", conflicts_with = "no_expiry")]
    expires_in: Option<String>,
    /// Valid until it is removed
    #[arg(long)]
    no_expiry: bool,
    /// How many messages it may send a second, on average
    #[arg(long, value_name = "N", conflicts_with = "no_limits")]
    messages_per_second: Option<u64>,
    /// How many bytes it may send a second, on average
    #[arg(long, value_name = "N", conflicts_with = "no_limits")]
    bytes_per_second: Option<u64>,
    /// How many bytes one body may have
    #[arg(long, value_name = "N", conflicts_with = "no_limits")]
    body_bytes: Option<u64>,
    /// No limits on what it sends any more
    #[arg(long)]
    no_limits: bool,
}

impl TokenOfServerArgs {
    pub(super) fn show(&self) -> Result<()> {
        print(&self.find(&self.server.needed()?)?)
    }

    /// The token with this name that is valid, or with this id.
    fn find(&self, remote: &Remote) -> Result<Value> {
        if self.which.bytes().all(|byte| byte.is_ascii_digit()) {
            return remote.ask(&format!("tokens/{}", self.which), &[]);
        }
        let found = remote.ask("tokens", &[("name", &self.which)])?;
        // The newest is the last one: an older one of this name has ended.
        let newest = found["tokens"].as_array().and_then(|tokens| tokens.last()).cloned();
        newest.ok_or_else(|| {
            CommandFailure::No(format!("{}: there is no token `{}`", remote.server, self.which))
        })
    }
}

impl TokenUpdateArgs {
    pub(super) fn run(&self) -> Result<()> {
        let change = self.change()?;
        if change.is_empty() {
            return Err(CommandFailure::no("say what to change, for example --scope 'host:web-*'"));
        }
        let remote = self.of.server.needed()?;
        let id = self.of.find(&remote)?["id"].clone();
        print(&remote.call("PATCH", &format!("tokens/{id}"), Some(&Value::Object(change)))?)
    }

    /// The change as JSON (RFC 7396): null removes.
    fn change(&self) -> Result<Map<String, Value>> {
        let mut change = Map::new();
        let mut set = |name: &str, value: Option<Value>, is_removed: bool| {
            if let Some(value) = value.or(is_removed.then_some(Value::Null)) {
                change.insert(name.to_owned(), value);
            }
        };
        set("name", self.rename.as_ref().map(|name| json!(name)), false);
        let logspaces = Some(json!(self.logspaces)).filter(|_| !self.logspaces.is_empty());
        set("logspaces", logspaces, self.no_logspaces);
        set("scope", self.scope.as_ref().map(|scope| json!(scope)), self.no_scope);
        let expires_in = self.expires_in.as_deref().map(str::parse::<Period>).transpose();
        let end = expires_in.map_err(CommandFailure::no)?.map(|period| {
            let nanos = i64::try_from(period.duration().as_nanos()).unwrap_or(i64::MAX);
            json!(clock::now().saturating_add(nanos).to_string())
        });
        set("expires_at", end, self.no_expiry);
        let limits = [
            ("messages_per_second", self.messages_per_second),
            ("bytes_per_second", self.bytes_per_second),
            ("body_bytes", self.body_bytes),
        ];
        let limits: Map<String, Value> =
            limits.into_iter().filter_map(|(name, limit)| Some((name.to_owned(), json!(limit?)))).collect();
        set("limits", Some(Value::Object(limits.clone())).filter(|_| !limits.is_empty()), self.no_limits);
        Ok(change)
    }
}

fn print(token: &Value) -> Result<()> {
    text::line(&format!("{token:#}"))
}
