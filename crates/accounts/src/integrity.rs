//! Checks, without changing it, whether the database file is intact and is the one written last, and sets a damaged
//! one aside.
//!
//! **Invariant:** looking writes nothing, even if the file system is writable.
//! **Invariant:** a file that is set aside keeps everything that belongs to it, and nothing is deleted.

use super::Secret;
use super::error::{Error, Result};
use super::wal::Wal;
use super::witness::{self, PageSum, Pages, WitnessRecord};
use rusqlite::{Connection, OpenFlags, ffi};
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a call waits for another process that has the file open, such as a backup.
pub(super) const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);
/// How many problems of a damaged database are reported.
const PROBLEMS_MAX: usize = 3;
/// The files next to the database that belong to it: SQLite's, and the witness.
const BESIDE: [&str; 3] = ["-wal", "-shm", witness::SUFFIX];
/// How often a database that a server may be writing is inspected before it counts as damaged.
const INSPECTIONS_MAX: usize = 5;
/// How long to wait between inspections. The writer is another process, so no event could be waited for instead.
const INSPECTION_INTERVAL: Duration = Duration::from_millis(20);

/// The state of the database file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabaseState {
    /// There is no file.
    Missing,
    /// An empty file, or a database without a table.
    Empty,
    /// A database that is intact, as far as was checked.
    Intact(IntactDatabase),
    /// A database that SQLite considers intact, but that is not the one written last, with the reason.
    Other(String),
    /// The file is damaged, with a description.
    Damaged(String),
}

/// A database that is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntactDatabase {
    /// The number of its newest router document, 0 if it has none; `None` if there was no disk space for the check.
    pub newest_revision: Option<u64>,
    /// Whether a witness confirms that it is the one written last; without a witness, that is unknown.
    pub is_witnessed: bool,
    /// Whether the file holds every acknowledged change, so that its write-ahead log can be left out.
    pub log_is_spare: bool,
}

/// How thorough the check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckDepth {
    /// Checks every page; quick enough for each start, while no other process writes.
    Quick,
    /// Also checks every index against its table; a server may be writing meanwhile.
    Full,
}

/// Inspects the file of a database.
pub fn inspect(path: &Path, depth: CheckDepth) -> io::Result<DatabaseState> {
    let more = if depth == CheckDepth::Full { INSPECTIONS_MAX - 1 } else { 0 };
    for _ in 0..more {
        match inspect_once(path, depth)? {
            // A server that is writing makes the file look damaged only for a moment.
            DatabaseState::Other(_) | DatabaseState::Damaged(_) => std::thread::sleep(INSPECTION_INTERVAL),
            found => return Ok(found),
        }
    }
    inspect_once(path, depth)
}

fn inspect_once(path: &Path, depth: CheckDepth) -> io::Result<DatabaseState> {
    let log = read_or_nothing(&beside(path, "-wal"))?;
    let has_log = !log.is_empty();
    match bytes(path)? {
        None if has_log => {
            return Ok(DatabaseState::Damaged(
                "the file is gone, and only its write-ahead log is left".to_owned(),
            ));
        }
        None => return Ok(DatabaseState::Missing),
        Some(0) if has_log => {
            let what = "the file is empty, and only its write-ahead log is left";
            return Ok(DatabaseState::Damaged(what.to_owned()));
        }
        Some(0) => return Ok(DatabaseState::Empty),
        Some(_) => {}
    }
    let wal = Wal::read(&log);
    let pages = Pages::of(path)?;
    let (alone, said) = (pages.sum(), witness::read(&beside(path, witness::SUFFIX))?);
    let belongs = belonging(pages, alone, &wal, said);
    let merged = if belongs.log_counts { Some(&wal) } else { None };
    let checked = match check(path, merged, depth) {
        Err(Error::Sqlite(error)) if is_damage(&error) => {
            return Ok(DatabaseState::Damaged(error.to_string()));
        }
        // A full disk is not damage, and must not keep a server from starting.
        Err(error) if error.is_of_the_disk() && depth == CheckDepth::Quick && belongs.problem.is_none() => {
            SqliteReport { problems: Vec::new(), has_tables: true, newest_revision: None }
        }
        checked => checked.map_err(|error| io::Error::other(error.to_string()))?,
    };
    let SqliteReport { problems, has_tables, newest_revision } = checked;
    Ok(match belongs.problem {
        _ if !problems.is_empty() => DatabaseState::Damaged(problems.join("; ")),
        Some(Mismatch::Damaged(what)) => DatabaseState::Damaged(what),
        Some(Mismatch::Other(what)) => DatabaseState::Other(what),
        None if !has_tables => DatabaseState::Empty,
        None => DatabaseState::Intact(IntactDatabase {
            newest_revision,
            is_witnessed: said != WitnessRecord::Missing,
            log_is_spare: has_log && !belongs.log_counts,
        }),
    })
}

