//! The blocks file of a segment: its messages, compressed, in blocks that can be read one by one and group by
//! group.
//!
//! | part    | bytes                                                                        |
//! |---------|------------------------------------------------------------------------------|
//! | header  | 64, below                                                                    |
//! | blocks  | back to back; each is its six groups of [columns](crate::columns), zstd each |
//! | table   | 144 for each block, below                                                    |
//! | footer  | 128, below                                                                   |
//!
//! | header: offset | size | field          | meaning                                                   |
//! |---------------:|-----:|----------------|-----------------------------------------------------------|
//! |              0 |    4 | magic          | `LSB1`                                                    |
//! |              4 |    4 | crc            | CRC-32C of the header from here on                        |
//! |              8 |    4 | version        | 1                                                         |
//! |             12 |    4 |                | zero                                                      |
//! |             16 |    8 | first sequence | of its first message; the others follow without a gap     |
//! |             24 |   32 | previous hash  | of the journal frame before its first, as in that frame   |
//! |             56 |    8 |                | zero                                                      |
//!
//! | table entry: offset | size | field          | meaning                                              |
//! |--------------------:|-----:|----------------|------------------------------------------------------|
//! |                   0 |    4 | rows           | number of messages, at least 1                       |
//! |                   4 |    4 |                | zero                                                 |
//! |                   8 |    8 | earliest       | the earliest time that one of them counts by         |
//! |                  16 |    8 | latest         | the latest                                           |
//! |                  24 |    8 | received first | when the first received of them was                  |
//! |                  32 |    8 | received last  | when the last received of them was                   |
//! |                  40 |   32 | hash           | BLAKE3 of the block                                  |
//! |                  72 |   72 | groups         | for each: length, length uncompressed, CRC-32C       |
//!
//! | footer: offset | size | field          | meaning                                                   |
//! |---------------:|-----:|----------------|-----------------------------------------------------------|
//! |              0 |    4 | magic          | `LSBF`                                                    |
//! |              4 |    4 | crc            | CRC-32C of the footer from here on                        |
//! |              8 |    4 | blocks         | how many                                                  |
//! |             12 |    4 | table crc      | CRC-32C of the table                                      |
//! |             16 |    8 | rows           | number of messages                                        |
//! |             24 |   32 | times          | earliest, latest, received first and last of all          |
//! |             56 |    8 |                | zero                                                      |
//! |             64 |   32 | hash           | of the journal frame that its last message was in         |
//! |             96 |   32 | root           | of the Merkle tree over the hashes of the blocks          |
//!
//! All numbers are little endian, times are nanoseconds since 1970. In the tree a node is BLAKE3 of the byte
//! 1 and its two children; a node without a neighbour is its own parent.
//!
//! **Invariant:** a reader takes nothing on trust: the table is believed when its checksum and the footer's fit
//! and its lengths fill the file, and a group is decompressed when its own checksum fits.

use crate::bounds::TimeBounds;
use crate::bytes::{array_at, time_at, u32_at, u64_at};
use crate::columns::{self, ColumnsError};
use crate::disk::{Disk, DiskFile};
use crate::journal::frame::Hash;
use logstead_record::{BATCH_BYTES_MAX, BATCH_ROWS_MAX, Batch, Group, Groups, Timestamp};
use std::io::{self, IoSlice};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const MAGIC: [u8; 4] = *b"LSB1";
const FOOTER_MAGIC: [u8; 4] = *b"LSBF";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 144;
const FOOTER_BYTES: usize = 128;
/// Best for its price: the levels above take longer and give nothing on columns.
const ZSTD_LEVEL: i32 = 1;
/// Written at once.
const WRITE_BYTES: usize = 1 << 20;

