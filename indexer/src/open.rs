//! Opens a logspace, for use or only for inspection.

use crate::disk::Disk;
use crate::reader::Readers;
use crate::search::Searcher;
use crate::store::append::{Appender, NOT_TRIED};
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::recover::{self, LogspaceFiles, Recovery};
use crate::store::unopened::OpenError;
use crate::store::view::{SharedView, View};
use logstead_work::Lanes;
use std::path::Path;
use std::sync::Arc;

/// An open logspace: the handles to write, search and maintain it.
pub struct OpenLogspace {
    /// The handle of the one thread that stores messages.
    pub appender: Appender,
    /// The handle for queries.
    pub searcher: Searcher,
    /// The handle of the threads that seal, join and expire.
    pub keeper: Keeper,
    /// The readers that read the logspace in order and can resume.
    pub readers: Readers,
    /// The report of what was found.
    pub recovery: Recovery,
}

/// A read-only view of a logspace at one moment.
pub struct ReadOnlyLogspace {
    /// The handle for queries.
    pub searcher: Searcher,
    /// The report of what was found.
    pub recovery: Recovery,
}

/// Inspects the logspace in a directory without changing anything, whether or not it is open elsewhere. Its segments
/// are opened in parallel.
pub fn look(disk: &Arc<dyn Disk>, dir: &Path, lanes: &dyn Lanes) -> Result<ReadOnlyLogspace, OpenError> {
    look_witnessed(disk, dir, 0, lanes)
}

/// Like `look`, with the knowledge from elsewhere that all messages below the sequence `reached` were stored: those
/// that are missing are reported.
pub fn look_witnessed(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    reached: u64,
    lanes: &dyn Lanes,
) -> Result<ReadOnlyLogspace, OpenError> {
    let (view, recovery) = recover::look(disk, dir, reached, lanes)?;
    Ok(ReadOnlyLogspace { searcher: Searcher::new(Arc::new(SharedView::new(Arc::new(view)))), recovery })
}

/// Opens the logspace in a directory, which is made if it does not exist. Only one process may have it open. Its
/// segments are opened in parallel.
pub fn open(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    lanes: &dyn Lanes,
) -> Result<OpenLogspace, OpenError> {
    open_witnessed(disk, dir, options, 0, lanes)
}

/// Like `open`, with the knowledge from elsewhere that all messages below the sequence `reached` were stored: those
/// that are missing are reported, and no other message gets their sequences.
pub fn open_witnessed(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    reached: u64,
    lanes: &dyn Lanes,
) -> Result<OpenLogspace, OpenError> {
    let mut opened = closed(disk, dir, options, reached);
    opened.recovery = opened.appender.open(lanes)?.unwrap_or_default();
    Ok(opened)
}

/// A logspace that is not open yet: all answers about it are incomplete, and it stores nothing until its appender
/// [opens](Appender::open) it.
pub fn closed(disk: &Arc<dyn Disk>, dir: &Path, options: Options, reached: u64) -> OpenLogspace {
    closed_at(disk, dir, options, reached, reached)
}

/// Like `closed`, but until it is opened, searchers assume that the next message has the sequence `next`.
pub(crate) fn closed_at(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    reached: u64,
    next: u64,
) -> OpenLogspace {
    let view = View::closed(next, NOT_TRIED);
    let shared = Arc::new(SharedView::new(Arc::new(view)));
    let keeper = Keeper::new(disk, dir, &options, Arc::clone(&shared));
    let place = LogspaceFiles {
        disk: Arc::clone(disk),
        dir: dir.to_owned(),
        options,
        reached,
        keeper: keeper.clone(),
    };
    let appender = Appender::new(place, Arc::clone(&shared), next);
    let searcher = Searcher::new(shared);
    let readers = Readers::new(disk, dir, &searcher, keeper.readers());
    OpenLogspace { appender, searcher, keeper, readers, recovery: Recovery::default() }
}
