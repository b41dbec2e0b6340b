//! What a data directory starts with: a reliable database, and the router document to run.
//!
//! | the database is | and the directory | then |
//! |---|---|---|
//! | intact | | it is used; router documents that it lacks are restored from their copies |
//! | missing or empty | is new | one is created |
//! | missing, empty or damaged | holds messages or router documents | refused, unless a new one is asked for |
//!
//! **Invariant:** nothing is removed here, and existing messages get no retention that was not set for them: the shipped
//! document is used without its retention for logspaces that hold messages.

use super::failure::Failure;
use super::settings::{listed, read};
use crate::meta::kept;
use crate::meta::{self, Found, Look, Meta, Revision};
use crate::pipeline::Change;
use logstead_config::{DEFAULT_ROUTER_TOML, Retention, check_toml, from_toml, merge_into_toml};
use logstead_indexer::{RealDisk, holds_messages};
use std::io;
use std::path::{Path, PathBuf};

/// A router document to run.
pub(super) enum First {
    /// The newest revision.
    Stored(u64, Change),
    /// One that is to become the first, and its origin.
    New(String, Change),
}

impl First {
    pub(super) fn change(&self) -> &Change {
        match self {
            First::Stored(_, change) | First::New(_, change) => change,
        }
    }
}

/// The database's file in a data directory.
pub(super) fn database(data: &Path) -> PathBuf {
    data.join("logstead.db")
}

/// Opens the database of a data directory, and restores router documents that it lacks.
pub(super) fn open(data: &Path, new_database: bool) -> Result<Meta, Failure> {
    let path = database(data);
    let found = meta::look(&path, Look::Quick).map_err(|error| unreadable(&path, &error))?;
    let in_use = in_use(data).map_err(|error| unreadable(data, &error))?;
    match (&found, new_database) {
        (Found::Whole, false) => {}
        (Found::Whole, true) => return Err(whole(&path)),
        (Found::Missing | Found::Empty, false) if in_use.is_none() => {}
        (_, false) => return Err(lost(&path, &found, in_use.as_deref())),
        (_, true) => begin_new(&path)?,
    }
    let meta = Meta::open(&path).map_err(Failure::environment)?;
    put_back(data, &meta)?;
    Ok(meta)
}

/// What shows that a directory has been in use.
fn in_use(data: &Path) -> io::Result<Option<String>> {
    if let Some(id) = used_logspaces(data)?.first() {
        return Ok(Some(format!("logspaces/{id} holds messages")));
    }
    let newest = kept::load(data)?.into_keys().next_back();
    Ok(newest.map(|number| format!("{} is kept", kept::path(data, number).display())))
}

/// The logspaces that hold messages, sorted.
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

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::environment(format!("{}: {error}", path.display()))
}

/// The refusal to continue without the database.
fn lost(path: &Path, found: &Found, in_use: Option<&str>) -> Failure {
    let path = path.display();
    let state = match found {
        Found::Missing => "is missing".to_owned(),
        Found::Empty => "is empty".to_owned(),
        Found::Damaged(what) => format!("is damaged ({what})"),
        Found::Whole => "is whole".to_owned(),
    };
    let beside = in_use.map_or(String::new(), |in_use| format!(", and {in_use}"));
    Failure::environment(format!(
        "{path} {state}{beside}. It holds users, tokens, saved searches and the router document with its retentions. \
         Restore it from a backup, or start once with --new-database: no message is touched, an old file is set aside, \
         the router document is the newest copy or the one given with --router, and users have to be created again"
    ))
}

fn whole(path: &Path) -> Failure {
    let path = path.display();
    Failure::environment(format!(
        "--new-database is for a missing or damaged database, and {path} is intact: start without it. To create a new \
         one all the same, move that file away first"
    ))
}

