//! The memory that the allocator holds, and how long it keeps freed memory.

use tikv_jemalloc_ctl::{Access, AsName, epoch, stats};

/// The memory that the allocator has handed out, and the memory that it holds besides.
pub struct Heap {
    /// Bytes that the program holds.
    pub allocated: usize,
    /// Freed memory that has not been returned to the system yet, and the gaps between memory in use.
    pub freed: usize,
}

/// `None` if the allocator does not report it.
pub fn heap() -> Option<Heap> {
    // The allocator caches its figures until it is asked to refresh them.
    epoch::advance().ok()?;
    let (allocated, resident) = (stats::allocated::read().ok()?, stats::resident::read().ok()?);
    Some(Heap { allocated, freed: resident.saturating_sub(allocated) })
}

/// Sets how long freed memory is kept, in milliseconds: freed memory is often allocated again soon, and memory that is
/// not given back counts as taken.
pub(crate) fn keep_freed_for(ms: isize) {
    each_arena(ms);
    for name in [b"arenas.dirty_decay_ms\0".as_slice(), b"arenas.muzzy_decay_ms\0"] {
        name.name().write(ms).ok();
    }
}

/// Returns all freed memory to the system now.
pub(crate) fn give_back() {
    let Ok(kept_ms) = Access::<isize>::read(b"arenas.dirty_decay_ms\0".as_slice().name()) else { return };
    // An arena that is set to keep nothing returns its freed memory at once.
    each_arena(0);
    each_arena(kept_ms);
}

fn each_arena(ms: isize) {
    let arenas = tikv_jemalloc_ctl::arenas::narenas::read().unwrap_or_default();
    for arena in 0..arenas {
        for kind in ["dirty", "muzzy"] {
            let name = format!("arena.{arena}.{kind}_decay_ms\0");
            // An arena that no thread has used yet does not exist, and begins with the setting of the others.
            name.as_bytes().name().write(ms).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_given_back_at_once() {
        let taken: Vec<Vec<u8>> = (0..512).map(|_| std::hint::black_box(vec![1_u8; 256 << 10])).collect();
        drop(taken);
        give_back();
        let freed = heap().expect("figures").freed;
        // Other tests free memory in the meantime.
        assert!(freed < 96 << 20, "{freed}");
    }
}
