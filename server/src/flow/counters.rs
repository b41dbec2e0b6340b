//! What happened, counted: one struct for each source, route, destination and logspace, shared by those who count
//! and those who show. Counters outlive a change of the router document: an id keeps its counts.

use super::requests::Requests;
use logstead_record::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

/// A number that only grows.
#[derive(Default, Debug)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, amount: usize) {
        self.0.fetch_add(amount as u64, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that goes up and down.
#[derive(Default, Debug)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    pub(crate) fn add(&self, amount: i64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why messages were dropped, and how many; or bytes.
#[derive(Default, Debug)]
pub(crate) struct Drops(Mutex<BTreeMap<&'static str, u64>>);

impl Drops {
    pub(crate) fn add(&self, reason: &'static str, messages: usize) {
        if 0 < messages {
            *self.0.lock().entry(reason).or_default() += messages as u64;
        }
    }

    pub(crate) fn get(&self) -> BTreeMap<String, u64> {
        self.0.lock().iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
    }
}

/// Messages per second, from the counts of the last two looks at least a second apart.
#[derive(Debug, Default)]
pub(crate) struct Rate(Mutex<RateState>);

#[derive(Debug, Default)]
struct RateState {
    at: Option<Instant>,
    count: u64,
    per_second: f64,
}

impl Rate {
    /// Minimum time between looks for a new figure.
    const WINDOW_SECONDS: f64 = 1.0;

    pub(crate) fn look(&self, count: u64, now: Instant) -> f64 {
        let mut state = self.0.lock();
        let passed = state.at.map(|at| now.duration_since(at).as_secs_f64());
        if passed.is_none_or(|passed| Self::WINDOW_SECONDS <= passed) {
            state.per_second =
                passed.map_or(0.0, |passed| (count.saturating_sub(state.count)) as f64 / passed);
            (state.at, state.count) = (Some(now), count);
        }
        state.per_second
    }
}

/// A histogram of amounts, with a bucket for each power of two.
#[derive(Default, Debug)]
pub(crate) struct Sizes {
    buckets: [Counter; Sizes::BUCKETS],
    sum: Counter,
}

impl Sizes {
    /// The last bucket holds everything beyond the others.
    const BUCKETS: usize = 26;

    pub(crate) fn add(&self, amount: usize) {
        let bucket = amount.max(1).next_power_of_two().trailing_zeros() as usize;
        self.buckets[bucket.min(Self::BUCKETS - 1)].add(1);
        self.sum.add(amount);
    }

    /// The number of amounts up to each power of two, the sum of all, and their number.
    pub(crate) fn get(&self) -> (Vec<(u64, u64)>, u64, u64) {
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

/// What one source received.
#[derive(Default, Debug)]
pub(crate) struct SourceCounters {
    pub(crate) messages: Counter,
    pub(crate) bytes: Counter,
    pub(crate) read_bytes: Sizes,
    pub(crate) read_messages: Sizes,
    pub(crate) unparsed: Counter,
    /// Messages that revealed a bug in a parser, and are kept unparsed.
    pub(crate) parser_failures: Counter,
    pub(crate) truncated: Counter,
    pub(crate) incomplete: Counter,
    /// Messages, and their bytes, that stood where a frame should begin.
    pub(crate) out_of_step: Counter,
    pub(crate) out_of_step_bytes: Counter,
    pub(crate) undelimited: Counter,
    /// Bytes that no message holds, by reason.
    pub(crate) skipped_bytes: Drops,
    /// Delimiters, lengths and empty lines between messages.
    pub(crate) framing_bytes: Counter,
    pub(crate) unrouted: Counter,
    pub(crate) connections: Gauge,
    pub(crate) dropped: Drops,
    pub(crate) last_seen: AtomicI64,
    /// How far the senders' clocks are behind ours, by the last message with a time, in nanoseconds.
    pub(crate) skew: AtomicI64,
    pub(crate) rate: Rate,
    /// The last thing that went wrong with a sender.
    pub(crate) last_error: Mutex<Option<String>>,
}

impl SourceCounters {
    /// A coalesced read was handed to the workers.
    pub(crate) fn read(&self, bytes: usize, messages: usize) {
        self.read_bytes.add(bytes);
        self.read_messages.add(messages);
    }

    /// How far the senders' clocks are behind ours.
    pub(crate) fn skew_ms(&self) -> i64 {
        self.skew.load(Ordering::Relaxed) / 1_000_000
    }

    pub(crate) fn last_seen(&self) -> Option<Timestamp> {
        let nanos = self.last_seen.load(Ordering::Relaxed);
        (nanos != 0).then_some(Timestamp::from_nanos(nanos))
    }
}

/// What one route matched.
#[derive(Default, Debug)]
pub(crate) struct RouteCounters {
    pub(crate) messages: Counter,
    pub(crate) rate: Rate,
    /// By number and kind.
    steps: Mutex<BTreeMap<(usize, &'static str), Arc<StepCounters>>>,
}

impl RouteCounters {
    pub(crate) fn step(&self, number: usize, kind: &'static str) -> Arc<StepCounters> {
        self.steps.lock().entry((number, kind)).or_default().clone()
    }
}

/// What one step of a route did.
#[derive(Default, Debug)]
pub(crate) struct StepCounters {
    /// Messages that got there and that it concerned.
    pub(crate) messages: Counter,
    pub(crate) changed: Counter,
    pub(crate) dropped: Counter,
    pub(crate) failed: Counter,
}

/// What one destination took.
#[derive(Default, Debug)]
pub(crate) struct DestinationCounters {
    /// Messages that were put into its queue.
    pub(crate) queued: Counter,
    /// Messages that the other side accepted.
    pub(crate) messages: Counter,
    /// Messages that it refused.
    pub(crate) quarantined: Counter,
    /// Why nothing can be queued.
    pub(crate) queue_error: Mutex<Option<String>>,
    pub(crate) bytes: Counter,
    pub(crate) dropped: Drops,
    pub(crate) rate: Rate,
    pub(crate) last_error: Mutex<Option<String>>,
    failing: Mutex<Option<Failing>>,
}

/// Since when nothing can be sent, and when that is tried next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failing {
    pub(crate) since: Timestamp,
    pub(crate) next_try: Option<Timestamp>,
}

impl DestinationCounters {
    /// Nothing can be sent; says whether that is new.
    pub(crate) fn failed(&self, reason: &str, now: Timestamp, next_try: Option<Timestamp>) -> bool {
        *self.last_error.lock() = Some(reason.to_owned());
        let mut failing = self.failing.lock();
        let since = failing.map_or(now, |before| before.since);
        failing.replace(Failing { since, next_try }).is_none()
    }

    /// Something was sent, or nothing is to be sent any more; says whether that is new.
    pub(crate) fn recovered(&self) -> bool {
        self.failing.lock().take().is_some()
    }

    pub(crate) fn failing(&self) -> Option<Failing> {
        *self.failing.lock()
    }
}

/// What one logspace stored.
#[derive(Default, Debug)]
pub(crate) struct LogspaceCounters {
    pub(crate) messages: Counter,
    pub(crate) commits: Counter,
    pub(crate) batches: Counter,
    pub(crate) dropped: Drops,
    pub(crate) rate: Rate,
    /// How long appending waited for messages to be sealed.
    pub(crate) held_back_micros: Counter,
    pub(crate) last_error: Mutex<Option<String>>,
    pub(crate) keep: KeepCounters,
}

/// What was done to maintain one logspace.
#[derive(Default, Debug)]
pub(crate) struct KeepCounters {
    /// Messages that were moved from the journal into segments.
    pub(crate) sealed: Counter,
    /// Segments they became.
    pub(crate) segments: Counter,
    /// Messages whose index was rebuilt.
    pub(crate) indexed: Counter,
    /// Messages of small segments that were joined.
    pub(crate) joined: Counter,
    pub(crate) failures: Counter,
    /// How long all of it took.
    pub(crate) micros: Counter,
    /// Why the last task failed; none after a success.
    pub(crate) last_error: Mutex<Option<String>>,
}

/// What happened at the web port.
#[derive(Default, Debug)]
pub(crate) struct WebCounters {
    /// Open connections, and how many may be.
    pub(crate) connections: Gauge,
    pub(crate) connections_max: Gauge,
    pub(crate) accepted: Counter,
    /// Connections that found no place, by reason.
    pub(crate) refused: Drops,
    /// Connections that were ended, by reason.
    pub(crate) ended: Drops,
    /// Without what encryption adds.
    pub(crate) received_bytes: Counter,
    pub(crate) sent_bytes: Counter,
    /// Sockets that are listened on, by what is spoken there.
    pub(crate) listeners: Drops,
    /// When the certificate ends, in seconds since 1970; 0 without one.
    pub(crate) certificate_expires: AtomicI64,
    /// Logins that were refused, by reason.
    pub(crate) logins_refused: Drops,
    pub(crate) requests: Requests,
}

/// Every counter by the id of what it counts.
#[derive(Default, Debug)]
pub(crate) struct Counters {
    pub(crate) web: WebCounters,
    sources: Mutex<HashMap<String, Arc<SourceCounters>>>,
    routes: Mutex<HashMap<String, Arc<RouteCounters>>>,
    destinations: Mutex<HashMap<String, Arc<DestinationCounters>>>,
    logspaces: Mutex<HashMap<String, Arc<LogspaceCounters>>>,
    pub(crate) unrouted: Counter,
}

impl Counters {
    pub(crate) fn source(&self, id: &str) -> Arc<SourceCounters> {
        by_id(&self.sources, id)
    }

    /// Messages of all sources whose format was not recognised.
    pub(crate) fn unparsed(&self) -> u64 {
        self.sources.lock().values().map(|source| source.unparsed.get()).sum()
    }

    pub(crate) fn route(&self, id: &str) -> Arc<RouteCounters> {
        by_id(&self.routes, id)
    }

    pub(crate) fn destination(&self, id: &str) -> Arc<DestinationCounters> {
        by_id(&self.destinations, id)
    }

    pub(crate) fn logspace(&self, id: &str) -> Arc<LogspaceCounters> {
        by_id(&self.logspaces, id)
    }
}

fn by_id<T: Default>(all: &Mutex<HashMap<String, Arc<T>>>, id: &str) -> Arc<T> {
    all.lock().entry(id.to_owned()).or_default().clone()
}
