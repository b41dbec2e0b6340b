//! The reasons why a blocks file cannot be read.

use crate::columns::ColumnsError;
use crate::segment::bundle::{BundleKind, IndexError};
use logstead_record::ColumnError;
use logstead_template::DecodeError;
use std::io;

/// The reason why a blocks file, or a block of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlocksError {
    /// It cannot be read from the disk.
    #[error("the disk cannot read it: {0}")]
    Disk(String),
    /// Nobody knows whether it can be read: the time was up.
    #[error("it was not read in time")]
    Late,
    /// The file is missing.
    #[error("it is missing")]
    Missing,
    /// Its name does not fit its messages.
    #[error("it holds other messages than its name says, so it was renamed")]
    Renamed,
    /// Its length is not that of its parts.
    #[error("its length does not match its parts")]
    Length,
    /// It does not begin and end with the magic bytes.
    #[error("it is not a blocks file")]
    Magic,
    /// It was written by another version of this program.
    #[error("it has version {0}, and this program reads version {known}; start the version that wrote it", known = BundleKind::Blocks.version())]
    Version(u32),
    /// The checksum of a part is wrong.
    #[error("the checksum of its {0} is wrong")]
    Checksum(&'static str),
    /// The checksum of a page is wrong.
    #[error("the checksum of its page at byte {offset} is wrong")]
    Page {
        /// The offset of the page.
        offset: u64,
    },
    /// The checksums are right, but a part is invalid.
    #[error("it cannot be understood: {0}")]
    Format(String),
    /// A part contains an impossible value.
    #[error("its {0} holds an impossible value")]
    Implausible(&'static str),
    /// Its columns are invalid.
    #[error("its columns cannot be read: {0}")]
    Columns(#[from] ColumnsError),
}

impl From<IndexError> for BlocksError {
    fn from(error: IndexError) -> BlocksError {
        match error {
            IndexError::Disk(why) => BlocksError::Disk(why),
            IndexError::Late => BlocksError::Late,
            IndexError::Magic => BlocksError::Magic,
            IndexError::Version(version) => BlocksError::Version(version),
            IndexError::Checksum { offset } => BlocksError::Page { offset },
            IndexError::Length { .. } => BlocksError::Length,
            IndexError::Section(name) => BlocksError::Format(format!("it has no section {name}")),
            IndexError::Format(why) => BlocksError::Format(why),
        }
    }
}

impl From<ColumnError> for BlocksError {
    fn from(error: ColumnError) -> BlocksError {
        BlocksError::Columns(error.into())
    }
}

impl From<DecodeError> for BlocksError {
    fn from(fault: DecodeError) -> BlocksError {
        match &fault {
            DecodeError::Unread(reason) => reason.downcast().cloned(),
            _ => None,
        }
        .unwrap_or_else(|| BlocksError::Format(fault.to_string()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn disk(error: io::Error) -> BlocksError {
    BlocksError::Disk(error.to_string())
}
