//! Sources: each has a thread with a runtime of its own that reads its sockets, splits what it reads into
//! frames, and hands chunks of frames to the workers. Parsing happens there, so that a thread of a source does
//! nothing but read.
//!
//! ```text
//! accept ─▶ PROXY header ─▶ TLS ─▶ stream ─▶ gather ─▶ chunk
//!                              └─▶ relp (answers when the chunk is durable)
//! datagrams ──────────────────────────────────────▶ chunk
//! files (go on when the chunk is durable) ────────▶ chunk
//! ```
//!
//! Sockets are bound before a router document goes live and live on while their source's settings change.

mod accept;
pub(crate) mod coalesce;
mod connection;
mod datagrams;
mod files;
mod gather;
mod proxy;
mod ready;
mod relp;
mod settings;
mod sockets;
mod stream;
mod tls;

pub(crate) use ready::Ready;
pub(crate) use settings::{Refused, Settings};
pub(crate) use sockets::Bound;

use crate::flow::budget::Budget;
use crate::flow::chunk::{Chunk, Order};
use crate::flow::counters::SourceCounters;
use crate::flow::queue::{Partition, Work, WorkSender};
use crate::flow::receipt::{Outcome, Pending};
use crate::machine::clock;
use crate::machine::folders::Folders;
use crate::machine::sockets::Sockets;
use arc_swap::ArcSwap;
use gather::Gather;
use logstead_config::{Count, Listener};
use parking_lot::Mutex;
use ready::Reader;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// How long a stopped source may take to hand on what it has read.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);
/// How often the files of certificates are looked at.
const CERTIFICATES_INTERVAL: Duration = Duration::from_secs(2);
/// How often one source says in the log what goes wrong with its senders.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// What the reading tasks of one source share.
pub(crate) struct Shared {
    pub(crate) id: Arc<str>,
    pub(crate) settings: ArcSwap<Settings>,
    pub(crate) counters: Arc<SourceCounters>,
    pub(crate) budget: Budget,
    pub(crate) work: WorkSender,
    sockets: Arc<Sockets>,
    /// The data directory.
    data: PathBuf,
    /// Where files may be read.
    folders: Arc<Folders>,
    /// Connections so far.
    connections: AtomicUsize,
    /// One for all, or one for each worker where a connection keeps to some of them.
    gathers: Vec<Gather>,
    complained: Mutex<Option<Instant>>,
}

/// What a source shares with the rest of the process.
pub(crate) struct Ways {
    pub(crate) counters: Arc<SourceCounters>,
    pub(crate) budget: Budget,
    pub(crate) work: WorkSender,
    pub(crate) sockets: Arc<Sockets>,
}

impl Shared {
    pub(crate) fn new(
        id: &str,
        settings: Settings,
        ways: Ways,
        (data, folders): (&Path, &Arc<Folders>),
    ) -> Shared {
        let Ways { counters, budget, work, sockets } = ways;
        Shared {
            id: id.into(),
            settings: ArcSwap::from_pointee(settings),
            counters,
            budget,
            data: data.to_owned(),
            folders: folders.clone(),
            connections: AtomicUsize::new(0),
            gathers: (0..work.workers().max(1)).map(|_| Gather::default()).collect(),
            work,
            sockets,
            complained: Mutex::new(None),
        }
    }

