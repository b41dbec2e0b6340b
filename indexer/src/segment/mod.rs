//! Sealed segments: each is a range of messages in two files that never change.
//!
//! `<first sequence, 20 digits>-<rows>.blocks` contains the messages and is authoritative; `….index` is derived from
//! it and makes searches fast. Row `r` of a segment is the message with the sequence `first + r`.
//!
//! **Invariant:** an index is believed only when it was made of these very blocks. If there is no
//! readable index, the blocks are searched, and the answers are the same.

pub(crate) mod blocks;
pub(crate) mod build;
pub(crate) mod bundle;
pub(crate) mod cache;
pub(crate) mod column;
pub(crate) mod fields;
pub(crate) mod id;
pub(crate) mod index;
pub(crate) mod inverter;
pub(crate) mod lexicon;
mod memory;
pub(crate) mod names;
pub(crate) mod packed;
pub(crate) mod place;
mod templates;
pub(crate) mod times;
pub(crate) mod words;

use crate::disk::Disk;

use crate::journal::frame::Hash;
use blocks::{Blocks, BlocksError, ReadScratch};
use bundle::IndexError;
use cache::{Cache, CacheOwner, CachePart, CacheUses};
use id::SegmentId;
use index::{IndexBuilder, SegmentIndex};
use logstead_work::deadline::watch_late;
use parking_lot::Mutex;
use place::{CachedFile, LocalFile, PlacedSegment, SegmentFile, SegmentPlace};
use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of the segments of a logspace.
#[derive(Clone)]
pub(crate) struct Folder {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) path: PathBuf,
    cache: Arc<Cache>,
    /// The memory of the segments and indexes that are being made.
    building: memory::MemorySum,
    /// Whether index files are kept open from the start, so that they can be read even after they are replaced.
    holds_indexes: bool,
}

/// A sealed segment.
pub(crate) struct Segment {
    pub(crate) id: SegmentId,
    place: SegmentPlace,
    /// Its messages.
    pub(crate) blocks: Blocks,
    folder: Folder,
    /// The owner of its parts in the cache.
    owner: CacheOwner,
    index: Mutex<IndexState>,
    /// The open index file, if it is kept open.
    index_file: Option<Arc<dyn SegmentFile>>,
    index_bytes: AtomicU64,
}

/// The state of an index.
enum IndexState {
    /// It has not been needed yet.
    Unopened,
    /// It can be used: it is in the cache, or can be opened again.
    Usable,
    /// It cannot be used, for this reason.
    Unusable(IndexError),
}

impl Folder {
    /// A folder that keeps at most `index_memory_max` bytes of its indexes in memory.
    pub(crate) fn new(disk: Arc<dyn Disk>, path: &Path, index_memory_max: usize) -> Folder {
        let cache = Arc::new(Cache::new(index_memory_max));
        let building = memory::MemorySum::default();
        Folder { disk, path: path.to_owned(), cache, building, holds_indexes: false }
    }

    /// A folder whose files may be replaced by another process.
    pub(crate) fn of_another(disk: Arc<dyn Disk>, path: &Path, index_memory_max: usize) -> Folder {
        Folder { holds_indexes: true, ..Folder::new(disk, path, index_memory_max) }
    }

    /// Sets the limit of memory for the indexes.
    pub(crate) fn set_index_memory_max(&self, bytes_max: usize) {
        self.cache.set_bytes_max(bytes_max);
    }

    /// The memory of the segments and indexes that are being made.
    pub(crate) fn building_memory_bytes(&self) -> usize {
        self.building.bytes()
    }

    /// Begins an index of the messages after the journal frame with this hash.
    pub(crate) fn index_builder(&self, first_sequence: u64, previous_hash: &Hash) -> IndexBuilder {
        IndexBuilder::new(first_sequence, previous_hash, self.building.hold())
    }

    /// How often something was looked for in this memory.
    pub(crate) fn cache_uses(&self) -> CacheUses {
        self.cache.uses()
    }

    /// The memory of the indexes.
    pub(crate) fn index_memory_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// Opens a segment.
    pub(crate) fn open(&self, PlacedSegment { id, place }: PlacedSegment) -> Result<Segment, BlocksError> {
        let [path, index_path] = self.paths(id);
        let blocks = self.open_blocks(place, &path)?;
        if (blocks.first_sequence, blocks.rows()) != (id.first_sequence, id.rows) {
            return Err(BlocksError::Renamed);
        }
        let index_file = self.open_file(place, &index_path).ok();
        let index_bytes = index_file.as_ref().map_or(0, |file| file.bytes().unwrap_or(0));
        Ok(Segment {
            id,
            place,
            blocks,
            folder: self.clone(),
            owner: self.cache.owner(),
            index: Mutex::new(IndexState::Unopened),
            index_file: index_file.filter(|_| self.holds_indexes),
            index_bytes: AtomicU64::new(index_bytes),
        })
    }

