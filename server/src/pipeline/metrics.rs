//! Every counter in Prometheus' text format, under the names that `docs/operating.md` lists.

use super::running::Running;
use super::status::Status;
use crate::flow::counters::{Counters, Drops, Gauge, LogspaceCounters, Sizes, SourceCounters, WebCounters};
use crate::machine::memory;
use crate::machine::sockets::Sockets;
use logstead_config::settings::Memory;
use logstead_indexer::{Backlog, Stats};
use std::fmt::Write;

/// One metric: its name without prefix, type, help text, and a value for each set of labels.
struct Metric<'a> {
    name: &'a str,
    kind: &'a str,
    help: &'a str,
    values: Vec<(String, String)>,
}

/// A logspace at this moment.
struct Kept<'a> {
    label: String,
    stats: Stats,
    backlog: Backlog,
    counters: &'a LogspaceCounters,
}

/// The text that a scraper gets.
pub(super) fn text(
    status: &Status,
    running: &Running,
    counters: &Counters,
    sockets: &Sockets,
    memory: &Memory,
) -> String {
    let mut out = String::new();
    let process = process_metrics(&counters.web, sockets);
    let memory = memory_metrics(running, memory);
    for metric in metrics(status, running).into_iter().chain(process).chain(memory) {
        // Writing to a string cannot fail.
        write_metric(&mut out, &metric).ok();
    }
    out
}

fn write_metric(out: &mut String, metric: &Metric<'_>) -> std::fmt::Result {
    let Metric { name, kind, help, values } = metric;
    writeln!(out, "# HELP logstead_{name} {help}\n# TYPE logstead_{name} {kind}")?;
    for (labels, value) in values {
        writeln!(out, "logstead_{name}{labels} {value}")?;
    }
    Ok(())
}

fn counter<'a>(name: &'a str, help: &'a str, values: Vec<(String, u64)>) -> Metric<'a> {
    Metric { name, kind: "counter", help, values: printed(values) }
}

fn gauge<'a>(name: &'a str, help: &'a str, values: Vec<(String, u64)>) -> Metric<'a> {
    Metric { name, kind: "gauge", help, values: printed(values) }
}

fn printed(values: Vec<(String, u64)>) -> Vec<(String, String)> {
    values.into_iter().map(|(labels, value)| (labels, value.to_string())).collect()
}

fn metrics<'a>(status: &Status, running: &Running) -> Vec<Metric<'a>> {
    let build = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    let mut all = vec![
        gauge("build_info", "Always 1.", vec![(build, 1)]),
        gauge(
            "router_revision",
            "The live revision of the router document.",
            vec![(String::new(), status.revision)],
        ),
        gauge(
            "expiry_held",
            "1 while no message is removed by age, as the clock left where it should be.",
            vec![(String::new(), u64::from(status.expiry_held.is_some()))],
        ),
        counter(
            "unrouted_messages_total",
            "Messages that no route matched: dropped.",
            vec![(String::new(), status.unrouted_messages)],
        ),
    ];
    all.extend(source_metrics(status, running));
    all.extend(target_metrics(status));
    all.extend(logspace_metrics(running));
    all
}

fn process_metrics<'a>(web: &WebCounters, sockets: &Sockets) -> Vec<Metric<'a>> {
    let alone = |value: u64| vec![(String::new(), value)];
    let now = |gauge: &Gauge| alone(u64::try_from(gauge.get()).unwrap_or_default());
    let by_reason = |drops: &Drops| {
        let drops = drops.get().into_iter();
        drops.map(|(reason, count)| (label("reason", &reason), count)).collect::<Vec<_>>()
    };
    vec![
        gauge(
            "sockets",
            "Open connections of the web port and of all sources.",
            alone(sockets.count() as u64),
        ),
        gauge("sockets_max", "As many may be open.", alone(sockets.max() as u64)),
        gauge("web_connections", "Open connections of the web port.", now(&web.connections)),
        gauge("web_connections_max", "As many may be open.", now(&web.connections_max)),
        counter("web_accepted_total", "Connections that came in.", alone(web.accepted.get())),
        counter("web_refused_total", "Connections that found no place, by reason.", by_reason(&web.refused)),
        counter("web_ended_total", "Connections that were ended, by reason.", by_reason(&web.ended)),
    ]
}

