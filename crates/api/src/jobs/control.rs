//! The connection between a running job and the rest: how it tells its progress, and learns that it has to end.

use super::job::{JobProgress, ProgressUnit};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A job that has not ended.
#[derive(Default)]
pub(crate) struct JobControl {
    is_cancelled: Arc<AtomicBool>,
    cancelled: Notify,
    progress: Mutex<JobProgress>,
}

impl JobControl {
    /// The control of a job whose progress is counted in this unit.
    pub(super) fn new(unit: ProgressUnit) -> JobControl {
        let progress = JobProgress { unit, ..JobProgress::default() };
        JobControl { progress: Mutex::new(progress), ..JobControl::default() }
    }

    /// Sets the number of all units, if it is known.
    pub(crate) fn begin(&self, total: Option<u64>) {
        self.progress.lock().total = total;
    }

    /// Adds to the progress.
    pub(crate) fn add(&self, done: u64, messages: u64) {
        let mut progress = self.progress.lock();
        // What is added while the job runs was not counted at its beginning.
        progress.done = (progress.done + done).min(progress.total.unwrap_or(u64::MAX));
        progress.messages += messages;
    }

    pub(super) fn progress(&self) -> JobProgress {
        *self.progress.lock()
    }

    /// Asks the job to end.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.cancelled.notify_waiters();
        // The job may be about to wait.
        self.cancelled.notify_one();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Returns once the job is asked to end.
    pub(crate) async fn cancelled(&self) {
        if !self.is_cancelled() {
            self.cancelled.notified().await;
        }
    }

    /// A flag that is set once the job is asked to end.
    pub(crate) fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.is_cancelled.clone()
    }
}
