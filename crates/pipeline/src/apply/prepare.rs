//! Everything about a change that can fail: the check whether it is allowed, and opening the parts that it needs.

use super::started::StartedParts;
use super::{ApplyError, RevisionChange, SourceDemand, of_source, problem, unfit};
use crate::core::Pipeline;
use crate::logspace::Logspace;
use crate::running::{FailedSource, RunningState};
use logstead_config::{Checked, CheckedAction, CountOrAuto, ListenAddress, Problem, Source as Config};
use logstead_flow::budget::Budget;
use logstead_flow::listen::BoundSocket;
use logstead_forward::Destination;
use logstead_receive::{ReadySockets, RunningSource, SourceContext, SourceDeps, SourceSettings};
use parking_lot::MutexGuard;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// One socket delivers about a million datagrams per second, more than this number of cores can usually parse.
const CORES_PER_UDP_SOCKET: usize = 4;
/// The first port on which Linux lets any user listen, unless configured otherwise.
const UNPRIVILEGED_PORT_MIN: u16 = 1024;

/// A change that can become live at any moment, since everything that can fail has succeeded and other changes are
/// locked out. Dropping it undoes everything.
#[must_use = "it is undone when it is dropped"]
pub struct PreparedChange<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) change: RevisionChange,
    pub(super) before: Arc<RunningState>,
    pub(super) next: NextRevision,
    // This is the last field, so that other changes may begin only after everything is undone.
    pub(super) alone: MutexGuard<'a, ()>,
}

/// Everything that the new revision needs and that is not live yet.
#[derive(Default)]
pub(super) struct NextRevision {
    pub(super) failed: Vec<FailedSource>,
    pub(super) sources: BTreeMap<String, NextSource>,
    pub(super) logspaces: BTreeMap<String, Arc<Logspace>>,
    pub(super) destinations: BTreeMap<String, Arc<Destination>>,
    pub(super) started: StartedParts,
}

pub(super) struct NextSource {
    pub(super) source: Arc<RunningSource>,
    pub(super) settings: SourceSettings,
    /// The sockets that are not being read yet.
    pub(super) sockets: Vec<ReadySockets>,
}

impl Pipeline {
    /// Opens the parts that a change needs, and reports all problems at once. `expected` is the revision that must be
    /// live. Blocks, and locks out other changes until the returned value is committed or dropped: not for async
    /// tasks.
    pub fn prepare(
        &self,
        change: RevisionChange,
        expected: Option<u64>,
    ) -> Result<PreparedChange<'_>, ApplyError> {
        self.prepare_with(SourceDemand::All, change, expected)
    }

    /// Prepares a change like [`Pipeline::prepare`], with a demand on its sources.
    pub(crate) fn prepare_with(
        &self,
        demand: SourceDemand,
        change: RevisionChange,
        expected: Option<u64>,
    ) -> Result<PreparedChange<'_>, ApplyError> {
        let alone = self.applying.lock();
        if self.stop_requested() {
            return Err(ApplyError::System("the server is stopping".to_owned()));
        }
        let before = self.running.load_full();
        let current = before.live.revision;
        if expected.is_some_and(|expected| expected != current) {
            return Err(ApplyError::Conflict { current });
        }
        let next = ChangePreparation::new(self, &before, demand).open(&change.checked)?;
        Ok(PreparedChange { pipeline: self, change, before, next, alone })
    }

    /// Why a document cannot run on this machine, as far as that can be determined without changing anything. Sockets
    /// that are not open yet are opened for this, and closed again.
    pub fn unfit(&self, checked: &Checked) -> Vec<Problem> {
        let mut problems = unfit(checked, &self.data, &self.folders);
        problems.extend(self.lookups_missing(checked));
        let before = self.running.load_full();
        let preparing = ChangePreparation::new(self, &before, SourceDemand::All);
        for (index, config) in checked.enabled_sources() {
            for (at, listener) in config.kind.listen().iter().enumerate() {
                // Opening a unix socket would create a file.
                let is_tried = listener.path().is_none() && !preparing.is_read(&config.id, listener);
                if let Some(error) = is_tried.then(|| preparing.socket(listener, 1).err()).flatten() {
                    let path = format!("sources[{index}].listen[{at}]");
                    problems.push(problem(path, &cannot_listen(listener, &error)));
                }
            }
        }
        problems
    }

    /// The missing files of lookup tables that steps name.
    fn lookups_missing(&self, checked: &Checked) -> Vec<Problem> {
        let steps = checked.routes.iter().enumerate().flat_map(|(route, of)| {
            of.steps.iter().enumerate().map(move |(step, checked)| (route, step, checked))
        });
        let missing = steps.filter_map(|(route, step, checked)| match &checked.action {
            CheckedAction::Lookup { file, .. } if !self.lookups.has(file) => {
                let path = format!("routes[{route}].steps[{step}].lookup");
                let message =
                    format!("there is no lookup file `{file}`: upload it, or put it into the folder `lookups` of the data directory");
                Some(problem(path, &message))
            }
            _ => None,
        });
        missing.collect()
    }

    /// The paths in a stored document that the settings of the process do not allow, or no longer allow. They are not
    /// read; the rest of their sources runs.
    fn forbidden_sources(&self, checked: &Checked) -> Vec<FailedSource> {
        let refused = |source: &Config| {
            let paths = self.folders.refused_paths(&source.kind).into_iter();
            let id = source.id.clone();
            paths.map(move |(_, reason)| FailedSource {
                source: id.clone(),
                listener: None,
                reason,
                is_final: true,
            })
        };
        checked.enabled_sources().flat_map(|(_, source)| refused(source)).collect()
    }

    fn start_source(
        &self,
        id: &str,
        settings: SourceSettings,
        sources: usize,
    ) -> io::Result<Arc<RunningSource>> {
        let deps = SourceDeps {
            counters: self.counters.source(id),
            budget: Budget::new(self.memory.shares.queue_of_one(sources)),
            work: self.work.clone(),
            ledger: self.ledger.clone(),
            senders: self.senders.clone(),
            sockets: self.sockets.clone(),
            gates: self.gates.clone(),
            gauge: self.memory.gauge.clone(),
        };
        RunningSource::start(SourceContext::new(id, settings, deps, &self.data, &self.folders)).map(Arc::new)
    }
}

