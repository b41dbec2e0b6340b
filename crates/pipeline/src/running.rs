//! The running state: one revision of the router document with everything that it needs, swapped as a whole.

use super::copies::{Copies, LogspaceRows, copies};
use super::logspace::Logspace;
use logstead_config::{Checked, Document, ListenAddress, RouteTarget, SourceKind};
use logstead_flow::budget::Budget;
use logstead_flow::count_claim::CountClaim;
use logstead_flow::counters::{Counters, RouteCounters, SourceCounters, StepCounters};
use logstead_flow::ledger::JournalId;
use logstead_flow::receipt::Pending;
use logstead_flow::writer::Append;
use logstead_forward::Destination;
use logstead_indexer::EncodedBatch;
use logstead_receive::RunningSource;
use logstead_record::Timestamp;
use logstead_route::{Router, TargetDelivery as RoutedTo};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The live revision of the router document.
#[derive(Debug)]
pub struct LiveRevision {
    /// Its number.
    pub revision: u64,
    /// Its text, with comments.
    pub toml: String,
    /// The text parsed as a document.
    pub document: Document,
    /// The checked document.
    pub checked: Arc<Checked>,
    /// The time since which it has been live.
    pub applied_at: Timestamp,
}

/// The origin of the messages that are handed to an inlet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandedBy {
    /// Requests over HTTP.
    Requests,
    /// The server itself: its own log.
    OwnLog,
}

impl HandedBy {
    /// The origin of the messages for a source of this kind; `None` for one that receives by itself.
    pub(crate) fn of(kind: &SourceKind) -> Option<HandedBy> {
        match kind {
            SourceKind::Http(_) => Some(HandedBy::Requests),
            SourceKind::Internal => Some(HandedBy::OwnLog),
            _ => None,
        }
    }
}

/// A source without sockets of its own, to which messages are handed.
pub(crate) struct Inlet {
    pub id: Arc<str>,
    pub handed_by: HandedBy,
    pub counters: Arc<SourceCounters>,
    pub budget: Budget,
}

/// The counters of a route and its steps.
pub(crate) struct RouteCount {
    pub route: Arc<RouteCounters>,
    pub steps: Vec<Arc<StepCounters>>,
}

impl RouteCount {
    pub(crate) fn all(router: &Router, counters: &Counters) -> Vec<RouteCount> {
        let count = |(number, id)| {
            let route = counters.route(id);
            let steps = router.steps(number).enumerate().map(|(step, kind)| route.step(step, kind)).collect();
            RouteCount { route, steps }
        };
        router.routes().enumerate().map(count).collect()
    }
}

/// Everything that a batch may pass through.
pub(crate) struct RunningState {
    pub live: Arc<LiveRevision>,
    pub router: Router,
    /// The counters of its routes, in their order.
    pub routes: Vec<RouteCount>,
    /// The open targets, in the order of the router's targets.
    pub targets: Vec<OpenTarget>,
    /// The logspaces of the document, and those on disk from earlier documents.
    pub logspaces: BTreeMap<String, Arc<Logspace>>,
    /// The destinations of the document, and those of earlier documents whose messages are still waiting.
    pub destinations: BTreeMap<String, Arc<Destination>>,
    pub sources: BTreeMap<String, Arc<RunningSource>>,
    /// Sources and listeners of the document that do not receive for now.
    pub failed: Vec<FailedSource>,
    /// The enabled sources to which messages are handed, by id.
    pub inlets: BTreeMap<String, Arc<Inlet>>,
}

/// Something that could not be opened when the process started, and is retried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FailedSource {
    /// The id of its source.
    pub source: String,
    /// The listener; `None` if the whole source does not run, as it has no listeners.
    pub listener: Option<ListenAddress>,
    /// The reason, and what to do.
    pub reason: String,
    /// Whether only a change of the document or a setting can resolve it.
    pub is_final: bool,
}

impl FailedSource {
    /// Whether the other is about the same thing.
    pub(crate) fn is_about(&self, other: &FailedSource) -> bool {
        self.source == other.source && self.listener == other.listener
    }
}

impl std::fmt::Display for FailedSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.listener {
            Some(listener) => write!(f, "{listener}"),
            None => write!(f, "source {}", self.source),
        }
    }
}

