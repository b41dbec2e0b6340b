//! The arrows between the folders of this crate, and that no files go round in a circle.
//!
//! The imports are read as the compiler resolves them: `crate`, `super` and names of children, in `use` and in the
//! middle of code; a name that a folder passes on stands for the file that it is from.
#![expect(clippy::disallowed_methods, reason = "it reads the sources, not a store")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Module = Vec<String>;

/// What each file or folder at the top of the crate may use, floor above floor.
const FLOORS: [(&str, &[&str]); 13] = [
    ("bounds", &[]),
    ("bytes", &[]),
    ("error", &[]),
    ("work", &[]),
    ("disk", &[]),
    ("columns", &["bytes"]),
    ("journal", &["bytes", "columns", "disk"]),
    ("segment", &["bounds", "bytes", "columns", "disk", "journal", "work"]),
    ("store", &["bounds", "bytes", "disk", "error", "journal", "segment", "work"]),
    ("answer", &["work"]),
    ("search", &["answer", "bounds", "segment", "store", "work"]),
    ("open", &["disk", "search", "store"]),
    ("queue", &["bytes", "disk", "error", "open", "search", "store", "work"]),
];

#[test]
fn folders_depend_on_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for (from, used) in edges(&sources()) {
        let Some(from) = from.first() else { continue };
        let (_, allowed) = FLOORS.iter().find(|(name, _)| name == from).expect("every folder has its floor");
        let others = used.iter().filter_map(|to| to.first()).filter(|to| *to != from);
        wrong.extend(
            others.filter(|to| !allowed.contains(&to.as_str())).map(|to| format!("{from} uses {to}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_files_go_round_in_a_circle() {
    let mut left = edges(&sources());
    // What uses nothing that is left, or is used by nothing, is in no circle.
    let is_free = |left: &BTreeMap<Module, BTreeSet<Module>>, module: &Module| {
        let is_used = left.values().any(|used| used.contains(module));
        !is_used || left[module].iter().all(|to| !left.contains_key(to))
    };
    while let Some(free) = left.keys().find(|module| is_free(&left, module)).cloned() {
        left.remove(&free);
    }
    let join = |modules: Vec<&Module>| modules.iter().map(|to| to.join("::")).collect::<Vec<_>>().join(", ");
    let circles: Vec<String> = left
        .iter()
        .map(|(from, used)| (from, used.iter().filter(|to| left.contains_key(*to)).collect()))
        .map(|(from, used)| format!("{} uses {}", from.join("::"), join(used)))
        .collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn imports_are_read_as_the_compiler_reads_them() {
    let sources = BTreeMap::from([
        (vec![], "mod a;\nmod b;\npub use a::c::Cube;".to_owned()),
        (module("a"), "mod c;\nmod d;\npub(crate) use d::{Deep, Dry as Wet};".to_owned()),
        (
            module("a::c"),
            "use super::{Wet, super::b::{self, Bee}};\n// use crate::never;\nstruct Cube;".to_owned(),
        ),
        (module("a::d"), "struct Deep;\n#[cfg(test)]\nmod tests {\n    use crate::b::Bee;\n}".to_owned()),
        (module("b"), "fn f() { crate::a::Deep::new(crate::Cube) }".to_owned()),
    ]);
    let edges = edges(&sources);
    let used = |from: &str| edges[&module(from)].iter().map(|to| to.join("::")).collect::<Vec<_>>();
    assert_eq!(used("a::c"), ["a::d", "b"]);
    assert_eq!(used("b"), ["a::c", "a::d"]);
    assert!(used("a").is_empty() && used("a::d").is_empty());
}

/// The text of each module without tests and comments.
fn sources() -> BTreeMap<Module, String> {
    let mut sources = BTreeMap::new();
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[], &mut sources);
    sources
}

fn read_folder(folder: &Path, module: &[String], sources: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let child = [module, std::slice::from_ref(&stem)].concat();
        if path.is_dir() {
            read_folder(&path, &child, sources);
        } else if !["tests", "testing", "timing"].contains(&stem.as_str()) {
            let is_folder = stem == "mod" || stem == "lib";
            let text = fs::read_to_string(&path).expect("a readable file");
            sources.insert(if is_folder { module.to_vec() } else { child }, text);
        }
    }
}

fn module(path: &str) -> Module {
    path.split("::").map(str::to_owned).collect()
}

/// Which files each file uses.
fn edges(sources: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let imports: BTreeMap<&Module, Imports> =
        sources.iter().map(|(module, text)| (module, Imports::read(text))).collect();
    let crate_ = Crate { sources, imports: &imports };
    let used = |module: &Module| {
        let Imports { own, passed_on } = &imports[module];
        let is_folder =
            sources.keys().any(|other| other.len() == module.len() + 1 && other.starts_with(module));
        let paths = own.iter().chain(passed_on.iter().filter(|_| !is_folder));
        let mut used: BTreeSet<Module> = paths.flat_map(|path| crate_.files(module, path, 0)).collect();
        used.remove(module);
        used
    };
    sources.keys().map(|module| (module.clone(), used(module))).collect()
}

struct Crate<'a> {
    sources: &'a BTreeMap<Module, String>,
    imports: &'a BTreeMap<&'a Module, Imports>,
}

impl Crate<'_> {
    /// The files that a path leads to, as it stands in a module.
    fn files(&self, module: &Module, path: &[String], depth: usize) -> Vec<Module> {
        assert!(depth < 20, "{path:?} leads nowhere");
        let Some(absolute) = self.absolute(module, path) else { return Vec::new() };
        let ends = (0..=absolute.len()).rev();
        let end = ends.clone().find(|&end| self.sources.contains_key(&absolute[..end])).unwrap_or(0);
        let (found, rest) = (absolute[..end].to_vec(), &absolute[end..]);
        let passed_on = &self.imports[&found].passed_on;
        let is_folder = self.sources.keys().any(|other| other.len() == end + 1 && other.starts_with(&found));
        if !is_folder {
            return vec![found];
        }
        match rest.first().filter(|name| *name != "*") {
            // Who takes the whole folder may use all that it passes on.
            None => {
                let all = passed_on.iter().flat_map(|path| self.files(&found, path, depth + 1));
                all.chain([found.clone()]).collect()
            }
            Some(name) => match passed_on.iter().find(|path| named(path) == name) {
                Some(path) => self.files(&found, path, depth + 1),
                None => vec![found],
            },
        }
    }

    /// From the root of the crate; nothing for paths of other crates.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let rest: Vec<String> =
            rest.iter().filter(|name| *name != "self").map(|name| original(name).to_owned()).collect();
        let mut base = module.clone();
        match original(first) {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
                let supers = rest.iter().take_while(|name| *name == "super").count();
                base.truncate(base.len() - supers);
                return Some([base, rest[supers..].to_vec()].concat());
            }
            child => {
                base.push(child.to_owned());
                if !self.sources.contains_key(&base) {
                    return None;
                }
            }
        }
        Some([base, rest].concat())
    }
}

