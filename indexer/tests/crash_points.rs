//! The journal under any sequence of append, crash and reopen keeps exactly the acknowledged messages.
//!
//! Every script runs once for each disk call it makes, and that call goes wrong. Then the machine restarts from
//! what a kill or a power cut leaves. What was acknowledged must be there once, under its sequence. Of an
//! append that was not acknowledged any of its batches may be there, each whole: who sent them sends them again.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod common;

use common::{Message, encoded, everything, noise, open, open_all};
use logstead_indexer::{Damage, DamageReason, Durability, Expiry, Fault, Options, SimDisk};
use logstead_record::Timestamp;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Small enough that a few appends fill a file and the memory.
const OPTIONS: Options =
    Options { memory_max: 6000, journal_file_max: 1500, segment_rows_max: 40, durability: Durability::Fsync };

#[derive(Clone, Debug)]
enum Step {
    /// One append of batches of this many messages.
    Append(Vec<usize>),
    /// The process ends and starts again.
    Restart,
    /// Old files are removed until the journal has no more bytes than this.
    Expire(u64),
}

/// What happened to a journal, from the outside.
#[derive(Default)]
struct Model {
    acknowledged: BTreeMap<u64, Message>,
    /// The batches of appends that failed.
    attempted: BTreeSet<Vec<Message>>,
    /// May be gone.
    expired: BTreeSet<Message>,
    written: usize,
}

impl Model {
    /// Distinct messages, some of them long and hard to compress.
    fn batches(&mut self, rows: &[usize]) -> Vec<Vec<Message>> {
        let mut message = || {
            self.written += 1;
            let number = self.written;
            let noise = noise(number as u64, number % 7 * 20);
            (number as i64 / 3, format!("message {number} {noise}"))
        };
        rows.iter().map(|&rows| (0..rows).map(|_| message()).collect()).collect()
    }

    /// Runs steps until one can not be done because the machine is off.
    fn run(&mut self, disk: &SimDisk, steps: &[Step]) {
        let start = || {
            let opened = open_all(disk, OPTIONS).or_else(|_| open_all(disk, OPTIONS));
            opened.map(|opened| (opened.appender, opened.searcher, opened.recovery))
        };
        let Ok((mut appender, mut searcher, _)) = start() else { return };
        for step in steps {
            match step {
                Step::Restart => match start() {
                    Ok((new_appender, new_searcher, _)) => {
                        (appender, searcher) = (new_appender, new_searcher)
                    }
                    Err(_) => return,
                },
                Step::Expire(bytes) => {
                    let expiry = Expiry { received_before: None, bytes_max: Some(*bytes) };
                    let first = match appender.expire(&expiry) {
                        Ok(_) => searcher.stats().first_sequence,
                        Err(_) => u64::MAX,
                    };
                    let kept = self.acknowledged.split_off(&first);
                    self.expired.extend(std::mem::replace(&mut self.acknowledged, kept).into_values());
                }
                Step::Append(rows) => {
                    let batches = self.batches(rows);
                    let ready: Vec<_> = batches.iter().map(encoded).collect();
                    match appender.append(&ready) {
                        Ok(sequences) => self.acknowledged.extend(sequences.zip(batches.concat())),
                        Err(_) => self.attempted.extend(batches),
                    }
                    // Before a restart a failed append is nowhere to be seen.
                    if searcher.stats().next_sequence != appender.next_sequence() {
                        panic!("searchers know another next sequence than the appender");
                    }
                }
            }
        }
    }

