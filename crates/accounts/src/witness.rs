//! A witness of the database: the sum of all its pages after the last acknowledged change. SQLite keeps no page
//! checksums and cannot distinguish a file from an older copy of it.
//!
//! ```text
//! logstead.db.sum: two slots of 512 bytes, written in turn, so that a write that was cut leaves the one before
//!   magic 8 │ count 8 │ page bytes 4 │ pages 4 │ sum 16 │ crc32c of these 4        (little-endian)
//! ```
//!
//! A change goes first to the log, then its sum to the witness, then the log's pages to the database. So, whenever
//! the process dies, either the database alone or the database with its log applied has the sum in the newest slot.
//!
//! **Invariant:** the sum is written in place: it takes no space on a full disk.

use super::wal::Wal;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The suffix added to the database's name.
pub(super) const SUFFIX: &str = ".sum";
const MAGIC: &[u8; 8] = b"LSDBSUM1";
const SLOT_BYTES: usize = 512;
const SUMMED_BYTES: usize = 40;

/// The sum of all pages: the sum of their hashes, which does not depend on their order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PageSum {
    pub(super) page_bytes: u32,
    pub(super) pages: u32,
    pub(super) sum: u128,
}

/// The contribution of a page, which depends on its number.
fn hash(number: u32, page: &[u8]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&number.to_le_bytes()).update(page);
    let hash = hasher.finalize();
    u128::from_le_bytes(hash.as_bytes()[..16].try_into().expect("sixteen bytes"))
}

/// The hashes of all pages.
#[derive(Default, Debug)]
pub(super) struct Pages {
    page_bytes: u32,
    hashes: Vec<u128>,
}

impl Pages {
    /// The pages of a database file. A file that does not begin like a database counts as a single page.
    pub(super) fn of(database: &Path) -> io::Result<Pages> {
        let file = File::open(database)?;
        let mut header = [0; 18];
        let is_short = match file.read_exact_at(&mut header, 0) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => true,
            read => read.map(|()| false)?,
        };
        let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            bytes if !is_short && 512 <= bytes && bytes.is_power_of_two() => u32::from(bytes),
            _ => 4096,
        };
        let (mut file, mut page) = (BufReader::with_capacity(1 << 16, file), Vec::new());
        let mut hashes = Vec::new();
        loop {
            page.clear();
            file.by_ref().take(u64::from(page_bytes)).read_to_end(&mut page)?;
            if page.is_empty() {
                return Ok(Pages { page_bytes, hashes });
            }
            hashes.push(hash(hashes.len() as u32 + 1, &page));
        }
    }

    /// Replaces pages by those of a log.
    pub(super) fn put(&mut self, wal: &Wal<'_>) {
        if wal.pages.is_empty() {
            return;
        }
        self.page_bytes = wal.page_bytes as u32;
        self.hashes.resize(wal.page_count as usize, 0);
        for (number, page) in &wal.pages {
            if let Some(place) = (*number as usize).checked_sub(1).and_then(|at| self.hashes.get_mut(at)) {
                *place = hash(*number, page);
            }
        }
    }

    pub(super) fn sum(&self) -> PageSum {
        let sum = self.hashes.iter().fold(0, |sum, hash| sum ^ hash);
        PageSum { page_bytes: self.page_bytes, pages: self.hashes.len() as u32, sum }
    }
}

/// The contents of the witness file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WitnessRecord {
    /// It does not exist.
    Missing,
    /// Neither slot is readable.
    Unreadable,
    /// The sum in the newest slot, and its counter.
    Sum(u64, PageSum),
}

/// Reads the witness of a database.
pub(super) fn read(path: &Path) -> io::Result<WitnessRecord> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(WitnessRecord::Missing),
        bytes => bytes?,
    };
    let newest = bytes.chunks(SLOT_BYTES).take(2).filter_map(slot).max_by_key(|(count, _)| *count);
    Ok(newest.map_or(WitnessRecord::Unreadable, |(count, sum)| WitnessRecord::Sum(count, sum)))
}

fn slot(bytes: &[u8]) -> Option<(u64, PageSum)> {
    let summed = bytes.get(..SUMMED_BYTES)?;
    let crc = bytes.get(SUMMED_BYTES..SUMMED_BYTES + 4)?;
    if summed[..8] != MAGIC[..] || crc != crc32c::crc32c(summed).to_le_bytes() {
        return None;
    }
    let four = |at: usize| u32::from_le_bytes(summed[at..at + 4].try_into().expect("four bytes"));
    let count = u64::from_le_bytes(summed[8..16].try_into().expect("eight bytes"));
    let sum = u128::from_le_bytes(summed[24..40].try_into().expect("sixteen bytes"));
    Some((count, PageSum { page_bytes: four(16), pages: four(20), sum }))
}

/// The witness of an open database.
#[derive(Debug)]
pub(super) struct Witness {
    file: File,
    count: u64,
    said: Option<PageSum>,
}

impl Witness {
    /// Opens the witness, or creates it with room for both slots.
    pub(super) fn open(path: &Path) -> io::Result<Witness> {
        let is_new = !path.exists();
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        if file.metadata()?.len() != 2 * SLOT_BYTES as u64 {
            file.set_len(0)?;
            file.write_all_at(&[0; 2 * SLOT_BYTES], 0)?;
            file.sync_all()?;
        }
        if let Some(folder) = path.parent().filter(|_| is_new) {
            File::open(folder)?.sync_all()?;
        }
        let (count, said) = match read(path)? {
            WitnessRecord::Sum(count, sum) => (count, Some(sum)),
            WitnessRecord::Missing | WitnessRecord::Unreadable => (0, None),
        };
        Ok(Witness { file, count, said })
    }

    /// Records a new sum, durably.
    pub(super) fn say(&mut self, sum: PageSum) -> io::Result<()> {
        if self.said == Some(sum) {
            return Ok(());
        }
        let count = self.count + 1;
        let mut bytes = Vec::with_capacity(SLOT_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(&sum.page_bytes.to_le_bytes());
        bytes.extend_from_slice(&sum.pages.to_le_bytes());
        bytes.extend_from_slice(&sum.sum.to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        self.file.write_all_at(&bytes, count % 2 * SLOT_BYTES as u64)?;
        self.file.sync_data()?;
        (self.count, self.said) = (count, Some(sum));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_whole_slot_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db.sum");
        assert_eq!(read(&path).unwrap(), WitnessRecord::Missing);
        let sum = |sum| PageSum { page_bytes: 4096, pages: 3, sum };
        let mut witness = Witness::open(&path).unwrap();
        assert_eq!(read(&path).unwrap(), WitnessRecord::Unreadable);
        for at in 1..=5 {
            witness.say(sum(at)).unwrap();
            assert_eq!(read(&path).unwrap(), WitnessRecord::Sum(at as u64, sum(at)));
        }
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[SLOT_BYTES + 30] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path).unwrap(), WitnessRecord::Sum(4, sum(4)), "a write that was cut");
        Witness::open(&path).unwrap().say(sum(9)).unwrap();
        assert_eq!(read(&path).unwrap(), WitnessRecord::Sum(5, sum(9)));
    }
}
