//! The progress of a reader of a journal, in a file beside it: of the reader of a queue, or of one of the readers of
//! a logspace.
//!
//! The file is always 1024 bytes long, with two slots, at 0 and at 512. Each slot is as follows, and the rest is
//! zero:
//!
//! | offset | size | field    | meaning                                             |
//! |-------:|-----:|----------|-----------------------------------------------------|
//! |      0 |    4 | magic    | `LSQ1`                                              |
//! |      4 |    4 | crc      | CRC-32C of the slot from here on                    |
//! |      8 |    4 | version  | 2                                                   |
//! |     12 |    4 |          | zero                                                |
//! |     16 |    8 | number   | how often it was noted; odd ones are in the second slot |
//! |     24 |    8 | done     | messages with a sequence below this are done with   |
//! |     32 |   16 | identity | of the queue or logspace that it is a part of       |
//! |     48 |   16 | reader   | which of its readers: the first bytes of BLAKE3 of the name; zero in a queue, which has one |
//!
//! All numbers are little endian. The slot with the higher number is valid. A new note overwrites the older slot,
//! which takes no space, so a queue can record its progress even on a full disk. Version 1 had one slot of 24 bytes;
//! it is no longer read.
//!
//! **Invariant:** the newer of the slots is never written, so whatever happens one of them is whole, and it is the last
//! note that was synced, or a later one.

use crate::bytes::{array_at, u32_at, u64_at};
use crate::disk::{self, Disk, DiskFile, LogspaceIdentity};
use crate::store::orphans;
use crate::store::unopened::{OpenError, failed};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: [u8; 4] = *b"LSQ1";
/// The version that is written and read.
const VERSION: u32 = 2;
const SLOT_BYTES: usize = 512;
const SLOTS: usize = 2;
const BYTES: usize = SLOTS * SLOT_BYTES;
/// The length of a complete file of version 1.
const VERSION_1_BYTES: usize = 24;
/// Its name in the folder of a queue.
pub(crate) const QUEUE_NAME: &str = "cursor";

/// The reason why a cursor does not give the position of its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// There are messages, but no cursor.
    #[error("it is missing")]
    Missing,
    /// The cursor is damaged.
    #[error("it is damaged")]
    Damaged,
    /// The cursor cannot be read from the disk.
    #[error("the disk cannot read it: {0}")]
    Unreadable(io::ErrorKind),
    /// The cursor belongs to another reader, or to something else.
    #[error("it belongs to another queue or reader")]
    Foreign,
    /// It was written by another version of this program.
    #[error("it has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Messages before its position were never stored, or are lost.
    #[error("it is at {0}, and the messages end before that")]
    Beyond(u64),
}

/// The owner of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    /// The identity of the queue or logspace.
    pub(crate) identity: LogspaceIdentity,
    /// The mark of the reader.
    pub(crate) reader: Mark,
}

/// Distinguishes the readers of one logspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark([u8; 16]);

impl Mark {
    /// The mark of the one reader of a queue.
    pub(crate) const OF_QUEUE: Mark = Mark([0; 16]);

    /// The mark of a reader of a logspace.
    pub(crate) fn of(name: &str) -> Mark {
        Mark(array_at(blake3::hash(name.as_bytes()).as_bytes(), 0))
    }
}

/// A note in a slot of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CursorSlot {
    number: u64,
    pub(crate) done: u64,
    owner: Owner,
}

/// The contents of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StoredCursor {
    pub(crate) newest: CursorSlot,
    /// Whether the file is exactly as it was written.
    pub(crate) is_whole: bool,
}

/// The cursor of a reader, for writing.
pub(crate) struct DurableCursor {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    name: String,
    /// The open file; `None` until it is written, because it may be missing or incomplete.
    file: Option<Arc<dyn DiskFile>>,
    number: u64,
}

/// The position at which a reader continues, and the cursor.
pub(crate) struct Found {
    pub(crate) cursor: DurableCursor,
    pub(crate) done: u64,
    /// The reason why messages may be read again, or why the position was lost.
    pub(crate) lost: Option<CursorError>,
    noted: Result<StoredCursor, CursorError>,
}

/// Reads a cursor in a folder.
pub(crate) fn read(disk: &dyn Disk, at: (&Path, &str)) -> Result<StoredCursor, CursorError> {
    let (dir, name) = at;
    match disk::read_small(disk, &dir.join(name), BYTES as u64 + 1) {
        Ok(bytes) => from_bytes(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CursorError::Missing),
        Err(error) => Err(CursorError::Unreadable(error.kind())),
    }
}

/// Like `read`, but only if the cursor belongs to this owner.
pub(crate) fn read_own(
    disk: &dyn Disk,
    at: (&Path, &str),
    owner: Owner,
) -> Result<StoredCursor, CursorError> {
    let is_own = |noted: &StoredCursor| noted.newest.owner == owner;
    read(disk, at).and_then(|noted| if is_own(&noted) { Ok(noted) } else { Err(CursorError::Foreign) })
}

/// Finds the position at which a reader continues. If its cursor is lost, that is the oldest message; if the cursor
/// is beyond the end, it is the end, so that new messages are not skipped. Changes nothing.
pub(crate) fn find(disk: &Arc<dyn Disk>, at: (&Path, &str), owner: Owner, stored: Range<u64>) -> Found {
    let noted = read_own(&**disk, at, owner);
    let (done, lost) = match &noted {
        Ok(noted) if noted.newest.done <= stored.end => (noted.newest.done, None),
        Ok(noted) => (stored.end, Some(CursorError::Beyond(noted.newest.done))),
        Err(CursorError::Missing) if stored.end == 0 => (0, None),
        Err(lost) => (stored.start, Some(*lost)),
    };
    Found { cursor: DurableCursor::new(disk, at, noted.as_ref().ok()), done, lost, noted }
}

