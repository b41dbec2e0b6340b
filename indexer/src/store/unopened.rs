//! The reasons why a logspace cannot be opened.

use crate::journal::HeaderError;
use crate::store::manifest::ManifestError;
use std::io;
use std::path::{Path, PathBuf};

/// The number of attempts to read a logspace that changes meanwhile.
pub(crate) const LOOKS_MAX: usize = 50;

/// The reason why a journal cannot be opened. The attempt does not lose any messages.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The disk failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Disk {
        /// The action that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// Another version of this program wrote it, or put a part of it somewhere else.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    ManifestVersion {
        /// The file.
        path: PathBuf,
        /// Its version, or the place.
        source: ManifestError,
    },
    /// Another process changes the logspace faster than it can be read.
    #[error(
        "{dir} kept changing while it was read, {LOOKS_MAX} times in a row: try again, or ask the server that has \
         it open",
        dir = dir.display()
    )]
    Busy {
        /// The folder of the logspace.
        dir: PathBuf,
    },
    /// It was written by another version of this program.
    #[error("cannot read {path}: {source}; start the version that wrote it", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        source: HeaderError,
    },
}

pub(crate) fn failed(action: &'static str, path: &Path, source: io::Error) -> OpenError {
    OpenError::Disk { action, path: path.to_owned(), source }
}
