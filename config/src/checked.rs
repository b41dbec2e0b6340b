//! A router document that can run, the result of checking a [`Document`](crate::Document).

use logstead_query::{Query, Stage};

use crate::destination::Destination;
use crate::logspace::Logspace;
use crate::problem::DocumentWarning;
use crate::route::Route;
use crate::source::Source;
use crate::step::CheckedStep;

/// A router document that can run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Checked {
    /// The sources as written: ids are unique, addresses do not overlap, at most one is `http` and one `internal`.
    pub sources: Vec<Source>,
    /// The logspaces as written, at least one: ids are unique, also among the destinations.
    pub logspaces: Vec<Logspace>,
    /// The destinations as written: ids are unique.
    pub destinations: Vec<Destination>,
    /// The routes, in the order in which they are tried.
    pub routes: Vec<CheckedRoute>,
    /// Probable mistakes.
    pub warnings: Vec<DocumentWarning>,
}

impl Checked {
    /// The enabled sources, with their positions in the document.
    pub fn enabled_sources(&self) -> impl Iterator<Item = (usize, &Source)> {
        self.sources.iter().enumerate().filter(|(_, source)| source.enabled)
    }

    /// Whether a target is a disabled destination.
    pub fn is_disabled(&self, target: &RouteTarget) -> bool {
        let is_off = |id: &str| self.destinations.iter().any(|one| one.id == id && !one.enabled);
        matches!(target, RouteTarget::Destination(id) if is_off(id))
    }
}

/// A route with its names resolved and its filter parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedRoute {
    /// The route as written.
    pub route: Route,
    /// The ids of its sources, which all exist; empty only if there are no sources.
    pub from: Vec<String>,
    /// The filter in `where`, before the first `|`.
    pub filter: Query,
    /// The stages in `where` after the filter. Each message passes through them before the route takes it.
    pub stages: Vec<Stage>,
    /// The steps for its messages.
    pub steps: Vec<CheckedStep>,
    /// The targets in `to`.
    pub to: Vec<RouteTarget>,
}

impl CheckedRoute {
    /// Whether it takes every message of its sources.
    pub fn takes_all(&self) -> bool {
        self.filter == Query::All && self.stages.is_empty()
    }
}

/// A target of a route, by id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RouteTarget {
    /// A logspace.
    Logspace(String),
    /// A destination.
    Destination(String),
}
