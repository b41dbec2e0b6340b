//! A sequence of stages that is ready to run on batches.

use crate::enrich::{Enrich, WantedFields};
use logstead_query::{Context, Matcher, Stage};
use logstead_record::{Batch, Selection, Timestamp};
use std::sync::Arc;

/// Stages that work on one message at a time.
#[derive(Debug)]
pub struct Transform {
    steps: Vec<TransformStep>,
}

#[derive(Debug)]
enum TransformStep {
    Where(Matcher),
    Enrich(Enrich),
}

/// The messages that pass the stages.
#[derive(Debug)]
pub struct TransformedRows {
    /// The messages after the stages.
    pub batch: Arc<Batch>,
    /// The row of each message in the original batch.
    pub rows: Vec<usize>,
}

impl Transform {
    /// Prepares stages to run. Those that do not stream are skipped: `Pipeline::streams` finds them. `fields` is for
    /// code that shows messages: `Pipeline::columns` gives the fields that it keeps.
    pub fn new(stages: &[Stage], now: Timestamp) -> Transform {
        let step = |(number, stage): (usize, &Stage)| match stage {
            Stage::Where(query) => {
                Some(TransformStep::Where(Matcher::new(query, &Context { now, logspace: "" })))
            }
            Stage::Fields(_) => Enrich::without(stage, &stages[number + 1..], now).map(TransformStep::Enrich),
            other => Enrich::of(other, now).map(TransformStep::Enrich),
        };
        Transform { steps: stages.iter().enumerate().filter_map(step).collect() }
    }

    /// Whether every message passes the stages.
    pub fn keeps_all(&self) -> bool {
        !self.steps.iter().any(|step| matches!(step, TransformStep::Where(_)))
    }

    /// The selected messages of a batch after the stages.
    pub fn apply(&self, batch: &Arc<Batch>, selected: &Selection, logspace: &str) -> TransformedRows {
        let rows: Vec<usize> = selected.iter().collect();
        if self.steps.is_empty() && selected.is_all() {
            return TransformedRows { batch: batch.clone(), rows };
        }
        let mut batch = batch.take(selected);
        let mut left = Selection::all(batch.rows());
        for step in &self.steps {
            match step {
                TransformStep::Where(matcher) => left = matcher.select_within(&batch, &left),
                TransformStep::Enrich(enrich) => {
                    batch = enrich.batch(&batch, &left, logspace, &WantedFields::ALL)
                }
            }
        }
        if left.is_all() {
            return TransformedRows { batch: Arc::new(batch), rows };
        }
        let rows = left.iter().map(|row| rows[row]).collect();
        TransformedRows { batch: Arc::new(batch.take(&left)), rows }
    }
}
