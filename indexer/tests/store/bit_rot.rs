//! Any bit may be flipped: there is no panic, everything else is found, and the missing part is reported.
//!
//! Keywords: corruption, flipped bit, checksum.
use crate::common;

use common::{DIR, JOURNAL, Message, SEGMENTS, encoded, everything, filter, noise, open, open_all};
use logstead_answer::Facets;
use logstead_indexer::{
    AnswerTarget, Disk, OpenLogspace, Options, Searcher, SimDisk, Task, TaskOutcome, encode,
};
use logstead_query::TimeRange;
use logstead_record::{BatchBuilder, FieldName, Origin, Row, Timestamp};
use logstead_work::SearchContext;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Journal files of three frames each, except the last one with two, each frame with two messages.
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

/// A segment of messages with a field of few values, whose column is stored, and one of many.
fn segment_with_fields() -> (SimDisk, Options) {
    let (disk, options) = (SimDisk::new(0), Options { memory_max: 0, ..Options::default() });
    let mut opened = open_all(&disk, options).unwrap();
    let mut builder = BatchBuilder::new();
    for number in 0..3000_u32 {
        let (status, client) = ((200 + number % 7).to_string(), format!("c{}", number * 7919 % 2500));
        let received = Timestamp::from_nanos(number.into());
        builder.origin(Origin { source: b"test", peer: b"10.0.0.1", received });
        builder.field(b"status", status.as_bytes());
        builder.field(b"client", client.as_bytes());
        builder.push(&Row::text(format!("status={status} client={client}").as_bytes()));
    }
    opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
    opened.appender.close_old(Timestamp::MAX).unwrap();
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
    (disk, options)
}

/// A count of a field with few values, one with many, and the most frequent values of both.
fn asked_of_fields(searcher: &Searcher) -> [(u64, bool); 3] {
    let count = |query: &str| {
        let counted = searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone());
        (counted.count, counted.coverage.complete)
    };
    let mut facets = Facets::new(["status", "client"].map(FieldName::new).to_vec(), 5000, 64 << 20);
    let targets = &mut [AnswerTarget::Facets(&mut facets)];
    let coverage = searcher.answer("main", &filter("*"), TimeRange::ALL, &SearchContext::alone(), targets);
    let values = facets.finish().iter().map(|facet| facet.values.len() as u64).sum();
    [count("status=203"), count("client:c1*"), (values, coverage.unwrap().complete)]
}

