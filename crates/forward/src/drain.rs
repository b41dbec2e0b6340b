//! The thread of a destination: it reads its queue, sends the messages, and records its progress.
//!
//! **Invariant:** a message is done once it was delivered, is in the quarantine, or was discarded; one that cannot be
//! read is tried again before it is passed over.

use super::control::{Control, DrainSituation, DrainTask};
use super::delivery::{self, DeliveryOutcome};
use super::gather::{GatherTimer, QueuedMessages, ReadLimit};
use super::kinds;
use super::quarantine::Quarantine;
use super::queue::QueueFill;
use super::queue_deps::MakesRoom;
use super::queue_read::{MissingMessages, QueueRead};
use super::sink::{MessageSink, OutgoingMessage};
use logstead_config::Destination as Config;
use logstead_flow::counters::DestinationCounters;
use logstead_flow::ledger::{Fate, Ledger};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_flow::machine::priority::{self, ThreadPriority};
use logstead_indexer::{DiskError, MissingCause, QueueReader};
use logstead_record::{Batch, Selection};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long after sending the progress is recorded: after a crash, messages without that record are sent again.
const NOTE_INTERVAL: Duration = Duration::from_secs(1);
/// How many times a damaged part is read, with pauses, before it is skipped.
const READ_ATTEMPTS_MAX: u32 = 10;
const READ_WAIT: Duration = Duration::from_secs(1);
/// Maximum pause between attempts to read from a failing disk.
const READ_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long to wait after a panic. A bug may only affect one moment, or it may affect one message until the program
/// is fixed.
const BUG_WAIT: Duration = Duration::from_secs(10);
/// Pauses vary by this fraction, so that many senders do not come back at the same time.
const JITTER: f64 = 0.2;

pub(super) struct Drain {
    pub(super) id: Arc<str>,
    pub(super) folders: Arc<Folders>,
    pub(super) control: Arc<Control>,
    pub(super) reader: QueueReader,
    pub(super) fill: Arc<QueueFill>,
    pub(super) quarantine: Arc<Mutex<Quarantine>>,
    pub(super) counters: Arc<DestinationCounters>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) makes_room: MakesRoom,
}

/// The sinks of a configuration.
type OpenSinks = Option<(Arc<Config>, Vec<Box<dyn MessageSink>>)>;

impl Drain {
    pub(super) fn run(mut self) {
        // The waiting messages are on disk, so on a busy machine receiving has priority.
        priority::give_way(ThreadPriority::Low);
        let mut sinks = None;
        let mut note_at = None;
        let mut unreadable = 0;
        let gathering = RefCell::new(GatherTimer::default());
        loop {
            let ready = |config: &Config, hurry| {
                let gather = ReadLimit::of(&config.kind).gather;
                let waiting = self.waiting(gather.is_some());
                gathering.borrow_mut().ready(gather.as_ref(), &waiting, Instant::now(), hurry)
            };
            let situation = DrainSituation { ready: &ready, done: self.fill.done(), note_at };
            match self.control.next(&situation) {
                DrainTask::Send(config) => {
                    let sent =
                        catch_unwind(AssertUnwindSafe(|| self.send(&config, &mut sinks, &mut unreadable)));
                    if sent.is_err() {
                        sinks = None;
                        self.go_back();
                        self.pause(&config, "a bug in this kind of destination; please report it", BUG_WAIT);
                    }
                }
                DrainTask::Discard(before) => self.discard(before),
                DrainTask::Note => {
                    note_at = None;
                    self.note();
                }
                DrainTask::End => break,
            }
            let is_noted = self.reader.freed == self.fill.done();
            note_at = (!is_noted).then(|| note_at.unwrap_or_else(|| Instant::now() + NOTE_INTERVAL));
        }
        self.note();
        self.control.ended();
    }

    /// The waiting messages; the number of their bytes only if `in_bytes`.
    fn waiting(&self, in_bytes: bool) -> QueuedMessages {
        let (next, end) = (self.reader.next(), self.fill.end());
        let bytes = if in_bytes { self.fill.bytes() } else { 0 };
        QueuedMessages { next, end, bytes, bytes_max: self.fill.bytes_max() }
    }

