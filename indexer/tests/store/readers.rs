//! Readers of a logspace get every acknowledged message in order, or are told which ones they miss, under any
//! sequence of appends, sealing, expiry, reads, crashes and restarts; and they get none again that they recorded as
//! finished.
//!
//! Every script runs once for each of its disk calls, and that call fails. Then the machine restarts from the files
//! left by a kill or a power cut, and each reader reads the rest.
//!
//! Keywords: reader, cursor, retention, crash, power cut, hold back.

use crate::common;

use common::{DIR, Message, encoded, noise, open_all};
use logstead_indexer::{
    Begin, CursorError, Disk, Durability, Expiry, Fault, FollowEvent, HoldBack, MissingCause, OpenLogspace,
    Options, Reader, ReaderError, SimDisk, closed,
};
use logstead_record::Timestamp;
use logstead_work::{Alone, SearchContext};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IoSlice;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const READERS: &str = "/data/logspaces/main/readers";
const NAMES: [&str; 2] = ["alerts", "archive"];
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
/// A number of tasks greater than any script needs.
const TASKS_MAX: usize = 100;

/// A part that a reader has read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shown {
    Message(u64, Message),
    Missing(Range<u64>, MissingCause, String),
}

/// Reads up to this many messages; returns them, and those that are missing among them.
fn read(reader: &mut Reader, limit: usize) -> Vec<Shown> {
    let (mut shown, mut messages) = (Vec::new(), 0);
    if limit == 0 {
        return shown;
    }
    reader.read(&SearchContext::alone(), &mut |part| {
        let matched = match part {
            // Messages that cannot be read from the disk now may come the next time.
            FollowEvent::Missing { sequences, cause: MissingCause::NotRead, .. } => {
                return ControlFlow::Break(sequences.start);
            }
            FollowEvent::Missing { sequences, why, cause } => {
                shown.push(Shown::Missing(sequences, cause, why.to_owned()));
                return ControlFlow::Continue(());
            }
            FollowEvent::Messages { matched: Some(matched), .. } => matched,
            FollowEvent::Messages { sequences, .. } => panic!("{sequences:?} do not match"),
        };
        for row in matched.rows.iter() {
            let mut raw = Vec::new();
            matched.batch.write_raw(row, &mut raw);
            let message = (matched.batch.time(row).nanos(), String::from_utf8(raw).unwrap());
            shown.push(Shown::Message(matched.first_sequence + row as u64, message));
            messages += 1;
            if messages == limit {
                return ControlFlow::Break(matched.first_sequence + row as u64 + 1);
            }
        }
        ControlFlow::Continue(())
    });
    shown
}

/// The sequences of the messages that were read.
fn sequences(shown: &[Shown]) -> Vec<u64> {
    let sequence = |shown: &Shown| match shown {
        Shown::Message(sequence, _) => Some(*sequence),
        Shown::Missing(..) => None,
    };
    shown.iter().filter_map(sequence).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<usize>),
    /// A reader reads this many messages, and records all but some as finished.
    Read(usize, usize, usize),
    Rewind(usize),
    Restart,
    Roll,
    Keep,
    /// Expires everything beyond this many bytes, of which this much waits for readers.
    Expire(u64, u64),
}

/// The history of a logspace and its readers as seen from outside.
#[derive(Clone, Default)]
struct Model {
    acknowledged: BTreeMap<u64, Message>,
    attempted: BTreeSet<Message>,
    /// For each reader, the messages that it got, those reported as missing, and those that it recorded as finished.
    given: [BTreeMap<u64, Message>; 2],
    missing: [Vec<Range<u64>>; 2],
    noted: [u64; 2],
    /// All messages before this sequence may have expired.
    expired: u64,
    written: usize,
}

struct Running {
    opened: OpenLogspace,
    readers: Vec<Reader>,
}

