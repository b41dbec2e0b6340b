//! The layout of an index file, for its writer and its reader.

use crate::journal::frame::Hash;
use crate::segment::blocks::Blocks;
use crate::segment::bundle::BundleIdentity;

/// The names of dynamic fields.
pub(super) const FIELDS: &str = "fields";
/// The templates of the segment.
pub(super) const TEMPLATES: &str = "templates";

/// The column of the dynamic field with this number in a group.
pub(super) fn field_section(number: u32, group: usize) -> String {
    format!("field.{number}.{group}")
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
