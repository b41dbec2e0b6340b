//! Conditions on dynamic fields, answered by the words of their values if few rows have them, and otherwise by columns that
//! are made of the slots of messages, group by group.

use super::super::bounds::RowBounds;
use super::super::plan::NameTest;
use super::super::required::Required;
use super::{Evaluation, PLAN_WORK, both};
use crate::segment::bundle::IndexError;
use crate::segment::names::NamesColumn;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};

/// A column is made only if more than one in this many rows of its group may match; fewer rows are read.
const ROWS_PER_MATCH: usize = 256;
/// The work that making the value of one row counts as, in rows.
const MADE_WORK: usize = 2;

impl Evaluation<'_> {
    /// The rows that meet one of several conditions on a dynamic field.
    pub(super) fn rows_by_field(
        &self,
        field: &FieldName,
        number: u32,
        names: &[&NameTest],
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        let (mut certain, mut possible) = (Selection::none(self.rows), Selection::none(self.rows));
        let mut by_words = None;
        for group in 0..self.index.groups().groups() {
            let range = self.index.groups().rows_of(group);
            let asked = within.slice(range.clone());
            if asked.is_empty() {
                continue;
            }
            if !self.work.go_on(PLAN_WORK) {
                possible.insert_part(range.start, &asked);
                continue;
            }
            let known = self.index.known_field(number, group);
            if let Some(found) = known.and_then(|column| self.by_column(field, (*column).as_ref()?, names)) {
                certain.insert_part(range.start, &both(found, &asked));
                continue;
            }
            let by_words = match &by_words {
                Some(rows) => rows,
                None => by_words.insert(self.any_with_words(names, within)?),
            };
            let asked = by_words.slice(range.clone());
            match self.decide_group(field, number, names, group, &asked) {
                Some(found) => certain.insert_part(range.start, &both(found, &asked)),
                None => possible.insert_part(range.start, &asked),
            }
        }
        possible.union(&certain);
        Ok(RowBounds::between(certain, possible))
    }

    /// The rows of a group that match, if they are decided here; otherwise they have to be read.
    fn decide_group(
        &self,
        field: &FieldName,
        number: u32,
        names: &[&NameTest],
        group: usize,
        asked: &Selection,
    ) -> Option<Selection> {
        if asked.is_empty() {
            return Some(asked.clone());
        }
        if names.iter().all(|names| names.exists) {
            return self.index.filled(number, group).ok();
        }
        let is_worth_it = asked.rows() < asked.count() * ROWS_PER_MATCH;
        if !is_worth_it || !self.work.go_on(asked.rows() * MADE_WORK) {
            return None;
        }
        // A group that cannot be read is read again by whoever compares its rows, and says so.
        let column = self.index.field(number, group).ok()?;
        self.by_column(field, (*column).as_ref()?, names)
    }

    fn by_column(&self, field: &FieldName, column: &NamesColumn, names: &[&NameTest]) -> Option<Selection> {
        let values = Batch::of_values(field, column.values())?;
        Some(column.rows_with(&self.accepted_of(&values, names)?))
    }

    /// The rows of `within` that, judging by their words, may meet one of several conditions.
    fn any_with_words(&self, names: &[&NameTest], within: &Selection) -> Result<Selection, IndexError> {
        if names.iter().any(|names| matches!(names.required, Required::Anything | Required::Like(_))) {
            return Ok(within.clone());
        }
        let mut rows = Selection::none(self.rows);
        for names in names {
            rows.union(&self.candidates(names, within)?);
        }
        Ok(rows)
    }
}