/// Opens a logspace and its readers, or makes new readers.
fn start(disk: &SimDisk) -> Option<Running> {
    let opened = open_all(disk, OPTIONS).or_else(|_| open_all(disk, OPTIONS)).ok()?;
    let is_known = |name: &str| opened.readers.all().iter().any(|known| known.name == name);
    let reader = |name: &&str| {
        let attempt = || {
            if !is_known(name) {
                return opened.readers.begin(name, Begin::Oldest);
            }
            opened.readers.open(name).map(|opened| {
                assert_eq!(opened.cursor, None, "{name}: nothing is lost that was synced");
                opened.reader
            })
        };
        attempt().or_else(|_| attempt()).or_else(|_| attempt()).ok()
    };
    let readers = NAMES.iter().map(reader).collect::<Option<Vec<Reader>>>()?;
    Some(Running { opened, readers })
}

impl Model {
    fn batches(&mut self, rows: &[usize]) -> Vec<Vec<Message>> {
        let mut message = || {
            self.written += 1;
            let number = self.written;
            (number as i64, format!("{number} {}", noise(number as u64, number % 7 * 20)))
        };
        rows.iter().map(|&rows| (0..rows).map(|_| message()).collect()).collect()
    }

    /// Runs steps until one cannot be done because the machine has stopped.
    fn run(&mut self, disk: &SimDisk, steps: &[Step]) {
        let Some(mut running) = start(disk) else { return };
        for step in steps {
            match step {
                Step::Append(rows) => self.append(&mut running.opened, rows),
                Step::Read(at, limit, left) => self.read((*at, &mut running.readers[*at]), *limit, *left),
                Step::Rewind(at) => running.readers[*at].rewind(),
                Step::Restart => {
                    drop(running);
                    match start(disk) {
                        Some(new) => running = new,
                        None => return,
                    }
                }
                Step::Roll => drop(running.opened.appender.close_old(Timestamp::MAX)),
                Step::Keep => keep(&running.opened),
                Step::Expire(bytes, waiting) => self.expire(&mut running, *bytes, *waiting),
            }
        }
    }

    fn append(&mut self, opened: &mut OpenLogspace, rows: &[usize]) {
        let batches = self.batches(rows);
        let ready: Vec<_> = batches.iter().map(encoded).collect();
        match opened.appender.append(&ready) {
            Ok(sequences) => self.acknowledged.extend(sequences.zip(batches.concat())),
            Err(_) => self.attempted.extend(batches.concat()),
        }
    }

    fn expire(&mut self, running: &mut Running, bytes: u64, waiting: u64) {
        let hold_back = Some(HoldBack { bytes_max: waiting, received_before: None });
        let expiry = Expiry { bytes_max: Some(bytes), hold_back, ..Expiry::default() };
        let OpenLogspace { appender, searcher, keeper, .. } = &mut running.opened;
        let first = searcher.stats().first_sequence;
        // Expiry may take effect even if it fails. At worst, messages that cannot be read are counted with it.
        self.expired = self.expired.max(first + keeper.preview(&expiry).messages);
        let is_known = searcher.stats().damaged == 0;
        let slowest = running.readers.iter().map(Reader::done).min().unwrap();
        if let Ok(expired) = appender.expire(&expiry)
            && is_known
            && 0 < expired.messages
        {
            let first = searcher.stats().first_sequence;
            assert_eq!(expired.unread, first.saturating_sub(slowest));
        }
    }

    fn read(&mut self, (at, reader): (usize, &mut Reader), limit: usize, left: usize) {
        self.give((at, reader), limit);
        let before = reader.next().saturating_sub(left as u64);
        if reader.advance(before).is_ok() {
            self.noted[at] = self.noted[at].max(before);
        }
    }

    /// Reads, and checks that the parts are adjacent and that no message comes again that was recorded as finished.
    fn give(&mut self, (at, reader): (usize, &mut Reader), limit: usize) {
        assert!(self.noted[at] <= reader.done(), "what was noted comes again");
        let mut next = reader.next();
        for shown in read(reader, limit) {
            match shown {
                Shown::Message(sequence, message) => {
                    assert_eq!(sequence, next, "messages are skipped");
                    match self.acknowledged.get(&sequence) {
                        Some(acknowledged) => assert_eq!(message, *acknowledged),
                        None => assert!(self.attempted.contains(&message), "never appended: {message:?}"),
                    }
                    self.given[at].insert(sequence, message);
                    next = sequence + 1;
                }
                Shown::Missing(missing, cause, why) => {
                    assert_eq!(missing.start, next, "messages are skipped: {why}");
                    if cause == MissingCause::Expired {
                        assert!(missing.end <= self.expired, "{missing:?} did not expire");
                        assert!(why.contains("while this reader was behind"), "{why}");
                        self.missing[at].push(missing.clone());
                    }
                    next = missing.end;
                }
            }
        }
    }

