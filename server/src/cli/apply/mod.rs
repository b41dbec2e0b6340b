//! `logstead apply`: makes a running server like the files of a folder: the router document, users, tokens and saved
//! searches.
//!
//! **Invariant:** all files are read and checked before the first change, and nothing is removed unless that was asked
//! for.

mod files;
mod plan;
mod target;

use super::failure::{CommandFailure, Result};
use super::remote::ServerArgs;
use super::text;
use clap::Args;
use files::WantedState;
use plan::{ChangePlan, PlanStep, PlannedChange, ServerState};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
pub(super) use target::ApplyTarget;

pub(super) const EXAMPLES: &str = "Examples:
  logstead apply conf.d --plan --server http://127.0.0.1:8080 --token-file admin.token
  logstead apply conf.d
  logstead apply conf.d --prune

The folder may have these files; a kind without a file is left alone:
  router.toml           the router document
  users.toml            [[users]] name, role, logspaces, scope, disabled; password_file or password_env for a new user
  tokens.toml           [[tokens]] name, role, logspaces, scope, expires_at, limits; secret_file, where a new secret is written
  saved-searches.toml   [[saved_searches]] name, folder, tags, query, from, to, logspaces

The server and the token can also be given as LOGSTEAD_SERVER and LOGSTEAD_TOKEN; the token is that of an administrator. Exit
code 0: the server is like the files (with --plan: the plan is printed); 1: a file is wrong, and nothing was changed, or the
server refused a change; 3: the server cannot be reached.";

#[derive(Args, Debug)]
pub(super) struct Apply {
    /// The folder with the files
    folder: PathBuf,
    /// Print what would change, and change nothing
    #[arg(long)]
    plan: bool,
    /// Remove users, tokens and the token's own saved searches that the files do not name
    #[arg(long)]
    prune: bool,
    /// The comment of a new revision of the router document
    #[arg(short = 'm', long, value_name = "TEXT", default_value = "logstead apply")]
    comment: String,
    #[command(flatten)]
    server: ServerArgs,
}

impl Apply {
    pub(super) fn run(&self) -> Result<()> {
        let wanted = WantedState::read(&self.folder)?;
        let remote = self.server.needed()?;
        let state = ServerState::read(&remote, &wanted)?;
        let ChangePlan { steps, unnamed } = plan::changes(&wanted, &state, self.prune)?;
        for step in &steps {
            text::line(&step.to_string())?;
        }
        if unnamed != 0 {
            text::error(&format!(
                "{unnamed} users, tokens and searches are in no file: they stay, unless you add --prune"
            ));
        }
        match steps.len() {
            0 => text::line("nothing to change"),
            count if self.plan => text::line(&format!("{count} to change: run it without --plan")),
            _ => {
                carry_out(&remote, &steps, &self.comment)?;
                text::line(&format!("changed: {}", steps.len()))
            }
        }
    }
}

/// Makes a server that starts like the files of a folder, and returns the changes. Nothing is removed.
pub(super) fn at_start(folder: &Path, target: &dyn ApplyTarget) -> Result<Vec<String>> {
    let wanted = WantedState::read(folder)?;
    let state = ServerState::read(target, &wanted)?;
    let ChangePlan { steps, .. } = plan::changes(&wanted, &state, false)?;
    carry_out(target, &steps, &format!("from {} at the start", folder.display()))?;
    Ok(steps.iter().map(PlanStep::to_string).collect())
}

fn carry_out(target: &dyn ApplyTarget, steps: &[PlanStep], comment: &str) -> Result<()> {
    for (done, step) in steps.iter().enumerate() {
        carry_out_one(target, &step.change, comment).map_err(|failure| {
            let place = format!("{} (changed before it: {done} of {}):", step.title, steps.len());
            match failure {
                CommandFailure::No(message) => CommandFailure::No(format!("{place} {message}")),
                CommandFailure::Environment(message) => {
                    CommandFailure::Environment(format!("{place} {message}"))
                }
            }
        })?;
    }
    Ok(())
}

fn carry_out_one(target: &dyn ApplyTarget, change: &PlannedChange, comment: &str) -> Result<()> {
    match change {
        PlannedChange::Router { toml, tag } => target.put_document(toml, tag, comment),
        PlannedChange::Call { method, path, body } => target.call(method, path, body.as_ref()).map(drop),
        PlannedChange::NewToken { body, secret_file } => new_token(target, body, secret_file),
    }
}

/// Creates a token, whose secret goes into a file that only this user may read. The file is created first, as the
/// server shows the secret only once. It stays empty if this is killed, which the next run tells.
fn new_token(target: &dyn ApplyTarget, body: &Value, secret_file: &Path) -> Result<()> {
    let cannot = |error| CommandFailure::environment(format!("{}: {error}", secret_file.display()));
    fs::remove_file(secret_file).or_else(|error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        _ => Err(cannot(error)),
    })?;
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(secret_file).map_err(cannot)?;
    let created = target.call("POST", "tokens", Some(body)).inspect_err(|failure| {
        // Without an answer, the token may exist.
        if matches!(failure, CommandFailure::No(_)) {
            fs::remove_file(secret_file).ok();
        }
    })?;
    let secret = created["token"].as_str().unwrap_or_default();
    file.write_all(format!("{secret}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
        CommandFailure::environment(format!(
            "{}: {error}: the secret of the new token is lost. Remove the token, and apply the files again",
            secret_file.display()
        ))
    })
}
