//! The database: its file, its schema, and how a change is written when the disk is full.
//!
//! **Invariant:** a change that returned `Ok` survives a power cut; see [`super`].
//! **Invariant:** it is then in the file itself, whose pages have the sum that the [witness](super::witness) says; the
//! write-ahead log is empty between two changes, or holds nothing that the file lacks.

use super::books::Books;
use super::error::{Error, Result};
use super::opening::{BUSY_WAIT_MAX, beside, is_damage};
use super::reserve::Reserve;
use super::wal::Wal;
use super::witness::{self, Pages, Witness};
use logstead_indexer::{Disk, RealDisk};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use rusqlite::Connection;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Each migrates the database from one version to the next; the file's `user_version` counts them.
const MIGRATIONS: [&str; 6] = [
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
    include_str!("schema_5.sql"),
    include_str!("schema_6.sql"),
];

/// How much of the memory that processes share SQLite takes from the disk by writing to it once.
const SHARED_PAGE_BYTES: u64 = 4096;

/// A handle on the database. Cheap to clone; one call runs at a time.
#[derive(Clone)]
pub struct Meta {
    store: Arc<Mutex<Store>>,
}

/// The database, what waits to be written to it, and the space that is reserved for it.
pub(super) struct Store {
    pub(super) connection: Connection,
    pub(super) books: Books,
    pub(super) reserve: Reserve,
    /// Whether it has been logged that something has to wait.
    pub(super) is_waiting: bool,
    settled: Settled,
}

/// What the witness says of the file, and what it takes to say it again.
struct Settled {
    path: PathBuf,
    log: Option<File>,
    pages: Pages,
    witness: Witness,
    /// Changes when another process has written to the file.
    data_version: i64,
}

impl Meta {
    /// Opens the file, and creates or migrates it if needed.
    pub fn open(path: &Path) -> Result<Meta> {
        let reserve = Reserve::of(path.parent().unwrap_or(Path::new(".")));
        let connection = loop {
            match open(path) {
                // Even opening takes a few pages, for the memory that connections share.
                Err(_) if is_full(path) && reserve.give() => {}
                opened => break opened?,
            }
        };
        let settled = Settled::begin(path, &connection)?;
        let mut store = Store { connection, books: Books::default(), reserve, is_waiting: false, settled };
        store.settle()?;
        Ok(Meta { store: Arc::new(Mutex::new(store)) })
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock()
    }

    /// For reading, and for changes that need no space.
    pub(super) fn connection(&self) -> MappedMutexGuard<'_, Connection> {
        MutexGuard::map(self.store.lock(), |store| &mut store.connection)
    }

    /// Makes a change; on a full disk, with space from the reserve.
    pub(super) fn write<T>(&self, change: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        self.store().write(change)
    }
}

impl Store {
    pub(super) fn write<T>(&mut self, mut change: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        let mut done = change(&mut self.connection);
        if matches!(done, Err(Error::Full(_))) && self.reuse_log().is_ok() {
            done = change(&mut self.connection);
        }
        while matches!(done, Err(Error::Full(_))) && self.reserve.give() {
            done = change(&mut self.connection);
        }
        let done = done?;
        self.settle()?;
        Ok(done)
    }

    /// Has the witness say what the database is by now, and takes the log into the file. On a full disk the log keeps its
    /// space, which the next change needs.
    pub(super) fn settle(&mut self) -> Result<()> {
        if !self.settled.settle(&self.connection)? {
            return Ok(());
        }
        let keeps_space = is_full(&self.settled.path);
        let how = if keeps_space { "RESTART" } else { "TRUNCATE" };
        let moved = self.connection.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |_| Ok(()));
        // The log holds the change, and the witness knows it: the next change tries again.
        if let Err(error) = moved {
            tracing::debug!("the log of the database stays as it is for now: {error}");
        }
        Ok(())
    }

    /// Moves the contents of the write-ahead log into the database, so that the next change is written at its beginning
    /// and takes no more space.
    pub(super) fn reuse_log(&self) -> rusqlite::Result<()> {
        self.connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))
    }

    /// Logs once why the books wait.
    pub(super) fn must_wait(&mut self, error: &Error) {
        if !self.is_waiting {
            tracing::error!("sessions and audit entries wait in memory until they can be written: {error}");
        }
        self.is_waiting = true;
    }
}

impl Settled {
    fn begin(path: &Path, connection: &Connection) -> Result<Settled> {
        let not_opened = |source: io::Error| Error::Open { path: path.to_owned(), source: source.into() };
        let witness = Witness::open(&beside(path, witness::SUFFIX)).map_err(not_opened)?;
        let mut settled = Settled {
            path: path.to_owned(),
            log: None,
            pages: Pages::default(),
            witness,
            data_version: i64::MIN,
        };
        settled.settle(connection)?;
        Ok(settled)
    }

