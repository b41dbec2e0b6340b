//! The memory on disk: the folder `repeats`, with a file `N.log` for each generation. Each line has a checksum. Lines
//! are only appended to a file, which is removed when its generation is forgotten.
//!
//! The note that a batch is about to be stored is synced before the batch is stored. Other lines are synced before
//! messages leave a journal: until then, the journals hold the same information.

use super::memory::{BatchSubject, Id, Note, StoreAttempt};
use crate::checked_lines::{self, line};
use crate::ledger::JournalId;
use logstead_indexer::{Disk, DiskFile};
use logstead_record::Timestamp;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format that this version writes, and the only one that it reads.
const FORMAT: u64 = 1;
const SUFFIX: &str = ".log";

pub(super) struct RepeatLog {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    /// `None` if the end of the last file is not known.
    file: Option<Arc<dyn DiskFile>>,
    /// The last file, if it ends in a line that could not be written, until its other lines are synced.
    cut: Option<Arc<dyn DiskFile>>,
}

/// A generation on the disk.
pub(super) struct LoadedGeneration {
    pub(super) number: u64,
    pub(super) since: Timestamp,
    pub(super) notes: Vec<Note>,
    /// The number of damaged lines.
    pub(super) damaged: usize,
}

impl RepeatLog {
    /// Opens the folder; returns its generations, the oldest first, and the names of other files.
    pub(super) fn open(
        disk: &Arc<dyn Disk>,
        dir: &Path,
    ) -> io::Result<(RepeatLog, Vec<LoadedGeneration>, Vec<String>)> {
        disk.create_dir_all(dir)?;
        let (mut read, mut strange) = (Vec::new(), Vec::new());
        for name in disk.list(dir)? {
            let Some(number) = name.strip_suffix(SUFFIX).and_then(|number| number.parse().ok()) else {
                continue;
            };
            match read_file(&**disk, &dir.join(&name)).map(|bytes| parse(number, &bytes)) {
                Ok(Some(generation)) => read.push(generation),
                Ok(None) | Err(_) => strange.push(name),
            }
        }
        read.sort_by_key(|generation| generation.number);
        Ok((RepeatLog { disk: disk.clone(), dir: dir.to_owned(), file: None, cut: None }, read, strange))
    }

    /// Whether the next line needs another file.
    pub(super) fn is_closed(&self) -> bool {
        self.file.is_none()
    }

    /// Begins the file of another generation.
    pub(super) fn begin(&mut self, number: u64, since: Timestamp) -> io::Result<()> {
        self.sync()?;
        let file = self.disk.create(&self.path(number))?;
        let head = line(&json!({"format": FORMAT, "since": since.nanos()}));
        file.append(&mut [IoSlice::new(head.as_bytes())])?;
        file.sync()?;
        self.disk.sync_dir(&self.dir)?;
        self.file = Some(file);
        Ok(())
    }

    pub(super) fn append(&mut self, note: &Note) -> io::Result<()> {
        let file = self.file.take().ok_or_else(|| io::Error::other("it has no open file"))?;
        let written = file.append(&mut [IoSlice::new(line(&to_json(note)).as_bytes())]);
        let place = if written.is_ok() { &mut self.file } else { &mut self.cut };
        *place = Some(file);
        written
    }

    /// The files with lines that may not be on the disk yet.
    pub(super) fn unsynced(&self) -> Vec<Arc<dyn DiskFile>> {
        self.cut.iter().chain(&self.file).cloned().collect()
    }

    /// Called after a failed sync: the state on the disk is unknown, and another file is begun.
    pub(super) fn give_up(&mut self) {
        (self.file, self.cut) = (None, None);
    }

    /// All lines are on the disk when this returns.
    fn sync(&mut self) -> io::Result<()> {
        let synced = self.unsynced().iter().try_for_each(|file| file.sync());
        self.cut = None;
        if synced.is_err() {
            self.give_up();
        }
        synced
    }

    /// A file that cannot be removed now is removed after a restart.
    pub(super) fn remove(&self, numbers: &[u64]) {
        for number in numbers {
            if let Err(error) = self.disk.remove(&self.path(*number)) {
                tracing::warn!(
                    "{}, which is no longer needed, cannot be removed: {error}",
                    self.path(*number).display()
                );
            }
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number}{SUFFIX}"))
    }
}

