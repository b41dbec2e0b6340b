//! Words of certain forms, found by a walk through the dictionary, which several conditions share if possible.

use super::super::bounds::RowBounds;
use super::super::forms::FormSets;
use super::super::plan::Plan;
use super::conditions::AnyOf;
use super::{CachedWalk, Evaluation, PLAN_WORK, both};
use crate::segment::bundle::IndexError;
use logstead_record::Selection;
use logstead_template::WordForm;

/// The number of terms for each row after which a walk through the dictionary is given up, because a scan is then
/// cheaper.
const WALKED_TERMS_PER_ROW: usize = 2;
/// The greatest number of conditions that share a walk through the dictionary. Each of them keeps a bit for each row.
const SETS_MAX: usize = 32;

impl Evaluation<'_> {
    /// Finds the words of the first of these conditions, and those of the next ones in the same walk.
    pub(super) fn walk_ahead(&self, order: &[(usize, &Plan)]) -> Result<(), IndexError> {
        let mut sets: Vec<Vec<WordForm>> = Vec::new();
        for (at, (_, plan)) in order.iter().enumerate() {
            if SETS_MAX <= sets.len() || !self.work.go_on(PLAN_WORK) {
                break;
            }
            for set in self.sets_of(plan) {
                if !self.is_ahead(&set) && !sets.contains(&set) {
                    sets.push(set);
                }
            }
            if at == 0 && sets.is_empty() {
                return Ok(());
            }
        }
        if sets.len() < 2 {
            return Ok(());
        }
        let forms = FormSets::of_sets(&sets);
        let terms_max = self.rows.saturating_mul(WALKED_TERMS_PER_ROW).saturating_mul(forms.len());
        let walked = self.index.words.walk(&forms, terms_max, &self.work)?;
        let bounds = |rows: Selection| {
            let mut possible = walked.cut.clone();
            possible.union(&rows);
            walked.complete.then(|| RowBounds::between(rows, possible))
        };
        let found = sets.into_iter().zip(walked.rows);
        *self.ahead.borrow_mut() =
            found.map(|(forms, rows)| CachedWalk { forms, found: bounds(rows) }).collect();
        Ok(())
    }

    /// The forms of a condition that need a walk through all words.
    fn sets_of(&self, plan: &Plan) -> Vec<Vec<WordForm>> {
        if !matches!(plan, Plan::Content(_) | Plan::Names(_) | Plan::Or(_)) {
            return Vec::new();
        }
        let mut any = AnyOf::default();
        self.sort_out(plan, &mut any);
        let walks = |forms: &&Vec<&WordForm>| forms.iter().any(|form| !matches!(form, WordForm::Begins(_)));
        let sets = [any.sufficient, any.required];
        sets.iter().filter(walks).map(|forms| forms.iter().map(|form| (*form).clone()).collect()).collect()
    }

    fn is_ahead(&self, forms: &[WordForm]) -> bool {
        self.ahead.borrow().iter().any(|known| known.forms == forms)
    }

    /// The rows with a word of one of these forms, found by one walk through the dictionary, however many forms there
    /// are.
    pub(super) fn rows_with_forms(
        &self,
        forms: &[&WordForm],
        within: &Selection,
    ) -> Result<RowBounds, IndexError> {
        let none = Selection::none(self.rows);
        if forms.is_empty() {
            return Ok(RowBounds::exact(none));
        }
        let is_meant = |known: &&CachedWalk| known.forms.iter().eq(forms.iter().copied());
        if let Some(known) = self.ahead.borrow().iter().find(is_meant) {
            let within = RowBounds::exact(within.clone());
            return Ok(match &known.found {
                Some(found) => within.and(found),
                None => RowBounds::some_of(within.certain),
            });
        }
        let forms = FormSets::new(forms.iter().copied());
        let terms_max = self.rows.saturating_mul(WALKED_TERMS_PER_ROW).saturating_mul(forms.len());
        let mut walked = self.index.words.walk(&forms, terms_max, &self.work)?;
        if !walked.complete {
            return Ok(RowBounds::some_of(within.clone()));
        }
        let (rows, mut cut) = (walked.rows.remove(0), walked.cut);
        cut.union(&rows);
        Ok(RowBounds::between(both(rows, within), both(cut, within)))
    }
}
