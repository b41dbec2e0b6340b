//! The ledger on disk: the folder `ledger`, with one file `N.log` of lines. Each line has the changes since the one
//! before, with new values in place of old ones, and a checksum in front. A line is written whole or does not count.
//! The last line is followed by zeros, which the next lines overwrite.
//!
//! When a file has become long, at every start, and after a failed write, the whole book is written over the file
//! `spare` in the same folder. That file then gets the next number, and the previous file becomes the spare. The file
//! with the highest number is the current one. A file that cannot be read is kept under another name when the next
//! one is begun.
//!
//! **Invariant:** if both files are there, nothing is needed from the disk: on a full one the ledger is written, also
//! after a restart, for as long as the book does not outgrow them.

use super::account::{AccountKey, AccountPeriod, FateColumn, FateCounts, Party};
use super::book::{BookChanges, JournalMark};
use crate::checked_lines::{self, line};
use logstead_indexer::{Disk, DiskFile};
use serde_json::{Map, Value, json};
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format that this version writes; format 1 had no skipped bytes. A later format is refused, as it may count
/// differently.
const FORMAT: u64 = 2;
/// A file is rewritten if it is longer than this, and longer than twice the needed length.
const REWRITE_BYTES_MIN: u64 = 4 << 20;
/// The number of accounts in one line of a new file.
const CELLS_PER_LINE: usize = 1000;
/// The room for further lines that both files keep after the book: enough for at least ten minutes, at one line per
/// second. It is small in tests, which copy their disks at each call.
const ROOM_BYTES: u64 = if cfg!(test) { 8 << 10 } else { 512 << 10 };
/// The number of attempts to read the ledger: if all of them fail, the accounts start from zero.
const READ_ATTEMPTS_MAX: usize = 5;
const SUFFIX: &str = ".log";
/// The file that becomes the next one.
const SPARE: &str = "spare";
/// The suffix of files that earlier versions left unfinished.
const UNFINISHED_SUFFIX: &str = ".log.new";
/// The suffix of a file that could not be read.
const ORPHAN_SUFFIX: &str = ".orphan";

pub(super) struct LedgerLog {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    number: u64,
    /// The current file; `None` if there is none yet, or if its end is not known.
    file: Option<Arc<dyn DiskFile>>,
    /// The number of bytes that are written to the file.
    bytes: u64,
    /// The number of bytes that were written when the file was new.
    new_bytes: u64,
    /// Its length.
    room: u64,
    /// The length of the spare, as far as it is known.
    spare_room: u64,
    /// Whether the existing file could not be read, in which case it is kept.
    is_unread: bool,
}

/// The content of a ledger file.
#[derive(Default)]
pub(super) struct LoadedLedger {
    pub(super) changes: Vec<BookChanges>,
    /// Whether there was a ledger.
    pub(super) existed: bool,
    /// The number of damaged lines.
    pub(super) damaged: usize,
    /// The error because of which none of the file can be read: a new ledger is begun.
    pub(super) lost: Option<io::Error>,
}

/// The reason why the ledger cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Its format is unknown.
    #[error("the ledger in {0} was written by a later version, in format {1}: use that version")]
    Later(PathBuf, u64),
}

impl LedgerLog {
    pub(super) fn open(disk: &Arc<dyn Disk>, dir: &Path) -> Result<(LedgerLog, LoadedLedger), LedgerError> {
        let look = || disk.create_dir_all(dir).and_then(|()| read_newest(&**disk, dir));
        let found = (1..READ_ATTEMPTS_MAX).map(|_| look()).find(Result::is_ok).unwrap_or_else(look);
        let read = match found {
            Ok(None) => LoadedLedger::default(),
            Ok(Some(bytes)) => parse(&bytes).map_err(|format| LedgerError::Later(dir.to_owned(), format))?,
            Err(error) => LoadedLedger { lost: Some(error), ..LoadedLedger::default() },
        };
        let log = LedgerLog {
            disk: disk.clone(),
            dir: dir.to_owned(),
            number: 0,
            file: None,
            bytes: 0,
            new_bytes: 0,
            room: 0,
            spare_room: 0,
            is_unread: read.lost.is_some(),
        };
        Ok((log, read))
    }

    /// Whether the whole book has to be written, and not only the changes.
    pub(super) fn wants_all(&self) -> bool {
        self.file.is_none() || REWRITE_BYTES_MIN.max(2 * self.new_bytes) < self.bytes
    }