/// Why a blocks file, or a block of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlocksError {
    /// The disk does not give it back.
    #[error("the disk cannot read it: {0}")]
    Disk(String),
    /// It is not there.
    #[error("it is missing")]
    Missing,
    /// Its name says that it holds other messages.
    #[error("it holds other messages than its name says: it was renamed")]
    Renamed,
    /// It is too short, or longer than its parts.
    #[error("its length is not that of its parts")]
    Length,
    /// It begins or ends with something else.
    #[error("it is not a blocks file")]
    Magic,
    /// A later version of this program wrote it.
    #[error("it has version {0}, which this program does not know (it knows {VERSION})")]
    Newer(u32),
    /// A part is not what was written.
    #[error("the checksum of its {0} is wrong")]
    Checksum(&'static str),
    /// A part says what cannot be.
    #[error("its {0} says what cannot be")]
    Implausible(&'static str),
    /// A group of columns cannot be decompressed.
    #[error("its columns cannot be decompressed")]
    Compression,
    /// The columns are none.
    #[error("its columns cannot be read: {0}")]
    Columns(#[from] ColumnsError),
}

/// The bounds of what some messages count by, and of when they were received; all included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
    pub(crate) received_first: Timestamp,
    pub(crate) received_last: Timestamp,
}

/// A block as the table tells of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) rows: u32,
    pub(crate) span: Span,
    hash: Hash,
    groups: [GroupEntry; Group::ALL.len()],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct GroupEntry {
    bytes: u32,
    columns_bytes: u32,
    crc: u32,
}

/// An open blocks file.
pub(crate) struct Blocks {
    file: Arc<dyn DiskFile>,
    pub(crate) first_sequence: u64,
    pub(crate) previous_hash: Hash,
    pub(crate) hash: Hash,
    pub(crate) root: Hash,
    pub(crate) span: Span,
    pub(crate) bytes: u64,
    entries: Vec<Entry>,
    /// For each block, its offset and its first row; and both for what would follow the last.
    places: Vec<(u64, u32)>,
}

/// Writes a blocks file.
pub(crate) struct BlocksWriter {
    file: Arc<dyn DiskFile>,
    entries: Vec<Entry>,
    pending: Vec<u8>,
    columns: Vec<u8>,
    compressor: zstd::bulk::Compressor<'static>,
}

/// What reading blocks needs again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    decompressor: Option<zstd::bulk::Decompressor<'static>>,
    packed: Vec<u8>,
    columns: Vec<Vec<u8>>,
}

impl Span {
    /// Of no message: every message widens it.
    pub(crate) const NONE: Span = Span {
        earliest: Timestamp::MAX,
        latest: Timestamp::from_nanos(i64::MIN),
        received_first: Timestamp::MAX,
        received_last: Timestamp::from_nanos(i64::MIN),
    };

