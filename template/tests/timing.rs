//! What groups of texts cost: CPU of each step, and bytes; and that all texts come back. It needs a file of lines:
//!
//! `LOGSTEAD_CORPUS=FILE cargo test --release -p logstead-template --test timing -- --ignored --nocapture`
//!
//! The message of a line is what follows its seventh space, its process id the fifth field.

#![expect(clippy::print_stderr, reason = "it measures")]

use logstead_template::{RareWriter, Rows, TextGroup, TextGroupWriter, Written};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;

/// Rows of a group.
const GROUP_ROWS: usize = 1 << 17;
const RUNS: usize = 3;
const SEED: u64 = 0x5eed;

/// Nanoseconds of CPU of the steps.
#[derive(Clone, Copy, Default)]
struct Spent {
    push: u64,
    finish: u64,
    open: u64,
    hashes: u64,
    rare: u64,
}

/// Bytes that were written, and the most memory that a writer took.
#[derive(Clone, Copy, Default)]
struct Taken {
    rows: usize,
    texts: usize,
    rare: usize,
    memory_max: usize,
}

fn cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What a step took is added to `spent`.
fn timed<T>(spent: &mut u64, step: impl FnOnce() -> T) -> T {
    let start = cpu();
    let result = step();
    *spent += cpu() - start;
    result
}

fn run(texts: &[&[u8]]) -> (Spent, Taken) {
    let (mut spent, mut taken) = (Spent::default(), Taken::default());
    let (mut writer, mut rare, mut rare_bytes) =
        (TextGroupWriter::default(), RareWriter::default(), Vec::new());
    for (number, written) in texts.chunks(GROUP_ROWS).enumerate() {
        timed(&mut spent.push, || {
            for text in written {
                writer.push(text);
            }
        });
        taken.memory_max = taken.memory_max.max(writer.memory_bytes());
        let Written { rows, texts } = timed(&mut spent.finish, || writer.finish());
        taken.rows += rows.len();
        taken.texts += texts.len();
        let group = timed(&mut spent.open, || TextGroup::open(Arc::new(Rows::open(&rows)?), texts));
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
    let (mut best, taken) = run(texts);
    for _ in 1..RUNS {
        let (spent, _) = run(texts);
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
    eprintln!(
        "{name:9} {all:6.1} ns: push {push:.1}, finish {finish:.1}, open {open:.1}, hashes {hashes:.1}, rare {rare:.1}"
    );
    let Taken { rows, texts, rare, memory_max } = taken;
    let all = each(rows + texts + rare);
    let [rows, texts, rare] = [rows, texts, rare].map(each);
    let memory = memory_max >> 20;
    eprintln!(
        "{name:9} {all:6.3} B: rows {rows:.3}, texts {texts:.3}, rare {rare:.3}; the writer took {memory} MiB"
    );
}

#[test]
#[ignore = "measures: LOGSTEAD_CORPUS=a file of lines"]
fn groups_of_texts() {
    let path = std::env::var_os("LOGSTEAD_CORPUS").expect("LOGSTEAD_CORPUS names a file of lines");
    let lines = std::fs::read(path).unwrap();
    let (mut messages, mut pids): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(8, |&byte| byte == b' ');
        pids.push(fields.nth(4).unwrap_or_default());
        messages.push(fields.nth(2).unwrap_or_default());
    }
    best("messages", &messages);
    best("pids", &pids);
    // What stands before or behind most messages.
    best("nothing", &vec![&b""[..]; messages.len()]);
}
