//! The context that the reading tasks of one source share, through which they reach the workers.
//!
//! **Invariant:** a chunk is on its way only with its bytes reserved in the source's budget.

use super::coalesce::Coalesce;
use super::gather::{Gather, Outlet};
use super::settings::SourceSettings;
use arc_swap::ArcSwap;
use logstead_config::CountOrAuto;
use logstead_flow::budget::Budget;
use logstead_flow::chunk::{Chunk, ChunkOrder, MessageSender};
use logstead_flow::counters::SourceCounters;
use logstead_flow::gate::Gates;
use logstead_flow::holders::Holders;
use logstead_flow::ledger::Ledger;
use logstead_flow::listen::tls;
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_flow::machine::memory::Gauge;
use logstead_flow::machine::sockets::SocketLimit;
use logstead_flow::queue::{Partition, WorkItem, WorkSender};
use logstead_flow::receipt::{Pending, StoreOutcome};
use logstead_flow::senders::{Senders, SkippedBytes};
use logstead_record::Batch;
use logstead_syslog::framing::{SkipReason, SkippedRange};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

/// The minimum interval between log lines of one source about problems with its senders.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// The reasons for bytes that are in no message: a message is longer than the part that is kept; nothing shows that
/// they are a message; or the sender of a message went away before its end, and was not told that it was accepted.
pub(super) const TOO_LONG: &str = "too_long";
pub(super) const OUT_OF_STEP: &str = "out_of_step";
pub(super) const UNFINISHED: &str = "unfinished";

/// The maximum size of a chunk that is parsed by the thread that read it, if nothing else of its source is in flight. A
/// worker that has to be woken for it costs more than it gains; and what is larger would keep the source from reading.
const PARSED_HERE_BYTES_MAX: usize = 64 << 10;

/// The maximum time for which a chunk waits if the process is short of memory: storing never stops.
const SHORT_WAIT_MAX: Duration = Duration::from_secs(2);

/// The context that the reading tasks of one source share.
pub struct SourceContext {
    /// The source's id.
    pub id: Arc<str>,
    /// The settings in force.
    pub settings: ArcSwap<SourceSettings>,
    /// The source's counters.
    pub counters: Arc<SourceCounters>,
    /// The source's share of memory.
    pub budget: Budget,
    /// The requests that hold a part of it.
    pub(super) bodies: Holders,
    /// The queue of the workers.
    pub work: WorkSender,
    pub(super) ledger: Arc<Ledger>,
    senders: Arc<Senders>,
    pub(super) sockets: Arc<SocketLimit>,
    pub(super) gates: Gates,
    gauge: Arc<Gauge>,
    /// The data directory.
    pub(super) data: PathBuf,
    /// The folders that files may be read in.
    pub(super) folders: Arc<Folders>,
    /// The number of connections so far.
    connections: AtomicUsize,
    /// One gather for all workers, or one for each if a connection is limited to some of them.
    gathers: Vec<Gather>,
    complained: Mutex<Option<Instant>>,
}

/// The parts of the process that a source depends on.
pub struct SourceDeps {
    /// The source's counters.
    pub counters: Arc<SourceCounters>,
    /// The source's share of memory.
    pub budget: Budget,
    /// The queue of the workers.
    pub work: WorkSender,
    /// The ledger of all messages.
    pub ledger: Arc<Ledger>,
    /// The registry of senders.
    pub senders: Arc<Senders>,
    /// The process's share of sockets.
    pub sockets: Arc<SocketLimit>,
    /// The gate that checks the tokens of senders.
    pub gates: Gates,
    /// The gauge of memory.
    pub gauge: Arc<Gauge>,
}

impl SourceContext {
    /// The context of a source's connections.
    pub fn new(
        id: &str,
        settings: SourceSettings,
        deps: SourceDeps,
        data: &Path,
        folders: &Arc<Folders>,
    ) -> SourceContext {
        let SourceDeps { counters, budget, work, ledger, senders, sockets, gates, gauge } = deps;
        SourceContext {
            id: id.into(),
            settings: ArcSwap::from_pointee(settings),
            counters,
            budget,
            bodies: Holders::default(),
            data: data.to_owned(),
            folders: folders.clone(),
            connections: AtomicUsize::new(0),
            gathers: (0..work.workers().max(1)).map(|_| Gather::default()).collect(),
            work,
            ledger,
            senders,
            sockets,
            gates,
            gauge,
            complained: Mutex::new(None),
        }
    }

