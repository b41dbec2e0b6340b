//! The files that one source follows: finds them by their names, knows them by what they are, and reads them
//! a round at a time. It brings no clock and knows no sender of frames: a round is stored, or it is read again.
//!
//! A file that loses its name to another one, or has none any more, is read on for a while, since whoever
//! writes it learns of the change late; its successor waits until it is at its end for the first time.
//!
//! **Invariant:** the place of a file changes only when everything before it was stored.

use super::file::{Followed, Identity, Place, Read, open};
use super::find::find;
use super::positions::{Positions, Saved};
use crate::source::Frames;
use logstead_config::{Files, Start};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much of all files a round takes.
const ROUND_BYTES_MAX: usize = 1 << 20;
/// How many files one source follows.
const FILES_MAX: usize = 10_000;
/// How many of them it keeps open that were read to their end.
const OPEN_MAX: usize = 1_000;
/// How long a file that lost its name stays as it is before it is taken for complete.
const ROTATED_WAIT: Duration = Duration::from_secs(10);
/// How long a file that is not there is remembered: a network file system may be away for a while.
const REMEMBERED_MAX: Duration = Duration::from_secs(3600);

/// See the module.
pub(super) struct Follower {
    /// The data directory, which relative paths are below.
    data: PathBuf,
    /// By the order in which they came.
    files: BTreeMap<u64, Followed>,
    numbers: HashMap<Identity, u64>,
    next_number: u64,
    /// Who had which name when it was last looked.
    by_path: HashMap<PathBuf, u64>,
    /// Where files were read that are not there, by their inodes.
    remembered: HashMap<u64, Vec<(Saved, Instant)>>,
    /// The paths that were looked for before.
    patterns: BTreeSet<String>,
    /// What was complained about and still is as it was.
    complained: HashSet<PathBuf>,
    /// The last file of a round that was full: the next round begins behind it.
    last_read: u64,
    /// Whether places changed since [`Follower::positions`] was asked.
    changed: bool,
}

/// What was read.
#[derive(Default)]
pub(super) struct Round {
    pub(super) frames: Frames,
    steps: Vec<Step>,
    /// What can not be read, and why.
    pub(super) complaints: Vec<String>,
    /// What an operator may want to know.
    pub(super) notes: Vec<String>,
}

impl Round {
    /// Whether more can be read at once.
    pub(super) fn has_more(&self) -> bool {
        self.steps.iter().any(|step| !step.at_end)
    }
}

/// Where a file is read on once the round is stored.
struct Step {
    number: u64,
    next: Place,
    at_end: bool,
    finished: bool,
}

/// What one look at all names brings to light.
#[derive(Default)]
struct Look {
    here: HashSet<u64>,
    by_path: HashMap<PathBuf, u64>,
    problems: Vec<(PathBuf, String)>,
}

impl Follower {
    /// Goes on where the positions say.
    pub(super) fn new(data: &Path, positions: Option<Positions>, now: Instant) -> Follower {
        let Positions { patterns, files, .. } =
            positions.unwrap_or_else(|| Positions::new(BTreeSet::new(), Vec::new()));
        let mut remembered: HashMap<u64, Vec<_>> = HashMap::new();
        for saved in files {
            remembered.entry(saved.identity.inode).or_default().push((saved, now));
        }
        Follower {
            data: data.to_owned(),
            files: BTreeMap::new(),
            numbers: HashMap::new(),
            next_number: 1,
            by_path: HashMap::new(),
            remembered,
            patterns,
            complained: HashSet::new(),
            last_read: 0,
            changed: false,
        }
    }

