//! Writes batches as the two synced files of a segment.
//!
//! **Invariant:** a file gets its name when all of it is synced. The remains of a builder that failed have
//! a name that is never read.

use super::blocks::{Blocks, BlocksError, BlocksWriter, IndexedTexts, RowGroups};
use super::bundle::BundleWriter;
use super::id::SegmentId;
use super::index::IndexBuilder;
use super::memory::MemoryShare;
use super::place::{PlacedSegment, SegmentPlace};
use super::{Folder, Segment};
use crate::journal::frame::Hash;
use logstead_record::Batch;
use logstead_template::DecodeError;
use std::io;
use std::path::{Path, PathBuf};

/// The suffix of a file that is not completely synced yet.
const NEW_SUFFIX: &str = "new";

/// Writes a segment.
pub(crate) struct SegmentBuilder<'a> {
    folder: &'a Folder,
    first_sequence: u64,
    blocks: BlocksWriter,
    index: IndexBuilder,
    memory: MemoryShare,
}

/// Files that have no final name yet. They are removed unless they get one.
struct UnnamedFiles<'a> {
    folder: &'a Folder,
    paths: Vec<PathBuf>,
}

impl Drop for UnnamedFiles<'_> {
    fn drop(&mut self) {
        for path in &self.paths {
            // If this fails, the file is removed at the next start.
            self.folder.disk.remove(path).ok();
        }
    }
}

impl<'a> SegmentBuilder<'a> {
    /// Begins a segment with the message after the journal frame with this hash.
    pub(crate) fn begin(folder: &'a Folder, first_sequence: u64, previous_hash: Hash) -> SegmentBuilder<'a> {
        SegmentBuilder {
            folder,
            first_sequence,
            blocks: BlocksWriter::new(first_sequence, previous_hash),
            index: folder.index_builder(first_sequence, &previous_hash),
            memory: folder.building.hold(),
        }
    }

    /// Adds the next messages.
    pub(crate) fn push(&mut self, batch: &Batch) -> io::Result<()> {
        let SegmentBuilder { blocks, index, memory, .. } = self;
        let mut fault = None;
        blocks.push(batch, &mut |texts| add_group(index, texts, &mut fault))?;
        memory.set(blocks.memory_bytes());
        fault.map_or(Ok(()), |fault| Err(io::Error::other(fault)))
    }

    /// Whether a group with this number of messages should be copied rather than rewritten.
    pub(crate) fn takes_whole(&self, messages: usize) -> bool {
        self.blocks.takes_whole(messages)
    }

    /// Adds the messages of a group unchanged.
    pub(crate) fn push_group(&mut self, groups: &RowGroups, group: usize) -> Result<(), BlocksError> {
        let SegmentBuilder { blocks, index, memory, .. } = self;
        let mut fault = None;
        blocks.push_group(groups, group, &mut |texts| add_group(index, texts, &mut fault))?;
        memory.set(blocks.memory_bytes());
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// The number of messages that it has so far.
    pub(crate) fn rows(&self) -> u32 {
        self.blocks.rows()
    }

    /// Whether no more messages should be added, because parts that are read as a whole would become too large.
    pub(crate) fn is_full(&self) -> bool {
        self.blocks.is_full()
    }

    /// Ends the segment with the frame that has this hash. Its files then exist, but no manifest names them yet.
    pub(crate) fn finish(self, hash: Hash) -> io::Result<Segment> {
        let SegmentBuilder { folder, first_sequence, blocks, mut index, memory: _memory } = self;
        let id = SegmentId { first_sequence, rows: blocks.rows() };
        let mut fault = None;
        let blocks = blocks.finish(hash, &mut |texts| add_group(&mut index, texts, &mut fault))?;
        if let Some(fault) = fault {
            return Err(io::Error::other(fault));
        }
        let [blocks_path, index_path] = folder.paths(id).map(|path| with_suffix(&path));
        let mut unnamed = UnnamedFiles { folder, paths: Vec::new() };
        write_file(folder, blocks, &blocks_path, &mut unnamed)?;
        let blocks = folder.open_blocks(SegmentPlace::Local, &blocks_path).map_err(io::Error::other)?;
        write_file(folder, index.finish(&blocks).map_err(io::Error::other)?, &index_path, &mut unnamed)?;
        let paths = folder.paths(id);
        for (new_path, path) in unnamed.paths.clone().iter().zip(&paths) {
            folder.disk.rename(new_path, path)?;
            unnamed.paths.push(path.clone());
        }
        folder.disk.sync_dir(&folder.path)?;
        let segment =
            folder.open(PlacedSegment { id, place: SegmentPlace::Local }).map_err(io::Error::other)?;
        unnamed.paths.clear();
        Ok(segment)
    }
}

fn add_group(index: &mut IndexBuilder, texts: &IndexedTexts, fault: &mut Option<DecodeError>) {
    if let Err(error) = index.push_group(texts) {
        *fault = Some(error);
    }
}

/// Writes and syncs a file without its final name.
fn write_file(
    folder: &Folder,
    sections: BundleWriter,
    new_path: &Path,
    unnamed: &mut UnnamedFiles<'_>,
) -> io::Result<()> {
    unnamed.paths.push(new_path.to_owned());
    let file = folder.disk.create(new_path)?;
    sections.write_to(&*file)?;
    file.sync()
}

fn with_suffix(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(NEW_SUFFIX);
    name.into()
}

/// Writes the index of some blocks, replacing any that is there.
pub(crate) fn write_index(
    folder: &Folder,
    blocks: &Blocks,
    index: IndexBuilder,
    path: &Path,
) -> io::Result<()> {
    let new_path = with_suffix(path);
    let mut unnamed = UnnamedFiles { folder, paths: Vec::new() };
    write_file(folder, index.finish(blocks).map_err(io::Error::other)?, &new_path, &mut unnamed)?;
    folder.disk.rename(&new_path, path)?;
    unnamed.paths.clear();
    folder.disk.sync_dir(&folder.path)
}
