//! A search finds the same as filtering and sorting all messages, from memory or disk, page by page, while messages
//! arrive and become segments.
//!
//! Keywords: pagination, order, newest first.
use crate::common;

use common::{Message, SEGMENTS, encoded, filter, message, noise, open, open_all};
use logstead_indexer::{
    Appender, Coverage, Disk, Hit, OpenLogspace, Options, Order, Position, Request, Searcher, SimDisk,
};
use logstead_query::TimeRange;
use logstead_record::Timestamp;
use logstead_work::{Lanes, SearchContext};
use proptest::prelude::*;
use std::path::Path;

type Stored = Vec<(u64, Message)>;

fn messages() -> impl Strategy<Value = Vec<Vec<Message>>> {
    let time = prop_oneof![8 => 0_i64..40, 1 => Just(i64::MIN + 1), 1 => Just(i64::MAX), 1 => any::<i64>()];
    let text = prop_oneof![Just("apple"), Just("apple pie"), Just("pear"), Just("")].prop_map(str::to_owned);
    proptest::collection::vec(proptest::collection::vec((time, text), 0..9), 0..12)
}

fn store(appender: &mut Appender, batches: &[Vec<Message>], stored: &mut Stored) {
    for batches in batches.chunks(2) {
        let ready: Vec<_> = batches.iter().map(encoded).collect();
        stored.extend(appender.append(&ready).unwrap().zip(batches.concat()));
    }
}

fn naive(stored: &Stored, request: &Request<'_>, word: &str) -> Stored {
    let rank = |sequence: u64, time: i64| (time, sequence);
    let in_page =
        |rank: (i64, u64)| match (request.after.map(|p| (p.time.nanos(), p.sequence)), request.order) {
            (None, _) => true,
            (Some(after), Order::Newest) => rank < after,
            (Some(after), Order::Oldest) => after < rank,
        };
    let matches = |(sequence, (time, text)): &&(u64, Message)| {
        request.range.contains(Timestamp::from_nanos(*time))
            && in_page(rank(*sequence, *time))
            && (word == "*" || text.contains(word))
    };
    let mut expected: Stored = stored.iter().filter(matches).cloned().collect();
    expected.sort_by_key(|(sequence, (time, _))| rank(*sequence, *time));
    if request.order == Order::Newest {
        expected.reverse();
    }
    expected
}

fn check(searcher: &Searcher, stored: &Stored, request: &Request<'_>, word: &str) {
    let mut expected = naive(stored, request, word);
    let found = searcher.search(request, &SearchContext::alone());
    assert_eq!(found.more, request.limit < expected.len());
    expected.truncate(request.limit);
    let hits: Stored = found.hits.iter().map(|hit| (hit.sequence, message(hit))).collect();
    assert_eq!(hits, expected);
    assert!(found.coverage.complete);
    let stats = searcher.stats();
    assert_eq!(found.coverage.journal_batches + found.coverage.skipped_batches, stats.batches);
    if request.after.is_none() {
        let counted = searcher.count(request.filter, request.range, &SearchContext::alone());
        assert_eq!(counted.count, naive(stored, request, word).len() as u64);
    }
}

