//! Counts of messages sent and acknowledged: written by a connection's thread, read by the thread that reports.
//!
//! **Invariant:** a message counts as sent once the system has accepted all its bytes, and as acknowledged once the receiver
//! has acknowledged it and every message before it.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The counts of one connection, over all its reconnections.
#[derive(Default)]
pub(super) struct ConnectionCounts {
    sent: AtomicU64,
    bytes: AtomicU64,
    acknowledged: AtomicU64,
    resent: AtomicU64,
    /// How often the connection broke, by reason.
    broken: Mutex<BTreeMap<String, u64>>,
}

/// The counts at one moment.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Total {
    /// Messages that the system has accepted for sending.
    pub sent: u64,
    /// Bytes of messages and their framing.
    pub bytes: u64,
    /// Messages that the receiver has confirmed.
    pub acknowledged: u64,
    /// Messages sent again because the connection broke before they were acknowledged.
    pub resent: u64,
    /// How often a connection broke.
    pub broken: u64,
}

/// The reason why a connection broke.
#[derive(Debug)]
pub(super) struct ConnectionError {
    pub(super) reason: String,
    /// Whether reconnecting would not help.
    pub(super) is_final: bool,
}

/// The conditions that end a connection.
pub(super) struct EndCondition<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) deadline: Option<Instant>,
}

impl ConnectionCounts {
    pub(super) fn sent(&self, messages: usize, bytes: usize) {
        self.sent.fetch_add(messages as u64, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn acknowledged(&self, messages: usize) {
        self.acknowledged.fetch_add(messages as u64, Ordering::Relaxed);
    }

    pub(super) fn resent(&self, messages: usize) {
        self.resent.fetch_add(messages as u64, Ordering::Relaxed);
    }

    pub(super) fn broke(&self, broken: &ConnectionError) {
        *self.broken.lock().entry(broken.reason.clone()).or_default() += 1;
    }

    pub(super) fn total(&self) -> Total {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Total {
            // Read before the sent messages, so that it never exceeds their number.
            acknowledged: get(&self.acknowledged),
            sent: get(&self.sent),
            bytes: get(&self.bytes),
            resent: get(&self.resent),
            broken: self.broken.lock().values().sum(),
        }
    }

    pub(super) fn reasons(&self) -> BTreeMap<String, u64> {
        self.broken.lock().clone()
    }
}

impl std::iter::Sum for Total {
    fn sum<I: Iterator<Item = Total>>(totals: I) -> Total {
        totals.fold(Total::default(), |sum, one| Total {
            sent: sum.sent + one.sent,
            bytes: sum.bytes + one.bytes,
            acknowledged: sum.acknowledged + one.acknowledged,
            resent: sum.resent + one.resent,
            broken: sum.broken + one.broken,
        })
    }
}

impl EndCondition<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Shortens a wait to the time that is left.
    pub(super) fn cut(&self, wait: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(wait, |left| wait.min(left))
    }
}

impl ConnectionError {
    pub(super) fn new(reason: impl Into<String>) -> ConnectionError {
        ConnectionError { reason: reason.into(), is_final: false }
    }

    pub(super) fn fatal(reason: impl Into<String>) -> ConnectionError {
        ConnectionError { reason: reason.into(), is_final: true }
    }

    /// Makes an error from an I/O error and the action that failed.
    pub(super) fn io(what: &str, error: &io::Error) -> ConnectionError {
        ConnectionError::new(format!("{what}: {error}"))
    }
}

/// Whether an error only means that a wait timed out: sockets have timeouts so that their threads notice the end of
/// the run.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