    /// Each reader reads the rest. Checks that it got every acknowledged message, or was told that it expired.
    fn check(&self, disk: &SimDisk) {
        let mut model = self.clone();
        let mut running = start(disk).unwrap();
        for (at, reader) in running.readers.iter_mut().enumerate() {
            model.give((at, reader), usize::MAX);
            assert_eq!(reader.next(), running.opened.searcher.next_sequence(), "something cannot be read");
            let is_told = |sequence: &u64| model.missing[at].iter().any(|missing| missing.contains(sequence));
            let is_given = |sequence: &u64| model.given[at].contains_key(sequence);
            let unknown: Vec<_> = model
                .acknowledged
                .keys()
                .filter(|sequence| !is_given(sequence) && !is_told(sequence))
                .collect();
            assert!(unknown.is_empty(), "{} knows nothing of {unknown:?}", NAMES[at]);
        }
        let sequence = running.opened.appender.append(&[encoded([&(0, "later".to_owned())])]).unwrap().start;
        for reader in &mut running.readers {
            assert_eq!(sequences(&read(reader, 10)), [sequence]);
            reader.advance(u64::MAX).unwrap();
            assert_eq!(reader.behind(), 0);
        }
    }
}

fn keep(opened: &OpenLogspace) {
    for _ in 0..TASKS_MAX {
        let Some(task) = opened.keeper.next_task(true) else { return };
        if opened.keeper.run(&task, &|| false).is_err() {
            return;
        }
    }
    panic!("there is always something to do");
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => proptest::collection::vec(0_usize..6, 1..4).prop_map(Step::Append),
        6 => (0_usize..2, 0_usize..20, 0_usize..4).prop_map(|(at, limit, left)| Step::Read(at, limit, left)),
        1 => (0_usize..2).prop_map(Step::Rewind),
        2 => Just(Step::Restart),
        2 => Just(Step::Roll),
        2 => Just(Step::Keep),
        2 => (0_u64..5000, 0_u64..5000).prop_map(|(bytes, waiting)| Step::Expire(bytes, waiting)),
    ];
    proptest::collection::vec(step, 1..12)
}

fn every_step() -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 0..4 {
        steps.extend([Step::Append(vec![5, 3]), Step::Read(0, 6, 1), Step::Append(vec![4]), Step::Rewind(0)]);
        steps.extend([Step::Roll, Step::Keep, Step::Read(0, 9, 0), Step::Read(1, 2, 0)]);
        steps.extend([Step::Expire(1500, if round < 2 { 4000 } else { 300 }), Step::Restart]);
    }
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
        model.check(&disk.after_kill());
        for cut in 0..power_cuts {
            model.check(&disk.after_power_cut(seed.wrapping_add(call * power_cuts + cut)));
        }
    }
}

#[test]
fn every_step_happens() {
    let mut model = Model::default();
    let disk = SimDisk::new(0);
    model.run(&disk, &every_step());
    assert!(0 < model.expired && 0 < model.noted[0] && model.noted[0] != model.noted[1], "{:?}", model.noted);
    model.check(&disk.after_kill());
    let told = model.missing[0].len() + model.missing[1].len();
    assert!(0 < told, "one was too slow");
}

#[test]
fn no_reader_misses_a_message_after_a_death_at_any_disk_call_of_every_step() {
    check_each_call(&every_step(), 7, 2, |disk, call| disk.fault_after(call, Fault::Die));
}

#[test]
fn no_reader_misses_a_message_where_disk_calls_fail() {
    check_each_call(&every_step(), 1, 1, |disk, call| disk.fault_after(call, Fault::Fail));
}

proptest! {
    #![proptest_config(common::cases(4))]

    #[test]
    fn no_reader_misses_a_message_after_a_death_at_any_disk_call(steps in script(), seed in any::<u64>()) {
        check_each_call(&steps, seed, 2, |disk, call| disk.fault_after(call, Fault::Die));
    }
}

