//! The metrics, one table for each kind of object.

use super::super::running::RunningState;
use super::super::status::{DestinationStatus, RouteStatus, SourceStatus, Status, StepStatus};
use super::row::MetricValues::{self, By, Decimal};
use super::row::{MetricRow, counter, gauge, histogram};
use crate::logspace::Logspace;
use logstead_flow::counters::{LogspaceCounters, WebCounters};
use logstead_flow::ledger::{DestinationRow, SourceRow};
use logstead_flow::machine::memory::{self, Shares};
use logstead_flow::machine::process;
use logstead_flow::machine::sockets::SocketLimit;
use logstead_flow::requests::EndpointAnswers;
use logstead_indexer::{Backlog, CacheUses, Space, Stats};
use logstead_receive::SourceContext;
use std::sync::atomic::Ordering;

/// A table of metrics of one kind of thing: their kind, name and help, and how the value is read off the thing.
macro_rules! metrics {
    ($table:ident, |$of:ident: $thing:ty| $($kind:ident $name:ident $help:literal $value:expr;)+) => {
        pub(super) const $table: &[MetricRow<fn(&$thing) -> MetricValues>] =
            &[$($kind(stringify!($name), $help, |$of| {
                // The version is the same of every thing.
                let _ = $of;
                MetricValues::from($value)
            })),+];
    };
}

/// A source, with the context of its thread if it has one.
pub(super) struct SourceMetrics<'a> {
    pub(super) status: &'a SourceStatus,
    pub(super) source: Option<&'a SourceContext>,
}

/// A logspace at the moment of reading.
pub(super) struct LogspaceMetrics<'a> {
    stats: Stats,
    backlog: Backlog,
    cache: CacheUses,
    counters: &'a LogspaceCounters,
}

/// The process at the moment of reading.
pub(super) struct ProcessMetrics<'a> {
    /// The space on the disk of the data directory; none if it is not known.
    pub(super) space: Option<Space>,
    pub(super) web: &'a WebCounters,
    pub(super) sockets: &'a SocketLimit,
    pub(super) memory: [MemoryUse; 6],
    pub(super) gauge: &'a memory::Gauge,
    pub(super) own: Option<process::ProcessFigures>,
}

/// A counted kind of memory use: its amount, and its limit if a setting defines one.
pub(super) struct MemoryUse {
    kind: &'static str,
    bytes: usize,
    bytes_max: Option<usize>,
}

metrics! { ROUTER, |of: &Status|
    gauge build_info "Always 1." By("version", vec![(env!("CARGO_PKG_VERSION").to_owned(), 1)]);
    gauge router_revision "The live revision of the router document." of.revision;
    gauge expiry_held "1 while no message is removed by age because the clock jumped."
        u64::from(of.expiry_held.is_some());
    counter unrouted_messages_total "Messages that were dropped because no route matched them." of.unrouted_messages;
}

