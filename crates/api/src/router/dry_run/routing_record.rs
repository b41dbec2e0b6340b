//! The record of a batch's way through the routes of one document.

use super::report::{Example, RouteReport};
use super::shown_message::ShownMessage;
use logstead_record::Selection;
use logstead_route::{RouteEvent, StepEvent, Watch};

/// The messages of a batch that routes took and steps changed.
#[derive(Default)]
pub(super) struct RoutingRecord {
    /// The messages taken by each route, by its position.
    pub(super) taken: Vec<(usize, Selection)>,
    /// The messages that each step changed, by the positions of the route and of the step in it.
    pub(super) changed: Vec<((usize, usize), Selection)>,
    /// Messages that a `parse` step could not read.
    pub(super) parse_failures: u64,
}

impl Watch for RoutingRecord {
    fn route(&mut self, number: usize, at: &RouteEvent<'_>) {
        if let RouteEvent::Takes { taken, .. } = at
            && !taken.is_empty()
        {
            self.taken.push((number, (*taken).clone()));
        }
    }

    fn step(&mut self, at: &StepEvent<'_>) {
        self.parse_failures += if at.kind == "parse" { at.failed.count() as u64 } else { 0 };
        if at.changed.is_empty() {
            return;
        }
        // Every route sees the batch in its original form.
        let Some((_, taken)) = self.taken.last() else { return };
        let mut messages = Selection::none(taken.rows());
        at.changed.iter().for_each(|row| messages.insert((at.origin)(row)));
        self.changed.push(((at.route, at.step), messages));
    }
}

/// The same record for the draft, which also counts and shows the effect of each step.
pub(super) struct DraftRecord<'a> {
    pub(super) routes: &'a mut Vec<RouteReport>,
    pub(super) examples_max: usize,
    /// The ids of the batch's messages, if they are stored.
    pub(super) ids: &'a [Option<String>],
    pub(super) seen: RoutingRecord,
}

impl Watch for DraftRecord<'_> {
    fn route(&mut self, number: usize, at: &RouteEvent<'_>) {
        self.seen.route(number, at);
    }

    fn step(&mut self, at: &StepEvent<'_>) {
        self.seen.step(at);
        let Some(step) = self.routes.get_mut(at.route).and_then(|route| route.steps.get_mut(at.step)) else {
            return;
        };
        step.messages += at.concerned.count() as u64;
        step.changed += at.changed.count() as u64;
        step.dropped += at.dropped.count() as u64;
        step.failed += at.failed.count() as u64;
        let rows = at.changed.iter().chain(at.dropped.iter());
        for row in rows.take(self.examples_max.saturating_sub(step.examples.len())) {
            step.examples.push(Example {
                id: self.ids.get((at.origin)(row)).cloned().flatten(),
                before: ShownMessage::of(at.before, row),
                after: ShownMessage::of(at.after, row),
            });
        }
    }
}
