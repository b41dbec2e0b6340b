//! Keeps a logspace: seals full journal files, joins small segments, makes lost indexes again, drops what is old.
//!
//! All of it happens beside appending and searching, in tasks that any number of threads may run at once.
//!
//! **Invariant:** messages move in one step. New files are whole and synced before the manifest names them; the
//! manifest is replaced before searchers see the new files; and what it replaces is removed only then. A task
//! that fails or is killed changes nothing that counts.

use crate::Options;
use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::journal::frame::{HEADER_BYTES, Hash, Header};
use crate::segment::blocks::Scratch;
use crate::segment::build::{SegmentBuilder, write_index};
use crate::segment::id::SegmentId;
use crate::segment::{Folder, Segment};
use crate::store::damage::Damage;
use crate::store::manifest::Manifest;
use crate::store::read::batches_of;
use crate::store::retention::{Expired, Expiry, Part, old_parts, without_expired};
use crate::store::view::{FileView, Shared, View};
use logstead_record::{Batch, Groups, Timestamp};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// So many neighbours are joined at least.
const JOIN_MIN: usize = 4;
/// Joined segments have at most this many bytes of blocks.
const JOIN_BYTES_MAX: u64 = 64 << 20;

/// Keeps a logspace. Clones keep the same one.
#[derive(Clone)]
pub struct Keeper {
    inner: Arc<Inner>,
}

struct Inner {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    journal_dir: PathBuf,
    segments: Folder,
    segment_rows_max: u32,
    shared: Arc<Shared>,
    /// Held while files are exchanged.
    manifest: Mutex<Manifest>,
    /// Whether that is certainly the one on the disk.
    is_settled: AtomicBool,
    /// Messages with sequences below this are on the disk.
    synced_next: AtomicU64,
    /// First sequences of what tasks are at, and of what they failed at because it is damaged.
    claimed: Mutex<BTreeSet<u64>>,
    hopeless: Mutex<BTreeSet<u64>>,
    /// Files that nobody reads any more and that could not be removed.
    leftovers: Mutex<Vec<PathBuf>>,
}

/// Something to do, claimed for whoever holds it.
pub struct Task {
    keeper: Keeper,
    work: Work,
    claims: Vec<u64>,
}

enum Work {
    Seal(Arc<FileView>),
    Reindex(SegmentId),
    Join(Vec<Arc<Segment>>),
}

/// What a task did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// A journal file became segments.
    Sealed {
        /// How many.
        segments: usize,
        /// Their messages.
        messages: u64,
    },
    /// A segment has an index again.
    Reindexed {
        /// Its messages.
        messages: u64,
    },
    /// Small segments became one.
    Joined {
        /// How many there were.
        segments: usize,
        /// Their messages.
        messages: u64,
    },
    /// What it was about has expired.
    Void,
}

/// Why a task failed. It is offered again, unless its input is damaged.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The disk.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A part of what is to be sealed can not be read. It stays as it is, and is searched as it is.
    #[error("{0}")]
    Damaged(String),
    /// Nobody wants it any more.
    #[error("it was cancelled")]
    Cancelled,
}

/// What waits to be sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// Journal files.
    pub files: usize,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
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
    /// What it will do, for a log.
    pub fn describe(&self) -> String {
        match &self.work {
            Work::Seal(file) => format!("seal {} messages of {}", file.messages, file.journal.name),
            Work::Reindex(id) => format!("index {} again", id.blocks_name()),
            Work::Join(segments) => format!("join {} segments", segments.len()),
        }
    }
}

impl Keeper {
    pub(crate) fn new(
        (dir, segments): (&Path, Folder),
        options: &Options,
        shared: Arc<Shared>,
        (manifest, is_settled): (Manifest, bool),
    ) -> Keeper {
        let synced_next = AtomicU64::new(shared.read().next_sequence);
        let inner = Inner {
            disk: Arc::clone(&segments.disk),
            dir: dir.to_owned(),
            journal_dir: dir.join(crate::JOURNAL_DIR),
            segments,
            segment_rows_max: options.segment_rows_max,
            shared,
            manifest: Mutex::new(manifest),
            is_settled: AtomicBool::new(is_settled),
            synced_next,
            claimed: Mutex::default(),
            hopeless: Mutex::default(),
            leftovers: Mutex::default(),
        };
        Keeper { inner: Arc::new(inner) }
    }

