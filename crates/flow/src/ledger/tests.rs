//! The ledger adds up after every crash: each script runs once for each disk call that it makes, with that call
//! failing. Then the machine restarts from the state that a kill or a power cut leaves.

use super::account::MINUTE_NANOS;
use super::report::{Fates, ReportQuery, ReportStep};
use super::*;
use logstead_indexer::{
    Appender, Durability, Fault, OpenLogspace, OpenQueue, Options, Searcher, SimDisk, encode, open_queue,
};
use logstead_record::{BatchBuilder, Origin, Row, Timestamp};
use logstead_work::Alone;
use proptest::prelude::*;

const DIR: &str = "/data/ledger";
const SOURCE: &str = "tcp";
/// An arbitrary day, in minutes since 1970.
const DAY: i64 = 20_000 * 24 * 60;

fn slot(minute: i64) -> AccountSlot {
    AccountSlot { source: SOURCE.into(), minute }
}

fn batch(minute: i64, rows: usize) -> Arc<Batch> {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::from_nanos(minute * MINUTE_NANOS + 1);
    builder.origin(Origin { source: SOURCE.as_bytes(), peer: b"", received });
    (0..rows).for_each(|_| builder.push(&Row::text(b"x")));
    Arc::new(builder.seal())
}

/// The parts that a process has open: a ledger, a logspace that counts its messages, one with copies, and a queue.
struct Machine {
    ledger: Arc<Ledger>,
    /// The number of messages from before the ledger existed, if there was none: they are not counted.
    before: Option<u64>,
    main: (Appender, Searcher),
    copies: (Appender, Searcher),
    queue: OpenQueue,
    /// The sequence up to which the destination is done with the queue.
    done: u64,
}

fn open(sim: &SimDisk) -> Option<Machine> {
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    let ledger = Ledger::open(&disk, Path::new(DIR)).ok()?;
    let options = Options {
        memory_max: 3000,
        index_memory_max: 0,
        journal_file_max: 1500,
        journal_rows_max: u32::MAX,
        segment_rows_max: 40,
        join_bytes_max: 64 << 20,
        durability: Durability::Fsync,
    };
    let logspace = |id: &str| {
        let (folder, reached) =
            (Path::new("/data/logspaces").join(id), ledger.stored_until(&JournalId::Logspace(id.into())));
        let opened = logstead_indexer::open_witnessed(&disk, &folder, options, reached, &Alone).ok()?;
        let OpenLogspace { appender, searcher, .. } = opened;
        ledger.opened_logspace(id, &searcher);
        Some((appender, searcher))
    };
    let (main, copies) = (logspace("main")?, logspace("copies")?);
    let reached = ledger.stored_until(&JournalId::Destination("siem".into()));
    let queue = open_queue(&disk, Path::new("/data/queues/siem"), options, reached).ok()?;
    ledger.opened_queue("siem", &queue.searcher, queue.reader.done());
    let there = main.1.next_sequence() + queue.searcher.next_sequence();
    let before = (!ledger.state.lock().existed).then_some(there);
    // If the ledger cannot be written now, it can be later.
    ledger.begin().ok();
    let done = queue.reader.done();
    Some(Machine { ledger, before, main, copies, queue, done })
}

#[derive(Clone, Debug)]
enum Event {
    /// Received in this minute, and stored in both logspaces.
    Stored(i64, usize),
    /// Received in this minute, and queued for a destination.
    Queued(i64, usize),
    /// The destination accepts up to this many messages.
    Delivered(u64),
    /// Received, and dropped; the sender waits until that is on the disk.
    Dropped(i64, usize),
    /// Received, and still in flight when the process ends.
    Received(i64, usize),
    Written,
    Restart,
}

/// The answers that senders got.
#[derive(Default)]
struct Told {
    stored: u64,
    dropped: u64,
    /// The number of messages that were stored before the ledger could be written.
    before: u64,
}

impl Machine {
    /// Stores messages; `None` if the machine is off.
    fn store(&mut self, minute: i64, rows: usize) -> Option<()> {
        self.ledger.received(&slot(minute), rows);
        for (id, (appender, _), counted) in [("main", &mut self.main, rows), ("copies", &mut self.copies, 0)]
        {
            let mut encoded = encode(batch(minute, rows));
            encoded.set_copies(rows - counted);
            appender.append(&[encoded]).ok()?;
            let kept = KeptMessages { slot: Some(slot(minute)), counted };
            self.ledger.note_stored(&JournalId::Logspace(id.into()), appender.next_sequence, rows, &[kept]);
        }
        Some(())
    }

