//! A cache of recently read parts of segments: indexes, columns, and groups of texts.
//!
//! **Invariant:** the cached parts take no more than the cache's limit; a larger part is not cached.

use super::column::CommonColumn;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Parts of segments in memory.
pub(crate) struct Cache {
    state: Mutex<CacheState>,
}

/// The owner of parts. No two segments have the same one, even if one replaces the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CacheOwner(u64);

/// A part of a segment. The same part always has the same type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CachePart {
    /// The index of a segment.
    Index,
    /// A column that every segment has.
    Column(CommonColumn),
    /// The column of a dynamic field.
    Field(usize),
    /// A whole section.
    Section(&'static str),
    /// A section of a group of rows.
    Group(&'static str, usize),
    /// A page of a file.
    Page(u64),
}

/// How often a cache was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUses {
    /// And had the part.
    pub hits: u64,
    /// And had not.
    pub misses: u64,
}

type CachedPart = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
struct CacheState {
    kept: HashMap<(CacheOwner, CachePart), CacheEntry>,
    bytes: usize,
    bytes_max: usize,
    /// A counter that is increased with each use.
    now: u64,
    uses: CacheUses,
    owners: u64,
}

struct CacheEntry {
    what: CachedPart,
    bytes: usize,
    used: u64,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Cache {
        Cache { state: Mutex::new(CacheState { bytes_max, ..CacheState::default() }) }
    }

    /// Sets the limit of memory.
    pub(crate) fn set_bytes_max(&self, bytes_max: usize) {
        let dropped = {
            let mut state = self.state.lock();
            state.bytes_max = bytes_max;
            state.evict()
        };
        drop(dropped);
    }

    /// The memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.state.lock().bytes
    }

    /// How often it was asked so far.
    pub(crate) fn uses(&self) -> CacheUses {
        self.state.lock().uses
    }

    /// A new unique owner.
    pub(crate) fn owner(&self) -> CacheOwner {
        let mut state = self.state.lock();
        state.owners += 1;
        CacheOwner(state.owners)
    }

    /// A part of a segment, from the cache or from `read`, which returns it with the memory that it takes.
    pub(crate) fn get<T: Any + Send + Sync, E>(
        &self,
        owner: CacheOwner,
        part: CachePart,
        read: impl FnOnce() -> Result<(T, usize), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(kept) = self.find(owner, part) {
            return Ok(kept);
        }
        let (what, bytes) = read()?;
        let what = Arc::new(what);
        self.keep(owner, part, &what, bytes);
        Ok(what)
    }

    /// A part of a segment, if it is cached.
    pub(crate) fn find<T: Any + Send + Sync>(&self, owner: CacheOwner, part: CachePart) -> Option<Arc<T>> {
        self.state.lock().find((owner, part))?.downcast().ok()
    }

    /// Caches a part, which takes this much memory, if it fits.
    pub(crate) fn keep<T: Any + Send + Sync>(
        &self,
        owner: CacheOwner,
        part: CachePart,
        what: &Arc<T>,
        bytes: usize,
    ) {
        // A dropped part may itself remove parts from the cache, so it must not be dropped while the lock is held.
        let dropped = self.state.lock().keep((owner, part), Arc::clone(what) as CachedPart, bytes);
        drop(dropped);
    }

    /// Drops all parts of a segment.
    pub(crate) fn forget(&self, owner: CacheOwner) {
        let dropped = {
            let mut state = self.state.lock();
            let parts: Vec<CachePart> =
                state.kept.keys().filter(|(of, _)| *of == owner).map(|(_, part)| *part).collect();
            parts.into_iter().map(|part| state.remove((owner, part))).collect::<Vec<_>>()
        };
        drop(dropped);
    }
}

impl CacheState {
    fn find(&mut self, key: (CacheOwner, CachePart)) -> Option<CachedPart> {
        self.now += 1;
        let Some(found) = self.kept.get_mut(&key) else {
            self.uses.misses += 1;
            return None;
        };
        self.uses.hits += 1;
        found.used = self.now;
        Some(Arc::clone(&found.what))
    }

    /// Adds a part, and returns those dropped for it.
    fn keep(&mut self, key: (CacheOwner, CachePart), what: CachedPart, bytes: usize) -> Vec<CachedPart> {
        if self.bytes_max < bytes || self.kept.contains_key(&key) {
            return Vec::new();
        }
        self.now += 1;
        self.bytes += bytes;
        self.kept.insert(key, CacheEntry { what, bytes, used: self.now });
        self.evict()
    }

    fn remove(&mut self, key: (CacheOwner, CachePart)) -> Option<CachedPart> {
        let CacheEntry { what, bytes, .. } = self.kept.remove(&key)?;
        self.bytes -= bytes;
        Some(what)
    }

    /// Drops the least recently used parts until the rest fits: a few more than needed, so that this is not repeated
    /// for every new part.
    fn evict(&mut self) -> Vec<CachedPart> {
        let mut dropped = Vec::new();
        if self.bytes <= self.bytes_max {
            return dropped;
        }
        let mut by_use: Vec<(u64, (CacheOwner, CachePart))> =
            self.kept.iter().map(|(key, kept)| (kept.used, *key)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in by_use {
            if self.bytes <= self.bytes_max / 16 * 15 {
                break;
            }
            dropped.extend(self.remove(key));
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES_MAX: usize = 64 << 20;
    const LARGE: CachePart = CachePart::Section("large");

    fn of_bytes(bytes: usize) -> Result<(u8, usize), ()> {
        Ok((0, bytes))
    }

    fn is_kept(cache: &Cache, owner: CacheOwner) -> bool {
        cache.get::<u8, _>(owner, LARGE, || Err(())).is_ok()
    }

    #[test]
    fn what_was_used_last_stays() {
        let cache = Cache::new(BYTES_MAX);
        let fits = BYTES_MAX / (3 << 20);
        let owners: Vec<CacheOwner> = (0..=fits).map(|_| cache.owner()).collect();
        for &owner in &owners {
            cache.get(owner, LARGE, || of_bytes(3 << 20)).unwrap();
            assert!(is_kept(&cache, owners[0]), "it is used all the time");
        }
        assert!(cache.bytes() <= BYTES_MAX);
        assert!(!is_kept(&cache, owners[1]), "it was dropped");
        cache.forget(owners[0]);
        assert!(!is_kept(&cache, owners[0]), "it was forgotten");
        assert!(is_kept(&cache, owners[fits]));
    }

    #[test]
    fn a_smaller_limit_holds_at_once() {
        let cache = Cache::new(BYTES_MAX);
        for _ in 0..4 {
            cache.get(cache.owner(), LARGE, || of_bytes(3 << 20)).unwrap();
        }
        cache.set_bytes_max(8 << 20);
        assert!((3 << 20..=8 << 20).contains(&cache.bytes()), "{} bytes", cache.bytes());
        cache.get(cache.owner(), LARGE, || of_bytes(9 << 20)).unwrap();
        assert!(cache.bytes() <= 8 << 20, "what is larger than all is not kept");
    }
}
