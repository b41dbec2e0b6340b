//! How another revision of the router document becomes live: everything that can fail happens first (sockets,
//! logspaces, the stored revision), then all of it is swapped at once. A change that fails leaves what runs
//! untouched.
//!
//! Sockets, queues and logspaces that both revisions have live on, so no message is lost or seen twice: a
//! socket whose source was renamed is handed over open, a destination that changed keeps its queue.

use super::logspace::{Configuration, Logspace, Shared as OfAll};
use super::route::Router;
use super::running::{Failed, Inlet, Live, Running};
use super::{Pipeline, now};
use crate::destination::Destination;
use crate::flow::budget::Budget;
use crate::flow::counters::Counters;
use crate::machine::folders::Folders;
use crate::source::{Bound, Refused, Settings, Shared, Source, Ways};
use logstead_config::{Checked, Count, Document, Listener, Problem, SourceKind};
use logstead_indexer::{Options, Recovery};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// One reads some million datagrams a second: this many cores can hardly parse more.
const CORES_PER_UDP_SOCKET: usize = 4;
/// How long a destination that is taken out of the document may empty its queue.
const REMOVED_WAIT_MAX: Duration = Duration::from_secs(60);

/// A revision that is to become live.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its text.
    pub toml: String,
    /// The same as a document.
    pub document: Document,
    /// What it means.
    pub checked: Checked,
}

/// Why a change did not become live. What ran before runs on.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another revision than the expected one is live.
    #[error("revision {current} is live")]
    Conflict {
        /// The live revision.
        current: u64,
    },
    /// The document can not run on this machine.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// The revision could not be stored, or a thread could not be started.
    #[error("{0}")]
    System(String),
}

/// What a source that cannot be prepared does to the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// The revision does not become live: whoever changes it is there to mend it.
    All,
    /// The others run, and it is tried again: at a start nobody may be there, and one port that is taken must not
    /// keep the others, and the console, closed.
    WhatCan,
}

/// Everything that a new revision needs and that is not live yet.
#[derive(Default)]
struct Prepared {
    failed: Vec<Failed>,
    settings: Vec<(String, Settings)>,
    /// Source id, listener and its socket.
    sockets: Vec<(String, Listener, Bound)>,
    logspaces: BTreeMap<String, Arc<Logspace>>,
    destinations: BTreeMap<String, Arc<Destination>>,
}

/// A source of a new revision.
struct PreparedSource<'a> {
    index: usize,
    id: &'a str,
    kind: &'a SourceKind,
    settings: Result<Settings, Refused>,
}

/// What runs before the first revision is live: nothing.
pub(super) fn first(counters: &Counters, revision: u64, change: &Change) -> Running {
    let nothing = Checked {
        sources: vec![],
        logspaces: vec![],
        destinations: vec![],
        routes: vec![],
        warnings: vec![],
    };
    let live = Live {
        revision,
        toml: change.toml.clone(),
        document: change.document.clone(),
        checked: Arc::new(nothing),
        applied_at: now(),
    };
    Running {
        router: Router::new(&live.checked, counters),
        live: Arc::new(live),
        targets: Vec::new(),
        logspaces: BTreeMap::new(),
        destinations: BTreeMap::new(),
        sources: BTreeMap::new(),
        failed: Vec::new(),
        http: None,
        internal: None,
    }
}

/// Why a document can not run on this machine with these settings, as far as that can be said without opening
/// sockets.
pub(crate) fn unfit(checked: &Checked, data: &Path, folders: &Folders) -> Vec<Problem> {
    let mut problems = folders.forbidden(checked);
    for (index, source) in checked.sources.iter().enumerate() {
        if let Some(Err(Refused { key, message })) = Settings::new(&source.kind, data) {
            problems.push(problem(format!("sources[{index}].{key}"), &message));
        }
    }
    problems
}

