//! Opens the queues of destinations: those of a revision that becomes live and, when the process starts, all that are
//! on disk.

use super::{RevisionChange, SourceDemand, first};
use crate::core::Pipeline;
use crate::running::RunningState;
use logstead_flow::ledger::JournalId;
use logstead_forward::{Destination, QueueDeps};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Pipeline {
    /// Opens the queue of a destination, which sends nothing yet. If it cannot be opened, this is tried again later,
    /// unless everything is required to open.
    pub(super) fn open_destination(
        &self,
        id: &str,
        demand: SourceDemand,
    ) -> Result<Arc<Destination>, String> {
        let counters = self.counters.destination(id);
        let has_to_open = demand == SourceDemand::All;
        let opened = Destination::open(id, &self.queue_deps(), &self.folders, counters, has_to_open);
        opened.map(Arc::new).map_err(|error| error.to_string())
    }

    /// Opens the queues that are on disk. Those without a destination in the document keep their messages, unless
    /// they are empty.
    pub(crate) fn open_existing_queues(&self, change: &RevisionChange) -> io::Result<()> {
        let mut destinations = BTreeMap::new();
        for id in self.queue_ids()? {
            let is_named = change.checked.destinations.iter().any(|destination| destination.id == id);
            match self.open_destination(&id, SourceDemand::WhatCan) {
                Ok(opened) if is_named || opened.may_hold_messages() => {
                    drop(destinations.insert(id, opened));
                }
                Ok(opened) => self.remove_empty(&id, &opened),
                Err(error) => tracing::error!(destination = id, "cannot be started: {error}"),
            }
        }
        for (id, destination) in &destinations {
            let messages = destination.depth().messages;
            if 0 < messages {
                tracing::info!("{messages} messages wait in the queue of destination `{id}`");
            }
        }
        let before = self.running.load_full();
        let (revision, logspaces) = (before.live.revision, before.logspaces.clone());
        let none = first(revision, change);
        self.running.store(Arc::new(RunningState { logspaces, destinations, ..none }));
        Ok(())
    }

    /// The names of all queues, and of all quarantines, which may outlive them.
    fn queue_ids(&self) -> io::Result<Vec<String>> {
        let deps = self.queue_deps();
        let mut ids = folders_in(&deps.queues())?;
        ids.extend(folders_in(&deps.quarantines())?);
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    fn remove_empty(&self, id: &str, opened: &Destination) {
        opened.stop();
        opened.join();
        let deps = self.queue_deps();
        for folder in [deps.queues().join(id), deps.quarantines().join(id)] {
            if folder.exists()
                && let Err(error) = std::fs::remove_dir_all(&folder)
            {
                tracing::warn!("{}, which is empty, cannot be removed: {error}", folder.display());
            }
        }
        self.ledger.forget(&JournalId::Destination(id.into()));
    }

    fn queue_deps(&self) -> QueueDeps {
        let (headroom, reserve, clock) = (self.headroom.clone(), self.headroom.clone(), self.clock.clone());
        QueueDeps {
            disk: self.disk.clone(),
            ledger: self.ledger.clone(),
            data: self.data.clone(),
            refuses_messages: Arc::new(move || headroom.refuses_messages()),
            makes_room: Arc::new(move || reserve.give()),
            clock_is_believed: Arc::new(move || clock.is_believed()),
            memory_max: self.memory.shares.forward,
            journal_file_max: self.settings.storage.journal_file_max.bytes(),
        }
    }
}

fn folders_in(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let names = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
    Ok(names.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
}
