//! The blocks file of a segment: its messages, which can be read in blocks, and group of columns by group of columns.
//!
//! | module   | owns                                                                          |
//! |----------|-------------------------------------------------------------------------------|
//! | `first`  | the first version: blocks of compressed columns. It is read only               |
//! | `second` | the second: columns of the whole segment, and texts as templates and variables |
//! | `pieces` | the tree of hashes over a file                                                |
//! | `shared`, `error` | what all of them need                                                |
//!
//! **Invariant:** a reader takes nothing on trust: what it relies on has a checksum that fits.

mod error;
mod first;
mod pieces;
mod second;
mod shared;

use super::bundle::Kind;
use super::cache::Cache;
use super::column::Column;
use crate::disk::DiskFile;
use crate::journal::frame::Hash;
pub use error::BlocksError;
use error::disk;
use first::First;
use logstead_record::{Batch, Field, Groups, Selection};
pub(crate) use second::{BlocksWriter, GroupTexts, TextGroups};
use shared::Head;
pub(crate) use shared::{Scratch, Span};
use std::ops::Range;
use std::sync::Arc;

/// An open blocks file.
pub(crate) struct Blocks {
    pub(crate) first_sequence: u64,
    /// Of the journal frame before its first.
    pub(crate) previous_hash: Hash,
    /// Of the journal frame of its last message.
    pub(crate) hash: Hash,
    pub(crate) root: Hash,
    pub(crate) span: Span,
    pub(crate) bytes: u64,
    rows: u32,
    version: Version,
}

enum Version {
    First(First),
    Second(Arc<TextGroups>),
}

impl Blocks {
    /// Opens a file of any version. `cache` keeps what is read of it.
    pub(crate) fn open(file: Arc<dyn DiskFile>, cache: &Arc<Cache>) -> Result<Blocks, BlocksError> {
        let mut magic = [0; 4];
        if file.bytes().map_err(disk)? < magic.len() as u64 {
            return Err(BlocksError::Length);
        }
        file.read_at(0, &mut magic).map_err(disk)?;
        let (head, version) = if magic == Kind::Blocks.magic() {
            let (head, groups) = TextGroups::open(file, cache)?;
            (head, Version::Second(Arc::new(groups)))
        } else {
            let (head, first) = First::open(file)?;
            (head, Version::First(first))
        };
        let Head { first_sequence, rows, previous_hash, hash, root, span, bytes } = head;
        Ok(Blocks { first_sequence, previous_hash, hash, root, span, bytes, rows, version })
    }

    /// The groups of texts, in the second version.
    pub(crate) fn groups(&self) -> Option<&Arc<TextGroups>> {
        match &self.version {
            Version::First(_) => None,
            Version::Second(groups) => Some(groups),
        }
    }

    /// Whether some of its messages may be copies.
    pub(crate) fn has_copies(&self) -> bool {
        self.groups().is_some_and(|groups| groups.has_column(Column::Names(Field::CopyOf)))
    }

