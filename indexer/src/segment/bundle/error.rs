//! The reasons why a file of sections cannot be read, worded for the operator.

use super::kind::BundleKind;

/// The reason why an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// The bytes could not be read from the disk.
    #[error("the index cannot be read: {0}")]
    Disk(String),
    /// Nobody knows whether it can be read: the time was up.
    #[error("the index was not read in time")]
    Late,
    /// It does not begin with the magic bytes.
    #[error("the file is not an index: it does not begin with LSI1")]
    Magic,
    /// It was written by another version of this program.
    #[error("the index has version {0}, and this program reads version {known}", known = BundleKind::Index.version())]
    Version(u32),
    /// A checksum is wrong.
    #[error("the index is damaged: the checksum of the bytes at {offset} is wrong")]
    Checksum {
        /// The offset of the bytes that it covers.
        offset: u64,
    },
    /// The length of the file has changed.
    #[error("the index has {have_bytes} bytes, and {want_bytes} were written")]
    Length {
        /// Its length.
        have_bytes: u64,
        /// The length with which it was written.
        want_bytes: u64,
    },
    /// A section is missing.
    #[error("the index has no section {0:?}")]
    Section(String),
    /// The checksums are right, but the contents are invalid.
    #[error("the index cannot be understood: {0}")]
    Format(String),
}

impl From<logstead_template::DecodeError> for IndexError {
    fn from(fault: logstead_template::DecodeError) -> IndexError {
        IndexError::Format(fault.to_string())
    }
}
