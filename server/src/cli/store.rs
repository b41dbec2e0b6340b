//! The logspaces of a data directory, for the commands that work on them: to read them, even if a server has them open,
//! or to write to them if no other process has.

use super::failure::{CommandFailure, Result};
use super::remote::{Remote, ServerArgs};
use super::settings::SettingsArgs;
use super::text;
use clap::Args;
use logstead_config::is_logspace_id;
use logstead_config::settings::Settings;
use logstead_flow::ledger::{JournalId, LedgerSnapshot};
use logstead_flow::machine::lock::DataLock;
use logstead_flow::machine::memory::Shares;
use logstead_indexer::{
    CursorError, Disk, OpenLogspace, Options, ReadOnlyLogspace, RealDisk, Recovery, verify_cursor,
};
use logstead_questions::store::Logspaces;
use logstead_work::Pool;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The data directory, and the logspaces in it.
#[derive(Args, Debug)]
pub(super) struct StoreArgs {
    #[command(flatten)]
    pub(super) settings: SettingsArgs,
    /// The data directory, instead of the one in the settings
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Only this logspace; may be repeated
    #[arg(long = "logspace", value_name = "L")]
    logspaces: Vec<String>,
}

/// The name of a queue, with its contents and the damage of its cursor, or the reason why it cannot be read.
pub(super) type InspectedQueue = (String, Result<(ReadOnlyLogspace, Option<CursorError>), String>);

/// The end of the stored messages according to the ledger of a data directory, and the damage of the ledger. It must
/// be read before the journals, because a server may be writing them.
fn reached(data: &Path) -> (LedgerSnapshot, Option<String>) {
    match LedgerSnapshot::look(&RealDisk, &data.join("ledger")) {
        Ok((reached, 0)) => (reached, None),
        Ok((reached, lines)) => {
            (reached, Some(format!("{lines} lines are damaged: the counts in them may be missing")))
        }
        Err(error) => (LedgerSnapshot::default(), Some(error)),
    }
}

/// The name of a logspace, with its contents or the reason why it cannot be read.
pub(super) type InspectedLogspace = (String, Result<ReadOnlyLogspace, String>);

/// The selected logspaces, opened.
pub(super) struct OpenStore {
    pub(super) settings: Settings,
    pub(super) logspaces: Vec<(String, OpenLogspace)>,
    _store: LockedStore,
}

/// A data directory, which is locked as long as this exists.
pub(super) struct LockedStore {
    folder: PathBuf,
    options: Options,
    _lock: DataLock,
}

impl StoreArgs {
    /// Opens the queues and quarantines of destinations for reading only; none if only some logspaces are selected.
    pub(super) fn look_at_queues(&self) -> Result<Vec<InspectedQueue>> {
        let data = self.load()?.data;
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let reached = reached(&data).0;
        let mut found = Vec::new();
        for (what, folder) in [("queue", data.join("queues")), ("quarantine", data.join("quarantine"))] {
            if !self.logspaces.is_empty() || !folder.is_dir() {
                continue;
            }
            for id in known(&folder, &[])? {
                let of = match what {
                    "queue" => reached.of(&JournalId::Destination(id.as_str().into())),
                    _ => 0,
                };
                let dir = folder.join(&id);
                let looked = logstead_indexer::look_witnessed(&disk, &dir, of, &Pool::of_reads());
                let looked = looked.map_err(|error| error.to_string()).map(|looked| {
                    let cursor = verify_cursor(&*disk, &dir, &looked.searcher);
                    (looked, cursor)
                });
                found.push((format!("{what} {id}"), looked));
            }
        }
        Ok(found)
    }

    /// The damage of the ledger, if any.
    pub(super) fn look_at_ledger(&self) -> Result<Option<String>> {
        Ok(reached(&self.load()?.data).1)
    }

    /// The server to ask instead of reading a data directory.
    pub(super) fn server_of(&self, server: &ServerArgs) -> Result<Option<Remote>> {
        server.unless(self.data.as_ref())
    }

    /// The selected logspaces; none if all are.
    pub(super) fn selected(&self) -> &[String] {
        &self.logspaces
    }

    /// Opens each of the selected logspaces for reading only; also returns the data directory.
    pub(super) fn look_at_each(&self) -> Result<(PathBuf, Vec<InspectedLogspace>)> {
        let data = self.load()?.data;
        let looked = look_at_each(&data, &self.logspaces)?;
        Ok((data, looked))
    }

    fn load(&self) -> Result<Settings> {
        self.settings.load_with_data(self.data.as_deref())
    }

    /// Opens the selected logspaces for writing.
    pub(super) fn open(&self) -> Result<OpenStore> {
        let settings = self.load()?;
        let store = LockedStore::of(&settings.data, options(&settings))?;
        let logspaces = store.open(&self.logspaces)?;
        Ok(OpenStore { settings, logspaces, _store: store })
    }
}

