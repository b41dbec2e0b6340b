//! A store that was written before segments kept messages as templates is read, searched, sealed and joined.
//!
//! `data/store_before_templates` holds a manifest, five segments that are small enough to be joined, a journal file
//! that is closed and not sealed, and the open one. `messages.jsonl` says what was stored, a line a message, as the
//! program that wrote the store knew it before. What is empty is left out, bytes that are not UTF-8 are in hex, and
//! `raw` is there where it is not head, message and tail.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
#[path = "../../record/tests/query/reference.rs"]
mod reference;

use common::{DIR, JOURNAL, SEGMENTS, filter, open_all};
use logstead_indexer::{
    Disk, Done, Keeper, Opened, Options, Order, RealDisk, Request, Run, Searcher, SimDisk, encode,
};
use logstead_record::query::{Context, Matcher, Query, TimeRange, parse};
use logstead_record::{Batch, BatchBuilder, Field, Flags, Origin, Priority, Row, Timestamp};
use serde_json::Value;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CONTEXT: Context<'_> = Context { now: Timestamp::from_nanos(0), logspace: "main" };
const MESSAGES: usize = 397;
const NOT_SEALED: u64 = 50;
/// 2026-11-01T00:00:00Z: the first message was received then.
const START: i64 = 1_793_491_200_000_000_000;
/// Longer messages are not compared character by character.
const REFERENCE_BYTES_MAX: usize = 300;

const QUERIES: [&str; 45] = [
    "*",
    "disk",
    "cs\"Disk\"",
    "\"disk full\"",
    "\"from 10.0\"*",
    "\"failed user\"~3",
    "needle-65",
    "needle-1*",
    "*publick*",
    "*ocked*",
    "10.1.*",
    "10.?.*",
    "0x*",
    "/order [0-9]{3}/",
    "/port \\d+ ssh2$/",
    "/(up|down)$/",
    "none=\"\"",
    "/\\x1b\\[31m/",
    "kelvin",
    "müller",
    "日本語",
    "18446744073709551616",
    "message:\"logged in\"",
    "message=\"session opened for user root\"",
    "message=\"\"",
    "NOT message:user",
    "user AND NOT from",
    "(full OR down) host:web*",
    "host=web-3",
    "NOT host:*",
    "program:ss*",
    "pid=77",
    "msgid=ID3",
    "severity>=err",
    "facility=auth",
    "flag:truncated",
    "NOT flag:*",
    "peer=2001:db8::7",
    "source=http",
    "m5>500000",
    "user.id>500000",
    "ms>=10 AND status=500",
    "time<1970-01-01",
    "received>=2026-11-01T00:05:00Z",
    "raw:1 -raw:10",
];

/// A message of the listing.
struct Listed {
    sequence: u64,
    said: Said,
    /// The only row of a batch.
    row: Arc<Batch>,
}

/// A query, and which messages of the listing it means.
struct Asked {
    query: &'static str,
    meant: Vec<bool>,
}

/// Everything that a message says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    received: i64,
    own_time: Option<i64>,
    /// The time that it counts by.
    time: i64,
    priority: Option<u8>,
    flags: u8,
    texts: [Vec<u8>; 7],
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    raw: Vec<u8>,
}

impl Said {
    fn listed(line: &Value) -> Said {
        let byte = |name: &str| line[name].as_u64().map(|byte| u8::try_from(byte).unwrap());
        let pair = |field: &Value| (bytes(&field[0]), bytes(&field[1]));
        let raw = match &line["raw"] {
            Value::Null => ["head", "message", "tail"].map(|name| bytes(&line[name])).concat(),
            raw => bytes(raw),
        };
        Said {
            received: line["received"].as_i64().unwrap(),
            own_time: line["own_time"].as_i64(),
            time: line["time"].as_i64().unwrap(),
            priority: byte("priority"),
            flags: byte("flags").unwrap_or(0),
            texts: ["source", "peer", "host", "program", "pid", "msgid", "message"]
                .map(|name| bytes(&line[name])),
            fields: line["fields"].as_array().into_iter().flatten().map(pair).collect(),
            raw,
        }
    }

