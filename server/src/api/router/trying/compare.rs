//! Two documents on the same messages: what becomes of them in each.
//!
//! **Invariant:** every message is in exactly one cell of the matrix. What is listed has a bound; what is counted has not.

use super::shown::Shown;
use logstead_config::{Checked, Target};
use logstead_record::{Batch, Selection};
use logstead_route::{AtStep, Lookups, Routed, Router, Watch};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cells of the matrix that are told apart.
const CELLS_MAX: usize = 200;
/// The cell of all others.
const OTHERS: (usize, usize) = (usize::MAX, usize::MAX);
/// Names of fields that are told apart in a cell.
const NAMES_MAX: usize = 100;

/// What becomes of the same messages in two documents.
#[derive(Clone, Default, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestReport)]
pub(crate) struct Report {
    /// Messages that were tried.
    pub(super) messages: u64,
    /// Messages that match.
    pub(super) total: u64,
    /// Whether all of them were tried.
    pub(super) complete: bool,
    /// Whether these are only the newest ones.
    pub(super) sampled: bool,
    /// How much was tried, from 0 to 1.
    pub(super) fraction: f64,
    pub(super) took_ms: u64,
    /// Messages that go elsewhere or look different.
    changed: u64,
    /// The most frequent outcomes first.
    matrix: Vec<Cell>,
    routes: Vec<RouteReport>,
    targets: Vec<TargetReport>,
    /// Messages that a `parse` step could not read.
    parse_failures: BeforeAfter,
    /// What to know about these figures.
    pub(super) problems: Vec<String>,
}

/// Messages with one outcome in the live document and one in the draft.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestOutcome)]
struct Cell {
    /// Where they go, as `logspace:ID` and `destination:ID`; or `dropped:REASON`.
    before: Vec<String>,
    after: Vec<String>,
    count: u64,
    /// Those of them that look different where they go in both.
    changed: u64,
    /// How many differ in each field.
    differs: BTreeMap<String, u64>,
    examples: Vec<Example>,
}

/// A message in both documents.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TestExample)]
pub(crate) struct Example {
    /// Of a stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<String>,
    before: Shown,
    after: Shown,
}

/// How many messages a route takes.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
struct RouteReport {
    id: String,
    before: u64,
    after: u64,
    /// What its steps do in the draft.
    steps: Vec<StepReport>,
}

/// What a step does.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
struct StepReport {
    /// Its number, from 1.
    step: usize,
    kind: String,
    messages: u64,
    changed: u64,
    dropped: u64,
    failed: u64,
    /// Messages before and after it.
    examples: Vec<Example>,
}

/// What a target gets.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
struct TargetReport {
    target: String,
    before: Volume,
    after: Volume,
}

#[derive(Clone, Copy, Default, Debug, Serialize, utoipa::ToSchema)]
struct Volume {
    messages: u64,
    /// Of their raw bytes.
    bytes: u64,
}

#[derive(Clone, Copy, Default, Debug, Serialize, utoipa::ToSchema)]
struct BeforeAfter {
    before: u64,
    after: u64,
}

/// Tries messages in both.
pub(super) struct Comparison {
    live: Router,
    draft: Router,
    examples_max: usize,
    report: Report,
    /// Outcomes by their number, so that they are compared as numbers.
    outcomes: BTreeMap<Vec<String>, usize>,
    cells: BTreeMap<(usize, usize), Cell>,
    targets: BTreeMap<String, (Volume, Volume)>,
}

