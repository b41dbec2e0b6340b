//! How far a queue is done with, in a file beside its journal.
//!
//! The file has two slots, at 0 and at 512, and always 1024 bytes. Each slot is as follows, and the rest is zero:
//!
//! | offset | size | field    | meaning                                             |
//! |-------:|-----:|----------|-----------------------------------------------------|
//! |      0 |    4 | magic    | `LSQ1`                                              |
//! |      4 |    4 | crc      | CRC-32C of the slot from here on                    |
//! |      8 |    4 | version  | 2                                                   |
//! |     12 |    4 |          | zero                                                |
//! |     16 |    8 | number   | how often it was noted; odd ones are in the second slot |
//! |     24 |    8 | done     | messages with a sequence below this are done with   |
//! |     32 |   16 | identity | of the queue that it is a part of                   |
//!
//! All numbers are little endian. The higher number counts. A note is written over the older slot, which takes no
//! space: on a full disk a queue can still say what it delivered. Version 1 had one slot of 24 bytes; it is not read
//! any more.
//!
//! **Invariant:** the newer of the slots is never written, so whatever happens one of them is whole, and it is the last
//! note that was synced, or a later one.

use crate::bytes::{array_at, u32_at, u64_at};
use crate::disk::{self, Disk, DiskFile, LogspaceIdentity};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: [u8; 4] = *b"LSQ1";
/// The version that is written and read.
const VERSION: u32 = 2;
const SLOT_BYTES: usize = 512;
const SLOTS: usize = 2;
const BYTES: usize = SLOTS * SLOT_BYTES;
/// The length of a whole file of version 1.
const VERSION_1_BYTES: usize = 24;
/// Its name in the folder of a queue.
pub(super) const NAME: &str = "cursor";

/// Why a cursor does not say how far its queue is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// There are messages, and no cursor.
    #[error("it is missing")]
    Missing,
    /// It is not what was written.
    #[error("it is damaged")]
    Damaged,
    /// The disk does not give it.
    #[error("the disk cannot read it: {0}")]
    Unreadable(io::ErrorKind),
    /// It is that of another queue.
    #[error("it belongs to another queue")]
    Foreign,
    /// Another version of this program wrote it.
    #[error("it has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Messages that it counts as done with were never stored, or are lost.
    #[error("it is at {0}, beyond the end of the queue")]
    Beyond(u64),
}

/// A note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CursorSlot {
    number: u64,
    pub(super) done: u64,
    pub(super) identity: LogspaceIdentity,
}

/// The contents of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoredCursor {
    pub(super) newest: CursorSlot,
    /// True if the file is in every detail as it was written.
    pub(super) is_whole: bool,
}

/// The cursor of a queue, to be written.
pub(super) struct QueueCursor {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    /// None until it is written: it may not be there, or not be whole.
    file: Option<Arc<dyn DiskFile>>,
    number: u64,
}

/// Reads the cursor of a queue.
pub(super) fn read(disk: &dyn Disk, dir: &Path) -> Result<StoredCursor, CursorError> {
    match disk::read_small(disk, &dir.join(NAME), BYTES as u64 + 1) {
        Ok(bytes) => from_bytes(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CursorError::Missing),
        Err(error) => Err(CursorError::Unreadable(error.kind())),
    }
}

impl QueueCursor {
    /// That of a queue whose cursor says this.
    pub(super) fn new(disk: &Arc<dyn Disk>, dir: &Path, noted: Option<&StoredCursor>) -> QueueCursor {
        let whole = noted.filter(|noted| noted.is_whole);
        let file = whole.and_then(|_| disk.open_to_write_over(&dir.join(NAME)).ok());
        let number = noted.map_or(0, |noted| noted.newest.number);
        QueueCursor { disk: Arc::clone(disk), dir: dir.to_owned(), file, number }
    }

    /// The path of its file.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.join(NAME)
    }

    /// Notes how far the queue is done with. After an error either the note before counts or this one.
    pub(super) fn write(&mut self, done: u64, identity: LogspaceIdentity) -> io::Result<()> {
        let path = self.path();
        let is_there = |file: &Arc<dyn DiskFile>| file.is_at(&path).unwrap_or(true);
        let Some(file) = self.file.take().filter(is_there) else { return self.create(done, identity) };
        let number = self.number + 1;
        let slot = CursorSlot { number, done, identity }.to_bytes();
        file.write_over(number % SLOTS as u64 * SLOT_BYTES as u64, &slot)?;
        file.sync()?;
        (self.file, self.number) = (Some(file), number);
        Ok(())
    }

    /// Makes another file, in one step.
    fn create(&mut self, done: u64, identity: LogspaceIdentity) -> io::Result<()> {
        let even = self.number.next_multiple_of(SLOTS as u64);
        let slots = [even, even + 1].map(|number| CursorSlot { number, done, identity }.to_bytes());
        disk::replace(&*self.disk, &self.dir, NAME, slots.as_flattened())?;
        self.number = even + 1;
        self.file = self.disk.open_to_write_over(&self.path()).ok();
        Ok(())
    }
}

