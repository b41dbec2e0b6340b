//! A file that holds space for the database, and for retention, which needs a few kilobytes to free gigabytes.
//! It is returned to the disk in pieces when no other space is left, and refilled when there is some.
//!
//! It is returned in pieces because whatever filled the disk also takes the returned space: there is another piece
//! for each write that fails.
//!
//! **Invariant:** filling it never makes a disk nearly full.

use logstead_indexer::{Disk, RealDisk, Space};
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Its name in the data directory.
pub const NAME: &str = "reserve";
/// Its maximum length: several times what the database's log and a thousand audit entries take.
const BYTES_MAX: u64 = 16 << 20;
/// The number of its pieces.
const PIECES: u64 = 16;

/// The file. It has no state but its length, so any number of handles may use it.
#[derive(Clone, Debug)]
pub struct Reserve {
    path: PathBuf,
}

/// Its full length on a disk of this size: a quarter of the space that has to be free for messages to be stored.
fn full_bytes(space: Space) -> u64 {
    (space.nearly_full_bytes() / 4).min(BYTES_MAX)
}

/// Its new length, if it is to grow.
fn grown(held_bytes: u64, space: Space) -> Option<u64> {
    let full = full_bytes(space);
    let missing = full.checked_sub(held_bytes).filter(|missing| 0 < *missing)?;
    (space.nearly_full_bytes() + missing <= space.free_bytes).then_some(full)
}

/// Its length after giving a piece; `None` if nothing is left to give.
fn shrunk(held_bytes: u64, space: Space) -> Option<u64> {
    let piece = (full_bytes(space) / PIECES).max(1);
    (0 < held_bytes).then(|| held_bytes.saturating_sub(piece))
}

impl Reserve {
    /// The reserve of a data directory. The file need not exist.
    pub fn of(data: &Path) -> Reserve {
        Reserve { path: data.join(NAME) }
    }

    /// Its length.
    pub fn held_bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    /// Returns a piece of it to the disk; `false` if there was none.
    pub fn give(&self) -> bool {
        let given = self.space().and_then(|space| match shrunk(self.held_bytes(), space) {
            Some(bytes) => self.cut(bytes).map(|()| true),
            None => Ok(false),
        });
        given.unwrap_or(false)
    }

    /// Refills the reserve if there is enough space.
    pub fn fill(&self) -> io::Result<()> {
        match grown(self.held_bytes(), self.space()?) {
            Some(bytes) => self.grow(bytes),
            None => Ok(()),
        }
    }

    fn space(&self) -> io::Result<Space> {
        RealDisk.space(self.path.parent().unwrap_or(Path::new(".")))
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(&self.path)?;
        file.set_len(bytes)?;
        // Some file systems free the blocks only once they know that this will not be undone.
        file.sync_all()
    }

    fn grow(&self, bytes: u64) -> io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        let held = file.metadata()?.len();
        let grown = match fallocate(&file, FallocateFlags::empty(), held, bytes - held) {
            Err(rustix::io::Errno::OPNOTSUPP) => write_noise(&file, bytes - held),
            other => other.map_err(io::Error::from),
        };
        // A half-filled reserve could hold space that others need.
        grown.inspect_err(|_| drop(file.set_len(held)))
    }
}

/// Bytes that no file system can compress.
fn write_noise(mut file: &File, bytes: u64) -> io::Result<()> {
    let mut noise = blake3::Hasher::new().update(b"logstead reserve").finalize_xof();
    let (mut left, mut buffer) = (bytes, [0; 1 << 16]);
    while 0 < left {
        noise.fill(&mut buffer);
        let now = left.min(buffer.len() as u64);
        file.write_all(&buffer[..now as usize])?;
        left -= now;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn space(free_mib: u64, total_mib: u64) -> Space {
        Space { free_bytes: free_mib * MIB, total_bytes: total_mib * MIB }
    }

    #[test]
    fn it_is_filled_only_while_the_disk_stays_away_from_nearly_full() {
        for (held_mib, free_mib, total_mib, expected_mib) in [
            (0, 5000, 10_000, Some(16)),
            (0, 80, 10_000, Some(16)),
            (0, 79, 10_000, None),
            (12, 68, 10_000, Some(16)),
            (12, 67, 10_000, None),
            (16, 5000, 10_000, None),
            (0, 100, 160, Some(2)),
            (0, 9, 160, None),
        ] {
            let grown = grown(held_mib * MIB, space(free_mib, total_mib));
            assert_eq!(grown, expected_mib.map(|mib| mib * MIB), "{held_mib} held, {free_mib} free");
        }
    }

    #[test]
    fn it_is_given_in_pieces_until_nothing_is_left() {
        let full = space(0, 10_000);
        let mut held = 16 * MIB;
        let mut pieces = 0;
        while let Some(less) = shrunk(held, full) {
            assert_eq!(held - less, MIB);
            (held, pieces) = (less, pieces + 1);
        }
        assert_eq!((held, pieces), (0, PIECES));
        assert_eq!(shrunk(10, space(0, 0)), Some(9), "a disk that does not say how large it is");
    }

    #[test]
    fn what_it_holds_is_taken_from_the_disk_and_given_back() {
        let data = tempfile::tempdir().unwrap();
        let reserve = Reserve::of(data.path());
        assert!(!reserve.give());
        reserve.fill().unwrap();
        let held = reserve.held_bytes();
        assert_eq!(held, full_bytes(reserve.space().unwrap()));
        let blocks =
            || std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(data.path().join(NAME)).unwrap());
        assert!(held <= blocks() * 512, "nothing of it is a hole");
        assert!(reserve.give());
        assert!(reserve.held_bytes() < held && blocks() * 512 < held);
        reserve.fill().unwrap();
        assert_eq!(reserve.held_bytes(), held);
    }

    #[test]
    fn where_nothing_can_be_allocated_it_is_written() {
        let file = tempfile::tempfile().unwrap();
        write_noise(&file, 100_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 100_000);
    }
}