impl PreparedChange<'_> {
    /// The text of the revision, to be stored.
    pub fn toml(&self) -> &str {
        &self.change.toml
    }
}

/// Listeners whose sockets are bound.
type BoundListeners = Vec<(ListenAddress, BoundSocket)>;

/// A change whose parts are being opened.
struct ChangePreparation<'a> {
    pipeline: &'a Pipeline,
    before: &'a RunningState,
    demand: SourceDemand,
    /// The number of enabled sources of any kind, which share the memory for messages in flight.
    sources_in_all: usize,
    /// Settings and sockets of the sources, in the order of the document.
    sources: Vec<(&'a str, SourceSettings, BoundListeners)>,
    problems: Vec<Problem>,
    next: NextRevision,
}

impl<'a> ChangePreparation<'a> {
    fn new(pipeline: &'a Pipeline, before: &'a RunningState, demand: SourceDemand) -> ChangePreparation<'a> {
        let (sources, problems, next) = (Vec::new(), Vec::new(), NextRevision::default());
        ChangePreparation { pipeline, before, demand, sources_in_all: 0, sources, problems, next }
    }

    fn open(mut self, checked: &'a Checked) -> Result<NextRevision, ApplyError> {
        self.sources_in_all = checked.sources.len();
        match self.demand {
            SourceDemand::All => {
                self.problems = self.pipeline.folders.forbidden(checked);
                self.problems.extend(self.pipeline.lookups_missing(checked));
            }
            SourceDemand::WhatCan => self.next.failed = self.pipeline.forbidden_sources(checked),
        }
        for (index, config) in checked.enabled_sources() {
            match SourceSettings::new(&config.kind, &self.pipeline.data) {
                Some(Ok(settings)) => self.bind(index, config, settings),
                Some(Err(refused)) => self.leave(config, of_source(index, &refused)),
                None => {}
            }
        }
        self.open_logspaces(checked);
        self.open_destinations(checked);
        if !self.problems.is_empty() {
            return Err(ApplyError::Problems(self.problems));
        }
        for (id, settings, sockets) in std::mem::take(&mut self.sources) {
            self.start(id, settings, sockets)?;
        }
        Ok(self.next)
    }

    /// Binds the listeners of a source that are not being read yet.
    fn bind(&mut self, index: usize, config: &'a Config, settings: SourceSettings) {
        let mut sockets = BoundListeners::new();
        for (at, listener) in config.kind.listen().iter().enumerate() {
            if self.is_read(&config.id, listener) {
                continue;
            }
            match self.socket(listener, udp_sockets(settings.partitions)) {
                Ok(socket) => sockets.push((listener.clone(), socket)),
                Err(error) => {
                    let path = format!("sources[{index}].listen[{at}]");
                    let problem = problem(path, &cannot_listen(listener, &error));
                    self.failed(&config.id, &[Some(listener)], problem);
                }
            }
        }
        self.sources.push((&config.id, settings, sockets));
    }

    fn is_read(&self, source: &str, listener: &ListenAddress) -> bool {
        self.before.sources.get(source).is_some_and(|source| source.has(listener))
    }

    /// The socket for this listener: one that another source has open, or a new one.
    fn socket(&self, listener: &ListenAddress, udp_sockets: usize) -> io::Result<BoundSocket> {
        let taken_over = self.before.sources.values().find_map(|source| source.socket(listener));
        taken_over.unwrap_or_else(|| BoundSocket::bind(listener, udp_sockets, &self.pipeline.folders))
    }

    /// Handles a source whose settings are refused: if it runs, it keeps its current ones.
    fn leave(&mut self, config: &'a Config, problem: Problem) {
        if let Some(running) = self.before.sources.get(&config.id) {
            let settings = (**running.shared.settings.load()).clone();
            self.sources.push((&config.id, settings, Vec::new()));
        }
        let listen = config.kind.listen();
        let closed = listen.iter().filter(|listener| !self.is_read(&config.id, listener)).map(Some);
        let closed: Vec<_> = if listen.is_empty() { vec![None] } else { closed.collect() };
        self.failed(&config.id, &closed, problem);
    }

    /// Records listeners that do not receive; `None` stands for the whole source.
    fn failed(&mut self, source: &str, closed: &[Option<&ListenAddress>], problem: Problem) {
        match self.demand {
            SourceDemand::All => self.problems.push(problem),
            SourceDemand::WhatCan => self.next.failed.extend(closed.iter().map(|listener| FailedSource {
                source: source.to_owned(),
                listener: listener.cloned(),
                reason: problem.message.clone(),
                is_final: false,
            })),
        }
    }

    fn open_logspaces(&mut self, checked: &Checked) {
        for (index, config) in checked.logspaces.iter().enumerate() {
            let open = match self.before.logspaces.get(&config.id) {
                Some(open) => Ok(open.clone()),
                None => self.pipeline.open(&config.id, checked, self.demand).inspect(|opened| {
                    self.next.started.logspaces.push(opened.clone());
                }),
            };
            match open {
                Ok(logspace) => drop(self.next.logspaces.insert(config.id.clone(), logspace)),
                Err(error) => self.problems.push(problem(format!("logspaces[{index}]"), &error)),
            }
        }
    }

    fn open_destinations(&mut self, checked: &Checked) {
        for (index, config) in checked.destinations.iter().enumerate() {
            let open = match self.before.destinations.get(&config.id) {
                Some(open) => Ok(open.clone()),
                None => self.pipeline.open_destination(&config.id, self.demand).inspect(|opened| {
                    self.next.started.destinations.push(opened.clone());
                }),
            };
            match open {
                Ok(open) => drop(self.next.destinations.insert(config.id.clone(), open)),
                Err(error) => self.problems.push(problem(format!("destinations[{index}]"), &error)),
            }
        }
    }

    /// Starts a source unless it is running, and makes its new sockets ready to be read.
    fn start(&mut self, id: &str, settings: SourceSettings, sockets: BoundListeners) -> io::Result<()> {
        let source = match self.before.sources.get(id) {
            Some(running) => running.clone(),
            None => {
                let sources = self.sources_in_all;
                let source = self.pipeline.start_source(id, settings.clone(), sources)?;
                self.next.started.sources.push(source.clone());
                source
            }
        };
        let sockets = sockets.into_iter().map(|(listener, socket)| source.ready(listener, socket));
        let sockets = sockets.collect::<io::Result<_>>()?;
        self.next.sources.insert(id.to_owned(), NextSource { source, settings, sockets });
        Ok(())
    }
}

