//! Routing of messages: which routes take a message, how their steps change it, and which targets get it. Routing
//! does no I/O: a batch in, batches out.
//!
//! | module            | owns                                                                       |
//! |-------------------|----------------------------------------------------------------------------|
//! | `router`          | routes in order, and the messages that each target gets                    |
//! | `filter`          | the messages that a query matches, also if it depends on the time          |
//! | `working_batch`   | the messages of one route while they pass through its steps                |
//! | `target_messages` | one batch for each target, in the order of receipt                         |
//! | `step`            | the effect of each kind of step on a batch                                 |
//! | `thinning`        | the bounded memory of sampling, throttling and deduplicating               |
//! | `attempt`         | whether that memory counts, since senders repeat what fails                |
//! | `lookup`          | tables that a step looks values up in                                      |
//! | `watch`           | observers of routing: counters, tests and traces                           |
//!
//! **Invariant:** routing a batch gives what routing its messages one by one gives, in the same order.
//! **Invariant:** a route whose steps change nothing copies nothing.

mod attempt;
mod filter;
mod lookup;
mod router;
mod step;
mod target_messages;
mod thinning;
mod watch;
mod working_batch;

pub use attempt::BatchAttempt;
pub use lookup::{LOOKUP_BYTES_MAX, LOOKUP_ROWS_MAX, LookupError, LookupTable, Lookups};
pub use router::{DroppedRows, Router, RoutingResult, TargetDelivery};
pub use step::unfit;
pub use watch::{NoWatch, RouteEvent, StepEvent, Watch};
