//! `logstead user`: manages the users of a stopped server. It is the way back in if nobody can log in.
//!
//! **Invariant:** changes made here are in the audit log, as done by `cli`.

use super::choice::one_of;
use super::failure::{CommandFailure, Result};
use super::format::OutputFormat;
use super::settings::DataDirectoryArgs;
use super::stopped::StoppedServer;
use super::table::PrintedTable;
use super::text;
use super::typed_password::new_password;
use clap::{Args, Subcommand};
use logstead_accounts as accounts;
use logstead_accounts::{Grant, Role, name, password};
use logstead_flow::machine::clock;
use logstead_query as query;
use serde_json::json;

pub(super) const EXAMPLES: &str = "Examples:
  logstead user list --data /var/lib/logstead
  logstead user add ana --role analyst --logspace main --scope 'host:web-*' --data /var/lib/logstead
  pwgen 20 1 | logstead user add backup --role operator --data /var/lib/logstead
  logstead user password admin --data /var/lib/logstead
  logstead user reset-totp admin --data /var/lib/logstead
  logstead user disable ana --data /var/lib/logstead

The server must be stopped; a running one manages users through its API: /api/v1/users. A password is typed, or is the first
line of standard input; it is never an argument. Exit code 0: done; 1: refused, for example because it is the last
administrator; 3: the data directory is in use or has no database.";

/// The author of changes made by this command.
const AUTHOR: &str = "cli";
/// The roles of users.
const ROLES: [(&str, Role); 3] =
    [("analyst", Role::Analyst), ("operator", Role::Operator), ("admin", Role::Admin)];

#[derive(Args, Debug)]
#[command(mut_subcommands(|each| each.after_help(EXAMPLES)))]
pub(super) struct UserCommand {
    #[command(subcommand)]
    action: UserAction,
}

#[derive(Subcommand, Debug)]
enum UserAction {
    /// Lists all users
    List {
        /// How to print them
        #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
        format: OutputFormat,
        #[command(flatten)]
        place: DataDirectoryArgs,
    },
    /// Creates a user
    Add {
        /// The name
        name: String,
        /// What the user may do
        #[arg(long, value_parser = one_of(&ROLES))]
        role: Role,
        /// A logspace that the user may search and manage, instead of all; may be repeated
        #[arg(long = "logspace", value_name = "L")]
        logspaces: Vec<String>,
        /// A query that limits everything that the user finds
        #[arg(long, value_name = "QUERY")]
        scope: Option<String>,
        #[command(flatten)]
        place: DataDirectoryArgs,
    },
    /// Sets another password and ends the user's sessions
    Password(NamedUser),
    /// Lets nobody log in as this user and ends the user's sessions
    Disable(NamedUser),
    /// Lets a user log in again
    Enable(NamedUser),
    /// Removes a user
    Remove(NamedUser),
    /// Removes the second factor of a user who has lost it
    ResetTotp(NamedUser),
}

/// The user to change, and where the user is.
#[derive(Args, Debug)]
struct NamedUser {
    /// The name
    name: String,
    #[command(flatten)]
    place: DataDirectoryArgs,
}

impl UserCommand {
    pub(super) fn run(&self) -> Result<()> {
        match &self.action {
            UserAction::List { format, place } => list(&open(place)?, *format),
            UserAction::Add { name, role, logspaces, scope, place } => {
                let grant = grant(logspaces, scope.as_deref())?;
                add(&open(place)?, name, *role, &grant)
            }
            UserAction::Password(user) => set_password(&open(&user.place)?, &user.name),
            UserAction::Disable(user) => user.change("user.disable", "can no longer log in", |meta, name| {
                meta.set_disabled(name, Some(clock::now()))
            }),
            UserAction::Enable(user) => {
                user.change("user.enable", "can log in again", |meta, name| meta.set_disabled(name, None))
            }
            UserAction::Remove(user) => user.change("user.remove", "is removed", accounts::Meta::remove_user),
            UserAction::ResetTotp(user) => {
                user.change("totp.reset", "now logs in with the password alone", |meta, name| {
                    let found = meta.credentials(name)?;
                    let user = found.ok_or_else(|| accounts::Error::NoSuchUser(name.to_owned()))?;
                    meta.remove_totp(user.id)
                })
            }
        }
    }
}

