//! The thread that writes a journal: it appends the batches that the workers encoded, syncs once for all that are
//! waiting (group commit), and only then drops the receipts, which acknowledges the messages.
//!
//! Logspaces and the queues of destinations are both written this way. They differ in their [`JournalHooks`].
//!
//! **Invariant:** a message is acknowledged after its append returned and the ledger knows of it, and is searchable from
//! that moment.

use crate::count_claim::CountClaim;
use crate::inbox::{Inbox, InboxSender, NoItem, inbox};
use crate::ledger::{JournalId, KeptMessages, Ledger};
use crate::receipt::Pending;
use logstead_indexer::{Appender, EncodedBatch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The maximum encoded size of one commit. It is small compared with a journal file, as a commit never spans two, and
/// the 131 072 messages that fill one take less than 4 MiB.
const COMMIT_BYTES_MAX: u64 = 1 << 20;
/// The pause before a failed append is tried again.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// The time for which a stop waits for a disk that refuses writes.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);

/// Messages on their way into a journal.
pub struct Append {
    /// The messages, encoded for the journal.
    pub encoded: EncodedBatch,
    /// The receipt to settle.
    pub pending: Pending,
    /// The messages that are counted in this journal.
    pub claim: CountClaim,
    /// Whether the messages are dropped, and counted, if they would have to wait for room.
    pub may_drop: bool,
}

/// The journal that a thread writes, and the other tasks of that thread.
pub trait JournalHooks: Send + 'static {
    /// The settings that can change while it is open.
    type Configuration: Send + 'static;

    /// Opens the journal if it is not open, once the next attempt is due. Until it is open, messages wait, or are
    /// refused for this reason.
    fn open(&mut self, appender: &mut Appender) -> Result<(), String>;
    /// Applies new settings to the appender.
    fn configure(&mut self, appender: &mut Appender, configuration: Self::Configuration);
    /// Maintains the journal, and opens it if it is not open; returns when this is due again.
    fn tidy(&mut self, appender: &mut Appender) -> Instant;
    /// Waits a little if messages are stored faster than they are maintained.
    fn hold_back(&self) {}
    /// The reason why nothing more fits for now, if there is one.
    fn refusal(&self, is_stopping: bool) -> Option<String>;
    /// Called when messages are on disk, with the number of their batches.
    fn stored(&mut self, messages: usize, batches: usize);
    /// Called when a commit failed.
    fn failed(&mut self, error: &str);
    /// Called when messages were dropped because they would have had to wait.
    fn dropped(&mut self, messages: usize);
    /// Called when the process ends before messages could be stored.
    fn gave_up(&mut self, messages: usize, error: &str);
}

enum WriterCommand<C> {
    Append(Box<Append>),
    Configure(C),
    Tidy,
    Stop,
}

/// The handle of the writer thread.
pub struct Writer<C> {
    commands: InboxSender<WriterCommand<C>>,
    stopping: Arc<AtomicBool>,
    thread: parking_lot::Mutex<Option<JoinHandle<()>>>,
}

impl<C: Send + 'static> Writer<C> {
    /// Starts the thread.
    pub fn start<O>(
        name: String,
        appender: Appender,
        hooks: O,
        ledger: Arc<Ledger>,
        journal: JournalId,
    ) -> std::io::Result<Writer<C>>
    where
        O: JournalHooks<Configuration = C>,
    {
        let (commands, received) = inbox();
        let stopping = Arc::new(AtomicBool::new(false));
        let writing = WriterThread {
            appender,
            hooks,
            ledger,
            journal,
            tidy_at: Instant::now(),
            received,
            stopping: stopping.clone(),
        };
        let thread = std::thread::Builder::new().name(name).spawn(|| writing.run())?;
        Ok(Writer { commands, stopping, thread: parking_lot::Mutex::new(Some(thread)) })
    }

    /// Hands messages over. Never blocks: the messages in flight are bounded by the budgets of the sources.
    pub fn append(&self, append: Append) {
        if let Err(WriterCommand::Append(append)) =
            self.commands.send(WriterCommand::Append(Box::new(append)))
        {
            append.pending.fail("it is closed");
        }
    }

    /// Applies new settings.
    pub fn configure(&self, configuration: C) {
        // If the thread has ended, there is nothing to configure.
        self.commands.send(WriterCommand::Configure(configuration)).ok();
    }

    /// Maintains the journal at once.
    pub fn tidy_soon(&self) {
        // If the thread has ended, there is nothing to maintain.
        self.commands.send(WriterCommand::Tidy).ok();
    }

    /// Announces a stop: messages that cannot be stored soon are no longer waited for.
    pub fn hurry(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Writes the messages that were handed over, and then nothing more. [`Writer::join`] waits for that.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        // If the thread has ended, it has stopped.
        self.commands.send(WriterCommand::Stop).ok();
    }

    /// Waits for the end of a stopped thread; `false` if it panicked.
    pub fn join(&self) -> bool {
        self.thread.lock().take().is_none_or(|thread| thread.join().is_ok())
    }
}

