//! Looks for texts without digits in the shapes of templates: whether a template contains one does not depend on
//! numbers.
//!
//! **Invariant:** a template whose rows differ is never certain: its rows may match, or none of them does.

use super::templated::{InSlots, TemplateLexicon, WordMatch};
use crate::segment::bundle::IndexError;
use crate::segment::templates::GroupTemplates;
use crate::segment::words::{self, WordDictionary};
use logstead_query::Matcher;
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Selection, TextColumn};
use logstead_template::{Ranks, ShapeFit, shape};
use std::cell::OnceCell;
use std::rc::Rc;

/// The matches of a text without digits in the shapes of templates, which are compared once for all groups.
pub(crate) struct ShapeMatches {
    /// The templates whose shape matches.
    certain: Vec<bool>,
    /// The other rows of the templates of the segment that may match.
    others: Vec<OtherRows>,
    /// The results of looking up the words of the text.
    found: Vec<Option<Rc<WordMatch>>>,
    /// The other rows that may match, for each group that was asked for and each kind of place.
    may_be: Vec<OnceCell<Vec<Ranks>>>,
    /// The rows that have all words outside of templates: in a message without a template, or in fields.
    by_words: Selection,
}

/// The rows of a template that may match although its shape does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherRows {
    None,
    /// Those that have all words of the text, at least one of them in a slot.
    WithWords,
    All,
}

impl TemplateLexicon {
    /// Looks for a text without digits in the shapes of messages. `is_plain` says whether its words are adjacent and
    /// at both of its ends; `found` are the results of looking up its words.
    pub(crate) fn by_shape(
        &self,
        matcher: &Matcher,
        is_plain: bool,
        found: &[Option<Rc<WordMatch>>],
    ) -> Result<ShapeMatches, IndexError> {
        let (certain, worth) = self.compare_shapes(matcher, found)?;
        // If a word is found nowhere, no slot contains it either.
        let is_anywhere = found.iter().all(Option::is_some);
        let others = certain.iter().zip(worth).map(|(&is_certain, fit)| match fit {
            _ if is_certain => OtherRows::None,
            ShapeFit::Exact => OtherRows::None,
            ShapeFit::Loose if is_plain && is_anywhere => OtherRows::WithWords,
            ShapeFit::Loose if is_plain => OtherRows::None,
            ShapeFit::Loose | ShapeFit::Odd => OtherRows::All,
        });
        let others = others.collect();
        let untemplated = self
            .rows_with_all(found, |entry| Some((self.untemplated.as_ref()?, entry.untemplated.as_ref()?)))?;
        let mut by_words =
            self.rows_with_all(found, |entry| Some((self.values.as_ref()?, entry.values.as_ref()?)))?;
        by_words.union(&untemplated);
        let may_be = (0..self.groups.groups()).map(|_| OnceCell::new()).collect();
        Ok(ShapeMatches { certain, others, found: found.to_vec(), may_be, by_words })
    }

    /// The number of rows whose shape certainly matches, and the other rows that may match.
    pub(crate) fn count_by_shape(&self, shape: &ShapeMatches) -> (u64, Selection) {
        (self.count_of(&self.certain_by_shape(shape)), self.others_by_shape(shape))
    }