/// A logspace with this many messages, each in its own frame.
fn filled(disk: &SimDisk, messages: usize) -> OpenLogspace {
    let mut opened = open_all(disk, OPTIONS).unwrap();
    for number in 0..messages {
        let message = (number as i64, format!("message {number} {}", noise(number as u64, 100)));
        opened.appender.append(&[encoded([&message])]).unwrap();
    }
    opened
}

fn cursor_of(name: &str) -> PathBuf {
    Path::new(READERS).join(format!("{name}.cursor"))
}

/// A logspace of ten messages, with a reader that has finished seven.
fn with_reader(disk: &SimDisk) {
    let opened = filled(disk, 10);
    let mut reader = opened.readers.begin("alerts", Begin::Oldest).unwrap();
    read(&mut reader, 4);
    reader.advance(4).unwrap();
    read(&mut reader, 100);
    reader.advance(7).unwrap();
}

#[test]
fn a_reader_goes_on_where_it_was_and_others_are_elsewhere() {
    let disk = SimDisk::new(0);
    with_reader(&disk);
    let opened = open_all(&disk.after_power_cut(3), OPTIONS).unwrap();
    let mut other = opened.readers.begin("archive", Begin::Newest).unwrap();
    let mut reader = opened.readers.open("alerts").unwrap();
    assert_eq!((reader.cursor, reader.reader.done()), (None, 7));
    assert_eq!(sequences(&read(&mut reader.reader, 100)), [7, 8, 9]);
    assert_eq!(read(&mut other, 100), []);
    let known: Vec<_> =
        opened.readers.all().into_iter().map(|known| (known.name, known.done, known.behind)).collect();
    assert_eq!(known, [("alerts".to_owned(), 7, 3), ("archive".to_owned(), 10, 0)]);
}

#[test]
fn what_is_wrong_with_a_cursor_is_named_and_no_message_is_skipped() {
    let cut =
        |length| move |disk: &SimDisk| disk.open(&cursor_of("alerts")).unwrap().truncate(length).unwrap();
    let flip = |bits: &'static [usize]| {
        move |disk: &SimDisk| bits.iter().for_each(|bit| disk.flip(&cursor_of("alerts"), *bit))
    };
    let copy = |disk: &SimDisk| {
        let opened = open_all(disk, OPTIONS).unwrap();
        let mut other = opened.readers.begin("archive", Begin::Oldest).unwrap();
        read(&mut other, 100);
        other.advance(9).unwrap();
        put(disk, "alerts", &common::read(disk, &cursor_of("archive")));
    };
    type RevisionChange<'a> = &'a dyn Fn(&SimDisk);
    let cases: [(RevisionChange<'_>, Option<CursorError>, &[u64], bool); 8] = [
        (&|disk| disk.remove(&cursor_of("alerts")).unwrap(), Some(CursorError::Missing), &[0], false),
        (&cut(0), Some(CursorError::Damaged), &[0], true),
        (&cut(100), Some(CursorError::Damaged), &[0], true),
        // One of the two notes remains: the newer one or the previous one.
        (&cut(700), None, &[4, 7], false),
        (&flip(&[200]), None, &[4, 7], false),
        (&flip(&[200 + 8 * 512]), None, &[4, 7], false),
        (&flip(&[200, 200 + 8 * 512]), Some(CursorError::Damaged), &[0], true),
        (&copy, Some(CursorError::Foreign), &[0], true),
    ];
    for (number, (change, expected, done, is_kept)) in cases.into_iter().enumerate() {
        let disk = SimDisk::new(0);
        with_reader(&disk);
        change(&disk);
        let opened = open_all(&disk, OPTIONS).unwrap();
        let mut reader = opened.readers.open("alerts").unwrap();
        assert_eq!(reader.cursor, expected, "case {number}");
        let kept = is_kept.then(|| "alerts.cursor.orphan".to_owned());
        assert_eq!(reader.cursor_kept, kept, "case {number}");
        let from = reader.reader.done();
        assert!(done.contains(&from), "case {number}: {from}");
        let expected: Vec<u64> = (from..10).collect();
        assert_eq!(sequences(&read(&mut reader.reader, 100)), expected, "case {number}");
        reader.reader.advance(8).unwrap();
        drop((reader, opened));
        let opened = open_all(&disk.after_power_cut(1), OPTIONS).unwrap();
        let reader = opened.readers.open("alerts").unwrap();
        assert_eq!((reader.cursor, reader.reader.done()), (None, 8), "case {number}: it is whole again");
    }
}