    /// What is most urgent, if there is anything. Small segments are joined only in idle times.
    pub fn next_task(&self, idle: bool) -> Option<Task> {
        let view = self.view();
        let mut claimed = self.inner.claimed.lock();
        let hopeless = self.inner.hopeless.lock();
        let is_free = |sequence: u64| !claimed.contains(&sequence) && !hopeless.contains(&sequence);
        let closed = view.files.split_last().map_or(&[][..], |(_, closed)| closed);
        let file = closed.iter().find(|file| is_sealable(file) && is_free(file.first_sequence));
        let lost = || {
            view.segments.iter().find(|segment| is_free(segment.id.first_sequence) && segment.lacks_index())
        };
        let work = match file {
            Some(file) => Work::Seal(Arc::clone(file)),
            None => match lost() {
                Some(segment) => Work::Reindex(segment.id),
                None if idle => Work::Join(self.small_neighbours(&view, &is_free)?),
                None => return None,
            },
        };
        let claims = work.claims();
        claimed.extend(&claims);
        Some(Task { keeper: self.clone(), work, claims })
    }

    /// To make the indexes of all segments again, oldest first.
    pub fn reindex_tasks(&self) -> Vec<Task> {
        let mut claimed = self.inner.claimed.lock();
        let is_free = |id: &SegmentId| !claimed.contains(&id.first_sequence);
        let mut ids: Vec<SegmentId> = self.view().segment_ids().filter(is_free).collect();
        ids.sort_unstable();
        let claim = |work: Work| {
            let claims = work.claims();
            claimed.extend(&claims);
            Task { keeper: self.clone(), work, claims }
        };
        ids.into_iter().map(Work::Reindex).map(claim).collect()
    }

    /// Does what is to be done.
    pub fn run(&self, task: &Task, cancelled: &dyn Fn() -> bool) -> Result<Done, KeepError> {
        self.remove_leftovers();
        let done = match &task.work {
            Work::Seal(file) => self.seal(file, cancelled),
            Work::Reindex(id) => self.reindex(*id, cancelled),
            Work::Join(segments) => self.join(segments, cancelled),
        };
        if let Err(KeepError::Damaged(_)) = done {
            self.inner.hopeless.lock().extend(&task.claims);
        }
        done
    }

    /// Keeps no more of the indexes in memory from now on.
    pub(crate) fn set_index_memory_max(&self, bytes_max: usize) {
        self.inner.segments.set_index_memory_max(bytes_max);
    }

    /// What is in memory to find messages in segments: of their indexes, and the tables of their blocks.
    pub fn index_memory_bytes(&self) -> (usize, usize) {
        let tables = self.view().segments.iter().map(|segment| segment.table_bytes()).sum();
        (self.inner.segments.index_memory_bytes(), tables)
    }

    /// What is in memory for the segments and indexes that are being made.
    pub fn sealing_memory_bytes(&self) -> usize {
        self.inner.segments.building_memory_bytes()
    }

    /// What waits to be sealed.
    pub fn backlog(&self) -> Backlog {
        let view = self.view();
        let closed = view.files.split_last().map_or(&[][..], |(_, closed)| closed);
        closed.iter().fold(Backlog::default(), |sum, file| Backlog {
            files: sum.files + 1,
            messages: sum.messages + file.messages,
            bytes: sum.bytes + file.bytes,
        })
    }

    /// When the newest of all messages was received; `None` where there is none, or none that can be read.
    pub fn received_last(&self) -> Option<Timestamp> {
        let view = self.view();
        let files = view.files.iter().filter(|file| 0 < file.messages).map(|file| file.received);
        let segments = view.segments.iter().map(|segment| segment.blocks.span.received_last);
        files.chain(segments).max()
    }

    /// What [`Keeper::expire`] would remove.
    pub fn preview(&self, expiry: &Expiry) -> Expired {
        let mut expired = Expired::default();
        for part in old_parts(&self.view(), expiry) {
            expired.add(&part);
        }
        expired
    }