impl Pipeline {
    /// Makes a change live. `store` keeps it as a revision and returns its number; it is called when all else
    /// that can fail has succeeded. `expected` is the revision that must be live. Blocks: not for async tasks.
    pub fn apply(
        &self,
        change: Change,
        expected: Option<u64>,
        store: impl FnOnce() -> Result<u64, String>,
    ) -> Result<Arc<Live>, ApplyError> {
        self.apply_with(Demand::All, change, expected, store)
    }

    /// As [`Pipeline::apply`], with what is demanded of the sources.
    pub(super) fn apply_with(
        &self,
        demand: Demand,
        change: Change,
        expected: Option<u64>,
        store: impl FnOnce() -> Result<u64, String>,
    ) -> Result<Arc<Live>, ApplyError> {
        let _alone = self.applying.lock();
        if self.stop_requested() {
            return Err(ApplyError::System("the server is stopping".to_owned()));
        }
        let before = self.running.load_full();
        let current = before.live.revision;
        if expected.is_some_and(|expected| expected != current) {
            return Err(ApplyError::Conflict { current });
        }
        let prepared = self.prepare(demand, &change.checked, &before)?;
        let stored = self.sources(&prepared, &before).map_err(|error| error.to_string());
        let stored = stored.and_then(|sources| Ok((sources, store()?)));
        let (sources, revision) = match stored {
            Ok(stored) => stored,
            Err(error) => {
                prepared.undo(&before);
                return Err(ApplyError::System(error));
            }
        };
        let live = Arc::new(Live {
            revision,
            toml: change.toml,
            document: change.document,
            checked: Arc::new(change.checked),
            // Trying again what could not be opened is no change.
            applied_at: if revision == current { before.live.applied_at } else { now() },
        });
        self.swap(live.clone(), prepared, &sources, &before)?;
        Ok(live)
    }

    /// Opens what is new, and reports every problem at once.
    fn prepare(&self, demand: Demand, checked: &Checked, before: &Running) -> Result<Prepared, ApplyError> {
        let mut prepared = Prepared::default();
        let mut problems = match demand {
            Demand::All => self.folders.forbidden(checked),
            Demand::WhatCan => {
                prepared.failed = self.forbidden_sources(checked);
                Vec::new()
            }
        };
        for (index, source) in checked.sources.iter().enumerate() {
            if let Some(settings) = Settings::new(&source.kind, &self.data) {
                let prepared_source = PreparedSource { index, id: &source.id, kind: &source.kind, settings };
                let found = prepared.prepare_source(prepared_source, before, &self.folders);
                match demand {
                    Demand::All => problems.extend(found.into_iter().map(|(_, problem)| problem)),
                    Demand::WhatCan => prepared.do_without(&source.id, &source.kind, found, before),
                }
            }
        }
        for (index, config) in checked.logspaces.iter().enumerate() {
            let opened = match before.logspaces.get(&config.id) {
                Some(open) => Ok(open.clone()),
                None => self.open(&config.id, checked),
            };
            match opened {
                Ok(logspace) => drop(prepared.logspaces.insert(config.id.clone(), logspace)),
                Err(error) => problems.push(problem(format!("logspaces[{index}]"), &error)),
            }
        }
        for (index, config) in checked.destinations.iter().enumerate() {
            let started = match before.destinations.get(&config.id) {
                Some(running) => Ok(running.clone()),
                None => Destination::start(config, &self.folders, self.counters.destination(&config.id))
                    .map(Arc::new),
            };
            match started {
                Ok(running) => drop(prepared.destinations.insert(config.id.clone(), running)),
                Err(error) => problems.push(problem(format!("destinations[{index}]"), &error.to_string())),
            }
        }
        if problems.is_empty() {
            return Ok(prepared);
        }
        prepared.undo(before);
        Err(ApplyError::Problems(problems))
    }

