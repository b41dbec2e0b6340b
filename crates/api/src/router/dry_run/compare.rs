//! Compares the outcomes of the same messages in two documents.
//!
//! **Invariant:** every message is in exactly one cell of the matrix. Lists are bounded; counts are not.

use super::outcomes::Outcomes;
use super::report::{
    DryRunReport, Example, OutcomeCell, RouteReport, StepChanges, StepReport, TargetReport, Volume,
};
use super::routing_record::{DraftRecord, RoutingRecord};
use logstead_config::Checked;
use logstead_record::Batch;
use logstead_route::{Lookups, Router, RoutingResult};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of cells in the matrix; all further outcomes share one.
const CELLS_MAX: usize = 200;
/// The cell of all further outcomes.
const OTHERS: (usize, usize) = (usize::MAX, usize::MAX);
/// Maximum number of field names that are counted in a cell.
const NAMES_MAX: usize = 100;

/// Runs messages through both documents.
pub(super) struct Comparison {
    live: Router,
    draft: Router,
    examples_max: usize,
    report: DryRunReport,
    /// Outcomes with their numbers, so that they can be compared as numbers.
    outcomes: BTreeMap<Vec<String>, usize>,
    cells: BTreeMap<(usize, usize), CellCounts>,
    targets: BTreeMap<String, (Volume, Volume)>,
}

/// A cell, and its counts by number instead of by name.
struct CellCounts {
    cell: OutcomeCell,
    /// How many messages each route takes, by its position: in the live document, and in the draft.
    taken: [Vec<u64>; 2],
    /// How many messages each step of the draft changes, by the positions of the route and of the step in it.
    changed: BTreeMap<(usize, usize), u64>,
}

impl Comparison {
    /// Stateful steps start with an empty state, so that the running ones are not affected.
    pub(super) fn new(live: &Checked, draft: &Checked, lookups: &Lookups, examples_max: usize) -> Comparison {
        let (live, draft) = (Router::new(live, lookups, None), Router::new(draft, lookups, None));
        let mut routes: Vec<RouteReport> = Vec::new();
        for (number, id) in draft.routes().enumerate() {
            let steps = draft.steps(number).enumerate().map(|(step, kind)| StepReport {
                step: step + 1,
                kind: kind.to_owned(),
                messages: 0,
                changed: 0,
                dropped: 0,
                failed: 0,
                examples: Vec::new(),
            });
            routes.push(RouteReport { id: id.to_owned(), before: 0, after: 0, steps: steps.collect() });
        }
        for id in live.routes() {
            if !routes.iter().any(|route| route.id == id) {
                routes.push(RouteReport { id: id.to_owned(), before: 0, after: 0, steps: Vec::new() });
            }
        }
        let report = DryRunReport { routes, ..DryRunReport::default() };
        let (outcomes, cells, targets) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Comparison { live, draft, examples_max, report, outcomes, cells, targets }
    }

    /// Adds messages of one source; `ids` are those of stored messages.
    pub(super) fn add(&mut self, batch: &Arc<Batch>, source: &str, ids: &[Option<String>]) {
        let mut seen = RoutingRecord::default();
        let before = self.live.route_watched(batch, source, &mut seen);
        let (routes, examples_max) = (&mut self.report.routes, self.examples_max);
        let mut in_draft = DraftRecord { routes, examples_max, ids, seen: RoutingRecord::default() };
        let after = self.draft.route_watched(batch, source, &mut in_draft);
        let seen_in_draft = in_draft.seen;
        self.report.parse_failures.before += seen.parse_failures;
        self.report.parse_failures.after += seen_in_draft.parse_failures;
        self.report.messages += batch.rows() as u64;
        self.count_routes(&before, &after);
        let before = Outcomes::of(&self.live, batch, before, seen);
        let after = Outcomes::of(&self.draft, batch, after, seen_in_draft);
        for (outcomes, is_after) in [(&before, false), (&after, true)] {
            for (target, volume) in outcomes.volumes(batch) {
                let of = self.targets.entry(target).or_default();
                let of = if is_after { &mut of.1 } else { &mut of.0 };
                of.messages += volume.messages;
                of.bytes += volume.bytes;
            }
        }
        let numbers = [&before, &after].map(|outcomes| self.numbers(outcomes));
        for row in 0..batch.rows() {
            self.count(row, &before, &after, &numbers, batch, ids);
        }
    }

    /// The number of each of these outcomes.
    fn numbers(&mut self, of: &Outcomes) -> Vec<usize> {
        let number = |names: &Vec<String>| {
            let next = self.outcomes.len();
            *self.outcomes.entry(names.clone()).or_insert(next)
        };
        of.names.iter().map(number).collect()
    }

