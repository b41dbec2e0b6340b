//! The manifest of a logspace: the list of its segments, and the end of its messages.
//!
//! | offset | size | field    | meaning                                                   |
//! |-------:|-----:|----------|-----------------------------------------------------------|
//! |      0 |    4 | magic    | `LSM1`                                                    |
//! |      4 |    4 | crc      | CRC-32C of everything from here on                        |
//! |      8 |    4 | version  | 3                                                         |
//! |     12 |    4 | count    | how many segments                                         |
//! |     16 |    8 | first    | messages with a sequence below this have expired          |
//! |     24 |    8 | next     | messages with a sequence below this were stored           |
//! |     32 |    8 | newest   | the first sequence of the newest journal file             |
//! |     40 |   16 | identity | of the logspace or queue that it is a part of             |
//! |     56 |    8 | expired  | when the last of those below `first` was received, in nanoseconds since 1970 |
//! |     64 |      | segments | each its first sequence (8), its number of rows (4) and its [place](SegmentPlace) (4) |
//!
//! All numbers are little endian. The segments are in the order of their sequences and do not overlap. `expired` is the
//! smallest number if nothing has expired, or if it is not known when that was received. The place 0 is the folder of the
//! logspace; a manifest that names another one is of a later version, and is refused as such.
//!
//! **Invariant:** a manifest is replaced in one step: a reader finds the old one or the new one. All messages below
//! `next` were synced before, so a journal that ends earlier has lost messages.

use crate::bytes::{array_at, time_at, u32_at, u64_at};
use crate::disk::{self, Disk, LogspaceIdentity};
use crate::segment::id::SegmentId;
use crate::segment::place::{PlacedSegment, SegmentPlace};
use logstead_record::Timestamp;
use std::io;
use std::path::Path;

const MAGIC: [u8; 4] = *b"LSM1";
/// The version that is written and read.
const VERSION: u32 = 3;
/// The part of the header that all versions share.
const COMMON_BYTES: usize = 16;
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 16;
/// Its name in the folder of a logspace.
pub(crate) const NAME: &str = "manifest";
const NEW_NAME: &str = "manifest.new";
/// The greatest size of a manifest, which is enough for four million segments.
const BYTES_MAX: u64 = 64 << 20;

/// The segments of a logspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Manifest {
    /// `None` until the first manifest is written.
    pub(crate) extent: Option<ManifestExtent>,
    /// Likewise.
    pub(crate) identity: Option<LogspaceIdentity>,
    pub(crate) segments: Vec<PlacedSegment>,
}

/// The sequences of a logspace's messages, as far as the manifest knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ManifestExtent {
    /// All messages before this sequence have expired.
    pub(crate) first: u64,
    /// All messages before this sequence were stored.
    pub(crate) next: u64,
    /// A lower bound of the first sequence of the newest journal file.
    pub(crate) newest: u64,
    /// The time at which the last of the expired messages was received, if known.
    pub(crate) expired: Option<Timestamp>,
}

/// The reason why a manifest is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// It is damaged.
    #[error("it is damaged")]
    Damaged,
    /// It cannot be read from the disk.
    #[error("the disk cannot read it: {0}")]
    Unreadable(io::ErrorKind),
    /// It belongs to another logspace or queue.
    #[error("it belongs to another logspace or queue")]
    Foreign,
    /// It was written by another version of this program.
    #[error("it has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Another version of this program put a segment somewhere else.
    #[error("it has a segment at place {0}, which this program does not know")]
    Place(u32),
}

