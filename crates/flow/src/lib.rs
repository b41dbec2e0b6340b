//! The data that flows between the parts of the process, and the limits and counters on it. Sources, destinations and
//! the pipeline use this crate; it uses none of them.

pub mod budget;
mod checked_lines;
pub mod chunk;
pub mod count_claim;
pub mod counters;
pub mod gate;
pub mod holders;
mod inbox;
pub mod ledger;
pub mod listen;
pub mod machine;
pub mod queue;
pub mod receipt;
pub mod reopening;
pub mod repeats;
pub mod request_id;
pub mod requests;
pub mod senders;
pub mod sequel;
pub mod writer;

/// The server's allocator, whose figures tests read.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
