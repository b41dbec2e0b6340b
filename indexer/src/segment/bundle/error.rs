//! Why a file of sections cannot be read, in words for the operator.

use super::kind::BundleKind;

/// Why an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// The disk did not give the bytes.
    #[error("the index cannot be read: {0}")]
    Disk(String),
    /// Nobody knows whether it can be read: the time was up.
    #[error("the index was not read in time")]
    Late,
    /// The file begins with other bytes.
    #[error("the file is not an index: it does not begin with LSI1")]
    Magic,
    /// Another version of this program wrote it.
    #[error("the index has version {0}, and this program reads version {known}", known = BundleKind::Index.version())]
    Version(u32),
    /// A checksum is wrong.
    #[error("the index is damaged: the checksum of the bytes at {offset} is wrong")]
    Checksum {
        /// The offset where they begin.
        offset: u64,
    },
    /// Its length has changed.
    #[error("the index has {have_bytes} bytes, and {want_bytes} were written")]
    Length {
        /// Its length.
        have_bytes: u64,
        /// The length that was written.
        want_bytes: u64,
    },
    /// A section is not there.
    #[error("the index has no section {0:?}")]
    Section(String),
    /// Its checksums are right, but its contents are not.
    #[error("the index cannot be understood: {0}")]
    Format(String),
}

impl From<logstead_template::DecodeError> for IndexError {
    fn from(fault: logstead_template::DecodeError) -> IndexError {
        IndexError::Format(fault.to_string())
    }
}
