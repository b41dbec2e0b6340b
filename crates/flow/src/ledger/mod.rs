//! The ledger: the fate of every message that was received. For each source, received = stored + forwarded + dropped +
//! unacknowledged + in flight; for each destination, queued = delivered + quarantined + dropped + waiting.
//!
//! The ledger also counts bytes that no message holds: an account of messages alone would balance even if some bytes
//! were not understood.
//!
//! | file      | what it is                                                        |
//! |-----------|-------------------------------------------------------------------|
//! | `account` | the accounts: fates, by party and period                          |
//! | `book`    | all accounts, and how far the journals are counted in them        |
//! | `log`     | the book on the disk                                              |
//! | `opening` | what the journals have that the book does not know, after a crash |
//! | `report`  | the accounts of a range of time, to be shown                      |
//!
//! The book on the disk is at most a second old, and exact where it has to be:
//!
//! - When a sender is told that a message was accepted, a journal holds it, or it was dropped and the book on the disk
//!   says so: such an answer waits for the next write.
//! - Messages that a journal holds beyond the book are counted when it is opened again. So the book is written before
//!   messages leave a journal: before they become segments, before they expire, and before a queue is cut.

mod account;
mod book;
mod log;
mod opening;
mod report;

pub use book::{AccountSlot, JournalId};
pub use log::LedgerError;
pub use report::{Accounts, DestinationRow, LedgerReport, ReportQuery, ReportStep, SourceRow};

use crate::machine::clock;
use account::{AccountPeriod, FateColumn, Party, Reason, minute};
use book::{Book, JournalMark};
use log::{LedgerLog, LoadedLedger};
use logstead_indexer::Disk;
use logstead_record::Batch;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The book on the disk is at most this old, unless the disk fails.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// The count of all messages by source, minute and fate.
pub struct Ledger {
    state: Mutex<LedgerState>,
    changed: Condvar,
    /// The log, which is locked while it is written. It is locked before the state.
    log: Mutex<LedgerLog>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct LedgerState {
    book: Book,
    /// Whether there was a ledger before this process.
    existed: bool,
    /// The callbacks for when the book is on the disk: senders whose messages were dropped wait for that.
    answers: Vec<OnWritten>,
    /// Whether all journals of the last run are open. From then on, the book states how far each is counted.
    begun: bool,
    stopping: bool,
    /// The error of the last write, if it failed.
    error: Option<String>,
    /// Whether an account that does not add up was logged.
    remainder_told: bool,
}

/// A callback that is told whether the book is on the disk.
type OnWritten = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Messages that a journal has just stored.
pub struct KeptMessages {
    /// The slot in which they are counted; `None` if they came from a journal, and are not counted again.
    pub slot: Option<AccountSlot>,
    /// The number of them that are counted there.
    pub counted: usize,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

impl AccountSlot {
    /// The slot of a batch.
    pub fn of(batch: &Batch) -> Option<AccountSlot> {
        (!batch.is_empty()).then(|| {
            let source = String::from_utf8_lossy(batch.source(0));
            AccountSlot { source: source.into(), minute: minute(batch.received(0)) }
        })
    }
}

fn this_minute() -> i64 {
    minute(clock::now())
}

impl Ledger {
    /// Opens the ledger in a folder. Nothing is written before [`Ledger::start`].
    pub fn open(disk: &Arc<dyn Disk>, dir: &Path) -> Result<Arc<Ledger>, LedgerError> {
        let (log, LoadedLedger { changes, existed, damaged, lost }) = LedgerLog::open(disk, dir)?;
        if let Some(error) = lost {
            tracing::error!(
                "the ledger in {} cannot be read: its file is kept as `*.orphan`, and the counts begin again at 0: \
                 {error}",
                dir.display()
            );
        }
        if 0 < damaged {
            tracing::error!("{damaged} lines of the ledger are damaged: the counts in them may be missing");
        }
        let mut book = Book::default();
        changes.into_iter().for_each(|changes| book.apply(changes));
        book.begin();
        let state = LedgerState { book, existed, ..LedgerState::default() };
        Ok(Arc::new(Ledger {
            state: Mutex::new(state),
            changed: Condvar::new(),
            log: Mutex::new(log),
            thread: Mutex::default(),
        }))
    }

    /// Called when every journal is open: the book is written from now on.
    fn begin(&self) -> Result<(), String> {
        self.state.lock().begun = true;
        self.write()
    }

    /// Starts the thread that writes the ledger regularly.
    pub fn start(self: &Arc<Ledger>) -> io::Result<()> {
        // A failed write is logged and tried again.
        self.begin().ok();
        self.tell_accounts();
        let ledger = self.clone();
        let thread = std::thread::Builder::new().name("ledger".to_owned()).spawn(move || ledger.run())?;
        *self.thread.lock() = Some(thread);
        Ok(())
    }

