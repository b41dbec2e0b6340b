//! Opens logspaces: those of a revision that becomes live and, when the process starts, all that are on disk.

use super::{RevisionChange, SourceDemand, first};
use crate::core::Pipeline;
use crate::logspace::{Configuration, Logspace, LogspaceDeps};
use crate::running::RunningState;
use logstead_config::{Checked, Durability as Configured};
use logstead_flow::ledger::JournalId;
use logstead_indexer::{Durability, Options};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

impl Pipeline {
    /// Opens a logspace and starts its thread. If it cannot be opened, this is tried again later, unless everything
    /// is required to open.
    pub(super) fn open(
        &self,
        id: &str,
        checked: &Checked,
        demand: SourceDemand,
    ) -> Result<Arc<Logspace>, String> {
        let folder = self.data.join("logspaces").join(id);
        let configuration = self.configuration(id, checked, checked.logspaces.len());
        let counters = self.counters.logspace(id);
        let reached = self.ledger.stored_until(&JournalId::Logspace(id.into()));
        let opened = logstead_indexer::closed(&self.disk, &folder, configuration.options, reached);
        let shared = LogspaceDeps {
            waker: self.sealers.waker(),
            progress: self.sealers.progress(),
            wake: self.wake.clone(),
            headroom: self.headroom.clone(),
            clock: self.clock.clone(),
            ledger: self.ledger.clone(),
        };
        let has_to_open = demand == SourceDemand::All;
        Logspace::start(id, &folder, opened, has_to_open, configuration, counters, shared).map(Arc::new)
    }

    /// Opens the logspaces that are on disk, including those that are no longer in the document, so that they can be
    /// searched.
    pub(crate) fn open_existing(&self, change: &RevisionChange) -> io::Result<()> {
        let folder = self.data.join("logspaces");
        if !folder.exists() {
            return Ok(());
        }
        let mut logspaces = BTreeMap::new();
        for entry in std::fs::read_dir(folder)? {
            let Ok(id) = entry?.file_name().into_string() else { continue };
            match self.open(&id, &change.checked, SourceDemand::WhatCan) {
                Ok(logspace) => drop(logspaces.insert(id, logspace)),
                Err(error) => tracing::error!(logspace = id, "cannot be started: {error}"),
            }
        }
        let revision = self.running.load().live.revision;
        self.running.store(Arc::new(RunningState { logspaces, ..first(revision, change) }));
        Ok(())
    }

    /// The configuration of a logspace; one that is not in the document keeps its messages.
    pub(super) fn configuration(&self, id: &str, checked: &Checked, logspaces: usize) -> Configuration {
        let config = checked.logspaces.iter().find(|config| config.id == id);
        let durability = match config.map(|config| config.durability) {
            Some(Configured::Os) => Durability::Os,
            Some(Configured::Fsync) | None => Durability::Fsync,
        };
        let shares = &self.memory.shares;
        let [memory_max, index_memory_max] = [shares.tail, shares.index].map(|max| max / logspaces.max(1));
        let storage = &self.settings.storage;
        Configuration {
            options: Options {
                memory_max,
                index_memory_max,
                journal_file_max: shares.journal_file(storage),
                join_bytes_max: shares.join_bytes(),
                segment_rows_max: storage.segment_rows_max,
                durability,
                ..Options::default()
            },
            retention: config.map(|config| config.retention).unwrap_or_default(),
            seal_after: storage.seal_after.duration(),
            sealers: shares.sealers,
        }
    }
}
