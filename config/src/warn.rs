//! What can be run but is probably a mistake: messages that go nowhere, and things that no message reaches.

use std::collections::{BTreeSet, HashSet};

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
    warnings.extend(reach.unreached);
    warnings
}

/// Where messages get to.
#[derive(Default)]
struct Reach<'a> {
    /// Sources that some route listens to.
    heard: HashSet<&'a str>,
    /// Sources that some route takes everything of.
    taken: HashSet<&'a str>,
    /// Where some route sends.
    targets: HashSet<&'a Target>,
    /// A sentence for each route that no message reaches.
    unreached: Vec<String>,
}

impl<'a> Reach<'a> {
    fn of(routes: &'a [CheckedRoute]) -> Reach<'a> {
        let mut reach = Reach::default();
        let routes: Vec<&CheckedRoute> = routes.iter().filter(|route| route.route.enabled).collect();
        for (number, route) in routes.iter().enumerate() {
            reach.unreached.extend(never_matches(route, &routes[..number]));
            reach.targets.extend(&route.to);
            let sources = || route.from.iter().map(String::as_str);
            reach.heard.extend(sources());
            if route.takes_all() {
                reach.taken.extend(sources());
            }
        }
        reach
    }
}

/// Why a route takes nothing, where that is certain.
fn never_matches(route: &CheckedRoute, earlier: &[&CheckedRoute]) -> Option<String> {
    let id = &route.route.id;
    if route.filter.is_impossible() {
        return Some(format!(
            "route `{id}`: it can never match, because no message meets all of `{}`: remove a condition, or write `or` between \
             them",
            route.filter
        ));
    }
    let before = route.from.iter().map(|source| shadow_over(route, source, earlier));
    let before: BTreeSet<usize> = before.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let of = |at: usize| earlier[at];
    let everything = before.iter().all(|at| of(*at).takes_all());
    let names: Vec<String> = before.into_iter().map(|at| format!("`{}`", of(at).route.id)).collect();
    let (noun, takes) = if names.len() == 1 { ("route", "takes") } else { ("routes", "together take") };
    let what = if everything { "everything before it" } else { "all of its messages before it" };
    let advice =
        if route.route.fallback { "remove it" } else { "move it up, or let that one not be `final`" };
    Some(format!(
        "route `{id}`: it can never match, because {noun} {} {takes} {what}: {advice}",
        names.join(" and ")
    ))
}

/// The earlier routes that together leave nothing of a source to a route, if they do: those that end the way of what they
/// take, and before a fallback any.
fn shadow_over(route: &CheckedRoute, source: &str, earlier: &[&CheckedRoute]) -> Option<Vec<usize>> {
    let takes_for_good = |before: &CheckedRoute| {
        // What its stages leave is not known.
        let hears = before.stages.is_empty() && before.from.iter().any(|id| id == source);
        // A fallback leaves alone what an even earlier route took.
        hears && (route.route.fallback || before.route.is_final && !before.route.fallback)
    };
    let numbers: Vec<usize> = (0..earlier.len()).filter(|at| takes_for_good(earlier[*at])).collect();
    let alone = numbers.iter().rev().find(|at| route.filter.implies(&earlier[**at].filter));
    if let Some(alone) = alone {
        return Some(vec![*alone]);
    }
    let filters: Vec<Query> = numbers.iter().map(|at| earlier[*at].filter.clone()).collect();
    (1 < filters.len() && route.filter.implies(&Query::or(filters))).then_some(numbers)
}

fn of_source(id: &str, reach: &Reach<'_>) -> Option<String> {
    if !reach.heard.contains(id) {
        return Some(format!("source `{id}`: no route takes its messages, so they are dropped"));
    }
    let advice = "add a last route with `where = '*'` and `fallback = true` to keep them";
    let lost = || format!("source `{id}`: its messages that no route matches are dropped; {advice}");
    (!reach.taken.contains(id)).then(lost)
}

fn unreached(what: &str, target: &Target, reach: &Reach<'_>) -> Option<String> {
    (!reach.targets.contains(target)).then(|| format!("{what}: no route sends to it"))
}

fn of_retention(logspace: &Logspace) -> Option<String> {
    let endless = logspace.retention == Retention::default();
    let advice = "set `retention = { age = \"90d\" }`, or a size";
    endless.then(|| format!("logspace `{}`: it grows until the disk is full; {advice}", logspace.id))
}
