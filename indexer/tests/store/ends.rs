//! A cancelled search ends soon, whatever it is doing. The delay is measured as processor time of its thread, so that
//! other work on the machine makes no difference.
//!
//! Keywords: empty store, last message, boundaries.

use crate::common;

use common::{batch, filter, open_all};
use logstead_answer::{Aggregation, AnswerSettings, Facets, Histogram, Width};
use logstead_indexer::{AnswerTarget, Coverage, Options, Order, Request, Searcher, SimDisk, encode};
use logstead_query::{TimeRange, parse_pipeline};
use logstead_record::FieldName;
use logstead_record::{BatchBuilder, Field, Origin, Row, SECOND, Timestamp};
use logstead_work::SearchContext;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const SEALED: u64 = 16_000;
const TAIL: u64 = 2_000;
const MEMORY_MAX: usize = 256 << 20;
/// The greatest processor time between two checks for cancellation. A debug build is about thirty times slower than a
/// release build, and machines differ by a factor of three: half a second was seen for reading two thousand
/// wildcards.
const SILENCE_MAX_NANOS: u64 = 1_500_000_000;

/// The processor time that this thread has used.
fn worked_nanos() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * SECOND as u64 + time.tv_nsec as u64
}

/// Messages with many words, few of which are similar.
fn stored() -> Searcher {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, Options::default()).unwrap();
    let mut append = |from: u64, to: u64| {
        let mut builder = BatchBuilder::new();
        for number in from..to {
            let received = Timestamp::from_nanos(number as i64 * SECOND);
            builder.origin(Origin { source: b"test", peer: b"10.0.0.1", received });
            let odd = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let text = format!(
                "user w{number:x} of {:x} failed {:x} in {}",
                odd >> 40,
                odd >> 20 & 0xFFFFF,
                odd % 97
            );
            builder.field(b"user", format!("u{}", odd % 5000).as_bytes());
            builder.field(b"took", (odd % 1000).to_string().as_bytes());
            builder
                .push(&Row::text(text.as_bytes()).with(Field::Host, b"web-1").with(Field::Program, b"app"));
        }
        opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
    };
    (0..SEALED).step_by(2000).for_each(|from| append(from, from + 2000));
    opened.appender.close_old(Timestamp::MAX).unwrap();
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
    let mut append = |messages: &[common::Message]| {
        opened.appender.append(&[encode(batch(messages))]).unwrap();
    };
    for from in (SEALED..SEALED + TAIL).step_by(2000) {
        let message = |number: u64| (number as i64 * SECOND, format!("user w{number:x} of the tail"));
        append(&(from..from + 2000).map(message).collect::<Vec<_>>());
    }
    assert_eq!(opened.searcher.stats().sealed_messages, SEALED);
    opened.searcher
}

