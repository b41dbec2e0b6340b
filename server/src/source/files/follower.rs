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
use crate::flow::chunk::{Chunk, Sender};
use crate::machine::folders::Folders;
use logstead_config::{Files, Start};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// Where files may be read.
    folders: Arc<Folders>,
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
    is_first_look: bool,
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
    pub(super) frames: Chunk,
    steps: Vec<Step>,
    /// What cannot be read, and why.
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
            if let Err(problem) = self.folders.may_look_for(&self.data.join(pattern)) {
                look.problems.push((self.data.join(pattern), problem));
                continue;
            }
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
        if std::mem::take(&mut self.is_first_look) {
            self.find_renamed(&look.by_path, now);
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
            Err(error) if is_absent(&error) => return Ok(()),
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
        let begun = open(path, None, &self.folders).and_then(|file| {
            let place = self.first_place(path, &file, from_end)?;
            Followed::new(path, file, place, &self.folders, now)
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

    fn add(&mut self, file: Followed) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.numbers.insert(file.identity, number);
        self.files.insert(number, file);
        self.changed = true;
        number
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

    /// A file that was renamed while nobody looked may have a name now that is not looked for. It is known by
    /// its inode, and read to its end.
    fn find_renamed(&mut self, by_path: &HashMap<PathBuf, u64>, now: Instant) {
        let paths = self.remembered.values().flatten().map(|(saved, _)| Path::new(&saved.path));
        let folders: BTreeSet<PathBuf> = paths.filter_map(Path::parent).map(Path::to_owned).collect();
        for folder in folders {
            // What cannot be looked into was complained about, if it is looked for.
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

    /// The remembered file that lies in its folder under this name.
    fn renamed(&mut self, folder: &Path, entry: &fs::DirEntry, now: Instant) -> Option<Followed> {
        let candidates = self.remembered.get_mut(&entry.ino())?;
        let is_here = |saved: &Saved| Path::new(&saved.path).parent() == Some(folder);
        let index = candidates.iter().position(|(saved, _)| is_here(saved))?;
        let file = open(&entry.path(), None, &self.folders).ok()?;
        let is_same = candidates[index].0.place.is_in(&file).ok()?;
        let identity = Identity::of(&file.metadata().ok()?);
        if !is_same || self.numbers.contains_key(&identity) {
            return None;
        }
        let (saved, _) = candidates.swap_remove(index);
        Followed::new(Path::new(&saved.path), file, saved.place, &self.folders, now).ok()
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
            self.read_file(number, line_max, now, round);
            if ROUND_BYTES_MAX <= round.frames.bytes.len() {
                self.last_read = number;
                return;
            }
        }
        self.last_read = 0;
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
        let Read { bytes, frames, next, at_end, finished, begun_again, written } = read;
        if begun_again {
            let path = file.path.display();
            round.notes.push(format!("{path}: it was cut or written anew, and is read from its beginning"));
        }
        if !frames.is_empty() {
            let sender = Sender { written, ..file.sender.clone() };
            round.frames.append(Chunk::of(bytes, frames, &sender));
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

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn saved(file: &Followed) -> Saved {
    let path = file.path.to_string_lossy().into_owned();
    Saved { path, identity: file.identity, place: file.place.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Format, Size};
    use logstead_record::Flags;
    use proptest::prelude::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    const WHOLE: Flags = Flags(0);

    /// A data directory, what follows files in it, and a clock.
    struct Scene {
        data: TempDir,
        config: Files,
        follower: Follower,
        now: Instant,
        complaints: Vec<String>,
    }

    impl Scene {
        fn new(patterns: &[&str], start: Start) -> Scene {
            let data = tempfile::tempdir().unwrap();
            let config = Files {
                paths: patterns.iter().map(|&pattern| pattern.to_owned()).collect(),
                start,
                format: Format::Auto,
                timezone: "UTC".to_owned(),
                charset: "utf-8".to_owned(),
                max_message: Size::new(1000),
            };
            let now = Instant::now();
            let folders = Arc::new(Folders::below(data.path()));
            let follower = Follower::new(data.path(), folders, None, now);
            Scene { data, config, follower, now, complaints: Vec::new() }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.data.path().join(name)
        }

        fn append(&self, name: &str, text: &str) {
            let mut file = File::options().append(true).create(true).open(self.path(name)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }

        fn rename(&self, from: &str, to: &str) {
            fs::rename(self.path(from), self.path(to)).unwrap();
        }

        fn wait(&mut self, wait: Duration) {
            self.now += wait;
        }

        /// Looks once, and reads a round.
        fn round(&mut self) -> (Round, Vec<(String, String, Flags)>) {
            let mut round = Round::default();
            self.follower.look(&self.config, self.now, &mut round);
            self.follower.read(self.config.max_message.as_usize(), self.now, &mut round);
            self.complaints.append(&mut round.complaints);
            let Chunk { bytes, frames, senders, .. } = &round.frames;
            let mut found = Vec::new();
            for (index, frame) in frames.iter().enumerate() {
                let of_file = senders.iter().rev().find(|(first, _)| *first as usize <= index).unwrap();
                let (field, path) = of_file.1.field.clone().unwrap();
                assert_eq!((field, &*of_file.1.address), ("file", ""));
                let name = Path::new(&*path).strip_prefix(self.data.path()).unwrap();
                let text = String::from_utf8_lossy(&bytes[frame.start as usize..frame.end as usize]);
                found.push((name.to_string_lossy().into_owned(), text.into_owned(), frame.flags));
            }
            (round, found)
        }

        /// What is read and stored until there is nothing more.
        fn read(&mut self) -> Vec<(String, String, Flags)> {
            let mut all = Vec::new();
            loop {
                let (round, found) = self.round();
                let has_more = round.has_more() || !found.is_empty();
                self.follower.advance(round, self.now);
                all.extend(found);
                if !has_more {
                    return all;
                }
            }
        }

        fn check(&mut self, expected: &[(&str, &str, Flags)]) {
            let found = self.read();
            let found: Vec<_> =
                found.iter().map(|(name, text, flags)| (name.as_str(), text.as_str(), *flags)).collect();
            assert_eq!(found, expected);
        }

        /// Ends what follows, and begins again with what was saved last.
        fn restart(&mut self) {
            let saved = self.follower.positions();
            let text = serde_json::to_vec(&saved.unwrap()).unwrap();
            let saved = serde_json::from_slice(&text).unwrap();
            let folders = Arc::new(Folders::below(self.data.path()));
            self.follower = Follower::new(self.data.path(), folders, Some(saved), self.now);
            self.follower.changed = true;
        }
    }

    #[test]
    fn a_line_comes_once_when_it_is_whole() {
        let mut scene = Scene::new(&["*.log"], Start::Beginning);
        scene.append("a.log", "one\ntw");
        scene.append("other", "nothing\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.wait(10 * ROTATED_WAIT);
        scene.check(&[]);
        scene.append("a.log", "o\n\n");
        scene.check(&[("a.log", "two", WHOLE)]);
        scene.check(&[]);
    }

    #[test]
    fn a_new_source_begins_at_the_end_and_its_later_files_at_their_beginning() {
        let mut scene = Scene::new(&["*.log"], Start::End);
        scene.append("a.log", "old\nhalf ");
        scene.append("empty.log", "");
        scene.check(&[]);
        scene.append("a.log", "a line\nnew\n");
        scene.append("b.log", "first\n");
        scene.append("empty.log", "filled\n");
        scene.check(&[
            ("a.log", "half a line", WHOLE),
            ("a.log", "new", WHOLE),
            ("empty.log", "filled", WHOLE),
            ("b.log", "first", WHOLE),
        ]);
        // A path that is new to the source is as a new source.
        scene.append("c.txt", "old\n");
        scene.config.paths.push("*.txt".to_owned());
        scene.check(&[]);
        scene.append("c.txt", "new\n");
        scene.append("d.txt", "first\n");
        scene.check(&[("c.txt", "new", WHOLE), ("d.txt", "first", WHOLE)]);
    }

    #[test]
    fn a_file_that_ends_in_a_huge_line_begins_behind_that() {
        let mut scene = Scene::new(&["*.log"], Start::End);
        scene.append("a.log", &"x".repeat(5000));
        scene.check(&[]);
        scene.append("a.log", "its end\nnew\n");
        scene.check(&[("a.log", "new", WHOLE)]);
    }

    #[test]
    fn what_was_not_stored_is_read_again() {
        let mut scene = Scene::new(&["*.log"], Start::Beginning);
        scene.append("a.log", "one\n");
        let expected = vec![("a.log".to_owned(), "one".to_owned(), WHOLE)];
        for _ in 0..3 {
            assert_eq!(scene.round().1, expected);
        }
        scene.append("a.log", "two\n");
        scene.restart();
        scene.check(&[("a.log", "one", WHOLE), ("a.log", "two", WHOLE)]);
        scene.check(&[]);
    }

    #[test]
    fn a_restart_goes_on_exactly_where_reading_stood() {
        let mut scene = Scene::new(&["*.log"], Start::End);
        let (kept, long) = ("x".repeat(1000), "x".repeat(1500));
        scene.read();
        scene.append("a.log", &format!("one\n{long}"));
        scene.append("gone.log", "one\n");
        scene.check(&[
            ("a.log", "one", WHOLE),
            ("a.log", &kept, Flags::TRUNCATED),
            ("gone.log", "one", WHOLE),
        ]);
        scene.restart();
        scene.check(&[]);
        scene.append("a.log", "its end\ntwo\n");
        scene.append("later.log", "while it was down\n");
        scene.rename("a.log", "renamed.log");
        fs::remove_file(scene.path("gone.log")).unwrap();
        scene.restart();
        scene.check(&[("later.log", "while it was down", WHOLE), ("renamed.log", "two", WHOLE)]);
        scene.restart();
        scene.check(&[]);
    }

    #[test]
    fn a_renamed_file_is_read_to_its_end_before_its_successor() {
        let mut scene = Scene::new(&["*.log"], Start::Beginning);
        scene.append("a.log", "one\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.append("a.log", "two\n");
        scene.rename("a.log", "a.log.1");
        scene.append("a.log", "four\n");
        scene.check(&[("a.log", "two", WHOLE), ("a.log", "four", WHOLE)]);
        // Whoever writes it has not heard of the change yet.
        scene.append("a.log.1", "three\nhal");
        scene.append("a.log", "five\n");
        scene.check(&[("a.log", "three", WHOLE), ("a.log", "five", WHOLE)]);
        scene.wait(ROTATED_WAIT / 2);
        scene.append("a.log.1", "f");
        scene.check(&[]);
        scene.wait(ROTATED_WAIT / 2);
        scene.check(&[]);
        scene.wait(ROTATED_WAIT / 2);
        scene.check(&[("a.log", "half", Flags::INCOMPLETE)]);
        scene.append("a.log.1", "never\n");
        scene.check(&[]);
        assert_eq!(scene.follower.files.len(), 1);
    }

    #[test]
    fn a_file_that_was_renamed_while_nobody_looked_is_read_to_its_end_before_its_successor() {
        let mut scene = Scene::new(&["*.log"], Start::End);
        scene.read();
        scene.append("a.log", "one\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.append("a.log", "two\n");
        scene.rename("a.log", "a.log.1");
        scene.append("a.log.1", "three");
        scene.append("a.log", "four\n");
        scene.append("other.log.1", "never\n");
        scene.restart();
        scene.check(&[("a.log", "two", WHOLE), ("a.log", "four", WHOLE)]);
        scene.wait(ROTATED_WAIT);
        scene.check(&[("a.log", "three", Flags::INCOMPLETE)]);
        scene.restart();
        scene.check(&[]);
    }

    #[test]
    fn a_file_that_is_renamed_to_a_name_that_is_looked_for_comes_once() {
        let mut scene = Scene::new(&["a.log*"], Start::Beginning);
        scene.append("a.log", "one\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.append("a.log", "two\nhalf");
        scene.rename("a.log", "a.log.1");
        scene.append("a.log", "three\n");
        scene.check(&[("a.log.1", "two", WHOLE), ("a.log", "three", WHOLE)]);
        scene.wait(ROTATED_WAIT);
        scene.check(&[("a.log.1", "half", Flags::INCOMPLETE)]);
        scene.rename("a.log.1", "a.log.2");
        scene.rename("a.log", "a.log.1");
        scene.append("a.log", "four\n");
        scene.check(&[("a.log", "four", WHOLE)]);
        scene.wait(ROTATED_WAIT);
        scene.check(&[]);
        assert_eq!(scene.follower.files.len(), 3);
    }

    #[test]
    fn a_file_that_is_cut_is_read_from_its_beginning() {
        let mut scene = Scene::new(&["a.log"], Start::Beginning);
        scene.append("a.log", "one\ntwo\n");
        scene.check(&[("a.log", "one", WHOLE), ("a.log", "two", WHOLE)]);
        fs::write(scene.path("a.log"), "three\n").unwrap();
        scene.check(&[("a.log", "three", WHOLE)]);
        // It has grown beyond where reading stood before anyone looked.
        fs::write(scene.path("a.log"), "four, which is longer\n").unwrap();
        scene.check(&[("a.log", "four, which is longer", WHOLE)]);
        fs::write(scene.path("a.log"), "").unwrap();
        scene.check(&[]);
        // Whoever writes it goes on where it was.
        fs::write(scene.path("a.log"), format!("{}five\n", "\0".repeat(5000))).unwrap();
        scene.check(&[("a.log", "five", WHOLE)]);
        fs::write(scene.path("a.log"), "cut while it was down\n").unwrap();
        scene.restart();
        scene.check(&[("a.log", "cut while it was down", WHOLE)]);
    }

    #[test]
    fn a_file_that_is_deleted_is_read_to_its_end_and_the_next_one_from_its_beginning() {
        let mut scene = Scene::new(&["a.log"], Start::End);
        scene.check(&[]);
        for round in ["one", "two"] {
            scene.append("a.log", &format!("{round}\n"));
            scene.check(&[("a.log", round, WHOLE)]);
            scene.append("a.log", &format!("last of {round}"));
            fs::remove_file(scene.path("a.log")).unwrap();
            scene.check(&[]);
            scene.wait(ROTATED_WAIT);
            scene.check(&[("a.log", &format!("last of {round}"), Flags::INCOMPLETE)]);
            assert!(scene.follower.files.is_empty() && scene.follower.remembered.is_empty());
        }
    }

    #[test]
    fn a_file_that_was_away_is_known_again() {
        let mut scene = Scene::new(&["*.log"], Start::Beginning);
        scene.append("a.log", "one\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.rename("a.log", "away");
        scene.check(&[]);
        scene.wait(ROTATED_WAIT);
        scene.check(&[]);
        assert!(scene.follower.files.is_empty());
        scene.append("away", "two\n");
        scene.rename("away", "b.log");
        scene.check(&[("b.log", "two", WHOLE)]);
        // The same after a restart at which it is not there.
        scene.rename("b.log", "away");
        scene.restart();
        scene.check(&[]);
        scene.restart();
        scene.rename("away", "b.log");
        scene.check(&[]);
    }

    #[test]
    fn what_is_no_file_is_said_once() {
        let mut scene = Scene::new(&["*.log", "loop/*.txt"], Start::Beginning);
        fs::create_dir(scene.path("folder.log")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, scene.path("pipe.log"), 0o600.into()).unwrap();
        symlink(scene.path("loop"), scene.path("loop")).unwrap();
        symlink(scene.path("loop"), scene.path("loop.log")).unwrap();
        symlink(scene.path("missing"), scene.path("dangling.log")).unwrap();
        scene.append("a.log", "one\n");
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.check(&[]);
        let said: Vec<&str> = scene.complaints.iter().map(|text| text.rsplit('/').next().unwrap()).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        for expected in ["folder.log: this is not a file", "pipe.log: this is not a file"] {
            assert!(said.contains(&expected), "{said:?}");
        }
        // What is right again and then wrong is said again.
        fs::remove_dir(scene.path("folder.log")).unwrap();
        scene.check(&[]);
        fs::create_dir(scene.path("folder.log")).unwrap();
        scene.check(&[]);
        assert_eq!(scene.complaints.len(), 5);
        // What a link leads to may come.
        scene.append("missing", "two\n");
        scene.check(&[("dangling.log", "two", WHOLE)]);
    }

    #[test]
    fn a_file_with_many_names_is_read_once() {
        let mut scene = Scene::new(&["*.log", "a*"], Start::Beginning);
        scene.append("a.log", "one\n");
        symlink(scene.path("a.log"), scene.path("link.log")).unwrap();
        fs::hard_link(scene.path("a.log"), scene.path("b.log")).unwrap();
        scene.check(&[("a.log", "one", WHOLE)]);
        scene.append("b.log", "two\n");
        scene.check(&[("a.log", "two", WHOLE)]);
    }

    #[test]
    fn thousands_of_files_are_read_in_few_rounds_and_few_stay_open() {
        let mut scene = Scene::new(&["*/*.log"], Start::Beginning);
        let files = OPEN_MAX + 500;
        for folder in 0..10 {
            fs::create_dir(scene.path(&folder.to_string())).unwrap();
        }
        let name = |number: usize| format!("{}/{number}.log", number % 10);
        for number in 0..files {
            scene.append(&name(number), &format!("line of {number}\n"));
        }
        let (round, found) = scene.round();
        assert_eq!(found.len(), files);
        scene.follower.advance(round, scene.now);
        scene.check(&[]);
        scene.check(&[]);
        assert!(scene.follower.files.values().filter(|file| file.is_open()).count() <= OPEN_MAX);
        for number in [0, files / 2, files - 1] {
            scene.append(&name(number), "more\n");
        }
        assert_eq!(scene.read().len(), 3);
        scene.restart();
        scene.check(&[]);
    }

    #[test]
    fn a_file_that_is_far_behind_holds_no_other_up() {
        let mut scene = Scene::new(&["*.log"], Start::Beginning);
        scene.append("a.log", &format!("{}\n", "a".repeat(999)).repeat(5000));
        scene.append("b.log", "b\n");
        let mut rounds = 0;
        loop {
            let (round, found) = scene.round();
            scene.follower.advance(round, scene.now);
            assert!(found.len() <= 1100);
            rounds += 1;
            if found.iter().any(|(name, ..)| name == "b.log") {
                break;
            }
        }
        assert!(rounds <= 2, "{rounds} rounds");
        assert!(3000 < scene.read().len());
    }

    /// What may happen to a log file between two looks.
    #[derive(Clone, Debug)]
    enum Event {
        Append(usize),
        Rotate,
        Look,
        Fail,
        Restart,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            4 => (1_usize..4).prop_map(Event::Append),
            1 => Just(Event::Rotate),
            3 => Just(Event::Look),
            1 => Just(Event::Fail),
            1 => Just(Event::Restart),
        ];
        proptest::collection::vec(event, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_line_comes_once_whatever_happens(events in events()) {
            let mut scene = Scene::new(&["a.log*"], Start::End);
            scene.read();
            let (mut written, mut found, mut rotations) = (0, Vec::new(), 0);
            for event in events {
                match event {
                    Event::Append(lines) => {
                        for _ in 0..lines {
                            scene.append("a.log", &format!("line {written}\n"));
                            written += 1;
                        }
                    }
                    Event::Rotate if scene.path("a.log").exists() => {
                        rotations += 1;
                        scene.rename("a.log", &format!("a.log.{rotations}"));
                    }
                    Event::Rotate => {}
                    Event::Look => found.extend(scene.read()),
                    Event::Fail => drop(scene.round()),
                    Event::Restart => {
                        scene.follower.changed = true;
                        scene.restart();
                    }
                }
                scene.wait(Duration::from_secs(1));
            }
            found.extend(scene.read());
            let mut numbers: Vec<usize> =
                found.iter().map(|(_, text, _)| text.strip_prefix("line ").unwrap().parse().unwrap()).collect();
            // Files that came since the last look are read by their names: their order is not known.
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (0..written).collect::<Vec<_>>());
        }
    }
}
