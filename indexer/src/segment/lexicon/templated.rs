//! The words of a segment: of templates, of their slots, and of messages without a template.
//!
//! The templates with a static word are found without reading any rows. The groups that may have a word in a slot are
//! found by its hash, and are then searched. So the answer is exact, and nothing is stored for each message.
//!
//! **Invariant:** rows that have a word are never missing from an answer. An exact answer has no others.

use super::places::WordPlaces;
use crate::segment::blocks::{BlocksError, RowGroups};
use crate::segment::bundle::{Bundle, IndexError};
use crate::segment::templates::Templates;
use crate::segment::words::{self, WORDS, Walk, WordDictionary, WordSets};
use logstead_record::{Selection, TextColumn};
use logstead_template::{
    Automaton, Ranks, ShapeFit, TemplateGroup, WantedWord, WordFinder, WordSet, may_hold_other_addresses,
};
use logstead_work::Work;
use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

/// The words of templates.
pub(in crate::segment) const KEYS: &str = "keys";
/// The words of values of dynamic fields.
pub(in crate::segment) const VALUES: &str = "values";

/// The assumed share of rows, one in this many, that have a word, in a group whose slots may contain it.
const SLOT_SHARE: u64 = 1024;

/// The work that searching the slots of a group for a word counts as.
const LOOK_WORK: usize = 1 << 13;

/// The number of bytes of keys that can be searched in less time than a word can be looked up.
const LOOKED_AT_BYTES: usize = 128 << 10;

/// The words of a segment.
pub(crate) struct TemplateLexicon {
    /// The words of the templates' keys; a row is a template.
    keys: WordDictionary,
    pub(super) untemplated: Option<WordDictionary>,
    pub(super) values: Option<WordDictionary>,
    pub(super) templates: Templates,
    counts: Vec<u64>,
    places: WordPlaces,
    /// The shapes of templates, computed when they are first needed, and the extent to which each is decisive.
    pub(super) shapes: OnceLock<(TextColumn, Vec<ShapeFit>)>,
    /// The groups whose rows may have an address spread over several slots, computed when an address is first looked
    /// up.
    with_other_addresses: OnceLock<Vec<usize>>,
    pub(super) groups: Arc<RowGroups>,
    pub(super) rows: u32,
}

/// A word that occurs in rows, and the places of these rows.
pub(crate) struct WordMatch {
    /// The approximate number of rows.
    pub(crate) rows: u32,
    pub(super) wanted: WantedWord,
    /// The templates that contain it, ascending; all their rows have it.
    pub(super) templates: Vec<u32>,
    /// The groups with rows that may have it in a slot.
    pub(super) groups: Vec<InSlots>,
    pub(super) untemplated: Option<words::FoundTerm>,
    pub(super) values: Option<words::FoundTerm>,
    /// Whether the dictionaries can distinguish it from other words.
    is_exact: bool,
}

/// A group that may have a word in a slot. Once it has been searched, `found` has the rows with the word for each
/// place, and whether all of these certainly have it; `None` if the group cannot be read.
pub(super) struct InSlots {
    pub(super) group: usize,
    found: OnceCell<Option<(Vec<Ranks>, bool)>>,
}

impl InSlots {
    /// Whether it has been searched and does not have the word, because only the hash was the same.
    fn is_known_to_have_none(&self) -> bool {
        let found = self.found.get().and_then(Option::as_ref);
        found.is_some_and(|(ranks, is_exact)| *is_exact && ranks.iter().all(|ranks| *ranks == Ranks::None))
    }
}