    fn of(batch: &Batch) -> Span {
        let (earliest, latest) = batch.time_range().unwrap_or((Span::NONE.earliest, Span::NONE.latest));
        let received = batch.columns().received();
        let (first, last) =
            received.iter().fold((i64::MAX, i64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
        Span {
            earliest,
            latest,
            received_first: Timestamp::from_nanos(first),
            received_last: Timestamp::from_nanos(last),
        }
    }

    /// The times that they count by.
    pub(crate) fn times(self) -> TimeBounds {
        TimeBounds { earliest: self.earliest, latest: self.latest }
    }

    /// Of these and those.
    pub(crate) fn join(self, other: Span) -> Span {
        Span {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.max(other.latest),
            received_first: self.received_first.min(other.received_first),
            received_last: self.received_last.max(other.received_last),
        }
    }

    fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let times = [self.earliest, self.latest, self.received_first, self.received_last];
        for (place, time) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(times) {
            *place = time.nanos().to_le_bytes();
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Span {
        let time = |at| time_at(bytes, at);
        Span { earliest: time(0), latest: time(8), received_first: time(16), received_last: time(24) }
    }
}

impl BlocksWriter {
    /// Begins a file. `previous_hash` is the hash of the journal frame before its first.
    pub(crate) fn create(
        disk: &dyn Disk,
        path: &Path,
        first_sequence: u64,
        previous_hash: Hash,
    ) -> io::Result<BlocksWriter> {
        let file = disk.create(path)?;
        let pending = header(first_sequence, previous_hash).to_vec();
        let compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
        Ok(BlocksWriter { file, entries: Vec::new(), pending, columns: Vec::new(), compressor })
    }

    /// Adds a block. It must hold a row.
    pub(crate) fn push(&mut self, batch: &Batch) -> io::Result<()> {
        let start = self.pending.len();
        let mut groups = [GroupEntry::default(); Group::ALL.len()];
        for (group, entry) in Group::ALL.into_iter().zip(&mut groups) {
            *entry = self.compress(batch, group)?;
        }
        let hash = *blake3::hash(&self.pending[start..]).as_bytes();
        self.entries.push(Entry { rows: batch.rows() as u32, span: Span::of(batch), hash, groups });
        if WRITE_BYTES <= self.pending.len() { self.write() } else { Ok(()) }
    }

    /// Ends the file, syncs it and opens it. `hash` is that of the journal frame of its last message.
    pub(crate) fn finish(mut self, hash: Hash) -> io::Result<Arc<dyn DiskFile>> {
        let table: Vec<u8> = self.entries.iter().flat_map(Entry::to_bytes).collect();
        let footer = footer(&self.entries, crc32c::crc32c(&table), hash);
        self.pending.extend_from_slice(&table);
        self.pending.extend_from_slice(&footer);
        self.write()?;
        self.file.sync()?;
        Ok(self.file)
    }

    fn compress(&mut self, batch: &Batch, group: Group) -> io::Result<GroupEntry> {
        self.columns.clear();
        columns::write_block_group(batch, group, &mut self.columns);
        let start = self.pending.len();
        self.pending.resize(start + zstd::zstd_safe::compress_bound(self.columns.len()), 0);
        let bytes = self.compressor.compress_to_buffer(&self.columns, &mut self.pending[start..])?;
        self.pending.truncate(start + bytes);
        Ok(GroupEntry {
            bytes: u32::try_from(bytes).map_err(io::Error::other)?,
            columns_bytes: u32::try_from(self.columns.len()).map_err(io::Error::other)?,
            crc: crc32c::crc32c(&self.pending[start..]),
        })
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.append(&mut [IoSlice::new(&self.pending)])?;
        self.pending.clear();
        Ok(())
    }
}

impl Blocks {
    /// Reads header, table and footer.
    pub(crate) fn open(file: Arc<dyn DiskFile>) -> Result<Blocks, BlocksError> {
        let bytes = file.bytes().map_err(disk)?;
        if bytes < (HEADER_BYTES + FOOTER_BYTES) as u64 {
            return Err(BlocksError::Length);
        }
        let (first_sequence, previous_hash) = read_header(&read(&*file, 0, HEADER_BYTES)?)?;
        let footer = Footer::read(&read(&*file, bytes - FOOTER_BYTES as u64, FOOTER_BYTES)?)?;
        let table_bytes = footer.blocks as usize * ENTRY_BYTES;
        let table_at =
            (bytes - FOOTER_BYTES as u64).checked_sub(table_bytes as u64).ok_or(BlocksError::Length)?;
        let table = read(&*file, table_at, table_bytes)?;
        if crc32c::crc32c(&table) != footer.table_crc {
            return Err(BlocksError::Checksum("table"));
        }
        let entries =
            table.as_chunks::<ENTRY_BYTES>().0.iter().map(Entry::read).collect::<Result<Vec<_>, _>>()?;
        let places = places(&entries)?;
        let end = places.last().copied().unwrap_or_default();
        if end != (table_at, footer.rows) {
            return Err(BlocksError::Length);
        }
        let Footer { hash, root, span, .. } = footer;
        Ok(Blocks { file, first_sequence, previous_hash, hash, root, span, bytes, entries, places })
    }

    /// What its table takes in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.entries.as_slice()) + size_of_val(self.places.as_slice())
    }

    /// How many messages there are.
    pub(crate) fn rows(&self) -> u32 {
        self.places.last().map_or(0, |&(_, rows)| rows)
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What the table says of a block.
    pub(crate) fn entry(&self, block: usize) -> &Entry {
        &self.entries[block]
    }

    /// The rows of a block.
    pub(crate) fn row_range(&self, block: usize) -> Range<usize> {
        self.places[block].1 as usize..self.places[block + 1].1 as usize
    }

    /// Which block a row is in.
    pub(crate) fn block_of(&self, row: u32) -> usize {
        self.places.partition_point(|&(_, first)| first <= row) - 1
    }

    /// The offset and length of a block in the file.
    pub(crate) fn place(&self, block: usize) -> Range<u64> {
        self.places[block].0..self.places[block + 1].0
    }

    /// Some columns of a block; the others say nothing.
    pub(crate) fn read(
        &self,
        block: usize,
        groups: Groups,
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        let entry = &self.entries[block];
        let mut at = self.places[block].0;
        let mut wanted = Vec::with_capacity(Group::ALL.len());
        for (group, part) in Group::ALL.into_iter().zip(&entry.groups) {
            if groups.has(group) {
                wanted.push((group, at, part));
            }
            at += u64::from(part.bytes);
        }
        if scratch.columns.len() < wanted.len() {
            scratch.columns.resize_with(wanted.len(), Vec::new);
        }
        for (index, &(_, at, part)) in wanted.iter().enumerate() {
            self.decompress(at, part, index, scratch)?;
        }
        let read: Vec<(Group, &[u8])> = wanted
            .iter()
            .zip(&scratch.columns)
            .map(|(&(group, ..), bytes)| (group, bytes.as_slice()))
            .collect();
        Ok(columns::read_groups(&read, entry.rows as usize)?)
    }

    fn decompress(
        &self,
        at: u64,
        part: &GroupEntry,
        index: usize,
        scratch: &mut Scratch,
    ) -> Result<(), BlocksError> {
        let Scratch { decompressor, packed, columns } = scratch;
        packed.resize(part.bytes as usize, 0);
        self.file.read_at(at, packed).map_err(disk)?;
        if crc32c::crc32c(packed) != part.crc {
            return Err(BlocksError::Checksum("columns"));
        }
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(zstd::bulk::Decompressor::new().map_err(disk)?),
        };
        let out = &mut columns[index];
        out.resize(part.columns_bytes as usize, 0);
        let written = decompressor.decompress_to_buffer(packed, out.as_mut_slice());
        if written.ok() == Some(out.len()) { Ok(()) } else { Err(BlocksError::Compression) }
    }

    /// Reads a whole block and checks its hash and that its columns can be read.
    pub(crate) fn verify(&self, block: usize, scratch: &mut Scratch) -> Result<(), BlocksError> {
        let place = self.place(block);
        let bytes = read(&*self.file, place.start, (place.end - place.start) as usize)?;
        if *blake3::hash(&bytes).as_bytes() != self.entries[block].hash {
            return Err(BlocksError::Checksum("block"));
        }
        self.read(block, Groups::ALL, scratch).map(drop)
    }

    /// Whether the table's hashes are those of the root.
    pub(crate) fn verify_root(&self) -> Result<(), BlocksError> {
        let is_root = merkle_root(self.entries.iter().map(|entry| entry.hash).collect()) == self.root;
        if is_root { Ok(()) } else { Err(BlocksError::Checksum("root")) }
    }
}

impl Entry {
    fn to_bytes(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..4].copy_from_slice(&self.rows.to_le_bytes());
        bytes[8..40].copy_from_slice(&self.span.to_bytes());
        bytes[40..72].copy_from_slice(&self.hash);
        for (place, group) in bytes[72..].as_chunks_mut::<12>().0.iter_mut().zip(&self.groups) {
            place[..4].copy_from_slice(&group.bytes.to_le_bytes());
            place[4..8].copy_from_slice(&group.columns_bytes.to_le_bytes());
            place[8..].copy_from_slice(&group.crc.to_le_bytes());
        }
        bytes
    }

    fn read(bytes: &[u8; ENTRY_BYTES]) -> Result<Entry, BlocksError> {
        let mut groups = [GroupEntry::default(); Group::ALL.len()];
        for (place, group) in bytes[72..].as_chunks::<12>().0.iter().zip(&mut groups) {
            let [bytes, columns_bytes, crc] = [0, 4, 8].map(|at| u32_at(place, at));
            if BATCH_BYTES_MAX < columns_bytes as usize {
                return Err(BlocksError::Implausible("table"));
            }
            *group = GroupEntry { bytes, columns_bytes, crc };
        }
        let rows = u32_at(bytes, 0);
        if !(1..=BATCH_ROWS_MAX as u32).contains(&rows) {
            return Err(BlocksError::Implausible("table"));
        }
        Ok(Entry { rows, span: Span::read(&bytes[8..40]), hash: array_at(bytes, 40), groups })
    }

    fn bytes(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.bytes)).sum()
    }
}

