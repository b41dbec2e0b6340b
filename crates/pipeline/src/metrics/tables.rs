//! The metrics, a table for each kind of thing.

use super::super::running::RunningState;
use super::super::status::{DestinationStatus, RouteStatus, SourceStatus, Status, StepStatus};
use super::row::MetricValues::{self, By, Decimal, One};
use super::row::{MetricRow, counter, gauge, histogram};
use crate::logspace::Logspace;
use logstead_flow::counters::{Gauge, LogspaceCounters, WebCounters};
use logstead_flow::ledger::{DestinationRow, SourceRow};
use logstead_flow::machine::memory::{self, Shares};
use logstead_flow::machine::process;
use logstead_flow::machine::sockets::SocketLimit;
use logstead_flow::requests::EndpointAnswers;
use logstead_indexer::{Backlog, CacheUses, Space, Stats};
use logstead_receive::SourceContext;
use std::sync::atomic::Ordering;

// How values are read off a thing of each kind.
type RouterReader = fn(&&Status) -> MetricValues;
type SourceReader = fn(&SourceMetrics<'_>) -> MetricValues;
type RouteReader = fn(&&RouteStatus) -> MetricValues;
type DestinationReader = fn(&&DestinationStatus) -> MetricValues;
type FlowReader = fn(&&SourceRow) -> MetricValues;
type QueueReader = fn(&&DestinationRow) -> MetricValues;
type LogspaceReader = fn(&LogspaceMetrics<'_>) -> MetricValues;
type ProcessReader = fn(&ProcessMetrics<'_>) -> MetricValues;
type EndpointReader = fn(&EndpointAnswers) -> MetricValues;

/// A source, with the context of its thread if it has one.
pub(super) struct SourceMetrics<'a> {
    pub(super) status: &'a SourceStatus,
    pub(super) source: Option<&'a SourceContext>,
}

/// A logspace at this moment.
pub(super) struct LogspaceMetrics<'a> {
    stats: Stats,
    backlog: Backlog,
    cache: CacheUses,
    counters: &'a LogspaceCounters,
}

/// The process at this moment.
pub(super) struct ProcessMetrics<'a> {
    /// The space on the disk of the data directory; none if it is not known.
    pub(super) space: Option<Space>,
    pub(super) web: &'a WebCounters,
    pub(super) sockets: &'a SocketLimit,
    pub(super) memory: [MemoryUse; 6],
    pub(super) gauge: &'a memory::Gauge,
    pub(super) own: Option<process::ProcessFigures>,
}

/// A kind of memory use that is counted: how much it is, and how much it may be, if a setting says so.
pub(super) struct MemoryUse {
    kind: &'static str,
    bytes: usize,
    bytes_max: Option<usize>,
}

pub(super) const ROUTER: &[MetricRow<RouterReader>] = &[
    gauge("build_info", "Always 1.", |_| By("version", vec![(env!("CARGO_PKG_VERSION").to_owned(), 1)])),
    gauge("router_revision", "The live revision of the router document.", |of| One(of.revision)),
    gauge(
        "expiry_held",
        "1 while no message is removed by age, as the clock left where it should be.",
        |of| One(u64::from(of.expiry_held.is_some())),
    ),
    counter("unrouted_messages_total", "Messages that no route matched: dropped.", |of| {
        One(of.unrouted_messages)
    }),
];

