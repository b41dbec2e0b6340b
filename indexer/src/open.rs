//! Opens a logspace, or only looks at it.

use crate::disk::Disk;
use crate::search::Searcher;
use crate::store::append::Appender;
use crate::store::keep::Keeper;
use crate::store::options::Options;
use crate::store::recover::{self, Recovered, Recovery};
use crate::store::unopened::OpenError;
use crate::store::view::Shared;
use crate::work::lanes::Lanes;
use std::path::Path;
use std::sync::Arc;

/// What can be done with an opened logspace.
pub struct Opened {
    /// For the one thread that stores messages.
    pub appender: Appender,
    /// For queries.
    pub searcher: Searcher,
    /// For the threads that seal and tidy up.
    pub keeper: Keeper,
    /// What was found.
    pub recovery: Recovery,
}

/// A logspace at one moment.
pub struct Looked {
    /// For queries.
    pub searcher: Searcher,
    /// What was found.
    pub recovery: Recovery,
}

/// Looks at the logspace in a directory and changes nothing, whether or not it is open elsewhere. Its segments are opened
/// side by side.
pub fn look(disk: &Arc<dyn Disk>, dir: &Path, lanes: &dyn Lanes) -> Result<Looked, OpenError> {
    let (view, recovery) = recover::look(disk, dir, lanes)?;
    Ok(Looked { searcher: Searcher::new(Arc::new(Shared::new(Arc::new(view)))), recovery })
}

/// Opens the logspace in a directory, which is made if it is not there. Only one process may have it open.
/// Its segments are opened side by side.
pub fn open(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    options: Options,
    lanes: &dyn Lanes,
) -> Result<Opened, OpenError> {
    let Recovered { shared, appender, keeper, recovery } = recover::recover(disk, dir, options, lanes)?;
    Ok(Opened { appender, searcher: Searcher::new(shared), keeper, recovery })
}
