//! Counts names, parameters, functions and comments of the product's Rust code: the causes of hard-to-read code may
//! only decrease.
//!
//! Keywords: names, tuple parameters, long functions, comments.

#![expect(clippy::string_slice, reason = "all places are those of ASCII signs")]

use super::{files_ending, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The greatest number of type names that more than two files may define.
const SHARED_NAMES_MAX: usize = 40;
/// The greatest number of sentences in comments that may begin with a clause instead of a noun.
const CLAUSES_MAX: usize = 200;
/// The greatest number of lines that 99 of 100 functions may have.
const FUNCTION_LINES_MAX: usize = 40;
/// The words with which such sentences begin.
const OPENINGS: [&str; 5] = ["What", "Where", "Of", "As", "Who"];

/// The product's files, without their tests.
fn sources() -> Vec<(PathBuf, String)> {
    let is_source = |path: &PathBuf| {
        let path = path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned();
        path.contains("/src/")
            && !path.starts_with("bench/")
            && !path.contains("/tests/")
            && !path.ends_with("tests.rs")
            && !path.contains("fuzz/")
    };
    files_ending(".rs")
        .into_iter()
        .filter(is_source)
        .map(|path| (path.clone(), product(&read(&path))))
        .collect()
}

/// The part of a file before its tests.
fn product(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |pair: &[&str]| {
        pair[0].trim() == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].ends_with('{')
    };
    let end = lines.windows(2).position(begins).unwrap_or(lines.len());
    lines[..end].join("\n")
}

/// The name of the type that a line defines, if it defines one.
fn defined_type(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
    let words = match words.as_slice() {
        ["pub", "", rest @ ..] | ["pub", rest @ ..] => rest,
        rest => rest,
    };
    let words = words.iter().skip_while(|word| ["crate", "super", "in", ""].contains(word));
    let [kind, name] = words.take(2).copied().collect::<Vec<_>>().try_into().ok()?;
    (["struct", "enum", "trait", "union"].contains(&kind) && !line.starts_with("//")).then_some(name)
}

/// The parameters of each function, by the name of the function.
fn parameters(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        if line.contains("//") || line.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_') {
            continue;
        }
        let rest = &text[at + 3..];
        let name = &rest[..rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(0)];
        let Some(open) = list_of(&rest[name.len()..]).filter(|_| !name.is_empty()) else { continue };
        found.push((name, split(open)));
    }
    found
}

/// The text between the parentheses of a parameter list, which may follow generic parameters.
fn list_of(text: &str) -> Option<&str> {
    let mut angles = 0;
    let open = text.char_indices().find(|&(at, sign)| {
        angles += i32::from(sign == '<') - i32::from(sign == '>' && !text[..at].ends_with('-'));
        sign == '(' && angles == 0
    })?;
    let mut depth = 0;
    let end = text[open.0..].char_indices().find(|&(_, sign)| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth == 0
    })?;
    Some(&text[open.0 + 1..open.0 + end.0])
}

/// The parts between commas that are outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, sign) in list.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

/// The number of lines of each function, from its signature to its closing brace.
fn function_lines(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        words.contains(&"fn") && !line.trim_start().starts_with("//")
    };
    let starts = (0..lines.len()).filter(|&at| begins(lines[at]) && !lines[at].ends_with([';', '}']));
    starts
        .filter_map(|start| {
            let closes = |line: &&str| line.trim() == "}" && indent(line) == indent(lines[start]);
            Some(lines[start..].iter().position(closes)? + 1)
        })
        .collect()
}

/// The sentences of the comments in a text.
fn sentences(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = vec![String::new()];
    for line in text.lines() {
        match line.trim_start().strip_prefix("//") {
            Some(comment) => {
                let comment = comment.trim_start_matches(['/', '!']).trim();
                if comment.is_empty() || comment.starts_with(['|', '-', '#']) {
                    blocks.push(String::new());
                }
                let block = blocks.last_mut().expect("there is one");
                block.push_str(comment.trim_start_matches(['-', '#', ' ']));
                block.push(' ');
            }
            None => blocks.push(String::new()),
        }
    }
    let ends = |block: &String| block.replace(". ", ".\n").replace(": ", ":\n").replace("; ", ";\n");
    let lines = blocks.iter().map(ends).collect::<Vec<_>>().join("\n");
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn few_type_names_are_defined_in_more_than_two_files() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        for name in text.lines().filter(|line| !line.starts_with(' ')).filter_map(defined_type) {
            files.entry(name.to_owned()).or_default().insert(short(&path));
        }
    }
    let shared: BTreeMap<_, _> = files.into_iter().filter(|(_, files)| 2 < files.len()).collect();
    assert!(shared.len() <= SHARED_NAMES_MAX, "{} names: {shared:#?}", shared.len());
}

#[test]
fn no_function_takes_a_tuple_apart_in_its_parameters() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        let functions = parameters(&text).into_iter();
        let taking = functions.filter(|(_, list)| list.iter().any(|one| one.starts_with('(')));
        found.extend(taking.map(|(name, _)| format!("{}: {name}", short(&path))));
    }
    assert!(found.is_empty(), "name the parameters, or make a struct of them: {found:#?}");
}

#[test]
fn nearly_all_functions_are_short() {
    let mut lines: Vec<usize> = sources().iter().flat_map(|(_, text)| function_lines(text)).collect();
    lines.sort_unstable();
    let percentile = lines[lines.len() * 99 / 100];
    assert!(1000 < lines.len() && percentile <= FUNCTION_LINES_MAX, "the 99th of 100 has {percentile} lines");
}

#[test]
fn few_comments_begin_with_a_clause() {
    let begins = |sentence: &String| {
        OPENINGS.iter().any(|word| sentence.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    };
    let mut found = Vec::new();
    for (path, text) in sources() {
        let clauses = sentences(&text).into_iter().filter(begins);
        found.extend(clauses.map(|sentence| format!("{}: {sentence}", short(&path))));
    }
    let count = found.len();
    assert!(count <= CLAUSES_MAX, "say first what it is, in a full sentence; {count}: {found:#?}");
}

#[test]
fn names_parameters_functions_and_sentences_are_read() {
    assert_eq!(defined_type("pub(crate) struct Place {"), Some("Place"));
    assert_eq!(defined_type("enum Kind<T> {"), Some("Kind"));
    assert_eq!(defined_type("pub fn place() {"), None);
    let text = "/// fn no(a)\npub fn one<F: Fn(u8) -> u8>(&self, (a, b): (u8, u8), f: F) -> u8 {\n}\nfn two(a: (u8, u8)) {\n    a;\n}";
    assert_eq!(
        parameters(text),
        [("one", vec!["&self", "(a, b): (u8, u8)", "f: F"]), ("two", vec!["a: (u8, u8)"])]
    );
    assert_eq!(function_lines(text), [2, 3]);
    let text = "//! What it is. Where it\n//! ends: as it was.\nfn f() {}\n// Of one.";
    assert_eq!(sentences(text), ["What it is.", "Where it ends:", "as it was.", "Of one."]);
}
