//! Paths of other systems that are answered alike.

use crate::api::state::Shared;
use axum::routing::MethodRouter;

/// A row of a protocol's table.
pub(crate) struct Route {
    /// The methods that are answered.
    pub(crate) methods: &'static [&'static str],
    pub(crate) paths: &'static [&'static str],
    pub(crate) answer: fn() -> MethodRouter<Shared>,
}
