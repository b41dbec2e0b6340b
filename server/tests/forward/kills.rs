//! Messages acknowledged for a route that only forwards arrive, whenever the process is killed, whatever the state of
//! the destination, and even if the disk becomes full.
//!
//! The receiver speaks RELP, because over TCP it is unknown which messages have arrived.
//!
//! Keywords: kill -9, crash, at least once, duplicate.

use crate::support;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use support::books::assert_closed;
use support::loads::{Ended, Load};
use support::relp_server::{Arrived, Manners, RelpServer};
use support::small_disk::SmallDisk;
use support::{Server, free_port, wait_until};

/// A document that receives RELP and HTTP, and stores nothing.
fn router(to: SocketAddr) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n\
         [[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"siem\"\nkind = \"relp\"\nto = \"relp://{to}\"\nformat = \"raw\"\n\
         [[routes]]\nid = \"all\"\nto = [\"siem\"]\n"
    )
}

fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

/// A number from the destination's status.
fn status(server: &Server, name: &str) -> u64 {
    server.status()["destinations"][0][name].as_u64().unwrap()
}

fn random_below(end: u64) -> u64 {
    RandomState::new().build_hasher().finish() % end
}

/// Starts loads over RELP and HTTP, with different messages each round.
fn loads(server: &Server, round: u64) -> [Load; 2] {
    let options = ["--rate", "5000", "--window", "64", "--batch", "50"];
    let relp = format!("relp://{}", server.address("relp"));
    [Load::start(&relp, 2 * round, &options), Load::start(server.web(), 2 * round + 1, &options)]
}

/// Waits until this many messages have been queued since the start of the process.
fn await_queued(server: &Server, messages: u64) {
    wait_until("some of the load is queued", || messages <= status(server, "queued"));
}

fn count(ended: &[Ended]) -> u64 {
    ended.iter().map(Ended::count).sum()
}

/// Waits until the queue is empty, as long as it shrinks, and then checks that every acknowledged message arrived.
/// Returns their number.
fn assert_all_arrive(server: &Server, ended: &[Ended], arrived: &Arrived) -> String {
    let mut left = status(server, "queue_messages");
    while 0 < left {
        wait_until("the queue becomes shorter", || status(server, "queue_messages") < left);
        left = status(server, "queue_messages");
    }
    for load in ended {
        let missing = load.missing(|number| arrived.has(number));
        assert!(missing.is_empty(), "{} were acknowledged and did not arrive: {missing:?}", missing.len());
    }
    assert_closed(server);
    format!("{} acknowledged, {} arrived, {} doubles", count(ended), arrived.count(), arrived.doubles())
}

#[test]
fn what_was_acknowledged_arrives_after_kills_while_the_destination_is_away_slow_or_there() {
    const ROUNDS: u64 = 9;
    let (to, arrived, mut ended) = (nowhere(), Arrived::default(), Vec::new());
    let mut server = Server::start(&router(to));
    for round in 0..ROUNDS {
        let manners = [None, Some(Manners::Slow), Some(Manners::Prompt)][round as usize % 3];
        let receiver = manners.map(|manners| RelpServer::start(to, &arrived, manners));
        let loads = loads(&server, round);
        await_queued(&server, 1 + random_below(2000));
        server.kill_and_restart();
        ended.extend(loads.map(Load::end));
        assert_closed(&server);
        drop(receiver);
    }
    for kind in 0..2 {
        let acknowledged: u64 = ended.iter().filter(|load| load.run % 2 == kind).map(Ended::count).sum();
        assert!(500 < acknowledged, "only {acknowledged} were acknowledged: that proves little");
    }
    let _receiver = RelpServer::start(to, &arrived, Manners::Prompt);
    println!("{}", assert_all_arrive(&server, &ended, &arrived));
}

