//! Threads that do the parts of searches in parallel, or wait for the disk in parallel.
//!
//! They are started when first needed, and kept: starting one takes longer than counting a word in a segment. A
//! search begins on the thread that calls it. Before a lane begins, it opens another one if there is work left and a
//! thread is free: a small search takes at most one thread, and a large one soon has them all.
//!
//! **Invariant:** no search waits for another: one that finds no thread free goes on alone, and work on one of these
//! threads asks for no other.

use super::lanes::{Alone, Lanes};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of reads that a disk gets at once: it answers several in the time of one.
const READS: usize = 8;

/// Threads that all searches share.
pub struct Pool {
    count: usize,
    bytes: Option<usize>,
    /// `None` if the threads could not be started.
    threads: OnceLock<Option<ThreadPool>>,
    /// The number of lanes that are open now.
    open: AtomicUsize,
}

/// An open lane.
struct Lane<'a>(&'a AtomicUsize);

/// Jobs that are handed out one by one, in their order.
struct Jobs<'a> {
    pool: &'a Pool,
    next: AtomicUsize,
    count: usize,
    job: &'a (dyn Fn(usize) + Sync),
}

impl Pool {
    /// A pool of at most this many threads, besides those on which searches begin.
    pub fn new(count: usize) -> Pool {
        Pool { count, bytes: None, threads: OnceLock::new(), open: AtomicUsize::new(0) }
    }

    /// Like `new`, for questions that may hold this many bytes of messages at once.
    pub fn holding(count: usize, bytes: usize) -> Pool {
        Pool { bytes: Some(bytes), ..Pool::new(count) }
    }

    /// Threads that wait for the disk while segments are opened.
    pub fn of_reads() -> Pool {
        Pool::new(READS)
    }

    fn threads(&self) -> Option<&ThreadPool> {
        let start = || {
            let builder = ThreadPoolBuilder::new().num_threads(self.count);
            builder.thread_name(|_| "search".to_owned()).build().ok()
        };
        // Zero would mean one thread for each core.
        (0 < self.count).then(|| self.threads.get_or_init(start).as_ref()).flatten()
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

impl Lanes for Pool {
    fn count(&self) -> usize {
        self.count
    }

    fn bytes(&self) -> usize {
        self.bytes.unwrap_or_else(|| Alone.bytes())
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        match self.threads() {
            Some(threads) if threads.current_thread_index().is_none() => {
                let jobs = Jobs { pool: self, next: AtomicUsize::new(0), count: jobs, job };
                threads.in_place_scope(|scope| jobs.work(scope));
            }
            _ => (0..jobs).for_each(job),
        }
    }
}

impl Jobs<'_> {
    fn work<'scope>(&'scope self, scope: &Scope<'scope>) {
        let Some(first) = self.take() else { return };
        if self.next.load(Ordering::Relaxed) < self.count
            && let Some(lane) = self.pool.open()
        {
            scope.spawn(move |scope| {
                let _lane = lane;
                self.work(scope);
            });
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
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;

    fn check(pool: &Pool, jobs: usize) {
        let done: Vec<AtomicUsize> = (0..jobs).map(|_| AtomicUsize::new(0)).collect();
        pool.run(jobs, &|number| {
            done[number].fetch_add(1, Ordering::Relaxed);
        });
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{jobs} jobs");
        assert_eq!(pool.open.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn every_job_is_done_once() {
        for count in [0, 1, 2, 7] {
            let pool = Pool::new(count);
            [0, 1, 2, 3, 100].into_iter().for_each(|jobs| check(&pool, jobs));
        }
    }

    #[test]
    fn jobs_run_side_by_side() {
        let pool = Pool::new(3);
        for _ in 0..100 {
            let all_at_once = Barrier::new(4);
            pool.run(4, &|_| {
                all_at_once.wait();
            });
        }
    }

    #[test]
    fn a_job_that_panics_takes_no_thread_with_it() {
        let pool = Pool::new(2);
        for _ in 0..5 {
            let ended = catch_unwind(AssertUnwindSafe(|| pool.run(9, &|number| assert_ne!(number, 4))));
            assert!(ended.is_err());
            check(&pool, 20);
        }
    }

    #[test]
    fn searches_within_and_beside_each_other_do_not_wait_for_threads() {
        let pool = Pool::new(2);
        let done = AtomicUsize::new(0);
        let part = |_| {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let search = || pool.run(5, &|_| pool.run(5, &part));
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(search))));
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }
}