impl Comparison {
    /// Steps that remember begin anew, so that nothing that runs is touched.
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
        let report = Report { routes, ..Report::default() };
        let (outcomes, cells, targets) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Comparison { live, draft, examples_max, report, outcomes, cells, targets }
    }

    /// Where the live document stores the messages of a batch first, for each.
    pub(super) fn first_logspaces(&self, batch: &Arc<Batch>, source: &str) -> Vec<Option<String>> {
        let mut first = vec![None; batch.rows()];
        for delivery in self.live.route(batch, source).deliveries {
            if let Target::Logspace(id) = &self.live.targets()[delivery.target] {
                for row in delivery.rows.iter().filter(|row| first[*row].is_none()).collect::<Vec<_>>() {
                    first[row] = Some(id.clone());
                }
            }
        }
        first
    }

    /// Tries messages of one source; `ids` are those of stored ones.
    pub(super) fn add(&mut self, batch: &Arc<Batch>, source: &str, ids: &[Option<String>]) {
        let mut before_steps = Failures(0);
        let before = self.live.route_watched(batch, source, &mut before_steps);
        let watch = &mut StepWatch {
            routes: &mut self.report.routes,
            examples_max: self.examples_max,
            failures: 0,
            ids,
        };
        let after = self.draft.route_watched(batch, source, watch);
        self.report.parse_failures.after += watch.failures;
        self.report.parse_failures.before += before_steps.0;
        self.report.messages += batch.rows() as u64;
        self.count_routes(&before, &after);
        let before = Outcomes::of(&self.live, batch, before);
        let after = Outcomes::of(&self.draft, batch, after);
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
            self.count(row, (&before, &after), &numbers, (batch, ids));
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

    fn count_routes(&mut self, before: &Routed, after: &Routed) {
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
        (before, after): (&Outcomes, &Outcomes),
        [numbers_before, numbers_after]: &[Vec<usize>; 2],
        (batch, ids): (&Batch, &[Option<String>]),
    ) {
        let key = (numbers_before[before.of_rows[row]], numbers_after[after.of_rows[row]]);
        let looks = |outcomes: &Outcomes| outcomes.looks(batch, row);
        // Only what a step has touched can look different.
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
        let cell = self.cells.entry(key).or_insert_with(|| Cell {
            before: names.0,
            after: names.1,
            count: 0,
            changed: 0,
            differs: BTreeMap::new(),
            examples: Vec::new(),
        });
        cell.count += 1;
        cell.changed += u64::from(!differs.is_empty());
        for name in &differs {
            if cell.differs.contains_key(*name) || cell.differs.len() < NAMES_MAX {
                *cell.differs.entry((*name).to_owned()).or_default() += 1;
            }
        }
        // Those that look different say more.
        let wanted = !differs.is_empty() || cell.changed == 0;
        if wanted && cell.examples.len() < self.examples_max {
            let (before, after) = both.unwrap_or_else(|| (looks(before), looks(after)));
            cell.examples.push(Example { id: ids.get(row).cloned().flatten(), before, after });
        }
    }

    /// What was found so far.
    pub(super) fn report(&self) -> Report {
        let mut report = self.report.clone();
        report.matrix = self.cells.values().cloned().collect();
        report.matrix.sort_by_key(|cell| std::cmp::Reverse(cell.count));
        let target = |(target, (before, after)): (&String, &(Volume, Volume))| TargetReport {
            target: target.clone(),
            before: *before,
            after: *after,
        };
        report.targets = self.targets.iter().map(target).collect();
        report
    }
}

/// What becomes of each message of a batch.
struct Outcomes {
    /// The outcomes that there are, each as the names of targets and reasons.
    names: Vec<Vec<String>>,
    /// Which of them it is, for each message.
    of_rows: Vec<usize>,
    /// How messages look that a step has changed, each with the messages that it has.
    changed: Vec<(Selection, Arc<Batch>)>,
    deliveries: Vec<(String, Selection, Option<Arc<Batch>>)>,
}

