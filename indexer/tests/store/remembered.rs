//! The rows that a filter matched are remembered: the same filter reads no messages again, and says the same, whatever
//! was stored, joined or removed in between.
//!
//! Keywords: repeated search, cache of conditions, same filter.

use crate::common;

use common::{encoded, filter, message, open_all};
use logstead_indexer::{OpenLogspace, Options, Order, Request, Searcher, SimDisk};
use logstead_query::TimeRange;
use logstead_record::{SECOND, Timestamp};
use logstead_work::{Deadline, SearchContext};
use std::time::Duration;

const OF_SEGMENT: u64 = 3000;
/// An index proposes rows for two whole messages, and cannot decide about them.
const UNDECIDED: &str = "message=\"user w2046 of 4 took 337\" OR message=\"user w6846 of 4 took 920\"";

fn options() -> Options {
    Options { journal_file_max: 1 << 20, segment_rows_max: 10_000, memory_max: 0, ..Options::default() }
}

fn text(number: u64) -> String {
    format!("user w{} of {} took {}", number * 7919 % 10_000, number % 5, number * number % 997)
}

fn store(opened: &mut OpenLogspace, first: u64) {
    let messages: Vec<_> =
        (first..first + OF_SEGMENT).map(|number| (number as i64 * SECOND, text(number))).collect();
    opened.appender.append(&[encoded(&messages)]).unwrap();
    opened.appender.close_old(Timestamp::MAX).unwrap();
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
}

/// The number of matching messages, and of blocks that were read to count them.
fn count(searcher: &Searcher, query: &str, range: TimeRange) -> (u64, u64) {
    let found = searcher.count(&filter(query), range, &SearchContext::alone());
    assert!(found.coverage.complete && 0 < found.coverage.segments, "{:?}", found.coverage);
    (found.count, found.coverage.blocks)
}

fn expected(numbers: std::ops::Range<u64>) -> u64 {
    let wanted = ["user w2046 of 4 took 337", "user w6846 of 4 took 920"];
    numbers.map(text).filter(|text| wanted.contains(&text.as_str())).count() as u64
}

fn seconds(numbers: std::ops::Range<u64>) -> TimeRange {
    let time = |number: u64| Timestamp::from_nanos(number as i64 * SECOND);
    TimeRange { first: time(numbers.start), last: time(numbers.end - 1) }
}

#[test]
fn the_same_filter_reads_no_message_twice() {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, options()).unwrap();
    store(&mut opened, 0);
    let searcher = opened.searcher.clone();
    let (found, blocks) = count(&searcher, UNDECIDED, TimeRange::ALL);
    assert!(found == expected(0..OF_SEGMENT) && 0 < found && 0 < blocks, "{found} in {blocks} blocks");
    assert_eq!(count(&searcher, UNDECIDED, TimeRange::ALL), (found, 0));
    assert_eq!(count(&searcher, &format!("({UNDECIDED})"), TimeRange::ALL), (found, 0), "it means the same");

    let within = seconds(700..2100);
    assert_eq!(count(&searcher, UNDECIDED, within), (expected(700..2100), 0), "a part of what is known");
    let page = searcher.search(
        &Request {
            filter: &filter(UNDECIDED),
            range: within,
            order: Order::Oldest,
            limit: 1000,
            after: None,
        },
        &SearchContext::alone(),
    );
    let hits: Vec<u64> = page.hits.iter().map(|hit| message(hit).0 as u64 / SECOND as u64).collect();
    assert_eq!(hits.len() as u64, expected(700..2100));
    assert!(hits.iter().all(|&number| expected(number..number + 1) == 1));

    let (others, blocks) = count(&searcher, &format!("-({UNDECIDED})"), TimeRange::ALL);
    assert!(others == OF_SEGMENT - found && 0 < blocks, "another filter is looked for");

    store(&mut opened, OF_SEGMENT);
    let both = expected(0..2 * OF_SEGMENT);
    assert_eq!(count(&searcher, UNDECIDED, TimeRange::ALL).0, both, "a new segment was not remembered");
    assert_eq!(count(&searcher, UNDECIDED, TimeRange::ALL), (both, 0));
}

#[test]
fn a_range_that_cuts_a_segment_is_not_taken_for_all_of_it() {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, options()).unwrap();
    store(&mut opened, 0);
    let searcher = opened.searcher;
    for (from, to) in [(100, 900), (0, 2500), (1, 3000)] {
        assert_eq!(count(&searcher, UNDECIDED, seconds(from..to)).0, expected(from..to));
    }
    assert_eq!(count(&searcher, UNDECIDED, TimeRange::ALL).0, expected(0..OF_SEGMENT));
}

#[test]
fn without_memory_for_it_nothing_is_remembered() {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, Options { index_memory_max: 0, ..options() }).unwrap();
    store(&mut opened, 0);
    for _ in 0..2 {
        let (found, blocks) = count(&opened.searcher, UNDECIDED, TimeRange::ALL);
        assert!(found == expected(0..OF_SEGMENT) && 0 < blocks);
    }
}

/// A disk that is too slow for the first question leaves nothing behind that the next one would believe.
#[test]
fn what_was_not_read_in_time_is_not_remembered() {
    for query in [UNDECIDED, "w2046", "w20*", "took -w2046", "of AND 337", "/w20[0-9]6 of/", "*04*"] {
        for millis in 0..40 {
            let disk = SimDisk::new(0);
            let mut opened = open_all(&disk, options()).unwrap();
            store(&mut opened, 0);
            let expected = count(&opened.searcher.clone(), query, TimeRange::ALL).0;
            let slow = disk.after_kill();
            let searcher = open_all(&slow, options()).unwrap().searcher;
            slow.set_read_time(Duration::from_millis(1));
            let (clock, start) = (slow.clone(), slow.now());
            let deadline = Deadline::after(Duration::from_millis(millis), move || clock.now() - start);
            let run = SearchContext { deadline: &deadline, ..SearchContext::alone() };
            searcher.count(&filter(query), TimeRange::ALL, &run);
            slow.set_read_time(Duration::ZERO);
            assert_eq!(count(&searcher, query, TimeRange::ALL).0, expected, "{query} after {millis} ms");
        }
    }
}
