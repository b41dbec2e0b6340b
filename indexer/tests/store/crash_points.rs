//! A logspace keeps exactly the acknowledged messages under any sequence of appends, sealing, joining, expiry, index
//! rebuilds, crashes and restarts.
//!
//! Every script runs once for each of its disk calls, and that call fails. Then the machine restarts from the files
//! left by a kill or a power cut. Every acknowledged message must be there exactly once, under its sequence, whether
//! it is found by an index or by reading everything; and expired messages must be gone. Any complete batches of an
//! unacknowledged append may be there, because their sender sends them again.
//!
//! Keywords: crash, power cut, simulated disk, durability.
use crate::common;

use common::{DIR, JOURNAL, Message, SEGMENTS, encoded, everything, filter, noise, open, open_all};
use logstead_indexer::{
    Damage, DamageReason, Disk, Durability, Expiry, Fault, Keeper, OpenLogspace, Options, SimDisk,
};
use logstead_query::TimeRange;
use logstead_record::Timestamp;
use logstead_work::SearchContext;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Limits so small that a few appends exceed them.
const OPTIONS: Options = Options {
    memory_max: 6000,
    index_memory_max: 6000,
    journal_file_max: 1500,
    journal_rows_max: u32::MAX,
    segment_rows_max: 40,
    join_bytes_max: 64 << 20,
    durability: Durability::Fsync,
};
/// A number of tasks greater than any script needs.
const TASKS_MAX: usize = 100;

#[derive(Clone, Debug)]
enum Step {
    /// Appends batches with these numbers of messages at once.
    Append(Vec<usize>),
    /// Restarts the process.
    Restart,
    /// Removes old files and segments until the rest has at most this many bytes.
    Expire(u64),
    /// Ends the journal file.
    Roll,
    /// Seals, indexes and joins everything that can be.
    Keep,
    /// Rebuilds all indexes.
    Reindex,
}

/// The history of a logspace as seen from outside.
#[derive(Default)]
struct Model {
    acknowledged: BTreeMap<u64, Message>,
    /// The batches of appends that failed.
    attempted: BTreeSet<Vec<Message>>,
    /// Messages that must be gone.
    expired: BTreeSet<Message>,
    /// Messages that may be gone, because their expiry failed.
    expiring: BTreeMap<u64, Message>,
    written: usize,
}

impl Model {
    /// Distinct messages, some of them long and hard to compress.
    fn batches(&mut self, rows: &[usize]) -> Vec<Vec<Message>> {
        let mut message = || {
            self.written += 1;
            let number = self.written;
            let noise = noise(number as u64, number % 7 * 20);
            (number as i64 / 3, format!("message unique{number} {noise}"))
        };
        rows.iter().map(|&rows| (0..rows).map(|_| message()).collect()).collect()
    }

    /// Runs steps until one cannot be done because the machine has stopped.
    fn run(&mut self, disk: &SimDisk, steps: &[Step]) {
        let start = || open_all(disk, OPTIONS).or_else(|_| open_all(disk, OPTIONS));
        let Ok(mut opened) = start() else { return };
        for step in steps {
            match step {
                Step::Restart => match start() {
                    Ok(new) => opened = new,
                    Err(_) => return,
                },
                Step::Expire(bytes) => self.expire(&mut opened, *bytes),
                Step::Append(rows) => self.append(&mut opened, rows),
                Step::Roll => drop(opened.appender.close_old(Timestamp::MAX)),
                Step::Keep => keep(&opened.keeper),
                Step::Reindex => opened.keeper.reindex_tasks().iter().for_each(|task| {
                    drop(opened.keeper.run(task, &|| false));
                }),
            }
            // Until a restart, a failed append must be invisible.
            let next_sequence = opened.searcher.stats().next_sequence;
            assert_eq!(next_sequence, opened.appender.next_sequence, "searchers know another");
        }
    }

