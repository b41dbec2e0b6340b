//! Every counter in Prometheus' text format, under the names that `docs/operating.md` lists.

use super::running::Running;
use super::status::Status;
use std::fmt::Write;

/// One metric: its name without prefix, type, help text, and a value for each set of labels.
struct Metric<'a> {
    name: &'a str,
    kind: &'a str,
    help: &'a str,
    values: Vec<(String, u64)>,
}

/// The text that a scraper gets.
pub(super) fn text(status: &Status, running: &Running) -> String {
    let mut out = String::new();
    for metric in metrics(status, running) {
        // Writing to a string can not fail.
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
    Metric { name, kind: "counter", help, values }
}

fn gauge<'a>(name: &'a str, help: &'a str, values: Vec<(String, u64)>) -> Metric<'a> {
    Metric { name, kind: "gauge", help, values }
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
        counter(
            "unrouted_messages_total",
            "Messages that no route matched: dropped.",
            vec![(String::new(), status.unrouted_messages)],
        ),
    ];
    all.extend(source_metrics(status, running));
    all.extend(target_metrics(status, running));
    all
}

fn source_metrics<'a>(status: &Status, running: &Running) -> Vec<Metric<'a>> {
    let each = |value: fn(&super::SourceStatus) -> u64| {
        status.sources.iter().map(|source| (label("source", &source.id), value(source))).collect::<Vec<_>>()
    };
    let dropped = status.sources.iter().flat_map(|source| {
        source.dropped.iter().map(|(reason, count)| (dropped_label("source", &source.id, reason), *count))
    });
    let reads = |(id, source): (&String, &std::sync::Arc<crate::source::Source>)| {
        (label("source", id), source.shared().counters.reads.get())
    };
    let unrouted = |(id, source): (&String, &std::sync::Arc<crate::source::Source>)| {
        (label("source", id), source.shared().counters.unrouted.get())
    };
    vec![
        counter("source_messages_total", "Messages received.", each(|source| source.messages)),
        counter("source_bytes_total", "Bytes received.", each(|source| source.bytes)),
        counter(
            "source_unparsed_total",
            "Messages whose format was not recognised.",
            each(|source| source.unparsed),
        ),
        counter("source_truncated_total", "Messages cut at the limit.", each(|source| source.truncated)),
        counter("source_dropped_total", "Messages and connections refused, by reason.", dropped.collect()),
        counter(
            "source_chunks_total",
            "Coalesced reads handed to the workers.",
            running.sources.iter().map(reads).collect(),
        ),
        counter(
            "source_unrouted_total",
            "Messages of this source that no route matched.",
            running.sources.iter().map(unrouted).collect(),
        ),
        gauge("source_connections", "Open connections.", each(|source| source.connections)),
        gauge("source_queue_bytes", "Bytes between sockets and disk.", each(|source| source.queue_bytes)),
    ]
}

fn target_metrics<'a>(status: &Status, running: &Running) -> Vec<Metric<'a>> {
    let routes = status.routes.iter().map(|route| (label("route", &route.id), route.messages));
    let destinations = |value: fn(&super::DestinationStatus) -> u64| {
        status.destinations.iter().map(|to| (label("destination", &to.id), value(to))).collect::<Vec<_>>()
    };
    let dropped = status.destinations.iter().flat_map(|to| {
        to.dropped.iter().map(|(reason, count)| (dropped_label("destination", &to.id, reason), *count))
    });
    let spaces = |value: fn(&super::logspace::Logspace) -> u64| {
        running.logspaces.iter().map(|(id, space)| (label("logspace", id), value(space))).collect::<Vec<_>>()
    };
    let space_drops = running.logspaces.iter().flat_map(|(id, space)| {
        let dropped = space.counters().dropped.get();
        dropped.into_iter().map(|(reason, count)| (dropped_label("logspace", id, &reason), count))
    });
    vec![
        counter("route_messages_total", "Messages that a route matched.", routes.collect()),
        counter("destination_messages_total", "Messages forwarded.", destinations(|to| to.messages)),
        counter("destination_bytes_total", "Bytes forwarded.", destinations(|to| to.bytes)),
        counter("destination_dropped_total", "Messages not forwarded, by reason.", dropped.collect()),
        gauge("destination_queue_bytes", "Bytes that wait.", destinations(|to| to.queue_bytes)),
        gauge("destination_queue_messages", "Messages that wait.", destinations(|to| to.queue_messages)),
        counter(
            "logspace_messages_total",
            "Messages stored since the start of the process.",
            spaces(|space| space.counters().messages.get()),
        ),
        counter("logspace_dropped_total", "Messages not stored, by reason.", space_drops.collect()),
        counter("logspace_commits_total", "Group commits.", spaces(|space| space.counters().commits.get())),
        counter("logspace_batches_total", "Batches stored.", spaces(|space| space.counters().batches.get())),
        gauge("logspace_stored_messages", "Messages on disk.", spaces(|space| space.stats().messages)),
        gauge("logspace_journal_bytes", "Journal on disk.", spaces(|space| space.stats().journal_bytes)),
        gauge(
            "logspace_memory_bytes",
            "Batches in memory.",
            spaces(|space| space.stats().memory_bytes as u64),
        ),
        gauge(
            "logspace_failing",
            "1 while messages can not be stored.",
            spaces(|space| u64::from(space.counters().last_error.lock().is_some())),
        ),
    ]
}

fn label(name: &str, value: &str) -> String {
    format!("{{{name}=\"{value}\"}}")
}

fn dropped_label(name: &str, value: &str, reason: &str) -> String {
    format!("{{{name}=\"{value}\",reason=\"{reason}\"}}")
}