    /// Numbers connections.
    fn next_connection(&self) -> usize {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes what a connection has read; waits while too many bytes of this source are under way.
    async fn gather(&self, connection: usize, chunk: Chunk, first_byte: Instant) {
        let number = match self.settings.load().partitions {
            Count::Auto => 0,
            Count::Exactly(_) => connection % self.gathers.len(),
        };
        self.gathers[number].add(self, number, chunk, first_byte).await;
    }

    /// Submits a chunk to the pipeline, and waits while too many bytes of this source are under way.
    async fn submit(&self, chunk: Chunk) {
        let reserved = self.budget.reserve(chunk.cost_bytes()).await;
        self.submit_reserved(chunk, Pending::silent(reserved));
    }

    /// As [`Shared::submit`]; the receiver hears when all of it is durable. What cannot be stored now is held
    /// back until it can.
    async fn submit_confirmed(&self, chunk: Chunk) -> tokio::sync::oneshot::Receiver<Outcome> {
        let reserved = self.budget.reserve(chunk.cost_bytes()).await;
        let (pending, outcome) = Pending::confirming(reserved);
        self.submit_reserved(chunk, pending);
        outcome
    }

    /// As [`Shared::submit`], but drops and counts instead of waiting.
    fn submit_or_drop(&self, chunk: Chunk) {
        match self.budget.try_reserve(chunk.cost_bytes()) {
            Some(reserved) => self.submit_reserved(chunk, Pending::silent(reserved)),
            None => self.counters.dropped.add("queue_full", chunk.frames.len()),
        }
    }

    fn submit_reserved(&self, chunk: Chunk, pending: Pending) {
        let messages = chunk.frames.len();
        self.counters.read(chunk.bytes.len(), messages);
        let settings = self.settings.load();
        let partition = partition(settings.partitions, chunk.order, self.work.workers());
        let work = Work::Chunk {
            chunk,
            source: self.id.clone(),
            syslog: settings.syslog.clone(),
            counters: self.counters.clone(),
            received: clock::now(),
            pending,
        };
        if !self.work.submit(partition, work) {
            self.counters.dropped.add("stopped", messages);
        }
    }

    /// A connection is refused: counts it, and says it in the log unless that was done just now.
    fn refuse(&self, reason: &'static str, sender: &str, message: &str) {
        self.counters.dropped.add(reason, 1);
        let text = format!("{sender}: {message}");
        let now = Instant::now();
        let mut complained = self.complained.lock();
        if complained.is_none_or(|last| COMPLAINT_INTERVAL <= now.duration_since(last)) {
            *complained = Some(now);
            tracing::warn!(source = %self.id, "a connection is refused: {text}");
        }
        *self.counters.last_error.lock() = Some(text);
    }
}

/// Who may parse a chunk: anyone, or one of the few workers that a connection's messages are spread over. With
/// one partition, a connection's messages keep their order.
fn partition(partitions: Count, order: Order, workers: usize) -> Partition {
    match partitions {
        Count::Exactly(partitions) if (partitions as usize) < workers => {
            Partition::Worker(order.connection + order.chunk % partitions as usize)
        }
        _ => Partition::Any,
    }
}

/// A running source.
pub(crate) struct Source {
    shared: Arc<Shared>,
    listeners: Mutex<HashMap<Listener, Running>>,
    /// Ends following files.
    following: Mutex<Option<watch::Sender<bool>>>,
    /// Taken when the source stops: without it, the thread ends with its tasks.
    commands: Mutex<Option<mpsc::UnboundedSender<Command>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// What the thread runs, for the sockets that it will read.
    runtime: tokio::runtime::Handle,
}

/// What the thread is to do until told to stop.
enum Command {
    /// Read a socket with these.
    Listen { readers: Vec<Reader>, stopped: watch::Receiver<bool> },
    /// Follow the files of the settings.
    Follow(watch::Receiver<bool>),
}

/// A socket that is read.
struct Running {
    url: String,
    /// To hand the socket over to another source without closing it.
    socket: Bound,
    stop: watch::Sender<bool>,
}

impl Source {
    /// Starts the thread; sockets come with [`Source::listen`], files with [`Source::follow`].
    pub(crate) fn start(shared: Shared) -> io::Result<Source> {
        let shared = Arc::new(shared);
        let (commands, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (for_thread, handle) = (shared.clone(), runtime.handle().clone());
        let thread = std::thread::Builder::new().name(format!("source {}", shared.id)).spawn(move || {
            runtime.block_on(read_all(for_thread, received));
            runtime.shutdown_timeout(STOP_WAIT_MAX);
        })?;
        let (commands, thread) = (Mutex::new(Some(commands)), Mutex::new(Some(thread)));
        let (listeners, following) = (Mutex::default(), Mutex::default());
        Ok(Source { shared, listeners, following, commands, thread, runtime: handle })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether a socket for this listener is open.
    pub(crate) fn has(&self, listener: &Listener) -> bool {
        self.listeners.lock().contains_key(listener)
    }

    /// Another handle of an open socket that can serve this listener, whatever it is used for now.
    pub(crate) fn socket(&self, listener: &Listener) -> Option<io::Result<Bound>> {
        let listeners = self.listeners.lock();
        let same = listeners.iter().find(|(open, _)| sockets::is_same(open, listener));
        same.map(|(_, running)| running.socket.try_clone())
    }

    /// Whether it does what it is told: it ends only when it is stopped, or by a bug.
    fn is_running(&self) -> bool {
        self.commands.lock().as_ref().is_some_and(|commands| !commands.is_closed())
    }

    /// Reads a socket from now on.
    pub(crate) fn listen(&self, Ready { listener, url, other_handle, readers }: Ready) {
        let (stop, stopped) = watch::channel(false);
        self.listeners.lock().insert(listener, Running { url, socket: other_handle, stop });
        self.command(Command::Listen { readers, stopped });
    }

    /// Follows the files that the settings name, or none where they name none.
    pub(crate) fn follow(&self) {
        let mut following = self.following.lock();
        let is_wanted = self.shared.settings.load().files.is_some();
        match &*following {
            None if is_wanted => {
                let (stop, stopped) = watch::channel(false);
                self.command(Command::Follow(stopped));
                *following = Some(stop);
            }
            Some(stop) if !is_wanted => {
                stop.send_replace(true);
                *following = None;
            }
            _ => {}
        }
    }

    /// A thread that ended with a panic says so when it is joined; it takes no commands.
    fn command(&self, command: Command) {
        if let Some(commands) = &*self.commands.lock() {
            commands.send(command).ok();
        }
    }

    /// Stops reading the sockets that `keep` does not name. What was received is still handed on.
    pub(crate) fn retain(&self, keep: &[Listener]) {
        self.listeners.lock().retain(|listener, running| {
            let kept = keep.contains(listener);
            if !kept {
                running.stop.send_replace(true);
            }
            kept
        });
    }

    /// The URLs of the sockets that are read.
    pub(crate) fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> =
            self.listeners.lock().values().map(|running| running.url.clone()).collect();
        urls.sort();
        urls
    }

    /// Reads the certificates again, also where their files look as before.
    pub(crate) fn reload_certificates(&self) {
        self.shared.reload_certificates();
    }

    /// Stops reading; what was read is handed on. [`Source::join`] waits for that.
    pub(crate) fn stop(&self) {
        self.retain(&[]);
        if let Some(stop) = self.following.lock().take() {
            stop.send_replace(true);
        }
        self.commands.lock().take();
    }

    /// Waits for the thread of a stopped source.
    pub(crate) fn join(&self) {
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(source = %self.shared.id, "the thread of the source ended with a panic");
        }
    }
}

impl Shared {
    fn reload_certificates(&self) {
        let Some(certificates) = self.settings.load().certificates.clone() else { return };
        match certificates.reload() {
            Ok(()) => tracing::info!(source = %self.id, "the certificates were read again"),
            Err(error) => {
                tracing::error!(source = %self.id, "the certificates stay as they were: {error}");
            }
        }
    }