pub(super) const SOURCES: &[MetricRow<SourceReader>] = &[
    counter("source_messages_total", "Messages received.", |of| One(of.status.messages)),
    counter("source_bytes_total", "Bytes of messages received.", |of| One(of.status.bytes)),
    counter("source_parser_failures_total", "Messages that a bug of a parser left unparsed.", |of| {
        One(of.status.parser_failures)
    }),
    counter("source_unparsed_total", "Messages whose format was not recognised.", |of| {
        One(of.status.unparsed)
    }),
    counter("source_truncated_total", "Messages cut at the limit.", |of| One(of.status.truncated)),
    counter("source_dropped_total", "Messages and connections refused, by reason.", |of| {
        MetricValues::by_reason(of.status.dropped.clone())
    }),
    counter("source_incomplete_total", "Messages whose sender went away in the middle of them.", |of| {
        One(of.status.incomplete)
    }),
    counter("source_out_of_step_total", "Pieces that stood where a frame should begin.", |of| {
        One(of.status.out_of_step)
    }),
    counter("source_out_of_step_bytes_total", "Bytes of these pieces.", |of| {
        One(of.status.out_of_step_bytes)
    }),
    counter("source_skipped_bytes_total", "Bytes that no message holds, by reason.", |of| {
        MetricValues::by_reason(of.status.skipped_bytes.clone())
    }),
    counter("source_framing_bytes_total", "Delimiters, lengths and empty lines between messages.", |of| {
        One(of.status.framing_bytes)
    }),
    counter("source_undelimited_total", "Messages of senders that put nothing between them.", |of| {
        One(of.status.undelimited)
    }),
    counter("source_unrouted_total", "Messages of this source that no route matched.", |of| {
        One(of.status.unrouted)
    }),
    histogram("source_read_bytes", "Bytes of a coalesced read.", |of| {
        of.source.map_or(MetricValues::None, |source| MetricValues::sizes(&source.counters.read_bytes))
    }),
    histogram("source_read_messages", "Messages of a coalesced read.", |of| {
        of.source.map_or(MetricValues::None, |source| MetricValues::sizes(&source.counters.read_messages))
    }),
    gauge("source_listeners_failed", "Listeners that could not be opened.", |of| {
        One(of.status.listeners.iter().filter(|listener| listener.error.is_some()).count() as u64)
    }),
    gauge("source_connections", "Open connections.", |of| One(of.status.connections)),
    gauge("source_queue_bytes", "Bytes between sockets and disk.", |of| One(of.status.queue_bytes)),
    gauge("source_queue_bytes_max", "Limit above which senders are held back.", |of| {
        One(of.status.queue_bytes_max)
    }),
    gauge("source_last_seen_timestamp_seconds", "When the last message came, if one did.", |of| {
        let seen = of.source.and_then(|source| source.counters.last_seen());
        seen.map_or(MetricValues::None, |time| Decimal(time.nanos() as f64 / 1e9, 3))
    }),
    gauge(
        "source_clock_skew_seconds",
        "By how much the time that the last message said was behind ours.",
        |of| {
            let skew = of.source.and_then(|source| source.counters.skew_ms());
            skew.map_or(MetricValues::None, |millis| Decimal(millis as f64 / 1e3, 3))
        },
    ),
];

pub(super) const ROUTES: &[MetricRow<RouteReader>] = &[
    counter("route_messages_total", "Messages that a route matched.", |route| One(route.messages)),
    counter("route_step_changed_total", "Messages that a step changed.", |route| {
        by_step(route, |step| step.changed)
    }),
    counter("route_step_dropped_total", "Messages that a step took out.", |route| {
        by_step(route, |step| step.dropped)
    }),
    counter("route_step_failed_total", "Messages that a step could not be done to.", |route| {
        by_step(route, |step| step.failed)
    }),
    counter("route_step_forgotten_total", "Combinations of values that a step had to forget.", |route| {
        by_step(route, |step| step.forgotten)
    }),
];

fn by_step(route: &RouteStatus, of: fn(&StepStatus) -> u64) -> MetricValues {
    let steps = route.steps.iter().enumerate();
    By("step", steps.map(|(number, step)| ((number + 1).to_string(), of(step))).collect())
}

pub(super) const DESTINATIONS: &[MetricRow<DestinationReader>] = &[
    counter("destination_messages_total", "Messages forwarded.", |to| One(to.messages)),
    counter("destination_bytes_total", "Bytes forwarded.", |to| One(to.bytes)),
    counter("destination_dropped_total", "Messages not forwarded, by reason.", |to| {
        MetricValues::by_reason(to.dropped.clone())
    }),
    counter("destination_queued_total", "Messages put into the queue.", |to| One(to.queued)),
    gauge("destination_quarantined", "Messages that the other side refused.", |to| One(to.quarantined)),
    gauge("destination_queue_bytes", "Bytes that wait.", |to| One(to.queue_bytes)),
    gauge("destination_queue_messages", "Messages that wait.", |to| One(to.queue_messages)),
];

