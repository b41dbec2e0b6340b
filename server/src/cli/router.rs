//! `logstead router`: prints, replaces and checks the router document of a stopped or running server.
//!
//! **Invariant:** a document that cannot run on this machine is not stored; a stored one is a revision with author and
//! comment.

use super::failure::{CommandFailure, Result};
use super::remote::{Remote, ServerArgs};
use super::settings::{DataDirectoryArgs, listed, read};
use super::stopped::StoppedServer;
use super::text;
use clap::{ArgGroup, Args, Subcommand};
use logstead_accounts::document_backups;
use logstead_config::settings::Settings;
use logstead_config::{Problem, check_toml, placed};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_pipeline::unfit;
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "Examples:
  logstead router get --data /var/lib/logstead > router.toml
  logstead router check router.toml
  logstead router put router.toml -m 'another port' --data /var/lib/logstead
  logstead router put router.toml --server http://127.0.0.1:8080 --token TOKEN
  logstead router put router.toml --confirm-within 10m --server http://127.0.0.1:8080 --token TOKEN
  logstead router confirm --server http://127.0.0.1:8080 --token TOKEN

With --data, the server must be stopped, and a new document takes effect at its next start. With --server, it takes effect at
once. Exit code 0: done; 1: the document is wrong, and FILE:LINE:COLUMN says where; 3: the data directory is in use or has no
database, or the server cannot be reached.";

/// The author of revisions stored by this command.
const AUTHOR: &str = "cli";
pub(super) const TOML: (&str, &str) = ("Content-Type", "application/toml");

#[derive(Args, Debug)]
#[command(mut_subcommands(|each| each.after_help(EXAMPLES)))]
pub(super) struct Router {
    #[command(subcommand)]
    action: RouterAction,
}

#[derive(Subcommand, Debug)]
enum RouterAction {
    /// Prints the router document
    Get {
        /// An earlier revision instead of the newest
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        #[command(flatten)]
        place: DocumentStore,
    },
    /// Replaces the router document
    Put {
        /// The document
        file: PathBuf,
        /// A comment for the history
        #[arg(short = 'm', long, value_name = "TEXT", default_value = "")]
        comment: String,
        /// Revert to the previous document unless `confirm` is run within this time (10s to 1d); with --server
        #[arg(long, value_name = "TIME")]
        confirm_within: Option<String>,
        /// Revert earlier if fewer messages arrive, or more are dropped or not recognised
        #[arg(long, requires = "confirm_within")]
        back_if_worse: bool,
        #[command(flatten)]
        place: DocumentStore,
    },
    /// Confirms the live document of a running server, which would be taken back otherwise
    Confirm {
        #[command(flatten)]
        place: DocumentStore,
    },
    /// Checks a document against this machine, or against that of a server
    Check {
        /// The document
        file: PathBuf,
        #[command(flatten)]
        place: DocumentStore,
    },
}

/// The location of the document.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("place").args(["data", "server"])))]
struct DocumentStore {
    #[command(flatten)]
    stopped: DataDirectoryArgs,
    #[command(flatten)]
    server: ServerArgs,
}

impl Router {
    pub(super) fn run(&self) -> Result<()> {
        match &self.action {
            RouterAction::Get { revision, place } => get(*revision, place),
            RouterAction::Put { file, comment, confirm_within, back_if_worse, place } => {
                put(file, &parameters(comment, confirm_within.as_deref(), *back_if_worse), place)
            }
            RouterAction::Confirm { place } => confirm(place),
            RouterAction::Check { file, place } => check(file, place),
        }
    }
}

fn get(revision: Option<u64>, place: &DocumentStore) -> Result<()> {
    let toml = match place.remote()? {
        Some(remote) => remote_document(&remote, revision)?.1,
        None => {
            let store = StoppedDocuments::open(place)?;
            let found = match revision {
                Some(number) => store.0.meta.revision(number),
                None => store.0.meta.latest_revision(),
            };
            let found = found.map_err(CommandFailure::environment)?;
            found.ok_or_else(|| CommandFailure::no("there is no such revision"))?.toml
        }
    };
    text::line(toml.trim_end_matches('\n'))
}

/// The parameters of a new document; the comment comes first.
fn parameters<'a>(
    comment: &'a str,
    confirm_within: Option<&'a str>,
    back_if_worse: bool,
) -> Vec<(&'static str, &'a str)> {
    let within = confirm_within.map(|within| ("confirm_within", within));
    let worse = back_if_worse.then_some(("back_if_worse", "true"));
    std::iter::once(("comment", comment)).chain(within).chain(worse).collect()
}

fn put(file: &Path, parameters: &[(&str, &str)], place: &DocumentStore) -> Result<()> {
    let (name, toml) = document(file)?;
    let done = match place.remote()? {
        Some(remote) => {
            let (tag, _) = remote_document(&remote, None)?;
            let headers = [TOML, ("If-Match", tag.as_str())];
            let answer = remote.send("PUT", "router", parameters, &headers, &toml)?;
            let revision = &answer["revision"];
            match answer["unconfirmed"]["until"].as_str() {
                Some(until) => format!(
                    "revision {revision} is in effect until {until}, and for good after `logstead router confirm`"
                ),
                None => format!("revision {revision} is in effect"),
            }
        }
        None if parameters.iter().any(|(name, _)| *name == "confirm_within") => {
            return Err(CommandFailure::no(
                "--confirm-within is only for a running server: name it with --server",
            ));
        }
        None => {
            let store = StoppedDocuments::open(place)?;
            store.check(&name, &toml)?;
            store.put(&toml, parameters.first().map_or("", |(_, comment)| comment))?
        }
    };
    text::line(&done)
}

