//! Checks whether a folder contains messages. This is done before anything is opened, because opening creates missing
//! files.

use crate::disk::Disk;
use crate::journal::HEADER_BYTES;
use crate::store::{JOURNAL_DIR, SEGMENTS_DIR};
use std::io;
use std::path::Path;

/// Whether the folder of a logspace contains messages, or files that once contained messages. An empty journal from a
/// first start does not count.
pub fn holds_messages(disk: &dyn Disk, folder: &Path) -> io::Result<bool> {
    Ok(!names(disk, &folder.join(SEGMENTS_DIR))?.is_empty()
        || is_journal_used(disk, &folder.join(JOURNAL_DIR))?)
}

fn is_journal_used(disk: &dyn Disk, folder: &Path) -> io::Result<bool> {
    for name in names(disk, folder)? {
        let bytes = disk.open(&folder.join(name)).and_then(|file| file.bytes());
        // The contents of a file that cannot be opened are unknown.
        if bytes.is_ok_and(|bytes| bytes <= HEADER_BYTES) {
            continue;
        }
        return Ok(true);
    }
    Ok(false)
}

fn names(disk: &dyn Disk, folder: &Path) -> io::Result<Vec<String>> {
    match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names,
    }
}
