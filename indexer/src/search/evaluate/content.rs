//! Conditions on texts, answered by the words that they need, or by the shapes of messages if words are not enough.

use super::super::bounds::RowBounds;
use super::super::plan::{ContentTest, Sufficiency};
use super::super::required::Required;
use super::{Evaluation, PACKED_ROWS, PLAN_WORK, both};
use crate::segment::bundle::IndexError;
use crate::segment::lexicon::{ShapeMatches, WordMatch};
use logstead_record::Selection;
use std::rc::Rc;

impl Evaluation<'_> {
    pub(super) fn is_sufficient(&self, content: &ContentTest) -> bool {
        match content.sufficient {
            Sufficiency::Yes => true,
            Sufficiency::WithoutFields => self.index.fields.is_empty(),
            Sufficiency::No => false,
        }
    }

    pub(super) fn content(&self, content: &ContentTest, within: &Selection) -> Result<RowBounds, IndexError> {
        if self.is_sufficient(content) {
            return self.rows_with_words(&content.required, within);
        }
        if let Some(bounds) = self.rows_by_shape(content, within)? {
            return Ok(bounds);
        }
        // Running an expression over the templates takes less time than walking through the dictionary for a part of
        // a word.
        let possible = match content.required {
            Required::Like(_) if content.expression.is_some() => within.clone(),
            _ => self.rows_with_words(&content.required, within)?.possible().clone(),
        };
        if let Some(expression) = &content.expression
            && let Some((certain, mut may_be)) =
                self.index.words.rows_matching(expression, &possible, &self.work)
        {
            if content.in_fields && !self.index.fields.is_empty() {
                may_be.union(&self.rows_with_fields());
            }
            may_be.union(&certain);
            return Ok(RowBounds::between(both(certain, &possible), both(may_be, &possible)));
        }
        Ok(RowBounds::some_of(possible))
    }

    /// The rows that contain a text according to their shape, and those that may contain it according to their words;
    /// `None` if shapes cannot decide.
    fn rows_by_shape(
        &self,
        content: &ContentTest,
        within: &Selection,
    ) -> Result<Option<RowBounds>, IndexError> {
        if content.shape.is_none() || !self.work.go_on(self.rows / PACKED_ROWS) {
            return Ok(None);
        }
        let Some(found) = self.by_shape(content)? else { return Ok(None) };
        let (certain, others) = self.index.words.rows_by_shape(&found, within);
        let certain = both(certain, within);
        let mut possible = self.others_with_words(content, &both(others, within))?;
        possible.union(&certain);
        Ok(Some(RowBounds::between(certain, possible)))
    }

    /// The number of rows that contain a text according to their shape, if no other row can contain it.
    pub(super) fn count_by_shape(&self, content: &ContentTest) -> Result<Option<u64>, IndexError> {
        let Some(found) = self.by_shape(content)? else { return Ok(None) };
        let (certain, others) = self.index.words.count_by_shape(&found);
        Ok(self.others_with_words(content, &others)?.is_empty().then_some(certain))
    }

    fn others_with_words(&self, content: &ContentTest, others: &Selection) -> Result<Selection, IndexError> {
        Ok(self.rows_with_words(&content.required, others)?.possible().clone())
    }

    /// The matches of a text in the shapes of templates, which are computed only once.
    pub(super) fn by_shape(&self, content: &ContentTest) -> Result<Option<Rc<ShapeMatches>>, IndexError> {
        let Some(shape) = &content.shape else { return Ok(None) };
        // A plan does not move during the evaluation, so its address identifies it.
        let key = std::ptr::from_ref(shape).addr();
        if let Some(known) = self.by_shape.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut words = Vec::new();
        let are_all = content.required.collect_words(&mut words) && words.len() == shape.words;
        if words.is_empty() && !self.index.fields.is_empty() {
            // No dictionary tells which fields contain the text.
            return Ok(None);
        }
        let found = words.iter().map(|word| self.find(word)).collect::<Result<Vec<_>, _>>()?;
        let by_shape = self.index.words.by_shape(&shape.matcher, are_all && shape.is_plain, &found)?;
        let by_shape = Some(Rc::new(by_shape));
        self.by_shape.borrow_mut().insert(key, by_shape.clone());
        Ok(by_shape)
    }

    /// The rows that may have a dynamic field.
    fn rows_with_fields(&self) -> Selection {
        let mut rows = Selection::none(self.rows);
        let groups = self.blocks.groups();
        for group in (0..groups.groups()).filter(|&group| groups.has_fields(group)) {
            let range = groups.rows_of(group);
            match groups.parts(group) {
                Ok(fields) if fields.rows() == range.len() => {
                    rows.insert_part(range.start, &fields.rows_with_any());
                }
                _ => rows.insert_range(range),
            }
        }
        rows
    }

    pub(super) fn rows_with_words(
        &self,
        required: &Required,
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        Ok(match required {
            Required::Anything => RowBounds::some_of(within.clone()),
            Required::Word(word) => match self.find(word)? {
                None => RowBounds::exact(Selection::none(self.rows)),
                Some(found) if !self.work.go_on(found.rows as usize / PACKED_ROWS) => {
                    RowBounds::some_of(within.clone())
                }
                Some(found) => {
                    let mut rows = within.clone();
                    let is_exact = self.index.words.retain(&found, &mut rows)?;
                    if is_exact { RowBounds::exact(rows) } else { RowBounds::some_of(rows) }
                }
            },
            Required::Like(form) => self.rows_with_forms(&[form], within)?,
            Required::All(many) => {
                let mut order = Vec::with_capacity(many.len());
                for one in many {
                    order.push((self.cost_of_words(one)?, one));
                }
                order.sort_by_key(|(cost, _)| *cost);
                let mut bounds = RowBounds::exact(within.clone());
                for (_, one) in order {
                    if bounds.possible().is_empty() {
                        break;
                    }
                    bounds = bounds.clone().and(&self.rows_with_words(one, bounds.possible())?);
                }
                bounds
            }
            Required::Any(many) => {
                let mut bounds = RowBounds::exact(Selection::none(self.rows));
                for one in many {
                    if !self.work.go_on(PLAN_WORK) {
                        return Ok(RowBounds::some_of(within.clone()));
                    }
                    bounds = bounds.or(&self.rows_with_words(one, within)?);
                }
                bounds
            }
        })
    }

    pub(super) fn find(&self, word: &[u8]) -> Result<Option<Rc<WordMatch>>, IndexError> {
        if let Some(found) = self.found.borrow().get(word) {
            return Ok(found.clone());
        }
        let found = self.index.words.find(word)?.map(Rc::new);
        self.found.borrow_mut().insert(word.to_vec(), found.clone());
        Ok(found)
    }
}
