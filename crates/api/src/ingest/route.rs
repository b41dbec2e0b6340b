//! Paths of other systems that have the same handler.

use crate::state::SharedState;
use axum::routing::MethodRouter;

/// An entry in a protocol's table.
pub(crate) struct ProtocolRoute {
    /// The methods that are accepted.
    pub methods: &'static [&'static str],
    pub paths: &'static [&'static str],
    pub answer: fn() -> MethodRouter<SharedState>,
}

impl ProtocolRoute {
    pub(crate) const fn new(
        methods: &'static [&'static str],
        paths: &'static [&'static str],
        answer: fn() -> MethodRouter<SharedState>,
    ) -> ProtocolRoute {
        ProtocolRoute { methods, paths, answer }
    }
}