impl AsRef<EncodedBatch> for Append {
    fn as_ref(&self) -> &EncodedBatch {
        &self.encoded
    }
}

fn messages_of(group: &[Append]) -> usize {
    group.iter().map(|append| append.encoded.rows()).sum()
}

/// Keeps a batch that has to be stored; returns one that may be dropped. Informs a sender that wants to learn of a
/// failure at once, and drops a batch whose sender has left and sends it again; any other batch is kept.
fn push_unless_shed(group: &mut Vec<Append>, append: Append, error: &str) -> Option<Append> {
    if append.may_drop {
        return Some(append);
    }
    if append.pending.receipt.is_impatient() {
        append.pending.fail(error);
    } else if append.pending.receipt.is_abandoned() {
        // The sender sends the batch again, which would otherwise be stored as often as the sender tries.
        append.pending.fail("its sender disconnected before it could be stored");
    } else {
        group.push(append);
    }
    None
}

struct WriterThread<O: JournalHooks> {
    appender: Appender,
    hooks: O,
    ledger: Arc<Ledger>,
    journal: JournalId,
    /// The time at which the journal is maintained next.
    tidy_at: Instant,
    received: Inbox<WriterCommand<O::Configuration>>,
    stopping: Arc<AtomicBool>,
}

impl<O: JournalHooks> WriterThread<O> {
    fn run(mut self) {
        self.write();
        if let Err(error) = self.appender.close() {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("a journal");
            tracing::warn!("{name}: the end of the messages could not be recorded: {error}");
        }
    }

    fn write(&mut self) {
        loop {
            self.tidy_when_due();
            match self.received.recv_until(self.tidy_at) {
                Ok(WriterCommand::Configure(configuration)) => self.configure(configuration),
                Ok(WriterCommand::Tidy) => self.tidy_at = Instant::now(),
                Ok(WriterCommand::Append(append)) => {
                    if self.commit_with_all_that_wait(*append) {
                        return;
                    }
                }
                Ok(WriterCommand::Stop) | Err(NoItem::Closed) => return,
                Err(NoItem::Timeout) => {}
            }
        }
    }

    fn configure(&mut self, configuration: O::Configuration) {
        self.hooks.configure(&mut self.appender, configuration);
        self.tidy_at = Instant::now();
    }

    fn tidy_when_due(&mut self) {
        if self.tidy_at <= Instant::now() {
            self.tidy_at = self.hooks.tidy(&mut self.appender);
        }
    }

    /// Commits `first` and the batches that are waiting behind it; returns whether to stop.
    ///
    /// The workers finish in any order. Batches that wait here are sorted by time of receipt, so a connection that
    /// several workers parse mostly keeps its order, at no cost.
    fn commit_with_all_that_wait(&mut self, first: Append) -> bool {
        let mut bytes = first.encoded.journal_bytes();
        let mut appends = vec![first];
        let mut stop = false;
        while bytes < COMMIT_BYTES_MAX
            && let Some(command) = self.received.try_recv()
        {
            match command {
                WriterCommand::Append(append) => {
                    bytes += append.encoded.journal_bytes();
                    appends.push(*append);
                }
                WriterCommand::Configure(configuration) => self.configure(configuration),
                // Maintenance is done every minute anyway.
                WriterCommand::Tidy => {}
                WriterCommand::Stop => {
                    stop = true;
                    break;
                }
            }
        }
        appends.sort_by_key(|append| append.pending.receipt.since());
        stop | self.commit(appends)
    }

