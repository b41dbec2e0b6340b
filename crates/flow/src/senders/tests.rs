//! The registry as a whole: its figures, its file, and its limits.

use super::*;
use logstead_indexer::{Fault, SimDisk};
use logstead_record::{BatchBuilder, Field, Origin, Row};
use proptest::prelude::*;
use report::SourceFacts;

const SECOND: i64 = 1_000_000_000;

fn senders(disk: &Arc<dyn Disk>) -> Senders {
    Senders::open(disk.clone(), Path::new("/data"), Duration::from_secs(600))
}

/// Messages of these hosts, whose own times are this many seconds ahead.
fn batch(hosts: &[&str], ahead: i64) -> Batch {
    let received = clock::now();
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"tcp", peer: b"10.0.0.9", received });
    for host in hosts {
        let time = Some(received.saturating_add(ahead * SECOND));
        builder.push(
            &Row { time, ..Row::default() }.with(Field::Host, host.as_bytes()).with(Field::Message, b"four"),
        );
    }
    builder.seal()
}

fn add(senders: &Senders, hosts: &[&str], ahead: i64) {
    senders.add(&batch(hosts, ahead), &ReceivedVia { source: &"tcp".into(), transport: &|_| "udp" });
}

fn report(senders: &Senders, text: &str) -> serde_json::Value {
    reported(senders, text, false)
}

fn reported(senders: &Senders, text: &str, unusual: bool) -> serde_json::Value {
    let source =
        |source: &str| (source == "tcp").then_some(SourceFacts { kind: "syslog", offset_seconds: 3600 });
    let wanted = SenderQuery {
        source: &source,
        text,
        from: None,
        to: None,
        after: None,
        limit: 100,
        has_series: true,
        unusual,
    };
    serde_json::to_value(senders.report(&wanted)).unwrap()
}

fn new_disk() -> Arc<dyn Disk> {
    let disk = SimDisk::new(1);
    disk.create_dir_all(Path::new("/data")).unwrap();
    Arc::new(disk)
}

