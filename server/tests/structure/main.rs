//! The rules about the repository that ARCHITECTURE.md and CONTRIBUTING.md state, as far as tests can check them.
//!
//! Keywords: architecture, dependencies, layout, dead links, names, prose.

mod imports;
mod prose;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Folders in a checkout that are not part of the repository, because they are generated, downloaded or contain data.
const GENERATED_FOLDERS: [&str; 5] = ["target", "node_modules", "data", "dist", "test-results"];

#[test]
fn crates_use_each_other_as_the_architecture_says() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let expected = told_crates(&map);
    let mut found = crate_edges();
    // The bench may use every crate, and no crate may use it.
    found.remove("bench").expect("there is a bench");
    assert_eq!(expected, found, "left: the table of crates in ARCHITECTURE.md; right: the output of cargo");
    assert!(found.values().all(|used| !used.contains("bench")));
}

#[test]
fn no_crate_holds_more_than_a_quarter_of_the_code() {
    let mut lines: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for manifest in files_ending("Cargo.toml") {
        let folder = manifest.parent().expect("a manifest is in a folder").to_owned();
        if folder != root() {
            let sources = folder.join("src");
            let files = files_ending(".rs").into_iter().filter(|file| file.starts_with(&sources));
            lines.insert(folder, files.map(|file| read(&file).lines().count()).sum());
        }
    }
    let all: usize = lines.values().sum();
    let large: Vec<_> = lines.iter().filter(|(_, lines)| all < **lines * 4).collect();
    assert!(large.is_empty(), "of {all} lines: {large:?}");
}