    /// Removes whole segments and closed journal files from the old end, as far as all their messages may go.
    pub(crate) fn expire(&self, expiry: &Expiry) -> Result<Expired, DiskError> {
        self.remove_leftovers();
        let mut expired = Expired::default();
        let mut manifest = self.inner.manifest.lock();
        let view = self.view();
        let parts = old_parts(&view, expiry);
        let Some(last) = parts.last() else { return Ok(expired) };
        // From here on they count for nothing, whatever is left of their files.
        let new = without_expired(&manifest, &view, last.first_sequence());
        let first = new.extent.unwrap_or_default().first;
        self.write_manifest(&mut manifest, new)?;
        self.change_view(|view| view.drop_before(first));
        for part in parts {
            self.paths_of(&part).into_iter().for_each(|path| self.remove(path));
            expired.add(&part);
        }
        Ok(expired)
    }

    fn paths_of(&self, part: &Part) -> Vec<PathBuf> {
        match part {
            Part::Segment(segment) => self.inner.segments.paths(segment.id).into(),
            Part::Lost(lost) => self.inner.segments.paths(lost.id).into(),
            Part::File(file) => vec![self.inner.journal_dir.join(&file.journal.name)],
        }
    }

    /// All messages before this sequence are synced.
    pub(crate) fn note_synced(&self, next_sequence: u64) {
        self.inner.synced_next.fetch_max(next_sequence, Ordering::Relaxed);
    }

    fn newest_file(&self) -> u64 {
        self.view().files.last().map_or(0, |file| file.first_sequence)
    }

    /// Sees to it that the manifest says which segments there are and how far the messages reach.
    pub(crate) fn settle(&self) -> Result<(), DiskError> {
        let mut manifest = self.inner.manifest.lock();
        let noted = manifest.extent.unwrap_or_default().next;
        let is_newest = manifest.extent.unwrap_or_default().newest == self.newest_file();
        let is_settled = self.inner.is_settled.load(Ordering::Relaxed) && is_newest;
        if is_settled && self.inner.synced_next.load(Ordering::Relaxed) <= noted {
            return Ok(());
        }
        self.replace_manifest(&mut manifest, &[], &[])
    }

    fn view(&self) -> Arc<View> {
        Arc::clone(&self.inner.shared.read())
    }

    fn change_view(&self, change: impl FnOnce(&mut View)) {
        change(Arc::make_mut(&mut self.inner.shared.write()));
    }

    fn seal(&self, file: &Arc<FileView>, cancelled: &dyn Fn() -> bool) -> Result<Done, KeepError> {
        let mut sealing =
            Sealing { keeper: self, file, open: None, segments: Vec::new(), next: file.first_sequence };
        let sealed = batches_of(file, cancelled, &mut |offset, first_sequence, batch| {
            sealing.push(offset, first_sequence, batch)
        });
        match sealed.and_then(|()| sealing.end()) {
            Ok(()) if sealing.segments.is_empty() => Ok(Done::Void),
            Ok(()) => self.publish_sealed(file, sealing.segments),
            Err(error) => {
                for segment in sealing.segments {
                    self.inner.segments.paths(segment.id).into_iter().for_each(|path| self.remove(path));
                }
                Err(error)
            }
        }
    }

    /// The hash of the last frame of a closed file: recorded in its successor, whether file or segment.
    fn hash_after(&self, file: &FileView) -> Result<Hash, KeepError> {
        let view = self.view();
        let unknown =
            || KeepError::Damaged(format!("{}: what comes after it can not be read", file.journal.name));
        let is_after = |first_sequence: u64| file.first_sequence < first_sequence;
        let next_file = view.files.iter().find(|other| is_after(other.first_sequence));
        let file_begins = next_file.map_or(u64::MAX, |other| other.first_sequence);
        let sealed = view.segment_ids().map(|id| id.first_sequence).filter(|first| is_after(*first)).min();
        if let Some(first) = sealed.filter(|first| *first < file_begins) {
            let segment = view.segments.iter().find(|segment| segment.id.first_sequence == first);
            return segment.map(|segment| segment.blocks.previous_hash).ok_or_else(unknown);
        }
        let header =
            next_file.ok_or_else(unknown)?.journal.header().map_err(|error| self.read_error(error))?;
        header.map(|header| header.previous_hash).map_err(|_| unknown())
    }

