//! The parts of a search, run in parallel.
//!
//! A search begins on the thread it was given. Each lane, before it begins, opens another one if there is work
//! left and a core is free: a small search costs one thread at most, and a large one soon has them all.
//!
//! **Invariant:** all searches together have at most one lane per core, besides their own threads. None waits for
//! another: a search that gets no lane continues alone.

use logstead_indexer::Lanes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope};

/// Lanes that all searches share.
pub(crate) struct SharedLanes {
    count: usize,
    /// Those that are open now.
    open: AtomicUsize,
}

/// An open lane.
struct Lane<'a>(&'a AtomicUsize);

/// Jobs that are handed out one by one, in their order.
struct Jobs<'a> {
    lanes: &'a SharedLanes,
    next: AtomicUsize,
    count: usize,
    job: &'a (dyn Fn(usize) + Sync),
}

impl Default for SharedLanes {
    /// As many as there are cores.
    fn default() -> SharedLanes {
        SharedLanes::new(crate::machine::cores())
    }
}

impl SharedLanes {
    /// At most this many, besides the threads that searches run on.
    pub(crate) fn new(count: usize) -> SharedLanes {
        SharedLanes { count, open: AtomicUsize::new(0) }
    }

    fn open(&self) -> Option<Lane<'_>> {
        let free = |open| (open < self.count).then_some(open + 1);
        self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free).ok()?;
        Some(Lane(&self.open))
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lanes for SharedLanes {
    fn count(&self) -> usize {
        self.count
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        let jobs = Jobs { lanes: self, next: AtomicUsize::new(0), count: jobs, job };
        std::thread::scope(|scope| jobs.work(scope));
    }
}

impl<'a> Jobs<'a> {
    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let Some(first) = self.take() else { return };
        if self.next.load(Ordering::Relaxed) < self.count
            && let Some(lane) = self.lanes.open()
        {
            let work = move || {
                self.work(scope);
                drop(lane);
            };
            // Without another thread, the work is done on this one.
            Builder::new().name("search".to_owned()).spawn_scoped(scope, work).ok();
        }
        (self.job)(first);
        while let Some(number) = self.take() {
            (self.job)(number);
        }
    }

    fn take(&self) -> Option<usize> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn check(lanes: &SharedLanes, jobs: usize) {
        let done: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
        lanes.run(jobs, &|number| {
            done[number].fetch_add(1, Ordering::Relaxed);
        });
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{jobs} jobs");
        assert_eq!(lanes.open.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn every_job_is_done_once() {
        for count in [1, 2, 7] {
            let lanes = SharedLanes::new(count);
            [0, 1, 2, 3, 100].into_iter().for_each(|jobs| check(&lanes, jobs));
        }
    }

    #[test]
    fn jobs_run_side_by_side() {
        let all_at_once = Barrier::new(4);
        SharedLanes::new(3).run(4, &|_| {
            all_at_once.wait();
        });
    }

    #[test]
    fn searches_within_and_beside_each_other_do_not_wait_for_lanes() {
        let lanes = SharedLanes::new(2);
        let done = AtomicUsize::new(0);
        let part = |_| {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let search = || lanes.run(5, &|_| lanes.run(5, &part));
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(search))));
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }
}
