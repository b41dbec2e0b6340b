//! A router document that can be run: what checking makes of a [`Document`](crate::Document).

use logstead_record::query::Query;

use crate::destination::Destination;
use crate::logspace::Logspace;
use crate::route::Route;
use crate::source::Source;

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

/// A route with its names resolved and its filter parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedRoute {
    /// As written.
    pub route: Route,
    /// The ids of the sources it listens to, each of which exists; never empty unless there is no source.
    pub from: Vec<String>,
    /// What `where` says.
    pub filter: Query,
    /// What `to` names.
    pub to: Vec<Target>,
}

/// Where a route sends to, by id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// Into a logspace.
    Logspace(String),
    /// To a destination.
    Destination(String),
}