#[test]
fn a_flipped_bit_never_changes_what_fields_are_said_to_be() {
    let (disk, options) = segment_with_fields();
    let sound = asked_of_fields(&open(&disk.after_kill(), options).1);
    assert!(sound.iter().all(|(_, is_complete)| *is_complete) && sound[2].0 == 2507, "{sound:?}");
    let mut names = disk.list(Path::new(SEGMENTS)).unwrap();
    names.retain(|name| name.ends_with(".index") || name.ends_with(".blocks"));
    assert_eq!(names.len(), 2);
    for path in names.iter().map(|name| Path::new(SEGMENTS).join(name)) {
        let bytes = disk.open(&path).unwrap().bytes().unwrap() as usize;
        for byte in (0..bytes).step_by(97) {
            let disk = disk.after_kill();
            disk.flip(&path, byte * 8 + byte % 8);
            let found = asked_of_fields(&open(&disk, options).1);
            let is_index = path.extension().is_some_and(|extension| extension == "index");
            for (at, (found, sound)) in found.iter().zip(&sound).enumerate() {
                assert!(found == sound || !found.1 && !is_index, "{path:?} byte {byte}, {at}: {found:?}");
            }
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
    header[8] = 3;
    let crc = crc32c::crc32c(&header[8..]).to_le_bytes();
    header[4..8].copy_from_slice(&crc);
    disk.create(&path).unwrap().append(&mut [std::io::IoSlice::new(&header)]).unwrap();
    let opened = open_all(&disk, options);
    let message = opened.err().unwrap().to_string();
    assert!(message.contains("version 3") && message.contains("00000.journal"), "{message}");
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

/// Queries that are answered from an index, from columns, and from blocks.
const QUERIES: [&str; 8] =
    ["message", "m*", "third OR NOT word", "host=web-1", "program:ap*", "/essage 1/", "\"message 7\"", "*"];

/// Two segments, the first of two blocks, and two journal files.
fn sealed() -> (SimDisk, Options, Vec<(u64, Message)>) {
    let disk = SimDisk::new(0);
    let options = Options { memory_max: 0, ..Options::default() };
    let mut opened = open_all(&disk, options).unwrap();
    let mut stored = Vec::new();
    for file in 0..4 {
        for number in file * 6..file * 6 + 6 {
            let long = if file == 0 { noise(number, 60_000) } else { noise(number, 20) };
            let messages =
                [(number as i64, format!("message {number} word {long}")), (3, "third".to_owned())];
            let sequences = opened.appender.append(&[encoded(&messages)]).unwrap();
            stored.extend(sequences.zip(messages));
        }
        if file < 3 {
            opened.appender.close_old(Timestamp::MAX).unwrap();
        }
        if file < 2 {
            done(&opened, &opened.keeper.next_task(false).unwrap());
        }
    }
    (disk, options, stored)
}

fn done(opened: &OpenLogspace, task: &Task) -> TaskOutcome {
    opened.keeper.run(task, &|| false).unwrap()
}

fn paths(disk: &SimDisk, dir: &str, suffix: &str) -> Vec<(PathBuf, usize)> {
    let names = disk.list(Path::new(dir)).unwrap();
    let paths = names.iter().filter(|name| name.ends_with(suffix)).map(|name| Path::new(dir).join(name));
    paths.map(|path| (path.clone(), disk.open(&path).unwrap().bytes().unwrap() as usize)).collect()
}

/// About this many bits of a file, near both ends and in between.
fn bits(bytes: usize, bits: usize) -> impl Iterator<Item = usize> {
    let near_ends = move |byte: &usize| {
        *byte < 100 || bytes.saturating_sub(600) < *byte || byte.is_multiple_of((bytes / bits).max(1))
    };
    let step = (bytes.min(700) / bits).max(1);
    (0..bytes).filter(near_ends).step_by(step).map(|byte| byte * 8 + byte % 8)
}

/// The number of these messages that match a query.
fn expected(query: &str, stored: &[(u64, Message)]) -> u64 {
    let disk = SimDisk::new(0);
    let (mut appender, searcher, _) = open(&disk, Options::default());
    appender.append(&[encoded(stored.iter().map(|(_, message)| message))]).unwrap();
    searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone()).count
}

/// Checks that every answer is correct or says that it is incomplete, and in that case names the file.
fn check_answers(opened: &OpenLogspace, stored: &[(u64, Message)], counts: &[u64], file: &Path) {
    let name = file.file_name().unwrap().to_str().unwrap();
    let (found, coverage) = everything(&opened.searcher);
    let context = format!("{name}: {:?} {coverage:?}", opened.recovery);
    assert!(found.iter().all(|message| stored.contains(message)), "{context}");
    if coverage.complete {
        assert!(opened.recovery.cut.is_some() || found == stored, "{context}");
    } else {
        assert!(coverage.damaged.iter().all(|damage| damage.contains(name)), "{context}");
        assert!(!coverage.damaged.is_empty() && 12 <= found.len(), "{context}");
    }
    for (query, count) in QUERIES.into_iter().zip(counts) {
        let counted = opened.searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone());
        let context = format!("{query} in {name}: {:?} {:?}", opened.recovery, counted.coverage);
        if counted.coverage.complete && opened.recovery.cut.is_none() {
            assert_eq!(counted.count, *count, "{context}");
        } else {
            assert!(counted.coverage.damaged.iter().all(|damage| damage.contains(name)), "{context}");
        }
    }
}

fn findings(opened: &OpenLogspace) -> Vec<String> {
    let mut findings = Vec::new();
    opened.searcher.verify(&SearchContext::alone(), &mut |checked| {
        findings.extend(checked.findings.iter().map(|finding| format!("{}: {}", checked.file, finding.what)));
    });
    findings
}

fn counts(stored: &[(u64, Message)]) -> Vec<u64> {
    QUERIES.iter().map(|query| expected(query, stored)).collect()
}

#[test]
fn a_flipped_bit_of_blocks_or_of_the_journal_never_makes_an_answer_wrong() {
    let (disk, options, stored) = sealed();
    let counts = counts(&stored);
    let mut files = paths(&disk, SEGMENTS, ".blocks");
    files.extend(paths(&disk, JOURNAL, ".journal"));
    assert_eq!(files.len(), 4);
    for (path, bytes) in files {
        for bit in bits(bytes, 120) {
            let disk = disk.after_kill();
            disk.flip(&path, bit);
            let opened = open_all(&disk, options).unwrap();
            check_answers(&opened, &stored, &counts, &path);
            let findings = findings(&opened);
            assert!(opened.recovery.cut.is_some() || !findings.is_empty(), "{} bit {bit}", path.display());
        }
    }
}

#[test]
fn a_damaged_index_is_made_again_and_answers_are_right_meanwhile() {
    let (disk, options, stored) = sealed();
    let counts = counts(&stored);
    for (path, bytes) in paths(&disk, SEGMENTS, ".index") {
        for bit in bits(bytes, 60) {
            let disk = disk.after_kill();
            disk.flip(&path, bit);
            let opened = open_all(&disk, options).unwrap();
            check_answers(&opened, &stored, &counts, &path);
            assert_eq!(everything(&opened.searcher).0, stored);
            let found = findings(&opened);
            assert!(
                found.len() == 1 && found[0].contains("index"),
                "{} bit {bit}: {found:?}",
                path.display()
            );
            // The closed journal file is sealed first.
            done(&opened, &opened.keeper.next_task(false).unwrap());
            let task = opened.keeper.next_task(false).unwrap();
            assert_eq!(done(&opened, &task), TaskOutcome::Reindexed { messages: 12 });
            drop(task);
            assert!(opened.keeper.next_task(false).is_none() && findings(&opened).is_empty());
            check_answers(&opened, &stored, &counts, &path);
            let counted = opened.searcher.count(&filter("word"), TimeRange::ALL, &SearchContext::alone());
            assert_eq!((counted.count, counted.coverage.unindexed_segments), (24, 0));
        }
    }
}

#[test]
fn without_a_manifest_everything_is_found_again() {
    let (disk, options, stored) = sealed();
    let manifest = Path::new(DIR).join("manifest");
    let bytes = disk.open(&manifest).unwrap().bytes().unwrap() as usize;
    let check = |disk: &SimDisk| {
        let opened = open_all(disk, options).unwrap();
        let (found, coverage) = everything(&opened.searcher);
        assert!(found == stored && coverage.complete, "{coverage:?}");
        let damaged: Vec<&str> = opened.recovery.damaged.iter().map(|damage| damage.file.as_str()).collect();
        assert_eq!(damaged, ["manifest"]);
        assert_eq!((opened.searcher.stats().segments, findings(&opened)), (2, Vec::new()));
        // The file has been rewritten.
        done(&opened, &opened.keeper.next_task(false).unwrap());
        let opened = open_all(disk, options).unwrap();
        assert!(opened.recovery.damaged.is_empty() && opened.searcher.stats().segments == 3);
        assert_eq!(everything(&opened.searcher).0, stored);
    };
    for bit in 0..bytes * 8 {
        let disk = disk.after_kill();
        disk.flip(&manifest, bit);
        check(&disk);
    }
    for length in 0..bytes {
        let disk = disk.after_kill();
        disk.open(&manifest).unwrap().truncate(length as u64).unwrap();
        check(&disk);
    }
    disk.remove(&manifest).unwrap();
    check(&disk);
}

/// A file that is unreadable now may become readable again.
#[test]
fn without_a_manifest_blocks_that_can_not_be_read_stay() {
    let (disk, options, stored) = sealed();
    let (path, bytes) = paths(&disk, SEGMENTS, ".blocks").remove(0);
    disk.remove(&Path::new(DIR).join("manifest")).unwrap();
    let whole = disk.after_kill();
    disk.flip(&path, bytes * 8 - 1);
    let opened = open_all(&disk, options).unwrap();
    let (found, coverage) = everything(&opened.searcher);
    assert!(found == stored[12..] && !coverage.complete, "{coverage:?}");
    disk.flip(&path, bytes * 8 - 1);
    for disk in [disk, whole] {
        assert_eq!(everything(&open(&disk, options).1).0, stored);
    }
}
