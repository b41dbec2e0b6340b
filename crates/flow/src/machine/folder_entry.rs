//! A name in a folder that is held open, so that it keeps its meaning when paths and links change.
//!
//! **Invariant:** no link is followed, and nothing but a file is opened.

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// The maximum number of names in a folder that are examined.
const NAMES_MAX: usize = 100_000;

/// The maximum number of names that are tried.
const ATTEMPTS_MAX: u32 = 1000;

/// A name in an open folder.
pub struct FolderEntry {
    folder: File,
    /// The last part of the path.
    pub name: OsString,
}

impl FolderEntry {
    pub(super) fn new(folder: File, name: OsString) -> FolderEntry {
        FolderEntry { folder, name }
    }

    /// Another name in the same folder.
    pub fn beside(&self, name: impl Into<OsString>) -> io::Result<FolderEntry> {
        Ok(FolderEntry { folder: self.folder.try_clone()?, name: name.into() })
    }

    /// Opens the file to append to it and to read it; it is created if it is missing.
    pub fn open_to_append(&self) -> io::Result<File> {
        self.open(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    /// Opens the file to read it.
    pub fn open_to_read(&self) -> io::Result<File> {
        self.open(OFlags::RDONLY)
    }

    /// Creates an empty file, or empties the one that exists.
    pub fn create(&self) -> io::Result<File> {
        self.open(OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)
    }

    fn open(&self, flags: OFlags) -> io::Result<File> {
        // Opening a pipe would wait for the other side.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file: File =
            rustix::fs::openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o600))?.into();
        // A device or a pipe takes appended bytes and keeps nothing.
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("this is not a file")) }
    }

    /// Locks the file that was opened here against other writers in this and other processes. Returns `false` if it
    /// has been moved away by then.
    pub fn lock(&self, file: &File) -> io::Result<bool> {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            // Some file systems have no locks.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOLCK) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(io::Error::other("another destination or program has locked it for writing"));
            }
            Err(error) => return Err(error.into()),
        }
        let (opened, named) = (
            rustix::fs::fstat(file)?,
            rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW),
        );
        Ok(named.is_ok_and(|named| (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)))
    }

    /// Renames the file to the first of these names, numbered from 0, that is free.
    pub fn rename_free(&self, name: impl Fn(u32) -> OsString) -> io::Result<()> {
        for attempt in 0..ATTEMPTS_MAX {
            match self.rename(&name(attempt)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                renamed => return renamed,
            }
        }
        Err(io::Error::other(format!("{ATTEMPTS_MAX} names for it are taken already")))
    }

    fn rename(&self, to: &OsStr) -> io::Result<()> {
        let folder = &self.folder;
        match rustix::fs::renameat_with(folder, &self.name, folder, to, RenameFlags::NOREPLACE) {
            // Not every file system can do this in one step.
            Err(Errno::INVAL | Errno::NOSYS) => {
                match rustix::fs::statat(folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(_) => Err(Errno::EXIST.into()),
                    Err(_) => Ok(rustix::fs::renameat(folder, &self.name, folder, to)?),
                }
            }
            renamed => Ok(renamed?),
        }
    }

    /// Removes the file.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Syncs the folder, so that changes of names in it last.
    pub fn sync_folder(&self) -> io::Result<()> {
        self.folder.sync_all()
    }

    /// The names in the folder that `wanted` accepts.
    pub fn names(&self, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder)?.take(NAMES_MAX) {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if wanted(name) {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }
}
