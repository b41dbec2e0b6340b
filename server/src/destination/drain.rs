//! The thread of a destination: it reads its queue, sends what it reads, and notes how far it is done.
//!
//! **Invariant:** a message is done with once it was delivered, is in the quarantine, or was discarded; one that cannot be
//! read is tried again before it is passed over.

use super::control::{Control, Situation, Task};
use super::delivery::{self, Outcome};
use super::kinds;
use super::parcel::{Gone, Parcel};
use super::quarantine::Quarantine;
use super::queue::Fill;
use super::sink::{Message, Sink};
use crate::flow::counters::DestinationCounters;
use crate::machine::folders::Folders;
use logstead_config::Destination as Config;
use logstead_indexer::QueueReader;
use logstead_record::{Batch, Selection};
use parking_lot::Mutex;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long after messages were sent it is noted that they were: after a crash they are sent again.
const NOTE_INTERVAL: Duration = Duration::from_secs(1);
/// What cannot be read is tried again this often, with pauses, before it is passed over.
const READ_ATTEMPTS_MAX: u32 = 10;
const READ_WAIT: Duration = Duration::from_secs(1);
/// A bug may concern only one moment, or one message until the program is mended.
const BUG_WAIT: Duration = Duration::from_secs(10);
/// Pauses are this much shorter or longer, so that many senders do not come back at the same time.
const JITTER: f64 = 0.2;

pub(super) struct Drain {
    pub(super) id: String,
    pub(super) folders: Arc<Folders>,
    pub(super) control: Arc<Control>,
    pub(super) reader: QueueReader,
    pub(super) fill: Arc<Fill>,
    pub(super) quarantine: Arc<Mutex<Quarantine>>,
    pub(super) counters: Arc<DestinationCounters>,
}

/// The sink of a configuration.
type Open = Option<(Arc<Config>, Box<dyn Sink>)>;

impl Drain {
    pub(super) fn run(mut self) {
        let mut sink = None;
        let mut note_at = None;
        let mut unreadable = 0;
        loop {
            let has_more = || self.reader.next() < self.fill.end();
            let situation = Situation { has_more: &has_more, done: self.fill.done(), note_at };
            match self.control.next(&situation) {
                Task::Send(config) => {
                    let sent =
                        catch_unwind(AssertUnwindSafe(|| self.send(&config, &mut sink, &mut unreadable)));
                    if sent.is_err() {
                        sink = None;
                        self.go_back();
                        self.pause(&config, "a bug in this kind of destination; please report it", BUG_WAIT);
                    }
                }
                Task::Discard(before) => self.discard(before),
                Task::Note => {
                    note_at = None;
                    self.note();
                }
                Task::End => break,
            }
            let is_noted = self.reader.done() == self.fill.done();
            note_at = (!is_noted).then(|| note_at.unwrap_or_else(|| Instant::now() + NOTE_INTERVAL));
        }
        self.note();
        self.control.ended();
    }

    /// Sends what comes next, if it can.
    fn send(&mut self, config: &Arc<Config>, sink: &mut Open, unreadable: &mut u32) {
        let parcel = Parcel::read(&mut self.reader);
        parcel.gone.iter().for_each(|gone| self.count_gone("expired", gone));
        let messages = parcel.messages();
        if messages.is_empty() {
            self.advance(parcel.end);
            match parcel.unreadable {
                Some(gone) => self.retry_reading(config, &gone, unreadable),
                None => *unreadable = 0,
            }
            return;
        }
        *unreadable = 0;
        let sink = opened(sink, config, &self.folders);
        let outcome = delivery::deliver(sink, messages, &mut |reason, wait| self.pause(config, reason, wait));
        self.settle(config, &outcome, &parcel);
    }

