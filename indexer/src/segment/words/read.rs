//! Looks up words of a segment, one by one.
//!
//! A word longer than [`TERM_BYTES_MAX`] is in the dictionary only with its first bytes. A match of a term of that
//! length may be a different word: such answers are *not exact*, and have to be checked against the messages.

use super::layout::FIELD;
use crate::segment::bundle::{Bundle, IndexError};
use crate::segment::directory::SectionDirectory;
use crate::segment::inverter::TERM_BYTES_MAX;
use logstead_record::Selection;
use std::sync::Arc;
use tantivy::index::{Index, InvertedIndexReader, SegmentReader};
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

/// The number of a word's rows that can be decoded in the time of looking up one row among them.
const SEEK_ROWS: usize = 64;

/// The words of a segment, open for reading.
pub(crate) struct WordDictionary {
    pub(super) inverted: Arc<InvertedIndexReader>,
    pub(super) rows: u32,
}

/// A word that occurs in rows.
#[derive(Debug, Clone)]
pub(crate) struct FoundTerm {
    /// The number of rows.
    pub(crate) rows: u32,
    /// Whether all these rows certainly have this word.
    pub(crate) exact: bool,
    term: TermInfo,
}

impl WordDictionary {
    /// Opens a dictionary of an index file, which has this many rows.
    pub(crate) fn open(
        dictionary: &'static str,
        rows: u32,
        bundle: &Bundle,
    ) -> Result<WordDictionary, IndexError> {
        let index = Index::open(SectionDirectory::new(dictionary, bundle))?;
        let segments = index.searchable_segments()?;
        let [segment] = segments.as_slice() else {
            return Err(IndexError::Format(format!("{} word indexes instead of one", segments.len())));
        };
        if segment.meta().max_doc() != rows {
            let words_rows = segment.meta().max_doc();
            return Err(IndexError::Format(format!("words of {words_rows} rows in an index of {rows} rows")));
        }
        let inverted = SegmentReader::open(segment)?.inverted_index(FIELD)?;
        Ok(WordDictionary { inverted, rows })
    }

    /// The number of different words, as far as the dictionary distinguishes them.
    #[cfg(test)]
    pub(crate) fn terms(&self) -> usize {
        self.inverted.terms().num_terms()
    }

    /// Looks up one word in lower case.
    pub(crate) fn find(&self, word: &[u8]) -> Result<Option<FoundTerm>, IndexError> {
        let term = self.inverted.terms().get(&word[..word.len().min(TERM_BYTES_MAX)])?;
        Ok(term.map(|term| FoundTerm { rows: term.doc_freq, exact: word.len() < TERM_BYTES_MAX, term }))
    }

    /// The rows that have a word.
    pub(crate) fn rows(&self, found: &FoundTerm) -> Result<Selection, IndexError> {
        let mut rows = Selection::none(self.rows as usize);
        insert_all(&mut self.postings(&found.term)?, &mut rows)?;
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
        let mut postings = self.postings(&found.term)?;
        let mut kept = Selection::none(rows.rows());
        for row in rows.iter() {
            let place = postings.seek(row as u32);
            if postings.doc(place) == row as u32 {
                kept.insert(row);
            }
        }
        *rows = kept;
        Ok(())
    }

    fn postings(&self, term: &TermInfo) -> Result<BlockSegmentPostings, IndexError> {
        Ok(self.inverted.read_block_postings_from_terminfo(term, IndexRecordOption::Basic)?)
    }
}

/// Adds the rows of a word that have not been read yet.
pub(super) fn insert_all(
    postings: &mut BlockSegmentPostings,
    rows: &mut Selection,
) -> Result<(), IndexError> {
    while !postings.docs().is_empty() {
        if !rows.try_insert_all(postings.docs()) {
            return Err(IndexError::Format(format!("the rows of a word go beyond {}", rows.rows())));
        }
        postings.advance();
    }
    Ok(())
}
