//! One process for a data directory: a lock file that says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Holds a data directory until it is dropped.
#[derive(Debug)]
pub struct DataLock {
    _file: File,
}

/// Why a data directory can not be held.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error("the data directory {} is in use by another logstead (pid {holder}): stop it first, or choose another \
             directory", .folder.display())]
    Held {
        /// The directory.
        folder: PathBuf,
        /// Who holds it, as the lock file says.
        holder: String,
    },
    /// It can not be created or written.
    #[error("the data directory {} can not be written: {source}", .folder.display())]
    Io {
        /// The directory.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl DataLock {
    /// Creates the directory where it is missing, and holds it.
    pub fn acquire(folder: &Path) -> Result<DataLock, LockError> {
        let io = |source| LockError::Io { folder: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let path = folder.join("lock");
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(io)?;
                return Err(LockError::Held { folder: folder.to_owned(), holder: holder.trim().to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        Ok(DataLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_process_hears_who_holds_the_directory() {
        let folder = tempfile::tempdir().unwrap();
        let first = DataLock::acquire(folder.path()).unwrap();
        let second = DataLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(second.contains(&format!("pid {}", std::process::id())), "{second}");
        drop(first);
        DataLock::acquire(folder.path()).unwrap();
    }

    #[test]
    fn a_directory_that_can_not_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = DataLock::acquire(&file.join("data")).unwrap_err().to_string();
        assert!(error.contains("file/data can not be written"), "{error}");
    }
}