/// Fills a queue with this many messages for an unavailable destination, and then kills the process while more are
/// queued and while the queue is emptied.
fn a_long_queue_survives(messages: u64, kills: u64) -> String {
    let (to, arrived) = (nowhere(), Arrived::default());
    let mut server = Server::start(&router(to));
    let relp = format!("relp://{}", server.address("relp"));
    let each = (messages / 2).to_string();
    let mut ended = vec![Load::start(&relp, 1, &["--number", &each]).end()];
    assert_eq!((count(&ended), status(&server, "queue_messages")), (messages, messages));
    for kill in 1..=kills {
        let loads = loads(&server, kill);
        await_queued(&server, 1 + random_below(2000));
        server.kill_and_restart();
        ended.extend(loads.map(Load::end));
        assert_closed(&server);
        assert!(count(&ended) <= status(&server, "queue_messages"), "after kill {kill} some are not there");
    }
    let _receiver = RelpServer::start(to, &arrived, Manners::Prompt);
    let waiting = status(&server, "queue_messages");
    for kill in 1..=kills {
        let enough = arrived.count().max(waiting * kill / (kills + 2));
        wait_until("some arrive", || enough < arrived.count());
        server.kill_and_restart();
    }
    assert_all_arrive(&server, &ended, &arrived)
}

#[test]
fn a_long_queue_survives_kills_while_it_grows_and_while_it_is_emptied() {
    println!("{}", a_long_queue_survives(20_000, 3));
}

#[test]
#[ignore = "takes minutes"]
fn a_queue_of_a_million_messages_survives_ten_kills_while_it_grows_and_ten_while_it_is_emptied() {
    println!("{}", a_long_queue_survives(1_000_000, 10));
}

#[test]
fn a_full_disk_and_a_kill_lose_nothing_that_waits_for_a_destination() {
    let (to, arrived, mut ended) = (nowhere(), Arrived::default(), Vec::new());
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let mut server = Server::start_in(folder, mounted.path().join("data"), &router(to), &settings);
    for round in 0..3 {
        let loads = loads(&server, round);
        await_queued(&server, 1 + random_below(2000));
        disk.fill();
        wait_until("nothing more is queued", || {
            let status = server.status();
            status["destinations"][0]["queue_error"].is_string()
        });
        server.kill_and_restart();
        ended.extend(loads.map(Load::end));
        assert_closed(&server);
        assert!(count(&ended) <= status(&server, "queue_messages"), "some are not there");
        assert!(server.try_ingest("refused\n").is_err(), "the disk is full");
        disk.free();
        wait_until("more is taken", || server.ready().0 == 200);
    }
    let _receiver = RelpServer::start(to, &arrived, Manners::Prompt);
    println!("{}", assert_all_arrive(&server, &ended, &arrived));
}

/// Even without a free byte, deliveries can be recorded, and delivered messages make room.
#[test]
fn on_a_full_disk_a_kill_sends_nothing_again_that_was_delivered() {
    let (to, arrived) = (nowhere(), Arrived::default());
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount(mounted.path());
    // The files are small, so that some of them can be removed.
    let router = router(to).replace("format = \"raw\"", "format = \"raw\"\nqueue = { size = \"2MiB\" }");
    let mut server = Server::start_in(folder, mounted.path().join("data"), &router, &[]);
    let relp = format!("relp://{}", server.address("relp"));
    let ended = [Load::start(&relp, 1, &["--number", "50000"]).end()];
    let queued = count(&ended);
    assert_eq!((queued, status(&server, "queue_messages")), (100_000, 100_000));
    let used = || files_in(&mounted.path().join("data/queues/siem/journal"));
    let before = used();
    assert!(1 < before, "several files: {before}");
    let reserve = mounted.path().join("data/reserve");
    wait_until("the reserve is there", || reserve.metadata().is_ok_and(|reserve| 0 < reserve.len()));
    disk.fill();
    let receiver = RelpServer::start(to, &arrived, Manners::Prompt);
    let wait_until_noted = |server: &Server, messages| {
        wait_until("all are delivered", || {
            disk.fill_more();
            status(server, "queue_messages") == 0 && arrived.count() == messages
        });
        // The space of delivered messages is freed once they are recorded.
        wait_until("it is noted", || {
            disk.fill_more();
            used() == 1
        });
    };
    wait_until_noted(&server, queued);
    let doubles = arrived.doubles();
    for _ in 0..3 {
        disk.fill_more();
        server.kill_and_restart();
        assert_eq!(status(&server, "queue_messages"), 0, "some are sent again");
    }
    drop(receiver);
    assert_eq!(arrived.doubles(), doubles);
    assert_closed(&server);
}

