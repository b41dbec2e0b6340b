//! The ledger on the disk: the folder `ledger`, and there one file `N.log` of lines. Each line has what changed since the
//! one before, with new values in place of the old ones, and a checksum in front. A line is written whole or does not
//! count.
//!
//! When a file has become long, or after a failed write, all of the book becomes a new file under the next number. The
//! highest number counts. One that cannot be read is kept under another name when the next one is begun.

use super::account::{Cell, Column, Key, Party, Span};
use super::book::{Changes, Mark};
use crate::flow::checked_lines::{self, line};
use logstead_indexer::{Disk, DiskFile};
use serde_json::{Map, Value, json};
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What this version writes; the first one knew no skipped bytes. A later one is refused, as it may count differently.
const FORMAT: u64 = 2;
/// A file that is longer than this, and than twice what is needed, is written anew.
const REWRITE_BYTES_MIN: u64 = 4 << 20;
/// This many accounts stand in one line of a new file.
const CELLS_PER_LINE: usize = 1000;
/// So much room is kept behind the last line: for ten minutes and more, at a line a second.
const RESERVE_BYTES: u64 = 512 << 10;
/// How often it is tried to read it: without it the accounts begin again.
const READ_ATTEMPTS_MAX: usize = 5;
const SUFFIX: &str = ".log";
const NEW_SUFFIX: &str = ".log.new";
/// Follows the name of a file that could not be read.
const ORPHAN_SUFFIX: &str = ".orphan";

pub(super) struct Log {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    number: u64,
    /// `None`: there is none yet, or nobody knows how it ends.
    file: Option<Arc<dyn DiskFile>>,
    bytes: u64,
    /// How long it was when it was new.
    new_bytes: u64,
    /// Up to which length the file has taken room from the disk.
    reserved_to: u64,
    /// Whether what is there could not be read: it is kept.
    is_unread: bool,
}

/// What a file says.
#[derive(Default)]
pub(super) struct Read {
    pub(super) changes: Vec<Changes>,
    /// Whether there was a ledger.
    pub(super) existed: bool,
    /// Lines that are damaged.
    pub(super) damaged: usize,
    /// Why nothing of it can be read, if so: another is begun.
    pub(super) lost: Option<io::Error>,
}

/// Why the ledger cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    /// Its format is unknown.
    #[error("the ledger in {0} was written by a later version, in format {1}: use that version")]
    Later(PathBuf, u64),
}

impl Log {
    pub(super) fn open(disk: &Arc<dyn Disk>, dir: &Path) -> Result<(Log, Read), LedgerError> {
        let look = || disk.create_dir_all(dir).and_then(|()| read_newest(&**disk, dir));
        let found = (1..READ_ATTEMPTS_MAX).map(|_| look()).find(Result::is_ok).unwrap_or_else(look);
        let read = match found {
            Ok(None) => Read::default(),
            Ok(Some(bytes)) => parse(&bytes).map_err(|format| LedgerError::Later(dir.to_owned(), format))?,
            Err(error) => Read { lost: Some(error), ..Read::default() },
        };
        let log = Log {
            disk: disk.clone(),
            dir: dir.to_owned(),
            number: 0,
            file: None,
            bytes: 0,
            new_bytes: 0,
            reserved_to: 0,
            is_unread: read.lost.is_some(),
        };
        Ok((log, read))
    }

    /// Whether all has to be written, and not only what changed.
    pub(super) fn wants_all(&self) -> bool {
        self.file.is_none() || REWRITE_BYTES_MIN.max(2 * self.new_bytes) < self.bytes
    }

    /// Adds what changed; it is on the disk when this returns.
    pub(super) fn append(&mut self, changes: &Changes) -> io::Result<()> {
        let file = self.file.take().ok_or_else(|| io::Error::other("it has no file"))?;
        let line = line(&to_json(&changes.cells, &changes.marks));
        file.append(&mut [IoSlice::new(line.as_bytes())])?;
        file.sync()?;
        self.bytes += line.len() as u64;
        self.reserve(&*file);
        self.file = Some(file);
        Ok(())
    }

    /// Keeps room for what comes next: on a full disk queues note what they delivered, and free it, for as long as the ledger
    /// is written.
    fn reserve(&mut self, file: &dyn DiskFile) {
        // Where there is no room now, there may be after the next line.
        if self.reserved_to < self.bytes + RESERVE_BYTES / 2 && file.reserve(RESERVE_BYTES).is_ok() {
            self.reserved_to = self.bytes + RESERVE_BYTES;
        }
    }

    /// Writes all of the book to a new file.
    pub(super) fn rewrite(&mut self, all: &Changes) -> io::Result<()> {
        // Nothing is replaced that is there.
        let names = self.disk.list(&self.dir)?;
        let number = names.iter().filter_map(|name| number(name)).fold(self.number, u64::max) + 1;
        let (new, path) = (self.dir.join(format!("{number}{NEW_SUFFIX}")), path(&self.dir, number));
        let file = self.disk.create(&new)?;
        let mut bytes = 0;
        let mut write = |value: &Value| {
            let line = line(value);
            bytes += line.len() as u64;
            file.append(&mut [IoSlice::new(line.as_bytes())])
        };
        write(&json!({ "format": FORMAT }))?;
        write(&to_json(&[], &all.marks))?;
        for cells in all.cells.chunks(CELLS_PER_LINE) {
            write(&to_json(cells, &[]))?;
        }
        file.sync()?;
        if self.is_unread {
            self.set_aside(&names)?;
        }
        self.disk.rename(&new, &path)?;
        // It may be there from now on, whatever follows.
        self.number = number;
        self.disk.sync_dir(&self.dir)?;
        (self.bytes, self.new_bytes, self.reserved_to) = (bytes, bytes, 0);
        self.reserve(&*file);
        self.file = Some(file);
        self.remove_others();
        Ok(())
    }

