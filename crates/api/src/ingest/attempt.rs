//! An attempt to store the messages of a request: where it begins, and how it stopped.

use crate::error::ApiError;
use logstead_flow::ledger::JournalId;
use logstead_flow::repeats::{Id, RequestProgress};

/// A request that is remembered.
pub(super) struct Named {
    pub(super) key: Id,
    pub(super) body: Id,
}

/// Where a request goes on.
#[derive(Default)]
pub(super) struct Taking {
    /// What it is remembered by.
    pub(super) named: Option<Named>,
    pub(super) progress: RequestProgress,
}

/// Why a batch is not stored, and who has it all the same.
pub(super) struct Stopped {
    pub(super) error: ApiError,
    pub(super) had: Vec<JournalId>,
}

impl From<ApiError> for Stopped {
    fn from(error: ApiError) -> Stopped {
        Stopped { error, had: Vec::new() }
    }
}
