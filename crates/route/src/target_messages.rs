//! One batch for each target, in the order in which its messages were received.

use crate::working_batch::WorkingBatch;
use logstead_record::{Batch, BatchBuilder, Selection};
use std::sync::Arc;

/// The messages for one target.
#[derive(Debug)]
pub(crate) struct TargetMessages {
    pub(crate) target: usize,
    pub(crate) flow_control: bool,
    /// The messages, as rows of the routed batch.
    pub(crate) messages: Selection,
    /// The batches that hold the messages, each with those that are taken from it.
    parts: Vec<(WorkingBatch, Selection)>,
}

impl TargetMessages {
    pub(crate) fn new(target: usize, messages: usize) -> TargetMessages {
        TargetMessages { target, flow_control: false, messages: Selection::none(messages), parts: Vec::new() }
    }

    /// Adds the messages that leave a route, except those that have already been added in another version.
    pub(crate) fn add(&mut self, working: &WorkingBatch, flow_control: bool) {
        self.flow_control |= flow_control;
        let mut new = working.messages(&working.rows, self.messages.rows());
        new.subtract(&self.messages);
        if new.is_empty() {
            return;
        }
        self.messages.union(&new);
        match self.parts.iter_mut().find(|(part, _)| part.is_as_received() && working.is_as_received()) {
            Some((part, messages)) => {
                part.rows.union(&working.rows);
                messages.union(&new);
            }
            None => self.parts.push((working.clone(), new)),
        }
    }

    /// The batch for the target; `None` if its messages are those of the routed batch, unchanged.
    pub(crate) fn batch(&self) -> Option<Arc<Batch>> {
        match self.parts.as_slice() {
            [(working, _)] if working.is_as_received() => None,
            [(working, messages)] => {
                let rows = Selection::from_fn(working.batch.rows(), |row| {
                    working.rows.contains(row) && messages.contains(working.origin(row))
                });
                Some(if rows.is_all() { working.batch.clone() } else { Arc::new(working.batch.take(&rows)) })
            }
            parts => Some(Arc::new(merged(parts))),
        }
    }
}

/// The messages of all parts, in the order of the routed batch.
fn merged(parts: &[(WorkingBatch, Selection)]) -> Batch {
    let mut rows: Vec<(usize, usize, usize)> = Vec::new();
    for (number, (working, messages)) in parts.iter().enumerate() {
        let of_part = working.rows.iter().map(|row| (working.origin(row), number, row));
        rows.extend(of_part.filter(|(message, ..)| messages.contains(*message)));
    }
    rows.sort_unstable();
    let mut builder = BatchBuilder::new();
    let mut rest = rows.as_slice();
    while let Some((_, part, first)) = rest.first() {
        let is_next = |(at, row): &(usize, &(usize, usize, usize))| row.1 == *part && row.2 == first + at;
        let run = rest.iter().enumerate().take_while(is_next).count();
        builder.extend(&parts[*part].0.batch, *first..first + run);
        rest = &rest[run..];
    }
    builder.seal()
}
