//! What the pipeline is doing right now, as the API shows it.

use super::running::{Inlet, Running};
use crate::destination::Destination;
use crate::flow::budget::Budget;
use crate::source::Source;
use logstead_config::{DestinationKind, Durability};
use logstead_record::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use utoipa::ToSchema;

/// Counters and states of everything that the live router document names.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// The live revision.
    pub revision: u64,
    /// Since when it is live.
    pub applied_at: String,
    /// Messages that no route matched: they are dropped.
    pub unrouted_messages: u64,
    /// Why no message is removed by age for now: the clock left where it should be.
    pub expiry_held: Option<String>,
    /// Receivers.
    pub sources: Vec<SourceStatus>,
    /// Rules, in order.
    pub routes: Vec<RouteStatus>,
    /// Where messages are forwarded to.
    pub destinations: Vec<DestinationStatus>,
    /// Where messages are stored.
    pub logspaces: Vec<LogspaceStatus>,
}

/// A source.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceStatus {
    /// Its id.
    pub id: String,
    /// `syslog`, `relp`, `file`, `http` or `internal`.
    pub kind: String,
    /// Its sockets.
    pub listeners: Vec<ListenerStatus>,
    /// Open connections.
    pub connections: u64,
    /// Received since the start of the process.
    pub messages: u64,
    /// Received since the start of the process.
    pub bytes: u64,
    /// Over the last seconds.
    pub messages_per_second: f64,
    /// Messages whose format was not recognised.
    pub unparsed: u64,
    /// Messages that a bug of a parser left unparsed; the log says more.
    pub parser_failures: u64,
    /// Messages that were longer than the limit.
    pub truncated: u64,
    /// Messages whose sender went away in the middle of them.
    pub incomplete: u64,
    /// Pieces that stood where a frame should begin: their senders count wrongly.
    pub out_of_step: u64,
    /// The bytes of these pieces.
    pub out_of_step_bytes: u64,
    /// Messages of senders that put nothing between them.
    pub undelimited: u64,
    /// Messages that no route matched.
    pub unrouted: u64,
    /// Coalesced reads, each of which a worker parsed as one batch.
    pub reads: u64,
    /// What was dropped or refused, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// When the last message came.
    pub last_seen: Option<String>,
    /// By how many milliseconds the time that the last message said was behind ours. The time it took to get
    /// here is part of it.
    pub clock_skew_ms: i64,
    /// What last went wrong with a sender.
    pub last_error: Option<String>,
    /// Bytes between the sockets and the disk.
    pub queue_bytes: u64,
    /// As many may be there before senders are held back.
    pub queue_bytes_max: u64,
}

/// A socket of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListenerStatus {
    /// Where senders connect to.
    pub url: String,
    /// `listening`, or `failed`: it could not be opened when the process started, and is tried again.
    pub state: String,
    /// Why it failed, and what to do.
    pub error: Option<String>,
}

/// A route.
#[derive(Debug, Serialize, ToSchema)]
pub struct RouteStatus {
    /// Its id.
    pub id: String,
    /// Matched since the start of the process.
    pub messages: u64,
    /// Over the last seconds.
    pub messages_per_second: f64,
}

/// A forward destination.
#[derive(Debug, Serialize, ToSchema)]
pub struct DestinationStatus {
    /// Its id.
    pub id: String,
    /// `syslog` or `file`.
    pub kind: String,
    /// Where it sends.
    pub to: String,
    /// `idle` (nothing sent yet), `ok` or `retrying`.
    pub state: String,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
    /// Sent since the start of the process.
    pub messages: u64,
    /// Sent since the start of the process.
    pub bytes: u64,
    /// Over the last seconds.
    pub messages_per_second: f64,
    /// What was dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Messages that wait.
    pub queue_messages: u64,
    /// Bytes that wait.
    pub queue_bytes: u64,
    /// As many may wait.
    pub queue_bytes_max: u64,
    /// How long the oldest has been waiting.
    pub oldest_ms: Option<u64>,
}

/// A logspace, as the router page shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogspaceStatus {
    /// Its id.
    pub id: String,
    /// `ok` or `failing`: messages cannot be stored and senders are held back.
    pub state: String,
    /// Why it fails.
    pub last_error: Option<String>,
    /// Messages it holds.
    pub messages: u64,
    /// Stored over the last seconds.
    pub messages_per_second: f64,
    /// Journal on disk.
    pub journal_bytes: u64,
    /// Everything on disk: segments, their indexes, journal.
    pub stored_bytes: u64,
    /// Sealed segments.
    pub segments: u64,
    /// How far sealing is behind: messages in full journal files, which are found more slowly.
    pub unsealed_messages: u64,
    /// Why segments cannot be made; messages are stored and found nevertheless.
    pub sealing_error: Option<String>,
    /// The earliest message's time.
    pub first_time: Option<String>,
    /// The latest message's time.
    pub last_time: Option<String>,
}

