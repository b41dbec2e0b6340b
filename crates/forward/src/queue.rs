//! The queue of a destination: a journal in the folder `queues/ID`, and the thread that writes it.
//!
//! If the queue is full, messages of a route with flow control wait, which holds their sources back; others are
//! dropped and counted.

use super::control::Control;
use super::pace::QueuePace;
use super::queue_deps::QueueDeps;
use logstead_config::{Queue as Config, QueueDurability as Configured, Size};
use logstead_flow::counters::DestinationCounters;
use logstead_flow::ledger::JournalId;
use logstead_flow::machine::clock;
use logstead_flow::reopening::Reopening;
use logstead_flow::writer::{Append, JournalHooks, Writer};
use logstead_indexer::{
    Appender, Durability, Expiry, OpenQueue, OpenQueueError, Options, QueueReader, Recovery, Searcher, Stats,
    check_cursor, closed_queue, open_queue,
};
use logstead_work::Alone;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The interval at which expired messages are looked for.
const TIDY_INTERVAL: Duration = Duration::from_secs(10);
/// The interval at which it is checked whether the destination keeps up, if that matters.
const PACE_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum number of files in a full queue, so that removing a file frees space in time.
const FILES_MIN: u64 = 8;
/// Minimum length of a file, below which removing it is not worthwhile.
const FILE_BYTES_MIN: u64 = 256 << 10;

pub(super) struct Queue {
    writer: Writer<Config>,
    pub(super) searcher: Searcher,
    pub(super) fill: Arc<QueueFill>,
    /// Why the queue is not open, if that is so.
    unopened: Arc<Mutex<Option<String>>>,
}

/// The fill level of a queue.
pub(super) struct QueueFill {
    searcher: Searcher,
    /// Messages with a lower sequence are done.
    pub(super) done: AtomicU64,
    bytes_max: AtomicU64,
}

/// The amount that is waiting, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    /// Queued messages.
    pub messages: u64,
    /// Queued bytes.
    pub bytes: u64,
    /// The queue's limit in bytes.
    pub bytes_max: u64,
    /// The age of the oldest queued message.
    pub oldest: Option<Duration>,
}

/// An open queue and the parts that its reader needs.
pub(super) struct QueueParts {
    pub(super) queue: Queue,
    pub(super) reader: QueueReader,
    pub(super) fill: Arc<QueueFill>,
}

/// Why a queue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The queue cannot be opened.
    #[error("its queue cannot be opened: {0}")]
    Open(#[from] OpenQueueError),
    /// The thread cannot be started.
    #[error("its thread cannot be started: {0}")]
    Thread(#[from] std::io::Error),
}

impl Queue {
    /// Opens the queue of a destination, and starts the thread that writes it.
    pub(super) fn open(
        id: &str,
        config: &Config,
        deps: &QueueDeps,
        control: &Arc<Control>,
        counters: &Arc<DestinationCounters>,
        has_to_open: bool,
    ) -> Result<QueueParts, QueueError> {
        let folder = deps.queues().join(id);
        let reached = deps.ledger.stored_until(&JournalId::Destination(id.into()));
        let unopened = Arc::<Mutex<Option<String>>>::default();
        let opened = match open_queue(&deps.disk, &folder, options(config, deps), reached) {
            Ok(opened) => {
                report(id, &opened.recovery);
                report_cursor(id, &opened);
                deps.ledger.opened_queue(id, &opened.searcher, opened.reader.done());
                opened
            }
            Err(error) if has_to_open => return Err(error.into()),
            Err(error) => {
                let why = format!("its queue cannot be opened: {error}");
                tracing::error!(destination = id, "{why}");
                *counters.queue_error.lock() = Some(why.clone());
                *unopened.lock() = Some(why);
                closed_queue(&deps.disk, &folder, options(config, deps), reached)
            }
        };
        let OpenQueue { appender, reader, searcher, .. } = opened;
        let fill = Arc::new(QueueFill {
            searcher: searcher.clone(),
            done: reader.done().into(),
            bytes_max: config.size.bytes().into(),
        });
        let queueing = QueueHooks {
            id: id.into(),
            config: *config,
            deps: deps.clone(),
            fill: fill.clone(),
            pace: QueuePace::new(searcher.next_sequence()),
            is_spilled: false,
            control: control.clone(),
            counters: counters.clone(),
            folder,
            reopening: Reopening::first(),
            unopened: unopened.clone(),
        };
        let (ledger, journal) = (deps.ledger.clone(), JournalId::Destination(id.into()));
        let writer = Writer::start(format!("queue {id}"), appender, queueing, ledger, journal)?;
        Ok(QueueParts { queue: Queue { writer, searcher, fill: fill.clone(), unopened }, reader, fill })
    }

    pub(super) fn append(&self, append: Append) {
        self.writer.append(append);
    }

    pub(super) fn configure(&self, config: &Config) {
        self.fill.bytes_max.store(config.size.bytes(), Ordering::Relaxed);
        self.writer.configure(*config);
    }

    /// Why the queue cannot be opened, if that is so.
    pub(super) fn unopened(&self) -> Option<String> {
        self.unopened.lock().clone()
    }

    pub(super) fn stop(&self) {
        self.writer.stop();
    }

    pub(super) fn join(&self, id: &str) {
        if !self.writer.join() {
            tracing::error!(destination = id, "the thread of the queue ended with a panic");
        }
    }
}

impl QueueFill {
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }

    /// The sequence of the next message.
    pub(super) fn end(&self) -> u64 {
        self.searcher.next_sequence()
    }

    pub(super) fn messages(&self) -> u64 {
        self.end().saturating_sub(self.done())
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes(&self.searcher.stats(), self.done())
    }

    pub(super) fn bytes_max(&self) -> u64 {
        self.bytes_max.load(Ordering::Relaxed)
    }
}

