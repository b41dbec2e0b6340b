//! The work done for an answer, and the gaps in it.
//!
//! **Invariant:** an answer that did not look at everything says so: `complete` is false, and the reasons are here.

use logstead_indexer as indexer;
use serde::Serialize;

/// The segments, batches and messages that were examined, and the gaps.
#[derive(Clone, Default, Serialize, utoipa::ToSchema)]
pub struct Coverage {
    /// Whether everything was searched that had to be searched; if not, a warning gives the reason.
    pub complete: bool,
    /// Sealed segments that were searched.
    segments: u64,
    /// Sealed segments that were skipped because they are outside the time range.
    skipped_segments: u64,
    /// Sealed segments without an index: their messages were read one by one.
    unindexed_segments: u64,
    /// Blocks of segments that were decompressed. This and the following are 0 for callers limited by a
    /// grant: they would reveal other messages.
    blocks: u64,
    /// Messages that were compared with the query one by one.
    scanned_messages: u64,
    /// Their size in memory.
    scanned_bytes: u64,
    /// Batches of the journal that were searched.
    journal_batches: u64,
    /// Batches of the journal that were skipped because they are outside the time range.
    skipped_batches: u64,
    /// Parts that cannot be read, each with its logspace.
    #[serde(skip)]
    pub damaged: Vec<(String, String)>,
    /// Logspaces that were not searched to the end, because time ran out.
    #[serde(skip)]
    pub unfinished: Vec<String>,
    /// Parts that were not read in time, each with its logspace.
    #[serde(skip)]
    pub late: Vec<(String, String)>,
}

impl Coverage {
    /// The coverage before any logspace was searched.
    pub(super) fn new() -> Coverage {
        Coverage { complete: true, ..Coverage::default() }
    }

    pub(super) fn add(&mut self, logspace: &str, other: indexer::Coverage) {
        let id = || logspace.to_owned();
        let of_one = Coverage {
            complete: other.complete,
            segments: other.segments,
            skipped_segments: other.skipped_segments,
            unindexed_segments: other.unindexed_segments,
            blocks: other.blocks,
            scanned_messages: other.scanned_messages,
            scanned_bytes: other.scanned_bytes,
            journal_batches: other.journal_batches,
            skipped_batches: other.skipped_batches,
            damaged: other.damaged.into_iter().map(|damage| (id(), damage)).collect(),
            unfinished: other.cancelled.then(id).into_iter().collect(),
            late: other.late.into_iter().map(|part| (id(), part)).collect(),
        };
        *self = std::mem::take(self).plus(of_one);
    }

    /// Whether something was not looked at that would be found another time.
    pub fn is_cut(&self) -> bool {
        !self.unfinished.is_empty() || !self.late.is_empty()
    }

    /// Adds a logspace that was not searched at all because time ran out.
    pub(super) fn add_unfinished(&mut self, logspace: &str) {
        self.complete = false;
        self.unfinished.push(logspace.to_owned());
    }

    /// The combined coverage of two questions.
    pub fn plus(mut self, other: Coverage) -> Coverage {
        self.damaged.extend(other.damaged);
        self.unfinished.extend(other.unfinished);
        self.late.extend(other.late);
        Coverage {
            complete: self.complete && other.complete,
            segments: self.segments + other.segments,
            skipped_segments: self.skipped_segments + other.skipped_segments,
            unindexed_segments: self.unindexed_segments + other.unindexed_segments,
            blocks: self.blocks + other.blocks,
            scanned_messages: self.scanned_messages + other.scanned_messages,
            scanned_bytes: self.scanned_bytes + other.scanned_bytes,
            journal_batches: self.journal_batches + other.journal_batches,
            skipped_batches: self.skipped_batches + other.skipped_batches,
            ..self
        }
    }

    /// The combined coverage of two parts of the range that had the same segments and batches to choose from. A
    /// segment or batch that both parts examined counts twice, but the total is limited to the number that exist.
    pub fn joined(self, other: Coverage) -> Coverage {
        let segments = (self.segments + self.skipped_segments).max(other.segments + other.skipped_segments);
        let batches =
            (self.journal_batches + self.skipped_batches).max(other.journal_batches + other.skipped_batches);
        let sum = self.plus(other);
        let (asked, looked_at) = (sum.segments.min(segments), sum.journal_batches.min(batches));
        Coverage {
            segments: asked,
            skipped_segments: segments - asked,
            unindexed_segments: sum.unindexed_segments.min(asked),
            journal_batches: looked_at,
            skipped_batches: batches - looked_at,
            ..sum
        }
    }

    /// The coverage without the numbers that depend on the contents of messages.
    pub fn without_contents(self) -> Coverage {
        Coverage { blocks: 0, scanned_messages: 0, scanned_bytes: 0, ..self }
    }
}
