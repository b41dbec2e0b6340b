//! Sealed segments: a run of messages in two files that never change.
//!
//! `<first sequence, 20 digits>-<rows>.blocks` holds the messages and is the truth; `….index` is derived from it
//! and says quickly where what is. Row `r` of a segment is the message with the sequence `first + r`.
//!
//! **Invariant:** an index is believed only when it was made of these very blocks. Where there is none that can
//! be read, the blocks are searched, and the answers are the same.

pub(crate) mod block;
pub(crate) mod blocks;
pub(crate) mod build;
pub(crate) mod bundle;
pub(crate) mod directory;
pub(crate) mod fields;
pub(crate) mod inverter;
pub(crate) mod names;
pub(crate) mod packed;
pub(crate) mod times;
pub(crate) mod words;

use crate::disk::Disk;
use crate::manifest::SegmentId;
use crate::view::{Damage, DamageReason};
use blocks::Blocks;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the segments of a logspace are.
#[derive(Clone)]
pub(crate) struct Folder {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) path: PathBuf,
}

/// A sealed segment.
pub(crate) struct Segment {
    pub(crate) id: SegmentId,
    /// Its messages, or why they can not be read.
    pub(crate) blocks: Result<Blocks, Damage>,
}

impl Folder {
    pub(crate) fn new(disk: Arc<dyn Disk>, path: &Path) -> Folder {
        Folder { disk, path: path.to_owned() }
    }

    /// Opens a segment. One whose blocks can not be read is one, too.
    pub(crate) fn open(&self, id: SegmentId) -> Segment {
        let name = id.blocks_name();
        let opened = match self.disk.open(&self.path.join(&name)) {
            Ok(file) => Blocks::open(file).map_err(DamageReason::from),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(DamageReason::Missing),
            Err(error) => Err(DamageReason::Disk(error.to_string())),
        };
        let is_it = |blocks: &Blocks| (blocks.first_sequence, blocks.rows()) == (id.first_sequence, id.rows);
        let blocks = match opened {
            Ok(blocks) if is_it(&blocks) => Ok(blocks),
            Ok(_) => Err(DamageReason::Renamed),
            Err(why) => Err(why),
        };
        let damage =
            |why| Damage { file: name, offset: 0, bytes: 0, messages: Some(u64::from(id.rows)), why };
        Segment { id, blocks: blocks.map_err(damage) }
    }

    /// The names of the files of a segment.
    pub(crate) fn paths(&self, id: SegmentId) -> [PathBuf; 2] {
        [self.path.join(id.blocks_name()), self.path.join(id.index_name())]
    }
}

impl Segment {
    /// How many bytes it takes on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.as_ref().map_or(0, |blocks| blocks.bytes)
    }
}