impl Manifest {
    /// Reads the manifest of a logspace; `None` if there never was one.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Manifest>, ManifestError> {
        match disk::read_small(disk, &dir.join(NAME), BYTES_MAX) {
            Ok(bytes) => Manifest::from_bytes(&bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ManifestError::Unreadable(error.kind())),
        }
    }

    /// Replaces the manifest of a logspace. After an error, either the old or the new one may be there.
    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> io::Result<()> {
        disk::replace(disk, dir, NAME, &self.to_bytes())
    }

    /// Removes a new manifest that was written but never put in place.
    pub(crate) fn remove_unfinished(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
        match disk.remove(&dir.join(NEW_NAME)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; COMMON_BYTES];
        let ManifestExtent { first, next, newest, expired } = self.extent.unwrap_or_default();
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.segments.len() as u32).to_le_bytes());
        [first, next, newest].iter().for_each(|sequence| bytes.extend_from_slice(&sequence.to_le_bytes()));
        bytes.extend_from_slice(&self.identity.unwrap_or_default().0);
        bytes.extend_from_slice(&expired.unwrap_or(Timestamp::MIN).nanos().to_le_bytes());
        for PlacedSegment { id, place } in &self.segments {
            bytes.extend_from_slice(&id.first_sequence.to_le_bytes());
            bytes.extend_from_slice(&id.rows.to_le_bytes());
            bytes.extend_from_slice(&place.number().to_le_bytes());
        }
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads the bytes of a manifest.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Manifest, ManifestError> {
        let damaged = ManifestError::Damaged;
        let common = bytes.first_chunk::<COMMON_BYTES>().ok_or(damaged)?;
        if common[..4] != MAGIC || u32_at(common, 4) != crc32c::crc32c(&bytes[8..]) {
            return Err(damaged);
        }
        let version = u32_at(common, 8);
        if version != VERSION {
            return Err(ManifestError::Version(version));
        }
        let (header, entries) = bytes.split_first_chunk::<HEADER_BYTES>().ok_or(damaged)?;
        let (extent, identity) = (Some(read_extent(header)), Some(LogspaceIdentity(array_at(header, 40))));
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() || entries.len() != u32_at(header, 12) as usize {
            return Err(damaged);
        }
        let segments = entries.iter().map(read_entry).collect::<Result<Vec<_>, _>>()?;
        let in_order =
            segments.windows(2).all(|pair| pair[0].id.sequences().end <= pair[1].id.first_sequence);
        if in_order { Ok(Manifest { extent, identity, segments }) } else { Err(damaged) }
    }
}

fn read_extent(header: &[u8; HEADER_BYTES]) -> ManifestExtent {
    ManifestExtent {
        first: u64_at(header, 16),
        next: u64_at(header, 24),
        newest: u64_at(header, 32),
        expired: Some(time_at(header, 56)).filter(|received| *received != Timestamp::MIN),
    }
}

fn read_entry(entry: &[u8; ENTRY_BYTES]) -> Result<PlacedSegment, ManifestError> {
    let (id, number) =
        (SegmentId { first_sequence: u64_at(entry, 0), rows: u32_at(entry, 8) }, u32_at(entry, 12));
    let place = SegmentPlace::of_number(number).ok_or(ManifestError::Place(number))?;
    Ok(PlacedSegment { id, place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn a_manifest_reads_as_it_was_written_and_a_flipped_bit_is_found(
            rows in proptest::collection::vec((0_u64..9, 1_u32..9), 0..20), bit in any::<prop::sample::Index>(),
            expired in proptest::option::of(any::<i64>().prop_map(Timestamp::from_nanos)),
        ) {
            let mut next = 0;
            let segments = rows.into_iter().map(|(gap, rows)| {
                let id = SegmentId { first_sequence: next + gap, rows };
                next = id.sequences().end;
                PlacedSegment { id, place: SegmentPlace::Local }
            });
            let segments = segments.collect();
            let extent = Some(ManifestExtent { first: bit.index(5) as u64, next, newest: next, expired });
            let manifest = Manifest { extent, identity: Some(LogspaceIdentity([7; 16])), segments };
            let mut bytes = manifest.to_bytes();
            prop_assert_eq!(Manifest::from_bytes(&bytes), Ok(manifest));
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(Manifest::from_bytes(&bytes).is_err());
        }
    }

    #[test]
    fn another_version_is_its_own_error() {
        let mut bytes = Manifest::default().to_bytes();
        for version in [2, 9] {
            bytes[8] = version;
            let crc = crc32c::crc32c(&bytes[8..]);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
            assert_eq!(Manifest::from_bytes(&bytes), Err(ManifestError::Version(version.into())));
        }
    }

    #[test]
    fn a_place_of_another_version_is_its_own_error() {
        let id = SegmentId { first_sequence: 0, rows: 5 };
        let segments = vec![PlacedSegment { id, place: SegmentPlace::Local }];
        let mut bytes = Manifest { segments, ..Manifest::default() }.to_bytes();
        bytes[HEADER_BYTES + 12] = 7;
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(Manifest::from_bytes(&bytes), Err(ManifestError::Place(7)));
    }
}
