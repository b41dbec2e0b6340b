//! From the sockets to the disk: what is live, how messages get in, and how another revision of the router
//! document becomes live.
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
mod bell;
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
mod retry;
mod running;
mod sealers;
mod start;
mod status;
mod submit;
mod trust;
pub mod watch;
mod worker;

pub use apply::unfit;
pub use apply::{ApplyError, Change, Prepared};
pub use core::Pipeline;
pub use lookups::Known as KnownLookup;
pub use reindex::Reindexed;
pub use running::HandedBy;
pub use running::Live;
pub use start::pause_destinations;
pub use status::{
    DestinationState, DestinationStatus, DestinationType, ListenerState, ListenerStatus, LogspaceInfo,
    LogspaceState, LogspaceStatus, RetentionInfo, RouteStatus, SourceStatus, SourceType, Status, Totals,
    Unsealed,
};
pub use submit::SubmitError;