/// An open target.
#[derive(Clone)]
pub(crate) enum OpenTarget {
    Logspace(Arc<Logspace>),
    Destination(Arc<Destination>),
}

impl RunningState {
    /// Whether no listener receives although the document names some.
    pub(crate) fn is_deaf(&self) -> bool {
        self.failed.iter().any(|failed| failed.listener.is_some())
            && self.sources.values().all(|source| source.urls().is_empty())
    }

    /// The source for messages that the server itself hands in, if the document has one and it is enabled.
    pub(crate) fn own_inlet(&self, handed_by: HandedBy) -> Option<&Arc<Inlet>> {
        self.inlets.values().find(|inlet| inlet.handed_by == handed_by)
    }

    /// Whether messages are stored in a logspace, that is, whether the document contains it.
    pub(crate) fn stores(&self, logspace: &str) -> bool {
        self.live.checked.logspaces.iter().any(|config| config.id == logspace)
    }

    /// Finds the open parts for the router's targets.
    pub(crate) fn reach(
        router: &Router,
        logspaces: &BTreeMap<String, Arc<Logspace>>,
        destinations: &BTreeMap<String, Arc<Destination>>,
    ) -> Vec<OpenTarget> {
        let open = |target: &RouteTarget| match target {
            RouteTarget::Logspace(id) => logspaces.get(id).cloned().map(OpenTarget::Logspace),
            RouteTarget::Destination(id) => destinations.get(id).cloned().map(OpenTarget::Destination),
        };
        let reached: Vec<OpenTarget> = router.targets.iter().filter_map(open).collect();
        assert_eq!(reached.len(), router.targets.len(), "a checked document names only what it has");
        reached
    }

    /// For each of these deliveries, those of its messages that are copies of messages in another delivery.
    pub(crate) fn copies(&self, deliveries: &[RoutedTo]) -> Vec<Copies<'_>> {
        let logspaces = &self.live.checked.logspaces;
        let stored = deliveries.iter().enumerate().filter_map(|(at, delivery)| {
            let RouteTarget::Logspace(id) = &self.router.targets[delivery.target] else { return None };
            let place = logspaces.iter().position(|known| known.id == *id)?;
            Some((at, LogspaceRows { logspace: id, place, rows: &delivery.rows }))
        });
        let (at, stored): (Vec<usize>, Vec<LogspaceRows<'_, '_>>) = stored.unzip();
        let mut of_deliveries: Vec<Copies<'_>> = deliveries.iter().map(|_| Vec::new()).collect();
        at.into_iter().zip(copies(&stored)).for_each(|(at, copies)| of_deliveries[at] = copies);
        of_deliveries
    }

    /// Why a target accepts nothing for now, if it does not.
    pub(crate) fn refusal(&self, target: usize) -> Option<String> {
        match &self.targets[target] {
            OpenTarget::Logspace(logspace) => logspace.refusal(),
            OpenTarget::Destination(destination) => destination.refusal(),
        }
    }
}

impl OpenTarget {
    pub(crate) fn is_logspace(&self) -> bool {
        matches!(self, OpenTarget::Logspace(_))
    }

    /// Its name in the ledger.
    pub(crate) fn journal_id(&self) -> JournalId {
        match self {
            OpenTarget::Logspace(logspace) => JournalId::Logspace(logspace.id.as_str().into()),
            OpenTarget::Destination(destination) => JournalId::Destination(destination.id.as_str().into()),
        }
    }
}

/// The part of a batch that a target gets.
pub(crate) struct TargetDelivery {
    pub to: OpenTarget,
    pub encoded: EncodedBatch,
    pub claim: CountClaim,
    /// Whether a destination may hold the sources of these messages back.
    pub flow_control: bool,
    pub pending: Pending,
}

impl TargetDelivery {
    /// Hands the batch over to the target.
    pub(crate) fn go(self) {
        let TargetDelivery { to, encoded, claim, flow_control, pending } = self;
        match to {
            OpenTarget::Logspace(logspace) => {
                logspace.append(Append { encoded, pending, claim, may_drop: false });
            }
            OpenTarget::Destination(destination) => {
                destination.append(encoded, claim, flow_control, pending);
            }
        }
    }
}
