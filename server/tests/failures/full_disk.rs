//! A full disk is an expected state: senders are refused or held back, searches work, and when there is space again,
//! everything continues automatically.
//!
//! Keywords: full_disk, ENOSPC, reserve, recovery.

use crate::support;

use logstead_config::check_toml;
use logstead_config::settings::{self, Layers};
use logstead_indexer::{Disk, Filter, Options, SimDisk, open_queue};
use logstead_pipeline::{LogspaceState, Pipeline, RevisionChange, SubmitError};
use logstead_query::{Context, TimeRange, parse};
use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
use logstead_work::SearchContext;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{ROUTER, wait_until};

fn start(disk: Arc<SimDisk>) -> Arc<Pipeline> {
    start_with(disk, tempfile::tempdir().unwrap().path(), ROUTER)
}

fn start_with(disk: Arc<SimDisk>, data: &Path, router: &str) -> Arc<Pipeline> {
    let set = vec!["storage.segment_rows_max=1000".to_owned()];
    let settings = Arc::new(settings::load(&Layers { set, ..Layers::default() }).unwrap());
    let (document, checked) = check_toml(router).unwrap();
    let change = RevisionChange { toml: router.to_owned(), document, checked };
    Pipeline::start(disk, data, settings, 1, change).unwrap()
}

fn batch(message: &str) -> Batch {
    batch_of(1, message)
}

fn batch_of(rows: usize, message: &str) -> Batch {
    batch_from((0..rows).map(|_| message.to_owned()))
}

fn batch_from(messages: impl Iterator<Item = String>) -> Batch {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::parse_rfc3339(b"2026-11-21T06:13:00Z").unwrap();
    builder.origin(Origin { source: b"http", peer: b"", received });
    messages.for_each(|message| builder.push(&Row::text(message.as_bytes())));
    builder.seal()
}

fn count(pipeline: &Pipeline, query: &str) -> u64 {
    let context = Context { now: Timestamp::default(), logspace: "main" };
    let filter = Filter::new(&parse(query).unwrap(), &context);
    pipeline.searchers()[0].1.count(&filter, TimeRange::ALL, &SearchContext::alone()).count
}

/// Sends a line to the syslog source.
fn send(pipeline: &Pipeline, line: &str) {
    let listening = pipeline.listening();
    let address = listening.iter().find_map(|(_, url)| url.strip_prefix("tcp://")).unwrap();
    TcpStream::connect(address).unwrap().write_all(format!("<13>{line}\n").as_bytes()).unwrap();
}