/// The options with which the server opens its logspaces.
pub(super) fn options(settings: &Settings) -> Options {
    let shares = Shares::of_process(settings);
    Options {
        memory_max: shares.tail,
        index_memory_max: shares.index,
        journal_file_max: shares.journal_file(&settings.storage),
        join_bytes_max: shares.join_bytes(),
        segment_rows_max: settings.storage.segment_rows_max,
        ..Options::default()
    }
}

/// Opens these logspaces of a data directory for reading only, or all if none is given. This needs no lock and
/// changes nothing, so a server may have them open, and they may be on read-only media.
pub(super) fn look(data: &Path, ids: &[String]) -> Result<Vec<(String, ReadOnlyLogspace)>> {
    let or_fail = |(id, looked): InspectedLogspace| match looked {
        Ok(looked) => Ok((id, looked)),
        Err(error) => Err(CommandFailure::environment(format!("logspace `{id}`: {error}"))),
    };
    look_at_each(data, ids)?.into_iter().map(or_fail).collect()
}

fn look_at_each(data: &Path, ids: &[String]) -> Result<Vec<InspectedLogspace>> {
    // Every file is kept open while it is read, because a server may remove it meanwhile, so many descriptors are
    // needed.
    logstead_flow::machine::sockets::Descriptors::of_process();
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let folder = folder_of(data)?;
    let reached = reached(data).0;
    let look_at = |id: String| {
        let of = reached.of(&JournalId::Logspace(id.as_str().into()));
        let looked = logstead_indexer::look_witnessed(&disk, &folder.join(&id), of, &Pool::of_reads());
        (id, looked.map_err(|error| error.to_string()))
    };
    Ok(known(&folder, ids)?.into_iter().map(look_at).collect())
}

/// The same logspaces, to be searched as one.
pub(super) fn logspaces(data: &Path, ids: &[String]) -> Result<Logspaces> {
    let all: Logspaces = look(data, ids)?.into_iter().map(|(id, looked)| (id, looked.searcher)).collect();
    Ok(if ids.is_empty() { all.public() } else { all })
}

/// The folder in a data directory that contains its logspaces.
fn folder_of(data: &Path) -> Result<PathBuf> {
    let folder = data.join("logspaces");
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(CommandFailure::environment(format!(
        "{} is not a data directory: it holds no logspaces",
        data.display()
    )))
}

/// The given logspaces of a folder, or all if none is given.
fn known(folder: &Path, ids: &[String]) -> Result<Vec<String>> {
    let mut known = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(CommandFailure::environment)? {
        known.extend(entry.map_err(CommandFailure::environment)?.file_name().into_string());
    }
    known.sort();
    if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
        let known = known.join(", ");
        return Err(CommandFailure::no(format!("there is no logspace `{unknown}`: there are {known}")));
    }
    known.retain(|id| ids.is_empty() || ids.contains(id));
    Ok(known)
}

/// Prints the report of opening a logspace.
fn tell(id: &str, recovery: &Recovery) {
    recovery.notes().iter().for_each(|told| text::error(&format!("{id}: {}", told.text)));
}

impl LockedStore {
    /// Locks an existing data directory.
    pub(super) fn of(data: &Path, options: Options) -> Result<LockedStore> {
        folder_of(data)?;
        LockedStore::create(data, options)
    }

    /// Locks a data directory, which is made if it does not exist.
    pub(super) fn create(data: &Path, options: Options) -> Result<LockedStore> {
        let lock = DataLock::acquire(data)?;
        Ok(LockedStore { folder: data.join("logspaces"), options, _lock: lock })
    }

    /// Opens these logspaces, or all if none is given.
    pub(super) fn open(&self, ids: &[String]) -> Result<Vec<(String, OpenLogspace)>> {
        known(&self.folder, ids)?.into_iter().map(|id| Ok((id.clone(), self.open_one(&id)?))).collect()
    }

    /// Opens one logspace, which is created if it does not exist.
    pub(super) fn open_or_create(&self, id: &str) -> Result<OpenLogspace> {
        if !is_logspace_id(id) {
            let grammar = "lower-case letters, digits, `_` and `-`, the first a letter or digit, or `_` for a private one";
            return Err(CommandFailure::no(format!(
                "`{id}` cannot be the name of a logspace: use {grammar}"
            )));
        }
        self.open_one(id)
    }

    fn open_one(&self, id: &str) -> Result<OpenLogspace> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let data = self.folder.parent().unwrap_or(Path::new("."));
        let reached = reached(data).0.of(&JournalId::Logspace(id.into()));
        let folder = self.folder.join(id);
        let opened =
            logstead_indexer::open_witnessed(&disk, &folder, self.options, reached, &Pool::of_reads());
        let opened =
            opened.map_err(|error| CommandFailure::environment(format!("logspace `{id}`: {error}")))?;
        tell(id, &opened.recovery);
        Ok(opened)
    }
}
