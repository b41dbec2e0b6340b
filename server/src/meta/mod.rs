//! What the server must remember besides messages: users, sessions, tokens, router revisions and the audit log,
//! in one SQLite file.
//!
//! | table     | holds                                                           |
//! |-----------|-----------------------------------------------------------------|
//! | users     | name, role, what it may search, argon2id hash of the password   |
//! | sessions  | hash of a browser's session secret, when it ends                |
//! | tokens    | hash of an API token, its role, what it may search, when it ends, when it was used |
//! | saved_searches | searches that somebody gave a name, for themselves or for all |
//! | revisions | every router document that was ever live, with author and comment |
//! | audit     | who changed what, and who failed to log in                      |
//!
//! **Invariant:** no password and no secret is stored, only what they can be compared with.
//! **Invariant:** what a call has returned `Ok` for survives a power cut (`synchronous=FULL`).
//! **Invariant:** the clock comes in as an argument. Calls block: async code makes them on a blocking thread.

mod audit;
mod grant;
pub mod password;
mod revisions;
mod saved_searches;
mod secret;
mod sessions;
mod tokens;
mod users;

pub use audit::AuditEntry;
pub use grant::Grant;
pub use revisions::Revision;
pub use saved_searches::{SAVED_SEARCHES_MAX, SavedSearch, SearchToSave};
pub use secret::{Secret, setup_code};
pub use sessions::Session;
pub use tokens::{NewToken, Token};
pub use users::{Credentials, Role, User};

use logstead_record::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Each takes the database from the version before to the next; the file's `user_version` counts them.
const MIGRATIONS: [&str; 2] = [include_str!("schema_1.sql"), include_str!("schema_2.sql")];

/// How long a call waits for another process that has the file open, such as a backup.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// A handle on the database. Cheap to clone; one call runs at a time.
#[derive(Clone)]
pub struct Meta {
    connection: Arc<Mutex<Connection>>,
}

/// Why a call was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can not be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
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
    /// Reading or writing failed.
    #[error("the database of users and revisions failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The system gives no random numbers, or the password can not be hashed.
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

impl Meta {
    /// Opens the file, which is made or brought to the current schema where needed.
    pub fn open(path: &Path) -> Result<Meta> {
        let mut connection = connect(path).map_err(|source| Error::Open { path: path.to_owned(), source })?;
        migrate(&mut connection, path)?;
        Ok(Meta { connection: Arc::new(Mutex::new(connection)) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock()
    }
}

fn connect(path: &Path) -> std::result::Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    // Made by us and not by SQLite, so that only its owner ever reads it.
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
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
                 INSERT INTO sessions VALUES (x'00', 'bo', 9000000000000000000);
                 INSERT INTO tokens VALUES (3, 'ci', 'analyst', x'01', 'ada', 7, NULL, NULL);",
            )
            .unwrap();
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
        assert_eq!(meta.saved_searches("bo").unwrap(), []);
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
        assert!(matches!(Meta::open(&path), Err(Error::TooNew { found: 3, known: 2, .. })));
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
