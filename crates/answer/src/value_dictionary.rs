//! Distinct texts and a number for each, over all parts of the store.

use super::AnswerError;
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::TextColumn;
use std::hash::BuildHasher;

/// The number of an absent value.
pub(crate) const ABSENT: u32 = u32::MAX;

/// **Invariant:** no text occurs twice.
#[derive(Default)]
pub(crate) struct ValueDictionary {
    texts: TextColumn,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl ValueDictionary {
    /// The number of a text, which is added if it is new, unless the values then take more than `bytes_max`.
    pub(crate) fn number(&mut self, text: &[u8], bytes_max: usize) -> Result<u32, AnswerError> {
        let ValueDictionary { texts, numbers, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(&number) = numbers.find(hash, |&number| texts.get(number as usize) == text) {
            return Ok(number);
        }
        // The size of a text column is a limit too.
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

    /// The text with a number.
    pub(crate) fn get(&self, number: u32) -> Option<&[u8]> {
        ((number as usize) < self.texts.len()).then(|| self.texts.get(number as usize))
    }

    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The memory they take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.texts.memory_bytes() + self.numbers.allocation_size()
    }
}
