//! An open logspace: the [writer](logstead_flow::writer) of its journal, and the work besides storing.
//!
//! It notifies the [sealers](super::sealers) of full journal files.

use super::clock_watch::ClockWatch;
use super::headroom::Headroom;
use super::progress::SealProgress;
use super::waker::Waker;
use super::watch::Wake;
use logstead_config::Retention;
use logstead_flow::counters::LogspaceCounters;
use logstead_flow::ledger::{JournalId, Ledger};
use logstead_flow::machine::clock;
use logstead_flow::reopening::Reopening;
use logstead_flow::writer::{Append, JournalHooks, Writer};
use logstead_indexer::{
    Appender, Backlog, DiskError, ExpiredParts, Expiry, HoldBack, Keeper, OpenLogspace, Options, Readers,
    Recovery, Searcher, Stats,
};
use logstead_record::Timestamp;
use logstead_work::Pool;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum interval at which old messages and old journal files are looked for; it is shorter if files grow old
/// sooner.
const TIDY_INTERVAL_MAX: Duration = Duration::from_secs(60);

/// How long a commit may be delayed for sealing; it is short, so that senders waiting for an answer do not send
/// again.
const HOLD_BACK_MAX: Duration = Duration::from_millis(250);

/// Limits how long messages beyond the retention are kept for a reader that is behind,
const READER_WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// and how many bytes of them.
const READER_WAIT_BYTES_MAX: u64 = 1 << 30;

/// The state that all logspaces share.
pub(crate) struct LogspaceDeps {
    pub waker: Waker,
    pub progress: Arc<SealProgress>,
    pub(crate) wake: Wake,
    pub(crate) headroom: Headroom,
    pub clock: Arc<ClockWatch>,
    pub ledger: Arc<Ledger>,
}

/// The settings that can change while a logspace is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub options: Options,
    pub retention: Retention,
    /// The age at which a journal file is closed, so that it can be sealed.
    pub seal_after: Duration,
    /// The number of sealing threads.
    pub sealers: usize,
}

/// An open logspace: a place to send messages to, and to search.
pub(crate) struct Logspace {
    pub id: String,
    writer: Writer<Configuration>,
    pub(crate) searcher: Searcher,
    pub(crate) keeper: Keeper,
    pub(crate) readers: Readers,
    headroom: Headroom,
    pub(crate) counters: Arc<LogspaceCounters>,
}

impl Logspace {
    /// Opens a store and starts its thread. If the store cannot be opened the thread tries again, unless it has to be
    /// open.
    pub(crate) fn start(
        id: &str,
        folder: &Path,
        closed: OpenLogspace,
        has_to_open: bool,
        configuration: Configuration,
        counters: Arc<LogspaceCounters>,
        deps: LogspaceDeps,
    ) -> Result<Logspace, String> {
        let LogspaceDeps { waker, progress, wake, headroom, clock, ledger } = deps;
        let OpenLogspace { mut appender, searcher, keeper, readers, .. } = closed;
        let (account, journal) = (ledger.clone(), JournalId::Logspace(id.into()));
        let mut storing = LogspaceHooks {
            id: id.to_owned(),
            folder: folder.to_owned(),
            searcher: searcher.clone(),
            keeper: keeper.clone(),
            reopening: Reopening::first(),
            configuration,
            closed_files: 0,
            waker,
            progress,
            wake,
            headroom: headroom.clone(),
            clock,
            ledger,
            counters: counters.clone(),
        };
        match storing.open(&mut appender) {
            Err(error) if has_to_open => return Err(error),
            // The failure was logged, and another attempt will follow.
            _ => {}
        }
        let writer = Writer::start(format!("logspace {id}"), appender, storing, account, journal);
        let writer = writer.map_err(|error| error.to_string())?;
        Ok(Logspace { id: id.to_owned(), writer, searcher, keeper, readers, headroom, counters })
    }

    /// Hands messages over. They are [prepared](logstead_indexer::EncodedBatch::prepare_for_search) by the calling worker, one of many, not by
    /// the one thread that writes.
    pub(crate) fn append(&self, append: Append) {
        self.writer.append(append);
    }

