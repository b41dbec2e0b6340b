//! Routes in order, and the messages that each target gets.

use crate::attempt::BatchAttempt;
use crate::filter::CompiledFilter;
use crate::lookup::Lookups;
use crate::step::CompiledStep;
use crate::target_messages::TargetMessages;
use crate::watch::{NoWatch, RouteEvent, StepEvent, Watch};
use crate::working_batch::WorkingBatch;
use logstead_config::{Checked, CheckedRoute, RouteTarget};
use logstead_record::{Batch, Selection};
use std::sync::Arc;

/// The routes of one revision, ready to run.
#[derive(Debug)]
pub struct Router {
    routes: Vec<CompiledRoute>,
    /// Every target that a route names, except disabled destinations.
    pub targets: Vec<RouteTarget>,
}

#[derive(Debug)]
struct CompiledRoute {
    id: String,
    /// The sources whose messages it takes.
    from: Vec<String>,
    filter: CompiledFilter,
    steps: Vec<CompiledStep>,
    /// The positions of the targets in the router's list.
    to: Vec<usize>,
    /// Whether one of its destinations is disabled.
    sends_to_disabled: bool,
    is_final: bool,
    is_fallback: bool,
    flow_control: bool,
}

/// Messages that go to one target.
#[derive(Debug)]
pub struct TargetDelivery {
    /// The target, as a position in [`Router::targets`].
    pub target: usize,
    /// The messages, as rows of the routed batch.
    pub rows: Selection,
    /// The messages after the steps, in the same order; `None` if they are unchanged.
    pub batch: Option<Arc<Batch>>,
    /// Whether a full destination slows the sender down instead of dropping.
    pub flow_control: bool,
}

/// Messages that a step dropped and that no target gets.
#[derive(Debug, PartialEq, Eq)]
pub struct DroppedRows {
    /// The position of the route.
    pub route: usize,
    /// The position of the step in it.
    pub step: usize,
    /// The messages, as rows of the routed batch.
    pub rows: Selection,
}

/// The result of routing a batch.
#[derive(Debug)]
pub struct RoutingResult {
    /// The messages for each target.
    pub deliveries: Vec<TargetDelivery>,
    /// The number of messages that each route takes.
    pub taken: Vec<usize>,
    /// Messages that steps dropped, each counted at the first step that dropped it.
    pub dropped: Vec<DroppedRows>,
    /// Messages that were routed only to disabled destinations.
    pub disabled: Selection,
    /// Messages that no route matched.
    pub unrouted: usize,
}

impl Router {
    /// Compiles the routes of a checked document. Unchanged steps keep their memory from the previous router.
    pub fn new(checked: &Checked, lookups: &Lookups, before: Option<&Router>) -> Router {
        let mut targets: Vec<RouteTarget> = Vec::new();
        let route = |of| CompiledRoute::new(checked, of, &mut targets, lookups, before);
        let routes = checked.routes.iter().map(route).collect();
        Router { routes, targets }
    }

    /// The ids of the routes, in order.
    pub fn routes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.routes.iter().map(|route| route.id.as_str())
    }

    /// The kinds of a route's steps, in order.
    pub fn steps(&self, route: usize) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.routes[route].steps.iter().map(CompiledStep::kind)
    }

    /// The number of combinations that each step of a route had to forget, in order.
    pub fn forgotten(&self, route: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.routes[route].steps.iter().map(CompiledStep::forgotten)
    }

    /// Routes each message of a batch from `source`.
    pub fn route(&self, batch: &Arc<Batch>, source: &str) -> RoutingResult {
        self.route_watched(batch, source, &mut NoWatch)
    }

    /// Routes a batch, and reports each event to `watch`.
    pub fn route_watched(&self, batch: &Arc<Batch>, source: &str, watch: &mut dyn Watch) -> RoutingResult {
        self.route_attempt(batch, source, watch, None)
    }

    /// Routes a batch that is sent again if this attempt to accept it fails. A message goes to a target once, however many
    /// routes name it, in the version of the first of them.
    pub fn route_attempt(
        &self,
        batch: &Arc<Batch>,
        source: &str,
        watch: &mut dyn Watch,
        attempt: Option<&Arc<BatchAttempt>>,
    ) -> RoutingResult {
        let all = batch.rows();
        let (mut open, mut matched) = (Selection::all(all), Selection::none(all));
        let mut targets: Vec<TargetMessages> = Vec::new();
        let (mut taken, mut dropped) = (Vec::with_capacity(self.routes.len()), Vec::new());
        let mut disabled = Selection::none(all);
        for (number, route) in self.routes.iter().enumerate() {
            if !route.takes_from(source) {
                watch.route(number, &RouteEvent::OtherSource);
                taken.push(0);
                continue;
            }
            let mut candidates = open.clone();
            if route.is_fallback {
                candidates.subtract(&matched);
            }
            let rows = route.filter.select_within(batch, &candidates);
            route.report(number, &rows, &open, &matched, watch);
            taken.push(rows.count());
            if rows.is_empty() {
                continue;
            }
            matched.union(&rows);
            if route.is_final {
                open.subtract(&rows);
            }
            let working =
                route.run_steps(number, WorkingBatch::new(batch, rows), attempt, &mut dropped, watch);
            if route.sends_to_disabled {
                disabled.union(&working.messages(&working.rows, all));
            }
            for &target in route.to.iter().filter(|_| !working.rows.is_empty()) {
                let at = targets.iter().position(|known| known.target == target).unwrap_or_else(|| {
                    targets.push(TargetMessages::new(target, all));
                    targets.len() - 1
                });
                targets[at].add(&working, route.flow_control);
            }
        }
        let mut delivered = Selection::none(all);
        targets.iter().for_each(|target| delivered.union(&target.messages));
        let dropped = counted_once(dropped, delivered.clone());
        disabled.subtract(&delivered);
        dropped.iter().for_each(|dropped| disabled.subtract(&dropped.rows));
        RoutingResult {
            dropped,
            disabled,
            deliveries: targets.into_iter().map(TargetDelivery::from).collect(),
            taken,
            unrouted: all - matched.count(),
        }
    }
}