impl CursorSlot {
    fn to_bytes(self) -> [u8; SLOT_BYTES] {
        let mut bytes = [0; SLOT_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.done.to_le_bytes());
        bytes[32..48].copy_from_slice(&self.identity.0);
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<CursorSlot, CursorError> {
        let is_sound = bytes.get(..4) == Some(&MAGIC)
            && VERSION_1_BYTES <= bytes.len()
            && u32_at(bytes, 4) == crc32c::crc32c(&bytes[8..]);
        if !is_sound {
            return Err(CursorError::Damaged);
        }
        match u32_at(bytes, 8) {
            VERSION if bytes.len() != SLOT_BYTES => Err(CursorError::Damaged),
            VERSION => Ok(CursorSlot {
                number: u64_at(bytes, 16),
                done: u64_at(bytes, 24),
                identity: LogspaceIdentity(array_at(bytes, 32)),
            }),
            other => Err(CursorError::Version(other)),
        }
    }
}

fn from_bytes(bytes: &[u8]) -> Result<StoredCursor, CursorError> {
    let slots: Vec<Result<CursorSlot, CursorError>> =
        bytes.chunks(SLOT_BYTES).map(CursorSlot::from_bytes).collect();
    let in_place = |(at, slot): (usize, &Result<CursorSlot, CursorError>)| match slot {
        Ok(slot) => slot.number % SLOTS as u64 == at as u64,
        Err(_) => false,
    };
    let is_whole = bytes.len() == BYTES && slots.iter().enumerate().all(in_place);
    let newest = slots.iter().filter_map(|slot| slot.ok()).max_by_key(|slot| slot.number);
    let other = slots.iter().find_map(|slot| slot.err().filter(|error| *error != CursorError::Damaged));
    newest.map(|newest| StoredCursor { newest, is_whole }).ok_or(other.unwrap_or(CursorError::Damaged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimDisk;
    use crate::disk::Fault;

    const DIR: &str = "/queue";
    const OWN: LogspaceIdentity = LogspaceIdentity([7; 16]);

    fn bytes(first: u64, second: u64) -> Vec<u8> {
        let slot = |number, done| CursorSlot { number, done, identity: OWN }.to_bytes();
        [slot(first, 100 + first), slot(second, 100 + second)].concat()
    }

    #[test]
    fn the_higher_number_counts_and_no_flipped_bit_passes() {
        for (first, second, done) in [(4, 5, 105), (6, 5, 106)] {
            let bytes = bytes(first, second);
            let noted = from_bytes(&bytes).unwrap();
            assert_eq!((noted.newest.done, noted.is_whole), (done, true));
            for bit in 0..BYTES * 8 {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let noted = from_bytes(&flipped).unwrap();
                assert!(
                    !noted.is_whole && [100 + first, 100 + second].contains(&noted.newest.done),
                    "bit {bit}"
                );
            }
            for length in 0..BYTES {
                assert!(
                    from_bytes(&bytes[..length]).is_ok_and(|noted| !noted.is_whole) || length < SLOT_BYTES
                );
            }
        }
        assert_eq!(from_bytes(&[0; BYTES]), Err(CursorError::Damaged));
    }

    #[test]
    fn other_versions_are_told_apart_from_damage() {
        let crc = |bytes: &mut [u8]| {
            let crc = crc32c::crc32c(&bytes[8..]);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        };
        let mut later = bytes(4, 5);
        for slot in later.chunks_mut(SLOT_BYTES) {
            slot[8] = 3;
            crc(slot);
        }
        assert_eq!(from_bytes(&later), Err(CursorError::Version(3)));
        let mut earlier = [0; 24];
        earlier[..4].copy_from_slice(&MAGIC);
        earlier[8] = 1;
        crc(&mut earlier);
        assert_eq!(from_bytes(&earlier), Err(CursorError::Version(1)));
    }

    /// Whatever call goes wrong, and whatever a power cut leaves, what is read is the last note that succeeded or one
    /// that was tried since.
    #[test]
    fn a_note_that_was_synced_is_never_lost() {
        for call in 0..40 {
            for fault in [Fault::Die, Fault::Fail] {
                let sim = SimDisk::new(call);
                let disk: Arc<dyn Disk> = Arc::new(sim.clone());
                disk.create_dir_all(Path::new(DIR)).unwrap();
                let mut cursor = QueueCursor::new(&disk, Path::new(DIR), None);
                sim.fault_after(call, fault);
                let (mut noted, mut tried) = (None, 0);
                for done in 1..10 {
                    tried = done;
                    if cursor.write(done, OWN).is_ok() {
                        noted = Some(done);
                    }
                }
                let left = (0..8).map(|seed| sim.after_power_cut(seed)).chain([sim.after_kill()]);
                for sim in left {
                    let read = read(&sim, Path::new(DIR)).map(|noted| noted.newest.done);
                    let is_right = |done: u64| noted.is_none_or(|noted| noted <= done) && done <= tried;
                    assert!(
                        read.map_or(noted.is_none(), is_right),
                        "{read:?}, where {noted:?} was noted: {fault:?} at {call}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_note_takes_no_space() {
        let sim = SimDisk::new(1);
        let disk: Arc<dyn Disk> = Arc::new(sim.clone());
        disk.create_dir_all(Path::new(DIR)).unwrap();
        let mut cursor = QueueCursor::new(&disk, Path::new(DIR), None);
        cursor.write(1, OWN).unwrap();
        sim.set_bytes_max(Some(sim.used_bytes()));
        cursor.write(2, OWN).unwrap();
        let noted = read(&sim, Path::new(DIR)).unwrap();
        QueueCursor::new(&disk, Path::new(DIR), Some(&noted)).write(3, OWN).unwrap();
        assert_eq!(read(&sim, Path::new(DIR)).unwrap().newest.done, 3);
    }
}