    /// Why the logspace accepts nothing for now, if it does not.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.headroom.refuses_messages()
    }

    /// Applies new settings.
    pub(crate) fn configure(&self, configuration: Configuration) {
        self.writer.configure(configuration);
    }

    /// Looks at once for messages to remove.
    pub(crate) fn tidy_soon(&self) {
        self.writer.tidy_soon();
    }

    /// The messages that a retention would remove, now and later, once readers that are behind are no longer waited
    /// for.
    pub(crate) fn preview(&self, retention: Retention) -> RetentionOutlook {
        let expiry = expiry(retention);
        let age = retention.age.map(|age| nanos(age.duration()));
        let next = age.zip(self.keeper.next_to_expire(&expiry));
        let next = next.map(|(age, (received, messages))| (received.saturating_add(age), messages));
        let all_at = age.zip(self.keeper.received_last()).map(|(age, last)| last.saturating_add(age));
        RetentionOutlook {
            now: self.keeper.preview(&expiry),
            next,
            all_at: all_at.filter(|_| next.is_some()),
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        self.searcher.stats()
    }

    /// Announces that the logspace will be told to stop.
    pub(crate) fn hurry(&self) {
        self.writer.hurry();
    }

    /// Writes the messages that were handed over, and then stops writing. [`Logspace::join`] waits for that.
    pub(crate) fn stop(&self) {
        self.writer.stop();
    }

    /// Waits for the thread of a stopped logspace.
    pub(crate) fn join(&self) {
        if !self.writer.join() {
            tracing::error!(logspace = self.id, "the thread of the logspace ended with a panic");
        }
    }
}

/// The stored messages that a retention would remove.
pub struct RetentionOutlook {
    /// The messages that would be removed at once.
    pub now: ExpiredParts,
    /// The next removal by age: its time, and the number of messages.
    pub next: Option<(Timestamp, u64)>,
    /// The time by which all of them will have been removed by age.
    pub all_at: Option<Timestamp>,
}

/// The hooks of a logspace's thread: everything it does besides appending.
struct LogspaceHooks {
    id: String,
    folder: PathBuf,
    searcher: Searcher,
    keeper: Keeper,
    reopening: Reopening,
    configuration: Configuration,
    /// The number of files that waited to be sealed at the last check.
    closed_files: usize,
    waker: Waker,
    progress: Arc<SealProgress>,
    wake: Wake,
    headroom: Headroom,
    clock: Arc<ClockWatch>,
    ledger: Arc<Ledger>,
    counters: Arc<LogspaceCounters>,
}

impl JournalHooks for LogspaceHooks {
    type Configuration = Configuration;

    fn open(&mut self, appender: &mut Appender) -> Result<(), String> {
        let Some(why) = appender.closed() else { return Ok(()) };
        if !self.reopening.is_due() {
            return Err(format!("it cannot be opened: {why}"));
        }
        match appender.open(&Pool::of_reads()) {
            Ok(recovery) => {
                self.opened(&recovery.unwrap_or_default());
                Ok(())
            }
            Err(error) => {
                self.reopening.failed();
                let error = format!("it cannot be opened: {error}");
                self.failed(&error);
                Err(error)
            }
        }
    }

    fn configure(&mut self, appender: &mut Appender, configuration: Configuration) {
        appender.set_options(configuration.options);
        self.configuration = configuration;
    }

    /// Closes an old journal file, and removes messages beyond the retention.
    fn tidy(&mut self, appender: &mut Appender) -> Instant {
        if self.open(appender).is_err() {
            return self.reopening.at;
        }
        if let Err(error) = appender.close_old(before(self.configuration.seal_after)) {
            tracing::error!(logspace = self.id, "another journal file cannot be begun: {error}");
        }
        let retention = self.configuration.retention;
        let believed = self.clock.is_believed();
        let expiry = expiry(Retention { age: retention.age.filter(|_| believed), ..retention });
        if expiry != Expiry::default() {
            let is_full = self.headroom.refuses_messages().is_some();
            self.expire(appender, &Expiry { hold_back: hold_back(retention, is_full), ..expiry });
        }
        self.ring_for_closed_files();
        Instant::now() + TIDY_INTERVAL_MAX.min(self.configuration.seal_after)
    }

    fn hold_back(&self) {
        let is_behind = || {
            // If sealing fails, waiting for it would not help.
            let is_at_work = self.counters.keep.last_error.lock().is_none();
            is_at_work && is_over(&self.keeper.sealable_backlog(), &self.configuration)
        };
        let waited = self.progress.wait_while(is_behind, HOLD_BACK_MAX);
        self.counters.held_back_micros.add(waited.as_micros() as usize);
    }

    /// Refuses messages when only the last part of the disk is left, except those that would be lost when the process
    /// ends.
    fn refusal(&self, is_stopping: bool) -> Option<String> {
        self.headroom.refuses_messages().filter(|_| !is_stopping)
    }

