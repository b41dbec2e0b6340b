//! What flows between the parts of the process, and what bounds and counts it. Sources, destinations and the pipeline use
//! it; it uses none of them.

pub(crate) mod budget;
mod checked_lines;
pub(crate) mod chunk;
pub(crate) mod counters;
pub(crate) mod gate;
pub(crate) mod ledger;
pub(crate) mod queue;
pub(crate) mod receipt;
pub(crate) mod reopening;
pub(crate) mod repeats;
pub(crate) mod requests;
pub(crate) mod senders;
pub(crate) mod sequel;
pub(crate) mod share;
pub(crate) mod writer;
