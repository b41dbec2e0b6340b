//! The start of a data directory: chooses a reliable database and the router document to run.
//!
//! | the database is | and the directory | then |
//! |---|---|---|
//! | the database written last | | it is used |
//! | intact, and another: a backup, or without router documents that are kept | | refused, unless it is accepted; it gets the router documents that it lacks from their copies |
//! | missing or empty | is new | one is created |
//! | missing, empty or damaged | holds messages or router documents | refused, unless a new one is asked for |
//!
//! **Invariant:** nothing is removed here, and existing messages get no retention that was not set for them: the shipped
//! document is used without its retention for logspaces that hold messages.

use super::failure::{CommandFailure, Result};
use super::settings::{listed, read};
use logstead_accounts as accounts;
use logstead_accounts::document_backups;
use logstead_accounts::{CheckDepth, DatabaseState, IntactDatabase, Meta, Revision};
use logstead_config::{DEFAULT_ROUTER_TOML, Retention, check_toml, from_toml, merge_into_toml};
use logstead_indexer::{RealDisk, holds_messages};
use logstead_pipeline::RevisionChange;
use std::io;
use std::path::{Path, PathBuf};

/// A router document to run.
pub(super) enum StartingDocument {
    /// The newest revision.
    Stored(u64, RevisionChange),
    /// A new document that becomes the first revision, and its origin.
    New(String, RevisionChange),
}

impl StartingDocument {
    pub(super) fn change(&self) -> &RevisionChange {
        match self {
            StartingDocument::Stored(_, change) | StartingDocument::New(_, change) => change,
        }
    }
}

/// The path of the database in a data directory.
pub(super) fn database(data: &Path) -> PathBuf {
    data.join("logstead.db")
}

/// The database to start with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DatabaseChoice {
    /// The database that was written last.
    Last,
    /// Any intact database.
    Any,
    /// A new database, in place of a lost one.
    New,
}

/// Opens the database of a data directory. If it is not the last one, the router documents that it lacks are added.
pub(super) fn open(data: &Path, wanted: DatabaseChoice) -> Result<Meta> {
    let path = database(data);
    let found = accounts::inspect(&path, CheckDepth::Quick).map_err(|error| unreadable(&path, &error))?;
    let in_use = in_use(data).map_err(|error| unreadable(data, &error))?;
    match (&found, wanted) {
        (DatabaseState::Intact(_), DatabaseChoice::New) => return Err(whole(&path)),
        (DatabaseState::Intact(whole), _) => {
            if wanted == DatabaseChoice::Last
                && let Some(older) = older(data, whole)?
            {
                return Err(other(&path, &older));
            }
            if whole.log_is_spare {
                accounts::remove_spare_log(&path).map_err(|error| unreadable(&path, &error))?;
            }
            if !whole.is_witnessed && in_use.is_some() {
                tracing::warn!(
                    "there is no telling whether {} is what was written last: it has no witness (`.sum`) yet",
                    path.display()
                );
            }
        }
        (DatabaseState::Other(what), DatabaseChoice::Last) => return Err(other(&path, what)),
        (DatabaseState::Other(what), DatabaseChoice::Any) => {
            tracing::warn!("{} is accepted, although {what}", path.display())
        }
        (DatabaseState::Missing | DatabaseState::Empty, DatabaseChoice::Last | DatabaseChoice::Any)
            if in_use.is_none() => {}
        (_, DatabaseChoice::Last | DatabaseChoice::Any) => {
            return Err(lost(&path, &found, in_use.as_deref()));
        }
        (_, DatabaseChoice::New) => begin_new(&path)?,
    }
    let meta = Meta::open(&path).map_err(CommandFailure::environment)?;
    put_back(data, &meta)?;
    Ok(meta)
}

/// The reason why an intact database is not the last one, if it lacks a router document of which there is a copy.
pub(super) fn older(data: &Path, whole: &IntactDatabase) -> Result<Option<String>> {
    let kept =
        document_backups::load(data).map_err(|error| unreadable(&document_backups::folder(data), &error))?;
    let newest = kept.into_keys().next_back().unwrap_or(0);
    Ok(whole.newest_revision.filter(|number| *number < newest).map(|number| {
        let kept = document_backups::path(data, newest);
        format!(
            "it is an older copy: its newest router document is revision {number}, and there is {}",
            kept.display()
        )
    }))
}