    /// What a document that was stored says and the settings of the process do not allow, or not any more. The paths
    /// are not read; the rest of their sources runs.
    fn forbidden_sources(&self, checked: &Checked) -> Vec<Failed> {
        let refused = |source: &logstead_config::Source| {
            let paths = self.folders.refused_paths(&source.kind).into_iter();
            let id = source.id.clone();
            paths.map(move |(_, reason)| Failed {
                source: id.clone(),
                listener: None,
                reason,
                is_final: true,
            })
        };
        checked.sources.iter().flat_map(refused).collect()
    }

    /// The sources of the new revision; those that are new have no socket yet.
    fn sources(&self, prepared: &Prepared, before: &Running) -> io::Result<BTreeMap<String, Arc<Source>>> {
        let mut sources = BTreeMap::new();
        for (id, settings) in &prepared.settings {
            let source = match before.sources.get(id) {
                Some(source) => source.clone(),
                None => {
                    let budget = Budget::new(self.settings.memory.source_queue_max.as_usize());
                    let ways = Ways {
                        counters: self.counters.source(id),
                        budget,
                        work: self.work.clone(),
                        sockets: self.sockets.clone(),
                    };
                    let shared = Shared::new(id, settings.clone(), ways, (&self.data, &self.folders));
                    Arc::new(Source::start(shared)?)
                }
            };
            sources.insert(id.clone(), source);
        }
        Ok(sources)
    }

    /// The point of no return: the new revision is live, then what it no longer has is stopped.
    fn swap(
        &self,
        live: Arc<Live>,
        prepared: Prepared,
        sources: &BTreeMap<String, Arc<Source>>,
        before: &Running,
    ) -> Result<(), ApplyError> {
        let checked = live.checked.clone();
        let router = Router::new(&checked, &self.counters);
        let mut logspaces = before.logspaces.clone();
        logspaces.extend(prepared.logspaces);
        let targets = Running::reach(&router, &logspaces, &prepared.destinations);
        let inlet = |kind: &SourceKind, open: &Option<Arc<Inlet>>| {
            let source = checked.sources.iter().find(|source| source.kind == *kind)?;
            let same = open.as_ref().filter(|inlet| *inlet.id == *source.id);
            Some(same.cloned().unwrap_or_else(|| self.inlet(&source.id)))
        };
        self.running.store(Arc::new(Running {
            http: inlet(&SourceKind::Http, &before.http),
            internal: inlet(&SourceKind::Internal, &before.internal),
            sources: sources.clone(),
            router,
            targets,
            logspaces: logspaces.clone(),
            destinations: prepared.destinations.clone(),
            failed: prepared.failed.clone(),
            live,
        }));
        report_listeners(&before.failed, &prepared.failed);
        for (id, logspace) in &logspaces {
            logspace.configure(self.configuration(id, &checked, logspaces.len()));
        }
        for config in &checked.destinations {
            prepared.destinations[&config.id].configure(config);
        }
        for (id, settings) in prepared.settings {
            sources[&id].shared().settings.store(Arc::new(settings));
            sources[&id].follow().map_err(system)?;
        }
        for (id, listener, socket) in prepared.sockets {
            sources[&id].listen(listener, socket).map_err(system)?;
        }
        stop_removed(&checked, before);
        Ok(())
    }

    fn inlet(&self, id: &str) -> Arc<Inlet> {
        Arc::new(Inlet {
            id: id.into(),
            counters: self.counters.source(id),
            budget: Budget::new(self.settings.memory.source_queue_max.as_usize()),
        })
    }

    /// Opens a logspace and starts its thread.
    fn open(&self, id: &str, checked: &Checked) -> Result<Arc<Logspace>, String> {
        let folder = self.data.join("logspaces").join(id);
        let configuration = self.configuration(id, checked, checked.logspaces.len());
        let opened = logstead_indexer::open(&self.disk, &folder, configuration.options)
            .map_err(|error| error.to_string())?;
        report(id, &folder, &opened.recovery);
        self.clock.saw(opened.keeper.received_last());
        let counters = self.counters.logspace(id);
        let shared = OfAll {
            bell: self.sealers.bell(),
            wake: self.wake.clone(),
            headroom: self.headroom.clone(),
            clock: self.clock.clone(),
        };
        let logspace = Logspace::start(id, opened, configuration, counters, shared);
        logspace.map(Arc::new).map_err(|error| error.to_string())
    }