    fn stored(batch: &Batch, row: usize) -> Said {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        Said {
            received: batch.received(row).nanos(),
            own_time: batch.own_time(row).map(Timestamp::nanos),
            time: batch.time(row).nanos(),
            priority: batch.priority(row).map(Priority::number),
            flags: batch.flags(row).0,
            texts: [
                batch.source(row),
                batch.peer(row),
                batch.host(row),
                batch.program(row),
                batch.pid(row),
                batch.msgid(row),
                batch.message(row),
            ]
            .map(<[u8]>::to_vec),
            fields: batch.fields(row).map(|(name, value)| (name.to_vec(), value.to_vec())).collect(),
            raw,
        }
    }

    fn row(&self) -> Batch {
        let [source, peer, host, program, pid, msgid, message] = &self.texts;
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source, peer, received: Timestamp::from_nanos(self.received) });
        self.fields.iter().for_each(|(name, value)| builder.field(name, value));
        builder.push(
            &Row {
                time: self.own_time.map(Timestamp::from_nanos),
                priority: self.priority.and_then(Priority::new),
                flags: Flags(self.flags),
                raw: &self.raw,
                ..Row::default()
            }
            .with(Field::Host, host)
            .with(Field::Program, program)
            .with(Field::Pid, pid)
            .with(Field::Msgid, msgid)
            .with(Field::Message, message),
        );
        builder.seal()
    }
}

/// What a text of the listing stands for.
fn bytes(text: &Value) -> Vec<u8> {
    match text {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        other => {
            let digits: Vec<u32> =
                other["hex"].as_str().unwrap().chars().map(|c| c.to_digit(16).unwrap()).collect();
            digits.chunks(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap()).collect()
        }
    }
}

impl Listed {
    fn new(sequence: u64, said: Said) -> Listed {
        Listed { sequence, row: Arc::new(said.row()), said }
    }

    /// Whether a query means it: by the plain meaning where that is quick enough.
    fn is_meant(&self, query: &Query) -> bool {
        if self.said.raw.len() < REFERENCE_BYTES_MAX {
            return reference::matches(query, &self.row, 0, &CONTEXT);
        }
        !Matcher::new(query, &CONTEXT).select(&self.row).is_empty()
    }
}

fn listing() -> Vec<Listed> {
    let file = read_file(&data().join("messages.jsonl"));
    let lines = file.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let listed = lines.map(|line| {
        let line: Value = serde_json::from_slice(line).unwrap();
        Listed::new(line["sequence"].as_u64().unwrap(), Said::listed(&line))
    });
    listed.collect()
}

fn asked(listing: &[Listed]) -> Vec<Asked> {
    let ask = |query| {
        let parsed = parse(query).unwrap();
        Asked { query, meant: listing.iter().map(|listed| listed.is_meant(&parsed)).collect() }
    };
    let asked: Vec<Asked> = QUERIES.map(ask).into();
    let proves = |Asked { meant, .. }: &&Asked| meant.contains(&true) && meant.contains(&false);
    let idle: Vec<&str> = asked[1..].iter().filter(|asked| !proves(asked)).map(|asked| asked.query).collect();
    assert!(idle.is_empty(), "these mean all or none: {idle:?}");
    asked
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/store_before_templates")
}

