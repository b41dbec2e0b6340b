//! Files that are set aside when a logspace is opened, so that nothing that may still be needed is ever deleted.
//!
//! | name                | holds                                                                              |
//! |---------------------|------------------------------------------------------------------------------------|
//! | `NAME.cut`          | what an interrupted write left behind the last whole frame of a journal file       |
//! | `NAME.orphan`       | a file that is not part of the logspace, and whose messages are not proven elsewhere |
//! | `NAME.2.cut`, …     | the same again: nothing that was set aside is overwritten                          |
//!
//! **Invariant:** a file is cut only when what is cut off is synced under its other name.

use crate::disk::{Disk, DiskFile};
use crate::journal::HEADER_BYTES;
use std::io::{self, IoSlice};
use std::path::Path;

const CUT: &str = "cut";
const ORPHAN: &str = "orphan";
/// The suffix of a copy until it is synced.
const NEW_SUFFIX: &str = ".cut.new";
/// The number of cuts kept in a folder. Beyond it, no file is cut, and the next append begins a new file.
const CUTS_MAX: usize = 100;
/// The number of bytes that are copied at a time.
const COPY_BYTES: u64 = 1 << 20;

/// Whether this is the name of a file with a part that was cut off.
pub(crate) fn is_cut(name: &str) -> bool {
    name.ends_with(&format!(".{CUT}"))
}

/// Whether this is the name of an orphan.
pub(crate) fn is_orphan(name: &str) -> bool {
    name.ends_with(&format!(".{ORPHAN}"))
}

/// Whether this is the name of an unfinished copy, whose original still exists.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.ends_with(NEW_SUFFIX)
}

/// The name that a file had before it was set aside.
pub(crate) fn original(name: &str) -> &str {
    let Some(rest) = name.strip_suffix(".cut").or_else(|| name.strip_suffix(".orphan")) else { return name };
    match rest.rsplit_once('.') {
        Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => rest,
    }
}

/// Renames a file that is not part of its logspace; returns its new name.
pub(crate) fn set_aside(disk: &dyn Disk, dir: &Path, name: &str) -> io::Result<String> {
    let orphan = free_name(&disk.list(dir)?, name, ORPHAN);
    disk.rename(&dir.join(name), &dir.join(&orphan))?;
    disk.sync_dir(dir)?;
    Ok(orphan)
}

/// Keeps the part of a file after an offset in another file, and cuts it off; returns the name of the other file.
/// `None` if there are too many, in which case nothing is cut.
pub(crate) fn cut(
    disk: &dyn Disk,
    dir: &Path,
    name: &str,
    file: &dyn DiskFile,
    offset: u64,
) -> io::Result<Option<String>> {
    let names = disk.list(dir)?;
    if CUTS_MAX <= names.iter().filter(|name| is_cut(name)).count() {
        return Ok(None);
    }
    let cut = free_name(&names, name, CUT);
    let new_path = dir.join(format!("{name}{NEW_SUFFIX}"));
    copy(file, offset.max(HEADER_BYTES), &*disk.create(&new_path)?)?;
    disk.rename(&new_path, &dir.join(&cut))?;
    disk.sync_dir(dir)?;
    file.truncate(offset)?;
    Ok(Some(cut))
}

fn copy(file: &dyn DiskFile, mut offset: u64, to: &dyn DiskFile) -> io::Result<()> {
    let end = file.bytes()?;
    let mut buffer = Vec::new();
    while offset < end {
        buffer.resize((end - offset).min(COPY_BYTES) as usize, 0);
        file.read_at(offset, &mut buffer)?;
        to.append(&mut [IoSlice::new(&buffer)])?;
        offset += buffer.len() as u64;
    }
    to.sync()
}

fn free_name(names: &[String], name: &str, suffix: &str) -> String {
    let first = format!("{name}.{suffix}");
    let others = (2_u64..).map(|number| format!("{name}.{number}.{suffix}"));
    let is_free = |candidate: &String| !names.contains(candidate);
    std::iter::once(first).chain(others).find(is_free).expect("there are fewer files than numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_set_aside_is_overwritten() {
        let mut names = vec!["a.journal".to_owned()];
        for expected in ["a.journal.cut", "a.journal.2.cut", "a.journal.3.cut"] {
            let free = free_name(&names, "a.journal", CUT);
            assert_eq!((free.as_str(), original(&free)), (expected, "a.journal"));
            assert!(is_cut(&free) && !is_orphan(&free) && !is_unfinished(&free));
            names.push(free);
        }
        assert_eq!(original("0-5.blocks.2.orphan"), "0-5.blocks");
    }
}
