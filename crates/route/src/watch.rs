//! Who looks on while messages are routed.

use logstead_record::{Batch, Selection};
use std::sync::Arc;

/// What happens at a route.
#[derive(Debug)]
pub enum RouteEvent<'a> {
    /// It does not listen to the source.
    OtherSource,
    /// Which messages of the batch it takes, and why the others did not get that far.
    Takes {
        /// They.
        taken: &'a Selection,
        /// An earlier route ended the way of these.
        ended: &'a Selection,
        /// It is a fallback, and an earlier route took these.
        spoken_for: &'a Selection,
    },
}

/// What happens at a step. Rows are those of `before`; each stands for a message of the batch that is routed.
pub struct StepEvent<'a> {
    /// The position of the route.
    pub route: usize,
    /// The position of the step in it.
    pub step: usize,
    /// The key that says what it does.
    pub kind: &'static str,
    /// The messages as they get there.
    pub before: &'a Arc<Batch>,
    /// The messages as they leave; the same batch where nothing is changed.
    pub after: &'a Arc<Batch>,
    /// Rows that are on their way.
    pub rows: &'a Selection,
    /// Those of them that the step's own `where` means.
    pub concerned: &'a Selection,
    /// Those of them that are changed.
    pub changed: &'a Selection,
    /// Those of them that it could not be done to.
    pub failed: &'a Selection,
    /// Those that are taken out.
    pub dropped: &'a Selection,
    /// For each row the message of the batch that is routed.
    pub origin: &'a dyn Fn(usize) -> usize,
}

/// Looks on.
pub trait Watch {
    /// A route is reached.
    fn route(&mut self, _route: usize, _at: &RouteEvent<'_>) {}

    /// A step is done.
    fn step(&mut self, _at: &StepEvent<'_>) {}
}

/// Nobody.
#[derive(Debug)]
pub struct NoWatch;

impl Watch for NoWatch {}
