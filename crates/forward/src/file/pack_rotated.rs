//! Compresses rotated files on a thread of its own.
//!
//! **Invariant:** at every moment there is the file as it was, or all of it packed. A file that a crash leaves unpacked
//! is packed when the next file of that name is set aside.

use super::rotation::is_aside;
use crate::packing::{self, Packer};
use logstead_config::Packing;
use logstead_flow::machine::folder_entry::FolderEntry;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::{SyncSender, sync_channel};

/// Maximum number of names that wait to be compressed; files of other names are compressed another time.
const WAITING_MAX: usize = 1024;
const READ_BYTES: usize = 256 << 10;

/// The thread that compresses; it ends when this is dropped and no more work is waiting.
pub(super) struct RotatedPacker {
    waiting: SyncSender<FolderEntry>,
}

impl RotatedPacker {
    pub(super) fn start(packing: Packing) -> io::Result<RotatedPacker> {
        let (waiting, next) = sync_channel(WAITING_MAX);
        let pack = move || next.into_iter().for_each(|place| pack_all(&place, packing));
        std::thread::Builder::new().name("pack".to_owned()).spawn(pack)?;
        Ok(RotatedPacker { waiting })
    }

    /// Compresses the rotated parts of a file, as soon as there is time.
    pub(super) fn pack(&self, place: FolderEntry) {
        if self.waiting.try_send(place).is_err() {
            tracing::warn!("too many files were rotated at once: some will be compressed later");
        }
    }
}

fn pack_all(place: &FolderEntry, packing: Packing) {
    let file = place.name.as_bytes();
    let packed = place.names(|name| is_aside(name, file)).and_then(|mut names| {
        names.sort();
        names.into_iter().try_for_each(|name| pack(&place.beside(name)?, packing))
    });
    if let Err(error) = packed {
        tracing::warn!("a rotated file of {} could not be compressed: {error}", place.name.display());
    }
}

fn pack(place: &FolderEntry, packing: Packing) -> io::Result<()> {
    let file = place.open_to_read()?;
    // Another process may have opened the file before it was rotated, and may be writing to it now.
    if !place.lock(&file)? {
        return Ok(());
    }
    let named = |attempt: u32, more: &str| {
        let mut name = place.name.to_owned();
        if 0 < attempt {
            name.push(format!("-{attempt}"));
        }
        name.push(packing::ending(packing));
        name.push(more);
        name
    };
    let part = place.beside(named(0, ".part"))?;
    // A rotated file can get the name of a file that was compressed before, which must not be overwritten.
    let written = write(&file, &part, packing).and_then(|()| part.rename_free(|attempt| named(attempt, "")));
    if let Err(error) = written {
        // A partly written file is of no use; if it cannot be removed, it will be overwritten.
        part.remove().ok();
        return Err(error);
    }
    place.sync_folder()?;
    place.remove()
}

fn write(mut from: &File, part: &FolderEntry, packing: Packing) -> io::Result<()> {
    let mut packer = Packer::new(packing, part.create()?)?;
    let mut bytes = vec![0; READ_BYTES];
    loop {
        match from.read(&mut bytes)? {
            0 => return packer.finish()?.sync_all(),
            length => packer.write_all(&bytes[..length])?,
        }
    }
}