    fn count_routes(&mut self, before: &RoutingResult, after: &RoutingResult) {
        let routes = &mut self.report.routes;
        for (id, taken) in self.live.routes().zip(&before.taken) {
            routes.iter_mut().filter(|route| route.id == id).for_each(|route| route.before += *taken as u64);
        }
        for (id, taken) in self.draft.routes().zip(&after.taken) {
            routes.iter_mut().filter(|route| route.id == id).for_each(|route| route.after += *taken as u64);
        }
    }

    fn count(
        &mut self,
        row: usize,
        before: &Outcomes,
        after: &Outcomes,
        [numbers_before, numbers_after]: &[Vec<usize>; 2],
        batch: &Batch,
        ids: &[Option<String>],
    ) {
        let key = (numbers_before[before.of_rows[row]], numbers_after[after.of_rows[row]]);
        let looks = |outcomes: &Outcomes| outcomes.looks(batch, row);
        // Only messages that a step has changed can look different.
        let touched = before.is_changed(row) || after.is_changed(row);
        let both = touched.then(|| (looks(before), looks(after)));
        let differs = both.as_ref().filter(|_| !before.is_dropped(row) && !after.is_dropped(row));
        let differs: Vec<&str> = differs.map(|(before, after)| before.differs(after)).unwrap_or_default();
        let is_changed = key.0 != key.1 || !differs.is_empty();
        self.report.changed += u64::from(is_changed);
        let is_full = CELLS_MAX <= self.cells.len() && !self.cells.contains_key(&key);
        let others = || vec!["others".to_owned()];
        let (key, names) = if is_full {
            (OTHERS, (others(), others()))
        } else if self.cells.contains_key(&key) {
            (key, Default::default())
        } else {
            (key, (before.names_of(row).to_vec(), after.names_of(row).to_vec()))
        };
        let counted = self.cells.entry(key).or_insert_with(|| CellCounts {
            cell: OutcomeCell { before: names.0, after: names.1, ..OutcomeCell::default() },
            taken: [vec![0; self.live.routes().len()], vec![0; self.draft.routes().len()]],
            changed: BTreeMap::new(),
        });
        for (outcomes, taken) in [before, after].into_iter().zip(&mut counted.taken) {
            for (route, rows) in &outcomes.seen.taken {
                taken[*route] += u64::from(rows.contains(row));
            }
        }
        for (step, _) in after.seen.changed.iter().filter(|(_, rows)| rows.contains(row)) {
            *counted.changed.entry(*step).or_default() += 1;
        }
        let cell = &mut counted.cell;
        cell.count += 1;
        cell.changed += u64::from(!differs.is_empty());
        for name in &differs {
            if cell.differs.contains_key(*name) || cell.differs.len() < NAMES_MAX {
                *cell.differs.entry((*name).to_owned()).or_default() += 1;
            }
        }
        // Messages that look different are more interesting, so other examples are dropped to make room for the first
        // of them.
        let wanted = !differs.is_empty() || cell.changed == 0;
        if !differs.is_empty() && cell.changed == 1 {
            cell.examples.clear();
        }
        if wanted && cell.examples.len() < self.examples_max {
            let (before, after) = both.unwrap_or_else(|| (looks(before), looks(after)));
            cell.examples.push(Example { id: ids.get(row).cloned().flatten(), before, after });
        }
    }

    /// How many messages were tried, and how many of them change.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.report.messages, self.report.changed)
    }

    /// The results so far.
    pub(super) fn report(&self) -> DryRunReport {
        let mut report = self.report.clone();
        report.matrix = self.cells.values().map(|counted| self.cell(counted)).collect();
        report.matrix.sort_by_key(|cell| std::cmp::Reverse(cell.count));
        let target = |(target, (before, after)): (&String, &(Volume, Volume))| TargetReport {
            target: target.clone(),
            before: *before,
            after: *after,
        };
        report.targets = self.targets.iter().map(target).collect();
        report
    }

    fn cell(&self, counted: &CellCounts) -> OutcomeCell {
        let mut cell = counted.cell.clone();
        let named = |router: &Router, taken: &[u64]| {
            let counts = router.routes().map(str::to_owned).zip(taken.iter().copied());
            counts.filter(|(_, count)| 0 < *count).collect()
        };
        cell.taken.before = named(&self.live, &counted.taken[0]);
        cell.taken.after = named(&self.draft, &counted.taken[1]);
        let changes = |(&(route, step), &changed): (&(usize, usize), &u64)| StepChanges {
            route: self.draft.routes().nth(route).unwrap_or_default().to_owned(),
            step: step + 1,
            kind: self.draft.steps(route).nth(step).unwrap_or_default().to_owned(),
            changed,
        };
        cell.steps = counted.changed.iter().map(changes).collect();
        cell
    }
}
