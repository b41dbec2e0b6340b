//! Observers of routing.

use logstead_record::{Batch, Selection};
use std::sync::Arc;

/// An event at a route.
#[derive(Debug)]
pub enum RouteEvent<'a> {
    /// The route takes no messages from this source.
    OtherSource,
    /// The route takes some messages of the batch.
    Takes {
        /// The messages that it takes.
        taken: &'a Selection,
        /// Messages that a final route has already taken.
        ended: &'a Selection,
        /// Messages that an earlier route has taken, if this one is a fallback.
        spoken_for: &'a Selection,
    },
}

/// An event at a step. Rows are those of `before`; each corresponds to a message of the routed batch.
pub struct StepEvent<'a> {
    /// The position of the route.
    pub route: usize,
    /// The position of the step in it.
    pub step: usize,
    /// The key that names its kind.
    pub kind: &'static str,
    /// The messages before the step.
    pub before: &'a Arc<Batch>,
    /// The messages after the step; the same batch if nothing changed.
    pub after: &'a Arc<Batch>,
    /// The rows that are still in the route.
    pub rows: &'a Selection,
    /// The rows that the step's own `where` matches.
    pub concerned: &'a Selection,
    /// The rows that it changed.
    pub changed: &'a Selection,
    /// The rows that it could not change.
    pub failed: &'a Selection,
    /// The rows that it dropped.
    pub dropped: &'a Selection,
    /// Maps a row to a message of the routed batch.
    pub origin: &'a dyn Fn(usize) -> usize,
}

/// An observer that is notified of the steps of routing.
pub trait Watch {
    /// Called at each route.
    fn route(&mut self, _route: usize, _at: &RouteEvent<'_>) {}

    /// Called after each step.
    fn step(&mut self, _at: &StepEvent<'_>) {}
}

/// An observer that ignores everything.
#[derive(Debug)]
pub struct NoWatch;

impl Watch for NoWatch {}