    /// Renames what could not be read: otherwise it would go with the old files.
    fn set_aside(&mut self, names: &[String]) -> io::Result<()> {
        for name in names.iter().filter(|name| name.ends_with(SUFFIX)) {
            self.disk.rename(&self.dir.join(name), &self.dir.join(format!("{name}{ORPHAN_SUFFIX}")))?;
        }
        self.is_unread = false;
        Ok(())
    }

    /// What cannot be removed now is removed the next time.
    fn remove_others(&self) {
        let own = format!("{}{SUFFIX}", self.number);
        let names = self.disk.list(&self.dir).unwrap_or_default();
        let is_ours = |name: &&String| name.ends_with(SUFFIX) || name.ends_with(NEW_SUFFIX);
        for name in names.iter().filter(is_ours).filter(|name| **name != own) {
            if let Err(error) = self.disk.remove(&self.dir.join(name)) {
                tracing::warn!("an old file of the ledger, {name}, cannot be removed: {error}");
            }
        }
    }
}

fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number}{SUFFIX}"))
}

/// The number of a file of the ledger, whatever became of it.
fn number(name: &str) -> Option<u64> {
    name.split_once(SUFFIX)?.0.parse().ok()
}

/// The file that counts, if there is one.
fn read_newest(disk: &dyn Disk, dir: &Path) -> io::Result<Option<Vec<u8>>> {
    let names = disk.list(dir)?;
    let numbers = names.iter().filter(|name| name.ends_with(SUFFIX)).filter_map(|name| number(name));
    let Some(newest) = numbers.max() else { return Ok(None) };
    let file = disk.open_to_read(&path(dir, newest))?;
    let mut bytes = vec![0; usize::try_from(file.bytes()?).map_err(io::Error::other)?];
    file.read_at(0, &mut bytes)?;
    Ok(Some(bytes))
}

/// What the file says that counts, for others than the process that writes it. It changes nothing.
pub(super) fn look(disk: &dyn Disk, dir: &Path) -> Result<Read, String> {
    let bytes = match read_newest(disk, dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => read.map_err(|error| format!("it cannot be read: {error}"))?,
    };
    let Some(bytes) = bytes else { return Ok(Read::default()) };
    parse(&bytes).map_err(|format| format!("a later version wrote it, in format {format}: use that version"))
}

/// `Err` has the number of a later format.
fn parse(bytes: &[u8]) -> Result<Read, u64> {
    let lines = checked_lines::read(bytes);
    let mut read = Read { existed: true, damaged: lines.damaged, ..Read::default() };
    for value in lines.values {
        match value.get("format") {
            Some(format) => {
                let format = format.as_u64().unwrap_or(u64::MAX);
                if FORMAT < format {
                    return Err(format);
                }
            }
            None => match from_json(&value) {
                Some(changes) => read.changes.push(changes),
                None => read.damaged += 1,
            },
        }
    }
    Ok(read)
}

fn to_json(cells: &[(Key, Option<Cell>)], marks: &[(Mark, Option<u64>)]) -> Value {
    let counts = |cell: &Cell| -> Map<String, Value> {
        cell.0.iter().map(|(column, count)| (column.to_string(), json!(count))).collect()
    };
    let cell = |(key, cell): &(Key, Option<Cell>)| {
        json!([key.span.to_string(), key.minute, key.party.to_string(), cell.as_ref().map(counts)])
    };
    let marks: Map<String, Value> =
        marks.iter().map(|(mark, sequence)| (mark.to_string(), json!(sequence))).collect();
    json!({ "cells": cells.iter().map(cell).collect::<Vec<_>>(), "marks": marks })
}

/// `None` for what no version wrote.
fn from_json(value: &Value) -> Option<Changes> {
    let cells = value.get("cells")?.as_array()?.iter().map(|cell| {
        let [span, minute, party, counts] = cell.as_array()?.as_slice() else { return None };
        let key = Key {
            span: Span::parse(span.as_str()?)?,
            minute: minute.as_i64()?,
            party: Party::parse(party.as_str()?)?,
        };
        let cell = match counts {
            Value::Null => None,
            counts => {
                let count =
                    |(column, count): (&String, &Value)| Some((Column::parse(column)?, count.as_u64()?));
                Some(Cell(counts.as_object()?.iter().map(count).collect::<Option<_>>()?))
            }
        };
        Some((key, cell))
    });
    let marks = value.get("marks")?.as_object()?.iter().map(|(mark, sequence)| {
        let sequence = if sequence.is_null() { None } else { Some(sequence.as_u64()?) };
        Some((Mark::parse(mark)?, sequence))
    });
    Some(Changes { cells: cells.collect::<Option<_>>()?, marks: marks.collect::<Option<_>>()? })
}