impl CompiledRoute {
    fn new(
        document: &Checked,
        checked: &CheckedRoute,
        targets: &mut Vec<RouteTarget>,
        lookups: &Lookups,
        before: Option<&Router>,
    ) -> CompiledRoute {
        let old = before.and_then(|before| before.routes.iter().find(|old| old.id == checked.route.id));
        let old = |number: usize| old.and_then(|old| old.steps.get(number));
        let steps = checked.steps.iter().enumerate();
        let (off, on): (Vec<_>, Vec<_>) = checked.to.iter().partition(|target| document.is_disabled(target));
        CompiledRoute {
            id: checked.route.id.clone(),
            // A disabled route has no sources.
            from: if checked.route.enabled { checked.from.clone() } else { Vec::new() },
            filter: CompiledFilter::with_stages(&checked.filter, &checked.stages),
            steps: steps.map(|(number, step)| CompiledStep::new(step, lookups, old(number))).collect(),
            to: on.into_iter().map(|target| position_of(targets, target)).collect(),
            sends_to_disabled: !off.is_empty(),
            is_final: checked.route.is_final,
            is_fallback: checked.route.fallback,
            flow_control: checked.route.flow_control,
        }
    }

    fn takes_from(&self, source: &str) -> bool {
        self.from.iter().any(|id| id == source)
    }

    /// Reports which messages the route takes, and why it does not take the others.
    fn report(
        &self,
        number: usize,
        taken: &Selection,
        open: &Selection,
        matched: &Selection,
        watch: &mut dyn Watch,
    ) {
        let mut ended = open.clone();
        ended.invert();
        let mut spoken_for = if self.is_fallback { matched.clone() } else { Selection::none(open.rows()) };
        spoken_for.subtract(&ended);
        watch.route(number, &RouteEvent::Takes { taken, ended: &ended, spoken_for: &spoken_for });
    }

    /// Runs the steps on the messages of this route.
    fn run_steps(
        &self,
        route: usize,
        mut working: WorkingBatch,
        attempt: Option<&Arc<BatchAttempt>>,
        dropped: &mut Vec<DroppedRows>,
        watch: &mut dyn Watch,
    ) -> WorkingBatch {
        let all = working.batch.rows();
        for (number, step) in self.steps.iter().enumerate() {
            if working.rows.is_empty() {
                break;
            }
            let done = step.run(&working, attempt);
            let after = done.after.as_ref().unwrap_or(&done.before);
            watch.step(&StepEvent {
                route,
                step: number,
                kind: step.kind(),
                before: &done.before.batch,
                after: &after.batch,
                rows: &done.before.rows,
                concerned: &done.concerned,
                changed: &done.changed,
                failed: &done.failed,
                dropped: &done.dropped,
                origin: &|row| done.before.origin(row),
            });
            if !done.dropped.is_empty() {
                let rows = done.before.messages(&done.dropped, all);
                dropped.push(DroppedRows { route, step: number, rows });
            }
            let mut next = done.after.unwrap_or(done.before);
            next.rows.subtract(&done.dropped);
            working = next;
        }
        working
    }
}

impl From<TargetMessages> for TargetDelivery {
    fn from(target_messages: TargetMessages) -> TargetDelivery {
        TargetDelivery {
            target: target_messages.target,
            batch: target_messages.batch(),
            flow_control: target_messages.flow_control,
            rows: target_messages.messages,
        }
    }
}

/// Removes messages that were delivered or counted as dropped before.
fn counted_once(dropped: Vec<DroppedRows>, mut counted: Selection) -> Vec<DroppedRows> {
    let once = dropped.into_iter().map(|mut dropped| {
        dropped.rows.subtract(&counted);
        counted.union(&dropped.rows);
        dropped
    });
    once.filter(|dropped| !dropped.rows.is_empty()).collect()
}

fn position_of(targets: &mut Vec<RouteTarget>, target: &RouteTarget) -> usize {
    targets.iter().position(|known| known == target).unwrap_or_else(|| {
        targets.push(target.clone());
        targets.len() - 1
    })
}