    fn append(&mut self, opened: &mut OpenLogspace, rows: &[usize]) {
        let batches = self.batches(rows);
        let ready: Vec<_> = batches.iter().map(encoded).collect();
        match opened.appender.append(&ready) {
            Ok(sequences) => self.acknowledged.extend(sequences.zip(batches.concat())),
            Err(_) => self.attempted.extend(batches),
        }
    }

    fn expire(&mut self, opened: &mut OpenLogspace, bytes: u64) {
        let expiry = Expiry { bytes_max: Some(bytes), ..Expiry::default() };
        let would_be_first = opened.searcher.stats().first_sequence + opened.keeper.preview(&expiry).messages;
        // If a file could not be read at the start, it is unknown which messages expire with it.
        let is_known = opened.searcher.stats().damaged == 0;
        let done = opened.appender.expire(&expiry).is_ok();
        let kept = self.acknowledged.split_off(&would_be_first);
        self.expiring.append(&mut std::mem::replace(&mut self.acknowledged, kept));
        if done && is_known {
            assert_eq!(opened.searcher.stats().first_sequence, would_be_first);
            let expiring = self.expiring.split_off(&would_be_first);
            self.expired.extend(std::mem::replace(&mut self.expiring, expiring).into_values());
        }
    }

    fn check(&self, disk: &SimDisk) {
        let opened = open_all(disk, OPTIONS).unwrap();
        let recovery = &opened.recovery;
        let damaged = || recovery.damaged.iter().chain(&recovery.cut);
        let excusable = |damage: &Damage| matches!(damage.why, DamageReason::Frame(_));
        assert!(damaged().all(excusable), "only a torn append leaves something bad: {recovery:?}");
        self.check_messages(&opened, &[]);
        check_files(disk, &opened);
    }

    /// Checks that messages can be stored, sealed and joined again.
    fn check_that_life_goes_on(&self, disk: &SimDisk) {
        let mut opened = open_all(disk, OPTIONS).unwrap();
        let later = (0, "message later".to_owned());
        let sequences = opened.appender.append(&[encoded([&later])]).unwrap();
        opened.appender.close_old(Timestamp::MAX).unwrap();
        while let Some(task) = opened.keeper.next_task(true) {
            opened.keeper.run(&task, &|| false).unwrap();
        }
        if opened.recovery.damaged.is_empty() {
            assert_eq!(opened.keeper.backlog().files, 0);
            opened.searcher.verify(&SearchContext::alone(), &mut |checked| {
                assert!(checked.findings.is_empty(), "{checked:?}");
            });
        }
        self.check_messages(&opened, &[(sequences.start, later)]);
        check_files(disk, &opened);
    }

    /// Checks that there are exactly the expected messages and these.
    fn check_messages(&self, opened: &OpenLogspace, later: &[(u64, Message)]) {
        let (found, coverage) = everything(&opened.searcher);
        let context = || format!("{:?} {coverage:?}", opened.recovery);
        let stored: BTreeMap<u64, Message> = found.iter().cloned().collect();
        assert_eq!(stored.len(), found.len(), "a sequence is there twice: {}", context());
        let texts: BTreeSet<&Message> = stored.values().collect();
        assert_eq!(texts.len(), stored.len(), "a message is there twice: {}", context());
        let expected = || self.acknowledged.iter().chain(later.iter().map(|(sequence, m)| (sequence, m)));
        for (sequence, message) in expected() {
            assert_eq!(stored.get(sequence), Some(message), "{}", context());
        }
        let mut others = texts;
        expected().for_each(|(_, message)| {
            others.remove(message);
        });
        self.expiring.values().for_each(|message| {
            others.remove(message);
        });
        for batch in &self.attempted {
            let there = batch.iter().filter(|message| others.remove(message)).count();
            assert!(there == 0 || there == batch.len(), "half a batch is there");
        }
        let returned: Vec<_> = others.iter().filter(|message| self.expired.contains(**message)).collect();
        assert!(returned.is_empty(), "expired and there again: {returned:?} {}", context());
        assert!(others.is_empty(), "never appended: {others:?}");
        self.check_counts(opened, found.len() as u64);
    }