    /// What its tables take in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        match &self.version {
            Version::First(first) => first.memory_bytes(),
            Version::Second(groups) => groups.memory_bytes(),
        }
    }

    /// How many messages there are.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        match &self.version {
            Version::First(first) => first.len(),
            Version::Second(groups) => groups.len(),
        }
    }

    /// The bounds of the times of a block.
    pub(crate) fn span_of(&self, block: usize) -> Span {
        match &self.version {
            Version::First(first) => first.span(block),
            Version::Second(groups) => groups.span(block),
        }
    }

    /// The rows of a block.
    pub(crate) fn row_range(&self, block: usize) -> Range<usize> {
        match &self.version {
            Version::First(first) => first.row_range(block),
            Version::Second(groups) => groups.row_range(block),
        }
    }

    /// Which block a row is in.
    pub(crate) fn block_of(&self, row: u32) -> usize {
        match &self.version {
            Version::First(first) => first.block_of(row),
            Version::Second(groups) => groups.block_of(row),
        }
    }

    /// The offset and length of a block in the file; nothing where its columns lie in several places.
    pub(crate) fn place(&self, block: usize) -> Range<u64> {
        match &self.version {
            Version::First(first) => first.place(block),
            Version::Second(_) => 0..0,
        }
    }

    /// About how many bytes of the file are read for a block.
    pub(crate) fn bytes_of(&self, block: usize) -> u64 {
        let rows = self.row_range(block).len() as u64;
        match &self.version {
            Version::First(first) => first.place(block).end - first.place(block).start,
            Version::Second(_) => self.bytes * rows / u64::from(self.rows.max(1)),
        }
    }

    /// Some columns of a block; the others say nothing.
    pub(crate) fn read(
        &self,
        block: usize,
        groups: Groups,
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        match &self.version {
            Version::First(first) => first.read(block, groups, scratch),
            Version::Second(second) => second.read(second.row_range(block), groups, scratch),
        }
    }

    /// Some columns of some rows of a block.
    pub(crate) fn read_some(
        &self,
        block: usize,
        (rows, groups): (&Selection, Groups),
        scratch: &mut Scratch,
    ) -> Result<Batch, BlocksError> {
        match &self.version {
            Version::First(first) => Ok(first.read(block, groups, scratch)?.take(rows)),
            Version::Second(second) => second.read_some(second.row_range(block), rows, groups, scratch),
        }
    }

    /// Reads a whole block and checks it, as far as that is not done for the whole file.
    pub(crate) fn verify(&self, block: usize, scratch: &mut Scratch) -> Result<(), BlocksError> {
        match &self.version {
            Version::First(first) => first.verify(block, scratch),
            Version::Second(_) => self.read(block, Groups::ALL, scratch).map(drop),
        }
    }

    /// Whether the hashes are those of the root.
    pub(crate) fn verify_root(&self) -> Result<(), BlocksError> {
        match &self.version {
            Version::First(first) => first.verify_root(),
            Version::Second(groups) => groups.verify_root(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::batches;
    use crate::{Disk, SimDisk};
    use logstead_record::{Field, Group};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::path::Path;

    const PATH: &str = "/blocks";

    fn written(batches: &[Batch]) -> SimDisk {
        let disk = SimDisk::new(0);
        disk.create_dir_all(Path::new("/")).unwrap();
        let mut writer = BlocksWriter::new(7, [1; 32]);
        let mut groups = 0;
        batches.iter().for_each(|batch| writer.push(batch, &mut |_| groups += 1).unwrap());
        let sections = writer.finish([2; 32], &mut |_| groups += 1).unwrap();
        assert_eq!(groups, 1);
        sections.write_to(&*disk.create(Path::new(PATH)).unwrap()).unwrap();
        disk
    }

    fn open(disk: &SimDisk, cache_bytes: usize) -> Result<Blocks, BlocksError> {
        Blocks::open(disk.open(Path::new(PATH)).unwrap(), &Arc::new(Cache::new(cache_bytes)))
    }

    /// Everything that a row says.
    fn said(batch: &Batch, row: usize) -> impl PartialEq + std::fmt::Debug + use<> {
        let columns = batch.columns();
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let names: Vec<Vec<u8>> = columns.names.iter().map(|names| names.get(row).to_vec()).collect();
        let texts: Vec<Vec<u8>> = columns.texts.iter().map(|texts| texts.get(row).to_vec()).collect();
        let fields: Vec<(Vec<u8>, Vec<u8>)> =
            batch.fields(row).map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        let times = columns.times.each_ref().map(|times| times[row]);
        (raw, names, texts, fields, times, columns.bytes.each_ref().map(|bytes| bytes[row]))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn rows_are_read_back_whole_or_in_groups_of_columns(
            batches in vec(batches(), 1..8), has_cache in any::<bool>(),
        ) {
            let rows: usize = batches.iter().map(Batch::rows).sum();
            prop_assume!(rows != 0);
            let disk = written(&batches);
            let blocks = open(&disk, if has_cache { 1 << 20 } else { 0 }).unwrap();
            prop_assert_eq!((blocks.first_sequence, blocks.previous_hash, blocks.hash), (7, [1; 32], [2; 32]));
            prop_assert_eq!(blocks.rows() as usize, rows);
            prop_assert_eq!(blocks.verify_root(), Ok(()));
            let mut expected = batches.iter().flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)));
            let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
            for block in 0..blocks.len() {
                let range = blocks.row_range(block);
                prop_assert!(range.clone().all(|row| blocks.block_of(row as u32) == block));
                let read = blocks.read(block, Groups::ALL, &mut scratch).unwrap();
                prop_assert_eq!(read.rows(), range.len());
                let part = blocks.read(block, Group::Message.into(), &mut other).unwrap();
                prop_assert_eq!(part.columns().message(), read.columns().message());
                prop_assert_eq!(part.columns().names[Field::Host.number()].get(0), b"");
                let some = Selection::from_fn(read.rows(), |row| row % 3 == 1);
                let picked = blocks.read_some(block, (&some, Groups::ALL), &mut other).unwrap();
                for (at, row) in some.iter().enumerate() {
                    prop_assert_eq!(said(&picked, at), said(&read, row));
                }
                let span = blocks.span_of(block);
                for row in 0..read.rows() {
                    let (batch, at) = expected.next().unwrap();
                    prop_assert_eq!(said(&read, row), said(batch, at));
                    prop_assert!((span.earliest..=span.latest).contains(&batch.time(at)));
                    prop_assert!((span.received_first..=span.received_last).contains(&batch.received(at)));
                }
            }
        }

        #[test]
        fn groups_of_other_files_are_taken_as_they_are(
            files in vec(vec(batches(), 1..3), 1..4), between in batches(),
        ) {
            let mut writer = BlocksWriter::new(7, [1; 32]);
            let (mut expected, mut shown): (Vec<Batch>, usize) = Default::default();
            for batches in files.iter().filter(|batches| batches.iter().any(|batch| !batch.is_empty())) {
                let blocks = open(&written(batches), 1 << 20).unwrap();
                let groups = blocks.groups().unwrap();
                writer.push_group((groups, 0), &mut |_| {}, &mut |batch| shown += batch.rows()).unwrap();
                writer.push(&between, &mut |_| {}).unwrap();
                expected.extend(batches.iter().cloned().chain([between.clone()]));
            }
            let rows: usize = expected.iter().map(Batch::rows).sum();
            prop_assume!(rows != 0);
            let disk = SimDisk::new(0);
            disk.create_dir_all(Path::new("/")).unwrap();
            let sections = writer.finish([2; 32], &mut |_| {}).unwrap();
            sections.write_to(&*disk.create(Path::new(PATH)).unwrap()).unwrap();
            let blocks = open(&disk, 1 << 20).unwrap();
            prop_assert_eq!(blocks.rows() as usize, rows);
            prop_assert_eq!(blocks.verify_root(), Ok(()));
            let mut expected = expected.iter().flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)));
            let mut scratch = Scratch::default();
            for block in 0..blocks.len() {
                let range = blocks.row_range(block);
                prop_assert!(range.clone().all(|row| blocks.block_of(row as u32) == block));
                let (read, span) = (blocks.read(block, Groups::ALL, &mut scratch).unwrap(), blocks.span_of(block));
                for row in 0..read.rows() {
                    let (batch, at) = expected.next().unwrap();
                    prop_assert_eq!(said(&read, row), said(batch, at));
                    prop_assert!((span.earliest..=span.latest).contains(&batch.time(at)));
                }
            }
        }

        #[test]
        fn a_flipped_bit_is_found(batches in vec(batches(), 1..3), bit in any::<prop::sample::Index>()) {
            prop_assume!(batches.iter().any(|batch| !batch.is_empty()));
            let disk = written(&batches);
            let bytes = disk.open(Path::new(PATH)).unwrap().bytes().unwrap() as usize;
            disk.flip(Path::new(PATH), bit.index(bytes * 8));
            if let Ok(blocks) = open(&disk, 0) {
                prop_assert!(blocks.verify_root().is_err());
            }
        }
    }

    #[test]
    fn a_newer_version_is_its_own_error() {
        let disk = written(&[Batch::from_columns(logstead_record::Columns::empty(1)).unwrap()]);
        let mut bytes = vec![0; disk.open(Path::new(PATH)).unwrap().bytes().unwrap() as usize];
        disk.open(Path::new(PATH)).unwrap().read_at(0, &mut bytes).unwrap();
        bytes[8] = 4;
        let crc = crc32c::crc32c(&bytes[8..80]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        disk.create(Path::new(PATH)).unwrap().append(&mut [std::io::IoSlice::new(&bytes)]).unwrap();
        assert_eq!(open(&disk, 0).err(), Some(BlocksError::Newer(4)));
    }
}
