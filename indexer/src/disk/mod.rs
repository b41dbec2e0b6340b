//! The disk as seen by the engine: a dozen operations, so that a test can replace it by one that fails on purpose.
//!
//! **Invariant:** nothing else in this crate calls `std::fs`.
#![expect(clippy::disallowed_methods, reason = "this is where the real disk is")]

use std::fs;
use std::io::{self, IoSlice, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

mod open_files;
mod read_only;
#[cfg(any(test, feature = "sim"))]
mod sim;
pub use open_files::OpenFiles;
pub use read_only::ReadOnly;
#[cfg(any(test, feature = "sim"))]
pub use sim::{Fault, SimDisk};

/// Directories and the files in them.
pub trait Disk: Send + Sync {
    /// Makes a directory and its parents, so that they survive a power cut. It may exist already.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;
    /// The names of the files in a directory, in any order.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Creates an empty file. An existing one is emptied.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// Opens an existing file to read and to append to.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// Opens an existing file to read and to overwrite: a write goes to its offset, not to the end.
    fn open_to_write_over(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.open(path)
    }
    /// Opens an existing file only to read, which also works on a read-only disk.
    fn open_to_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.open(path)
    }
    /// Renames a file, replacing any file that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file. Open handles can still read it.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the changes of names in a directory (created, renamed and removed files) survive a power cut.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// The space left on the file system that holds a directory.
    fn space(&self, dir: &Path) -> io::Result<Space>;
    /// A random identity that nothing else has.
    fn new_identity(&self) -> io::Result<LogspaceIdentity>;
}

/// Distinguishes the files of one logspace or queue from those of all others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct LogspaceIdentity(pub [u8; 16]);

/// The space on a file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// The bytes that can still be written.
    pub free_bytes: u64,
    /// Its size in bytes.
    pub total_bytes: u64,
}

/// The number of attempts to read a small file.
const READ_ATTEMPTS_MAX: usize = 5;

/// The suffix of a file that is going to replace another.
const NEW_SUFFIX: &str = ".new";

/// The free space below which a disk is nearly full, unless the disk is small.
const NEARLY_FULL_BYTES_MAX: u64 = 64 << 20;
/// The part of a small disk, one in this many bytes, that must be free or else it is nearly full.
const NEARLY_FULL_PART: u64 = 20;

impl Space {
    /// The free space below which no more messages are stored; the rest is needed for work that continues when the
    /// disk is full.
    pub fn nearly_full_bytes(&self) -> u64 {
        (self.total_bytes / NEARLY_FULL_PART).min(NEARLY_FULL_BYTES_MAX)
    }

    /// Whether the disk is nearly full, so that messages have to wait.
    pub fn is_nearly_full(&self) -> bool {
        self.free_bytes < self.nearly_full_bytes()
    }
}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Appends all parts in one call. After an error, any beginning of them may have been written.
    fn append(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()>;
    /// Overwrites existing bytes. On most file systems this takes no space.
    fn write_over(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Fills `buffer` with the bytes at `offset`; if the file is too short, that is an error.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Its length.
    fn bytes(&self) -> io::Result<u64>;
    /// Whether this path still leads to the file: writes to a removed file are lost when it is closed, and a renamed
    /// file is not found.
    fn is_at(&self, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
    /// Truncates the file to this length.
    fn truncate(&self, bytes: u64) -> io::Result<()>;
    /// Makes its content survive a power cut. After an error it is unknown which part of it will, and the success of
    /// a second call proves nothing.
    fn sync(&self) -> io::Result<()>;
}

/// The file systems of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        if dir.is_dir() {
            return Ok(());
        }
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.create_dir_all(parent)?;
        match fs::create_dir(dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.sync_dir(parent),
        }
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let file = fs::OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.set_len(0)?;
        Ok(RealFile::shared(file))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(RealFile::shared(fs::OpenOptions::new().read(true).append(true).open(path)?))
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(RealFile::shared(fs::File::open(path)?))
    }

    fn open_to_write_over(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(RealFile::shared(fs::OpenOptions::new().read(true).write(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        fs::File::open(dir)?.sync_all()
    }

    fn space(&self, dir: &Path) -> io::Result<Space> {
        let file_system = rustix::fs::statvfs(dir)?;
        let bytes = |blocks: u64| blocks.saturating_mul(file_system.f_frsize);
        Ok(Space { free_bytes: bytes(file_system.f_bavail), total_bytes: bytes(file_system.f_blocks) })
    }

    fn new_identity(&self) -> io::Result<LogspaceIdentity> {
        let mut identity = LogspaceIdentity::default();
        fs::File::open("/dev/urandom")?.read_exact(&mut identity.0)?;
        Ok(identity)
    }
}

/// The first bytes of a small file. If reading fails, it is tried again a few times.
pub(crate) fn read_small(disk: &dyn Disk, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let read = || {
        let file = disk.open_to_read(path)?;
        let mut bytes = vec![0; file.bytes()?.min(bytes_max) as usize];
        file.read_at(0, &mut bytes)?;
        Ok(bytes)
    };
    let is_final = |read: &io::Result<Vec<u8>>| match read {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    (1..READ_ATTEMPTS_MAX).map(|_| read()).find(is_final).unwrap_or_else(read)
}

/// Replaces a small file of a directory atomically. After an error, either the old or the new file may be there.
pub(crate) fn replace(disk: &dyn Disk, dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = dir.join(format!("{name}{NEW_SUFFIX}"));
    let file = disk.create(&new)?;
    let written = file.append(&mut [IoSlice::new(bytes)]).and_then(|()| file.sync());
    if let Err(error) = written.and_then(|()| disk.rename(&new, &dir.join(name))) {
        // If this fails too, the next replacement overwrites the file.
        disk.remove(&new).ok();
        return Err(error);
    }
    disk.sync_dir(dir)
}

struct RealFile {
    file: fs::File,
    /// The device and number by which the system knows it, once somebody asked for them.
    number: OnceLock<(u64, u64)>,
}

impl RealFile {
    fn shared(file: fs::File) -> Arc<dyn DiskFile> {
        Arc::new(RealFile { file, number: OnceLock::new() })
    }
}

impl DiskFile for RealFile {
    fn append(&self, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match (&self.file).write_vectored(parts) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut parts, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_over(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let number = |file: &fs::Metadata| (file.dev(), file.ino());
        let own = match self.number.get() {
            Some(own) => *own,
            None => {
                let own = number(&self.file.metadata()?);
                *self.number.get_or_init(|| own)
            }
        };
        match fs::metadata(path) {
            Ok(there) => Ok(number(&there) == own),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