    /// Sends the next messages, if possible.
    fn send(&mut self, config: &Arc<Config>, sinks: &mut OpenSinks, unreadable: &mut u32) {
        let limit = ReadLimit::of(&config.kind);
        let read = QueueRead::read(&mut self.reader, &limit);
        let messages = read.messages();
        if messages.is_empty() {
            self.advance(read.end, &[self.expired(&read, read.end)]);
            match read.unreadable {
                Some(missing) => self.retry_reading(config, &missing, unreadable),
                None => *unreadable = 0,
            }
            return;
        }
        *unreadable = 0;
        let sinks = opened(sinks, config, &self.folders);
        let Drain { id, control, counters, fill, ledger, makes_room, reader, .. } = self;
        let (pauses, cursor) =
            (Pauses { id, control, counters }, Mutex::new(DrainCursor { reader, fill, ledger, makes_room }));
        let pause = |reason: &str, wait| {
            // The wait may be long, and a crash during it must not cause messages to be sent twice.
            cursor.lock().note(pauses.id);
            pauses.pause(config, reason, wait)
        };
        let outcome = delivery::deliver(sinks, &messages, &pause);
        self.settle(config, &outcome, &read);
        if limit.gather.is_some() {
            // After a crash, an object has to begin with the same message, so that it is replaced.
            self.note();
        }
    }

    /// Processes the outcome of sending the messages of a read.
    fn settle(&mut self, config: &Arc<Config>, outcome: &DeliveryOutcome<'_>, read: &QueueRead) {
        let done = outcome.left.unwrap_or(read.end);
        let refused = refused_before(done, outcome);
        if !self.keep(config, &refused) {
            // All messages of this read are sent again.
            self.go_back();
            return;
        }
        let delivered = read.messages_before(done) - refused.len();
        self.counters.quarantined.add(refused.len());
        self.counters.messages.add(delivered);
        self.counters.bytes.add(outcome.bytes);
        let expired = self.expired(read, done);
        self.advance(done, &[expired, (Fate::Delivered, delivered), (Fate::Quarantined, refused.len())]);
        if outcome.left.is_some() {
            self.go_back();
        } else if self.counters.recovered() {
            tracing::info!(destination = &*self.id, "the destination accepts messages again");
        }
    }

    /// Continues reading at the first message that is not done.
    fn go_back(&mut self) {
        self.reader.rewind();
        self.reader.skip(self.fill.done());
    }

    /// Puts messages into the quarantine; `false` if this was interrupted.
    fn keep(&self, config: &Arc<Config>, refused: &[(Arc<Batch>, String)]) -> bool {
        let Some((_, reason)) = refused.first() else { return true };
        tracing::warn!(
            destination = &*self.id,
            messages = refused.len(),
            "refused, and put into the quarantine: {reason}"
        );
        loop {
            let Err(error) = self.quarantine.lock().keep(refused) else { return true };
            if !self.pause(config, &error, READ_WAIT) {
                return false;
            }
        }
    }

    /// The number of messages that expired before they were read.
    fn expired(&self, read: &QueueRead, done: u64) -> (Fate, usize) {
        let before = self.fill.done();
        let count = |missing: &MissingMessages| {
            missing.sequences.end.min(done).saturating_sub(missing.sequences.start.max(before))
        };
        let expired = read.missing.iter().map(count).sum::<u64>() as usize;
        self.counters.dropped.add("expired", expired);
        (Fate::Dropped("expired"), expired)
    }

    fn advance(&self, done: u64, fates: &[(Fate, usize)]) {
        self.ledger.done(&self.id, done, fates);
        self.fill.done.fetch_max(done, Ordering::AcqRel);
    }

    /// Marks messages as dropped, so that they are neither delivered nor sent again.
    fn drop_before(&self, done: u64, reason: &'static str) {
        let dropped = done.saturating_sub(self.fill.done()) as usize;
        self.counters.dropped.add(reason, dropped);
        self.advance(done, &[(Fate::Dropped(reason), dropped)]);
    }

    fn discard(&mut self, before: u64) {
        let before = before.min(self.fill.end());
        self.reader.skip(before);
        self.drop_before(before, "discarded");
        self.note();
    }

    /// Records the progress on disk.
    fn note(&mut self) {
        let Drain { id, reader, fill, ledger, makes_room, .. } = self;
        DrainCursor { reader, fill, ledger, makes_room }.note(id);
    }

    /// After a read error this waits as long as it takes, as the disk may recover. A damaged part stays damaged.
    fn retry_reading(&mut self, config: &Arc<Config>, missing: &MissingMessages, attempts: &mut u32) {
        *attempts += 1;
        if !passes_over(missing.cause, *attempts) {
            let reason = format!("messages of the queue cannot be read: {}", missing.why);
            self.pause(config, &reason, read_wait(*attempts));
            return;
        }
        tracing::error!(
            destination = &*self.id,
            messages = missing.sequences.end - missing.sequences.start,
            "messages of the queue are skipped because they are damaged, and their file will be set aside: {}",
            missing.why
        );
        self.reader.pass_over(missing.sequences.end);
        self.drop_before(missing.sequences.end, "unreadable");
        *attempts = 0;
    }