/// Runs one kind of search, and returns its coverage if it has one.
type Ask = Box<dyn Fn(&Searcher, &SearchContext<'_>) -> Coverage>;

fn count(query: String) -> Ask {
    Box::new(move |searcher, run| searcher.count(&filter(&query), TimeRange::ALL, run).coverage)
}

fn page(query: String) -> Ask {
    Box::new(move |searcher, run| {
        let filter = filter(&query);
        let request = Request {
            filter: &filter,
            range: TimeRange::ALL,
            order: Order::Oldest,
            limit: 2000,
            after: None,
        };
        searcher.search(&request, run).coverage
    })
}

fn table(query: &'static str) -> Ask {
    Box::new(move |searcher, run| {
        let range =
            TimeRange { first: Timestamp::from_nanos(0), last: Timestamp::from_nanos(100_000 * SECOND) };
        let now = Timestamp::from_nanos(0);
        let settings = AnswerSettings { now, range, asked: range, memory_bytes_max: MEMORY_MAX };
        let mut aggregation = Aggregation::compile(&parse_pipeline(query).unwrap(), settings).unwrap();
        let asked = &mut [AnswerTarget::Table(&mut aggregation)];
        let coverage = searcher.answer("main", &filter("*"), range, run, asked).unwrap();
        let table = aggregation.finish(run).unwrap();
        assert!(table.rows.len() <= logstead_answer::ROWS_MAX);
        Coverage { complete: coverage.complete && !table.is_cut_short, ..coverage }
    })
}

fn drawn() -> Ask {
    Box::new(|searcher, run| {
        let names = ["user", "took", "host", "program", "message"].map(FieldName::new).to_vec();
        let mut facets = Facets::new(names, 10, MEMORY_MAX);
        let range =
            TimeRange { first: Timestamp::from_nanos(0), last: Timestamp::from_nanos(100_000 * SECOND) };
        let by = Some(FieldName::new("user"));
        let mut histogram = Histogram::new(range, Width::AtMost(500), by, MEMORY_MAX).unwrap();
        let asked = &mut [AnswerTarget::Facets(&mut facets), AnswerTarget::Histogram(&mut histogram)];
        searcher.answer("main", &filter("*"), range, run, asked).unwrap()
    })
}

fn joined(many: impl Iterator<Item = String>, with: &str) -> String {
    many.collect::<Vec<_>>().join(with)
}

fn questions() -> Vec<(&'static str, Ask)> {
    let wildcards = || (0..2000).map(|number| format!("*{:x}z*", number * 7));
    // Every message contains all of them, so that none of them ends the search early.
    let everywhere =
        || (0..2000).map(|number| ["*ser*", "*aile*", "*n", "us*", "*f*"][number % 5].to_owned());
    let groups = || (0..500).map(|number| format!("(*use* OR *{:x}z*)", number * 7));
    let globs = || (0..200).map(|number| format!("*{:x}*q*", number * 7));
    let regexes = || (0..30).map(|number| format!("/(w|x)+{number}[0-9]*(a|b)?z/"));
    let phrases = || (0..300).map(|number| format!("\"of {:x} failed\"", number * 977));
    let values = || (0..1000).map(|number| format!("user:*{number}"));
    vec![
        ("wildcards", count(joined(wildcards(), " OR "))),
        ("none of many wildcards", count(joined(wildcards().map(|text| format!("-{text}")), " "))),
        ("all of many wildcards", count(joined(everywhere(), " AND "))),
        ("all of many groups of wildcards", count(joined(groups(), " AND "))),
        ("wildcards within values", count(joined(values(), " OR "))),
        ("wildcards of several parts", page(joined(globs(), " OR "))),
        ("regular expressions", count(joined(regexes(), " OR "))),
        ("phrases", count(joined(phrases(), " OR "))),
        ("a page", page("user".to_owned())),
        ("groups", table("* | stats count(), avg(took), p95(took), dc(user) by message")),
        (
            "groups of groups",
            table("* | stats count() by message | sort -count, message | stats count() as groups by count"),
        ),
        ("most frequent", table("* | top 1000000 message")),
        ("sorted", table("* | sort message | limit 1000000")),
        ("distinct", table("* | dedup message | where took>5 | fields message")),
        ("parsed", table("* | parse regex /(?<a>[0-9a-f]+) failed (?<b>.*) in/ | stats dc(b) by a")),
        ("histogram and facets", drawn()),
    ]
}

/// Runs a search that is cancelled at this check; returns the number of checks, the longest time between two, and the
/// coverage.
fn asked(searcher: &Searcher, ask: &Ask, end: u64) -> (u64, u64, Coverage) {
    let (asks, last, longest) = (AtomicU64::new(0), AtomicU64::new(worked_nanos()), AtomicU64::new(0));
    let note = || {
        let now = worked_nanos();
        longest.fetch_max(now - last.swap(now, Ordering::Relaxed), Ordering::Relaxed);
    };
    let cancelled = || {
        note();
        end <= asks.fetch_add(1, Ordering::Relaxed)
    };
    let coverage = ask(searcher, &SearchContext { cancelled: &cancelled, ..SearchContext::alone() });
    note();
    (asks.into_inner(), longest.into_inner(), coverage)
}

#[test]
fn a_search_ends_soon_wherever_it_is() {
    let searcher = stored();
    for (name, ask) in questions() {
        let (asks, longest, coverage) = asked(&searcher, &ask, u64::MAX);
        assert!(coverage.complete, "{name}: {coverage:?}");
        assert!(longest < SILENCE_MAX_NANOS, "{name}: {} ms without a question", longest / 1_000_000);
        // The search is cancelled at its beginning, in between and near its end.
        for end in [0, asks / 3, asks * 4 / 5] {
            let (_, longest, coverage) = asked(&searcher, &ask, end);
            assert!(longest < SILENCE_MAX_NANOS, "{name} at {end} of {asks}: {} ms", longest / 1_000_000);
            // Near its end, so little may be left that the search is completed nevertheless.
            assert!(!coverage.complete || 0 < end, "{name} at {end} of {asks}: {coverage:?}");
        }
    }
}
