//! The files of Logstead on disk, and the search in them.
//!
//! A logspace is a directory that contains a journal, and the segments into which closed journal files are converted.
//! [`encode`] prepares a batch on any thread, an [`Appender`] stores it, and from then on every [`Searcher`] finds
//! its messages. Meanwhile, a [`Keeper`] seals journal files and joins and expires segments.
//!
//! | folder    | owns                                                              |
//! |-----------|-------------------------------------------------------------------|
//! | `error`   | why something could not be written                                |
//! | `bytes`   | numbers at fixed places of headers                                |
//! | `bounds`  | the bounds of the times of some messages                          |
//! | `disk`    | the disk as an argument; a simulated one that fails               |
//! | `columns` | the columns of a batch as bytes                                   |
//! | `journal` | journal files: frames, and the walk over them                     |
//! | `segment` | closed files made ready for fast search                           |
//! | `store`   | a logspace: what counts, appending, keeping, what is wrong        |
//! | `search`  | searching a logspace                                              |
//! | `reader`  | reading a logspace in order, and going on there after a restart   |
//! | `open`    | opening one, or only looking at it                                |
//! | `queue`   | a journal that is read once, in order                             |
//!
//! Each module may use those above it, as `server/tests/structure` says in detail; no two files depend on each other.
//!
//! **Invariant:** no thread, no clock, no runtime: the caller brings them, and the disk.

mod bounds;
mod bytes;
mod columns;
mod disk;
mod error;
mod journal;
mod open;
mod queue;
mod reader;
mod search;
mod segment;
mod store;

pub use columns::ColumnsError;
pub use disk::{Disk, DiskFile, LogspaceIdentity, OpenFiles, ReadOnly, RealDisk, Space};
#[cfg(any(test, feature = "sim"))]
pub use disk::{Fault, SimDisk};
pub use error::DiskError;
pub use journal::HeaderError;
pub use journal::frame::{EncodedBatch, FrameError, encode};
pub use open::{OpenLogspace, ReadOnlyLogspace, closed, look, look_witnessed, open, open_witnessed};
pub use queue::{
    OpenQueue, OpenQueueError, QueueReader, check_cursor, closed_queue, oldest, open_queue, verify_cursor,
};
pub use reader::{Begin, KnownReader, OpenedReader, Reader, ReaderError, Readers};
pub use search::{
    AnswerTarget, ClauseExplanation, CountResult, Coverage, Explanation, Filter, FollowEvent, Follower, Hit,
    MatchedRows, MissingCause, Order, PageRow, PageRows, Position, Request, ResultPage, SearchError,
    Searcher, TemplateMatches, Visit,
};
pub use segment::blocks::BlocksError;
pub use segment::bundle::IndexError;
pub use segment::cache::CacheUses;
pub use store::append::Appender;
pub use store::cursor::CursorError;
pub use store::damage::{Damage, DamageReason};
pub use store::holds::holds_messages;
pub use store::inspect::{InspectError, inspect};
pub use store::keep::{Backlog, KeepError, Keeper, Task, TaskOutcome};
pub use store::manifest::ManifestError;
pub use store::options::{Durability, Options};
pub use store::recover::{Recovery, RecoveryNote};
pub use store::retention::{ExpiredParts, Expiry, HoldBack};
pub use store::stats::Stats;
pub use store::tally::Tally;
pub use store::unopened::OpenError;
pub use store::verify::{Finding, VerifyReport};
