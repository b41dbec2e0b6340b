//! Messages that the server itself hands in are routed like messages that a source receives. Stored messages can be
//! read in order by a reader that continues after a restart.
//!
//! Keywords: internal source, inlet, reader, restart.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use logstead_config::check_toml;
use logstead_config::settings::{self, Layers};
use logstead_indexer::{Begin, FollowEvent, MissingCause, Reader, RealDisk};
use logstead_pipeline::{HandedBy, Pipeline, RevisionChange, SubmitError};
use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
use logstead_work::SearchContext;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROUTER: &str = r#"version = 1

[[sources]]
id = "requests"
kind = "http"

[[sources]]
id = "own"
kind = "internal"

[[logspaces]]
id = "main"

[[logspaces]]
id = "audit"

[[destinations]]
id = "disk"
kind = "file"
path = "own.log"

[[routes]]
id = "own"
from = ["own"]
to = ["audit", "disk"]
final = true

[[routes]]
id = "others"
to = ["main"]
"#;

const WAIT_MAX: Duration = Duration::from_secs(20);

fn change(toml: &str) -> RevisionChange {
    let (document, checked) = check_toml(toml).unwrap();
    RevisionChange { toml: toml.to_owned(), document, checked }
}

fn start(data: &Path, toml: &str) -> Arc<Pipeline> {
    let settings = Arc::new(settings::load(&Layers::default()).unwrap());
    Pipeline::start(Arc::new(RealDisk), data, settings, 1, change(toml)).unwrap()
}

fn batch(text: &str, received: Timestamp) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"test", peer: b"", received });
    builder.push(&Row::text(text.as_bytes()));
    builder.seal()
}

fn now() -> Timestamp {
    logstead_flow::machine::clock::now()
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + WAIT_MAX;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn stored(pipeline: &Pipeline, logspace: &str) -> u64 {
    let searchers = pipeline.searchers();
    searchers.iter().find(|(id, _)| id == logspace).map_or(0, |(_, searcher)| searcher.stats().messages)
}

/// The texts of the next messages.
fn read(reader: &mut Reader) -> Vec<String> {
    let mut texts = Vec::new();
    reader.read(&SearchContext::alone(), &mut |part| {
        let FollowEvent::Messages { matched: Some(matched), .. } = part else {
            panic!("something is missing")
        };
        let text = |row| String::from_utf8(matched.batch.message(row).to_vec()).unwrap();
        texts.extend(matched.rows.iter().map(text));
        ControlFlow::Continue(())
    });
    texts
}

#[test]
fn what_the_server_hands_in_goes_where_the_routes_of_its_source_say() {
    let data = TempDir::new().unwrap();
    let pipeline = start(data.path(), ROUTER);
    pipeline.submit_own(HandedBy::OwnLog, batch("of its own", now()));
    wait_until("it is stored", || stored(&pipeline, "audit") == 1);
    let file = data.path().join("forward/own.log");
    let is_written = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("of its own"));
    wait_until("it is forwarded", is_written);
    assert_eq!(stored(&pipeline, "main"), 0);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let submit = |source: &str| runtime.block_on(pipeline.submit(source, batch("by request", now()), None));
    submit("requests").unwrap();
    assert_eq!((stored(&pipeline, "main"), stored(&pipeline, "audit")), (1, 1));
    // Nobody from outside may submit messages in the server's name.
    assert!(submit("own").is_err());

    let disabled = ROUTER.replace("kind = \"internal\"", "kind = \"internal\"\nenabled = false");
    pipeline.prepare(change(&disabled), None).unwrap().commit(2);
    pipeline.submit_own(HandedBy::OwnLog, batch("while it is disabled", now()));
    // A source that was changed to receive requests no longer belongs to the server.
    let exchanged = ROUTER.replace("kind = \"internal\"", "kind = \"http\"\ntoken = \"t\"");
    pipeline.prepare(change(&exchanged), None).unwrap().commit(3);
    pipeline.submit_own(HandedBy::OwnLog, batch("while there is none", now()));
    submit("own").unwrap();
    pipeline.prepare(change(ROUTER), None).unwrap().commit(4);
    pipeline.submit_own(HandedBy::OwnLog, batch("again", now()));
    wait_until("the rest is stored", || stored(&pipeline, "audit") == 3);
    let mut reader = pipeline.readers("audit").unwrap().begin("test", Begin::Oldest).unwrap();
    assert_eq!(read(&mut reader), ["of its own", "by request", "again"]);
    assert!(matches!(submit("own"), Err(SubmitError::SourceDisabled(_) | SubmitError::NoSource)));
    pipeline.stop();
}

#[test]
fn what_is_beyond_the_retention_waits_for_a_reader_and_no_longer_than_that() {
    let data = TempDir::new().unwrap();
    let router = ROUTER.replace("id = \"main\"\n", "id = \"main\"\nretention = { age = \"2d\" }\n");
    let days_ago = |days: i64| now().saturating_add(-days * 24 * 60 * 60 * 1_000_000_000);
    let pipeline = start(data.path(), &router);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let submit = |pipeline: &Pipeline, text: &str, received| {
        let submitted = pipeline.submit("requests", batch(text, received), Some("main"));
        runtime.block_on(submitted).unwrap();
    };
    let mut reader = pipeline.readers("main").unwrap().begin("alerts", Begin::Newest).unwrap();
    assert!(pipeline.readers("nowhere").is_none());
    // A message beyond the retention, but within the time for which a reader is waited for.
    let waited_for = days_ago(2).saturating_add(-60 * 60 * 1_000_000_000);
    submit(&pipeline, "read", waited_for);
    assert_eq!(read(&mut reader), ["read"]);
    reader.advance(reader.next()).unwrap();
    drop(reader);
    pipeline.stop();
    drop(pipeline);

    // Messages that were read are removed; unread ones are kept, though nobody has opened the reader since the
    // restart.
    let pipeline = start(data.path(), &router);
    pipeline.believe_clock();
    wait_until("what was read expires", || stored(&pipeline, "main") == 0);
    submit(&pipeline, "unread", waited_for);
    let files = || {
        let searchers = pipeline.searchers();
        searchers
            .iter()
            .find(|(id, _)| id == "main")
            .map(|(_, searcher)| (searcher.stats().journal_files, searcher.stats().segments))
    };
    let files_before = files();
    pipeline.believe_clock();
    wait_until("its file is closed, or a segment already, to be removed", || files() != files_before);
    pipeline.stop();
    drop(pipeline);

    let pipeline = start(data.path(), &router);
    let mut opened = pipeline.readers("main").unwrap().open("alerts").unwrap();
    assert_eq!(opened.cursor, None);
    assert_eq!(read(&mut opened.reader), ["unread"]);
    opened.reader.advance(opened.reader.next()).unwrap();
    // A message older than the time for which a reader is waited for.
    let sequence = opened.reader.next();
    submit(&pipeline, "too old", days_ago(4));
    pipeline.believe_clock();
    wait_until("it expires though nobody has read it", || stored(&pipeline, "main") == 0);
    let mut missing = None;
    opened.reader.read(&SearchContext::alone(), &mut |part| {
        if let FollowEvent::Missing { sequences, cause: MissingCause::Expired, .. } = part {
            missing = Some(sequences);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(missing, Some(sequence..sequence + 1));
    opened.reader.remove().unwrap();
    pipeline.stop();
}