fn put(disk: &SimDisk, name: &str, bytes: &[u8]) {
    let file = disk.create(&cursor_of(name)).unwrap();
    file.append(&mut [IoSlice::new(bytes)]).and_then(|()| file.sync()).unwrap();
    disk.sync_dir(Path::new(READERS)).unwrap();
}

#[test]
fn an_older_cursor_brings_messages_again_and_says_which_have_expired() {
    let disk = SimDisk::new(0);
    let opened = filled(&disk, 40);
    let mut reader = opened.readers.begin("alerts", Begin::Oldest).unwrap();
    read(&mut reader, 2);
    reader.advance(2).unwrap();
    let older = common::read(&disk, &cursor_of("alerts"));
    read(&mut reader, 100);
    reader.advance(40).unwrap();
    drop((reader, opened));
    put(&disk, "alerts", &older);

    let opened = open_all(&disk, OPTIONS).unwrap();
    let mut reader = opened.readers.open("alerts").unwrap();
    assert_eq!(reader.cursor, None);
    assert_eq!(sequences(&read(&mut reader.reader, 100)), (2..40).collect::<Vec<_>>());
    reader.reader.advance(40).unwrap();
    drop((reader, opened));
    let mut opened = open_all(&disk, OPTIONS).unwrap();
    opened.appender.expire(&Expiry { bytes_max: Some(2000), ..Expiry::default() }).unwrap();
    let first = opened.searcher.stats().first_sequence;
    drop(opened);
    put(&disk, "alerts", &older);
    let opened = open_all(&disk, OPTIONS).unwrap();
    let mut reader = opened.readers.open("alerts").unwrap().reader;
    let shown = read(&mut reader, 100);
    assert!(
        matches!(&shown[0], Shown::Missing(missing, MissingCause::Expired, _) if *missing == (2..first)),
        "{shown:?}"
    );
    assert_eq!(sequences(&shown), (first..40).collect::<Vec<_>>());
}

/// If the disk loses messages that a reader had read, as a restored copy does, other messages get their sequences
/// before the reader is opened again.
#[test]
fn messages_that_are_stored_after_others_were_lost_are_not_behind_a_cursor() {
    let (longer, shorter) = (SimDisk::new(0), SimDisk::new(0));
    with_reader(&longer);
    drop(filled(&shorter, 4));
    shorter.create_dir_all(Path::new(READERS)).unwrap();
    put(&shorter, "alerts", &common::read(&longer, &cursor_of("alerts")));
    for restarts in [0, 1] {
        let disk = shorter.after_kill();
        let mut opened = open_all(&disk, OPTIONS).unwrap();
        for number in 0..5 {
            opened.appender.append(&[encoded([&(number, "new".to_owned())])]).unwrap();
        }
        if restarts == 1 {
            drop(opened);
            opened = open_all(&disk.after_power_cut(5), OPTIONS).unwrap();
        }
        let mut reader = opened.readers.open("alerts").unwrap();
        assert_eq!(reader.cursor, (restarts == 0).then_some(CursorError::Beyond(7)));
        assert_eq!(sequences(&read(&mut reader.reader, 100)), [4, 5, 6, 7, 8]);
    }
}

#[test]
fn a_cursor_of_a_later_version_is_refused_and_stays_and_its_reader_can_be_removed() {
    let disk = SimDisk::new(0);
    with_reader(&disk);
    let mut bytes = common::read(&disk, &cursor_of("alerts"));
    for slot in bytes.chunks_mut(512) {
        slot[8] = 3;
        let crc = crc32c::crc32c(&slot[8..]);
        slot[4..8].copy_from_slice(&crc.to_le_bytes());
    }
    put(&disk, "alerts", &bytes);
    let opened = open_all(&disk, OPTIONS).unwrap();
    for _ in 0..2 {
        let refused = opened.readers.open("alerts").map(|_| ()).unwrap_err();
        assert!(matches!(refused, ReaderError::Version { source: CursorError::Version(3), .. }), "{refused}");
    }
    assert_eq!(common::read(&disk, &cursor_of("alerts")), bytes);
    opened.readers.remove("alerts").unwrap();
    assert_eq!(opened.readers.all(), []);
}

