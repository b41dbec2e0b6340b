//! Answers against naive ones over random messages, and the stages one by one.

use super::testing::*;
use super::*;
use crate::work::Work;
use crate::work::run::Run;
use logstead_record::query::{FieldName, TimeRange, number_of, parse_pipeline};
use logstead_record::{
    Batch, BatchBuilder, Field, Flags, Origin, Priority, Row, SECOND, Selection, Timestamp,
};
use logstead_transform::Transform;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn text(message: &Message, field: &str) -> Option<Vec<u8>> {
    let found = match field {
        "host" => message.host.as_bytes().to_vec(),
        _ => {
            let mut named = message.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(field));
            named.find(|(_, value)| !value.is_empty()).map(|(_, value)| value.clone()).unwrap_or_default()
        }
    };
    Some(found).filter(|text| !text.is_empty())
}

fn endless() -> Work<'static> {
    Run::alone().work()
}

/// Every different value of a field of a message.
fn texts(message: &Message, field: &str) -> BTreeSet<Vec<u8>> {
    let named = message.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(field));
    let values = named.map(|(_, value)| value.clone()).filter(|value| !value.is_empty());
    values.chain((field == "host").then(|| text(message, field)).flatten()).collect()
}

/// Every third message but one.
fn some_of(batch: &Batch, first: u64) -> Selection {
    Selection::from_fn(batch.rows(), |row| (first as usize + row) % 3 != 1)
}

fn chosen(messages: &[Message]) -> Vec<&Message> {
    messages.iter().enumerate().filter(|(index, _)| index % 3 != 1).map(|(_, message)| message).collect()
}

/// The same messages with each field once.
fn with_first_values(mut messages: Vec<Message>) -> Vec<Message> {
    for message in &mut messages {
        let mut known = BTreeSet::new();
        message.fields.retain(|(name, value)| !value.is_empty() && known.insert(name.to_lowercase()));
    }
    messages
}

/// The texts of a row; nothing where there is no value.
type Cells = Vec<Option<Vec<u8>>>;

/// The texts of a row and the count at its end; nothing where one of them is missing.
fn counted_of(row: &[Value]) -> Option<(Vec<Vec<u8>>, u64)> {
    let (Value::Count(count), texts) = row.split_last()? else { return None };
    let text = |value: &Value| if let Value::Text(text) = value { Some(text.to_vec()) } else { None };
    Some((texts.iter().map(text).collect::<Option<_>>()?, *count))
}

