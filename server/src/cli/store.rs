//! The logspaces of a data directory that no server has open, for the commands that work on them.

use super::{Failure, SettingsArgs, text};
use crate::lock::DataLock;
use clap::Args;
use logstead_config::is_id;
use logstead_config::settings::Settings;
use logstead_indexer::{Disk, Opened, Options, RealDisk};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which data directory, and which of its logspaces.
#[derive(Args, Debug)]
pub(super) struct StoreArgs {
    #[command(flatten)]
    pub(super) settings: SettingsArgs,
    /// The data directory of a stopped server, instead of the one that the settings name
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Only this logspace; may be repeated
    #[arg(long = "logspace", value_name = "L")]
    logspaces: Vec<String>,
}

/// What was meant, opened.
pub(super) struct OpenStore {
    pub(super) settings: Settings,
    pub(super) logspaces: Vec<(String, Opened)>,
    _store: Store,
}

/// A data directory that is ours as long as this is there.
pub(super) struct Store {
    folder: PathBuf,
    options: Options,
    _lock: DataLock,
}

impl StoreArgs {
    /// Opens the logspaces that are meant.
    pub(super) fn open(&self) -> Result<OpenStore, Failure> {
        let mut settings = self.settings.load()?;
        if let Some(data) = &self.data {
            settings.data.clone_from(data);
        }
        let store = Store::of(&settings.data, options(&settings))?;
        let logspaces = store.open(&self.logspaces)?;
        Ok(OpenStore { settings, logspaces, _store: store })
    }
}

/// As the server keeps its logspaces.
pub(super) fn options(settings: &Settings) -> Options {
    Options {
        journal_file_max: settings.storage.journal_file_max.bytes(),
        segment_rows_max: settings.storage.segment_rows_max,
        ..Options::default()
    }
}

impl Store {
    /// A data directory that is there.
    pub(super) fn of(data: &Path, options: Options) -> Result<Store, Failure> {
        if !data.join("logspaces").is_dir() {
            let data = data.display();
            return Err(Failure::no(format!("{data} is no data directory: it holds no logspaces")));
        }
        Store::create(data, options)
    }

    /// A data directory that may be new.
    pub(super) fn create(data: &Path, options: Options) -> Result<Store, Failure> {
        let lock = DataLock::acquire(data)?;
        Ok(Store { folder: data.join("logspaces"), options, _lock: lock })
    }

    /// These logspaces, or all where none is named.
    pub(super) fn open(&self, ids: &[String]) -> Result<Vec<(String, Opened)>, Failure> {
        let mut known = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(Failure::environment)? {
            known.extend(entry.map_err(Failure::environment)?.file_name().into_string());
        }
        known.sort();
        if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
            let known = known.join(", ");
            return Err(Failure::no(format!("there is no logspace `{unknown}`: there are {known}")));
        }
        known.retain(|id| ids.is_empty() || ids.contains(id));
        known.into_iter().map(|id| Ok((id.clone(), self.open_one(&id)?))).collect()
    }

    /// One logspace, which is made where it is not there.
    pub(super) fn open_or_create(&self, id: &str) -> Result<Opened, Failure> {
        if !is_id(id) {
            let grammar = "lower-case letters, digits, `_` and `-`, the first a letter or digit";
            return Err(Failure::no(format!("`{id}` can not be the name of a logspace: use {grammar}")));
        }
        self.open_one(id)
    }

    fn open_one(&self, id: &str) -> Result<Opened, Failure> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let opened = logstead_indexer::open(&disk, &self.folder.join(id), self.options);
        let opened = opened.map_err(|error| Failure::environment(format!("logspace `{id}`: {error}")))?;
        if let Some(cut) = &opened.recovery.cut {
            text::error(&format!("{id}: cut what the last write left half done: {cut}"));
        }
        Ok(opened)
    }
}
