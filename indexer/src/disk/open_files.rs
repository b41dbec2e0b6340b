//! A disk that keeps only a limited number of files open, however many are in use.
//!
//! A segment consists of two files, and there may be thousands of segments, but the number of files that a process
//! may open is limited. So a file that was not read lately is closed, and opened again by its name when it is read.
//! If its name is removed or given to another file, it can no longer be opened again:
//!
//! **Invariant:** a file whose name is removed or taken by another is open before that happens, and stays open until
//! its last holder lets go. A handle always reads the file that it was opened for. **Invariant:** a file that was
//! written to is not closed before it is synced: an error that the system reports only once would be lost.

use super::{Disk, DiskFile, LogspaceIdentity, Space};
use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, VecDeque};
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// `ENFILE` and `EMFILE`: the system, or the process, can open no more files.
const TOO_MANY_OPEN: [i32; 2] = [23, 24];

/// A disk with a limit of open files.
#[derive(Clone)]
pub struct OpenFiles {
    shared: Arc<HandlePool>,
}

struct HandlePool {
    disk: Arc<dyn Disk>,
    files_max: usize,
    /// The number of open files.
    open: AtomicUsize,
    known: Mutex<KnownFiles>,
}

#[derive(Default)]
struct KnownFiles {
    /// The open files, roughly in the order in which they were opened, and some that have been closed since.
    ring: VecDeque<Weak<PooledFile>>,
    /// All files that have a handle, by path.
    by_path: HashMap<PathBuf, Vec<Weak<PooledFile>>>,
    /// The number of paths at which those without a handle are removed.
    tidy_at: usize,
}

/// A file that is open or can be opened again.
struct PooledFile {
    shared: Arc<HandlePool>,
    path: Mutex<PathBuf>,
    handle: RwLock<Option<Arc<dyn DiskFile>>>,
    /// Whether it has been read since the last check.
    is_used: AtomicBool,
    /// Whether it has unsynced writes.
    is_dirty: AtomicBool,
    /// Whether its name is gone, so that it cannot be opened again.
    is_nameless: AtomicBool,
}

/// A handle to a file, as given to the caller.
struct PooledHandle(Arc<PooledFile>);

impl OpenFiles {
    /// A disk that keeps at most this many files open, unless more have to stay open.
    pub fn new(disk: Arc<dyn Disk>, files_max: usize) -> OpenFiles {
        let (open, known) = (AtomicUsize::new(0), Mutex::default());
        OpenFiles { shared: Arc::new(HandlePool { disk, files_max: files_max.max(1), open, known }) }
    }

    /// The number of open files.
    pub fn count(&self) -> usize {
        self.shared.open.load(Ordering::Relaxed)
    }
}

impl Disk for OpenFiles {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        self.shared.disk.create_dir_all(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.shared.disk.list(dir)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.shared.begin(path, |disk| disk.create(path))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.shared.begin(path, |disk| disk.open(path))
    }

    /// Opens a new file. It is never closed early, because it would have to be opened again to append.
    fn open_to_write_over(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.shared.disk.open_to_write_over(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut known = self.shared.known.lock();
        self.shared.detach(&mut known, to)?;
        self.shared.disk.rename(from, to)?;
        let moved = known.by_path.remove(from).unwrap_or_default();
        for file in moved.iter().filter_map(Weak::upgrade) {
            to.clone_into(&mut file.path.lock());
        }
        known.by_path.insert(to.to_owned(), moved);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut known = self.shared.known.lock();
        self.shared.detach(&mut known, path)?;
        self.shared.disk.remove(path)?;
        known.by_path.remove(path);
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.disk.sync_dir(dir)
    }

    fn space(&self, dir: &Path) -> io::Result<Space> {
        self.shared.disk.space(dir)
    }

    fn new_identity(&self) -> io::Result<LogspaceIdentity> {
        self.shared.disk.new_identity()
    }
}

impl HandlePool {
    /// Opens a file and adds it to the known files.
    fn begin(
        self: &Arc<HandlePool>,
        path: &Path,
        open: impl Fn(&dyn Disk) -> io::Result<Arc<dyn DiskFile>>,
    ) -> io::Result<Arc<dyn DiskFile>> {
        let mut known = self.known.lock();
        let handle = self.with_room(&mut known, open)?;
        let file = Arc::new(PooledFile {
            shared: Arc::clone(self),
            path: Mutex::new(path.to_owned()),
            handle: RwLock::new(Some(handle)),
            is_used: AtomicBool::new(true),
            is_dirty: AtomicBool::new(false),
            is_nameless: AtomicBool::new(false),
        });
        self.count_open(&mut known, &file);
        known.tidy();
        known.by_path.entry(path.to_owned()).or_default().push(Arc::downgrade(&file));
        Ok(Arc::new(PooledHandle(file)))
    }