/// Why a database must not be used although SQLite may consider it intact.
enum Mismatch {
    Damaged(String),
    Other(String),
}

/// The result of comparing the file, its log and the witness.
struct Belonging {
    log_counts: bool,
    problem: Option<Mismatch>,
}

/// Compares the sums. Whenever the process died, either the file alone or the file with its log applied has the sum
/// that the witness records.
fn belonging(mut pages: Pages, alone: PageSum, wal: &Wal<'_>, said: WitnessRecord) -> Belonging {
    let other = |what: &str| Some(Mismatch::Other(what.to_owned()));
    match said {
        WitnessRecord::Sum(_, sum) if sum == alone => Belonging { log_counts: false, problem: None },
        WitnessRecord::Sum(_, sum) => {
            pages.put(wal);
            let problem = if pages.sum() == sum {
                None
            } else {
                other("it is not what was written last: it is another copy, or has been changed since")
            };
            Belonging { log_counts: true, problem }
        }
        WitnessRecord::Unreadable => Belonging {
            log_counts: true,
            problem: other(
                "its witness, the file with the ending `.sum`, is damaged, so there is no telling whether it is \
                 what was written last",
            ),
        },
        WitnessRecord::Missing => {
            let what = "its write-ahead log is damaged, and the changes in it would be lost";
            let problem = wal.is_broken.then(|| Mismatch::Damaged(what.to_owned()));
            Belonging { log_counts: true, problem }
        }
    }
}

fn read_or_nothing(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    }
}

fn bytes(path: &Path) -> io::Result<Option<u64>> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The result of SQLite's own checks.
struct SqliteReport {
    problems: Vec<String>,
    has_tables: bool,
    newest_revision: Option<u64>,
}

/// Has SQLite check the file as it is, or a copy of it with its log applied: SQLite would change the original.
fn check(path: &Path, log: Option<&Wal<'_>>, depth: CheckDepth) -> Result<SqliteReport> {
    let Some(wal) = log.filter(|wal| !wal.pages.is_empty()) else {
        return check_file(path, depth);
    };
    let folder = std::env::temp_dir().join(format!("logstead-look-{}", Secret::session()?.reveal()));
    let copy = folder.join("copy.db");
    let open = |source: io::Error| Error::Open { path: path.to_owned(), source: source.into() };
    let checked = merge(path, wal, &folder, &copy)
        .map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::PermissionDenied => Error::Witness(error),
            _ => open(error),
        })
        .and_then(|()| check_file(&copy, depth));
    // Leftovers in a temporary folder do no harm.
    std::fs::remove_dir_all(&folder).ok();
    checked
}

fn merge(path: &Path, wal: &Wal<'_>, folder: &Path, copy: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(folder)?;
    std::fs::copy(path, copy)?;
    let file = std::fs::OpenOptions::new().write(true).open(copy)?;
    for (number, page) in &wal.pages {
        let at = u64::from(number.saturating_sub(1)) * wal.page_bytes as u64;
        file.write_all_at(page, at)?;
    }
    file.set_len(u64::from(wal.page_count) * wal.page_bytes as u64)
}