/// What memory is spent on, and how much may be.
fn memory_metrics<'a>(running: &Running, settings: &Memory) -> Vec<Metric<'a>> {
    let kinds = memory_kinds(running, settings);
    let named: usize = kinds.iter().map(|(_, bytes, _)| bytes).sum();
    let bytes = kinds.iter().map(|(kind, bytes, _)| (*kind, *bytes));
    let heap = memory::heap().into_iter();
    let beside =
        heap.flat_map(|heap| [("rest", heap.allocated.saturating_sub(named)), ("freed", heap.freed)]);
    let max = kinds.iter().filter_map(|(kind, _, max)| Some((*kind, (*max)?)));
    let labelled = |(kind, bytes)| (label("kind", kind), bytes as u64);
    let resident = memory::resident_bytes().map(|bytes| (String::new(), bytes)).into_iter().collect();
    vec![
        gauge(
            "memory_bytes",
            "Memory in use, by what it is used for.",
            bytes.chain(beside).map(labelled).collect(),
        ),
        gauge("memory_bytes_max", "As much may be in use.", max.map(labelled).collect()),
        gauge("process_resident_bytes", "What the system has given to the process.", resident),
    ]
}

/// What is counted where it is used: its kind, how much it is, and how much it may be, where a setting says that.
fn memory_kinds(running: &Running, settings: &Memory) -> [(&'static str, usize, Option<usize>); 5] {
    let logspaces = running.logspaces.values();
    let tail: usize = logspaces.clone().map(|logspace| logspace.stats().memory_bytes).sum();
    let keepers = || logspaces.clone().map(|logspace| logspace.keeper());
    let (indexes, tables) = keepers()
        .map(|keeper| keeper.index_memory_bytes())
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let sealing = keepers().map(|keeper| keeper.sealing_memory_bytes()).sum();
    let sources = running.sources.values().map(|source| &source.shared().budget);
    let inlets = running.http.iter().chain(&running.internal).map(|inlet| &inlet.budget);
    let (queued, queues_max) = sources
        .chain(inlets)
        .map(|budget| (budget.used_bytes(), budget.bytes_max()))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    [
        ("tail", tail, Some(settings.tail_max.as_usize())),
        ("index", indexes, Some(settings.index_max.as_usize())),
        ("tables", tables, None),
        ("queues", queued, Some(queues_max)),
        ("sealing", sealing, None),
    ]
}

fn source_metrics<'a>(status: &Status, running: &Running) -> Vec<Metric<'a>> {
    let each = |value: fn(&super::SourceStatus) -> u64| {
        status.sources.iter().map(|source| (label("source", &source.id), value(source))).collect::<Vec<_>>()
    };
    let dropped = status.sources.iter().flat_map(|source| {
        source.dropped.iter().map(|(reason, count)| (dropped_label("source", &source.id, reason), *count))
    });
    vec![
        counter("source_messages_total", "Messages received.", each(|source| source.messages)),
        counter("source_bytes_total", "Bytes received.", each(|source| source.bytes)),
        counter(
            "source_parser_failures_total",
            "Messages that a bug of a parser left unparsed.",
            each(|source| source.parser_failures),
        ),
        counter(
            "source_unparsed_total",
            "Messages whose format was not recognised.",
            each(|source| source.unparsed),
        ),
        counter("source_truncated_total", "Messages cut at the limit.", each(|source| source.truncated)),
        counter("source_dropped_total", "Messages and connections refused, by reason.", dropped.collect()),
        counter(
            "source_incomplete_total",
            "Messages whose sender went away in the middle of them.",
            each(|source| source.incomplete),
        ),
        counter(
            "source_out_of_step_total",
            "Pieces that stood where a frame should begin.",
            each(|source| source.out_of_step),
        ),
        counter(
            "source_out_of_step_bytes_total",
            "Bytes of these pieces.",
            each(|source| source.out_of_step_bytes),
        ),
        counter(
            "source_undelimited_total",
            "Messages of senders that put nothing between them.",
            each(|source| source.undelimited),
        ),
        counter(
            "source_unrouted_total",
            "Messages of this source that no route matched.",
            each(|source| source.unrouted),
        ),
        sizes("source_read_bytes", "Bytes of a coalesced read.", running, |counters| &counters.read_bytes),
        sizes("source_read_messages", "Messages of a coalesced read.", running, |counters| {
            &counters.read_messages
        }),
        gauge(
            "source_listeners_failed",
            "Listeners that could not be opened.",
            each(|source| source.listeners.iter().filter(|listener| listener.error.is_some()).count() as u64),
        ),
        gauge("source_connections", "Open connections.", each(|source| source.connections)),
        gauge("source_queue_bytes", "Bytes between sockets and disk.", each(|source| source.queue_bytes)),
        gauge(
            "source_queue_bytes_max",
            "As many may be there before senders are held back.",
            each(|source| source.queue_bytes_max),
        ),
        Metric {
            name: "source_last_seen_seconds",
            kind: "gauge",
            help: "When the last message came.",
            values: each_counted(running, |counters| {
                counters.last_seen().map_or(0.0, |time| time.nanos() as f64 / 1e9)
            }),
        },
        Metric {
            name: "source_clock_skew_seconds",
            kind: "gauge",
            help: "By how much the time that the last message said was behind ours.",
            values: each_counted(running, |counters| counters.skew_ms() as f64 / 1e3),
        },
    ]
}

/// A value for each source with a thread.
fn each_counted(running: &Running, value: fn(&SourceCounters) -> f64) -> Vec<(String, String)> {
    let sources = running.sources.iter();
    sources
        .map(|(id, source)| (label("source", id), format!("{:.3}", value(&source.shared().counters))))
        .collect()
}

/// A histogram for each source with a thread.
fn sizes<'a>(
    name: &'a str,
    help: &'a str,
    running: &Running,
    of: fn(&SourceCounters) -> &Sizes,
) -> Metric<'a> {
    let mut values = Vec::new();
    for (id, source) in &running.sources {
        let (buckets, sum, count) = of(&source.shared().counters).get();
        let bucket = |bound: &str| format!("_bucket{{source=\"{id}\",le=\"{bound}\"}}");
        values.extend(buckets.iter().map(|(bound, count)| (bucket(&bound.to_string()), count.to_string())));
        values.push((bucket("+Inf"), count.to_string()));
        values.push((format!("_sum{}", label("source", id)), sum.to_string()));
        values.push((format!("_count{}", label("source", id)), count.to_string()));
    }
    Metric { name, kind: "histogram", help, values }
}

