//! The imports between the files of a crate: `use` items and paths, resolved like the compiler does.
//!
//! Paths with `crate`, `super`, `self` and names of children are followed, in `use` and in code. A name re-exported
//! by a folder stands for the file that defines it, so a `mod.rs` that only declares its children and re-exports
//! their names uses none of them. Tests are left out.
//!
//! Keywords: circular imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

pub(super) type Module = Vec<String>;

/// The files that each file uses, with the names that it imports from them.
pub(super) type Edges = BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>;

/// The edges between the files of a crate with its sources in this folder.
pub(super) fn edges_within(folder: &Path) -> Edges {
    let mut texts = BTreeMap::new();
    read_folder(folder, &[], &mut texts);
    edges(&texts)
}

/// The edges that are part of a cycle: `from -> to: names`.
pub(super) fn circles(edges: &Edges) -> Vec<String> {
    let arrows = edges.iter().flat_map(|(from, used)| used.iter().map(move |(to, names)| (from, to, names)));
    let circular = arrows.filter(|(from, to, _)| is_reachable(edges, to, from));
    let line = |(from, to, names): (&Module, &Module, &BTreeSet<String>)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("{} -> {}: {}", written(from), written(to), names.join(", "))
    };
    circular.map(line).collect()
}

fn is_reachable(edges: &Edges, from: &Module, to: &Module) -> bool {
    let (mut seen, mut left) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = left.pop() {
        left.extend(edges[module].keys().filter(|next| seen.insert(next)));
    }
    seen.contains(to)
}

fn written(module: &Module) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("::") }
}

fn read_folder(folder: &Path, module: &[String], texts: &mut BTreeMap<Module, String>) {
    let has_library = folder.join("lib.rs").exists();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable entry").path();
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let child = [module, std::slice::from_ref(&stem)].concat();
        if path.is_dir() {
            read_folder(&path, &child, texts);
        } else if !(has_library && stem == "main") {
            let is_folder = ["mod", "lib", "main"].contains(&stem.as_str());
            let text = fs::read_to_string(&path).expect("a readable file");
            texts.insert(if is_folder { module.to_vec() } else { child }, text);
        }
    }
}

fn edges(texts: &BTreeMap<Module, String>) -> Edges {
    let mut files: BTreeMap<Module, File> =
        texts.iter().map(|(module, text)| (module.clone(), File::read(text))).collect();
    let of_tests: Vec<Module> = files
        .iter()
        .flat_map(|(module, file)| {
            file.of_tests.iter().map(|name| [&module[..], std::slice::from_ref(name)].concat())
        })
        .collect();
    files.retain(|module, _| !of_tests.iter().any(|tests| module.starts_with(tests)));
    let files = Files(files);
    files.0.iter().map(|(module, file)| (module.clone(), files.used(module, file))).collect()
}

/// The files of a crate by their modules.
struct Files(BTreeMap<Module, File>);

impl Files {
    fn used(&self, module: &Module, file: &File) -> BTreeMap<Module, BTreeSet<String>> {
        let passed_on = file.passed_on.iter().filter(|import| {
            // A folder does not use the names that it merely re-exports.
            !self.is_folder(module) || file.words.contains(&import.name)
        });
        let imported = file.own.iter().chain(passed_on).map(|import| import.path.clone());
        // A folder's calls of its own children, `child::run()`, are not imports.
        let is_child = |path: &&Vec<String>| self.0.contains_key(&[&module[..], &path[..1]].concat());
        let named = file.paths.iter().filter(|path| !is_child(path)).map(|path| file.without_alias(path));
        let mut used: BTreeMap<Module, BTreeSet<String>> = BTreeMap::new();
        for (to, name) in imported.chain(named).filter_map(|path| self.definition(module, &path, 0)) {
            if to != *module {
                used.entry(to).or_default().insert(name);
            }
        }
        used
    }

    /// The file that defines the target of a path, and its name there. A path to a whole folder leads to no file; the
    /// items used from the folder are in longer paths.
    fn definition(&self, module: &Module, path: &[String], depth: usize) -> Option<(Module, String)> {
        assert!(depth < 20, "{path:?} leads nowhere");
        let absolute = self.absolute(module, path)?;
        let end = (0..=absolute.len()).rev().find(|&end| self.0.contains_key(&absolute[..end]))?;
        let (found, rest) = (absolute[..end].to_vec(), &absolute[end..]);
        let Some(name) = rest.first() else {
            return (!self.is_folder(&found)).then(|| (found, "self".to_owned()));
        };
        let file = &self.0[&found];
        match file.passed_on.iter().chain(&file.own).find(|import| import.name == *name) {
            Some(import) if self.absolute(&found, &import.path).is_some() => {
                let path = [&import.path[..], &rest[1..]].concat();
                self.definition(&found, &path, depth + 1)
            }
            _ => Some((found, name.clone())),
        }
    }

    /// The path from the root of the crate; `None` for paths of other crates.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (first, mut rest) = path.split_first()?;
        let mut base = module.clone();
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
                while let Some(("super", further)) =
                    rest.split_first().map(|(name, rest)| (name.as_str(), rest))
                {
                    base.pop();
                    rest = further;
                }
            }
            child => {
                base.push(child.to_owned());
                self.0.contains_key(&base).then_some(())?;
            }
        }
        Some([&base[..], rest].concat())
    }

    fn is_folder(&self, module: &Module) -> bool {
        self.0.keys().any(|other| other.len() == module.len() + 1 && other.starts_with(module))
    }
}

