//! The thread of one logspace: it appends what the workers encoded, syncs once for all that wait (group commit), and
//! only then drops the receipts, which acknowledges the messages.
//!
//! It tells the [sealers](super::sealers) about journal files that become full.
//!
//! **Invariant:** a message is acknowledged after its append returned, and is searchable from that moment.

use super::bell::Bell;
use super::clock_watch::ClockWatch;
use super::headroom::Headroom;
use super::watch::Wake;
use crate::flow::counters::LogspaceCounters;
use crate::flow::receipt::Pending;
use crate::machine::clock;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use logstead_config::Retention;
use logstead_indexer::{
    Appender, DiskError, Encoded, Expired, Expiry, Keeper, Opened, Options, Searcher, Stats,
};
use logstead_record::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum encoded size of one commit: small compared with a journal file, as a commit never spans two.
const COMMIT_BYTES_MAX: u64 = 16 << 20;
/// How long a failed append waits before it is tried again.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// How often old messages and old journal files are looked for, unless files grow old sooner.
const TIDY_INTERVAL_MAX: Duration = Duration::from_secs(60);
/// How long a stop waits for a disk that refuses writes.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);

/// Messages on their way into a logspace.
pub(crate) struct Append {
    pub(crate) encoded: Encoded,
    pub(crate) pending: Pending,
}

enum Command {
    Append(Append),
    Configure(Configuration),
    Tidy,
    Stop,
}

/// What all logspaces share.
pub(crate) struct Shared {
    pub(crate) bell: Bell,
    pub(crate) wake: Wake,
    pub(crate) headroom: Headroom,
    pub(crate) clock: Arc<ClockWatch>,
}

/// What can change while a logspace is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) options: Options,
    pub(crate) retention: Retention,
    /// How old a journal file may become before it is closed, so that it can be sealed.
    pub(crate) seal_after: Duration,
}

/// A logspace that is open: where to send messages, and where to search.
pub(crate) struct Logspace {
    pub(crate) id: String,
    commands: Sender<Command>,
    searcher: Searcher,
    keeper: Keeper,
    counters: Arc<LogspaceCounters>,
    stopping: Arc<AtomicBool>,
    thread: parking_lot::Mutex<Option<JoinHandle<()>>>,
}

impl Logspace {
    /// Starts the thread of an opened store.
    pub(crate) fn start(
        id: &str,
        opened: Opened,
        configuration: Configuration,
        counters: Arc<LogspaceCounters>,
        Shared { bell, wake, headroom, clock }: Shared,
    ) -> std::io::Result<Logspace> {
        let Opened { appender, searcher, keeper, .. } = opened;
        let (commands, received) = unbounded();
        let stopping = Arc::new(AtomicBool::new(false));
        let writer = Writer {
            id: id.to_owned(),
            appender,
            keeper: keeper.clone(),
            configuration,
            closed_files: keeper.backlog().files,
            bell,
            wake,
            headroom,
            tidy_at: Instant::now(),
            clock,
            received,
            counters: counters.clone(),
            stopping: stopping.clone(),
        };
        let thread = std::thread::Builder::new().name(format!("logspace {id}")).spawn(|| writer.run())?;
        let thread = parking_lot::Mutex::new(Some(thread));
        Ok(Logspace { id: id.to_owned(), commands, searcher, keeper, counters, stopping, thread })
    }

    /// Hands messages over. Never blocks: what is in flight is bounded by the budgets of the sources.
    pub(crate) fn append(&self, append: Append) {
        if let Err(refused) = self.commands.send(Command::Append(append))
            && let Command::Append(append) = refused.into_inner()
        {
            append.pending.fail("the logspace is closed");
        }
    }

    /// Changes what can change while it is open.
    pub(crate) fn configure(&self, configuration: Configuration) {
        // If the thread has ended, there is nothing to configure.
        self.commands.send(Command::Configure(configuration)).ok();
    }

    /// Checks at once for messages to remove.
    pub(crate) fn tidy_soon(&self) {
        // If the thread has ended, there is nothing to remove.
        self.commands.send(Command::Tidy).ok();
    }

    /// For queries.
    pub(crate) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// For the threads that seal.
    pub(crate) fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// What a retention would remove.
    pub(crate) fn preview(&self, retention: Retention) -> Expired {
        self.keeper.preview(&expiry(retention))
    }

