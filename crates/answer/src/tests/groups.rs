//! Groups of rows with equal values: the results of functions, the counts of values, and their times.

use super::naive::{text, texts};
use super::sample::{check, endless, sample};
use super::testing::*;
use crate::{Aggregation, AnswerError, AnswerSettings, CellValue};
use logstead_query::{TimeRange, Unit, number_of, parse_pipeline};
use logstead_record::{Selection, Timestamp};
use logstead_work::SearchContext;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The texts of a row and the count at its end; `None` if one of them is missing.
fn counted_of(row: &[CellValue]) -> Option<(Vec<Vec<u8>>, u64)> {
    let (CellValue::Count(count), texts) = row.split_last()? else { return None };
    let text = |value: &CellValue| if let CellValue::Text(text) = value { Some(text.to_vec()) } else { None };
    Some((texts.iter().map(text).collect::<Option<_>>()?, *count))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn functions_are_what_they_say((messages, parts) in messages().prop_flat_map(in_parts)) {
        let query = "* | stats count(), count(n), sum(n), avg(n), min(n), max(n), dc(n), p50(n), p95(n) by host";
        let table = run(query, &parts, MEMORY_MAX).unwrap();
        let mut groups: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
        messages.iter().for_each(|message| groups.entry(message.host).or_default().push(message));
        prop_assert_eq!(table.rows.len(), groups.len());
        for row in &table.rows {
            let host = if let CellValue::Text(host) = &row[0] { std::str::from_utf8(host).unwrap() } else { "" };
            let group = &groups[host];
            let values: Vec<Vec<u8>> = group.iter().filter_map(|message| text(message, "n")).collect();
            let mut numbers: Vec<f64> = values.iter().filter_map(|value| number_of(value)).collect();
            numbers.sort_by(f64::total_cmp);
            let distinct: BTreeSet<&Vec<u8>> = values.iter().collect();
            let at = |percent: usize| match (numbers.len() * percent).div_ceil(100) {
                0 => CellValue::Null,
                rank => CellValue::Number(numbers[rank - 1] + 0.0),
            };
            let end = |number: Option<&f64>, text: Option<&&Vec<u8>>| match (number, text) {
                (Some(number), _) => CellValue::Number(*number + 0.0),
                (None, Some(text)) => CellValue::text(text),
                (None, None) => CellValue::Null,
            };
            prop_assert_eq!(&row[1], &CellValue::Count(group.len() as u64));
            prop_assert_eq!(&row[2], &CellValue::Count(values.len() as u64));
            let sum: f64 = numbers.iter().sum();
            match row[3] {
                CellValue::Number(found) => prop_assert!((found - sum).abs() <= 1e-6, "{found} {sum}"),
                _ => prop_assert!(numbers.is_empty()),
            }
            match row[4] {
                CellValue::Number(found) => prop_assert!((found - sum / numbers.len() as f64).abs() <= 1e-6),
                _ => prop_assert!(numbers.is_empty()),
            }
            prop_assert_eq!(&row[5], &end(numbers.first(), distinct.first()));
            prop_assert_eq!(&row[6], &end(numbers.last(), distinct.last()));
            prop_assert_eq!(&row[7], &CellValue::Count(distinct.len() as u64));
            prop_assert_eq!(&row[8], &at(50));
            prop_assert_eq!(&row[9], &at(95));
        }
    }

    #[test]
    fn a_message_is_once_in_the_group_of_each_of_its_values((messages, parts) in messages().prop_flat_map(in_parts)) {
        let mut singles: BTreeMap<Vec<Vec<u8>>, u64> = BTreeMap::new();
        let mut pairs: BTreeMap<Vec<Vec<u8>>, u64> = BTreeMap::new();
        for message in &messages {
            for n in texts(message, "n") {
                *singles.entry(vec![n.clone()]).or_default() += 1;
                let of_both = texts(message, "user").into_iter().map(|user| vec![n.clone(), user]);
                of_both.for_each(|pair| *pairs.entry(pair).or_default() += 1);
            }
        }
        let counted = |query: &str| -> BTreeMap<Vec<Vec<u8>>, u64> {
            let rows = run(query, &parts, MEMORY_MAX).unwrap().rows;
            rows.iter().filter_map(|row| counted_of(row)).collect()
        };
        prop_assert_eq!(&counted("* | stats count() by n"), &singles);
        prop_assert_eq!(&counted("* | top 1000000 n"), &singles);
        prop_assert_eq!(&counted("* | rare 1000000 n"), &singles);
        prop_assert_eq!(&counted("* | stats count() by n, user"), &pairs);
        prop_assert_eq!(&counted("* | top 1000000 user by n"), &pairs);
    }
}

#[test]
fn groups_have_their_values_and_functions() {
    check("* | stats count()", &["count", "5"]);
    check(
        "nothing | stats count(), sum(bytes), min(bytes), dc(bytes)",
        &["count | sum(bytes) | min(bytes) | dc(bytes)", "0 | - | - | 0"],
    );
    check("nothing | stats count() by host", &["host | count"]);
    check("* | stats count() by host", &["host | count", "fw1 | 2", "web | 2", "- | 1"]);
    check(
        "* | stats sum(bytes) as total, max(bytes), avg(ms) by host",
        &[
            "host | total | max(bytes) | avg(ms)",
            "fw1 | 19 | 10 | 0.875",
            "web | - | NaN | -",
            "- | - | - | -",
        ],
    );
    check(
        "* | stats min(time), max(severity), min(severity) by host | limit 1",
        &["host | min(time) | max(severity) | min(severity)", "fw1 | 2026-11-21T06:00:00Z | emerg | notice"],
    );
    check(
        "* | stats count() by host | stats count() as hosts, sum(count), dc(host) by count | sort -count",
        &["count | hosts | sum(count) | dc(host)", "2 | 2 | 4 | 2", "1 | 1 | 1 | 0"],
    );
}

