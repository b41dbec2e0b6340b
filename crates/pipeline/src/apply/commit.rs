//! The swap: the new revision becomes live, then the parts that it does not contain are stopped.
//!
//! **Invariant:** nothing here fails.

use super::prepare::{NextRevision, NextSource, PreparedChange};
use crate::core::Pipeline;
use crate::running::{FailedSource, HandedBy, Inlet, LiveRevision, RouteCount, RunningState};
use logstead_config::{Checked, Source as Config};
use logstead_flow::budget::Budget;
use logstead_flow::machine::clock;
use logstead_receive::RunningSource;
use logstead_route::Router;
use std::sync::Arc;

impl PreparedChange<'_> {
    /// Makes the change live under this revision number.
    pub fn commit(self, revision: u64) -> Arc<LiveRevision> {
        let PreparedChange { pipeline, change, before, next, alone } = self;
        // Retrying to open parts that failed is not a change.
        let is_same = revision == before.live.revision;
        let live = Arc::new(LiveRevision {
            revision,
            toml: change.toml,
            document: change.document,
            checked: Arc::new(change.checked),
            applied_at: if is_same { before.live.applied_at } else { clock::now() },
        });
        let running = Arc::new(pipeline.running_next(live.clone(), &next, &before));
        pipeline.running.store(running.clone());
        next.started.keep();
        report_listeners(&before.failed, &running.failed);
        pipeline.configure(&running);
        next.sources.into_values().for_each(receive);
        stop_removed(&live.checked, &before);
        drop(alone);
        live
    }
}

impl Pipeline {
    fn running_next(
        &self,
        live: Arc<LiveRevision>,
        next: &NextRevision,
        before: &RunningState,
    ) -> RunningState {
        let router = Router::new(&live.checked, &self.lookups.tables, Some(&before.router));
        let mut logspaces = before.logspaces.clone();
        logspaces.extend(next.logspaces.clone());
        let mut destinations = before.destinations.clone();
        destinations.extend(next.destinations.clone());
        let sources = live.checked.sources.len();
        let inlet = |source: &Config| {
            let handed_by = HandedBy::of(&source.kind)?;
            let same = before.inlets.get(&source.id).filter(|inlet| inlet.handed_by == handed_by);
            let inlet = same.map_or_else(|| self.inlet(&source.id, handed_by, sources), Arc::clone);
            Some((source.id.clone(), inlet))
        };
        let enabled = live.checked.sources.iter().filter(|source| source.enabled);
        RunningState {
            inlets: enabled.filter_map(inlet).collect(),
            sources: next.sources.iter().map(|(id, next)| (id.clone(), next.source.clone())).collect(),
            targets: RunningState::reach(&router, &logspaces, &destinations),
            routes: RouteCount::all(&router, &self.counters),
            router,
            logspaces,
            destinations,
            failed: next.failed.clone(),
            live,
        }
    }

    fn inlet(&self, id: &str, handed_by: HandedBy, sources: usize) -> Arc<Inlet> {
        Arc::new(Inlet {
            id: id.into(),
            handed_by,
            counters: self.counters.source(id),
            budget: Budget::new(self.memory.shares.queue_of_one(sources)),
        })
    }

    /// Reconfigures the parts that are already running.
    fn configure(&self, running: &RunningState) {
        let checked = &running.live.checked;
        for (id, logspace) in &running.logspaces {
            logspace.configure(self.configuration(id, checked, running.logspaces.len()));
        }
        for (id, destination) in &running.destinations {
            destination.configure(checked.destinations.iter().find(|config| config.id == *id));
        }
    }
}

fn receive(NextSource { source, settings, sockets }: NextSource) {
    source.shared.settings.store(Arc::new(settings));
    source.follow();
    sockets.into_iter().for_each(|socket| source.listen(socket));
}

/// Stops the parts that the new revision does not contain or has disabled.
fn stop_removed(checked: &Checked, before: &RunningState) {
    for (id, source) in &before.sources {
        let has_thread = |config: &Config| HandedBy::of(&config.kind).is_none();
        let runs = |checked: &&Config| checked.id == *id && checked.enabled && has_thread(checked);
        match checked.sources.iter().find(runs) {
            Some(checked) => source.retain(checked.kind.listen()),
            None => stop(source),
        }
    }
}

fn stop(source: &RunningSource) {
    source.stop();
    source.join();
}

/// Logs, once each, which listeners cannot be opened, and when they can be again.
fn report_listeners(before: &[FailedSource], now: &[FailedSource]) {
    for failed in now.iter().filter(|failed| !before.contains(failed)) {
        let FailedSource { source, reason, .. } = failed;
        tracing::error!(source, "{failed} does not receive, and is tried again: {reason}");
    }
    for failed in before.iter().filter(|failed| !now.iter().any(|other| other.is_about(failed))) {
        tracing::info!(source = failed.source, "{failed} has recovered");
    }
}
