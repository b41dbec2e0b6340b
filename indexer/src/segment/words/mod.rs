//! The words of a segment, each with its rows, in the formats of tantivy.
//!
//! | module   | owns                                             |
//! |----------|--------------------------------------------------|
//! | `write`  | inverted texts → the files of a dictionary       |
//! | `read`   | one word, looked up                              |
//! | `walk`   | all words that begin alike, looked at one by one |
//! | `layout` | what writer and reader have in common            |
//!
//! **Invariant:** rows that have a word are never missing from an answer. An exact answer has no others.

mod layout;
mod read;
#[cfg(test)]
mod tests;
mod walk;
mod write;

pub(crate) use layout::WORDS;
pub(crate) use read::{FoundTerm, WordDictionary};
pub(crate) use walk::{Walk, WordSets};
pub(crate) use write::write;