/// The reason why nothing more fits for now, if there is one.
pub(super) fn refusal(id: &str, fill: &QueueFill, deps: &QueueDeps) -> Option<String> {
    let (bytes, bytes_max) = (fill.bytes(), fill.bytes_max());
    if bytes_max <= bytes {
        let size = Size::about(bytes_max);
        return Some(format!("the queue of destination `{id}` is full: {size} wait in it"));
    }
    (deps.refuses_messages)()
}

/// Only whole files are removed: if one is partly done, all of it counts.
fn bytes(stats: &Stats, done: u64) -> u64 {
    let waiting = stats.next_sequence.saturating_sub(done.max(stats.first_sequence));
    let held = stats.next_sequence.saturating_sub(stats.first_sequence);
    if held == 0 {
        0
    } else {
        (u128::from(stats.journal_bytes) * u128::from(waiting) / u128::from(held)) as u64
    }
}

fn options(config: &Config, deps: &QueueDeps) -> Options {
    let file = (config.size.bytes() / FILES_MIN).clamp(FILE_BYTES_MIN, deps.journal_file_max);
    Options {
        memory_max: config.memory.as_usize().min(deps.memory_max),
        index_memory_max: 0,
        // The queue is never searched.
        journal_rows_max: u32::MAX,
        journal_file_max: file,
        durability: match config.durability {
            Configured::Fsync => Durability::Fsync,
            // With `delay`, this applies until messages have to wait.
            Configured::Delay | Configured::Os => Durability::Os,
        },
        ..Options::default()
    }
}

fn report(id: &str, recovery: &Recovery) {
    for told in recovery.notes() {
        if told.is_damage {
            tracing::error!(destination = id, "its queue: {}", told.text);
        } else {
            tracing::warn!(destination = id, "its queue: {}", told.text);
        }
    }
}

fn report_cursor(id: &str, opened: &OpenQueue) {
    if let Some(error) = &opened.cursor {
        let kept = opened.cursor_kept.iter().map(|name| format!(" (it is kept as {name})"));
        let kept: String = kept.collect();
        tracing::error!(
            destination = id,
            "messages of its queue may be sent again, as its cursor was lost: {error}{kept}"
        );
    }
}

/// The hooks of a queue's thread: everything it does besides appending.
struct QueueHooks {
    id: Arc<str>,
    config: Config,
    deps: QueueDeps,
    fill: Arc<QueueFill>,
    pace: QueuePace,
    /// Whether all waiting messages are on disk, and new ones are written to it as they come.
    is_spilled: bool,
    control: Arc<Control>,
    counters: Arc<DestinationCounters>,
    folder: PathBuf,
    reopening: Reopening,
    unopened: Arc<Mutex<Option<String>>>,
}