/// The sequence before which the messages of the queue are finished, according to its cursor.
fn noted(data: &std::path::Path) -> u64 {
    let cursor = std::fs::read(data.join("queues/siem/cursor")).unwrap();
    let number = |slot: &[u8], at: usize| u64::from_le_bytes(slot[at..at + 8].try_into().unwrap());
    let newest = cursor.chunks(512).max_by_key(|slot| number(slot, 16)).unwrap();
    number(newest, 24)
}

/// Waits until a condition holds, as long as more messages arrive. Progress is noted between reads of the queue, each of
/// thousands of messages: how long a slow destination takes for them depends on what else the machine does.
fn wait_while_more_arrive(what: &str, arrived: &Arrived, mut holds: impl FnMut() -> bool) {
    let (mut before, mut has_held) = (arrived.count(), false);
    while !has_held {
        wait_until(what, || {
            has_held = holds();
            has_held || before < arrived.count()
        });
        before = arrived.count();
    }
}

/// Every start succeeds, continues where the cursor is, and records and frees what it delivers.
fn kills_at_zero_bytes_free(disk: &SmallDisk, folder: tempfile::TempDir, data: &std::path::Path) -> String {
    const KILLS: u64 = 4;
    let (to, arrived) = (nowhere(), Arrived::default());
    let router = router(to).replace("format = \"raw\"", "format = \"raw\"\nqueue = { size = \"2MiB\" }");
    let mut server = Server::start_in(folder, data.to_owned(), &router, &[]);
    let relp = format!("relp://{}", server.address("relp"));
    let queued = count(&[Load::start(&relp, 1, &["--number", "20000"]).end()]);
    assert_eq!(queued, status(&server, "queue_messages"));
    let reserve = data.join("reserve");
    wait_until("the reserve is there", || reserve.metadata().is_ok_and(|reserve| 0 < reserve.len()));
    disk.fill();
    server.kill_and_restart();
    let files = || files_in(&data.join("queues/siem/journal"));
    let receiver = RelpServer::start(to, &arrived, Manners::Slow);
    let (mut in_flight, mut before) = (0, (0, files()));
    for kill in 1..=KILLS {
        wait_while_more_arrive("it is noted what was delivered", &arrived, || {
            disk.fill_more();
            before.0 + queued / 20 < noted(data)
        });
        server.kill();
        disk.fill_more();
        let now = noted(data);
        assert!(before.0 < now, "kill {kill}: nothing was noted at zero bytes free");
        in_flight += arrived.count().saturating_sub(now);
        before = (now, files());
        server.restart();
    }
    drop(receiver);
    let _receiver = RelpServer::start(to, &arrived, Manners::Prompt);
    wait_while_more_arrive("all are delivered", &arrived, || {
        disk.fill_more();
        status(&server, "queue_messages") == 0 && arrived.count() == queued
    });
    wait_until("what was delivered is noted and freed", || {
        disk.fill_more();
        noted(data) == queued && files() == 1
    });
    assert!(
        arrived.doubles() <= in_flight + queued / 20,
        "{} doubles, {in_flight} in flight",
        arrived.doubles()
    );
    assert_closed(&server);
    server.kill_and_restart();
    assert_eq!(status(&server, "queue_messages"), 0);
    assert_closed(&server);
    format!("{queued} messages, {KILLS} kills: {} came twice, {in_flight} were in flight", arrived.doubles())
}

#[test]
fn on_a_full_disk_kills_send_nothing_again_beyond_what_was_in_flight() {
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount(mounted.path());
    println!("{}", kills_at_zero_bytes_free(&disk, folder, &mounted.path().join("data")));
}

#[test]
fn on_a_full_disk_with_ext4_kills_send_nothing_again_beyond_what_was_in_flight() {
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount_ext4(&folder.path().join("image"), mounted.path());
    println!("{}", kills_at_zero_bytes_free(&disk, folder, &mounted.path().join("data")));
}

fn files_in(folder: &std::path::Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}
