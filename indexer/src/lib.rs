//! Logstead's bytes on disk, and search over them.
//!
//! A logspace is a directory. For now all of it is a journal: [`encode`] makes a batch ready on any thread, an
//! [`Appender`] stores it, and from then on every [`Searcher`] finds its messages, in memory or read back.
//!
//! | module    | owns                                                        |
//! |-----------|-------------------------------------------------------------|
//! | `disk`    | the disk as an argument; a simulated one that fails         |
//! | `columns` | the columns of a batch as bytes                             |
//! | `frame`   | the bytes of one batch in a journal: header, checksums, chain |
//! | `journal` | the bytes of a journal file: name and header                |
//! | `scan`    | the walk over a file's frames and over what is none         |
//! | `recover` | opening, to store messages or only to look                  |
//! | `survey`  | what is there, what of it counts, what is missing           |
//! | `replay`  | a journal file as it is found                               |
//! | `choose`  | which of several files count that hold the same messages    |
//! | `aside`   | what is kept though it does not count                       |
//! | `append`  | writing: group commit, rolling, expiry                      |
//! | `answer`  | what found rows are turned into: histograms, facets, tables    |
//! | `store::view` | what can be searched at one moment                          |
//! | `search`  | searching it                                                |
//! | `segment` | closed files made ready for fast search                     |
//!
//! **Invariant:** no thread, no clock, no runtime: who calls brings them, and the disk.

mod answer;
mod append;
mod aside;
mod choose;
mod columns;
mod disk;
mod frame;
mod holds;
mod inspect;
mod journal;
mod keep;
mod manifest;
mod read;
mod recover;
mod replay;
mod scan;
mod search;
mod segment;
mod store;
mod survey;
mod verify;
mod work;

pub use answer::{
    Aggregation, AnswerError, BUCKETS_MAX, BY_VALUES_MAX, Column, Counts, Facet, Facets, Histogram, Kind,
    ROWS_MAX, Series, Settings, Table, Unreadable, Value, Width,
};
pub use append::{Appender, DiskError, Durability, Expired, Expiry};
pub use columns::ColumnsError;
pub use disk::{Disk, DiskFile, OpenFiles, ReadOnly, RealDisk, Space};
#[cfg(any(test, feature = "sim"))]
pub use disk::{Fault, SimDisk};
pub use frame::{Encoded, FrameError, encode};
pub use holds::holds_messages;
pub use inspect::{InspectError, inspect};
pub use journal::HeaderError;
pub use keep::{Backlog, Done, KeepError, Keeper, Task};
pub use manifest::ManifestError;
pub use recover::{Looked, OpenError, Opened, Recovery, Told, look, open};
pub use search::{
    Alone, Asked, Clause, Counted, Coverage, Explained, Filter, Followed, Follower, Found, Hit, Lanes,
    Matched, Order, Position, Request, Run, SearchError, Searcher, Stats, Visit,
};
pub use segment::blocks::BlocksError;
pub use segment::bundle::IndexError;
pub use store::view::{Damage, DamageReason};
pub use verify::{Checked, Finding};

/// Where the journal of a logspace is in its folder.
pub(crate) const JOURNAL_DIR: &str = "journal";
/// Where its segments are.
pub(crate) const SEGMENTS_DIR: &str = "segments";

/// How a logspace is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Most memory for batches that were appended lately; older ones are read from the journal.
    pub memory_max: usize,
    /// Most memory for what is kept of the indexes of segments; the rest is read again.
    pub index_memory_max: usize,
    /// A journal file is not made longer than this, unless one append alone is.
    pub journal_file_max: u64,
    /// Nor does it hold more messages than this, unless one append alone does: so many are a segment.
    pub segment_rows_max: u32,
    /// When an append is acknowledged.
    pub durability: Durability,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            memory_max: 256 << 20,
            index_memory_max: 64 << 20,
            journal_file_max: 64 << 20,
            segment_rows_max: 1 << 20,
            durability: Durability::Fsync,
        }
    }
}
