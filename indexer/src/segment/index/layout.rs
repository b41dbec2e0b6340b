//! The layout of an index file, for its writer and its reader.

use crate::journal::frame::Hash;
use crate::segment::blocks::Blocks;
use crate::segment::bundle::{BundleIdentity, IndexError};

/// The names of dynamic fields.
pub(super) const FIELDS: &str = "fields";
/// The templates of the segment.
pub(super) const TEMPLATES: &str = "templates";

/// The column of a dynamic field.
pub(super) fn field_section(number: usize) -> String {
    format!("field.{number}")
}

/// The identity that the index of these blocks must have.
pub(super) fn identity(blocks: &Blocks) -> BundleIdentity {
    BundleIdentity { first_sequence: blocks.first_sequence, rows: blocks.rows(), blocks_hash: blocks.root }
}

/// The seed of the hashes of words. Senders cannot guess it, because they do not know the hash of the messages stored
/// before.
pub(super) fn seed(first_sequence: u64, previous_hash: &Hash) -> u64 {
    first_sequence ^ previous_hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The dynamic fields of a segment.
pub(crate) struct FieldTable {
    is_complete: bool,
    /// The fields with a column, in the order of their sections.
    pub(crate) with_column: Vec<String>,
    pub(crate) without_column: Vec<String>,
}

/// The location of a dynamic field, or that it is unknown.
pub(super) enum DynamicField {
    Column(usize),
    Nowhere,
    Unknown,
}

impl FieldTable {
    /// Whether no row has a dynamic field.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_complete && self.with_column.is_empty() && self.without_column.is_empty()
    }

    /// Whether every field has a column.
    pub(crate) fn have_columns(&self) -> bool {
        self.is_complete && self.without_column.is_empty()
    }

    pub(super) fn place(&self, name: &str) -> DynamicField {
        let is_it = |other: &String| other.eq_ignore_ascii_case(name);
        match self.with_column.iter().position(is_it) {
            Some(number) => DynamicField::Column(number),
            None if self.is_complete && !self.without_column.iter().any(is_it) => DynamicField::Nowhere,
            None => DynamicField::Unknown,
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let names = self.with_column.iter().chain(&self.without_column);
        names.map(|name| size_of::<String>() + name.len()).sum()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<FieldTable, IndexError> {
        let mut rest = bytes;
        let fields = FieldTable::read_from(&mut rest).filter(|_| rest.is_empty());
        fields.ok_or_else(|| IndexError::Format("the names of its fields".to_owned()))
    }

    fn read_from(rest: &mut &[u8]) -> Option<FieldTable> {
        let is_complete = take(rest, 1)? == [1];
        let [with, without] = [take_u32(rest)?, take_u32(rest)?];
        let mut names = |count: u32| -> Option<Vec<String>> {
            // A name is stored in at least four bytes.
            (0..count)
                .map(|_| take_u32(rest).and_then(|bytes| take(rest, bytes as usize)).map(lossy))
                .collect()
        };
        Some(FieldTable { is_complete, with_column: names(with)?, without_column: names(without)? })
    }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes)?;
    *rest = left;
    Some(taken)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4)?.first_chunk().copied().map(u32::from_le_bytes)
}
