//! Damage: the parts of a logspace that cannot be read, where they are, and why.

use crate::journal::HeaderError;
use crate::journal::frame::FrameError;
use crate::segment::Segment;
use crate::segment::blocks::BlocksError;
use crate::segment::id::SegmentId;
use crate::store::manifest::ManifestError;
use std::fmt;

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file's name.
    pub file: String,
    /// The offset of the part.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// The number of messages that are missing because of it, if known.
    pub messages: Option<u64>,
    /// The reason.
    pub why: DamageReason,
}

/// The reason why a part of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DamageReason {
    /// It is not a valid frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// It does not have a valid file header.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// It is not a valid blocks file or block.
    #[error(transparent)]
    Blocks(#[from] BlocksError),
    /// It is not a valid manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// It cannot be read from the disk.
    #[error("the disk cannot read it: {0}")]
    Disk(String),
    /// The file does not exist.
    #[error("it is missing")]
    Missing,
    /// The logspace is not open.
    #[error("it cannot be opened; this is tried again: {0}")]
    Closed(String),
    /// Files are missing beside it.
    #[error("the messages with the sequences {first} to {last} are missing; they belong next to it")]
    Gap {
        /// The sequence of the first missing message.
        first: u64,
        /// The sequence of the last missing message.
        last: u64,
    },
    /// A file is missing beside it, which may have contained more messages than these.
    #[error(
        "the messages with the sequences {first} to {last} are missing; they belong next to it, and how many came after \
         them is not known"
    )]
    GapAtLeast {
        /// The sequence of the first missing message.
        first: u64,
        /// The sequence of the last message that is known to be missing.
        last: u64,
    },
    /// A file that may have contained messages is missing beside it.
    #[error(
        "messages from the sequence {first} on may be missing; they belong next to it, and how many is not known"
    )]
    GapUnknown {
        /// The sequence of the first message that may be missing.
        first: u64,
    },
    /// The newest journal file is missing.
    #[error(
        "the file that was appended to is missing; messages that were stored in it after the last note in the \
         manifest are lost, and nothing expires before another message is stored"
    )]
    NewestMissing,
    /// The manifest was restored from an older copy.
    #[error("it is older than the segments beside it, which are taken as they are")]
    OldManifest,
}

impl Damage {
    /// Whether it is none, as far as is known: it was not read in time.
    pub(crate) fn is_late(&self) -> bool {
        matches!(self.why, DamageReason::Blocks(BlocksError::Late))
    }

    /// The damage of a whole segment.
    pub(crate) fn of_segment(id: SegmentId, why: BlocksError) -> Damage {
        let (file, messages) = (id.blocks_name(), Some(u64::from(id.rows)));
        Damage { file, offset: 0, bytes: 0, messages, why: why.into() }
    }

    /// The damage of a block of a segment, whose columns are in several places of the file.
    pub(crate) fn of_block(segment: &Segment, why: BlocksError) -> Damage {
        Damage { file: segment.id.blocks_name(), offset: 0, bytes: 0, messages: None, why: why.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { file, offset, bytes, why, .. } = self;
        match bytes {
            0 => write!(f, "{file}: {why}")?,
            _ => write!(f, "{file}: {bytes} bytes at {offset}: {why}")?,
        }
        match self.messages {
            Some(1) => write!(f, " (1 message)"),
            Some(messages) => write!(f, " ({messages} messages)"),
            None => Ok(()),
        }
    }
}
