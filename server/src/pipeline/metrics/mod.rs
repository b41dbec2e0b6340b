//! Every counter in Prometheus' text format, under the names that `docs/operating.md` lists.
//!
//! **Invariant:** a name, label or help text that was released stays: dashboards rely on it.

mod row;
mod tables;

use super::running::Running;
use super::status::Status;
use crate::flow::counters::Counters;
use crate::machine::sockets::Sockets;
use logstead_config::settings::Memory;
use row::write;
use tables::{DESTINATIONS, Kept, LOGSPACES, PROCESS, Process, ROUTER, ROUTES, Received, SOURCES};

/// The text that a scraper gets.
pub(super) fn text(
    status: &Status,
    running: &Running,
    counters: &Counters,
    sockets: &Sockets,
    memory: &Memory,
) -> String {
    let received =
        |status| Received { status, source: running.sources.get(&status.id).map(|source| source.shared()) };
    let sources: Vec<_> = status.sources.iter().map(|of| (of.id.clone(), received(of))).collect();
    let routes: Vec<_> = status.routes.iter().map(|route| (route.id.clone(), route)).collect();
    let destinations: Vec<_> = status.destinations.iter().map(|to| (to.id.clone(), to)).collect();
    let logspaces: Vec<_> = running.logspaces.values().map(|of| (of.id.clone(), Kept::of(of))).collect();
    let process = [(
        String::new(),
        Process { web: &counters.web, sockets, memory: tables::memory_use(running, memory) },
    )];
    let mut out = String::new();
    write(&mut out, ROUTER, ("", &[(String::new(), status)]), |read, of| read(of));
    write(&mut out, SOURCES, ("source", &sources), |read, of| read(of));
    write(&mut out, ROUTES, ("route", &routes), |read, of| read(of));
    write(&mut out, DESTINATIONS, ("destination", &destinations), |read, of| read(of));
    write(&mut out, LOGSPACES, ("logspace", &logspaces), |read, of| read(of));
    write(&mut out, PROCESS, ("", &process), |read, of| read(of));
    out
}
