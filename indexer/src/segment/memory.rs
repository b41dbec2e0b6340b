//! Counts the memory used for some purpose by all its holders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A sum of bytes, which several holders add to.
#[derive(Clone, Default)]
pub(crate) struct MemorySum(Arc<AtomicUsize>);

/// The share of one holder, which is subtracted when it is dropped.
pub(crate) struct MemoryShare {
    sum: MemorySum,
    bytes: usize,
}

impl MemorySum {
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// The share of a new holder, which is still empty.
    pub(crate) fn hold(&self) -> MemoryShare {
        MemoryShare { sum: self.clone(), bytes: 0 }
    }
}

impl MemoryShare {
    /// Sets the number of bytes that it holds.
    pub(crate) fn set(&mut self, bytes: usize) {
        // The new bytes are added first, so that the sum is never less than the memory held.
        self.sum.0.fetch_add(bytes, Ordering::Relaxed);
        self.sum.0.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_what_all_holders_have() {
        let sum = MemorySum::default();
        let (mut one, mut other) = (sum.hold(), sum.hold());
        one.set(10);
        other.set(5);
        one.set(7);
        assert_eq!(sum.bytes(), 12);
        drop(one);
        assert_eq!(sum.bytes(), 5);
    }
}
