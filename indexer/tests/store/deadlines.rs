//! A disk that is slower than answers are wanted: what was not read in time is named, and is neither damaged nor lost. A
//! place that this version does not know is an error, and everything stays as it is.
//!
//! Keywords: timeout, slow disk, hanging read, incomplete answer, newer version.

use crate::common;

use common::{DIR, JOURNAL, SEGMENTS, encoded, everything, filter, open_all, read};
use logstead_answer::{Aggregation, AnswerSettings, CellValue, Facets, Histogram, Width};
use logstead_indexer::{
    AnswerTarget, Coverage, Disk, KeepError, OpenError, OpenLogspace, Options, Order, Request, SearchError,
    Searcher, SimDisk, TaskOutcome,
};
use logstead_query::{TimeRange, parse_pipeline};
use logstead_record::{FieldName, SECOND, Timestamp};
use logstead_work::deadline::NO_DEADLINE;
use logstead_work::{Deadline, SearchContext};
use std::collections::BTreeMap;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Nothing is kept in memory, so that every question reads.
const OPTIONS: Options = Options {
    memory_max: 0,
    index_memory_max: 0,
    journal_file_max: 1 << 20,
    journal_rows_max: u32::MAX,
    segment_rows_max: 1000,
    join_bytes_max: 0,
    durability: logstead_indexer::Durability::Fsync,
};
const SEGMENTS_MADE: u64 = 3;
const MESSAGES: u64 = SEGMENTS_MADE * 500;
const READ_TIME: Duration = Duration::from_millis(10);

/// A store of some segments, and a journal without messages.
fn stored() -> (SimDisk, OpenLogspace) {
    let disk = SimDisk::new(0);
    let mut opened = open_all(&disk, OPTIONS).unwrap();
    for first in (0..MESSAGES).step_by(500) {
        let message = |number: u64| {
            let text = format!("user w{:x} of {} took {}", number * 7919, number % 5, number * number % 997);
            (number as i64 * SECOND, text)
        };
        opened.appender.append(&[encoded(&(first..first + 500).map(message).collect::<Vec<_>>())]).unwrap();
        opened.appender.close_old(Timestamp::MAX).unwrap();
    }
    while let Some(task) = opened.keeper.next_task(false) {
        opened.keeper.run(&task, &|| false).unwrap();
    }
    assert_eq!(opened.searcher.stats().segments as u64, SEGMENTS_MADE);
    disk.set_read_time(READ_TIME);
    (disk, opened)
}

/// A deadline so much later than now, by the clock of the disk.
fn within(time: Duration, disk: &SimDisk) -> Deadline {
    let (disk, start) = (disk.clone(), disk.now());
    Deadline::after(time, move || disk.now() - start)
}

fn files(disk: &SimDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let list = |dir: &str| {
        let names = disk.list(Path::new(dir)).unwrap();
        names.into_iter().map(|name| Path::new(dir).join(name)).collect::<Vec<_>>()
    };
    let paths = [list(DIR), list(JOURNAL), list(SEGMENTS)].concat();
    paths.into_iter().map(|path| (path.clone(), read(disk, &path))).collect()
}

