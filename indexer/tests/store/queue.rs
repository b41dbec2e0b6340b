//! A queue returns every acknowledged message in order, under any sequence of appends, reads, crashes and restarts,
//! and none again that was recorded as finished.
//!
//! Every script runs once for each of its disk calls, and that call fails. Then the machine restarts from the files
//! left by a kill or a power cut, and the rest of the queue is read.
//!
//! Keywords: queue, cursor, acknowledge, crash.
use crate::common;

use common::{Message, encoded, noise};
use logstead_indexer::{
    CursorError, Disk, Durability, Fault, FollowEvent, MissingCause, OpenQueue, OpenQueueError, Options,
    QueueReader, SimDisk, closed_queue, look, open_queue, verify_cursor,
};
use logstead_record::Timestamp;
use logstead_work::{Alone, SearchContext};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const DIR: &str = "/data/queues/siem";
const CURSOR: &str = "/data/queues/siem/cursor";
/// Limits so small that a few appends exceed them.
const OPTIONS: Options = Options {
    memory_max: 3000,
    index_memory_max: 0,
    journal_file_max: 1500,
    journal_rows_max: u32::MAX,
    segment_rows_max: 40,
    join_bytes_max: 64 << 20,
    durability: Durability::Fsync,
};

#[derive(Clone, Debug)]
enum Step {
    /// Appends batches with these numbers of messages at once.
    Append(Vec<usize>),
    /// Reads this many messages, and records all but some as finished.
    Read(usize, usize),
    /// Goes back, so that messages that were read but not recorded as finished are read again.
    Rewind,
    /// Restarts the process.
    Restart,
}

/// The history of a queue as seen from outside.
#[derive(Clone, Default)]
struct Model {
    acknowledged: BTreeMap<u64, Message>,
    attempted: BTreeSet<Message>,
    given: BTreeMap<u64, Message>,
    /// All messages before this sequence were recorded as finished.
    noted: u64,
    written: usize,
}

fn open(disk: &SimDisk) -> Result<OpenQueue, OpenQueueError> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    open_queue(&disk, Path::new(DIR), OPTIONS, 0)
}

/// Reads up to this many messages, in the order in which they come.
fn read(reader: &mut QueueReader, limit: usize) -> Vec<(u64, Message)> {
    read_up_to_a_hole(reader, limit).0
}

/// The same, and also returns the end of a gap that was met.
fn read_up_to_a_hole(reader: &mut QueueReader, limit: usize) -> (Vec<(u64, Message)>, Option<u64>) {
    let (mut found, mut hole) = (Vec::new(), None);
    if limit == 0 {
        return (found, hole);
    }
    reader.read(&SearchContext::alone(), &mut |part| {
        let matched = match part {
            FollowEvent::Messages { matched: Some(matched), .. } => matched,
            FollowEvent::Messages { sequences, .. } => panic!("{sequences:?} do not match"),
            // Messages that cannot be read from the disk now are not skipped: they may be readable the next time.
            FollowEvent::Missing { sequences, .. } => {
                hole = Some(sequences.end);
                return ControlFlow::Break(sequences.start);
            }
        };
        for row in matched.rows.iter() {
            let mut raw = Vec::new();
            matched.batch.write_raw(row, &mut raw);
            let message = (matched.batch.time(row).nanos(), String::from_utf8(raw).unwrap());
            found.push((matched.first_sequence + row as u64, message));
            if found.len() == limit {
                return ControlFlow::Break(matched.first_sequence + row as u64 + 1);
            }
        }
        ControlFlow::Continue(())
    });
    (found, hole)
}

impl Model {
    fn batches(&mut self, rows: &[usize]) -> Vec<Vec<Message>> {
        let mut message = || {
            self.written += 1;
            (
                self.written as i64,
                format!("{} {}", self.written, noise(self.written as u64, self.written % 7 * 20)),
            )
        };
        rows.iter().map(|&rows| (0..rows).map(|_| message()).collect()).collect()
    }