#[test]
fn a_column_is_in_the_unit_that_its_numbers_were_written_with() {
    let units = |query: &str| -> Vec<Unit> {
        let table = run(query, &sample(), MEMORY_MAX).unwrap();
        table.columns.iter().map(|column| column.unit).collect()
    };
    assert_eq!(
        units("* | stats avg(ms), p90(ms) as slow, count(ms), max(bytes) by host"),
        [Unit::Plain, Unit::Duration, Unit::Duration, Unit::Plain, Unit::Plain]
    );
    assert_eq!(units("* | gap host > 1m").last(), Some(&Unit::Duration));
    // A size and a duration have no unit in common.
    let mixed = units("* | eval ms = if(host = \"fw1\", ms, \"1KiB\") | stats sum(ms)");
    assert_eq!(mixed, [Unit::Plain]);
    let changed = units("* | stats avg(ms) as slow | eval slow = slow * 1000");
    assert_eq!(changed, [Unit::Plain]);
}

#[test]
fn several_values_multiply_up_to_a_limit() {
    let fields =
        |name: &'static str, count: usize| (0..count).map(move |at| (name, at.to_string().into_bytes()));
    let of = |n: usize, user: usize| Message {
        time: START,
        fields: fields("n", n).chain(fields("user", user)).collect(),
        ..Message::default()
    };
    let counted = |messages: &[Message], query: &str| {
        let mut lines = shown(&run(query, &[(0, batch_of(messages))], MEMORY_MAX).unwrap());
        lines.remove(0);
        lines
    };
    let pairs = "* | stats count() as c by n, user | stats count()";
    assert_eq!(counted(&[of(32, 32), of(2, 40)], pairs), ["1040"]);
    let too_many = "note: 1 messages have more than 1024 combinations of values and are counted under the first 1024: group \
                    by fewer fields";
    assert_eq!(counted(&[of(33, 32)], pairs), ["1024", too_many]);
    assert_eq!(
        counted(&[of(1000, 1)], "* | stats count() by n | stats count()"),
        ["1000"],
        "one field is not cut"
    );
    let many: Vec<Message> = (0..200).map(|_| of(30, 30)).collect();
    assert_eq!(counted(&many, "* | stats count() as c by n, user | stats count() by c"), ["200 | 900"]);
}

#[test]
fn a_timechart_has_every_span() {
    let table = run("* | timechart span=1m count(), sum(bytes)", &sample(), MEMORY_MAX).unwrap();
    assert_eq!(table.rows.len(), 60);
    assert_eq!(
        shown(&table)[..5],
        [
            "time | count | sum(bytes)",
            "2026-11-21T06:00:00Z | 1 | 10",
            "2026-11-21T06:01:00Z | 1 | 9",
            "2026-11-21T06:02:00Z | 2 | -",
            "2026-11-21T06:03:00Z | 0 | -",
        ]
    );
    check(
        "* | timechart span=30m count() by host",
        &[
            "time | host | count",
            "2026-11-21T06:00:00Z | fw1 | 2",
            "2026-11-21T06:00:00Z | web | 1",
            "2026-11-21T06:00:00Z | - | 1",
            "2026-11-21T06:30:00Z | fw1 | 0",
            "2026-11-21T06:30:00Z | web | 1",
            "2026-11-21T06:30:00Z | - | 0",
        ],
    );
    let table = run("* | timechart count()", &sample(), MEMORY_MAX).unwrap();
    assert_eq!(table.rows.len(), 60, "a minute is the shortest round span that gives at most 100");
    let error = run("* | timechart span=1ms count()", &sample(), MEMORY_MAX).unwrap_err();
    assert_eq!(error, AnswerError::TooManyBuckets { count: 3_600_000, interval_ms: 1 });
}

#[test]
fn values_are_ranked_by_how_often_they_are_there() {
    check("* | top 1 host", &["host | count", "fw1 | 2"]);
    check("* | rare 5 host", &["host | count", "fw1 | 2", "web | 2"]);
    check("* | top 1 bytes by host", &["host | bytes | count", "fw1 | 9 | 1", "web | 7 | 1"]);
    check("* | uniq host", &["host", "fw1", "web"]);
    check("* | uniq host, ms", &["host | ms", "fw1 | 250ms", "fw1 | 1.5s"]);
    check("* | limit 10 | uniq host, ms", &["host | ms", "fw1 | 250ms", "fw1 | 1.5s"]);
}

#[test]
fn an_open_range_charts_what_is_there() {
    let pipeline = parse_pipeline("* | timechart span=1m count()").unwrap();
    let (now, all) = (Timestamp::from_nanos(START), TimeRange::ALL);
    let settings = AnswerSettings { now, range: all, asked: all, memory_bytes_max: MEMORY_MAX };
    let mut aggregation = Aggregation::compile(&pipeline, settings).unwrap();
    let (_, batch) = &sample()[0];
    let selected = Selection::from_fn(batch.rows(), |row| row != 3);
    with_part(batch, &selected, &[], |part| aggregation.add(part, &endless())).unwrap();
    assert_eq!(aggregation.finish(&SearchContext::alone()).unwrap().rows.len(), 3);
    let empty = Aggregation::compile(&pipeline, settings).unwrap();
    assert!(empty.finish(&SearchContext::alone()).unwrap().rows.is_empty());
}