fn begin_new(path: &Path) -> Result<(), Failure> {
    let there = path.exists() || path.with_extension("db-wal").exists();
    if there {
        let aside = meta::set_aside(path).map_err(|error| unreadable(path, &error))?;
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
fn put_back(data: &Path, meta: &Meta) -> Result<(), Failure> {
    let kept = kept::load(data).map_err(|error| unreadable(&kept::folder(data), &error))?;
    let latest = meta.latest_revision().map_err(Failure::environment)?;
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
    meta.put_back(&lost).map_err(Failure::environment)?;
    tracing::warn!(
        "the newest router document of the database was revision {number}: revision {newest} is taken from {}",
        kept::path(data, *newest).display()
    );
    Ok(())
}

fn differs(data: &Path, latest: &Revision) -> Failure {
    let kept = kept::path(data, latest.number);
    Failure::environment(format!(
        "router document {} of {} is not what was stored: its copy {} is intact and differs. Restore the database from a \
         backup; or, if the database is right, move the copy away",
        kept::told(latest),
        database(data).display(),
        kept.display()
    ))
}

fn unusable(data: &Path, newest: u64, number: u64, what: &str) -> Failure {
    let path = kept::path(data, newest);
    Failure::environment(format!(
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
) -> Result<First, Failure> {
    let latest = meta.latest_revision().map_err(Failure::environment)?;
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
        return Ok(First::Stored(number, change(&name, revision.toml)?));
    }
    match router {
        Some(path) => {
            let name = path.display().to_string();
            let toml = kept::without_header(&read(path)?).to_owned();
            Ok(First::New(name.clone(), change(&name, toml)?))
        }
        None => shipped(data),
    }
}

/// The shipped document.
fn shipped(data: &Path) -> Result<First, Failure> {
    let used = used_logspaces(data).map_err(|error| unreadable(data, &error))?;
    let (toml, without) = without_retention_of(&used);
    let name = "router document";
    if without.is_empty() {
        return Ok(First::New(name.to_owned(), change(name, toml)?));
    }
    let without = without.join(", ");
    tracing::warn!(
        "the shipped router document is used without its retention for {without}, which holds messages already: nothing \
         is removed until a retention is set"
    );
    Ok(First::New(format!("{name}, without a retention for {without}"), change(name, toml)?))
}

/// The shipped document without its retention for these logspaces, and those of them that it names.
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
fn change(name: &str, toml: String) -> Result<Change, Failure> {
    let (document, checked) = check_toml(&toml).map_err(|problems| Failure::No(listed(name, &problems)))?;
    for warning in &checked.warnings {
        tracing::warn!("{name}: {warning}");
    }
    Ok(Change { toml, document, checked })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::clock;
    use std::fs;

    const ROUTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\nretention = { age = \"10y\" }\n";
    const SHORTER: &str = "version = 1\n[[logspaces]]\nid = \"main\"\nretention = { age = \"90d\" }\n";

    /// A data directory as a server leaves it: a shorter retention at first, then the one that is meant.
    fn data() -> tempfile::TempDir {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir_all(data.path().join("logspaces/main/journal")).unwrap();
        fs::write(data.path().join("logspaces/main/journal/1.journal"), [0; 57]).unwrap();
        let meta = open_first(data.path());
        for toml in [SHORTER, ROUTER] {
            meta.add_revision(toml, "ana", "", clock::now()).unwrap();
            kept::keep(data.path(), &meta).unwrap();
        }
        data
    }

    fn open_first(data: &Path) -> Meta {
        Meta::open(&database(data)).unwrap()
    }

    fn refusal(data: &Path) -> String {
        match open(data, false) {
            Err(Failure::Environment(message)) => message,
            Err(Failure::No(message)) => panic!("exit code 1: {message}"),
            Ok(_) => panic!("it starts"),
        }
    }

    /// What would run; with it, every message that is there stays as long as it should.
    fn runs(data: &Path, new_database: bool) -> String {
        let meta = open(data, new_database).unwrap();
        match document(data, &meta, None, new_database).unwrap() {
            First::Stored(_, change) | First::New(_, change) => change.toml,
        }
    }

    #[test]
    fn a_database_that_is_lost_beside_messages_is_not_replaced_by_an_empty_one() {
        let data = data();
        let path = database(data.path());
        fs::remove_file(&path).unwrap();
        let said = refusal(data.path());
        assert!(said.contains("logstead.db is missing, and logspaces/main holds messages"), "{said}");
        assert!(said.contains("--new-database"), "{said}");
        assert!(!path.exists(), "nothing is made");
        fs::write(&path, "").unwrap();
        assert!(refusal(data.path()).contains("is empty"));
        assert_eq!(runs(data.path(), true), ROUTER, "the newest kept document");
        assert_eq!(fs::read(data.path().join("logstead.db.damaged-1")).unwrap(), b"");
        assert_eq!(runs(data.path(), false), ROUTER, "the flag was needed once");
        assert!(open(data.path(), true).is_err(), "a database that is whole is never set aside");
    }

    #[test]
    fn without_any_document_the_shipped_one_removes_nothing() {
        let data = data();
        fs::remove_file(database(data.path())).unwrap();
        fs::remove_dir_all(kept::folder(data.path())).unwrap();
        let toml = runs(data.path(), true);
        let (document, _) = check_toml(&toml).unwrap();
        assert_eq!(document.logspaces[0].id, "main");
        assert_eq!(document.logspaces[0].retention, Retention::default(), "{toml}");
        assert!(toml.contains("# Logstead's own log."), "comments stay: {toml}");
    }

    #[test]
    fn a_new_directory_starts_with_the_shipped_document() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(runs(data.path(), false), DEFAULT_ROUTER_TOML);
        // As a first start leaves it that failed.
        fs::create_dir_all(data.path().join("logspaces/main/journal")).unwrap();
        fs::write(data.path().join("logspaces/main/journal/1.journal"), [0; 56]).unwrap();
        fs::remove_file(database(data.path())).unwrap();
        assert_eq!(runs(data.path(), false), DEFAULT_ROUTER_TOML);
    }

    #[test]
    fn an_older_copy_of_the_database_runs_the_newest_document_nevertheless() {
        let data = data();
        let path = database(data.path());
        fs::remove_file(&path).unwrap();
        open_first(data.path()).add_revision(SHORTER, "ana", "", clock::now()).unwrap();
        assert_eq!(runs(data.path(), false), ROUTER);
        let meta = open(data.path(), false).unwrap();
        assert_eq!(meta.latest_revision().unwrap().unwrap().number, 2);
        assert_eq!(meta.add_revision(ROUTER, "bo", "", clock::now()).unwrap(), 3);
    }

    #[test]
    fn a_newer_document_that_is_damaged_is_not_passed_over() {
        let data = data();
        fs::remove_file(database(data.path())).unwrap();
        open_first(data.path()).add_revision(SHORTER, "ana", "", clock::now()).unwrap();
        fs::write(kept::path(data.path(), 2), "cut").unwrap();
        assert!(refusal(data.path()).contains("000002.toml"));
    }

    #[test]
    fn a_database_whose_document_was_changed_under_it_is_refused() {
        let data = data();
        let path = database(data.path());
        let changed = replaced(&fs::read(&path).unwrap(), b"\"10y\"", b"\"10d\"");
        fs::write(&path, changed).unwrap();
        assert!(refusal(data.path()).contains("000002.toml is intact and differs"));
    }

    fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = bytes.windows(from.len()).position(|window| window == from).expect("it is there");
        [&bytes[..at], to, &bytes[at + from.len()..]].concat()
    }

    #[test]
    fn whatever_happens_to_the_database_no_shorter_retention_runs() {
        let data = data();
        let path = database(data.path());
        let whole = fs::read(&path).unwrap();
        let check = |what: &str, bytes: &[u8]| {
            for suffix in ["", "-wal", "-shm"] {
                fs::remove_file(data.path().join(format!("logstead.db{suffix}"))).ok();
            }
            fs::write(&path, bytes).unwrap();
            let Ok(meta) = open(data.path(), false) else { return };
            match document(data.path(), &meta, None, false) {
                Ok(First::Stored(_, change)) => assert_eq!(change.toml, ROUTER, "{what}"),
                Ok(First::New(name, _)) => panic!("{what}: {name} runs"),
                Err(_) => {}
            }
        };
        for at in (0..whole.len()).step_by(whole.len() / 400) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            check(&format!("a bit of byte {at} flipped"), &flipped);
        }
        for at in (0..whole.len()).step_by(whole.len() / 100) {
            check(&format!("cut to {at} bytes"), &whole[..at]);
        }
    }
}