/// `use path as name`.
struct Import {
    path: Vec<String>,
    name: String,
}

/// The names in a file.
#[derive(Default)]
struct File {
    own: Vec<Import>,
    /// The imports with `pub use`.
    passed_on: Vec<Import>,
    /// The paths in code.
    paths: Vec<Vec<String>>,
    words: BTreeSet<String>,
    /// The children that are built only for tests.
    of_tests: Vec<String>,
}

impl File {
    fn read(text: &str) -> File {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let begins_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].ends_with("mod tests {");
        let tests = lines.windows(2).position(begins_tests);
        let mut file = File::default();
        for statement in lines[..tests.unwrap_or(lines.len())].join("\n").split(';') {
            file.read_statement(statement);
        }
        file
    }

    fn read_statement(&mut self, statement: &str) {
        if let Some((_, child)) = statement.rsplit_once("#[cfg(test)]\n") {
            self.of_tests.extend(child.rsplit_once("mod ").map(|(_, name)| name.to_owned()));
            return;
        }
        let (before, tree) = statement.rsplit_once("use ").unwrap_or((statement, ""));
        let (code, visibility) = before.rsplit_once('\n').unwrap_or(("", before));
        let code = match visibility.trim() {
            "" if !tree.is_empty() => {
                self.own.extend(imports(tree));
                code
            }
            visible if visible.starts_with("pub") && !visible.contains(' ') && !tree.is_empty() => {
                self.passed_on.extend(imports(tree));
                code
            }
            _ => statement,
        };
        self.read_code(code);
    }

    fn read_code(&mut self, code: &str) {
        let is_declaration = |line: &str| line.split(' ').rev().nth(1) == Some("mod");
        if code.lines().next_back().is_some_and(is_declaration) {
            return;
        }
        for word in code.split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != ':') {
            if word.contains("::") && !word.starts_with(':') {
                self.paths.push(names(word));
            }
            self.words.extend(names(word).first().cloned());
        }
    }

    /// A path that begins with an imported name, as a path from the origin of the import.
    fn without_alias(&self, path: &[String]) -> Vec<String> {
        let import = self.own.iter().chain(&self.passed_on).find(|import| Some(&import.name) == path.first());
        import.map_or_else(|| path.to_vec(), |import| [&import.path[..], &path[1..]].concat())
    }
}

/// The imports in the tree of a `use`.
fn imports(tree: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for mut path in paths_of(tree) {
        let Some(last) = path.pop() else { continue };
        let (original, other) =
            last.split_once(" as ").map_or((last.as_str(), None), |(it, other)| (it, Some(other)));
        if original != "self" || path.is_empty() {
            path.push(original.to_owned());
        }
        let name = other.map_or_else(|| path.last().cloned(), |other| Some(other.to_owned()));
        imports.extend(name.map(|name| Import { path, name }));
    }
    imports
}

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

fn module(path: &str) -> Module {
    names(path)
}

fn crate_of(files: &[(&str, &str)]) -> Edges {
    edges(&files.iter().map(|&(path, text)| (module(path), text.to_owned())).collect())
}

#[test]
fn imports_are_read_as_the_compiler_reads_them() {
    let edges = crate_of(&[
        ("", "mod a;\nmod b;\npub use a::c::Cube;"),
        ("a", "mod c;\nmod d;\n#[cfg(test)]\nmod e;\npub(crate) use d::{Deep, Dry as Wet};"),
        ("a::c", "use super::{Wet, super::b::{self, Bee}};\n// use crate::never;\nstruct Cube;"),
        (
            "a::d",
            "use super::super::b;\nstruct Deep;\n#[cfg(test)]\nmod tests {\n    use crate::a::c::Cube;\n}",
        ),
        ("a::e", "use crate::b::Bee;"),
        ("b", "use crate::a;\nfn f() { a::Deep::new(crate::Cube) }"),
    ]);
    let used = |from: &str| {
        let used = edges[&module(from)].iter();
        used.map(|(to, names)| format!("{}: {names:?}", written(to))).collect::<Vec<_>>()
    };
    assert_eq!(used("a::c"), [r#"a::d: {"Dry"}"#, r#"b: {"Bee", "self"}"#]);
    assert_eq!(used("b"), [r#"a::c: {"Cube"}"#, r#"a::d: {"Deep"}"#]);
    assert_eq!(used("a::d"), [r#"b: {"self"}"#]);
    assert!(used("").is_empty() && used("a").is_empty() && !edges.contains_key(&module("a::e")));
}

#[test]
fn a_circle_is_reported_with_the_names_that_tie_it() {
    let child = "use super::Failure;\nfn run() -> Failure { crate::text::print() }";
    let command_line = |root| crate_of(&[("", root), ("run", child), ("text", "fn print() {}")]);
    let circles_of = |root| circles(&command_line(root));
    let circle = ["the root -> run: run", "run -> the root: Failure"];
    assert_eq!(circles_of("use run::run;\nstruct Failure;\nfn main() { run() }"), circle);
    assert_eq!(circles_of("pub use run::run;\nstruct Failure;\nfn main() { run() }"), circle);
    assert!(circles_of("pub mod run;\npub use run::run;\nstruct Failure;").is_empty());
    assert!(circles_of("struct Failure;\nfn main() { run::run() }").is_empty());
}
