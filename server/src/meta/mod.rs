//! What the server must remember besides messages: users, sessions, tokens, router revisions and the audit log,
//! in one SQLite file.
//!
//! | table     | holds                                                           |
//! |-----------|-----------------------------------------------------------------|
//! | users     | name, role, argon2id hash of the password                       |
//! | sessions  | hash of a browser's session secret, when it ends                |
//! | tokens    | hash of an API token, its role, when it ends, when it was used  |
//! | revisions | every router document that was ever live, with author and comment |
//! | audit     | who changed what, and who failed to log in                      |
//!
//! **Invariant:** no password and no secret is stored, only what they can be compared with.
//! **Invariant:** what a call has returned `Ok` for survives a power cut (`synchronous=FULL`).
//! **Invariant:** the clock comes in as an argument. Calls block: async code makes them on a blocking thread.

mod audit;
pub mod password;
mod revisions;
mod secret;
mod sessions;
mod tokens;
mod users;

pub use audit::AuditEntry;
pub use revisions::Revision;
pub use secret::{Secret, setup_code};
pub use sessions::Session;
pub use tokens::{NewToken, Token};
pub use users::{Credentials, Role, User};

use logstead_record::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Each takes the database from the version before to the next; the file's `user_version` counts them.
const MIGRATIONS: [&str; 1] = [include_str!("schema_1.sql")];

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
    #[error("`{0}` is the last administrator and can not be removed: make another one first")]
    LastAdmin(String),
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(matches!(Meta::open(&path), Err(Error::TooNew { found: 2, known: 1, .. })));
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
