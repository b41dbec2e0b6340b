//! The reasons why something could not be written, in a form that an operator can act on.

use std::io;
use std::path::PathBuf;

/// The reason why a write failed. Nothing of it counts as written, and it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The disk has no space left.
    #[error("the disk is full: {bytes} bytes do not fit in {path}: {source}", path = path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The number of bytes to be written.
        bytes: u64,
        /// The error from the operating system.
        source: io::Error,
    },
    /// A file in use was removed or renamed.
    #[error(
        "{path} was removed or renamed while it was in use, with the messages in it: put it back, or restart \
         Logstead, which begins a new one and names the messages that are missing",
        path = path.display()
    )]
    Removed {
        /// The path of the file or the folder.
        path: PathBuf,
    },
    /// The logspace cannot be opened at present.
    #[error("{path} cannot be opened; this is tried again: {why}", path = path.display())]
    Closed {
        /// The folder.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The disk failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Disk {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
}

/// The error of a failed write, which depends on whether the disk is full.
pub(crate) fn failed(action: &'static str, path: PathBuf, bytes: u64, source: io::Error) -> DiskError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => DiskError::Full { path, bytes, source },
        _ => DiskError::Disk { action, path, source },
    }
}
