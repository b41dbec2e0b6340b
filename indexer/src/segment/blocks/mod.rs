//! The blocks file of a segment: its messages, which can be read in blocks, and group of columns by group of columns.
//!
//! | module   | owns                                                                          |
//! |----------|-------------------------------------------------------------------------------|
//! | `first`  | the first version: blocks of compressed columns. It is read only               |
//! | `second` | the second: columns of the whole segment, and texts as templates and variables |
//! | `write`  | writing the second                                                            |
//! | `pieces` | the tree of hashes over a file                                                |
//! | `shared`, `error` | what all of them need                                                |
//!
//! **Invariant:** a reader takes nothing on trust: what it relies on has a checksum that fits.

mod error;
mod first;
mod pieces;
mod second;
mod shared;
mod write;

use super::bundle::Kind;
use super::cache::Cache;
use crate::disk::DiskFile;
use crate::journal::frame::Hash;
pub use error::BlocksError;
use error::disk;
use first::First;
use logstead_record::{Batch, Groups};
pub(crate) use second::TextGroups;
use shared::Head;
pub(crate) use shared::{Scratch, Span};
use std::ops::Range;
use std::sync::Arc;
pub(crate) use write::BlocksWriter;

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
            Version::Second(_) => TextGroups::block_of(row),
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
