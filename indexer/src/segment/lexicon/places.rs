//! The places that may contain a word: groups, whose slots may contain it, and dictionaries. They are found by hashes
//! of about eleven bits for each word and place, so that a look-up reads hardly more than necessary.

use crate::segment::bundle::{Bundle, IndexError, Section};
use crate::segment::inverter::TERM_BYTES_MAX;
use logstead_template::{RARE_HEAD_BYTES, Rare, WantedWord};

/// The [multimap](Rare) from the hashes of words to the numbers of [places](PlaceNumbers).
pub(in crate::segment) const PLACES: &str = "places";

/// The numbers of places. The lower numbers are those of groups.
pub(in crate::segment) struct PlaceNumbers {
    /// The dictionary of messages without a template.
    pub(in crate::segment) untemplated: u16,
    /// The dictionary of values.
    pub(in crate::segment) values: u16,
}

impl PlaceNumbers {
    /// The numbers for a segment with this many groups.
    pub(in crate::segment) fn of(groups: u16) -> PlaceNumbers {
        PlaceNumbers { untemplated: groups, values: groups + 1 }
    }
}

/// The places that may contain a word.
pub(super) struct WordCandidates {
    /// Groups, in ascending order.
    pub(super) groups: Vec<usize>,
    pub(super) untemplated: bool,
    pub(super) values: bool,
}

/// The places of all words.
pub(super) struct WordPlaces {
    section: Section,
    rare: Rare,
    seed: u64,
    groups: u16,
}

impl WordPlaces {
    pub(super) fn open(bundle: &Bundle, seed: u64, groups: usize) -> Result<WordPlaces, IndexError> {
        let section = bundle.section(PLACES)?;
        let head = section.read(0..section.bytes().min(RARE_HEAD_BYTES as u64))?;
        let rare = Rare::open(&head, section.bytes())?;
        let groups = u16::try_from(groups).ok().filter(|groups| *groups < u16::MAX);
        let groups =
            groups.ok_or_else(|| IndexError::Format("it has more groups than are possible".to_owned()))?;
        Ok(WordPlaces { section, rare, seed, groups })
    }

    /// The places that may contain a word.
    pub(super) fn of(&self, wanted: &WantedWord) -> Result<WordCandidates, IndexError> {
        let numbers = self.numbers(wanted)?;
        let groups =
            numbers.iter().filter(|number| **number < self.groups).map(|&number| usize::from(number));
        let groups = groups.collect();
        // The dictionaries contain only the first bytes of long words.
        let numbers = match wanted.word().get(..TERM_BYTES_MAX) {
            Some(term) => self.numbers(&WantedWord::new(term))?,
            None => numbers,
        };
        let PlaceNumbers { untemplated, values } = PlaceNumbers::of(self.groups);
        Ok(WordCandidates {
            groups,
            untemplated: numbers.contains(&untemplated),
            values: numbers.contains(&values),
        })
    }

    fn numbers(&self, wanted: &WantedWord) -> Result<Vec<u16>, IndexError> {
        self.rare.groups(wanted.hash(self.seed), &mut |range| self.section.read(range))
    }
}
