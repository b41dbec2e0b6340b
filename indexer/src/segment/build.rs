//! Writes a segment: batches in, two synced files out.
//!
//! **Invariant:** a file gets its name when all of it is synced. What a builder that failed leaves behind has a
//! name that nobody reads.

use super::block::BlockCutter;
use super::blocks::BlocksWriter;
use super::{Folder, Segment};
use crate::frame::Hash;
use crate::manifest::SegmentId;
use logstead_record::Batch;
use std::io;
use std::path::PathBuf;

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
}

impl<'a> SegmentBuilder<'a> {
    /// Begins a segment with the message after the frame with this hash.
    pub(crate) fn begin(
        folder: &'a Folder,
        first_sequence: u64,
        previous_hash: Hash,
    ) -> io::Result<SegmentBuilder<'a>> {
        let new_path = folder.path.join(format!("{first_sequence:020}.blocks.{NEW_SUFFIX}"));
        let blocks = BlocksWriter::create(&*folder.disk, &new_path, first_sequence, previous_hash)?;
        Ok(SegmentBuilder {
            folder,
            first_sequence,
            rows: 0,
            new_path,
            cutter: BlockCutter::default(),
            blocks,
        })
    }

    /// Adds the messages that follow.
    pub(crate) fn push(&mut self, batch: &Batch) -> io::Result<()> {
        let SegmentBuilder { cutter, blocks, .. } = self;
        self.rows += batch.rows() as u32;
        cutter.push(batch, &mut |block| blocks.push(block))
    }

    /// How many messages it has so far.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// Ends the segment with the frame that has this hash. Its files are there, but no manifest names them.
    pub(crate) fn finish(self, hash: Hash) -> io::Result<Segment> {
        let SegmentBuilder { folder, first_sequence, rows, new_path, mut cutter, mut blocks } = self;
        let id = SegmentId { first_sequence, rows };
        cutter.flush(&mut |block| blocks.push(block))?;
        blocks.finish(hash)?;
        let [blocks_path, _] = folder.paths(id);
        folder.disk.rename(&new_path, &blocks_path)?;
        folder.disk.sync_dir(&folder.path)?;
        Ok(folder.open(id))
    }
}