/// Asks in one way: how many messages it saw, and what was looked at.
type Ask = Box<dyn Fn(&Searcher, &SearchContext<'_>) -> (u64, Coverage)>;

const RANGE: TimeRange =
    TimeRange { first: Timestamp::from_nanos(0), last: Timestamp::from_nanos(MESSAGES as i64 * SECOND) };

fn count(query: &'static str) -> Ask {
    Box::new(move |searcher, run| {
        let found = searcher.count(&filter(query), RANGE, run);
        (found.count, found.coverage)
    })
}

fn page() -> Ask {
    Box::new(|searcher, run| {
        let filter = filter("user");
        let request =
            Request { filter: &filter, range: RANGE, order: Order::Newest, limit: 100, after: None };
        let found = searcher.search(&request, run);
        (found.hits.len() as u64, found.coverage)
    })
}

fn histogram() -> Ask {
    Box::new(|searcher, run| {
        let mut histogram = Histogram::new(RANGE, Width::AtMost(50), None, 1 << 20).unwrap();
        let asked = &mut [AnswerTarget::Histogram(&mut histogram)];
        let coverage = searcher.answer("main", &filter("user"), RANGE, run, asked).unwrap();
        (histogram.finish().total, coverage)
    })
}

fn facets() -> Ask {
    Box::new(|searcher, run| {
        let mut facets = Facets::new(vec![FieldName::new("program")], 10, 1 << 20);
        let asked = &mut [AnswerTarget::Facets(&mut facets)];
        let coverage = searcher.answer("main", &filter("took"), RANGE, run, asked).unwrap();
        (facets.finish()[0].rows, coverage)
    })
}

fn table() -> Ask {
    Box::new(|searcher, run| {
        let now = Timestamp::from_nanos(0);
        let settings = AnswerSettings { now, range: RANGE, asked: RANGE, memory_bytes_max: 1 << 20 };
        let pipeline = parse_pipeline("* | stats count() as messages").unwrap();
        let mut aggregation = Aggregation::compile(&pipeline, settings).unwrap();
        let asked = &mut [AnswerTarget::Table(&mut aggregation)];
        let coverage = searcher.answer("main", &filter("*"), RANGE, run, asked).unwrap();
        match &aggregation.finish(run).unwrap().rows[..] {
            [row] => (count_in(&row[0]), coverage),
            rows => panic!("one row is expected: {rows:?}"),
        }
    })
}

fn count_in(value: &CellValue) -> u64 {
    match value {
        CellValue::Count(count) => *count,
        value => panic!("a count is expected: {value:?}"),
    }
}

fn questions() -> Vec<(&'static str, Ask)> {
    vec![
        ("words", count("user w1eef")),
        ("numbers", count("took")),
        ("an expression", count("/w[0-9a-f]*7 of/")),
        ("no word", count("absent")),
        ("a column", count("host:web-1")),
        ("a page", page()),
        ("a histogram", histogram()),
        ("facets", facets()),
        ("a table", table()),
    ]
}

#[test]
fn an_answer_names_what_was_not_read_in_time_and_everything_is_as_good_as_before() {
    let (disk, opened) = stored();
    let searcher = &opened.searcher;
    for (name, ask) in questions() {
        let before = disk.now();
        let (whole, coverage) = ask(searcher, &SearchContext::alone());
        let takes = disk.now() - before;
        assert!(coverage.complete && coverage.unindexed_segments == 0, "{name}: {coverage:?}");
        let (mut partial, mut time) = (0, Duration::ZERO);
        while time <= takes + READ_TIME {
            for is_over_told in [true, false] {
                let deadline = within(time, &disk);
                let is_over = || is_over_told && deadline.is_over();
                let run =
                    SearchContext { cancelled: &is_over, deadline: &deadline, ..SearchContext::alone() };
                let (start, (seen, coverage)) = (disk.now(), ask(searcher, &run));
                assert!(coverage.damaged.is_empty(), "{name} within {time:?}: {coverage:?}");
                assert!(seen <= whole, "{name} within {time:?}: {seen} of {whole}");
                assert!(!coverage.complete || seen == whole, "{name} within {time:?}: {coverage:?}");
                assert!(coverage.complete || coverage.cancelled || !coverage.late.is_empty(), "{coverage:?}");
                let in_time =
                    coverage.late.iter().all(|part| part.ends_with(".blocks: it was not read in time"));
                assert!(in_time, "{:?}", coverage.late);
                partial += u64::from(!coverage.late.is_empty());
                // A page shows the best of what was found.
                assert!(name == "a page" || disk.now() - start <= time + READ_TIME, "{name} within {time:?}");
            }
            time += READ_TIME / 2;
        }
        assert!(takes.is_zero() || 0 < partial, "{name} takes {takes:?}");
        assert!(opened.keeper.next_task(true).is_none(), "{name}: there is nothing to make again");
        let (again, coverage) = ask(searcher, &SearchContext::alone());
        assert!(
            again == whole && coverage.complete && coverage.unindexed_segments == 0,
            "{name}: {coverage:?}"
        );
    }
    assert_eq!(everything(searcher).0.len() as u64, MESSAGES);
}

#[test]
fn a_message_and_what_is_kept_can_be_late_and_are_there_afterwards() {
    let (disk, opened) = stored();
    let over = within(Duration::ZERO, &disk);
    let got = over.during(|| opened.searcher.get(7));
    assert!(matches!(got, Err(SearchError::Late(_))), "{got:?}");
    assert_eq!(opened.searcher.get(7).unwrap().unwrap().sequence, 7);
    assert!(over.during(|| opened.keeper.next_task(true)).is_none(), "an index that is late is not missing");
    let index =
        disk.list(Path::new(SEGMENTS)).unwrap().into_iter().find(|name| name.ends_with(".index")).unwrap();
    disk.remove(&Path::new(SEGMENTS).join(index)).unwrap();
    let opened = open_all(&disk, OPTIONS).unwrap();
    let task = opened.keeper.next_task(false).unwrap();
    let done = over.during(|| opened.keeper.run(&task, &|| false));
    assert!(matches!(done, Err(KeepError::Late(_))), "{done:?}");
    drop(task);
    let task = opened.keeper.next_task(false).expect("it is offered again");
    let done = opened.keeper.run(&task, &|| false).unwrap();
    assert_eq!(done, TaskOutcome::Reindexed { messages: 500 });
}

#[test]
fn a_store_that_is_not_read_in_time_is_opened_later_and_stays_as_it_is() {
    let (disk, mut opened) = stored();
    opened.appender.close().unwrap();
    drop(opened);
    let before = files(&disk);
    let start = disk.now();
    let opened = open_all(&disk, OPTIONS).unwrap();
    let takes = disk.now() - start;
    drop(opened);
    let mut time = Duration::ZERO;
    while time < takes {
        let deadline = within(time, &disk);
        if let Err(error) = deadline.during(|| open_all(&disk, OPTIONS)) {
            assert!(matches!(error, OpenError::Disk { .. }), "{error}");
        }
        assert!(files(&disk) == before, "opened within {time:?} of {takes:?}");
        time += READ_TIME;
    }
    assert!(within(Duration::ZERO, &disk).during(|| open_all(&disk, OPTIONS)).is_err());
    let opened = NO_DEADLINE.during(|| open_all(&disk, OPTIONS)).unwrap();
    assert_eq!(opened.recovery.damaged, []);
    assert_eq!(everything(&opened.searcher).0.len() as u64, MESSAGES);
}

#[test]
fn a_manifest_with_a_place_of_another_version_is_refused_and_nothing_is_lost() {
    let (disk, mut opened) = stored();
    opened.appender.close().unwrap();
    drop(opened);
    let path = Path::new(DIR).join("manifest");
    let (before, own) = (files(&disk), read(&disk, &path));
    for segment in 0..SEGMENTS_MADE as usize {
        let mut other = own.clone();
        // The place of a segment is in the last bytes of its entry.
        other[64 + segment * 16 + 12] = 9;
        let crc = crc32c::crc32c(&other[8..]);
        other[4..8].copy_from_slice(&crc.to_le_bytes());
        disk.create(&path).unwrap().append(&mut [IoSlice::new(&other)]).unwrap();
        let refused = open_all(&disk, OPTIONS).err().map(|error| error.to_string());
        assert_eq!(
            refused.as_deref(),
            Some(
                "cannot read /data/logspaces/main/manifest: it has a segment at place 9, which this program does not \
                 know; start the version that wrote it"
            )
        );
        assert_eq!(read(&disk, &path), other, "it stays");
        disk.create(&path).unwrap().append(&mut [IoSlice::new(&own)]).unwrap();
        assert!(files(&disk) == before);
    }
    let opened = open_all(&disk, OPTIONS).unwrap();
    assert_eq!(opened.recovery.damaged, []);
    assert_eq!(everything(&opened.searcher).0.len() as u64, MESSAGES);
}