fn confirm(place: &DocumentStore) -> Result<()> {
    let remote = place.remote()?.ok_or_else(|| {
        CommandFailure::no(
            "only a running server has a document to confirm: name it with --server and --token",
        )
    })?;
    let answer = remote.send("POST", "router/confirm", &[], &[], "")?;
    text::line(&format!("revision {} stays in effect", answer["revision"]))
}

fn check(file: &Path, place: &DocumentStore) -> Result<()> {
    let (name, toml) = document(file)?;
    let warnings = match place.remote()? {
        Some(remote) => remote_check(&remote, &name, &toml)?,
        None => checked(&name, &toml, &place.stopped.load()?)?,
    };
    for warning in warnings {
        text::error(&format!("warning: {warning}"));
    }
    text::line("ok")
}

/// A document, and the name that precedes its problems.
fn document(file: &Path) -> Result<(String, String)> {
    Ok((file.display().to_string(), document_backups::without_header(&read(file)?).to_owned()))
}

/// Returns the warnings; `Err` names the parts that cannot run on this machine.
fn checked(name: &str, toml: &str, settings: &Settings) -> Result<Vec<String>> {
    let wrong = |problems: Vec<Problem>| CommandFailure::No(listed(name, &problems));
    let (_, checked) = check_toml(toml).map_err(wrong)?;
    let unfit = unfit(&checked, &settings.data, &Folders::new(&settings.data, &settings.files));
    let warnings = checked.warnings.into_iter().map(|warning| warning.message);
    if unfit.is_empty() { Ok(warnings.collect()) } else { Err(wrong(placed(unfit, toml))) }
}

/// The ETag and the text of a document.
pub(super) fn remote_document(remote: &Remote, revision: Option<u64>) -> Result<(String, String)> {
    let what = revision.map_or("router".to_owned(), |number| format!("router/revisions/{number}"));
    let mut answer = remote.get(&what, &[("format", "toml")], &[])?;
    let tag = answer.headers().get("etag").and_then(|tag| tag.to_str().ok()).unwrap_or("*").to_owned();
    let text = answer.body_mut().read_to_string();
    Ok((tag, text.map_err(|error| CommandFailure::environment(format!("{}: {error}", remote.server)))?))
}

fn remote_check(remote: &Remote, name: &str, toml: &str) -> Result<Vec<String>> {
    let answer = remote_validation(remote, name, toml)?;
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    Ok(warnings.filter_map(|warning| warning["message"].as_str()).map(str::to_owned).collect())
}

/// The server's answer about a document; an error if the document is wrong.
pub(super) fn remote_validation(remote: &Remote, name: &str, toml: &str) -> Result<Value> {
    accepted(name, remote.send("POST", "router/validate", &[], &[TOML], toml)?)
}

/// An answer about a document; an error if the document is wrong.
pub(super) fn accepted(name: &str, answer: Value) -> Result<Value> {
    if answer["valid"] == true {
        return Ok(answer);
    }
    let problem = |problem: &Value| {
        let place =
            problem["line"].as_u64().map_or(String::new(), |line| format!("{line}:{}:", problem["column"]));
        let [path, message] = ["path", "message"].map(|key| problem[key].as_str().unwrap_or_default());
        format!("{name}:{place} {path}: {message}")
    };
    let problems = answer["problems"].as_array().into_iter().flatten().map(problem);
    Err(CommandFailure::No(problems.collect::<Vec<_>>().join("\n")))
}

/// The documents of a stopped server.
struct StoppedDocuments(StoppedServer);

impl StoppedDocuments {
    fn open(place: &DocumentStore) -> Result<StoppedDocuments> {
        StoppedServer::open(place.stopped.load()?).map(StoppedDocuments)
    }

    fn check(&self, name: &str, toml: &str) -> Result<()> {
        for warning in checked(name, toml, &self.0.settings)? {
            text::error(&format!("warning: {warning}"));
        }
        Ok(())
    }

    /// Stores a revision; returns the text to print.
    fn put(&self, toml: &str, comment: &str) -> Result<String> {
        let latest = self.0.meta.latest_revision().map_err(CommandFailure::environment)?;
        if let Some(latest) = latest.filter(|latest| latest.toml == toml) {
            return Ok(format!("nothing to change: revision {} is the same", latest.number));
        }
        let now = clock::now();
        let number =
            self.0.meta.add_revision(toml, AUTHOR, comment, now).map_err(CommandFailure::environment)?;
        let detail = format!("revision {number}: {comment}");
        self.0.meta.add_audit(&AUTHOR.into(), "router.apply", &detail, now);
        if let Err(error) = document_backups::write(&self.0.settings.data, &self.0.meta) {
            text::error(&format!(
                "warning: a copy of the document cannot be written before the next start: {error}"
            ));
        }
        Ok(format!("revision {number} is stored and takes effect at the next start"))
    }
}

impl DocumentStore {
    fn remote(&self) -> Result<Option<Remote>> {
        self.server.unless(self.stopped.data.as_ref())
    }
}