    /// Reads certificates again when their files change, for as long as it is polled.
    async fn watch_certificates(&self) {
        let mut interval = tokio::time::interval(CERTIFICATES_INTERVAL);
        loop {
            interval.tick().await;
            let certificates = self.settings.load().certificates.clone();
            if certificates.is_some_and(|certificates| certificates.changed()) {
                self.reload_certificates();
            }
        }
    }

    /// Hands on what the connections have read in time, for as long as it is polled.
    async fn run_gathers(self: Arc<Shared>) {
        let mut running = JoinSet::new();
        for number in 0..self.gathers.len() {
            let shared = self.clone();
            running.spawn(async move { shared.gathers[number].run(&shared, number).await });
        }
        self.watch_certificates().await;
    }
}

async fn read_all(shared: Arc<Shared>, mut commands: mpsc::UnboundedReceiver<Command>) {
    let housekeeping = tokio::spawn(shared.clone().run_gathers());
    let mut tasks = JoinSet::new();
    while let Some(command) = commands.recv().await {
        match command {
            Command::Follow(stopped) => drop(tasks.spawn(files::serve(shared.clone(), stopped))),
            Command::Listen { readers, stopped } => {
                readers.into_iter().for_each(|reader| reader.spawn(&mut tasks, &shared, &stopped));
            }
        }
    }
    let ending = async {
        while tasks.join_next().await.is_some() {}
        for (number, gather) in shared.gathers.iter().enumerate() {
            gather.flush(&shared, number).await;
        }
    };
    if tokio::time::timeout(STOP_WAIT_MAX, ending).await.is_err() {
        let source = &shared.id;
        tracing::error!(%source, "stopped before all that was read could be stored: what was not acknowledged is lost");
    }
    housekeeping.abort();
}
