//! The database: its file, its schema, and the way a change is written when the disk is full.
//!
//! **Invariant:** a change that returned `Ok` survives a power cut; see [`super`].
//! **Invariant:** it is then in the file itself, whose pages have the sum in the [witness](super::witness); the
//! write-ahead log is empty between two changes, or holds nothing that the file lacks.

use super::books::Books;
use super::error::{Error, Result};
use super::integrity::{BUSY_WAIT_MAX, beside, is_damage};
use super::wal::Wal;
use super::witness::{self, Pages, Witness};
use logstead_flow::machine::reserve::Reserve;
use logstead_indexer::{Disk, RealDisk};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use rusqlite::{Connection, Transaction};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tables of a new database.
const SCHEMA: &str = include_str!("schema.sql");
/// The version of the schema, in the file's `user_version`; 0 means a new database.
const VERSION: u32 = 6;

/// The granularity at which SQLite allocates disk space for the memory that processes share.
const SHARED_PAGE_BYTES: u64 = 4096;

/// A handle on the database. Cheap to clone; one call runs at a time.
#[derive(Clone)]
pub struct Meta {
    store: Arc<Mutex<MetaStore>>,
}

/// The database, the records that have yet to be written to it, and the space that is reserved for it.
pub(super) struct MetaStore {
    pub(super) connection: Connection,
    pub(super) books: Books,
    pub(super) reserve: Reserve,
    /// Whether it has been logged that records cannot be written.
    pub(super) is_waiting: bool,
    settled: WitnessedFile,
}

/// The file's witness, and the state needed to renew it.
struct WitnessedFile {
    path: PathBuf,
    log: Option<File>,
    pages: Pages,
    witness: Witness,
    /// A number that changes when another process writes to the file.
    data_version: i64,
}

impl Meta {
    /// Opens the file, creating it if needed.
    pub fn open(path: &Path) -> Result<Meta> {
        let reserve = Reserve::of(path.parent().unwrap_or(Path::new(".")));
        let connection = loop {
            match open(path) {
                // Even opening the file takes a few pages, for the memory that connections share.
                Err(_) if is_full(path) && reserve.give() => {}
                opened => break opened?,
            }
        };
        let settled = WitnessedFile::begin(path, &connection)?;
        let mut store =
            MetaStore { connection, books: Books::default(), reserve, is_waiting: false, settled };
        store.settle()?;
        Ok(Meta { store: Arc::new(Mutex::new(store)) })
    }

    pub(super) fn store(&self) -> MutexGuard<'_, MetaStore> {
        self.store.lock()
    }

    /// The connection, for reading and for changes that take no space.
    pub(super) fn connection(&self) -> MappedMutexGuard<'_, Connection> {
        MutexGuard::map(self.store.lock(), |store| &mut store.connection)
    }

    /// Makes a change in one transaction; if the disk is full, with space from the reserve.
    pub(super) fn write<T>(&self, change: impl FnMut(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.store().write(change)
    }
}

impl MetaStore {
    pub(super) fn write<T>(&mut self, mut change: impl FnMut(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut attempt = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            let done = change(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        let mut done = attempt(&mut self.connection);
        if matches!(done, Err(Error::Full(_))) && self.reuse_log().is_ok() {
            done = attempt(&mut self.connection);
        }
        while matches!(done, Err(Error::Full(_))) && self.reserve.give() {
            done = attempt(&mut self.connection);
        }
        let done = done?;
        self.settle()?;
        Ok(done)
    }

    /// Records the database's current sum in the witness, and moves the log into the file. If the disk is full the
    /// log keeps its space, which the next change needs.
    pub(super) fn settle(&mut self) -> Result<()> {
        if !self.settled.settle(&self.connection)? {
            return Ok(());
        }
        let keeps_space = is_full(&self.settled.path);
        let how = if keeps_space { "RESTART" } else { "TRUNCATE" };
        let moved = self.connection.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |_| Ok(()));
        // The log holds the change and the witness has its sum, so the next change can try again.
        if let Err(error) = moved {
            tracing::debug!(
                "the write-ahead log of the database cannot be emptied, and stays for now: {error}"
            );
        }
        Ok(())
    }

    /// Moves the contents of the write-ahead log into the database, so that the next change is written at the start
    /// of the log and takes no more space.
    pub(super) fn reuse_log(&self) -> rusqlite::Result<()> {
        self.connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))
    }

    /// Logs, once, why the books cannot be written.
    pub(super) fn must_wait(&mut self, error: &Error) {
        if !self.is_waiting {
            tracing::error!("sessions and audit entries wait in memory until they can be written: {error}");
        }
        self.is_waiting = true;
    }
}

impl WitnessedFile {
    fn begin(path: &Path, connection: &Connection) -> Result<WitnessedFile> {
        let not_opened = |source: io::Error| Error::Open { path: path.to_owned(), source: source.into() };
        let witness = Witness::open(&beside(path, witness::SUFFIX)).map_err(not_opened)?;
        let mut settled = WitnessedFile {
            path: path.to_owned(),
            log: None,
            pages: Pages::default(),
            witness,
            data_version: i64::MIN,
        };
        settled.settle(connection)?;
        Ok(settled)
    }

    /// Reads the whole log. It stays open, so that a change in it cannot fail for lack of a file descriptor. While a
    /// connection is open, SQLite only truncates the file and never replaces it.
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

    /// Updates the witness. Returns whether there is something in the log.
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
    create(&mut connection, path).map_err(|error| match error {
        Error::Sqlite(error) => not_opened(error.into(), path),
        other => other,
    })?;
    Ok(connection)
}

fn connect(path: &Path) -> std::result::Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    // The file is created here and not by SQLite, so that only its owner can ever read it.
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    if has_short_blocks(path) {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The log is moved into the file once the witness has its sum, not before.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A query must not need space on a full disk.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Whether the file of shared memory that SQLite maps could crash this process on a full disk: SQLite allocates one
/// block for each page of 4096 bytes, and if blocks are smaller, writing to the rest of the page raises SIGBUS. With
/// exclusive access SQLite needs no such file, but then other processes cannot read the database while this one has
/// it open.
fn has_short_blocks(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|file_system| file_system.f_frsize < SHARED_PAGE_BYTES)
}

/// Creates the tables of a new database, and refuses a database of another version.
fn create(connection: &mut Connection, path: &Path) -> Result<()> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match found {
        VERSION => Ok(()),
        0 => {
            let transaction = connection.transaction()?;
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            Ok(transaction.commit()?)
        }
        _ => Err(Error::Version { path: path.to_owned(), found, known: VERSION }),
    }
}

/// An error that says what to do about a file that SQLite refuses.
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
    use logstead_record::Timestamp;

    #[test]
    fn a_database_is_made_kept_and_refused_when_of_another_version() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logstead.db");
        let now = Timestamp::from_nanos(5);
        Meta::open(&path).unwrap().add_revision("version = 1\n", "ana", "first", now).unwrap();
        let meta = Meta::open(&path).unwrap();
        assert_eq!(meta.latest_revision().unwrap().unwrap().number, 1);
        drop(meta);
        for version in [VERSION - 1, VERSION + 1] {
            connect(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
            let refused = Meta::open(&path).err().unwrap();
            assert!(matches!(refused, Error::Version { found, known: VERSION, .. } if found == version));
            assert!(refused.to_string().contains("start the version that wrote it"), "{refused}");
        }
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