    /// Runs steps until one cannot be done because the machine has stopped.
    fn run(&mut self, disk: &SimDisk, steps: &[Step]) {
        let start = || open(disk).or_else(|_| open(disk));
        let Ok(mut queue) = start() else { return };
        assert_eq!(queue.cursor, None, "what fails once is tried again");
        for step in steps {
            match step {
                Step::Append(rows) => self.append(&mut queue, rows),
                Step::Read(limit, left) => self.read(&mut queue.reader, *limit, *left),
                Step::Rewind => queue.reader.rewind(),
                Step::Restart => match start() {
                    Ok(new) => queue = new,
                    Err(_) => return,
                },
            }
        }
    }

    fn append(&mut self, queue: &mut OpenQueue, rows: &[usize]) {
        let batches = self.batches(rows);
        let ready: Vec<_> = batches.iter().map(encoded).collect();
        match queue.appender.append(&ready) {
            Ok(sequences) => self.acknowledged.extend(sequences.zip(batches.concat())),
            Err(_) => self.attempted.extend(batches.concat()),
        }
    }

    fn read(&mut self, reader: &mut QueueReader, limit: usize, left: usize) {
        self.give(reader, limit);
        let before = reader.next().saturating_sub(left as u64);
        if reader.done_with(before).is_ok() {
            self.noted = self.noted.max(before);
        }
    }

    /// Reads messages, and checks that none are skipped and none come again that were recorded as finished. Returns
    /// the end of a gap that was met.
    fn give(&mut self, reader: &mut QueueReader, limit: usize) -> Option<u64> {
        assert!(self.noted <= reader.done(), "what was noted comes again");
        let next = reader.next();
        let (messages, hole) = read_up_to_a_hole(reader, limit);
        for (next, (sequence, message)) in (next..).zip(messages) {
            assert_eq!(sequence, next, "messages are skipped");
            match self.acknowledged.get(&sequence) {
                Some(acknowledged) => assert_eq!(message, *acknowledged),
                None => assert!(self.attempted.contains(&message), "never appended: {message:?}"),
            }
            self.given.insert(sequence, message);
        }
        hole
    }

    /// Reads the rest, skipping messages of an interrupted append that the disk has lost, and checks that every
    /// acknowledged message was returned.
    fn check(&self, disk: &SimDisk) {
        let mut model = self.clone();
        let mut queue = open(disk).unwrap();
        assert_eq!(queue.cursor, None);
        while let Some(end) = model.give(&mut queue.reader, usize::MAX) {
            queue.reader.skip(end);
        }
        assert_eq!(queue.reader.next(), queue.searcher.next_sequence(), "something cannot be read");
        let missing: Vec<_> =
            model.acknowledged.keys().filter(|sequence| !model.given.contains_key(sequence)).collect();
        assert!(missing.is_empty(), "never given out: {missing:?}");
        queue.appender.append(&[encoded([&(0, "later".to_owned())])]).unwrap();
        assert_eq!(read(&mut queue.reader, 10).len(), 1);
        queue.appender.close_old(Timestamp::MAX).unwrap();
        queue.reader.done_with(u64::MAX).unwrap();
        assert_eq!((queue.reader.waiting(), queue.searcher.stats().messages), (0, 0), "nothing is kept");
    }
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => proptest::collection::vec(0_usize..6, 1..4).prop_map(Step::Append),
        6 => (0_usize..20, 0_usize..4).prop_map(|(limit, left)| Step::Read(limit, left)),
        1 => Just(Step::Rewind),
        2 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..14)
}

fn every_step() -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..4 {
        steps.extend([Step::Append(vec![5, 3]), Step::Read(6, 1), Step::Append(vec![4]), Step::Rewind]);
        steps.extend([Step::Read(9, 0), Step::Restart]);
    }
    steps
}