    fn stored(&mut self, messages: usize, batches: usize) {
        self.counters.messages.add(messages);
        self.counters.batches.add(batches);
        self.counters.commits.add(1);
        self.wake.stored();
        if self.counters.last_error.lock().take().is_some() {
            tracing::info!(logspace = self.id, "the logspace stores messages again");
        }
        self.ring_for_closed_files();
    }

    fn failed(&mut self, error: &str) {
        let before = self.counters.last_error.lock().replace(error.to_owned());
        if before.as_deref() != Some(error) {
            tracing::error!(
                logspace = self.id,
                "messages cannot be stored, and senders are held back: {error}"
            );
        }
    }

    /// A logspace never drops messages.
    fn dropped(&mut self, _: usize) {}

    fn gave_up(&mut self, messages: usize, error: &str) {
        self.counters.dropped.add("stopped", messages);
        tracing::error!(logspace = self.id, messages, "stopped before these could be stored: {error}");
    }
}

impl LogspaceHooks {
    /// Called when the logspace is open: the findings are logged, counted, and compared with the clock.
    fn opened(&mut self, recovery: &Recovery) {
        report(&self.id, &self.folder, recovery);
        self.clock.saw(self.keeper.received_last());
        self.ledger.opened_logspace(&self.id, &self.searcher);
        self.closed_files = self.keeper.backlog().files;
        if self.counters.last_error.lock().take().is_some() {
            tracing::info!(logspace = self.id, "the logspace, which could not be opened before, is open");
        }
    }

    fn expire(&self, appender: &mut Appender, expiry: &Expiry) {
        // Messages can no longer be counted once they are removed. On a full disk they are removed anyway.
        self.ledger.write().ok();
        let mut expired = appender.expire(expiry);
        // Freeing space takes a few kilobytes.
        while matches!(expired, Err(DiskError::Full { .. })) && self.headroom.give() {
            expired = appender.expire(expiry);
        }
        match expired {
            Ok(expired) if 0 < expired.messages => {
                tracing::info!(
                    logspace = self.id,
                    messages = expired.messages,
                    bytes = expired.bytes,
                    "messages beyond the retention were removed"
                );
                if 0 < expired.unread {
                    let unread = expired.unread;
                    tracing::warn!(
                        logspace = self.id,
                        unread,
                        "a reader was too far behind to read some of these before"
                    );
                }
            }
            Ok(_) => {}
            Err(error) => tracing::error!(logspace = self.id, "old messages cannot be removed: {error}"),
        }
    }

    fn ring_for_closed_files(&mut self) {
        let closed_files = self.keeper.backlog().files;
        if self.closed_files < closed_files {
            self.waker.wake();
        }
        self.closed_files = closed_files;
    }
}

fn report(id: &str, folder: &Path, recovery: &Recovery) {
    let messages = recovery.messages + recovery.sealed_messages;
    let folder = folder.display();
    for told in recovery.notes() {
        if told.is_damage {
            tracing::error!(logspace = id, %folder, "{}", told.text);
        } else {
            tracing::warn!(logspace = id, %folder, "{}", told.text);
        }
    }
    tracing::info!("logspace `{id}` is open and holds {messages} messages");
}

/// Whether sealing is behind: each sealer has a full journal file, and another one is waiting. The next file is being
/// filled meanwhile, so sealers never run out of work, and the number of messages that a search has to read one by
/// one is bounded.
fn is_over(backlog: &Backlog, Configuration { options, sealers, .. }: &Configuration) -> bool {
    let files = *sealers as u64;
    let rows = options.journal_rows_max.min(options.segment_rows_max);
    files * u64::from(rows) < backlog.messages || files * options.journal_file_max < backlog.bytes
}

/// The limits beyond which messages may be removed now.
fn expiry(retention: Retention) -> Expiry {
    Expiry {
        received_before: retention.age.map(|age| before(age.duration())),
        bytes_max: retention.size.map(|size| size.bytes()),
        ..Expiry::default()
    }
}

/// How long removable messages are kept for readers that are behind. On a nearly full disk they are not kept: the
/// space that a retention frees is needed now.
fn hold_back(retention: Retention, is_full: bool) -> Option<HoldBack> {
    let received_before = retention.age.map(|age| before(age.duration().saturating_add(READER_WAIT_MAX)));
    (!is_full).then_some(HoldBack { received_before, bytes_max: READER_WAIT_BYTES_MAX })
}

/// The time that is this long ago.
fn before(duration: Duration) -> Timestamp {
    clock::now().saturating_add(-nanos(duration))
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