#[test]
fn expiry_waits_for_a_reader_that_is_behind_and_then_goes_on_and_it_is_told() {
    let disk = SimDisk::new(0);
    let mut opened = filled(&disk, 200);
    let mut reader = opened.readers.begin("alerts", Begin::Oldest).unwrap();
    read(&mut reader, 50);
    reader.advance(50).unwrap();
    let expiry = |bytes_max, received_before| {
        let hold_back = Some(HoldBack { bytes_max, received_before });
        Expiry { received_before: Some(Timestamp::from_nanos(150)), hold_back, ..Expiry::default() }
    };
    let first = |opened: &OpenLogspace| opened.searcher.stats().first_sequence;

    let expired = opened.appender.expire(&expiry(u64::MAX, None)).unwrap();
    assert!((40..=50).contains(&first(&opened)) && expired.unread == 0, "{expired:?}");
    // Expiry waits for the reader even if nothing opens it after a restart.
    drop((reader, opened));
    let mut opened = open_all(&disk.after_kill(), OPTIONS).unwrap();
    opened.appender.expire(&expiry(u64::MAX, Some(Timestamp::from_nanos(40)))).unwrap();
    assert!((40..=50).contains(&first(&opened)));
    // The messages now exceed the age limit of waiting as well.
    let expired = opened.appender.expire(&expiry(u64::MAX, Some(Timestamp::from_nanos(100)))).unwrap();
    let gone = first(&opened);
    assert!((90..=100).contains(&gone), "{gone}");
    assert_eq!(expired.unread, gone - 50);

    let mut reader = opened.readers.open("alerts").unwrap().reader;
    let shown = read(&mut reader, 1);
    let Shown::Missing(missing, MissingCause::Expired, why) = &shown[0] else { panic!("{shown:?}") };
    assert_eq!((missing.clone(), why.contains("while this reader was behind")), (50..gone, true), "{why}");
    assert_eq!(sequences(&shown), [gone]);
    reader.advance(gone + 1).unwrap();
    // The waiting messages are too large.
    opened.appender.expire(&expiry(3000, None)).unwrap();
    let left = first(&opened);
    assert!((120..150).contains(&left), "{left}");
    opened.appender.expire(&expiry(0, None)).unwrap();
    assert!((140..=150).contains(&first(&opened)));
    // Expiry does not wait for a removed reader.
    reader.remove().unwrap();
    let all = Expiry {
        bytes_max: Some(0),
        hold_back: Some(HoldBack { bytes_max: u64::MAX, ..HoldBack::default() }),
        ..Expiry::default()
    };
    let waiting = first(&opened);
    opened.appender.expire(&all).unwrap();
    assert!(waiting < first(&opened));
}

#[test]
fn messages_that_were_lost_before_the_oldest_file_are_not_said_to_have_expired() {
    let disk = SimDisk::new(0);
    let mut opened = filled(&disk, 100);
    let reader = opened.readers.begin("alerts", Begin::Oldest).unwrap();
    opened.appender.expire(&Expiry { bytes_max: Some(6000), ..Expiry::default() }).unwrap();
    opened.appender.close().unwrap();
    let first = opened.searcher.stats().first_sequence;
    drop((reader, opened));
    let mut names = disk.list(Path::new(common::JOURNAL)).unwrap();
    names.sort();
    disk.remove(&Path::new(common::JOURNAL).join(&names[0])).unwrap();
    let opened = open_all(&disk, OPTIONS).unwrap();
    let next = opened.searcher.stats().first_sequence;
    assert!(0 < first && first < next);
    let mut reader = opened.readers.open("alerts").unwrap().reader;
    let shown = read(&mut reader, 1);
    assert!(
        matches!(&shown[0], Shown::Missing(missing, MissingCause::Expired, _) if *missing == (0..first)),
        "{shown:?}"
    );
    assert!(
        matches!(&shown[1], Shown::Missing(missing, MissingCause::Damaged, _) if *missing == (first..next)),
        "{shown:?}"
    );
    assert_eq!(sequences(&shown), [next]);
}

