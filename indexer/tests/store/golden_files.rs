//! Golden files: the files of a logspace are byte for byte those in `data/format`, and these can be read back. Files
//! of another version are refused and not changed.
//!
//! A change of a format needs a new version and new golden files: run with `UPDATE=1`. With another version of the
//! compressor or of tantivy, the bytes may differ even though the layout is the same; then the golden files are
//! rewritten as well.
//!
//! Keywords: file formats, compatibility.
use crate::common;

use common::{DIR, JOURNAL, SEGMENTS, filter, open, open_all, read};
use logstead_indexer::{Disk, Options, RealDisk, Searcher, SimDisk, TaskOutcome, encode};
use logstead_query::TimeRange;
use logstead_record::{Batch, BatchBuilder, Field, Flags, HeadForm, Origin, Priority, Row, Timestamp};
use logstead_work::SearchContext;
use std::io::IoSlice;
use std::path::Path;
use std::sync::Arc;

/// The files of a logspace whose only journal file was sealed, as written by `write_segment`.
const SEGMENT: [(&str, &str, &[u8]); 4] = [
    (JOURNAL, OPEN_JOURNAL, include_bytes!("../data/format/00000000000000000306.journal")),
    (DIR, "manifest", include_bytes!("../data/format/manifest")),
    (SEGMENTS, BLOCKS, include_bytes!("../data/format/00000000000000000000-306.blocks")),
    (SEGMENTS, INDEX, include_bytes!("../data/format/00000000000000000000-306.index")),
];
const BLOCKS: &str = "00000000000000000000-306.blocks";
const INDEX: &str = "00000000000000000000-306.index";
const OPEN_JOURNAL: &str = "00000000000000000306.journal";

/// A journal file, written by `write_journal`.
const JOURNAL_FILE: &[u8] = include_bytes!("../data/format/00000000000000000000.journal");
const JOURNAL_NAME: &str = "00000000000000000000.journal";
/// The number of messages that the segment has.
const MESSAGES: u64 = 306;

/// Batches that use every column: dynamic fields, a head that is stored and one that is not, flags, and times before
/// 1970.
fn batches() -> [Batch; 3] {
    let mut builder = BatchBuilder::new();
    let origin = |seconds| Origin {
        source: b"syslog",
        peer: b"10.0.0.1:514",
        received: Timestamp::from_seconds(seconds).unwrap(),
    };
    let frame = b"<38>1 2026-01-02T03:04:05.123Z web-1 sshd 77 ID47 [x@1 a=\"b\"] Accepted key for ana\n";
    builder.origin(origin(1_767_323_046));
    builder.field(b"x@1.a", b"b");
    builder.push(
        &Row {
            time: Timestamp::parse_rfc3339(b"2026-01-02T03:04:05.123Z"),
            priority: Priority::new(38),
            message_at: Some(62),
            head_form: HeadForm::Rfc5424 { fraction_digits: 3 },
            ..Row::text(frame)
        }
        .with(Field::Host, b"web-1")
        .with(Field::Program, b"sshd")
        .with(Field::Pid, b"77")
        .with(Field::Msgid, b"ID47")
        .with(Field::Message, &frame[62..82]),
    );
    builder
        .push(&Row { flags: Flags::UNPARSED.with(Flags::TRUNCATED), ..Row::text(b"\xff\0no text at all") });
    let first = builder.seal();
    builder.origin(origin(-5));
    builder.push(&Row::text(b""));
    let second = builder.seal();
    builder.origin(origin(1_767_323_047));
    for number in 0..300 {
        let (host, message) = (format!("host-{number}"), format!("message {number} {}", "x".repeat(number)));
        builder.push(&Row::text(message.as_bytes()).with(Field::Host, host.as_bytes()));
    }
    [first, second, builder.seal()]
}

/// Three messages: fields are parts of the first ones, also with an ending of their own, and the last has none.
fn batch_of_parts() -> Batch {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::from_seconds(1_767_323_048).unwrap();
    builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
    for (message, fields) in [
        ("user=ana note=left early id=7", [("user", "ana"), ("note", "left early"), ("id", "7")]),
        ("user=bo note= id=8", [("user", "bo"), ("note", ""), ("id", "8")]),
        ("user=eve note=\\\"quoted\\\" id=9", [("user", "eve"), ("note", "\"quoted\""), ("id", "9")]),
    ] {
        fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value.as_bytes()));
        builder.push(&Row::text(message.as_bytes()));
    }
    builder.seal()
}

