//! The disk for tantivy: directories whose files are sections of an index file.
//!
//! Each file is a section whose name begins with that of the dictionary and ends with the file's extension.
//! [`MemoryDirectory`] keeps the files that tantivy writes in memory; [`SectionDirectory`] is read-only.
//!
//! **Invariant:** tantivy touches no file system, and sees no byte that was not checked.

use super::bundle::{Bundle, BundleWriter, IndexError, Section};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, FileHandle, OwnedBytes, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{HasLen, TantivyError};

/// The file that describes the others.
const META: &str = "meta.json";

/// Files that are being written, by the names of their sections.
#[derive(Clone)]
pub(super) struct MemoryDirectory {
    dictionary: &'static str,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl MemoryDirectory {
    /// A directory for the files of a dictionary with this name.
    pub(super) fn new(dictionary: &'static str) -> MemoryDirectory {
        MemoryDirectory { dictionary, files: Arc::default() }
    }

    /// Adds all files to `writer` as sections.
    pub(super) fn move_to(&self, writer: &mut BundleWriter) {
        for (name, bytes) in mem::take(&mut *self.files.lock()) {
            writer.add(name, bytes);
        }
    }
}

impl Directory for MemoryDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Err(OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(section_name(self.dictionary, path).is_some_and(|name| self.files.lock().contains_key(&name)))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = MemoryFile {
            name: section_name(self.dictionary, path),
            bytes: Vec::new(),
            files: Arc::clone(&self.files),
        };
        Ok(BufWriter::new(Box::new(file)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        Err(OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if let Some(name) = section_name(self.dictionary, path) {
            self.files.lock().insert(name, data.to_vec());
        }
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl fmt::Debug for MemoryDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.files.lock().keys()).finish()
    }
}

struct MemoryFile {
    name: Option<String>,
    bytes: Vec<u8>,
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for MemoryFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        if let Some(name) = self.name.take() {
            self.files.lock().insert(name, mem::take(&mut self.bytes));
        }
        Ok(())
    }
}

/// Files that are sections of an index file.
#[derive(Clone)]
pub(super) struct SectionDirectory {
    dictionary: &'static str,
    bundle: Bundle,
}

impl SectionDirectory {
    pub(super) fn new(dictionary: &'static str, bundle: &Bundle) -> SectionDirectory {
        SectionDirectory { dictionary, bundle: bundle.clone() }
    }

    fn section(&self, path: &Path) -> Result<Section, OpenReadError> {
        let name = section_name(self.dictionary, path)
            .ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))?;
        self.bundle.section(&name).map_err(|error| failed(error, path))
    }
}

impl Directory for SectionDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(SectionFile(self.section(path)?)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.section(path).is_ok())
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.section(path)?.read_all().map_err(|error| failed(error, path))
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Err(read_only())
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl fmt::Debug for SectionDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sections").field(&self.bundle.identity()).finish()
    }
}

struct SectionFile(Section);

impl FileHandle for SectionFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let read = self.0.read(range.start as u64..range.end as u64);
        read.map(OwnedBytes::new).map_err(io::Error::other)
    }
}

impl HasLen for SectionFile {
    fn len(&self) -> usize {
        self.0.bytes() as usize
    }
}

impl fmt::Debug for SectionFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SectionFile").field(&self.len()).finish()
    }
}

impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> IndexError {
        from_io(&error)
    }
}

impl From<TantivyError> for IndexError {
    fn from(error: TantivyError) -> IndexError {
        match error {
            TantivyError::IoError(error) => from_io(&error),
            TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => from_io(&io_error),
            other => IndexError::Format(other.to_string()),
        }
    }
}

/// The original error, before it was passed through tantivy.
fn from_io(error: &io::Error) -> IndexError {
    let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<IndexError>());
    ours.cloned().unwrap_or_else(|| IndexError::Format(error.to_string()))
}

/// The section for a file; `None` for other files, which tantivy keeps for itself and which are not stored.
fn section_name(dictionary: &str, path: &Path) -> Option<String> {
    let name = path.to_str()?;
    if name == META {
        return Some(format!("{dictionary}.meta"));
    }
    let extension = path.extension()?.to_str()?;
    (extension != "json" && !name.starts_with('.')).then(|| format!("{dictionary}.{extension}"))
}

fn failed(error: IndexError, path: &Path) -> OpenReadError {
    OpenReadError::wrap_io_error(io::Error::other(error), path.to_owned())
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "the index is read-only")
}
