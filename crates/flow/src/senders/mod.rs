//! The registry of senders: the hosts of every source, with the amount and regularity of what each sends, and the
//! error of its clock.
//!
//! | file         | what it is                                                |
//! |--------------|-----------------------------------------------------------|
//! | `tally`      | the figures of one batch about each of its senders        |
//! | `recent`     | the figures of the last second                            |
//! | `sender`     | the record of one sender                                  |
//! | `series`     | how many messages it sent in each five minutes of a day   |
//! | `habit`      | how long it usually pauses                                |
//! | `skew`       | how far its clock is from ours                            |
//! | `few_counts` | counts by number, of which there are few                  |
//! | `skipped`    | bytes of an address that no message holds                 |
//! | `registry`   | all of them                                               |
//! | `room`       | the choice of senders to forget when the registry is full |
//! | `file`       | the registry on the disk                                  |
//! | `report`     | the registry, to be shown                                 |
//!
//! It is written every five minutes, soon after a new sender is heard, and when the process stops. A crash loses the
//! figures about senders of the last minutes, but hardly a sender, and never messages: the [ledger](super::ledger) counts
//! those.

mod few_counts;
mod file;
mod habit;
mod recent;
mod registry;
mod report;
mod room;
mod sender;
mod series;
mod skew;
mod skipped;
mod tally;

pub use report::{SenderQuery, SenderReport as Report, SourceFacts};
pub use sender::SenderKey;
pub use skipped::{SkippedBytes, SkippedSample};

use crate::machine::clock;
use logstead_indexer::Disk;
use logstead_record::{Batch, Timestamp};
use parking_lot::{Condvar, Mutex, MutexGuard};
use registry::Registry;
use sender::{Arrival, SenderRecord, printable};
use skipped::SkippedTotals;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tally::{Tally, tallies};

/// The maximum number of senders. When it is reached, those that sent only once make [room](room): a sender that
/// invents hosts must neither push out known senders nor keep out new ones.
const SENDERS_MAX: usize = 10_000;
/// The maximum number of addresses that are kept for bytes that no message holds; the bytes of further ones are only
/// counted.
const SKIPPED_MAX: usize = 1000;
/// A sender is forgotten after this long without a message.
const KEPT_NANOS: i64 = 90 * 86_400 * 1_000_000_000;
const WRITE_INTERVAL: Duration = Duration::from_secs(300);
/// The least time between two writes for new senders: one that is forgotten by a crash would be called unknown.
const NEW_SENDER_INTERVAL: Duration = Duration::from_secs(1);
/// Writes for new senders take at most one part of this many of the time, however many senders there are.
const NEW_SENDER_SHARE: u32 = 50;
/// The field with the subject of a sender's certificate.
const TLS_SUBJECT: &[u8] = b"tls.subject";

/// See the documentation of the module.
pub struct Senders {
    registry: Mutex<Registry>,
    /// The time since when messages could be received.
    listening_since: Timestamp,
    /// The minimum time without messages after which a sender is silent.
    silent_after: Duration,
    disk: Arc<dyn Disk>,
    data: PathBuf,
    wanted: Mutex<WantedWrite>,
    wake: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The write of the registry that somebody waits for.
#[derive(Default)]
struct WantedWrite {
    /// A sender is new.
    soon: bool,
    /// The process stops.
    last: bool,
}

/// The way in which messages reached us, as far as the batch does not contain it.
pub struct ReceivedVia<'a> {
    /// The source's id.
    pub source: &'a Arc<str>,
    /// The transport of each row.
    pub transport: &'a dyn Fn(usize) -> &'a str,
}

impl Senders {
    /// Opens the registry of senders; a sender is silent after this long.
    pub fn open(disk: Arc<dyn Disk>, data: &Path, silent_after: Duration) -> Senders {
        let now = clock::now();
        let mut registry = file::read(&*disk, data).unwrap_or_default();
        registry.began.get_or_insert(now.nanos());
        Senders {
            registry: Mutex::new(registry),
            listening_since: now,
            silent_after,
            disk,
            data: data.to_owned(),
            wanted: Mutex::default(),
            wake: Condvar::new(),
            thread: Mutex::default(),
        }
    }

