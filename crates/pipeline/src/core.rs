//! Sources, workers, logspaces and destinations of one process: their state, and how they stop.

use super::clock_watch::ClockWatch;
use super::headroom::Headroom;
use super::logspace::{Logspace, RetentionOutlook};
use super::lookups::LookupFiles;
use super::metrics::{self, MetricSources};
use super::observe::StatusFigures;
use super::running::{LiveRevision, RunningState};
use super::sealers::Sealers;
use super::status::{LogspaceInfo, Status};
use super::watch::{EndSignal, StoredSignal, Wake};
use arc_swap::ArcSwap;
use logstead_config::settings::Settings;
use logstead_config::{Retention, Size, SourceKind};
use logstead_flow::counters::Counters;
use logstead_flow::gate::{Gate, Gates};
use logstead_flow::ledger::{Accounts, Ledger};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_flow::machine::memory::ProcessMemory;
use logstead_flow::machine::sockets::SocketLimit;
use logstead_flow::queue::{Partition, WorkItem, WorkSender};
use logstead_flow::repeats::Repeats;
use logstead_flow::senders::Senders;
use logstead_forward::Destination;
use logstead_indexer::{Disk, Readers, Searcher};
use logstead_receive::RunningSource;
use logstead_syslog::format::Parser;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

/// Sources, workers, logspaces and destinations of one process.
pub struct Pipeline {
    pub(super) running: Arc<ArcSwap<RunningState>>,
    /// The counters shared by all parts.
    pub counters: Arc<Counters>,
    /// The ledger of every message.
    pub ledger: Arc<Ledger>,
    /// The registry of senders.
    pub senders: Arc<Senders>,
    /// The memory of requests and documents that may be sent twice.
    pub repeats: Arc<Repeats>,
    /// The limit on the sockets of all connections.
    pub sockets: Arc<SocketLimit>,
    pub(super) work: WorkSender,
    pub(super) workers: Mutex<Vec<JoinHandle<()>>>,
    pub(super) sealers: Sealers,
    pub(super) wake: Wake,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) headroom: Headroom,
    /// The data directory.
    pub data: PathBuf,
    /// The folders in which files may be read and written.
    pub folders: Arc<Folders>,
    pub(super) clock: Arc<ClockWatch>,
    /// The tables in which steps look up values.
    pub lookups: Arc<LookupFiles>,
    pub(super) settings: Arc<Settings>,
    /// The memory of the process: its division and its use.
    pub memory: ProcessMemory,
    /// Held while another revision becomes live.
    pub(super) applying: Mutex<()>,
    pub(super) stopping: AtomicBool,
    /// The part that a stop is waiting for.
    pub(super) stage: Mutex<&'static str>,
    /// The gates that check the tokens of senders.
    pub(super) gates: Gates,
}

impl Pipeline {
    /// Every logspace that can be searched, including those that are no longer in the live router document.
    pub fn searchers(&self) -> Vec<(String, Searcher)> {
        let running = self.running.load();
        running.logspaces.iter().map(|(id, logspace)| (id.clone(), logspace.searcher.clone())).collect()
    }

    /// A destination of the document, or a former one whose messages are still waiting.
    pub fn destination(&self, id: &str) -> Option<Arc<Destination>> {
        self.running.load().destinations.get(id).cloned()
    }

    /// The ids of all destinations.
    pub fn destination_ids(&self) -> Vec<String> {
        self.running.load().destinations.keys().cloned().collect()
    }

    /// The number of connections that all sources together may have.
    pub fn connections_max(&self) -> usize {
        let running = self.running.load();
        let of_each = running.sources.values().map(|source| source.shared.settings.load().connections_max);
        of_each.map(|max| max as usize).sum()
    }

    /// Sets the gate that checks the tokens of senders.
    pub fn admit_by(&self, gate: Arc<dyn Gate>) {
        self.gates.open(gate);
    }

    /// The parser with which a source reads frames; `None` for a source that reads something else or does not exist.
    pub fn parser_of(&self, source: &str) -> Option<Arc<Parser>> {
        let running = self.running.load();
        let kind = running
            .live
            .checked
            .sources
            .iter()
            .find(|config| config.id == source)
            .map(|config| &config.kind)?;
        if matches!(kind, SourceKind::Otlp(_)) {
            return None;
        }
        let source = running.sources.get(source)?;
        Some(source.shared.settings.load().parser.clone())
    }

    /// The signals for readers that follow stored messages, when there is more to read and when they have to end.
    pub fn watch(&self) -> (StoredSignal, EndSignal) {
        self.wake.watch()
    }

    /// Ends all requests that would run forever. Others may still finish.
    pub fn end_streams(&self) {
        self.wake.end();
    }

