//! Paths of other systems that are answered alike.

use crate::state::SharedState;
use axum::routing::MethodRouter;

/// A row of a protocol's table.
pub(crate) struct ProtocolRoute {
    /// The methods that are answered.
    pub methods: &'static [&'static str],
    pub paths: &'static [&'static str],
    pub answer: fn() -> MethodRouter<SharedState>,
}
