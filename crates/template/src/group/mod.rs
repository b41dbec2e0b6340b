//! The texts of a group of rows, as templates and columns of variables, in two sections: [the template of each
//! row](self::rows), and these:
//!
//! | bytes                | meaning                                                                             |
//! |----------------------|-------------------------------------------------------------------------------------|
//! | varint, varint, packet | templates; length of the text that follows; the length of each key as a varint, and all keys |
//! | varint, [numbers](crate::numbers) | the distinct addresses in order                                        |
//! | [texts](crate::texts) | the dictionary: words of slots with few                                            |
//! | columns              | for each template, for each of its slots, below                                     |
//! | texts                | words of slots with many, in the order of columns                                   |
//! | texts                | messages that are kept as they are, in the order of rows                            |
//!
//! A column has a value for each row of its template:
//!
//! | slot      | column                                                                                         |
//! |-----------|------------------------------------------------------------------------------------------------|
//! | a number  | *lengths*, numbers                                                                             |
//! | an address | numbers: places among the addresses                                                           |
//! | wide      | lengths, numbers (the low halves), numbers (the high halves)                                   |
//! | a text    | u8 1, numbers: places in the dictionary; or u8 0: the next of the many words                   |
//!
//! Lengths are u8 0: all numbers are written without leading zeros; u8 1 and u8: all have that number of digits; u8 2
//! and numbers: each has its own.
//!
//! **Invariant:** a message comes back byte for byte.

mod column;
mod directory;
mod effort;
mod find;
mod find_words;
mod forms;
mod hashes;
mod matching;
mod messages;
mod others;
mod placed_numbers;
mod read;
mod rows;
mod span;
mod values;
mod word_finder;
mod write;

pub use find::WantedWord;
pub use forms::{WordForm, WordSet};
pub use hashes::word_hash;
pub use others::may_hold_other_addresses;
pub use placed_numbers::PlacedNumbers;
pub use read::TemplateGroup;
#[cfg(test)]
pub(crate) use read::tests::opened;
pub use rows::{Ranks, Rows};
pub(crate) use span::{KeyPosition, SpanReader, TemplateSpan};
pub use word_finder::WordFinder;
pub use write::{EncodedGroup, TemplateGroupWriter};

/// The maximum number of rows of a group: the dynamic fields of 131 072 messages have more rows than these.
pub(crate) const TEXTS_MAX: usize = 1 << 20;
