//! What flows between the parts of the process, and what bounds and counts it. Sources, destinations and the pipeline use
//! it; it uses none of them.

pub mod budget;
mod checked_lines;
pub mod chunk;
pub mod counters;
pub mod gate;
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
pub mod share;
pub mod writer;