    /// Logs whether every message is accounted for.
    fn tell_accounts(&self) {
        let mut all = report::Fates::default();
        self.totals().sources.iter().for_each(|row| all.add(&row.fates));
        let report::Fates { received, stored, forwarded, unacknowledged, .. } = all;
        let skipped: u64 = all.skipped_bytes.values().sum();
        let dropped: u64 = all.dropped.values().sum();
        if 0 < received && all.remainder == 0 {
            tracing::info!(
                "the ledger adds up: of {received} messages {stored} are stored, {forwarded} forwarded and \
                 {dropped} dropped; {unacknowledged} were lost in crashes before they were acknowledged; {skipped} \
                 bytes belong to no message"
            );
        }
        self.check();
    }

    // The fates of a source's messages.

    /// Counts messages that a source received.
    pub fn received(&self, slot: &AccountSlot, messages: usize) {
        self.state.lock().book.received(slot, messages as u64);
    }

    /// Counts messages of these slots as stored in a journal, which now ends at a sequence.
    pub fn note_stored(&self, journal: &JournalId, end: u64, messages: usize, kept: &[KeptMessages]) {
        let mut state = self.state.lock();
        for KeptMessages { slot, counted } in kept {
            if let Some(slot) = slot {
                state.book.settled(slot, &journal.column(), *counted as u64);
            }
        }
        if let JournalId::Destination(id) = journal {
            state.book.post(
                &Party::Destination(id.clone()),
                this_minute(),
                &FateColumn::Queued,
                messages as u64,
            );
        }
        state.book.set_mark(JournalMark::Kept(journal.clone()), end);
    }

    /// Takes back messages that were just counted as received: they had been received before.
    pub fn repeated(&self, slot: &AccountSlot, messages: usize) {
        self.state.lock().book.repeated(slot, messages as u64);
    }

    /// Counts received messages that are dropped.
    pub fn lost(&self, slot: &AccountSlot, reason: impl Into<Reason>, messages: usize) {
        self.state.lock().book.settled(slot, &FateColumn::Dropped(reason.into()), messages as u64);
    }

    /// Counts messages that are dropped as they are received.
    pub fn dropped(&self, source: &Arc<str>, reason: &'static str, messages: usize) {
        let slot = AccountSlot { source: source.clone(), minute: this_minute() };
        self.state.lock().book.dropped(&slot, reason, messages as u64);
    }

    /// Counts messages that a source should have received and did not.
    pub fn lost_before(&self, source: &Arc<str>, place: &'static str, messages: usize) {
        let (party, column) = (Party::Source(source.clone()), FateColumn::LostBefore(place.into()));
        self.state.lock().book.post(&party, this_minute(), &column, messages as u64);
    }

    /// Counts bytes that a source received and that no message holds.
    pub fn skipped(&self, source: &Arc<str>, reason: &'static str, bytes: usize) {
        let (party, column) = (Party::Source(source.clone()), FateColumn::Skipped(reason.into()));
        self.state.lock().book.post(&party, this_minute(), &column, bytes as u64);
    }

    /// Calls back once all changes so far are on the disk, or with the error.
    pub(crate) fn when_written(&self, answer: impl FnOnce(Result<(), String>) + Send + 'static) {
        self.state.lock().answers.push(Box::new(answer));
        self.changed.notify_all();
    }

    // The fates of a destination's messages.

    /// Counts messages that did not fit into the queue.
    pub fn not_queued(&self, id: &Arc<str>, reason: &'static str, messages: usize) {
        let (mut state, party, minute) = (self.state.lock(), Party::Destination(id.clone()), this_minute());
        state.book.post(&party, minute, &FateColumn::Queued, messages as u64);
        state.book.post(&party, minute, &FateColumn::Dropped(reason.into()), messages as u64);
    }

    /// Notes that a destination is done with the messages before a sequence.
    pub fn done(&self, id: &Arc<str>, end: u64, fates: &[(Fate, usize)]) {
        let (mut state, party, minute) = (self.state.lock(), Party::Destination(id.clone()), this_minute());
        for (fate, messages) in fates {
            state.book.post(&party, minute, &fate.column(), *messages as u64);
        }
        let mark = JournalMark::Done(id.clone());
        let end = end.max(state.book.mark(&mark).unwrap_or_default());
        state.book.set_mark(mark, end);
    }

    /// Forgets a journal that no longer exists; if it is created again, it is counted from the beginning.
    pub fn forget(&self, journal: &JournalId) {
        let mut state = self.state.lock();
        if let JournalId::Destination(id) = journal {
            state.book.forget_mark(&JournalMark::Done(id.clone()));
        }
        state.book.forget_mark(&JournalMark::Kept(journal.clone()));
    }

    // The disk.

    /// Writes the changes that are not on the disk yet.
    pub fn write(&self) -> Result<(), String> {
        let mut log = self.log.lock();
        let (changes, all, answers) = {
            let mut state = self.state.lock();
            if !state.begun {
                return Ok(());
            }
            let answers = std::mem::take(&mut state.answers);
            if !state.book.has_changes() && !log.wants_all() {
                drop(state);
                reply(answers, &Ok(()));
                return Ok(());
            }
            let all = log.wants_all();
            let changes = if all { state.book.take_all() } else { state.book.take_changes() };
            (changes, all, answers)
        };
        let written = if all { log.rewrite(&changes) } else { log.append(&changes) };
        let written = match written {
            // The file has no room left, but the book itself is shorter than all the changes.
            Err(error) if !all && error.kind() == io::ErrorKind::StorageFull => {
                let all = self.state.lock().book.take_all();
                log.rewrite(&all)
            }
            written => written,
        };
        let written = written.map_err(|error| format!("the ledger cannot be written: {error}"));
        self.tell(written.as_ref().err());
        reply(answers, &written);
        written
    }