/// The file is opened as immutable, so that SQLite reads it alone and creates no files next to it.
fn check_file(path: &Path, depth: CheckDepth) -> Result<SqliteReport> {
    let uri = format!("file:{}?mode=ro&immutable=1", escaped(path));
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    let pragma = match depth {
        CheckDepth::Quick => "quick_check",
        CheckDepth::Full => "integrity_check",
    };
    let mut statement = connection.prepare(&format!("PRAGMA {pragma}({PROBLEMS_MAX})"))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let problems = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let problems: Vec<String> = problems
        .into_iter()
        .filter(|problem| problem != "ok")
        .map(|problem| problem.replace('\n', " "))
        .collect();
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u32 =
        connection
            .query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0))?;
    let has_tables = version != 0 || tables != 0;
    let newest_revision = if has_tables && problems.is_empty() {
        let newest: Option<i64> =
            connection.query_row("SELECT max(number) FROM revisions", [], |row| row.get(0))?;
        // Each of these tables exists in every version: without one, this is another program's database.
        for table in ["users", "sessions", "tokens", "audit"] {
            connection.query_row(&format!("SELECT EXISTS (SELECT 1 FROM {table})"), [], |_| Ok(()))?;
        }
        Some(newest.unwrap_or(0) as u64)
    } else {
        None
    };
    Ok(SqliteReport { problems, has_tables, newest_revision })
}

/// Removes the log of a database if [`inspect`] has found it to be superfluous: otherwise SQLite would apply it to
/// the file.
pub fn remove_spare_log(path: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-shm"] {
        match std::fs::remove_file(beside(path, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Whether SQLite says that the file is not a database, is malformed, or has other tables than its version should have.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use ffi::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
}

/// Renames the file and those that belong to it to the first free name `….damaged-N`, which it returns.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = (1..)
        .map(|number| with_suffix(path, &format!(".damaged-{number}")))
        .find(|aside| !aside.exists() && BESIDE.iter().all(|suffix| !beside(aside, suffix).exists()))
        .ok_or(io::ErrorKind::AlreadyExists)?;
    // The log is renamed first, so that a new database never finds the log of another one.
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

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
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
    use crate::Meta;
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
        for how in [CheckDepth::Quick, CheckDepth::Full] {
            let DatabaseState::Intact(whole) = inspect(&path, how).unwrap() else { panic!("not whole") };
            assert_eq!(
                (whole.newest_revision, whole.is_witnessed, whole.log_is_spare),
                (Some(100), true, false)
            );
        }
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), before);
        assert_eq!(
            inspect(&folder.path().join("nothing.db"), CheckDepth::Full).unwrap(),
            DatabaseState::Missing
        );
        fs::write(&path, "").unwrap();
        assert_eq!(inspect(&path, CheckDepth::Quick).unwrap(), DatabaseState::Empty);
        fs::write(&path, "this is not a database, and it is long enough to be sure of that".repeat(20))
            .unwrap();
        assert!(matches!(inspect(&path, CheckDepth::Quick).unwrap(), DatabaseState::Damaged(_)));
        fs::remove_file(&path).unwrap();
        fs::write(beside(&path, "-wal"), "left behind").unwrap();
        assert!(matches!(inspect(&path, CheckDepth::Quick).unwrap(), DatabaseState::Damaged(_)));
    }

    #[test]
    fn a_database_that_is_cut_or_overwritten_anywhere_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let whole = fs::read(&path).unwrap();
        let page = 4096;
        for pages in 1..whole.len() / page {
            fs::write(&path, &whole[..pages * page]).unwrap();
            assert!(
                matches!(inspect(&path, CheckDepth::Quick).unwrap(), DatabaseState::Damaged(_)),
                "cut to {pages} pages"
            );
        }
        fs::write(&path, &whole[..page / 2]).unwrap();
        assert!(
            matches!(inspect(&path, CheckDepth::Quick).unwrap(), DatabaseState::Damaged(_)),
            "half a page"
        );
    }

    #[test]
    fn a_database_in_use_is_looked_at_beside_its_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let meta = Meta::open(&path).unwrap();
        meta.add_revision("later", "ana", "", Timestamp::from_nanos(8)).unwrap();
        assert!(matches!(inspect(&path, CheckDepth::Full).unwrap(), DatabaseState::Intact(_)));
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
