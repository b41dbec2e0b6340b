//! Replaces files by others, which is the one step in which messages move.
//!
//! **Invariant:** new files are whole and synced before the manifest names them; the manifest is replaced before
//! searchers see the new files; and what it replaces is removed only then.

use crate::disk::Disk;
use crate::error::{DiskError, failed};
use crate::segment::build::write_index;
use crate::segment::index::IndexBuilder;
use crate::segment::{Folder, Segment};
use crate::store::JOURNAL_DIR;
use crate::store::manifest::{self, Manifest, ManifestExtent};
use crate::store::part::StorePart;
use crate::store::retention::{ExpiredParts, Expiry, old_parts, without_expired};
use crate::store::view::{SharedView, View};
use parking_lot::Mutex;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The files of a logspace, and the lock for changing which of them are valid.
pub(super) struct Publisher {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    journal_dir: PathBuf,
    pub(super) segments: Folder,
    shared: Arc<SharedView>,
    /// Locked while files are replaced.
    manifest: Mutex<Manifest>,
    /// Whether it is certainly the same as the one on disk.
    is_settled: AtomicBool,
    /// Messages with sequences below this are on the disk.
    synced_next: AtomicU64,
    leftovers: Leftovers,
}

impl Publisher {
    pub(super) fn new(dir: &Path, segments: Folder, shared: Arc<SharedView>) -> Publisher {
        let disk = Arc::clone(&segments.disk);
        Publisher {
            leftovers: Leftovers::new(Arc::clone(&disk)),
            disk,
            dir: dir.to_owned(),
            journal_dir: dir.join(JOURNAL_DIR),
            segments,
            shared,
            manifest: Mutex::default(),
            is_settled: AtomicBool::new(false),
            synced_next: AtomicU64::new(0),
        }
    }

