//! The progress of the readers of a logspace, as needed by expiry.
//!
//! A reader has a name, and a [cursor](super::cursor) of that name in the folder `readers` of the logspace. All
//! readers are known as soon as the logspace is opened, whether or not they are in use, so that messages do not
//! expire before a reader that starts a little later.
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

/// The folder with the cursors of readers, in the folder of a logspace.
pub(crate) const READERS_DIR: &str = "readers";
/// The suffix of their names.
const SUFFIX: &str = ".cursor";
/// The greatest length of a reader's name, in bytes.
pub(crate) const NAME_BYTES_MAX: usize = 64;

/// The state of a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// The sequence before which it has finished all messages, and does not need them again.
    pub(crate) done: u64,
    /// The reason why messages may be read again, or why the position was lost, until it is reported.
    pub(crate) lost: Option<CursorError>,
    /// Whether it is in use.
    pub(crate) is_taken: bool,
}

/// The readers of a logspace.
#[derive(Default)]
pub(crate) struct Registry {
    known: Mutex<BTreeMap<String, Known>>,
}

impl Registry {
    /// Sets the readers that were found when the logspace was opened.
    pub(crate) fn begin(&self, found: BTreeMap<String, Known>) {
        *self.known.lock() = found;
    }

    /// The sequence up to which all readers have read; `None` if there are no readers.
    pub(crate) fn slowest(&self) -> Option<u64> {
        self.known.lock().values().map(|known| known.done).min()
    }

    /// All readers by name.
    pub(crate) fn all(&self) -> BTreeMap<String, Known> {
        self.known.lock().clone()
    }

    /// Sets the progress of a reader.
    pub(crate) fn set(&self, name: &str, done: u64) {
        if let Some(known) = self.known.lock().get_mut(name) {
            known.done = done;
        }
    }

    /// Marks a reader as no longer in use.
    pub(crate) fn give_back(&self, name: &str) {
        if let Some(known) = self.known.lock().get_mut(name) {
            known.is_taken = false;
        }
    }

    /// Removes a reader.
    pub(crate) fn remove(&self, name: &str) {
        self.known.lock().remove(name);
    }

    /// Changes the readers under one lock.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Known>) -> T) -> T {
        change(&mut self.known.lock())
    }
}

/// Whether a reader can have this name, which is used in the name of a file.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_part)
}

/// The name of the file of a reader.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}{SUFFIX}")
}

/// Finds the readers of a logspace that is being opened. A cursor beyond the end is moved back to the end before
/// anything is stored. A cursor that cannot be read is kept until its reader is opened, and counts as being at the
/// oldest message.
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
