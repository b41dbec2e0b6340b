//! The words of a segment, each with its rows.
//!
//! A dictionary has two sections. Its `….terms` are a sorted table of `tantivy-sstable` with the [place](TermPlace) of
//! each word's rows in its `….rows`, which begin with the number of rows that there are, as u32.
//!
//! | module  | owns                                             |
//! |---------|--------------------------------------------------|
//! | `table` | the sorted table and how it reads its section    |
//! | `rows`  | the rows of a word as bytes                      |
//! | `write` | inverted texts → the sections of a dictionary    |
//! | `read`  | one word, looked up                              |
//! | `walk`  | all words that begin alike, looked at one by one |
//!
//! **Invariant:** rows that have a word are never missing from an answer. An exact answer has no others.

mod read;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod walk;
mod write;

pub(crate) use read::{FoundTerm, WordDictionary};
pub(crate) use walk::{Walk, WordSets};
pub(crate) use write::write;

/// The dictionary of the words of texts that are stored without a template.
pub(crate) const WORDS: &str = "words";

/// The section with the sorted table of a dictionary.
fn terms_section(dictionary: &str) -> String {
    format!("{dictionary}.terms")
}

/// The section with the rows of a dictionary's words.
fn rows_section(dictionary: &str) -> String {
    format!("{dictionary}.rows")
}