    /// Starts the thread that writes the registry.
    pub fn start(self: &Arc<Senders>) -> io::Result<()> {
        let senders = self.clone();
        let thread = std::thread::Builder::new().name("senders".to_owned()).spawn(move || senders.run())?;
        *self.thread.lock() = Some(thread);
        Ok(())
    }

    fn run(&self) {
        let mut failed = false;
        let mut took = None;
        loop {
            let wanted = self.wait(took);
            let begun = Instant::now();
            match self.write() {
                Ok(()) => failed = false,
                Err(error) if !failed => {
                    failed = true;
                    tracing::warn!("the figures of senders cannot be saved; this is tried again: {error}");
                }
                Err(_) => {}
            }
            took = Some(begun.elapsed());
            if wanted.last {
                return;
            }
        }
    }

    /// Waits until the registry is to be written. The last write took this long; the first need not wait.
    fn wait(&self, took: Option<Duration>) -> WantedWrite {
        let now = Instant::now();
        let soon = now + took.map_or(Duration::ZERO, |took| NEW_SENDER_INTERVAL.max(took * NEW_SENDER_SHARE));
        let latest = now + WRITE_INTERVAL;
        let mut wanted = self.wanted.lock();
        while !wanted.last {
            let until = if wanted.soon { soon.min(latest) } else { latest };
            if self.wake.wait_until(&mut wanted, until).timed_out() {
                break;
            }
        }
        WantedWrite { soon: std::mem::take(&mut wanted.soon), last: wanted.last }
    }

