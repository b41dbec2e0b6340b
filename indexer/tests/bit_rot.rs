//! A bit flips anywhere: no panic, the rest is found, and what is missing is said.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod common;

use common::{JOURNAL, Message, encoded, everything, open, open_all};
use logstead_indexer::{Disk, Options, SimDisk};
use proptest::prelude::*;
use std::path::Path;

/// Files of three frames each, the last of two, each frame of two messages.
fn journal() -> (SimDisk, Options, Vec<(u64, Message)>) {
    let disk = SimDisk::new(0);
    let options = Options { memory_max: 0, journal_file_max: 700, ..Options::default() };
    let (mut appender, searcher, _) = open(&disk, options);
    for number in 0..11 {
        let messages = [(number, format!("first {number}")), (number, format!("second {number}"))];
        appender.append(&[encoded(&messages)]).unwrap();
    }
    let (stored, coverage) = everything(&searcher);
    assert!(coverage.complete && stored.len() == 22);
    (disk, options, stored)
}

fn files(disk: &SimDisk) -> Vec<(String, u64)> {
    let mut names = disk.list(Path::new(JOURNAL)).unwrap();
    names.sort();
    let bytes = |name: &String| disk.open(&Path::new(JOURNAL).join(name)).unwrap().bytes().unwrap();
    names.into_iter().map(|name| (bytes(&name), name)).map(|(bytes, name)| (name, bytes)).collect()
}

#[test]
fn a_flipped_bit_costs_at_most_its_frame_and_is_reported() {
    let (disk, options, stored) = journal();
    let files = files(&disk);
    assert!(2 < files.len());
    for (name, bytes) in &files {
        for byte in 0..*bytes as usize {
            let disk = disk.after_kill();
            disk.flip(&Path::new(JOURNAL).join(name), byte * 8 + byte % 8);
            let (mut appender, searcher, recovery) = open(&disk, options);
            let (found, coverage) = everything(&searcher);
            let context = format!("{name} byte {byte}: {recovery:?} {coverage:?}");
            assert!(found.iter().all(|message| stored.contains(message)), "{context}");
            assert!(20 <= found.len(), "{context}");
            assert!(recovery.cut.is_some() || !coverage.complete, "{context}");
            assert_eq!(coverage.complete, coverage.damaged.is_empty());
            if recovery.cut.is_some() {
                assert_eq!(files.last().map(|(name, _)| name), Some(name), "{context}");
            }
            for (sequence, _) in &stored {
                let is_found = found.iter().any(|(found, _)| found == sequence);
                let got = searcher.get(*sequence);
                assert_eq!(matches!(got, Ok(Some(_))), is_found, "{context}");
                assert!(got.is_ok() || !coverage.complete, "{context}");
            }
            let sequences = appender.append(&[encoded(&[(99, "later".to_owned())])]).unwrap();
            assert!(found.iter().all(|(sequence, _)| *sequence < sequences.start), "{context}");
            let (reopened, _) = everything(&open(&disk.after_kill(), options).1);
            assert_eq!(reopened.len(), found.len() + 1, "{context}");
        }
    }
}

#[test]
fn a_file_that_is_missing_is_reported() {
    let (disk, options, stored) = journal();
    let files = files(&disk);
    disk.remove(&Path::new(JOURNAL).join(&files[1].0)).unwrap();
    let (_, searcher, recovery) = open(&disk, options);
    let (found, coverage) = everything(&searcher);
    assert!(found.len() < stored.len() && !coverage.complete);
    assert_eq!(recovery.damaged.len(), 1);
    assert_eq!(recovery.damaged[0].messages, Some((stored.len() - found.len()) as u64));
}

#[test]
fn a_newer_version_is_refused_with_a_reason() {
    let (disk, options, _) = journal();
    let path = Path::new(JOURNAL).join(&files(&disk)[0].0);
    let file = disk.open(&path).unwrap();
    let mut header = [0; 56];
    file.read_at(0, &mut header).unwrap();
    header[8] = 2;
    let crc = crc32c::crc32c(&header[8..]).to_le_bytes();
    header[4..8].copy_from_slice(&crc);
    disk.create(&path).unwrap().append(&mut [std::io::IoSlice::new(&header)]).unwrap();
    let opened = open_all(&disk, options);
    let message = opened.err().unwrap().to_string();
    assert!(message.contains("version 2") && message.contains("00000.journal"), "{message}");
}

proptest! {
    #![proptest_config(common::cases(200))]

    #[test]
    fn any_bytes_in_place_of_a_file_are_no_reason_to_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400), keep in 0_usize..700, which in 0_usize..3,
    ) {
        let (disk, options, stored) = journal();
        let path = Path::new(JOURNAL).join(&files(&disk)[which].0);
        let file = disk.open(&path).unwrap();
        file.truncate(keep as u64).unwrap();
        file.append(&mut [std::io::IoSlice::new(&bytes)]).unwrap();
        let (found, _) = everything(&open(&disk, options).1);
        prop_assert!(found.iter().all(|message| stored.contains(message)));
    }
}
