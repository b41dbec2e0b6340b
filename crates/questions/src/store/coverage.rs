//! The work done for an answer, and its gaps.
//!
//! **Invariant:** an answer that did not look at everything says so: `complete` is false, and the reasons are here.

use logstead_indexer as indexer;
use serde::Serialize;

/// The segments, batches and messages that were looked at, and the gaps.
#[derive(Clone, Default, Serialize, utoipa::ToSchema)]
pub struct Coverage {
    /// Whether everything was searched that had to be; if not, a warning says why.
    pub complete: bool,
    /// Sealed segments that were searched.
    segments: u64,
    /// Sealed segments that were skipped because of their time.
    skipped_segments: u64,
    /// Sealed segments without an index: their messages were read one by one.
    unindexed_segments: u64,
    /// Blocks of segments that were decompressed. This and the following are 0 for callers limited by a
    /// grant: they would reveal other messages.
    blocks: u64,
    /// Messages that were compared with the query one by one.
    scanned_messages: u64,
    /// The memory they take.
    scanned_bytes: u64,
    /// Batches of the journal that were searched.
    journal_batches: u64,
    /// Batches of the journal that were skipped because of their time.
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
    /// Before any logspace was searched.
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

    /// Nothing of a logspace was looked at, because time ran out.
    pub(super) fn add_unfinished(&mut self, logspace: &str) {
        self.complete = false;
        self.unfinished.push(logspace.to_owned());
    }

    /// The sum of two questions' coverage.
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

    /// The coverage of two parts of the range that had the same segments and batches to choose from. A segment or batch
    /// that both looked at counts twice, up to the number there are.
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

    /// Without the numbers that depend on what messages say.
    pub fn without_contents(self) -> Coverage {
        Coverage { blocks: 0, scanned_messages: 0, scanned_bytes: 0, ..self }
    }
}