proptest! {
    #![proptest_config(common::cases(160))]

    #[test]
    fn a_search_finds_what_sorting_everything_finds(
        batches in messages(),
        memory_max in prop_oneof![Just(0), Just(3000), Just(1 << 20)],
        journal_file_max in prop_oneof![Just(300), Just(2000), Just(1 << 20)],
        requests in proptest::collection::vec(
            (0_usize..3, prop_oneof![Just(Order::Newest), Just(Order::Oldest)], 0_usize..30, -2_i64..45, 0_i64..50,
             any::<bool>(), proptest::option::of((-2_i64..45, 0_u64..60))),
            1..12,
        ),
        reopen in any::<bool>(),
    ) {
        let disk = SimDisk::new(0);
        let options = Options { memory_max, journal_file_max, ..Options::default() };
        let (mut appender, mut searcher, _) = open(&disk, options);
        let mut stored = Stored::new();
        store(&mut appender, &batches, &mut stored);
        if reopen {
            (_, searcher, _) = open(&disk, options);
        }
        for (word, order, limit, first, length, all, after) in requests {
            let word = ["*", "apple", "pear"][word];
            let (first, last) = (Timestamp::from_nanos(first), Timestamp::from_nanos(first + length));
            let range = if all { TimeRange::ALL } else { TimeRange { first, last } };
            let after = after.map(|(time, sequence)| Position { time: Timestamp::from_nanos(time), sequence });
            let request = Request { filter: &filter(word), range, order, limit, after };
            check(&searcher, &stored, &request, word);
        }
        for (sequence, expected) in &stored {
            let hit = searcher.get(*sequence).unwrap().unwrap();
            prop_assert_eq!(&message(&hit), expected);
        }
        prop_assert!(searcher.get(stored.len() as u64).unwrap().is_none());
    }

    #[test]
    fn pages_hold_each_message_once_while_others_arrive(
        batches in messages(),
        arriving in messages(),
        newest in any::<bool>(),
        limit in 1_usize..7,
        memory_max in prop_oneof![Just(0), Just(1 << 20)],
    ) {
        let disk = SimDisk::new(0);
        let (mut appender, searcher, _) = open(&disk, Options { memory_max, ..Options::default() });
        let mut stored = Stored::new();
        store(&mut appender, &batches, &mut stored);
        let there = stored.clone();
        let mut arriving = arriving.chunks(1);
        let order = if newest { Order::Newest } else { Order::Oldest };
        let filter = filter("*");
        let mut request = Request { filter: &filter, range: TimeRange::ALL, order, limit, after: None };
        let mut paged = Stored::new();
        loop {
            let found = searcher.search(&request, &SearchContext::alone());
            paged.extend(found.hits.iter().map(|hit| (hit.sequence, message(hit))));
            let Some(last) = found.hits.last() else { break };
            request.after = Some(last.position());
            if let Some(batches) = arriving.next() {
                store(&mut appender, batches, &mut stored);
            }
        }
        paged.sort_unstable();
        let total = paged.len();
        paged.dedup();
        prop_assert_eq!(paged.len(), total, "a message is on two pages");
        prop_assert!(there.iter().all(|message| paged.contains(message)));
    }
}

/// A single thread with a memory limit of this many bytes of messages.
struct Small(usize);

impl Lanes for Small {
    fn count(&self) -> usize {
        1
    }

    fn bytes(&self) -> usize {
        self.0
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }
}

#[test]
fn pages_that_hold_as_much_as_they_may_hold_each_message_once() {
    let disk = SimDisk::new(0);
    let mut stored = Stored::new();
    let opened = a_day(&disk, &mut stored);
    let filter = filter("a");
    for order in [Order::Newest, Order::Oldest] {
        let mut request = Request { filter: &filter, range: TimeRange::ALL, order, limit: 1000, after: None };
        let expected = naive(&stored, &request, " a");
        for bytes in [0, 3000, 40_000] {
            let lanes = Small(bytes);
            let run = SearchContext { lanes: &lanes, ..SearchContext::alone() };
            let (mut paged, mut pages) = (Stored::new(), 0);
            request.after = None;
            loop {
                let found = opened.searcher.search(&request, &run);
                paged.extend(found.hits.iter().map(|hit| (hit.sequence, message(hit))));
                pages += 1;
                let held: usize = found.hits.iter().skip(1).map(Hit::bytes).sum();
                assert!(held <= bytes + 1000, "{held} of {bytes}: no more than it may and one message");
                assert!(!found.is_cut || found.more);
                let Some(last) = found.hits.last().filter(|_| found.more) else { break };
                request.after = Some(last.position());
            }
            assert_eq!(paged, expected, "{order:?}, {bytes} bytes");
            assert!(2 < pages, "{pages} pages of {bytes} bytes");
        }
    }
}

const HOUR: i64 = 3_600_000_000_000;
/// The options for a day; a segment may be as large as three sealed files.
const DAY_OPTIONS: Options = Options {
    memory_max: 100_000,
    index_memory_max: 300_000,
    journal_file_max: 1 << 20,
    journal_rows_max: u32::MAX,
    segment_rows_max: 4000,
    join_bytes_max: 64 << 20,
    durability: logstead_indexer::Durability::Fsync,
};

/// The messages of an hour: about one every 17 s, mostly in order, and every third one matches.
fn hour(hour: i64) -> Vec<Message> {
    let at = |number: i64| hour * HOUR + number * HOUR / 210 - number % 7 * HOUR / 2;
    (0..210)
        .map(|number| (at(number), format!("hour {hour} {}", ["a", "b", "c"][number as usize % 3])))
        .collect()
}