/// Runs a script with a failure at each of its disk calls.
fn check_each_call(steps: &[Step], seed: u64, fault: impl Fn(&SimDisk, u64)) {
    let calls = {
        let disk = SimDisk::new(0);
        Model::default().run(&disk, steps);
        disk.calls()
    };
    for call in 0..=calls {
        let disk = SimDisk::new(seed ^ call);
        fault(&disk, call);
        let mut model = Model::default();
        model.run(&disk, steps);
        model.check(&disk.after_kill());
        for cut in 0..2 {
            model.check(&disk.after_power_cut(seed.wrapping_add(call * 2 + cut)));
        }
    }
}

#[test]
fn every_message_is_given_out_after_a_death_at_any_disk_call_of_every_step() {
    check_each_call(&every_step(), 7, |disk, call| disk.fault_after(call, Fault::Die));
}

#[test]
fn disk_calls_that_fail_at_any_step_skip_nothing() {
    check_each_call(&every_step(), 1, |disk, call| disk.fault_after(call, Fault::Fail));
}

proptest! {
    #![proptest_config(common::cases(5))]

    #[test]
    fn every_message_is_given_out_after_a_death_at_any_disk_call(steps in script(), seed in any::<u64>()) {
        check_each_call(&steps, seed, |disk, call| disk.fault_after(call, Fault::Die));
    }
}

/// A queue with this many messages, of which this many are finished.
fn filled(disk: &SimDisk, messages: usize, done: u64) -> OpenQueue {
    let mut queue = open(disk).unwrap();
    for number in 0..messages {
        queue.appender.append(&[encoded([&(number as i64, format!("message {number}"))])]).unwrap();
    }
    read(&mut queue.reader, usize::MAX);
    queue.reader.done_with(done).unwrap();
    queue
}

#[test]
fn files_that_are_done_with_go_and_the_cursor_moves_on_without_them() {
    let disk = SimDisk::new(0);
    let queue = filled(&disk, 200, 199);
    let stats = queue.searcher.stats();
    assert!(stats.journal_files <= 2 && 150 < stats.first_sequence, "{stats:?}");
    let mut queue = open(&disk).unwrap();
    assert_eq!((queue.reader.done(), queue.reader.waiting()), (199, 1));
    assert_eq!(read(&mut queue.reader, 10)[0].1.1, "message 199");
}

#[test]
fn a_cursor_that_is_missing_or_damaged_is_named_and_all_that_is_there_comes_again() {
    for expected in [CursorError::Damaged, CursorError::Missing] {
        let disk = SimDisk::new(0);
        drop(filled(&disk, 10, 7));
        match expected {
            CursorError::Missing => disk.remove(Path::new(CURSOR)).unwrap(),
            _ => [130, 130 + 8 * 512].iter().for_each(|bit| disk.flip(Path::new(CURSOR), *bit)),
        }
        let mut queue = open(&disk).unwrap();
        assert_eq!(queue.cursor, Some(expected));
        let kept = (expected == CursorError::Damaged).then(|| "cursor.orphan".to_owned());
        assert_eq!(queue.cursor_kept, kept);
        assert_eq!(read(&mut queue.reader, 100).len(), 10);
        assert_eq!(open(&disk).unwrap().cursor, None, "it was written anew");
    }
}

#[test]
fn one_damaged_note_of_a_cursor_is_found_by_looking_and_costs_no_more_than_what_was_noted_since() {
    for bit in [130, 130 + 8 * 512] {
        let disk = SimDisk::new(0);
        drop(filled(&disk, 10, 7));
        disk.flip(Path::new(CURSOR), bit);
        assert_eq!(looked_at(&disk), Some(CursorError::Damaged));
        let mut queue = open(&disk).unwrap();
        assert_eq!(queue.cursor, None);
        let again = read(&mut queue.reader, 100).len();
        assert!([3, 10].contains(&again), "{again}");
        queue.reader.done_with(9).unwrap();
        assert_eq!(looked_at(&disk), None, "it is whole again");
    }
}