/// The number of sockets that read the same UDP address.
fn udp_sockets(partitions: CountOrAuto) -> usize {
    match partitions {
        CountOrAuto::Auto => logstead_flow::machine::cores().div_ceil(CORES_PER_UDP_SOCKET),
        CountOrAuto::Exactly(partitions) => partitions as usize,
    }
}

/// An error that says what to do, depending on the reason.
fn cannot_listen(listener: &ListenAddress, error: &io::Error) -> String {
    let is_low = listener.address().is_some_and(|address| address.port() < UNPRIVILEGED_PORT_MIN);
    let instead = if listener.path().is_some() { "path" } else { "port" };
    let advice = match error.kind() {
        ErrorKind::PermissionDenied if is_low => format!(
            "ports below {UNPRIVILEGED_PORT_MIN} need a privilege: give the binary or the service CAP_NET_BIND_SERVICE, \
             or listen on 5514 and redirect the port"
        ),
        ErrorKind::PermissionDenied => format!("let Logstead's user create it, or choose another {instead}"),
        ErrorKind::AddrNotAvailable => "this machine has no such address: choose one that it has".to_owned(),
        ErrorKind::AddrInUse => format!("stop the program that listens there, or choose another {instead}"),
        _ => format!("choose another {instead}"),
    };
    format!("{listener} cannot be listened on: {error}; {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(listener: &ListenAddress, kind: ErrorKind) -> String {
        cannot_listen(listener, &io::Error::from(kind))
    }

    #[test]
    fn what_is_said_about_a_listener_is_what_helps() {
        let tcp = |port| ListenAddress::Tcp(std::net::SocketAddr::from(([127, 0, 0, 1], port)));
        assert!(said(&tcp(514), ErrorKind::PermissionDenied).contains("CAP_NET_BIND_SERVICE"));
        assert!(!said(&tcp(514), ErrorKind::PermissionDenied).contains("stop the program"));
        assert!(said(&tcp(5514), ErrorKind::AddrInUse).contains("stop the program that listens there"));
        assert!(said(&tcp(5514), ErrorKind::AddrNotAvailable).contains("no such address"));
        let path = ListenAddress::UnixDgram("run/log.sock".to_owned());
        assert!(said(&path, ErrorKind::PermissionDenied).contains("another path"));
    }
}
