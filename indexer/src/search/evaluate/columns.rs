//! Conditions on fields that every segment has a column of: the values that match, and the rows with such a value.

use super::super::bounds::RowBounds;
use super::super::plan::NameTest;
use super::{Evaluation, PACKED_ROWS, both};
use crate::segment::bundle::IndexError;
use crate::segment::column::CommonColumn;
use crate::segment::index::FieldLocation;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};
use std::rc::Rc;

/// The greatest number of columns whose values are kept while a segment is searched.
const VALUES_KEPT_MAX: usize = 16;

impl Evaluation<'_> {
    /// The rows that meet one of several conditions on the same field.
    pub(super) fn any_name(
        &self,
        field: &FieldName,
        names: &[&NameTest],
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        match self.index.place(field) {
            FieldLocation::Nowhere => Ok(RowBounds::exact(Selection::none(self.rows))),
            FieldLocation::Known(column) => self.rows_by_column(field, column, names, within),
            FieldLocation::Dynamic(number) => self.rows_by_field(field, number, names, within),
            FieldLocation::Blocks => {
                let mut possible = Selection::none(self.rows);
                for names in names {
                    possible.union(&self.candidates(names, within)?);
                }
                Ok(RowBounds::some_of(possible))
            }
        }
    }

    fn rows_by_column(
        &self,
        field: &FieldName,
        column: CommonColumn,
        names: &[&NameTest],
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        let Some(accepted) = self.accepted(field, column, names)? else {
            return Ok(RowBounds::some_of(within.clone()));
        };
        let accepts_none = names.iter().any(|names| names.accepts_none);
        if accepted.is_empty() && !accepts_none {
            return Ok(RowBounds::exact(Selection::none(self.rows)));
        }
        if !self.work.go_on(self.rows / PACKED_ROWS) {
            return Ok(RowBounds::some_of(within.clone()));
        }
        let column = self.index.names(column)?;
        let mut rows = column.rows_with(&accepted);
        if accepts_none {
            let mut absent = column.present();
            absent.invert();
            rows.union(&absent);
        }
        Ok(RowBounds::exact(both(rows, within)))
    }

    /// The values of a column that meet one of several conditions; `None` if the work has been cancelled.
    fn accepted(
        &self,
        field: &FieldName,
        column: CommonColumn,
        names: &[&NameTest],
    ) -> Result<Option<Selection>, IndexError> {
        Ok(self.values(field, column)?.and_then(|values| self.accepted_of(&values, names)))
    }

    /// Those of some values that meet one of several conditions; `None` if the work has been cancelled.
    pub(super) fn accepted_of(&self, values: &Batch, names: &[&NameTest]) -> Option<Selection> {
        let all = Selection::all(values.rows());
        let mut accepted = Selection::none(values.rows());
        for names in names {
            accepted.union(&names.matcher.select_while(values, &all, &|rows| self.work.go_on(rows))?);
        }
        Some(accepted)
    }

    /// The distinct values of a column, as a batch for a matcher.
    fn values(&self, field: &FieldName, column: CommonColumn) -> Result<Option<Rc<Batch>>, IndexError> {
        if let Some((_, values)) = self.values.borrow().iter().find(|(known, _)| known == field) {
            return Ok(values.clone());
        }
        let batch = Batch::of_values(field, &*self.index.values(column)?).map(Rc::new);
        let mut kept = self.values.borrow_mut();
        kept.truncate(VALUES_KEPT_MAX - 1);
        kept.push((field.clone(), batch.clone()));
        Ok(batch)
    }

    pub(super) fn count_names(&self, names: &NameTest) -> Result<Option<u64>, IndexError> {
        Ok(match self.index.place(&names.field) {
            FieldLocation::Nowhere => Some(0),
            FieldLocation::Known(column) if !names.accepts_none => {
                let accepted = self.accepted(&names.field, column, &[names])?;
                accepted.is_some_and(|accepted| accepted.is_empty()).then_some(0)
            }
            FieldLocation::Known(_) | FieldLocation::Dynamic(_) | FieldLocation::Blocks => None,
        })
    }

    /// The rows of `within` that, judging by their words, may have a matching value of a field without a column.
    pub(super) fn candidates(&self, names: &NameTest, within: &Selection) -> Result<Selection, IndexError> {
        if matches!(names.field, FieldName::Known(_)) {
            return Ok(within.clone());
        }
        Ok(self.rows_with_words(&names.required, within)?.possible().clone())
    }
}