    /// Appends changes, which are on the disk when this returns. Fails as if the disk were full if the file cannot
    /// grow.
    pub(super) fn append(&mut self, changes: &BookChanges) -> io::Result<()> {
        let file = self.file.take().ok_or_else(|| io::Error::other("it has no open file"))?;
        let line = line(&to_json(&changes.cells, &changes.marks));
        let end = self.bytes + line.len() as u64;
        if self.room < end && !self.is_nearly_full() {
            self.room = grow(&*self.disk, &path(&self.dir, self.number), end + ROOM_BYTES);
        }
        if self.room < end {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.write_over(self.bytes, line.as_bytes())?;
        file.sync()?;
        self.bytes = end;
        self.file = Some(file);
        self.keep_room();
        Ok(())
    }

    /// Whether the rest of the disk must be left for others: freeing space takes some, too.
    fn is_nearly_full(&self) -> bool {
        self.disk.space(&self.dir).is_ok_and(|space| space.is_nearly_full())
    }

    /// Extends the file for the next lines, as far as the disk has space. If it has none now, this is tried again
    /// after the next line.
    fn keep_room(&mut self) {
        if self.is_nearly_full() {
            return;
        }
        if self.room < self.bytes + ROOM_BYTES / 2 {
            let path = path(&self.dir, self.number);
            self.room = grow(&*self.disk, &path, self.bytes + ROOM_BYTES);
        }
        let book = self.new_bytes.max(self.bytes / 2);
        if self.spare_room < book + ROOM_BYTES / 2 {
            let spare = self.dir.join(SPARE);
            let is_there = self.disk.open(&spare).map(drop).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => self.disk.create(&spare).map(drop),
                _ => Err(error),
            });
            if is_there.is_ok() {
                self.spare_room = grow(&*self.disk, &spare, book + ROOM_BYTES);
            }
        }
    }

    /// Writes the whole book over the spare file, which is the current file from then on.
    pub(super) fn rewrite(&mut self, all: &BookChanges) -> io::Result<()> {
        self.file = None;
        let mut bytes = Vec::new();
        let mut write = |value: &Value| bytes.extend_from_slice(line(value).as_bytes());
        write(&json!({ "format": FORMAT }));
        write(&to_json(&[], &all.marks));
        all.cells.chunks(CELLS_PER_LINE).for_each(|cells| write(&to_json(cells, &[])));
        let written = bytes.len() as u64;
        // The current file is never overwritten.
        let names = self.disk.list(&self.dir)?;
        let (spare, number) = (self.spare(&names)?, next_number(&names, self.number));
        let mut room = self.disk.open(&spare)?.bytes()?;
        let room_bytes = if self.is_nearly_full() { 0 } else { ROOM_BYTES };
        if room < written + room_bytes / 2 {
            room = grow(&*self.disk, &spare, written + room_bytes);
        }
        if room < written {
            return Err(io::ErrorKind::StorageFull.into());
        }
        bytes.resize(room as usize, 0);
        let written_over = self.disk.open_to_write_over(&spare).and_then(|file| {
            file.write_over(0, &bytes)?;
            file.sync().map(|()| file)
        });
        // If the disk cannot write to the spare file, the next attempt uses another one.
        let file = written_over.inspect_err(|_| drop(self.disk.remove(&spare)))?;
        if self.is_unread {
            self.set_aside(&names)?;
        }
        self.disk.rename(&spare, &path(&self.dir, number))?;
        // From now on the file may have this number, even if the steps below fail.
        self.number = number;
        self.disk.sync_dir(&self.dir)?;
        (self.bytes, self.new_bytes, self.room) = (written, written, room);
        self.file = Some(file);
        self.remove_others();
        self.keep_room();
        Ok(())
    }

    /// The file that the whole book can be written over.
    fn spare(&self, names: &[String]) -> io::Result<PathBuf> {
        let spare = self.dir.join(SPARE);
        let counts = logs(names).max();
        let old = logs(names).filter(|number| Some(*number) != counts).max();
        if let Some(old) = old.filter(|_| !self.is_unread) {
            // An earlier attempt ended before it turned this file into the spare.
            self.disk.rename(&path(&self.dir, old), &spare)?;
            return Ok(spare);
        }
        if names.iter().any(|name| name == SPARE) {
            // A power cut during the renaming may have left the current file with both names. A spare that cannot be
            // opened is of no use.
            let counts = |file: Arc<dyn DiskFile>| {
                counts.is_some_and(|number| file.is_at(&path(&self.dir, number)).unwrap_or(true))
            };
            if self.disk.open(&spare).is_ok_and(|file| !counts(file)) {
                return Ok(spare);
            }
            self.disk.remove(&spare)?;
        }
        self.disk.create(&spare)?;
        Ok(spare)
    }

    /// Renames a file that could not be read: otherwise it would be removed with the old files.
    fn set_aside(&mut self, names: &[String]) -> io::Result<()> {
        for name in names.iter().filter(|name| name.ends_with(SUFFIX)) {
            self.disk.rename(&self.dir.join(name), &self.dir.join(format!("{name}{ORPHAN_SUFFIX}")))?;
        }
        self.is_unread = false;
        Ok(())
    }

    /// Turns the previous file into the spare, and removes the others. A file that cannot be removed now is removed
    /// the next time.
    fn remove_others(&mut self) {
        self.spare_room = 0;
        let names = self.disk.list(&self.dir).unwrap_or_default();
        let mut others: Vec<u64> = logs(&names).filter(|number| *number != self.number).collect();
        others.sort_unstable();
        if let Some(newest) = others.pop() {
            let (newest, spare) = (path(&self.dir, newest), self.dir.join(SPARE));
            let kept = self.disk.rename(&newest, &spare).and_then(|()| self.disk.open(&spare)?.bytes());
            self.spare_room = kept.unwrap_or(0);
        }
        let others = others.into_iter().map(|number| path(&self.dir, number));
        let unfinished = names.iter().filter(|name| name.ends_with(UNFINISHED_SUFFIX));
        for other in others.chain(unfinished.map(|name| self.dir.join(name))) {
            if let Err(error) = self.disk.remove(&other) {
                tracing::warn!("an old file of the ledger, {}, cannot be removed: {error}", other.display());
            }
        }
    }
}