impl TemplateLexicon {
    /// Opens the words of an index.
    pub(in crate::segment) fn open(
        bundle: &Bundle,
        templates: Templates,
        seed: u64,
        groups: &Arc<RowGroups>,
    ) -> Result<TemplateLexicon, IndexError> {
        let rows = bundle.identity().rows;
        let fits = templates.groups.len() == groups.groups()
            && (0..groups.groups())
                .all(|group| templates.groups[group].rows() == groups.rows_of(group).len() as u64);
        if !fits {
            return Err(IndexError::Format("its templates belong to other groups".to_owned()));
        }
        let open = |dictionary| {
            let is_there = WordDictionary::is_in(bundle, dictionary);
            is_there.then(|| WordDictionary::open(dictionary, rows, bundle)).transpose()
        };
        let keys = WordDictionary::open(KEYS, templates.keys.len() as u32, bundle)?;
        let (untemplated, values) = (open(WORDS)?, open(VALUES)?);
        let (counts, groups) = (templates.counts(), Arc::clone(groups));
        let places = WordPlaces::open(bundle, seed, groups.groups())?;
        let (shapes, with_other_addresses) = (OnceLock::new(), OnceLock::new());
        Ok(TemplateLexicon {
            keys,
            untemplated,
            values,
            templates,
            counts,
            places,
            shapes,
            with_other_addresses,
            groups,
            rows,
        })
    }

    /// The approximate memory that it takes.
    pub(in crate::segment) fn memory_bytes(&self) -> usize {
        // The shapes take about as much memory as the keys.
        self.templates.memory_bytes()
            + self.templates.keys.memory_bytes()
            + size_of_val(self.counts.as_slice())
    }

    /// Looks up one word in lower case, or an address.
    pub(crate) fn find(&self, word: &[u8]) -> Result<Option<WordMatch>, IndexError> {
        let wanted = WantedWord::new(word);
        let mut may_have = self.places.of(&wanted)?;
        if word.contains(&b'.') {
            // The word is an address, and its four numbers may be in separate slots.
            may_have.groups.extend_from_slice(
                self.with_other_addresses.get_or_init(|| self.groups_with_other_addresses()),
            );
            may_have.groups.sort_unstable();
            may_have.groups.dedup();
        }
        let in_slots = |group| InSlots { group, found: OnceCell::new() };
        let groups = may_have.groups.into_iter().map(in_slots).collect();
        let mut entry = WordMatch {
            rows: 0,
            wanted,
            templates: Vec::new(),
            groups,
            untemplated: None,
            values: None,
            is_exact: true,
        };
        if let Some(templates) = self.look_at_keys(word) {
            entry.templates = templates;
        } else if let Some(found) = self.keys.find(word)? {
            entry.is_exact &= found.exact;
            entry.templates = self.keys.rows(&found)?.iter().map(|template| template as u32).collect();
        }
        for (words, place, may_have) in [
            (&self.untemplated, &mut entry.untemplated, may_have.untemplated),
            (&self.values, &mut entry.values, may_have.values),
        ] {
            if let Some(words) = words
                && may_have
            {
                *place = words.find(word)?;
                entry.is_exact &= place.as_ref().is_none_or(|found| found.exact);
            }
        }
        let is_nowhere = entry.templates.is_empty()
            && entry.groups.is_empty()
            && entry.untemplated.is_none()
            && entry.values.is_none();
        entry.rows = entry.rows_max(self);
        Ok((!is_nowhere).then_some(entry))
    }

    /// The groups whose rows may have an address in several slots.
    fn groups_with_other_addresses(&self) -> Vec<usize> {
        let may_hold: Vec<bool> = self.templates.keys.iter().map(may_hold_other_addresses).collect();
        let groups = self.templates.groups.iter().enumerate();
        let with_one =
            groups.filter(|(_, group)| group.numbers.iter().any(|&number| may_hold[number as usize]));
        with_one.map(|(group, _)| group).collect()
    }

    /// The templates that contain a word, found by searching all of them; `None` if the dictionary is faster.
    fn look_at_keys(&self, word: &[u8]) -> Option<Vec<u32>> {
        let keys = &self.templates.keys;
        if LOOKED_AT_BYTES < keys.bytes().len() {
            return None;
        }
        let mut templates = Vec::new();
        if let Some(mut look) = WordFinder::new(word) {
            look.for_each(keys, |template| templates.push(template as u32));
            templates.dedup();
        }
        Some(templates)
    }

