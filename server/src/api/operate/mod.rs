//! What operators and senders need: storing messages, logspaces and their health.

pub(super) mod destinations;
pub(super) mod flow;
pub(super) mod ingest;
pub(super) mod logspaces;
pub(super) mod reading;
pub(super) mod replay;
pub(super) mod room;
mod slices;
pub(super) mod system;
pub(super) mod trial;
