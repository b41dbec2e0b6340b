//! What becomes of a message: which routes take it, what their steps make of it, and which targets get it. Pure: a batch
//! in, batches out.
//!
//! | module     | owns                                                                       |
//! |------------|----------------------------------------------------------------------------|
//! | `router`   | routes in order, and what each target gets                                 |
//! | `filter`   | which messages a query means, also one that depends on the time            |
//! | `way`      | the messages of one route on their way through its steps                   |
//! | `gather`   | one batch for each target, in the order of receipt                         |
//! | `step`     | what each kind of step does to a batch                                     |
//! | `template` | what a template gives for a message                                        |
//! | `state`    | what sampling, throttling and deduplicating remember, with a bound         |
//! | `attempt`  | whether what they remember counts, as senders send again what fails        |
//! | `lookup`   | tables that a step looks values up in                                      |
//! | `watch`    | who looks on: counters, tests and traces                                   |
//!
//! **Invariant:** routing a batch gives what routing its messages one by one gives, in the same order.
//! **Invariant:** a route whose steps change nothing copies nothing.

mod attempt;
mod filter;
mod gather;
mod lookup;
mod router;
mod state;
mod step;
mod template;
mod watch;
mod way;

pub use attempt::Attempt;
pub use lookup::{LOOKUP_BYTES_MAX, LOOKUP_ROWS_MAX, LookupError, LookupTable, Lookups};
pub use router::{Delivery, Dropped, Routed, Router};
pub use step::unfit;
pub use watch::{AtRoute, AtStep, NoWatch, Watch};