/// Stages that pass messages on.
fn stages() -> impl Strategy<Value = String> {
    let stages = [
        "where host=a",
        "where -host:b severity>=warning",
        "where time>2026-11-21T06:20 OR host=c",
        "sort -n, host",
        "sort severity",
        "limit 3",
        "tail 5",
        "dedup host, severity",
        "dedup n",
        "extract \"n=<m>\"",
        "parse regex /(?<letter>[a-c])/",
        "extract \"=<n>\"",
        "parse kv",
        "eval k = len(message) * 2, letter = coalesce(letter, upper(host))",
        "eval n = if(n > 3, null, concat(host, n))",
        "fields host, n, message",
        "sort m, letter",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

/// Stages that need one message at a time.
fn streaming() -> impl Strategy<Value = String> {
    let stages = [
        "where host=a",
        "where -n>3",
        "where m:* OR severity>=error",
        "where b",
        "extract \"n=<m>\"",
        "parse regex /(?<letter>[a-c])/",
        "parse csv letter, _ from message",
        "parse kv",
        "parse kv from user",
        "eval k = n * 2, letter = coalesce(letter, upper(host))",
        "eval n = if(n > 3, null, concat(host, n))",
        "eval m = n + k, N = len(message)",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

/// Stages that end with a table of their own.
fn collecting() -> impl Strategy<Value = String> {
    let stages = [
        "stats count(), sum(n), min(n), max(time), dc(user), p50(n) by host, severity",
        "stats count() by n | stats count() as groups by count",
        "timechart span=10m count(), avg(n) by host",
        "top 2 n by host",
        "rare 3 severity",
        "uniq host, n",
        "gap host > 2m",
        "gap n, severity > 7m | stats count(), max(seconds) by n",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_histogram_counts_each_message_once((messages, parts) in messages().prop_flat_map(in_parts), width in 1_i64..1800) {
        let by = FieldName::new("n");
        let mut histogram =
            Histogram::new(HOUR, Width::Nanos(width * SECOND), Some(by), MEMORY_MAX).unwrap();
        for (first, batch) in &parts {
            let needs = histogram.needs().to_vec();
            with_part(batch, &some_of(batch, *first), &needs, |part| histogram.add(part, &endless())).unwrap();
        }
        let counts = histogram.finish();
        let mut expected = vec![0; counts.counts.len()];
        let mut series: BTreeMap<Vec<u8>, Vec<u64>> = BTreeMap::new();
        for message in chosen(&messages) {
            let bucket = (message.time / SECOND / width - START / SECOND / width) as usize;
            expected[bucket] += 1;
            for value in texts(message, "n") {
                series.entry(value).or_insert_with(|| vec![0; counts.counts.len()])[bucket] += 1;
            }
        }
        prop_assert_eq!(counts.total, chosen(&messages).len() as u64);
        prop_assert_eq!(&counts.counts, &expected);
        prop_assert!(counts.starts.windows(2).all(|two| two[1].nanos() - two[0].nanos() == width * SECOND));
        let found: BTreeMap<Vec<u8>, Vec<u64>> = counts
            .series
            .iter()
            .map(|series| {
                let mut value = Vec::new();
                series.value.write(&mut value);
                (value, series.counts.clone())
            })
            .collect();
        prop_assert_eq!(found, series);
    }

    #[test]
    fn facets_are_the_most_frequent_values((messages, parts) in messages().prop_flat_map(in_parts), limit in 0_usize..5) {
        let fields = vec![FieldName::new("n"), FieldName::new("host")];
        let mut facets = Facets::new(fields, limit, MEMORY_MAX);
        for (first, batch) in &parts {
            facets.add(batch, &some_of(batch, *first), "main");
        }
        for facet in facets.finish() {
            let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for value in chosen(&messages).iter().flat_map(|message| texts(message, facet.field.as_str())) {
                *counts.entry(value).or_default() += 1;
            }
            prop_assert_eq!(facet.distinct, counts.len() as u64);
            let mut expected: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
            expected.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let expected: Vec<(Value, u64)> =
                expected.into_iter().take(limit).map(|(value, count)| (Value::text(&value), count)).collect();
            prop_assert_eq!(facet.values, expected);
            prop_assert_eq!(facet.partial, None);
        }
    }

    #[test]
    fn functions_are_what_they_say((messages, parts) in messages().prop_flat_map(in_parts)) {
        let query = "* | stats count(), count(n), sum(n), avg(n), min(n), max(n), dc(n), p50(n), p95(n) by host";
        let table = run(query, &parts, MEMORY_MAX).unwrap();
        let mut groups: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
        messages.iter().for_each(|message| groups.entry(message.host).or_default().push(message));
        prop_assert_eq!(table.rows.len(), groups.len());
        for row in &table.rows {
            let host = if let Value::Text(host) = &row[0] { std::str::from_utf8(host).unwrap() } else { "" };
            let group = &groups[host];
            let values: Vec<Vec<u8>> = group.iter().filter_map(|message| text(message, "n")).collect();
            let mut numbers: Vec<f64> = values.iter().filter_map(|value| number_of(value)).collect();
            numbers.sort_by(f64::total_cmp);
            let distinct: BTreeSet<&Vec<u8>> = values.iter().collect();
            let at = |percent: usize| match (numbers.len() * percent).div_ceil(100) {
                0 => Value::Null,
                rank => Value::Number(numbers[rank - 1] + 0.0),
            };
            let end = |number: Option<&f64>, text: Option<&&Vec<u8>>| match (number, text) {
                (Some(number), _) => Value::Number(*number + 0.0),
                (None, Some(text)) => Value::text(text),
                (None, None) => Value::Null,
            };
            prop_assert_eq!(&row[1], &Value::Count(group.len() as u64));
            prop_assert_eq!(&row[2], &Value::Count(values.len() as u64));
            let sum: f64 = numbers.iter().sum();
            match row[3] {
                Value::Number(found) => prop_assert!((found - sum).abs() <= 1e-6, "{found} {sum}"),
                _ => prop_assert!(numbers.is_empty()),
            }
            match row[4] {
                Value::Number(found) => prop_assert!((found - sum / numbers.len() as f64).abs() <= 1e-6),
                _ => prop_assert!(numbers.is_empty()),
            }
            prop_assert_eq!(&row[5], &end(numbers.first(), distinct.first()));
            prop_assert_eq!(&row[6], &end(numbers.last(), distinct.last()));
            prop_assert_eq!(&row[7], &Value::Count(distinct.len() as u64));
            prop_assert_eq!(&row[8], &at(50));
            prop_assert_eq!(&row[9], &at(95));
        }
    }

    #[test]
    fn stages_that_stream_give_messages_what_a_question_shows(
        (_, parts) in messages().prop_flat_map(in_parts),
        stages in vec(streaming(), 1..4),
    ) {
        let columns = ["time", "host", "message", "n", "m", "k", "letter"];
        let text = format!("* | {}", stages.join(" | "));
        let named = columns.map(FieldName::new);
        let table = run(&format!("{text} | fields {}", columns.join(", ")), &parts, MEMORY_MAX).unwrap();
        let pipeline = parse_pipeline(&text).unwrap();
        prop_assert_eq!(pipeline.streams(), Ok(()));
        let now = Timestamp::from_nanos(START + 3600 * SECOND);
        let transform = Transform::new(&pipeline.stages, now);
        let mut rows: Vec<(i64, u64, Cells)> = Vec::new();
        for (first, batch) in &parts {
            let batch = Arc::new(batch.clone());
            let changed = transform.apply(&batch, &Selection::all(batch.rows()), "main");
            for (row, origin) in changed.rows.iter().enumerate() {
                let mut raws = (Vec::new(), Vec::new());
                batch.write_raw(*origin, &mut raws.0);
                changed.batch.write_raw(row, &mut raws.1);
                prop_assert_eq!(raws.0, raws.1, "what was received stays what it was");
                let value = |name: &FieldName| changed.batch.value(row, name).map(Cow::into_owned);
                let values = named.iter().map(value).collect();
                rows.push((batch.time(*origin).nanos(), first + *origin as u64, values));
            }
        }
        rows.sort_by_key(|(time, sequence, _)| std::cmp::Reverse((*time, *sequence)));
        let shown: Vec<Cells> = table
            .rows
            .iter()
            .map(|row| {
                let cell = |value: &Value| {
                    let mut text = Vec::new();
                    value.write(&mut text);
                    (*value != Value::Null).then_some(text)
                };
                row.iter().map(cell).collect()
            })
            .collect();
        prop_assert_eq!(shown, rows.into_iter().map(|(_, _, values)| values).collect::<Vec<Cells>>());
    }

    #[test]
    fn parts_and_their_order_do_not_show(
        (messages, parts) in messages().prop_flat_map(in_parts),
        query in select(vec![
            "*",
            "* | stats count(), sum(n), avg(n), min(user), max(time), p90(n) by severity, host",
            "* | stats count() by n | stats sum(count), count() by n | sort -count, n",
            "* | timechart span=5m count(), sum(n) by host",
            "* | timechart count(), avg(n)",
            "* | top 3 n by host",
            "* | rare 2 n",
            "* | uniq n, host",
            "* | gap host > 3m",
            "* | gap 1m by n, host",
            "* | where n>3 | parse kv | gap n > 90s",
            "* | dedup host, n",
            "* | sort -n, host | limit 7",
            "* | sort -n, host | dedup n | stats count()",
            "* | tail 5 | fields time, n",
            "* | limit 5 | stats count() by host | where count>1",
            "* | extract \"n=<m>\" | where m>5 | stats count(), max(m) by host",
            "* | parse kv | limit 20",
            "* | sort severity | fields severity, time",
        ]),
    ) {
        let whole = run(query, &[(0, batch_of(&messages))], MEMORY_MAX);
        prop_assert_eq!(run(query, &parts, MEMORY_MAX), whole);
    }

    #[test]
    fn gaps_are_the_times_between_neighbours((messages, parts) in messages().prop_flat_map(in_parts), minutes in 1_i64..20) {
        let table = run(&format!("* | gap n > {minutes}m"), &parts, MEMORY_MAX).unwrap();
        let mut times: BTreeMap<Vec<u8>, Vec<i64>> = BTreeMap::new();
        for message in &messages {
            texts(message, "n").into_iter().for_each(|n| times.entry(n).or_default().push(message.time));
        }
        let mut expected = Vec::new();
        for (value, mut times) in times {
            times.sort_unstable();
            let ends = times[1..].iter().map(|&time| Some(time)).chain([None]);
            for (&from, to) in times.iter().zip(ends) {
                let seconds = (to.unwrap_or(START + 3600 * SECOND) - from) / SECOND;
                if minutes * 60 < seconds {
                    expected.push((seconds, value.clone(), from, to));
                }
            }
        }
        let mut found = Vec::new();
        for row in &table.rows {
            let [Value::Text(value), Value::Time(from), to, Value::Number(seconds)] = row.as_slice() else {
                panic!("{row:?}")
            };
            let to = if let Value::Time(to) = to { Some(to.nanos()) } else { None };
            found.push((*seconds as i64, value.to_vec(), from.nanos(), to));
        }
        prop_assert!(found.is_sorted_by_key(|(seconds, ..)| std::cmp::Reverse(*seconds)), "{found:?}");
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
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

    /// The limit collects all messages, so that what follows it works on a table, which holds one value of each field.
    #[test]
    fn a_stage_over_a_table_is_the_stage_over_messages(
        (_, parts) in messages().prop_map(with_first_values).prop_flat_map(in_parts),
        steps in vec(stages(), 0..4),
        last in prop_oneof![collecting(), stages()],
    ) {
        let stages: Vec<String> = steps.into_iter().chain([last]).collect();
        let stages = stages.join(" | ");
        let over_messages = run(&format!("* | {stages}"), &parts, MEMORY_MAX);
        let over_table = run(&format!("* | limit 1000000 | {stages}"), &parts, MEMORY_MAX);
        match (over_messages, over_table) {
            (Ok(over_messages), Ok(over_table)) => {
                // Which other columns are shown may differ: they hold what the stages needed. What was computed is a
                // text once it went through messages.
                let common = |table: &Table, other: &Table| -> Vec<Vec<Option<Vec<u8>>>> {
                    let mut shared: Vec<usize> = (0..table.columns.len()).collect();
                    shared.retain(|&index| other.columns.contains(&table.columns[index]));
                    shared.sort_by_key(|&index| &table.columns[index].name);
                    table.rows.iter().map(|row| shared.iter().map(|&index| written(&row[index])).collect()).collect()
                };
                prop_assert_eq!(
                    common(&over_messages, &over_table),
                    common(&over_table, &over_messages),
                    "{}",
                    stages
                );
            }
            (over_messages, over_table) => {
                prop_assert!(over_messages.is_err() == over_table.is_err(), "{}: {:?} {:?}", stages, over_messages, over_table);
            }
        }
    }

    #[test]
    fn little_memory_is_an_error_or_enough((_, parts) in messages().prop_flat_map(in_parts), bytes_max in 0_usize..40_000) {
        for query in ["* | stats dc(n), p50(n), min(n) by message", "* | dedup message", "* | sort n", "* | gap message > 1m"] {
            let whole = run(query, &parts, MEMORY_MAX);
            match run(query, &parts, bytes_max) {
                Err(error) => prop_assert_eq!(error, AnswerError::Memory { bytes_max }),
                found => prop_assert_eq!(found, whole),
            }
        }
    }
}

fn written(value: &Value) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    value.write(&mut text);
    (*value != Value::Null).then_some(text)
}

fn message(second: i64, host: &'static str, text: &str, fields: &[(&'static str, &str)]) -> Message {
    Message {
        time: START + second * SECOND,
        severity: Some((second % 8) as u8),
        host,
        message: text.to_owned(),
        fields: fields.iter().map(|(name, value)| (*name, value.as_bytes().to_vec())).collect(),
    }
}

fn sample() -> Vec<(u64, Batch)> {
    vec![(
        0,
        batch_of(&[
            message(0, "fw1", "user=root from 10.0.0.1", &[("bytes", "10"), ("ms", "250ms")]),
            message(61, "fw1", "user=eve from 10.0.0.2", &[("bytes", "9"), ("ms", "1.5s")]),
            message(120, "web", r#"{"status":404,"path":{"name":"/x"}}"#, &[("bytes", "NaN")]),
            message(
                3599,
                "web",
                r#"{"status":200,"path":{"name":"/"}}"#,
                &[("bytes", "1e400"), ("bytes", "7")],
            ),
            message(121, "", "plain", &[]),
        ]),
    )]
}

fn check(query: &str, expected: &[&str]) {
    let table = run(query, &sample(), MEMORY_MAX).unwrap();
    assert_eq!(shown(&table), expected, "{query}");
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
    let too_many = "note: 1 messages have more than 1024 combinations of values and count under the first 1024: group \
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
fn what_a_text_says_of_a_field_stands_for_what_the_message_said() {
    check(
        "host=fw1 | extract \"from <bytes>\" | top bytes",
        &["bytes | count", "10.0.0.1 | 1", "10.0.0.2 | 1"],
    );
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
fn gaps_are_silences_of_a_sender() {
    check(
        "* | gap host > 57m",
        &[
            "host | from | to | seconds",
            "fw1 | 2026-11-21T06:01:01Z | - | 3539",
            "web | 2026-11-21T06:02:00Z | 2026-11-21T06:59:59Z | 3479",
        ],
    );
    check(
        "* | gap host > 3478s | sort host, \"from\" | fields host, seconds",
        &["host | seconds", "fw1 | 3539", "web | 3479"],
    );
    check("* | gap host > 3479s | fields host", &["host", "fw1"]);
    check("* | gap host > 3539s", &["host | from | to | seconds"]);
    check(
        "time<2026-11-21T06:30 | gap host > 20m | fields host, to, seconds",
        &["host | to | seconds", "fw1 | - | 1739", "web | - | 1680"],
    );
    check(
        "* | limit 4 | gap host, bytes > 57m | where seconds>3500",
        &["host | bytes | from | to | seconds", "fw1 | 9 | 2026-11-21T06:01:01Z | - | 3539"],
    );
}

#[test]
fn a_silence_lasts_until_now_or_the_end_of_the_question_whatever_is_stored() {
    let lasting = |now: i64, asked: i64| {
        let time = |second: i64| Timestamp::from_nanos(START + second * SECOND);
        let range = TimeRange { first: time(0), last: time(121) };
        let asked = TimeRange { first: time(0), last: Timestamp::from_nanos(time(asked).nanos() - 1) };
        let settings = Settings { now: time(now), range, asked, memory_bytes_max: MEMORY_MAX };
        let pipeline = parse_pipeline("* | gap host > 10m").unwrap();
        let mut aggregation = Aggregation::compile(&pipeline, settings).unwrap();
        let batch = batch_of(&[message(0, "fw1", "x", &[]), message(120, "fw1", "y", &[])]);
        let all = Selection::all(batch.rows());
        let needs = aggregation.needs().to_vec();
        with_part(&batch, &all, &needs, |part| aggregation.add(part, &endless())).unwrap();
        shown(&aggregation.finish(&Run::alone()).unwrap())[1..].to_vec()
    };
    assert_eq!(lasting(7200, 3600), ["fw1 | 2026-11-21T06:02:00Z | - | 3480"]);
    assert_eq!(lasting(1000, 3600), ["fw1 | 2026-11-21T06:02:00Z | - | 880"]);
    assert!(lasting(720, 3600).is_empty());
    assert!(lasting(60, 3600).is_empty(), "a clock that is behind makes no gap");
}

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
fn fields_are_found_in_texts() {
    check(
        "* | extract \"user=<user> from <ip>\" | where user=eve | fields user, ip",
        &["user | ip", "eve | 10.0.0.2"],
    );
    check(
        "* | parse json | where status>=400 | stats count() by path.name",
        &["path.name | count", "/x | 1"],
    );
    check(
        "* | parse json | where status>=400",
        &[
            "time | host | program | severity | message | status | path.name",
            r#"2026-11-21T06:02:00Z | web | - | emerg | {"status":404,"path":{"name":"/x"}} | 404 | /x"#,
        ],
    );
    let names = r#"{"host":"other","level":"x","N":1}"#;
    let named = [(0, batch_of(&[message(0, "h", names, &[])]))];
    let lines = shown(&run("* | parse json | fields host, severity, n", &named, MEMORY_MAX).unwrap());
    assert_eq!(lines[1], "h | emerg | 1");
    check("host=fw1 | parse kv | dedup host | fields user", &["user", "eve"]);
    check(
        "* | parse regex /(?<last>[0-9])$/ | stats count() by last | sort last | limit 1",
        &["last | count", "1 | 1"],
    );
    check("host=web | limit 2 | parse json | fields status", &["status", "200", "404"]);
    check("host=fw1 | stats max(message) as m | extract \"user=<u> \" from m | fields u", &["u", "root"]);
    check(
        "host=fw1 | extract \"from <ip>\" | fields raw, ip | limit 1",
        &["raw | ip", "user=eve from 10.0.0.2 | 10.0.0.2"],
    );
}

#[test]
fn fields_are_computed() {
    check(
        "host=fw1 | extract \"user=<user> \" | eval who = upper(coalesce(user, \"nobody\")), n = bytes * 2 | fields who, n",
        &["who | n", "EVE | 18", "ROOT | 20"],
    );
    check(
        "* | eval size = if(bytes > 9, \"big\", \"small\") | stats count() by size | sort size",
        &["size | count", "big | 1", "small | 4"],
    );
    check(
        "* | stats count() by host | eval share = round(count / 6 * 100) | where share>20 | fields host, share",
        &["host | share", "fw1 | 33", "web | 33"],
    );
    check(
        "* | stats count() as n, max(time) as last | eval day = format_time(last, \"%F\"), next = last + 1h | fields day, next",
        &["day | next", "2026-11-21 | 2026-11-21T07:59:59Z"],
    );
    check("host=web | limit 1 | eval a = 1, b = a + 1, a = a * 10 | fields a, b", &["a | b", "10 | 2"]);
    check("host=web | limit 1 | parse json | eval status = status * 2 | fields status", &["status", "400"]);
    check(
        "host=web | parse json | eval status = status * 2 | where status>500",
        &[
            "time | host | program | severity | message | status | path.name",
            r#"2026-11-21T06:02:00Z | web | - | emerg | {"status":404,"path":{"name":"/x"}} | 808 | /x"#,
        ],
    );
    check("host=web | fields host | eval x = host | limit 1", &["host | x", "web | web"]);
    check(
        "* | stats count() | eval line = \"1,two words,3\" | parse csv a, _, c from line | fields a, c",
        &["a | c", "1 | 3"],
    );
    let hidden = run("* | fields host | eval x = user", &sample(), MEMORY_MAX).unwrap_err();
    assert!(hidden.to_string().contains("`eval x = user` needs `user`"), "{hidden}");
}

#[test]
fn where_sees_what_is_there() {
    check("* | where host:fw* | where bytes>9 | stats count()", &["count", "1"]);
    check("* | parse kv | where eve | stats count()", &["count", "1"]);
    check(
        "* | stats count() as n, max(time) as last by host, severity | where n=1 severity>=alert host:fw1",
        &["host | severity | n | last", "fw1 | emerg | 1 | 2026-11-21T06:00:00Z"],
    );
    check(
        "* | timechart span=30m count() | where time>2026-11-21T06:15",
        &["time | count", "2026-11-21T06:30:00Z | 1"],
    );
    check("host=fw1 | stats max(message) as m | parse json from m | where status>1", &["m | status"]);
    check("* | stats count() by host | where web", &["host | count", "web | 2"]);
}

#[test]
fn every_field_has_the_text_that_the_api_shows() {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::from_nanos(START + SECOND);
    builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
    builder.push(
        &Row {
            time: Some(Timestamp::from_nanos(START)),
            priority: Priority::new(4 * 8 + 3),
            message_at: Some(4),
            flags: Flags::TRUNCATED.with(Flags::INCOMPLETE),
            ..Row::text(b"raw text\xFF")
        }
        .with(Field::Program, b"sshd")
        .with(Field::Pid, b"77")
        .with(Field::Msgid, b"ID")
        .with(Field::Message, b"text"),
    );
    builder.push(&Row::text(b"bare"));
    let parts = [(0, builder.seal())];
    let fields = "time, received, severity, facility, flag, program, pid, msgid, host, message, raw, source, peer, logspace";
    for query in [format!("* | fields {fields}"), format!("* | extract \"te<a>\" | fields {fields}")] {
        let lines = shown(&run(&query, &parts, MEMORY_MAX).unwrap());
        assert_eq!(
            lines[1..],
            [
                "2026-11-21T06:00:01Z | 2026-11-21T06:00:01Z | - | - | - | - | - | - | - | bare | bare | syslog \
             | 10.0.0.1:514 | main",
                "2026-11-21T06:00:00Z | 2026-11-21T06:00:01Z | err | auth | truncated,incomplete | sshd | 77 | ID | - \
             | text | raw text\u{fffd} | syslog | 10.0.0.1:514 | main",
            ]
        );
    }
    for query in ["* | top flag", "* | limit 2 | top flag"] {
        let lines = shown(&run(query, &parts, MEMORY_MAX).unwrap());
        assert_eq!(lines, ["flag | count", "incomplete | 1", "truncated | 1"], "{query}");
    }
    let table = run(
        &format!(
            "* | limit 2 | where severity=err facility=auth flag:incomplete pid>70 msgid:id raw:raw \
        source=syslog peer:10.0.0.0/8 received>2026-11-20 time<2026-11-22 program:sshd message:text | fields {fields}"
        ),
        &parts,
        MEMORY_MAX,
    );
    assert_eq!(table.unwrap().rows.len(), 1);
}

#[test]
fn a_pipeline_says_what_it_needs() {
    let check = |query: &str, needs_batches: bool, reads: Option<&str>| {
        let pipeline = parse_pipeline(query).unwrap();
        let now = Timestamp::from_nanos(START);
        let settings = Settings { now, range: HOUR, asked: HOUR, memory_bytes_max: MEMORY_MAX };
        let aggregation = Aggregation::compile(&pipeline, settings).unwrap();
        assert_eq!(aggregation.needs_batches(), needs_batches, "{query}");
        let names = aggregation
            .reads()
            .map(|fields| fields.iter().map(FieldName::as_str).collect::<Vec<_>>().join(","));
        assert_eq!(names.as_deref(), reads, "{query}");
    };
    check("a | where b | stats count(), avg(n) by host, time", false, Some("host,n"));
    check("* | timechart count()", false, Some(""));
    check("*", true, Some("time,host,program,severity,message"));
    check("* | extract \"x<y>\" | where y>1 | top y", true, Some("message,y"));
    check("* | parse json | where b | stats count()", true, None);
}

#[test]
fn what_can_not_be_answered_says_why() {
    let check = |query: &str, expected: &str| {
        let error = run(query, &[], MEMORY_MAX).unwrap_err().to_string();
        assert!(error.contains(expected), "{query}: {error}");
    };
    check(
        "* | stats count() by host | sort bytes",
        "there is no column `bytes` at this stage; there are host, count",
    );
    check("* | stats count() | where n>1", "there is no column `n`");
    check("* | fields host | stats count() by program", "`fields` before it leaves out");
    check("* | stats count() by host | gap host > 1m", "there is no column `time`");
    check("* | limit 5 | where error", "name a field as in `message:text`");
    check("* | parse kv | where logspace:main", "put it before");
    check("* | limit 3 | where logspace:main", "put it before");
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
    assert_eq!(table.rows[0][4], Value::text(b"10004"));
    assert_eq!(run("* | limit 1000000", &parts, MEMORY_MAX).unwrap(), table);
    let now = Timestamp::from_nanos(START);
    let settings = Settings { now, range: HOUR, asked: HOUR, memory_bytes_max: MEMORY_MAX };
    let mut aggregation = Aggregation::compile(&parse_pipeline("* | limit 3").unwrap(), settings).unwrap();
    for (first_sequence, batch) in &parts {
        assert!(aggregation.floor().is_none_or(|floor| floor < batch.time(0)));
        let place = Place { logspace: "main", first_sequence: *first_sequence };
        aggregation.add_batch(batch, &Selection::all(batch.rows()), place, &endless()).unwrap();
        assert!(aggregation.floor().is_some());
    }
    assert_eq!(aggregation.finish(&Run::alone()).unwrap().rows[..], table.rows[..3]);
    let table = run("* | stats count() by message", &parts, MEMORY_MAX).unwrap();
    assert_eq!(table.rows.len(), ROWS_MAX);
    assert_eq!(table.notes, ["the table has 10005 rows; these are the first 10000"]);
    let table = run("* | dedup message | stats count()", &parts, MEMORY_MAX).unwrap();
    assert_eq!(shown(&table), ["count", "10005"]);
}

#[test]
fn times_are_read_only_where_a_frame_is_in_several_spans() {
    struct Times(Vec<Frame>);
    impl RowTimes for Times {
        fn frames(&self) -> &[Frame] {
            &self.0
        }
        fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
            assert_ne!(frame, 0, "it lies in one span");
            if frame == 2 {
                return Err(Unreadable("page 7 is damaged".to_owned()));
            }
            out.clear();
            out.extend([START, START + 61 * SECOND]);
            Ok(())
        }
    }
    let frame = |rows, last: i64| Frame { rows, earliest: START, latest: START + last * SECOND };
    let times = Times(vec![frame(0..100, 59), frame(100..102, 61), frame(102..104, 61)]);
    let mut selected = Selection::from_fn(104, |row| row % 2 == 1 && row < 102);
    let mut histogram = Histogram::new(HOUR, Width::Nanos(60 * SECOND), None, MEMORY_MAX).unwrap();
    let mut add = |selected: &Selection| {
        histogram.add(&Part { rows: 104, selected, times: &times, fields: Vec::new() }, &endless())
    };
    add(&selected).unwrap();
    selected.insert(102);
    assert_eq!(add(&selected).unwrap_err().to_string(), "page 7 is damaged");
    let counts = histogram.finish();
    assert_eq!(
        (counts.counts[0], counts.counts[1], counts.total),
        (50, 1, 51),
        "a part counts whole or not at all"
    );
}

#[test]
fn many_values_are_counted_together() {
    let many: Vec<Message> = (0..300)
        .map(|index| Message {
            time: START + index % 2,
            message: format!("{}", index / 2),
            ..Message::default()
        })
        .collect();
    let field = FieldName::new("message");
    let batch = batch_of(&many);
    let all = Selection::all(300);
    let mut histogram = Histogram::new(HOUR, Width::AtMost(60), Some(field.clone()), MEMORY_MAX).unwrap();
    with_part(&batch, &all, std::slice::from_ref(&field), |part| histogram.add(part, &endless())).unwrap();
    let counts = histogram.finish();
    assert_eq!((counts.series.len(), counts.other_values, counts.other[0]), (BY_VALUES_MAX, 50, 100));

    let mut facets = Facets::new(vec![field.clone()], 10, 2000);
    facets.add(&batch, &all, "main");
    let facet = &facets.finish()[0];
    assert!(facet.distinct < 150);
    assert!(facet.partial.as_ref().unwrap().contains("messages are not counted"));
}

#[test]
fn an_open_range_charts_what_is_there() {
    let pipeline = parse_pipeline("* | timechart span=1m count()").unwrap();
    let (now, all) = (Timestamp::from_nanos(START), TimeRange::ALL);
    let settings = Settings { now, range: all, asked: all, memory_bytes_max: MEMORY_MAX };
    let mut aggregation = Aggregation::compile(&pipeline, settings).unwrap();
    let (_, batch) = &sample()[0];
    let selected = Selection::from_fn(batch.rows(), |row| row != 3);
    with_part(batch, &selected, &[], |part| aggregation.add(part, &endless())).unwrap();
    assert_eq!(aggregation.finish(&Run::alone()).unwrap().rows.len(), 3);
    let empty = Aggregation::compile(&pipeline, settings).unwrap();
    assert!(empty.finish(&Run::alone()).unwrap().rows.is_empty());
}