pub(super) const FLOWS: &[MetricRow<FlowReader>] = &[
    counter("flow_received_messages_total", "Messages received since the ledger began.", |row| {
        One(row.fates.received)
    }),
    counter("flow_messages_total", "What became of these, by fate: each counts once.", |row| {
        let of = &row.fates;
        let fates = [
            ("stored", of.stored),
            ("forwarded", of.forwarded),
            ("dropped", of.dropped.values().sum()),
            ("unacknowledged", of.unacknowledged),
        ];
        By("fate", fates.map(|(fate, messages)| (fate.to_owned(), messages)).into())
    }),
    counter("flow_dropped_messages_total", "Those that were dropped, by reason.", |row| {
        MetricValues::by_reason(row.fates.dropped.clone())
    }),
    counter("flow_lost_before_messages_total", "Messages lost before they were received, by place.", |row| {
        By("place", row.fates.lost_before.clone().into_iter().collect())
    }),
    counter(
        "flow_skipped_bytes_total",
        "Bytes that no message holds since the ledger began, by reason.",
        |row| MetricValues::by_reason(row.fates.skipped_bytes.clone()),
    ),
    gauge("flow_in_flight", "Messages that are received and not yet anything else.", |row| {
        One(row.fates.in_flight)
    }),
    gauge(
        "flow_remainder",
        "Messages that the ledger cannot account for: 0, or the server is wrong.",
        |row| Decimal(row.fates.remainder as f64, 0),
    ),
];

pub(super) const QUEUES: &[MetricRow<QueueReader>] = &[gauge(
    "queue_remainder",
    "Messages of a destination that the ledger cannot account for: 0, or the server is wrong.",
    |row| Decimal(row.remainder as f64, 0),
)];

pub(super) const LOGSPACES: &[MetricRow<LogspaceReader>] = &[
    counter("logspace_messages_total", "Messages stored since the start of the process.", |of| {
        One(of.counters.messages.get())
    }),
    counter("logspace_dropped_total", "Messages not stored, by reason.", |of| {
        MetricValues::by_reason(of.counters.dropped.get())
    }),
    counter("logspace_commits_total", "Group commits.", |of| One(of.counters.commits.get())),
    counter("logspace_batches_total", "Batches stored.", |of| One(of.counters.batches.get())),
    gauge("logspace_stored_messages", "Messages on disk.", |of| One(of.stats.messages)),
    gauge("logspace_sealed_messages", "Those in segments.", |of| One(of.stats.sealed_messages)),
    gauge("logspace_segments", "Sealed segments.", |of| One(of.stats.segments as u64)),
    gauge("logspace_blocks_bytes", "Messages of segments on disk.", |of| One(of.stats.blocks_bytes)),
    gauge("logspace_index_bytes", "Indexes of segments on disk.", |of| One(of.stats.index_bytes)),
    gauge("logspace_journal_bytes", "Journal on disk.", |of| One(of.stats.journal_bytes)),
    gauge("logspace_memory_bytes", "Batches in memory.", |of| One(of.stats.memory_bytes as u64)),
    counter("logspace_cache_hits_total", "Parts of segments that were found in memory.", |of| {
        One(of.cache.hits)
    }),
    counter("logspace_cache_misses_total", "Those that had to be read.", |of| One(of.cache.misses)),
    gauge("logspace_damaged_parts", "Parts that are known to be damaged.", |of| One(of.stats.damaged as u64)),
    gauge("logspace_failing", "1 while messages cannot be stored.", |of| {
        One(u64::from(of.counters.last_error.lock().is_some()))
    }),
    gauge(
        "unsealed_messages",
        "Messages in full journal files that are not sealed yet: how far sealing is behind.",
        |of| One(of.backlog.messages),
    ),
    gauge("unsealed_bytes", "Length of those files.", |of| One(of.backlog.bytes)),
    gauge("unsealed_files", "How many files they are in.", |of| One(of.backlog.files as u64)),
    counter("sealed_messages_total", "Messages moved from the journal into segments.", |of| {
        One(of.counters.keep.sealed.get())
    }),
    counter("sealed_segments_total", "Segments made.", |of| One(of.counters.keep.segments.get())),
    counter("reindexed_messages_total", "Messages whose index was made again.", |of| {
        One(of.counters.keep.indexed.get())
    }),
    counter("joined_messages_total", "Messages of small segments that were joined.", |of| {
        One(of.counters.keep.joined.get())
    }),
    counter("sealing_failures_total", "Segments and indexes that could not be made.", |of| {
        One(of.counters.keep.failures.get())
    }),
    counter("held_back_seconds_total", "Time that storing waited for sealing, which was behind.", |of| {
        Decimal(of.counters.held_back_micros.get() as f64 / 1e6, 6)
    }),
    counter("sealing_seconds_total", "Time spent on making segments and indexes.", |of| {
        Decimal(of.counters.keep.micros.get() as f64 / 1e6, 6)
    }),
];