    fn check_counts(&self, opened: &OpenLogspace, all: u64) {
        let check = |query: &str, expected: u64| {
            let counted = opened.searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone());
            assert_eq!(counted.count, expected, "{query}: {:?} {:?}", counted.coverage, opened.recovery);
        };
        // These are found by an index if there is one, and by examining each message.
        check("message", all);
        check("/essag/", all);
        if let Some((_, text)) = self.acknowledged.values().next_back() {
            check(text.split(' ').nth(1).unwrap(), 1);
        }
    }
}

/// Runs all pending tasks, ignoring failures.
fn keep(keeper: &Keeper) {
    for _ in 0..TASKS_MAX {
        let Some(task) = keeper.next_task(true) else { return };
        if keeper.run(&task, &|| false).is_err() {
            return;
        }
    }
    panic!("there is always something to do");
}

/// Checks that every file belongs to the logspace or was cut off.
fn check_files(disk: &SimDisk, opened: &OpenLogspace) {
    let is_part = |name: &String| !name.ends_with(".cut");
    let list = |dir| disk.list(Path::new(dir)).unwrap().into_iter().filter(is_part).collect::<Vec<_>>();
    let stats = opened.searcher.stats();
    assert_eq!(list(JOURNAL).len(), stats.journal_files, "{:?}", list(JOURNAL));
    let names = list(SEGMENTS);
    let (blocks, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.ends_with(".blocks"));
    assert_eq!(blocks.len(), stats.segments, "{names:?}");
    let index_of = |name: &&String| name.replace(".blocks", ".index");
    let indexes: BTreeSet<String> = blocks.iter().map(index_of).collect();
    assert!(others.iter().all(|name| indexes.contains(*name)), "{names:?}");
    assert!(list(DIR).iter().all(|name| name == "manifest"), "{:?}", list(DIR));
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => proptest::collection::vec(0_usize..5, 1..4).prop_map(Step::Append),
        2 => Just(Step::Restart),
        2 => (0_u64..5000).prop_map(Step::Expire),
        2 => Just(Step::Roll),
        4 => Just(Step::Keep),
        1 => Just(Step::Reindex),
    ];
    proptest::collection::vec(step, 1..10)
}

/// Seals four files, joins them, and continues with all other steps.
fn every_step() -> Vec<Step> {
    let sealed = |rows: usize| [Step::Append(vec![rows, 1]), Step::Roll, Step::Keep];
    let mut steps: Vec<Step> = (0..4).flat_map(|_| sealed(2)).collect();
    steps.extend([Step::Restart, Step::Reindex]);
    steps.extend(sealed(1));
    steps.extend([Step::Expire(4000), Step::Append(vec![3]), Step::Roll, Step::Append(vec![2]), Step::Keep]);
    steps.extend([Step::Expire(1000), Step::Append(vec![1])]);
    steps
}

fn calls_of(steps: &[Step]) -> u64 {
    let disk = SimDisk::new(0);
    Model::default().run(&disk, steps);
    disk.calls()
}

/// Runs a script with a failure at each of its disk calls.
fn check_each_call(steps: &[Step], seed: u64, power_cuts: u64, fault: impl Fn(&SimDisk, u64)) {
    for call in 0..=calls_of(steps) {
        let disk = SimDisk::new(seed ^ call);
        fault(&disk, call);
        let mut model = Model::default();
        model.run(&disk, steps);
        let killed = disk.after_kill();
        model.check(&killed);
        model.check_that_life_goes_on(&killed);
        for cut in 0..power_cuts {
            model.check(&disk.after_power_cut(seed.wrapping_add(call * power_cuts + cut)));
        }
    }
}

#[test]
fn every_step_happens() {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, OPTIONS).unwrap();
    for _ in 0..4 {
        Model::default().append(&mut opened, &[2, 1]);
        opened.appender.close_old(Timestamp::MAX).unwrap();
    }
    keep(&opened.keeper);
    assert_eq!(opened.searcher.stats().segments, 1);
    let mut model = Model::default();
    model.run(&SimDisk::new(0), &every_step());
    assert!(!model.expired.is_empty() && !model.acknowledged.is_empty());
}

