//! The deadline of the reads on a thread, and whether one of them came too late.
//!
//! Columns and dictionaries lie between a search, which knows its time limit, and the reads that it needs. They
//! can neither take a deadline as an argument nor return an error of a kind of its own. So both belong to the thread while
//! a piece of work runs, and [`lanes::map`](super::lanes::map) passes them on.
//!
//! **Invariant:** work in which a read was late says so, whatever became of the error.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// The time that a read may take if there is no deadline.
const READ_TIME_MAX: Duration = Duration::from_secs(30);

/// The deadline of reads without a time limit: each of them has half a minute.
pub static NO_DEADLINE: Deadline = NONE;
const NONE: Deadline = Deadline { passed: None, time_max: READ_TIME_MAX };

thread_local! {
    static CURRENT: RefCell<Deadline> = const { RefCell::new(NONE) };
    static IS_LATE: Cell<bool> = const { Cell::new(false) };
}

/// The time after which a result is no longer useful. Its clock is an argument.
#[derive(Clone)]
pub struct Deadline {
    passed: Option<Arc<dyn Fn() -> Duration + Send + Sync>>,
    time_max: Duration,
}

impl Deadline {
    /// A deadline this long after the moment from which `passed` counts.
    pub fn after(time_max: Duration, passed: impl Fn() -> Duration + Send + Sync + 'static) -> Deadline {
        Deadline { passed: Some(Arc::new(passed)), time_max }
    }

    /// Returns the deadline moved by this much.
    #[must_use]
    pub fn later(&self, by: Duration) -> Deadline {
        Deadline { time_max: self.time_max.saturating_add(by), ..self.clone() }
    }

    /// The time that is left for a read.
    pub fn left(&self) -> Duration {
        self.time_max.saturating_sub(self.passed.as_ref().map_or(Duration::ZERO, |passed| passed()))
    }

    /// Whether no time is left.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// The deadline of reads on this thread.
    pub fn current() -> Deadline {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Does work whose reads have this deadline.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Gives the thread its own deadline back, also after a panic.
        struct Before(Deadline);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.replace(self.0.clone());
            }
        }
        let _before = Before(CURRENT.replace(self.clone()));
        work()
    }
}

/// Notes that a read was late.
pub fn note_late() {
    IS_LATE.set(true);
}

/// Does work, and says whether one of its reads was late.
pub fn watch_late<T>(work: impl FnOnce() -> T) -> (T, bool) {
    let before = IS_LATE.replace(false);
    let done = work();
    let is_late = IS_LATE.get();
    IS_LATE.set(before || is_late);
    (done, is_late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pool, lanes};
    use std::panic::catch_unwind;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    fn is_current_over() -> bool {
        Deadline::current().is_over()
    }

    #[test]
    fn a_deadline_is_that_of_its_work_and_of_no_other() {
        let seconds = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&seconds);
        let deadline =
            Deadline::after(Duration::from_secs(5), move || Duration::from_secs(clock.load(Relaxed)));
        seconds.store(4, Relaxed);
        assert_eq!(deadline.left(), Duration::from_secs(1));
        seconds.store(5, Relaxed);
        assert!(deadline.is_over() && !deadline.later(Duration::from_secs(1)).is_over());
        assert!(deadline.during(is_current_over));
        assert!(!deadline.during(|| NO_DEADLINE.during(is_current_over)));
        assert!(!is_current_over());
        catch_unwind(|| NO_DEADLINE.later(Duration::MAX).during(|| panic!("it fails"))).unwrap_err();
        assert_eq!(Deadline::current().left(), READ_TIME_MAX);
    }

    #[test]
    fn lanes_have_the_deadline_of_their_work_and_tell_it_what_was_late() {
        let over = Deadline::after(Duration::ZERO, || Duration::ZERO);
        let pool = Pool::new(3);
        for late in [None, Some(0), Some(99)] {
            let job = |number: usize| {
                if Some(number) == late {
                    note_late();
                }
                is_current_over()
            };
            let (over, is_late) = watch_late(|| over.during(|| lanes::map(&pool, 100, job)));
            assert!(over.iter().all(|is_over| *is_over));
            assert_eq!(is_late, late.is_some());
            assert!(!watch_late(|| ()).1, "this is another work");
        }
    }
}
