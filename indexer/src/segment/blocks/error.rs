//! Why a blocks file cannot be read.

use crate::columns::ColumnsError;
use crate::segment::bundle::{BundleKind, IndexError};
use logstead_record::ColumnError;
use logstead_template::DecodeError;
use std::io;

/// Why a blocks file, or a block of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlocksError {
    /// The disk does not give it back.
    #[error("the disk cannot read it: {0}")]
    Disk(String),
    /// Nobody knows whether it can be read: the time was up.
    #[error("it was not read in time")]
    Late,
    /// The file is missing.
    #[error("it is missing")]
    Missing,
    /// Its name says that it holds other messages.
    #[error("it holds other messages than its name says, so it was renamed")]
    Renamed,
    /// It is too short, or longer than its parts.
    #[error("its length does not match its parts")]
    Length,
    /// It begins or ends with other bytes.
    #[error("it is not a blocks file")]
    Magic,
    /// Another version of this program wrote it.
    #[error("it has version {0}, and this program reads version {known}; start the version that wrote it", known = BundleKind::Blocks.version())]
    Version(u32),
    /// The checksum of a part is wrong.
    #[error("the checksum of its {0} is wrong")]
    Checksum(&'static str),
    /// The checksum of a page is wrong.
    #[error("the checksum of its page at byte {offset} is wrong")]
    Page {
        /// The offset where the page begins.
        offset: u64,
    },
    /// Checksums fit, and yet a part cannot be understood.
    #[error("it cannot be understood: {0}")]
    Format(String),
    /// A part holds an impossible value.
    #[error("its {0} holds an impossible value")]
    Implausible(&'static str),
    /// The columns are none.
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
        BlocksError::Format(fault.to_string())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn disk(error: io::Error) -> BlocksError {
    BlocksError::Disk(error.to_string())
}
