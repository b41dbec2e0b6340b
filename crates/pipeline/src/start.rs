//! Starts a pipeline, with the stored revision or with a first document.

use super::apply::{self, ApplyError, RevisionChange, SourceDemand};
use super::clock_watch::ClockWatch;
use super::core::Pipeline;
use super::headroom::Headroom;
use super::lookups::LookupFiles;
use super::sealers::Sealers;
use super::watch::Wake;
use super::worker::{WorkContext, Worker, WorkerHere};
use arc_swap::ArcSwap;
use logstead_config::settings::Settings;
use logstead_flow::counters::Counters;
use logstead_flow::gate::Gates;
use logstead_flow::ledger::Ledger;
use logstead_flow::machine::folders::Folders;
use logstead_flow::machine::memory::ProcessMemory;
use logstead_flow::machine::sockets::{Descriptors, SocketLimit};
use logstead_flow::queue::{self, WorkReceiver};
use logstead_flow::repeats::Repeats;
use logstead_flow::senders::Senders;
use logstead_forward::pause_all;
use logstead_indexer::Disk;
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The pauses between attempts to open the parts that failed at the start double from the first to the last.
const RETRY_WAIT_FIRST: Duration = Duration::from_millis(500);
const RETRY_WAIT_MAX: Duration = Duration::from_secs(30);

/// Pauses every destination to which a start would send; each stays paused until it is resumed.
pub fn pause_destinations(disk: &dyn Disk, data: &Path, change: &RevisionChange) -> io::Result<()> {
    let named: Vec<&str> = change.checked.destinations.iter().map(|config| config.id.as_str()).collect();
    pause_all(disk, data, &named)
}

impl Pipeline {
    /// Starts the workers and makes a stored revision live. A listener that cannot be opened is retried, while
    /// everything else runs.
    pub fn start(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        revision: u64,
        change: RevisionChange,
    ) -> Result<Arc<Pipeline>, ApplyError> {
        let pipeline = Pipeline::begin(disk, data, settings, revision, &change)?;
        pipeline.prepare_with(SourceDemand::WhatCan, change, None)?.commit(revision);
        if pipeline.lacks_something() {
            let pipeline = Arc::downgrade(&pipeline);
            start_retrying(move || {
                let pipeline = pipeline.upgrade().filter(|pipeline| !pipeline.stop_requested());
                pipeline.is_some_and(|pipeline| pipeline.try_again())
            })?;
        }
        Ok(pipeline)
    }

    /// Starts the workers and makes a first document live. `store` saves it as a revision once everything that it
    /// names is open: a document that cannot run is not saved.
    pub fn start_first(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        change: RevisionChange,
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
        first: RevisionChange,
        store: impl FnOnce() -> Result<u64, String>,
    ) -> Result<(), ApplyError> {
        let prepared = self.prepare(first, None)?;
        let revision = store().map_err(ApplyError::System)?;
        prepared.commit(revision);
        Ok(())
    }

    /// Starts everything that does not depend on a document, and opens the stored messages.
    fn begin(
        disk: Arc<dyn Disk>,
        data: &Path,
        settings: Arc<Settings>,
        revision: u64,
        change: &RevisionChange,
    ) -> Result<Arc<Pipeline>, ApplyError> {
        let counters = Arc::new(Counters::default());
        let memory = ProcessMemory::divide(&settings)?;
        let (work, received) = queue::queues(memory.shares.workers);
        let running = Arc::new(ArcSwap::from_pointee(apply::first(revision, change)));
        let headroom = Headroom::new(disk.clone(), data);
        let ledger = Ledger::open(&disk, &data.join("ledger")).map_err(io::Error::other)?;
        let repeats = Arc::new(Repeats::open(&disk, &data.join("repeats"))?);
        let silent_after = settings.senders.silent_after.duration();
        let senders = Arc::new(Senders::open(disk.clone(), data, silent_after));
        let sealers = Sealers::new(
            running.clone(),
            headroom.clone(),
            ledger.clone(),
            repeats.clone(),
            memory.gauge.clone(),
        );
        let pipeline = Arc::new(Pipeline {
            running,
            counters,
            ledger,
            senders,
            repeats,
            sockets: Arc::new(SocketLimit::new(Descriptors::of_process().sockets_max)),
            work,
            workers: Mutex::default(),
            sealers,
            wake: Wake::new(),
            disk,
            headroom,
            data: data.to_owned(),
            clock: Arc::new(ClockWatch::new(data)),
            lookups: Arc::new(LookupFiles::new(data)),
            folders: Arc::new(Folders::new(data, &settings.files)),
            settings,
            memory,
            applying: Mutex::new(()),
            stopping: AtomicBool::new(false),
            stage: Mutex::new("requests"),
            gates: Gates::default(),
        });
        pipeline.start_workers(received)?;
        pipeline.open_existing(change)?;
        pipeline.open_existing_queues(change)?;
        let searchers = pipeline.searchers();
        pipeline.repeats.resolve(searchers.iter().map(|(id, searcher)| (id.as_str(), searcher)));
        pipeline.ledger.start()?;
        pipeline.senders.start()?;
        pipeline.lookups.start()?;
        pipeline.clock.begin();
        pipeline.sealers.start(pipeline.memory.shares.sealers)?;
        Ok(pipeline)
    }

    fn start_workers(&self, received: Vec<WorkReceiver>) -> io::Result<()> {
        let context = Arc::new(WorkContext {
            running: self.running.clone(),
            counters: self.counters.clone(),
            ledger: self.ledger.clone(),
            senders: self.senders.clone(),
            gaps: Mutex::default(),
        });
        self.work.set_here(Box::new(WorkerHere::new(&context)));
        for (number, work) in received.into_iter().enumerate() {
            let worker = Worker { work, context: context.clone() };
            let thread =
                std::thread::Builder::new().name(format!("worker {number}")).spawn(|| worker.run())?;
            self.workers.lock().push(thread);
        }
        Ok(())
    }

    /// Whether a part could not be opened that may be opened later.
    fn lacks_something(&self) -> bool {
        self.running.load().failed.iter().any(|failed| !failed.is_final)
    }

    /// Applies the live document again, which leaves running parts alone and opens the others. Returns whether parts
    /// are left to be opened.
    fn try_again(&self) -> bool {
        if !self.lacks_something() {
            return false;
        }
        let running = self.running.load_full();
        let live = &running.live;
        let change = RevisionChange {
            toml: live.toml.clone(),
            document: live.document.clone(),
            checked: (*live.checked).clone(),
        };
        let revision = live.revision;
        match self.prepare_with(SourceDemand::WhatCan, change, Some(revision)) {
            Ok(prepared) => {
                prepared.commit(revision);
                self.lacks_something()
            }
            Err(error) => {
                tracing::debug!("listeners could not be tried again: {error}");
                true
            }
        }
    }
}

/// Starts a thread that calls `try_again` until it reports that nothing is left to be opened.
fn start_retrying(try_again: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("listeners".to_owned()).spawn(move || retry(try_again)).map(drop)
}

fn retry(mut try_again: impl FnMut() -> bool) {
    let mut wait = RETRY_WAIT_FIRST;
    loop {
        // The thread holds nothing during this sleep, so a stop does not wait for it.
        std::thread::sleep(wait);
        wait = (wait * 2).min(RETRY_WAIT_MAX);
        if !try_again() {
            return;
        }
    }
}