    /// Writes everything and ends the thread.
    pub fn stop(&self) {
        self.wanted.lock().last = true;
        self.wake.notify_all();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the senders ended with a panic");
        }
    }

    /// Records the senders of a batch.
    pub fn add(&self, batch: &Batch, via: &ReceivedVia<'_>) {
        let tallies = tallies(batch);
        let now = match batch.rows().checked_sub(1) {
            Some(last) => batch.received(last),
            None => return,
        };
        let has_subjects = batch.columns().field_names.values().iter().any(|name| name == TLS_SUBJECT);
        let mut registry = self.registry.lock();
        let known = registry.senders.len();
        for tally in &tallies {
            let mut fields = batch.fields(tally.last).take_while(|_| has_subjects);
            let came = Arrival {
                address: batch.peer(tally.last),
                via: (via.transport)(tally.last),
                tls_subject: fields.find(|(name, _)| *name == TLS_SUBJECT).map(|(_, subject)| subject),
            };
            if !registry.recent.takes(now) {
                registry.settle(self.listening_since);
            }
            if !registry.recent.add(via.source, tally.host, &tally.figures, &came, now) {
                self.add_to_record(&mut registry, via.source, tally, &came, now);
            }
        }
        registry.changed = true;
        let is_new = known < registry.senders.len();
        drop(registry);
        if is_new {
            self.wanted.lock().soon = true;
            self.wake.notify_all();
        }
    }

    /// Adds figures to the record of a sender that is not among the recent ones; it is made if there is room.
    fn add_to_record(
        &self,
        registry: &mut Registry,
        source: &Arc<str>,
        tally: &Tally<'_>,
        came: &Arrival<'_>,
        now: Timestamp,
    ) {
        let key = SenderKey { source: source.clone(), host: printable(tally.host) };
        let is_known = registry.senders.contains_key(&key);
        if !is_known && SENDERS_MAX <= registry.senders.len() {
            registry.settle(self.listening_since);
            if !room::make(registry, &key.source, came.address, now) {
                registry.left_out += tally.figures.messages;
                return;
            }
            registry.recent.clear();
        }
        let record = registry.senders.entry(key.clone()).or_insert_with(|| SenderRecord::first_seen(now));
        record.add(&tally.figures, came, now..=now, self.listening_since);
        registry.recent.know(key, tally.host);
    }

    /// Counts bytes that came through a source and that no message holds. Their sender is known by its address alone.
    pub fn skipped(&self, source: &Arc<str>, address: &str, skip: &SkippedBytes<'_>) {
        let now = clock::now();
        let key = SenderKey { source: source.clone(), host: printable(address.as_bytes()) };
        let mut registry = self.registry.lock();
        registry.changed = true;
        let has_room = registry.skipped.len() < SKIPPED_MAX;
        match registry.skipped.get_mut(&key) {
            Some(skipped) => skipped.add(skip, now),
            None if has_room => {
                registry.skipped.entry(key).or_insert_with(|| SkippedTotals::first_seen(now)).add(skip, now)
            }
            None => registry.skipped_left_out += skip.bytes,
        }
    }

    /// The last bytes of an address that no message holds, the newest first. They are kept in memory only.
    pub fn samples(&self, key: &SenderKey) -> Vec<SkippedSample> {
        let registry = self.registry.lock();
        registry
            .skipped
            .get(key)
            .map_or_else(Vec::new, |skipped| skipped.samples.iter().rev().cloned().collect())
    }

    /// Forgets a sender; returns whether there was one. If it sends again, it is new.
    pub fn forget(&self, key: &SenderKey) -> bool {
        let mut registry = self.settled();
        registry.recent.clear();
        let was_there = registry.senders.remove(key).is_some() | registry.skipped.remove(key).is_some();
        registry.changed |= was_there;
        was_there
    }

    /// Forgets all senders with this text in a name, or of these only the ones that sent just once; returns their
    /// number.
    pub fn forget_all(&self, text: &str, only_once: bool) -> usize {
        let text = text.to_lowercase();
        let mut registry = self.settled();
        registry.recent.clear();
        let before = registry.senders.len();
        registry
            .senders
            .retain(|key, sender| !report::matches(key, sender, &text) || only_once && sender.goes_on());
        let forgotten = before - registry.senders.len();
        registry.changed |= 0 < forgotten;
        forgotten
    }

    /// When a sender was last seen.
    pub fn last_seen(&self, key: &SenderKey) -> Option<Timestamp> {
        self.settled().senders.get(key).map(|sender| Timestamp::from_nanos(sender.last_seen))
    }

    /// The requested senders, and their state.
    pub fn report(&self, wanted: &SenderQuery<'_>) -> Report {
        let heard = report::ListeningPeriod {
            now: clock::now(),
            listening_since: self.listening_since,
            silent_after: self.silent_after,
        };
        report::report(&self.settled(), wanted, &heard)
    }

    /// The registry, with all figures in the records of their senders.
    fn settled(&self) -> MutexGuard<'_, Registry> {
        let mut registry = self.registry.lock();
        registry.settle(self.listening_since);
        registry
    }

    /// Writes the registry if it changed since the last time.
    fn write(&self) -> io::Result<()> {
        let mut registry = self.settled();
        let oldest = clock::now().nanos() - KEPT_NANOS;
        let before = registry.senders.len();
        registry.senders.retain(|_, sender| oldest <= sender.last_seen);
        if registry.senders.len() < before {
            registry.recent.clear();
        }
        registry.skipped.retain(|_, skipped| oldest <= skipped.last_seen);
        if !std::mem::take(&mut registry.changed) {
            return Ok(());
        }
        // The copy is written without the lock: workers must not wait for the disk.
        let copy = Registry {
            senders: registry.senders.clone(),
            skipped: registry.skipped.clone(),
            began: registry.began,
            ..Registry::default()
        };
        drop(registry);
        file::write(&*self.disk, &self.data, &copy).inspect_err(|_| self.registry.lock().changed = true)
    }
}

#[cfg(test)]
mod tests;