/// A logspace with what it holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogspaceInfo {
    /// Its id.
    pub id: String,
    /// Whether the live router document has it. One that it does not have can be searched, but not written to.
    pub in_router: bool,
    /// Messages it holds.
    pub messages: u64,
    /// Those of them that are in sealed segments.
    pub sealed_messages: u64,
    /// Sealed segments.
    pub segments: u64,
    /// The messages of the segments, compressed, on disk.
    pub blocks_bytes: u64,
    /// The indexes of the segments, on disk.
    pub index_bytes: u64,
    /// Journal on disk.
    pub journal_bytes: u64,
    /// Full journal files that wait to become segments.
    pub unsealed: Unsealed,
    /// Why segments cannot be made; messages are stored and found nevertheless.
    pub sealing_error: Option<String>,
    /// Parts that are known to be damaged; `verify` finds all.
    pub damaged_parts: u64,
    /// Batches that are kept in memory for quick search.
    pub memory_bytes: u64,
    /// The earliest message's time.
    pub first_time: Option<String>,
    /// The latest message's time.
    pub last_time: Option<String>,
    /// `fsync` or `os`.
    pub durability: Option<String>,
    /// How long messages are kept.
    pub retention: RetentionInfo,
}

/// Full journal files that wait to become segments.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unsealed {
    /// How many.
    pub files: u64,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
}

/// How long messages are kept.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct RetentionInfo {
    /// At most this old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// At most this much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Why no message is removed by age for now: the clock left where it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

fn time(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| time.to_string())
}

impl Running {
    /// Counters and states of the live revision.
    pub(crate) fn status(
        &self,
        counters: &crate::flow::counters::Counters,
        expiry_held: Option<String>,
        now: Instant,
    ) -> Status {
        let checked = &self.live.checked;
        Status {
            revision: self.live.revision,
            applied_at: self.live.applied_at.to_string(),
            unrouted_messages: counters.unrouted.get(),
            expiry_held,
            sources: self.source_status(counters, now),
            routes: checked
                .routes
                .iter()
                .map(|checked| {
                    let id = checked.route.id.clone();
                    let counters = counters.route(&id);
                    let messages = counters.messages.get();
                    let messages_per_second = counters.rate.look(messages, now);
                    RouteStatus { id, messages, messages_per_second }
                })
                .collect(),
            destinations: checked
                .destinations
                .iter()
                .filter_map(|config| Some(destination_status(self.destinations.get(&config.id)?, now)))
                .collect(),
            logspaces: checked.logspaces.iter().filter_map(|c| self.logspace_status(&c.id, now)).collect(),
        }
    }

    /// Sources of the document of which nothing runs.
    fn idle_sources(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let sources = self.live.checked.sources.iter();
        let is_idle =
            |id: &str| !self.sources.contains_key(id) && self.failed.iter().any(|failed| failed.source == id);
        sources
            .filter(move |source| is_idle(&source.id))
            .map(|source| (source.id.as_str(), source.kind.name()))
    }

    fn source_status(&self, counters: &crate::flow::counters::Counters, now: Instant) -> Vec<SourceStatus> {
        let syslog = self.sources.values().map(|source| source_status(source, now));
        let idle = self.idle_sources().map(|(id, kind)| inlet_status(&idle_inlet(id, counters), kind, now));
        let inlets = [("http", &self.http), ("internal", &self.internal)];
        let inlets =
            inlets.into_iter().filter_map(|(kind, inlet)| Some(inlet_status(inlet.as_ref()?, kind, now)));
        let mut all: Vec<SourceStatus> = syslog.chain(idle).chain(inlets).collect();
        for source in &mut all {
            let failed = self.failed.iter().filter(|failed| failed.source == source.id);
            source.listeners.extend(failed.map(|failed| ListenerStatus {
                url: failed.listener.as_ref().map_or_else(|| source.kind.clone(), ToString::to_string),
                state: "failed".to_owned(),
                error: Some(failed.reason.clone()),
            }));
        }
        let order = |id: &str| self.live.checked.sources.iter().position(|source| source.id == id);
        all.sort_by_key(|source| order(&source.id));
        all
    }

    fn logspace_status(&self, id: &str, now: Instant) -> Option<LogspaceStatus> {
        let logspace = self.logspaces.get(id)?;
        let (stats, counters) = (logspace.stats(), logspace.counters());
        let last_error = counters.last_error.lock().clone();
        Some(LogspaceStatus {
            id: id.to_owned(),
            state: if last_error.is_some() { "failing" } else { "ok" }.to_owned(),
            last_error,
            messages: stats.messages,
            messages_per_second: counters.rate.look(counters.messages.get(), now),
            journal_bytes: stats.journal_bytes,
            stored_bytes: stats.blocks_bytes + stats.index_bytes + stats.journal_bytes,
            segments: stats.segments as u64,
            unsealed_messages: logspace.keeper().backlog().messages,
            sealing_error: counters.keep.last_error.lock().clone(),
            first_time: time(stats.first_time),
            last_time: time(stats.last_time),
        })
    }