#[test]
fn there_are_only_so_many_readers_and_names_that_can_be_told_apart() {
    let disk = SimDisk::new(0);
    let opened = filled(&disk, 3);
    let readers: Vec<Reader> =
        (0..16).map(|number| opened.readers.begin(&format!("r{number}"), Begin::Oldest).unwrap()).collect();
    let said = |result: Result<Reader, ReaderError>| result.map(|_| ()).unwrap_err().to_string();
    let refused = said(opened.readers.begin("r16", Begin::Oldest));
    assert!(refused.contains("16 readers, and 16 are allowed: remove one of r0, r1, r10"), "{refused}");
    assert!(opened.readers.open("r16").is_err());
    assert!(said(opened.readers.begin("r1", Begin::Oldest)).contains("has a reader r1 already"));
    assert!(matches!(opened.readers.open("r1").map(|_| ()), Err(ReaderError::Taken(_))));
    assert!(matches!(opened.readers.remove("r1"), Err(ReaderError::Taken(_))));
    for name in ["", "a/b", "..", "A", "a b", "ä", &"a".repeat(65)] {
        assert!(matches!(opened.readers.begin(name, Begin::Oldest), Err(ReaderError::Name(_))), "{name}");
        assert!(matches!(opened.readers.remove(name), Err(ReaderError::Name(_))), "{name}");
    }
    drop(readers);
    opened.readers.remove("r1").unwrap();
    opened.readers.remove("r1").unwrap();
    opened.readers.begin("r16", Begin::Newest).unwrap();
    let opened = open_all(&disk.after_power_cut(1), OPTIONS).unwrap();
    let names: Vec<String> = opened.readers.all().into_iter().map(|known| known.name).collect();
    assert!(names.len() == 16 && !names.contains(&"r1".to_owned()), "{names:?}");
}

#[test]
fn a_logspace_that_cannot_be_opened_yet_has_no_readers_and_gives_nothing_out() {
    let sim = SimDisk::new(0);
    with_reader(&sim);
    let disk: Arc<dyn Disk> = Arc::new(sim);
    let mut opened = closed(&disk, Path::new(DIR), OPTIONS, 10);
    let refused = opened.readers.open("alerts").map(|_| ()).unwrap_err();
    assert!(matches!(refused, ReaderError::Closed(_)), "{refused}");
    opened.appender.open(&Alone).unwrap();
    assert_eq!(opened.readers.open("alerts").unwrap().reader.done(), 7);
}

/// This also holds for sealed messages: those that cannot be read now are not lost.
#[test]
fn what_the_disk_does_not_read_now_comes_when_it_reads_again() {
    for is_sealed in [false, true] {
        let disk = SimDisk::new(0);
        let mut opened = filled(&disk, 60);
        if is_sealed {
            opened.appender.close_old(Timestamp::MAX).unwrap();
            keep(&opened);
        }
        drop(opened);
        let opened = open_all(&disk, OPTIONS).unwrap();
        assert_eq!(opened.searcher.stats().segments != 0, is_sealed);
        let mut reader = opened.readers.begin("alerts", Begin::Oldest).unwrap();
        disk.set_fails_reads(true);
        assert_eq!((read(&mut reader, 100), reader.next()), (vec![], 0));
        disk.set_fails_reads(false);
        assert_eq!(sequences(&read(&mut reader, 100)), (0..60).collect::<Vec<_>>());
    }
}

#[test]
fn a_full_disk_does_not_stop_a_reader() {
    let disk = SimDisk::new(0);
    with_reader(&disk);
    let opened = open_all(&disk, OPTIONS).unwrap();
    disk.set_bytes_max(Some(disk.used_bytes()));
    let mut reader = opened.readers.open("alerts").unwrap().reader;
    read(&mut reader, 100);
    reader.advance(9).unwrap();
    drop(reader);
    assert_eq!(opened.readers.open("alerts").unwrap().reader.done(), 9);
    assert_eq!(open_all(&disk.after_power_cut(0), OPTIONS).unwrap().readers.all()[0].done, 9);
}
