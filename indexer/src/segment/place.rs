//! The places where segments lie, and how their files are read there.
//!
//! There is one place, the folder of the logspace. Another one needs a variant of [`SegmentPlace`], a number in the
//! manifest and a [`SegmentFile`]; the code that reads segments does not change.
//!
//! **Invariant:** a read that comes too late is of the kind [`TimedOut`](io::ErrorKind::TimedOut), which says nothing about
//! the bytes: they are not known, and nothing may be taken for damaged because of it.

use super::cache::{Cache, CacheOwner, CachePart};
use super::id::SegmentId;
use crate::disk::DiskFile;
use logstead_work::Deadline;
use std::io;
use std::sync::{Arc, Weak};

/// The size of the pages of a file in the cache: reading less would take as long.
const PAGE_BYTES: usize = 16 << 10;

/// The place of a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum SegmentPlace {
    /// The folder of its logspace.
    #[default]
    Local,
}

impl SegmentPlace {
    /// Its number in a manifest.
    pub(crate) fn number(self) -> u32 {
        match self {
            SegmentPlace::Local => 0,
        }
    }

    /// The place with a number; `None` if only another version of this program knows it.
    pub(crate) fn of_number(number: u32) -> Option<SegmentPlace> {
        [SegmentPlace::Local].into_iter().find(|place| place.number() == number)
    }

    /// Whether pages that were read there are cached. Pages of a disk are not: the system caches them in free memory, and
    /// releases them when memory is needed.
    pub(super) fn keeps_pages(self) -> bool {
        match self {
            SegmentPlace::Local => false,
        }
    }
}

/// A segment, and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PlacedSegment {
    pub(crate) id: SegmentId,
    pub(crate) place: SegmentPlace,
}

/// A file of a segment, open for reading.
pub(crate) trait SegmentFile: Send + Sync {
    /// Fills `buffer` with the bytes at `offset`; fewer bytes than that are an error. What cannot be read before the
    /// deadline is an error of the kind [`TimedOut`](io::ErrorKind::TimedOut).
    fn read_at(&self, offset: u64, buffer: &mut [u8], deadline: &Deadline) -> io::Result<()>;
    /// Its length.
    fn bytes(&self) -> io::Result<u64>;
}

/// A file on the disk.
///
/// A read of a disk cannot be interrupted: the thread waits for as long as the system does, even for a disk that is gone.
/// So no read begins after the deadline, and whatever comes after it is late: a search waits for one read at most.
pub(crate) struct LocalFile(pub(crate) Arc<dyn DiskFile>);

impl SegmentFile for LocalFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8], deadline: &Deadline) -> io::Result<()> {
        check(deadline)?;
        self.0.read_at(offset, buffer)?;
        check(deadline)
    }

    fn bytes(&self) -> io::Result<u64> {
        self.0.bytes()
    }
}

fn check(deadline: &Deadline) -> io::Result<()> {
    if deadline.is_over() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
}

/// A file whose pages are kept in the cache of the segments, and so within its limit.
pub(super) struct CachedFile {
    file: Arc<dyn SegmentFile>,
    bytes: u64,
    /// The cache, which may keep what holds this file.
    cache: Weak<Cache>,
    owner: CacheOwner,
}

impl CachedFile {
    pub(super) fn open(file: Arc<dyn SegmentFile>, cache: &Arc<Cache>) -> io::Result<CachedFile> {
        Ok(CachedFile { bytes: file.bytes()?, file, owner: cache.owner(), cache: Arc::downgrade(cache) })
    }

    /// Reads the missing pages in one read, from the first of them to the last, because each read has a cost of its own.
    fn read_unknown(
        &self,
        cache: &Cache,
        first_page: u64,
        pages: &mut [Option<Arc<Vec<u8>>>],
        deadline: &Deadline,
    ) -> io::Result<()> {
        let Some(first) = pages.iter().position(Option::is_none) else { return Ok(()) };
        let end = pages.iter().rposition(Option::is_none).map_or(first, |last| last + 1);
        let start_of = |at: usize| (first_page + at as u64) * PAGE_BYTES as u64;
        let mut bytes = vec![0; (start_of(end).min(self.bytes) - start_of(first)) as usize];
        self.file.read_at(start_of(first), &mut bytes, deadline)?;
        for (at, page) in (first..end).zip(bytes.chunks(PAGE_BYTES)) {
            let page = Arc::new(page.to_vec());
            cache.keep(self.owner, CachePart::Page(first_page + at as u64), &page, PAGE_BYTES);
            pages[at] = Some(page);
        }
        Ok(())
    }
}

impl SegmentFile for CachedFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8], deadline: &Deadline) -> io::Result<()> {
        let Some(cache) = self.cache.upgrade() else { return self.file.read_at(offset, buffer, deadline) };
        let end = offset.checked_add(buffer.len() as u64).filter(|end| *end <= self.bytes);
        let first_page = offset / PAGE_BYTES as u64;
        let pages = first_page..end.ok_or(io::ErrorKind::UnexpectedEof)?.div_ceil(PAGE_BYTES as u64);
        let mut pages: Vec<_> = pages.map(|page| cache.find(self.owner, CachePart::Page(page))).collect();
        self.read_unknown(&cache, first_page, &mut pages, deadline)?;
        let (mut rest, mut skipped) = (buffer, (offset % PAGE_BYTES as u64) as usize);
        for page in pages.iter().flatten() {
            let (part, after) = rest.split_at_mut(rest.len().min(page.len() - skipped));
            part.copy_from_slice(&page[skipped..skipped + part.len()]);
            (rest, skipped) = (after, 0);
        }
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.bytes)
    }
}

impl Drop for CachedFile {
    /// Removes its pages, which nobody can ask for any more.
    fn drop(&mut self) {
        if let Some(cache) = self.cache.upgrade() {
            cache.forget(self.owner);
        }
    }
}

#[cfg(test)]
mod tests;
