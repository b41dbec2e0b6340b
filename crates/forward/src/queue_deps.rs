//! The shared parts that the queues of destinations depend on.

use logstead_flow::ledger::Ledger;
use logstead_indexer::Disk;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of all queues.
const QUEUES: &str = "queues";
/// The file in a queue's folder that marks its destination as paused, with the reason.
const PAUSED: &str = "paused";
/// The reason for a pause if the file gives none.
const BY_OPERATOR: &str = "an operator paused it";
const AT_START: &str = "the server was started with --pause-destinations";
/// Maximum number of bytes of such a file that are read.
const REASON_BYTES_MAX: usize = 1024;

pub(crate) type MakesRoom = Arc<dyn Fn() -> bool + Send + Sync>;

/// Shared by all destinations.
#[derive(Clone)]
pub struct QueueDeps {
    /// The disk that queues are on.
    pub disk: Arc<dyn Disk>,
    /// The ledger of all messages.
    pub ledger: Arc<Ledger>,
    /// The data directory.
    pub data: PathBuf,
    /// Why the disk accepts no more messages, if that is so.
    pub refuses_messages: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// Whether messages may be removed by age at the moment.
    pub clock_is_believed: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Frees some of the disk space that is reserved for work on a full disk; `false` if none is left.
    pub makes_room: MakesRoom,
    /// Maximum memory of a queue.
    pub memory_max: usize,
    /// Maximum length of a journal file.
    pub journal_file_max: u64,
}

impl QueueDeps {
    /// The folder of all queues.
    pub fn queues(&self) -> PathBuf {
        self.data.join(QUEUES)
    }

    /// The folder of quarantined messages.
    pub fn quarantines(&self) -> PathBuf {
        self.data.join("quarantine")
    }

    /// Why a destination is paused, if it was paused before the process started.
    pub(super) fn why_paused(&self, id: &str) -> Option<String> {
        let file = self.disk.open_to_read(&self.queues().join(id).join(PAUSED)).ok()?;
        // It is paused, whatever the contents of the file are.
        let mut text = vec![0; (file.bytes().unwrap_or_default() as usize).min(REASON_BYTES_MAX)];
        let reason = file.read_at(0, &mut text).ok().and_then(|()| String::from_utf8(text).ok());
        Some(reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| BY_OPERATOR.to_owned()))
    }

    /// Records on disk that the destination is paused or not; returns the reason if it is paused.
    pub(super) fn note_paused(&self, id: &str, is_paused: bool) -> io::Result<Option<String>> {
        let folder = self.queues().join(id);
        if is_paused {
            pause(&*self.disk, &folder, BY_OPERATOR)?;
            return Ok(Some(BY_OPERATOR.to_owned()));
        }
        let file = folder.join(PAUSED);
        if file.exists() {
            self.disk.remove(&file)?;
        }
        self.disk.sync_dir(&folder)?;
        Ok(None)
    }
}

/// Pauses the named destinations and all whose queues are on disk, before any is opened. They stay paused until they
/// are resumed.
pub fn pause_all(disk: &dyn Disk, data: &Path, named: &[&str]) -> io::Result<()> {
    let queues = data.join(QUEUES);
    let folders = match std::fs::read_dir(&queues) {
        Ok(folders) => folders.map(|folder| Ok(folder?.path())).collect::<io::Result<Vec<PathBuf>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    for folder in named.iter().map(|id| queues.join(id)).chain(folders) {
        disk.create_dir_all(&folder)?;
        pause(disk, &folder, AT_START)?;
    }
    Ok(())
}

fn pause(disk: &dyn Disk, folder: &Path, why: &str) -> io::Result<()> {
    let file = disk.create(&folder.join(PAUSED))?;
    file.append(&mut [IoSlice::new(why.as_bytes())])?;
    file.sync()?;
    disk.sync_dir(folder)
}