impl Found {
    /// Writes the position at which the reader continues to the cursor. An invalid cursor is kept under another name,
    /// which is returned.
    pub(crate) fn settle(&mut self, owner: Owner) -> Result<Option<String>, OpenError> {
        let path = self.cursor.path();
        let is_useless = self.noted.is_err_and(|error| error != CursorError::Missing);
        let DurableCursor { disk, dir, name, .. } = &self.cursor;
        let kept = is_useless.then(|| orphans::set_aside(&**disk, dir, name)).transpose();
        let kept = kept.map_err(|source| failed("set aside", &path, source))?;
        if self.noted.is_err() || self.lost.is_some() {
            // New messages must not come before the old position, and the loss of the cursor must be noticeable.
            let written = self.cursor.write(self.done, owner);
            written.map_err(|source| failed("write", &path, source))?;
        }
        Ok(kept)
    }
}

impl DurableCursor {
    /// A cursor in a folder, with its stored contents, if any.
    pub(crate) fn new(
        disk: &Arc<dyn Disk>,
        at: (&Path, &str),
        noted: Option<&StoredCursor>,
    ) -> DurableCursor {
        let (dir, name) = at;
        let whole = noted.filter(|noted| noted.is_whole);
        let file = whole.and_then(|_| disk.open_to_write_over(&dir.join(name)).ok());
        let number = noted.map_or(0, |noted| noted.newest.number);
        DurableCursor { disk: Arc::clone(disk), dir: dir.to_owned(), name: name.to_owned(), file, number }
    }

    /// The path of its file.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(&self.name)
    }

    /// Records that all messages before a sequence are finished. After an error, either the previous note is valid or
    /// this one.
    pub(crate) fn write(&mut self, done: u64, owner: Owner) -> io::Result<()> {
        let path = self.path();
        let is_there = |file: &Arc<dyn DiskFile>| file.is_at(&path).unwrap_or(true);
        let Some(file) = self.file.take().filter(is_there) else { return self.create(done, owner) };
        let number = self.number + 1;
        let slot = CursorSlot { number, done, owner }.to_bytes();
        file.write_over(number % SLOTS as u64 * SLOT_BYTES as u64, &slot)?;
        file.sync()?;
        (self.file, self.number) = (Some(file), number);
        Ok(())
    }

    /// Makes a new file atomically.
    fn create(&mut self, done: u64, owner: Owner) -> io::Result<()> {
        let even = self.number.next_multiple_of(SLOTS as u64);
        let slots = [even, even + 1].map(|number| CursorSlot { number, done, owner }.to_bytes());
        disk::replace(&*self.disk, &self.dir, &self.name, slots.as_flattened())?;
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
        bytes[32..48].copy_from_slice(&self.owner.identity.0);
        bytes[48..64].copy_from_slice(&self.owner.reader.0);
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
                owner: Owner {
                    identity: LogspaceIdentity(array_at(bytes, 32)),
                    reader: Mark(array_at(bytes, 48)),
                },
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
    const OWN: Owner = Owner { identity: LogspaceIdentity([7; 16]), reader: Mark::OF_QUEUE };

    fn at() -> (&'static Path, &'static str) {
        (Path::new(DIR), QUEUE_NAME)
    }

    /// The slots of a queue are unchanged since before logspaces had readers: 48 bytes, followed by zeros.
    #[test]
    fn the_cursor_of_a_queue_is_told_from_that_of_a_reader_by_one_field() {
        let slot = |reader| CursorSlot { number: 5, done: 105, owner: Owner { reader, ..OWN } }.to_bytes();
        let of_queue = slot(Mark::OF_QUEUE);
        assert!(of_queue[48..].iter().all(|byte| *byte == 0));
        let of_reader = slot(Mark::of("alerts"));
        assert_eq!(of_reader[48..64], blake3::hash(b"alerts").as_bytes()[..16]);
        assert_eq!((&of_queue[8..48], &of_queue[64..]), (&of_reader[8..48], &of_reader[64..]));
    }

    fn bytes(first: u64, second: u64) -> Vec<u8> {
        let slot = |number, done| CursorSlot { number, done, owner: OWN }.to_bytes();
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

    /// Whatever call fails, and whatever a power cut leaves, the note that is read is the last one that succeeded or
    /// one attempted after it.
    #[test]
    fn a_note_that_was_synced_is_never_lost() {
        for call in 0..40 {
            for fault in [Fault::Die, Fault::Fail] {
                let sim = SimDisk::new(call);
                let disk: Arc<dyn Disk> = Arc::new(sim.clone());
                disk.create_dir_all(Path::new(DIR)).unwrap();
                let mut cursor = DurableCursor::new(&disk, at(), None);
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
                    let read = read(&sim, at()).map(|noted| noted.newest.done);
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
        let mut cursor = DurableCursor::new(&disk, at(), None);
        cursor.write(1, OWN).unwrap();
        sim.set_bytes_max(Some(sim.used_bytes()));
        cursor.write(2, OWN).unwrap();
        let noted = read(&sim, at()).unwrap();
        DurableCursor::new(&disk, at(), Some(&noted)).write(3, OWN).unwrap();
        assert_eq!(read(&sim, at()).unwrap().newest.done, 3);
    }
}
