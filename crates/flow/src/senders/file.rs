//! The registry of senders on disk: the file `senders` in the data directory, which is always written as a whole. The
//! first line has the format and the beginning of the registry. Each further line has a sender, or an address whose
//! bytes are in no message. All lines have a checksum. A damaged line loses the figures of its sender.

use super::registry::Registry;
use super::sender::{SenderKey, SenderRecord};
use super::skipped::SkippedTotals;
use crate::checked_lines::{self, line};
use logstead_indexer::{Disk, DiskFile};
use serde_json::{Value, json};
use std::io::{self, IoSlice};
use std::path::Path;

/// The format that this version writes.
const FORMAT: u64 = 2;
const NAME: &str = "senders";
const NEW_NAME: &str = "senders.new";
/// The name under which a file of a later format is kept, for the version that wrote it.
const LATER_NAME: &str = "senders.later";
/// The maximum size of a file that is read: we never write a longer one.
const BYTES_MAX: u64 = 256 << 20;
const LINES_PER_WRITE: usize = 256;

/// The registry in the file; `None` if there is none that this version can read. The reason is logged.
pub(super) fn read(disk: &dyn Disk, data: &Path) -> Option<Registry> {
    let bytes = match read_file(disk, &data.join(NAME)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::error!("the file of senders cannot be read, and is started afresh: {error}");
            return None;
        }
    };
    let mut lines = checked_lines::read(&bytes);
    let head = lines.values.first().cloned().unwrap_or_default();
    if head["format"].as_u64().is_some_and(|format| FORMAT < format) {
        tracing::error!("the file of senders was written by a later version: it is kept as `{LATER_NAME}`");
        if let Err(error) = disk.rename(&data.join(NAME), &data.join(LATER_NAME)) {
            tracing::error!("it cannot be renamed: {error}");
        }
        return None;
    }
    let mut registry = Registry { began: head["began"].as_i64(), ..Registry::default() };
    let skip = usize::from(head.get("format").is_some());
    for value in lines.values.drain(..).skip(skip) {
        if let Some((key, skipped)) = skipped(&value) {
            registry.skipped.insert(key, skipped);
        } else if let Some((key, sender)) = sender(value) {
            registry.senders.insert(key, sender);
        } else {
            lines.damaged += 1;
        }
    }
    if 0 < lines.damaged {
        tracing::error!(
            "{} lines of the file of senders are damaged: the figures of these senders start afresh",
            lines.damaged
        );
    }
    Some(registry)
}

/// Replaces the file in one step. On a full disk, the part of a new file that was written is removed again.
pub(super) fn write(disk: &dyn Disk, data: &Path, registry: &Registry) -> io::Result<()> {
    let new = data.join(NEW_NAME);
    let written = write_new(disk, &new, registry).and_then(|()| disk.rename(&new, &data.join(NAME)));
    if let Err(error) = written {
        // If this fails too, the next replacement overwrites the file.
        disk.remove(&new).ok();
        return Err(error);
    }
    disk.sync_dir(data)
}

fn write_new(disk: &dyn Disk, path: &Path, registry: &Registry) -> io::Result<()> {
    let file = disk.create(path)?;
    append(&*file, &line(&json!({ "format": FORMAT, "began": registry.began })))?;
    let senders: Vec<_> = registry.senders.iter().collect();
    for senders in senders.chunks(LINES_PER_WRITE) {
        let lines = senders.iter().map(|(key, sender)| line(&json!([&*key.source, key.host, sender])));
        append(&*file, &lines.collect::<String>())?;
    }
    let skipped = registry.skipped.iter();
    let lines = skipped.map(|(key, skipped)| line(&json!({ "skipped": [&*key.source, key.host, skipped] })));
    append(&*file, &lines.collect::<String>())?;
    file.sync()
}

fn append(file: &dyn DiskFile, text: &str) -> io::Result<()> {
    file.append(&mut [IoSlice::new(text.as_bytes())])
}

fn sender(value: Value) -> Option<(SenderKey, SenderRecord)> {
    let (source, host, sender): (String, String, SenderRecord) = serde_json::from_value(value).ok()?;
    sender.is_sound().then(|| (SenderKey { source: source.into(), host }, sender))
}

fn skipped(value: &Value) -> Option<(SenderKey, SkippedTotals)> {
    let (source, host, skipped): (String, String, SkippedTotals) =
        serde_json::from_value(value.get("skipped")?.clone()).ok()?;
    Some((SenderKey { source: source.into(), host }, skipped))
}

fn read_file(disk: &dyn Disk, path: &Path) -> io::Result<Vec<u8>> {
    let file = disk.open_to_read(path)?;
    let length = file.bytes()?;
    if BYTES_MAX < length {
        return Err(io::Error::other(format!(
            "it has {length} bytes, which is more than Logstead ever writes"
        )));
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_at(0, &mut bytes)?;
    Ok(bytes)
}