pub(super) const PROCESS: &[MetricRow<ProcessReader>] = &[
    gauge("sockets", "Open connections of the web port and of all sources.", |of| {
        One(of.sockets.count() as u64)
    }),
    gauge("sockets_max", "As many may be open.", |of| One(of.sockets.max() as u64)),
    gauge("web_connections", "Open connections of the web port.", |of| now(&of.web.connections)),
    gauge("web_connections_max", "As many may be open.", |of| now(&of.web.connections_max)),
    counter("web_accepted_total", "Connections that came in.", |of| One(of.web.accepted.get())),
    counter("web_refused_total", "Connections that found no place, by reason.", |of| {
        MetricValues::by_reason(of.web.refused.get())
    }),
    counter("web_ended_total", "Connections that were ended, by reason.", |of| {
        MetricValues::by_reason(of.web.ended.get())
    }),
    gauge("web_listeners", "Sockets that HTTP is spoken on, by what is spoken.", |of| {
        By("kind", of.web.listeners.get().into_iter().collect())
    }),
    counter("web_received_bytes_total", "Bytes of requests, without what encryption adds.", |of| {
        One(of.web.received_bytes.get())
    }),
    counter("web_sent_bytes_total", "Bytes of answers, without what encryption adds.", |of| {
        One(of.web.sent_bytes.get())
    }),
    gauge("web_certificate_expiry_timestamp_seconds", "When the certificate of the web port ends.", |of| {
        match of.web.certificate_expires.load(Ordering::Relaxed) {
            0 => MetricValues::None,
            seconds => Decimal(seconds as f64, 0),
        }
    }),
    gauge("http_requests_open", "Requests that are not answered yet.", |of| One(of.web.requests.open())),
    counter("logins_refused_total", "Logins that were refused, by reason.", |of| {
        MetricValues::by_reason(of.web.logins_refused.get())
    }),
    gauge("disk_free_bytes", "What can still be written on the disk of the data directory.", |of| {
        of.space.as_ref().map_or(MetricValues::None, |space| One(space.free_bytes))
    }),
    gauge("disk_bytes", "How large that disk is.", |of| {
        of.space.as_ref().map_or(MetricValues::None, |space| One(space.total_bytes))
    }),
    gauge("memory_bytes", "Memory in use, by what it is used for.", |of| {
        By("kind", memory_bytes(&of.memory))
    }),
    gauge("memory_bytes_max", "As much may be in use.", |of| {
        let limited = |of: &MemoryUse| Some((of.kind.to_owned(), of.bytes_max? as u64));
        By("kind", of.memory.iter().filter_map(limited).collect())
    }),
    gauge("memory_budget_bytes", "The memory that the process divides among its parts.", |of| {
        One(of.gauge.bytes_max())
    }),
    gauge("memory_taken_bytes", "What it takes of that, as the system counts it.", |of| One(of.gauge.used())),
    gauge("memory_taken_bytes_max", "The most that was seen since the start.", |of| One(of.gauge.used_max())),
    counter("memory_searches_ended_total", "Searches that were ended because memory was short.", |of| {
        One(of.gauge.ended())
    }),
];

