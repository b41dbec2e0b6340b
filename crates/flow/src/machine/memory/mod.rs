//! The memory of this process: its limit, its division, and its use.

pub mod allocator;
pub mod gauge;
pub mod limit;
pub mod shares;

pub use allocator::heap;
pub use gauge::{Gauge, RunningQuestion, resident_bytes};
pub use shares::Shares;

use super::cores;
use limit::MemoryLimit;
use logstead_config::settings::Settings;
use std::sync::Arc;

/// The time for which freed memory is kept before the system gets it back, in milliseconds for each GiB that is
/// divided.
const KEPT_MS_A_GIB: u64 = 2500;
/// The bounds of that time: the longest is the allocator's default, and a shorter one than the lowest would make it
/// request the same pages again and again.
const KEPT_MS: std::ops::RangeInclusive<u64> = 100..=10_000;

/// The memory of the process.
pub struct ProcessMemory {
    /// The memory that it may use.
    pub limit: MemoryLimit,
    /// The division of that memory.
    pub shares: Shares,
    /// The memory that it uses.
    pub gauge: Arc<Gauge>,
}

impl ProcessMemory {
    /// Divides the memory according to the settings, logs the result, and watches its use from now on.
    pub fn divide(settings: &Settings) -> std::io::Result<ProcessMemory> {
        let limit = limit::of_process();
        let shares = Shares::of(settings, &limit, cores());
        shares.tell();
        let kept_ms = ((shares.bytes >> 20) * KEPT_MS_A_GIB) >> 10;
        let kept_ms = kept_ms.clamp(*KEPT_MS.start(), *KEPT_MS.end());
        allocator::keep_freed_for(isize::try_from(kept_ms).unwrap_or(isize::MAX));
        let gauge = Gauge::new(shares.bytes);
        gauge.watch()?;
        Ok(ProcessMemory { limit, shares, gauge })
    }
}

/// Held by tests that take much memory, so that none gives it back while another one measures.
#[cfg(test)]
static MEASURED: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_told() {
        let _alone = MEASURED.lock();
        let before = heap().expect("figures").allocated;
        // More than other tests give back in the meantime.
        let taken = std::hint::black_box(vec![1_u8; 256 << 20]);
        assert!(before + taken.len() / 2 < heap().expect("figures").allocated);
        assert!(taken.len() as u64 <= resident_bytes().expect("a figure"));
        assert!(resident_bytes() < limit::of_process().bytes);
    }
}
