//! The logspaces of a data directory, for the commands that work on them: to read them, whoever has them open, or to
//! write to them when nobody has.

use super::{Failure, SettingsArgs, text};
use crate::machine::lock::DataLock;
use crate::store::Logspaces;
use clap::Args;
use logstead_config::is_id;
use logstead_config::settings::Settings;
use logstead_indexer::{Disk, Looked, Opened, Options, RealDisk, Recovery};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which data directory, and which of its logspaces.
#[derive(Args, Debug)]
pub(super) struct StoreArgs {
    #[command(flatten)]
    pub(super) settings: SettingsArgs,
    /// The data directory, instead of the one that the settings name
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
    /// Looks at the logspaces that are meant: nothing is changed. And says where they are.
    pub(super) fn look(&self) -> Result<(PathBuf, Vec<(String, Looked)>), Failure> {
        let data = self.load()?.data;
        let looked = look(&data, &self.logspaces)?;
        Ok((data, looked))
    }

    fn load(&self) -> Result<Settings, Failure> {
        let mut settings = self.settings.load()?;
        if let Some(data) = &self.data {
            settings.data.clone_from(data);
        }
        Ok(settings)
    }

    /// Opens the logspaces that are meant, to write to them.
    pub(super) fn open(&self) -> Result<OpenStore, Failure> {
        let settings = self.load()?;
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

/// Looks at these logspaces of a data directory, or at all where none is named. Needs no lock and changes nothing: a
/// server may have them open, and they may be on media that cannot be written.
pub(super) fn look(data: &Path, ids: &[String]) -> Result<Vec<(String, Looked)>, Failure> {
    // Each file is held as long as it is looked at: a server may remove it meanwhile.
    crate::machine::sockets::Descriptors::of_process();
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let folder = folder_of(data)?;
    let look_at = |id: String| {
        let looked = logstead_indexer::look(&disk, &folder.join(&id));
        let looked = looked.map_err(|error| Failure::environment(format!("logspace `{id}`: {error}")))?;
        Ok((id, looked))
    };
    known(&folder, ids)?.into_iter().map(look_at).collect()
}

/// The same, to be searched as one.
pub(super) fn logspaces(data: &Path, ids: &[String]) -> Result<Logspaces, Failure> {
    Ok(look(data, ids)?.into_iter().map(|(id, looked)| (id, looked.searcher)).collect())
}

/// Where the logspaces of a data directory are.
fn folder_of(data: &Path) -> Result<PathBuf, Failure> {
    let folder = data.join("logspaces");
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::no(format!("{} is not a data directory: it holds no logspaces", data.display())))
}

/// Those logspaces of a folder that are named, or all where none is.
fn known(folder: &Path, ids: &[String]) -> Result<Vec<String>, Failure> {
    let mut known = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::environment)? {
        known.extend(entry.map_err(Failure::environment)?.file_name().into_string());
    }
    known.sort();
    if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
        let known = known.join(", ");
        return Err(Failure::no(format!("there is no logspace `{unknown}`: there are {known}")));
    }
    known.retain(|id| ids.is_empty() || ids.contains(id));
    Ok(known)
}

/// Prints what there is to know about a logspace that was opened.
fn tell(id: &str, recovery: &Recovery) {
    recovery.told().iter().for_each(|told| text::error(&format!("{id}: {}", told.text)));
}

impl Store {
    /// A data directory that is there.
    pub(super) fn of(data: &Path, options: Options) -> Result<Store, Failure> {
        folder_of(data)?;
        Store::create(data, options)
    }

    /// A data directory that may be new.
    pub(super) fn create(data: &Path, options: Options) -> Result<Store, Failure> {
        let lock = DataLock::acquire(data)?;
        Ok(Store { folder: data.join("logspaces"), options, _lock: lock })
    }

    /// These logspaces, or all where none is named.
    pub(super) fn open(&self, ids: &[String]) -> Result<Vec<(String, Opened)>, Failure> {
        known(&self.folder, ids)?.into_iter().map(|id| Ok((id.clone(), self.open_one(&id)?))).collect()
    }

    /// One logspace, which is made where it is not there.
    pub(super) fn open_or_create(&self, id: &str) -> Result<Opened, Failure> {
        if !is_id(id) {
            let grammar = "lower-case letters, digits, `_` and `-`, the first a letter or digit";
            return Err(Failure::no(format!("`{id}` cannot be the name of a logspace: use {grammar}")));
        }
        self.open_one(id)
    }

    fn open_one(&self, id: &str) -> Result<Opened, Failure> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let opened = logstead_indexer::open(&disk, &self.folder.join(id), self.options);
        let opened = opened.map_err(|error| Failure::environment(format!("logspace `{id}`: {error}")))?;
        tell(id, &opened.recovery);
        Ok(opened)
    }
}