fn read_file(disk: &dyn Disk, path: &Path) -> io::Result<Vec<u8>> {
    let file = disk.open_to_read(path)?;
    let mut bytes = vec![0; usize::try_from(file.bytes()?).map_err(io::Error::other)?];
    file.read_at(0, &mut bytes)?;
    Ok(bytes)
}

/// Parses a file; `None` if this version did not write it.
fn parse(number: u64, bytes: &[u8]) -> Option<LoadedGeneration> {
    let lines = checked_lines::read(bytes);
    let mut values = lines.values.into_iter();
    let head = values.next()?;
    if head["format"].as_u64() != Some(FORMAT) {
        return None;
    }
    let since = Timestamp::from_nanos(head["since"].as_i64()?);
    let mut read = LoadedGeneration { number, since, notes: Vec::new(), damaged: lines.damaged };
    for value in values {
        match from_json(&value) {
            Some(note) => read.notes.push(note),
            None => read.damaged += 1,
        }
    }
    Some(read)
}

fn to_json(note: &Note) -> Value {
    match note {
        Note::Begin(stamp, StoreAttempt { source, subject: BatchSubject::Request { key, body } }) => {
            json!({"begin": stamp, "source": source, "key": hex(&[*key]), "body": hex(&[*body])})
        }
        Note::Begin(stamp, StoreAttempt { source, subject: BatchSubject::Documents(ids) }) => {
            json!({"begin": stamp, "source": source, "ids": hex(ids)})
        }
        Note::Stored(stamp, taken, dropped) => json!({"stored": stamp, "taken": taken, "dropped": dropped}),
        Note::Failed(stamp, had) => {
            json!({"failed": stamp, "had": had.iter().map(JournalId::to_string).collect::<Vec<_>>()})
        }
        Note::Answered(key) => json!({"answered": hex(&[*key])}),
    }
}

fn from_json(value: &Value) -> Option<Note> {
    let number = |name: &str| usize::try_from(value[name].as_u64()?).ok();
    let one = |name: &str| ids(&value[name])?.first().copied();
    if let Some(stamp) = value["begin"].as_i64() {
        let source = value["source"].as_str()?.to_owned();
        let subject = match value.get("ids") {
            Some(all) => BatchSubject::Documents(ids(all)?),
            None => BatchSubject::Request { key: one("key")?, body: one("body")? },
        };
        return Some(Note::Begin(stamp, StoreAttempt { source, subject }));
    }
    if let Some(stamp) = value["stored"].as_i64() {
        return Some(Note::Stored(stamp, number("taken")?, number("dropped")?));
    }
    if let Some(stamp) = value["failed"].as_i64() {
        let had = value["had"].as_array()?.iter().map(|place| JournalId::parse(place.as_str()?));
        return Some(Note::Failed(stamp, had.collect::<Option<_>>()?));
    }
    one("answered").map(Note::Answered)
}

fn hex(ids: &[Id]) -> String {
    let mut text = String::with_capacity(ids.len() * 32);
    for byte in ids.iter().flatten() {
        write!(text, "{byte:02x}").expect("writing to a text does not fail");
    }
    text
}

fn ids(value: &Value) -> Option<Vec<Id>> {
    let digits = value.as_str()?.as_bytes();
    let (ids, rest) = digits.as_chunks::<32>();
    let id =
        |digits: &[u8; 32]| Some(u128::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?.to_be_bytes());
    if rest.is_empty() { ids.iter().map(id).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_comes_back() {
        let places = vec![JournalId::Logspace("main".into()), JournalId::Destination("siem".into())];
        let attempt = |subject| StoreAttempt { source: "http".to_owned(), subject };
        for note in [
            Note::Begin(1 << 60, attempt(BatchSubject::Request { key: [0xab; 16], body: [1; 16] })),
            Note::Begin(2, attempt(BatchSubject::Documents(vec![[0; 16], [0xff; 16]]))),
            Note::Stored(3, 8192, 7),
            Note::Failed(4, places),
            Note::Failed(5, vec![]),
            Note::Answered([9; 16]),
        ] {
            assert_eq!(from_json(&to_json(&note)), Some(note));
        }
    }
}