metrics! { SOURCES, |of: SourceMetrics<'_>|
    counter source_messages_total "Messages received." of.status.messages;
    counter source_bytes_total "Bytes of messages received." of.status.bytes;
    counter source_parser_failures_total "Messages left unparsed by a bug in a parser." of.status.parser_failures;
    counter source_unparsed_total "Messages whose format was not recognised." of.status.unparsed;
    counter source_truncated_total "Messages cut at the limit." of.status.truncated;
    counter source_dropped_total "Messages and connections refused, by reason." of.status.dropped.clone();
    counter source_incomplete_total "Messages whose sender disconnected in the middle of them." of.status.incomplete;
    counter source_out_of_step_total "Pieces of streams that no frame begins with." of.status.out_of_step;
    counter source_out_of_step_bytes_total "Bytes of these pieces." of.status.out_of_step_bytes;
    counter source_skipped_bytes_total "Bytes that belong to no message, by reason." of.status.skipped_bytes.clone();
    counter source_framing_bytes_total "Bytes of delimiters, lengths and empty lines between messages." of.status.framing_bytes;
    counter source_undelimited_total "Messages of senders that send no delimiters between them." of.status.undelimited;
    counter source_unrouted_total "Messages of this source that no route matched." of.status.unrouted;
    histogram source_read_bytes "Bytes of a coalesced read." of.source.map(|source| &source.counters.read_bytes);
    histogram source_read_messages "Messages of a coalesced read." of.source.map(|source| &source.counters.read_messages);
    gauge source_listeners_failed "Listeners that could not be opened."
        of.status.listeners.iter().filter(|listener| listener.error.is_some()).count();
    gauge source_connections "Open connections." of.status.connections;
    gauge source_queue_bytes "Bytes that are on their way from sockets to disk." of.status.queue_bytes;
    gauge source_queue_bytes_max "Limit of these bytes above which senders are held back." of.status.queue_bytes_max;
    gauge source_last_seen_timestamp_seconds "When the last message arrived; absent before the first." {
        let seen = of.source.and_then(|source| source.counters.last_seen());
        seen.map(|time| Decimal(time.nanos() as f64 / 1e9, 3))
    };
    gauge source_clock_skew_seconds "How far the time in the last message was behind our clock." {
        let skew = of.source.and_then(|source| source.counters.skew_ms());
        skew.map(|millis| Decimal(millis as f64 / 1e3, 3))
    };
}

metrics! { ROUTES, |of: &RouteStatus|
    counter route_messages_total "Messages that a route matched." of.messages;
    counter route_step_changed_total "Messages that a step changed." by_step(of, |step| step.changed);
    counter route_step_dropped_total "Messages that a step removed." by_step(of, |step| step.dropped);
    counter route_step_failed_total "Messages that a step could not be applied to." by_step(of, |step| step.failed);
    counter route_step_forgotten_total "Combinations of values that a step had to forget."
        by_step(of, |step| step.forgotten);
}

fn by_step(route: &RouteStatus, of: fn(&StepStatus) -> u64) -> MetricValues {
    let steps = route.steps.iter().enumerate();
    By("step", steps.map(|(number, step)| ((number + 1).to_string(), of(step))).collect())
}

metrics! { DESTINATIONS, |of: &DestinationStatus|
    counter destination_messages_total "Messages forwarded." of.messages;
    counter destination_bytes_total "Bytes forwarded." of.bytes;
    counter destination_dropped_total "Messages not forwarded, by reason." of.dropped.clone();
    counter destination_queued_total "Messages put into the queue." of.queued;
    gauge destination_quarantined "Messages that the other side refused and that are kept aside." of.quarantined;
    gauge destination_queue_bytes "Bytes that are waiting in the queue." of.queue_bytes;
    gauge destination_queue_messages "Messages that are waiting in the queue." of.queue_messages;
}

metrics! { FLOWS, |of: &SourceRow|
    counter flow_received_messages_total "Messages received since the ledger began." of.fates.received;
    counter flow_messages_total "Received messages by fate: each counts once." {
        let fates = &of.fates;
        let by_fate = [
            ("stored", fates.stored),
            ("forwarded", fates.forwarded),
            ("dropped", fates.dropped.values().sum()),
            ("unacknowledged", fates.unacknowledged),
        ];
        By("fate", by_fate.map(|(fate, messages)| (fate.to_owned(), messages)).into())
    };
    counter flow_dropped_messages_total "Received messages that were dropped, by reason." of.fates.dropped.clone();
    counter flow_lost_before_messages_total "Messages lost before they were received, by place."
        By("place", of.fates.lost_before.clone().into_iter().collect());
    counter flow_skipped_bytes_total "Bytes that belong to no message since the ledger began, by reason."
        of.fates.skipped_bytes.clone();
    gauge flow_in_flight "Messages that were received and have no fate yet." of.fates.in_flight;
    gauge flow_remainder "Messages that the ledger cannot account for: anything but 0 is a bug."
        Decimal(of.fates.remainder as f64, 0);
}

metrics! { QUEUES, |of: &DestinationRow|
    gauge queue_remainder "Messages of a destination that the ledger cannot account for: anything but 0 is a bug."
        Decimal(of.remainder as f64, 0);
}

