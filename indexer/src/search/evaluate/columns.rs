//! Conditions on fields: the values of a column that match, and the rows with such a value.

use super::super::bounds::RowBounds;
use super::super::plan::NameTest;
use super::{Evaluation, PACKED_ROWS, PLAN_WORK, both, is_dynamic};
use crate::segment::bundle::IndexError;
use crate::segment::index::FieldLocation;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};
use std::rc::Rc;

/// The greatest number of columns whose values are kept while a segment is searched.
const VALUES_KEPT_MAX: usize = 16;

impl Evaluation<'_> {
    /// The distinct values of a column, as a batch for a matcher; `None` if they are not kept.
    fn values(&self, field: &FieldName) -> Result<Option<Rc<Batch>>, IndexError> {
        if let Some((_, values)) = self.values.borrow().iter().find(|(known, _)| known == field) {
            return Ok(values.clone());
        }
        let values = self.index.values(self.index.place(field))?;
        let batch = values.is_complete.then(|| Batch::of_values(field, &values.texts)).flatten().map(Rc::new);
        let mut kept = self.values.borrow_mut();
        kept.truncate(VALUES_KEPT_MAX - 1);
        kept.push((field.clone(), batch.clone()));
        Ok(batch)
    }

    /// The values of a column that match; `None` if the values are not kept, or the work has been cancelled.
    fn accepted(&self, names: &NameTest) -> Result<Option<Selection>, IndexError> {
        let Some(batch) = self.values(&names.field)? else { return Ok(None) };
        let all = Selection::all(batch.rows());
        Ok(names.matcher.select_while(&batch, &all, &|rows| self.work.go_on(rows)))
    }

    /// The rows that have one of these values of a field, or no value if that is accepted.
    fn rows_with_values(
        &self,
        field: &FieldName,
        accepted: &Selection,
        accepts_none: bool,
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        if accepted.is_empty() && !accepts_none {
            return Ok(RowBounds::exact(Selection::none(self.rows)));
        }
        if !self.work.go_on(self.rows / PACKED_ROWS) {
            return Ok(RowBounds::some_of(within.clone()));
        }
        let column = self.index.names(self.index.place(field))?;
        let mut rows = column.rows_with(accepted);
        if accepts_none {
            let mut absent = column.present();
            absent.invert();
            rows.union(&absent);
        }
        Ok(RowBounds::exact(both(rows, within)))
    }

    /// The rows that meet one of several conditions on the same field.
    pub(super) fn any_name(
        &self,
        field: &FieldName,
        names: &[&NameTest],
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        let mut bounds = RowBounds::exact(Selection::none(self.rows));
        let Some(values) = self.values(field)? else {
            for names in names {
                bounds = bounds.or(&self.names(names, within)?);
            }
            return Ok(bounds);
        };
        let mut accepted = Selection::none(values.rows());
        for names in names {
            match self.accepted(names)? {
                Some(more) => accepted.union(&more),
                None => return Ok(RowBounds::some_of(within.clone())),
            }
        }
        let accepts_none = names.iter().any(|names| names.accepts_none);
        self.rows_with_values(field, &accepted, accepts_none, within)
    }

    pub(super) fn names(&self, names: &NameTest, within: &Selection) -> Result<RowBounds, IndexError> {
        let place = self.index.place(&names.field);
        match place {
            FieldLocation::Nowhere => return Ok(RowBounds::exact(Selection::none(self.rows))),
            FieldLocation::Blocks => return self.candidates(names, within.clone()),
            FieldLocation::Known(_) | FieldLocation::Dynamic(_) => {}
        }
        if let Some(accepted) = self.accepted(names)? {
            return self.rows_with_values(&names.field, &accepted, names.accepts_none, within);
        }
        if !self.index.knows_presence(place) || !self.work.go_on(PLAN_WORK) {
            return Ok(RowBounds::some_of(within.clone()));
        }
        let column = self.index.names(place)?;
        let present = both(column.present(), within);
        match (names.exists, is_dynamic(&names.field)) {
            (true, is_dynamic) if column.is_filled() || !is_dynamic => Ok(RowBounds::exact(present)),
            // An empty value counts as missing.
            (true, _) => Ok(RowBounds::some_of(present)),
            // A known field without a value may have to be compared as well.
            (false, false) => Ok(RowBounds::some_of(within.clone())),
            (false, true) => self.candidates(names, present),
        }
    }

    pub(super) fn count_names(&self, names: &NameTest) -> Result<Option<u64>, IndexError> {
        Ok(match self.index.place(&names.field) {
            FieldLocation::Nowhere => Some(0),
            FieldLocation::Blocks => None,
            FieldLocation::Known(_) | FieldLocation::Dynamic(_) if names.accepts_none => None,
            FieldLocation::Known(_) | FieldLocation::Dynamic(_) => {
                self.accepted(names)?.is_some_and(|accepted| accepted.is_empty()).then_some(0)
            }
        })
    }

    /// The rows of `within` that, judging by their words, may have a matching value of a field without a column.
    fn candidates(&self, names: &NameTest, within: Selection) -> Result<RowBounds, IndexError> {
        if matches!(names.field, FieldName::Known(_)) {
            return Ok(RowBounds::some_of(within));
        }
        Ok(RowBounds::some_of(self.rows_with_words(&names.required, &within)?.possible().clone()))
    }
}
