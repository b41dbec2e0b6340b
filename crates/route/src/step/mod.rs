//! The effect of each kind of step on the messages that reach it.
//!
//! | module    | owns                                                            |
//! |-----------|-----------------------------------------------------------------|
//! | `change`  | changes of a batch                                              |
//! | `fields`  | changes of the dynamic fields of some rows                      |
//! | `parse`   | fields contained in a text                                      |
//! | `assign`  | `set`, `unset`, `rename`, `tag` and `lookup`                    |
//! | `replace` | `replace`                                                       |
//! | `mask`    | `mask`                                                          |
//!
//! **Invariant:** a step that changes no message leaves the batch as it is.

mod assign;
mod change;
mod fields;
mod mask;
mod parse;
mod replace;

use crate::attempt::BatchAttempt;
use crate::filter::CompiledFilter;
use crate::lookup::Lookups;
use crate::thinning::{ThinningGroups, ThinningRule};
use crate::working_batch::WorkingBatch;
use assign::Assign;
pub use assign::unfit;
use change::{BatchChange, ChangeResult};
use logstead_config::{CheckedAction, CheckedStep};
use logstead_record::Selection;
use mask::Mask;
use parse::Parse;
use replace::Replace;
use std::sync::Arc;

/// A step that is ready to run.
#[derive(Debug)]
pub(crate) struct CompiledStep {
    /// The step as written: an identical step of the next router takes over its memory.
    written: logstead_config::RouteStep,
    filter: Option<CompiledFilter>,
    work: StepWork,
}

#[derive(Debug)]
enum StepWork {
    Drop(CompiledFilter),
    Keep(CompiledFilter),
    /// Drops messages depending on those before them.
    Thin(Arc<ThinningGroups>),
    Change(Box<dyn BatchChange>),
}

/// The result of a step. All rows are those of `before`.
#[derive(Debug)]
pub(crate) struct StepResult {
    pub(crate) before: WorkingBatch,
    /// `None` if nothing was changed.
    pub(crate) after: Option<WorkingBatch>,
    pub(crate) concerned: Selection,
    pub(crate) changed: Selection,
    pub(crate) failed: Selection,
    pub(crate) dropped: Selection,
}

impl CompiledStep {
    /// Prepares a step to run, with the memory of the same step in the previous router.
    pub(crate) fn new(
        checked: &CheckedStep,
        lookups: &Lookups,
        before: Option<&CompiledStep>,
    ) -> CompiledStep {
        let remembered =
            before.filter(|before| before.written == checked.step).and_then(|before| match &before.work {
                StepWork::Thin(groups) => Some(groups.clone()),
                _ => None,
            });
        let thin =
            |rule| StepWork::Thin(remembered.clone().unwrap_or_else(|| Arc::new(ThinningGroups::new(rule))));
        let work = match &checked.action {
            CheckedAction::Drop(query) => StepWork::Drop(CompiledFilter::new(query)),
            CheckedAction::Keep(query) => StepWork::Keep(CompiledFilter::new(query)),
            CheckedAction::Sample(share, by) => {
                thin(ThinningRule::Sample { millionths: share.millionths(), by: by.clone() })
            }
            CheckedAction::Throttle(rate, by) => thin(ThinningRule::Throttle {
                messages: rate.messages,
                seconds: rate.seconds,
                by: by.clone(),
            }),
            CheckedAction::Dedup(fields, within) => {
                thin(ThinningRule::Dedup { fields: fields.clone(), within: *within })
            }
            CheckedAction::Parse { format, field, prefix } => {
                StepWork::Change(Box::new(Parse::new(format, field, prefix)))
            }
            CheckedAction::Replace { regex, with, fields } => {
                StepWork::Change(Box::new(Replace::new(regex, with, fields)))
            }
            CheckedAction::Mask { regex, with } => StepWork::Change(Box::new(Mask::new(regex, with))),
            assignment => StepWork::Change(Box::new(Assign::new(assignment, lookups))),
        };
        CompiledStep {
            written: checked.step.clone(),
            filter: checked.filter.as_ref().map(CompiledFilter::new),
            work,
        }
    }

    /// The key that names its kind.
    pub(crate) fn kind(&self) -> &'static str {
        self.written.action.kind()
    }

    /// The number of combinations of values that it had to forget because there were too many.
    pub(crate) fn forgotten(&self) -> u64 {
        match &self.work {
            StepWork::Thin(groups) => groups.forgotten(),
            _ => 0,
        }
    }

    /// Runs the step on messages. If their attempt fails, the step forgets them again.
    pub(crate) fn run(&self, working: &WorkingBatch, attempt: Option<&Arc<BatchAttempt>>) -> StepResult {
        let batch = &working.batch;
        let concerned = match &self.filter {
            Some(filter) => filter.select_within(batch, &working.rows),
            None => working.rows.clone(),
        };
        let none = || Selection::none(batch.rows());
        let mut done = StepResult {
            before: working.clone(),
            after: None,
            changed: none(),
            failed: none(),
            dropped: none(),
            concerned,
        };
        if done.concerned.is_empty() {
            return done;
        }
        match &self.work {
            StepWork::Drop(filter) => done.dropped = filter.select_within(batch, &done.concerned),
            StepWork::Keep(filter) => {
                done.dropped = done.concerned.clone();
                done.dropped.subtract(&filter.select_within(batch, &done.concerned));
            }
            StepWork::Thin(groups) => {
                let thinned = groups.thin(batch, &done.concerned, attempt);
                if !thinned.repeated.is_empty() {
                    let rows = Selection::from_fn(batch.rows(), |row| thinned.repeated.contains_key(&row));
                    done.change(&fields::RepeatCounts(thinned.repeated), &rows);
                }
                done.dropped = thinned.dropped;
            }
            StepWork::Change(change) => {
                let candidates = change.candidates(batch, &done.concerned);
                if !candidates.is_empty() {
                    done.change_alone(change.as_ref(), &candidates);
                }
            }
        }
        done
    }
}

impl StepResult {
    /// Changes rows of the batch; the other rows stay in it.
    fn change(&mut self, change: &dyn BatchChange, rows: &Selection) {
        let working = &self.before;
        let ChangeResult { batch, changed, failed } = change.change(&working.batch, rows);
        self.failed = failed;
        if let Some(batch) = batch {
            self.changed = changed;
            self.after = Some(working.with(batch));
        }
    }

    /// Changes rows of a batch that has only the messages still in the route.
    fn change_alone(&mut self, change: &dyn BatchChange, candidates: &Selection) {
        if self.before.rows.is_all() {
            return self.change(change, candidates);
        }
        let alone = self.before.alone();
        let ChangeResult { batch, changed, failed } =
            change.change(&alone.batch, &self.before.in_alone(candidates));
        let Some(batch) = batch else {
            self.failed = self.before.of_alone(&failed);
            return;
        };
        self.concerned = self.before.in_alone(&self.concerned);
        self.dropped = Selection::none(alone.batch.rows());
        (self.changed, self.failed) = (changed, failed);
        self.after = Some(alone.with(batch));
        self.before = alone;
    }
}
