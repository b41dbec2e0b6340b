//! The groups and blocks of an open file, and their rows.
//!
//! **Invariant:** each row is in one group, and no group is empty.

use super::error::BlocksError;
use super::layout::{BLOCK_ROWS, HASH_BYTES, PIECES, RECEIVED, SEGMENT, TIME};
use super::pieces::{self, merkle_root};
use super::shared::{BlocksHead, MessageSpan};
use crate::bytes::array_at;
use crate::journal::frame::Hash;
use crate::segment::bundle::{Bundle, BundleKind, IndexError, Section};
use crate::segment::cache::{Cache, CacheOwner};
use crate::segment::column::CommonColumn;
use crate::segment::place::SegmentFile;
use crate::segment::times::{FRAME_ROWS, Times};
use logstead_record::Timestamp;
use std::ops::Range;
use std::sync::Arc;

/// The sections of an open file.
pub(crate) struct RowGroups {
    pub(super) bundle: Bundle,
    pub(super) rows: u32,
    /// The time of each row.
    pub(crate) times: Arc<Times<Section>>,
    pub(super) received: Times<Section>,
    /// The first row of each group, and the end of the last one.
    pub(super) starts: Vec<u32>,
    /// The first block of each group, and the number of blocks.
    first_blocks: Vec<u32>,
    pub(super) cache: Arc<Cache>,
    pub(super) owner: CacheOwner,
}

impl RowGroups {
    /// Opens a file by reading its tables.
    pub(super) fn open(
        file: Arc<dyn SegmentFile>,
        cache: &Arc<Cache>,
    ) -> Result<(BlocksHead, RowGroups), BlocksError> {
        let bundle = Bundle::open(BundleKind::Blocks, file)?;
        let identity = bundle.identity();
        let segment = bundle.section(SEGMENT)?.read_all()?;
        let (fixed, groups) =
            segment.split_at_checked(3 * HASH_BYTES).ok_or(BlocksError::Implausible("length"))?;
        let mut starts = vec![0_u32];
        for group in groups.as_chunks::<4>().0 {
            let end = starts.last().and_then(|start| start.checked_add(u32::from_le_bytes(*group)));
            starts.push(end.ok_or(BlocksError::Implausible("number of rows"))?);
        }
        let are_filled = starts.windows(2).all(|pair| pair[0] < pair[1]);
        if starts.last() != Some(&identity.rows) || !are_filled || identity.rows == 0 {
            return Err(BlocksError::Implausible("number of rows"));
        }
        let mut first_blocks = vec![0];
        for pair in starts.windows(2) {
            let blocks = (pair[1] - pair[0]).div_ceil(BLOCK_ROWS as u32);
            first_blocks.push(first_blocks[first_blocks.len() - 1] + blocks);
        }
        let times = Times::open(bundle.section(TIME)?, identity.rows)?;
        let received = Times::open(bundle.section(RECEIVED)?, identity.rows)?;
        let head = BlocksHead {
            first_sequence: identity.first_sequence,
            rows: identity.rows,
            previous_hash: array_at(fixed, HASH_BYTES),
            hash: array_at(fixed, 2 * HASH_BYTES),
            root: identity.blocks_hash,
            span: MessageSpan::read(fixed),
            bytes: bundle.bytes(),
        };
        let (cache, owner) = (Arc::clone(cache), cache.owner());
        let groups = RowGroups {
            bundle,
            rows: identity.rows,
            times: Arc::new(times),
            received,
            starts,
            first_blocks,
            cache,
            owner,
        };
        Ok((head, groups))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bundle.memory_bytes()
            + self.times.memory_bytes()
            + self.received.memory_bytes()
            + size_of_val(self.starts.as_slice())
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.first_blocks.last().map_or(0, |&blocks| blocks as usize)
    }

    pub(super) fn row_range(&self, block: usize) -> Range<usize> {
        let group = self.first_blocks.partition_point(|&first| first as usize <= block) - 1;
        let rows = self.rows_of(group);
        let start = rows.start + (block - self.first_blocks[group] as usize) * BLOCK_ROWS;
        start..rows.end.min(start + BLOCK_ROWS)
    }

    pub(super) fn block_of(&self, row: u32) -> usize {
        let group = self.group_of(row as usize);
        self.first_blocks[group] as usize + (row - self.starts[group]) as usize / BLOCK_ROWS
    }

    /// The group that a row is in.
    pub(crate) fn group_of(&self, row: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= row) - 1
    }

    /// The span of a block, from the time frames that contain its rows.
    pub(super) fn span(&self, block: usize) -> MessageSpan {
        let rows = self.row_range(block);
        let frames = rows.start / FRAME_ROWS..(rows.end - 1) / FRAME_ROWS + 1;
        let bounds = |times: &Times<Section>| {
            let frames = times.frames()[frames.clone()].iter();
            let bounds = frames.fold((i64::MAX, i64::MIN), |(earliest, latest), frame| {
                (earliest.min(frame.earliest), latest.max(frame.latest))
            });
            (Timestamp::from_nanos(bounds.0), Timestamp::from_nanos(bounds.1))
        };
        let ((earliest, latest), (received_first, received_last)) =
            (bounds(&self.times), bounds(&self.received));
        MessageSpan { earliest, latest, received_first, received_last }
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a group.
    pub(crate) fn rows_of(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// The blocks of a group.
    pub(crate) fn blocks_of(&self, group: usize) -> Range<usize> {
        self.first_blocks[group] as usize..self.first_blocks[group + 1] as usize
    }

    /// The section of a column.
    pub(crate) fn column_section(&self, column: CommonColumn) -> Result<Section, IndexError> {
        self.bundle.section(column.section())
    }

    /// Removes its parts from the cache, because it is no longer read.
    pub(crate) fn forget(&self) {
        self.cache.forget(self.owner);
    }

    /// Checks that the hashes of the pieces give the root, and that the pieces have these hashes.
    pub(super) fn verify_root(&self) -> Result<(), BlocksError> {
        let wrong = BlocksError::Checksum("root");
        let pieces = self.bundle.section(PIECES)?;
        let body = pieces.start();
        let stored = pieces.read_all()?;
        let stored: Vec<Hash> = stored.as_chunks::<HASH_BYTES>().0.to_vec();
        let mut at = 0;
        for hash in &stored {
            let end = body.min(at + pieces::PIECE_BYTES as u64);
            let piece = self.bundle.body(at..end)?;
            if pieces::hashes(std::iter::once(piece.as_slice())) != [*hash] {
                return Err(wrong);
            }
            at = end;
        }
        let is_root = at == body && merkle_root(stored) == self.bundle.identity().blocks_hash;
        if is_root { Ok(()) } else { Err(wrong) }
    }
}

impl Drop for RowGroups {
    /// Removes its parts from the cache.
    fn drop(&mut self) {
        self.forget();
    }
}
