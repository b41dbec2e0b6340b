//! Makes the indexes of a logspace again while it is in use: in one thread that gives way to everything else.

use super::Pipeline;
use super::logspace::Logspace;
use logstead_flow::machine::priority::{self, Way};
use logstead_indexer::{KeepError, TaskOutcome};
use std::sync::Arc;

/// Failures that are told.
const FAILURES_MAX: usize = 100;

/// What became of them.
#[derive(Debug, Default)]
pub struct Reindexed {
    /// Indexes that were written again.
    pub indexes: u64,
    /// Messages in these indexes.
    pub messages: u64,
    /// Why indexes were not made, at most 100.
    pub failures: Vec<String>,
    /// Whether all were.
    pub is_complete: bool,
}

impl Pipeline {
    /// Makes them one after the other, the oldest first, until it is cancelled. `progress` is told after each how many of
    /// how many are done.
    pub fn reindex(
        &self,
        id: &str,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Reindexed {
        let Some(logspace) = self.running.load().logspaces.get(id).cloned() else {
            return Reindexed::default();
        };
        let run = || {
            priority::give_way(Way::Fully);
            self.reindex_all(&logspace, is_cancelled, progress)
        };
        let failed =
            || Reindexed { failures: vec!["a bug, please report it".to_owned()], ..Reindexed::default() };
        std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|_| failed())
    }

    fn reindex_all(
        &self,
        logspace: &Arc<Logspace>,
        is_cancelled: &dyn Fn() -> bool,
        progress: &dyn Fn(usize, usize),
    ) -> Reindexed {
        let tasks = logspace.keeper().reindex_tasks();
        let mut reindexed = Reindexed::default();
        for (at, task) in tasks.iter().enumerate() {
            if is_cancelled() {
                return reindexed;
            }
            if let Some(reason) = self.headroom.refuses_segments() {
                reindexed.failures.push(reason);
                return reindexed;
            }
            match logspace.keeper().run(task, is_cancelled) {
                Ok(TaskOutcome::Reindexed { messages }) => {
                    reindexed.indexes += 1;
                    reindexed.messages += messages;
                }
                // It has expired meanwhile.
                Ok(_) => {}
                Err(KeepError::Cancelled) => return reindexed,
                Err(error) if reindexed.failures.len() < FAILURES_MAX => {
                    reindexed.failures.push(format!("could not {}: {error}", task.describe()));
                }
                Err(_) => {}
            }
            progress(at + 1, tasks.len());
        }
        reindexed.is_complete = reindexed.failures.is_empty();
        reindexed
    }
}