/// The error of the cursor found by inspecting the queue, if there is one.
fn looked_at(disk: &SimDisk) -> Option<CursorError> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let looked = look(&disk, Path::new(DIR), &Alone).unwrap();
    verify_cursor(&*disk, Path::new(DIR), &looked.searcher)
}

#[test]
fn a_look_finds_every_flipped_bit_of_a_cursor_and_every_cut() {
    let disk = SimDisk::new(0);
    drop(filled(&disk, 10, 7));
    assert_eq!(looked_at(&disk), None);
    for bit in (0..1024 * 8).step_by(37) {
        let disk = disk.after_kill();
        disk.flip(Path::new(CURSOR), bit);
        assert_eq!(looked_at(&disk), Some(CursorError::Damaged), "bit {bit}");
    }
    for length in [0, 1, 24, 511, 512, 700, 1023] {
        let disk = disk.after_kill();
        disk.open(Path::new(CURSOR)).unwrap().truncate(length).unwrap();
        assert_eq!(looked_at(&disk), Some(CursorError::Damaged), "cut to {length}");
    }
}

#[test]
fn the_cursor_of_another_queue_is_told_apart_and_kept_and_all_that_is_there_comes_again() {
    let (own, other) = (SimDisk::new(0), SimDisk::new(1));
    drop(filled(&own, 10, 2));
    drop(filled(&other, 9, 9));
    copy(&other, &own);
    assert_eq!(looked_at(&own), Some(CursorError::Foreign));
    let mut queue = open(&own).unwrap();
    assert_eq!(
        (queue.cursor, queue.cursor_kept.as_deref()),
        (Some(CursorError::Foreign), Some("cursor.orphan"))
    );
    assert_eq!(read(&mut queue.reader, 100).len(), 10);
}

/// Copies the cursor of one queue to another.
fn copy(from: &SimDisk, to: &SimDisk) {
    let bytes = common::read(from, Path::new(CURSOR));
    to.create(Path::new(CURSOR)).unwrap().append(&mut [std::io::IoSlice::new(&bytes)]).unwrap();
}

#[test]
fn how_far_messages_were_queued_is_known_elsewhere_too_and_what_is_missing_is_said() {
    let disk = SimDisk::new(0);
    drop(filled(&disk, 4, 2));
    let disk: Arc<dyn Disk> = Arc::new(disk);
    let mut queue = open_queue(&disk, Path::new(DIR), OPTIONS, 9).unwrap();
    let damaged: Vec<String> = queue.recovery.notes().into_iter().map(|told| told.text).collect();
    assert!(damaged.iter().any(|text| text.contains("sequences 4 to 8 are missing")), "{damaged:?}");
    assert_eq!(read_up_to_a_hole(&mut queue.reader, 100).1, Some(9), "what is missing is no message");
    assert_eq!(queue.appender.append(&[encoded([&(0, "new".to_owned())])]).unwrap(), 9..10);
}

#[test]
fn a_queue_that_cannot_be_opened_goes_on_at_its_cursor_once_it_can() {
    let sim = SimDisk::new(0);
    drop(filled(&sim, 10, 7));
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    let mut queue = closed_queue(&disk, Path::new(DIR), OPTIONS, 0);
    assert_eq!((queue.reader.done(), queue.reader.waiting()), (7, 0));
    assert_eq!(read(&mut queue.reader, 100), []);
    for call in 0..5 {
        sim.fault_after(call, Fault::Fail);
        if queue.appender.open(&Alone).is_err() {
            let refused = queue.appender.append(&[encoded([&(0, "new".to_owned())])]).unwrap_err();
            assert!(refused.to_string().contains("cannot be opened; this is tried again"), "{refused}");
            assert_eq!((read(&mut queue.reader, 100), queue.reader.waiting()), (Vec::new(), 0));
        }
    }
    queue.appender.open(&Alone).unwrap();
    assert_eq!(queue.appender.append(&[encoded([&(0, "new".to_owned())])]).unwrap(), 10..11);
    let sequences: Vec<u64> =
        read(&mut queue.reader, 100).into_iter().map(|(sequence, _)| sequence).collect();
    assert_eq!(sequences, [7, 8, 9, 10]);
    queue.reader.done_with(11).unwrap();
    assert_eq!(open(&sim).unwrap().reader.done(), 11);
}

