//! Remembers keys that were met once. Keys that never come again should not take the place of one that does.

/// The number of hashes that are remembered: a newer one takes the place of an older one.
const PLACES: usize = 1 << 14;

/// The hashes of keys that were met, as far as they are remembered.
#[derive(Default)]
pub(crate) struct Once {
    /// A part of each hash, at a place that the rest of it chooses. Empty before the first.
    hashes: Vec<u32>,
}

impl Once {
    /// Whether a key was met before. From now on it was.
    pub(crate) fn again(&mut self, hash: u64) -> bool {
        self.hashes.resize(PLACES, 0);
        // 0 marks an empty place.
        let (place, hash) = ((hash >> 32) as usize % PLACES, hash as u32 | 1);
        std::mem::replace(&mut self.hashes[place], hash) == hash
    }

    /// The memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.hashes.as_slice())
    }
}
