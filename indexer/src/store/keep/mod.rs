//! Maintains a logspace: seals full journal files, joins small segments, rebuilds lost indexes, and removes old
//! messages.
//!
//! All of this happens alongside appending and searching, in tasks that any number of threads may run at once.
//!
//! **Invariant:** messages move in one step. New files are whole and synced before the manifest names them; the
//! manifest is replaced before searchers see the new files; and what it replaces is removed only then. A task
//! that fails or is killed changes nothing that counts.

mod join;
mod outcome;
mod publish;
mod reindex;
mod seal;

use crate::disk::Disk;
use crate::error::DiskError;
use crate::segment::cache::CacheUses;
use crate::segment::id::SegmentId;
use crate::segment::{Folder, Segment};
use crate::store::SEGMENTS_DIR;
use crate::store::manifest::Manifest;
use crate::store::options::Options;
use crate::store::part::{StorePart, parts};
use crate::store::readers::{Known, Registry};
use crate::store::retention::{ExpiredParts, Expiry, old_parts};
use crate::store::view::{FileView, SharedView, View};
use join::{JoinPolicy, join, small_neighbours};
use logstead_record::Timestamp;
pub use outcome::{KeepError, TaskOutcome};
use parking_lot::Mutex;
use publish::Publisher;
use reindex::reindex;
use seal::{is_sealable, seal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Maintains a logspace. Clones share the same state.
#[derive(Clone)]
pub struct Keeper {
    inner: Arc<KeeperState>,
}

struct KeeperState {
    publisher: Publisher,
    readers: Arc<Registry>,
    segment_rows_max: u32,
    join_bytes_max: u64,
    /// The first sequences of the parts that tasks are working on, and of damaged parts on which tasks failed.
    claimed: Mutex<BTreeSet<u64>>,
    hopeless: Mutex<BTreeSet<u64>>,
}

/// A task, which is reserved for its holder.
pub struct Task {
    keeper: Keeper,
    work: TaskKind,
    claims: Vec<u64>,
}

enum TaskKind {
    Seal(Arc<FileView>),
    Reindex(SegmentId),
    Join(Vec<Arc<Segment>>),
}

/// The journal files that wait to be sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// The number of journal files.
    pub files: usize,
    /// The number of their messages.
    pub messages: u64,
    /// Their length in bytes.
    pub bytes: u64,
}

impl Backlog {
    fn of<'a>(files: impl IntoIterator<Item = &'a Arc<FileView>>) -> Backlog {
        files.into_iter().fold(Backlog::default(), |sum, file| Backlog {
            files: sum.files + 1,
            messages: sum.messages + file.messages,
            bytes: sum.bytes + file.bytes,
        })
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut claimed = self.keeper.inner.claimed.lock();
        self.claims.iter().for_each(|claim| {
            claimed.remove(claim);
        });
    }
}

impl Task {
    /// Describes the task, for a log.
    pub fn describe(&self) -> String {
        match &self.work {
            TaskKind::Seal(file) => format!("seal {} messages of {}", file.messages, file.journal.name),
            TaskKind::Reindex(id) => format!("index {} again", id.blocks_name()),
            TaskKind::Join(segments) => format!("join {} segments", segments.len()),
        }
    }
}

impl Keeper {
    pub(crate) fn new(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        options: &Options,
        shared: Arc<SharedView>,
    ) -> Keeper {
        let segments = Folder::new(Arc::clone(disk), &dir.join(SEGMENTS_DIR), options.index_memory_max);
        let inner = KeeperState {
            publisher: Publisher::new(dir, segments, shared),
            readers: Arc::default(),
            segment_rows_max: options.segment_rows_max,
            join_bytes_max: options.join_bytes_max,
            claimed: Mutex::default(),
            hopeless: Mutex::default(),
        };
        Keeper { inner: Arc::new(inner) }
    }

    /// Starts with the state that was found.
    pub(crate) fn begin(
        &self,
        view: View,
        manifest: Manifest,
        is_settled: bool,
        readers: BTreeMap<String, Known>,
    ) {
        self.inner.readers.begin(readers);
        self.inner.publisher.begin(view, manifest, is_settled);
    }