    /// Opens a file again, unless another thread has already done so.
    fn open_again(&self, file: &Arc<PooledFile>, known: &mut KnownFiles) -> io::Result<Arc<dyn DiskFile>> {
        if let Some(handle) = &*file.handle.read() {
            return Ok(Arc::clone(handle));
        }
        let path = file.path.lock().clone();
        let handle = self.with_room(known, |disk| disk.open(&path))?;
        *file.handle.write() = Some(Arc::clone(&handle));
        self.count_open(known, file);
        Ok(handle)
    }

    fn count_open(&self, known: &mut KnownFiles, file: &Arc<PooledFile>) {
        self.open.fetch_add(1, Ordering::Relaxed);
        known.ring.push_back(Arc::downgrade(file));
        if 2 * self.files_max + 16 < known.ring.len() {
            known.ring.retain(|file| file.upgrade().is_some_and(|file| file.handle.read().is_some()));
        }
    }

    /// Opens a file once there is room. If the system can open no more files, all files that can be closed are
    /// closed.
    fn with_room(
        &self,
        known: &mut KnownFiles,
        open: impl Fn(&dyn Disk) -> io::Result<Arc<dyn DiskFile>>,
    ) -> io::Result<Arc<dyn DiskFile>> {
        self.close_down_to(self.files_max - 1, known);
        match open(&*self.disk) {
            Err(error) if error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN.contains(&code)) => {
                self.close_down_to(0, known);
                open(&*self.disk)
            }
            opened => opened,
        }
    }

