//! The journal of a logspace: files of frames, each a batch.
//!
//! **Invariant:** reading trusts nothing, and finds every frame that is whole, whatever comes before it.

mod file;
pub(crate) mod frame;
pub(crate) mod scan;

pub use file::HeaderError;
pub(crate) use file::{HEADER_BYTES, JournalFile, JournalHeader, file_name, first_sequence};