fn store_hour(opened: &mut OpenLogspace, at: i64, stored: &mut Stored) {
    let messages = hour(at);
    stored.extend(opened.appender.append(&[encoded(&messages)]).unwrap().zip(messages));
}

fn seal(opened: &mut OpenLogspace, idle: bool) {
    opened.appender.close_old(Timestamp::MAX).unwrap();
    while let Some(task) = opened.keeper.next_task(idle) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
}

/// A day of messages: three segments of seven hours each and a tail of three hours, after a restart.
fn a_day(disk: &SimDisk, stored: &mut Stored) -> OpenLogspace {
    let mut opened = open_all(disk, DAY_OPTIONS).unwrap();
    for at in 0..24 {
        store_hour(&mut opened, at, stored);
        if at % 7 == 6 {
            seal(&mut opened, false);
        }
    }
    drop(opened);
    let opened = open_all(&disk.after_kill(), DAY_OPTIONS).unwrap();
    let stats = opened.searcher.stats();
    assert_eq!((stats.segments, stats.sealed_messages, stats.messages), (3, 21 * 210, 24 * 210));
    opened
}

fn check_day(query: &str, order: Order, limit: usize) {
    let mut stored = Stored::new();
    let mut opened = a_day(&SimDisk::new(0), &mut stored);
    let is_meant = |(_, (_, text)): &&(u64, Message)| query == "*" || text.ends_with(query);
    let there: Stored = stored.iter().filter(is_meant).cloned().collect();
    let filter = filter(query);
    let mut request = Request { filter: &filter, range: TimeRange::ALL, order, limit, after: None };
    let (mut paged, mut segments, mut at) = (Stored::new(), vec![3], 24);
    loop {
        let found = opened.searcher.search(&request, &SearchContext::alone());
        assert!(found.coverage.complete, "{:?}", found.coverage);
        paged.extend(found.hits.iter().map(|hit| (hit.sequence, message(hit))));
        assert!(!found.more || found.hits.len() == limit);
        let Some(last) = found.hits.last() else { break };
        request.after = Some(last.position());
        // Meanwhile the messages of a few hours arrive, and are sealed and joined.
        if at < 32 {
            store_hour(&mut opened, at, &mut stored);
            seal(&mut opened, at % 4 == 3);
            at += 1;
        }
        segments.push(opened.searcher.stats().segments);
    }
    assert!(segments.windows(2).any(|pair| pair[1] < pair[0]), "none were joined: {segments:?}");
    let ranks: Vec<(i64, u64)> = paged.iter().map(|(sequence, (time, _))| (*time, *sequence)).collect();
    let is_in_order = |pair: &[(i64, u64)]| (pair[0] < pair[1]) == (order == Order::Oldest);
    assert!(ranks.windows(2).all(|pair| is_in_order(pair) && pair[0] != pair[1]), "out of order, or twice");
    paged.sort_unstable();
    assert!(there.iter().all(|message| paged.binary_search(message).is_ok()), "a message is missing");
    let mut meant: Stored = stored.iter().filter(is_meant).cloned().collect();
    meant.sort_unstable();
    assert!(paged.iter().all(|message| meant.binary_search(message).is_ok()));
    if order == Order::Oldest {
        assert_eq!(paged.len(), meant.len(), "what arrived is on the last pages");
    }
}

#[test]
fn a_day_is_paged_without_a_gap_or_a_repeat_while_messages_arrive_and_are_sealed_and_joined() {
    for order in [Order::Newest, Order::Oldest] {
        check_day("*", order, 100);
        check_day("b", order, 37);
    }
}

#[test]
fn a_search_that_nobody_wants_ends() {
    let disk = SimDisk::new(0);
    let (mut appender, searcher, _) = open(&disk, Options::default());
    appender.append(&[encoded(&[(1, "apple".to_owned())])]).unwrap();
    let request =
        Request { filter: &filter("*"), range: TimeRange::ALL, order: Order::Newest, limit: 1, after: None };
    let found = searcher.search(&request, &SearchContext { cancelled: &|| true, ..SearchContext::alone() });
    assert!(found.coverage.cancelled && !found.coverage.complete && found.hits.is_empty());
}

