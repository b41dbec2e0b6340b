//! The way from the sockets to the disk: the live revision, the processing of messages, and the change to another
//! revision of the router document.
//!
//! ```text
//! sources ── chunks ──▶ workers ── encoded ──▶ logspaces (journal, then acknowledged)
//! (a thread each)       (parse, route)  │      ▲ sealers (journal files → segments)
//!                                       └──▶ destinations (queue and thread each)
//! ```
//!
//! **Invariant:** the queues between these are unbounded; the receipts bound all of them together, with a budget for
//! each source.

pub mod apply;
mod clock_trust;
mod clock_watch;
mod copies;
mod core;
mod gaps;
mod headroom;
pub mod internal;
mod logspace;
mod lookups;
mod metrics;
mod observe;
mod progress;
mod reindex;
mod running;
mod sealers;
mod start;
mod status;
mod submit;
mod waker;
pub mod watch;
mod worker;

pub use apply::unfit;
pub use apply::{ApplyError, PreparedChange, RevisionChange};
pub use core::Pipeline;
pub use lookups::LookupFileState as KnownLookup;
pub use reindex::ReindexResult;
pub use running::HandedBy;
pub use running::LiveRevision;
pub use start::pause_destinations;
pub use status::{
    DestinationState, DestinationStatus, ListenerState, ListenerStatus, LogspaceInfo, LogspaceState,
    LogspaceStatus, RetentionInfo, RouteStatus, SourceStatus, Status, Totals, Unsealed,
};
pub use submit::SubmitError;
