//! Opens logspaces: those of a revision that becomes live, and at the start of the process all that are on disk.

use super::{Change, first};
use crate::pipeline::core::Pipeline;
use crate::pipeline::logspace::{Configuration, Logspace, Shared};
use crate::pipeline::running::Running;
use crate::pipeline::sealers;
use logstead_config::{Checked, Durability as Configured};
use logstead_indexer::{Durability, Options, Pool, Recovery};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Pipeline {
    /// Opens a logspace and starts its thread.
    pub(super) fn open(&self, id: &str, checked: &Checked) -> Result<Arc<Logspace>, String> {
        let folder = self.data.join("logspaces").join(id);
        let configuration = self.configuration(id, checked, checked.logspaces.len());
        let opened = logstead_indexer::open(&self.disk, &folder, configuration.options, &Pool::of_reads())
            .map_err(|error| error.to_string())?;
        report(id, &folder, &opened.recovery);
        self.clock.saw(opened.keeper.received_last());
        let counters = self.counters.logspace(id);
        let shared = Shared {
            bell: self.sealers.bell(),
            progress: self.sealers.progress(),
            wake: self.wake.clone(),
            headroom: self.headroom.clone(),
            clock: self.clock.clone(),
            ledger: self.ledger.clone(),
        };
        let logspace = Logspace::start(id, opened, configuration, counters, shared);
        logspace.map(Arc::new).map_err(|error| error.to_string())
    }

    /// Opens the logspaces that are on disk, including those that the document no longer has, so that they can be
    /// searched.
    pub(in crate::pipeline) fn open_existing(&self, change: &Change) -> io::Result<()> {
        let folder = self.data.join("logspaces");
        if !folder.exists() {
            return Ok(());
        }
        let mut logspaces = BTreeMap::new();
        for entry in std::fs::read_dir(folder)? {
            let Ok(id) = entry?.file_name().into_string() else { continue };
            match self.open(&id, &change.checked) {
                Ok(logspace) => drop(logspaces.insert(id, logspace)),
                Err(error) => {
                    tracing::error!(logspace = id, "cannot be opened and is not searched: {error}")
                }
            }
        }
        let revision = self.running.load().live.revision;
        self.running.store(Arc::new(Running { logspaces, ..first(revision, change) }));
        Ok(())
    }

    /// How a logspace runs; one that the document does not have keeps its messages.
    pub(super) fn configuration(&self, id: &str, checked: &Checked, logspaces: usize) -> Configuration {
        let config = checked.logspaces.iter().find(|config| config.id == id);
        let durability = match config.map(|config| config.durability) {
            Some(Configured::Os) => Durability::Os,
            Some(Configured::Fsync) | None => Durability::Fsync,
        };
        let memory = &self.settings.memory;
        let [memory_max, index_memory_max] =
            [memory.tail_max, memory.index_max].map(|max| max.as_usize() / logspaces.max(1));
        let storage = &self.settings.storage;
        Configuration {
            options: Options {
                memory_max,
                index_memory_max,
                journal_file_max: storage.journal_file_max.bytes(),
                segment_rows_max: storage.segment_rows_max,
                durability,
                ..Options::default()
            },
            retention: config.map(|config| config.retention).unwrap_or_default(),
            seal_after: storage.seal_after.duration(),
            sealers: sealers::count(self.settings.threads.sealers),
        }
    }
}

fn report(id: &str, folder: &Path, recovery: &Recovery) {
    let messages = recovery.messages + recovery.sealed_messages;
    let folder = folder.display();
    for told in recovery.told() {
        if told.is_damage {
            tracing::error!(logspace = id, %folder, "{}", told.text);
        } else {
            tracing::warn!(logspace = id, %folder, "{}", told.text);
        }
    }
    tracing::info!("logspace `{id}` is open and holds {messages} messages");
}