/// Looks for evidence that a directory has been in use.
fn in_use(data: &Path) -> io::Result<Option<String>> {
    if let Some(id) = used_logspaces(data)?.first() {
        return Ok(Some(format!("logspaces/{id} holds messages")));
    }
    let newest = document_backups::load(data)?.into_keys().next_back();
    Ok(newest.map(|number| format!("{} is kept", document_backups::path(data, number).display())))
}

/// The logspaces that contain messages, sorted.
fn used_logspaces(data: &Path) -> io::Result<Vec<String>> {
    let folder = data.join("logspaces");
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut used = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().is_dir() && holds_messages(&RealDisk, &entry.path())? {
            used.extend(entry.file_name().into_string());
        }
    }
    used.sort();
    Ok(used)
}

fn unreadable(path: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::environment(format!("{}: {error}", path.display()))
}

/// The error that refuses to continue without the database.
fn lost(path: &Path, found: &DatabaseState, in_use: Option<&str>) -> CommandFailure {
    let path = path.display();
    let state = match found {
        DatabaseState::Missing => "is missing".to_owned(),
        DatabaseState::Empty => "is empty".to_owned(),
        DatabaseState::Damaged(what) => format!("is damaged ({what})"),
        DatabaseState::Intact(_) => "is whole".to_owned(),
        DatabaseState::Other(what) => format!("is another ({what})"),
    };
    let beside = in_use.map_or(String::new(), |in_use| format!(", and {in_use}"));
    CommandFailure::environment(format!(
        "{path} {state}{beside}. It holds users, tokens, saved searches and the router document with its retentions. \
         Restore it from a backup, or start once with --new-database: no message is touched, an old file is set aside, \
         the router document is the newest copy or the one given with --router, and users have to be created again"
    ))
}

/// The error that refuses to continue with a database that is not the last one.
fn other(path: &Path, what: &str) -> CommandFailure {
    let path = path.display();
    CommandFailure::environment(format!(
        "{path} is not the database that ran last: {what}. If you have put a backup in its place, or changed it by hand, \
         start once with --accept-database: router documents that it lacks are taken from their copies in `router`, and \
         users, tokens and saved searches are as it says. Otherwise restore it from a backup, or start once with \
         --new-database, which sets it aside"
    ))
}

fn whole(path: &Path) -> CommandFailure {
    let path = path.display();
    CommandFailure::environment(format!(
        "--new-database is for a missing or damaged database, and {path} is intact: start without it. To create a \
         new one anyway, move that file away first"
    ))
}

fn begin_new(path: &Path) -> Result<()> {
    let there = path.exists() || path.with_extension("db-wal").exists();
    if there {
        let aside = accounts::set_aside(path).map_err(|error| unreadable(path, &error))?;
        tracing::warn!("the old database is set aside as {}", aside.display());
    }
    tracing::warn!(
        "a new database is created for the existing messages: users, tokens and saved searches are gone, and the \
         console asks for a first administrator"
    );
    Ok(())
}

/// Restores router documents that exist as files but are missing from the database because it is new or an older copy.
/// Otherwise an older document with a shorter retention would run.
fn put_back(data: &Path, meta: &Meta) -> Result<()> {
    let kept =
        document_backups::load(data).map_err(|error| unreadable(&document_backups::folder(data), &error))?;
    let latest = meta.latest_revision().map_err(CommandFailure::environment)?;
    let number = latest.as_ref().map_or(0, |revision| revision.number);
    if let Some((latest, Ok(kept))) = latest.as_ref().zip(kept.get(&number))
        && kept.toml != latest.toml
    {
        return Err(differs(data, latest));
    }
    let Some((newest, state)) = kept.last_key_value().filter(|(newest, _)| number < **newest) else {
        return Ok(());
    };
    if let Err(what) = state {
        return Err(unusable(data, *newest, number, what));
    }
    let lost: Vec<Revision> = kept.range(number + 1..).filter_map(|(_, kept)| kept.clone().ok()).collect();
    meta.put_back(&lost).map_err(CommandFailure::environment)?;
    tracing::warn!(
        "the newest router document in the database was revision {number}: revision {newest} is restored from {}",
        document_backups::path(data, *newest).display()
    );
    Ok(())
}