    fn publish_sealed(&self, file: &FileView, segments: Vec<Segment>) -> Result<Done, KeepError> {
        let messages = segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
        let done = Done::Sealed { segments: segments.len(), messages };
        let mut manifest = self.inner.manifest.lock();
        let is_there =
            |view: &View| view.files.iter().any(|other| other.first_sequence == file.first_sequence);
        if !is_there(&self.view()) {
            self.remove_unnamed(&segments);
            return Ok(Done::Void);
        }
        if let Err(error) = self.replace_manifest(&mut manifest, &[], &segments) {
            self.remove_unnamed(&segments);
            return Err(error.into());
        }
        self.change_view(|view| {
            view.drop_file(file.first_sequence);
            view.add_segments(segments.into_iter().map(Arc::new));
        });
        self.remove(self.inner.journal_dir.join(&file.journal.name));
        Ok(done)
    }

    fn reindex(&self, id: SegmentId, cancelled: &dyn Fn() -> bool) -> Result<Done, KeepError> {
        let view = self.view();
        if let Some(lost) = view.lost.iter().find(|lost| lost.id == id) {
            return Err(KeepError::Damaged(lost.damage.to_string()));
        }
        let Some(segment) = view.segments.iter().find(|segment| segment.id == id) else {
            return Ok(Done::Void);
        };
        let mut index = self.inner.segments.index_builder(id.rows as usize);
        each_block(segment, cancelled, &mut |batch| {
            index.push(batch);
            Ok(())
        })?;
        // Held, so that the segment does not expire meanwhile and leave an index without blocks.
        let manifest = self.inner.manifest.lock();
        if !manifest.segments.contains(&id) {
            return Ok(Done::Void);
        }
        let [_, path] = self.inner.segments.paths(id);
        write_index(&self.inner.segments, &segment.blocks, index, &path)
            .map_err(|error| self.write_error(error))?;
        segment.reopen_index();
        Ok(Done::Reindexed { messages: u64::from(id.rows) })
    }

