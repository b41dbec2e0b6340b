//! Follows files that are written, renamed, truncated and removed in the meantime, and checks their lines.

use super::follower::{Follower, OPEN_MAX};
use super::reading::ROTATED_WAIT;
use super::round::Round;
use logstead_config::{FileSource, StartPosition};
use logstead_config::{Size, SourceFormat};
use logstead_flow::chunk::Chunk;
use logstead_flow::machine::folders::Folders;
use logstead_record::Flags;
use proptest::prelude::*;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const WHOLE: Flags = Flags(0);

/// A data directory, a follower of files in it, and the current time.
struct Scene {
    data: TempDir,
    config: FileSource,
    follower: Follower,
    now: Instant,
    complaints: Vec<String>,
}

impl Scene {
    fn new(patterns: &[&str], start: StartPosition) -> Scene {
        let data = tempfile::tempdir().unwrap();
        let config = FileSource {
            paths: patterns.iter().map(|&pattern| pattern.to_owned()).collect(),
            start,
            format: SourceFormat::Auto,
            timezone: "UTC".to_owned(),
            timezones: Vec::new(),
            charset: "utf-8".to_owned(),
            message_max: Size::new(1000),
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
        self.follower.read(self.config.message_max.as_usize(), self.now, &mut round);
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

    /// Reads and stores until nothing is left.
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

    /// Ends the follower, and begins again with the positions that were saved last.
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
    let mut scene = Scene::new(&["*.log"], StartPosition::Beginning);
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
    let mut scene = Scene::new(&["*.log"], StartPosition::End);
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
    // A path that is new to the source is treated like a new source.
    scene.append("c.txt", "old\n");
    scene.config.paths.push("*.txt".to_owned());
    scene.check(&[]);
    scene.append("c.txt", "new\n");
    scene.append("d.txt", "first\n");
    scene.check(&[("c.txt", "new", WHOLE), ("d.txt", "first", WHOLE)]);
}

#[test]
fn a_file_that_ends_in_a_huge_line_begins_behind_that() {
    let mut scene = Scene::new(&["*.log"], StartPosition::End);
    scene.append("a.log", &"x".repeat(5000));
    scene.check(&[]);
    scene.append("a.log", "its end\nnew\n");
    scene.check(&[("a.log", "new", WHOLE)]);
}

#[test]
fn what_was_not_stored_is_read_again() {
    let mut scene = Scene::new(&["*.log"], StartPosition::Beginning);
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
    let mut scene = Scene::new(&["*.log"], StartPosition::End);
    let (kept, long) = ("x".repeat(1000), "x".repeat(1500));
    scene.read();
    scene.append("a.log", &format!("one\n{long}"));
    scene.append("gone.log", "one\n");
    scene.check(&[("a.log", "one", WHOLE), ("a.log", &kept, Flags::TRUNCATED), ("gone.log", "one", WHOLE)]);
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
    let mut scene = Scene::new(&["*.log"], StartPosition::Beginning);
    scene.append("a.log", "one\n");
    scene.check(&[("a.log", "one", WHOLE)]);
    scene.append("a.log", "two\n");
    scene.rename("a.log", "a.log.1");
    scene.append("a.log", "four\n");
    scene.check(&[("a.log", "two", WHOLE), ("a.log", "four", WHOLE)]);
    // The program that writes to it has not noticed the change yet.
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
    let mut scene = Scene::new(&["*.log"], StartPosition::End);
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
    let mut scene = Scene::new(&["a.log*"], StartPosition::Beginning);
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
    let mut scene = Scene::new(&["a.log"], StartPosition::Beginning);
    scene.append("a.log", "one\ntwo\n");
    scene.check(&[("a.log", "one", WHOLE), ("a.log", "two", WHOLE)]);
    fs::write(scene.path("a.log"), "three\n").unwrap();
    scene.check(&[("a.log", "three", WHOLE)]);
    // The file was rewritten, and is longer than the old position before anyone looked.
    fs::write(scene.path("a.log"), "four, which is longer\n").unwrap();
    scene.check(&[("a.log", "four, which is longer", WHOLE)]);
    fs::write(scene.path("a.log"), "").unwrap();
    scene.check(&[]);
    // The program that writes to it continues at its old position.
    fs::write(scene.path("a.log"), format!("{}five\n", "\0".repeat(5000))).unwrap();
    scene.check(&[("a.log", "five", WHOLE)]);
    fs::write(scene.path("a.log"), "cut while it was down\n").unwrap();
    scene.restart();
    scene.check(&[("a.log", "cut while it was down", WHOLE)]);
}

#[test]
fn a_file_that_is_deleted_is_read_to_its_end_and_the_next_one_from_its_beginning() {
    let mut scene = Scene::new(&["a.log"], StartPosition::End);
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
    let mut scene = Scene::new(&["*.log"], StartPosition::Beginning);
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
    // The same, but the file is missing at a restart.
    scene.rename("b.log", "away");
    scene.restart();
    scene.check(&[]);
    scene.restart();
    scene.rename("away", "b.log");
    scene.check(&[]);
}

#[test]
fn what_is_no_file_is_said_once() {
    let mut scene = Scene::new(&["*.log", "loop/*.txt"], StartPosition::Beginning);
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
    // A problem that was solved and returns is reported again.
    fs::remove_dir(scene.path("folder.log")).unwrap();
    scene.check(&[]);
    fs::create_dir(scene.path("folder.log")).unwrap();
    scene.check(&[]);
    assert_eq!(scene.complaints.len(), 5);
    // The target of a link may appear later.
    scene.append("missing", "two\n");
    scene.check(&[("dangling.log", "two", WHOLE)]);
}

#[test]
fn a_file_with_many_names_is_read_once() {
    let mut scene = Scene::new(&["*.log", "a*"], StartPosition::Beginning);
    scene.append("a.log", "one\n");
    symlink(scene.path("a.log"), scene.path("link.log")).unwrap();
    fs::hard_link(scene.path("a.log"), scene.path("b.log")).unwrap();
    scene.check(&[("a.log", "one", WHOLE)]);
    scene.append("b.log", "two\n");
    scene.check(&[("a.log", "two", WHOLE)]);
}

#[test]
fn thousands_of_files_are_read_in_few_rounds_and_few_stay_open() {
    let mut scene = Scene::new(&["*/*.log"], StartPosition::Beginning);
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
    let mut scene = Scene::new(&["*.log"], StartPosition::Beginning);
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

/// An event that may happen to a log file between two looks.
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
        let mut scene = Scene::new(&["a.log*"], StartPosition::End);
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
        // Files that appeared since the last look are read in the order of their names, as the order of their
        // appearance is not known.
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..written).collect::<Vec<_>>());
    }
}