    /// The progress of the readers of the logspace.
    pub(crate) fn readers(&self) -> &Arc<Registry> {
        &self.inner.readers
    }

    /// The folder of the segments.
    pub(crate) fn folder(&self) -> &Folder {
        &self.inner.publisher.segments
    }

    /// The most urgent task, if any. Small segments are joined when the process is idle, or when they make a full
    /// segment.
    pub fn next_task(&self, idle: bool) -> Option<Task> {
        let view = self.view();
        let mut claimed = self.inner.claimed.lock();
        let hopeless = self.inner.hopeless.lock();
        let is_free = |sequence: u64| !claimed.contains(&sequence) && !hopeless.contains(&sequence);
        let file = closed(&view).iter().find(|file| is_sealable(file) && is_free(file.first_sequence));
        let unindexed = || {
            view.segments.iter().find(|segment| is_free(segment.id.first_sequence) && segment.lacks_index())
        };
        let work = match file {
            Some(file) => TaskKind::Seal(Arc::clone(file)),
            None => match unindexed() {
                Some(segment) => TaskKind::Reindex(segment.id),
                None => {
                    let when = if idle { JoinPolicy::Idle } else { JoinPolicy::Always };
                    let (rows_max, bytes_max) = (self.inner.segment_rows_max, self.inner.join_bytes_max);
                    TaskKind::Join(small_neighbours(&view, rows_max, bytes_max, &is_free, when)?)
                }
            },
        };
        let claims = work.claims();
        claimed.extend(&claims);
        Some(Task { keeper: self.clone(), work, claims })
    }

    /// Tasks that rebuild the indexes of all segments, oldest first.
    pub fn reindex_tasks(&self) -> Vec<Task> {
        let mut claimed = self.inner.claimed.lock();
        let is_free = |id: &SegmentId| !claimed.contains(&id.first_sequence);
        let mut ids: Vec<SegmentId> = self.view().segment_ids().filter(is_free).collect();
        ids.sort_unstable();
        let claim = |work: TaskKind| {
            let claims = work.claims();
            claimed.extend(&claims);
            Task { keeper: self.clone(), work, claims }
        };
        ids.into_iter().map(TaskKind::Reindex).map(claim).collect()
    }

    /// Runs a task.
    pub fn run(&self, task: &Task, cancelled: &dyn Fn() -> bool) -> Result<TaskOutcome, KeepError> {
        let KeeperState { publisher, segment_rows_max, .. } = &*self.inner;
        publisher.remove_leftovers();
        let done = match &task.work {
            TaskKind::Seal(file) => seal(publisher, file, *segment_rows_max, cancelled),
            TaskKind::Reindex(id) => reindex(publisher, *id, cancelled),
            TaskKind::Join(segments) => join(publisher, segments, cancelled),
        };
        if let Err(KeepError::Damaged(_)) = done {
            self.inner.hopeless.lock().extend(&task.claims);
        }
        done
    }

    /// Sets the limit of memory for the indexes.
    pub(crate) fn set_index_memory_max(&self, bytes_max: usize) {
        self.inner.publisher.segments.set_index_memory_max(bytes_max);
    }

    /// The memory used to find messages in segments: that of the indexes, and that of the tables of blocks.
    pub fn index_memory_bytes(&self) -> (usize, usize) {
        let tables = self.view().segments.iter().map(|segment| segment.table_bytes()).sum();
        (self.inner.publisher.segments.index_memory_bytes(), tables)
    }

    /// How often parts of segments were looked for in memory.
    pub fn cache_uses(&self) -> CacheUses {
        self.inner.publisher.segments.cache_uses()
    }

    /// The memory of the segments and indexes that are being made.
    pub fn sealing_memory_bytes(&self) -> usize {
        self.inner.publisher.segments.building_memory_bytes()
    }

    /// The journal files that wait to be sealed.
    pub fn backlog(&self) -> Backlog {
        Backlog::of(closed(&self.view()))
    }