#[test]
fn acknowledged_messages_survive_a_death_at_any_disk_call_of_every_step() {
    check_each_call(&every_step(), 7, 2, |disk, call| disk.fault_after(call, Fault::Die));
}

#[test]
fn disk_calls_that_fail_at_any_step_lose_nothing() {
    check_each_call(&every_step(), 1, 1, |disk, call| {
        (0..1 + call % 3).for_each(|next| disk.fault_after(call + next, Fault::Fail));
    });
}

/// The sync of the last append fails, and then the removal of what it wrote. A restart finds that in memory, and no
/// later sync writes it.
#[test]
fn what_expired_stays_expired_if_the_disk_forgot_the_newest_messages() {
    let appends = [&[2, 2][..], &[3], &[3, 4], &[3, 3]].map(|rows| Step::Append(rows.to_vec()));
    let steps = [&appends[..], &[Step::Restart, Step::Expire(2885)]].concat();
    check_each_call(&steps, 3, 16, |disk, call| {
        (0..2).for_each(|next| disk.fault_after(call + next, Fault::Fail));
    });
}

proptest! {
    #![proptest_config(common::cases(5))]

    #[test]
    fn acknowledged_messages_survive_a_death_at_any_disk_call(steps in script(), seed in any::<u64>()) {
        check_each_call(&steps, seed, 4, |disk, call| disk.fault_after(call, Fault::Die));
    }

    #[test]
    fn life_goes_on_after_a_death_and_survives_the_next(
        before in script(), after in script(), seed in any::<u64>(), at in any::<prop::sample::Index>(),
        next_at in any::<prop::sample::Index>(), power_cut in any::<bool>(),
    ) {
        let disk = SimDisk::new(seed);
        disk.fault_after(at.index(calls_of(&before) as usize + 1) as u64, Fault::Die);
        let mut model = Model::default();
        model.run(&disk, &before);
        let disk = if power_cut { disk.after_power_cut(seed) } else { disk.after_kill() };
        disk.fault_after(next_at.index(calls_of(&after) as usize + 1) as u64, Fault::Die);
        model.run(&disk, &after);
        model.check(&disk.after_kill());
        for cut in 0..8 {
            model.check(&disk.after_power_cut(seed ^ cut));
        }
    }

    #[test]
    fn disk_calls_that_fail_lose_nothing_that_was_acknowledged(
        steps in script(), seed in any::<u64>(), in_a_row in 1_u64..4,
    ) {
        check_each_call(&steps, seed, 1, |disk, call| {
            (0..in_a_row).for_each(|next| disk.fault_after(call + next, Fault::Fail));
        });
    }
}

#[test]
fn a_failed_append_is_not_seen_and_the_next_one_works() {
    let disk = SimDisk::new(1);
    let (mut appender, searcher, _) = open(&disk, OPTIONS);
    let messages: Vec<Message> = (0..3).map(|number| (number, format!("message {number}"))).collect();
    appender.append(&[encoded(&messages[..1])]).unwrap();
    // The failing call is the write, then the sync; after the second, the file is abandoned.
    for failing_call in [0, 1] {
        disk.fault_after(failing_call, Fault::Fail);
        appender.append(&[encoded(&messages[1..])]).unwrap_err();
        assert_eq!(everything(&searcher).0, [(0, messages[0].clone())]);
    }
    assert_eq!(appender.append(&[encoded(&messages[1..])]).unwrap(), 1..3);
    let (found, coverage) = everything(&open(&disk.after_power_cut(5), OPTIONS).1);
    assert_eq!(found, (0..).zip(messages).collect::<Vec<_>>());
    assert!(coverage.complete, "{coverage:?}");
}