/// The metrics that every program's client library exposes, under the same names.
pub(super) const OWN: &[MetricRow<ProcessReader>] = &[
    counter("process_cpu_seconds_total", "CPU time of the process, its own and the system's for it.", |of| {
        own(of, |own| Decimal(own.cpu_seconds, 2))
    }),
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", |of| {
        own(of, |own| Decimal(own.start_seconds, 2))
    }),
    gauge("process_resident_memory_bytes", "What the system has given to the process.", |of| {
        own(of, |own| One(own.resident_bytes))
    }),
    gauge("process_virtual_memory_bytes", "The addresses that the process has.", |of| {
        own(of, |own| One(own.virtual_bytes))
    }),
    gauge("process_threads", "Threads of the process.", |of| own(of, |own| One(own.threads))),
    gauge("process_open_fds", "Open files and sockets.", |of| {
        own(of, |own| own.open_files.map_or(MetricValues::None, One))
    }),
    gauge("process_max_fds", "As many may be open.", |of| {
        own(of, |own| own.open_files_max.map_or(MetricValues::None, One))
    }),
];

fn own(of: &ProcessMetrics<'_>, read: impl Fn(&process::ProcessFigures) -> MetricValues) -> MetricValues {
    of.own.as_ref().map_or(MetricValues::None, read)
}

pub(super) const ENDPOINTS: &[MetricRow<EndpointReader>] = &[
    counter("http_requests_total", "Requests, by method and route, and by status; 499: given up.", |of| {
        By("status", of.by_status.iter().map(|(status, count)| (status.to_string(), *count)).collect())
    }),
    histogram("http_request_duration_seconds", "How long it took until the head of the answer.", |of| {
        let (buckets, sum, count) = of.seconds();
        MetricValues::Histogram(buckets, sum, count)
    }),
];

fn now(gauge: &Gauge) -> MetricValues {
    One(u64::try_from(gauge.get()).unwrap_or_default())
}

/// The memory that is counted, and the rest that the allocator holds.
fn memory_bytes(counted: &[MemoryUse]) -> Vec<(String, u64)> {
    let sum: usize = counted.iter().map(|of| of.bytes).sum();
    let besides = memory::heap().into_iter();
    let besides =
        besides.flat_map(|heap| [("rest", heap.allocated.saturating_sub(sum)), ("freed", heap.freed)]);
    let all = counted.iter().map(|of| (of.kind, of.bytes)).chain(besides);
    all.map(|(kind, bytes)| (kind.to_owned(), bytes as u64)).collect()
}

/// The memory that its users count themselves.
pub(super) fn memory_use(running: &RunningState, shares: &Shares) -> [MemoryUse; 6] {
    let logspaces = running.logspaces.values();
    let tail: usize = logspaces.clone().map(|logspace| logspace.stats().memory_bytes).sum();
    let keepers = || logspaces.clone().map(|logspace| logspace.keeper());
    let (indexes, tables) = keepers()
        .map(|keeper| keeper.index_memory_bytes())
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let sealing = keepers().map(|keeper| keeper.sealing_memory_bytes()).sum();
    let sources = running.sources.values().map(|source| &source.shared().budget);
    let inlets = running.inlets.values().map(|inlet| &inlet.budget);
    let (queued, queues_max) = sources
        .chain(inlets)
        .map(|budget| (budget.used_bytes(), budget.bytes_max()))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let forward = running.destinations.values().map(|destination| destination.memory_bytes()).sum();
    let destinations = &running.live.checked.destinations;
    let forward_max = destinations.iter().map(|config| config.queue.memory.as_usize()).sum();
    [
        ("tail", tail, Some(shares.tail)),
        ("index", indexes, Some(shares.index)),
        ("tables", tables, None),
        ("queues", queued, Some(queues_max)),
        ("forward", forward, Some(forward_max)),
        ("sealing", sealing, Some(shares.sealing)),
    ]
    .map(|(kind, bytes, bytes_max)| MemoryUse { kind, bytes, bytes_max })
}

impl LogspaceMetrics<'_> {
    pub(super) fn of(logspace: &Logspace) -> LogspaceMetrics<'_> {
        let (stats, keeper) = (logspace.stats(), logspace.keeper());
        let (backlog, cache) = (keeper.backlog(), keeper.cache_uses());
        LogspaceMetrics { stats, backlog, cache, counters: logspace.counters() }
    }
}
