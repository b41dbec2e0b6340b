//! Distinct texts, numbered in the order of arrival.

use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::TextColumn;
use std::hash::BuildHasher;

#[derive(Default)]
pub(crate) struct Interner {
    /// Half of the hash of each text, and its number.
    known: HashTable<(u32, u32)>,
    texts: TextColumn,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The number of a text, which is added if it is new.
    pub(crate) fn number(&mut self, text: &[u8]) -> u32 {
        let Interner { known, texts, hasher } = self;
        let hash = hasher.hash_one(text);
        let half = hash as u32;
        // A hash table also uses the highest bits of a hash.
        let spread = |half: u32| u64::from(half) << 32 | u64::from(half);
        let is_it = |&(known, number): &(u32, u32)| known == half && texts.get(number as usize) == text;
        if let Some(&(_, number)) = known.find(spread(half), is_it) {
            return number;
        }
        let number = texts.len() as u32;
        texts.push(text);
        known.insert_unique(spread(half), (half, number), |&(half, _)| spread(half));
        number
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.texts.get(number as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The texts in the order of their numbers.
    pub(crate) fn into_texts(self) -> TextColumn {
        self.texts
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.allocation_size() + self.texts.memory_bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.texts.truncate(0);
    }
}
