//! What a search is given to run: when to stop, and where its parts are done.

use super::Work;
use super::lanes::{Alone, Lanes};

/// How a search is run.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Whether it is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Where its parts are done side by side.
    pub lanes: &'a dyn Lanes,
}

impl<'a> Run<'a> {
    /// To the end, on the calling thread.
    pub fn alone() -> Run<'static> {
        Run { cancelled: &|| false, lanes: &Alone }
    }

    /// Whether it is no longer wanted.
    pub fn is_over(&self) -> bool {
        (self.cancelled)()
    }

    /// The work of one of its threads.
    pub fn work(&self) -> Work<'a> {
        Work::until(self.cancelled)
    }
}