    fn queue(&mut self, minute: i64, rows: usize) -> Option<()> {
        self.ledger.received(&slot(minute), rows);
        self.queue.appender.append(&[encode(batch(minute, rows))]).ok()?;
        let kept = KeptMessages { slot: Some(slot(minute)), counted: rows };
        let journal = JournalId::Destination("siem".into());
        self.ledger.note_stored(&journal, self.queue.appender.next_sequence, rows, &[kept]);
        Some(())
    }

    fn deliver(&mut self, messages: u64) {
        let delivered = messages.min(self.queue.searcher.next_sequence() - self.done);
        self.done += delivered;
        self.ledger.done(&"siem".into(), self.done, &[(Fate::Delivered, delivered as usize)]);
        // Delivered messages leave the queue only once the ledger knows of them; otherwise they are sent again.
        if self.ledger.write().is_ok() {
            self.queue.reader.skip(self.done);
            self.queue.reader.done_with(self.done).ok();
        }
    }
}

fn run(sim: &SimDisk, events: &[Event]) -> Told {
    let mut told = Told::default();
    let Some(mut machine) = open(sim) else { return told };
    for event in events {
        match *event {
            Event::Stored(minute, rows) => {
                let Some(()) = machine.store(minute, rows) else { return told };
                told.stored += rows as u64;
            }
            Event::Queued(minute, rows) => {
                let Some(()) = machine.queue(minute, rows) else { return told };
                told.stored += rows as u64;
            }
            Event::Delivered(messages) => machine.deliver(messages),
            Event::Dropped(minute, rows) => {
                machine.ledger.received(&slot(minute), rows);
                machine.ledger.lost(&slot(minute), "no_route", rows);
                if machine.ledger.write().is_ok() {
                    told.dropped += rows as u64;
                }
            }
            Event::Received(minute, rows) => machine.ledger.received(&slot(minute), rows),
            // A write that fails is tried again with the next one.
            Event::Written => drop(machine.ledger.write()),
            Event::Restart => match open(sim) {
                Some(again) => {
                    machine = again;
                    told.before = machine.before.unwrap_or(told.before);
                }
                None => return told,
            },
        }
        assert_eq!(remainder(&machine.ledger), 0, "at every moment");
    }
    told
}

fn remainder(ledger: &Ledger) -> i64 {
    let Accounts { sources, destinations } = ledger.totals();
    let sources = sources.iter().map(|row| row.fates.remainder.abs());
    sources.chain(destinations.iter().map(|row| row.remainder.abs())).sum()
}

fn fates(ledger: &Ledger) -> Fates {
    let mut all = Fates::default();
    ledger.totals().sources.iter().for_each(|row| all.add(&row.fates));
    all
}