fn differs(data: &Path, latest: &Revision) -> CommandFailure {
    let kept = document_backups::path(data, latest.number);
    CommandFailure::environment(format!(
        "router document {} of {} is not what was stored: its copy {} is intact and differs. Restore the database from a \
         backup; or, if the database is right, move the copy away",
        document_backups::describe(latest),
        database(data).display(),
        kept.display()
    ))
}

fn unusable(data: &Path, newest: u64, number: u64, what: &str) -> CommandFailure {
    let path = document_backups::path(data, newest);
    CommandFailure::environment(format!(
        "the newest router document, {}, cannot be restored into the database, whose newest one is revision {number}: \
         {what}. Restore the file from a backup, or move it away to continue without it",
        path.display()
    ))
}

/// The router document to start with: the latest revision, or the first one of a new database.
///
/// A file is used only for a new database. Otherwise, leaving it in a start script would undo later changes.
pub(super) fn document(
    data: &Path,
    meta: &Meta,
    router: Option<&Path>,
    new_database: bool,
) -> Result<StartingDocument> {
    let latest = meta.latest_revision().map_err(CommandFailure::environment)?;
    if let Some(revision) = latest.filter(|_| router.is_none() || !new_database) {
        let number = revision.number;
        if let Some(file) = router {
            tracing::warn!(
                "--router is for a new data directory, so revision {number} of this one is used. To apply the file, \
                 stop the server and run `logstead router put {} --data {}`",
                file.display(),
                data.display()
            );
        }
        let name = format!("router document, revision {number}");
        return Ok(StartingDocument::Stored(number, change(&name, revision.toml)?));
    }
    match router {
        Some(path) => {
            let name = path.display().to_string();
            let toml = document_backups::without_header(&read(path)?).to_owned();
            Ok(StartingDocument::New(name.clone(), change(&name, toml)?))
        }
        None => shipped(data),
    }
}

/// The shipped document.
fn shipped(data: &Path) -> Result<StartingDocument> {
    let used = used_logspaces(data).map_err(|error| unreadable(data, &error))?;
    let (toml, without) = without_retention_of(&used);
    let name = "router document";
    if without.is_empty() {
        return Ok(StartingDocument::New(name.to_owned(), change(name, toml)?));
    }
    let without = without.join(", ");
    tracing::warn!(
        "the shipped router document is used without its retention for {without}, which already holds messages: \
         nothing is removed until a retention is set"
    );
    Ok(StartingDocument::New(format!("{name}, without a retention for {without}"), change(name, toml)?))
}

/// The shipped document without its retention for these logspaces, and the names of those that it contains.
fn without_retention_of(used: &[String]) -> (String, Vec<String>) {
    let Ok(mut document) = from_toml(DEFAULT_ROUTER_TOML) else {
        return (DEFAULT_ROUTER_TOML.to_owned(), Vec::new());
    };
    let mut without = Vec::new();
    for logspace in document.logspaces.iter_mut().filter(|logspace| used.contains(&logspace.id)) {
        logspace.retention = Retention::default();
        without.push(logspace.id.clone());
    }
    let toml = DEFAULT_ROUTER_TOML;
    (if without.is_empty() { toml.to_owned() } else { merge_into_toml(toml, &document) }, without)
}

/// Checks a document; warnings go to the log.
fn change(name: &str, toml: String) -> Result<RevisionChange> {
    let (document, checked) =
        check_toml(&toml).map_err(|problems| CommandFailure::No(listed(name, &problems)))?;
    for warning in &checked.warnings {
        tracing::warn!("{name}: {}", warning.message);
    }
    Ok(RevisionChange { toml, document, checked })
}

#[cfg(test)]
mod tests;
