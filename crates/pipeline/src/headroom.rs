//! The disk space that is left for messages. Storing stops before the disk is full: logging in, changing the router
//! document and removing old messages need some space too, and are the way out.

use logstead_config::Size;
use logstead_flow::machine::reserve::Reserve;
use logstead_indexer::{Disk, Space};
use parking_lot::Mutex;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time for which the free space is not looked up again for messages, if there is plenty.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// Space is plenty if it is at least this many times what makes messages wait: no disk writes so much in that time.
const PLENTY_FACTOR: u64 = 4;

/// The disk of the data directory.
#[derive(Clone)]
pub(crate) struct Headroom {
    disk: Arc<dyn Disk>,
    data: PathBuf,
    reserve: Reserve,
    /// When there was plenty of space, if that was the last thing known.
    had_plenty: Arc<Mutex<Option<Instant>>>,
}

impl Headroom {
    pub(crate) fn new(disk: Arc<dyn Disk>, data: &Path) -> Headroom {
        Headroom { disk, data: data.to_owned(), reserve: Reserve::of(data), had_plenty: Arc::default() }
    }

    pub(crate) fn space(&self) -> io::Result<Space> {
        self.disk.space(&self.data)
    }

    /// Why messages have to wait, if they do. The text stays the same for as long as they have to.
    pub(crate) fn refuses_messages(&self) -> Option<String> {
        let now = Instant::now();
        let mut had_plenty = self.had_plenty.lock();
        if had_plenty.is_some_and(|looked| now.saturating_duration_since(looked) < LOOK_INTERVAL) {
            return None;
        }
        let space = self.space().ok();
        let is_plenty =
            |space: &Space| PLENTY_FACTOR.saturating_mul(space.nearly_full_bytes()) <= space.free_bytes;
        *had_plenty = space.as_ref().is_some_and(is_plenty).then_some(now);
        drop(had_plenty);
        let space = space.filter(Space::is_nearly_full)?;
        Some(nearly_full(space.nearly_full_bytes()))
    }

    /// Why no segments are made, if that is so. Sealing continues longer than storing, because it saves more space
    /// than it takes.
    pub(crate) fn refuses_segments(&self) -> Option<String> {
        let least = |space: &Space| space.nearly_full_bytes() / 2;
        self.space()
            .ok()
            .filter(|space| space.free_bytes < least(space))
            .map(|space| nearly_full(least(&space)))
    }

    /// Why nothing is written that messages do not need. That ends long before messages have to wait.
    pub(crate) fn refuses_extras(&self) -> Option<String> {
        let least = |space: &Space| space.nearly_full_bytes() * 2;
        self.space()
            .ok()
            .filter(|space| space.free_bytes < least(space))
            .map(|space| nearly_full(least(&space)))
    }

    /// Releases a piece of the reserve; `false` if there was none.
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