    /// The whole log. It stays open: a change that is in it must not fail for want of a descriptor. While a connection is
    /// open, SQLite keeps the file and only cuts it.
    fn read_log(&mut self) -> io::Result<Vec<u8>> {
        if self.log.is_none() {
            self.log = match File::open(beside(&self.path, "-wal")) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                opened => Some(opened?),
            };
        }
        let mut bytes = Vec::new();
        if let Some(mut log) = self.log.as_ref() {
            log.rewind()?;
            log.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// Whether there is something in the log.
    fn settle(&mut self, connection: &Connection) -> Result<bool> {
        let log = self.read_log().map_err(Error::Witness)?;
        let data_version = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if data_version != self.data_version {
            self.pages = Pages::of(&self.path).map_err(Error::Witness)?;
            self.data_version = data_version;
        }
        self.pages.put(&Wal::read(&log));
        self.witness.say(self.pages.sum()).map_err(Error::Witness)?;
        Ok(!log.is_empty())
    }
}

fn is_full(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    RealDisk.space(folder).is_ok_and(|space| space.is_nearly_full())
}

fn open(path: &Path) -> Result<Connection> {
    let mut connection = connect(path).map_err(|source| not_opened(source, path))?;
    migrate(&mut connection, path).map_err(|error| match error {
        Error::Sqlite(error) => not_opened(error.into(), path),
        other => other,
    })?;
    Ok(connection)
}

fn connect(path: &Path) -> std::result::Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    // Created by us and not by SQLite, so that only its owner can ever read it.
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    if has_short_blocks(path) {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The log goes to the file when the witness knows it, not before.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A query must not need space on a full disk.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Whether the memory that SQLite shares between processes, a file that it maps, could end this one on a full disk: it takes
/// one block for each page of 4096 bytes from the disk, and where blocks are shorter, writing to the rest is a SIGBUS. Alone,
/// it needs no such file; other processes then cannot read the database while this one has it.
fn has_short_blocks(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|file_system| file_system.f_frsize < SHARED_PAGE_BYTES)
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = MIGRATIONS.len() as u32;
    if known < found {
        return Err(Error::TooNew { path: path.to_owned(), found, known });
    }
    for (version, migration) in (1..).zip(MIGRATIONS).skip(found as usize) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Says what to do about a file that SQLite refuses.
fn not_opened(source: Box<dyn std::error::Error + Send + Sync>, path: &Path) -> Error {
    let path = path.to_owned();
    if source.downcast_ref().is_some_and(is_damage) {
        return Error::Damaged { path, what: source.to_string() };
    }
    Error::Open { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::{Account, Actor, Grant, Role, SearchToSave, SessionLimits};
    use logstead_record::Timestamp;
    use std::time::Duration;

    /// A database as the first version left it.
    fn first_version(path: &Path) {
        let connection = connect(path).unwrap();
        connection.execute_batch(MIGRATIONS[0]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO users VALUES ('ada', 'admin', 'hash', 5), ('bo', 'analyst', 'hash', 6);
                 INSERT INTO tokens VALUES (3, 'ci', 'analyst', x'01', 'ada', 7, NULL, NULL);",
            )
            .unwrap();
        connection.execute("INSERT INTO sessions VALUES (?1, 'bo', 9000000000000000000)", [[7; 32]]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
    }

    #[test]
    fn who_could_search_everything_before_there_were_grants_still_can() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        first_version(&path);
        let meta = Meta::open(&path).unwrap();
        let users: Vec<_> =
            meta.users().unwrap().into_iter().map(|user| (user.name, user.role, user.grant)).collect();
        let expected = [("ada", Role::Admin), ("bo", Role::Analyst)];
        assert_eq!(users, expected.map(|(name, role)| (name.to_owned(), role, Grant::default())));
        let tokens = meta.tokens().unwrap();
        assert_eq!((tokens[0].id, &tokens[0].grant), (3, &Grant::default()));
        assert_eq!(meta.saved_searches(Account::User(2)).unwrap(), []);
        assert!(meta.preferences(1).unwrap().is_empty());
        drop(meta);
        Meta::open(&path).unwrap();
    }

    /// A database as the second version left it: `bo` was an administrator once, and two tokens have one name.
    fn second_version(path: &Path) {
        first_version(path);
        let connection = connect(path).unwrap();
        connection.execute_batch(MIGRATIONS[1]).unwrap();
        let searches = [
            (1, "ada", true),
            (2, "BO", false),
            (3, "token:ci", true),
            (4, "token:twice", true),
            (5, "gone", true),
            (6, "gone", false),
            (7, "LOGSTEAD_ADMIN_TOKEN", true),
            (9, "ada", false),
        ];
        for (id, owner, shared) in searches {
            connection
                .execute(
                    "INSERT INTO saved_searches (id, owner, folder, name, tags, shared, query, view, created_at, updated_at)
                     VALUES (?1, ?2, '', 'search ' || ?1, '[]', ?3, '', 'null', 5, 5)",
                    (id, owner, shared),
                )
                .unwrap();
        }
        connection
            .execute_batch(
                "INSERT INTO tokens VALUES (4, 'twice', 'analyst', x'02', 'bo', 7, NULL, NULL, NULL, NULL),
                                           (5, 'twice', 'analyst', x'03', 'gone', 7, NULL, NULL, '[\"main\"]', 'a');
                 INSERT INTO audit (time, user, action, detail) VALUES (5, 'ada', 'setup', 'first');
                 DELETE FROM saved_searches WHERE id = 9;",
            )
            .unwrap();
        connection.pragma_update(None, "user_version", 2).unwrap();
    }

    #[test]
    fn what_belonged_to_a_name_belongs_to_its_account_and_nothing_is_lost() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        second_version(&path);
        let meta = Meta::open(&path).unwrap();
        let (ada, bo) = (Account::User(1), Account::User(2));
        let names: Vec<_> = meta.users().unwrap().into_iter().map(|user| user.name).collect();
        assert_eq!(names, ["ada", "bo"]);
        assert_eq!(meta.credentials("Bo").unwrap().unwrap().id, 2);
        let owners: Vec<_> = (1..=7)
            .map(|id| {
                let row = |row: &rusqlite::Row<'_>| row.get(0);
                meta.connection()
                    .query_row("SELECT account FROM saved_searches WHERE id = ?1", [id], row)
                    .unwrap()
            })
            .map(|account: String| account)
            .collect();
        let expected = [
            "user:1",
            "user:2",
            "token:3",
            "former:token:twice",
            "former:gone",
            "former:gone",
            "environment",
        ];
        assert_eq!(owners, expected);
        // Neither of the tokens that share a name, nor a new user of a name that is free, gets at what was another's.
        for stranger in [Account::Token(4), Account::Token(5), Account::User(3)] {
            assert!(meta.remove_saved_search((stranger, false), 4).is_err());
            assert!(matches!(meta.saved_search(stranger, 6), Err(Error::NoSuchSearch(6))));
        }
        assert_eq!(meta.saved_search(bo, 2).unwrap().owner, "BO");
        meta.remove_saved_search((ada, true), 5).unwrap();
        let new = SearchToSave {
            name: "new".to_owned(),
            folder: String::new(),
            tags: Vec::new(),
            shared: true,
            query: String::new(),
            from: None,
            to: None,
            logspaces: None,
            view: serde_json::Value::Null,
        };
        let owner = Actor { account: Some(ada), name: "ada".to_owned() };
        let added = meta.add_saved_search(&owner, &new, Timestamp::from_nanos(9)).unwrap();
        assert_eq!(added.id, 10, "the id of a search that was removed is not given again");

        let limits =
            SessionLimits { idle_max: Duration::from_hours(1), age_max: Duration::from_hours(24 * 30) };
        // It is counted from the upgrade on, which is later than 2001.
        let session =
            meta.use_session([7; 32], &limits, Timestamp::from_nanos(1_000_000_000_000_000_000)).unwrap();
        assert_eq!(session.map(|session| (session.account, session.user)), Some((bo, "bo".to_owned())));
        let tokens = meta.tokens().unwrap();
        assert_eq!(
            tokens.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(),
            ["ci", "twice", "twice"]
        );
        assert_eq!(tokens[2].grant.scope.as_deref(), Some("a"));
        let audit = meta.audit(9).unwrap();
        assert_eq!((audit.len(), audit[0].account, audit[0].user.as_str()), (1, None, "ada"));
        let problems: Vec<String> = {
            let connection = meta.connection();
            let mut check = connection.prepare("PRAGMA foreign_key_check").unwrap();
            check.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
        };
        assert_eq!(problems, [""; 0]);
        drop(meta);
        Meta::open(&path).unwrap();
    }

    #[test]
    fn a_database_is_made_kept_and_refused_when_newer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        let now = Timestamp::from_nanos(5);
        Meta::open(&path).unwrap().add_revision("version = 1\n", "ana", "first", now).unwrap();
        let meta = Meta::open(&path).unwrap();
        assert_eq!(meta.latest_revision().unwrap().unwrap().number, 1);
        meta.connection().pragma_update(None, "user_version", MIGRATIONS.len() as u32 + 1).unwrap();
        drop(meta);
        assert!(matches!(Meta::open(&path), Err(Error::TooNew { found: 7, known: 6, .. })));
    }

    #[test]
    fn a_file_that_is_no_database_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        std::fs::write(&path, "this is no database, and it is long enough to be sure of that".repeat(20))
            .unwrap();
        let message = Meta::open(&path).err().unwrap().to_string();
        assert!(message.contains("logstead.db"), "{message}");
    }
}