    /// The number of rows that have a word, if that is known.
    pub(crate) fn count(&self, found: &WordMatch) -> Option<u32> {
        found.count(self)
    }

    /// The work needed to count the rows with a word.
    pub(crate) fn work_to_count(&self, found: &WordMatch) -> usize {
        found.work_to_look()
    }

    /// Keeps those of `rows` that have a word. Returns `false` if some of the rows kept may have a different word.
    pub(crate) fn retain(&self, found: &WordMatch, rows: &mut Selection) -> Result<bool, IndexError> {
        let (all, is_exact) = self.rows(found, rows)?;
        rows.intersect(&all);
        Ok(is_exact)
    }

    /// The rows of `within` that have a word, and whether all of them certainly have it.
    fn rows(&self, entry: &WordMatch, within: &Selection) -> Result<(Selection, bool), IndexError> {
        let mut is_exact = entry.is_exact;
        let mut rows = Selection::none(self.rows as usize);
        for (words, found) in [(&self.untemplated, &entry.untemplated), (&self.values, &entry.values)] {
            if let (Some(words), Some(found)) = (words, found) {
                rows.union(&words.rows(found)?);
            }
        }
        let has_word = self.flags(&entry.templates);
        let mut in_slots = entry.groups.iter().peekable();
        for group in 0..self.groups.groups() {
            let look = in_slots.next_if(|look| look.group == group);
            if within.count_within(self.groups.rows_of(group)) == 0 {
                continue;
            }
            let found = match look.map(|look| self.look(&entry.wanted, look)) {
                Some(None) => {
                    rows.insert_range(self.groups.rows_of(group));
                    is_exact = false;
                    continue;
                }
                Some(Some((ranks, is_group_exact))) => {
                    is_exact &= is_group_exact;
                    Some(ranks.as_slice())
                }
                None => None,
            };
            let found = self.found(group, &has_word, found);
            if found.iter().all(|ranks| *ranks == Ranks::None) {
                continue;
            }
            let range = self.groups.rows_of(group);
            let mut asked = within.slice(range.clone());
            let of = self.groups.templates(group).ok().filter(|of| of.counts().len() == found.len());
            of.ok_or_else(unreadable)?.retain(&found, &mut asked);
            rows.insert_part(range.start, &asked);
        }
        Ok((rows, is_exact))
    }

