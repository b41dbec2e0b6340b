//! Copies of the newest router documents, as files next to the logspaces. Without them, losing the database would
//! mean losing the documents, and with them every retention that was ever set.
//!
//! ```text
//! router/000042.toml
//!   # logstead {"revision":42,"author":"ana","comment":"…","stored_at":"2026-…","blake3":"…"}
//!   the document, as it was stored
//! ```
//!
//! **Invariant:** the database is authoritative; the files are written after it, and one that cannot be written is
//! written at the next change or start.
//! **Invariant:** a file is complete or absent, and its hash says whether it is still what was written.

use crate::{Meta, Revision};
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many backups are kept.
const BACKUPS_MAX: usize = 10;
/// The beginning of the first line; a file without it was written by hand.
const HEADER: &str = "# logstead {";
/// Maximum length of a file: a document and its header.
const BYTES_MAX: u64 = 2 << 20;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct BackupHeader {
    revision: u64,
    author: String,
    comment: String,
    stored_at: String,
    blake3: String,
}

/// The contents of the folder, by number: a revision, or the reason why the file is not one.
pub type DocumentBackups = BTreeMap<u64, Result<Revision, String>>;

/// The folder of the backups in a data directory.
pub fn folder(data: &Path) -> PathBuf {
    data.join("router")
}

/// The file of a revision.
pub fn path(data: &Path, number: u64) -> PathBuf {
    folder(data).join(format!("{number:06}.toml"))
}

/// Brings the files up to date with the database.
pub fn write(data: &Path, meta: &Meta) -> Result<(), String> {
    let folder = folder(data);
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    let newest = meta.newest_revisions(BACKUPS_MAX).map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(failed)?;
    for revision in &newest {
        let (path, text) = (path(data, revision.number), text(revision));
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            replace(&path, &text).map_err(failed)?;
        }
    }
    let Some(oldest) = newest.last() else { return Ok(()) };
    for number in numbers(&folder).map_err(failed)?.into_iter().filter(|number| *number < oldest.number) {
        fs::remove_file(path(data, number)).map_err(failed)?;
    }
    Ok(())
}

/// Like [`write`], but only logs a failure.
pub fn write_or_log(data: &Path, meta: &Meta) {
    if let Err(error) = write(data, meta) {
        tracing::error!(
            "a copy of the router document cannot be written; the next change tries again: {error}"
        );
    }
}

/// Reads all files of the folder.
pub fn load(data: &Path) -> io::Result<DocumentBackups> {
    let numbers = numbers(&folder(data))?;
    Ok(numbers.into_iter().map(|number| (number, read(&path(data, number), number))).collect())
}

/// A document without the header line that we put before it.
pub fn without_header(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(HEADER) => rest,
        _ => text,
    }
}

fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let number = |name: &str| name.strip_suffix(".toml")?.parse::<u64>().ok();
    let mut numbers = Vec::new();
    for entry in entries {
        numbers.extend(entry?.file_name().to_str().and_then(number));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn read(path: &Path, number: u64) -> Result<Revision, String> {
    let is_too_long = fs::metadata(path).is_ok_and(|file| BYTES_MAX < file.len());
    if is_too_long {
        return Err(format!("it is longer than the {BYTES_MAX} bytes allowed"));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    parse(&text).filter(|revision| revision.number == number).ok_or_else(|| "it is damaged".to_owned())
}

fn parse(text: &str) -> Option<Revision> {
    let (first, toml) = text.split_once('\n')?;
    let header: BackupHeader =
        serde_json::from_str(first.strip_prefix(HEADER.trim_end_matches('{'))?).ok()?;
    if header.blake3 != hash(&header, toml) {
        return None;
    }
    Some(Revision {
        number: header.revision,
        toml: toml.to_owned(),
        author: header.author,
        comment: header.comment,
        created_at: Timestamp::parse_rfc3339(header.stored_at.as_bytes())?,
    })
}

fn text(revision: &Revision) -> String {
    let Revision { number, toml, author, comment, created_at } = revision;
    let mut header = BackupHeader {
        revision: *number,
        author: author.clone(),
        comment: comment.clone(),
        stored_at: created_at.to_string(),
        blake3: String::new(),
    };
    header.blake3 = hash(&header, toml);
    let header = serde_json::json!(header);
    format!("# logstead {header}\n{toml}")
}

/// The hash of everything in the file.
fn hash(header: &BackupHeader, toml: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [&header.revision.to_string(), &header.author, &header.comment, &header.stored_at, toml] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let aside = path.with_extension("toml.new");
    let mut file = File::create(&aside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&aside, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The time at which a revision was stored, worded for use in a sentence.
pub fn describe(revision: &Revision) -> String {
    let Revision { number, author, created_at, .. } = revision;
    format!("revision {number}, stored {created_at} by {author}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

    fn meta(data: &Path, revisions: u64) -> Meta {
        let meta = Meta::open(&data.join("logstead.db")).unwrap();
        for number in 1..=revisions {
            meta.add_revision(&format!("# {number}\nversion = 1\n"), "ana", "why\nnot", NOW).unwrap();
        }
        meta
    }

    #[test]
    fn the_newest_documents_are_kept_as_they_were_stored() {
        let data = tempfile::tempdir().unwrap();
        let meta = meta(data.path(), 12);
        write(data.path(), &meta).unwrap();
        let kept = load(data.path()).unwrap();
        assert_eq!(kept.keys().copied().collect::<Vec<_>>(), (3..=12).collect::<Vec<_>>());
        for (number, revision) in kept {
            assert_eq!(revision.unwrap(), meta.revision(number).unwrap().unwrap());
        }
        meta.add_revision("version = 1\n", "bo", "", NOW).unwrap();
        write(data.path(), &meta).unwrap();
        assert_eq!(*load(data.path()).unwrap().keys().next().unwrap(), 4);
        let text = fs::read_to_string(path(data.path(), 13)).unwrap();
        assert_eq!(without_header(&text), "version = 1\n");
        assert_eq!(without_header("# mine\nversion = 1\n"), "# mine\nversion = 1\n");
    }

    #[test]
    fn what_could_not_be_kept_is_kept_the_next_time() {
        let data = tempfile::tempdir().unwrap();
        let meta = meta(data.path(), 1);
        fs::write(folder(data.path()), "a file where the folder belongs").unwrap();
        write(data.path(), &meta).unwrap_err();
        fs::remove_file(folder(data.path())).unwrap();
        meta.add_revision("version = 1\n", "bo", "", NOW).unwrap();
        write(data.path(), &meta).unwrap();
        assert_eq!(load(data.path()).unwrap().len(), 2);
    }

    #[test]
    fn a_file_with_any_byte_changed_is_not_taken_for_whole() {
        let data = tempfile::tempdir().unwrap();
        write(data.path(), &meta(data.path(), 1)).unwrap();
        let path = path(data.path(), 1);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert!(load(data.path()).unwrap()[&1].is_err(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(load(data.path()).unwrap()[&1].is_err(), "cut to {at} bytes");
        }
    }
}