/// The one file of a journal that holds these batches.
fn write_journal() -> Vec<u8> {
    let disk = SimDisk::new(0);
    let (mut appender, ..) = open(&disk, Options::default());
    appender.append(&batches().map(|batch| encode(Arc::new(batch)))).unwrap();
    read(&disk, &Path::new(JOURNAL).join(JOURNAL_NAME))
}

/// A logspace with only this journal file.
fn journal(bytes: &[u8]) -> SimDisk {
    let disk = SimDisk::new(0);
    disk.create_dir_all(Path::new(JOURNAL)).unwrap();
    write(&disk, &Path::new(JOURNAL).join(JOURNAL_NAME), bytes);
    disk
}

/// Gives a file another version, with a correct checksum over this many of its bytes.
fn with_version(bytes: &mut [u8], version: u8, crc_end: usize) {
    bytes[8] = version;
    let crc = crc32c::crc32c(&bytes[8..crc_end.min(bytes.len())]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn a_journal_of_another_version_is_refused_and_stays() {
    for version in [1, 3] {
        let mut bytes = JOURNAL_FILE.to_vec();
        with_version(&mut bytes, version, 56);
        let disk = journal(&bytes);
        let message = open_all(&disk, Options::default()).err().unwrap().to_string();
        let has = format!("it has version {version}");
        for said in [JOURNAL_NAME, &has, "reads version 2", "start the version that wrote it"] {
            assert!(message.contains(said), "{message}");
        }
        assert!(read(&disk, &Path::new(JOURNAL).join(JOURNAL_NAME)) == bytes);
    }
}

#[test]
fn a_journal_is_read() {
    let disk = journal(JOURNAL_FILE);
    let (_, searcher, recovery) = open(&disk, Options::default());
    assert_eq!((recovery.batches, recovery.messages, recovery.cut), (3, 303, None));
    for (row, sequence) in [(0, 0), (1, 1)] {
        let hit = searcher.get(sequence).unwrap().unwrap();
        assert_eq!((&*hit.batch, hit.row), (&batches()[0], row));
    }
    assert_eq!(*searcher.get(2).unwrap().unwrap().batch, batches()[1]);
    assert_eq!(*searcher.get(302).unwrap().unwrap().batch, batches()[2]);
}

/// Compares the written bytes with a golden file, or updates that.
fn check_golden(name: &str, expected: &[u8], written: &[u8]) {
    if std::env::var_os("UPDATE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format");
        write(&RealDisk, &folder.join(name), written);
    } else {
        assert!(written == expected, "the layout of {name} has changed");
    }
}

#[test]
fn a_journal_is_still_written_so() {
    check_golden(JOURNAL_NAME, JOURNAL_FILE, &write_journal());
}

/// The segment that results from sealing these batches.
fn write_segment() -> [Vec<u8>; 4] {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, Options::default()).unwrap();
    let batches = batches().into_iter().chain([batch_of_parts()]);
    let encoded: Vec<_> = batches.map(|batch| encode(Arc::new(batch))).collect();
    opened.appender.append(&encoded).unwrap();
    opened.appender.close_old(Timestamp::MAX).unwrap();
    opened.keeper.run(&opened.keeper.next_task(false).unwrap(), &|| false).unwrap();
    SEGMENT.map(|(dir, name, _)| read(&disk, &Path::new(dir).join(name)))
}

fn write(disk: &dyn Disk, path: &Path, bytes: &[u8]) {
    disk.create(path).unwrap().append(&mut [IoSlice::new(bytes)]).unwrap();
}

/// The logspace, with each file modified by `change`.
fn segment(change: impl Fn(&str, &mut Vec<u8>)) -> SimDisk {
    let disk = SimDisk::new(0);
    [JOURNAL, SEGMENTS].iter().for_each(|dir| disk.create_dir_all(Path::new(dir)).unwrap());
    for (dir, name, bytes) in SEGMENT {
        let mut bytes = bytes.to_vec();
        change(name, &mut bytes);
        write(&disk, &Path::new(dir).join(name), &bytes);
    }
    disk
}

/// The logspace with one file of another version.
fn segment_with(changed: &str, version: u8, crc_end: usize) -> SimDisk {
    segment(|name, bytes| {
        if name == changed {
            with_version(bytes, version, crc_end);
        }
    })
}

