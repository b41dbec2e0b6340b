//! How far a queue is done with, in a file beside its journal.
//!
//! | offset | size | field   | meaning                                             |
//! |-------:|-----:|---------|-----------------------------------------------------|
//! |      0 |    4 | magic   | `LSQ1`                                              |
//! |      4 |    4 | crc     | CRC-32C of everything from here on                  |
//! |      8 |    4 | version | 1                                                   |
//! |     12 |    4 |         | zero                                                |
//! |     16 |    8 | done    | messages with a sequence below this are done with   |
//!
//! All numbers are little endian.
//!
//! **Invariant:** a cursor is replaced in one step: a reader finds the old one or the new one.

use crate::bytes::{u32_at, u64_at};
use crate::disk::{self, Disk};
use std::io;
use std::path::Path;

const MAGIC: [u8; 4] = *b"LSQ1";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;
const BYTES: usize = 24;
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
    /// A later version of this program wrote it.
    #[error("it has version {0}, which this program does not know (it knows {VERSION})")]
    Newer(u32),
    /// Messages that it counts as done with were never stored, or are lost.
    #[error("it is at {0}, where the queue ends before")]
    Beyond(u64),
}

/// Reads the cursor of a queue. The outer error is the disk's.
pub(super) fn read(disk: &dyn Disk, dir: &Path) -> io::Result<Result<u64, CursorError>> {
    let file = match disk.open_to_read(&dir.join(NAME)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(CursorError::Missing)),
        file => file?,
    };
    if file.bytes()? != BYTES as u64 {
        return Ok(Err(CursorError::Damaged));
    }
    let mut bytes = [0; BYTES];
    file.read_at(0, &mut bytes)?;
    Ok(from_bytes(&bytes))
}

/// Replaces the cursor of a queue. After an error either of the two may be there.
pub(super) fn write(disk: &dyn Disk, dir: &Path, done: u64) -> io::Result<()> {
    disk::replace(disk, dir, NAME, &to_bytes(done))
}

fn to_bytes(done: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..].copy_from_slice(&done.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

fn from_bytes(bytes: &[u8; BYTES]) -> Result<u64, CursorError> {
    if bytes[..4] != MAGIC || u32_at(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
        return Err(CursorError::Damaged);
    }
    match u32_at(bytes, 8) {
        VERSION => Ok(u64_at(bytes, 16)),
        newer => Err(CursorError::Newer(newer)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_no_flipped_bit_passes() {
        let bytes = to_bytes(0x0102_0304_0506_0708);
        assert_eq!(from_bytes(&bytes), Ok(0x0102_0304_0506_0708));
        for bit in 0..BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(from_bytes(&flipped), Err(CursorError::Damaged), "bit {bit}");
        }
    }

    #[test]
    fn a_later_version_is_told_apart_from_damage() {
        let mut bytes = to_bytes(7);
        bytes[8] = 2;
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(from_bytes(&bytes), Err(CursorError::Newer(2)));
    }
}