fn read_file(path: &Path) -> Vec<u8> {
    let file = RealDisk.open_to_read(path).unwrap();
    let mut bytes = vec![0; usize::try_from(file.bytes().unwrap()).unwrap()];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

/// A disk with the store on it.
fn disk() -> SimDisk {
    let disk = SimDisk::new(0);
    let copy = |from: &Path, dir: &str, name: &str| {
        let (bytes, to) = (read_file(&from.join(name)), Path::new(dir).join(name));
        disk.create(&to).unwrap().append(&mut [IoSlice::new(&bytes)]).unwrap();
    };
    for (from, to) in [("journal", JOURNAL), ("segments", SEGMENTS)] {
        let from = data().join(from);
        disk.create_dir_all(Path::new(to)).unwrap();
        RealDisk.list(&from).unwrap().iter().for_each(|name| copy(&from, to, name));
    }
    copy(&data(), DIR, "manifest");
    disk
}

/// Every message is there and says what it said, and every question finds what a look at the listing finds.
fn check(searcher: &Searcher, listing: &[Listed], asked: &[Asked]) {
    assert_eq!(searcher.stats().messages, listing.len() as u64);
    for Listed { sequence, said, .. } in listing {
        let hit = searcher.get(*sequence).unwrap().unwrap();
        assert_eq!((hit.sequence, hit.time.nanos()), (*sequence, said.time));
        assert_eq!(&Said::stored(&hit.batch, hit.row), said, "message {sequence}");
    }
    let second = |second: i64| Timestamp::from_nanos(START + second * 1_000_000_000);
    let ranges = [TimeRange::ALL, TimeRange { first: second(60), last: second(300) }];
    for (asked, range) in asked.iter().flat_map(|asked| ranges.map(|range| (asked, range))) {
        check_query(searcher, listing, asked, range);
    }
    searcher.verify(&Run::alone(), &mut |checked| assert_eq!(checked.findings, [], "{}", checked.file));
}

fn check_query(searcher: &Searcher, listing: &[Listed], Asked { query, meant }: &Asked, range: TimeRange) {
    let meant = listing.iter().zip(meant).filter(|(_, is_meant)| **is_meant).map(|(listed, _)| listed);
    let mut expected: Vec<&Listed> =
        meant.filter(|listed| range.contains(Timestamp::from_nanos(listed.said.time))).collect();
    expected.sort_by_key(|listed| (listed.said.time, listed.sequence));
    let filter = filter(query);
    let counted = searcher.count(&filter, range, &Run::alone());
    assert!(counted.coverage.complete, "{:?}", counted.coverage);
    assert_eq!(counted.count, expected.len() as u64, "count of {query} in {range:?}");
    let request = Request { filter: &filter, range, order: Order::Oldest, limit: usize::MAX, after: None };
    let found = searcher.search(&request, &Run::alone());
    assert_eq!(found.hits.len(), expected.len(), "page of {query} in {range:?}");
    for (hit, Listed { sequence, said, .. }) in found.hits.iter().zip(expected) {
        assert_eq!(hit.sequence, *sequence, "{query}");
        assert_eq!(&Said::stored(&hit.batch, hit.row), said, "message {sequence}, found by {query}");
    }
}

/// Does what there is to do, and says what it did.
fn keep(keeper: &Keeper) -> Vec<Done> {
    let tasks = std::iter::from_fn(|| keeper.next_task(true));
    tasks.take(100).map(|task| keeper.run(&task, &|| false).unwrap()).collect()
}

#[test]
fn a_store_from_before_templates_is_read_and_lives_on() {
    let (disk, mut listing) = (disk(), listing());
    let stored = listing.len();
    assert_eq!(stored, MESSAGES);
    // Some come once more, later.
    let again: Vec<Said> = listing.iter().step_by(9).map(|listed| listed.said.clone()).collect();
    listing.extend((stored as u64..).zip(again).map(|(sequence, said)| Listed::new(sequence, said)));
    let asked = asked(&listing);

    let Opened { searcher, keeper, recovery, .. } = open_all(&disk, Options::default()).unwrap();
    assert!(recovery.cut.is_none() && recovery.damaged.is_empty(), "{recovery:?}");
    assert_eq!((searcher.stats().segments, searcher.stats().journal_files), (5, 2));
    check(&searcher, &listing[..stored], &asked);

    let sealed = searcher.stats().sealed_messages;
    let steps = [
        Done::Sealed { segments: 1, messages: NOT_SEALED },
        Done::Joined { segments: 6, messages: sealed + NOT_SEALED },
    ];
    assert_eq!(keep(&keeper), steps);
    assert_eq!((searcher.stats().segments, searcher.stats().journal_files), (1, 1));
    check(&searcher, &listing[..stored], &asked);

    let mut opened = open_all(&disk.after_kill(), Options::default()).unwrap();
    check(&opened.searcher, &listing[..stored], &asked);

    // What comes next goes into the file that was open.
    let ready: Vec<_> = listing[stored..].iter().map(|listed| encode(Arc::clone(&listed.row))).collect();
    assert_eq!(opened.appender.append(&ready).unwrap(), stored as u64..listing.len() as u64);
    opened.appender.close_old(Timestamp::MAX).unwrap();
    let messages = listing.len() as u64 - sealed - NOT_SEALED;
    assert_eq!(keep(&opened.keeper), [Done::Sealed { segments: 1, messages }]);
    check(&opened.searcher, &listing, &asked);
}
