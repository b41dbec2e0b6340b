//! A full disk is a designed state: senders are refused or held back, search works, and when space returns
//! everything goes on by itself.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use logstead::pipeline::{Change, LogspaceState, Pipeline, SubmitError};
use logstead_config::check_toml;
use logstead_config::settings::{self, Layers};
use logstead_indexer::{Filter, Run, SimDisk};
use logstead_record::query::{Context, TimeRange, parse};
use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
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
    let change = Change { toml: router.to_owned(), document, checked };
    Pipeline::start(disk, data, settings, 1, change).unwrap()
}

fn batch(message: &str) -> Batch {
    batch_of(1, message)
}

fn batch_of(rows: usize, message: &str) -> Batch {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::parse_rfc3339(b"2026-11-21T06:13:00Z").unwrap();
    builder.origin(Origin { source: b"http", peer: b"", received });
    (0..rows).for_each(|_| builder.push(&Row::text(message.as_bytes())));
    builder.seal()
}

fn count(pipeline: &Pipeline, query: &str) -> u64 {
    let context = Context { now: Timestamp::default(), logspace: "main" };
    let filter = Filter::new(&parse(query).unwrap(), &context);
    pipeline.searchers()[0].1.count(&filter, TimeRange::ALL, &Run::alone()).count
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
    submit(batch_of(1000, "full")).unwrap();
    // Enough for another message in another journal file, and not for a segment.
    disk.set_bytes_max(Some(disk.used_bytes() + 1000));
    submit(batch("next")).unwrap();
    let status = || pipeline.status().logspaces.remove(0);
    wait_until("sealing fails", || status().sealing_error.is_some());
    assert_eq!((status().state, status().unsealed_messages), (LogspaceState::Ok, 1000));
    assert_eq!((count(&pipeline, "full"), count(&pipeline, "next")), (1000, 1));
    assert!(pipeline.metrics_text().contains("logstead_unsealed_files{logspace=\"main\"} 1"));

    disk.set_bytes_max(None);
    wait_until("it is sealed", || status().unsealed_messages == 0);
    assert_eq!((status().segments, status().sealing_error), (1, None));
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
    // After some more tries the writer has met the stop while it waited for space.
    let calls = disk.calls();
    wait_until("the disk is tried again", || calls + 6 < disk.calls());
    disk.set_bytes_max(None);
    has_ended.recv_timeout(Duration::from_secs(9)).expect("the stop ends");
    assert_eq!(count(&pipeline, "\"just in time\""), 1);
}

#[test]
fn what_waits_for_a_destination_waits_on_while_the_disk_does_not_read_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let router = format!(
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
             [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://{to}\"\nformat = \"raw\"\n\
             framing = \"newline\"\nqueue = {{ memory = \"1MiB\" }}\n\
             [[routes]]\nid = \"all\"\nto = [\"siem\"]\n"
    );
    let (disk, data) = (Arc::new(SimDisk::new(5)), tempfile::tempdir().unwrap());
    let pipeline = start_with(disk.clone(), data.path(), &router);
    // Nobody reads yet, so all but the first waits.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = "x".repeat(1000);
    for _ in 0..20 {
        runtime.block_on(pipeline.submit("http", batch_of(500, &text), None)).unwrap();
    }
    pipeline.stop();
    drop(pipeline);
    // After a start, nothing of it is in memory.
    let disk = Arc::new(disk.after_kill());
    let pipeline = start_with(disk.clone(), data.path(), &router);
    disk.set_fails_reads(true);
    let status = || pipeline.status().destinations.remove(0);
    let mut lines = BufReader::new(listener.accept().unwrap().0).lines();
    wait_until("it is said", || status().last_error.is_some_and(|error| error.contains("cannot be read")));
    assert!(status().dropped.is_empty());
    disk.set_fails_reads(false);
    // It reads on to the end of the test: what the first start sent is among it.
    std::thread::spawn(move || {
        loop {
            while lines.next().is_some_and(|line| line.is_ok()) {}
            lines = BufReader::new(listener.accept().unwrap().0).lines();
        }
    });
    wait_until("all of it is delivered", || status().queue_messages == 0);
    assert!(status().dropped.is_empty());
    pipeline.stop();
}