    /// Searches the slots of a group for a word, unless that has been done.
    pub(super) fn look<'l>(&self, wanted: &WantedWord, look: &'l InSlots) -> Option<&'l (Vec<Ranks>, bool)> {
        let find = || self.texts(look.group, |texts| Ok(texts.find_in_slots(wanted)?));
        look.found.get_or_init(find).as_ref()
    }

    /// Adds the rows of a group whose template is accepted or that have one of these ranks. Returns `false` if the
    /// group cannot be read.
    #[must_use]
    pub(super) fn insert(
        &self,
        group: usize,
        accepted: &[bool],
        ranks: Option<&[Ranks]>,
        rows: &mut Selection,
    ) -> bool {
        let found = self.found(group, accepted, ranks);
        if found.iter().all(|ranks| *ranks == Ranks::None) {
            return true;
        }
        match self.groups.templates(group) {
            Ok(of) if of.counts().len() == found.len() => {
                rows.insert_part(self.groups.rows_of(group).start, &of.select(&found));
                true
            }
            _ => false,
        }
    }

    /// The rows of a group for each place: all rows if the template is accepted, otherwise those with one of these
    /// ranks.
    fn found(&self, group: usize, accepted: &[bool], ranks: Option<&[Ranks]>) -> Vec<Ranks> {
        let numbers = &self.templates.groups[group].numbers;
        let mut found = match ranks {
            Some(ranks) => ranks.to_vec(),
            None => vec![Ranks::None; numbers.len() + 1],
        };
        for (ranks, &number) in found.iter_mut().skip(1).zip(numbers) {
            if accepted.get(number as usize) == Some(&true) {
                *ranks = Ranks::All;
            }
        }
        found
    }

    pub(crate) fn walk(
        &self,
        sets: &dyn WordSets,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walk<Vec<Selection>>, IndexError> {
        let mut all = Walk::nothing(sets.sets(), self.rows as usize);
        for words in [&self.untemplated, &self.values].into_iter().flatten() {
            let walked = words.walk_sets(sets, terms_max.saturating_sub(all.terms), work)?;
            all.add(&walked.rows, &walked.cut, walked.terms, walked.complete);
        }
        let keys = self.keys.walk_sets(sets, terms_max.saturating_sub(all.terms), work)?;
        all.terms += keys.terms;
        all.complete &= keys.complete;
        let accepted: Vec<Vec<bool>> = keys.rows.iter().map(|rows| self.flags_of(rows)).collect();
        let cut = self.flags_of(&keys.cut);
        let wanted: Vec<WordSet> = (0..sets.sets()).map(|set| WordSet::new(sets.forms(set))).collect();
        for group in 0..self.groups.groups() {
            if !all.complete {
                break;
            }
            let found =
                self.texts(group, |texts| Ok(texts.find_words(&wanted, &mut |values| work.go_on(values))?));
            match found {
                Some(Some(found)) => {
                    let mut sets = all.rows.iter_mut().zip(&accepted).zip(&found);
                    let are_read = sets.all(|((rows, of), ranks)| self.insert(group, of, Some(ranks), rows))
                        && self.insert(group, &cut, None, &mut all.cut);
                    if !are_read {
                        all.cut.insert_range(self.groups.rows_of(group));
                    }
                }
                // The search ended before everything was searched.
                Some(None) => all.complete = false,
                // An unreadable group may contain any words.
                None => all.cut.insert_range(self.groups.rows_of(group)),
            }
        }
        Ok(all)
    }

    /// The rows in whose messages an expression has a match, and those of groups that cannot be read; `None` if the
    /// work is cancelled first.
    pub(crate) fn rows_matching(
        &self,
        expression: &Automaton,
        within: &Selection,
        work: &Work<'_>,
    ) -> Option<(Selection, Selection)> {
        let mut rows = Selection::none(self.rows as usize);
        let mut unread = rows.clone();
        for group in 0..self.groups.groups() {
            let range = self.groups.rows_of(group);
            if within.count_within(range.clone()) == 0 {
                continue;
            }
            let found = self
                .texts(group, |texts| Ok(texts.find_match(expression, &mut |values| work.go_on(values))?));
            let are_read = match found {
                Some(found) => self.insert(group, &[], Some(&found?), &mut rows),
                None => false,
            };
            if !are_read {
                unread.insert_range(range);
            }
        }
        Some((rows, unread))
    }

    /// The keys of some templates, with the number of rows of each; rows without a template have no key.
    pub(crate) fn named(&self, templates: &Selection) -> Vec<(&[u8], u64)> {
        let with_key = templates.iter().filter(|&template| template < self.templates.keys.len());
        with_key.map(|template| (self.templates.keys.get(template), self.counts[template])).collect()
    }

    /// The number of templates, plus one that stands for rows without a template.
    pub(crate) fn templates(&self) -> usize {
        self.templates.keys.len() + 1
    }

    /// The templates that contain a word, if it is known that no other row has it.
    pub(crate) fn templates_of(&self, entry: &WordMatch) -> Option<Selection> {
        let is_static = entry.is_exact
            && entry.groups.iter().all(InSlots::is_known_to_have_none)
            && entry.untemplated.is_none()
            && entry.values.is_none();
        let mut templates = Selection::none(self.templates());
        entry.templates.iter().for_each(|&template| templates.insert(template as usize));
        is_static.then_some(templates)
    }

    /// The number of rows that have one of these templates.
    pub(crate) fn count_of(&self, templates: &Selection) -> u64 {
        let untemplated = || self.templates.groups.iter().map(|group| u64::from(group.untemplated)).sum();
        templates.iter().map(|template| self.counts.get(template).copied().unwrap_or_else(untemplated)).sum()
    }

    /// The rows that have one of these templates.
    pub(crate) fn rows_of(&self, templates: &Selection) -> Result<Selection, IndexError> {
        let accepted = self.flags_of(templates);
        let includes_untemplated = templates.contains(self.templates.keys.len());
        let mut rows = Selection::none(self.rows as usize);
        for group in 0..self.groups.groups() {
            let mut ranks = vec![Ranks::None; self.templates.groups[group].numbers.len() + 1];
            if includes_untemplated && 0 < self.templates.groups[group].untemplated {
                ranks[0] = Ranks::All;
            }
            if !self.insert(group, &accepted, Some(&ranks), &mut rows) {
                return Err(unreadable());
            }
        }
        Ok(rows)
    }

    /// Searches the messages of a group; `None` if they cannot be read.
    fn texts<T>(
        &self,
        group: usize,
        ask: impl FnOnce(&TemplateGroup) -> Result<T, BlocksError>,
    ) -> Option<T> {
        let texts = self.groups.messages(group).ok()?;
        let of = &self.templates.groups[group];
        let fits = texts.counts().split_first() == Some((&of.untemplated, &of.counts));
        if fits { ask(&texts).ok() } else { None }
    }

    fn flags(&self, templates: &[u32]) -> Vec<bool> {
        let mut flags = vec![false; self.templates.keys.len()];
        templates.iter().for_each(|&template| flags[template as usize] = true);
        flags
    }

    fn flags_of(&self, templates: &Selection) -> Vec<bool> {
        (0..self.templates.keys.len()).map(|template| templates.contains(template)).collect()
    }
}