/// Makes a file this long, with zeros at its end, or as long as the disk has room for; returns its length.
fn grow(disk: &dyn Disk, path: &Path, bytes: u64) -> u64 {
    let length = || disk.open(path).and_then(|file| file.bytes());
    let grown = disk.open(path).and_then(|file| {
        let missing = bytes.saturating_sub(file.bytes()?);
        file.append(&mut [IoSlice::new(&vec![0; missing as usize])])?;
        file.sync()
    });
    match grown {
        Ok(()) => bytes,
        Err(_) => length().unwrap_or(0),
    }
}

fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number}{SUFFIX}"))
}

/// The number of a file of the ledger, whatever its state.
fn number(name: &str) -> Option<u64> {
    name.split_once(SUFFIX)?.0.parse().ok()
}

/// The numbers of the files that may be current.
fn logs(names: &[String]) -> impl Iterator<Item = u64> {
    names.iter().filter(|name| name.ends_with(SUFFIX)).filter_map(|name| number(name))
}

/// A number that no file of the ledger has, whatever its state.
fn next_number(names: &[String], least: u64) -> u64 {
    names.iter().filter_map(|name| number(name)).fold(least, u64::max) + 1
}

/// Reads the current file, if there is one.
fn read_newest(disk: &dyn Disk, dir: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(newest) = logs(&disk.list(dir)?).max() else { return Ok(None) };
    let file = disk.open_to_read(&path(dir, newest))?;
    let mut bytes = vec![0; usize::try_from(file.bytes()?).map_err(io::Error::other)?];
    file.read_at(0, &mut bytes)?;
    Ok(Some(bytes))
}

/// Reads the current file without changing anything, for processes other than the one that writes it.
pub(super) fn look(disk: &dyn Disk, dir: &Path) -> Result<LoadedLedger, String> {
    let bytes = match read_newest(disk, dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => read.map_err(|error| format!("it cannot be read: {error}"))?,
    };
    let Some(bytes) = bytes else { return Ok(LoadedLedger::default()) };
    parse(&bytes).map_err(|format| format!("a later version wrote it, in format {format}: use that version"))
}

/// Parses a file; `Err` has the number of a later format.
fn parse(bytes: &[u8]) -> Result<LoadedLedger, u64> {
    // The last line is followed by zeros only.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let lines = checked_lines::read(&bytes[..end]);
    let mut read = LoadedLedger { existed: true, damaged: lines.damaged, ..LoadedLedger::default() };
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

fn to_json(cells: &[(AccountKey, Option<FateCounts>)], marks: &[(JournalMark, Option<u64>)]) -> Value {
    let counts = |cell: &FateCounts| -> Map<String, Value> {
        cell.0.iter().map(|(column, count)| (column.to_string(), json!(count))).collect()
    };
    let cell = |(key, cell): &(AccountKey, Option<FateCounts>)| {
        json!([key.span.to_string(), key.minute, key.party.to_string(), cell.as_ref().map(counts)])
    };
    let marks: Map<String, Value> =
        marks.iter().map(|(mark, sequence)| (mark.to_string(), json!(sequence))).collect();
    json!({ "cells": cells.iter().map(cell).collect::<Vec<_>>(), "marks": marks })
}

/// Reads changes from the JSON of a line; `None` if no version wrote it.
fn from_json(value: &Value) -> Option<BookChanges> {
    let cells = value.get("cells")?.as_array()?.iter().map(|cell| {
        let [span, minute, party, counts] = cell.as_array()?.as_slice() else { return None };
        let key = AccountKey {
            span: AccountPeriod::parse(span.as_str()?)?,
            minute: minute.as_i64()?,
            party: Party::parse(party.as_str()?)?,
        };
        let cell = match counts {
            Value::Null => None,
            counts => {
                let count =
                    |(column, count): (&String, &Value)| Some((FateColumn::parse(column)?, count.as_u64()?));
                Some(FateCounts(counts.as_object()?.iter().map(count).collect::<Option<_>>()?))
            }
        };
        Some((key, cell))
    });
    let marks = value.get("marks")?.as_object()?.iter().map(|(mark, sequence)| {
        let sequence = if sequence.is_null() { None } else { Some(sequence.as_u64()?) };
        Some((JournalMark::parse(mark)?, sequence))
    });
    Some(BookChanges { cells: cells.collect::<Option<_>>()?, marks: marks.collect::<Option<_>>()? })
}
