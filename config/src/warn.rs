//! What can be run but is hardly meant: messages that go nowhere, and things that no message reaches.

use logstead_record::query::Query;

use crate::check::{Checked, CheckedRoute, Target};
use crate::logspace::Logspace;
use crate::unit::Size;

/// A queue above this may be more than the machine's memory holds.
const QUEUE_UNREMARKABLE_MAX: Size = Size::gib(1);

/// A sentence for each.
pub(crate) fn warnings(checked: &Checked) -> Vec<String> {
    let routes = checked.routes.as_slice();
    let mut warnings = Vec::new();
    warnings.extend(checked.sources.iter().filter_map(|source| of_source(&source.id, routes)));
    warnings.extend(checked.logspaces.iter().flat_map(|logspace| of_logspace(logspace, routes)));
    for destination in &checked.destinations {
        warnings.extend(unreached(&Target::Destination(destination.id.clone()), routes));
        warnings.extend(of_queue(&destination.id, destination.queue.size));
    }
    let later = routes.iter().enumerate();
    warnings.extend(later.filter_map(|(index, route)| of_route(route, routes.split_at(index).0)));
    warnings
}

fn of_source(id: &str, routes: &[CheckedRoute]) -> Option<String> {
    if !routes.iter().any(|route| listens(route, id)) {
        return Some(format!("source `{id}`: no route takes its messages, so they are dropped"));
    }
    if routes.iter().any(|route| listens(route, id) && route.filter == Query::All) {
        return None;
    }
    let advice = "add a last route with `where = '*'` and `fallback = true` to keep them";
    Some(format!("source `{id}`: its messages that no route matches are dropped; {advice}"))
}

fn of_logspace(logspace: &Logspace, routes: &[CheckedRoute]) -> Vec<String> {
    let mut warnings: Vec<String> =
        unreached(&Target::Logspace(logspace.id.clone()), routes).into_iter().collect();
    if logspace.retention.age.is_none() && logspace.retention.size.is_none() {
        let advice = "set `retention = { age = \"90d\" }`, or a size";
        warnings.push(format!("logspace `{}`: it grows until the disk is full; {advice}", logspace.id));
    }
    warnings
}

fn of_queue(id: &str, size: Size) -> Option<String> {
    let large = size > QUEUE_UNREMARKABLE_MAX;
    large.then(|| format!("destination `{id}`: its queue of {size} is kept in memory in this version"))
}

fn unreached(target: &Target, routes: &[CheckedRoute]) -> Option<String> {
    if routes.iter().any(|route| route.to.contains(target)) {
        return None;
    }
    Some(match target {
        Target::Logspace(id) => format!("logspace `{id}`: no route sends to it"),
        Target::Destination(id) => format!("destination `{id}`: no route sends to it"),
    })
}

fn of_route(route: &CheckedRoute, earlier: &[CheckedRoute]) -> Option<String> {
    let stoppers: Vec<&CheckedRoute> = earlier.iter().filter(|earlier| stops_all(earlier, route)).collect();
    let stopped = |id: &String| stoppers.iter().any(|stopper| listens(stopper, id));
    let last = stoppers.last().filter(|_| route.from.iter().all(stopped))?;
    Some(format!(
        "route `{}`: it can never match, because route `{}` takes everything before it",
        route.route.id, last.route.id
    ))
}

/// Whether no message that reaches `earlier` and matches it goes on to `route`, and every message matches.
fn stops_all(earlier: &CheckedRoute, route: &CheckedRoute) -> bool {
    // A fallback leaves alone what an even earlier route took.
    let keeps = route.route.fallback || (earlier.route.is_final && !earlier.route.fallback);
    earlier.filter == Query::All && keeps
}

fn listens(route: &CheckedRoute, source_id: &str) -> bool {
    route.from.iter().any(|id| id == source_id)
}
