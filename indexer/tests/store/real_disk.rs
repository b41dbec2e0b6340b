//! The journal on a real file system, and the memory that it uses.
//!
//! Keywords: real file system, fsync.
use crate::common;

use common::{Message, encoded, everything, noise};
use logstead_indexer::{Appender, Disk, Options, RealDisk, Recovery, Searcher};
use logstead_work::Alone;
use std::io::IoSlice;
use std::path::Path;
use std::sync::Arc;

fn open(dir: &Path, options: Options) -> (Appender, Searcher, Recovery) {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let opened = logstead_indexer::open(&disk, &dir.join("logspaces/main"), options, &Alone).unwrap();
    (opened.appender, opened.searcher, opened.recovery)
}

fn messages(count: i64) -> Vec<Message> {
    (0..count).map(|number| (number, format!("message {number} {}", noise(number as u64, 50)))).collect()
}

#[test]
fn messages_are_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { memory_max: 0, journal_file_max: 20_000, ..Options::default() };
    let messages = messages(1000);
    let (mut appender, searcher, recovery) = open(dir.path(), options);
    assert_eq!(recovery, Recovery::default());
    for batches in messages.chunks(50) {
        let ready: Vec<_> = batches.chunks(10).map(encoded).collect();
        appender.append(&ready).unwrap();
    }
    let expected: Vec<_> = (0..).zip(messages).collect();
    assert_eq!(everything(&searcher).0, expected);
    let (_, reopened, recovery) = open(dir.path(), options);
    assert!(2 < recovery.files && recovery.cut.is_none() && recovery.damaged.is_empty(), "{recovery:?}");
    assert_eq!((recovery.batches, recovery.messages), (100, 1000));
    assert_eq!(everything(&reopened).0, expected);
    assert_eq!(reopened.stats(), searcher.stats());
}

#[test]
fn a_half_written_frame_is_cut_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (mut appender, ..) = open(dir.path(), Options::default());
    appender.append(&[encoded(&messages(3))]).unwrap();
    let path = dir.path().join("logspaces/main/journal/00000000000000000000.journal");
    let file = RealDisk.open(&path).unwrap();
    let whole = file.bytes().unwrap();
    file.append(&mut [IoSlice::new(b""), IoSlice::new(b"LSF1"), IoSlice::new(b"and so on")]).unwrap();
    let (mut appender, searcher, recovery) = open(dir.path(), Options::default());
    let cut = recovery.cut.unwrap();
    assert_eq!((cut.offset, cut.bytes), (whole, 13));
    assert_eq!(
        cut.to_string(),
        format!("00000000000000000000.journal: 13 bytes at {whole}: the file ends within it")
    );
    assert_eq!(file.bytes().unwrap(), whole);
    assert_eq!(appender.append(&[encoded(&messages(1))]).unwrap(), 3..4);
    assert_eq!(everything(&searcher).0.len(), 4);
}

#[test]
fn a_file_system_says_how_much_is_free() {
    let space = RealDisk.space(Path::new("/")).unwrap();
    assert!(0 < space.free_bytes && space.free_bytes < space.total_bytes);
}

#[test]
fn memory_is_bounded_by_bytes_and_by_batches() {
    let dir = tempfile::tempdir().unwrap();
    let durability = logstead_indexer::Durability::Os;
    let options = Options { memory_max: 100_000, durability, ..Options::default() };
    let (mut appender, searcher, _) = open(dir.path(), options);
    let one = encoded(&messages(1));
    let many = vec![one.clone(); 500];
    for _ in 0..20 {
        appender.append(&many).unwrap();
        assert!(searcher.stats().memory_bytes <= 100_000);
    }
    appender.set_options(Options { memory_max: 1 << 30, ..options });
    for _ in 0..20 {
        appender.append(&many).unwrap();
    }
    let stats = searcher.stats();
    assert_eq!(stats.batches, 20_000);
    assert!(stats.memory_bytes <= 4096 * one.batch.memory_bytes());
    let (found, coverage) = everything(&searcher);
    assert!(found.len() == 20_000 && coverage.complete);
}
