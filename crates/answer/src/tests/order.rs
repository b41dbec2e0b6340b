//! Messages newest first, sorted, cut and without duplicates.

use super::sample::{check, endless};
use super::testing::*;
use crate::{Aggregation, AnswerSettings, BatchLocation, CellValue, ROWS_MAX};
use logstead_query::parse_pipeline;
use logstead_record::{Selection, Timestamp};
use logstead_work::SearchContext;

#[test]
fn messages_come_newest_first_and_are_sorted_and_cut() {
    check(
        "* | fields time, bytes | limit 2",
        &["time | bytes", "2026-11-21T06:59:59Z | 1e400", "2026-11-21T06:02:01Z | -"],
    );
    check(
        "* | tail 1",
        &[
            "time | host | program | severity | message",
            "2026-11-21T06:00:00Z | fw1 | - | emerg | user=root from 10.0.0.1",
        ],
    );
    check("* | sort bytes | fields bytes", &["bytes", "9", "10", "1e400", "NaN", "-"]);
    check("* | sort -bytes | fields bytes", &["bytes", "NaN", "1e400", "10", "9", "-"]);
    check("* | dedup host | fields host, bytes", &["host | bytes", "web | 1e400", "- | -", "fw1 | 9"]);
    check("* | sort -severity | fields severity | limit 3", &["severity", "emerg", "emerg", "alert"]);
    check("* | limit 4 | sort host, -time | fields host | tail 2", &["host", "web", "-"]);
}

#[test]
fn a_long_table_is_cut_and_says_so() {
    let many: Vec<Message> = (0..ROWS_MAX as i64 + 5)
        .map(|index| Message { time: START + index, message: index.to_string(), ..Message::default() })
        .collect();
    let parts = [(0, batch_of(&many[..7000])), (7000, batch_of(&many[7000..]))];
    let table = run("*", &parts, MEMORY_MAX).unwrap();
    assert_eq!(table.rows.len(), ROWS_MAX);
    assert!(
        table.notes[0].starts_with("10005 messages match; these are the first 10000"),
        "{:?}",
        table.notes
    );
    assert_eq!(table.rows[0][4], CellValue::text(b"10004"));
    assert_eq!(run("* | limit 1000000", &parts, MEMORY_MAX).unwrap(), table);
    let now = Timestamp::from_nanos(START);
    let settings = AnswerSettings { now, range: HOUR, asked: HOUR, memory_bytes_max: MEMORY_MAX };
    let mut aggregation = Aggregation::compile(&parse_pipeline("* | limit 3").unwrap(), settings).unwrap();
    for (first_sequence, batch) in &parts {
        assert!(aggregation.floor().is_none_or(|floor| floor < batch.time(0)));
        let place = BatchLocation { logspace: "main", sequence: &|row| first_sequence + row as u64 };
        aggregation.add_batch(batch, &Selection::all(batch.rows()), place, &endless()).unwrap();
        assert!(aggregation.floor().is_some());
    }
    assert_eq!(aggregation.finish(&SearchContext::alone()).unwrap().rows[..], table.rows[..3]);
    let table = run("* | stats count() by message", &parts, MEMORY_MAX).unwrap();
    assert_eq!(table.rows.len(), ROWS_MAX);
    assert_eq!(table.notes, ["the table has 10005 rows; these are the first 10000"]);
    let table = run("* | dedup message | stats count()", &parts, MEMORY_MAX).unwrap();
    assert_eq!(shown(&table), ["count", "10005"]);
}