    /// Closes files, the least recently read first, until at most this many are open. Files that cannot be opened
    /// again stay open.
    fn close_down_to(&self, files_max: usize, known: &mut KnownFiles) {
        // A file that has been read since the last check is skipped once.
        for _ in 0..2 * known.ring.len() {
            if self.open.load(Ordering::Relaxed) <= files_max {
                return;
            }
            let Some(next) = known.ring.pop_front() else { return };
            let Some(file) = next.upgrade() else { continue };
            if file.is_used.swap(false, Ordering::Relaxed) || !file.close() {
                known.ring.push_back(next);
            } else {
                self.open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Notes that a path no longer leads to its files, which then stay open until their handles are dropped.
    fn detach(&self, known: &mut KnownFiles, path: &Path) -> io::Result<()> {
        let files = known.by_path.get(path).map(|files| files.iter().filter_map(Weak::upgrade).collect());
        let files: Vec<Arc<PooledFile>> = files.unwrap_or_default();
        for file in files {
            match self.open_again(&file, known) {
                Ok(_) => file.is_nameless.store(true, Ordering::Relaxed),
                // Another process removed the file, so there is nothing to keep open.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl KnownFiles {
    fn tidy(&mut self) {
        if self.tidy_at <= self.by_path.len() {
            self.by_path.retain(|_, files| {
                files.retain(|file| 0 < file.strong_count());
                !files.is_empty()
            });
            self.tidy_at = 2 * self.by_path.len() + 64;
        }
    }
}

impl PooledFile {
    /// Closes the file, unless it could not be opened again. Returns whether it was closed.
    fn close(&self) -> bool {
        let mut handle = self.handle.write();
        let has_to_stay = self.is_dirty.load(Ordering::Relaxed) || self.is_nameless.load(Ordering::Relaxed);
        !has_to_stay && handle.take().is_some()
    }
}

impl PooledHandle {
    /// The open file. It stays open if it is opened for writing.
    fn handle(&self, to_write: bool) -> io::Result<Arc<dyn DiskFile>> {
        let PooledHandle(file) = self;
        file.is_used.store(true, Ordering::Relaxed);
        if let Some(handle) = &*file.handle.read() {
            file.is_dirty.fetch_or(to_write, Ordering::Relaxed);
            return Ok(Arc::clone(handle));
        }
        let mut known = file.shared.known.lock();
        // A file is closed only under the lock that is held here.
        let handle = file.shared.open_again(file, &mut known)?;
        file.is_dirty.fetch_or(to_write, Ordering::Relaxed);
        Ok(handle)
    }
}

impl DiskFile for PooledHandle {
    fn append(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.handle(true)?.append(parts)
    }

    fn write_over(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.handle(true)?.write_over(offset, bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.handle(false)?.read_at(offset, buffer)
    }

    fn bytes(&self) -> io::Result<u64> {
        self.handle(false)?.bytes()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.handle(false)?.is_at(path)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.handle(true)?.truncate(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.handle(false)?.sync()?;
        self.0.is_dirty.store(false, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for PooledFile {
    fn drop(&mut self) {
        if self.handle.get_mut().is_some() {
            self.shared.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RealDisk;
    use proptest::prelude::*;

    const NAMES: [&str; 3] = ["a", "b", "c"];

    /// An action on a disk.
    #[derive(Clone, Debug)]
    enum DiskStep {
        Create(usize),
        Open(usize),
        Append(usize, u8),
        Sync(usize),
        Read(usize),
        Rename(usize, usize),
        Remove(usize),
        LetGo(usize),
    }

    fn step() -> impl Strategy<Value = DiskStep> {
        let name = 0..NAMES.len();
        // Handles are identified by numbers that wrap around.
        let held = 0_usize..8;
        prop_oneof![
            name.clone().prop_map(DiskStep::Create),
            name.clone().prop_map(DiskStep::Open),
            (held.clone(), any::<u8>()).prop_map(|(held, byte)| DiskStep::Append(held, byte)),
            held.clone().prop_map(DiskStep::Sync),
            held.clone().prop_map(DiskStep::Read),
            (name.clone(), name.clone()).prop_map(|(from, to)| DiskStep::Rename(from, to)),
            name.prop_map(DiskStep::Remove),
            held.prop_map(DiskStep::LetGo),
        ]
    }

    fn content(file: &dyn DiskFile) -> Vec<u8> {
        let mut bytes = vec![0; file.bytes().unwrap() as usize];
        file.read_at(0, &mut bytes).unwrap();
        bytes
    }

    /// Applies the same steps to a disk with a limit of open files and to one without, and checks that they behave
    /// the same.
    fn check(steps: &[DiskStep], files_max: usize) {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let few = OpenFiles::new(Arc::new(RealDisk), files_max);
        let disks: [Arc<dyn Disk>; 2] = [Arc::new(few.clone()), Arc::new(RealDisk)];
        let mut held: Vec<[Arc<dyn DiskFile>; 2]> = Vec::new();
        for step in steps {
            let path = |name: usize| [0, 1].map(|disk: usize| folders[disk].path().join(NAMES[name]));
            match *step {
                DiskStep::Create(name) => {
                    let path = path(name);
                    held.push([0, 1].map(|at| disks[at].create(&path[at]).unwrap()));
                }
                DiskStep::Open(name) => {
                    let path = path(name);
                    let [few, all] = [0, 1].map(|at| disks[at].open(&path[at]));
                    assert_eq!(few.is_ok(), all.is_ok());
                    held.extend(few.ok().zip(all.ok()).map(|(few, all)| [few, all]));
                }
                DiskStep::Rename(from, to) if from != to => {
                    let (from, to) = (path(from), path(to));
                    let [few, all] = [0, 1].map(|at| disks[at].rename(&from[at], &to[at]).is_ok());
                    assert_eq!(few, all);
                }
                DiskStep::Rename(..) => {}
                DiskStep::Remove(name) => {
                    let path = path(name);
                    let [few, all] = [0, 1].map(|at| disks[at].remove(&path[at]).is_ok());
                    assert_eq!(few, all);
                }
                DiskStep::Append(number, byte) if !held.is_empty() => {
                    let files = &held[number % held.len()];
                    files.iter().for_each(|file| file.append(&mut [IoSlice::new(&[byte])]).unwrap());
                }
                DiskStep::Sync(number) if !held.is_empty() => {
                    held[number % held.len()].iter().for_each(|file| file.sync().unwrap());
                }
                DiskStep::Read(number) if !held.is_empty() => {
                    let [few, all] = &held[number % held.len()];
                    assert_eq!(content(&**few), content(&**all));
                }
                DiskStep::LetGo(number) if !held.is_empty() => {
                    let number = number % held.len();
                    drop(held.remove(number));
                }
                DiskStep::Append(..) | DiskStep::Sync(_) | DiskStep::Read(_) | DiskStep::LetGo(_) => {}
            }
        }
        held.iter().for_each(|[few, all]| assert_eq!(content(&**few), content(&**all)));
        drop(held);
        assert_eq!(few.count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn files_that_were_closed_read_as_if_they_were_open(
            steps in proptest::collection::vec(step(), 0..60),
            files_max in 1_usize..4,
        ) {
            check(&steps, files_max);
        }
    }

    fn written(disk: &OpenFiles, path: &Path) -> Arc<dyn DiskFile> {
        let file = disk.create(path).unwrap();
        file.append(&mut [IoSlice::new(path.to_string_lossy().as_bytes())]).unwrap();
        file.sync().unwrap();
        file
    }

    #[test]
    fn few_files_are_open_however_many_are_held_and_those_that_are_read_stay() {
        let folder = tempfile::tempdir().unwrap();
        let disk = OpenFiles::new(Arc::new(RealDisk), 10);
        let paths: Vec<PathBuf> = (0..100).map(|number| folder.path().join(number.to_string())).collect();
        let files: Vec<_> = paths.iter().map(|path| written(&disk, path)).collect();
        for _ in 0..3 {
            for (path, file) in paths.iter().zip(&files) {
                assert_eq!(content(&**file), path.to_string_lossy().as_bytes());
                assert!(disk.count() <= 10, "{} are open", disk.count());
            }
        }
        files[..50].iter().for_each(|file| file.append(&mut [IoSlice::new(b"x")]).unwrap());
        assert!(50 <= disk.count(), "what is not synced is not closed");
        files[..50].iter().for_each(|file| file.sync().unwrap());
        assert_eq!(content(&*files[99]), paths[99].to_string_lossy().as_bytes());
        assert!(disk.count() <= 10, "{} are open", disk.count());
    }

    /// Searches continue on segments that have expired, and segments are given the names of others that were joined.
    #[test]
    fn who_reads_while_names_come_and_go_reads_what_it_has_opened() {
        let folder = tempfile::tempdir().unwrap();
        let disk = OpenFiles::new(Arc::new(RealDisk), 2);
        let stop = AtomicBool::new(false);
        let path = |name: usize| folder.path().join(format!("{name}"));
        (0..4).for_each(|name| drop(written(&disk, &path(name))));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let files: Vec<_> = (0..4).filter_map(|name| disk.open(&path(name)).ok()).collect();
                        let first: Vec<_> = files.iter().map(|file| content(&**file)).collect();
                        for (file, first) in files.iter().zip(&first) {
                            assert!(content(&**file) == *first, "it is another file");
                        }
                    }
                });
            }
            for number in 0..300 {
                let new = folder.path().join(format!("new {number}"));
                drop(written(&disk, &new));
                disk.rename(&new, &path(number % 4)).unwrap();
                if number % 3 == 0 {
                    disk.remove(&path(number % 4)).unwrap();
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(disk.count(), 0);
    }
}