metrics! { LOGSPACES, |of: LogspaceMetrics<'_>|
    counter logspace_messages_total "Messages stored since the start of the process." of.counters.messages.get();
    counter logspace_dropped_total "Messages not stored, by reason." of.counters.dropped.get();
    counter logspace_commits_total "Group commits." of.counters.commits.get();
    counter logspace_batches_total "Batches stored." of.counters.batches.get();
    gauge logspace_stored_messages "Messages on disk." of.stats.messages;
    gauge logspace_sealed_messages "Messages on disk that are in segments." of.stats.sealed_messages;
    gauge logspace_segments "Sealed segments." of.stats.segments;
    gauge logspace_blocks_bytes "Bytes of messages in segments on disk." of.stats.blocks_bytes;
    gauge logspace_index_bytes "Bytes of indexes of segments on disk." of.stats.index_bytes;
    gauge logspace_journal_bytes "Bytes of the journal on disk." of.stats.journal_bytes;
    gauge logspace_memory_bytes "Bytes of batches in memory." of.stats.memory_bytes;
    counter logspace_cache_hits_total "Parts of segments that were found in memory." of.cache.hits;
    counter logspace_cache_misses_total "Parts of segments that had to be read." of.cache.misses;
    gauge logspace_damaged_parts "Parts that are known to be damaged." of.stats.damaged;
    gauge logspace_failing "1 while messages cannot be stored." u64::from(of.counters.last_error.lock().is_some());
    gauge unsealed_messages "Messages in full journal files that are not sealed yet, which says how far sealing is behind."
        of.backlog.messages;
    gauge unsealed_bytes "Bytes of full journal files that are not sealed yet." of.backlog.bytes;
    gauge unsealed_files "Full journal files that are not sealed yet." of.backlog.files;
    counter sealed_messages_total "Messages moved from the journal into segments." of.counters.keep.sealed.get();
    counter sealed_segments_total "Segments made." of.counters.keep.segments.get();
    counter reindexed_messages_total "Messages whose index was rebuilt." of.counters.keep.indexed.get();
    counter joined_messages_total "Messages of small segments that were joined." of.counters.keep.joined.get();
    counter sealing_failures_total "Segments and indexes that could not be made." of.counters.keep.failures.get();
    counter held_back_seconds_total "Time that storing waited because sealing was behind."
        Decimal(of.counters.held_back_micros.get() as f64 / 1e6, 6);
    counter sealing_seconds_total "Time spent on making segments and indexes."
        Decimal(of.counters.keep.micros.get() as f64 / 1e6, 6);
}

metrics! { PROCESS, |of: ProcessMetrics<'_>|
    gauge sockets "Open connections of the web port and of all sources." of.sockets.count();
    gauge sockets_max "The most files and sockets that the process may open." of.sockets.max;
    gauge web_connections "Open connections of the web port." of.web.connections.get().max(0) as u64;
    gauge web_connections_max "The most connections that the web port may have open." of.web.connections_max.get().max(0) as u64;
    counter web_accepted_total "Connections accepted by the web port." of.web.accepted.get();
    counter web_refused_total "Connections refused by the web port, by reason." of.web.refused.get();
    counter web_ended_total "Connections ended by the web port, by reason." of.web.ended.get();
    gauge web_listeners "Sockets that HTTP is served on, by kind."
        By("kind", of.web.listeners.get().into_iter().collect());
    counter web_received_bytes_total "Bytes of requests, not counting the overhead of encryption." of.web.received_bytes.get();
    counter web_sent_bytes_total "Bytes of answers, not counting the overhead of encryption." of.web.sent_bytes.get();
    gauge web_certificate_expiry_timestamp_seconds "When the certificate of the web port expires." {
        let seconds = of.web.certificate_expires.load(Ordering::Relaxed);
        (seconds != 0).then_some(Decimal(seconds as f64, 0))
    };
    gauge http_requests_open "Requests that are being answered." of.web.requests.open();
    counter logins_refused_total "Logins that were refused, by reason." of.web.logins_refused.get();
    gauge disk_free_bytes "Bytes that can still be written on the disk of the data directory."
        of.space.as_ref().map(|space| space.free_bytes);
    gauge disk_bytes "Size of the disk of the data directory." of.space.as_ref().map(|space| space.total_bytes);
    gauge memory_bytes "Memory in use, by purpose." By("kind", memory_bytes(&of.memory));
    gauge memory_bytes_max "The most memory that may be in use, by purpose." {
        let limited = |of: &MemoryUse| Some((of.kind.to_owned(), of.bytes_max? as u64));
        By("kind", of.memory.iter().filter_map(limited).collect())
    };
    gauge memory_budget_bytes "The memory that the process divides among its parts." of.gauge.bytes_max;
    gauge memory_taken_bytes "Memory of the process that counts towards its budget, as the system reports it." of.gauge.used();
    gauge memory_taken_bytes_max "The most memory of the process that was seen since its start." of.gauge.used_max();
    counter memory_searches_ended_total "Searches that were ended because memory was short." of.gauge.ended();
}