    fn join(&self, segments: &[Arc<Segment>], cancelled: &dyn Fn() -> bool) -> Result<Done, KeepError> {
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return Ok(Done::Void) };
        let write = |error| self.write_error(error);
        let folder = &self.inner.segments;
        let rows = segments.iter().map(|segment| u64::from(segment.id.rows)).sum();
        let (sequence, hash) = (first.id.first_sequence, first.blocks.previous_hash);
        let mut builder = SegmentBuilder::begin(folder, sequence, hash, rows).map_err(write)?;
        for segment in segments {
            each_block(segment, cancelled, &mut |batch| builder.push(batch).map_err(write))?;
        }
        let messages = u64::from(builder.rows());
        let joined = builder.finish(last.blocks.hash).map_err(write)?;
        let mut manifest = self.inner.manifest.lock();
        let ids: Vec<SegmentId> = segments.iter().map(|segment| segment.id).collect();
        let joined = [joined];
        if !ids.iter().all(|id| manifest.segments.contains(id)) {
            self.remove_unnamed(&joined);
            return Ok(Done::Void);
        }
        if let Err(error) = self.replace_manifest(&mut manifest, &ids, &joined) {
            self.remove_unnamed(&joined);
            return Err(error.into());
        }
        self.change_view(|view| {
            ids.iter().for_each(|id| view.drop_segment(*id));
            view.add_segments(joined.map(Arc::new));
        });
        ids.iter().flat_map(|id| self.inner.segments.paths(*id)).for_each(|path| self.remove(path));
        Ok(Done::Joined { segments: ids.len(), messages })
    }

    fn replace_manifest(
        &self,
        manifest: &mut Manifest,
        without: &[SegmentId],
        with: &[Segment],
    ) -> Result<(), DiskError> {
        let mut new = manifest.clone();
        new.segments.retain(|id| !without.contains(id));
        new.segments.extend(with.iter().map(|segment| segment.id));
        new.segments.sort_unstable();
        self.write_manifest(manifest, new)
    }

    fn write_manifest(&self, manifest: &mut Manifest, mut new: Manifest) -> Result<(), DiskError> {
        let extent = new.extent.get_or_insert_default();
        extent.newest = self.newest_file();
        extent.next = extent.next.max(self.inner.synced_next.load(Ordering::Relaxed));
        self.inner.is_settled.store(false, Ordering::Relaxed);
        let path = || self.inner.dir.join(crate::store::manifest::NAME);
        new.write(&*self.inner.disk, &self.inner.dir).map_err(|error| failed("replace", path(), 0, error))?;
        self.inner.is_settled.store(true, Ordering::Relaxed);
        *manifest = new;
        Ok(())
    }

    /// Removes the files of segments that were not published. After an error the manifest may name them anyway.
    fn remove_unnamed(&self, segments: &[Segment]) {
        let Ok(Ok(manifest)) = Manifest::read(&*self.inner.disk, &self.inner.dir) else { return };
        let named = manifest.unwrap_or_default().segments;
        let unnamed = segments.iter().filter(|segment| !named.contains(&segment.id));
        let paths = unnamed.flat_map(|segment| self.inner.segments.paths(segment.id));
        paths.for_each(|path| self.remove(path));
    }

    /// Removes a file that nothing names any more; if that fails, later.
    fn remove(&self, path: PathBuf) {
        match self.inner.disk.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => self.inner.leftovers.lock().push(path),
            _ => {}
        }
    }

    fn remove_leftovers(&self) {
        let leftovers = std::mem::take(&mut *self.inner.leftovers.lock());
        leftovers.into_iter().for_each(|path| self.remove(path));
    }

    /// Neighbours that are worth being one.
    fn small_neighbours(&self, view: &View, is_free: &dyn Fn(u64) -> bool) -> Option<Vec<Arc<Segment>>> {
        let usable = |segment: &&Arc<Segment>| is_free(segment.id.first_sequence);
        let segments: Vec<&Arc<Segment>> = view.segments.iter().filter(usable).collect();
        let sizes: Vec<Size> = segments
            .iter()
            .map(|segment| Size {
                first_sequence: segment.id.first_sequence,
                rows: u64::from(segment.id.rows),
                bytes: segment.bytes(),
            })
            .collect();
        let run = run_to_join(&sizes, u64::from(self.inner.segment_rows_max))?;
        Some(segments[run].iter().copied().cloned().collect())
    }

    fn write_error(&self, source: io::Error) -> KeepError {
        KeepError::Disk(failed("write", self.inner.segments.path.clone(), 0, source))
    }

    fn read_error(&self, source: io::Error) -> KeepError {
        KeepError::Disk(failed("read", self.inner.journal_dir.clone(), 0, source))
    }
}

impl Work {
    fn claims(&self) -> Vec<u64> {
        match self {
            Work::Seal(file) => vec![file.first_sequence],
            Work::Reindex(id) => vec![id.first_sequence],
            Work::Join(segments) => segments.iter().map(|segment| segment.id.first_sequence).collect(),
        }
    }
}

/// Shows all blocks of a segment.
fn each_block(
    segment: &Segment,
    cancelled: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&Batch) -> Result<(), KeepError>,
) -> Result<(), KeepError> {
    let mut scratch = Scratch::default();
    for block in 0..segment.blocks.len() {
        if cancelled() {
            return Err(KeepError::Cancelled);
        }
        let damaged = |error| KeepError::Damaged(Damage::of_block(segment, block, error).to_string());
        visit(&segment.blocks.read(block, Groups::ALL, &mut scratch).map_err(damaged)?)?;
    }
    Ok(())
}

/// A journal file on its way into segments.
struct Sealing<'a> {
    keeper: &'a Keeper,
    file: &'a FileView,
    open: Option<SegmentBuilder<'a>>,
    segments: Vec<Segment>,
    /// The sequence that must come next.
    next: u64,
}

