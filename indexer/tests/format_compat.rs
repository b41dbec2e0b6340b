//! Segments of every version are read as they were written. Of a journal only the present version is; an earlier one is
//! refused, and nothing of it is changed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{DIR, JOURNAL, SEGMENTS, filter, open, open_all, read};
use logstead_indexer::{Disk, Done, Options, RealDisk, Run, Searcher, SimDisk, encode};
use logstead_record::query::TimeRange;
use logstead_record::{Batch, BatchBuilder, Field, Flags, HeadForm, Origin, Priority, Row, Timestamp};
use std::io::IoSlice;
use std::path::Path;
use std::sync::Arc;

/// The files of a segment, and the manifest that names it.
type Files = [(&'static str, &'static str, &'static [u8]); 3];

/// A segment of version 1, as it was written before messages had templates.
const SEGMENT_VERSION_1: Files = [
    (DIR, "manifest", include_bytes!("data/format_v1/manifest")),
    (SEGMENTS, BLOCKS, include_bytes!("data/format_v1/00000000000000000000-303.blocks")),
    (SEGMENTS, INDEX, include_bytes!("data/format_v1/00000000000000000000-303.index")),
];
/// The same messages in a segment of version 2, as it was written before values of fields were parts of messages.
const SEGMENT_VERSION_2: Files = [
    (DIR, "manifest", MANIFEST_VERSION_2),
    (SEGMENTS, BLOCKS, include_bytes!("data/format_v2/00000000000000000000-303.blocks")),
    (SEGMENTS, INDEX, include_bytes!("data/format_v2/00000000000000000000-303.index")),
];
/// Those messages and some more in a segment whose blocks have version 3, written by `write_segment`.
const SEGMENT_VERSION_3: Files = [
    (DIR, "manifest", include_bytes!("data/format_v3/manifest")),
    (
        SEGMENTS,
        "00000000000000000000-306.blocks",
        include_bytes!("data/format_v3/00000000000000000000-306.blocks"),
    ),
    (
        SEGMENTS,
        "00000000000000000000-306.index",
        include_bytes!("data/format_v3/00000000000000000000-306.index"),
    ),
];
const MANIFEST_VERSION_2: &[u8] = include_bytes!("data/format_v2/manifest");
const BLOCKS: &str = "00000000000000000000-303.blocks";
const INDEX: &str = "00000000000000000000-303.index";

/// A journal file of version 1, and one of version 2: the same three frames. The second was written by `write_journal`.
const JOURNAL_VERSION_1: &[u8] = include_bytes!("data/format_v1/00000000000000000000.journal");
const JOURNAL_VERSION_2: &[u8] = include_bytes!("data/format_v2/00000000000000000000.journal");
const JOURNAL_NAME: &str = "00000000000000000000.journal";

/// Every column in use: dynamic fields, a head that is not stored and one that is, flags, times before 1970.
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

/// Three messages of which fields are parts, also with an end of their own, and with none.
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

#[test]
fn a_journal_of_version_1_is_refused_and_stays() {
    let disk = journal(JOURNAL_VERSION_1);
    let message = open_all(&disk, Options::default()).err().unwrap().to_string();
    for said in [JOURNAL_NAME, "it has version 1", "reads version 2", "start the version that wrote it"] {
        assert!(message.contains(said), "{message}");
    }
    assert!(read(&disk, &Path::new(JOURNAL).join(JOURNAL_NAME)) == JOURNAL_VERSION_1);
}

#[test]
fn a_journal_of_version_2_is_read() {
    let disk = journal(JOURNAL_VERSION_2);
    let (_, searcher, recovery) = open(&disk, Options::default());
    assert_eq!((recovery.batches, recovery.messages, recovery.cut), (3, 303, None));
    for (row, sequence) in [(0, 0), (1, 1)] {
        let hit = searcher.get(sequence).unwrap().unwrap();
        assert_eq!((&*hit.batch, hit.row), (&batches()[0], row));
    }
    assert_eq!(*searcher.get(2).unwrap().unwrap().batch, batches()[1]);
    assert_eq!(*searcher.get(302).unwrap().unwrap().batch, batches()[2]);
}

/// A new layout takes a new version and a new folder beside this one. (With another compressor the bytes may
/// differ although the layout does not; then this test has to go, and the one above stays.)
#[test]
fn a_journal_of_version_2_is_still_what_is_written() {
    if std::env::var_os("UPDATE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format_v2");
        write(&RealDisk, &folder.join(JOURNAL_NAME), &write_journal());
    } else {
        assert!(write_journal() == JOURNAL_VERSION_2, "the journal's layout has changed");
    }
}

/// The segment that these batches are sealed to.
fn write_segment() -> [Vec<u8>; 3] {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, Options::default()).unwrap();
    let batches = batches().into_iter().chain([batch_of_parts()]);
    let encoded: Vec<_> = batches.map(|batch| encode(Arc::new(batch))).collect();
    opened.appender.append(&encoded).unwrap();
    opened.appender.close_old(Timestamp::MAX).unwrap();
    opened.keeper.run(&opened.keeper.next_task(false).unwrap(), &|| false).unwrap();
    SEGMENT_VERSION_3.map(|(dir, name, _)| read(&disk, &Path::new(dir).join(name)))
}

fn write(disk: &dyn Disk, path: &Path, bytes: &[u8]) {
    disk.create(path).unwrap().append(&mut [IoSlice::new(bytes)]).unwrap();
}