fn unreadable() -> IndexError {
    IndexError::Format("its rows cannot be read".to_owned())
}

impl WordMatch {
    /// The number of rows that have the word, which is estimated for slots.
    fn rows_max(&self, lexicon: &TemplateLexicon) -> u32 {
        let mut rows = self.outside() + self.by_templates(lexicon);
        for look in &self.groups {
            rows += lexicon.templates.groups[look.group].rows() / SLOT_SHARE;
        }
        u32::try_from(rows).unwrap_or(u32::MAX).min(lexicon.rows)
    }

    /// The work needed to search the slots.
    fn work_to_look(&self) -> usize {
        self.groups.len() * LOOK_WORK
    }

    /// The number of rows that have the word, if that is known.
    fn count(&self, lexicon: &TemplateLexicon) -> Option<u32> {
        let mut inside = self.by_templates(lexicon);
        for look in &self.groups {
            let (ranks, is_exact) = lexicon.look(&self.wanted, look)?;
            if !is_exact {
                return None;
            }
            let of = &lexicon.templates.groups[look.group];
            for ((ranks, number), &count) in ranks[1..].iter().zip(&of.numbers).zip(&of.counts) {
                if self.templates.binary_search(number).is_err() {
                    inside += match ranks {
                        Ranks::None => 0,
                        Ranks::All => u64::from(count),
                        Ranks::Some(ranks) => ranks.len() as u64,
                    };
                }
            }
        }
        // A row with fields may have the word twice.
        let others = inside + self.untemplated.as_ref().map_or(0, |found| u64::from(found.rows));
        let is_once = self.values.is_none() || others == 0;
        (self.is_exact && is_once).then_some((self.outside() + inside) as u32)
    }

    /// The number of rows that have the word in a message without a template or in a value.
    fn outside(&self) -> u64 {
        [&self.untemplated, &self.values].into_iter().flatten().map(|found| u64::from(found.rows)).sum()
    }

    fn by_templates(&self, lexicon: &TemplateLexicon) -> u64 {
        self.templates.iter().map(|&template| lexicon.counts[template as usize]).sum()
    }
}
