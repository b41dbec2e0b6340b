//! Builds the status from the running state.

use super::logspace::Logspace;
use super::running::{FailedSource, RouteCount, RunningState};
use super::status::{
    DestinationState, DestinationStatus, ListenerState, ListenerStatus, LogspaceInfo, LogspaceState,
    LogspaceStatus, QueueLeft, RetentionInfo, RouteStatus, SourceStatus, Status, StepStatus, Totals,
    Unsealed,
};
use logstead_config::{Destination as Config, Source};
use logstead_flow::budget::Budget;
use logstead_flow::counters::{Counters, SourceCounters, StepCounters};
use logstead_flow::ledger::{Accounts, SourceRow};
use logstead_forward::Destination;
use logstead_receive as receive;
use logstead_record::Timestamp;
use std::sync::Arc;
use std::time::Instant;

fn time(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// The figures of a status that are not part of the running state.
pub(crate) struct StatusFigures<'a> {
    pub counters: &'a Counters,
    pub accounts: &'a Accounts,
    pub expiry_held: Option<String>,
    pub time: Timestamp,
    pub now: Instant,
}

fn totals(accounts: &Accounts) -> Totals {
    let mut totals = Totals::default();
    for SourceRow { fates, .. } in &accounts.sources {
        totals.received += fates.received;
        totals.stored += fates.stored;
        totals.forwarded += fates.forwarded;
        totals.unacknowledged += fates.unacknowledged;
        totals.lost_before += fates.lost_before.values().sum::<u64>();
        totals.in_flight += fates.in_flight;
        for (reason, bytes) in &fates.skipped_bytes {
            *totals.skipped_bytes.entry(reason.clone()).or_default() += bytes;
        }
        for (reason, messages) in &fates.dropped {
            *totals.dropped.entry(reason.clone()).or_default() += messages;
        }
    }
    totals
}

impl RunningState {
    /// Counters and states of the live revision.
    pub(crate) fn status(&self, observed: StatusFigures<'_>) -> Status {
        let StatusFigures { counters, accounts, expiry_held, time, now } = observed;
        let checked = &self.live.checked;
        Status {
            revision: self.live.revision,
            applied_at: self.live.applied_at.to_string(),
            time: time.to_string(),
            totals: totals(accounts),
            unrouted_messages: counters.unrouted.get(),
            expiry_held,
            sources: checked
                .sources
                .iter()
                .filter_map(|config| self.source_status(config, counters, now))
                .collect(),
            routes: checked
                .routes
                .iter()
                .enumerate()
                .filter_map(|(number, checked)| self.route_status(number, checked.route.enabled, now))
                .collect(),
            destinations: checked
                .destinations
                .iter()
                .filter_map(|config| {
                    Some(destination_status(config, self.destinations.get(&config.id)?, now))
                })
                .collect(),
            queues_left: self.queues_left(),
            logspaces: checked.logspaces.iter().filter_map(|c| self.logspace_status(&c.id, now)).collect(),
        }
    }

    fn route_status(&self, number: usize, enabled: bool, now: Instant) -> Option<RouteStatus> {
        let RouteCount { route, steps } = self.routes.get(number)?;
        let messages = route.messages.get();
        let kinds = self.router.steps(number).zip(self.router.forgotten(number));
        let step = |(counters, (kind, forgotten)): (&Arc<StepCounters>, (&str, u64))| StepStatus {
            kind: kind.to_owned(),
            messages: counters.messages.get(),
            changed: counters.changed.get(),
            dropped: counters.dropped.get(),
            failed: counters.failed.get(),
            forgotten,
        };
        Some(RouteStatus {
            id: self.router.routes().nth(number)?.to_owned(),
            enabled,
            messages,
            messages_per_second: route.rate.look(messages, now),
            steps: steps.iter().zip(kinds).map(step).collect(),
        })
    }

    /// Queues of destinations that are no longer in the document, unless they are empty.
    fn queues_left(&self) -> Vec<QueueLeft> {
        let in_document = |id: &str| self.live.checked.destinations.iter().any(|config| config.id == id);
        let left = |(id, destination): (&String, &Arc<Destination>)| {
            let depth = destination.depth();
            QueueLeft {
                id: id.clone(),
                queue_messages: depth.messages,
                queue_bytes: depth.bytes,
                oldest_ms: depth.oldest.map(|oldest| oldest.as_millis() as u64),
                quarantined: destination.quarantined(),
            }
        };
        let left_over = |(id, destination): &(&String, &Arc<Destination>)| {
            !in_document(id) && destination.holds_messages()
        };
        self.destinations.iter().filter(left_over).map(left).collect()
    }

    /// The status of a source in the document; `None` if it is enabled but none of it runs or has failed.
    fn source_status(&self, config: &Source, counters: &Counters, now: Instant) -> Option<SourceStatus> {
        let failed: Vec<&FailedSource> =
            self.failed.iter().filter(|failed| failed.source == config.id).collect();
        let status = match self.sources.get(&config.id) {
            Some(source) => running_status(source, config, now),
            None => match self.inlets.get(&config.id) {
                Some(inlet) => counted_status(&inlet.counters, Some(&inlet.budget), config, now),
                None if failed.is_empty() && config.enabled => return None,
                None => counted_status(&counters.source(&config.id), None, config, now),
            },
        };
        let failed = failed.into_iter().map(|failed| ListenerStatus {
            url: failed
                .listener
                .as_ref()
                .map_or_else(|| config.kind.tag().name().to_owned(), ToString::to_string),
            state: ListenerState::Failed,
            error: Some(failed.reason.clone()),
        });
        Some(SourceStatus { listeners: status.listeners.into_iter().chain(failed).collect(), ..status })
    }

