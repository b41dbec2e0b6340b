//! Whether the database file is intact, checked without changing it, and how it is set aside.
//!
//! **Invariant:** looking writes nothing, even if the file system is writable.
//! **Invariant:** a file that is set aside keeps everything that belongs to it, and nothing is deleted.

use super::error::{Error, Result};
use rusqlite::{Connection, OpenFlags, ffi};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a call waits for another process that has the file open, such as a backup.
pub(super) const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);
/// How many problems of a damaged database are reported.
const PROBLEMS_MAX: usize = 3;
/// The files that SQLite keeps next to the database; they belong together.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// What was found where the database should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// No file.
    Missing,
    /// An empty file.
    Empty,
    /// A database that is intact, as far as it was checked.
    Whole,
    /// What is wrong with it.
    Damaged(String),
}

/// How closely to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Every page; quick enough for each start.
    Quick,
    /// Every index against its table, too.
    Full,
}

/// Looks at the file of a database.
pub fn look(path: &Path, look: Look) -> io::Result<Found> {
    let has_log = bytes(&beside(path, "-wal"))?.is_some_and(|bytes| 0 < bytes);
    match bytes(path)? {
        None if has_log => {
            Ok(Found::Damaged("the file is gone, and only its write-ahead log is left".to_owned()))
        }
        None => Ok(Found::Missing),
        Some(0) if !has_log => Ok(Found::Empty),
        Some(_) => match problems(path, look) {
            Ok(problems) if problems.is_empty() => Ok(Found::Whole),
            Ok(problems) => Ok(Found::Damaged(problems.join("; "))),
            Err(Error::Sqlite(error)) if is_damage(&error) => Ok(Found::Damaged(error.to_string())),
            Err(error) => Err(io::Error::other(error.to_string())),
        },
    }
}

fn bytes(path: &Path) -> io::Result<Option<u64>> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn problems(path: &Path, look: Look) -> Result<Vec<String>> {
    match open_to_look(path).and_then(|connection| check(&connection, look)) {
        // A log is left, and the files it needs cannot be written here, so a copy is checked. If there is no room for a
        // copy either: a full disk is not damage, and must not keep a server from starting.
        Err(error) if error.is_of_the_disk() => match check_copy(path, look) {
            Err(_) if look == Look::Quick => Ok(Vec::new()),
            checked => checked,
        },
        checked => checked,
    }
}

/// A connection that changes nothing. Without a write-ahead log there are no writers, and SQLite need not create
/// the files by which writers and readers coordinate.
fn open_to_look(path: &Path) -> Result<Connection> {
    let immutable = if beside(path, "-wal").exists() { "" } else { "&immutable=1" };
    let uri = format!("file:{}?mode=ro{immutable}", escaped(path));
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    Ok(connection)
}

fn check(connection: &Connection, look: Look) -> Result<Vec<String>> {
    let pragma = match look {
        Look::Quick => "quick_check",
        Look::Full => "integrity_check",
    };
    let mut statement = connection.prepare(&format!("PRAGMA {pragma}({PROBLEMS_MAX})"))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let problems = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(problems
        .into_iter()
        .filter(|problem| problem != "ok")
        .map(|problem| problem.replace('\n', " "))
        .collect())
}

fn check_copy(path: &Path, look: Look) -> Result<Vec<String>> {
    let open = |source: io::Error| Error::Open { path: path.to_owned(), source: source.into() };
    let folder = std::env::temp_dir().join(format!("logstead-look-{}", std::process::id()));
    std::fs::create_dir(&folder).map_err(open)?;
    let copy = folder.join("copy.db");
    let checked = std::fs::copy(path, &copy)
        .and_then(|_| std::fs::copy(beside(path, "-wal"), beside(&copy, "-wal")))
        .map_err(open)
        .and_then(|_| check(&Connection::open(&copy)?, look));
    // Leftovers in a temporary folder do no harm.
    std::fs::remove_dir_all(&folder).ok();
    checked
}

/// Whether SQLite says that the file is not a database, not as it wrote it, or has other tables than its version says.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use ffi::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
}

/// Renames the file, and what belongs to it, to the first free name `….damaged-N`, which it returns.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = (1..)
        .map(|number| with_suffix(path, &format!(".damaged-{number}")))
        .find(|aside| !aside.exists() && BESIDE.iter().all(|suffix| !beside(aside, suffix).exists()))
        .ok_or(io::ErrorKind::AlreadyExists)?;
    // The log first: a new database must not find the log of another one.
    for suffix in BESIDE {
        rename(&beside(path, suffix), &beside(&aside, suffix))?;
    }
    rename(path, &aside)?;
    if let Some(folder) = path.parent() {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(aside)
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    with_suffix(path, suffix)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// A path, escaped for a URI.
fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::Meta;
    use logstead_record::Timestamp;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A database with a hundred revisions, closed.
    fn database(folder: &Path) -> PathBuf {
        let path = folder.join("logstead.db");
        let meta = Meta::open(&path).unwrap();
        for number in 0..100 {
            let text = format!("# {number}\n{}", "x".repeat(1000));
            meta.add_revision(&text, "ana", "a comment", Timestamp::from_nanos(7)).unwrap();
        }
        path
    }

    #[test]
    fn what_lies_there_is_said_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let before = (names(folder.path()), fs::read(&path).unwrap());
        for how in [Look::Quick, Look::Full] {
            assert_eq!(look(&path, how).unwrap(), Found::Whole);
        }
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), before);
        assert_eq!(look(&folder.path().join("nothing.db"), Look::Full).unwrap(), Found::Missing);
        fs::write(&path, "").unwrap();
        assert_eq!(look(&path, Look::Quick).unwrap(), Found::Empty);
        fs::write(&path, "this is not a database, and it is long enough to be sure of that".repeat(20))
            .unwrap();
        assert!(matches!(look(&path, Look::Quick).unwrap(), Found::Damaged(_)));
        fs::remove_file(&path).unwrap();
        fs::write(beside(&path, "-wal"), "left behind").unwrap();
        assert!(matches!(look(&path, Look::Quick).unwrap(), Found::Damaged(_)));
    }

    #[test]
    fn a_database_that_is_cut_or_overwritten_anywhere_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let whole = fs::read(&path).unwrap();
        let page = 4096;
        for pages in 1..whole.len() / page {
            fs::write(&path, &whole[..pages * page]).unwrap();
            assert!(matches!(look(&path, Look::Quick).unwrap(), Found::Damaged(_)), "cut to {pages} pages");
        }
        fs::write(&path, &whole[..page / 2]).unwrap();
        assert!(matches!(look(&path, Look::Quick).unwrap(), Found::Damaged(_)), "half a page");
    }

    #[test]
    fn a_database_in_use_is_looked_at_beside_its_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let meta = Meta::open(&path).unwrap();
        meta.add_revision("later", "ana", "", Timestamp::from_nanos(8)).unwrap();
        assert_eq!(look(&path, Look::Full).unwrap(), Found::Whole);
        assert_eq!(meta.latest_revision().unwrap().unwrap().toml, "later");
    }

    #[test]
    fn what_is_set_aside_stays_together_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logstead.db");
        for number in 1..=2 {
            fs::write(&path, "database").unwrap();
            fs::write(beside(&path, "-wal"), "log").unwrap();
            let aside = set_aside(&path).unwrap();
            assert!(aside.ends_with(format!("logstead.db.damaged-{number}")), "{aside:?}");
        }
        let expected = ["damaged-1", "damaged-1-wal", "damaged-2", "damaged-2-wal"];
        assert_eq!(names(folder.path()), expected.map(|name| format!("logstead.db.{name}")));
    }
}
