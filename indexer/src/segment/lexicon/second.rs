//! The words of the second version of an index: of templates, of their slots, and of what has no template.
//!
//! Which templates have a static word is known without looking at a row. Which groups may have a word in a slot is known
//! by its hash; those are looked at. So the answer is exact, and nothing is stored for each message.

use crate::segment::blocks::{BlocksError, TextGroups};
use crate::segment::bundle::{Bundle, IndexError, Section};
use crate::segment::templates::{Group, Templates};
use crate::segment::words::{self, WORDS, Walked, WordSets, Words};
use crate::work::Work;
use logstead_record::query::{FieldName, Matcher};
use logstead_record::{Batch, Field, Selection, TextColumn};
use logstead_template::{
    Automaton, RARE_HEAD_BYTES, Ranks, Rare, Shape, TextGroup, Wanted, WordSet, may_hold_other_addresses,
    shape,
};
use std::cell::OnceCell;
use std::sync::Arc;

/// The words of templates.
pub(in crate::segment) const KEYS: &str = "keys";
/// Of words in slots, the groups that may have them.
pub(in crate::segment) const SLOTS: &str = "slots";
/// The words of values of dynamic fields.
pub(in crate::segment) const VALUES: &str = "values";

/// Of a group that may have a word in slots, one row of so many is thought to have it.
const SLOT_SHARE: u64 = 1024;

/// The words of a segment.
pub(crate) struct Second {
    /// A row is a template.
    keys: Words,
    kept: Option<Words>,
    values: Option<Words>,
    templates: Templates,
    counts: Vec<u64>,
    slots: Slots,
    groups: Arc<TextGroups>,
    rows: u32,
}

/// Where the rows of a word are.
pub(super) struct Spread {
    wanted: Wanted,
    /// Templates that have it, ascending: all their rows do.
    templates: Vec<u32>,
    /// Groups with rows that may have it in a slot.
    groups: Vec<Look>,
    kept: Option<words::Found>,
    values: Option<words::Found>,
    /// Whether the dictionaries tell it from other words.
    is_exact: bool,
}

/// A group that may have a word in a slot, and once it was looked at the rows that have it for each place; none where the
/// group cannot be read.
struct Look {
    group: usize,
    found: OnceCell<Option<Vec<Ranks>>>,
}

impl Second {
    pub(super) fn open(
        bundle: &Bundle,
        templates: Templates,
        seed: u64,
        groups: &Arc<TextGroups>,
    ) -> Result<Second, IndexError> {
        let rows = bundle.identity().rows;
        let fits = templates.groups.len() == groups.groups()
            && (0..groups.groups())
                .all(|group| templates.groups[group].rows() == groups.rows_of(group).len() as u64);
        if !fits {
            return Err(IndexError::Format("templates of other groups".to_owned()));
        }
        let open = |dictionary| {
            let is_there = bundle.has(&format!("{dictionary}.meta"));
            is_there.then(|| Words::open(dictionary, rows, bundle)).transpose()
        };
        let keys = Words::open(KEYS, templates.keys.len() as u32, bundle)?;
        let (kept, values) = (open(WORDS)?, open(VALUES)?);
        let (counts, groups) = (templates.counts(), Arc::clone(groups));
        let slots = Slots::open(bundle.section(SLOTS)?, seed)?;
        Ok(Second { keys, kept, values, templates, counts, slots, groups, rows })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.templates.memory_bytes() + size_of_val(self.counts.as_slice())
    }

