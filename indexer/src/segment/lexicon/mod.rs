//! Which rows of a segment have a word, whichever version its index has.
//!
//! **Invariant:** rows that have a word are never missing from an answer. An exact answer has no others.

mod places;
mod second;
mod shapes;

use super::blocks::TextGroups;
use super::bundle::{Bundle, IndexError};
use super::templates::Templates;
use super::words::{self, WORDS, Walked, WordSets, Words};
use crate::work::Work;
use logstead_record::Selection;
use logstead_record::query::Matcher;
use logstead_template::Automaton;
pub(super) use places::{PLACES, Places};
pub(super) use second::{KEYS, VALUES};
use second::{Second, Spread};
pub(crate) use shapes::ByShape;
use std::rc::Rc;
use std::sync::Arc;

/// The words of a segment.
pub(crate) enum Lexicon {
    /// Each word with its rows.
    First(Words),
    /// Words of templates, of slots, and of what has no template.
    Second(Box<Second>),
}

/// A word that some rows have.
pub(crate) struct Found {
    /// About how many rows.
    pub(crate) rows: u32,
    place: Place,
}

enum Place {
    First(words::Found),
    Second(Spread),
}

impl Found {
    fn spread(&self) -> Option<&Spread> {
        match &self.place {
            Place::First(_) => None,
            Place::Second(spread) => Some(spread),
        }
    }
}

impl Lexicon {
    /// Of the first version of an index.
    pub(super) fn first(rows: u32, bundle: &Bundle) -> Result<Lexicon, IndexError> {
        Ok(Lexicon::First(Words::open(WORDS, rows, bundle)?))
    }

    /// Of the second.
    pub(super) fn second(
        bundle: &Bundle,
        templates: Templates,
        seed: u64,
        groups: &Arc<TextGroups>,
    ) -> Result<Lexicon, IndexError> {
        Ok(Lexicon::Second(Box::new(Second::open(bundle, templates, seed, groups)?)))
    }

