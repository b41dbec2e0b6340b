//! The work of a question grows with the distinct values of a field, but never jumps: twice as many values cost at most two and a
//! half times as many steps, however many there are.
//!
//! Keywords: cliff, cardinality, limit of values, high cardinality.

use crate::common;

use common::{filter, open_all};
use logstead_answer::{Aggregation, AnswerSettings, Facets};
use logstead_indexer::{AnswerTarget, OpenLogspace, Options, Searcher, SimDisk, encode};
use logstead_query::{TimeRange, parse_pipeline};
use logstead_record::{BatchBuilder, FieldName, Origin, Row, SECOND, Timestamp};
use logstead_work::SearchContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Columns that are stored could have at most 65 536 values once.
const ROWS: u64 = 80_000;
const DISTINCT: [u64; 4] = [10_000, 20_000, 40_000, 80_000];
/// So few steps are not compared.
const FEW_STEPS: u64 = 12;

/// A store of one segment, whose clients have this many names.
fn store(distinct: u64) -> OpenLogspace {
    let options = Options { journal_file_max: 64 << 20, memory_max: 0, ..Options::default() };
    let mut opened = open_all(&SimDisk::new(0), options).unwrap();
    for first in (0..ROWS).step_by(10_000) {
        let mut builder = BatchBuilder::new();
        for number in first..first + 10_000 {
            let received = Timestamp::from_nanos(number as i64 * SECOND);
            let client = format!("c{}", number * 7919 % distinct);
            let (status, bytes) = ((200 + number % 300).to_string(), (number * 31 % distinct).to_string());
            builder.origin(Origin { source: b"test", peer: b"10.0.0.1", received });
            for (name, value) in [("client", &client), ("status", &status), ("bytes", &bytes)] {
                builder.field(name.as_bytes(), value.as_bytes());
            }
            builder.push(&Row::text(format!("client={client} status={status} bytes={bytes}").as_bytes()));
        }
        opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
    }
    opened.appender.close_old(Timestamp::MAX).unwrap();
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
    opened
}

/// The number of steps that a question takes: pieces of work, and blocks of messages that are read.
fn steps(ask: &dyn Fn(&SearchContext<'_>) -> u64) -> u64 {
    let asked = AtomicU64::new(0);
    let cancelled = || {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    };
    let blocks = ask(&SearchContext { cancelled: &cancelled, ..SearchContext::alone() });
    asked.load(Ordering::Relaxed) + blocks
}

fn count(searcher: &Searcher, query: &str, run: &SearchContext<'_>) -> u64 {
    let found = searcher.count(&filter(query), TimeRange::ALL, run);
    assert!(found.coverage.complete && 0 < found.count, "{query}: {:?}", found.coverage);
    found.coverage.blocks
}

fn answer(searcher: &Searcher, query: &str, asked: AnswerTarget<'_>, run: &SearchContext<'_>) -> u64 {
    let coverage = searcher.answer("main", &filter(query), TimeRange::ALL, run, &mut [asked]).unwrap();
    assert!(coverage.complete, "{query}: {coverage:?}");
    coverage.blocks
}

fn table(searcher: &Searcher, query: &str, stages: &str, run: &SearchContext<'_>) -> u64 {
    let (now, all) = (Timestamp::from_nanos(0), TimeRange::ALL);
    let settings = AnswerSettings { now, range: all, asked: all, memory_bytes_max: 256 << 20 };
    let stages = parse_pipeline(&format!("* | {stages}")).unwrap();
    let mut aggregation = Aggregation::compile(&stages, settings).unwrap();
    answer(searcher, query, AnswerTarget::Table(&mut aggregation), run)
}

#[test]
fn twice_as_many_values_take_no_more_than_two_and_a_half_times_the_work() {
    type CountedQuestion = fn(&Searcher, &SearchContext<'_>) -> u64;
    let questions: [(&str, CountedQuestion); 6] = [
        ("a value that many rows have", |searcher, run| count(searcher, "status=404", run)),
        ("a value that few rows have", |searcher, run| count(searcher, "client=c17", run)),
        ("a range of numbers", |searcher, run| count(searcher, "bytes>5000", run)),
        ("the most frequent values", |searcher, run| table(searcher, "status=404", "top 10 client", run)),
        ("a measure by a field", |searcher, run| table(searcher, "*", "stats max(bytes) by status", run)),
        ("facets", |searcher, run| {
            let mut facets =
                Facets::new(vec![FieldName::new("client"), FieldName::new("bytes")], 10, 256 << 20);
            answer(searcher, "*", AnswerTarget::Facets(&mut facets), run)
        }),
    ];
    let taken = DISTINCT.map(|distinct| {
        let opened = store(distinct);
        questions.each_ref().map(|(_, ask)| steps(&|run| ask(&opened.searcher, run)))
    });
    for (at, (name, _)) in questions.iter().enumerate() {
        for (pair, distinct) in taken.windows(2).zip(DISTINCT) {
            let [once, twice] = [pair[0][at], pair[1][at]].map(|steps| steps.max(FEW_STEPS));
            assert!(
                2 * twice <= 5 * once,
                "{name}, {distinct} values and twice as many: {once}, {twice} steps"
            );
        }
    }
}
