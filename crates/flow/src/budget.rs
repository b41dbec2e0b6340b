//! The limit on the bytes of one source that are in flight between its sockets and the disk.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Budgets are counted in units of this many bytes: a semaphore counts to 2³² at most.
pub(super) const UNIT_BYTES: usize = 1024;

/// The bytes of one source that may be in flight between its sockets and the disk.
#[derive(Clone, Debug)]
pub struct Budget {
    units: Arc<Semaphore>,
    units_max: usize,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(bytes_max: usize) -> Budget {
        let units_max = (bytes_max / UNIT_BYTES).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Budget { units: Arc::new(Semaphore::new(units_max)), units_max }
    }

    /// Waits until `bytes` may be in flight. A chunk larger than the whole budget waits for all of it.
    pub async fn reserve(&self, bytes: usize) -> OwnedSemaphorePermit {
        let reserved = self.units.clone().acquire_many_owned(self.units_for(bytes)).await;
        reserved.expect("the semaphore is never closed")
    }

    /// Reserves like [`Budget::reserve`], but returns `None` instead of waiting.
    pub fn try_reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        self.units.clone().try_acquire_many_owned(self.units_for(bytes)).ok()
    }

    /// The number of bytes in flight.
    pub fn used_bytes(&self) -> usize {
        (self.units_max - self.units.available_permits().min(self.units_max)) * UNIT_BYTES
    }

    /// The number of bytes that may be in flight.
    pub fn bytes_max(&self) -> usize {
        self.units_max * UNIT_BYTES
    }

    fn units_for(&self, bytes: usize) -> u32 {
        bytes.div_ceil(UNIT_BYTES).clamp(1, self.units_max) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_larger_than_the_budget_takes_all_of_it() {
        let budget = Budget::new(2 * UNIT_BYTES);
        let all = budget.try_reserve(usize::MAX).unwrap();
        assert!(budget.try_reserve(1).is_none());
        drop(all);
        assert!(budget.try_reserve(1).is_some());
    }
}
