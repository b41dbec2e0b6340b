//! How much of the disk is left for messages. They stop a while before it is full: logging in, changing the router
//! document and removing old messages need a little space too, and are the way out.

use crate::meta::Reserve;
use logstead_config::Size;
use logstead_indexer::{Disk, Space};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The disk of the data directory.
#[derive(Clone)]
pub(crate) struct Headroom {
    disk: Arc<dyn Disk>,
    data: PathBuf,
    reserve: Reserve,
}

impl Headroom {
    pub(crate) fn new(disk: Arc<dyn Disk>, data: &Path) -> Headroom {
        Headroom { disk, data: data.to_owned(), reserve: Reserve::of(data) }
    }

    pub(crate) fn space(&self) -> io::Result<Space> {
        self.disk.space(&self.data)
    }

    /// Why messages have to wait, if they do. The same text while it lasts.
    pub(crate) fn refuses_messages(&self) -> Option<String> {
        let space = self.space().ok().filter(Space::is_nearly_full)?;
        Some(nearly_full(space.nearly_full_bytes()))
    }

    /// Why no segments are made, if so. It goes on for longer: it saves more than it takes.
    pub(crate) fn refuses_segments(&self) -> Option<String> {
        let least = |space: &Space| space.nearly_full_bytes() / 2;
        self.space()
            .ok()
            .filter(|space| space.free_bytes < least(space))
            .map(|space| nearly_full(least(&space)))
    }

    /// Gives something of what is held for the worst case; says whether there was anything.
    pub(crate) fn give(&self) -> bool {
        self.reserve.give()
    }
}

fn nearly_full(bytes: u64) -> String {
    let least = Size::about(bytes);
    format!(
        "the disk is nearly full, less than {least} is free: make room, for example with a shorter retention"
    )
}