impl QueueHooks {
    /// Tries again to open a queue that could not be opened.
    fn open_again(&self, appender: &mut Appender) -> Result<(), String> {
        let failed = |error: OpenQueueError| format!("its queue cannot be opened: {error}");
        check_cursor(&*self.deps.disk, &self.folder).map_err(failed)?;
        // From now on, messages are counted before they are sent.
        let recovery = appender.open(&Alone).map_err(|error| failed(error.into()))?;
        report(&self.id, &recovery.unwrap_or_default());
        self.deps.ledger.opened_queue(&self.id, &self.fill.searcher, self.fill.done());
        *self.unopened.lock() = None;
        *self.counters.queue_error.lock() = None;
        tracing::info!(destination = &*self.id, "its queue, which could not be opened before, is open");
        self.control.stored();
        Ok(())
    }

    /// With `delay`, writes messages to disk from the moment they have to wait.
    fn keep_pace(&mut self, appender: &mut Appender) {
        let delays = self.pace.delays(self.fill.done(), self.fill.end());
        if delays == self.is_spilled {
            return;
        }
        let durability = if delays { Durability::Fsync } else { Durability::Os };
        appender.set_options(Options { durability, ..options(&self.config, &self.deps) });
        if delays && let Err(error) = appender.sync() {
            // This is tried again at the next check.
            tracing::error!(
                destination = &*self.id,
                "waiting messages may be lost in a power cut, because they cannot be synced: {error}"
            );
            return;
        }
        self.is_spilled = delays;
    }
}

impl JournalHooks for QueueHooks {
    type Configuration = Config;

    fn open(&mut self, appender: &mut Appender) -> Result<(), String> {
        if appender.closed().is_none() {
            return Ok(());
        }
        let tried = self.reopening.is_due().then(|| self.open_again(appender));
        match tried {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => {
                self.reopening.failed();
                *self.unopened.lock() = Some(error.clone());
                self.failed(&error);
                Err(error)
            }
            None => Err(self.unopened.lock().clone().unwrap_or_default()),
        }
    }

    fn configure(&mut self, appender: &mut Appender, config: Config) {
        appender.set_options(options(&config, &self.deps));
        self.config = config;
        self.is_spilled = false;
    }

    fn tidy(&mut self, appender: &mut Appender) -> Instant {
        if self.open(appender).is_err() {
            return self.reopening.at;
        }
        if let Some(age) = self.config.age
            && (self.deps.clock_is_believed)()
        {
            // Messages can no longer be counted once they are removed. On a full disk they are removed anyway.
            self.deps.ledger.write().ok();
            let age = i64::try_from(age.duration().as_nanos()).unwrap_or(i64::MAX);
            let received_before = Some(clock::now().saturating_add(-age));
            // Removed messages are counted by the thread that would have sent them.
            if let Err(error) = appender.expire(&Expiry { received_before, ..Expiry::default() }) {
                tracing::error!(
                    destination = &*self.id,
                    "messages that are too old cannot be removed: {error}"
                );
            }
            self.control.stored();
        }
        if self.config.durability == Configured::Delay {
            self.keep_pace(appender);
            return Instant::now() + PACE_INTERVAL;
        }
        Instant::now() + TIDY_INTERVAL
    }

    /// While stopping, messages are stored whatever the limits, as they would be lost otherwise.
    fn refusal(&self, is_stopping: bool) -> Option<String> {
        if is_stopping {
            return None;
        }
        refusal(&self.id, &self.fill, &self.deps)
    }

    fn stored(&mut self, messages: usize, _: usize) {
        self.counters.queued.add(messages);
        self.control.stored();
        if self.counters.queue_error.lock().take().is_some() {
            tracing::info!(destination = &*self.id, "the queue accepts messages again");
        }
    }

    fn failed(&mut self, error: &str) {
        let before = self.counters.queue_error.lock().replace(error.to_owned());
        if before.is_none() {
            tracing::error!(destination = &*self.id, "messages cannot be queued: {error}");
        }
    }

    fn dropped(&mut self, messages: usize) {
        self.counters.dropped.add("queue_full", messages);
        self.deps.ledger.not_queued(&self.id, "queue_full", messages);
    }

    fn gave_up(&mut self, messages: usize, error: &str) {
        self.counters.dropped.add("stopped", messages);
        self.deps.ledger.not_queued(&self.id, "stopped", messages);
        tracing::error!(destination = &*self.id, messages, "stopped before these could be queued: {error}");
    }
}
