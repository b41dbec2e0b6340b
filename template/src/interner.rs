//! Distinct texts, numbered as they come.

use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::TextColumn;
use std::hash::BuildHasher;

#[derive(Default)]
pub(crate) struct Interner {
    known: HashTable<u32>,
    texts: TextColumn,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The number of a text.
    pub(crate) fn number(&mut self, text: &[u8]) -> u32 {
        let Interner { known, texts, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(&number) = known.find(hash, |&number| texts.get(number as usize) == text) {
            return number;
        }
        let number = texts.len() as u32;
        texts.push(text);
        known.insert_unique(hash, number, |&number| hasher.hash_one(texts.get(number as usize)));
        number
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.texts.get(number as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.allocation_size() + self.texts.memory_bytes()
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.texts.truncate(0);
    }
}
