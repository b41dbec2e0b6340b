//! The files that one source follows: it finds them by name and identifies them by device and inode. It does not read
//! the clock itself; [`reading`](super::reading) reads the files.
//!
//! A file whose name is taken by another file, or that has no name any more, is still read for a while, since its
//! writer notices the change late; its successor waits until it has been read to its end once.
//!
//! **Invariant:** the place of a file changes only when everything before it was stored.

use super::file::{FileIdentity, FilePosition, FollowedFile, open};
use super::find::find;
use super::positions::{Positions, SavedPosition};
use super::round::Round;
use logstead_config::{FileSource, StartPosition};
use logstead_flow::machine::folders::Folders;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of files of one source.
const FILES_MAX: usize = 10_000;
/// The number of files that stay open after they were read to their end.
pub(super) const OPEN_MAX: usize = 1_000;
/// The time for which a missing file is remembered: a network file system may be unavailable for a while.
const REMEMBERED_MAX: Duration = Duration::from_secs(3600);

/// See the documentation of the module.
pub(super) struct Follower {
    /// The data directory, which is the base of relative paths.
    data: PathBuf,
    /// The folders that files may be read in.
    folders: Arc<Folders>,
    /// The files by number, in the order in which they were found.
    pub(super) files: BTreeMap<u64, FollowedFile>,
    numbers: HashMap<FileIdentity, u64>,
    next_number: u64,
    /// The numbers of files by the names that they had at the last look.
    by_path: HashMap<PathBuf, u64>,
    /// The positions of missing files, by their inodes.
    pub(super) remembered: HashMap<u64, Vec<(SavedPosition, Instant)>>,
    /// The paths that were searched for before.
    patterns: BTreeSet<String>,
    is_first_look: bool,
    /// Problems that have been reported and persist.
    complained: HashSet<PathBuf>,
    /// The last file that a full round read: the next round begins after it.
    pub(super) last_read: u64,
    /// Whether places changed since [`Follower::positions`] was last called.
    pub(super) changed: bool,
}

/// The result of a scan of all names.
#[derive(Default)]
struct FolderScan {
    here: HashSet<u64>,
    by_path: HashMap<PathBuf, u64>,
    problems: Vec<(PathBuf, String)>,
}

impl Follower {
    /// Continues at the saved positions.
    pub(super) fn new(
        data: &Path,
        folders: Arc<Folders>,
        positions: Option<Positions>,
        now: Instant,
    ) -> Follower {
        let Positions { patterns, files, .. } =
            positions.unwrap_or_else(|| Positions::new(BTreeSet::new(), Vec::new()));
        let mut remembered: HashMap<u64, Vec<_>> = HashMap::new();
        for saved in files {
            remembered.entry(saved.identity.inode).or_default().push((saved, now));
        }
        Follower {
            data: data.to_owned(),
            folders,
            files: BTreeMap::new(),
            numbers: HashMap::new(),
            next_number: 1,
            by_path: HashMap::new(),
            remembered,
            patterns,
            is_first_look: true,
            complained: HashSet::new(),
            last_read: 0,
            changed: false,
        }
    }

