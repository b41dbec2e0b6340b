//! What was read of indexes lately, kept ready to be asked again: columns, and what has to be known of an index before it
//! can be asked.
//!
//! **Invariant:** what is kept takes no more than the cache's limit; what is larger is not kept.

use super::index::{Place, SegmentIndex};
use super::names::Names;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Which index, and which column of it; none for the index itself.
type Key = (u64, u32, Option<Place>);

/// Indexes and columns in memory.
pub(crate) struct IndexCache {
    state: Mutex<State>,
}

struct State {
    kept: HashMap<Key, Kept>,
    bytes: usize,
    bytes_max: usize,
    /// Counts up with each use.
    now: u64,
}

struct Kept {
    what: What,
    bytes: usize,
    used: u64,
}

#[derive(Clone)]
enum What {
    Column(Arc<Names>),
    Index(Arc<SegmentIndex>),
}

impl IndexCache {
    pub(crate) fn new(bytes_max: usize) -> IndexCache {
        let state = State { kept: HashMap::new(), bytes: 0, bytes_max, now: 0 };
        IndexCache { state: Mutex::new(state) }
    }

    /// Keeps no more than this from now on.
    pub(crate) fn set_bytes_max(&self, bytes_max: usize) {
        let mut state = self.state.lock();
        state.bytes_max = bytes_max;
        state.evict();
    }

    /// What it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.state.lock().bytes
    }

    /// The column of a segment, from here or as `read` reads it.
    pub(crate) fn column<E>(
        &self,
        (first_sequence, rows): (u64, u32),
        place: Place,
        read: impl FnOnce() -> Result<Names, E>,
    ) -> Result<Arc<Names>, E> {
        let key = (first_sequence, rows, Some(place));
        if let Some(What::Column(names)) = self.state.lock().find(key) {
            return Ok(names);
        }
        let names = Arc::new(read()?);
        self.state.lock().keep(key, What::Column(Arc::clone(&names)), names.memory_bytes());
        Ok(names)
    }

    /// The index of a segment, from here or as `open` opens it.
    pub(crate) fn index<E>(
        &self,
        (first_sequence, rows): (u64, u32),
        open: impl FnOnce() -> Result<SegmentIndex, E>,
    ) -> Result<Arc<SegmentIndex>, E> {
        let key = (first_sequence, rows, None);
        if let Some(What::Index(index)) = self.state.lock().find(key) {
            return Ok(index);
        }
        let index = Arc::new(open()?);
        self.state.lock().keep(key, What::Index(Arc::clone(&index)), index.memory_bytes());
        Ok(index)
    }

    /// Forgets a segment.
    pub(crate) fn forget(&self, first_sequence: u64) {
        let mut state = self.state.lock();
        state.kept.retain(|(of, ..), _| *of != first_sequence);
        state.bytes = state.kept.values().map(|kept| kept.bytes).sum();
    }
}

impl State {
    fn find(&mut self, key: Key) -> Option<What> {
        self.now += 1;
        let found = self.kept.get_mut(&key)?;
        found.used = self.now;
        Some(found.what.clone())
    }

    fn keep(&mut self, key: Key, what: What, bytes: usize) {
        if bytes <= self.bytes_max && !self.kept.contains_key(&key) {
            self.now += 1;
            self.bytes += bytes;
            self.kept.insert(key, Kept { what, bytes, used: self.now });
            self.evict();
        }
    }

    /// Drops what was not used for longest until the rest fits: a little more than needed, so that not everything that
    /// is kept comes here.
    fn evict(&mut self) {
        if self.bytes <= self.bytes_max {
            return;
        }
        let mut by_use: Vec<(u64, Key)> = self.kept.iter().map(|(key, kept)| (kept.used, *key)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in by_use {
            if self.bytes <= self.bytes_max / 16 * 15 {
                return;
            }
            self.bytes -= self.kept.remove(&key).map_or(0, |kept| kept.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::Column;
    use super::*;
    use crate::segment::names::NamesBuilder;

    const BYTES_MAX: usize = 64 << 20;

    fn column(value_bytes: usize) -> Result<Names, ()> {
        let mut builder = NamesBuilder::default();
        builder.push(&vec![b'x'; value_bytes]);
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        Names::new(&bytes, 1).map_err(|_| ())
    }

    fn first_is_kept(cache: &IndexCache) -> bool {
        cache.column((0, 1), Place::Known(Column::Flags), || Err(())).is_ok()
    }

    #[test]
    fn what_was_used_last_stays() {
        let cache = IndexCache::new(BYTES_MAX);
        let fits = BYTES_MAX / (3 << 20);
        for segment in 0..=fits as u64 {
            cache.column((segment, 1), Place::Known(Column::Flags), || column(3 << 20)).unwrap();
            assert!(first_is_kept(&cache), "it is used all the time");
        }
        assert!(cache.bytes() <= BYTES_MAX);
        assert!(cache.column((1, 1), Place::Known(Column::Flags), || Err(())).is_err(), "it was dropped");
        cache.forget(0);
        assert!(!first_is_kept(&cache), "it was forgotten");
    }

    #[test]
    fn a_smaller_limit_holds_at_once() {
        let cache = IndexCache::new(BYTES_MAX);
        for segment in 0..4 {
            cache.column((segment, 1), Place::Known(Column::Flags), || column(3 << 20)).unwrap();
        }
        cache.set_bytes_max(8 << 20);
        assert!((3 << 20..=8 << 20).contains(&cache.bytes()), "{} bytes", cache.bytes());
    }
}
