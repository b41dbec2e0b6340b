//! The number of rows that a plan matches, if the index knows it, and an estimate of the number of rows to read.

use super::super::plan::Plan;
use super::super::required::Required;
use super::{Evaluation, PLAN_WORK, is_dynamic};
use crate::segment::bundle::IndexError;

impl Evaluation<'_> {
    /// The number of rows of the whole segment that a plan matches, if it is known without reading rows.
    pub(crate) fn count(&self, plan: &Plan) -> Result<Option<u64>, IndexError> {
        if !self.work.go_on(PLAN_WORK) {
            return Ok(None);
        }
        if let Some(templates) = self.templates(plan)? {
            return Ok(Some(self.index.words.count_of(&templates)));
        }
        Ok(match plan {
            Plan::All => Some(self.rows as u64),
            Plan::Nothing => Some(0),
            Plan::Not(plan) => self.count(plan)?.map(|count| self.rows as u64 - count),
            Plan::Or(plans) => self.count_any(plans)?,
            Plan::And(plans) if plans.iter().any(|plan| matches!(self.count(plan), Ok(Some(0)))) => Some(0),
            Plan::Names(names) => self.count_names(names)?,
            Plan::Content(content) if self.is_sufficient(content) => match &content.required {
                Required::Word(word) => match self.find(word)? {
                    None => Some(0),
                    Some(found) if !self.work.go_on(self.index.words.work_to_count(&found)) => None,
                    Some(found) => self.index.words.count(&found).map(u64::from),
                },
                _ => None,
            },
            Plan::Content(content) if content.shape.is_some() && self.goes_on() => {
                self.count_by_shape(content)?
            }
            _ => None,
        })
    }

    /// An estimate of the number of rows to read for a plan, so that the cheapest plan goes first.
    pub(super) fn cost(&self, plan: &Plan) -> Result<usize, IndexError> {
        if !self.work.go_on(PLAN_WORK) {
            return Ok(0);
        }
        Ok(match plan {
            Plan::Nothing => 0,
            Plan::All | Plan::Time(_) | Plan::Received(_) => self.rows / 64,
            // The column of a dynamic field may have to be made first.
            Plan::Names(names) if is_dynamic(&names.field) => self.rows,
            Plan::Names(_) | Plan::Pids(_) => self.rows / 16,
            Plan::Content(content) => self.cost_of_words(&content.required)?,
            Plan::Or(plans) => {
                let costs = plans.iter().map(|plan| self.cost(plan)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().fold(0, usize::saturating_add)
            }
            Plan::And(plans) => {
                let costs = plans.iter().map(|plan| self.cost(plan)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().min().unwrap_or(0)
            }
            Plan::Not(plan) => self.cost(plan)?,
            Plan::Unknown => usize::MAX / 4096,
        })
    }

    pub(super) fn cost_of_words(&self, required: &Required) -> Result<usize, IndexError> {
        Ok(match required {
            Required::Word(word) => self.find(word)?.map_or(0, |found| found.rows as usize),
            Required::All(many) => {
                let costs = many.iter().map(|one| self.cost_of_words(one)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().min().unwrap_or(0)
            }
            Required::Any(many) => {
                let costs = many.iter().map(|one| self.cost_of_words(one)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().fold(0, usize::saturating_add)
            }
            Required::Like(_) => self.rows * 4,
            Required::Anything => usize::MAX / 4096,
        })
    }

    fn count_any(&self, plans: &[Plan]) -> Result<Option<u64>, IndexError> {
        let mut only = Some(0);
        for plan in plans {
            match (self.count(plan)?, only) {
                (Some(0), _) => {}
                (count, Some(0)) => only = count,
                _ => return Ok(None),
            }
        }
        Ok(only)
    }
}
