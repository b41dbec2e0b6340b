//! Looks up words of a segment, one by one.
//!
//! A word longer than [`TERM_BYTES_MAX`] is in the dictionary only with its first bytes. A match of a term of that
//! length may be a different word: such answers are *not exact*, and have to be checked against the messages.

use super::rows::RowReader;
use super::table::{self, TermPlace, TermTable};
use super::{rows_section, terms_section};
use crate::segment::bundle::{Bundle, IndexError, Section};
use crate::segment::inverter::TERM_BYTES_MAX;
use logstead_record::Selection;
use tantivy_sstable::Dictionary;

/// The number of a word's rows that can be decoded in the time of looking up one row among them.
const SEEK_ROWS: usize = 64;

/// The words of a segment, open for reading.
pub(crate) struct WordDictionary {
    pub(super) terms: Dictionary<TermTable>,
    /// The rows of all words.
    postings: Section,
    pub(super) rows: u32,
}

/// A word in the dictionary.
#[derive(Debug, Clone)]
pub(crate) struct FoundTerm {
    /// The number of rows.
    pub(crate) rows: u32,
    /// Whether all these rows certainly have this word.
    pub(crate) exact: bool,
    place: TermPlace,
}

impl WordDictionary {
    /// Opens a dictionary of an index file, which has this many rows.
    pub(crate) fn open(
        dictionary: &'static str,
        rows: u32,
        bundle: &Bundle,
    ) -> Result<WordDictionary, IndexError> {
        let terms = table::open(bundle.section(&terms_section(dictionary))?)?;
        let postings = bundle.section(&rows_section(dictionary))?;
        let of_words =
            postings.read(0..size_of::<u32>() as u64)?.first_chunk().copied().map(u32::from_le_bytes);
        if of_words != Some(rows) {
            let of_words = of_words.unwrap_or_default();
            return Err(IndexError::Format(format!("words of {of_words} rows in an index of {rows} rows")));
        }
        Ok(WordDictionary { terms, postings, rows })
    }

    /// Whether an index file has a dictionary.
    pub(crate) fn is_in(bundle: &Bundle, dictionary: &str) -> bool {
        bundle.has(&terms_section(dictionary))
    }

    /// The number of different words, as far as the dictionary distinguishes them.
    #[cfg(test)]
    pub(crate) fn terms(&self) -> usize {
        self.terms.num_terms()
    }

    /// Looks up one word in lower case.
    pub(crate) fn find(&self, word: &[u8]) -> Result<Option<FoundTerm>, IndexError> {
        let place = self.terms.get(&word[..word.len().min(TERM_BYTES_MAX)])?;
        Ok(place.map(|place| FoundTerm { rows: place.rows, exact: word.len() < TERM_BYTES_MAX, place }))
    }

    /// The rows that have a word.
    pub(crate) fn rows(&self, found: &FoundTerm) -> Result<Selection, IndexError> {
        let mut rows = Selection::none(self.rows as usize);
        self.insert_all(&found.place, &mut rows)?;
        Ok(rows)
    }

    /// Keeps those of `rows` that have a word.
    pub(crate) fn retain(&self, found: &FoundTerm, rows: &mut Selection) -> Result<(), IndexError> {
        let count = rows.count();
        if count == 0 {
            return Ok(());
        }
        if found.rows as usize / SEEK_ROWS < count {
            rows.intersect(&self.rows(found)?);
            return Ok(());
        }
        let bytes = self.postings.read(found.place.bytes.clone())?;
        let mut of_word = RowReader::new(&bytes, found.rows);
        let mut kept = Selection::none(rows.rows());
        for row in rows.iter() {
            if of_word.has(row as u32)? {
                kept.insert(row);
            }
        }
        *rows = kept;
        Ok(())
    }

    /// Adds the rows of a word.
    pub(super) fn insert_all(&self, place: &TermPlace, rows: &mut Selection) -> Result<(), IndexError> {
        let bytes = self.postings.read(place.bytes.clone())?;
        if !RowReader::new(&bytes, place.rows).insert_all(rows)? {
            return Err(IndexError::Format(format!("the rows of a word go beyond {}", rows.rows())));
        }
        Ok(())
    }
}