/// A segment, with each file as `change` leaves it.
fn segment(files: Files, change: impl Fn(&str, &mut Vec<u8>)) -> SimDisk {
    let disk = SimDisk::new(0);
    disk.create_dir_all(Path::new(SEGMENTS)).unwrap();
    for (dir, name, bytes) in files {
        let mut bytes = bytes.to_vec();
        change(name, &mut bytes);
        write(&disk, &Path::new(dir).join(name), &bytes);
    }
    disk
}

/// Gives one of the files this version, with a right checksum of this many of its bytes.
fn newer(changed: &str, version: u8, crc_end: usize) -> SimDisk {
    segment(SEGMENT_VERSION_1, |name, bytes| {
        if name == changed {
            bytes[8] = version;
            let crc = crc32c::crc32c(&bytes[8..crc_end.min(bytes.len())]);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        }
    })
}

/// Finds the messages by words, names, times and text.
fn check_search(searcher: &Searcher, (rows, unindexed): (u64, u64)) {
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
        ("NOT host:*", rows - 301),
        ("msgid=ID47 peer=10.0.0.1", 1),
        ("*", rows),
    ] {
        let counted = searcher.count(&filter(query), TimeRange::ALL, &Run::alone());
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
    if 303 < rows {
        check_parts(searcher);
    }
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
        assert_eq!(searcher.count(&filter(query), TimeRange::ALL, &Run::alone()).count, expected, "{query}");
    }
    for row in 0..3 {
        let hit = searcher.get(303 + row).unwrap().unwrap();
        let mut builder = BatchBuilder::new();
        builder.extend(&batch_of_parts(), row as usize..row as usize + 1);
        assert_eq!((&*hit.batch, hit.row), (&builder.seal(), 0));
    }
}

#[test]
fn a_segment_of_each_version_is_read() {
    for (files, rows) in [(SEGMENT_VERSION_1, 303), (SEGMENT_VERSION_2, 303), (SEGMENT_VERSION_3, 306)] {
        let disk = segment(files, |name, bytes| {
            if name == "manifest" {
                *bytes = journal_less_manifest(rows);
            }
        });
        let opened = open_all(&disk, Options::default()).unwrap();
        assert_eq!((opened.recovery.segments, opened.recovery.sealed_messages), (1, rows));
        check_search(&opened.searcher, (rows, 0));
        opened.searcher.verify(&Run::alone(), &mut |checked| assert_eq!(checked.findings, []));
        assert!(opened.keeper.next_task(true).is_none());
    }
}

/// A manifest of version 1, which does not tell that the journal has to be there.
fn journal_less_manifest(rows: u64) -> Vec<u8> {
    let mut bytes = SEGMENT_VERSION_1[0].2.to_vec();
    bytes[24..32].copy_from_slice(&rows.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// As for the journal; the manifest has version 3, too. (With another compressor or another tantivy the bytes may differ as well.)
#[test]
fn a_segment_of_version_3_is_still_what_is_written() {
    for ((_, name, expected), written) in SEGMENT_VERSION_3.iter().zip(write_segment()) {
        if std::env::var_os("UPDATE").is_some() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format_v3");
            write(&RealDisk, &folder.join(name), &written);
        } else {
            assert!(written == *expected, "the layout of {name} has changed");
        }
    }
}

/// It tells that the journal, too, has to be there, and where it begins.
#[test]
fn a_manifest_of_version_2_is_read() {
    let disk = segment(SEGMENT_VERSION_1, |name, bytes| {
        if name == "manifest" {
            *bytes = MANIFEST_VERSION_2.to_vec();
        }
    });
    let opened = open_all(&disk, Options::default()).unwrap();
    let damaged: Vec<String> = opened.recovery.damaged.iter().map(ToString::to_string).collect();
    assert!(damaged.iter().any(|damage| damage.contains("appended to is missing")), "{damaged:?}");
    let counted = opened.searcher.count(&filter("message"), TimeRange::ALL, &Run::alone());
    assert_eq!((counted.count, counted.coverage.complete), (300, false));
}

#[test]
fn newer_versions_are_clear_errors() {
    let message = open_all(&newer("manifest", 4, usize::MAX), Options::default()).err().unwrap().to_string();
    assert!(
        message.contains("manifest: it has version 4") && message.contains("start the version"),
        "{message}"
    );

    let opened = open_all(&newer(BLOCKS, 3, 64), Options::default()).unwrap();
    let damaged: Vec<String> = opened.recovery.damaged.iter().map(ToString::to_string).collect();
    assert!(damaged.len() == 1 && damaged[0].contains("it has version 3"), "{damaged:?}");
    let counted = opened.searcher.count(&filter("message"), TimeRange::ALL, &Run::alone());
    assert_eq!((counted.count, counted.coverage.damaged), (0, damaged));
    assert!(opened.searcher.get(0).unwrap_err().to_string().contains("it has version 3"));
    assert!(opened.keeper.next_task(true).is_none(), "nothing is to be done with it");

    // An index is made again.
    let opened = open_all(&newer(INDEX, 3, 80), Options::default()).unwrap();
    let mut findings = Vec::new();
    opened.searcher.verify(&Run::alone(), &mut |checked| findings.extend(checked.findings));
    assert!(findings.len() == 1 && findings[0].what.contains("the index has version 3"), "{findings:?}");
    check_search(&opened.searcher, (303, 1));
    let task = opened.keeper.next_task(false).unwrap();
    assert_eq!(opened.keeper.run(&task, &|| false).unwrap(), Done::Reindexed { messages: 303 });
    check_search(&opened.searcher, (303, 0));
}