    /// What is to be saved, if it changed since it was last asked for.
    pub(super) fn positions(&mut self) -> Option<Positions> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let remembered = self.remembered.values().flatten().map(|(saved, _)| saved.clone());
        let files = self.files.values().map(saved).chain(remembered).collect();
        Some(Positions::new(self.patterns.clone(), files))
    }

    /// Saving failed: it is to be done again.
    pub(super) fn positions_not_saved(&mut self) {
        self.changed = true;
    }

    /// Looks which files there are and how they changed.
    pub(super) fn look(&mut self, config: &Files, now: Instant, round: &mut Round) {
        let mut look = Look::default();
        for pattern in &config.paths {
            let from_end = config.start == Start::End && !self.patterns.contains(pattern);
            let found = find(&self.data.join(pattern));
            look.problems.extend(found.problems);
            for path in found.paths {
                let line_max = from_end.then_some(config.max_message.as_usize());
                if let Err(problem) = self.look_at(&path, line_max, now, &mut look) {
                    look.problems.push((path, problem));
                }
            }
        }
        let patterns: BTreeSet<String> = config.paths.iter().cloned().collect();
        if patterns != self.patterns {
            (self.patterns, self.changed) = (patterns, true);
        }
        self.pass_names_on(look.by_path);
        self.leave(&look.here, now);
        self.forget(now);
        self.complain(look.problems, round);
    }

    /// Looks at one name. A file that was not there before is read from its beginning, or behind its last whole
    /// line of up to `from_end` bytes.
    fn look_at(
        &mut self,
        path: &Path,
        from_end: Option<usize>,
        now: Instant,
        look: &mut Look,
    ) -> Result<(), String> {
        let file = match fs::metadata(path) {
            Ok(file) => file,
            // It went away just now, or is a link to what is not there yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        if !file.is_file() {
            return Err("this is not a file".to_owned());
        }
        let number = match self.numbers.get(&Identity::of(&file)) {
            Some(number) => *number,
            None => match self.begin(path, from_end, now)? {
                Some(number) => number,
                None => return Ok(()),
            },
        };
        // A second name of a file that was found changes nothing.
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

    /// Follows a file from now on. `None`: it went away just now.
    fn begin(&mut self, path: &Path, from_end: Option<usize>, now: Instant) -> Result<Option<u64>, String> {
        if FILES_MAX <= self.files.len() {
            return Err(format!("{FILES_MAX} files are followed, as many as one source can"));
        }
        let begun = open(path, None).and_then(|file| {
            let place = self.first_place(path, &file, from_end)?;
            Followed::new(path, file, place, now)
        });
        let followed = match begun {
            Ok(followed) => followed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if let Some(number) = self.numbers.get(&followed.identity) {
            return Ok(Some(*number));
        }
        let number = self.next_number;
        self.next_number += 1;
        self.numbers.insert(followed.identity, number);
        self.files.insert(number, followed);
        self.changed = true;
        Ok(Some(number))
    }

    /// Where reading begins in a file that was not followed until now.
    fn first_place(&mut self, path: &Path, file: &File, from_end: Option<usize>) -> io::Result<Place> {
        let identity = Identity::of(&file.metadata()?);
        let name = path.to_string_lossy();
        // The number of a device may be another one after a restart of the system.
        let is_same = |saved: &Saved| saved.identity == identity || saved.path == name;
        if let Some(candidates) = self.remembered.get_mut(&identity.inode)
            && let Some(index) = candidates.iter().position(|(saved, _)| is_same(saved))
        {
            let (saved, _) = candidates.swap_remove(index);
            return Ok(if saved.place.is_in(file)? { saved.place } else { Place::default() });
        }
        match from_end {
            Some(line_max) => Place::at_end(file, line_max),
            None => Ok(Place::default()),
        }
    }

    /// A file whose name is another one's now is rotated; that one waits for it.
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

    /// What is no longer there is read by its handle, if it has one.
    fn leave(&mut self, here: &HashSet<u64>, now: Instant) {
        let away: Vec<u64> = self.files.keys().filter(|number| !here.contains(number)).copied().collect();
        for number in away {
            if self.files.get_mut(&number).is_some_and(|file| !file.leave(now)) {
                self.remove(number, now);
            }
        }
    }

    fn remove(&mut self, number: u64, now: Instant) {
        let Some(file) = self.files.remove(&number) else { return };
        self.numbers.remove(&file.identity);
        self.changed = true;
        // It may come back under a name that is looked for.
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

    /// Says what is wrong once, until it is right.
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

    /// Reads on in every file where there is more, up to a full round.
    pub(super) fn read(&mut self, line_max: usize, now: Instant, round: &mut Round) {
        let behind = self.files.range((Bound::Excluded(self.last_read), Bound::Unbounded));
        let before = self.files.range(..=self.last_read);
        let order: Vec<u64> = behind.chain(before).map(|(number, _)| *number).collect();
        for number in order {
            if ROUND_BYTES_MAX <= round.frames.bytes.len() {
                break;
            }
            self.last_read = number;
            self.read_file(number, line_max, now, round);
        }
    }

    fn read_file(&mut self, number: u64, line_max: usize, now: Instant, round: &mut Round) {
        let Some(after) = self.files.get(&number).map(|file| file.after) else { return };
        if after.and_then(|before| self.files.get(&before)).is_some_and(|before| before.has_more) {
            return;
        }
        let Some(file) = self.files.get_mut(&number) else { return };
        file.after = None;
        let is_last = file.rotated && ROTATED_WAIT <= now.saturating_duration_since(file.changed);
        if !file.has_more && !is_last {
            return;
        }
        let bytes_max = ROUND_BYTES_MAX.saturating_sub(round.frames.bytes.len()).max(line_max + 1);
        match file.read(bytes_max, line_max, is_last) {
            Ok(read) => {
                file.failing = false;
                self.take(number, read, round);
            }
            Err(error) => {
                if !std::mem::replace(&mut file.failing, true) {
                    round.complaints.push(format!("{}: {error}", file.path.display()));
                }
                if file.gone && is_last {
                    self.remove(number, now);
                }
            }
        }
    }

    fn take(&mut self, number: u64, read: Read, round: &mut Round) {
        let Some(file) = self.files.get_mut(&number) else { return };
        let Read { bytes, frames, next, at_end, finished, begun_again } = read;
        if begun_again {
            let path = file.path.display();
            round.notes.push(format!("{path}: it was cut or written anew, and is read from its beginning"));
        }
        if !frames.is_empty() {
            round.frames.append(Frames::of(bytes, frames, &file.sender));
        }
        if at_end && !finished && next == file.place {
            file.has_more = false;
        } else {
            round.steps.push(Step { number, next, at_end, finished });
        }
    }

    /// Everything of a round is stored.
    pub(super) fn advance(&mut self, round: Round, now: Instant) {
        for Step { number, next, at_end, finished } in round.steps {
            let Some(file) = self.files.get_mut(&number) else { continue };
            self.changed |= file.place != next;
            file.place = next;
            file.has_more = !at_end;
            if finished && file.gone {
                self.remove(number, now);
            } else if finished {
                file.rotated = false;
            }
        }
    }
}

fn saved(file: &Followed) -> Saved {
    let path = file.path.to_string_lossy().into_owned();
    Saved { path, identity: file.identity, place: file.place.clone() }
}