#[test]
fn a_cursor_beyond_the_end_goes_back_so_that_new_messages_are_not_behind_it() {
    let (longer, shorter) = (SimDisk::new(0), SimDisk::new(0));
    drop(filled(&longer, 10, 10));
    drop(filled(&shorter, 4, 4));
    copy(&longer, &shorter);
    let mut queue = open(&shorter).unwrap();
    assert_eq!(queue.cursor, Some(CursorError::Beyond(10)));
    queue.appender.append(&[encoded([&(0, "new".to_owned())])]).unwrap();
    assert_eq!(read(&mut queue.reader, 10), [(4, (0, "new".to_owned()))]);
}

/// The names of the files in the journal of the queue.
fn journal(disk: &SimDisk) -> Vec<String> {
    let mut names = disk.list(Path::new("/data/queues/siem/journal")).unwrap();
    names.sort();
    names
}

/// The reason why the next messages are missing, and the end of the gap.
fn hole(reader: &mut QueueReader) -> Option<(MissingCause, u64)> {
    let mut hole = None;
    reader.read(&SearchContext::alone(), &mut |part| match part {
        FollowEvent::Missing { sequences, cause, .. } => {
            hole = Some((cause, sequences.end));
            ControlFlow::Break(sequences.start)
        }
        FollowEvent::Messages { .. } => ControlFlow::Continue(()),
    });
    hole
}

#[test]
fn what_the_disk_does_not_read_now_comes_when_it_reads_again() {
    let disk = SimDisk::new(0);
    drop(filled(&disk, 200, 0));
    let mut queue = open(&disk).unwrap();
    disk.set_fails_reads(true);
    assert_eq!(hole(&mut queue.reader).map(|(cause, _)| cause), Some(MissingCause::NotRead));
    disk.set_fails_reads(false);
    assert_eq!(read(&mut queue.reader, usize::MAX).len(), 200);
}

#[test]
fn a_damaged_file_is_set_aside_and_never_removed() {
    for reopens in [false, true] {
        let disk = SimDisk::new(0);
        let mut queue = filled(&disk, 200, 0);
        if reopens {
            queue = open(&disk).unwrap();
        }
        let damaged = journal(&disk).remove(1);
        let path = Path::new("/data/queues/siem/journal").join(&damaged);
        let bytes = disk.open(&path).unwrap().bytes().unwrap();
        // This is in the middle of the file, which is no longer in memory.
        disk.flip(&path, bytes as usize * 4);
        queue.reader.rewind();
        let (cause, end) = hole(&mut queue.reader).unwrap();
        assert_eq!(cause, MissingCause::Damaged);
        queue.reader.pass_over(end);
        if reopens {
            // The decision to skip the damage is lost, and the damage before the cursor is found again.
            queue.reader.done_with(end).unwrap();
            queue = open(&disk).unwrap();
        }
        assert_eq!(hole(&mut queue.reader), None);
        let (_, aside) = queue.reader.done_with(200).unwrap();
        assert_eq!(aside, [format!("{damaged}.orphan")]);
        let left = journal(&disk);
        assert!(left.contains(&aside[0]) && left.len() <= 3, "{left:?}");
        let (_, aside) = queue.reader.done_with(200).unwrap();
        assert!(aside.is_empty(), "once");
        drop(queue);
        assert_eq!(open(&disk).unwrap().reader.waiting(), 0);
    }
}
