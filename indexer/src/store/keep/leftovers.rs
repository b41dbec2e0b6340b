//! Files that nothing names any more, until they are gone.

use crate::disk::Disk;
use parking_lot::Mutex;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Removes files, and remembers those that could not be removed.
pub(super) struct Leftovers {
    disk: Arc<dyn Disk>,
    paths: Mutex<Vec<PathBuf>>,
}

impl Leftovers {
    pub(super) fn new(disk: Arc<dyn Disk>) -> Leftovers {
        Leftovers { disk, paths: Mutex::default() }
    }

    /// Removes files; those that cannot be removed later.
    pub(super) fn remove(&self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            match self.disk.remove(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => self.paths.lock().push(path),
                _ => {}
            }
        }
    }

    /// Tries again.
    pub(super) fn remove_all(&self) {
        let paths = std::mem::take(&mut *self.paths.lock());
        self.remove(paths);
    }
}
