//! What the machine offers to the queues of destinations.

use crate::flow::ledger::Ledger;
use logstead_indexer::Disk;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The file in the folder of a queue that says that its destination is paused.
const PAUSED: &str = "paused";

pub(crate) type MakesRoom = Arc<dyn Fn() -> bool + Send + Sync>;

/// Shared by all destinations.
#[derive(Clone)]
pub(crate) struct Means {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) ledger: Arc<Ledger>,
    /// The data directory.
    pub(crate) data: PathBuf,
    /// Why the disk takes no more messages, if so.
    pub(crate) refuses_messages: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// Whether messages may be removed by age now.
    pub(crate) clock_is_believed: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Gives the disk some space back that was kept for what has to work on a full disk; `false` if none is left.
    pub(crate) makes_room: MakesRoom,
    /// The longest that a journal file becomes.
    pub(crate) journal_file_max: u64,
}

impl Means {
    /// The folder of all queues, and that of all messages that were refused.
    pub(crate) fn queues(&self) -> PathBuf {
        self.data.join("queues")
    }

    pub(crate) fn quarantines(&self) -> PathBuf {
        self.data.join("quarantine")
    }

    /// Whether a destination was paused before the process started.
    pub(super) fn is_paused(&self, id: &str) -> bool {
        self.queues().join(id).join(PAUSED).exists()
    }

    /// Notes on the disk that it is paused, or that it is not.
    pub(super) fn note_paused(&self, id: &str, is_paused: bool) -> io::Result<()> {
        let folder = self.queues().join(id);
        let file = folder.join(PAUSED);
        if is_paused {
            self.disk.create(&file)?;
        } else if file.exists() {
            self.disk.remove(&file)?;
        }
        self.disk.sync_dir(&folder)
    }
}