impl NamedUser {
    fn change(
        &self,
        action: &str,
        told: &str,
        change: fn(&accounts::Meta, &str) -> accounts::Result<()>,
    ) -> Result<()> {
        let store = open(&self.place)?;
        change(&store.meta, &self.name).map_err(CommandFailure::from)?;
        done(&store, action, &self.name, &format!("{} {told}", self.name))
    }
}

fn list(store: &StoppedServer, format: OutputFormat) -> Result<()> {
    let columns = ["name", "role", "logspaces", "scope", "origin", "state", "second factor", "created"];
    let users = store.meta.users().map_err(CommandFailure::from)?;
    let rows = users.into_iter().map(|user| {
        json!([
            user.name,
            user.role.name(),
            user.grant.logspaces.map_or("all".to_owned(), |ids| ids.join(" ")),
            user.grant.scope,
            user.origin.unwrap_or_else(|| "local".to_owned()),
            if user.is_disabled { "disabled" } else { "enabled" },
            if user.has_second_factor { "yes" } else { "no" },
            user.created_at.to_string(),
        ])
    });
    let columns = columns.map(|name| json!({ "name": name }));
    PrintedTable::new(&json!({ "columns": columns, "rows": rows.collect::<Vec<_>>() })).print(format)
}

fn add(store: &StoppedServer, name: &str, role: Role, grant: &Grant) -> Result<()> {
    if let Some(flaw) = name::flaw(name) {
        return Err(CommandFailure::no(flaw));
    }
    if store.meta.credentials(name).map_err(CommandFailure::from)?.is_some() {
        return Err(accounts::Error::UserExists(name.to_owned()).into());
    }
    let hash = password::hash(&new_password(name)?).map_err(CommandFailure::environment)?;
    store.meta.add_granted_user(name, role, grant, &hash, clock::now()).map_err(CommandFailure::from)?;
    let logspaces = grant.logspaces.as_ref().map(|ids| format!(", logspaces {}", ids.join(" ")));
    let scope = grant.scope.as_ref().map(|scope| format!(", scope {scope}"));
    let rights = format!("role {role}{}{}", logspaces.unwrap_or_default(), scope.unwrap_or_default());
    done(store, "user.create", &format!("{name}, {rights}"), &format!("{name} is created, with the {rights}"))
}

fn set_password(store: &StoppedServer, name: &str) -> Result<()> {
    let user = store.meta.credentials(name).map_err(CommandFailure::from)?;
    let user = user.ok_or_else(|| accounts::Error::NoSuchUser(name.to_owned()))?;
    if let Some(origin) = user.origin {
        return Err(accounts::Error::PasswordElsewhere { name: user.name, origin }.into());
    }
    let hash = password::hash(&new_password(&user.name)?).map_err(CommandFailure::environment)?;
    store.meta.set_password(&user.name, &hash, None).map_err(CommandFailure::from)?;
    let told = format!("the password of {} is changed, and all its sessions have ended", user.name);
    done(store, "user.password", &user.name, &told)
}

fn done(store: &StoppedServer, action: &str, detail: &str, told: &str) -> Result<()> {
    let now = clock::now();
    store.meta.add_audit(&AUTHOR.into(), action, detail, now);
    store.meta.keep_books(now).map_err(CommandFailure::environment)?;
    text::line(told)
}

fn grant(logspaces: &[String], scope: Option<&str>) -> Result<Grant> {
    if let Some(Err(error)) = scope.map(query::parse) {
        return Err(CommandFailure::no(format!("invalid --scope: {}", error.message)));
    }
    let logspaces = (!logspaces.is_empty()).then(|| logspaces.to_vec());
    Ok(Grant { logspaces, scope: scope.map(str::to_owned) })
}

fn open(place: &DataDirectoryArgs) -> Result<StoppedServer> {
    StoppedServer::open(place.load()?)
}
