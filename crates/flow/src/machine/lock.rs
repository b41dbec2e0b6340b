//! Ensures that only one process uses a data directory: the directory itself is locked, and a lock file in it says by
//! which process.
//!
//! **Invariant:** removing the lock file does not release the lock. The file names the holder; the directory's own
//! lock keeps others out. On a file system that cannot lock directories, such as NFS, the lock file is all there is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The length of the longest process number.
const WIDTH: usize = 20;

/// Holds a data directory until it is dropped.
#[derive(Debug)]
pub struct DataLock {
    _folder: File,
    _file: File,
}

/// The reason why a data directory cannot be held.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error("the data directory {} is in use by another logstead ({holder}): stop it first, or choose another \
             directory", .folder.display())]
    Held {
        /// The directory.
        folder: PathBuf,
        /// The process that holds it, according to the lock file.
        holder: String,
    },
    /// The file system cannot lock files.
    #[error("the data directory {} cannot be locked, so a second logstead could destroy what this one stores: \
             {source}; put it on a local file system, or allow locks where it is mounted", .folder.display())]
    NoLocks {
        /// The directory.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It cannot be created or written.
    #[error("the data directory {} cannot be written: {source}", .folder.display())]
    Io {
        /// The directory.
        folder: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl DataLock {
    /// Creates the directory if needed, and holds it.
    pub fn acquire(folder: &Path) -> Result<DataLock, LockError> {
        let io = |source| LockError::Io { folder: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let directory = File::open(folder).map_err(io)?;
        // The directory is locked first, so that a second process creates no lock file if the holder's was removed.
        match directory.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(folder)),
            Err(TryLockError::Error(error)) => {
                tracing::debug!("the data directory itself cannot be locked: {error}")
            }
        }
        let path = folder.join("lock");
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(folder)),
            Err(TryLockError::Error(source)) => {
                return Err(LockError::NoLocks { folder: folder.to_owned(), source });
            }
        }
        // Overwrites the content, and never shortens it: a full disk still has room for the old length.
        match file.rewind().and_then(|()| writeln!(file, "{:<WIDTH$}", std::process::id())) {
            // The content only informs other processes.
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {}
            written => written.map_err(io)?,
        }
        Ok(DataLock { _folder: directory, _file: file })
    }
}

/// The error for a second process.
fn held(folder: &Path) -> LockError {
    let mut pid = String::new();
    let read = File::open(folder.join("lock")).and_then(|mut file| file.read_to_string(&mut pid));
    let holder = match read {
        Ok(_) if !pid.trim().is_empty() => format!("pid {}", pid.lines().next().unwrap_or_default().trim()),
        _ => "its lock file is gone; `fuser -v` on the directory shows which process".to_owned(),
    };
    LockError::Held { folder: folder.to_owned(), holder }
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
    fn the_lock_file_keeps_its_length_and_place() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let of = || std::fs::metadata(folder.path().join("lock")).unwrap();
        drop(DataLock::acquire(folder.path()).unwrap());
        let first = of();
        assert_eq!(first.len(), WIDTH as u64 + 1);
        std::fs::write(folder.path().join("lock"), "4194304\n").unwrap();
        for _ in 0..2 {
            drop(DataLock::acquire(folder.path()).unwrap());
            assert_eq!((of().len(), of().ino()), (first.len(), first.ino()));
        }
    }

    #[test]
    fn removing_the_lock_file_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let _first = DataLock::acquire(folder.path()).unwrap();
        std::fs::remove_file(folder.path().join("lock")).unwrap();
        let second = DataLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(second.contains("its lock file is gone"), "{second}");
        assert!(!folder.path().join("lock").exists(), "a refused process leaves nothing");
    }

    #[test]
    fn a_directory_that_can_not_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = DataLock::acquire(&file.join("data")).unwrap_err().to_string();
        assert!(error.contains("file/data cannot be written"), "{error}");
    }
}