/// Checks the ledger's figures after a restart.
fn check(sim: &SimDisk, told: &Told, may_fail: bool, what: &str) {
    let machine = open(sim).expect("a disk without faults can be opened");
    let fates = fates(&machine.ledger);
    let stored = machine.main.1.next_sequence() + machine.queue.searcher.next_sequence();
    let before = machine.before.unwrap_or(told.before);
    // Messages that could not be read at opening may be copies, and are counted all the same.
    let was_unreadable = machine.ledger.totals().sources.iter().any(|row| row.source == opening::UNKNOWN);
    assert!(may_fail || !was_unreadable, "{what}: everything can be read");
    if !was_unreadable {
        assert_eq!(fates.stored + fates.forwarded + before, stored, "{what}: as many as are there");
    }
    assert!(told.stored <= stored, "{what}: what was acknowledged is there");
    assert!(told.dropped <= fates.dropped.values().sum(), "{what}: what was dropped is known");
    assert_eq!((remainder(&machine.ledger), fates.in_flight), (0, 0), "{what}: {fates:?}");
    let waiting = machine.ledger.totals().destinations.first().map_or(0, |row| row.waiting);
    let left = machine.queue.searcher.next_sequence() - machine.queue.reader.done();
    assert_eq!(waiting, left, "{what}: as many as wait");
    // The same once more, with the state that the last start wrote.
    let again = open(sim).expect("a disk without faults can be opened");
    assert_eq!(self::fates(&again.ledger), fates, "{what}: the same after another start");
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let minute = || DAY..DAY + 3;
    let event = prop_oneof![
        4 => (minute(), 1..20_usize).prop_map(|(minute, rows)| Event::Stored(minute, rows)),
        3 => (minute(), 1..20_usize).prop_map(|(minute, rows)| Event::Queued(minute, rows)),
        2 => (0..30_u64).prop_map(Event::Delivered),
        2 => (minute(), 1..9_usize).prop_map(|(minute, rows)| Event::Dropped(minute, rows)),
        1 => (minute(), 1..9_usize).prop_map(|(minute, rows)| Event::Received(minute, rows)),
        2 => Just(Event::Written),
        1 => Just(Event::Restart),
    ];
    proptest::collection::vec(event, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn it_closes_after_death_at_every_call(events in events(), seed in any::<u64>()) {
        let whole = SimDisk::new(seed);
        let told = run(&whole, &events);
        check(&whole.after_kill(), &told, false, "no fault");
        for call in 0..whole.calls() {
            for fault in [Fault::Die, Fault::Fail] {
                let sim = SimDisk::new(seed);
                sim.fault_after(call, fault);
                let told = run(&sim, &events);
                let may_fail = matches!(fault, Fault::Fail);
                check(&sim.after_kill(), &told, may_fail, &format!("killed, {fault:?} at call {call}"));
                check(&sim.after_power_cut(seed), &told, may_fail, &format!("power cut, {fault:?} at call {call}"));
            }
        }
    }

    /// Whatever is damaged, the ledger either adds up when it is opened, or reports why it cannot be opened.
    #[test]
    fn a_flipped_bit_does_no_more_harm_than_it_says(events in events(), bit in any::<prop::sample::Index>()) {
        let sim = SimDisk::new(1);
        run(&sim, &events);
        let names = sim.list(Path::new(DIR)).unwrap();
        let Some(name) = names.first() else { return Ok(()) };
        let path = Path::new(DIR).join(name);
        let bytes = sim.open(&path).unwrap().bytes().unwrap() as usize;
        sim.flip(&path, bit.index(bytes * 8));
        let machine = open(&sim).unwrap();
        prop_assert_eq!(remainder(&machine.ledger), 0);
    }

    #[test]
    fn minutes_become_hours_and_days_and_lose_nothing(
        postings in proptest::collection::vec((0..500 * 24 * 60_i64, 1..1000_u64), 1..60),
        looks in proptest::collection::vec(0..600 * 24 * 60_i64, 1..4),
    ) {
        let mut book = Book::default();
        for (minute, messages) in postings {
            let slot = slot(DAY + minute);
            book.received(&slot, messages);
            book.settled(&slot, &FateColumn::Stored("main".into()), messages);
        }
        let mut now = DAY;
        for look in looks {
            now = now.max(DAY + look);
            book.roll(now);
            for (span, kept) in [(AccountPeriod::Minute, 2), (AccountPeriod::Hour, 62), (AccountPeriod::Day, 401)] {
                let old = book.range(span, i64::MIN, now - (kept + 1) * 24 * 60).count();
                prop_assert_eq!(old, 0, "{} are older than {} days", span, kept);
            }
        }
        let in_range = |from: i64| -> u64 {
            [AccountPeriod::Minute, AccountPeriod::Hour, AccountPeriod::Day]
                .into_iter()
                .flat_map(|span| book.range(span, from, i64::MAX))
                .map(|(_, cell)| cell.get(&FateColumn::Received))
                .sum()
        };
        let total = book.total(slot(0).party()).unwrap();
        prop_assert_eq!(total.get(&FateColumn::Stored("main".into())), total.get(&FateColumn::Received));
        if now < DAY + 400 * 24 * 60 {
            prop_assert_eq!(in_range(i64::MIN), total.get(&FateColumn::Received));
        }
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_nanos(minute.saturating_mul(MINUTE_NANOS))
}

#[test]
fn a_report_says_what_became_of_messages_in_its_range() {
    let mut book = Book::default();
    for (minute, stored, dropped) in [(0, 5, 1), (1, 7, 0), (70, 2, 2)] {
        let slot = slot(DAY + minute);
        book.received(&slot, stored + dropped + 1);
        book.settled(&slot, &FateColumn::Stored("main".into()), stored);
        book.settled(&slot, &FateColumn::Dropped("no_route".into()), dropped);
    }
    let siem = Party::Destination("siem".into());
    book.post(&siem, DAY, &FateColumn::Queued, 10);
    book.post(&siem, DAY + 1, &FateColumn::Delivered, 4);
    book.post(&siem, DAY + 70, &FateColumn::Delivered, 6);
    let report = |from, to, step| {
        report::report(&book, &ReportQuery { from: at(DAY + from), to: at(DAY + to), step }, DAY + 100)
    };
    let first = report(0, 2, None);
    assert_eq!((first.step, first.series.len()), (ReportStep::Minute, 2));
    let fates = &first.total;
    assert_eq!((fates.received, fates.stored, fates.in_flight, fates.remainder), (15, 12, 2, 0));
    assert_eq!(fates.dropped["no_route"], 1);
    let [siem] = &first.destinations[..] else { panic!("one") };
    assert_eq!((siem.waiting_before, siem.queued, siem.delivered, siem.waiting), (0, 10, 4, 6));
    // The time before the first account is unknown, which is not the same as zero.
    assert_eq!((&first.known_since, &report(-5, 2, None).known_since), (&None, &Some(at(DAY).to_string())));
    let empty = report::report(
        &Book::default(),
        &ReportQuery { from: at(DAY), to: at(DAY + 9), step: None },
        DAY + 5,
    );
    assert_eq!(empty.known_since, Some(at(DAY + 5).to_string()));
    let later = report(60, 90, Some(ReportStep::Hour));
    assert_eq!((later.from, later.series.len()), (at(DAY + 60).to_string(), 1));
    assert_eq!((later.total.received, later.total.stored), (5, 2));
    let [siem] = &later.destinations[..] else { panic!("one") };
    assert_eq!((siem.waiting_before, siem.delivered, siem.waiting, siem.remainder), (6, 6, 0, 0));
    assert_eq!(
        report(-999_999_999, 999_999_999, Some(ReportStep::Minute)).total.received,
        20,
        "any range has an end"
    );
}

#[test]
fn what_a_later_version_wrote_is_left_alone() {
    let sim = SimDisk::new(1);
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    drop(open(&sim));
    let path = Path::new(DIR).join("7.log");
    let text = r#"{"format":3}"#;
    let line = format!("{:08x} {text}\n", crc32c::crc32c(text.as_bytes()));
    disk.create(&path).unwrap().append(&mut [io::IoSlice::new(line.as_bytes())]).unwrap();
    let refused = Ledger::open(&disk, Path::new(DIR)).unwrap_err().to_string();
    assert!(refused.contains("later version"), "{refused}");
}

#[test]
fn senders_whose_messages_are_dropped_hear_when_that_cannot_be_noted() {
    let sim = SimDisk::new(1);
    let machine = open(&sim).unwrap();
    // Two of these need more room than is kept beside the book.
    let long = |number: usize| -> Arc<str> { format!("{number}{}", "x".repeat(200_000)).into() };
    let mut dropped = 0;
    let mut answer = |source: &Arc<str>| {
        let (sender, receiver) = std::sync::mpsc::channel();
        dropped += 1;
        machine.ledger.dropped(source, "no_route", 1);
        machine.ledger.when_written(move |written| sender.send(written).unwrap());
        machine.ledger.write().ok();
        receiver.try_recv().unwrap()
    };
    assert_eq!(answer(&SOURCE.into()), Ok(()));
    sim.set_bytes_max(Some(sim.used_bytes()));
    assert_eq!(answer(&SOURCE.into()), Ok(()), "there is room on a full disk");
    assert_eq!(fates(&open(&sim.after_power_cut(1)).unwrap().ledger).dropped["no_route"], 2);
    let refused = (0..3).find_map(|number| answer(&long(number)).err()).expect("the room is used up");
    assert!(refused.contains("the ledger cannot be written"), "{refused}");
    assert!(answer(&SOURCE.into()).is_err(), "what follows is refused, too");
    sim.set_bytes_max(None);
    assert_eq!(answer(&SOURCE.into()), Ok(()));
    assert_eq!(fates(&open(&sim).unwrap().ledger).dropped["no_route"], dropped);
}

fn begun(disk: &Arc<dyn Disk>) -> Result<Arc<Ledger>, String> {
    let ledger = Ledger::open(disk, Path::new(DIR)).unwrap();
    ledger.begin().map(|()| ledger)
}

fn drop_one(ledger: &Ledger) -> Result<(), String> {
    ledger.dropped(&SOURCE.into(), "no_route", 1);
    ledger.write()
}

/// A full disk with a ledger that has counted one message.
fn full_disk(seed: u64) -> SimDisk {
    let sim = SimDisk::new(seed);
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    drop_one(&begun(&disk).unwrap()).unwrap();
    sim.set_bytes_max(Some(sim.used_bytes()));
    sim
}

#[test]
fn on_a_full_disk_it_is_begun_and_written_after_every_restart() {
    let mut sim = full_disk(1);
    for start in 1..40_u64 {
        let disk: Arc<dyn Disk> = Arc::new(sim.clone());
        let ledger = begun(&disk).unwrap();
        assert_eq!(fates(&ledger).dropped["no_route"], start);
        drop_one(&ledger).unwrap();
        // The ledger works even when its file has no room left.
        if start == 5 {
            let bytes = || sim.used_bytes();
            let before = bytes();
            for _ in 0..5000 {
                ledger.lost_before(&SOURCE.into(), "sequence_gap", 1);
                ledger.write().unwrap();
            }
            assert_eq!(bytes(), before);
        }
        sim = if start % 2 == 0 { sim.after_kill() } else { sim.after_power_cut(start) };
    }
}

#[test]
fn on_a_full_disk_no_call_that_goes_wrong_keeps_it_from_being_begun() {
    for call in 0..60 {
        for fault in [Fault::Die, Fault::Fail] {
            let sim = full_disk(call);
            let disk: Arc<dyn Disk> = Arc::new(sim.clone());
            sim.fault_after(call, fault);
            // An attempt may have been written; a confirmed one must have been.
            let (mut tried, mut noted) = (1, 1);
            for _ in 0..3 {
                let Ok(ledger) = begun(&disk) else { continue };
                tried += 1;
                noted += u64::from(drop_one(&ledger).is_ok());
            }
            let what = format!("{fault:?} at {call}");
            let dropped = |disk: SimDisk| {
                let disk: Arc<dyn Disk> = Arc::new(disk);
                let ledger = begun(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
                fates(&ledger).dropped["no_route"]
            };
            let counted = dropped(sim.after_kill());
            assert!((noted..=tried).contains(&counted), "{what}: {counted}, not {noted} to {tried}");
            for seed in 0..4 {
                let cut = sim.after_power_cut(seed);
                // Names that were not synced may be gone, and the spare with them.
                cut.set_bytes_max(None);
                let counted = dropped(cut);
                assert!(
                    (noted..=tried).contains(&counted),
                    "{what}, cut {seed}: {counted}, not {noted} to {tried}"
                );
            }
        }
    }
}

/// The ledger is kept whatever cannot be read: the folder, its list or the file.
#[test]
fn a_ledger_that_cannot_be_read_is_kept_over_later_starts() {
    for failing_call in 0..5 {
        let sim = SimDisk::new(1);
        let disk: Arc<dyn Disk> = Arc::new(sim.clone());
        let start = || {
            let ledger = Ledger::open(&disk, Path::new(DIR)).unwrap();
            ledger.begin().unwrap();
            ledger
        };
        let drop_one = |ledger: &Ledger| {
            ledger.dropped(&SOURCE.into(), "no_route", 1);
            ledger.write().unwrap();
        };
        drop_one(&start());
        // A call that fails only once costs nothing.
        sim.fault_after(failing_call, Fault::Fail);
        let ledger = start();
        assert_eq!(fates(&ledger).dropped["no_route"], 1);
        let named = |suffix: &str| {
            let names = disk.list(Path::new(DIR)).unwrap();
            names.into_iter().filter(|name| name.ends_with(suffix)).collect::<Vec<_>>()
        };
        let [name] = &named(".log")[..] else { panic!("one counts") };
        let content = |name: &str| {
            let file = sim.open(&Path::new(DIR).join(name)).unwrap();
            let mut bytes = vec![0; file.bytes().unwrap() as usize];
            file.read_at(0, &mut bytes).unwrap();
            bytes
        };
        let before = content(name);
        // Each attempt stops at that call.
        (1..=5).for_each(|attempt| sim.fault_after((failing_call + 1) * attempt - 1, Fault::Fail));
        drop_one(&start());
        let ledger = start();
        assert_eq!(fates(&ledger).dropped["no_route"], 1, "the accounts began again");
        assert_eq!(named(".orphan"), [format!("{name}.orphan")]);
        assert!(content(&format!("{name}.orphan")) == before && named(".log").len() == 1);
    }
}

#[test]
fn a_destination_may_be_done_with_messages_before_their_queue_is_counted() {
    let mut machine = open(&SimDisk::new(0)).unwrap();
    machine.ledger.received(&slot(0), 3);
    machine.queue.appender.append(&[encode(batch(0, 3))]).unwrap();
    machine.deliver(3);
    assert_eq!(remainder(&machine.ledger), 0, "the thread that sends is ahead of the one that writes");
    let kept = KeptMessages { slot: Some(slot(0)), counted: 3 };
    machine.ledger.note_stored(&JournalId::Destination("siem".into()), 3, 3, &[kept]);
    assert_eq!(remainder(&machine.ledger), 0);
}
