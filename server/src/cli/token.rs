//! `logstead token`: makes a token in the data directory of a stopped server, and changes those of a running one.

use super::choice::one_of;
use super::failure::{CommandFailure, Result};
use super::token_remote::{TokenOfServerArgs, TokenUpdateArgs};
use super::{starting, text};
use clap::{Args, Subcommand};
use logstead_accounts::{Grant, NewToken, Role, name};
use logstead_config::Period;
use logstead_flow::machine::clock;
use logstead_flow::machine::lock::DataLock;
use std::path::PathBuf;

const OF_SERVER: &str = "Examples:
  logstead token show shippers --server http://127.0.0.1:8080 --token TOKEN
  logstead token update report --scope 'host:web-*' --logspace main
  logstead token update shippers --messages-per-second 500 --expires-in 90d
  logstead token update shippers --no-limits

The server and the token can also be given as LOGSTEAD_SERVER and LOGSTEAD_TOKEN; the token is that of an administrator.
Prints the token without its secret, as JSON; an update keeps the secret. Exit code 0: done; 1: refused, for example
because there is no such token; 3: the server cannot be reached.";

pub(super) const EXAMPLES: &str = "Examples:
  logstead token create shippers --role ingest --data /var/lib/logstead
  logstead token create report --role analyst --expires-in 90d --data data

Prints the token, which is shown only once. A running server creates tokens through its API: POST /api/v1/tokens.
Exit code 0: done; 1: the name is taken or not valid; 3: the store is in use.";

/// The roles of tokens.
const ROLES: [(&str, Role); 4] = [
    ("ingest", Role::Ingest),
    ("analyst", Role::Analyst),
    ("operator", Role::Operator),
    ("admin", Role::Admin),
];

#[derive(Args, Debug)]
pub(super) struct TokenCommand {
    #[command(subcommand)]
    action: TokenAction,
}

#[derive(Subcommand, Debug)]
enum TokenAction {
    /// Creates a token and prints it
    #[command(after_help = EXAMPLES)]
    Create(Create),
    /// Prints a token of a running server
    #[command(after_help = OF_SERVER)]
    Show(TokenOfServerArgs),
    /// Changes a token of a running server, which keeps its secret
    #[command(after_help = OF_SERVER)]
    Update(TokenUpdateArgs),
}

#[derive(Args, Debug)]
struct Create {
    /// Its name
    name: String,
    /// What it may do
    #[arg(long, value_parser = one_of(&ROLES))]
    role: Role,
    /// How long it is valid, such as 90d; without it, until it is removed
    #[arg(long, value_name = "TIME")]
    expires_in: Option<String>,
    /// The data directory
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

impl TokenCommand {
    pub(super) fn run(&self) -> Result<()> {
        match &self.action {
            TokenAction::Create(create) => create.run(),
            TokenAction::Show(of) => of.show(),
            TokenAction::Update(update) => update.run(),
        }
    }
}

impl Create {
    fn run(&self) -> Result<()> {
        if let Some(flaw) = name::flaw(&self.name) {
            return Err(CommandFailure::no(flaw));
        }
        let expires_in =
            self.expires_in.as_deref().map(str::parse::<Period>).transpose().map_err(CommandFailure::no)?;
        let database = starting::database(&self.data);
        if !database.exists() {
            let reason =
                format!("{} does not exist: start the server once to create a store", database.display());
            return Err(CommandFailure::environment(reason));
        }
        let _lock = DataLock::acquire(&self.data)?;
        let meta = starting::open(&self.data, starting::DatabaseChoice::Last)?;
        let now = clock::now();
        let nanos = |period: Period| i64::try_from(period.duration().as_nanos()).unwrap_or(i64::MAX);
        let new = NewToken {
            name: &self.name,
            role: self.role,
            created_by: "logstead token".into(),
            expires_at: expires_in.map(|period| now.saturating_add(nanos(period))),
        };
        let (id, secret) = meta.add_granted_token(&new, &Grant::default(), now)?;
        let detail = format!("{} (id {id}), role {}", self.name, new.role);
        meta.add_audit(&"logstead token".into(), "token.create", &detail, now);
        text::line(secret.reveal())
    }
}
