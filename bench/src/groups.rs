//! Measures groups of texts: the CPU time and bytes of each step of writing, with all texts read back and compared,
//! and the time of questions to open groups, both the first time and repeated.
//!
//! The message of a line begins after the seventh space; its process id is the fifth field.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use logstead_template::{
    EncodedGroup, Ranks, RareWriter, Rows, TemplateGroup, TemplateGroupWriter, WantedWord, WordForm, WordSet,
};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;

/// Number of rows in a group.
const GROUP_ROWS: usize = 1 << 17;
const RUNS: usize = 3;
const SEED: u64 = 0x5eed;

/// CPU time of the steps in nanoseconds.
#[derive(Clone, Copy, Default)]
struct Spent {
    push: u64,
    finish: u64,
    open: u64,
    hashes: u64,
    rare: u64,
}

/// The number of bytes written, and the peak memory of a writer.
#[derive(Clone, Copy, Default)]
struct Bytes {
    rows: usize,
    texts: usize,
    rare: usize,
    memory_max: usize,
}

fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Adds the CPU time of a step to `spent`.
fn timed<T>(spent: &mut u64, step: impl FnOnce() -> T) -> T {
    let start = cpu();
    let result = step();
    *spent += cpu() - start;
    result
}

fn write(texts: &[&[u8]]) -> (Spent, Bytes) {
    let (mut spent, mut taken) = (Spent::default(), Bytes::default());
    let (mut writer, mut rare, mut rare_bytes) =
        (TemplateGroupWriter::default(), RareWriter::default(), Vec::new());
    for (number, written) in texts.chunks(GROUP_ROWS).enumerate() {
        timed(&mut spent.push, || {
            for text in written {
                writer.push(text);
            }
        });
        taken.memory_max = taken.memory_max.max(writer.memory_bytes());
        let EncodedGroup { rows, texts } = timed(&mut spent.finish, || writer.finish());
        taken.rows += rows.len();
        taken.texts += texts.len();
        let group = timed(&mut spent.open, || TemplateGroup::open(Arc::new(Rows::open(&rows)?), texts));
        let group = group.expect("it was just written");
        timed(&mut spent.hashes, || group.hashes(SEED, |hash| rare.add(hash, number as u16)))
            .expect("it was just written");
        let read = group.read(0..written.len()).expect("it was just written");
        assert!(read.iter().eq(written.iter().copied()));
    }
    timed(&mut spent.rare, || rare.finish(&mut rare_bytes));
    taken.rare = rare_bytes.len();
    (spent, taken)
}

fn best(name: &str, texts: &[&[u8]]) {
    let (mut best, taken) = write(texts);
    for _ in 1..RUNS {
        let (spent, _) = write(texts);
        best.push = best.push.min(spent.push);
        best.finish = best.finish.min(spent.finish);
        best.open = best.open.min(spent.open);
        best.hashes = best.hashes.min(spent.hashes);
        best.rare = best.rare.min(spent.rare);
    }
    let each = |amount: usize| amount as f64 / texts.len() as f64;
    let Spent { push, finish, open, hashes, rare } = best;
    let all = each((push + finish + open + hashes + rare) as usize);
    let [push, finish, open, hashes, rare] = [push, finish, open, hashes, rare].map(|ns| each(ns as usize));
    println!(
        "{name:9} {all:6.1} ns: push {push:.1}, finish {finish:.1}, open {open:.1}, hashes {hashes:.1}, rare {rare:.1}"
    );
    let Bytes { rows, texts, rare, memory_max } = taken;
    let all = each(rows + texts + rare);
    let [rows, texts, rare] = [rows, texts, rare].map(each);
    let memory = memory_max >> 20;
    println!(
        "{name:9} {all:6.3} B: rows {rows:.3}, texts {texts:.3}, rare {rare:.3}; the writer took {memory} MiB"
    );
}

/// The messages and the process ids of the lines.
fn columns(lines: &[u8]) -> (Vec<&[u8]>, Vec<&[u8]>) {
    let (mut messages, mut pids): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(8, |&byte| byte == b' ');
        pids.push(fields.nth(4).unwrap_or_default());
        messages.push(fields.nth(2).unwrap_or_default());
    }
    (messages, pids)
}

/// Measures writing first, and then questions.
pub(crate) fn run(lines: &[u8]) {
    let (messages, pids) = columns(lines);
    best("messages", &messages);
    best("pids", &pids);
    // The text that precedes or follows most messages.
    best("nothing", &vec![&b""[..]; messages.len()]);
    ask_groups(&messages);
}