    fn logspace_status(&self, id: &str, now: Instant) -> Option<LogspaceStatus> {
        let logspace = self.logspaces.get(id)?;
        let (stats, counters) = (logspace.stats(), &logspace.counters);
        let last_error = counters.last_error.lock().clone();
        Some(LogspaceStatus {
            id: id.to_owned(),
            state: if last_error.is_some() { LogspaceState::Failing } else { LogspaceState::Ok },
            last_error,
            messages: stats.messages,
            messages_per_second: counters.rate.look(counters.messages.get(), now),
            journal_bytes: stats.journal_bytes,
            stored_bytes: stats.blocks_bytes + stats.index_bytes + stats.journal_bytes,
            segments: stats.segments as u64,
            unsealed_messages: logspace.keeper.backlog().messages,
            sealing_error: counters.keep.last_error.lock().clone(),
            first_time: time(stats.first_time),
            last_time: time(stats.last_time),
        })
    }

    /// Every logspace that can be searched.
    pub(crate) fn logspace_infos(&self, expiry_held: Option<&str>) -> Vec<LogspaceInfo> {
        self.logspaces.values().map(|logspace| self.logspace_info(logspace, expiry_held)).collect()
    }

    fn logspace_info(&self, logspace: &Logspace, expiry_held: Option<&str>) -> LogspaceInfo {
        let (stats, backlog) = (logspace.stats(), logspace.keeper.backlog());
        let config = self.live.checked.logspaces.iter().find(|config| config.id == logspace.id);
        let retention = config.map(|config| config.retention).unwrap_or_default();
        let (files, messages, bytes) = (backlog.files as u64, backlog.messages, backlog.bytes);
        LogspaceInfo {
            id: logspace.id.clone(),
            in_router: config.is_some(),
            messages: stats.messages,
            sealed_messages: stats.sealed_messages,
            segments: stats.segments as u64,
            blocks_bytes: stats.blocks_bytes,
            index_bytes: stats.index_bytes,
            journal_bytes: stats.journal_bytes,
            unsealed: Unsealed { files, messages, bytes },
            sealing_error: logspace.counters.keep.last_error.lock().clone(),
            damaged_parts: stats.damaged as u64,
            memory_bytes: stats.memory_bytes as u64,
            first_time: time(stats.first_time),
            last_time: time(stats.last_time),
            durability: config.map(|config| config.durability),
            retention: RetentionInfo {
                age: retention.age.map(|age| age.to_string()),
                size: retention.size.map(|size| size.to_string()),
                held: logspace.keeper.expiry_held().or(retention.age.and(expiry_held)).map(str::to_owned),
            },
        }
    }
}

fn running_status(source: &receive::RunningSource, config: &Source, now: Instant) -> SourceStatus {
    let shared = &source.shared;
    let listening = |url| ListenerStatus { url, state: ListenerState::Listening, error: None };
    SourceStatus {
        listeners: source.urls().into_iter().map(listening).collect(),
        ..counted_status(&shared.counters, Some(&shared.budget), config, now)
    }
}

/// The counts of a source and its use of its budget; for one that is not running, its earlier counts.
fn counted_status(
    counters: &SourceCounters,
    budget: Option<&Budget>,
    config: &Source,
    now: Instant,
) -> SourceStatus {
    let messages = counters.messages.get();
    SourceStatus {
        id: config.id.clone(),
        enabled: config.enabled,
        kind: config.kind.tag(),
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
        skipped_bytes: counters.skipped_bytes.get(),
        framing_bytes: counters.framing_bytes.get(),
        undelimited: counters.undelimited.get(),
        unrouted: counters.unrouted.get(),
        reads: counters.read_bytes.get().2,
        dropped: counters.dropped.get(),
        last_seen: time(counters.last_seen()),
        clock_skew_ms: counters.skew_ms(),
        last_error: counters.last_error.lock().clone(),
        queue_bytes: budget.map_or(0, Budget::used_bytes) as u64,
        queue_bytes_max: budget.map_or(0, Budget::bytes_max) as u64,
    }
}

fn destination_status(config: &Config, destination: &Destination, now: Instant) -> DestinationStatus {
    let (counters, depth) = (&destination.counters, destination.depth());
    let messages = counters.messages.get();
    let failing = counters.failing();
    let unopened = destination.unopened();
    let paused_because = destination.why_paused();
    let state = match messages {
        _ if !config.enabled => DestinationState::Disabled,
        _ if unopened.is_some() => DestinationState::Retrying,
        _ if paused_because.is_some() => DestinationState::Paused,
        _ if failing.is_some() => DestinationState::Retrying,
        0 => DestinationState::Idle,
        _ => DestinationState::Ok,
    };
    DestinationStatus {
        id: config.id.clone(),
        enabled: config.enabled,
        kind: config.kind.tag(),
        to: config.kind.address(),
        state,
        paused_because,
        last_error: counters.last_error.lock().clone(),
        failing_since: time(failing.map(|failing| failing.since)),
        next_try: time(failing.and_then(|failing| failing.next_try)),
        queued: counters.queued.get(),
        messages,
        bytes: counters.bytes.get(),
        messages_per_second: counters.rate.look(messages, now),
        dropped: counters.dropped.get(),
        queue_messages: depth.messages,
        queue_bytes: depth.bytes,
        queue_bytes_max: depth.bytes_max,
        oldest_ms: depth.oldest.map(|oldest| oldest.as_millis() as u64),
        queue_error: unopened.or_else(|| counters.queue_error.lock().clone()),
        quarantined: destination.quarantined(),
    }
}