    /// Publishes the contents found by opening.
    pub(super) fn begin(&self, view: View, found: Manifest, is_settled: bool) {
        let mut manifest = self.manifest.lock();
        *manifest = found;
        self.is_settled.store(is_settled, Ordering::Relaxed);
        self.synced_next.store(view.next_sequence, Ordering::Relaxed);
        *self.shared.write() = Arc::new(view);
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.shared.read())
    }

    /// Records that all messages before this sequence are synced.
    pub(super) fn note_synced(&self, next_sequence: u64) {
        self.synced_next.fetch_max(next_sequence, Ordering::Relaxed);
    }

    /// Makes sure that the manifest has all segments and the end of the messages.
    pub(super) fn settle(&self) -> Result<(), DiskError> {
        let mut manifest = self.manifest.lock();
        if self.view().closed.is_some() {
            return Ok(());
        }
        let noted = manifest.extent.unwrap_or_default();
        let is_settled = self.is_settled.load(Ordering::Relaxed) && noted.newest == self.newest_file();
        if is_settled && self.synced_next.load(Ordering::Relaxed) <= noted.next {
            return Ok(());
        }
        let same = manifest.clone();
        self.write_manifest(&mut manifest, same)
    }

    /// Replaces parts by the segments made from them. Returns whether it did: parts that expired meanwhile stay
    /// expired.
    pub(super) fn exchange(&self, old: &[StorePart], new: Vec<Segment>) -> Result<bool, DiskError> {
        let mut manifest = self.manifest.lock();
        let view = self.view();
        if !old.iter().all(|part| part.is_in(&view)) {
            self.remove_unnamed(&new);
            return Ok(false);
        }
        let mut named = manifest.clone();
        named.segments.retain(|segment| old.iter().all(|part| part.id() != Some(segment.id)));
        named.segments.extend(new.iter().map(Segment::placed));
        named.segments.sort_unstable();
        if let Err(error) = self.write_manifest(&mut manifest, named) {
            self.remove_unnamed(&new);
            return Err(error);
        }
        self.change_view(|view| {
            for part in old {
                match part.id() {
                    Some(id) => view.drop_segment(id),
                    None => view.drop_file(part.first_sequence()),
                }
            }
            view.add_segments(new.into_iter().map(Arc::new));
        });
        self.remove_parts(old);
        Ok(true)
    }

    /// Replaces the index of a segment. Returns whether it did: the segment may have expired meanwhile.
    pub(super) fn exchange_index(&self, segment: &Segment, index: IndexBuilder) -> Result<bool, DiskError> {
        // The lock is held so that the segment does not expire meanwhile, which would leave an index without blocks.
        let manifest = self.manifest.lock();
        if !manifest.segments.contains(&segment.placed()) {
            return Ok(false);
        }
        let [_, path] = self.segments.paths(segment.id);
        write_index(&self.segments, &segment.blocks, index, &path).map_err(|error| self.unwritten(error))?;
        segment.reopen_index();
        Ok(true)
    }

    /// Removes whole segments and closed journal files, oldest first, as long as all their messages may be removed.
    /// `slowest` is the sequence up to which all readers have read.
    pub(super) fn expire(&self, expiry: &Expiry, slowest: Option<u64>) -> Result<ExpiredParts, DiskError> {
        self.remove_leftovers();
        let mut manifest = self.manifest.lock();
        let view = self.view();
        let parts = old_parts(&view, expiry, slowest);
        if parts.is_empty() {
            return Ok(ExpiredParts::default());
        }
        // From here on the expired parts are no longer valid, even if some of their files remain.
        let new = without_expired(&manifest, &view, &parts);
        let ManifestExtent { first, expired, .. } = new.extent.unwrap_or_default();
        self.write_manifest(&mut manifest, new)?;
        self.change_view(|view| {
            view.drop_before(first);
            view.expired = expired;
        });
        self.remove_parts(&parts);
        let unread = slowest.map_or(0, |slowest| first.saturating_sub(slowest));
        Ok(ExpiredParts { unread, ..ExpiredParts::of(&parts) })
    }

    /// Removes segments that were made but never published.
    pub(super) fn discard(&self, segments: &[Segment]) {
        self.leftovers.remove(segments.iter().flat_map(|segment| self.segments.paths(segment.id)));
    }

    pub(super) fn remove_leftovers(&self) {
        self.leftovers.remove_all();
    }

    pub(super) fn unwritten(&self, source: io::Error) -> DiskError {
        failed("write", self.segments.path.clone(), 0, source)
    }

    pub(super) fn unread(&self, source: io::Error) -> DiskError {
        failed("read", self.journal_dir.clone(), 0, source)
    }

    fn change_view(&self, change: impl FnOnce(&mut View)) {
        change(Arc::make_mut(&mut self.shared.write()));
    }

    /// The first sequence of the newest journal file. A missing file counts until there is a newer one.
    fn newest_file(&self) -> u64 {
        let view = self.view();
        let newest = view.files.last().map_or(0, |file| file.first_sequence);
        view.newest_missing.unwrap_or(newest)
    }

    fn write_manifest(&self, manifest: &mut Manifest, mut new: Manifest) -> Result<(), DiskError> {
        new.identity = Some(self.view().identity);
        let extent = new.extent.get_or_insert_default();
        extent.newest = self.newest_file();
        extent.next = extent.next.max(self.synced_next.load(Ordering::Relaxed));
        self.is_settled.store(false, Ordering::Relaxed);
        let path = || self.dir.join(manifest::NAME);
        new.write(&*self.disk, &self.dir).map_err(|error| failed("replace", path(), 0, error))?;
        self.is_settled.store(true, Ordering::Relaxed);
        *manifest = new;
        Ok(())
    }

    /// Removes the files of segments that were not published, unless the manifest names them, which is possible after
    /// an error.
    fn remove_unnamed(&self, segments: &[Segment]) {
        let Ok(manifest) = Manifest::read(&*self.disk, &self.dir) else { return };
        let named = manifest.unwrap_or_default().segments;
        let unnamed = segments.iter().filter(|segment| !named.contains(&segment.placed()));
        self.leftovers.remove(unnamed.flat_map(|segment| self.segments.paths(segment.id)));
    }

    fn remove_parts(&self, parts: &[StorePart]) {
        for part in parts {
            match part {
                StorePart::File(file) => self.leftovers.remove([self.journal_dir.join(&file.journal.name)]),
                StorePart::Segment(_) | StorePart::Lost(_) => {
                    self.leftovers.remove(part.id().into_iter().flat_map(|id| self.segments.paths(id)));
                }
            }
        }
    }
}

/// Removes files, and remembers those that could not be removed.
struct Leftovers {
    disk: Arc<dyn Disk>,
    paths: Mutex<Vec<PathBuf>>,
}

impl Leftovers {
    fn new(disk: Arc<dyn Disk>) -> Leftovers {
        Leftovers { disk, paths: Mutex::default() }
    }

    /// Removes files. Those that cannot be removed are tried again later.
    fn remove(&self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            match self.disk.remove(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => self.paths.lock().push(path),
                _ => {}
            }
        }
    }

    /// Tries again to remove the remaining files.
    fn remove_all(&self) {
        let paths = std::mem::take(&mut *self.paths.lock());
        self.remove(paths);
    }
}
