//! What is read of all files in one go: it is stored, or it is read again.

use super::file::Place;
use logstead_flow::chunk::Chunk;

/// What was read.
#[derive(Default)]
pub(super) struct Round {
    pub(super) frames: Chunk,
    pub(super) steps: Vec<Step>,
    /// What cannot be read, and why.
    pub(super) complaints: Vec<String>,
    /// What an operator may want to know.
    pub(super) notes: Vec<String>,
}

impl Round {
    /// Whether more can be read at once.
    pub(super) fn has_more(&self) -> bool {
        self.steps.iter().any(|step| !step.at_end)
    }
}

/// Where a file is read on once the round is stored.
pub(super) struct Step {
    pub(super) number: u64,
    pub(super) next: Place,
    pub(super) skipped_bytes: usize,
    pub(super) at_end: bool,
    pub(super) finished: bool,
}
