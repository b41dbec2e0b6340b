//! The cost of questions, to be run by hand: `LOGSTEAD_CORPUS` names a file of lines whose message begins after the
//! seventh space.

use super::read::tests::opened;
use super::{Ranks, TemplateGroup, TemplateGroupWriter, WantedWord, WordForm, WordSet};
use crate::automaton::Automaton;
use logstead_query::Regex;
use std::time::Instant;

/// The number of rows of a group of a segment.
const ROWS: usize = 131_072;

struct Corpus {
    messages: Vec<Vec<u8>>,
    groups: Vec<TemplateGroup>,
}

fn corpus() -> Corpus {
    let path = std::env::var("LOGSTEAD_CORPUS").expect("LOGSTEAD_CORPUS names a file of lines");
    let lines = std::fs::read(path).expect("the corpus can be read");
    let message = |line: &[u8]| line.splitn(8, |byte| *byte == b' ').nth(7).map(<[u8]>::to_vec);
    let messages: Vec<Vec<u8>> = lines.split(|byte| *byte == b'\n').filter_map(message).collect();
    let mut writer = TemplateGroupWriter::default();
    let group = |rows: &[Vec<u8>]| {
        for text in rows {
            writer.push(text);
        }
        opened(&writer.finish()).expect("a sound group")
    };
    let groups = messages.chunks(ROWS).map(group).collect();
    Corpus { messages, groups }
}

/// Seconds for all groups, of which each has the best of some tries: others may keep the machine busy.
fn best(corpus: &Corpus, mut ask: impl FnMut(&TemplateGroup)) -> f64 {
    let of_group = |group: &TemplateGroup| {
        let mut tries = (0..15).map(|_| {
            let start = Instant::now();
            ask(group);
            start.elapsed().as_secs_f64()
        });
        let first = tries.next().unwrap_or(0.0);
        tries.fold(first, f64::min)
    };
    corpus.groups.iter().map(of_group).sum()
}

/// In milliseconds for a group, and how many rows are found in all.
fn measure(corpus: &Corpus, ask: impl Fn(&TemplateGroup) -> Vec<Ranks>) -> (f64, u64) {
    let seconds = best(corpus, |group| drop(ask(group)));
    let rows = corpus.groups.iter().map(|group| group.rows().count(&ask(group))).sum();
    (seconds * 1e3 * ROWS as f64 / corpus.messages.len() as f64, rows)
}

#[test]
#[ignore = "measures"]
fn words() {
    let corpus = corpus();
    let words: usize = corpus.groups.iter().map(|group| group.words.len()).sum();
    let kept: usize = corpus.groups.iter().map(|group| group.kept.len()).sum();
    let few: usize = corpus.groups.iter().map(|group| group.dictionary.len()).sum();
    eprintln!("{} messages, {kept} kept, {words} words, {few} in dictionaries", corpus.messages.len());
    for word in
        ["499999", "87128", "798", "4478", "10", "root", "nosuchword", "blk", "10.7.10.12", "deadbeef01"]
    {
        let (time, rows) =
            measure(&corpus, |group| group.find_in_slots(&WantedWord::new(word.as_bytes())).unwrap().0);
        eprintln!("{word}: {time:.3} ms a group, {rows} rows");
    }
}

#[test]
#[ignore = "measures"]
fn forms() {
    let corpus = corpus();
    let forms: [fn(Vec<u8>) -> WordForm; 3] = [WordForm::Holds, WordForm::Begins, WordForm::Ends];
    for text in ["nect", "ed4", "4999", "34999", "10"] {
        for form in forms {
            let form = form(text.as_bytes().to_vec());
            let set = [WordSet::new(vec![form.clone()])];
            let ask =
                |group: &TemplateGroup| group.find_words(&set, &mut |_| true).unwrap().unwrap().remove(0);
            let (time, rows) = measure(&corpus, ask);
            eprintln!("{form:?}: {time:.3} ms a group, {rows} rows");
        }
    }
}

#[test]
#[ignore = "measures"]
fn reading() {
    let corpus = corpus();
    let per_row = |read: &dyn Fn(&TemplateGroup) -> usize| {
        let rows: usize = corpus.groups.iter().map(read).sum();
        best(&corpus, |group| assert_ne!(read(group), 0)) * 1e9 / rows as f64
    };
    let windows = |group: &TemplateGroup| {
        let rows = group.rows().len();
        let read = |from: usize| group.read(from..rows.min(from + 1024)).unwrap().len();
        (0..rows).step_by(1024).map(read).sum()
    };
    eprintln!("windows of 1024: {:.0} ns a row", per_row(&windows));
    for step in [2, 10, 100, 1000] {
        let scattered = |group: &TemplateGroup| {
            let rows: Vec<u32> = (0..group.rows().len() as u32).step_by(step).collect();
            rows.chunks(1000).map(|rows| group.read_rows(rows).unwrap().len()).sum()
        };
        eprintln!("each {step}th row, 1000 at a time: {:.0} ns a row", per_row(&scattered));
    }
}

#[test]
#[ignore = "measures"]
fn expressions() {
    let corpus = corpus();
    for (pattern, ignores_case) in [
        ("fail[a-z]+ for", false),
        ("fail[a-z]+ for", true),
        ("user=[a-z]{4}", false),
        ("port [0-9]+7 ", false),
        ("[0-9]{5,}", false),
        ("[a-f][0-9][a-f]", false),
        ("^[A-Z].*[0-9]$", false),
        ("10\\.7\\.1", false),
        ("\\bopen\\b", false),
        ("\\w+ \\d+", false),
        ("(error|warn|fatal).*timeout", true),
        ("^.{40,60}[0-9]$", false),
    ] {
        let regex = Regex::new(pattern, ignores_case).unwrap();
        let start = Instant::now();
        let automaton = Automaton::new(&regex, &|_| true).unwrap();
        let made = start.elapsed().as_secs_f64() * 1e3;
        let ask = |group: &TemplateGroup| group.find_match(&automaton, &mut |_| true).unwrap().unwrap();
        let (time, rows) = measure(&corpus, ask);
        let expected =
            corpus.messages.iter().filter(|text| !text.is_empty() && regex.compiled().is_match(text)).count()
                as u64;
        assert_eq!(rows, expected, "{pattern}");
        eprintln!("/{pattern}/: made in {made:.2} ms, {time:.3} ms a group, {rows} rows");
    }
}

#[test]
#[ignore = "measures"]
fn tables() {
    for pattern in [
        "\\w{10}\\d{10}x",
        "(\\w+\\s){8}é",
        "[ab]*a[ab]{12}",
        "[ab]*a[ab]{200}",
        "\\p{L}{1,30}é",
        "(.*a.{20}){3}",
        "(\\w{1,9} ){9}",
        "(error|warn|fatal|panic|abort|timeout|refused|reset|denied|invalid).*(user|host|port|session)",
    ] {
        let Ok(regex) = Regex::new(pattern, true) else { continue };
        let start = Instant::now();
        let is_made = Automaton::new(&regex, &|_| true).is_some();
        eprintln!("/{pattern}/i: {is_made}, {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    }
}
