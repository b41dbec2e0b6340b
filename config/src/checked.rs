//! A router document that can be run: what checking makes of a [`Document`](crate::Document).

use logstead_query::{Query, Stage};

use crate::destination::Destination;
use crate::logspace::Logspace;
use crate::route::Route;
use crate::source::Source;
use crate::step::CheckedStep;

/// A router document that can be run.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// As written; ids are unique, listeners do not overlap, at most one is `http` and one `internal`.
    pub sources: Vec<Source>,
    /// As written; ids are unique, also among the destinations. There is at least one.
    pub logspaces: Vec<Logspace>,
    /// As written; ids are unique.
    pub destinations: Vec<Destination>,
    /// In the order in which they are asked.
    pub routes: Vec<CheckedRoute>,
    /// What is probably a mistake, a sentence each.
    pub warnings: Vec<String>,
}

impl Checked {
    /// The sources that receive, with their places in the document.
    pub fn enabled_sources(&self) -> impl Iterator<Item = (usize, &Source)> {
        self.sources.iter().enumerate().filter(|(_, source)| source.enabled)
    }

    /// Whether a target takes nothing.
    pub fn is_disabled(&self, target: &RouteTarget) -> bool {
        let is_off = |id: &str| self.destinations.iter().any(|one| one.id == id && !one.enabled);
        matches!(target, RouteTarget::Destination(id) if is_off(id))
    }
}

/// A route with its names resolved and its filter parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedRoute {
    /// As written.
    pub route: Route,
    /// The ids of the sources it listens to, each of which exists; never empty unless there is no source.
    pub from: Vec<String>,
    /// What `where` says before its first `|`.
    pub filter: Query,
    /// What the messages that it means pass through before the route takes them, one by one.
    pub stages: Vec<Stage>,
    /// What is done to its messages.
    pub steps: Vec<CheckedStep>,
    /// What `to` names.
    pub to: Vec<RouteTarget>,
}

impl CheckedRoute {
    /// Whether every message is one of its own.
    pub fn takes_all(&self) -> bool {
        self.filter == Query::All && self.stages.is_empty()
    }
}

/// Where a route sends to, by id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RouteTarget {
    /// Into a logspace.
    Logspace(String),
    /// To a destination.
    Destination(String),
}
