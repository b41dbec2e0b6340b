//! The place that the bytes of a group come from, and the parts that are decoded from them.

use super::column::{ColumnRun, OpenColumn};
use super::rows::Rows;
use crate::bytes::{DecodeError, Result};
use logstead_record::TextColumn;
use std::ops::Range;
use std::sync::Arc;

/// The bytes of the texts of a group, and the memory in which decoded parts of it are kept.
pub trait GroupSource: Send + Sync {
    /// The number of bytes.
    fn bytes(&self) -> Result<u64>;

    /// Reads some bytes.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>>;

    /// The template of each row, which is stored elsewhere.
    fn rows(&self) -> Result<Arc<Rows>>;

    /// The part with this number: the one that is kept, or else the one that `open` returns.
    fn part(&self, number: u32, open: &mut dyn FnMut() -> Result<GroupPart>) -> Result<Arc<GroupPart>>;
}

/// A part of a group, which is read and decoded by itself.
pub struct GroupPart(pub(super) PartContent);

pub(super) enum PartContent {
    Addresses(Vec<u32>),
    /// The dictionary, or a block of texts.
    Texts(TextColumn),
    Columns(ColumnRun),
}

impl GroupPart {
    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<GroupPart>()
            + match &self.0 {
                PartContent::Addresses(addresses) => size_of_val(addresses.as_slice()),
                PartContent::Texts(texts) => texts.memory_bytes(),
                PartContent::Columns(run) => run.memory_bytes(),
            }
    }

    pub(super) fn addresses(&self) -> Result<&[u32]> {
        if let PartContent::Addresses(addresses) = &self.0 { Ok(addresses) } else { Err(ANOTHER) }
    }

    pub(super) fn texts(&self) -> Result<&TextColumn> {
        if let PartContent::Texts(texts) = &self.0 { Ok(texts) } else { Err(ANOTHER) }
    }

    pub(super) fn column(&self, number: usize) -> Result<OpenColumn<'_>> {
        if let PartContent::Columns(run) = &self.0 { run.column(number) } else { Err(ANOTHER) }
    }
}

/// The error for a source that returns another part than the one it was asked for.
const ANOTHER: DecodeError = DecodeError::Large("the number of a part");

/// A group whose bytes are all in memory.
pub(super) struct WholeGroup {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: Arc<Rows>,
}

impl GroupSource for WholeGroup {
    fn bytes(&self) -> Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let range = range.start as usize..range.end as usize;
        Ok(self.bytes.get(range).ok_or(DecodeError::Short)?.to_vec())
    }

    fn rows(&self) -> Result<Arc<Rows>> {
        Ok(Arc::clone(&self.rows))
    }

    fn part(&self, _: u32, open: &mut dyn FnMut() -> Result<GroupPart>) -> Result<Arc<GroupPart>> {
        Ok(Arc::new(open()?))
    }
}
