//! Work that is done side by side, on threads that the caller brings.

use std::sync::OnceLock;

/// Does jobs side by side.
pub trait Lanes: Sync {
    /// How many at once.
    fn count(&self) -> usize;

    /// Calls `job` with each number below `jobs`, and returns when all calls have.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));
}

/// One after the other, on the calling thread.
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

/// What `job` makes of each number below `jobs`, in their order.
pub(crate) fn map<T: Send + Sync>(lanes: &dyn Lanes, jobs: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if jobs <= 1 || lanes.count() <= 1 {
        return (0..jobs).map(job).collect();
    }
    let made: Vec<OnceLock<T>> = (0..jobs).map(|_| OnceLock::new()).collect();
    lanes.run(jobs, &|number| {
        made[number].get_or_init(|| job(number));
    });
    made.into_iter().map(|made| made.into_inner().expect("every job was run")).collect()
}