    fn check(&self, disk: &SimDisk) {
        let (_, searcher, recovery) = open(disk, OPTIONS);
        let damaged = || recovery.damaged.iter().chain(&recovery.cut);
        let excusable = |damage: &Damage| matches!(damage.why, DamageReason::Frame(_));
        assert!(damaged().all(excusable), "only a torn append leaves something bad: {recovery:?}");
        let (found, coverage) = everything(&searcher);
        let stored: BTreeMap<u64, Message> = found.iter().cloned().collect();
        assert_eq!(stored.len(), found.len(), "a sequence is there twice");
        let texts: BTreeSet<&Message> = stored.values().collect();
        assert_eq!(texts.len(), stored.len(), "a message is there twice");
        for (sequence, message) in &self.acknowledged {
            assert_eq!(stored.get(sequence), Some(message), "{recovery:?} {coverage:?}");
        }
        let mut others = texts;
        self.acknowledged.values().for_each(|message| {
            others.remove(message);
        });
        others.retain(|message| !self.expired.contains(*message));
        for batch in &self.attempted {
            let there = batch.iter().filter(|message| others.remove(message)).count();
            assert!(there == 0 || there == batch.len(), "half a batch is there");
        }
        assert!(others.is_empty(), "never appended: {others:?}");
    }
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => proptest::collection::vec(0_usize..5, 1..4).prop_map(Step::Append),
        1 => Just(Step::Restart),
        1 => (0_u64..5000).prop_map(Step::Expire),
    ];
    proptest::collection::vec(step, 1..9)
}

fn calls_of(steps: &[Step]) -> u64 {
    let disk = SimDisk::new(0);
    Model::default().run(&disk, steps);
    disk.calls()
}

proptest! {
    #![proptest_config(common::cases(150))]

    #[test]
    fn acknowledged_messages_survive_a_death_at_any_disk_call(steps in script(), seed in any::<u64>()) {
        for call in 0..=calls_of(&steps) {
            let disk = SimDisk::new(seed ^ call);
            disk.fault_after(call, Fault::Die);
            let mut model = Model::default();
            model.run(&disk, &steps);
            model.check(&disk.after_kill());
            for cut in 0..4 {
                model.check(&disk.after_power_cut(seed.wrapping_add(call * 4 + cut)));
            }
        }
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
        for call in 0..=calls_of(&steps) {
            let disk = SimDisk::new(seed ^ call);
            (0..in_a_row).for_each(|next| disk.fault_after(call + next, Fault::Fail));
            let mut model = Model::default();
            model.run(&disk, &steps);
            model.check(&disk.after_kill());
            model.check(&disk.after_power_cut(seed.wrapping_add(call)));
        }
    }
}

#[test]
fn a_failed_append_is_not_seen_and_the_next_one_works() {
    let disk = SimDisk::new(1);
    let (mut appender, searcher, _) = open(&disk, OPTIONS);
    let messages: Vec<Message> = (0..3).map(|number| (number, format!("message {number}"))).collect();
    appender.append(&[encoded(&messages[..1])]).unwrap();
    // The write, and the sync: the second leaves the file behind.
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
    let old = Expiry { received_before: Some(Timestamp::from_nanos(50)), bytes_max: None };
    let expired = appender.expire(&old).unwrap();
    assert!(0 < expired.files && 40 < expired.messages && expired.messages <= 50, "{expired:?}");
    let kept = messages[expired.messages as usize..].to_vec();
    let expected: Vec<_> = (expired.messages..).zip(kept).collect();
    assert_eq!(everything(&searcher).0, expected);
    assert_eq!(everything(&open(&disk.after_kill(), OPTIONS).1).0, expected);

    let large = Expiry { received_before: None, bytes_max: Some(4000) };
    appender.expire(&large).unwrap();
    let bytes = searcher.stats().journal_bytes;
    assert!(bytes <= 4000 && 2000 < bytes, "{bytes}");

    let all = Expiry { received_before: Some(Timestamp::MAX), bytes_max: None };
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
    // After the write, the sync and the cut.
    disk.fault_after(1, Fault::Fail);
    disk.fault_after(2, Fault::Fail);
    appender.append(&[encoded(&messages[1..2])]).unwrap_err();
    assert_eq!(appender.append(&[encoded(&messages[2..])]).unwrap(), 1..2);
    let (found, coverage) = everything(&open(&disk.after_kill(), OPTIONS).1);
    assert_eq!(found, [(0, messages[0].clone()), (1, messages[2].clone())]);
    assert!(coverage.complete, "{coverage:?}");
}
