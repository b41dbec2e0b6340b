//! The size of a logspace in figures.

use crate::store::view::View;
use logstead_record::Timestamp;

/// The contents of a logspace in figures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// The number of messages.
    pub messages: u64,
    /// The number of messages in sealed segments.
    pub sealed_messages: u64,
    /// The number of sealed segments.
    pub segments: usize,
    /// The length of their blocks files.
    pub blocks_bytes: u64,
    /// The length of their indexes.
    pub index_bytes: u64,
    /// The number of batches in the journal.
    pub batches: u64,
    /// The number of journal files.
    pub journal_files: usize,
    /// Their length in bytes.
    pub journal_bytes: u64,
    /// The memory of the batches that are kept in memory.
    pub memory_bytes: usize,
    /// The earliest time of a message.
    pub first_time: Option<Timestamp>,
    /// The latest time.
    pub last_time: Option<Timestamp>,
    /// The sequence of the oldest message that is not expired.
    pub first_sequence: u64,
    /// The sequence of the next message.
    pub next_sequence: u64,
    /// The number of known parts that cannot be read.
    pub damaged: usize,
}

impl Stats {
    /// The figures of a view.
    pub(crate) fn of(view: &View) -> Stats {
        let filled = || view.files.iter().filter(|file| 0 < file.messages);
        let blocks = || view.segments.iter().map(|segment| &segment.blocks);
        let sealed_messages = view.segment_ids().map(|id| u64::from(id.rows)).sum();
        let index_bytes = view.segments.iter().map(|segment| segment.index_bytes()).sum::<u64>();
        let times = || filled().map(|file| file.times).chain(blocks().map(|blocks| blocks.span.times()));
        Stats {
            messages: sealed_messages + view.files.iter().map(|file| file.messages).sum::<u64>(),
            sealed_messages,
            segments: view.segment_ids().count(),
            blocks_bytes: blocks().map(|blocks| blocks.bytes).sum(),
            index_bytes: index_bytes + view.lost.iter().map(|lost| lost.index_bytes).sum::<u64>(),
            batches: view.files.iter().map(|file| file.batches).sum(),
            journal_files: view.files.len(),
            journal_bytes: view.files.iter().map(|file| file.bytes).sum(),
            memory_bytes: view.held().bytes,
            first_time: times().map(|times| times.earliest).min(),
            last_time: times().map(|times| times.latest).max(),
            first_sequence: view.first_sequence(),
            next_sequence: view.next_sequence,
            damaged: view.damaged().count(),
        }
    }
}
