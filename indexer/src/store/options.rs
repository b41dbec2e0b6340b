//! The options of a logspace: its memory, the size of its files, and the durability of appends.

/// The time at which an append is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// Once it survives a power cut.
    #[default]
    Fsync,
    /// Once the operating system has it, so that it survives the end of this process, but not a power cut.
    Os,
}

/// The options of a logspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The greatest memory for recently appended batches; older ones are read from the journal.
    pub memory_max: usize,
    /// The greatest memory for cached parts of the indexes of segments; other parts are read again.
    pub index_memory_max: usize,
    /// The greatest length of a journal file, unless a single append is longer.
    pub journal_file_max: u64,
    /// The greatest number of messages of a journal file, unless a single append has more. Messages that are in no
    /// segment yet are searched one by one.
    pub journal_rows_max: u32,
    /// The greatest number of messages of a journal file or a segment.
    pub segment_rows_max: u32,
    /// The greatest total size of the messages of a joined segment, in bytes. Joining takes about this much memory.
    pub join_bytes_max: u64,
    /// The time at which an append is acknowledged.
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
