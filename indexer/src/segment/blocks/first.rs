//! The first version of a blocks file: messages, compressed, in blocks that can be read one by one and group by group.
//! It is read, and no longer written.
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

use super::error::{BlocksError, disk, read};
use super::pieces::merkle_root;
use super::shared::{Head, Scratch, Span};
use crate::bytes::{array_at, u32_at, u64_at};
use crate::columns;
use crate::disk::DiskFile;
use crate::journal::frame::Hash;
use logstead_record::{BATCH_BYTES_MAX, BATCH_ROWS_MAX, Batch, Group, Groups};
use std::ops::Range;
use std::sync::Arc;

const MAGIC: [u8; 4] = *b"LSB1";
const FOOTER_MAGIC: [u8; 4] = *b"LSBF";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 144;
const FOOTER_BYTES: usize = 128;

/// A block as the table tells of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    rows: u32,
    span: Span,
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
pub(super) struct First {
    file: Arc<dyn DiskFile>,
    root: Hash,
    entries: Vec<Entry>,
    /// For each block, its offset and its first row; and both for what would follow the last.
    places: Vec<(u64, u32)>,
}

impl First {
    /// Reads header, table and footer.
    pub(super) fn open(file: Arc<dyn DiskFile>) -> Result<(Head, First), BlocksError> {
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
        let Footer { rows, hash, root, span, .. } = footer;
        let head = Head { first_sequence, rows, previous_hash, hash, root, span, bytes };
        Ok((head, First { file, root, entries, places }))
    }

    /// What its table takes in memory.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(self.entries.as_slice()) + size_of_val(self.places.as_slice())
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The bounds of the times of a block.
    pub(super) fn span(&self, block: usize) -> Span {
        self.entries[block].span
    }

    /// The rows of a block.
    pub(super) fn row_range(&self, block: usize) -> Range<usize> {
        self.places[block].1 as usize..self.places[block + 1].1 as usize
    }

    /// Which block a row is in.
    pub(super) fn block_of(&self, row: u32) -> usize {
        self.places.partition_point(|&(_, first)| first <= row) - 1
    }

    /// The offset and length of a block in the file.
    pub(super) fn place(&self, block: usize) -> Range<u64> {
        self.places[block].0..self.places[block + 1].0
    }

    /// Some columns of a block; the others say nothing.
    pub(super) fn read(
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
        let Scratch { decompressor, packed, columns, .. } = scratch;
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
    pub(super) fn verify(&self, block: usize, scratch: &mut Scratch) -> Result<(), BlocksError> {
        let place = self.place(block);
        let bytes = read(&*self.file, place.start, (place.end - place.start) as usize)?;
        if *blake3::hash(&bytes).as_bytes() != self.entries[block].hash {
            return Err(BlocksError::Checksum("block"));
        }
        self.read(block, Groups::ALL, scratch).map(drop)
    }

    /// Whether the table's hashes are those of the root.
    pub(super) fn verify_root(&self) -> Result<(), BlocksError> {
        let is_root = merkle_root(self.entries.iter().map(|entry| entry.hash).collect()) == self.root;
        if is_root { Ok(()) } else { Err(BlocksError::Checksum("root")) }
    }
}

impl Entry {
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
