//! A full disk refuses appends, loses nothing, and is no reason to restart.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod common;

use common::{Message, encoded, everything, open};
use logstead_indexer::{DiskError, Options, SimDisk};

fn messages(count: i64) -> Vec<Message> {
    (0..count).map(|number| (number, format!("message {number} {:x}", number * 0x9e37_79b9_7f4a))).collect()
}

/// Fills a disk of `bytes_max`, makes room, and goes on.
fn check(bytes_max: u64, journal_file_max: u64) {
    let disk = SimDisk::new(bytes_max);
    let options = Options { memory_max: 0, journal_file_max, ..Options::default() };
    let (mut appender, searcher, _) = open(&disk, options);
    disk.set_bytes_max(Some(bytes_max));
    let messages = messages(40);
    let mut stored = Vec::new();
    let mut refused = 0;
    for message in &messages {
        match appender.append(&[encoded([message])]) {
            Ok(sequences) => stored.extend(sequences.zip([message.clone()])),
            Err(DiskError::Full { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        assert_eq!(everything(&searcher).0, stored);
    }
    assert!(0 < refused);
    let restarted = disk.after_kill();
    assert_eq!(everything(&open(&restarted, options).1).0, stored);

    disk.set_bytes_max(None);
    for message in &messages {
        stored.extend(appender.append(&[encoded([message])]).unwrap().zip([message.clone()]));
    }
    let (found, coverage) = everything(&searcher);
    assert!(found == stored && coverage.complete);
    assert_eq!(everything(&open(&disk.after_power_cut(3), options).1).0, stored);
}

#[test]
fn a_full_disk_refuses_appends_until_there_is_room() {
    for bytes_max in (0..1200).step_by(7) {
        check(bytes_max, 600);
        check(bytes_max, 1 << 20);
    }
}
