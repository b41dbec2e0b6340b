//! Helpers for the tests of the journal: small batches, and a search for everything.
#![allow(dead_code, reason = "each test uses some of it")]

use logstead_indexer::{
    Appender, Coverage, Disk, EncodedBatch, Filter, Hit, OpenError, OpenLogspace, Options, Order, Recovery,
    Request, Searcher, SimDisk, encode,
};
use logstead_query::{Context, TimeRange, parse};
use logstead_record::{Batch, BatchBuilder, Field, Origin, Row, Timestamp};
use logstead_work::{Alone, SearchContext};
use proptest::prelude::ProptestConfig;
use std::path::Path;
use std::sync::Arc;

pub(crate) const DIR: &str = "/data/logspaces/main";

pub(crate) const JOURNAL: &str = "/data/logspaces/main/journal";

pub(crate) const SEGMENTS: &str = "/data/logspaces/main/segments";

/// A message as tests see it: its time and its text.
pub(crate) type Message = (i64, String);

pub(crate) fn filter(query: &str) -> Filter {
    let context = Context { now: Timestamp::from_nanos(0), logspace: "main" };
    Filter::new(&parse(query).unwrap(), &context)
}

pub(crate) fn open(disk: &(impl Disk + Clone + 'static), options: Options) -> (Appender, Searcher, Recovery) {
    let OpenLogspace { appender, searcher, recovery, .. } = open_all(disk, options).unwrap();
    (appender, searcher, recovery)
}

pub(crate) fn open_all(
    disk: &(impl Disk + Clone + 'static),
    options: Options,
) -> Result<OpenLogspace, OpenError> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    logstead_indexer::open(&disk, Path::new(DIR), options, &Alone)
}

pub(crate) fn batch<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Arc<Batch> {
    let mut builder = BatchBuilder::new();
    for (time, text) in messages {
        builder.origin(Origin { source: b"test", peer: b"10.0.0.1", received: Timestamp::from_nanos(*time) });
        builder.push(&Row::text(text.as_bytes()).with(Field::Host, b"web-1").with(Field::Program, b"app"));
    }
    Arc::new(builder.seal())
}

pub(crate) fn encoded<'a>(messages: impl IntoIterator<Item = &'a Message>) -> EncodedBatch {
    encode(batch(messages))
}

pub(crate) fn read(disk: &SimDisk, path: &Path) -> Vec<u8> {
    let file = disk.open(path).unwrap();
    let mut bytes = vec![0; file.bytes().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

/// Text that does not compress.
pub(crate) fn noise(seed: u64, chars: usize) -> String {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        char::from(b'!' + ((state >> 33) % 89) as u8)
    };
    (0..chars).map(|_| next()).collect()
}

pub(crate) fn message(hit: &Hit) -> Message {
    let mut raw = Vec::new();
    hit.batch.write_raw(hit.row, &mut raw);
    (hit.time.nanos(), String::from_utf8(raw).unwrap())
}

/// Every message with its sequence, in the order in which they were stored, and the coverage of the search.
pub(crate) fn everything(searcher: &Searcher) -> (Vec<(u64, Message)>, Coverage) {
    let request = Request {
        filter: &filter("*"),
        range: TimeRange::ALL,
        order: Order::Oldest,
        limit: usize::MAX,
        after: None,
    };
    let found = searcher.search(&request, &SearchContext::alone());
    let mut messages: Vec<_> = found.hits.iter().map(|hit| (hit.sequence, message(hit))).collect();
    messages.sort_unstable();
    (messages, found.coverage)
}

/// The configuration for this many cases of a property, unless the environment sets their number.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases, ..config } }
}
