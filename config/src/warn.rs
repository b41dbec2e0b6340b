//! Warnings of probable mistakes in a valid document: messages that go nowhere, and parts that no message reaches.

use std::collections::{BTreeSet, HashSet};

use logstead_query::Query;

use crate::checked::{Checked, CheckedRoute, RouteTarget};
use crate::logspace::{Logspace, Retention};
use crate::problem::{DocumentWarning, DocumentWarningCode};

/// A warning before it is known which entry it is about.
type Advice = (DocumentWarningCode, String);

/// The warnings, in the order of the entries.
pub(crate) fn warnings(checked: &Checked) -> Vec<DocumentWarning> {
    let disabled = DisabledParts::of(checked);
    let reached = ReachedParts::of(&checked.routes, &disabled);
    let mut warnings = Vec::new();
    let mut warn = |section: &str, index: usize, advice: Option<Advice>| {
        let path = format!("{section}[{index}]");
        warnings.extend(advice.map(|(code, message)| DocumentWarning { code, path, message }));
    };
    for (index, source) in checked.sources.iter().enumerate().filter(|(_, source)| source.enabled) {
        warn("sources", index, of_source(&source.id, &reached));
    }
    for (index, logspace) in checked.logspaces.iter().enumerate() {
        let target = RouteTarget::Logspace(logspace.id.clone());
        warn("logspaces", index, unreached(&format!("logspace `{}`", logspace.id), &target, &reached));
        warn("logspaces", index, of_retention(logspace));
    }
    for (index, destination) in checked.destinations.iter().enumerate() {
        let target = RouteTarget::Destination(destination.id.clone());
        let what = format!("destination `{}`", destination.id);
        warn("destinations", index, unreached(&what, &target, &reached));
        warn("destinations", index, unsent(&destination.id, &target, &checked.routes, &disabled));
    }
    for (index, advice) in reached.unreached {
        warn("routes", index, Some(advice));
    }
    warnings
}

/// The disabled sources and destinations.
struct DisabledParts<'a> {
    sources: HashSet<&'a str>,
    targets: HashSet<RouteTarget>,
}

impl<'a> DisabledParts<'a> {
    fn of(checked: &'a Checked) -> DisabledParts<'a> {
        let sources = checked.sources.iter().filter(|source| !source.enabled);
        let destinations = checked.destinations.iter().filter(|destination| !destination.enabled);
        DisabledParts {
            sources: sources.map(|source| source.id.as_str()).collect(),
            targets: destinations
                .map(|destination| RouteTarget::Destination(destination.id.clone()))
                .collect(),
        }
    }

    /// The enabled sources of a route.
    fn enabled_sources<'b>(&self, route: &'b CheckedRoute) -> impl Iterator<Item = &'b str> {
        route.from.iter().map(String::as_str).filter(|id| !self.sources.contains(id))
    }

    /// Whether a route has only disabled targets.
    fn covers(&self, route: &CheckedRoute) -> bool {
        !route.to.is_empty() && route.to.iter().all(|target| self.targets.contains(target))
    }
}

/// The sources and targets that routes reach.
#[derive(Default)]
struct ReachedParts<'a> {
    /// Sources that have messages taken by some route.
    heard: HashSet<&'a str>,
    /// Sources all of whose messages are taken by a single route.
    taken: HashSet<&'a str>,
    /// Targets that some route sends to.
    targets: HashSet<&'a RouteTarget>,
    /// The routes that get no messages or send none, by their place in the document.
    unreached: Vec<(usize, Advice)>,
}

impl<'a> ReachedParts<'a> {
    fn of(routes: &'a [CheckedRoute], disabled: &DisabledParts<'a>) -> ReachedParts<'a> {
        let mut reached = ReachedParts::default();
        let mut earlier = Vec::new();
        for (index, route) in routes.iter().enumerate().filter(|(_, route)| route.route.enabled) {
            let never = no_source_warning(route, disabled).or_else(|| no_match_warning(route, &earlier));
            let advice = never.or_else(|| no_target_warning(route, disabled));
            reached.unreached.extend(advice.map(|advice| (index, advice)));
            earlier.push(route);
            reached.targets.extend(&route.to);
            reached.heard.extend(disabled.enabled_sources(route));
            if route.takes_all() {
                reached.taken.extend(disabled.enabled_sources(route));
            }
        }
        reached
    }
}

/// The warning that a route has no enabled source.
fn no_source_warning(route: &CheckedRoute, disabled: &DisabledParts<'_>) -> Option<Advice> {
    if route.from.is_empty() || disabled.enabled_sources(route).next().is_some() {
        return None;
    }
    let why = match route.route.from.as_slice() {
        [] => "every source is disabled".to_owned(),
        [one] => format!("its source `{one}` is disabled"),
        _ => "all of its sources are disabled".to_owned(),
    };
    Some((
        DocumentWarningCode::NoSource,
        format!("route `{}`: it takes nothing, because {why}", route.route.id),
    ))
}