#[test]
fn what_expired_is_gone_and_sequences_go_on() {
    let disk = SimDisk::new(1);
    let (mut appender, searcher, _) = open(&disk, OPTIONS);
    let messages: Vec<Message> =
        (0..100).map(|number| (number, format!("message {number} {number:0>200}"))).collect();
    for message in &messages {
        appender.append(&[encoded([message])]).unwrap();
    }
    let old = Expiry { received_before: Some(Timestamp::from_nanos(50)), ..Expiry::default() };
    let expired = appender.expire(&old).unwrap();
    assert!(0 < expired.files && 40 < expired.messages && expired.messages <= 50, "{expired:?}");
    let kept = messages[expired.messages as usize..].to_vec();
    let expected: Vec<_> = (expired.messages..).zip(kept).collect();
    assert_eq!(everything(&searcher).0, expected);
    assert_eq!(everything(&open(&disk.after_kill(), OPTIONS).1).0, expected);

    let large = Expiry { bytes_max: Some(4000), ..Expiry::default() };
    appender.expire(&large).unwrap();
    let bytes = searcher.stats().journal_bytes;
    assert!(bytes <= 4000 && 2000 < bytes, "{bytes}");

    let all = Expiry { received_before: Some(Timestamp::MAX), ..Expiry::default() };
    appender.expire(&all).unwrap();
    assert_eq!(searcher.stats().messages, 0);
    let (mut appender, searcher, _) = open(&disk.after_kill(), OPTIONS);
    assert_eq!(appender.append(&[encoded([&messages[0]])]).unwrap(), 100..101);
    assert_eq!(searcher.stats().first_sequence, 100);
}

#[test]
fn a_file_whose_name_was_not_synced_is_kept_once_it_holds_something() {
    let disk = SimDisk::new(1);
    let (mut appender, ..) = open(&disk, OPTIONS);
    let message = (1, "message".to_owned());
    // create, append, sync, rename, and then the directory's sync.
    disk.fault_after(4, Fault::Fail);
    appender.append(&[encoded([&message])]).unwrap_err();
    let (mut appender, ..) = open(&disk, OPTIONS);
    appender.append(&[encoded([&message])]).unwrap();
    for seed in 0..8 {
        assert_eq!(everything(&open(&disk.after_power_cut(seed), OPTIONS).1).0, [(0, message.clone())]);
    }
}

#[test]
fn a_file_that_may_have_been_begun_ends_the_one_before() {
    let disk = SimDisk::new(1);
    let (mut appender, ..) = open(&disk, OPTIONS);
    let long = |number: u64| (number as i64, noise(number, 1000));
    appender.append(&[encoded(&[long(0)])]).unwrap();
    // create, append, sync, rename, and then the directory's sync.
    disk.fault_after(4, Fault::Fail);
    appender.append(&[encoded(&[long(1), long(2)])]).unwrap_err();
    let short = (3, "short".to_owned());
    appender.append(&[encoded([&short])]).unwrap();
    assert_eq!(everything(&open(&disk.after_kill(), OPTIONS).1).0, [(0, long(0)), (1, short)]);
}

#[test]
fn what_a_failed_append_leaves_in_a_file_that_can_not_be_cut_is_void() {
    let disk = SimDisk::new(1);
    let (mut appender, ..) = open(&disk, OPTIONS);
    let messages = ["first", "failed", "second"].map(|text| (1, text.to_owned()));
    appender.append(&[encoded(&messages[..1])]).unwrap();
    // The calls that fail come after the write: the sync and the cut.
    disk.fault_after(1, Fault::Fail);
    disk.fault_after(2, Fault::Fail);
    appender.append(&[encoded(&messages[1..2])]).unwrap_err();
    assert_eq!(appender.append(&[encoded(&messages[2..])]).unwrap(), 1..2);
    let (found, coverage) = everything(&open(&disk.after_kill(), OPTIONS).1);
    assert_eq!(found, [(0, messages[0].clone()), (1, messages[2].clone())]);
    assert!(coverage.complete, "{coverage:?}");
}
