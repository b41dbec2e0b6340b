//! The counters of each source, route, destination and logspace, shared by the code that counts and the code that shows
//! them. Counters outlive a change of the router document: an id keeps its counts.

use super::requests::Requests;
use logstead_record::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

/// A number that only grows.
#[derive(Default, Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the count.
    pub fn add(&self, amount: usize) {
        self.0.fetch_add(amount as u64, Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Default, Debug)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// Adds to the value, or takes from it.
    pub fn add(&self, amount: i64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// The current value.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The number of messages (or bytes) that were dropped, by reason.
#[derive(Default, Debug)]
pub struct DropCounts(Mutex<BTreeMap<&'static str, u64>>);

impl DropCounts {
    /// Counts messages that were dropped for a reason.
    pub fn add(&self, reason: &'static str, messages: usize) {
        if 0 < messages {
            *self.0.lock().entry(reason).or_default() += messages as u64;
        }
    }

    /// The dropped messages by reason.
    pub fn get(&self) -> BTreeMap<String, u64> {
        self.0.lock().iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
    }
}

/// Messages per second, from the last two readings of a counter that were at least a second apart.
#[derive(Debug, Default)]
pub struct RateMeter(Mutex<RateState>);

#[derive(Debug, Default)]
struct RateState {
    at: Option<Instant>,
    count: u64,
    per_second: Option<f64>,
}

impl RateMeter {
    /// The minimum time between two readings for a new figure.
    const WINDOW_SECONDS: f64 = 1.0;
    /// The maximum time between two readings: over a longer time, the rate would say nothing about the last seconds.
    const WINDOW_SECONDS_MAX: f64 = 60.0;

    /// Takes a reading and returns the rate. `None` at the first reading, and if the one before is too old.
    pub fn look(&self, count: u64, now: Instant) -> Option<f64> {
        let mut state = self.0.lock();
        let passed = state.at.map(|at| now.duration_since(at).as_secs_f64());
        if passed.is_none_or(|passed| Self::WINDOW_SECONDS <= passed) {
            let passed = passed.filter(|passed| *passed <= Self::WINDOW_SECONDS_MAX);
            state.per_second = passed.map(|passed| (count.saturating_sub(state.count)) as f64 / passed);
            (state.at, state.count) = (Some(now), count);
        }
        state.per_second
    }
}

/// A histogram of amounts, with a bucket for each power of two.
#[derive(Default, Debug)]
pub struct Sizes {
    buckets: [Counter; Sizes::BUCKETS],
    sum: Counter,
}

impl Sizes {
    /// The number of buckets; the last one holds all larger amounts.
    const BUCKETS: usize = 26;

    /// Counts one read of this size.
    pub fn add(&self, amount: usize) {
        let bucket = amount.max(1).next_power_of_two().trailing_zeros() as usize;
        self.buckets[bucket.min(Self::BUCKETS - 1)].add(1);
        self.sum.add(amount);
    }

    /// The number of amounts up to each power of two, the sum of all, and their number.
    pub fn get(&self) -> (Vec<(u64, u64)>, u64, u64) {
        let mut count = 0;
        let buckets = self.buckets.iter().enumerate().map(|(power, bucket)| {
            count += bucket.get();
            (1 << power, count)
        });
        let mut buckets: Vec<(u64, u64)> = buckets.collect();
        buckets.pop();
        (buckets, self.sum.get(), count)
    }
}

/// The counters of one source.
#[derive(Default, Debug)]
pub struct SourceCounters {
    /// Messages received.
    pub messages: Counter,
    /// Bytes received.
    pub bytes: Counter,
    /// Bytes per read.
    pub read_bytes: Sizes,
    /// Messages per read.
    pub read_messages: Sizes,
    /// Messages that could not be parsed.
    pub unparsed: Counter,
    /// Messages that revealed a bug in a parser, and are kept unparsed.
    pub parser_failures: Counter,
    /// Messages that were cut to the maximum length.
    pub truncated: Counter,
    /// Messages whose end is missing.
    pub incomplete: Counter,
    /// Messages made from bytes that stood where a frame should begin.
    pub out_of_step: Counter,
    /// Bytes skipped while looking for the next frame.
    pub out_of_step_bytes: Counter,
    /// Messages that were not delimited.
    pub undelimited: Counter,
    /// Bytes that no message holds, by reason.
    pub skipped_bytes: DropCounts,
    /// Delimiters, lengths and empty lines between messages.
    pub framing_bytes: Counter,
    /// Messages that no route took.
    pub unrouted: Counter,
    /// Open connections.
    pub connections: Gauge,
    /// Messages dropped, by reason.
    pub dropped: DropCounts,
    /// The time of the last message, in nanoseconds.
    pub last_seen: AtomicI64,
    /// The time by which the senders' clocks are behind ours, from the last message with a time, in nanoseconds.
    pub skew: Mutex<Option<i64>>,
    /// Messages per second.
    pub rate: RateMeter,
    /// The last thing that went wrong with a sender.
    pub last_error: Mutex<Option<String>>,
}

impl SourceCounters {
    /// Counts a coalesced read that was handed to the workers.
    pub fn read(&self, bytes: usize, messages: usize) {
        self.read_bytes.add(bytes);
        self.read_messages.add(messages);
    }

    /// The time by which the senders' clocks are behind ours. `None` until a message with a time has arrived.
    pub fn skew_ms(&self) -> Option<i64> {
        self.skew.lock().map(|nanos| nanos / 1_000_000)
    }

    /// The time of the last message, if there was one.
    pub fn last_seen(&self) -> Option<Timestamp> {
        let nanos = self.last_seen.load(Ordering::Relaxed);
        (nanos != 0).then_some(Timestamp::from_nanos(nanos))
    }
}

/// The counters of one route.
#[derive(Default, Debug)]
pub struct RouteCounters {
    /// Messages that took the route.
    pub messages: Counter,
    /// Messages per second.
    pub rate: RateMeter,
    /// The counters of the steps, by number and kind.
    steps: Mutex<BTreeMap<(usize, &'static str), Arc<StepCounters>>>,
}

impl RouteCounters {
    /// The counters of a step of the route.
    pub fn step(&self, number: usize, kind: &'static str) -> Arc<StepCounters> {
        self.steps.lock().entry((number, kind)).or_default().clone()
    }
}

/// The counters of one step of a route.
#[derive(Default, Debug)]
pub struct StepCounters {
    /// Messages that reached the step and matched its condition.
    pub messages: Counter,
    /// Messages that the step changed.
    pub changed: Counter,
    /// Messages that the step dropped.
    pub dropped: Counter,
    /// Messages that the step could not process.
    pub failed: Counter,
}

/// The counters of one destination.
#[derive(Default, Debug)]
pub struct DestinationCounters {
    /// Messages that were put into its queue.
    pub queued: Counter,
    /// Messages that the other side accepted.
    pub messages: Counter,
    /// Messages that the other side refused.
    pub quarantined: Counter,
    /// The reason why nothing can be queued.
    pub queue_error: Mutex<Option<String>>,
    /// Bytes sent.
    pub bytes: Counter,
    /// Messages dropped, by reason.
    pub dropped: DropCounts,
    /// Messages per second.
    pub rate: RateMeter,
    /// The last error, until a delivery succeeds.
    pub last_error: Mutex<Option<String>>,
    failing: Mutex<Option<Outage>>,
}

/// An outage: the time since when nothing can be sent, and the next attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    /// The time when deliveries began to fail.
    pub since: Timestamp,
    /// When the next attempt is due.
    pub next_try: Option<Timestamp>,
}

impl DestinationCounters {
    /// Notes that nothing can be sent; returns whether that is new.
    pub fn failed(&self, reason: &str, now: Timestamp, next_try: Option<Timestamp>) -> bool {
        *self.last_error.lock() = Some(reason.to_owned());
        let mut failing = self.failing.lock();
        let since = failing.map_or(now, |before| before.since);
        failing.replace(Outage { since, next_try }).is_none()
    }

    /// Notes that messages were sent, or need not be sent any more; returns whether that is new.
    pub fn recovered(&self) -> bool {
        self.failing.lock().take().is_some()
    }

    /// The current outage, if deliveries are failing.
    pub fn failing(&self) -> Option<Outage> {
        *self.failing.lock()
    }
}

/// The counters of one logspace.
#[derive(Default, Debug)]
pub struct LogspaceCounters {
    /// Messages stored.
    pub messages: Counter,
    /// Commits to the journal.
    pub commits: Counter,
    /// Batches stored.
    pub batches: Counter,
    /// Messages dropped, by reason.
    pub dropped: DropCounts,
    /// Messages per second.
    pub rate: RateMeter,
    /// The time for which appending had to wait for sealing.
    pub held_back_micros: Counter,
    /// The last error, until storing succeeds.
    pub last_error: Mutex<Option<String>>,
    /// The counters of background maintenance: sealing, joining, expiry.
    pub keep: KeepCounters,
}

/// The counters of the maintenance of one logspace.
#[derive(Default, Debug)]
pub struct KeepCounters {
    /// Messages that were moved from the journal into segments.
    pub sealed: Counter,
    /// Segments made from these messages.
    pub segments: Counter,
    /// Messages whose index was rebuilt.
    pub indexed: Counter,
    /// Messages of small segments that were joined.
    pub joined: Counter,
    /// Attempts that failed.
    pub failures: Counter,
    /// The total time spent on maintenance.
    pub micros: Counter,
    /// The error of the last task; none after a success.
    pub last_error: Mutex<Option<String>>,
}

/// The counters of the web port.
#[derive(Default, Debug)]
pub struct WebCounters {
    /// Open connections.
    pub connections: Gauge,
    /// The maximum number of connections.
    pub connections_max: Gauge,
    /// Connections accepted.
    pub accepted: Counter,
    /// Connections that were refused, by reason.
    pub refused: DropCounts,
    /// Connections that were ended, by reason.
    pub ended: DropCounts,
    /// Bytes received from clients, without the overhead of encryption.
    pub received_bytes: Counter,
    /// Bytes sent to clients.
    pub sent_bytes: Counter,
    /// Listening sockets, by protocol.
    pub listeners: DropCounts,
    /// When the certificate expires, in seconds since 1970; 0 without one.
    pub certificate_expires: AtomicI64,
    /// Logins that were refused, by reason.
    pub logins_refused: DropCounts,
    /// Requests by endpoint and status.
    pub requests: Requests,
}

/// All counters, by the id of the thing that they count.
#[derive(Default, Debug)]
pub struct Counters {
    /// The web listener's counters.
    pub web: WebCounters,
    sources: Mutex<HashMap<String, Arc<SourceCounters>>>,
    routes: Mutex<HashMap<String, Arc<RouteCounters>>>,
    destinations: Mutex<HashMap<String, Arc<DestinationCounters>>>,
    logspaces: Mutex<HashMap<String, Arc<LogspaceCounters>>>,
    /// Messages that no route took.
    pub unrouted: Counter,
}

impl Counters {
    /// The counters of a source.
    pub fn source(&self, id: &str) -> Arc<SourceCounters> {
        by_id(&self.sources, id)
    }

    /// Messages of all sources whose format was not recognised.
    pub fn unparsed(&self) -> u64 {
        self.sources.lock().values().map(|source| source.unparsed.get()).sum()
    }

    /// The counters of a route.
    pub fn route(&self, id: &str) -> Arc<RouteCounters> {
        by_id(&self.routes, id)
    }

    /// The counters of a destination.
    pub fn destination(&self, id: &str) -> Arc<DestinationCounters> {
        by_id(&self.destinations, id)
    }

    /// The counters of a logspace.
    pub fn logspace(&self, id: &str) -> Arc<LogspaceCounters> {
        by_id(&self.logspaces, id)
    }
}

fn by_id<T: Default>(all: &Mutex<HashMap<String, Arc<T>>>, id: &str) -> Arc<T> {
    all.lock().entry(id.to_owned()).or_default().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_rate_that_is_not_measured_is_none_and_not_nothing() {
        let (rate, began) = (RateMeter::default(), Instant::now());
        let look = |count, seconds| rate.look(count, began + Duration::from_secs_f64(seconds));
        assert_eq!(look(10, 0.0), None, "there is nothing to compare with");
        assert_eq!(look(11, 0.5), None, "too soon after that");
        assert_eq!(look(30, 2.0), Some(10.0));
        assert_eq!(look(40, 2.5), Some(10.0), "as measured last");
        assert_eq!(look(40, 4.0), Some(5.0));
        assert_eq!(look(7240, 3604.0), None, "an hour says nothing of the last seconds");
        assert_eq!(look(7240, 3606.0), Some(0.0));
    }
}
