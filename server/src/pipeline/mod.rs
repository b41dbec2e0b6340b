//! From the sockets to the disk: what is live, how messages get in, and how another revision of the router
//! document becomes live.
//!
//! ```text
//! sources ── chunks ──▶ workers ── encoded ──▶ logspaces (journal, then acknowledged)
//! (a thread each)       (parse, route)  │      ▲ sealers (journal files → segments)
//!                                       └──▶ destinations (queue and thread each)
//! ```
//!
//! **Invariant:** no queue between these is bounded by itself; the receipts bound all of them together, a
//! budget for each source.

pub(crate) mod apply;
mod clock_watch;
mod headroom;
mod logspace;
mod metrics;
mod retry;
mod route;
mod running;
mod sealers;
mod status;
mod trust;
pub(crate) mod watch;
mod worker;

pub use crate::flow::counters::Counters;
pub(crate) use apply::unfit;
pub use apply::{ApplyError, Change, Prepared};
pub use route::{Delivery, Routed, Router};
pub use running::Live;
pub(crate) use sealers::count as sealer_count;
pub use status::{
    DestinationStatus, ListenerStatus, LogspaceInfo, LogspaceStatus, RetentionInfo, RouteStatus,
    SourceStatus, Status, Unsealed,
};

use crate::flow::queue::{self, Partition, Work, WorkReceiver, WorkSender};
use crate::flow::receipt::Pending;
pub use crate::flow::receipt::Taken;
use crate::machine::clock;
use crate::machine::folders::Folders;
use crate::machine::sockets::{Descriptors, Sockets};
use apply::Demand;
use arc_swap::ArcSwap;
use clock_watch::ClockWatch;
use headroom::Headroom;
use logstead_config::settings::Settings;
use logstead_config::{Count, Retention, Size};
use logstead_indexer::{Disk, Expired, Searcher};
use logstead_record::{Batch, Timestamp};
use parking_lot::Mutex;
use running::{Inlet, Running};
use sealers::Sealers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use watch::{Ending, Stored, Wake};
use worker::Worker;

/// How long destinations may empty their queues when the process stops.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);
/// How long a sender waits for room in its source's budget before it is told to come again.
const SUBMIT_WAIT_MAX: Duration = Duration::from_secs(10);

/// Sources, workers, logspaces and destinations of one process.
pub struct Pipeline {
    running: Arc<ArcSwap<Running>>,
    counters: Arc<Counters>,
    sockets: Arc<Sockets>,
    work: WorkSender,
    workers: Mutex<Vec<JoinHandle<()>>>,
    sealers: Sealers,
    wake: Wake,
    disk: Arc<dyn Disk>,
    headroom: Headroom,
    data: PathBuf,
    folders: Arc<Folders>,
    clock: Arc<ClockWatch>,
    settings: Arc<Settings>,
    /// Held while another revision becomes live.
    applying: Mutex<()>,
    stopping: AtomicBool,
}

/// Why messages that were handed in are not stored.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// There is no such logspace in the live router document.
    #[error("there is no logspace `{0}`")]
    UnknownLogspace(String),
    /// The live router document has no source for it.
    #[error("the router document has no source of kind `http`: add one to take messages over HTTP")]
    NoSource,
    /// Too many bytes of this source are under way.
    #[error("the store cannot keep up: send again later")]
    Busy,
    /// It could not be stored.
    #[error("the messages could not be stored: {0}")]
    Failed(String),
    /// The process is about to end.
    #[error("the server is stopping: send again later")]
    ShuttingDown,
}

impl Pipeline {
    /// Starts the workers and makes a stored revision live. A listener that cannot be opened is tried again, and
    /// all else runs.
    pub fn start(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        revision: u64,
        change: Change,
    ) -> Result<Arc<Pipeline>, ApplyError> {
        let pipeline = Pipeline::begin(disk, data, settings, revision, &change)?;
        pipeline.prepare_with(Demand::WhatCan, change, None)?.commit(revision);
        retry::start(&pipeline)?;
        Ok(pipeline)
    }

    /// Starts the workers and makes a first document live. `store` keeps it as a revision, once all that it names is
    /// open: what cannot run is not kept.
    pub fn start_first(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        change: Change,
        store: impl FnOnce() -> Result<u64, String>,
    ) -> Result<Arc<Pipeline>, ApplyError> {
        let pipeline = Pipeline::begin(disk, data, settings, 0, &change)?;
        match pipeline.begin_with(change, store) {
            Ok(()) => Ok(pipeline),
            Err(error) => {
                pipeline.stop();
                Err(error)
            }
        }
    }

    fn begin_with(
        &self,
        first: Change,
        store: impl FnOnce() -> Result<u64, String>,
    ) -> Result<(), ApplyError> {
        let prepared = self.prepare(first, None)?;
        let revision = store().map_err(ApplyError::System)?;
        prepared.commit(revision);
        Ok(())
    }