#[test]
fn the_lower_crates_know_no_runtime_no_server_and_no_index_library() {
    let check = |package: &str, banned: &[&str]| {
        let tree = dependency_tree(package);
        let found: Vec<&&str> = banned.iter().filter(|&&name| tree.contains(name)).collect();
        assert!(found.is_empty(), "{package} depends on {found:?}");
    };
    check("logstead-record", &["tokio", "axum", "tantivy-sstable", "serde"]);
    check("logstead-query", &["tokio", "axum", "tantivy-sstable", "serde"]);
    check("logstead-work", &["tokio", "axum", "tantivy-sstable", "serde"]);
    check("logstead-answer", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-indexer", &["tokio", "axum"]);
    check("logstead-config", &["tokio", "axum", "tantivy-sstable"]);
    check("logstead-syslog", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-ingest", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-parse", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-transform", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-columnar", &["tokio", "axum", "tantivy-sstable", "rusqlite", "serde"]);
    check("logstead-template", &["tokio", "axum", "tantivy-sstable", "rusqlite", "serde"]);
    check("logstead-route", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-client", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
    check("logstead-loadgen", &["tokio", "axum", "tantivy-sstable", "rusqlite"]);
}

#[test]
fn every_dependency_is_used() {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    let mut unused = Vec::new();
    for package in metadata["packages"].as_array().expect("a list of packages") {
        let manifest = text(&package["manifest_path"]);
        let folder = Path::new(&manifest).parent().expect("a package has a folder");
        let files = files_ending(".rs").into_iter().filter(|file| file.starts_with(folder));
        let code: String = files.map(|file| read(&file)).collect();
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let words: BTreeSet<&str> = code.split(|character| !is_part(character)).collect();
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            let name = dependency["rename"].as_str().unwrap_or_default().to_owned();
            let name = if name.is_empty() { text(&dependency["name"]) } else { name };
            if !words.contains(name.replace('-', "_").as_str()) {
                unused.push(format!("{} does not use {name}", text(&package["name"])));
            }
        }
    }
    assert!(unused.is_empty(), "{unused:#?}");
}

/// The files or folders that each file or folder at the top of the indexer may use, in order of dependency.
const INDEXER_FLOORS: [(&str, &[&str]); 12] = [
    ("bounds", &[]),
    ("bytes", &[]),
    ("error", &[]),
    ("disk", &[]),
    ("columns", &["bytes"]),
    ("journal", &["bytes", "columns", "disk"]),
    ("segment", &["bounds", "bytes", "columns", "disk", "journal"]),
    ("store", &["bounds", "bytes", "disk", "error", "journal", "segment"]),
    ("search", &["bounds", "segment", "store"]),
    ("reader", &["disk", "error", "search", "store"]),
    ("open", &["disk", "reader", "search", "store"]),
    ("queue", &["bytes", "disk", "error", "open", "reader", "search", "store"]),
];

#[test]
fn folders_of_the_indexer_depend_on_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for (from, used) in imports::edges_within(&root().join("indexer/src")) {
        let Some(from) = from.first() else { continue };
        let (_, allowed) =
            INDEXER_FLOORS.iter().find(|(name, _)| name == from).expect("every folder has its floor");
        let others = used.keys().filter_map(|to| to.first()).filter(|to| *to != from);
        wrong.extend(
            others.filter(|to| !allowed.contains(&to.as_str())).map(|to| format!("{from} uses {to}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for manifest in files_ending("Cargo.toml") {
        let sources = manifest.with_file_name("src");
        if sources.join("lib.rs").exists() || sources.join("main.rs").exists() {
            let found = imports::circles(&imports::edges_within(&sources));
            circles.extend(found.into_iter().map(|arrow| format!("{}: {arrow}", sources.display())));
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn only_the_command_that_serves_the_api_knows_it() {
    let inside = root().join("server/src/cli");
    let files = files_ending(".rs").into_iter().filter(|file| file.starts_with(&inside));
    let knowing = files.filter(|file| read(file).contains("logstead_api"));
    let (serving, others): (Vec<PathBuf>, _) =
        knowing.partition(|file| file.with_extension("").starts_with(inside.join("serve")));
    assert!(!serving.is_empty() && others.is_empty(), "{others:?}");
}

#[test]
fn every_rust_file_opens_with_the_idea_it_owns() {
    let opens = |path: &PathBuf| read(path).starts_with("//! ");
    let bare: Vec<PathBuf> = files_ending(".rs").into_iter().filter(|path| !opens(path)).collect();
    assert!(bare.is_empty(), "these files do not open with //!: {bare:#?}");
}

#[test]
fn every_file_of_integration_tests_has_keywords_to_be_found_by() {
    let is_test = |path: &PathBuf| {
        let is_in = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
        let text = read(path);
        is_in("tests")
            && !is_in("src")
            && ["#[test]", "#[tokio::test]", "proptest! {"]
                .iter()
                .any(|mark| text.contains(&format!("\n{mark}\n")))
    };
    let tests = files_ending(".rs").into_iter().filter(is_test);
    let bare: Vec<PathBuf> = tests.filter(|path| !read(path).contains("//! Keywords: ")).collect();
    assert!(bare.is_empty(), "these files lack a line of plain keywords: {bare:#?}");
    let browser = files_ending(".spec.ts").into_iter().filter(|path| path.starts_with(root().join("e2e")));
    let bare: Vec<PathBuf> = browser.filter(|path| !read(path).starts_with("// Keywords: ")).collect();
    assert!(bare.is_empty(), "these files do not open with keywords: {bare:#?}");
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut broken = Vec::new();
    for document in files_ending(".md") {
        let folder = document.parent().expect("a file is in a folder");
        for target in link_targets(&read(&document)) {
            if !folder.join(&target).exists() {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to files that do not exist: {broken:#?}");
}

#[test]
fn link_targets_are_read_without_fragments_code_and_other_sites() {
    let text = "[a](a.md#part) ![b](<b c.png>) [web](https://x.example) [here](#part)\n\
        ```\n[no](code)\n```\n`[no](code)`";
    assert_eq!(link_targets(text), ["a.md", "b c.png"]);
}

/// The crates of a Markdown table with their names in the first column, and the crates that they use in the last one.
fn told_crates(markdown: &str) -> BTreeMap<String, BTreeSet<String>> {
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = markdown.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.trim_matches('|').split('|').collect::<Vec<_>>());
    cells
        .map(|cells| {
            let [name] = names(cells[0]).try_into().expect("a crate has one name");
            (name, names(cells[cells.len() - 1]).into_iter().collect())
        })
        .collect()
}

/// The crates of this workspace by their short names, with the other crates that each needs.
fn crate_edges() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(|package| (short(&package["name"]), own_dependencies(package))).collect()
}

/// The packages of this workspace that a package needs to run; its tests may need more.
fn own_dependencies(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
    dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null() && !dependency["path"].is_null())
        .map(|dependency| short(&dependency["name"]))
        .collect()
}

/// The name of one of our crates without the common prefix; the crate of the binary is `server`.
fn short(name: &Value) -> String {
    let name = text(name);
    if name == "logstead" { "server".to_owned() } else { name.replacen("logstead-", "", 1) }
}

/// The names of all packages that are compiled into this one.
fn dependency_tree(package: &str) -> BTreeSet<String> {
    let tree = cargo(&["tree", "--package", package, "--edges=normal", "--prefix=none"]);
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(args)
        .args(["--offline", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

fn files_ending(suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && !name.starts_with('.') && !GENERATED_FOLDERS.contains(&&*name) {
                folders.push(path);
            } else if name.ends_with(suffix) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "the repository has no {suffix} file");
    found
}

/// The targets of the links in a Markdown text that are inside the repository.
fn link_targets(markdown: &str) -> Vec<String> {
    let prose: String =
        markdown.split("```").step_by(2).flat_map(|text| text.split('`').step_by(2)).collect();
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.trim_matches(['<', '>']))
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .filter_map(|target| target.split('#').next())
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate has a folder").to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