struct Footer {
    blocks: u32,
    table_crc: u32,
    rows: u32,
    span: Span,
    hash: Hash,
    root: Hash,
}

impl Footer {
    fn read(bytes: &[u8]) -> Result<Footer, BlocksError> {
        if bytes[..4] != FOOTER_MAGIC {
            return Err(BlocksError::Magic);
        }
        if crc32c::crc32c(&bytes[8..]) != u32_at(bytes, 4) {
            return Err(BlocksError::Checksum("footer"));
        }
        let rows = u64_at(bytes, 16);
        Ok(Footer {
            blocks: u32_at(bytes, 8),
            table_crc: u32_at(bytes, 12),
            rows: u32::try_from(rows).map_err(|_| BlocksError::Implausible("footer"))?,
            span: Span::read(&bytes[24..56]),
            hash: array_at(bytes, 64),
            root: array_at(bytes, 96),
        })
    }
}

fn header(first_sequence: u64, previous_hash: Hash) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&first_sequence.to_le_bytes());
    bytes[24..56].copy_from_slice(&previous_hash);
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

fn read_header(bytes: &[u8]) -> Result<(u64, Hash), BlocksError> {
    if bytes[..4] != MAGIC {
        return Err(BlocksError::Magic);
    }
    if crc32c::crc32c(&bytes[8..]) != u32_at(bytes, 4) {
        return Err(BlocksError::Checksum("header"));
    }
    match u32_at(bytes, 8) {
        VERSION => Ok((u64_at(bytes, 16), array_at(bytes, 24))),
        newer => Err(BlocksError::Newer(newer)),
    }
}