/// Finds the messages by words, names, times and text.
fn check_search(searcher: &Searcher, unindexed: u64) {
    for (query, expected) in [
        ("message", 300),
        ("accepted key", 1),
        ("host=web-1", 1),
        ("program:sshd", 1),
        ("x@1.a=b", 1),
        ("severity=info", 1),
        ("flag:unparsed", 1),
        ("host:host-7", 1),
        ("time<1970-01-01", 1),
        ("/mess/", 300),
        ("NOT host:*", MESSAGES - 301),
        ("msgid=ID47 peer=10.0.0.1", 1),
        ("*", MESSAGES),
    ] {
        let counted = searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone());
        assert_eq!(counted.count, expected, "{query}");
        assert!(counted.coverage.complete);
        assert!(counted.coverage.unindexed_segments <= unindexed, "{query}");
    }
    for (sequence, batch, row) in [(0, 0, 0), (1, 0, 1), (2, 1, 0), (302, 2, 299)] {
        let hit = searcher.get(sequence).unwrap().unwrap();
        let mut builder = BatchBuilder::new();
        builder.extend(&batches()[batch], row..row + 1);
        assert_eq!((&*hit.batch, hit.row), (&builder.seal(), 0));
    }
    check_parts(searcher);
}

fn check_parts(searcher: &Searcher) {
    for (query, expected) in [
        ("user=ana", 1),
        ("user:*", 3),
        ("note:left", 1),
        ("note:\"left early\"", 1),
        ("quoted", 1),
        ("id>7", 2),
    ] {
        assert_eq!(
            searcher.count(&filter(query), TimeRange::ALL, &SearchContext::alone()).count,
            expected,
            "{query}"
        );
    }
    for row in 0..3 {
        let hit = searcher.get(303 + row).unwrap().unwrap();
        let mut builder = BatchBuilder::new();
        builder.extend(&batch_of_parts(), row as usize..row as usize + 1);
        assert_eq!((&*hit.batch, hit.row), (&builder.seal(), 0));
    }
}

#[test]
fn a_segment_is_read() {
    let opened = open_all(&segment(|_, _| {}), Options::default()).unwrap();
    assert_eq!((opened.recovery.segments, opened.recovery.sealed_messages), (1, MESSAGES));
    check_search(&opened.searcher, 0);
    opened.searcher.verify(&SearchContext::alone(), &mut |checked| assert_eq!(checked.findings, []));
    assert!(opened.keeper.next_task(true).is_none());
}

#[test]
fn a_segment_is_still_written_so() {
    for ((_, name, expected), written) in SEGMENT.iter().zip(write_segment()) {
        check_golden(name, expected, &written);
    }
}

#[test]
fn a_manifest_of_another_version_is_refused_and_stays() {
    for version in [2, 4] {
        let disk = segment_with("manifest", version, usize::MAX);
        let before = read(&disk, &Path::new(DIR).join("manifest"));
        let message = open_all(&disk, Options::default()).err().unwrap().to_string();
        let has = format!("manifest: it has version {version}");
        for said in [&has, "reads version 3", "start the version that wrote it"] {
            assert!(message.contains(said), "{message}");
        }
        assert!(read(&disk, &Path::new(DIR).join("manifest")) == before);
    }
}

#[test]
fn a_segment_of_another_version_is_not_read_and_stays() {
    for version in [3, 5] {
        let disk = segment_with(BLOCKS, version, 80);
        let before = read(&disk, &Path::new(SEGMENTS).join(BLOCKS));
        let opened = open_all(&disk, Options::default()).unwrap();
        let damaged: Vec<String> = opened.recovery.damaged.iter().map(ToString::to_string).collect();
        let has = format!("it has version {version}");
        assert!(damaged.len() == 1 && damaged[0].contains(&has), "{damaged:?}");
        assert!(damaged[0].contains("start the version that wrote it"), "{damaged:?}");
        let counted = opened.searcher.count(&filter("message"), TimeRange::ALL, &SearchContext::alone());
        assert_eq!((counted.count, counted.coverage.damaged), (0, damaged));
        assert!(opened.searcher.get(0).unwrap_err().to_string().contains(&has));
        assert!(opened.keeper.next_task(true).is_none(), "nothing is to be done with it");
        assert!(read(&disk, &Path::new(SEGMENTS).join(BLOCKS)) == before);
    }
}

#[test]
fn an_index_of_another_version_is_made_again() {
    for version in [3, 5] {
        let opened = open_all(&segment_with(INDEX, version, 80), Options::default()).unwrap();
        let mut findings = Vec::new();
        opened.searcher.verify(&SearchContext::alone(), &mut |checked| findings.extend(checked.findings));
        let has = format!("the index has version {version}");
        assert!(findings.len() == 1 && findings[0].what.contains(&has), "{findings:?}");
        check_search(&opened.searcher, 1);
        let task = opened.keeper.next_task(false).unwrap();
        assert_eq!(
            opened.keeper.run(&task, &|| false).unwrap(),
            TaskOutcome::Reindexed { messages: MESSAGES }
        );
        check_search(&opened.searcher, 0);
    }
}
