//! What the server must remember besides messages: users, sessions, tokens, router revisions and the audit log,
//! in one SQLite file.
//!
//! | table     | holds                                                           |
//! |-----------|-----------------------------------------------------------------|
//! | users     | name, role, what it may search, argon2id hash of the password   |
//! | sessions  | hash of a browser's session secret, when it began and when it ends |
//! | devices   | hash of what a browser shows in which a user has logged in before |
//! | tokens    | hash of an API token, its role, what it may search, when it ends, when it was used |
//! | saved_searches | searches that somebody gave a name, for themselves or for all |
//! | revisions | every router document that was ever live, with author and comment |
//! | audit     | who changed what, and who failed to log in                      |
//!
//! **Invariant:** no password and no secret is stored, only what they can be compared with.
//! **Invariant:** a change that a call has returned `Ok` for survives a power cut (`synchronous=FULL`). What is only
//! noted beside a request ([`books`]) never fails it, and is written when the disk allows.
//! **Invariant:** the clock comes in as an argument. Calls block: async code makes them on a blocking thread.

mod account;
mod audit;
mod books;
mod devices;
mod grant;
mod keeping;
pub(crate) mod kept;
pub mod name;
mod opening;
pub mod password;
mod reserve;
mod revisions;
mod saved_searches;
mod secret;
mod sessions;
mod tokens;
mod users;

pub use account::{Account, Actor};
pub use audit::AuditEntry;
pub use grant::Grant;
pub use keeping::{Bookkeeper, BooksStatus};
pub use opening::{Found, Look, look, set_aside};
pub(crate) use reserve::Reserve;
pub use revisions::Revision;
pub use saved_searches::{SAVED_SEARCHES_MAX, SavedSearch, SearchToSave};
pub use secret::{Secret, setup_code};
pub use sessions::{Session, SessionLimits};
pub use tokens::{NewToken, Token};
pub use users::{Credentials, Role, User};

use books::Books;
use logstead_indexer::{Disk, RealDisk};
use logstead_record::Timestamp;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Each takes the database from the version before to the next; the file's `user_version` counts them.
const MIGRATIONS: [&str; 3] =
    [include_str!("schema_1.sql"), include_str!("schema_2.sql"), include_str!("schema_3.sql")];

/// How long a call waits for another process that has the file open, such as a backup.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// A handle on the database. Cheap to clone; one call runs at a time.
#[derive(Clone)]
pub struct Meta {
    store: Arc<Mutex<Store>>,
}

/// The database, what waits to be written to it, and the space that is held for it.
struct Store {
    connection: Connection,
    books: Books,
    reserve: Reserve,
    /// Whether it has been said that something has to wait.
    is_waiting: bool,
}

/// Why a call was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file is not as SQLite wrote it.
    #[error("{} is damaged: {what}; put a backup of it in its place, or start once with `serve --new-database`, which sets \
             it aside and begins a new one beside the messages", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What SQLite says.
        what: String,
    },
    /// A newer Logstead has written the file.
    #[error("{} has schema version {found}, this program knows up to {known}: use a newer Logstead", path.display())]
    TooNew {
        /// Which file.
        path: PathBuf,
        /// The file's version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// There is no room for a change.
    #[error(
        "the disk of the data directory is full, so nothing can be changed: make room there, for example with a \
         shorter retention ({0})"
    )]
    Full(rusqlite::Error),
    /// The disk refuses changes for another reason.
    #[error(
        "the database of users and revisions cannot be written, so nothing can be changed: look after the disk of the \
         data directory ({0})"
    )]
    NotWritable(rusqlite::Error),
    /// Reading or writing failed.
    #[error("the database of users and revisions failed: {0}")]
    Sqlite(rusqlite::Error),
    /// The system gives no random numbers, or the password cannot be hashed.
    #[error("cannot make a secret: {0}")]
    Secret(String),
    /// Nobody could log in with it.
    #[error("the administrator's password has {bytes} bytes: it must have 1 to {bytes_max}")]
    UnfitPassword {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
    /// The name is taken.
    #[error("there is already a user `{0}`")]
    UserExists(String),
    /// The name is taken.
    #[error("there is already a token `{0}`: remove it first, or choose another name")]
    TokenExists(String),
    /// There is none of this name.
    #[error("there is no user `{0}`")]
    NoSuchUser(String),
    /// Without it nobody could administrate.
    #[error("`{0}` is the last administrator and has to stay one: make another one first")]
    LastAdmin(String),
    /// There is none with this number that the caller may see.
    #[error("there is no saved search {0}")]
    NoSuchSearch(i64),
    /// It is somebody else's.
    #[error("the saved search {id} belongs to {owner}: save a copy under a name of your own")]
    OthersSearch {
        /// Which.
        id: i64,
        /// Whose.
        owner: String,
    },
    /// The name is taken.
    #[error("{owner} has a saved search `{name}` in this folder already: choose another name or folder")]
    SearchExists {
        /// Whose.
        owner: String,
        /// Which.
        name: String,
    },
    /// The limit is reached.
    #[error("{0} has {SAVED_SEARCHES_MAX} saved searches, which is the most: remove one first")]
    TooManySearches(String),
    /// The first administrator was made before.
    #[error("the first administrator exists already: log in")]
    AlreadySetUp,
}

