//! The files of export jobs, in the folder `exports` of the data directory.
//!
//! **Invariant:** together they never take more than the setting allows, those that are being written included.
//! **Invariant:** a file gets its name once everything is in it. Whatever ends its writing earlier removes it.

use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use logstead_config::Size;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PART_SUFFIX: &str = "part";

/// All of them.
pub(crate) struct ExportFiles {
    folder: PathBuf,
    max: Size,
    used_bytes: Mutex<u64>,
}

/// A file that is being written.
pub(crate) struct ExportWriter {
    files: Arc<ExportFiles>,
    file: File,
    id: String,
    bytes: u64,
    is_whole: bool,
}

impl ExportFiles {
    /// Removes all files but those of these jobs.
    pub(super) fn open(data: &Path, max: Size, kept: &BTreeSet<String>) -> ExportFiles {
        let folder = data.join("exports");
        let mut used_bytes = 0;
        let entries = fs::read_dir(&folder).into_iter().flatten();
        for entry in entries.filter_map(io::Result::ok) {
            if entry.file_name().to_str().is_some_and(|name| kept.contains(name)) {
                used_bytes += entry.metadata().map_or(0, |file| file.len());
            } else if let Err(error) = fs::remove_file(entry.path()) {
                tracing::warn!(
                    "the file of a former export is not removed: {}: {error}",
                    entry.path().display()
                );
            }
        }
        ExportFiles { folder, max, used_bytes: Mutex::new(used_bytes) }
    }

    /// Begins the file of a job.
    pub(crate) fn create(self: &Arc<ExportFiles>, id: &str) -> Result<ExportWriter> {
        let made = fs::create_dir_all(&self.folder).and_then(|()| File::create(self.part(id)));
        let file = made.map_err(|error| unwritten(&error))?;
        Ok(ExportWriter { files: self.clone(), file, id: id.to_owned(), bytes: 0, is_whole: false })
    }

    /// The file of a job that has ended.
    pub(super) fn read(&self, id: &str) -> io::Result<File> {
        File::open(self.folder.join(id))
    }

    /// Removes the file of a job, if there is one.
    pub(super) fn remove(&self, id: &str) {
        let path = self.folder.join(id);
        let Ok(file) = fs::metadata(&path) else { return };
        match fs::remove_file(&path) {
            Ok(()) => self.free(file.len()),
            Err(error) => tracing::warn!("the file of an export is not removed: {}: {error}", path.display()),
        }
    }

    fn part(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(PART_SUFFIX)
    }

    fn take(&self, bytes: u64) -> Result<()> {
        let mut used = self.used_bytes.lock();
        if self.max.bytes() < used.saturating_add(bytes) {
            let detail = format!(
                "the files of exports may take {} together (storage.export_files_max), and this one needs more than \
                 the {} that are left: delete jobs of exports that are no longer needed, or narrow the query",
                self.max,
                Size::about(self.max.bytes().saturating_sub(*used))
            );
            return Err(ApiError::new(ProblemType::ExportSpaceFull, detail));
        }
        *used += bytes;
        Ok(())
    }

    fn free(&self, bytes: u64) {
        let mut used = self.used_bytes.lock();
        *used = used.saturating_sub(bytes);
    }
}

impl ExportWriter {
    /// Adds a piece.
    pub(crate) fn write(&mut self, piece: &[u8]) -> Result<()> {
        let bytes = piece.len() as u64;
        self.files.take(bytes)?;
        self.bytes += bytes;
        self.file.write_all(piece).map_err(|error| unwritten(&error))
    }

    /// Gives the file its name; returns its length.
    pub(crate) fn finish(mut self) -> Result<u64> {
        let path = self.files.folder.join(&self.id);
        let named = self.file.sync_all().and_then(|()| fs::rename(self.files.part(&self.id), path));
        named.and_then(|()| File::open(&self.files.folder)?.sync_all()).map_err(|error| unwritten(&error))?;
        self.is_whole = true;
        Ok(self.bytes)
    }
}

impl Drop for ExportWriter {
    fn drop(&mut self) {
        if !self.is_whole {
            fs::remove_file(self.files.part(&self.id)).ok();
            self.files.free(self.bytes);
        }
    }
}

fn unwritten(error: &io::Error) -> ApiError {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ProblemType::DiskFull,
        _ => ProblemType::NotWritable,
    };
    ApiError::new(kind, format!("the file of the export cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder.join("exports")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_share_a_limit_and_only_whole_ones_remain() {
        let data = tempfile::tempdir().unwrap();
        let open = |kept: &[&str]| {
            let kept = kept.iter().map(|id| (*id).to_owned()).collect();
            Arc::new(ExportFiles::open(data.path(), Size::new(10), &kept))
        };
        let files = open(&[]);
        let write = |files: &Arc<ExportFiles>, id: &str, bytes: usize| {
            let mut writer = files.create(id)?;
            writer.write(&vec![0; bytes])?;
            writer.finish()
        };
        assert_eq!(write(&files, "a", 6).unwrap(), 6);
        let refused = write(&files, "b", 5).unwrap_err();
        assert!(
            refused.is(ProblemType::ExportSpaceFull) && refused.detail().contains("the 4B that are left")
        );
        assert_eq!(names(data.path()), ["a"]);
        assert_eq!(write(&files, "b", 4).unwrap(), 4);
        let mut cut = files.create("c").unwrap();
        assert!(cut.write(&[0]).is_err());
        files.remove("a");
        cut.write(&[0; 6]).unwrap();
        assert_eq!(names(data.path()), ["b", "c.part"]);
        // As after a kill, in the middle of a file.
        std::mem::forget(cut);
        let files = open(&["b"]);
        assert_eq!(names(data.path()), ["b"]);
        assert!(write(&files, "d", 7).is_err());
        assert_eq!(write(&files, "d", 6).unwrap(), 6);
        assert!(open(&[]).read("b").is_err());
    }
}
