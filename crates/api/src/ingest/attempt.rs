//! An attempt to store the messages of a request: its beginning, and its failure.

use crate::error::ApiError;
use logstead_flow::ledger::JournalId;
use logstead_flow::repeats::{Id, RequestProgress};

/// A request that is remembered.
pub(super) struct IdempotentRequest {
    pub(super) key: Id,
    pub(super) body: Id,
}

/// The state of a request that is tried once more.
#[derive(Default)]
pub(super) struct IngestProgress {
    /// The name by which it is remembered.
    pub(super) named: Option<IdempotentRequest>,
    pub(super) progress: RequestProgress,
}

/// Why a batch is not stored, and who has it all the same.
pub(super) struct BatchFailure {
    pub(super) error: ApiError,
    pub(super) had: Vec<JournalId>,
}

impl From<ApiError> for BatchFailure {
    fn from(error: ApiError) -> BatchFailure {
        BatchFailure { error, had: Vec::new() }
    }
}