    /// The rows of a group that may match although their shape does not show it. Its values are read only if they can
    /// make a difference.
    fn may_be<'s>(&self, shape: &'s ShapeMatches, group: usize) -> &'s [Ranks] {
        shape.may_be[group].get_or_init(|| {
            let GroupTemplates { untemplated, numbers, .. } = &self.templates.groups[group];
            let mut may_be = vec![Ranks::None; numbers.len() + 1];
            // If the text has no words, any row without a template may match; another row may match only if a slot
            // can contain a part of the text.
            if 0 < *untemplated && shape.found.is_empty() {
                may_be[0] = Ranks::All;
            }
            let looks = WordLooks::of(shape, group);
            for (place, &number) in (1..).zip(numbers) {
                may_be[place] = match shape.others[number as usize] {
                    OtherRows::None => Ranks::None,
                    OtherRows::WithWords => self.with_words(&looks, place, number),
                    OtherRows::All => Ranks::All,
                };
            }
            may_be
        })
    }

    /// The rows of a template that have all words, at least one of them in a slot; otherwise the shape would have
    /// decided.
    fn with_words(&self, WordLooks(looks): &WordLooks<'_>, place: usize, number: u32) -> Ranks {
        let is_in_key = |entry: &WordMatch| entry.templates.binary_search(&number).is_ok();
        let may_be_in_slot = looks.iter().any(|(_, look)| look.is_some());
        if !may_be_in_slot || looks.iter().any(|(entry, look)| look.is_none() && !is_in_key(entry)) {
            return Ranks::None;
        }
        let (mut all, mut is_in_slot) = (Ranks::All, false);
        for (entry, look) in looks {
            let in_slots = match look.map(|look| self.look(&entry.wanted, look)) {
                Some(Some((ranks, _))) => &ranks[place],
                Some(None) => &Ranks::All,
                None => &Ranks::None,
            };
            is_in_slot |= *in_slots != Ranks::None;
            if !is_in_key(entry) {
                all = all.and(in_slots);
            }
            if all == Ranks::None {
                break;
            }
        }
        if is_in_slot { all } else { Ranks::None }
    }

    /// The rows whose shape certainly matches, in groups with rows of `within`; and the other rows that may match.
    pub(crate) fn rows_by_shape(&self, shape: &ShapeMatches, within: &Selection) -> (Selection, Selection) {
        let mut rows = Selection::none(self.rows as usize);
        let mut others = shape.by_words.clone();
        for group in 0..self.groups.groups() {
            let range = self.groups.rows_of(group);
            if within.count_within(range.clone()) == 0 {
                continue;
            }
            let are_read = self.insert(group, &shape.certain, None, &mut rows)
                & self.insert(group, &[], Some(self.may_be(shape, group)), &mut others);
            if !are_read {
                others.insert_range(range);
            }
        }
        (rows, others)
    }

    /// The rows that may match although their shape does not show it.
    fn others_by_shape(&self, shape: &ShapeMatches) -> Selection {
        let mut others = shape.by_words.clone();
        for group in 0..self.groups.groups() {
            if !self.insert(group, &[], Some(self.may_be(shape, group)), &mut others) {
                others.insert_range(self.groups.rows_of(group));
            }
        }
        others
    }

    /// The templates whose shape matches.
    fn certain_by_shape(&self, shape: &ShapeMatches) -> Selection {
        Selection::from_fn(self.templates(), |template| shape.certain.get(template) == Some(&true))
    }

    /// The templates whose shape matches; `None` if other rows may match.
    pub(crate) fn templates_by_shape(&self, shape: &ShapeMatches) -> Option<Selection> {
        let has_none = |group| self.may_be(shape, group).iter().all(|ranks| *ranks == Ranks::None);
        let is_exact = shape.by_words.is_empty() && (0..self.groups.groups()).all(has_none);
        is_exact.then(|| self.certain_by_shape(shape))
    }

    /// The rows that have all of some words in one of the dictionaries; none if there are no words.
    fn rows_with_all<'f>(
        &'f self,
        found: &'f [Option<Rc<WordMatch>>],
        of: impl Fn(&'f WordMatch) -> Option<(&'f WordDictionary, &'f words::FoundTerm)>,
    ) -> Result<Selection, IndexError> {
        let none = Selection::none(self.rows as usize);
        let found = found.iter().map(|entry| of(entry.as_deref()?)).collect::<Option<Vec<_>>>();
        let Some(mut found) = found.filter(|found| !found.is_empty()) else { return Ok(none) };
        found.sort_unstable_by_key(|(_, found)| found.rows);
        let mut rows = Selection::all(self.rows as usize);
        for (words, found) in found {
            words.retain(found, &mut rows)?;
        }
        Ok(rows)
    }

    /// The templates whose shape matches, and the extent to which each shape is decisive.
    fn compare_shapes(
        &self,
        matcher: &Matcher,
        found: &[Option<Rc<WordMatch>>],
    ) -> Result<(Vec<bool>, &[ShapeFit]), IndexError> {
        let count = self.templates.keys.len();
        let (texts, worth) = self.shapes.get_or_init(|| {
            let (mut texts, mut text) = (TextColumn::default(), Vec::new());
            let worth = self.templates.keys.iter().map(|key| {
                text.clear();
                let worth = shape(key, &mut text);
                texts.push(&text);
                worth
            });
            let worth = worth.collect();
            (texts, worth)
        });
        let mut having = Selection::all(count);
        for entry in found {
            let mut with_word = Selection::none(count);
            let templates = entry.as_ref().map_or(&[][..], |entry| &entry.templates);
            templates.iter().for_each(|&template| with_word.insert(template as usize));
            having.intersect(&with_word);
        }
        let mut shapes = TextColumn::default();
        having.iter().for_each(|number| shapes.push(texts.get(number)));
        let mut certain = vec![false; count];
        if let Some(batch) = Batch::of_values(&FieldName::Known(Field::Message), &shapes) {
            let meant = matcher.select(&batch);
            for (at, number) in having.iter().enumerate() {
                // The shape of an odd template may have a word boundary that its messages do not have.
                certain[number] = meant.contains(at) && worth[number] != ShapeFit::Odd;
            }
        }
        Ok((certain, worth))
    }
}

/// The words of a text, each with the search for it in the slots of a group, which is made when it is needed.
struct WordLooks<'s>(Vec<(&'s WordMatch, Option<&'s InSlots>)>);

impl WordLooks<'_> {
    fn of(shape: &ShapeMatches, group: usize) -> WordLooks<'_> {
        let found = shape.found.iter().flatten();
        let in_group = |entry: &'_ WordMatch| entry.groups.iter().position(|look| look.group == group);
        WordLooks(found.map(|entry| (&**entry, in_group(entry).map(|at| &entry.groups[at]))).collect())
    }
}