impl Outcomes {
    fn of(router: &Router, batch: &Batch, routed: Routed) -> Outcomes {
        let mut outcomes = Outcomes {
            names: vec![Vec::new()],
            of_rows: vec![0; batch.rows()],
            changed: Vec::new(),
            deliveries: Vec::new(),
        };
        for delivery in routed.deliveries {
            let name = match &router.targets()[delivery.target] {
                Target::Logspace(id) => format!("logspace:{id}"),
                Target::Destination(id) => format!("destination:{id}"),
            };
            outcomes.add(&name, &delivery.rows);
            if let Some(own) = &delivery.batch
                && !outcomes.changed.iter().any(|(_, other)| Arc::ptr_eq(other, own))
            {
                outcomes.changed.push((delivery.rows.clone(), own.clone()));
            }
            outcomes.deliveries.push((name, delivery.rows, delivery.batch));
        }
        for dropped in routed.dropped {
            let id = router.routes().nth(dropped.route).unwrap_or_default();
            outcomes.add(&format!("dropped:route:{id}/step:{}", dropped.step + 1), &dropped.rows);
        }
        outcomes.names[0].push("dropped:no_route".to_owned());
        outcomes.names.iter_mut().for_each(|names| names.sort());
        outcomes
    }

    /// These messages have this name as well.
    fn add(&mut self, name: &str, rows: &Selection) {
        let mut with: BTreeMap<usize, usize> = BTreeMap::new();
        for row in rows.iter() {
            let old = self.of_rows[row];
            self.of_rows[row] = *with.entry(old).or_insert_with(|| {
                let mut names = self.names[old].clone();
                names.push(name.to_owned());
                self.names.push(names);
                self.names.len() - 1
            });
        }
    }

    fn names_of(&self, row: usize) -> &[String] {
        &self.names[self.of_rows[row]]
    }

    fn is_changed(&self, row: usize) -> bool {
        self.changed.iter().any(|(rows, _)| rows.contains(row))
    }

    fn is_dropped(&self, row: usize) -> bool {
        self.names_of(row).iter().any(|name| name.starts_with("dropped:"))
    }

    /// The message as its first target that gets a changed one has it.
    fn looks(&self, batch: &Batch, row: usize) -> Shown {
        match self.changed.iter().find(|(rows, _)| rows.contains(row)) {
            Some((rows, own)) => Shown::of(own, rows.count_within(0..row)),
            None => Shown::of(batch, row),
        }
    }

    fn volumes(&self, batch: &Batch) -> Vec<(String, Volume)> {
        let mut raw = Vec::new();
        let volume = |(name, rows, own): &(String, Selection, Option<Arc<Batch>>)| {
            let mut volume = Volume { messages: rows.count() as u64, bytes: 0 };
            for (at, row) in rows.iter().enumerate() {
                raw.clear();
                match own {
                    Some(own) => own.write_raw(at, &mut raw),
                    None => batch.write_raw(row, &mut raw),
                }
                volume.bytes += raw.len() as u64;
            }
            (name.clone(), volume)
        };
        self.deliveries.iter().map(volume).collect()
    }
}

/// Counts what `parse` steps could not read.
struct Failures(u64);

impl Watch for Failures {
    fn step(&mut self, at: &AtStep<'_>) {
        self.0 += if at.kind == "parse" { at.failed.count() as u64 } else { 0 };
    }
}

/// Counts what the steps of the draft do.
struct StepWatch<'a> {
    routes: &'a mut Vec<RouteReport>,
    examples_max: usize,
    failures: u64,
    ids: &'a [Option<String>],
}

impl Watch for StepWatch<'_> {
    fn step(&mut self, at: &AtStep<'_>) {
        let Some(step) = self.routes.get_mut(at.route).and_then(|route| route.steps.get_mut(at.step)) else {
            return;
        };
        step.messages += at.concerned.count() as u64;
        step.changed += at.changed.count() as u64;
        step.dropped += at.dropped.count() as u64;
        step.failed += at.failed.count() as u64;
        if at.kind == "parse" {
            self.failures += at.failed.count() as u64;
        }
        let rows = at.changed.iter().chain(at.dropped.iter());
        for row in rows.take(self.examples_max.saturating_sub(step.examples.len())) {
            step.examples.push(Example {
                id: self.ids.get((at.origin)(row)).cloned().flatten(),
                before: Shown::of(at.before, row),
                after: Shown::of(at.after, row),
            });
        }
    }
}