    /// Opens the logspaces that are on disk, also those that the document no longer has, so that they can be
    /// searched.
    pub(super) fn open_existing(&self, change: &Change) -> io::Result<()> {
        let folder = self.data.join("logspaces");
        if !folder.exists() {
            return Ok(());
        }
        let mut logspaces = BTreeMap::new();
        for entry in std::fs::read_dir(folder)? {
            let Ok(id) = entry?.file_name().into_string() else { continue };
            match self.open(&id, &change.checked) {
                Ok(logspace) => drop(logspaces.insert(id, logspace)),
                Err(error) => {
                    tracing::error!(logspace = id, "can not be opened and is not searched: {error}")
                }
            }
        }
        let revision = self.running.load().live.revision;
        self.running.store(Arc::new(Running { logspaces, ..first(&self.counters, revision, change) }));
        Ok(())
    }

    /// How a logspace runs; one that the document does not have keeps what it holds.
    fn configuration(&self, id: &str, checked: &Checked, logspaces: usize) -> Configuration {
        use logstead_config::Durability as Configured;
        use logstead_indexer::Durability;
        let config = checked.logspaces.iter().find(|config| config.id == id);
        let durability = match config.map(|config| config.durability) {
            Some(Configured::Os) => Durability::Os,
            Some(Configured::Fsync) | None => Durability::Fsync,
        };
        let memory = &self.settings.memory;
        let [memory_max, index_memory_max] =
            [memory.tail_max, memory.index_max].map(|max| max.as_usize() / logspaces.max(1));
        let storage = &self.settings.storage;
        Configuration {
            options: Options {
                memory_max,
                index_memory_max,
                journal_file_max: storage.journal_file_max.bytes(),
                segment_rows_max: storage.segment_rows_max,
                durability,
            },
            retention: config.map(|config| config.retention).unwrap_or_default(),
            seal_after: storage.seal_after.duration(),
        }
    }
}

impl Prepared {
    /// Opens what a source needs; what cannot be opened comes back, with the listener that it is about, or none
    /// where it is about the whole source.
    fn prepare_source(
        &mut self,
        source: PreparedSource<'_>,
        before: &Running,
        folders: &Folders,
    ) -> Vec<(Option<Listener>, Problem)> {
        let PreparedSource { index, id, kind, settings } = source;
        let settings = match settings {
            Ok(settings) => settings,
            Err(Refused { key, message }) => {
                return vec![(None, problem(format!("sources[{index}].{key}"), &message))];
            }
        };
        let mut problems = Vec::new();
        for (at, listener) in kind.listen().iter().enumerate() {
            if before.sources.get(id).is_some_and(|source| source.has(listener)) {
                continue;
            }
            match socket(listener, udp_sockets(settings.partitions), before, folders) {
                Ok(socket) => self.sockets.push((id.to_owned(), listener.clone(), socket)),
                Err(error) => {
                    let instead = if listener.path().is_some() { "path" } else { "port" };
                    let message = format!(
                        "{listener} can not be listened on: {error}; stop what listens there, or choose another \
                         {instead}"
                    );
                    let problem = problem(format!("sources[{index}].listen[{at}]"), &message);
                    problems.push((Some(listener.clone()), problem));
                }
            }
        }
        self.settings.push((id.to_owned(), settings));
        problems
    }

