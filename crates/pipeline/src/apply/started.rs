//! The parts that were started for a revision that is not live yet.
//!
//! **Invariant:** unless it is kept, dropping it stops everything and closes its sockets and files.

use crate::logspace::Logspace;
use logstead_forward::Destination;
use logstead_receive::RunningSource;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct StartedParts {
    pub(super) sources: Vec<Arc<RunningSource>>,
    pub(super) logspaces: Vec<Arc<Logspace>>,
    pub(super) destinations: Vec<Arc<Destination>>,
}

impl StartedParts {
    /// Called when the revision is live, so that everything keeps running.
    pub(super) fn keep(mut self) {
        self.sources.clear();
        self.logspaces.clear();
        self.destinations.clear();
    }
}

impl Drop for StartedParts {
    fn drop(&mut self) {
        self.sources.iter().for_each(|source| source.stop());
        self.logspaces.iter().for_each(|logspace| logspace.stop());
        self.destinations.iter().for_each(|destination| destination.stop());
        self.sources.iter().for_each(|source| source.join());
        self.logspaces.iter().for_each(|logspace| logspace.join());
        self.destinations.iter().for_each(|destination| destination.join());
    }
}