    /// The number of the next connection.
    pub(super) fn next_connection(&self) -> usize {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes the bytes that a connection has read; waits while too many bytes of this source are in flight.
    pub(super) async fn gather(&self, connection: usize, chunk: Chunk, first_byte: Instant) {
        let number = match self.settings.load().partitions {
            CountOrAuto::Auto => 0,
            CountOrAuto::Exactly(_) => connection % self.gathers.len(),
        };
        self.gathers[number].add(self, number, chunk, first_byte).await;
    }

    /// Waits while too many bytes of this source are in flight; and a little if the whole process is short of memory.
    async fn reserve(&self, chunk: &Chunk) -> OwnedSemaphorePermit {
        let reserved = self.budget.reserve(chunk.cost_bytes()).await;
        self.gauge.room(SHORT_WAIT_MAX).await;
        reserved
    }

    /// Submits like [`Outlet::submit`]; the receiver is told when everything is durable. Messages that cannot be
    /// stored now are held back until they can.
    pub(super) async fn submit_confirmed(
        &self,
        chunk: Chunk,
    ) -> tokio::sync::oneshot::Receiver<StoreOutcome> {
        let is_alone = self.budget.used_bytes() == 0 && chunk.bytes.len() <= PARSED_HERE_BYTES_MAX;
        let reserved = self.reserve(&chunk).await;
        let (pending, outcome) = Pending::confirming(reserved);
        // Whoever waits for an answer to a small chunk mostly sends no more before.
        self.submit_to(if is_alone { None } else { Some(self.partition(chunk.order)) }, chunk, pending);
        outcome
    }

    /// Submits like [`Outlet::submit`], but drops and counts instead of waiting.
    pub(super) fn submit_or_drop(&self, chunk: Chunk) {
        match self.budget.try_reserve(chunk.cost_bytes()) {
            Some(reserved) => self.submit_reserved(chunk, Pending::silent(reserved)),
            None => self.dropped("queue_full", chunk.frames.len()),
        }
    }

    fn submit_reserved(&self, chunk: Chunk, pending: Pending) {
        self.submit_to(Some(self.partition(chunk.order)), chunk, pending);
    }

    /// The worker that may parse a chunk.
    fn partition(&self, order: ChunkOrder) -> Partition {
        partition(self.settings.load().partitions, order, self.work.workers())
    }

    /// Submits a chunk to a worker; or has it parsed before this returns, if none is named.
    fn submit_to(&self, worker: Option<Partition>, chunk: Chunk, pending: Pending) {
        let messages = chunk.frames.len();
        self.counters.read(chunk.bytes.len(), messages);
        let settings = self.settings.load();
        let work = WorkItem::Chunk {
            chunk,
            source: self.id.clone(),
            parser: settings.parser.clone(),
            counters: self.counters.clone(),
            received: clock::now(),
            pending,
        };
        let is_taken = match worker {
            Some(partition) => self.work.submit(partition, work),
            None => self.work.work_here(work),
        };
        if !is_taken {
            self.dropped("stopped", messages);
        }
    }

    /// Submits messages that are already parsed, with the memory that was reserved for them. The receiver is told
    /// when all of them are durable, or at once if they cannot be stored now.
    pub(super) fn submit_batch(
        &self,
        batch: Batch,
        reserved: OwnedSemaphorePermit,
    ) -> tokio::sync::oneshot::Receiver<StoreOutcome> {
        let (pending, outcome) = Pending::answering(reserved);
        let (source, counters, messages) = (self.id.clone(), self.counters.clone(), batch.rows());
        let batch = Arc::new(batch);
        let work = WorkItem::Batch { batch, source, counters, logspace: None, had: Vec::new(), pending };
        if !self.work.submit(Partition::Any, work) {
            self.dropped("stopped", messages);
        }
        outcome
    }

    /// Counts messages that arrived and were dropped.
    pub(super) fn dropped(&self, reason: &'static str, messages: usize) {
        self.counters.dropped.add(reason, messages);
        self.ledger.dropped(&self.id, reason, messages);
    }

    /// Counts messages that the kernel dropped.
    pub(super) fn lost_before(&self, place: &'static str, messages: usize) {
        self.counters.dropped.add(place, messages);
        self.ledger.lost_before(&self.id, place, messages);
    }

    /// Counts the parts of a sender's bytes that no message holds.
    pub(super) fn skipped(&self, sender: &MessageSender, bytes: &[u8], parts: &[SkippedRange]) {
        for part in parts {
            let reason = match part.why {
                SkipReason::TooLong => TOO_LONG,
                SkipReason::OutOfStep => OUT_OF_STEP,
            };
            self.no_message(sender, reason, &bytes[part.start as usize..part.end as usize]);
        }
    }

    /// Bytes that do not belong to a message.
    pub(super) fn no_message(&self, sender: &MessageSender, reason: &'static str, bytes: &[u8]) {
        self.left_out(sender, reason, bytes.len(), bytes);
    }

    /// Counts bytes that no message holds. `head` are the first of them, as far as they are known.
    pub(super) fn left_out(&self, sender: &MessageSender, reason: &'static str, bytes: usize, head: &[u8]) {
        if bytes == 0 {
            return;
        }
        self.counters.skipped_bytes.add(reason, bytes);
        self.ledger.skipped(&self.id, reason, bytes);
        self.senders.skipped(&self.id, &sender.host, &SkippedBytes { reason, bytes: bytes as u64, head });
        if reason == OUT_OF_STEP {
            self.complain(
                "bytes belong to no message",
                format!("{}: {bytes} bytes could not be read as messages", sender.host),
            );
        }
    }

    /// Counts a refused connection, and logs it unless one was logged just before.
    pub(super) fn refuse(&self, reason: &'static str, sender: &str, message: &str) {
        self.counters.dropped.add(reason, 1);
        self.complain("a connection is refused", format!("{sender}: {message}"));
    }

    /// Notes a refused request. Its sender is told, so nothing of it is lost unnoticed.
    pub(super) fn refused_request(&self, sender: &str, message: &str) {
        self.complain("a request is refused", format!("{sender}: {message}"));
    }

    fn complain(&self, what: &str, text: String) {
        let now = Instant::now();
        let mut complained = self.complained.lock();
        if complained.is_none_or(|last| COMPLAINT_INTERVAL <= now.duration_since(last)) {
            *complained = Some(now);
            tracing::warn!(source = %self.id, "{what}: {text}");
        }
        *self.counters.last_error.lock() = Some(text);
    }
}

impl Outlet for SourceContext {
    fn policy(&self) -> Coalesce {
        self.settings.load().coalesce
    }

