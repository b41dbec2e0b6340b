//! The positions up to which the files of one source were read, kept across restarts: `positions/SOURCE.json` in the
//! data directory.
//!
//! **Invariant:** the file is entirely the one that was saved last, or entirely the one before it; and everything
//! before a saved position is stored.

use super::file::{FileIdentity, FilePosition};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The version of the file's structure.
const VERSION: u32 = 1;

/// The saved positions of one source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Positions {
    version: u32,
    /// The paths that were looked for: files that match them and are not in `files` are new.
    pub(super) patterns: BTreeSet<String>,
    pub(super) files: Vec<SavedPosition>,
}

/// The saved position of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SavedPosition {
    pub(super) path: String,
    #[serde(flatten)]
    pub(super) identity: FileIdentity,
    #[serde(flatten)]
    pub(super) place: FilePosition,
}

impl Positions {
    pub(super) fn new(patterns: BTreeSet<String>, files: Vec<SavedPosition>) -> Positions {
        Positions { version: VERSION, patterns, files }
    }

    /// Loads the positions; `None` if none were ever saved.
    pub(super) fn load(path: &Path) -> Result<Option<Positions>, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        let positions: Positions = serde_json::from_slice(&text).map_err(|error| failed(&error))?;
        if positions.version != VERSION {
            let message = format!("version {} was written by another version of Logstead", positions.version);
            return Err(failed(&message));
        }
        Ok(Some(positions))
    }

    /// Replaces the saved file.
    pub(super) fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let aside = path.with_extension("json.new");
        let mut file = File::create(&aside)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(&aside, path)?;
        File::open(folder)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_loaded_and_what_is_damaged_is_said() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("positions/files.json");
        assert_eq!(Positions::load(&path), Ok(None));
        let identity = FileIdentity { device: u64::MAX, inode: 7 };
        let place = FilePosition::new(12, false, b"the first bytes");
        let saved = SavedPosition { path: "/var/log/a.log".to_owned(), identity, place };
        let positions = Positions::new(BTreeSet::from(["*.log".to_owned()]), vec![saved]);
        for _ in 0..2 {
            positions.save(&path).unwrap();
            assert_eq!(Positions::load(&path), Ok(Some(positions.clone())));
        }
        for damaged in ["", "{", "{\"version\":2,\"patterns\":[],\"files\":[]}", "\0\0\0"] {
            fs::write(&path, damaged).unwrap();
            assert!(Positions::load(&path).unwrap_err().contains("files.json: "), "{damaged}");
        }
    }
}
