//! Work that is done in parallel, on threads that the caller provides.

use super::deadline::{Deadline, note_late, watch_late};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes of messages that a question may hold by default.
const HELD_BYTES: usize = 256 << 20;

/// Threads that do jobs in parallel.
pub trait Lanes: Sync {
    /// The number of jobs done at once.
    fn count(&self) -> usize;

    /// The bytes of messages that one question may hold at once: if messages are long, fewer are read in parallel.
    fn bytes(&self) -> usize {
        HELD_BYTES
    }

    /// Calls `job` with each number below `jobs`, and returns when all calls have.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));
}

/// Does jobs one after the other, on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Lanes for Alone {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }
}

/// The results of `job` for each number below `jobs`, in their order. Its reads have the deadline of this thread.
pub fn map<T: Send + Sync>(lanes: &dyn Lanes, jobs: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if jobs <= 1 || lanes.count() <= 1 {
        return (0..jobs).map(job).collect();
    }
    let made: Vec<OnceLock<T>> = (0..jobs).map(|_| OnceLock::new()).collect();
    let (deadline, is_late) = (Deadline::current(), AtomicBool::new(false));
    lanes.run(jobs, &|number| {
        let (_, was_late) = watch_late(|| deadline.during(|| made[number].get_or_init(|| job(number))));
        is_late.fetch_or(was_late, Ordering::Relaxed);
    });
    if is_late.into_inner() {
        note_late();
    }
    made.into_iter().map(|made| made.into_inner().expect("every job was run")).collect()
}

/// The size of the next wave of batches to read: up to a given number for each lane, and no more than may be held.
pub struct Wave {
    lanes: usize,
    batches_max: usize,
    bytes_max: usize,
    /// The size of the largest batch so far, in bytes.
    largest: usize,
}

impl Wave {
    /// Plans waves with at most `of_each` batches for each lane.
    pub fn new(lanes: &dyn Lanes, of_each: usize) -> Wave {
        let count = lanes.count().max(1);
        Wave { lanes: count, batches_max: count * of_each, bytes_max: lanes.bytes(), largest: 0 }
    }

    /// Notes that a batch of this many bytes was read.
    pub fn saw(&mut self, bytes: usize) {
        self.largest = self.largest.max(bytes);
    }

    /// The next wave of the items left, and the rest. In the first wave, each lane reads one.
    pub fn split<'a, T>(&self, left: &'a [T]) -> (&'a [T], &'a [T]) {
        let fit = self.bytes_max.checked_div(self.largest).unwrap_or(self.lanes);
        left.split_at(fit.clamp(1, self.batches_max).min(left.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_holds_no_more_than_may_be_held() {
        let left = [0; 100];
        let mut wave = Wave::new(&Alone, 8);
        let next = |wave: &Wave| (wave.split(&left).0.len(), wave.split(&left).1.len());
        assert_eq!(next(&wave), (1, 99));
        wave.saw(1);
        assert_eq!(next(&wave), (8, 92));
        wave.saw(HELD_BYTES / 3);
        wave.saw(5);
        assert_eq!(next(&wave), (3, 97));
        wave.saw(HELD_BYTES * 3);
        assert_eq!(next(&wave), (1, 99));
        assert!(wave.split(&left[..0]).0.is_empty());
    }
}