    /// Submits a chunk to the pipeline, and waits while too many bytes of this source are in flight.
    async fn submit(&self, chunk: Chunk) {
        let reserved = self.reserve(&chunk).await;
        self.submit_reserved(chunk, Pending::silent(reserved));
    }
}

/// The worker that may parse a chunk: any, or one of the few that a connection's messages are distributed to. With one
/// partition, a connection's messages keep their order.
fn partition(partitions: CountOrAuto, order: ChunkOrder, workers: usize) -> Partition {
    match partitions {
        CountOrAuto::Exactly(partitions) if (partitions as usize) < workers => {
            Partition::Worker(order.connection + order.chunk % partitions as usize)
        }
        _ => Partition::Any,
    }
}

impl SourceContext {
    /// Reads the certificates again; on failure the old ones stay.
    pub(super) fn reload_certificates(&self) {
        let Some(certificates) = self.settings.load().certificates.clone() else { return };
        match certificates.reload() {
            Ok(()) => tracing::info!(source = %self.id, "the certificates were read again"),
            Err(error) => {
                tracing::error!(source = %self.id, "the certificates stay as they were: {error}");
            }
        }
    }

    /// Reads certificates again when their files change, for as long as the future is polled.
    async fn watch_certificates(&self) {
        let mut interval = tokio::time::interval(tls::LOOK_INTERVAL);
        loop {
            interval.tick().await;
            let certificates = self.settings.load().certificates.clone();
            if certificates.is_some_and(|certificates| certificates.changed()) {
                self.reload_certificates();
            }
        }
    }

    /// Passes on all bytes that the connections have read.
    pub(super) async fn flush_gathers(&self) {
        for (number, gather) in self.gathers.iter().enumerate() {
            gather.flush(self, number).await;
        }
    }

    /// Passes on the bytes that the connections have read when they are due, for as long as the future is polled.
    pub(super) async fn run_gathers(self: Arc<SourceContext>) {
        let mut running = JoinSet::new();
        for number in 0..self.gathers.len() {
            let shared = self.clone();
            running.spawn(async move { shared.gathers[number].run(&*shared, number).await });
        }
        self.watch_certificates().await;
    }
}