    /// Starts everything that needs no document, and opens what is stored.
    fn begin(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        revision: u64,
        change: &Change,
    ) -> Result<Arc<Pipeline>, ApplyError> {
        let counters = Arc::new(Counters::default());
        let workers = match settings.threads.workers {
            Count::Auto => crate::machine::cores(),
            Count::Exactly(workers) => workers as usize,
        };
        let (work, received) = queue::queues(workers);
        let running = Arc::new(ArcSwap::from_pointee(apply::first(&counters, revision, change)));
        let headroom = Headroom::new(disk.clone(), data);
        let sealers = Sealers::new(running.clone(), headroom.clone());
        let pipeline = Arc::new(Pipeline {
            running,
            counters,
            sockets: Arc::new(Sockets::new(Descriptors::of_process().sockets_max)),
            work,
            workers: Mutex::default(),
            sealers,
            wake: Wake::new(),
            disk,
            headroom,
            data: data.to_owned(),
            clock: Arc::new(ClockWatch::new(data)),
            folders: Arc::new(Folders::new(data, &settings.files)),
            settings,
            applying: Mutex::new(()),
            stopping: AtomicBool::new(false),
        });
        pipeline.start_workers(received)?;
        pipeline.open_existing(change)?;
        pipeline.clock.begin();
        let sealers = sealer_count(pipeline.settings.threads.sealers);
        pipeline.sealers.start(sealers)?;
        Ok(pipeline)
    }

    fn start_workers(&self, received: Vec<WorkReceiver>) -> std::io::Result<()> {
        for (number, work) in received.into_iter().enumerate() {
            let worker = Worker { work, running: self.running.clone(), counters: self.counters.clone() };
            let thread =
                std::thread::Builder::new().name(format!("worker {number}")).spawn(|| worker.run())?;
            self.workers.lock().push(thread);
        }
        Ok(())
    }

    /// Every logspace that can be searched, also those that the live router document no longer has.
    pub fn searchers(&self) -> Vec<(String, Searcher)> {
        let running = self.running.load();
        running.logspaces.iter().map(|(id, logspace)| (id.clone(), logspace.searcher().clone())).collect()
    }

    /// What all connections of the process share.
    pub(crate) fn sockets(&self) -> &Arc<Sockets> {
        &self.sockets
    }

    /// How many connections all sources together may have.
    pub(crate) fn connections_max(&self) -> usize {
        let running = self.running.load();
        let of_each = running.sources.values().map(|source| source.shared().settings.load().connections_max);
        of_each.map(|max| max as usize).sum()
    }

    /// Where everybody counts.
    pub(crate) fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// For those who follow what is stored.
    pub(crate) fn watch(&self) -> (Stored, Ending) {
        self.wake.watch()
    }

    /// Ends everything that would go on for ever. What was begun otherwise may still be finished.
    pub fn end_streams(&self) {
        self.wake.end();
    }