    pub(super) fn find(&self, word: &[u8]) -> Result<Option<Spread>, IndexError> {
        let wanted = Wanted::new(word);
        let groups = self.slots.groups(&wanted)?.into_iter().map(usize::from);
        let groups = groups.filter(|&group| group < self.groups.groups());
        let groups = groups.map(|group| Look { group, found: OnceCell::new() }).collect();
        let mut spread =
            Spread { wanted, templates: Vec::new(), groups, kept: None, values: None, is_exact: true };
        if let Some(found) = self.keys.find(word)? {
            spread.is_exact &= found.exact;
            spread.templates = self.keys.rows(&found)?.iter().map(|template| template as u32).collect();
        }
        for (words, place) in [(&self.kept, &mut spread.kept), (&self.values, &mut spread.values)] {
            if let Some(words) = words {
                *place = words.find(word)?;
                spread.is_exact &= place.as_ref().is_none_or(|found| found.exact);
            }
        }
        if word.contains(&b'.') {
            // It is an address. Where four numbers lie in slots of their own, only the messages tell.
            let may_hold = |number: &u32| may_hold_other_addresses(self.templates.keys.get(*number as usize));
            spread.templates = (0..self.templates.keys.len() as u32).filter(may_hold).collect();
            spread.is_exact &= spread.templates.is_empty();
        }
        let is_nowhere = spread.templates.is_empty()
            && spread.groups.is_empty()
            && spread.kept.is_none()
            && spread.values.is_none();
        Ok((!is_nowhere).then_some(spread))
    }

    /// The rows of a word, of those that are asked for, and whether no others are among them.
    pub(super) fn rows(&self, spread: &Spread, within: &Selection) -> Result<(Selection, bool), IndexError> {
        let mut is_exact = spread.is_exact;
        let mut rows = Selection::none(self.rows as usize);
        for (words, found) in [(&self.kept, &spread.kept), (&self.values, &spread.values)] {
            if let (Some(words), Some(found)) = (words, found) {
                rows.union(&words.rows(found)?);
            }
        }
        let has_word = self.flags(&spread.templates);
        let mut in_slots = spread.groups.iter().peekable();
        for group in 0..self.groups.groups() {
            let look = in_slots.next_if(|look| look.group == group);
            if within.count_within(self.groups.rows_of(group)) == 0 {
                continue;
            }
            match look.map(|look| self.look(&spread.wanted, look)) {
                Some(None) => {
                    rows.insert_range(self.groups.rows_of(group));
                    is_exact = false;
                }
                found => {
                    if !self.insert(group, &has_word, found.flatten(), &mut rows) {
                        return Err(IndexError::Format("rows that cannot be read".to_owned()));
                    }
                }
            }
        }
        Ok((rows, is_exact))
    }