    fn open_blocks(&self, place: SegmentPlace, path: &Path) -> Result<Blocks, BlocksError> {
        let file = self.open_file(place, path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BlocksError::Missing,
            _ => BlocksError::Disk(error.to_string()),
        })?;
        Blocks::open(file, &self.cache)
    }

    /// Opens a file of a segment, wherever it lies.
    fn open_file(&self, place: SegmentPlace, path: &Path) -> io::Result<Arc<dyn SegmentFile>> {
        let file: Arc<dyn SegmentFile> = match place {
            SegmentPlace::Local => Arc::new(LocalFile(self.disk.open(path)?)),
        };
        Ok(if place.keeps_pages() { Arc::new(CachedFile::open(file, &self.cache)?) } else { file })
    }

    /// The length of the index file of a segment; 0 if it has none.
    pub(crate) fn index_bytes(&self, id: SegmentId) -> u64 {
        let [_, path] = self.paths(id);
        self.disk.open(&path).and_then(|file| file.bytes()).unwrap_or(0)
    }

    /// The names of the files of a segment.
    pub(crate) fn paths(&self, id: SegmentId) -> [PathBuf; 2] {
        [self.path.join(id.blocks_name()), self.path.join(id.index_name())]
    }
}

impl Segment {
    /// Its entry in a manifest.
    pub(crate) fn placed(&self) -> PlacedSegment {
        PlacedSegment { id: self.id, place: self.place }
    }

    /// The number of bytes that it takes on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.index_bytes() + self.blocks.bytes
    }

    /// The number of these bytes that are the index.
    pub(crate) fn index_bytes(&self) -> u64 {
        self.index_bytes.load(Ordering::Relaxed)
    }

    /// Reads all messages to check whether they can be read.
    pub(crate) fn is_whole(&self) -> bool {
        let mut scratch = ReadScratch::default();
        self.blocks.verify_root().is_ok()
            && (0..self.blocks.len()).all(|block| {
                self.blocks.read(block, logstead_record::ColumnGroups::ALL, &mut scratch).is_ok()
            })
    }

    /// Its index, which is opened if it is not in the cache.
    pub(crate) fn index(&self) -> Result<Arc<SegmentIndex>, IndexError> {
        let mut state = self.index.lock();
        if let IndexState::Unusable(error) = &*state {
            return Err(error.clone());
        }
        let opened = asked_in_time(|| {
            self.folder.cache.get(self.owner, CachePart::Index, || {
                let [_, path] = self.folder.paths(self.id);
                let file =
                    self.index_file.clone().map_or_else(|| self.folder.open_file(self.place, &path), Ok)?;
                let index = SegmentIndex::open(file, &self.blocks, &self.folder.cache, self.owner)?;
                let bytes = index.memory_bytes();
                Ok::<_, IndexError>((index, bytes))
            })
        });
        match &opened {
            Ok(index) => {
                self.index_bytes.store(index.bytes(), Ordering::Relaxed);
                *state = IndexState::Usable;
            }
            Err(IndexError::Late) => {}
            Err(error) => *state = IndexState::Unusable(error.clone()),
        }
        opened
    }

    /// Whether it has no index that can be read, as far as is known.
    pub(crate) fn lacks_index(&self) -> bool {
        let is_usable = matches!(*self.index.lock(), IndexState::Usable);
        !is_usable && self.index().is_err_and(|error| error != IndexError::Late)
    }

    /// The memory of the table of its blocks.
    pub(crate) fn table_bytes(&self) -> usize {
        self.blocks.memory_bytes()
    }

    /// The memory of something found in it, under this name.
    pub(crate) fn remembered<T: Any + Send + Sync>(&self, name: [u8; 16]) -> Option<Arc<T>> {
        self.folder.cache.find(self.owner, CachePart::Matches(name))
    }

    /// Remembers something found in it, which takes this much memory, until its index is no longer trusted.
    pub(crate) fn remember<T: Any + Send + Sync>(&self, name: [u8; 16], what: T, bytes: usize) {
        self.folder.cache.keep(self.owner, CachePart::Matches(name), &Arc::new(what), bytes);
    }

    /// Stops using its index, which turned out to be damaged. One that was not read in time is as good as before.
    pub(crate) fn distrust_index(&self, error: IndexError) {
        if error == IndexError::Late {
            return;
        }
        // Nobody opens the index meanwhile, who would then keep what is to be forgotten.
        let mut state = self.index.lock();
        self.folder.cache.forget(self.owner);
        *state = IndexState::Unusable(error);
    }

    /// Forgets the state of its index, because the file has been replaced.
    pub(crate) fn reopen_index(&self) {
        let mut state = self.index.lock();
        self.folder.cache.forget(self.owner);
        *state = IndexState::Unopened;
    }
}

/// Asks an index. If a read was late, that is the error, whatever became of it on its way.
pub(crate) fn asked_in_time<T, E: From<IndexError>>(ask: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let (asked, is_late) = watch_late(ask);
    asked.map_err(|error| if is_late { IndexError::Late.into() } else { error })
}

impl Drop for Segment {
    /// Its index is removed from the cache. It would never be used again, but would keep its file open.
    fn drop(&mut self) {
        self.folder.cache.forget(self.owner);
    }
}