    fn pause(&self, config: &Arc<Config>, reason: &str, wait: Duration) -> bool {
        self.pauses().pause(config, reason, wait)
    }

    fn pauses(&self) -> Pauses<'_> {
        Pauses { id: &self.id, control: &self.control, counters: &self.counters }
    }
}

/// The state with which the progress of a destination is recorded.
struct DrainCursor<'a> {
    reader: &'a mut QueueReader,
    fill: &'a QueueFill,
    ledger: &'a Ledger,
    makes_room: &'a MakesRoom,
}

impl DrainCursor<'_> {
    /// Records the progress on disk unless that was already done, and frees the space of messages that are done.
    fn note(&mut self, id: &str) {
        let done = self.fill.done();
        if self.reader.freed == done {
            return;
        }
        if let Err(error) = self.reader.note(done) {
            tracing::warn!(
                destination = id,
                "messages may be sent again, as their delivery cannot be recorded: {error}"
            );
            return;
        }
        // Messages can no longer be counted once they are removed.
        if self.ledger.write().is_err() {
            return;
        }
        let mut freed = self.reader.free();
        // Freeing space takes a few kilobytes.
        while matches!(freed, Err(DiskError::Full { .. })) && (self.makes_room)() {
            freed = self.reader.free();
        }
        match freed {
            Ok((_, aside)) => aside.iter().for_each(|name| {
                tracing::error!(destination = id, "a damaged file of the queue is kept as journal/{name}");
            }),
            Err(error) => {
                tracing::warn!(destination = id, "the space of sent messages cannot be freed: {error}");
            }
        }
    }
}

/// The state that each connection needs in order to wait.
struct Pauses<'a> {
    id: &'a str,
    control: &'a Control,
    counters: &'a DestinationCounters,
}

impl Pauses<'_> {
    /// Logs a failure and waits before another attempt; `false` if none is to be made.
    fn pause(&self, config: &Arc<Config>, reason: &str, wait: Duration) -> bool {
        let wait = wait.mul_f64(1.0 + JITTER * random());
        let now = clock::now();
        let nanos = i64::try_from(wait.as_nanos()).unwrap_or(i64::MAX);
        if self.counters.failed(reason, now, Some(now.saturating_add(nanos))) {
            tracing::warn!(destination = self.id, "messages wait in the queue: {reason}");
        }
        self.control.pause_between_attempts(config, wait)
    }
}

/// The refused messages, each as a batch, with the reason. Messages after `done` are sent again.
fn refused_before(done: u64, outcome: &DeliveryOutcome<'_>) -> Vec<(Arc<Batch>, String)> {
    let refused = outcome.refused.iter().filter(|(message, _)| message.sequence < done);
    let alone = |message: &OutgoingMessage<'_>| {
        let mut row = Selection::none(message.batch.rows());
        row.insert(message.row);
        Arc::new(message.batch.take(&row))
    };
    refused.map(|(message, reason)| (alone(message), reason.clone())).collect()
}

fn opened<'a>(
    open: &'a mut OpenSinks,
    config: &Arc<Config>,
    folders: &Arc<Folders>,
) -> &'a mut [Box<dyn MessageSink>] {
    if open.as_ref().is_some_and(|(of, _)| !Arc::ptr_eq(of, config)) {
        *open = None;
    }
    let (_, sinks) = open.get_or_insert_with(|| (config.clone(), kinds::sinks(config, folders)));
    sinks
}

/// Whether messages that cannot be read are skipped after this number of attempts.
fn passes_over(cause: MissingCause, attempts: u32) -> bool {
    cause != MissingCause::NotRead && READ_ATTEMPTS_MAX < attempts
}

/// The pause after this number of attempts to read.
fn read_wait(attempts: u32) -> Duration {
    let doublings = attempts.saturating_sub(READ_ATTEMPTS_MAX).min(10);
    READ_WAIT.saturating_mul(1 << doublings).min(READ_WAIT_MAX)
}

/// A random number between -1 and 1.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_damaged_is_passed_over() {
        assert!(
            !passes_over(MissingCause::Damaged, READ_ATTEMPTS_MAX)
                && passes_over(MissingCause::Damaged, READ_ATTEMPTS_MAX + 1)
        );
        assert!(!passes_over(MissingCause::NotRead, u32::MAX));
        let waits: Vec<_> = (1..100).map(read_wait).collect();
        assert_eq!((waits[0], waits[98]), (READ_WAIT, READ_WAIT_MAX));
        assert!(waits.is_sorted());
    }
}
