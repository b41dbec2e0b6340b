//! Long work on a logspace in use: one at a time, with its progress.

use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;

/// The running work; there is one at most.
#[derive(Default)]
pub(crate) struct Upkeep(Mutex<Option<LogspaceWork>>);

/// Work on a logspace, and its progress.
#[derive(Clone, Serialize, utoipa::ToSchema)]
#[schema(as = Work)]
pub(crate) struct LogspaceWork {
    pub(super) logspace: String,
    kind: WorkKind,
    /// The number of bytes done, out of `of_bytes`.
    done_bytes: u64,
    of_bytes: u64,
}

/// The kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkKind {
    /// Everything is read and compared with its checksums.
    Verify,
    /// Indexes are rebuilt from the messages.
    Reindex,
}

/// Stands for running work, which ends when this is dropped.
pub(super) struct WorkGuard(Arc<Upkeep>);

impl Upkeep {
    /// The current work, if any.
    pub(super) fn now(&self) -> Option<LogspaceWork> {
        self.0.lock().clone()
    }

    pub(super) fn begin(
        self: &Arc<Upkeep>,
        logspace: &str,
        kind: WorkKind,
        of_bytes: u64,
    ) -> Result<WorkGuard> {
        let mut now = self.0.lock();
        if let Some(LogspaceWork { logspace, kind, .. }) = &*now {
            let what = match kind {
                WorkKind::Verify => "verified",
                WorkKind::Reindex => "indexed again",
            };
            let detail = format!("`{logspace}` is being {what}: wait until that is done");
            return Err(ApiError::new(ProblemType::WorkUnderWay, detail));
        }
        *now = Some(LogspaceWork { logspace: logspace.to_owned(), kind, done_bytes: 0, of_bytes });
        Ok(WorkGuard(self.clone()))
    }
}

impl WorkGuard {
    pub(super) fn add(&self, bytes: u64) {
        if let Some(work) = &mut *self.0.0.lock() {
            work.done_bytes = (work.done_bytes + bytes).min(work.of_bytes);
        }
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        *self.0.0.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_done_at_a_time_and_says_how_far_it_is() {
        let upkeep = Arc::new(Upkeep::default());
        let running = upkeep.begin("main", WorkKind::Verify, 100).unwrap();
        running.add(30);
        let far = |upkeep: &Upkeep| upkeep.now().map(|work| (work.done_bytes, work.of_bytes));
        assert_eq!(far(&upkeep), Some((30, 100)));
        assert!(upkeep.begin("other", WorkKind::Reindex, 1).is_err());
        running.add(1000);
        assert_eq!(far(&upkeep), Some((100, 100)));
        drop(running);
        assert_eq!(far(&upkeep), None);
        assert!(upkeep.begin("other", WorkKind::Reindex, 1).is_ok());
    }
}