fn footer(entries: &[Entry], table_crc: u32, hash: Hash) -> [u8; FOOTER_BYTES] {
    let mut bytes = [0; FOOTER_BYTES];
    let rows: u64 = entries.iter().map(|entry| u64::from(entry.rows)).sum();
    let span = entries.iter().fold(Span::NONE, |span, entry| span.join(entry.span));
    bytes[..4].copy_from_slice(&FOOTER_MAGIC);
    bytes[8..12].copy_from_slice(&(entries.len() as u32).to_le_bytes());
    bytes[12..16].copy_from_slice(&table_crc.to_le_bytes());
    bytes[16..24].copy_from_slice(&rows.to_le_bytes());
    bytes[24..56].copy_from_slice(&span.to_bytes());
    bytes[64..96].copy_from_slice(&hash);
    bytes[96..].copy_from_slice(&merkle_root(entries.iter().map(|entry| entry.hash).collect()));
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Where each block begins, in bytes and in rows, and where the last ends.
fn places(entries: &[Entry]) -> Result<Vec<(u64, u32)>, BlocksError> {
    let (mut offset, mut row) = (HEADER_BYTES as u64, 0_u32);
    let mut places = vec![(offset, row)];
    for entry in entries {
        offset += entry.bytes();
        row = row.checked_add(entry.rows).ok_or(BlocksError::Implausible("table"))?;
        places.push((offset, row));
    }
    Ok(places)
}

fn merkle_root(mut level: Vec<Hash>) -> Hash {
    while 1 < level.len() {
        let parent = |pair: &[Hash]| match pair {
            [left, right] => {
                *blake3::Hasher::new().update(&[1]).update(left).update(right).finalize().as_bytes()
            }
            alone => alone[0],
        };
        level = level.chunks(2).map(parent).collect();
    }
    level.first().copied().unwrap_or_default()
}

fn read(file: &dyn DiskFile, offset: u64, bytes: usize) -> Result<Vec<u8>, BlocksError> {
    let mut buffer = vec![0; bytes];
    file.read_at(offset, &mut buffer).map_err(disk)?;
    Ok(buffer)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn disk(error: io::Error) -> BlocksError {
    BlocksError::Disk(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimDisk;
    use crate::columns::tests::batches;
    use proptest::prelude::*;

    const PATH: &str = "/blocks";

    fn written(batches: &[Batch]) -> SimDisk {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let mut writer = BlocksWriter::create(&disk, Path::new(PATH), 7, [1; 32]).unwrap();
        batches.iter().filter(|batch| !batch.is_empty()).for_each(|batch| writer.push(batch).unwrap());
        writer.finish([2; 32]).unwrap();
        disk
    }

    fn open(disk: &SimDisk) -> Result<Blocks, BlocksError> {
        Blocks::open(disk.open(Path::new(PATH)).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn blocks_are_read_back_whole_or_in_groups(batches in proptest::collection::vec(batches(), 0..4)) {
            let blocks = open(&written(&batches)).unwrap();
            let batches: Vec<&Batch> = batches.iter().filter(|batch| !batch.is_empty()).collect();
            prop_assert_eq!((blocks.first_sequence, blocks.previous_hash, blocks.hash), (7, [1; 32], [2; 32]));
            prop_assert_eq!(blocks.len(), batches.len());
            prop_assert_eq!(blocks.verify_root(), Ok(()));
            let mut scratch = Scratch::default();
            for (number, batch) in batches.iter().enumerate() {
                prop_assert_eq!(&blocks.read(number, Groups::ALL, &mut scratch).unwrap(), *batch);
                blocks.verify(number, &mut scratch).unwrap();
                let part = blocks.read(number, Group::Message.into(), &mut scratch).unwrap();
                prop_assert_eq!(part.columns().message(), batch.columns().message());
                prop_assert_eq!(part.rows(), batch.rows());
                let rows = blocks.row_range(number);
                prop_assert_eq!(rows.len(), batch.rows());
                prop_assert!(rows.clone().all(|row| blocks.block_of(row as u32) == number));
            }
        }

        #[test]
        fn a_flipped_bit_is_found(batches in proptest::collection::vec(batches(), 1..3), bit in any::<prop::sample::Index>()) {
            let disk = written(&batches);
            let bytes = disk.open(Path::new(PATH)).unwrap().bytes().unwrap() as usize;
            disk.flip(Path::new(PATH), bit.index(bytes * 8));
            if let Ok(blocks) = open(&disk) {
                let verified = (0..blocks.len()).map(|block| blocks.verify(block, &mut Scratch::default()));
                prop_assert!(verified.into_iter().any(|verified| verified.is_err()));
            }
        }
    }

    #[test]
    fn a_newer_version_is_its_own_error() {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let mut bytes = header(0, [0; 32]);
        bytes[8] = 2;
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        let file = disk.create(Path::new(PATH)).unwrap();
        file.append(&mut [IoSlice::new(&bytes), IoSlice::new(&[0; FOOTER_BYTES])]).unwrap();
        assert_eq!(open(&disk).err(), Some(BlocksError::Newer(2)));
    }
}
