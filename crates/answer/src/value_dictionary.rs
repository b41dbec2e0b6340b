//! Distinct texts, each with a number that is the same for all parts of the store.

use super::AnswerError;
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::TextColumn;
use std::hash::BuildHasher;

/// The number that stands for a missing value.
pub(crate) const ABSENT: u32 = u32::MAX;

/// **Invariant:** no text occurs twice.
#[derive(Default)]
pub(crate) struct ValueDictionary {
    texts: TextColumn,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl ValueDictionary {
    /// The number of a text, which is added if it is new; an error if the values would then take more than
    /// `bytes_max`.
    pub(crate) fn number(&mut self, text: &[u8], bytes_max: usize) -> Result<u32, AnswerError> {
        let ValueDictionary { texts, numbers, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(&number) = numbers.find(hash, |&number| texts.get(number as usize) == text) {
            return Ok(number);
        }
        // A text column has its own size limit.
        let bytes_max = bytes_max.min(u32::MAX as usize);
        if bytes_max < self.memory_bytes() + text.len() {
            return Err(AnswerError::Memory { bytes_max });
        }
        let ValueDictionary { texts, numbers, hasher } = self;
        let number = texts.len() as u32;
        texts.push(text);
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(texts.get(number as usize)));
        Ok(number)
    }

    /// The text with this number.
    pub(crate) fn get(&self, number: u32) -> Option<&[u8]> {
        ((number as usize) < self.texts.len()).then(|| self.texts.get(number as usize))
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Their size in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.texts.memory_bytes() + self.numbers.allocation_size()
    }
}
