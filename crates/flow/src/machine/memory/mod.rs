//! The memory of this process: how much it may take, how that is divided, and what it takes.

pub mod allocator;
pub mod gauge;
pub mod limit;
pub mod shares;
mod taken;

pub use allocator::heap;
pub use gauge::{Gauge, Running};
pub use shares::Shares;
pub use taken::resident_bytes;

use super::cores;
use limit::Limit;
use logstead_config::settings::Settings;
use std::sync::Arc;

/// Of each GiB that is divided, freed memory is kept for so many milliseconds before the system gets it back.
const KEPT_MS_A_GIB: u64 = 2500;
/// The allocator's own figure, and the least that spares it the same pages again and again.
const KEPT_MS: std::ops::RangeInclusive<u64> = 100..=10_000;

/// The memory of the process.
pub struct Memory {
    /// What it may take.
    pub limit: Limit,
    /// How that is divided.
    pub shares: Shares,
    /// What it takes.
    pub gauge: Arc<Gauge>,
}

impl Memory {
    /// Divides what there is as the settings say, says so, and watches from now on what is taken.
    pub fn divide(settings: &Settings) -> std::io::Result<Memory> {
        let limit = limit::of_process();
        let shares = Shares::of(settings, &limit, cores());
        shares.tell();
        let kept_ms = ((shares.bytes >> 20) * KEPT_MS_A_GIB) >> 10;
        let kept_ms = kept_ms.clamp(*KEPT_MS.start(), *KEPT_MS.end());
        allocator::keep_freed_for(isize::try_from(kept_ms).unwrap_or(isize::MAX));
        let gauge = Gauge::new(shares.bytes);
        gauge.watch()?;
        Ok(Memory { limit, shares, gauge })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_told() {
        let before = heap().expect("figures").allocated;
        // More than what the tests beside this one give back meanwhile.
        let taken = std::hint::black_box(vec![1_u8; 256 << 20]);
        assert!(before + taken.len() / 2 < heap().expect("figures").allocated);
        assert!(taken.len() as u64 <= resident_bytes().expect("a figure"));
        assert!(resident_bytes() < limit::of_process().bytes);
    }
}