    /// The positions to save, if they changed since the last call.
    pub(super) fn positions(&mut self) -> Option<Positions> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let remembered = self.remembered.values().flatten().map(|(saved, _)| saved.clone());
        let files = self.files.values().map(saved).chain(remembered).collect();
        Some(Positions::new(self.patterns.clone(), files))
    }

    /// Called when saving failed, and has to be repeated.
    pub(super) fn positions_not_saved(&mut self) {
        self.changed = true;
    }

    /// Finds out which files exist and which have changed.
    pub(super) fn look(&mut self, config: &FileSource, now: Instant, round: &mut Round) {
        let mut look = FolderScan::default();
        for pattern in &config.paths {
            if let Err(problem) = self.folders.may_look_for(&self.data.join(pattern)) {
                look.problems.push((self.data.join(pattern), problem));
                continue;
            }
            let from_end = config.start == StartPosition::End && !self.patterns.contains(pattern);
            let found = find(&self.data.join(pattern));
            look.problems.extend(found.problems);
            for path in found.paths {
                let line_max = from_end.then_some(config.message_max.as_usize());
                if let Err(problem) = self.look_at(&path, line_max, now, &mut look) {
                    look.problems.push((path, problem));
                }
            }
        }
        let patterns: BTreeSet<String> = config.paths.iter().cloned().collect();
        if patterns != self.patterns {
            (self.patterns, self.changed) = (patterns, true);
        }
        if std::mem::take(&mut self.is_first_look) {
            self.find_renamed(&look.by_path, now);
        }
        self.pass_names_on(look.by_path);
        self.leave(&look.here, now);
        self.forget(now);
        self.complain(look.problems, round);
    }

    /// Examines one name. A new file is read from its beginning, or from after its last whole line of up to
    /// `from_end` bytes.
    fn look_at(
        &mut self,
        path: &Path,
        from_end: Option<usize>,
        now: Instant,
        look: &mut FolderScan,
    ) -> Result<(), String> {
        let file = match fs::metadata(path) {
            Ok(file) => file,
            // The file has just disappeared, or is a link to something that does not exist yet.
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        if !file.is_file() {
            return Err("this is not a file".to_owned());
        }
        let number = match self.numbers.get(&FileIdentity::of(&file)) {
            Some(number) => *number,
            None => match self.begin(path, from_end, now)? {
                Some(number) => number,
                None => return Ok(()),
            },
        };
        // A second name of the same file changes nothing.
        if look.here.insert(number)
            && let Some(followed) = self.files.get_mut(&number)
        {
            followed.seen_at(path, &file, now);
            if OPEN_MAX < look.here.len() {
                followed.close_if_read();
            }
            look.by_path.insert(path.to_owned(), number);
        }
        Ok(())
    }

    /// Begins to follow a file; `None` if it has just disappeared.
    fn begin(&mut self, path: &Path, from_end: Option<usize>, now: Instant) -> Result<Option<u64>, String> {
        if FILES_MAX <= self.files.len() {
            return Err(format!("{FILES_MAX} files are followed, which is the limit of a source"));
        }
        let begun = open(path, None, &self.folders).and_then(|file| {
            let place = self.first_place(path, &file, from_end)?;
            FollowedFile::new(path, file, place, &self.folders, now)
        });
        let followed = match begun {
            Ok(followed) => followed,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if let Some(number) = self.numbers.get(&followed.identity) {
            return Ok(Some(*number));
        }
        Ok(Some(self.add(followed)))
    }

    fn add(&mut self, file: FollowedFile) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.numbers.insert(file.identity, number);
        self.files.insert(number, file);
        self.changed = true;
        number
    }

    /// The position at which reading begins in a new file.
    fn first_place(&mut self, path: &Path, file: &File, from_end: Option<usize>) -> io::Result<FilePosition> {
        let identity = FileIdentity::of(&file.metadata()?);
        let name = path.to_string_lossy();
        // The number of a device may change when the system restarts.
        let is_same = |saved: &SavedPosition| saved.identity == identity || saved.path == name;
        if let Some(candidates) = self.remembered.get_mut(&identity.inode)
            && let Some(index) = candidates.iter().position(|(saved, _)| is_same(saved))
        {
            let (saved, _) = candidates.swap_remove(index);
            return Ok(if saved.place.is_in(file)? { saved.place } else { FilePosition::default() });
        }
        match from_end {
            Some(line_max) => FilePosition::at_end(file, line_max),
            None => Ok(FilePosition::default()),
        }
    }

    /// A file that was renamed between two runs may have a name that matches no pattern. It is recognised by its
    /// inode, and read to its end.
    fn find_renamed(&mut self, by_path: &HashMap<PathBuf, u64>, now: Instant) {
        let paths = self.remembered.values().flatten().map(|(saved, _)| Path::new(&saved.path));
        let folders: BTreeSet<PathBuf> = paths.filter_map(Path::parent).map(Path::to_owned).collect();
        for folder in folders {
            // If the folder is one that is searched anyway, the problem has been reported.
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let Some(file) = self.renamed(&folder, &entry, now) else { continue };
                let successor = by_path.get(&file.path).copied();
                let number = self.add(file);
                if let Some(successor) = successor.and_then(|successor| self.files.get_mut(&successor)) {
                    successor.after = Some(number);
                }
            }
        }
    }

    /// The remembered file that is in its folder under this name.
    fn renamed(&mut self, folder: &Path, entry: &fs::DirEntry, now: Instant) -> Option<FollowedFile> {
        let candidates = self.remembered.get_mut(&entry.ino())?;
        let is_here = |saved: &SavedPosition| Path::new(&saved.path).parent() == Some(folder);
        let index = candidates.iter().position(|(saved, _)| is_here(saved))?;
        let file = open(&entry.path(), None, &self.folders).ok()?;
        let is_same = candidates[index].0.place.is_in(&file).ok()?;
        let identity = FileIdentity::of(&file.metadata().ok()?);
        if !is_same || self.numbers.contains_key(&identity) {
            return None;
        }
        let (saved, _) = candidates.swap_remove(index);
        FollowedFile::new(Path::new(&saved.path), file, saved.place, &self.folders, now).ok()
    }

    /// If another file now has a file's name, that file is rotated, and the other one waits for it.
    fn pass_names_on(&mut self, by_path: HashMap<PathBuf, u64>) {
        for (path, number) in &by_path {
            let Some(before) = self.by_path.get(path).filter(|before| *before != number) else { continue };
            let Some(rotated) = self.files.get_mut(before) else { continue };
            rotated.rotated = true;
            if let Some(successor) = self.files.get_mut(number) {
                successor.after = Some(*before);
            }
        }
        self.by_path = by_path;
    }

    /// Files without a name are read by their handle, if they have one.
    fn leave(&mut self, here: &HashSet<u64>, now: Instant) {
        let away: Vec<u64> = self.files.keys().filter(|number| !here.contains(number)).copied().collect();
        for number in away {
            if self.files.get_mut(&number).is_some_and(|file| !file.leave(now)) {
                self.remove(number, now);
            }
        }
    }

    /// Stops following a file.
    pub(super) fn remove(&mut self, number: u64, now: Instant) {
        let Some(file) = self.files.remove(&number) else { return };
        self.numbers.remove(&file.identity);
        self.changed = true;
        // It may reappear under a name that matches.
        if file.has_name() {
            self.remembered.entry(file.identity.inode).or_default().push((saved(&file), now));
        }
    }

    fn forget(&mut self, now: Instant) {
        self.remembered.retain(|_, candidates| {
            candidates.retain(|(_, since)| now.saturating_duration_since(*since) < REMEMBERED_MAX);
            !candidates.is_empty()
        });
    }

    /// Reports each problem once, until it is resolved.
    fn complain(&mut self, problems: Vec<(PathBuf, String)>, round: &mut Round) {
        let mut complained = HashSet::new();
        for (path, problem) in problems {
            if !self.complained.contains(&path) && !complained.contains(&path) {
                round.complaints.push(format!("{}: {problem}", path.display()));
            }
            complained.insert(path);
        }
        self.complained = complained;
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn saved(file: &FollowedFile) -> SavedPosition {
    let path = file.path.to_string_lossy().into_owned();
    SavedPosition { path, identity: file.identity, place: file.place.clone() }
}
