//! What can be run but is probably a mistake: messages that go nowhere, and things that no message reaches.

use std::collections::{HashMap, HashSet};

use logstead_record::query::Query;

use crate::checked::{Checked, CheckedRoute, Target};
use crate::logspace::{Logspace, Retention};

/// A sentence for each.
pub(crate) fn warnings(checked: &Checked) -> Vec<String> {
    let reach = Reach::of(&checked.routes);
    let mut warnings = Vec::new();
    warnings.extend(checked.sources.iter().filter_map(|source| of_source(&source.id, &reach)));
    for logspace in &checked.logspaces {
        let target = Target::Logspace(logspace.id.clone());
        warnings.extend(unreached(&format!("logspace `{}`", logspace.id), &target, &reach));
        warnings.extend(of_retention(logspace));
    }
    for destination in &checked.destinations {
        let target = Target::Destination(destination.id.clone());
        warnings.extend(unreached(&format!("destination `{}`", destination.id), &target, &reach));
    }
    warnings.extend(reach.shadowed);
    warnings
}

/// Where messages get to.
#[derive(Default)]
struct Reach<'a> {
    /// Sources that some route listens to.
    heard: HashSet<&'a str>,
    /// For each source that some route takes everything of, the number of the first such route.
    taken: HashMap<&'a str, usize>,
    /// For each source, the number of the route that no message of it gets past.
    stopped: HashMap<&'a str, usize>,
    /// Where some route sends.
    targets: HashSet<&'a Target>,
    /// A sentence for each route that no message reaches.
    shadowed: Vec<String>,
}

impl<'a> Reach<'a> {
    fn of(routes: &'a [CheckedRoute]) -> Reach<'a> {
        let mut reach = Reach::default();
        for (number, route) in routes.iter().enumerate() {
            if let Some(before) = reach.shadow_over(route) {
                let (id, before) = (&route.route.id, &routes[before].route.id);
                let reason = format!("route `{before}` takes everything before it");
                reach.shadowed.push(format!("route `{id}`: it can never match, because {reason}"));
            }
            reach.add(number, route);
        }
        reach
    }

    /// The last of the routes that leave nothing for this one, if they do.
    fn shadow_over(&self, route: &CheckedRoute) -> Option<usize> {
        let left_alone = if route.route.fallback { &self.taken } else { &self.stopped };
        let before: Option<Vec<usize>> =
            route.from.iter().map(|id| left_alone.get(id.as_str()).copied()).collect();
        before?.into_iter().max()
    }

    fn add(&mut self, number: usize, route: &'a CheckedRoute) {
        self.targets.extend(&route.to);
        let sources = || route.from.iter().map(String::as_str);
        self.heard.extend(sources());
        if route.filter != Query::All {
            return;
        }
        for id in sources() {
            self.taken.entry(id).or_insert(number);
            // A fallback leaves alone what an even earlier route took.
            if route.route.is_final && !route.route.fallback {
                self.stopped.entry(id).or_insert(number);
            }
        }
    }
}

fn of_source(id: &str, reach: &Reach<'_>) -> Option<String> {
    if !reach.heard.contains(id) {
        return Some(format!("source `{id}`: no route takes its messages, so they are dropped"));
    }
    let advice = "add a last route with `where = '*'` and `fallback = true` to keep them";
    let lost = || format!("source `{id}`: its messages that no route matches are dropped; {advice}");
    (!reach.taken.contains_key(id)).then(lost)
}

fn unreached(what: &str, target: &Target, reach: &Reach<'_>) -> Option<String> {
    (!reach.targets.contains(target)).then(|| format!("{what}: no route sends to it"))
}

fn of_retention(logspace: &Logspace) -> Option<String> {
    let endless = logspace.retention == Retention::default();
    let advice = "set `retention = { age = \"90d\" }`, or a size";
    endless.then(|| format!("logspace `{}`: it grows until the disk is full; {advice}", logspace.id))
}
