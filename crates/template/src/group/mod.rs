//! The texts of a group of rows, as templates and columns of variables, in two sections: [the template of each
//! row](self::rows), and these:
//!
//! | bytes                | meaning                                                                             |
//! |----------------------|-------------------------------------------------------------------------------------|
//! | u32                  | length of the two packets and of what is before them                                |
//! | varint, varint, packet | templates; length of the text that follows; the length of each key as a varint, and all keys |
//! | varint, packet       | length of the [directory](self::head); the directory                                |
//! | [numbers](crate::numbers) | the distinct addresses in order                                                |
//! | blocks of [texts](crate::texts) | the dictionary: words of slots with few                                  |
//! | columns              | for each kind of slot, for each template, for each of its slots, below              |
//! | blocks of texts      | words of slots with many, in the order of columns                                   |
//! | blocks of texts      | messages that are kept as they are, in the order of rows                            |
//!
//! To open a group, only the keys and the directory are read. All else is read and decoded when it is first needed, in
//! [parts](self::source::GroupPart) that are kept for as long as the source of the bytes likes: the addresses, the
//! dictionary, runs of neighbouring columns, and blocks of texts.
//!
//! A column has a value for each row of its template:
//!
//! | slot      | column                                                                                         |
//! |-----------|------------------------------------------------------------------------------------------------|
//! | a number  | *lengths*, numbers                                                                             |
//! | an address | numbers: places among the addresses                                                           |
//! | wide      | lengths, numbers (the low halves), numbers (the high halves)                                   |
//! | a text    | numbers: places in the dictionary; or no bytes: the next of the many words                     |
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
mod head;
mod matching;
mod messages;
mod others;
mod placed_numbers;
mod read;
mod rows;
mod source;
mod span;
mod stored_texts;
mod values;
mod word_finder;
mod write;

pub use find::WantedWord;
pub use forms::{WordForm, WordSet};
pub use hashes::word_hash;
pub use head::GroupHead;
pub use others::may_hold_other_addresses;
pub use placed_numbers::PlacedNumbers;
pub use read::TemplateGroup;
#[cfg(test)]
pub(crate) use read::tests::opened;
pub use rows::{Ranks, Rows};
pub use source::{GroupPart, GroupSource};
pub(crate) use span::{KeyPosition, SpanReader, TemplateSpan};
pub use word_finder::WordFinder;
pub use write::{EncodedGroup, TemplateGroupWriter};

/// The maximum number of rows of a group: the dynamic fields of 131 072 messages have more rows than these.
pub(crate) const TEXTS_MAX: usize = 1 << 20;