#[test]
fn a_full_disk_refuses_those_who_wait_and_holds_back_the_others() {
    let disk = Arc::new(SimDisk::new(1));
    let pipeline = start(disk.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let submit = |message: &str| runtime.block_on(pipeline.submit("http", batch(message), None));
    submit("before").unwrap();

    disk.set_bytes_max(Some(disk.used_bytes()));
    let refused = submit("refused").unwrap_err();
    assert!(matches!(&refused, SubmitError::Failed(failed) if !failed.reason.is_empty()), "{refused:?}");
    send(&pipeline, "held back");
    let state = || pipeline.status().logspaces[0].state;
    let held_bytes = || pipeline.status().sources[0].queue_bytes;
    wait_until("the message is held", || 0 < held_bytes() && state() == LogspaceState::Failing);
    assert!(pipeline.ready().unwrap_err()[0].contains("`main` cannot store messages"));
    assert_eq!((count(&pipeline, "before"), count(&pipeline, "\"held back\"")), (1, 0));

    disk.set_bytes_max(None);
    wait_until("the message is stored", || count(&pipeline, "\"held back\"") == 1);
    wait_until("the budget is free", || held_bytes() == 0);
    assert_eq!(state(), LogspaceState::Ok);
    submit("after").unwrap();
    assert_eq!(count(&pipeline, "*"), 3);
    pipeline.stop();
    assert_eq!(submit("too late"), Err(SubmitError::ShuttingDown));
}

#[test]
fn a_disk_that_is_too_full_to_seal_costs_no_message_and_no_search() {
    let disk = Arc::new(SimDisk::new(4));
    let pipeline = start(disk.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let submit = |batch: Batch| runtime.block_on(pipeline.submit("http", batch, None));
    // This text hardly compresses in a segment.
    let noise = |seed: u64| -> String {
        let word = |at: u64| format!("{:016x}", (seed * 25 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (0..25).map(word).collect()
    };
    submit(batch_from((0..1000).map(|seed| format!("full {}", noise(seed))))).unwrap();
    // This is enough for another message in another journal file, but not for a segment.
    disk.set_bytes_max(Some(disk.used_bytes() * 16 / 15));
    submit(batch("next")).unwrap();
    let status = || pipeline.status().logspaces.remove(0);
    wait_until("sealing fails", || status().sealing_error.is_some());
    assert_eq!((status().state, status().unsealed_messages), (LogspaceState::Ok, 1000));
    assert_eq!((count(&pipeline, "full"), count(&pipeline, "next")), (1000, 1));
    assert!(pipeline.metrics_text().contains("logstead_unsealed_files{logspace=\"main\"} 1"));

    disk.set_bytes_max(None);
    wait_until("it is sealed", || status().unsealed_messages == 0);
    // The segment exists a moment before the error is cleared.
    wait_until("all is well", || status().sealing_error.is_none());
    assert_eq!(status().segments, 1);
    assert_eq!((count(&pipeline, "full"), count(&pipeline, "next")), (1000, 1));
    pipeline.stop();
}

#[test]
fn a_stop_does_not_wait_for_ever_for_a_full_disk() {
    let disk = Arc::new(SimDisk::new(2));
    let pipeline = start(disk.clone());
    disk.set_bytes_max(Some(disk.used_bytes()));
    send(&pipeline, "never stored");
    wait_until("the message is held", || pipeline.status().logspaces[0].state == LogspaceState::Failing);
    let start = Instant::now();
    pipeline.stop();
    assert!(start.elapsed() < Duration::from_secs(9));
    let dropped = "logstead_logspace_dropped_total{logspace=\"main\",reason=\"stopped\"} 1";
    assert!(pipeline.metrics_text().contains(dropped));
}

#[test]
fn what_is_held_back_is_stored_when_space_returns_during_a_stop() {
    let disk = Arc::new(SimDisk::new(3));
    let pipeline = start(disk.clone());
    disk.set_bytes_max(Some(disk.used_bytes()));
    send(&pipeline, "just in time");
    wait_until("the message is held", || pipeline.status().logspaces[0].state == LogspaceState::Failing);
    let (ended, has_ended) = std::sync::mpsc::channel();
    let stopping = pipeline.clone();
    std::thread::spawn(move || {
        stopping.stop();
        ended.send(())
    });
    wait_until("the stop begins", || pipeline.stop_requested());
    // After some more attempts, the writer is waiting for space when it is told to stop.
    let calls = disk.calls();
    wait_until("the disk is tried again", || calls + 6 < disk.calls());
    disk.set_bytes_max(None);
    has_ended.recv_timeout(Duration::from_secs(9)).expect("the stop ends");
    assert_eq!(count(&pipeline, "\"just in time\""), 1);
}

/// A queue with `durability = "delay"` writes messages that have to wait to the disk; if messages are already waiting
/// at the start, from the first message on.
#[test]
fn what_comes_right_after_a_start_to_a_queue_in_which_messages_wait_survives_a_power_cut() {
    let router = format!(
        "{ROUTER}\n[[destinations]]\nid = \"siem\"\nkind = \"relp\"\nto = \"relp://127.0.0.1:9\"\n\
         queue.durability = \"delay\"\n[[routes]]\nid = \"forward\"\nto = [\"siem\"]\n"
    );
    let (disk, data) = (Arc::new(SimDisk::new(5)), tempfile::tempdir().unwrap());
    // At the start, logspaces and queues are looked for in the real folder.
    for folder in ["logspaces/main", "queues/siem"] {
        std::fs::create_dir_all(data.path().join(folder)).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let submit = |pipeline: &Pipeline, message: &str| {
        runtime.block_on(pipeline.submit("http", batch(message), None)).unwrap()
    };
    let first = start_with(disk.clone(), data.path(), &router);
    submit(&first, "waits");
    first.stop();
    let second = start_with(disk.clone(), data.path(), &router);
    submit(&second, "comes");
    let queued = |seed: u64| {
        let cut: Arc<dyn Disk> = Arc::new(disk.after_power_cut(seed));
        let opened = open_queue(&cut, &data.path().join("queues/siem"), Options::default(), 0).unwrap();
        opened.searcher.next_sequence()
    };
    let left: Vec<u64> = (0..16).map(queued).collect();
    assert_eq!(left, [2; 16]);
    second.stop();
}