#[test]
fn each_host_of_a_source_is_a_sender() {
    let senders = senders(&new_disk());
    add(&senders, &["one", "two", "one"], 0);
    add(&senders, &["one"; 5], 7200);
    let told = report(&senders, "");
    assert_eq!((&told["total"], &told["silent"], &told["new"]), (&2.into(), &0.into(), &0.into()));
    let one = &told["senders"][0];
    assert_eq!(
        (&one["host"], &one["address"], &one["protocol"]),
        (&"one".into(), &"10.0.0.9".into(), &"udp".into())
    );
    assert_eq!((&one["messages"], &one["bytes"]), (&7.into(), &28.into()));
    let series: u64 = one["series"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(series, 7);
    assert!(one.get("zone").is_none(), "not all agree");
    assert_eq!(report(&senders, "TWO")["total"], 1);
    assert!(senders.forget(&SenderKey { source: "tcp".into(), host: "two".to_owned() }));
    assert!(!senders.forget(&SenderKey { source: "tcp".into(), host: "two".to_owned() }));
    assert_eq!(report(&senders, "two")["total"], 0);
}

#[test]
fn a_zone_is_guessed_relative_to_the_one_of_the_source() {
    let senders = senders(&new_disk());
    add(&senders, &["helsinki"; 20], 3600);
    let told = report(&senders, "");
    let zone = &told["senders"][0]["zone"];
    assert_eq!((&zone["guess"], &zone["messages"], &zone["of"]), (&"+02:00".into(), &20.into(), &20.into()));
    assert_eq!((&told["skewed"], &told["senders"][0]["skewed"]), (&1.into(), &true.into()));
    add(&senders, &["here"], 0);
    let unusual = reported(&senders, "", true);
    let hosts: Vec<_> = unusual["senders"].as_array().unwrap().iter().map(|sender| &sender["host"]).collect();
    assert_eq!(hosts, ["helsinki"]);
    assert_eq!(unusual["total"], 2);
    // Once the clock is set correctly, the next message withdraws the guess.
    add(&senders, &["helsinki"], 0);
    assert!(report(&senders, "")["senders"][0].get("zone").is_none());
}

#[test]
fn what_was_written_is_known_again_and_damage_costs_one_sender() {
    let sim = SimDisk::new(1);
    sim.create_dir_all(Path::new("/data")).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(sim);
    let before = senders(&disk);
    add(&before, &["one", "two", "three"], 0);
    before.write().unwrap();
    let after = senders(&disk);
    assert!(after.registry.lock().senders == before.registry.lock().senders);
    assert_eq!(after.registry.lock().began, before.registry.lock().began);

    let path = Path::new("/data/senders");
    let mut bytes = read_all(&*disk, path);
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    write_all(&*disk, path, &bytes);
    assert_eq!(senders(&disk).registry.lock().senders.len(), 2);
    write_all(&*disk, path, &bytes[..at]);
    assert_eq!(senders(&disk).registry.lock().senders.len(), 1);
    write_all(&*disk, path, b"nothing of ours");
    assert_eq!(senders(&disk).registry.lock().senders.len(), 0);
}

#[test]
fn a_file_of_a_later_version_is_kept() {
    let disk = new_disk();
    let later = crate::checked_lines::line(&serde_json::json!({"format": 3}));
    write_all(&*disk, Path::new("/data/senders"), later.as_bytes());
    let senders = senders(&disk);
    add(&senders, &["one"], 0);
    senders.write().unwrap();
    assert_eq!(read_all(&*disk, Path::new("/data/senders.later")), later.as_bytes());
}

/// The file holds either the whole old registry or the whole new one.
#[test]
fn a_crash_while_it_is_written_leaves_one_of_both() {
    let run = |sim: &SimDisk| {
        let disk: Arc<dyn Disk> = Arc::new(sim.clone());
        disk.create_dir_all(Path::new("/data")).and_then(|()| disk.sync_dir(Path::new("/"))).ok();
        let senders = senders(&disk);
        let mut written = 0;
        for hosts in [&["one"][..], &["two", "three"]] {
            add(&senders, hosts, 0);
            written = if senders.write().is_ok() { written + hosts.len() } else { written };
        }
        written
    };
    let known = |sim: SimDisk| senders(&(Arc::new(sim) as Arc<dyn Disk>)).registry.lock().senders.len();
    let whole = SimDisk::new(1);
    assert_eq!((run(&whole), known(whole.after_power_cut(1))), (3, 3));
    for call in 0..whole.calls() {
        for fault in [Fault::Die, Fault::Fail] {
            let sim = SimDisk::new(1);
            sim.fault_after(call, fault);
            let written = run(&sim);
            for (sim, how) in [(sim.after_kill(), "killed"), (sim.after_power_cut(call), "power cut")] {
                let known = known(sim);
                // A failed write may have reached the disk all the same.
                assert!(
                    [0, 1, 3].contains(&known) && written <= known,
                    "{how}, {fault:?} at call {call}: {known}"
                );
            }
        }
    }
}

#[test]
fn a_full_disk_is_given_back_what_could_not_be_written_and_tried_again() {
    let sim = SimDisk::new(1);
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    disk.create_dir_all(Path::new("/data")).unwrap();
    let before = senders(&disk);
    add(&before, &["one"], 0);
    before.write().unwrap();
    let used = sim.used_bytes();
    let more: Vec<String> = (0..1000).map(|n| format!("host{n}")).collect();
    add(&before, &more.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    // The disk has room for only a part of the new file.
    sim.set_bytes_max(Some(3 * used));
    assert!(before.write().is_err());
    assert_eq!((sim.used_bytes(), senders(&disk).registry.lock().senders.len()), (used, 1));
    sim.set_bytes_max(None);
    before.write().unwrap();
    assert_eq!(senders(&disk).registry.lock().senders.len(), 1001);
}

/// Adds messages of these hosts, from an address, some seconds after the start of the test.
fn add_at(senders: &Senders, hosts: &[String], peer: &str, seconds: i64) {
    let received = Timestamp::from_nanos(senders.listening_since.nanos() + seconds * SECOND);
    let mut builder = BatchBuilder::new();
    for host in hosts {
        builder.origin(Origin { source: b"tcp", peer: peer.as_bytes(), received });
        builder.push(&Row::default().with(Field::Host, host.as_bytes()));
    }
    senders.add(&builder.seal(), &ReceivedVia { source: &"tcp".into(), transport: &|_| "udp" });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Figures that are gathered before they are added to the records make the same records.
    #[test]
    fn figures_that_are_gathered_are_those_that_are_added_at_once(
        batches in proptest::collection::vec(
            (proptest::collection::vec(0_usize..4, 1..6), 0_usize..3, 0_i64..2500, 0_i64..3),
            1..40,
        ),
        forgets in proptest::collection::vec(0_usize..40, 0..3),
    ) {
        let gathered = senders(&new_disk());
        let began = gathered.listening_since;
        let at_once = Senders { listening_since: began, ..senders(&new_disk()) };
        let mut millis = 0;
        for (number, (hosts, address, later, hours)) in batches.iter().enumerate() {
            millis += later;
            let received = Timestamp::from_nanos(began.nanos() + millis * 1_000_000);
            let peer = format!("10.0.0.{address}");
            let mut builder = BatchBuilder::new();
            builder.origin(Origin { source: b"tcp", peer: peer.as_bytes(), received });
            for host in hosts {
                let time = (*host != 3).then_some(received.saturating_add(hours * 3600 * SECOND));
                let host = format!("host {host}");
                builder.push(&Row { time, ..Row::default() }.with(Field::Host, host.as_bytes()));
            }
            let batch = builder.seal();
            for senders in [&gathered, &at_once] {
                senders.add(&batch, &ReceivedVia { source: &"tcp".into(), transport: &|_| "udp" });
                if forgets.contains(&number) {
                    senders.forget(&SenderKey { source: "tcp".into(), host: "host 0".to_owned() });
                }
            }
            drop(at_once.settled());
        }
        let now = Timestamp::from_nanos(began.nanos() + millis * 1_000_000);
        let figures = |senders: &Senders| {
            let of_one = |(key, sender): (&SenderKey, &SenderRecord)| {
                let times = (sender.first_seen, sender.last_seen);
                let counts = (sender.messages, sender.bytes, sender.rate(now));
                (key.clone(), times, counts, sender.address.clone(), sender.series.clone(), sender.habit.clone())
            };
            let registry = senders.settled();
            let skews = registry.senders.values().map(|sender| (sender.skew.bins(), sender.skew.shift()));
            (skews.collect::<Vec<_>>(), registry.senders.iter().map(of_one).collect::<Vec<_>>())
        };
        prop_assert_eq!(figures(&gathered), figures(&at_once));
    }
}

#[test]
fn messages_come_in_more_ways_than_are_gathered() {
    let senders = senders(&new_disk());
    for seconds in [0, 1] {
        for number in 0..200 {
            add_at(&senders, &["one".to_owned()], &format!("10.0.0.{number}"), seconds);
        }
    }
    let told = report(&senders, "one");
    let one = &told["senders"][0];
    assert_eq!((&one["messages"], &one["address"]), (&400.into(), &"10.0.0.199".into()));
}

fn named(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{name}{number}")).collect()
}

#[test]
fn those_who_invent_hosts_neither_push_out_who_is_known_nor_keep_out_who_comes() {
    let disk = new_disk();
    let mut registry = senders(&disk);
    let known = named("known", 50);
    add_at(&registry, &known, "10.0.0.1", 0);
    add_at(&registry, &known, "10.0.0.1", 120);
    for round in 0..2 {
        // The names come from one address at first, and then each from its own.
        add_at(&registry, &named(&format!("invented{round}-"), SENDERS_MAX + 4000), "10.6.6.6", 130);
        for (number, host) in named(&format!("elsewhere{round}-"), 2000).into_iter().enumerate() {
            add_at(&registry, &[host], &format!("10.7.{}.{}", number / 250, number % 250), 131);
        }
        let comes = named(&format!("comes{round}-"), 20);
        add_at(&registry, &comes, "10.0.0.2", 140);
        let told = |text: &str| report(&registry, text)["total"].as_u64().unwrap();
        assert_eq!((told("known"), told(&format!("comes{round}-"))), (50, 20));
        assert!(report(&registry, "")["total"].as_u64().unwrap() <= SENDERS_MAX as u64);
        assert!(4000 < report(&registry, "")["left_out"].as_u64().unwrap());
        // A sender that keeps sending stays known, even while more names are invented, and after a restart.
        add_at(&registry, &comes, "10.0.0.2", 260);
        registry.write().unwrap();
        let began = registry.listening_since;
        registry = senders(&disk);
        registry.listening_since = began;
    }
    assert_eq!(report(&registry, "comes")["total"], 40);
    assert!(1000 < registry.forget_all("invented", true));
    assert_eq!(
        (report(&registry, "invented")["total"].clone(), registry.forget_all("known", true)),
        (0.into(), 0)
    );
    assert_eq!(registry.forget_all("KNOWN", false), 50);
}

#[test]
fn names_that_are_repeated_from_one_address_make_room_for_those_of_others() {
    let senders = senders(&new_disk());
    for seconds in [0, 120] {
        add_at(&senders, &named("repeated", SENDERS_MAX), "10.6.6.6", seconds);
    }
    for (seconds, host) in (200..).step_by(2).zip(named("comes", 5)) {
        add_at(&senders, &[host], "10.0.0.2", seconds);
    }
    add_at(&senders, &named("more", 5), "10.6.6.6", 300);
    let total = |text: &str| report(&senders, text)["total"].as_u64().unwrap();
    // Five senders had sent for only a moment when the others arrived.
    assert_eq!(total("comes") + total("more"), 5);
    assert_eq!(total(""), SENDERS_MAX as u64);
}

#[test]
fn bytes_in_no_message_are_counted_by_address_up_to_a_bound_and_over_a_restart() {
    let disk = new_disk();
    let before = senders(&disk);
    let skip = |senders: &Senders, address: &str, reason: &'static str, head: &[u8]| {
        senders.skipped(&"tcp".into(), address, &SkippedBytes { reason, bytes: 5000, head });
    };
    add(&before, &["one"], 0);
    skip(&before, "10.0.0.9", "out_of_step", b"noise");
    skip(&before, "10.0.0.9", "out_of_step", &[b'x'; 2000]);
    skip(&before, "10.0.0.9", "too_long", b"rest");
    let key = SenderKey { source: "tcp".into(), host: "10.0.0.9".to_owned() };
    let samples = before.samples(&key);
    assert_eq!((samples.len(), samples[0].head.as_slice(), samples[1].bytes), (2, &b"rest"[..], 10_000));
    assert!(samples[1].head.starts_with(b"noisexx") && samples[1].head.len() == 1024);
    (0..20).for_each(|n| skip(&before, "10.0.0.9", ["too_long", "out_of_step"][n % 2], b"more"));
    assert_eq!(before.samples(&key).len(), 8);
    before.write().unwrap();

    let after = senders(&disk);
    let told = report(&after, "");
    assert_eq!(
        told["skipped"][0]["reasons"],
        serde_json::json!({ "out_of_step": 60_000, "too_long": 55_000 })
    );
    assert_eq!(
        (&told["skipped"][0]["host"], &told["skipped"][0]["bytes"]),
        (&"10.0.0.9".into(), &115_000.into())
    );
    assert_eq!(told["senders"][0]["skipped_bytes"], 115_000, "of its address");
    assert!(after.samples(&key).is_empty());
    (0..SKIPPED_MAX + 1).for_each(|n| skip(&after, &format!("address {n}"), "out_of_step", b""));
    assert_eq!(report(&after, "")["skipped_left_out"], 10_000);
    assert!(after.forget(&key) && !after.forget(&key));
    assert_eq!(report(&after, "10.0.0.9")["skipped"], serde_json::json!([]));
}

fn read_all(disk: &dyn Disk, path: &Path) -> Vec<u8> {
    let file = disk.open_to_read(path).unwrap();
    let mut bytes = vec![0; file.bytes().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn write_all(disk: &dyn Disk, path: &Path, bytes: &[u8]) {
    let file = disk.create(path).unwrap();
    file.append(&mut [io::IoSlice::new(bytes)]).unwrap();
    file.sync().unwrap();
}

#[test]
fn a_new_sender_is_on_the_disk_soon() {
    let disk = new_disk();
    let running = Arc::new(senders(&disk));
    running.start().unwrap();
    add(&running, &["one"], 0);
    let deadline = Instant::now() + Duration::from_secs(60);
    // A process that is killed writes nothing more: another one finds what is on the disk.
    while report(&senders(&disk), "")["total"] != 1 {
        assert!(Instant::now() < deadline, "not written");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    running.stop();
}
