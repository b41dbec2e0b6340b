//! The memory of this process, as its allocator and the system report it.

use tikv_jemalloc_ctl::{epoch, stats};

/// What the allocator has handed out, and what it holds besides.
pub(crate) struct Heap {
    pub(crate) allocated: usize,
    /// Freed memory that has not been returned to the system yet, and the gaps between what is in use.
    pub(crate) freed: usize,
}

/// `None` if the allocator does not report it.
pub(crate) fn heap() -> Option<Heap> {
    // The allocator caches its figures until it is asked to refresh them.
    epoch::advance().ok()?;
    let (allocated, resident) = (stats::allocated::read().ok()?, stats::resident::read().ok()?);
    Some(Heap { allocated, freed: resident.saturating_sub(allocated) })
}

/// What the system has given to this process; `None` if it does not report it.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib << 10)
}

/// What the machine has, or the container may take; `None` if it is not said.
pub(crate) fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|limit| limit.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(limit.min(kib << 10))
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
        assert!(resident_bytes() < of_machine());
    }
}
