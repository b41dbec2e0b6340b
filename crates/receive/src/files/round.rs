//! One round of reading all files, which is either stored or read again.

use super::file::FilePosition;
use logstead_flow::chunk::Chunk;

/// The frames and notes of a round.
#[derive(Default)]
pub(super) struct Round {
    pub(super) frames: Chunk,
    pub(super) steps: Vec<RoundStep>,
    /// The files that cannot be read, with the reasons.
    pub(super) complaints: Vec<String>,
    /// Notes for the operator.
    pub(super) notes: Vec<String>,
}

impl Round {
    /// Whether more can be read at once.
    pub(super) fn has_more(&self) -> bool {
        self.steps.iter().any(|step| !step.at_end)
    }
}

/// The position from which a file is read on once the round is stored.
pub(super) struct RoundStep {
    pub(super) number: u64,
    pub(super) next: FilePosition,
    pub(super) skipped_bytes: usize,
    pub(super) at_end: bool,
    pub(super) finished: bool,
}