/// Prints the cost of a question to each group in microseconds: for a group that was just opened, and when asked
/// again.
fn ask(name: &str, groups: &[EncodedGroup], question: impl Fn(usize, &TemplateGroup)) {
    let (mut first, mut again) = (u64::MAX, u64::MAX);
    for _ in 0..RUNS {
        let (mut first_now, mut again_now) = (0, 0);
        for (number, EncodedGroup { rows, texts }) in groups.iter().enumerate() {
            let rows = Rows::open(rows).expect("it was just written");
            let group = TemplateGroup::open(Arc::new(rows), texts.clone()).expect("it was just written");
            timed(&mut first_now, || question(number, &group));
            let mut best = u64::MAX;
            for _ in 0..RUNS {
                let mut now = 0;
                timed(&mut now, || question(number, &group));
                best = best.min(now);
            }
            again_now += best;
        }
        (first, again) = (first.min(first_now), again.min(again_now));
    }
    let each = |ns: u64| ns as f64 / 1000.0 / groups.len() as f64;
    println!("{name:34} first {:8.1} us, again {:8.1} us", each(first), each(again));
}

/// Some ranks of each of the positions with the most rows.
fn ranks(rows: &Rows, places: usize, of_each: u32) -> Vec<Ranks> {
    let mut by_count: Vec<usize> = (0..rows.counts().len()).collect();
    by_count.sort_by_key(|&place| std::cmp::Reverse(rows.counts()[place]));
    let mut found = vec![Ranks::None; by_count.len()];
    for &place in &by_count[..places.min(by_count.len())] {
        let count = rows.counts()[place];
        let mut some: Vec<u32> = (1..=of_each).map(|part| count / (of_each + 1) * part).collect();
        some.dedup();
        found[place] = Ranks::Some(some);
    }
    found
}

fn ask_groups(messages: &[&[u8]]) {
    let mut writer = TemplateGroupWriter::default();
    let mut groups = Vec::new();
    for texts in messages.chunks(GROUP_ROWS) {
        for text in texts {
            writer.push(text);
        }
        groups.push(writer.finish());
    }
    for EncodedGroup { rows, texts } in &groups {
        let rows = Rows::open(rows).expect("it was just written");
        let (templates, of_rows) = (rows.counts().len() - 1, rows.memory_bytes() >> 10);
        let group = TemplateGroup::open(Arc::new(rows), texts.clone()).expect("it was just written");
        let memory = group.memory_bytes() >> 10;
        println!("{templates} templates; rows take {of_rows} KiB, texts {memory} KiB");
    }
    for (places, of_each) in [(1, 2), (3, 2), (10, 1), (50, 1), (1, 100), (1, 1000), (20, 1000)] {
        let name = format!("select {of_each} rows of each of {places} places");
        let asked: Vec<Vec<Ranks>> = groups
            .iter()
            .map(|group| ranks(&Rows::open(&group.rows).expect("it was just written"), places, of_each))
            .collect();
        ask(&name, &groups, |number, group| {
            assert!(!group.rows().expect("an answer").select(&asked[number]).is_empty());
        });
    }
    let last = |group: &TemplateGroup| group.rows().expect("an answer").len() - 1;
    ask("read the last 100 rows", &groups, |_, group| {
        assert_eq!(group.read(last(group) - 99..last(group) + 1).expect("an answer").len(), 100);
    });
    ask("read 100 scattered rows", &groups, |_, group| {
        let rows: Vec<u32> = (0..100).map(|row| (row * (last(group) / 100)) as u32).collect();
        assert_eq!(group.read_rows(&rows).expect("an answer").len(), 100);
    });
    ask("read 5000 scattered rows", &groups, |_, group| {
        let rows: Vec<u32> = (0..5000).map(|row| (row * (last(group) / 5000)) as u32).collect();
        assert_eq!(group.read_rows(&rows).expect("an answer").len(), 5000);
    });
    ask("read all", &groups, |_, group| {
        assert_eq!(
            group.read(0..group.rows().expect("an answer").len()).expect("an answer").len(),
            group.rows().expect("an answer").len()
        );
    });
    for word in
        ["qzvwxk", "connection", "node", "94837", "9483712345", "200", "10.251.43.21", "0x1f", "deadbeef01"]
    {
        let wanted = WantedWord::new(word.as_bytes());
        ask(&format!("find {word} in slots"), &groups, |_, group| {
            group.find_in_slots(&wanted).expect("an answer");
        });
    }
    type Form = fn(Vec<u8>) -> WordForm;
    let forms: [(&str, Form, &str); 5] = [
        ("qzv", WordForm::Begins, "*"),
        ("conn", WordForm::Begins, "*"),
        ("onnec", WordForm::Holds, "* (within)"),
        ("94", WordForm::Begins, "*"),
        ("837", WordForm::Ends, " (at the end)"),
    ];
    for (text, form, kind) in forms {
        let sets = [WordSet::new(vec![form(text.as_bytes().to_vec())])];
        ask(&format!("find {text}{kind} in slots"), &groups, |_, group| {
            group.find_words(&sets, &mut |_| true).expect("an answer");
        });
    }
}