    /// Notes what became of a parcel.
    fn settle(&mut self, config: &Arc<Config>, outcome: &Outcome<'_>, parcel: &Parcel) {
        let done = outcome.left.unwrap_or(parcel.end);
        let refused = refused_before(done, outcome);
        if !self.keep(config, &refused) {
            // All of them are sent again.
            self.go_back();
            return;
        }
        self.counters.quarantined.add(refused.len());
        self.counters.messages.add(parcel.messages_before(done) - refused.len());
        self.counters.bytes.add(outcome.bytes);
        self.advance(done);
        if outcome.left.is_some() {
            self.go_back();
        } else if self.counters.retrying.swap(false, Ordering::Relaxed) {
            tracing::info!(destination = self.id, "the destination takes messages again");
        }
    }

    /// Reads again what is not done with.
    fn go_back(&mut self) {
        self.reader.rewind();
        self.reader.skip(self.fill.done());
    }

    /// Puts messages into the quarantine; `false` if that was interrupted.
    fn keep(&self, config: &Arc<Config>, refused: &[(Arc<Batch>, String)]) -> bool {
        let Some((_, reason)) = refused.first() else { return true };
        tracing::warn!(
            destination = self.id,
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

    fn advance(&self, done: u64) {
        self.fill.done.fetch_max(done, Ordering::AcqRel);
    }

    fn discard(&mut self, before: u64) {
        let before = before.min(self.fill.end());
        let discarded = before.saturating_sub(self.fill.done()) as usize;
        self.counters.dropped.add("discarded", discarded);
        self.reader.skip(before);
        self.advance(before);
        self.note();
    }

    /// Notes on the disk how far it is done, and frees what is done with.
    fn note(&mut self) {
        if let Err(error) = self.reader.done_with(self.fill.done()) {
            tracing::warn!(
                destination = self.id,
                "messages may be sent again, as it cannot be noted that they were: {error}"
            );
        }
    }

    fn retry_reading(&mut self, config: &Arc<Config>, gone: &Gone, attempts: &mut u32) {
        *attempts += 1;
        if *attempts <= READ_ATTEMPTS_MAX {
            let reason = format!("messages of the queue cannot be read: {}", gone.why);
            self.pause(config, &reason, READ_WAIT);
            return;
        }
        tracing::error!(
            destination = self.id,
            "messages of the queue are passed over, as they cannot be read: {}",
            gone.why
        );
        self.count_gone("unreadable", gone);
        self.reader.skip(gone.sequences.end);
        self.advance(gone.sequences.end);
        *attempts = 0;
    }

    fn count_gone(&self, reason: &'static str, gone: &Gone) {
        let first = gone.sequences.start.max(self.fill.done());
        self.counters.dropped.add(reason, gone.sequences.end.saturating_sub(first) as usize);
    }

    /// Says what failed and waits before another attempt; `false` if none is to be made.
    fn pause(&self, config: &Arc<Config>, reason: &str, wait: Duration) -> bool {
        *self.counters.last_error.lock() = Some(reason.to_owned());
        if !self.counters.retrying.swap(true, Ordering::Relaxed) {
            tracing::warn!(destination = self.id, "messages wait in the queue: {reason}");
        }
        self.control.pause_between_attempts(config, wait.mul_f64(1.0 + JITTER * random()))
    }
}

/// Messages that were refused, each as a batch, and why. Those behind are sent again.
fn refused_before(done: u64, outcome: &Outcome<'_>) -> Vec<(Arc<Batch>, String)> {
    let refused = outcome.refused.iter().filter(|(message, _)| message.sequence < done);
    let alone = |message: &Message<'_>| {
        let mut row = Selection::none(message.batch.rows());
        row.insert(message.row);
        Arc::new(message.batch.take(&row))
    };
    refused.map(|(message, reason)| (alone(message), reason.clone())).collect()
}

fn opened<'a>(open: &'a mut Open, config: &Arc<Config>, folders: &Arc<Folders>) -> &'a mut dyn Sink {
    if open.as_ref().is_some_and(|(of, _)| !Arc::ptr_eq(of, config)) {
        *open = None;
    }
    let (_, sink) = open.get_or_insert_with(|| (config.clone(), kinds::sink(config, folders)));
    &mut **sink
}

/// Between -1 and 1.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