    fn tell(&self, error: Option<&String>) {
        let before = std::mem::replace(&mut self.state.lock().error, error.cloned());
        match error {
            Some(error) if before.as_ref() != Some(error) => {
                tracing::error!(
                    "the ledger cannot record dropped messages, so they are refused instead: {error}"
                );
            }
            None if before.is_some() => tracing::info!("the ledger can be written again"),
            _ => {}
        }
    }

    fn run(&self) {
        let mut rolled = None;
        loop {
            let stopping = self.wait(Instant::now() + WRITE_INTERVAL);
            let now = this_minute();
            if rolled.replace(now) != Some(now) {
                self.state.lock().book.roll(now);
            }
            // The failure was logged, and another attempt will follow.
            self.write().ok();
            self.check();
            if stopping {
                return;
            }
        }
    }

    /// Waits until somebody wants an answer or the next write is due; returns whether to stop. While the disk fails,
    /// all who wait are answered together, because each attempt writes the whole book.
    fn wait(&self, until: Instant) -> bool {
        let mut state = self.state.lock();
        while (state.answers.is_empty() || state.error.is_some()) && !state.stopping {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        state.stopping
    }

    /// Logs it, once, when an account does not add up.
    fn check(&self) {
        let mut state = self.state.lock();
        let wrong: Vec<_> =
            state.book.remainders().into_iter().filter(|(_, remainder)| *remainder != 0).collect();
        if !wrong.is_empty() && !std::mem::replace(&mut state.remainder_told, true) {
            drop(state);
            for (party, remainder) in wrong {
                tracing::error!(
                    "the account of {party} does not add up, by {remainder} messages: please report it"
                );
            }
        }
    }

    /// Writes everything and ends the thread.
    pub fn stop(&self) {
        self.state.lock().stopping = true;
        self.changed.notify_all();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the ledger ended with a panic");
        }
    }

    // Figures for display.

    /// The accounts of a range of time.
    pub fn report(&self, query: &ReportQuery) -> LedgerReport {
        report::report(&self.state.lock().book, query, this_minute())
    }

    /// The accounts of all time, and the difference by which each does not add up.
    pub fn totals(&self) -> Accounts {
        report::accounts(&self.state.lock().book)
    }
}

/// The positions up to which a ledger counts messages, read from the data directory of another process.
#[derive(Default)]
pub struct LedgerSnapshot(Book);

impl LedgerSnapshot {
    /// Reads the ledger without changing it. If it is read before the journals, it counts no message that they lack.
    pub fn look(disk: &dyn Disk, dir: &Path) -> Result<(LedgerSnapshot, usize), String> {
        let LoadedLedger { changes, damaged, .. } = log::look(disk, dir)?;
        let mut book = Book::default();
        changes.into_iter().for_each(|changes| book.apply(changes));
        Ok((LedgerSnapshot(book), damaged))
    }

    /// The sequence below which all messages of a journal were stored there.
    pub fn of(&self, journal: &JournalId) -> u64 {
        self.0.mark(&JournalMark::Kept(journal.clone())).unwrap_or_default()
    }
}

/// The fate of a queued message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Delivered to the destination.
    Delivered,
    /// Put into quarantine.
    Quarantined,
    /// Dropped, for this reason.
    Dropped(&'static str),
}

impl Fate {
    fn column(self) -> FateColumn {
        match self {
            Fate::Delivered => FateColumn::Delivered,
            Fate::Quarantined => FateColumn::Quarantined,
            Fate::Dropped(reason) => FateColumn::Dropped(reason.into()),
        }
    }
}

impl Book {
    /// The difference by which each account does not add up.
    fn remainders(&self) -> BTreeMap<Party, i64> {
        let totals = self.range(AccountPeriod::Ever, 0, 1);
        totals.map(|(key, cell)| (key.party.clone(), cell.open() - self.under_way(&key.party))).collect()
    }

    /// The messages of a source that are in flight, or those that wait for a destination. The number is below zero
    /// for a moment if a destination is done with messages before the queue counts them.
    fn under_way(&self, party: &Party) -> i64 {
        match party {
            Party::Source(id) => self.in_flight(id) as i64,
            Party::Destination(id) => {
                let kept =
                    self.mark(&JournalMark::Kept(JournalId::Destination(id.clone()))).unwrap_or_default();
                kept as i64 - self.mark(&JournalMark::Done(id.clone())).unwrap_or_default() as i64
            }
        }
    }
}

fn reply(answers: Vec<OnWritten>, written: &Result<(), String>) {
    answers.into_iter().for_each(|answer| answer(written.clone()));
}

#[cfg(test)]
mod tests;