#[test]
fn the_newest_of_many_are_found_without_reading_the_old() {
    let disk = SimDisk::new(0);
    let (mut appender, searcher, _) = open(&disk, Options { memory_max: 0, ..Options::default() });
    for number in 0..200 {
        appender.append(&[encoded(&[(number, noise(number as u64, 4000))])]).unwrap();
    }
    let request =
        Request { filter: &filter("*"), range: TimeRange::ALL, order: Order::Newest, limit: 5, after: None };
    let found = searcher.search(&request, &SearchContext::alone());
    assert_eq!(found.hits.len(), 5);
    assert!(found.coverage.scanned_messages < 100, "{:?}", found.coverage);
}

#[test]
fn a_hit_does_not_keep_a_whole_batch_in_memory() {
    let disk = SimDisk::new(0);
    let (mut appender, searcher, _) = open(&disk, Options { memory_max: 0, ..Options::default() });
    let messages: Vec<Message> = (0..1000).map(|number| (number, format!("number {number}"))).collect();
    appender.append(&[encoded(&messages)]).unwrap();
    let request =
        Request { filter: &filter("77"), range: TimeRange::ALL, order: Order::Newest, limit: 9, after: None };
    let found = searcher.search(&request, &SearchContext::alone());
    let [hit] = &found.hits[..] else { panic!("{found:?}") };
    assert_eq!((hit.sequence, message(hit), hit.batch.rows()), (77, messages[77].clone(), 1));
}

#[test]
fn searches_beside_appends_see_whole_appends() {
    let disk = SimDisk::new(0);
    let options = Options { memory_max: 20_000, journal_file_max: 20_000, ..Options::default() };
    let (mut appender, searcher, _) = open(&disk, options);
    let batches = [encoded(&[(1, "first".to_owned())]), encoded(&[(1, "second".to_owned())])];
    std::thread::scope(|scope| {
        let search = || {
            let mut before = 0;
            for _ in 0..200 {
                let acknowledged = searcher.stats().next_sequence;
                let counted = searcher.count(&filter("*"), TimeRange::ALL, &SearchContext::alone());
                assert!(before <= acknowledged && acknowledged <= counted.count);
                assert!(counted.count % 2 == 0 && counted.coverage.complete);
                before = counted.count;
            }
        };
        scope.spawn(search);
        scope.spawn(search);
        for _ in 0..500 {
            appender.append(&batches).unwrap();
        }
    });
}

/// The middle one of three segments has no readable block, and contains more messages than a page.
#[test]
fn pages_go_on_behind_what_can_not_be_read() {
    let disk = SimDisk::new(0);
    let mut stored = Stored::new();
    drop(a_day(&disk, &mut stored));
    let mut names = disk.list(Path::new(SEGMENTS)).unwrap();
    names.retain(|name| name.ends_with(".blocks"));
    names.sort();
    let path = Path::new(SEGMENTS).join(&names[1]);
    let bytes = disk.open(&path).unwrap().bytes().unwrap() as usize;
    // The texts come first in the file.
    assert!(1000 < bytes);
    (80..400).step_by(64).for_each(|byte| disk.flip(&path, byte * 8));
    let opened = open_all(&disk, DAY_OPTIONS).unwrap();
    assert_eq!(opened.searcher.stats().damaged, 0, "it opens");
    let lost = 7 * 210..14 * 210;
    stored.retain(|(sequence, _)| !lost.contains(sequence));
    for (order, limit) in
        [(Order::Newest, 100), (Order::Oldest, 100), (Order::Newest, 7), (Order::Oldest, 2000)]
    {
        let filter = filter("*");
        let mut request = Request { filter: &filter, range: TimeRange::ALL, order, limit, after: None };
        let (mut paged, mut damaged) = (Stored::new(), 0);
        loop {
            let found = opened.searcher.search(&request, &SearchContext::alone());
            let Coverage { complete, damaged: named, .. } = &found.coverage;
            assert!(*complete == named.is_empty() && named.iter().all(|damage| damage.contains(&names[1])));
            damaged += usize::from(!complete);
            paged.extend(found.hits.iter().map(|hit| (hit.sequence, message(hit))));
            assert!(!found.more || found.hits.len() == limit, "a page is full, or the last");
            request.after = found.hits.last().map(|hit| hit.position());
            if !found.more {
                break;
            }
        }
        assert_eq!(paged, naive(&stored, &Request { after: None, ..request }, "*"), "{order:?}, {limit}");
        assert!(0 < damaged, "no page says that something is missing");
    }
}
