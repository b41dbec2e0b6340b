//! Paths of other systems that are answered alike.

use crate::state::Shared;
use axum::routing::MethodRouter;

/// A row of a protocol's table.
pub(crate) struct Route {
    /// The methods that are answered.
    pub methods: &'static [&'static str],
    pub paths: &'static [&'static str],
    pub answer: fn() -> MethodRouter<Shared>,
}
