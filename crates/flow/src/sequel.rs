//! A task that runs only once other tasks are done: if a sender repeats messages after a failure, a logspace stores
//! them only after every queue that can refuse them has them.
//!
//! Each part that must be done before holds a clone. When the last clone is dropped, the sequel runs, unless a part
//! failed: then it is dropped without running.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

type SequelTask = Box<dyn FnOnce() + Send>;

/// See the documentation of the module.
#[derive(Clone, Debug)]
pub struct Sequel(Arc<WaitingTask>);

struct WaitingTask(Mutex<Option<SequelTask>>);

impl Sequel {
    /// A sequel that runs when the last part is dropped.
    pub fn new(run: impl FnOnce() + Send + 'static) -> Sequel {
        Sequel(Arc::new(WaitingTask(Mutex::new(Some(Box::new(run))))))
    }

    /// Notes that a part failed: the sequel is not run.
    pub fn cancel(&self) {
        let run = self.0.0.lock().take();
        drop(run);
    }
}

impl Drop for WaitingTask {
    fn drop(&mut self) {
        if let Some(run) = self.0.get_mut().take() {
            run();
        }
    }
}

impl fmt::Debug for WaitingTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequel").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_is_run_when_the_last_part_is_done_and_never_after_a_failure() {
        for (fails, expected) in [(false, 1), (true, 0)] {
            let runs = Arc::new(AtomicUsize::new(0));
            let count = runs.clone();
            let first = Sequel::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            });
            let second = first.clone();
            if fails {
                first.cancel();
            }
            drop(first);
            assert_eq!(runs.load(Ordering::Relaxed), 0);
            drop(second);
            assert_eq!(runs.load(Ordering::Relaxed), expected);
            assert_eq!(Arc::strong_count(&runs), 1, "nothing of it is left");
        }
    }
}