    /// Whether the process is about to end.
    pub fn stop_requested(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// The live revision of the router document.
    pub fn router(&self) -> Arc<LiveRevision> {
        self.running.load().live.clone()
    }

    /// Counters and states of everything that the live router document names.
    pub fn status(&self) -> Status {
        self.running.load().status(self.observed(&self.ledger.totals()))
    }

    /// The messages that a retention would remove from a logspace; `None` if there is no such logspace.
    pub fn retention_preview(&self, logspace: &str, retention: Retention) -> Option<RetentionOutlook> {
        self.running.load().logspaces.get(logspace).map(|logspace| logspace.preview(retention))
    }

    /// The readers of a logspace, which read it in order and continue after a restart; `None` if no such logspace
    /// exists.
    pub fn readers(&self, logspace: &str) -> Option<Readers> {
        self.running.load().logspaces.get(logspace).map(|logspace| logspace.readers.clone())
    }

    /// Every logspace with its content.
    pub fn logspaces(&self) -> Vec<LogspaceInfo> {
        self.running.load().logspace_infos(self.clock.hold().as_deref())
    }

    /// Reads every certificate again, even if its file looks unchanged.
    pub fn reload_certificates(&self) {
        self.running.load().sources.values().for_each(|source| source.reload_certificates());
    }

    /// Source id and URL of every socket that is read.
    pub fn listening(&self) -> Vec<(String, String)> {
        let running = self.running.load();
        let urls = |(id, source): (&String, &Arc<RunningSource>)| {
            let id = id.clone();
            source.urls().into_iter().map(move |url| (id.clone(), url)).collect::<Vec<_>>()
        };
        running.sources.iter().flat_map(urls).collect()
    }

    fn observed<'a>(&'a self, accounts: &'a Accounts) -> StatusFigures<'a> {
        StatusFigures {
            counters: &self.counters,
            accounts,
            expiry_held: self.clock.hold(),
            time: clock::now(),
            now: Instant::now(),
        }
    }

    /// All counters in Prometheus' text format.
    pub fn metrics_text(&self) -> String {
        let running = self.running.load();
        let accounts = self.ledger.totals();
        let status = running.status(self.observed(&accounts));
        metrics::text(&MetricSources {
            status: &status,
            running: &running,
            counters: &self.counters,
            sockets: &self.sockets,
            memory: &self.memory,
            accounts: &accounts,
            space: self.headroom.space().ok(),
        })
    }

    /// Whether messages can be accepted and stored; `Err` has the reasons why not.
    pub fn ready(&self) -> Result<(), Vec<String>> {
        let mut against = Vec::new();
        if self.stop_requested() {
            against.push("the server is stopping".to_owned());
        }
        let failing = |(id, logspace): (&String, &Arc<Logspace>)| {
            let error = logspace.counters.last_error.lock().clone();
            error.map(|error| format!("logspace `{id}` cannot store messages: {error}"))
        };
        let running = self.running.load();
        let stores = |(id, _): &(&String, &Arc<Logspace>)| running.stores(id);
        against.extend(running.logspaces.iter().filter(stores).filter_map(failing));
        if running.is_deaf() {
            against.extend(running.failed.iter().map(|failed| failed.reason.clone()));
        }
        match self.headroom.space() {
            Ok(space) if space.is_nearly_full() => {
                against.push(format!("the disk is nearly full: {} is free", Size::about(space.free_bytes)));
            }
            Ok(_) => {}
            Err(error) => {
                against.push(format!("the free space of the data directory cannot be determined: {error}"))
            }
        }
        if against.is_empty() { Ok(()) } else { Err(against) }
    }

    /// Why nothing is written to the disk that messages do not need, if it is nearly full.
    pub fn refuses_extras(&self) -> Option<String> {
        self.headroom.refuses_extras()
    }

    /// Removes messages by age from now on, whatever the clock did before.
    pub fn believe_clock(&self) {
        self.clock.agree();
        self.running.load().logspaces.values().for_each(|logspace| logspace.tidy_soon());
    }

    /// The parts that do not run although messages can be accepted and stored: some listeners, queues, and logspaces
    /// that are no longer in the document.
    pub fn partly_failed(&self) -> Vec<String> {
        let running = self.running.load();
        let listeners = running.failed.iter().map(|failed| failed.reason.clone());
        let unopened = running.destinations.iter().filter_map(|(id, destination)| {
            destination.unopened().map(|why| format!("destination `{id}`: {why}"))
        });
        let others = running.logspaces.iter().filter(|(id, _)| !running.stores(id));
        let unsearched = others.filter_map(|(id, logspace)| {
            let error = logspace.counters.last_error.lock().clone();
            error.map(|error| format!("logspace `{id}` cannot be searched: {error}"))
        });
        listeners.chain(unopened).chain(unsearched).collect()
    }

    /// Stops listening, stores and forwards the received messages, and ends every thread.
    pub fn stop(&self) {
        let _no_change = self.applying.lock();
        if self.stopping.swap(true, Ordering::Relaxed) {
            return;
        }
        self.end_streams();
        self.sealers.cancel();
        let running = self.running.load_full();
        // All sources are told to stop before any is waited for: a full disk may hold each of them back.
        self.stage("sources");
        running.sources.values().for_each(|source| source.stop());
        running.sources.values().for_each(|source| source.join());
        self.stage("workers");
        let mut workers = self.workers.lock();
        for number in 0..workers.len() {
            self.work.submit(Partition::Worker(number), WorkItem::Stop);
        }
        for worker in workers.drain(..) {
            if worker.join().is_err() {
                tracing::error!("a worker ended with a panic");
            }
        }
        // Logspaces get the last messages after the queues.
        self.stage("queues");
        running.logspaces.values().for_each(|logspace| logspace.hurry());
        running.destinations.values().for_each(|destination| destination.stop());
        running.destinations.values().for_each(|destination| destination.join_queue());
        self.stage("logspaces");
        running.logspaces.values().for_each(|logspace| logspace.stop());
        running.logspaces.values().for_each(|logspace| logspace.join());
        self.stage("sealers");
        self.sealers.join();
        self.stage("destinations");
        running.destinations.values().for_each(|destination| destination.join());
        self.stage("the ledger");
        self.lookups.stop();
        self.senders.stop();
        self.ledger.stop();
        self.stage("requests");
    }

    fn stage(&self, stage: &'static str) {
        *self.stage.lock() = stage;
    }

    /// The part that a stop is waiting for.
    pub fn stop_waits_for(&self) -> &'static str {
        *self.stage.lock()
    }
}