    /// Every logspace that can be searched.
    pub(crate) fn logspace_infos(&self, expiry_held: Option<&str>) -> Vec<LogspaceInfo> {
        let info = |(id, logspace): (&String, &Arc<super::logspace::Logspace>)| {
            let (stats, backlog) = (logspace.stats(), logspace.keeper().backlog());
            let config = self.live.checked.logspaces.iter().find(|config| config.id == *id);
            let retention = config.map(|config| config.retention).unwrap_or_default();
            LogspaceInfo {
                id: id.clone(),
                in_router: config.is_some(),
                messages: stats.messages,
                sealed_messages: stats.sealed_messages,
                segments: stats.segments as u64,
                blocks_bytes: stats.blocks_bytes,
                index_bytes: stats.index_bytes,
                journal_bytes: stats.journal_bytes,
                unsealed: Unsealed {
                    files: backlog.files as u64,
                    messages: backlog.messages,
                    bytes: backlog.bytes,
                },
                sealing_error: logspace.counters().keep.last_error.lock().clone(),
                damaged_parts: stats.damaged as u64,
                memory_bytes: stats.memory_bytes as u64,
                first_time: time(stats.first_time),
                last_time: time(stats.last_time),
                durability: config.map(|config| {
                    let name = match config.durability {
                        Durability::Fsync => "fsync",
                        Durability::Os => "os",
                    };
                    name.to_owned()
                }),
                retention: RetentionInfo {
                    age: retention.age.map(|age| age.to_string()),
                    size: retention.size.map(|size| size.to_string()),
                    held: retention.age.and(expiry_held).map(str::to_owned),
                },
            }
        };
        self.logspaces.iter().map(info).collect()
    }
}

fn source_status(source: &Source, now: Instant) -> SourceStatus {
    let shared = source.shared();
    let inlet =
        Inlet { id: shared.id.clone(), counters: shared.counters.clone(), budget: shared.budget.clone() };
    let listening = |url| ListenerStatus { url, state: "listening".to_owned(), error: None };
    SourceStatus {
        listeners: source.urls().into_iter().map(listening).collect(),
        ..inlet_status(&inlet, shared.settings.load().kind, now)
    }
}

/// A source that does not run: what it counted before is shown.
fn idle_inlet(id: &str, counters: &crate::flow::counters::Counters) -> Inlet {
    Inlet { id: id.into(), counters: counters.source(id), budget: Budget::new(0) }
}

fn inlet_status(inlet: &Inlet, kind: &str, now: Instant) -> SourceStatus {
    let counters = &inlet.counters;
    let messages = counters.messages.get();
    SourceStatus {
        id: inlet.id.to_string(),
        kind: kind.to_owned(),
        listeners: Vec::new(),
        connections: u64::try_from(counters.connections.get()).unwrap_or(0),
        messages,
        bytes: counters.bytes.get(),
        messages_per_second: counters.rate.look(messages, now),
        unparsed: counters.unparsed.get(),
        parser_failures: counters.parser_failures.get(),
        truncated: counters.truncated.get(),
        incomplete: counters.incomplete.get(),
        out_of_step: counters.out_of_step.get(),
        out_of_step_bytes: counters.out_of_step_bytes.get(),
        undelimited: counters.undelimited.get(),
        unrouted: counters.unrouted.get(),
        reads: counters.read_bytes.get().2,
        dropped: counters.dropped.get(),
        last_seen: time(counters.last_seen()),
        clock_skew_ms: counters.skew_ms(),
        last_error: counters.last_error.lock().clone(),
        queue_bytes: inlet.budget.used_bytes() as u64,
        queue_bytes_max: inlet.budget.bytes_max() as u64,
    }
}

fn destination_status(destination: &Destination, now: Instant) -> DestinationStatus {
    let (config, counters, depth) = (destination.config(), destination.counters(), destination.depth());
    let messages = counters.messages.get();
    let retrying = counters.retrying.load(std::sync::atomic::Ordering::Relaxed);
    let (kind, to) = match &config.kind {
        DestinationKind::Syslog(syslog) => ("syslog", syslog.to.to_string()),
        DestinationKind::File(file) => ("file", file.path.clone()),
    };
    DestinationStatus {
        id: config.id.clone(),
        kind: kind.to_owned(),
        to,
        state: if retrying {
            "retrying"
        } else if messages == 0 {
            "idle"
        } else {
            "ok"
        }
        .to_owned(),
        last_error: counters.last_error.lock().clone(),
        messages,
        bytes: counters.bytes.get(),
        messages_per_second: counters.rate.look(messages, now),
        dropped: counters.dropped.get(),
        queue_messages: depth.messages as u64,
        queue_bytes: depth.bytes as u64,
        queue_bytes_max: depth.bytes_max as u64,
        oldest_ms: depth.oldest.map(|oldest| oldest.as_millis() as u64),
    }
}