    /// About how much memory it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Lexicon::First(_) => 0,
            Lexicon::Second(second) => second.memory_bytes(),
        }
    }

    /// Looks up one word in lower case, or an address.
    pub(crate) fn find(&self, word: &[u8]) -> Result<Option<Found>, IndexError> {
        match self {
            Lexicon::First(words) => {
                Ok(words.find(word)?.map(|found| Found { rows: found.rows, place: Place::First(found) }))
            }
            Lexicon::Second(second) => Ok(second
                .find(word)?
                .map(|spread| Found { rows: spread.rows_max(second), place: Place::Second(spread) })),
        }
    }

    /// How many rows have a word, where that can be told.
    pub(crate) fn count(&self, found: &Found) -> Option<u32> {
        match (self, &found.place) {
            (Lexicon::First(_), Place::First(found)) => found.exact.then_some(found.rows),
            (Lexicon::Second(second), Place::Second(spread)) => spread.count(second),
            _ => None,
        }
    }

    /// What counting the rows of a word takes, as work.
    pub(crate) fn work_to_count(&self, found: &Found) -> usize {
        found.spread().map_or(0, Spread::work_to_look)
    }

    /// Of some rows, keeps those that have a word. `false` where some of these may have another one.
    pub(crate) fn retain(&self, found: &Found, rows: &mut Selection) -> Result<bool, IndexError> {
        match (self, &found.place) {
            (Lexicon::First(words), Place::First(found)) => {
                words.retain(found, rows)?;
                Ok(found.exact)
            }
            (Lexicon::Second(second), Place::Second(spread)) => {
                let (all, is_exact) = second.rows(spread, rows)?;
                rows.intersect(&all);
                Ok(is_exact)
            }
            _ => Err(IndexError::Format("a word of another index".to_owned())),
        }
    }

    /// The rows that have a word of each set. After `terms_max` terms it gives up: to scan the messages is then
    /// cheaper. It also ends where the work does.
    pub(crate) fn walk(
        &self,
        sets: &dyn WordSets,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walked<Vec<Selection>>, IndexError> {
        match self {
            Lexicon::First(words) => words.walk_sets(sets, terms_max, work),
            Lexicon::Second(second) => second.walk(sets, terms_max, work),
        }
    }

    /// Looks for a text without digits in the shapes of messages. Beside the matcher are whether its words stand side by
    /// side and at both ends of it, and what looking them up gave. None where the index has no templates.
    pub(crate) fn by_shape(
        &self,
        matcher: &Matcher,
        is_plain: bool,
        found: &[Option<Rc<Found>>],
    ) -> Result<Option<ByShape>, IndexError> {
        let Lexicon::Second(second) = self else { return Ok(None) };
        let found: Vec<Option<&Spread>> =
            found.iter().map(|found| found.as_deref().and_then(Found::spread)).collect();
        second.by_shape(matcher, is_plain, &found).map(Some)
    }

    /// The rows whose shape is meant for certain, and others that may be meant: at least those of them that are asked for.
    pub(crate) fn rows_by_shape(
        &self,
        shape: &ByShape,
        within: &Selection,
    ) -> Option<(Selection, Selection)> {
        match self {
            Lexicon::First(_) => None,
            Lexicon::Second(second) => Some(second.rows_by_shape(shape, within)),
        }
    }

    /// How many rows have a shape that is meant for certain, and the others that may be meant.
    pub(crate) fn count_by_shape(&self, shape: &ByShape) -> Option<(u64, Selection)> {
        match self {
            Lexicon::First(_) => None,
            Lexicon::Second(second) => {
                let certain = second.count_of(&second.certain_by_shape(shape));
                Some((certain, second.others_by_shape(shape)))
            }
        }
    }

    /// The rows in whose messages an expression has a match, and those that may have one: of those that are asked for.
    /// None where the index does not know, or the work ends.
    pub(crate) fn rows_matching(
        &self,
        expression: &Automaton,
        within: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<(Selection, Selection)>, IndexError> {
        match self {
            Lexicon::First(_) => Ok(None),
            Lexicon::Second(second) => Ok(second.rows_matching(expression, within, work)),
        }
    }

    /// How many templates there are, with one for rows without a template; nothing where the index does not know.
    pub(crate) fn templates(&self) -> Option<usize> {
        match self {
            Lexicon::First(_) => None,
            Lexicon::Second(second) => Some(second.templates()),
        }
    }

    /// The key of each of some templates, and how many rows have it.
    pub(crate) fn named(&self, templates: &Selection) -> Vec<(&[u8], u64)> {
        match self {
            Lexicon::First(_) => Vec::new(),
            Lexicon::Second(second) => second.named(templates),
        }
    }

    /// The templates that have a word, where all its rows are those of templates.
    pub(crate) fn templates_of(&self, found: &Found) -> Option<Selection> {
        match (self, &found.place) {
            (Lexicon::Second(second), Place::Second(spread)) => second.templates_of(spread),
            _ => None,
        }
    }

    /// The templates whose shape is meant, where no other row may be meant.
    pub(crate) fn templates_by_shape(&self, shape: &ByShape) -> Option<Selection> {
        match self {
            Lexicon::First(_) => None,
            Lexicon::Second(second) => second.templates_by_shape(shape),
        }
    }

    /// How many rows have one of these templates.
    pub(crate) fn count_of(&self, templates: &Selection) -> u64 {
        match self {
            Lexicon::First(_) => 0,
            Lexicon::Second(second) => second.count_of(templates),
        }
    }

    /// The rows that have one of these templates.
    pub(crate) fn rows_of(&self, templates: &Selection) -> Result<Selection, IndexError> {
        match self {
            Lexicon::First(_) => Err(IndexError::Format("an index without templates".to_owned())),
            Lexicon::Second(second) => second.rows_of(templates),
        }
    }
}