fn target_metrics<'a>(status: &Status) -> Vec<Metric<'a>> {
    let routes = status.routes.iter().map(|route| (label("route", &route.id), route.messages));
    let destinations = |value: fn(&super::DestinationStatus) -> u64| {
        status.destinations.iter().map(|to| (label("destination", &to.id), value(to))).collect::<Vec<_>>()
    };
    let dropped = status.destinations.iter().flat_map(|to| {
        to.dropped.iter().map(|(reason, count)| (dropped_label("destination", &to.id, reason), *count))
    });
    vec![
        counter("route_messages_total", "Messages that a route matched.", routes.collect()),
        counter("destination_messages_total", "Messages forwarded.", destinations(|to| to.messages)),
        counter("destination_bytes_total", "Bytes forwarded.", destinations(|to| to.bytes)),
        counter("destination_dropped_total", "Messages not forwarded, by reason.", dropped.collect()),
        gauge("destination_queue_bytes", "Bytes that wait.", destinations(|to| to.queue_bytes)),
        gauge("destination_queue_messages", "Messages that wait.", destinations(|to| to.queue_messages)),
    ]
}

fn logspace_metrics<'a>(running: &Running) -> Vec<Metric<'a>> {
    let kept = running.logspaces.iter().map(|(id, logspace)| Kept {
        label: label("logspace", id),
        stats: logspace.stats(),
        backlog: logspace.keeper().backlog(),
        counters: logspace.counters(),
    });
    let kept: Vec<Kept<'_>> = kept.collect();
    let each = |value: fn(&Kept<'_>) -> u64| {
        kept.iter().map(|kept| (kept.label.clone(), value(kept))).collect::<Vec<_>>()
    };
    let dropped = running.logspaces.iter().flat_map(|(id, logspace)| {
        let dropped = logspace.counters().dropped.get();
        dropped.into_iter().map(|(reason, count)| (dropped_label("logspace", id, &reason), count))
    });
    let seconds = |kept: &Kept<'_>| {
        let seconds = kept.counters.keep.micros.get() as f64 / 1e6;
        (kept.label.clone(), format!("{seconds:.6}"))
    };
    vec![
        counter(
            "logspace_messages_total",
            "Messages stored since the start of the process.",
            each(|kept| kept.counters.messages.get()),
        ),
        counter("logspace_dropped_total", "Messages not stored, by reason.", dropped.collect()),
        counter("logspace_commits_total", "Group commits.", each(|kept| kept.counters.commits.get())),
        counter("logspace_batches_total", "Batches stored.", each(|kept| kept.counters.batches.get())),
        gauge("logspace_stored_messages", "Messages on disk.", each(|kept| kept.stats.messages)),
        gauge("logspace_sealed_messages", "Those in segments.", each(|kept| kept.stats.sealed_messages)),
        gauge("logspace_segments", "Sealed segments.", each(|kept| kept.stats.segments as u64)),
        gauge("logspace_blocks_bytes", "Messages of segments on disk.", each(|kept| kept.stats.blocks_bytes)),
        gauge("logspace_index_bytes", "Indexes of segments on disk.", each(|kept| kept.stats.index_bytes)),
        gauge("logspace_journal_bytes", "Journal on disk.", each(|kept| kept.stats.journal_bytes)),
        gauge("logspace_memory_bytes", "Batches in memory.", each(|kept| kept.stats.memory_bytes as u64)),
        gauge(
            "logspace_damaged_parts",
            "Parts that are known to be damaged.",
            each(|kept| kept.stats.damaged as u64),
        ),
        gauge(
            "logspace_failing",
            "1 while messages cannot be stored.",
            each(|kept| u64::from(kept.counters.last_error.lock().is_some())),
        ),
        gauge(
            "unsealed_messages",
            "Messages in full journal files that are not sealed yet: how far sealing is behind.",
            each(|kept| kept.backlog.messages),
        ),
        gauge("unsealed_bytes", "Length of those files.", each(|kept| kept.backlog.bytes)),
        gauge("unsealed_files", "How many files they are in.", each(|kept| kept.backlog.files as u64)),
        counter(
            "sealed_messages_total",
            "Messages moved from the journal into segments.",
            each(|kept| kept.counters.keep.sealed.get()),
        ),
        counter("sealed_segments_total", "Segments made.", each(|kept| kept.counters.keep.segments.get())),
        counter(
            "reindexed_messages_total",
            "Messages whose index was made again.",
            each(|kept| kept.counters.keep.indexed.get()),
        ),
        counter(
            "joined_messages_total",
            "Messages of small segments that were joined.",
            each(|kept| kept.counters.keep.joined.get()),
        ),
        counter(
            "sealing_failures_total",
            "Segments and indexes that could not be made.",
            each(|kept| kept.counters.keep.failures.get()),
        ),
        Metric {
            name: "sealing_seconds_total",
            kind: "counter",
            help: "Time spent on making segments and indexes.",
            values: kept.iter().map(seconds).collect(),
        },
    ]
}

fn label(name: &str, value: &str) -> String {
    format!("{{{name}=\"{value}\"}}")
}

fn dropped_label(name: &str, value: &str, reason: &str) -> String {
    format!("{{{name}=\"{value}\",reason=\"{reason}\"}}")
}