/// `Name as Other` is found as `Other`…
fn named(path: &[String]) -> &str {
    path.last().map_or("", |name| name.split_once(" as ").map_or(name.as_str(), |(_, other)| other))
}

/// … and stands for `Name`.
fn original(name: &str) -> &str {
    name.split_once(" as ").map_or(name, |(original, _)| original)
}

/// The paths that a file names.
struct Imports {
    own: Vec<Vec<String>>,
    /// With `pub use`.
    passed_on: Vec<Vec<String>>,
}

impl Imports {
    fn read(text: &str) -> Imports {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let begins_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].ends_with("mod tests {");
        let tests = lines.windows(2).position(begins_tests);
        let code = lines[..tests.unwrap_or(lines.len())].join("\n");
        let mut imports = Imports { own: Vec::new(), passed_on: Vec::new() };
        let mut rest = String::new();
        for statement in code.split(';') {
            let (before, tree) = statement.rsplit_once("use ").unwrap_or(("not", ""));
            match before.rsplit('\n').next().unwrap_or("").trim() {
                "" => imports.own.extend(paths_of(tree)),
                "pub" | "pub(crate)" | "pub(super)" => imports.passed_on.extend(paths_of(tree)),
                _ => rest.push_str(statement),
            }
        }
        imports.own.extend(paths_within(&rest));
        imports
    }
}

/// The paths of the tree of a `use`.
fn paths_of(tree: &str) -> Vec<Vec<String>> {
    let Some((before, inside)) = tree.split_once('{') else { return vec![names(tree)] };
    let inside = inside.trim_end().strip_suffix('}').expect("a closed brace");
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for sign in inside.chars() {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        match sign {
            ',' if depth == 0 => parts.push(String::new()),
            sign => parts.last_mut().expect("there is a part").push(sign),
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(paths_of).map(|path| [names(before), path].concat()).collect()
}

fn names(path: &str) -> Vec<String> {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The paths from `crate` or `super` in the middle of code.
fn paths_within(code: &str) -> Vec<Vec<String>> {
    let words = code.split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != ':');
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths.map(names).collect()
}
