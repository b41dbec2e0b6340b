//! Finds the files that match a path with `*` and `?`. Each of these matches a part of one name and never a `/`, so a
//! search always ends, even with circular links. Names that begin with a dot are found only if the pattern has the
//! dot.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The maximum number of paths of one pattern.
const FOUND_MAX: usize = 10_000;

/// The files that match a pattern.
#[derive(Default, Debug)]
pub(super) struct PatternMatches {
    /// Names that may or may not exist, sorted.
    pub(super) paths: Vec<PathBuf>,
    /// Folders that could not be read, with the reasons.
    pub(super) problems: Vec<(PathBuf, String)>,
}

/// Looks for everything that matches an absolute pattern.
pub(super) fn find(pattern: &Path) -> PatternMatches {
    let mut found = PatternMatches { paths: vec![PathBuf::new()], problems: Vec::new() };
    for component in pattern.components() {
        let name = component.as_os_str();
        let is_pattern = matches!(component, Component::Normal(_)) && is_pattern(name.as_bytes());
        let folders = std::mem::take(&mut found.paths);
        if !is_pattern {
            found.paths = folders.into_iter().map(|folder| folder.join(name)).collect();
            continue;
        }
        for folder in folders {
            found.add_names(&folder, name.as_bytes());
        }
    }
    if FOUND_MAX < found.paths.len() {
        found.paths.truncate(FOUND_MAX);
        let message = format!("more than {FOUND_MAX} names match; the others are ignored");
        found.problems.push((pattern.to_owned(), message));
    }
    found
}

fn is_pattern(name: &[u8]) -> bool {
    memchr::memchr2(b'*', b'?', name).is_some()
}

impl PatternMatches {
    fn add_names(&mut self, folder: &Path, pattern: &[u8]) {
        match names(folder, pattern) {
            Ok(paths) => self.paths.extend(paths),
            Err(error) => match error.kind() {
                // A missing file may appear later.
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {}
                _ => self.problems.push((folder.to_owned(), error.to_string())),
            },
        }
    }
}

fn names(folder: &Path, pattern: &[u8]) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if matches(pattern, name.as_bytes()) {
            paths.push(folder.join(name));
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether a name matches the pattern.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.starts_with(b".") && !pattern.starts_with(b".") {
        return false;
    }
    let (mut at, mut in_name) = (0, 0);
    // The last star, and the end of its match in the name.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(b'?') => {
                at += 1;
                in_name += character_bytes(&name[in_name..]);
            }
            Some(byte) if *byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((star_at, reach)) = star else { return false };
                star = Some((star_at, reach + 1));
                (at, in_name) = (star_at + 1, reach + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// The number of bytes of the first character.
fn character_bytes(name: &[u8]) -> usize {
    1 + name[1..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_star_stands_for_any_part_of_a_name_and_a_question_mark_for_one_character() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        };
        check("*.log", "a.log", true);
        check("*.log", ".log", false);
        check(".*", ".log", true);
        check("*.log", "a.log.1", false);
        check("*.log*", "a.log.1", true);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-b-b", false);
        check("a?c", "abc", true);
        check("a?c", "aüc", true);
        check("a?c", "ac", false);
        check("**", "any", true);
        check("?", "", false);
        check("[a].log", "a.log", false);
    }

    #[test]
    fn patterns_may_stand_in_every_part_of_a_path() {
        let data = tempfile::tempdir().unwrap();
        for file in ["a/x.log", "b/x.log", "b/y.log", "b/c/x.log", ".hidden/x.log"] {
            fs::create_dir_all(data.path().join(file).parent().unwrap()).unwrap();
            fs::write(data.path().join(file), "").unwrap();
        }
        let check = |pattern: &str, expected: &[&str]| {
            let mut found = find(&data.path().join(pattern));
            found.paths.retain(|path| path.exists());
            let expected: Vec<PathBuf> = expected.iter().map(|path| data.path().join(path)).collect();
            assert_eq!(found.paths, expected, "{pattern}");
            assert!(found.problems.is_empty(), "{:?}", found.problems);
        };
        check("*/x.log", &["a/x.log", "b/x.log"]);
        check("b/?.log", &["b/x.log", "b/y.log"]);
        check("*/*/x.log", &["b/c/x.log"]);
        check("missing/*.log", &[]);
        check("a/x.log/*", &[]);
        check("a/x.log", &["a/x.log"]);
    }

    #[test]
    fn links_that_lead_in_circles_are_said_and_end() {
        let data = tempfile::tempdir().unwrap();
        symlink(data.path().join("b"), data.path().join("a")).unwrap();
        symlink(data.path().join("a"), data.path().join("b")).unwrap();
        symlink(data.path(), data.path().join("self")).unwrap();
        let found = find(&data.path().join("*/*"));
        assert_eq!(found.problems.len(), 2, "{found:?}");
        assert_eq!(found.paths.len(), 3, "{found:?}");
    }

    proptest! {
        #[test]
        fn a_pattern_matches_what_the_same_expression_matches(pattern in "[ab*?]{0,8}", name in "[ab]{0,8}") {
            let expression = format!("^{}$", pattern.replace('*', ".*").replace('?', "."));
            let expected = regex::Regex::new(&expression).unwrap().is_match(&name);
            prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected);
        }
    }
}
