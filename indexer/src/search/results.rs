//! Messages that were found, one or a page of them, and how many there are.

use super::coverage::Coverage;
use super::question::Position;
use crate::store::damage::Damage;
use logstead_record::{Batch, Timestamp};
use std::sync::Arc;

/// A message that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its number in the logspace.
    pub sequence: u64,
    /// The time it counts by.
    pub time: Timestamp,
    /// A batch that holds it.
    pub batch: Arc<Batch>,
    /// Its row there.
    pub row: usize,
}

impl Hit {
    /// Its position in the order of all messages.
    pub fn position(&self) -> Position {
        Position { time: self.time, sequence: self.sequence }
    }

    /// The approximate memory that it takes.
    pub fn bytes(&self) -> usize {
        self.batch.memory_bytes() / self.batch.rows().max(1)
    }
}

/// A page of messages.
#[derive(Clone, Debug)]
pub struct ResultPage {
    /// In the requested order: the requested number, or all that can be read, or as many as may be held.
    pub hits: Vec<Hit>,
    /// Whether there are more after these; perhaps ones that cannot be read.
    pub more: bool,
    /// Whether it is shorter than it was to be: these are as much as may be held.
    pub is_cut: bool,
    /// The part of the store that was searched.
    pub coverage: Coverage,
}

/// The number of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountResult {
    /// The number of messages: exact if the coverage is complete.
    pub count: u64,
    /// The part of the store that was searched.
    pub coverage: Coverage,
}

/// Why a message cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// It cannot be read.
    #[error("the message may be in a damaged part of the store: {0}")]
    Damaged(String),
    /// Nobody knows whether it can be read: the time was up.
    #[error("the message may be in a part of the store that cannot be read for now: {0}")]
    Late(String),
}

impl SearchError {
    pub(super) fn of(damage: &Damage) -> SearchError {
        let of = if damage.is_late() { SearchError::Late } else { SearchError::Damaged };
        of(damage.to_string())
    }
}
