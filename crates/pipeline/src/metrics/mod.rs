//! Every counter in Prometheus' text format, with the names that `docs/operating.md` lists.
//!
//! Names follow Prometheus' conventions: a unit at the end, `_total` for counters, `_timestamp_seconds` for moments.
//!
//! **Invariant:** a name, label or help text that was released stays: dashboards rely on it.

mod row;
mod tables;

use super::running::RunningState;
use super::status::Status;
use logstead_flow::counters::Counters;
use logstead_flow::ledger::Accounts;
use logstead_flow::machine::memory::ProcessMemory;
use logstead_flow::machine::process;
use logstead_flow::machine::sockets::SocketLimit;
use logstead_indexer::Space;
use row::write;
use tables::{
    DESTINATIONS, ENDPOINTS, FLOWS, LOGSPACES, LogspaceMetrics, OWN, PROCESS, ProcessMetrics, QUEUES, ROUTER,
    ROUTES, SOURCES, SourceMetrics,
};

/// The sources of all metrics.
pub(super) struct MetricSources<'a> {
    pub(super) status: &'a Status,
    pub(super) running: &'a RunningState,
    pub(super) counters: &'a Counters,
    pub(super) sockets: &'a SocketLimit,
    pub(super) memory: &'a ProcessMemory,
    pub(super) accounts: &'a Accounts,
    pub(super) space: Option<Space>,
}

/// The text that a scraper gets.
pub(super) fn text(everything: &MetricSources<'_>) -> String {
    let MetricSources { status, running, counters, sockets, memory, accounts, space } = *everything;
    let received = |status| SourceMetrics {
        status,
        source: running.sources.get(&status.id).map(|source| &*source.shared),
    };
    let sources: Vec<_> = status.sources.iter().map(|of| (of.id.clone(), received(of))).collect();
    let routes: Vec<_> = status.routes.iter().map(|route| (route.id.clone(), route)).collect();
    let destinations: Vec<_> = status.destinations.iter().map(|to| (to.id.clone(), to)).collect();
    let logspaces: Vec<_> =
        running.logspaces.values().map(|of| (of.id.clone(), LogspaceMetrics::of(of))).collect();
    let process = [(
        String::new(),
        ProcessMetrics {
            space,
            web: &counters.web,
            sockets,
            memory: tables::memory_use(running, &memory.shares),
            gauge: &memory.gauge,
            own: process::figures(),
        },
    )];
    let mut out = String::new();
    write(&mut out, ROUTER, "", &[(String::new(), status)], |read, of| read(of));
    write(&mut out, SOURCES, "source", &sources, |read, of| read(of));
    write(&mut out, ROUTES, "route", &routes, |read, of| read(of));
    write(&mut out, DESTINATIONS, "destination", &destinations, |read, of| read(of));
    write(&mut out, LOGSPACES, "logspace", &logspaces, |read, of| read(of));
    let flows: Vec<_> = accounts.sources.iter().map(|row| (row.source.clone(), row)).collect();
    write(&mut out, FLOWS, "source", &flows, |read, of| read(of));
    let queues: Vec<_> = accounts.destinations.iter().map(|row| (row.id.clone(), row)).collect();
    write(&mut out, QUEUES, "destination", &queues, |read, of| read(of));
    write(&mut out, ENDPOINTS, "endpoint", &counters.web.requests.by_endpoint(), |read, of| read(of));
    write(&mut out, PROCESS, "", &process, |read, of| read(of));
    write(&mut out, OWN, "", &process, |read, of| read(of));
    out
}