    /// Looks for a word in the slots of a group, once.
    fn look<'l>(&self, wanted: &Wanted, look: &'l Look) -> Option<&'l [Ranks]> {
        let find = || self.texts(look.group, |texts| Ok(texts.find_in_slots(wanted)?));
        look.found.get_or_init(find).as_deref()
    }

    /// Adds the rows of a group whose template is accepted, or that have one of these ranks. `false` where the group
    /// cannot be read.
    #[must_use]
    fn insert(&self, group: usize, accepted: &[bool], ranks: Option<&[Ranks]>, rows: &mut Selection) -> bool {
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

    pub(super) fn walk(
        &self,
        sets: &dyn WordSets,
        terms_max: usize,
        work: &Work<'_>,
    ) -> Result<Walked<Vec<Selection>>, IndexError> {
        let none = Selection::none(self.rows as usize);
        let mut all = Walked { rows: vec![none.clone(); sets.sets()], cut: none, terms: 0, complete: true };
        for words in [&self.kept, &self.values].into_iter().flatten() {
            let walked = words.walk_sets(sets, terms_max - all.terms, work)?;
            all.add(&walked.rows, &walked.cut, (walked.terms, walked.complete));
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
                // It ended before all was looked at.
                Some(None) => all.complete = false,
                // What cannot be read may have any words.
                None => all.cut.insert_range(self.groups.rows_of(group)),
            }
        }
        Ok(all)
    }

    /// Which templates have a shape that is meant, and for each group and place which other rows may be meant.
    fn with_shape(
        &self,
        matcher: &Matcher,
        (words, is_plain): (&[&[u8]], bool),
    ) -> Result<(Vec<bool>, Vec<Vec<Ranks>>), IndexError> {
        let (certain, worth) = self.compare_shapes(matcher, words)?;
        let spreads = words.iter().map(|word| self.find(word)).collect::<Result<Vec<_>, _>>()?;
        let may_be = |group: usize| {
            let Group { kept, numbers, .. } = &self.templates.groups[group];
            let mut may_be = vec![Ranks::None; numbers.len() + 1];
            // Rows without a template may be any; others only where a slot may hold a part of the text.
            if 0 < *kept && spreads.iter().all(|spread| spread.as_ref().is_some_and(|of| of.kept.is_some())) {
                may_be[0] = Ranks::All;
            }
            let looks: Vec<(&Spread, &Look)> = spreads
                .iter()
                .flatten()
                .filter_map(|spread| Some((spread, spread.groups.iter().find(|look| look.group == group)?)))
                .collect();
            let is_in_slots = |place: usize| {
                looks.iter().any(|(spread, look)| {
                    self.look(&spread.wanted, look).is_none_or(|ranks| ranks[place] != Ranks::None)
                })
            };
            for (place, &number) in (1..).zip(numbers) {
                let is_possible = match worth[number as usize] {
                    _ if certain[number as usize] => false,
                    Shape::Exact => false,
                    Shape::Loose if is_plain => is_in_slots(place),
                    Shape::Loose | Shape::Odd => true,
                };
                if is_possible {
                    may_be[place] = Ranks::All;
                }
            }
            may_be
        };
        let may_be = (0..self.groups.groups()).map(may_be).collect();
        Ok((certain, may_be))
    }

    pub(super) fn rows_with_shape(
        &self,
        matcher: &Matcher,
        text: (&[&[u8]], bool),
    ) -> Result<(Selection, Selection), IndexError> {
        let (certain, may_be) = self.with_shape(matcher, text)?;
        let mut rows = Selection::none(self.rows as usize);
        let mut possible = rows.clone();
        for (group, may_be) in may_be.iter().enumerate() {
            let are_read = self.insert(group, &certain, None, &mut rows)
                & self.insert(group, &[], Some(may_be), &mut possible);
            if !are_read {
                possible.insert_range(self.groups.rows_of(group));
            }
        }
        possible.union(&rows);
        possible.union(&self.rows_by_values(text.0)?);
        Ok((rows, possible))
    }

    /// The templates whose shape is meant, where no other row may be meant.
    pub(super) fn templates_with_shape(
        &self,
        matcher: &Matcher,
        text: (&[&[u8]], bool),
    ) -> Result<Option<Selection>, IndexError> {
        let (certain, may_be) = self.with_shape(matcher, text)?;
        let is_exact = may_be.iter().flatten().all(|ranks| *ranks == Ranks::None)
            && self.rows_by_values(text.0)?.is_empty();
        Ok(is_exact
            .then(|| Selection::from_fn(self.templates(), |template| certain.get(template) == Some(&true))))
    }

    /// The rows in whose messages an expression has a match, and those of groups that cannot be read. None where the work
    /// ends before.
    pub(super) fn rows_matching(
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

    /// How many templates there are, and one more that stands for rows without.
    pub(super) fn templates(&self) -> usize {
        self.templates.keys.len() + 1
    }

    /// The templates that have a word, where no other row has it.
    pub(super) fn templates_of(&self, spread: &Spread) -> Option<Selection> {
        let is_static =
            spread.is_exact && spread.groups.is_empty() && spread.kept.is_none() && spread.values.is_none();
        let mut templates = Selection::none(self.templates());
        spread.templates.iter().for_each(|&template| templates.insert(template as usize));
        is_static.then_some(templates)
    }

    /// How many rows have one of these templates.
    pub(super) fn count_of(&self, templates: &Selection) -> u64 {
        let kept = || self.templates.groups.iter().map(|group| u64::from(group.kept)).sum();
        templates.iter().map(|template| self.counts.get(template).copied().unwrap_or_else(kept)).sum()
    }

    /// The rows that have one of these templates.
    pub(super) fn rows_of(&self, templates: &Selection) -> Result<Selection, IndexError> {
        let accepted = self.flags_of(templates);
        let are_kept = templates.contains(self.templates.keys.len());
        let mut rows = Selection::none(self.rows as usize);
        for group in 0..self.groups.groups() {
            let mut ranks = vec![Ranks::None; self.templates.groups[group].numbers.len() + 1];
            if are_kept && 0 < self.templates.groups[group].kept {
                ranks[0] = Ranks::All;
            }
            if !self.insert(group, &accepted, Some(&ranks), &mut rows) {
                return Err(IndexError::Format("rows that cannot be read".to_owned()));
            }
        }
        Ok(rows)
    }

    /// The rows whose fields have all of some words: the text may stand in one of them.
    fn rows_by_values(&self, words: &[&[u8]]) -> Result<Selection, IndexError> {
        let none = Selection::none(self.rows as usize);
        let Some(values) = &self.values else { return Ok(none) };
        let mut rows = Selection::all(self.rows as usize);
        for word in words {
            match values.find(word)? {
                Some(found) => values.retain(&found, &mut rows)?,
                None => return Ok(none),
            }
        }
        Ok(rows)
    }

    /// Which templates have a shape that is meant, and what the shape of each is worth.
    fn compare_shapes(
        &self,
        matcher: &Matcher,
        words: &[&[u8]],
    ) -> Result<(Vec<bool>, Vec<Shape>), IndexError> {
        let count = self.templates.keys.len();
        let mut having = Selection::all(count);
        for word in words {
            match self.keys.find(word)? {
                Some(found) => self.keys.retain(&found, &mut having)?,
                None => having = Selection::none(count),
            }
        }
        let (mut shapes, mut text, mut worth) =
            (TextColumn::default(), Vec::new(), Vec::with_capacity(count));
        for (number, key) in self.templates.keys.iter().enumerate() {
            text.clear();
            worth.push(shape(key, &mut text));
            if having.contains(number) {
                shapes.push(&text);
            }
        }
        let mut certain = vec![false; count];
        if let Some(batch) = Batch::of_values(&FieldName::Known(Field::Message), &shapes) {
            let meant = matcher.select(&batch);
            for (at, number) in having.iter().enumerate() {
                // Of an odd one the shape may have a boundary that its messages do not have.
                certain[number] = meant.contains(at) && worth[number] != Shape::Odd;
            }
        }
        Ok((certain, worth))
    }

    /// Asks the messages of a group; none where they cannot be read.
    fn texts<T>(&self, group: usize, ask: impl FnOnce(&TextGroup) -> Result<T, BlocksError>) -> Option<T> {
        let texts = self.groups.messages(group).ok()?;
        let fits = texts.rows().counts().len() == self.templates.groups[group].numbers.len() + 1;
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

impl Spread {
    /// How many rows have the word, or fewer: what is in slots is guessed.
    pub(super) fn rows_max(&self, second: &Second) -> u32 {
        let mut rows = self.outside() + self.by_templates(second);
        for look in &self.groups {
            rows += second.templates.groups[look.group].rows() / SLOT_SHARE;
        }
        u32::try_from(rows).unwrap_or(u32::MAX).min(second.rows)
    }

    /// How many rows have the word, where that can be told.
    pub(super) fn count(&self, second: &Second) -> Option<u32> {
        let mut inside = self.by_templates(second);
        for look in &self.groups {
            let (found, of) = (second.look(&self.wanted, look)?, &second.templates.groups[look.group]);
            for ((ranks, number), &count) in found[1..].iter().zip(&of.numbers).zip(&of.counts) {
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
        let others = inside + self.kept.as_ref().map_or(0, |found| u64::from(found.rows));
        let is_once = self.values.is_none() || others == 0;
        (self.is_exact && is_once).then_some((self.outside() + inside) as u32)
    }

    /// Rows by the words of kept messages and of values.
    fn outside(&self) -> u64 {
        [&self.kept, &self.values].into_iter().flatten().map(|found| u64::from(found.rows)).sum()
    }

    fn by_templates(&self, second: &Second) -> u64 {
        self.templates.iter().map(|&template| second.counts[template as usize]).sum()
    }
}

/// Which groups may have a word in a slot.
struct Slots {
    section: Section,
    rare: Rare,
    seed: u64,
}

impl Slots {
    fn open(section: Section, seed: u64) -> Result<Slots, IndexError> {
        let head = section.read(0..section.bytes().min(RARE_HEAD_BYTES as u64))?;
        let rare = Rare::open(&head, section.bytes())?;
        Ok(Slots { section, rare, seed })
    }

    fn groups(&self, wanted: &Wanted) -> Result<Vec<u16>, IndexError> {
        self.rare.groups(wanted.hash(self.seed), &mut |range| self.section.read(range))
    }
}
