//! Walks through the words of a segment with a common prefix, and gathers the rows of those that match.
//!
//! **Invariant:** a walk that gives up says so. A word of which the dictionary keeps only the beginning may match, but
//! never counts as a match.

use super::read::WordDictionary;
use crate::segment::bundle::IndexError;
use crate::segment::inverter::TERM_BYTES_MAX;
use logstead_record::Selection;
use logstead_template::WordForm;
use logstead_work::Work;

/// The number of a word's rows that are decoded in the time of any other work on one row.
const DECODED_ROWS: usize = 8;

/// The result of a walk through the dictionary.
#[derive(Debug, Clone)]
pub(crate) struct Walk<T = Selection> {
    /// The rows of the words that were accepted.
    pub(crate) rows: T,
    /// The rows of words that are cut off in the dictionary and might be accepted.
    pub(crate) cut: Selection,
    /// The number of terms that were examined.
    pub(crate) terms: usize,
    /// Whether the walk was completed. If not, rows may be missing.
    pub(crate) complete: bool,
}

impl Walk<Vec<Selection>> {
    /// An empty result for this number of sets.
    pub(crate) fn nothing(sets: usize, rows: usize) -> Walk<Vec<Selection>> {
        let none = Selection::none(rows);
        Walk { rows: vec![none.clone(); sets], cut: none, terms: 0, complete: true }
    }
}

/// Sets of words that are searched for together.
pub(crate) trait WordSets {
    /// The number of sets.
    fn sets(&self) -> usize;

    /// The prefixes of the dictionary to walk, and for each whether all its words belong to the only set.
    fn walks(&self) -> Vec<(&[u8], bool)>;

    /// Adds the sets that a word is in.
    fn sets_of(&self, word: &[u8], sets: &mut Vec<usize>);

    /// The forms of the words of a set.
    fn forms(&self, set: usize) -> Vec<WordForm>;
}

impl WordDictionary {
    /// The rows of all words with the prefix `prefix` that `accepts` accepts. After `terms_max` terms it gives up,
    /// because scanning the messages is then cheaper. It also ends when the work is cancelled.
    #[cfg(test)]
    pub(super) fn walk(
        &self,
        prefix: &[u8],
        accepts: &mut dyn FnMut(&[u8]) -> bool,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walk, IndexError> {
        let mut sets_of = |word: &[u8], sets: &mut Vec<usize>| {
            if accepts(word) {
                sets.push(0);
            }
        };
        let mut walked = self.walk_each(prefix, 1, &mut sets_of, terms_max, work)?;
        Ok(Walk {
            rows: walked.rows.remove(0),
            cut: walked.cut,
            terms: walked.terms,
            complete: walked.complete,
        })
    }

    /// The same for several sets of words at once; `sets_of` gives the sets of a word.
    pub(crate) fn walk_each(
        &self,
        prefix: &[u8],
        sets: usize,
        sets_of: &mut dyn FnMut(&[u8], &mut Vec<usize>),
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walk<Vec<Selection>>, IndexError> {
        let none = Selection::none(self.rows as usize);
        let mut walked = Walk { rows: vec![none.clone(); sets], cut: none, terms: 0, complete: true };
        let mut sets = Vec::new();
        let prefix = &prefix[..prefix.len().min(TERM_BYTES_MAX)];
        let mut terms = self.terms.prefix_range(prefix).into_stream()?;
        while terms.advance() {
            if walked.terms == terms_max || !work.go_on(1) {
                walked.complete = false;
                break;
            }
            walked.terms += 1;
            let is_cut = terms.key().len() == TERM_BYTES_MAX;
            sets.clear();
            if !is_cut {
                sets_of(terms.key(), &mut sets);
            }
            let found = sets.iter().map(Some).chain(is_cut.then_some(None));
            for set in found {
                if !work.go_on(terms.value().rows as usize / DECODED_ROWS) {
                    walked.complete = false;
                    return Ok(walked);
                }
                let rows = set.map_or(&mut walked.cut, |&set| &mut walked.rows[set]);
                self.insert_all(terms.value(), rows)?;
            }
        }
        Ok(walked)
    }

    /// The rows of each of some sets of words.
    pub(crate) fn walk_sets(
        &self,
        sets: &dyn WordSets,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walk<Vec<Selection>>, IndexError> {
        let mut all = Walk::nothing(sets.sets(), self.rows as usize);
        for (beginning, are_all_meant) in sets.walks() {
            let sets_of = &mut |word: &[u8], found: &mut Vec<usize>| {
                if are_all_meant { found.push(0) } else { sets.sets_of(word, found) }
            };
            let walked = self.walk_each(beginning, sets.sets(), sets_of, terms_max - all.terms, work)?;
            all.add(&walked.rows, &walked.cut, walked.terms, walked.complete);
            if !all.complete {
                break;
            }
        }
        Ok(all)
    }
}

impl Walk<Vec<Selection>> {
    /// Adds the result from another dictionary for the same sets.
    pub(crate) fn add(&mut self, rows: &[Selection], cut: &Selection, terms: usize, complete: bool) {
        self.rows.iter_mut().zip(rows).for_each(|(all, rows)| all.union(rows));
        self.cut.union(cut);
        self.terms += terms;
        self.complete &= complete;
    }
}

impl Walk {
    /// Whether `rows` are complete, and no word was too long to decide.
    #[cfg(test)]
    pub(crate) fn is_exact(&self) -> bool {
        self.complete && self.cut.is_empty()
    }
}
