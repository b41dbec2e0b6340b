//! Writes a segment: batches in, two synced files out.
//!
//! **Invariant:** a file gets its name when all of it is synced. What a builder that failed leaves behind has a
//! name that is never read.

use super::block::BlockCutter;
use super::blocks::{Blocks, BlocksWriter};
use super::id::SegmentId;
use super::index::IndexBuilder;
use super::{Folder, Segment};
use crate::journal::frame::Hash;
use logstead_record::Batch;
use std::io;
use std::path::{Path, PathBuf};

/// Room is made for no more messages than this at once.
const ROWS_OF_ROOM_MAX: u64 = 1 << 20;
/// What a file is called until all of it is synced.
const NEW_SUFFIX: &str = "new";

/// Writes a segment.
pub(crate) struct SegmentBuilder<'a> {
    folder: &'a Folder,
    first_sequence: u64,
    rows: u32,
    new_path: PathBuf,
    cutter: BlockCutter,
    blocks: BlocksWriter,
    index: IndexBuilder,
    unnamed: Unnamed<'a>,
}

/// Files that have no name yet. They are removed, unless they get one.
struct Unnamed<'a> {
    folder: &'a Folder,
    paths: Vec<PathBuf>,
}

impl Drop for Unnamed<'_> {
    fn drop(&mut self) {
        for path in &self.paths {
            // Where this fails, the next start removes it.
            self.folder.disk.remove(path).ok();
        }
    }
}

impl<'a> SegmentBuilder<'a> {
    /// Begins a segment of about this many messages, with the one after the frame with this hash.
    pub(crate) fn begin(
        folder: &'a Folder,
        first_sequence: u64,
        previous_hash: Hash,
        rows: u64,
    ) -> io::Result<SegmentBuilder<'a>> {
        let new_path = folder.path.join(format!("{first_sequence:020}.blocks.{NEW_SUFFIX}"));
        let blocks = BlocksWriter::create(&*folder.disk, &new_path, first_sequence, previous_hash)?;
        let unnamed = Unnamed { folder, paths: vec![new_path.clone()] };
        let rows = rows.min(ROWS_OF_ROOM_MAX) as usize;
        let (cutter, index) = (BlockCutter::default(), folder.index_builder(rows));
        Ok(SegmentBuilder { folder, first_sequence, rows: 0, new_path, cutter, blocks, index, unnamed })
    }

    /// Adds the messages that follow.
    pub(crate) fn push(&mut self, batch: &Batch) -> io::Result<()> {
        self.rows += batch.rows() as u32;
        self.index.push(batch);
        let SegmentBuilder { cutter, blocks, .. } = self;
        cutter.push(batch, &mut |block| blocks.push(block))
    }

    /// How many messages it has so far.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// Ends the segment with the frame that has this hash. Its files are there, but no manifest names them.
    pub(crate) fn finish(self, hash: Hash) -> io::Result<Segment> {
        let SegmentBuilder {
            folder,
            first_sequence,
            rows,
            new_path,
            mut cutter,
            mut blocks,
            index,
            mut unnamed,
        } = self;
        let id = SegmentId { first_sequence, rows };
        cutter.flush(&mut |block| blocks.push(block))?;
        let blocks = Blocks::open(blocks.finish(hash)?).map_err(io::Error::other)?;
        let [blocks_path, index_path] = folder.paths(id);
        folder.disk.rename(&new_path, &blocks_path)?;
        unnamed.paths = vec![blocks_path];
        write_index(folder, &blocks, index, &index_path)?;
        unnamed.paths.push(index_path);
        let segment = folder.open(id).map_err(io::Error::other)?;
        unnamed.paths.clear();
        Ok(segment)
    }
}

/// Writes the index of some blocks, in the place of one that may be there.
pub(crate) fn write_index(
    folder: &Folder,
    blocks: &Blocks,
    index: IndexBuilder,
    path: &Path,
) -> io::Result<()> {
    let new_path = path.with_extension(format!("index.{NEW_SUFFIX}"));
    let mut unnamed = Unnamed { folder, paths: vec![new_path.clone()] };
    let file = folder.disk.create(&new_path)?;
    index.finish(blocks).map_err(io::Error::other)?.write_to(&*file)?;
    file.sync()?;
    folder.disk.rename(&new_path, path)?;
    unnamed.paths.clear();
    folder.disk.sync_dir(&folder.path)
}
