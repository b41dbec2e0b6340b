//! A full disk refuses appends, loses nothing, and does not need a restart.
//!
//! Keywords: full_disk, ENOSPC, simulated disk.
use crate::common;

use common::{Message, encoded, everything, filter, open, open_all};
use logstead_indexer::{DiskError, KeepError, OpenLogspace, Options, SimDisk, TaskOutcome};
use logstead_query::TimeRange;
use logstead_record::Timestamp;
use logstead_work::SearchContext;

fn messages(count: i64) -> Vec<Message> {
    (0..count).map(|number| (number, format!("message {number} {:x}", number * 0x9e37_79b9_7f4a))).collect()
}

/// Fills a disk of `bytes_max`, frees some space, and continues.
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

/// A logspace with five closed journal files.
fn closed_files(disk: &SimDisk) -> (OpenLogspace, Vec<(u64, Message)>) {
    let mut opened = open_all(disk, Options { memory_max: 0, ..Options::default() }).unwrap();
    let messages = messages(50);
    for messages in messages.chunks(10) {
        opened.appender.append(&[encoded(messages)]).unwrap();
        opened.appender.close_old(Timestamp::MAX).unwrap();
    }
    let stored = (0..).zip(messages).collect();
    (opened, stored)
}

/// Runs tasks until one fails.
fn keep(opened: &OpenLogspace) -> Result<Vec<TaskOutcome>, KeepError> {
    let tasks = std::iter::from_fn(|| opened.keeper.next_task(true));
    tasks.map(|task| opened.keeper.run(&task, &|| false)).collect()
}

fn check_search(opened: &OpenLogspace, stored: &Vec<(u64, Message)>) {
    let (found, coverage) = everything(&opened.searcher);
    assert!(found == *stored && coverage.complete, "{coverage:?}");
    let counted = opened.searcher.count(&filter("message"), TimeRange::ALL, &SearchContext::alone());
    assert_eq!(counted.count, stored.len() as u64);
}

#[test]
fn a_full_disk_puts_sealing_and_joining_off() {
    let mut refused = 0;
    for room in (0..).step_by(127) {
        let disk = SimDisk::new(room);
        let (opened, stored) = closed_files(&disk);
        disk.set_bytes_max(Some(disk.used_bytes() + room));
        let kept = keep(&opened);
        check_search(&opened, &stored);
        match kept {
            Ok(_) => break,
            Err(KeepError::Disk(DiskError::Full { .. })) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        let used = disk.used_bytes();
        keep(&opened).unwrap_err();
        assert_eq!(disk.used_bytes(), used, "a failed task leaves something behind");
        let restarted = disk.after_kill();
        restarted.set_bytes_max(None);
        check_search(&open_all(&restarted, Options::default()).unwrap(), &stored);
        assert_eq!(restarted.used_bytes(), used, "a failed task left something behind");

        disk.set_bytes_max(None);
        keep(&opened).unwrap();
        check_search(&opened, &stored);
        let stats = opened.searcher.stats();
        assert_eq!((stats.segments, stats.sealed_messages), (1, 50));
        check_search(&open_all(&disk.after_power_cut(room), Options::default()).unwrap(), &stored);
    }
    assert!(10 < refused, "{refused}");
}
