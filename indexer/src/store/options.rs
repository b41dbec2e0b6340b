//! The options of a logspace: its memory, the length of its files, and when an append counts.

/// When an append is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// Once it survives a power cut.
    #[default]
    Fsync,
    /// Once the operating system has it: it survives the end of this process only.
    Os,
}

/// The options of a logspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The most memory for batches that were appended lately; older ones are read from the journal.
    pub memory_max: usize,
    /// The most memory for cached parts of the indexes of segments; the rest is read again.
    pub index_memory_max: usize,
    /// A journal file is not made longer than this, unless one append alone is.
    pub journal_file_max: u64,
    /// Nor does it hold more messages than this, unless one append alone does: messages that are in no segment yet
    /// are searched one by one.
    pub journal_rows_max: u32,
    /// Neither a journal file nor a segment holds more messages than this.
    pub segment_rows_max: u32,
    /// Segments are joined to no more bytes of messages than this. Joining holds about as much in memory.
    pub join_bytes_max: u64,
    /// When an append is acknowledged.
    pub durability: Durability,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            memory_max: 256 << 20,
            index_memory_max: 256 << 20,
            journal_file_max: 64 << 20,
            journal_rows_max: 1 << 17,
            segment_rows_max: 1 << 22,
            join_bytes_max: 64 << 20,
            durability: Durability::Fsync,
        }
    }
}
