//! Why something could not be written, as an operator can act on it.

use std::io;
use std::path::PathBuf;

/// Why a write failed. No part of it counts, and it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The disk has no room.
    #[error("the disk is full: {bytes} bytes do not fit in {path}: {source}", path = path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// How much was to be written.
        bytes: u64,
        /// The error of the disk.
        source: io::Error,
    },
    /// A file in use was removed or renamed.
    #[error(
        "{path} was removed or renamed while it was in use, with the messages in it: put it back, or restart \
         Logstead, which begins a new one and names the messages that are missing",
        path = path.display()
    )]
    Removed {
        /// The file, or the folder.
        path: PathBuf,
    },
    /// The logspace cannot be opened for now.
    #[error("{path} cannot be opened; this is tried again: {why}", path = path.display())]
    Closed {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The disk failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Disk {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the disk.
        source: io::Error,
    },
}

/// The error of a write, told apart by whether there was room.
pub(crate) fn failed(action: &'static str, path: PathBuf, bytes: u64, source: io::Error) -> DiskError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => DiskError::Full { path, bytes, source },
        _ => DiskError::Disk { action, path, source },
    }
}
