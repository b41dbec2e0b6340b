//! Endpoints for operators: logspaces, destinations, and their health.

pub(super) mod about;
pub(super) mod certificates;
pub(super) mod description;
pub(super) mod destinations;
pub(super) mod flow;
pub(super) mod logspaces;
pub(super) mod replay;
pub(super) mod senders;
pub(super) mod support;
pub(super) mod system;
pub(super) mod test_message;
pub(super) mod upkeep;