    pub(crate) fn counters(&self) -> &LogspaceCounters {
        &self.counters
    }

    pub(crate) fn stats(&self) -> Stats {
        self.searcher.stats()
    }

    /// Writes what was handed over, and then nothing more. [`Logspace::join`] waits for that.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        // If the thread has ended, it has stopped.
        self.commands.send(Command::Stop).ok();
    }

    /// Waits for the thread of a stopped logspace.
    pub(crate) fn join(&self) {
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(logspace = self.id, "the thread of the logspace ended with a panic");
        }
    }
}

struct Writer {
    id: String,
    appender: Appender,
    keeper: Keeper,
    configuration: Configuration,
    /// Files that waited to be sealed at the last look.
    closed_files: usize,
    bell: Bell,
    wake: Wake,
    headroom: Headroom,
    /// When old messages are looked for next.
    tidy_at: Instant,
    clock: Arc<ClockWatch>,
    received: Receiver<Command>,
    counters: Arc<LogspaceCounters>,
    stopping: Arc<AtomicBool>,
}

impl Writer {
    fn run(mut self) {
        self.write();
        if let Err(error) = self.appender.close() {
            tracing::warn!(logspace = self.id, "the end of the messages could not be noted: {error}");
        }
    }

    fn write(&mut self) {
        loop {
            self.tidy_when_due();
            match self.received.recv_deadline(self.tidy_at) {
                Ok(Command::Configure(configuration)) => self.configure(configuration),
                Ok(Command::Tidy) => self.tidy_at = Instant::now(),
                Ok(Command::Append(append)) => {
                    if self.commit_with_all_that_wait(append) {
                        return;
                    }
                }
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn configure(&mut self, configuration: Configuration) {
        self.appender.set_options(configuration.options);
        self.configuration = configuration;
        self.tidy_at = Instant::now();
    }

    fn tidy_when_due(&mut self) {
        if self.tidy_at <= Instant::now() {
            self.tidy();
            self.tidy_at = Instant::now() + TIDY_INTERVAL_MAX.min(self.configuration.seal_after);
        }
    }

    /// Closes the journal file when it is old, and removes what exceeds the retention.
    fn tidy(&mut self) {
        if let Err(error) = self.appender.close_old(before(self.configuration.seal_after)) {
            tracing::error!(logspace = self.id, "the journal cannot go on in another file: {error}");
        }
        let retention = self.configuration.retention;
        let believed = self.clock.is_believed();
        let expiry = expiry(Retention { age: retention.age.filter(|_| believed), ..retention });
        if expiry != Expiry::default() {
            self.expire(&expiry);
        }
        self.ring_for_closed_files();
    }

    fn expire(&mut self, expiry: &Expiry) {
        let mut expired = self.appender.expire(expiry);
        // Freeing space takes a few kilobytes.
        while matches!(expired, Err(DiskError::Full { .. })) && self.headroom.give() {
            expired = self.appender.expire(expiry);
        }
        match expired {
            Ok(expired) if 0 < expired.messages => tracing::info!(
                logspace = self.id,
                messages = expired.messages,
                bytes = expired.bytes,
                "messages beyond the retention are gone"
            ),
            Ok(_) => {}
            Err(error) => tracing::error!(logspace = self.id, "old messages cannot be removed: {error}"),
        }
    }

    fn ring_for_closed_files(&mut self) {
        let closed_files = self.keeper.backlog().files;
        if self.closed_files < closed_files {
            self.bell.ring();
        }
        self.closed_files = closed_files;
    }

    /// Commits `first` and what waits behind it; says whether to stop.
    ///
    /// The workers finish in any order. What waits here is sorted by time of receipt, so a connection that several
    /// workers parse mostly keeps its order, at no cost.
    fn commit_with_all_that_wait(&mut self, first: Append) -> bool {
        let mut bytes = first.encoded.journal_bytes();
        let mut appends = vec![first];
        let mut stop = false;
        while bytes < COMMIT_BYTES_MAX
            && let Ok(command) = self.received.try_recv()
        {
            match command {
                Command::Append(append) => {
                    bytes += append.encoded.journal_bytes();
                    appends.push(append);
                }
                Command::Configure(configuration) => self.configure(configuration),
                // It is done every minute anyway.
                Command::Tidy => {}
                Command::Stop => {
                    stop = true;
                    break;
                }
            }
        }
        appends.sort_by_key(|append| append.pending.receipt().since());
        let (encoded, pending) = appends.into_iter().map(|append| (append.encoded, append.pending)).unzip();
        stop | self.commit(encoded, pending)
    }

    /// Appends until it succeeds or the process stops; says whether to stop. Senders that wait for an answer get the
    /// failure at once and may send again; all others are slowed down by what is held here.
    fn commit(&mut self, mut encoded: Vec<Encoded>, mut pending: Vec<Pending>) -> bool {
        let mut stop = false;
        let mut stop_since = None;
        while !encoded.is_empty() {
            let error = match self.append(&encoded) {
                Ok(()) => {
                    self.succeeded(&encoded);
                    pending.into_iter().for_each(Pending::done);
                    self.ring_for_closed_files();
                    return stop;
                }
                Err(error) => error,
            };
            self.failed(&error);
            (encoded, pending) = refuse_impatient(encoded, pending, &error);
            if self.stopping.load(Ordering::Relaxed) {
                let since = *stop_since.get_or_insert_with(Instant::now);
                if STOP_WAIT_MAX < since.elapsed() {
                    self.give_up(&encoded, &error);
                    return true;
                }
            }
            stop |= self.wait_for_space(&mut encoded, &mut pending, &error);
            // Removing old messages may make room.
            self.tidy_when_due();
        }
        stop
    }

    /// Leaves the last of the disk to others, except for messages that would be lost when the process ends.
    fn append(&mut self, encoded: &[Encoded]) -> Result<(), String> {
        let refusal = self.headroom.refuses_messages().filter(|_| !self.stopping.load(Ordering::Relaxed));
        match refusal {
            Some(reason) => Err(reason),
            None => self.appender.append(encoded).map(drop).map_err(|error| error.to_string()),
        }
    }

    /// Waits before the next attempt; says whether to stop. What arrives in the meantime is refused or waits too.
    fn wait_for_space(
        &mut self,
        encoded: &mut Vec<Encoded>,
        pending: &mut Vec<Pending>,
        error: &str,
    ) -> bool {
        let until = Instant::now() + RETRY_WAIT;
        loop {
            match self.received.recv_deadline(until) {
                Ok(Command::Append(append)) if append.pending.receipt().is_impatient() => {
                    append.pending.fail(error);
                }
                Ok(Command::Append(append)) => {
                    encoded.push(append.encoded);
                    pending.push(append.pending);
                }
                Ok(Command::Configure(configuration)) => self.configure(configuration),
                Ok(Command::Tidy) => {}
                Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    fn succeeded(&self, encoded: &[Encoded]) {
        self.counters.messages.add(encoded.iter().map(Encoded::rows).sum());
        self.counters.batches.add(encoded.len());
        self.counters.commits.add(1);
        self.wake.stored();
        if self.counters.last_error.lock().take().is_some() {
            tracing::info!(logspace = self.id, "the logspace stores messages again");
        }
    }

    fn failed(&self, error: &str) {
        let before = self.counters.last_error.lock().replace(error.to_owned());
        if before.as_deref() != Some(error) {
            tracing::error!(logspace = self.id, "messages cannot be stored, senders are held back: {error}");
        }
    }

    fn give_up(&self, encoded: &[Encoded], error: &str) {
        let messages = encoded.iter().map(Encoded::rows).sum();
        self.counters.dropped.add("stopped", messages);
        tracing::error!(logspace = self.id, messages, "stopped before these could be stored: {error}");
    }
}

/// What may be removed now.
fn expiry(retention: Retention) -> Expiry {
    Expiry {
        received_before: retention.age.map(|age| before(age.duration())),
        bytes_max: retention.size.map(|size| size.bytes()),
        ..Expiry::default()
    }
}

/// The time this long ago.
fn before(duration: Duration) -> Timestamp {
    let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    clock::now().saturating_add(-nanos)
}

/// Informs the senders that want to learn of a failure at once, and keeps the rest.
fn refuse_impatient(
    encoded: Vec<Encoded>,
    pending: Vec<Pending>,
    error: &str,
) -> (Vec<Encoded>, Vec<Pending>) {
    let (refused, kept): (Vec<_>, Vec<_>) =
        encoded.into_iter().zip(pending).partition(|(_, pending)| pending.receipt().is_impatient());
    refused.into_iter().for_each(|(_, pending)| pending.fail(error));
    kept.into_iter().unzip()
}