    /// Whether the process is about to end.
    pub fn stop_requested(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Takes messages that came over HTTP, and says what became of them once all that are stored are durable. They go to
    /// `logspace`, or where the routes say.
    pub async fn submit(&self, batch: Batch, logspace: Option<&str>) -> Result<Taken, SubmitError> {
        if self.stop_requested() {
            return Err(SubmitError::ShuttingDown);
        }
        let running = self.running.load_full();
        let inlet = running.http.as_ref().ok_or(SubmitError::NoSource)?;
        let in_document = |id: &str| running.live.checked.logspaces.iter().any(|logspace| logspace.id == id);
        if let Some(id) = logspace
            && !in_document(id)
        {
            return Err(SubmitError::UnknownLogspace(id.to_owned()));
        }
        let reserve = inlet.budget.reserve(batch.memory_bytes());
        let reserved = tokio::time::timeout(SUBMIT_WAIT_MAX, reserve).await.map_err(|_| SubmitError::Busy)?;
        let (pending, outcome) = Pending::answering(reserved);
        self.hand_in(inlet, batch, logspace.map(str::to_owned), pending);
        match outcome.await {
            Ok(Ok(taken)) => Ok(taken),
            Ok(Err(reason)) => Err(SubmitError::Failed(reason)),
            Err(_) => Err(SubmitError::ShuttingDown),
        }
    }

    /// Takes messages of our own log; drops them when too many are under way.
    pub(crate) fn submit_internal(&self, batch: Batch) {
        let running = self.running.load();
        let Some(inlet) = &running.internal else { return };
        match inlet.budget.try_reserve(batch.memory_bytes()) {
            Some(reserved) => self.hand_in(inlet, batch, None, Pending::silent(reserved)),
            None => inlet.counters.dropped.add("queue_full", batch.rows()),
        }
    }

    fn hand_in(&self, inlet: &Inlet, batch: Batch, logspace: Option<String>, pending: Pending) {
        let (source, counters) = (inlet.id.clone(), inlet.counters.clone());
        let work = Work::Batch { batch: Arc::new(batch), source, counters, logspace, pending };
        // When every worker has stopped, dropping it tells the sender.
        self.work.submit(Partition::Any, work);
    }

    /// The live revision of the router document.
    pub fn router(&self) -> Arc<Live> {
        self.running.load().live.clone()
    }

    /// Counters and states of everything that the live router document names.
    pub fn status(&self) -> Status {
        self.running.load().status(&self.counters, self.clock.hold(), Instant::now())
    }

    /// What a retention would remove from a logspace; `None` where there is no such logspace.
    pub fn retention_preview(&self, logspace: &str, retention: Retention) -> Option<Expired> {
        self.running.load().logspaces.get(logspace).map(|logspace| logspace.preview(retention))
    }

    /// Every logspace with what it holds.
    pub fn logspaces(&self) -> Vec<LogspaceInfo> {
        self.running.load().logspace_infos(self.clock.hold().as_deref())
    }

    /// Reads every certificate again, also where its file looks as before.
    pub fn reload_certificates(&self) {
        self.running.load().sources.values().for_each(|source| source.reload_certificates());
    }

    /// Source id and URL of every socket that is read.
    pub fn listening(&self) -> Vec<(String, String)> {
        let running = self.running.load();
        let urls = |(id, source): (&String, &Arc<crate::source::Source>)| {
            let id = id.clone();
            source.urls().into_iter().map(move |url| (id.clone(), url)).collect::<Vec<_>>()
        };
        running.sources.iter().flat_map(urls).collect()
    }

    /// All counters in Prometheus' text format.
    pub fn metrics_text(&self) -> String {
        let running = self.running.load();
        let status = running.status(&self.counters, self.clock.hold(), Instant::now());
        metrics::text(&status, &running, &self.counters, &self.sockets, &self.settings.memory)
    }

    /// Whether messages can be taken and stored; `Err` says what stands against it.
    pub fn ready(&self) -> Result<(), Vec<String>> {
        let mut against = Vec::new();
        if self.stop_requested() {
            against.push("the server is stopping".to_owned());
        }
        let failing = |(id, logspace): (&String, &Arc<logspace::Logspace>)| {
            let error = logspace.counters().last_error.lock().clone();
            error.map(|error| format!("logspace `{id}` cannot store messages: {error}"))
        };
        let running = self.running.load();
        against.extend(running.logspaces.iter().filter_map(failing));
        if running.is_deaf() {
            against.extend(running.failed.iter().map(|failed| failed.reason.clone()));
        }
        match self.headroom.space() {
            Ok(space) if space.is_nearly_full() => {
                against.push(format!("the disk is nearly full: {} is free", Size::about(space.free_bytes)));
            }
            Ok(_) => {}
            Err(error) => against.push(format!("the data directory cannot be read: {error}")),
        }
        if against.is_empty() { Ok(()) } else { Err(against) }
    }

    /// Removes messages by age from now on, whatever the clock did before.
    pub(crate) fn believe_clock(&self) {
        self.clock.agree();
        self.running.load().logspaces.values().for_each(|logspace| logspace.tidy_soon());
    }

    /// The data directory.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// Listeners that do not receive though others do, and why.
    pub fn partly_deaf(&self) -> Vec<String> {
        self.running.load().failed.iter().map(|failed| failed.reason.clone()).collect()
    }

    /// Stops listening, stores and forwards what was received, and ends every thread.
    pub fn stop(&self) {
        let _no_change = self.applying.lock();
        if self.stopping.swap(true, Ordering::Relaxed) {
            return;
        }
        self.end_streams();
        self.sealers.cancel();
        let running = self.running.load_full();
        // All are told before any is waited for: a full disk may hold each of them back.
        running.sources.values().for_each(|source| source.stop());
        running.sources.values().for_each(|source| source.join());
        let mut workers = self.workers.lock();
        for number in 0..workers.len() {
            self.work.submit(Partition::Worker(number), Work::Stop);
        }
        for worker in workers.drain(..) {
            if worker.join().is_err() {
                tracing::error!("a worker ended with a panic");
            }
        }
        running.destinations.values().for_each(|destination| destination.stop(STOP_WAIT_MAX));
        running.logspaces.values().for_each(|logspace| logspace.stop());
        running.logspaces.values().for_each(|logspace| logspace.join());
        self.sealers.join();
        running.destinations.values().for_each(|destination| destination.join());
    }
}

/// Now, for a change that becomes live.
fn now() -> Timestamp {
    clock::now()
}