    /// Appends until it succeeds or the process stops; returns whether to stop. Senders that wait for an answer get the
    /// failure at once and may send again; all others are slowed down by the messages that are held here.
    fn commit(&mut self, mut group: Vec<Append>) -> bool {
        let mut stop = false;
        let mut stop_since = None;
        if !self.stopping.load(Ordering::Relaxed) {
            self.hooks.hold_back();
        }
        while !group.is_empty() {
            let error = match self.append(&mut group) {
                Ok(counted) => {
                    self.stored(group, &counted);
                    return stop;
                }
                Err(error) => error,
            };
            self.hooks.failed(&error);
            let waiting = std::mem::take(&mut group).into_iter();
            self.drop_all(
                waiting.filter_map(|append| push_unless_shed(&mut group, append, &error)).collect(),
            );
            if self.stopping.load(Ordering::Relaxed) {
                let since = *stop_since.get_or_insert_with(Instant::now);
                if STOP_WAIT_MAX < since.elapsed() {
                    self.hooks.gave_up(messages_of(&group), &error);
                    return true;
                }
            }
            if !group.is_empty() {
                stop |= self.wait_for_room(&mut group, &error);
            }
            // Removing old messages may make room.
            self.tidy_when_due();
        }
        stop
    }

    /// Returns how many messages of each part are counted here.
    fn append(&mut self, group: &mut [Append]) -> Result<Vec<usize>, String> {
        self.hooks.open(&mut self.appender)?;
        if let Some(reason) = self.hooks.refusal(self.stopping.load(Ordering::Relaxed)) {
            return Err(reason);
        }
        // Which messages are counted here is noted in the encoded batches.
        let claim = |Append { encoded, claim, .. }: &mut Append| {
            let counted = claim.claim();
            encoded.set_copies(encoded.rows() - counted);
            counted
        };
        let counted = group.iter_mut().map(claim).collect();
        self.appender.append(group).map_err(|error| error.to_string())?;
        Ok(counted)
    }

    fn stored(&mut self, group: Vec<Append>, counted: &[usize]) {
        let kept = |(append, counted): (&Append, &usize)| KeptMessages {
            slot: append.pending.receipt.slot().cloned(),
            counted: *counted,
        };
        let kept: Vec<KeptMessages> = group.iter().zip(counted).map(kept).collect();
        let messages = messages_of(&group);
        self.ledger.note_stored(&self.journal, self.appender.next_sequence, messages, &kept);
        self.hooks.stored(messages, group.len());
        // All are counted before any is acknowledged.
        let settle = |Append { pending, claim, .. }: Append| {
            claim.keep();
            pending
        };
        let pending: Vec<Pending> = group.into_iter().map(settle).collect();
        for (pending, counted) in pending.into_iter().zip(counted) {
            pending.receipt.note_stored(&self.journal, *counted);
            pending.done();
        }
    }

    /// Counts messages as dropped. Senders that wait get their answers once this is on the disk, as for messages that
    /// are stored.
    fn drop_all(&mut self, dropped: Vec<Append>) {
        if dropped.is_empty() {
            return;
        }
        self.hooks.dropped(messages_of(&dropped));
        let pending = dropped.into_iter().map(|append| append.pending);
        let (awaited, silent): (Vec<_>, Vec<_>) = pending.partition(|pending| pending.receipt.is_awaited());
        silent.into_iter().for_each(Pending::done);
        if !awaited.is_empty() {
            // A failed write has been logged; the messages themselves are where they should be.
            self.ledger.when_written(move |_| awaited.into_iter().for_each(Pending::done));
        }
    }

    /// Waits before the next attempt; returns whether to stop. Batches that arrive in the meantime are dropped, refused
    /// or wait too.
    fn wait_for_room(&mut self, group: &mut Vec<Append>, error: &str) -> bool {
        let until = Instant::now() + RETRY_WAIT;
        loop {
            match self.received.recv_until(until) {
                Ok(WriterCommand::Append(append)) => {
                    let dropped = push_unless_shed(group, *append, error);
                    self.drop_all(dropped.into_iter().collect());
                }
                Ok(WriterCommand::Configure(configuration)) => self.configure(configuration),
                Ok(WriterCommand::Tidy) => {}
                Ok(WriterCommand::Stop) | Err(NoItem::Closed) => return true,
                Err(NoItem::Timeout) => return false,
            }
        }
    }
}