/// The warning that all destinations of a route are disabled.
fn no_target_warning(route: &CheckedRoute, disabled: &DisabledParts<'_>) -> Option<Advice> {
    let what = match route.route.to.as_slice() {
        [one] => format!("its destination `{one}` is disabled"),
        _ => "all of its destinations are disabled".to_owned(),
    };
    let id = &route.route.id;
    let message = || format!("route `{id}`: messages that no other route takes are dropped, because {what}");
    disabled.covers(route).then(|| (DocumentWarningCode::NoTarget, message()))
}

/// The warning that a route can never match a message.
fn no_match_warning(route: &CheckedRoute, earlier: &[&CheckedRoute]) -> Option<Advice> {
    let id = &route.route.id;
    if route.filter.is_impossible() {
        let message = format!(
            "route `{id}`: it can never match, because no message meets all of `{}`: remove a condition, or write `or` between \
             them",
            route.filter
        );
        return Some((DocumentWarningCode::NeverMatches, message));
    }
    let before = route.from.iter().map(|source| shadow_over(route, source, earlier));
    let before: BTreeSet<usize> = before.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let of = |at: usize| earlier[at];
    let everything = before.iter().all(|at| of(*at).takes_all());
    let names: Vec<String> = before.into_iter().map(|at| format!("`{}`", of(at).route.id)).collect();
    let (noun, takes) = if names.len() == 1 { ("route", "takes") } else { ("routes", "together take") };
    let what = if everything { "everything before it" } else { "all of its messages before it" };
    let advice = if route.route.fallback { "remove it" } else { "move it up, or remove `final` there" };
    let names = names.join(" and ");
    let message =
        format!("route `{id}`: it can never match, because {noun} {names} {takes} {what}: {advice}");
    Some((DocumentWarningCode::NeverMatches, message))
}

/// The earlier routes that together leave none of a source's messages to a route, if there are such routes. Only
/// final routes count, or any route if this one is a fallback.
fn shadow_over(route: &CheckedRoute, source: &str, earlier: &[&CheckedRoute]) -> Option<Vec<usize>> {
    let takes_for_good = |before: &CheckedRoute| {
        // A route with stages does not count, because their effect is unknown.
        let hears = before.stages.is_empty() && before.from.iter().any(|id| id == source);
        // A fallback does not take messages that a route before it took.
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

fn of_source(id: &str, reached: &ReachedParts<'_>) -> Option<Advice> {
    if !reached.heard.contains(id) {
        let message = format!("source `{id}`: no route takes its messages, so they are dropped");
        return Some((DocumentWarningCode::MessagesDropped, message));
    }
    let advice = "add a last route with `where = '*'` and `fallback = true` to keep them";
    let lost = || format!("source `{id}`: its messages that no route matches are dropped; {advice}");
    (!reached.taken.contains(id)).then(|| (DocumentWarningCode::MessagesDropped, lost()))
}

/// The warning that a disabled destination misses messages, unless its routes have a warning that they send nothing.
fn unsent(
    id: &str,
    target: &RouteTarget,
    routes: &[CheckedRoute],
    disabled: &DisabledParts<'_>,
) -> Option<Advice> {
    let sends =
        |route: &&CheckedRoute| route.route.enabled && route.to.contains(target) && !disabled.covers(route);
    let names: Vec<String> =
        routes.iter().filter(sends).map(|route| format!("`{}`", route.route.id)).collect();
    let noun = if names.len() == 1 { "route" } else { "routes" };
    (disabled.targets.contains(target) && !names.is_empty()).then(|| {
        let names = names.join(", ");
        let message = format!(
            "destination `{id}`: it is disabled, so messages that {noun} {names} would send to it are not queued"
        );
        (DocumentWarningCode::NotQueued, message)
    })
}

fn unreached(what: &str, target: &RouteTarget, reached: &ReachedParts<'_>) -> Option<Advice> {
    (!reached.targets.contains(target))
        .then(|| (DocumentWarningCode::Unused, format!("{what}: no route sends to it")))
}

fn of_retention(logspace: &Logspace) -> Option<Advice> {
    let endless = logspace.retention == Retention::default();
    let advice = "set `retention = { age = \"90d\" }`, or a size";
    let message = || format!("logspace `{}`: it grows until the disk is full; {advice}", logspace.id);
    endless.then(|| (DocumentWarningCode::Endless, message()))
}