    /// A source runs with what of it could be prepared; one that runs already, with the settings that it has.
    fn do_without(
        &mut self,
        id: &str,
        kind: &SourceKind,
        problems: Vec<(Option<Listener>, Problem)>,
        before: &Running,
    ) {
        for (listener, problem) in problems {
            let running = before.sources.get(id);
            if let (None, Some(running)) = (&listener, running) {
                self.settings.push((id.to_owned(), (**running.shared().settings.load()).clone()));
            }
            let is_open = |listener: &Listener| running.is_some_and(|source| source.has(listener));
            let closed: Vec<Option<Listener>> = match listener {
                Some(listener) => vec![Some(listener)],
                None if kind.listen().is_empty() => vec![None],
                None => {
                    kind.listen().iter().filter(|listener| !is_open(listener)).cloned().map(Some).collect()
                }
            };
            let reason = || problem.message.clone();
            let failed = closed.into_iter().map(|listener| Failed {
                source: id.to_owned(),
                listener,
                reason: reason(),
                is_final: false,
            });
            self.failed.extend(failed);
        }
    }

    /// Ends what was started for a revision that does not become live.
    fn undo(self, before: &Running) {
        for (id, logspace) in self.logspaces {
            if !before.logspaces.contains_key(&id) {
                logspace.stop();
                logspace.join();
            }
        }
        for (id, destination) in self.destinations {
            if !before.destinations.contains_key(&id) {
                destination.stop(Duration::ZERO);
                destination.join();
            }
        }
    }
}

/// The open socket of any source, or a new one.
fn socket(listener: &Listener, udp_sockets: usize, before: &Running, folders: &Folders) -> io::Result<Bound> {
    let taken_over = before.sources.values().find_map(|source| source.socket(listener));
    taken_over.unwrap_or_else(|| Bound::bind(listener, udp_sockets, folders))
}

/// How many sockets read one UDP address.
fn udp_sockets(partitions: Count) -> usize {
    match partitions {
        Count::Auto => crate::machine::cores().div_ceil(CORES_PER_UDP_SOCKET),
        Count::Exactly(partitions) => partitions as usize,
    }
}

/// Stops what the new revision no longer has. A destination gets time to empty its queue, in the background.
fn stop_removed(checked: &Checked, before: &Running) {
    for (id, source) in &before.sources {
        match checked.sources.iter().find(|checked| checked.id == *id && has_thread(&checked.kind)) {
            Some(checked) => source.retain(checked.kind.listen()),
            None => {
                source.stop();
                source.join();
            }
        }
    }
    for (id, destination) in &before.destinations {
        if !checked.destinations.iter().any(|config| config.id == *id) {
            destination.stop(REMOVED_WAIT_MAX);
            let destination = destination.clone();
            std::thread::spawn(move || destination.join());
        }
    }
}

fn has_thread(kind: &SourceKind) -> bool {
    matches!(kind, SourceKind::Syslog(_) | SourceKind::Relp(_) | SourceKind::File(_))
}

/// Says once what cannot be listened on, and when it can.
fn report_listeners(before: &[Failed], now: &[Failed]) {
    for failed in now.iter().filter(|failed| !before.contains(failed)) {
        let Failed { source, reason, .. } = failed;
        tracing::error!(source, "{failed} does not receive and is tried again: {reason}");
    }
    for failed in before.iter().filter(|failed| !now.iter().any(|other| other.is_about(failed))) {
        tracing::info!(source = failed.source, "{failed} is no longer in trouble");
    }
}

fn report(id: &str, folder: &Path, recovery: &Recovery) {
    let messages = recovery.messages + recovery.sealed_messages;
    let folder = folder.display();
    for told in recovery.told() {
        if told.is_damage {
            tracing::error!(logspace = id, %folder, "{}", told.text);
        } else {
            tracing::warn!(logspace = id, %folder, "{}", told.text);
        }
    }
    tracing::info!("logspace `{id}` is open and holds {messages} messages");
}

fn problem(path: String, message: &str) -> Problem {
    Problem { path, message: message.to_owned(), line: None, column: None }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn system(error: io::Error) -> ApplyError {
    ApplyError::System(error.to_string())
}
