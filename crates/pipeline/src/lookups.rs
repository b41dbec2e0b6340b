//! The files of the tables in which steps look up values: read at the start, and again when they change.
//!
//! **Invariant:** a file that cannot be read leaves the table as it was, and says why.

use logstead_route::{LOOKUP_BYTES_MAX, LookupTable, Lookups};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The interval at which the folder is checked.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of files.
pub(crate) const FILES_MAX: usize = 1000;

/// The files in the folder `lookups` of the data directory.
pub struct LookupFiles {
    folder: PathBuf,
    pub tables: Lookups,
    known: Mutex<BTreeMap<String, LookupFileState>>,
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct LookupFileState {
    /// Identifies the version of the file, so that changes are noticed.
    stamp: (i64, i64, u64, u64),
    /// The size of the file.
    pub bytes: u64,
    /// The time of the last change, in seconds since 1970.
    pub modified: i64,
    /// The number of rows.
    pub rows: usize,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Why the file cannot be used.
    pub error: Option<String>,
}

impl LookupFiles {
    pub fn new(data: &Path) -> LookupFiles {
        let files = LookupFiles {
            folder: data.join("lookups"),
            tables: Lookups::default(),
            known: Mutex::default(),
            thread: Mutex::default(),
        };
        files.look();
        files
    }

    /// Starts watching for changes.
    pub fn start(self: &Arc<Self>) -> io::Result<()> {
        let (stop, stopped) = channel();
        let files = self.clone();
        let run = move || {
            while stopped.recv_timeout(LOOK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                files.look();
            }
        };
        let thread = std::thread::Builder::new().name("lookups".to_owned()).spawn(run)?;
        *self.thread.lock() = Some((stop, thread));
        Ok(())
    }

    pub fn stop(&self) {
        let Some((stop, thread)) = self.thread.lock().take() else { return };
        drop(stop);
        if thread.join().is_err() {
            tracing::error!("the thread that reads lookup files ended with a panic");
        }
    }

    /// Every file, by name.
    pub fn all(&self) -> BTreeMap<String, LookupFileState> {
        self.known.lock().clone()
    }

    /// Whether a file of this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.look();
        self.known.lock().contains_key(name)
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        read(&self.folder.join(name))
    }

    /// Replaces a file, as a whole.
    pub fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let new = self.folder.join(format!(".{name}.new"));
        let mut file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        let written = file.write_all(text).and_then(|()| file.sync_all());
        let written = written.and_then(|()| std::fs::rename(&new, self.folder.join(name)));
        if written.is_err() {
            // Removes the incomplete new file.
            std::fs::remove_file(&new).ok();
        }
        written?;
        std::fs::File::open(&self.folder)?.sync_all()?;
        self.look();
        Ok(())
    }

    /// Removes a file; `false` if it does not exist.
    pub fn remove(&self, name: &str) -> io::Result<bool> {
        match std::fs::remove_file(self.folder.join(name)) {
            Ok(()) => {
                self.look();
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads files that are new or have changed.
    fn look(&self) {
        let mut known = self.known.lock();
        let names = names(&self.folder);
        known.retain(|name, _| {
            let is_there = names.contains(name);
            if !is_there {
                tracing::info!("lookup file {name} was removed");
                self.tables.put(name, LookupTable::default());
            }
            is_there
        });
        for name in names {
            let path = self.folder.join(&name);
            let Ok(metadata) = std::fs::metadata(&path) else { continue };
            let stamp = (metadata.mtime(), metadata.mtime_nsec(), metadata.len(), metadata.ino());
            if known.get(&name).is_some_and(|known| known.stamp == stamp) {
                continue;
            }
            let table = read(&path).map_err(|error| error.to_string());
            let table = table.and_then(|text| LookupTable::parse(&text).map_err(|error| error.to_string()));
            let old = known.get(&name);
            let mut new = LookupFileState {
                stamp,
                bytes: metadata.len(),
                modified: metadata.mtime(),
                rows: old.map_or(0, |old| old.rows),
                columns: old.map(|old| old.columns.clone()).unwrap_or_default(),
                error: None,
            };
            match table {
                Ok(table) => {
                    (new.rows, new.columns) = (table.rows(), table.columns().to_vec());
                    tracing::info!("lookup file {name} was read: {} rows", new.rows);
                    self.tables.put(&name, table);
                }
                Err(error) => {
                    tracing::error!(
                        "lookup file {name} cannot be used, and its last valid content stays in use: {error}"
                    );
                    new.error = Some(error);
                }
            }
            known.insert(name, new);
        }
    }
}

/// The names of files that are not hidden.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| logstead_config::is_lookup_name(name)).take(FILES_MAX).collect()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    // Reads one byte more than is allowed, so that an excess is noticed.
    std::fs::File::open(path)?.take(LOOKUP_BYTES_MAX as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_changes_and_one_that_is_wrong_changes_nothing() {
        let data = tempfile::tempdir().unwrap();
        let files = LookupFiles::new(data.path());
        assert!(!files.has("a.csv"));
        files.write("a.csv", b"host,owner\nweb,ann\n").unwrap();
        assert_eq!(files.all()["a.csv"].rows, 1);
        std::fs::write(data.path().join("lookups/a.csv"), "host,owner\nweb,bob\ndb,carl\n").unwrap();
        assert!(files.has("a.csv"));
        assert_eq!((files.all()["a.csv"].rows, files.all()["a.csv"].error.clone()), (2, None));
        std::fs::write(data.path().join("lookups/a.csv"), "nonsense").unwrap();
        assert!(files.has("a.csv"));
        let known = files.all()["a.csv"].clone();
        assert!(known.rows == 2 && known.error.unwrap().contains("two or more columns"));
        assert_eq!(files.read("a.csv").unwrap(), b"nonsense");
        assert!(files.remove("a.csv").unwrap() && !files.remove("a.csv").unwrap());
        assert!(files.all().is_empty());
    }
}
