//! Columns that were asked for lately, kept ready to be asked again.
//!
//! **Invariant:** what is kept takes no more than the cache's limit; a column that is larger is not kept.

use super::index::Place;
use super::names::Names;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// Memory of the columns of one logspace.
const COLUMNS_BYTES_MAX: usize = 64 << 20;

/// Which column of which segment.
type Key = (u64, u32, Place);

/// Columns in memory, those that were used last at the end.
#[derive(Default)]
pub(crate) struct ColumnCache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    columns: VecDeque<(Key, Arc<Names>)>,
    bytes: usize,
}

impl ColumnCache {
    /// The column of a segment, from here or as `read` reads it.
    pub(crate) fn get<E>(
        &self,
        (first_sequence, rows): (u64, u32),
        place: Place,
        read: impl FnOnce() -> Result<Names, E>,
    ) -> Result<Arc<Names>, E> {
        let key = (first_sequence, rows, place);
        if let Some(names) = self.state.lock().find(key) {
            return Ok(names);
        }
        let names = Arc::new(read()?);
        self.state.lock().keep(key, &names);
        Ok(names)
    }

    /// Forgets the columns of a segment.
    pub(crate) fn forget(&self, first_sequence: u64) {
        let mut state = self.state.lock();
        state.columns.retain(|((of, ..), _)| *of != first_sequence);
        state.bytes = state.columns.iter().map(|(_, names)| names.memory_bytes()).sum();
    }
}

impl State {
    fn find(&mut self, key: Key) -> Option<Arc<Names>> {
        let at = self.columns.iter().position(|(other, _)| *other == key)?;
        let found = self.columns.remove(at)?;
        let names = Arc::clone(&found.1);
        self.columns.push_back(found);
        Some(names)
    }

    fn keep(&mut self, key: Key, names: &Arc<Names>) {
        if COLUMNS_BYTES_MAX < names.memory_bytes() || self.columns.iter().any(|(other, _)| *other == key) {
            return;
        }
        self.bytes += names.memory_bytes();
        self.columns.push_back((key, Arc::clone(names)));
        while COLUMNS_BYTES_MAX < self.bytes
            && let Some((_, dropped)) = self.columns.pop_front()
        {
            self.bytes -= dropped.memory_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::names::NamesBuilder;

    fn column(value_bytes: usize) -> Result<Names, ()> {
        let mut builder = NamesBuilder::default();
        builder.push(&vec![b'x'; value_bytes]);
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        Names::new(&bytes, 1).map_err(|_| ())
    }

    #[test]
    fn what_was_used_last_stays() {
        let cache = ColumnCache::default();
        let fits = COLUMNS_BYTES_MAX / (3 << 20);
        for segment in 0..=fits as u64 {
            cache.get((segment, 1), Place::Known(0), || column(3 << 20)).unwrap();
            cache
                .get((0, 1), Place::Known(0), || -> Result<Names, ()> {
                    panic!("the first is used all the time")
                })
                .unwrap();
        }
        assert!(cache.state.lock().bytes <= COLUMNS_BYTES_MAX);
        assert!(cache.get((1, 1), Place::Known(0), || Err(())).is_err(), "it was dropped");
        cache.forget(0);
        assert!(cache.get((0, 1), Place::Known(0), || Err(())).is_err(), "it was forgotten");
    }
}