/// What calls return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the disk is the reason: it may be better another time.
    pub(crate) fn is_of_the_disk(&self) -> bool {
        matches!(self, Error::Full(_) | Error::NotWritable(_))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::Full(error),
            Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
                Error::NotWritable(error)
            }
            _ => Error::Sqlite(error),
        }
    }
}

impl Meta {
    /// Opens the file, which is made or brought to the current schema where needed.
    pub fn open(path: &Path) -> Result<Meta> {
        let reserve = Reserve::of(path.parent().unwrap_or(Path::new(".")));
        let connection = loop {
            match open(path) {
                // Even opening takes a few pages, for what is shared between connections.
                Err(_) if is_full(path) && reserve.give() => {}
                opened => break opened?,
            }
        };
        let store = Store { connection, books: Books::default(), reserve, is_waiting: false };
        Ok(Meta { store: Arc::new(Mutex::new(store)) })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock()
    }

    /// To read, and for what needs no space.
    fn connection(&self) -> MappedMutexGuard<'_, Connection> {
        MutexGuard::map(self.store.lock(), |store| &mut store.connection)
    }

    /// Makes a change, for which a full disk gives from the reserve.
    fn write<T>(&self, change: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        self.store().write(change)
    }
}

impl Store {
    fn write<T>(&mut self, mut change: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        let mut done = change(&mut self.connection);
        if matches!(done, Err(Error::Full(_))) && self.reuse_log().is_ok() {
            done = change(&mut self.connection);
        }
        while matches!(done, Err(Error::Full(_))) && self.reserve.give() {
            done = change(&mut self.connection);
        }
        done
    }

    /// Takes over what the write-ahead log holds, so that the next change is written at its beginning, which takes no
    /// more space.
    fn reuse_log(&self) -> rusqlite::Result<()> {
        self.connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))
    }

    /// Says once why the books wait.
    fn must_wait(&mut self, error: &Error) {
        if !self.is_waiting {
            tracing::error!("sessions and audit entries wait in memory until they can be written: {error}");
        }
        self.is_waiting = true;
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
    // Made by us and not by SQLite, so that only its owner ever reads it.
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A question must not need space on a disk that is full.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
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
    if source.downcast_ref().is_some_and(opening::is_damage) {
        return Error::Damaged { path, what: source.to_string() };
    }
    Error::Open { path, source }
}

/// A [`Timestamp`] as the database stores it: nanoseconds since 1970.
struct Nanos(Timestamp);

impl ToSql for Nanos {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.nanos().into())
    }
}

impl FromSql for Nanos {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Nanos> {
        value.as_i64().map(|nanos| Nanos(Timestamp::from_nanos(nanos)))
    }
}

/// A value as the database stores it in a column of text.
struct Json<T>(T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0);
        text.map(Into::into).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json<T>> {
        serde_json::from_str(value.as_str()?).map(Json).map_err(FromSqlError::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(matches!(Meta::open(&path), Err(Error::TooNew { found: 4, known: 3, .. })));
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