impl Sealing<'_> {
    fn push(&mut self, offset: u64, first_sequence: u64, batch: &Batch) -> Result<(), KeepError> {
        if first_sequence != self.next {
            return Err(KeepError::Damaged(format!("{}: messages are missing", self.file.journal.name)));
        }
        let rows_max = self.keeper.inner.segment_rows_max;
        let rows = self.open.as_ref().map_or(0, SegmentBuilder::rows);
        if 0 < rows && rows_max < rows.saturating_add(batch.rows() as u32) {
            self.end_segment(hash_before(self.file, offset).map_err(|error| self.keeper.read_error(error))?)?;
        }
        self.next += batch.rows() as u64;
        let builder = match &mut self.open {
            Some(builder) => builder,
            None => {
                let hash = hash_before(self.file, offset).map_err(|error| self.keeper.read_error(error))?;
                let begun = SegmentBuilder::begin(
                    &self.keeper.inner.segments,
                    first_sequence,
                    hash,
                    self.file.messages,
                );
                self.open.insert(begun.map_err(|error| self.keeper.write_error(error))?)
            }
        };
        builder.push(batch).map_err(|error| self.keeper.write_error(error))
    }

    fn end(&mut self) -> Result<(), KeepError> {
        if self.open.is_none() {
            return Ok(());
        }
        self.end_segment(self.keeper.hash_after(self.file)?)
    }

    fn end_segment(&mut self, hash: Hash) -> Result<(), KeepError> {
        if let Some(builder) = self.open.take() {
            self.segments.push(builder.finish(hash).map_err(|error| self.keeper.write_error(error))?);
        }
        Ok(())
    }
}

/// Whether a closed file can become segments: nothing of it may be missing.
fn is_sealable(file: &FileView) -> bool {
    0 < file.messages && file.damaged.is_empty()
}

/// A segment as far as joining is concerned.
#[derive(Clone, Copy)]
struct Size {
    first_sequence: u64,
    rows: u64,
    bytes: u64,
}

/// Which neighbours to join: the first run that is long enough and in which none is larger than half of all, so
/// that a message is written again only a few times.
fn run_to_join(segments: &[Size], rows_max: u64) -> Option<Range<usize>> {
    (0..segments.len()).find_map(|start| {
        let run = start..start + run_length(&segments[start..], rows_max);
        let rows = || segments[run.clone()].iter().map(|segment| segment.rows);
        let worth_it = JOIN_MIN <= run.len() && rows().max().unwrap_or(0) * 2 <= rows().sum();
        worth_it.then_some(run)
    })
}

/// How many segments from the first on adjoin each other and are one of allowed size together.
fn run_length(segments: &[Size], rows_max: u64) -> usize {
    let (mut length, mut rows, mut bytes) = (0, 0, 0);
    for segment in segments {
        let adjoins = segment.first_sequence == segments[0].first_sequence + rows;
        (rows, bytes) = (rows + segment.rows, bytes + segment.bytes);
        if !adjoins || rows_max < rows || JOIN_BYTES_MAX < bytes {
            break;
        }
        length += 1;
    }
    length
}

/// The hash of the frame before the one at an offset.
fn hash_before(file: &FileView, offset: u64) -> io::Result<Hash> {
    let mut bytes = [0; HEADER_BYTES];
    file.journal.file.read_at(offset, &mut bytes)?;
    Ok(Header::read(&bytes).map_err(io::Error::other)?.previous_hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, SimDisk, encode, open};
    use logstead_record::{BatchBuilder, Origin, Row};

    #[expect(clippy::needless_pass_by_value, reason = "a row of data")]
    fn check(rows: &[u64], expected: Option<Range<usize>>) {
        let mut next = 0;
        let sizes = rows.iter().map(|&rows| {
            let size = Size { first_sequence: next, rows, bytes: rows };
            next += rows;
            size
        });
        assert_eq!(run_to_join(&sizes.collect::<Vec<_>>(), 100), expected, "{rows:?}");
    }

    #[test]
    fn small_neighbours_are_joined_when_there_are_enough() {
        check(&[], None);
        check(&[10, 10, 10], None);
        check(&[10, 10, 10, 10], Some(0..4));
        check(&[90, 10, 10, 10, 10, 80], Some(1..5));
        check(&[70, 1, 1, 1], None);
        check(&[70, 1, 1, 1, 1], Some(1..5));
        check(&[40, 40, 40, 40], None);
        let apart = [0, 10, 21, 31].map(|first_sequence| Size { first_sequence, rows: 10, bytes: 1 });
        assert_eq!(run_to_join(&apart, 100), None);
    }

    #[test]
    fn files_that_are_sealed_in_any_order_are_one_chain() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(0));
            let mut opened = open(&disk, Path::new("/"), Options::default()).unwrap();
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
            opened.searcher.verify(&Run::alone(), &mut |checked| assert_eq!(checked.findings, []));
        }
    }
}
