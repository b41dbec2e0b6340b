//! Work that ends soon after its result is no longer wanted.
//!
//! Code that works states how much it will do next: rows, words, numbers, or anything else that takes some tens of
//! nanoseconds each. Every so often it checks whether to go on, so that the checks cost nothing measurable.
//!
//! **Invariant:** once work is cancelled, that stays so.

pub mod deadline;
pub mod lanes;
mod pool;
mod search_context;

pub use deadline::Deadline;
pub use lanes::{Alone, Lanes};
pub use pool::Pool;
pub use search_context::SearchContext;

use std::cell::Cell;
use std::cmp::Ordering;

/// The amount of work between two checks: about a millisecond.
const PIECE: usize = 1 << 14;
/// The amount of work that comparing two items while sorting counts as.
const COMPARISON: usize = 2;

/// The work of one thread.
pub struct Work<'a> {
    cancelled: &'a (dyn Fn() -> bool + Sync),
    left: Cell<usize>,
    is_over: Cell<bool>,
}

impl<'a> Work<'a> {
    /// Work that ends once `cancelled` is true.
    pub fn until(cancelled: &'a (dyn Fn() -> bool + Sync)) -> Work<'a> {
        Work { cancelled, left: Cell::new(PIECE), is_over: Cell::new(false) }
    }

    /// Work that ends once this amount is done.
    pub fn at_most(much: usize) -> Work<'static> {
        Work { left: Cell::new(much), ..Work::until(&|| true) }
    }

    /// Whether to go on with this amount of work.
    pub fn go_on(&self, much: usize) -> bool {
        match self.left.get().checked_sub(much) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(PIECE);
                self.is_over.set(self.is_over.get() || (self.cancelled)());
            }
        }
        !self.is_over.get()
    }

    /// Sorts like a stable sort. Returns whether it was finished: if not, all items are still there, in any order.
    pub fn sort(&self, items: &mut [usize], compare: impl Fn(usize, usize) -> Ordering) -> bool {
        for piece in items.chunks_mut(PIECE) {
            if !self.go_on(piece.len() * piece.len().ilog2() as usize * COMPARISON) {
                return false;
            }
            piece.sort_by(|&a, &b| compare(a, b));
        }
        let mut width = PIECE;
        while width < items.len() {
            let Some(merged) = self.merge(items, width, &compare) else { return false };
            items.copy_from_slice(&merged);
            width *= 2;
        }
        true
    }

    /// Merges each pair of neighbouring runs of this width.
    fn merge(
        &self,
        items: &[usize],
        width: usize,
        compare: &impl Fn(usize, usize) -> Ordering,
    ) -> Option<Vec<usize>> {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(width * 2) {
            let (mut first, mut second) = pair.split_at(width.min(pair.len()));
            while let ([a, after_a @ ..], [b, after_b @ ..]) = (first, second) {
                if !self.go_on(COMPARISON) {
                    return None;
                }
                if compare(*b, *a).is_lt() {
                    merged.push(*b);
                    second = after_b;
                } else {
                    merged.push(*a);
                    first = after_a;
                }
            }
            merged.extend_from_slice(first);
            merged.extend_from_slice(second);
        }
        Some(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn it_is_asked_once_in_a_while_and_never_again_after_the_end() {
        let asked = AtomicUsize::new(0);
        let cancelled = || 2 <= asked.fetch_add(1, Relaxed);
        let work = Work::until(&cancelled);
        let done = (0..).take_while(|_| work.go_on(1)).count();
        assert_eq!((done, asked.load(Relaxed)), (PIECE * 3 + 2, 3));
        assert!(!work.go_on(0));
        assert!((0..PIECE * 3).all(|_| !work.go_on(1)));
        assert_eq!(asked.load(Relaxed), 3);
        assert!(!Work::until(&|| true).go_on(usize::MAX));
        let work = Work::at_most(100);
        assert_eq!((0..).take_while(|_| work.go_on(30)).count(), 3);
        assert!(!work.go_on(0));
    }

    #[test]
    fn sorting_is_stable_and_can_end_anywhere() {
        let key = |item: usize| item * 7919 % 1000;
        let compare = |a: usize, b: usize| key(a).cmp(&key(b));
        for count in [0, 1, 10, PIECE, PIECE * 3 + 5] {
            let mut expected: Vec<usize> = (0..count).collect();
            expected.sort_by_key(|&item| key(item));
            let asked = AtomicUsize::new(0);
            let cancelled = || asked.fetch_add(1, Relaxed) == usize::MAX;
            let mut items: Vec<usize> = (0..count).collect();
            assert!(Work::until(&cancelled).sort(&mut items, compare));
            assert_eq!(items, expected);
            for end in 0..asked.load(Relaxed) {
                let asked = AtomicUsize::new(0);
                let cancelled = || end <= asked.fetch_add(1, Relaxed);
                let mut items: Vec<usize> = (0..count).collect();
                assert!(!Work::until(&cancelled).sort(&mut items, compare));
                items.sort_unstable();
                assert!(items.iter().copied().eq(0..count));
            }
        }
    }
}