// The metrics that client libraries expose for every program, under the same names.
metrics! { OWN, |of: ProcessMetrics<'_>|
    counter process_cpu_seconds_total "CPU time that the process has used, in user and system mode."
        of.own.as_ref().map(|own| Decimal(own.cpu_seconds, 2));
    gauge process_start_time_seconds "When the process started, in seconds since 1970."
        of.own.as_ref().map(|own| Decimal(own.start_seconds, 2));
    gauge process_resident_memory_bytes "Physical memory that the process uses."
        of.own.as_ref().map(|own| own.resident_bytes);
    gauge process_virtual_memory_bytes "Virtual memory of the process." of.own.as_ref().map(|own| own.virtual_bytes);
    gauge process_threads "Threads of the process." of.own.as_ref().map(|own| own.threads);
    gauge process_open_fds "Open files and sockets of the process." of.own.as_ref().and_then(|own| own.open_files);
    gauge process_max_fds "The most files and sockets that the process may open." of.own.as_ref().and_then(|own| own.open_files_max);
}

metrics! { ENDPOINTS, |of: EndpointAnswers|
    counter http_requests_total "Requests, by method, route and status; 499: the client gave up."
        By("status", of.by_status.iter().map(|(status, count)| (status.to_string(), *count)).collect());
    histogram http_request_duration_seconds "Time from a request to the head of its answer." {
        let (buckets, sum, count) = of.seconds();
        MetricValues::Histogram(buckets, sum, count)
    };
}

/// The counted memory, and the rest that the allocator holds.
fn memory_bytes(counted: &[MemoryUse]) -> Vec<(String, u64)> {
    let sum: usize = counted.iter().map(|of| of.bytes).sum();
    let besides = memory::heap().into_iter();
    let besides =
        besides.flat_map(|heap| [("rest", heap.allocated.saturating_sub(sum)), ("freed", heap.freed)]);
    let all = counted.iter().map(|of| (of.kind, of.bytes)).chain(besides);
    all.map(|(kind, bytes)| (kind.to_owned(), bytes as u64)).collect()
}

/// The memory that its users count by themselves.
pub(super) fn memory_use(running: &RunningState, shares: &Shares) -> [MemoryUse; 6] {
    let logspaces = running.logspaces.values();
    let tail: usize = logspaces.clone().map(|logspace| logspace.stats().memory_bytes).sum();
    let keepers = || logspaces.clone().map(|logspace| &logspace.keeper);
    let (indexes, tables) = keepers()
        .map(|keeper| keeper.index_memory_bytes())
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let sealing = keepers().map(|keeper| keeper.sealing_memory_bytes()).sum();
    let sources = running.sources.values().map(|source| &source.shared.budget);
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
        let (stats, keeper) = (logspace.stats(), &logspace.keeper);
        let (backlog, cache) = (keeper.backlog(), keeper.cache_uses());
        LogspaceMetrics { stats, backlog, cache, counters: &logspace.counters }
    }
}