    /// The part of the backlog that can be sealed. Damaged files stay unchanged.
    pub fn sealable_backlog(&self) -> Backlog {
        let view = self.view();
        let hopeless = self.inner.hopeless.lock();
        let is_hopeful =
            |file: &&Arc<FileView>| is_sealable(file) && !hopeless.contains(&file.first_sequence);
        Backlog::of(closed(&view).iter().filter(is_hopeful))
    }

    /// The time at which the newest message was received; `None` if there is none, or none can be read.
    pub fn received_last(&self) -> Option<Timestamp> {
        let view = self.view();
        let files = view.files.iter().filter(|file| 0 < file.messages).map(|file| file.received);
        let segments = view.segments.iter().map(|segment| segment.blocks.span.received_last);
        files.chain(segments).max()
    }

    /// The reason why nothing expires at present, if there is one.
    pub fn expiry_held(&self) -> Option<&'static str> {
        let held = "the newest journal file is missing: nothing is removed before another message is stored";
        self.view().newest_missing.map(|_| held)
    }

    /// The parts that expiry would remove.
    pub fn preview(&self, expiry: &Expiry) -> ExpiredParts {
        ExpiredParts::of(&self.old_parts(&self.view(), expiry))
    }

    /// The next part to expire after those: the time at which its last message was received, and the number of its
    /// messages; `None` if nothing readable is left.
    pub fn next_to_expire(&self, expiry: &Expiry) -> Option<(Timestamp, u64)> {
        let view = self.view();
        let left = parts(&view).into_iter().skip(self.old_parts(&view, expiry).len());
        let mut messages = 0;
        for part in left {
            messages += part.messages();
            // An unreadable part expires together with the part after it.
            if let Some(received) = part.received().filter(|_| 0 < messages) {
                return Some((received, messages));
            }
        }
        None
    }

    fn old_parts(&self, view: &View, expiry: &Expiry) -> Vec<StorePart> {
        old_parts(view, expiry, self.inner.readers.slowest())
    }

    /// Removes whole segments and closed journal files, oldest first, as long as all their messages may be removed.
    pub(crate) fn expire(&self, expiry: &Expiry) -> Result<ExpiredParts, DiskError> {
        self.inner.publisher.expire(expiry, self.inner.readers.slowest())
    }

    /// Records that all messages before this sequence are synced.
    pub(crate) fn note_synced(&self, next_sequence: u64) {
        self.inner.publisher.note_synced(next_sequence);
    }

    /// Makes sure that the manifest has all segments and the end of the messages.
    pub(crate) fn settle(&self) -> Result<(), DiskError> {
        self.inner.publisher.settle()
    }

    fn view(&self) -> Arc<View> {
        self.inner.publisher.view()
    }
}

/// The files that are no longer appended to.
fn closed(view: &View) -> &[Arc<FileView>] {
    view.files.split_last().map_or(&[], |(_, closed)| closed)
}

impl TaskKind {
    fn claims(&self) -> Vec<u64> {
        match self {
            TaskKind::Seal(file) => vec![file.first_sequence],
            TaskKind::Reindex(id) => vec![id.first_sequence],
            TaskKind::Join(segments) => segments.iter().map(|segment| segment.id.first_sequence).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SimDisk, encode, open};
    use logstead_record::{BatchBuilder, Origin, Row};
    use logstead_work::{Alone, SearchContext};

    #[test]
    fn files_that_are_sealed_in_any_order_are_one_chain() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(0));
            let mut opened = open(&disk, Path::new("/"), Options::default(), &Alone).unwrap();
            for _ in 0..4 {
                let mut builder = BatchBuilder::new();
                builder.origin(Origin { source: b"s", peer: b"", received: Timestamp::from_nanos(1) });
                builder.push(&Row::text(b"message"));
                opened.appender.close_old(Timestamp::MAX).unwrap();
                opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
            }
            let tasks: Vec<Task> = std::iter::from_fn(|| opened.keeper.next_task(false)).collect();
            for at in order {
                opened.keeper.run(&tasks[at], &|| false).unwrap();
            }
            assert_eq!(opened.searcher.stats().segments, 3);
            opened.searcher.verify(&SearchContext::alone(), &mut |checked| assert_eq!(checked.findings, []));
        }
    }
}
