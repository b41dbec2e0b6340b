//! Plans joined by AND or OR.

use super::super::bounds::RowBounds;
use super::super::plan::{NameTest, Plan};
use super::super::required::Required;
use super::{Evaluation, PLAN_WORK, is_dynamic};
use crate::segment::bundle::IndexError;
use crate::segment::index::FieldLocation;
use logstead_record::FieldName;
use logstead_record::Selection;
use logstead_template::WordForm;

/// Conditions joined by OR, grouped by the way they are answered.
#[derive(Default)]
pub(super) struct AnyOf<'a> {
    /// A word of one of these forms is enough for a row to match.
    pub(super) sufficient: Vec<&'a WordForm>,
    /// A word of one of these forms is required.
    pub(super) required: Vec<&'a WordForm>,
    /// Conditions answered by the values of a column.
    names: Vec<(&'a FieldName, Vec<&'a NameTest>)>,
    others: Vec<&'a Plan>,
}

impl Evaluation<'_> {
    pub(super) fn all_of(&self, plans: &[Plan], within: &Selection) -> Result<RowBounds, IndexError> {
        let (mut order, mut without) = (Vec::with_capacity(plans.len()), Vec::new());
        for plan in plans {
            match plan {
                Plan::Not(plan) => without.push(&**plan),
                plan => order.push((self.cost(plan)?, plan)),
            }
        }
        order.sort_by_key(|(cost, _)| *cost);
        let mut bounds = RowBounds::exact(within.clone());
        for (at, (_, plan)) in order.iter().enumerate() {
            if bounds.possible().is_empty() {
                break;
            }
            self.walk_ahead(&order[at..])?;
            let more = self.bounds(plan, bounds.possible())?;
            bounds = bounds.and(&more);
        }
        if without.is_empty() || bounds.possible().is_empty() {
            return Ok(bounds);
        }
        let left = self.any_of(without, bounds.possible())?.not(bounds.possible());
        Ok(bounds.and(&left))
    }

    pub(super) fn any_of<'p>(
        &self,
        plans: impl IntoIterator<Item = &'p Plan>,
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        let mut any = AnyOf::default();
        plans.into_iter().for_each(|plan| self.sort_out(plan, &mut any));
        let mut bounds = self.rows_with_forms(&any.sufficient, within)?;
        if !any.required.is_empty() {
            let required = self.rows_with_forms(&any.required, within)?;
            bounds = bounds.or(&RowBounds::some_of(required.possible().clone()));
        }
        for (field, names) in &any.names {
            bounds = bounds.or(&self.any_name(field, names, within)?);
        }
        for plan in any.others {
            if bounds.certain == *within || !self.work.go_on(PLAN_WORK) {
                // The other conditions make no difference, or the search has been cancelled.
                return Ok(bounds.or(&RowBounds::some_of(within.clone())));
            }
            if self.count(plan)? != Some(0) {
                bounds = bounds.or(&self.bounds(plan, within)?);
            }
        }
        Ok(bounds)
    }

    pub(super) fn sort_out<'p>(&self, plan: &'p Plan, any: &mut AnyOf<'p>) {
        match plan {
            Plan::Or(plans) => plans.iter().for_each(|plan| self.sort_out(plan, any)),
            Plan::Content(content) => match &content.required {
                Required::Like(form) if self.is_sufficient(content) => any.sufficient.push(form),
                Required::Like(form) if content.expression.is_none() => any.required.push(form),
                _ => any.others.push(plan),
            },
            Plan::Names(names) => match (&names.required, self.index.place(&names.field)) {
                (_, FieldLocation::Nowhere) => {}
                (_, FieldLocation::Known(_) | FieldLocation::Dynamic(_)) => any.add_names(names),
                (Required::Like(form), FieldLocation::Blocks) if is_dynamic(&names.field) => {
                    any.required.push(form)
                }
                (_, FieldLocation::Blocks) => any.others.push(plan),
            },
            plan => any.others.push(plan),
        }
    }
}

impl<'a> AnyOf<'a> {
    fn add_names(&mut self, names: &'a NameTest) {
        match self.names.iter_mut().find(|(field, _)| **field == names.field) {
            Some((_, same)) => same.push(names),
            None => self.names.push((&names.field, vec![names])),
        }
    }
}
