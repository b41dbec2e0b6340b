//! How far those who read a logspace are, as expiry has to know it.
//!
//! A reader has a name, and a [cursor](super::cursor) of that name in the folder `readers` of the logspace. All of them are
//! known from the opening of the logspace on, whether somebody reads or not: what waits for one that begins a little later
//! does not expire before it.
//!
//! **Invariant:** a position is never beyond what its cursor says, nor beyond the end of what was stored when the logspace
//! was opened, until the reader itself goes on. So no message that is stored after messages were lost is taken for one that
//! was read.

use crate::disk::Disk;
use crate::store::cursor::{self, CursorError, Mark, Owner};
use crate::store::unopened::{OpenError, failed};
use crate::store::view::View;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Where the cursors of readers are in the folder of a logspace.
pub(crate) const READERS_DIR: &str = "readers";
/// What their names end in.
const SUFFIX: &str = ".cursor";
/// Most bytes of the name of a reader.
pub(crate) const NAME_BYTES_MAX: usize = 64;

/// What is known of a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// It has read everything before this sequence, and does not need it again.
    pub(crate) done: u64,
    /// Why messages come again, or nobody knows which were read, where nobody was told yet.
    pub(crate) lost: Option<CursorError>,
    /// Whether somebody has it.
    pub(crate) is_taken: bool,
}

/// The readers of a logspace.
#[derive(Default)]
pub(crate) struct Registry {
    known: Mutex<BTreeMap<String, Known>>,
}

impl Registry {
    /// Those that were found when the logspace was opened.
    pub(crate) fn begin(&self, found: BTreeMap<String, Known>) {
        *self.known.lock() = found;
    }

    /// Up to where all of them have read; `None` where there are none.
    pub(crate) fn slowest(&self) -> Option<u64> {
        self.known.lock().values().map(|known| known.done).min()
    }

    /// All, by their names.
    pub(crate) fn all(&self) -> BTreeMap<String, Known> {
        self.known.lock().clone()
    }

    /// Notes how far one is.
    pub(crate) fn set(&self, name: &str, done: u64) {
        if let Some(known) = self.known.lock().get_mut(name) {
            known.done = done;
        }
    }

    /// Gives one back.
    pub(crate) fn give_back(&self, name: &str) {
        if let Some(known) = self.known.lock().get_mut(name) {
            known.is_taken = false;
        }
    }

    /// Forgets one.
    pub(crate) fn remove(&self, name: &str) {
        self.known.lock().remove(name);
    }

    /// Decides on all of them at once.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Known>) -> T) -> T {
        change(&mut self.known.lock())
    }
}

/// Whether a reader can have this name: it is a part of the name of a file.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_part)
}

/// The file of a reader.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}{SUFFIX}")
}

/// Finds the readers of a logspace that is being opened. A cursor beyond the end goes back to it before anything is stored;
/// one that cannot be read stays until its reader is opened, and counts as being at the oldest message.
pub(crate) fn find(
    disk: &Arc<dyn Disk>,
    dir: &Path,
    view: &View,
) -> Result<BTreeMap<String, Known>, OpenError> {
    let dir = &dir.join(READERS_DIR);
    let files = match disk.list(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(failed("list", dir, source)),
    };
    let names = files.iter().filter_map(|file| file.strip_suffix(SUFFIX)).filter(|name| is_name(name));
    let known = |name: &str| {
        let owner = Owner { identity: view.identity, reader: Mark::of(name) };
        let stored = view.first_sequence()..view.next_sequence;
        let mut found = cursor::find(disk, (dir, &file_name(name)), owner, stored);
        if let Some(CursorError::Beyond(_)) = found.lost {
            found.settle(owner)?;
        }
        Ok((name.to_owned(), Known { done: found.done, lost: found.lost, is_taken: false }))
    };
    names.map(known).collect()
}
