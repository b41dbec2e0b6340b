//! Rebuilds the indexes of a logspace while it is in use, on a single thread of low priority.

use super::Pipeline;
use super::logspace::Logspace;
use logstead_flow::machine::priority::{self, ThreadPriority};
use logstead_indexer::{KeepError, TaskOutcome};
use std::sync::Arc;

/// The number of failures that are reported.
const FAILURES_MAX: usize = 100;

/// The result of rebuilding indexes.
#[derive(Debug, Default)]
pub struct ReindexResult {
    /// The number of indexes that were rebuilt.
    pub indexes: u64,
    /// Messages in these indexes.
    pub messages: u64,
    /// Why indexes were not rebuilt, at most 100 reasons.
    pub failures: Vec<String>,
    /// Whether all indexes were rebuilt.
    pub is_complete: bool,
    /// Whether it was cancelled before it had tried all of them.
    pub is_cut: bool,
}

impl Pipeline {
    /// Rebuilds the indexes one after the other, oldest first, until it is cancelled. `begin` is called with the number
    /// of indexes, and `each` after each one with the messages in it.
    pub fn reindex(
        &self,
        id: &str,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        begin: &(dyn Fn(usize) + Sync),
        each: &(dyn Fn(u64) + Sync),
    ) -> ReindexResult {
        let Some(logspace) = self.running.load().logspaces.get(id).cloned() else {
            return ReindexResult::default();
        };
        let run = || {
            priority::give_way(ThreadPriority::Low);
            self.reindex_all(&logspace, is_cancelled, begin, each)
        };
        let failed = || ReindexResult {
            failures: vec!["this is a bug, please report it".to_owned()],
            ..ReindexResult::default()
        };
        std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|_| failed())
    }

    fn reindex_all(
        &self,
        logspace: &Arc<Logspace>,
        is_cancelled: &dyn Fn() -> bool,
        begin: &dyn Fn(usize),
        each: &dyn Fn(u64),
    ) -> ReindexResult {
        let tasks = logspace.keeper.reindex_tasks();
        begin(tasks.len());
        let mut reindexed = ReindexResult { is_cut: true, ..ReindexResult::default() };
        for task in &tasks {
            if is_cancelled() {
                return reindexed;
            }
            if let Some(reason) = self.headroom.refuses_segments() {
                reindexed.failures.push(reason);
                reindexed.is_cut = false;
                return reindexed;
            }
            let mut messages = 0;
            match logspace.keeper.run(task, is_cancelled) {
                Ok(TaskOutcome::Reindexed { messages: indexed }) => {
                    reindexed.indexes += 1;
                    reindexed.messages += indexed;
                    messages = indexed;
                }
                // The segment has expired in the meantime.
                Ok(_) => {}
                Err(KeepError::Cancelled) => return reindexed,
                Err(error) if reindexed.failures.len() < FAILURES_MAX => {
                    reindexed.failures.push(format!("could not {}: {error}", task.describe()));
                }
                Err(_) => {}
            }
            each(messages);
        }
        reindexed.is_cut = false;
        reindexed.is_complete = reindexed.failures.is_empty();
        reindexed
    }
}
