//! An open file of sections, which is read in pages.
//!
//! **Invariant:** every byte that is handed out was checked since it was read from the disk.

use super::error::IndexError;
use super::header::{BundleHeader, BundleIdentity, HEADER_BYTES};
use super::kind::BundleKind;
use super::tables::{PAGE_BYTES, read_tables};
use crate::segment::place::SegmentFile;
use logstead_work::Deadline;
use logstead_work::deadline::note_late;
use parking_lot::Mutex;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// An open file of sections. Clones share it.
#[derive(Clone)]
pub(crate) struct Bundle {
    inner: Arc<OpenBundle>,
}

struct OpenBundle {
    file: Arc<dyn SegmentFile>,
    header: BundleHeader,
    page_crcs: Vec<u32>,
    /// The start of each page in the bytes of all sections, and the end of the last page.
    page_starts: Vec<u64>,
    sections: Vec<(String, Range<u64>)>,
    /// The page that was read last, because successive reads are often close together.
    last_page: Mutex<Option<(usize, Arc<Vec<u8>>)>>,
}

impl Bundle {
    /// Opens a file: reads its header and its tables, and nothing else.
    pub(crate) fn open(kind: BundleKind, file: Arc<dyn SegmentFile>) -> Result<Bundle, IndexError> {
        let have_bytes = file.bytes().map_err(unread)?;
        if have_bytes < HEADER_BYTES as u64 {
            return Err(IndexError::Length { have_bytes, want_bytes: HEADER_BYTES as u64 });
        }
        let header = BundleHeader::read(kind, &read_array(&*file)?)?;
        let want_bytes = header.file_bytes()?;
        if have_bytes != want_bytes {
            return Err(IndexError::Length { have_bytes, want_bytes });
        }
        // This cannot exceed the length of the file, so a header with a false length costs no memory.
        let mut tables = vec![0; header.tables_bytes as usize];
        let offset = HEADER_BYTES as u64 + header.body_bytes;
        read_at(&*file, offset, &mut tables)?;
        if crc32c::crc32c(&tables) != header.tables_crc {
            return Err(IndexError::Checksum { offset });
        }
        let (page_crcs, page_starts, sections) = read_tables(&tables, &header)?;
        let last_page = Mutex::default();
        Ok(Bundle {
            inner: Arc::new(OpenBundle { file, header, page_crcs, page_starts, sections, last_page }),
        })
    }

    /// The identity of the blocks in the file, or of those that it is the index of.
    pub(crate) fn identity(&self) -> BundleIdentity {
        self.inner.header.identity
    }

    /// The length of the file.
    pub(crate) fn bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.inner.header.body_bytes + u64::from(self.inner.header.tables_bytes)
    }

    /// The memory of its tables and of the page that was read last.
    pub(crate) fn memory_bytes(&self) -> usize {
        let names: usize =
            self.inner.sections.iter().map(|section| size_of_val(section) + section.0.len()).sum();
        let pages =
            size_of_val(self.inner.page_crcs.as_slice()) + size_of_val(self.inner.page_starts.as_slice());
        pages + names + PAGE_BYTES
    }

    /// The name and length of every section.
    pub(crate) fn sections(&self) -> Vec<(String, u64)> {
        let length = |range: &Range<u64>| range.end - range.start;
        self.inner.sections.iter().map(|(name, range)| (name.clone(), length(range))).collect()
    }

    /// A section.
    pub(crate) fn section(&self, name: &str) -> Result<Section, IndexError> {
        let (_, range) = self
            .inner
            .sections
            .iter()
            .find(|(other, _)| other == name)
            .ok_or_else(|| IndexError::Section(name.to_owned()))?;
        Ok(Section { inner: Arc::clone(&self.inner), range: range.clone() })
    }

    /// Whether there is a section of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.inner.sections.iter().any(|(other, _)| other == name)
    }

    /// Bytes of the sections as they are in the file, counted from the first section.
    pub(crate) fn body(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        let bytes = self.inner.header.body_bytes;
        if bytes < range.end {
            return Err(IndexError::Format(format!("bytes {range:?} of a body of {bytes}")));
        }
        self.inner.read(range)
    }

    /// Reads the whole file and checks every checksum.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        (0..self.inner.page_crcs.len()).try_for_each(|page| self.inner.read_pages(page..page + 1).map(drop))
    }
}

/// A section of a file. Clones share the file.
#[derive(Clone)]
pub(crate) struct Section {
    inner: Arc<OpenBundle>,
    /// Its range in the body.
    range: Range<u64>,
}

impl Section {
    /// Its length.
    pub(crate) fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Its start in the bytes of all sections.
    pub(crate) fn start(&self) -> u64 {
        self.range.start
    }

    /// Reads some bytes of it.
    pub(crate) fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        if range.end < range.start || self.bytes() < range.end {
            let bytes = self.bytes();
            return Err(IndexError::Format(format!("bytes {range:?} of a section of {bytes}")));
        }
        self.inner.read(self.range.start + range.start..self.range.start + range.end)
    }

    /// Reads the whole section.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, IndexError> {
        self.read(0..self.bytes())
    }
}

impl OpenBundle {
    /// Reads bytes of the body.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, IndexError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let pages = self.page_of(range.start)..self.page_of(range.end - 1) + 1;
        let start = (range.start - self.page_starts[pages.start]) as usize;
        let end = start + (range.end - range.start) as usize;
        if pages.len() == 1 {
            return Ok(self.page(pages.start)?[start..end].to_vec());
        }
        let mut bytes = self.read_pages(pages)?;
        bytes.truncate(end);
        bytes.drain(..start);
        Ok(bytes)
    }

    /// One page, which was checked when it was read.
    fn page(&self, page: usize) -> Result<Arc<Vec<u8>>, IndexError> {
        if let Some((_, bytes)) = self.last_page.lock().as_ref().filter(|(last, _)| *last == page) {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(self.read_pages(page..page + 1)?);
        *self.last_page.lock() = Some((page, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// Reads whole pages, and checks them.
    fn read_pages(&self, pages: Range<usize>) -> Result<Vec<u8>, IndexError> {
        let starts = &self.page_starts[pages.start..=pages.end];
        let mut bytes = vec![0; (starts[pages.len()] - starts[0]) as usize];
        read_at(&*self.file, HEADER_BYTES as u64 + starts[0], &mut bytes)?;
        let mut rest = bytes.as_slice();
        for (bounds, crc) in starts.windows(2).zip(&self.page_crcs[pages]) {
            let (page, after) = rest.split_at((bounds[1] - bounds[0]) as usize);
            if crc32c::crc32c(page) != *crc {
                return Err(IndexError::Checksum { offset: HEADER_BYTES as u64 + bounds[0] });
            }
            rest = after;
        }
        Ok(bytes)
    }

    fn page_of(&self, offset: u64) -> usize {
        self.page_starts.partition_point(|&start| start <= offset) - 1
    }
}

fn read_at(file: &dyn SegmentFile, offset: u64, buffer: &mut [u8]) -> Result<(), IndexError> {
    file.read_at(offset, buffer, &Deadline::current()).map_err(unread)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unread(error: io::Error) -> IndexError {
    if error.kind() == io::ErrorKind::TimedOut {
        note_late();
        return IndexError::Late;
    }
    IndexError::Disk(error.to_string())
}

fn read_array<const N: usize>(file: &dyn SegmentFile) -> Result<[u8; N], IndexError> {
    let mut bytes = [0; N];
    read_at(file, 0, &mut bytes)?;
    Ok(bytes)
}
