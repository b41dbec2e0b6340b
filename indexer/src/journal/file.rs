//! A journal file: its name, its header, and the frames after it.
//!
//! The journal of a logspace consists of the files `<first sequence, 20 digits>.journal` in one directory. Each file
//! is a header followed by [frames](crate::journal::frame), back to back:
//!
//! | offset | size | field          | meaning                                                        |
//! |-------:|-----:|----------------|----------------------------------------------------------------|
//! |      0 |    4 | magic          | `LSJ1`                                                         |
//! |      4 |    4 | crc            | CRC-32C of the header from here on, up to 56                   |
//! |      8 |    4 | version        | 2                                                              |
//! |     12 |    4 |                | zero                                                           |
//! |     16 |    8 | first sequence | what its first message has, or will have; as in the name       |
//! |     24 |   32 | previous hash  | the hash of the last frame of the file before; zero in the first |
//! |     56 |   16 | identity       | of the logspace or queue that it is a part of                  |
//! |     72 |    4 | identity crc   | CRC-32C of the identity                                        |
//! |     76 |    4 |                | zero                                                           |
//! |     80 |      | frames         |                                                                |
//!
//! All numbers are little endian. The checksum at 4 covers the bytes up to 56. These 56 bytes are the same in every
//! version, so that a program can distinguish a file of another version from a damaged one. In version 1 the frames
//! began at 56, and the header did not name the owner; it is no longer read.
//!
//! **Invariant:** a file gets its name when its header is synced, so a bad header is damage and not a torn
//! write. Messages of a file have sequences below those of the next file: frames beyond that were never
//! acknowledged and are void.

use crate::bytes::{array_at, u32_at, u64_at};
use crate::disk::{Disk, DiskFile, LogspaceIdentity};
use crate::journal::frame::Hash;
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;

const MAGIC: [u8; 4] = *b"LSJ1";
/// The version that is written and read.
pub(crate) const VERSION: u32 = 2;
/// Length of a file's header.
pub(crate) const HEADER_BYTES: u64 = 80;
/// The length of the part of it that all versions share.
const COMMON_BYTES: usize = 56;
const SUFFIX: &str = ".journal";
/// The suffix of a file whose header is not synced yet.
pub(crate) const NEW_SUFFIX: &str = ".journal.new";

/// An open journal file.
pub(crate) struct JournalFile {
    pub(crate) name: String,
    pub(crate) file: Arc<dyn DiskFile>,
}

/// The contents of the header of a journal file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JournalHeader {
    pub(crate) first_sequence: u64,
    pub(crate) previous_hash: Hash,
    pub(crate) identity: LogspaceIdentity,
}

/// The reasons why the first bytes of a file are not a valid header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The file is too short.
    #[error("the file ends within its header")]
    Short,
    /// It does not begin with the magic bytes.
    #[error("it does not begin like a journal file")]
    Magic,
    /// The checksum is wrong.
    #[error("the checksum of its header is wrong")]
    Checksum,
    /// The sequence in the name of the file is different.
    #[error("its header says that it begins at {0}: it was renamed")]
    Renamed(u64),
    /// It was written by another version of this program.
    #[error("it has version {0}, and this program reads version {VERSION}")]
    Version(u32),
}

/// The name of the file whose first message has this sequence.
pub(crate) fn file_name(first_sequence: u64) -> String {
    format!("{first_sequence:020}{SUFFIX}")
}

/// The sequence in the name of a journal file; `None` for other files.
pub(crate) fn first_sequence(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(SUFFIX)?;
    let is_name = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_name { digits.parse().ok() } else { None }
}

impl JournalFile {
    /// Makes a file that survives a power cut.
    pub(crate) fn create(disk: &dyn Disk, dir: &Path, header: JournalHeader) -> io::Result<JournalFile> {
        let name = file_name(header.first_sequence);
        let path = dir.join(&name);
        let new_path = dir.join(format!("{:020}{NEW_SUFFIX}", header.first_sequence));
        let file = disk.create(&new_path)?;
        file.append(&mut [IoSlice::new(&header.to_bytes())])?;
        file.sync()?;
        disk.rename(&new_path, &path)?;
        disk.sync_dir(dir)?;
        Ok(JournalFile { name, file })
    }

    /// Reads the header. The outer error is an I/O error of the disk.
    pub(crate) fn header(&self) -> io::Result<Result<JournalHeader, HeaderError>> {
        let length = self.file.bytes()?.min(HEADER_BYTES) as usize;
        let mut bytes = [0; HEADER_BYTES as usize];
        self.file.read_at(0, &mut bytes[..length])?;
        let header = JournalHeader::read(&bytes[..length]);
        let renamed = header.ok().filter(|header| file_name(header.first_sequence) != self.name);
        Ok(renamed.map_or(header, |header| Err(HeaderError::Renamed(header.first_sequence))))
    }
}

impl JournalHeader {
    fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let mut bytes = [0; HEADER_BYTES as usize];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first_sequence.to_le_bytes());
        bytes[24..COMMON_BYTES].copy_from_slice(&self.previous_hash);
        let crc = crc32c::crc32c(&bytes[8..COMMON_BYTES]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes[56..72].copy_from_slice(&self.identity.0);
        bytes[72..76].copy_from_slice(&crc32c::crc32c(&self.identity.0).to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<JournalHeader, HeaderError> {
        let common = bytes.first_chunk::<COMMON_BYTES>().ok_or(HeaderError::Short)?;
        if common[..4] != MAGIC {
            return Err(HeaderError::Magic);
        }
        if u32_at(common, 4) != crc32c::crc32c(&common[8..]) {
            return Err(HeaderError::Checksum);
        }
        let version = u32_at(common, 8);
        if version != VERSION {
            return Err(HeaderError::Version(version));
        }
        let own = bytes.get(COMMON_BYTES..HEADER_BYTES as usize).ok_or(HeaderError::Short)?;
        let identity = LogspaceIdentity(array_at(own, 0));
        if u32_at(own, 16) != crc32c::crc32c(&identity.0) || u32_at(own, 20) != 0 {
            return Err(HeaderError::Checksum);
        }
        Ok(JournalHeader {
            first_sequence: u64_at(common, 16),
            previous_hash: array_at(common, 24),
            identity,
        })
    }
}
