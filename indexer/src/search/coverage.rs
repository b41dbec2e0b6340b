//! The extent of a search: the parts of the store that it read, and those that it could not read.
//!
//! **Invariant:** it is complete only if everything that had to be read could be read.

use crate::store::damage::Damage;
use crate::store::view::View;
use logstead_record::Batch;
use std::collections::HashSet;

/// The extent of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Whether everything that had to be read could be read.
    pub complete: bool,
    /// Whether it was cancelled before it was finished.
    pub cancelled: bool,
    /// The number of messages that were compared with the query one by one.
    pub scanned_messages: u64,
    /// Their size in memory.
    pub scanned_bytes: u64,
    /// The number of sealed segments that were searched.
    pub segments: u64,
    /// The number of sealed segments that were skipped because of their times.
    pub skipped_segments: u64,
    /// The number of sealed segments without an index, whose messages had to be read.
    pub unindexed_segments: u64,
    /// The number of blocks that were decompressed.
    pub blocks: u64,
    /// The number of batches of the journal that were read.
    pub journal_batches: u64,
    /// The number of batches of the journal that were skipped because of their times.
    pub skipped_batches: u64,
    /// The parts that cannot be read.
    pub damaged: Vec<String>,
    /// The parts that were not read in time: what is in them is not known.
    pub late: Vec<String>,
}

impl Coverage {
    /// Adds the coverage of another part.
    pub(super) fn add(&mut self, other: Coverage) {
        self.scanned_messages += other.scanned_messages;
        self.scanned_bytes += other.scanned_bytes;
        self.segments += other.segments;
        self.skipped_segments += other.skipped_segments;
        self.unindexed_segments += other.unindexed_segments;
        self.blocks += other.blocks;
        self.journal_batches += other.journal_batches;
        self.skipped_batches += other.skipped_batches;
        self.cancelled |= other.cancelled;
        self.damaged.extend(other.damaged);
        self.late.extend(other.late);
    }

    /// Whether nothing that was wanted was left unread.
    pub(super) fn has_read_all(&self) -> bool {
        !self.cancelled && self.damaged.is_empty() && self.late.is_empty()
    }

    /// A part was not read.
    pub(super) fn unread(&mut self, damage: &Damage) {
        let list = if damage.is_late() { &mut self.late } else { &mut self.damaged };
        list.push(damage.to_string());
    }

    pub(super) fn scanned(&mut self, batch: &Batch) {
        self.scanned_messages += batch.rows() as u64;
        self.scanned_bytes += batch.memory_bytes() as u64;
    }

    /// Adds the damage that was known before, and counts the parts that were skipped.
    pub(super) fn end(mut self, view: &View) -> Coverage {
        let mut damaged: Vec<String> = view.damaged().map(|damage| damage.to_string()).collect();
        damaged.append(&mut self.damaged);
        // A part that is read twice is reported only once.
        let mut known = HashSet::new();
        let mut is_new = |part: &String| known.insert(part.clone());
        damaged.retain(&mut is_new);
        self.late.retain(&mut is_new);
        let segments = (view.segments.len() + view.lost.len()) as u64;
        let batches: u64 = view.files.iter().map(|file| file.batches).sum();
        Coverage {
            complete: damaged.is_empty() && self.late.is_empty() && !self.cancelled,
            skipped_batches: batches.saturating_sub(self.journal_batches),
            skipped_segments: segments.saturating_sub(self.segments),
            damaged,
            ..self
        }
    }
}
