//! A disk that refuses every change, so that reading a store through it cannot harm it.

use super::{Disk, DiskFile, LogspaceIdentity, Space};
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;

/// A read-only view of another disk.
pub struct ReadOnly(pub Arc<dyn Disk>);

struct ReadOnlyFile(Arc<dyn DiskFile>);

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "it was opened only to be read"))
}

impl Disk for ReadOnly {
    fn create_dir_all(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.0.list(dir)
    }

    fn create(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        refused()
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(ReadOnlyFile(self.0.open_to_read(path)?)))
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn space(&self, dir: &Path) -> io::Result<Space> {
        self.0.space(dir)
    }

    fn new_identity(&self) -> io::Result<LogspaceIdentity> {
        self.0.new_identity()
    }
}

impl DiskFile for ReadOnlyFile {
    fn append(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        refused()
    }

    fn write_over(&self, _: u64, _: &[u8]) -> io::Result<()> {
        refused()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_at(offset, buffer)
    }

    fn bytes(&self) -> io::Result<u64> {
        self.0.bytes()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.0.is_at(path)
    }

    fn truncate(&self, _: u64) -> io::Result<()> {
        refused()
    }

    fn sync(&self) -> io::Result<()> {
        refused()
    }
}
