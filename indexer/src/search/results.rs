//! The results of searches: messages, pages of them, and counts.

use super::coverage::Coverage;
use super::question::Position;
use crate::store::damage::Damage;
use logstead_record::{Batch, Timestamp};
use std::sync::Arc;

/// A message that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The sequence of the message in the logspace.
    pub sequence: u64,
    /// The time of the message.
    pub time: Timestamp,
    /// A batch that contains it.
    pub batch: Arc<Batch>,
    /// The row of the message in that batch.
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

/// A page of messages, each of which is a row of one of its batches.
#[derive(Clone, Debug, Default)]
pub struct PageRows {
    /// The batches that contain them.
    pub batches: Vec<Arc<Batch>>,
    /// The messages in the requested order: the requested number, all that can be read, or as many as fit in memory.
    pub rows: Vec<PageRow>,
    /// Whether there are more messages after these; they may turn out to be unreadable.
    pub more: bool,
    /// Whether the page is shorter than requested because of the memory limit.
    pub is_cut: bool,
    /// The part of the store that was searched.
    pub coverage: Coverage,
}

/// A message of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageRow {
    /// The time of the message.
    pub time: Timestamp,
    /// The sequence of the message in the logspace.
    pub sequence: u64,
    /// The number of its batch on the page.
    pub batch: u32,
    /// The row of the message in that batch.
    pub row: u32,
}

impl PageRow {
    /// Its position in the order of all messages.
    pub fn position(&self) -> Position {
        Position { time: self.time, sequence: self.sequence }
    }
}

impl PageRows {
    /// The message of a row of the page.
    pub fn hit(&self, of: &PageRow) -> Hit {
        let PageRow { time, sequence, batch, row } = *of;
        Hit { sequence, time, batch: Arc::clone(&self.batches[batch as usize]), row: row as usize }
    }
}

impl From<PageRows> for ResultPage {
    fn from(page: PageRows) -> ResultPage {
        let hits = page.rows.iter().map(|row| page.hit(row)).collect();
        ResultPage { hits, more: page.more, is_cut: page.is_cut, coverage: page.coverage }
    }
}

/// A page of messages.
#[derive(Clone, Debug)]
pub struct ResultPage {
    /// The messages in the requested order: the requested number, all that can be read, or as many as fit in memory.
    pub hits: Vec<Hit>,
    /// Whether there are more messages after these; they may turn out to be unreadable.
    pub more: bool,
    /// Whether the page is shorter than requested because of the memory limit.
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

/// The reason why a message cannot be returned.
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
