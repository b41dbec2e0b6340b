//! The context that a search runs in: when to stop, and the lanes for its parts.

use super::Work;
use super::deadline::{Deadline, NO_DEADLINE};
use super::lanes::{Alone, Lanes};

/// The context of a search.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// Whether the search is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// The lanes in which its parts are processed in parallel.
    pub lanes: &'a dyn Lanes,
    /// How long its reads may take.
    pub deadline: &'a Deadline,
}

impl<'a> SearchContext<'a> {
    /// A search that runs to the end, on the calling thread.
    pub fn alone() -> SearchContext<'static> {
        SearchContext { cancelled: &|| false, lanes: &Alone, deadline: &NO_DEADLINE }
    }

    /// Whether the search is no longer wanted.
    pub fn is_over(&self) -> bool {
        (self.cancelled)()
    }

    /// The work of one of its threads.
    pub fn work(&self) -> Work<'a> {
        Work::until(self.cancelled)
    }
}
