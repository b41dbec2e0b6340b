//! The outcome of a task, or the reason why it failed.

use crate::error::DiskError;
use crate::store::damage::Damage;

/// The outcome of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TaskOutcome {
    /// A journal file was converted into segments.
    Sealed {
        /// The number of segments.
        segments: usize,
        /// The number of their messages.
        messages: u64,
    },
    /// The index of a segment was rebuilt.
    Reindexed {
        /// Its messages.
        messages: u64,
    },
    /// Small segments were joined into one.
    Joined {
        /// The number of segments that were joined.
        segments: usize,
        /// The number of their messages.
        messages: u64,
    },
    /// The messages of the task have expired meanwhile.
    Void,
}

/// The reason why a task failed. It is offered again unless its input is damaged.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// A write failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A part to be sealed cannot be read. It stays unchanged, and is searched as it is.
    #[error("{0}")]
    Damaged(String),
    /// A part was not read in time.
    #[error("{0}")]
    Late(String),
    /// The task was cancelled.
    #[error("it was cancelled")]
    Cancelled,
}

impl From<Damage> for KeepError {
    fn from(damage: Damage) -> KeepError {
        if damage.is_late() {
            KeepError::Late(damage.to_string())
        } else {
            KeepError::Damaged(damage.to_string())
        }
    }
}
