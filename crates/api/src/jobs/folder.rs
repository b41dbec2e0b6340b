//! The folder with the records of jobs: a file for each.
//!
//! **Invariant:** a file is replaced as a whole, so it has either the former or the new record, whenever the process
//! ends.

use super::record::{JobRecord, UnreadRecord};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const SUFFIX: &str = "job";
/// The suffix of files that are set aside, because they cannot be read.
const DAMAGED_SUFFIX: &str = "damaged";
const NEW_SUFFIX: &str = "new";
/// Maximum length of a file that is read; a record is much shorter.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The folder.
pub(super) struct JobFolder(PathBuf);

impl JobFolder {
    pub(super) fn new(data: &Path) -> JobFolder {
        JobFolder(data.join("jobs"))
    }

    /// All records. A file that is damaged is set aside; one of a newer version stays, and is not shown.
    pub(super) fn read(&self) -> Vec<JobRecord> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                tracing::error!("former jobs are not known: {}: {error}", self.0.display());
                return Vec::new();
            }
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let has_suffix = |path: &Path, suffix: &str| path.extension().is_some_and(|of| of == suffix);
        let mut records = Vec::new();
        for path in paths {
            if has_suffix(&path, NEW_SUFFIX) {
                // The process ended while it was written.
                fs::remove_file(&path).ok();
            } else if has_suffix(&path, SUFFIX) {
                records.extend(read(&path));
            }
        }
        records
    }

    /// Writes or replaces the record of a job.
    pub(super) fn write(&self, record: &JobRecord) -> io::Result<()> {
        let text = record.written()?;
        fs::create_dir_all(&self.0)?;
        let (path, aside) = (self.path(&record.id), self.path(&record.id).with_extension(NEW_SUFFIX));
        let written = File::create(&aside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        if let Err(error) = written.and_then(|()| fs::rename(&aside, &path)) {
            fs::remove_file(&aside).ok();
            return Err(error);
        }
        File::open(&self.0)?.sync_all()
    }

    /// Removes the record of a job.
    pub(super) fn remove(&self, id: &str) {
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("the record of job {id} is not removed: {error}");
            }
            _ => {}
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.0.join(id).with_extension(SUFFIX)
    }
}

fn read(path: &Path) -> Option<JobRecord> {
    let is_short = fs::metadata(path).is_ok_and(|file| file.len() <= FILE_BYTES_MAX);
    let read = if is_short { fs::read(path) } else { Err(io::Error::other("it is too long for a job")) };
    let record = read.map_err(|error| error.to_string()).and_then(|text| {
        JobRecord::read(&text).map_err(|unread| match unread {
            UnreadRecord::Newer => "a newer version wrote it".to_owned(),
            UnreadRecord::Damaged => {
                fs::rename(path, path.with_extension(DAMAGED_SUFFIX)).ok();
                format!("it is damaged, and set aside with the suffix .{DAMAGED_SUFFIX}")
            }
        })
    });
    record.map_err(|why| tracing::warn!("a former job is not shown: {}: {why}", path.display())).ok()
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn ids(folder: &JobFolder) -> Vec<String> {
        let mut ids: Vec<_> = folder.read().into_iter().map(|record| record.id).collect();
        ids.sort();
        ids
    }

    #[test]
    fn records_are_read_back_and_damaged_ones_are_set_aside() {
        let data = tempfile::tempdir().unwrap();
        let folder = JobFolder::new(data.path());
        assert_eq!(ids(&folder), [] as [&str; 0]);
        for created in 1..=4 {
            folder.write(&record(created)).unwrap();
        }
        let path = |name: &str| data.path().join("jobs").join(name);
        fs::write(path("job2.job"), &fs::read(path("job2.job")).unwrap()[..40]).unwrap();
        let newer = fs::read_to_string(path("job3.job")).unwrap().replacen("job 1 ", "job 2 ", 1);
        fs::write(path("job3.job"), &newer).unwrap();
        fs::write(path("job9.new"), "half").unwrap();
        for _ in 0..2 {
            assert_eq!(ids(&folder), ["job1", "job4"]);
        }
        assert!(path("job2.damaged").exists() && !path("job2.job").exists() && !path("job9.new").exists());
        assert_eq!(fs::read_to_string(path("job3.job")).unwrap(), newer);
        folder.remove("job1");
        assert_eq!(ids(&folder), ["job4"]);
    }
}
